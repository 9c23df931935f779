//! Why a call failed, and what to do about it.
//!
//! Agents agree on nothing: some write the reason to standard output, some repeat the whole prompt on standard error,
//! some exit with 0. So the way a process ended comes first, then what the manifest knows of the program, then what
//! services and libraries commonly write. Text that the program merely repeats is never looked at.

mod advice;
mod patterns;

#[cfg(test)]
mod tests;

use std::collections::HashSet;

pub use self::advice::{Subject, describe, describe_start};
pub use self::patterns::Patterns;
use super::FailureKind;
use super::process::{Exit, STDERR_LIMIT};
use crate::untrusted;

/// Lines longer than this are cut before anybody looks at them, in characters.
const LINE_WIDTH: usize = 2000;

/// Only so many of the last lines are looked at.
const LINES: usize = 400;

/// Bounds of what is quoted to the user.
const EXCERPT_LINES: usize = 8;
const EXCERPT_WIDTH: usize = 300;

/// What a failed call left behind.
#[derive(Debug, Clone, Copy)]
pub struct Evidence<'a> {
    /// How it ended.
    pub exit: Exit,
    /// What it wrote to standard output.
    pub stdout: &'a [u8],
    /// The end of what it wrote to standard error.
    pub stderr: &'a [u8],
    /// The texts it was given: lines of the outputs that come from there are an echo.
    pub given: &'a [&'a str],
}

/// What the evidence says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// The kind of failure.
    pub kind: FailureKind,
    /// What the output points to although the way the call ended decides its kind, as with a time-out after an agent
    /// has complained about a rate limit for two minutes.
    pub hint: Option<FailureKind>,
    /// The last lines that count, for the user.
    pub excerpt: String,
}

/// Judges a call that gave no usable answer. A process that exited with success has given a blank one.
#[must_use]
pub fn classify(evidence: &Evidence<'_>, patterns: &Patterns) -> Verdict {
    let given = lines_of_given(evidence);
    let own = |bytes| tail(untrusted::lines(bytes, LINE_WIDTH), &given);
    let (stderr, stdout) = (own(evidence.stderr), own(last_bytes(evidence.stdout)));
    let (counted, counted_in_stdout) = (patterns.count(&stderr), patterns.count(&stdout));
    let seen = patterns
        .own(&counted)
        .or_else(|| patterns.own(&counted_in_stdout))
        .or_else(|| patterns::common(&counted))
        // Half an answer may well be about rate limits: it is read only where nothing else is.
        .or_else(|| if stderr.is_empty() { patterns::common(&lines_of(&stdout)) } else { None });
    let (kind, hint) = match evidence.exit {
        Exit::Cancelled(cause) => (FailureKind::Cancelled(cause), None),
        Exit::TimedOut => (FailureKind::Timeout, seen),
        Exit::Flooded => (FailureKind::Garbled, None),
        Exit::WantedTerminal => (FailureKind::Auth, None),
        Exit::Code(0) => (FailureKind::Blank, seen),
        Exit::Signal(_) => (FailureKind::Killed, seen),
        Exit::Code(code) => match seen {
            Some(kind) => (kind, None),
            None if is_signal_code(code) => (FailureKind::Killed, None),
            None => (FailureKind::Exit, None),
        },
    };
    let said = [counted, counted_in_stdout, lines_of(&stderr), lines_of(&stdout)];
    let excerpt = match evidence.exit {
        Exit::Flooded => String::new(),
        _ => said.iter().find(|lines| !lines.is_empty()).map(|lines| excerpt(lines)).unwrap_or_default(),
    };
    Verdict { kind, hint, excerpt }
}

/// Whether a further turn's session is not known. A program that exited with success is believed to have continued it
/// unless the manifest's own expressions say otherwise: some start a new one instead and only warn.
#[must_use]
pub fn lost_session(evidence: &Evidence<'_>, patterns: &Patterns) -> bool {
    let given = lines_of_given(evidence);
    let own = |bytes| tail(untrusted::lines(bytes, LINE_WIDTH), &given);
    let stderr = own(evidence.stderr);
    let said = |lines: &[String]| patterns.names(FailureKind::Session, &patterns.count(lines));
    match evidence.exit {
        Exit::Code(0) => said(&stderr),
        Exit::Code(_) => {
            let stdout = own(last_bytes(evidence.stdout));
            said(&stderr)
                || said(&stdout)
                || [&stderr, &stdout].iter().any(|lines| patterns::forgotten(&lines_of(lines)))
        }
        _ => false,
    }
}

/// Whether a program that exited with success says, by the manifest's own expressions, that its answer cannot be used.
#[must_use]
pub fn spoiled(evidence: &Evidence<'_>, patterns: &Patterns) -> bool {
    let stderr = tail(untrusted::lines(evidence.stderr, LINE_WIDTH), &lines_of_given(evidence));
    patterns.names(FailureKind::Garbled, &patterns.count(&stderr))
}

/// A line of an agent's as it may be quoted: bounded, secrets masked.
#[must_use]
pub fn quoted(line: &str) -> String {
    patterns::mask_secrets(&shorten(line.trim_end(), EXCERPT_WIDTH))
}

fn lines_of_given<'a>(evidence: &Evidence<'a>) -> HashSet<&'a str> {
    evidence.given.iter().flat_map(|text| text.lines()).map(str::trim).filter(|line| !line.is_empty()).collect()
}

/// Standard output may be megabytes long; a complaint stands at its end.
fn last_bytes(bytes: &[u8]) -> &[u8] {
    bytes.get(bytes.len().saturating_sub(STDERR_LIMIT)..).unwrap_or_default()
}

/// A shell reports a program that died of a signal as 128 and its number.
fn is_signal_code(code: i32) -> bool {
    matches!(code - 128, 6 | 9 | 11 | 15)
}

/// The last lines that are not an echo of what was given.
fn tail(lines: Vec<String>, given: &HashSet<&str>) -> Vec<String> {
    let skip = lines.len().saturating_sub(LINES);
    lines.into_iter().skip(skip).filter(|line| !given.contains(line.trim())).collect()
}

fn lines_of(lines: &[String]) -> Vec<&str> {
    lines.iter().map(String::as_str).collect()
}

/// The last lines, bounded, repeated ones once, secrets masked.
fn excerpt(lines: &[&str]) -> String {
    let mut kept: Vec<String> = Vec::new();
    for line in lines.iter().rev() {
        let shown = quoted(line);
        if kept.contains(&shown) {
            continue;
        }
        kept.push(shown);
        if kept.len() == EXCERPT_LINES {
            break;
        }
    }
    kept.reverse();
    kept.join("\n")
}

fn shorten(line: &str, width: usize) -> String {
    match line.char_indices().nth(width) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line.to_owned(),
    }
}
