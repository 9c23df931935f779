//! Described work, with an agent that is a script.

use super::turns_tests::{Scripted, Told, material};
use super::*;
use crate::agent::FailureKind;
use crate::payload::Payload;
use crate::payload::samples::Store;
use crate::prompt::Limits;
use crate::run::Cancel;

fn payload() -> Payload {
    Store::default()
        .modified("src/a.rs", "let n = 1;\n", "let n = 2;\n")
        .added("src/large.rs", "let value = compute(argument);\n".repeat(4000))
        .payload()
}

struct Run {
    outcome: Result<Written, WriteFailure>,
    agent: Scripted,
}

impl Run {
    fn user(&self, call: usize) -> String {
        self.agent.lock()[call].1.user.clone()
    }

    #[track_caller]
    fn subject(&self) -> String {
        self.outcome.as_ref().unwrap().message.subject()
    }
}

fn run_limited(agent: Scripted, rounds: usize, token_limit: usize) -> Run {
    let rules = Rules { limits: Limits { token_limit, ..Limits::default() }, ..Rules::default() };
    let payload = payload();
    let work = Work { description: "Counting begins at two, as the standard says.", rounds };
    let outcome = write_by_reading(&agent, &material(&payload), &rules, work, &Cancel::new(), &Told::default());
    agent.assert_spent();
    Run { outcome, agent }
}

fn run(agent: Scripted, rounds: usize) -> Run {
    run_limited(agent, rounds, 0)
}

#[test]
fn an_answer_without_read_is_the_message() {
    for sessions in [true, false] {
        let run = run(Scripted::new(sessions, &[Ok("Count from two")]), 5);
        assert_eq!(run.subject(), "Count from two");
        let first = run.user(0);
        assert!(
            first.contains("as the standard says") && first.contains("M\t1\t1\tsrc/a.rs") && !first.contains("let n")
        );
    }
}

#[test]
fn a_session_hears_in_each_turn_what_is_new() {
    let answers = [Ok("READ src/a.rs"), Ok("read src/large.rs, nowhere.rs"), Ok("Count from two")];
    let run = run(Scripted::new(true, &answers), 5);
    assert_eq!(run.subject(), "Count from two");
    assert_eq!(run.agent.sessions_used(), [1, 1, 1]);
    assert!(
        run.user(1).contains("+let n = 2;")
            && run.user(1).contains("up to 4 times")
            && !run.user(1).contains("standard")
    );
    let last = run.user(2);
    assert!(!last.contains("let n = 2;") && last.contains("compute(argument)"), "{last}");
    assert!(last.contains("part 1 of") && last.contains("READ again for the next"));
    assert!(last.contains("[nowhere.rs is not in this change]"));
}

#[test]
fn without_a_session_each_call_carries_everything_so_far() {
    let answers = [Ok("READ src/a.rs"), Ok("READ src/large.rs"), Ok("Count from two")];
    let run = run(Scripted::new(false, &answers), 5);
    assert_eq!(run.agent.sessions_used(), [0, 0, 0]);
    let last = run.user(2);
    assert!(
        last.contains("as the standard says") && last.contains("+let n = 2;") && last.contains("compute(argument)")
    );
    assert!(last.contains("up to 3 times"));
}

#[test]
fn the_conversation_stays_within_the_limit() {
    let answers = [
        Ok("READ src/a.rs"),
        Ok("READ src/large.rs"),
        Ok("READ src/large.rs"),
        Ok("READ src/large.rs"),
        Ok("Count from two"),
    ];
    let limit = 3000;
    let run = run_limited(Scripted::new(false, &answers), 5, limit);
    assert_eq!(run.subject(), "Count from two");
    let limits = Limits::default();
    let sent = run.agent.lock();
    assert!(sent.iter().all(|(_, prompt, _)| limits.tokens(prompt) <= limit));
    assert!(sent[4].1.user.contains("part 3 of") && sent[4].1.user.contains("left out here to make room"));
}

#[test]
fn rounds_that_never_end_do_end() {
    for sessions in [true, false] {
        let run = run(Scripted::new(sessions, &[Ok("READ src/a.rs"); 4]), 2);
        assert_eq!(*run.outcome.as_ref().unwrap_err().error, WriteError::NoMessage);
        assert!(run.user(2).ends_with("READ is not answered any more.\n"));
        assert!(run.agent.lock()[3].2, "the last call is no retry");
    }
    let run = run(Scripted::new(true, &[Ok("READ src/a.rs"), Ok("READ src/a.rs"), Ok("Count from two")]), 1);
    assert_eq!(run.subject(), "Count from two");
}

#[test]
fn without_rounds_the_description_has_to_do() {
    let run = run(Scripted::new(true, &[Ok("Count from two")]), 0);
    assert!(!run.agent.lock()[0].1.system.contains("READ"));
}

#[test]
fn a_lost_session_is_begun_anew_with_all_that_was_said() {
    let answers = [Ok("READ src/a.rs"), Err(FailureKind::Session), Ok("Count from two")];
    let good = run(Scripted::new(true, &answers), 5);
    assert_eq!(good.subject(), "Count from two");
    assert_eq!(good.agent.sessions_used(), [1, 1, 2]);
    assert!(good.user(2).contains("as the standard says") && good.user(2).contains("+let n = 2;"));
    let lost = Err(FailureKind::Session);
    let bad = run(Scripted::new(true, &[Ok("READ src/a.rs"), lost, Ok("READ src/a.rs"), lost]), 5);
    assert!(matches!(&*bad.outcome.unwrap_err().error, WriteError::Agent(of) if of.kind == FailureKind::Session));
}

#[test]
fn nothing_is_asked_for_once_more() {
    let good = run(Scripted::new(true, &[Ok("READ src/a.rs"), Err(FailureKind::Blank), Ok("Count from two")]), 5);
    assert_eq!(good.subject(), "Count from two");
    assert_eq!(good.agent.sessions_used(), [1, 1, 2]);
    let bad = run(Scripted::new(false, &[Err(FailureKind::Timeout)]), 5);
    assert!(bad.outcome.is_err());
}

#[test]
fn a_first_answer_that_cannot_be_read_costs_the_session() {
    let mut agent = Scripted::new(true, &[Ok("{\"type\":\"event\"}"), Ok("READ src/a.rs"), Ok("Count from two")]);
    agent.unreadable = true;
    let run = run(agent, 5);
    assert_eq!(run.subject(), "Count from two");
    assert_eq!(run.agent.sessions_used(), [1, 0, 0]);
}

#[test]
fn a_fault_is_told_in_the_same_session() {
    let run = run(Scripted::new(true, &[Ok("fix: count"), Ok("Count from two")]), 5);
    assert_eq!(run.subject(), "Count from two");
    assert_eq!(run.agent.sessions_used(), [1, 1]);
    assert!(run.user(1).contains("a plain sentence is wanted"));
}

#[test]
fn no_room_is_a_failure_before_any_call() {
    let run = run_limited(Scripted::new(true, &[]), 5, 300);
    assert!(matches!(&*run.outcome.unwrap_err().error, WriteError::Prompt(_)));
}
