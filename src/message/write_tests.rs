//! The attempts, with a scripted agent.

use std::sync::Mutex;
use std::time::Duration;

use super::*;
use crate::agent::offline::Facts;
use crate::agent::{Agent, AgentFailure, Answer, FailureKind, Request};
use crate::config::{Format, Style};
use crate::git::{LogEntry, ObjectId};
use crate::payload::Payload;
use crate::payload::samples::Store;
use crate::progress::Progress;
use crate::prompt::{Limits, Material, Prompt};
use crate::run::{Cancel, Cause};

/// Answers by a script and remembers what it was asked.
struct Scripted {
    answers: Mutex<Vec<Result<String, FailureKind>>>,
    asked: Mutex<Vec<(Prompt, bool, Vec<String>)>>,
}

impl Agent for Scripted {
    fn ask(&self, request: &Request<'_>, _cancel: &Cancel) -> Result<Answer, AgentFailure> {
        let Some(Facts::Message(facts)) = request.facts else { panic!("no facts of a message") };
        let rejected = facts.rejected.clone();
        self.asked.lock().unwrap().push((request.prompt.clone(), request.retry, rejected));
        match self.answers.lock().unwrap().pop().expect("the agent is asked too often") {
            Ok(text) => Ok(Answer { text, elapsed: Duration::ZERO, raw_fallback: false }),
            Err(kind) => Err(AgentFailure {
                kind,
                provider: "scripted".to_owned(),
                message: "it failed".to_owned(),
                excerpt: String::new(),
                advice: String::new(),
            }),
        }
    }
}

#[derive(Default)]
struct Told(Mutex<Vec<String>>);

impl Progress for Told {
    fn detail(&self, text: &str) {
        self.0.lock().unwrap().push(text.to_owned());
    }
}

struct Run {
    outcome: Result<Written, WriteFailure>,
    asked: Vec<(Prompt, bool, Vec<String>)>,
    details: Vec<String>,
}

fn payload() -> Payload {
    Store::default().modified("a.rs", "one\n", "two\n").payload()
}

fn limits() -> Limits {
    Limits { max_diff_bytes: 300_000, max_md_lines: 100, ..Limits::default() }
}

fn material<'a>(payload: &'a Payload, history: &'a [LogEntry], style: Style) -> Material<'a> {
    Material {
        payload,
        history,
        format: Format { style, body: false },
        locale: None,
        context: None,
        branch: None,
        scopes: &[],
        prepared: None,
        planned: None,
        subject_target: 50,
    }
}

fn history() -> Vec<LogEntry> {
    let entry = |message: &&str| LogEntry {
        id: ObjectId::from_bytes(&[1; 20]).unwrap(),
        parents: 1,
        message: (*message).to_owned(),
    };
    ["Add a parser", "Mend the lexer"].iter().map(entry).collect()
}

fn run_with(style: Style, rules: &Rules<'_>, answers: &[Result<&str, FailureKind>]) -> Run {
    let answers = answers.iter().rev().map(|answer| answer.map(str::to_owned)).collect();
    let agent = Scripted { answers: Mutex::new(answers), asked: Mutex::default() };
    let (payload, history, told) = (payload(), history(), Told::default());
    let material = material(&payload, &history, style);
    let rules = Rules { limits: limits(), ..rules.clone() };
    let outcome = write(&agent, &material, &rules, &Cancel::new(), &told);
    assert!(agent.answers.into_inner().unwrap().is_empty(), "the agent is asked too seldom");
    Run { outcome, asked: agent.asked.into_inner().unwrap(), details: told.0.into_inner().unwrap() }
}

fn run(answers: &[Result<&str, FailureKind>]) -> Run {
    run_with(Style::Auto, &Rules { max_duplicate_retries: 3, ..Rules::default() }, answers)
}

fn text(run: &Run) -> &str {
    run.outcome.as_ref().unwrap().message.as_str()
}

#[test]
fn a_good_answer_is_taken_as_it_is() {
    let run = run(&[Ok("Teach it to count\n\nBecause.")]);
    let written = run.outcome.unwrap();
    assert_eq!(written.message.as_str(), "Teach it to count\n\nBecause.\n");
    assert_eq!((written.retries, written.notes.len(), run.details.len()), (0, 0, 0));
    assert!(!run.asked[0].1);
}

#[test]
fn nothing_is_asked_for_once_more_and_the_retry_says_so() {
    for nothing in [Err(FailureKind::Blank), Err(FailureKind::Garbled), Ok("I'm sorry, but I cannot help with that.")] {
        let good = run(&[nothing, Ok("Teach it")]);
        assert_eq!(text(&good), "Teach it\n");
        assert_eq!(good.asked.iter().map(|(_, retry, _)| *retry).collect::<Vec<_>>(), [false, true]);
        assert_eq!(good.details.len(), 1);
        let bad = run(&[nothing, nothing]).outcome.unwrap_err();
        assert_eq!((bad.candidate, bad.retries), (None, 1));
    }
}

#[test]
fn a_subject_that_was_used_is_not_taken() {
    let good = run(&[Ok("add A  parser"), Ok("Mend the Lexer\n\nAgain."), Ok("Teach it")]);
    assert_eq!(text(&good), "Teach it\n");
    let (prompt, retry, rejected) = &good.asked[2];
    assert!(prompt.user.contains("\nadd A parser\nMend the Lexer\n") && !retry);
    assert!(rejected.contains(&"Mend the Lexer".to_owned()));
    assert_eq!(good.details.len(), 2);
    let same = Ok("Add a parser\n\nBody");
    let bad = run(&[same; 4]).outcome.unwrap_err();
    assert_eq!(bad.candidate.unwrap().as_str(), "Add a parser\n\nBody\n");
    assert_eq!((*bad.error, bad.retries), (WriteError::Duplicate("Add a parser".to_owned()), 3));
}

#[test]
fn subjects_of_this_run_are_taken() {
    let taken = ["Teach it".to_owned()];
    let rules = Rules { taken: &taken, max_duplicate_retries: 0, ..Rules::default() };
    assert!(run_with(Style::Auto, &rules, &[Ok("teach it")]).outcome.is_err());
}

#[test]
fn a_fault_is_told_once_and_then_the_best_is_taken() {
    let long = "x".repeat(101);
    let mended = run(&[Ok(&long), Ok("Teach it")]);
    assert_eq!(text(&mended), "Teach it\n");
    assert!(mended.outcome.unwrap().notes.is_empty());
    assert!(mended.asked[1].0.user.contains("The subject has 101 characters"));
    let longer = "y".repeat(102);
    let kept = run(&[Ok(&long), Ok(&longer)]);
    assert_eq!(text(&kept), format!("{longer}\n"));
    assert_eq!(kept.outcome.unwrap().notes.len(), 1);
}

#[test]
fn the_better_of_two_is_taken() {
    let worse = format!("no type {}", "x".repeat(101));
    let run = run_with(Style::Conventional, &Rules::default(), &[Ok("Teach it"), Ok(&worse)]);
    assert_eq!(text(&run), "Teach it\n");
    assert_eq!(
        run.outcome.unwrap().notes,
        ["the message is used in spite of this: The subject is not of the form \"type(scope): description\"."]
    );
}

#[test]
fn a_usable_message_survives_a_failing_retry() {
    let long = "x".repeat(101);
    for last in [vec![Err(FailureKind::Timeout)], vec![Err(FailureKind::Blank), Err(FailureKind::Blank)]] {
        let answers: Vec<_> = [Ok(long.as_str())].into_iter().chain(last).collect();
        let run = run(&answers);
        assert_eq!(text(&run), format!("{long}\n"));
        assert_eq!(run.outcome.unwrap().notes.len(), 2);
    }
}

#[test]
fn a_stop_is_a_failure_that_keeps_the_candidate() {
    let long = "x".repeat(101);
    let failure = run(&[Ok(&long), Err(FailureKind::Cancelled(Cause::Interrupt))]).outcome.unwrap_err();
    assert_eq!(failure.candidate.unwrap().as_str(), format!("{long}\n"));
    assert!(matches!(*failure.error, WriteError::Agent(_)));
}

#[test]
fn other_failures_are_not_retried() {
    for kind in [FailureKind::Auth, FailureKind::Timeout, FailureKind::Quota] {
        let failure = run(&[Err(kind)]).outcome.unwrap_err();
        assert!(matches!(*failure.error, WriteError::Agent(of) if of.kind == kind));
    }
}

#[test]
fn template_sign_off_and_trailers_are_applied_in_this_order() {
    let template = Template::new("[A-1] $msg").unwrap();
    let trailers = Trailers::Plain(vec![Trailer::parse("Refs: 7").unwrap()]);
    let rules = Rules {
        template: Some(&template),
        sign_off: Some("Ada <ada@example.org>"),
        trailers: &trailers,
        ..Rules::default()
    };
    let run = run_with(Style::Conventional, &rules, &[Ok("feat: teach it")]);
    assert_eq!(text(&run), "[A-1] feat: teach it\n\nSigned-off-by: Ada <ada@example.org>\nRefs: 7\n");
    assert!(run.outcome.unwrap().notes.is_empty());
}

#[test]
fn a_subject_of_the_template_is_not_the_models_fault() {
    let template = Template::new("Add a parser\n\n$msg").unwrap();
    let rules = Rules { template: Some(&template), ..Rules::default() };
    assert_eq!(text(&run_with(Style::Auto, &rules, &[Ok("Teach it")])), "Add a parser\n\nTeach it\n");
}

#[test]
fn what_a_hook_said_is_told() {
    let refusal = Refusal { message: "Teach it", output: "no ticket\u{1b}[0m" };
    let rules = Rules { refusal: Some(refusal), ..Rules::default() };
    let run = run_with(Style::Auto, &rules, &[Ok("Teach it, A-1")]);
    assert_eq!(text(&run), "Teach it, A-1\n");
    let user = &run.asked[0].0.user;
    assert!(user.contains("Teach it\n") && user.contains("no ticket[0m\n"), "{user}");
}

#[test]
fn no_room_is_a_failure_before_any_call() {
    let agent = Scripted { answers: Mutex::default(), asked: Mutex::default() };
    let (payload, history) = (payload(), history());
    let rules = Rules { limits: Limits { token_limit: 10, ..limits() }, ..Rules::default() };
    let material = material(&payload, &history, Style::Auto);
    let failure = write(&agent, &material, &rules, &Cancel::new(), &Told::default()).unwrap_err();
    assert!(matches!(*failure.error, WriteError::Prompt(_)));
    assert_eq!(failure.retries, 0);
}

#[test]
fn the_facts_are_those_of_the_payload() {
    let payload = Store::default()
        .modified("src/a.rs", "fn f() {\n    1\n    2\n}\n", "fn f() {\n    1\n    3\n}\n")
        .added("Cargo.lock", "x\n")
        .payload();
    let history = history();
    let facts = super::facts::facts(&material(&payload, &history, Style::Plain), &["Used".to_owned()]);
    assert_eq!(facts.rejected, ["Used", "Add a parser", "Mend the lexer"]);
    assert_eq!(facts.history, ["Add a parser", "Mend the lexer"]);
    let [lock, code] = facts.files.as_slice() else { panic!("two files") };
    assert_eq!((lock.kind, lock.added, lock.added_lines.len()), (crate::agent::offline::FileKind::Lock, 1, 0));
    assert_eq!(
        (&code.hunk_contexts[..], &code.added_lines[..]),
        (&["fn f() {".to_owned()][..], &["    3".to_owned()][..])
    );
    assert_eq!((code.removed_lines.join("|").as_str(), code.added, code.deleted), ("    2", 1, 1));
}
