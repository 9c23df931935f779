//! Several turns and described work, with an agent that is a script.

use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use super::*;
use crate::agent::{Agent, AgentFailure, Answer, FailureKind, Request, Session};
use crate::config::{Format, Style};
use crate::payload::Payload;
use crate::payload::samples::Store;
use crate::progress::Progress;
use crate::prompt::{Limits, Material, Prompt};
use crate::run::Cancel;

/// One thing that the agent was sent: the number of its session (0: none), the prompt, and whether it was a retry.
pub(super) type Sent = (usize, Prompt, bool);

/// Answers by a script, in sessions if it is to have them.
pub(super) struct Scripted {
    answers: Mutex<Vec<Result<String, FailureKind>>>,
    pub(super) sent: Mutex<Vec<Sent>>,
    sessions: bool,
    begun: Mutex<usize>,
    /// The first answer of a session cannot be read.
    pub(super) unreadable: bool,
}

impl Scripted {
    pub(super) fn new(sessions: bool, answers: &[Result<&str, FailureKind>]) -> Self {
        let answers = answers.iter().rev().map(|answer| answer.map(str::to_owned)).collect();
        Self {
            answers: Mutex::new(answers),
            sent: Mutex::default(),
            sessions,
            begun: Mutex::default(),
            unreadable: false,
        }
    }

    fn answer(&self, session: usize, request: &Request<'_>, raw_fallback: bool) -> Result<Answer, AgentFailure> {
        self.sent.lock().unwrap().push((session, request.prompt.clone(), request.retry));
        match self.answers.lock().unwrap().pop().expect("the agent is asked too often") {
            Ok(text) => Ok(Answer { text, elapsed: Duration::ZERO, raw_fallback }),
            Err(kind) => Err(AgentFailure {
                kind,
                provider: "scripted".to_owned(),
                message: format!("{kind:?}"),
                excerpt: String::new(),
                advice: String::new(),
            }),
        }
    }

    pub(super) fn sessions_used(&self) -> Vec<usize> {
        self.lock().iter().map(|(session, ..)| *session).collect()
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Vec<Sent>> {
        self.sent.lock().unwrap()
    }

    #[track_caller]
    pub(super) fn assert_spent(&self) {
        assert!(self.answers.lock().unwrap().is_empty(), "the agent is asked too seldom");
    }
}

impl Agent for Scripted {
    fn ask(&self, request: &Request<'_>, _cancel: &Cancel) -> Result<Answer, AgentFailure> {
        self.answer(0, request, false)
    }

    fn session<'a>(&'a self, _texts: &[&str]) -> Option<Box<dyn Session + 'a>> {
        self.sessions.then(|| Box::new(Talk { agent: self, number: None }) as Box<dyn Session + 'a>)
    }
}

struct Talk<'a> {
    agent: &'a Scripted,
    number: Option<usize>,
}

impl Session for Talk<'_> {
    fn ask(&mut self, request: &Request<'_>, _cancel: &Cancel) -> Result<Answer, AgentFailure> {
        let first = self.number.is_none();
        let number = *self.number.get_or_insert_with(|| {
            let mut begun = self.agent.begun.lock().unwrap();
            *begun += 1;
            *begun
        });
        self.agent.answer(number, request, first && self.agent.unreadable)
    }

    fn at_most(&self, turns: usize) -> Duration {
        Duration::from_secs(120) * u32::try_from(turns).unwrap()
    }
}

#[derive(Default)]
pub(super) struct Told(pub(super) Mutex<Vec<String>>);

impl Progress for Told {
    fn notice(&self, text: &str) {
        self.0.lock().unwrap().push(text.to_owned());
    }
}

pub(super) fn material(payload: &Payload) -> Material<'_> {
    Material {
        payload,
        history: &[],
        format: Format { style: Style::Plain, body: false },
        locale: None,
        context: None,
        branch: None,
        scopes: &[],
        prepared: None,
        planned: None,
        subject_target: 50,
    }
}

fn large() -> Payload {
    let lines: String = (0..300).map(|n| format!("let value_{n} = compute({n});\n")).collect();
    Store::default().modified("src/a.rs", "old\n", lines).payload()
}

fn nothing() -> WriteFailure {
    WriteFailure { error: Box::new(WriteError::NoMessage), candidate: None, retries: 1 }
}

struct Run {
    outcome: Result<Written, WriteFailure>,
    agent: Scripted,
    told: Vec<String>,
}

fn run(agent: Scripted, failure: WriteFailure) -> Run {
    run_with(agent, failure, &large(), 1000)
}

fn run_with(agent: Scripted, failure: WriteFailure, payload: &Payload, chunk_tokens: usize) -> Run {
    let told = Told::default();
    let whole = || Ok(large());
    let turns = Turns { chunk_tokens, whole: &whole };
    let rules = Rules { max_duplicate_retries: 3, limits: Limits::default(), ..Rules::default() };
    let outcome = write_in_turns(&agent, &material(payload), &rules, &turns, failure, &Cancel::new(), &told);
    agent.assert_spent();
    Run { outcome, agent, told: told.0.into_inner().unwrap() }
}

/// How many parts the large change has.
fn parts() -> usize {
    let payload = large();
    let whole = payload.whole();
    crate::prompt::Parted::new(&material(&payload), &whole, &Limits::default(), 1000).unwrap().count()
}

fn script<'a>(last: &[Result<&'a str, FailureKind>]) -> Vec<Result<&'a str, FailureKind>> {
    std::iter::repeat_n(Ok("OK"), parts()).chain(last.iter().copied()).collect()
}

#[test]
fn the_whole_change_is_sent_in_one_session_and_the_last_answer_counts() {
    let run = run(Scripted::new(true, &script(&[Ok("Compute the values")])), nothing());
    let written = run.outcome.unwrap();
    assert_eq!((written.message.as_str(), written.retries), ("Compute the values\n", 2));
    assert_eq!(run.agent.sessions_used(), vec![1; parts() + 1]);
    let sent = run.agent.lock();
    for number in 0..300 {
        let line = format!("+let value_{number} = ");
        assert_eq!(sent.iter().filter(|(_, prompt, _)| prompt.user.contains(&line)).count(), 1, "{line}");
    }
    let count = parts();
    assert!(count > 3);
    let minutes = crate::config::show_duration(Duration::from_secs(120 * (count as u64 + 1)));
    assert_eq!(run.told.len(), 1);
    assert!(
        run.told[0].contains(&format!("{count} parts: {} turns of one session, {minutes} at most", count + 1)),
        "{:?}",
        run.told
    );
}

#[test]
fn it_is_only_tried_where_it_can_help() {
    let other = |error| WriteFailure { error: Box::new(error), candidate: None, retries: 0 };
    let duplicate = other(WriteError::Duplicate("x".to_owned()));
    for (sessions, failure, payload, chunk) in [
        (false, nothing(), large(), 1000),
        (true, duplicate, large(), 1000),
        (true, nothing(), large(), 100_000),
        (true, nothing(), Store::default().modified("a", "1\n", "2\n").payload(), 1000),
    ] {
        let run = run_with(Scripted::new(sessions, &[]), failure.clone(), &payload, chunk);
        assert_eq!(run.outcome, Err(failure));
        assert_eq!(run.told, [""; 0]);
    }
}

#[test]
fn a_turn_that_fails_ends_it() {
    for kind in [FailureKind::Timeout, FailureKind::Blank, FailureKind::TooLong, FailureKind::Exit] {
        let run = run(Scripted::new(true, &[Ok("OK"), Err(kind)]), nothing());
        let failure = run.outcome.unwrap_err();
        assert!(matches!(&*failure.error, WriteError::Agent(of) if of.kind == kind), "{failure:?}");
        assert_eq!(failure.retries, 2);
        let last = Scripted::new(true, &script(&[Err(kind)]));
        assert!(self::run(last, nothing()).outcome.is_err());
    }
}

#[test]
fn a_lost_session_is_begun_anew_once() {
    let mut answers = vec![Ok("OK"), Err(FailureKind::Session)];
    answers.extend(script(&[Ok("Compute the values")]));
    let good = run(Scripted::new(true, &answers), nothing());
    assert_eq!(good.outcome.unwrap().message.as_str(), "Compute the values\n");
    let used = good.agent.sessions_used();
    assert_eq!((&used[..2], &used[2..]), (&[1, 1][..], &vec![2; parts() + 1][..]));
    let sent = good.agent.lock();
    assert_eq!(sent[0].1, sent[2].1);
    assert_eq!(good.told.len(), 2, "{:?}", good.told);

    let lost = Err(FailureKind::Session);
    let bad = run(Scripted::new(true, &[Ok("OK"), lost, Ok("OK"), Ok("OK"), lost]), nothing()).outcome.unwrap_err();
    assert!(matches!(&*bad.error, WriteError::Agent(of) if of.kind == FailureKind::Session));
}

#[test]
fn the_last_answer_is_judged_and_asked_for_again_in_the_same_session() {
    let answers = script(&[Ok("fix: values"), Ok("Compute the values")]);
    let typed = run(Scripted::new(true, &answers), nothing());
    assert_eq!(typed.outcome.unwrap().message.as_str(), "Compute the values\n");
    assert_eq!(typed.agent.sessions_used(), vec![1; parts() + 2]);
    assert!(typed.agent.lock().last().unwrap().1.user.contains("a plain sentence is wanted"));

    let sorry = Ok("I'm sorry, but I cannot help with that.");
    let again = run(Scripted::new(true, &script(&[sorry, Ok("Compute the values")])), nothing());
    assert_eq!(again.outcome.unwrap().message.as_str(), "Compute the values\n");
    assert!(again.agent.lock().last().unwrap().2, "the retry is not marked");
    let never = run(Scripted::new(true, &script(&[sorry, sorry])), nothing()).outcome.unwrap_err();
    assert_eq!(*never.error, WriteError::NoMessage);
}

#[test]
fn what_was_cut_is_read_again() {
    let store = Store::default().modified("src/a.rs", "old\n", "let x = 1;\n".repeat(300));
    let options = crate::payload::Options { file_cap: 500, ..crate::payload::samples::options() };
    let cut = crate::payload::build(&store.change(), &store, &options).unwrap();
    assert!(!cut.is_complete());
    let run = run_with(Scripted::new(true, &script(&[Ok("Compute the values")])), nothing(), &cut, 1000);
    assert!(run.outcome.is_ok());
}
