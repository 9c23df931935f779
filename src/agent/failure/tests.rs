//! What each agent does when something is wrong, and what we make of it.

use std::time::Duration;

use regex::{Regex, RegexSet};

use super::*;
use crate::agent::process::ProcessError;
use crate::run::{Cause, ScratchError};

fn patterns(kinds: &[(FailureKind, &str)], where_line: Option<&str>) -> Patterns {
    Patterns {
        where_line: where_line.map(|text| Regex::new(text).unwrap()),
        kinds: kinds.iter().map(|(kind, text)| (*kind, RegexSet::new([text]).unwrap())).collect(),
    }
}

fn judge(exit: Exit, stdout: &str, stderr: &str, patterns: &Patterns) -> Verdict {
    judge_given(exit, stdout, stderr, &[], patterns)
}

fn judge_given(exit: Exit, stdout: &str, stderr: &str, given: &[&str], patterns: &Patterns) -> Verdict {
    classify(&Evidence { exit, stdout: stdout.as_bytes(), stderr: stderr.as_bytes(), given }, patterns)
}

#[test]
fn how_it_ended_decides_first() {
    let none = Patterns::default();
    for (exit, kind) in [
        (Exit::Code(0), FailureKind::Blank),
        (Exit::Code(1), FailureKind::Exit),
        (Exit::Code(55), FailureKind::Exit),
        (Exit::Code(137), FailureKind::Killed),
        (Exit::Code(143), FailureKind::Killed),
        (Exit::Signal(9), FailureKind::Killed),
        (Exit::TimedOut, FailureKind::Timeout),
        (Exit::Flooded, FailureKind::Garbled),
        (Exit::WantedTerminal, FailureKind::Auth),
        (Exit::Cancelled(Cause::Interrupt), FailureKind::Cancelled(Cause::Interrupt)),
    ] {
        assert_eq!(judge(exit, "", "", &none), Verdict { kind, hint: None, excerpt: String::new() }, "{exit:?}");
    }
}

#[test]
fn common_complaints_are_understood_without_a_manifest() {
    use FailureKind as K;
    let none = Patterns::default();
    for (line, kind) in [
        ("Error: 401 Unauthorized", K::Auth),
        ("401 {\"type\":\"error\",\"error\":{\"type\":\"authentication_error\"}}", K::Auth),
        ("Not logged in · Please run /login", K::Auth),
        ("You are not signed in. Run `agent login`.", K::Auth),
        ("No API key found for openai.", K::Auth),
        ("Error: Incorrect API key provided: sk-abcdefghijkl", K::Auth),
        ("403 Forbidden: authentication failed for this organization", K::Auth),
        ("HTTP status 401", K::Auth),
        ("ERROR: unexpected status 429 Too Many Requests", K::Quota),
        ("Rate limit reached for requests", K::Quota),
        ("You have exceeded your current quota", K::Quota),
        ("Your credit balance is too low to access the API", K::Quota),
        ("RESOURCE_EXHAUSTED: Quota exceeded for model gemini", K::Quota),
        ("402 Payment Required", K::Quota),
        ("Error: model `opuss` not found", K::Model),
        ("The model `x` does not exist or you do not have access to it", K::Model),
        ("ProviderModelNotFoundError: openai/none", K::Model),
        ("unknown model: turbo", K::Model),
        ("Prompt is too long", K::TooLong),
        ("This request exceeds the model's context window", K::TooLong),
        ("context_length_exceeded", K::TooLong),
        ("The input token count exceeds the maximum number of tokens allowed", K::TooLong),
        ("413 Payload Too Large", K::TooLong),
        ("connect ECONNREFUSED 127.0.0.1:443", K::Network),
        ("getaddrinfo ENOTFOUND api.example.com", K::Network),
        ("API Error: 500 Internal server error", K::Network),
        ("503 {\"error\":{\"message\":\"overloaded\"}}", K::Network),
        ("stream disconnected before completion", K::Network),
        ("TypeError: fetch failed", K::Network),
        ("error: unknown option '--no-mcp'", K::Flags),
        ("error: unexpected argument '--ask-for-approval' found", K::Flags),
        ("Unknown arguments: frobnicate, foo", K::Flags),
        ("something else entirely went wrong", K::Exit),
        ("wrote 401 lines of 500 in 429 ms", K::Exit),
        ("429", K::Quota),
    ] {
        let verdict = judge(Exit::Code(1), "", &format!("a banner\n{line}\n"), &none);
        assert_eq!(verdict.kind, kind, "{line}");
        assert!(verdict.excerpt.contains("a banner"));
    }
}

#[test]
fn the_reason_may_stand_on_standard_output() {
    let claude = patterns(&[(FailureKind::Auth, "(?i)not logged in"), (FailureKind::TooLong, "(?i)too long")], None);
    let verdict = judge(Exit::Code(1), "Not logged in · Please run /login\n", "", &claude);
    assert_eq!(verdict.kind, FailureKind::Auth);
    assert_eq!(verdict.excerpt, "Not logged in · Please run /login");
    // A warning of the runtime does not hide what the manifest knows to look for.
    let verdict = judge(Exit::Code(1), "Prompt is too long", "(node:1) ExperimentalWarning: SQLite", &claude);
    assert_eq!(verdict.kind, FailureKind::TooLong);
    // Without a manifest it is read when standard error is silent.
    let verdict = judge(Exit::Code(1), "Prompt is too long", "", &Patterns::default());
    assert_eq!(verdict.kind, FailureKind::TooLong);
}

#[test]
fn half_an_answer_is_not_a_complaint() {
    let verdict = judge(
        Exit::Code(1),
        "fix: handle 429 Too Many Requests from the",
        "An unexpected critical error occurred: premature close",
        &Patterns::default(),
    );
    assert_eq!(verdict.kind, FailureKind::Exit);
    assert_eq!(verdict.excerpt, "An unexpected critical error occurred: premature close");
}

#[test]
fn an_echoed_prompt_is_no_complaint() {
    let diff = "+    return Err(\"401 Unauthorized\")\n+// model not found\nERROR: rate limit reached";
    let codex = patterns(
        &[
            (FailureKind::Auth, "(?i)401 Unauthorized"),
            (FailureKind::Quota, "(?i)rate.?limit"),
            (FailureKind::TooLong, "(?i)context window"),
        ],
        Some("^ERROR:"),
    );
    let stderr = format!("OpenAI Codex v0\n--------\nuser\n{diff}\nthinking about the 401 Unauthorized case\n");
    // The echo has a line that looks like a complaint in every respect: it was given, so it does not count.
    let verdict = judge_given(Exit::Code(1), "", &stderr, &[diff], &codex);
    assert_eq!(verdict.kind, FailureKind::Exit);
    let stderr = format!("{stderr}ERROR: Codex ran out of room in the model's context window.\n");
    let verdict = judge_given(Exit::Code(1), "", &stderr, &[diff], &codex);
    assert_eq!(verdict.kind, FailureKind::TooLong);
    assert_eq!(verdict.excerpt, "ERROR: Codex ran out of room in the model's context window.");
}

#[test]
fn the_last_complaint_counts() {
    let stderr = "429 Too Many Requests, retrying in 1s\n429 Too Many Requests, retrying in 2s\n401 Unauthorized\n";
    assert_eq!(judge(Exit::Code(1), "", stderr, &Patterns::default()).kind, FailureKind::Auth);
}

#[test]
fn the_manifest_knows_better() {
    let own = patterns(&[(FailureKind::Quota, "premium requests used up")], None);
    let stderr = "connection closed\npremium requests used up\nconnection closed\n";
    assert_eq!(judge(Exit::Code(1), "", stderr, &own).kind, FailureKind::Quota);
}

#[test]
fn what_an_ended_call_complained_about_is_a_hint() {
    let none = Patterns::default();
    let stderr = "API Error (429 rate limit) · Retrying in 32 seconds…";
    let verdict = judge(Exit::TimedOut, "", stderr, &none);
    assert_eq!((verdict.kind, verdict.hint), (FailureKind::Timeout, Some(FailureKind::Quota)));
    let verdict = judge(Exit::Code(0), "", "Error: Unauthorized (status 401)", &none);
    assert_eq!((verdict.kind, verdict.hint), (FailureKind::Blank, Some(FailureKind::Auth)));
    let failure = describe(&subject(), Exit::Code(0), verdict);
    assert_eq!(
        failure.message,
        "acme ended well but gave no answer; its output points to a login that is missing or refused"
    );
    assert_eq!(failure.advice, "run `acme-agent` once by hand and log in, or set ACME_KEY");
}

#[test]
fn the_excerpt_is_short_plain_and_discreet() {
    let mut stderr = (0..1000).map(|n| format!("\x1b[31mline {n}\x1b[0m\r\n")).collect::<Vec<_>>().concat();
    stderr.push_str(&"x".repeat(5000));
    stderr.push_str("\nkey sk-1234567890abcdef refused\nkey sk-1234567890abcdef refused\n");
    let excerpt = judge(Exit::Code(1), "", &stderr, &Patterns::default()).excerpt;
    let lines: Vec<_> = excerpt.lines().collect();
    assert_eq!(lines.len(), EXCERPT_LINES);
    assert_eq!(lines[0], "line 994");
    assert_eq!(lines[6].chars().count(), EXCERPT_WIDTH + 1);
    assert_eq!(lines[7], "key [redacted] refused");
    assert!(!excerpt.contains('\x1b'));
}

#[test]
fn invalid_bytes_are_no_obstacle() {
    let evidence = Evidence { exit: Exit::Code(1), stdout: b"\xff\xfe", stderr: b"\xff 429 \xfe", given: &[] };
    assert_eq!(classify(&evidence, &Patterns::default()).kind, FailureKind::Quota);
}

fn subject() -> Subject<'static> {
    static AUTH: std::sync::LazyLock<Vec<String>> = std::sync::LazyLock::new(|| vec!["ACME_KEY".to_owned()]);
    Subject {
        provider: "acme",
        command: "acme-agent",
        model: "large",
        timeout: Duration::from_secs(120),
        auth_env: &AUTH,
        install: "Install it with `get acme`.",
    }
}

#[test]
fn every_kind_has_words_and_a_next_step() {
    use FailureKind as K;
    let kinds = [
        K::Missing,
        K::Auth,
        K::Quota,
        K::Model,
        K::TooLong,
        K::Network,
        K::Timeout,
        K::Blank,
        K::Garbled,
        K::Flags,
        K::Killed,
        K::Exit,
        K::Cancelled(Cause::Terminate),
    ];
    let mut said = std::collections::HashSet::new();
    for kind in kinds {
        let verdict = Verdict { kind, hint: None, excerpt: String::new() };
        let failure = describe(&subject(), Exit::Code(1), verdict);
        assert_eq!(failure.kind, kind);
        assert!(said.insert(failure.message.clone()), "{}", failure.message);
        assert!(!failure.advice.is_empty() && !failure.advice.ends_with('.'), "{}", failure.advice);
    }
    let timeout = Verdict { kind: K::Timeout, hint: None, excerpt: String::new() };
    assert_eq!(describe(&subject(), Exit::TimedOut, timeout).message, "acme did not answer within 120 s");
}

fn full() -> ProcessError {
    ScratchError { parent: "/tmp".into(), source: std::io::ErrorKind::StorageFull.into() }.into()
}

#[test]
fn a_program_that_does_not_start_has_words_too() {
    for (error, kind, message, advice) in [
        (
            ProcessError::Missing("acme-agent".into()),
            FailureKind::Missing,
            "not installed",
            "Install it with `get acme`",
        ),
        (ProcessError::NotExecutable("/opt/acme".into()), FailureKind::Missing, "/opt/acme", "chmod +x /opt/acme"),
        (ProcessError::NoInterpreter("/opt/acme".into()), FailureKind::Missing, "interpreter", "Node.js"),
        (ProcessError::BadFormat("/opt/acme".into()), FailureKind::Missing, "not a program", "providers show acme"),
        (ProcessError::TooLong(200_000), FailureKind::TooLong, "200000", "token_limit"),
        (ProcessError::WorkingFolder("/gone".into()), FailureKind::Exit, "/gone", "TMPDIR"),
        (full(), FailureKind::Exit, "/tmp: no storage space", "make room"),
        (ProcessError::Nul, FailureKind::Exit, "NUL", "--exclude"),
    ] {
        let failure = describe_start(&subject(), &error);
        assert_eq!(failure.kind, kind, "{error}");
        assert!(failure.message.contains(message), "{}", failure.message);
        assert!(failure.advice.contains(advice), "{}", failure.advice);
    }
}
