//! What goes wrong over the protocol, in which phase, and what the user is told.

use std::fmt;
use std::time::{Duration, Instant};

use super::wire::LONGEST;
use crate::agent::failure::{self, Evidence, Patterns, Verdict};
use crate::agent::process::{Exit, ProcessError};
use crate::agent::{AgentFailure, FailureKind, Options, environment, one_shot};
use crate::provider::Manifest;
use crate::run::{Cancel, Cause};

/// What was waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    /// The agent to be ready: `initialize`.
    Ready,
    /// `session/new`.
    Session,
    /// The mode to be set.
    Mode,
    /// The model to be set.
    Model,
    /// The reasoning level to be set.
    Reasoning,
    /// The answer.
    Turn,
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ready => "while it got ready",
            Self::Session => "while it opened a session",
            Self::Mode => "while its mode was set",
            Self::Model => "while its model was set",
            Self::Reasoning => "while its reasoning level was set",
            Self::Turn => "while it wrote its answer",
        })
    }
}

/// What a phase has taken of its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Spent {
    phase: Phase,
    began: Instant,
    /// Up to when it was looked at.
    time: Duration,
    limit: Duration,
}

impl Spent {
    pub(super) fn from_now(phase: Phase, deadline: Instant) -> Self {
        let began = Instant::now();
        Self { phase, began, time: Duration::ZERO, limit: deadline.saturating_duration_since(began) }
    }

    pub(super) fn until_now(&self) -> Self {
        Self { time: self.began.elapsed(), ..*self }
    }
}

impl fmt::Display for Spent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { phase, time, limit, .. } = self;
        write!(f, "{phase}, after {:.1} of {:.1} seconds", time.as_secs_f64(), limit.as_secs_f64())
    }
}

/// Why there is no answer.
#[derive(Debug)]
pub(super) enum Fault {
    /// The process could not be started.
    Start(ProcessError),
    /// It ended, or closed its output.
    Ended { spent: Spent, stderr: Vec<u8> },
    /// It took too long.
    TimedOut { spent: Spent, stderr: Vec<u8> },
    /// It refused a request.
    Refused { phase: Phase, code: i64, message: String, stderr: Vec<u8> },
    /// It answered what cannot be read.
    Unreadable { phase: Phase, why: String },
    /// It speaks another version of the protocol.
    Version(u64),
    /// It does not offer the mode or the model that is wanted.
    NotOffered { phase: Phase, wanted: String, offered: Vec<String> },
    /// A message or an answer without bounds.
    Flooded,
    /// The turn ended without any text.
    Silent { stderr: Vec<u8> },
    /// The turn ended with another reason than that the answer is complete.
    Cut(&'static str),
    /// An error of the service, told as text.
    Told { text: String, stderr: Vec<u8> },
    /// The run is told to stop.
    Stopped(Cause),
    /// It failed before, and there is no other way to ask.
    GivenUp,
}

impl Fault {
    pub(super) fn stopped(cancel: &Cancel) -> Self {
        // A watch speaks after the cause is set.
        Self::Stopped(cancel.cause().unwrap_or(Cause::Terminate))
    }

    /// Whether another way to ask the same agent may do better.
    pub(super) const fn is_about_the_protocol(&self) -> bool {
        match self {
            Self::Start(_) | Self::Version(_) | Self::NotOffered { .. } | Self::GivenUp => true,
            Self::Ended { spent: Spent { phase, .. }, .. }
            | Self::TimedOut { spent: Spent { phase, .. }, .. }
            | Self::Refused { phase, .. }
            | Self::Unreadable { phase, .. } => !matches!(phase, Phase::Turn),
            Self::Flooded | Self::Silent { .. } | Self::Cut(_) | Self::Told { .. } | Self::Stopped(_) => false,
        }
    }

    /// One sentence about what happened.
    pub(super) fn words(&self, provider: &str) -> String {
        match self {
            Self::Start(error) => error.to_string(),
            Self::Ended { spent, .. } => format!("{provider} ended {spent}"),
            Self::TimedOut { spent, .. } => format!("{provider} was stopped {spent}"),
            Self::Refused { phase, message, code, .. } => {
                format!("{provider} reported an error {phase}: {} ({code})", failure::quoted(message))
            }
            Self::Unreadable { phase, why } => format!("{provider} answered what cannot be read {phase}: {why}"),
            Self::Version(version) => format!("{provider} speaks version {version} of the protocol, not 1"),
            Self::NotOffered { phase, wanted, offered } => {
                format!("{provider} does not offer `{wanted}` {phase}, but {}", offered.join(", "))
            }
            Self::Flooded => format!("{provider} sent more than {} MiB at once", LONGEST >> 20),
            Self::Silent { .. } => format!("{provider} ended its turn without any text"),
            Self::Cut(why) => format!("{provider} {why}"),
            Self::Told { text, .. } => format!("{provider} told of an error: {}", failure::quoted(first_line(text))),
            Self::Stopped(_) => format!("{provider} was stopped"),
            Self::GivenUp => format!("{provider} could not be used over ACP before"),
        }
    }

    /// As the user is told, and what is wrong with the manifest's expressions, if anything is.
    pub(super) fn describe(
        &self,
        manifest: &Manifest,
        options: &Options,
        model: &str,
    ) -> (AgentFailure, Option<String>) {
        let subject = one_shot::subject(manifest, options, model);
        let (patterns, mistake) = match one_shot::patterns(manifest) {
            Ok(patterns) => (patterns, None),
            Err(mistake) => (Patterns::default(), Some(mistake)),
        };
        let (exit, told, stderr): (Exit, &str, &[u8]) = match self {
            Self::Start(error) => return (failure::describe_start(&subject, error), mistake),
            Self::Ended { stderr, .. } => (Exit::Code(1), "", stderr),
            Self::TimedOut { stderr, .. } => (Exit::TimedOut, "", stderr),
            Self::Refused { message, stderr, .. } => (Exit::Code(1), message, stderr),
            Self::Told { text, stderr } => (Exit::Code(1), text, stderr),
            Self::Silent { stderr } => (Exit::Code(0), "", stderr),
            Self::Stopped(cause) => (Exit::Cancelled(*cause), "", &[]),
            Self::Flooded => (Exit::Flooded, "", &[]),
            Self::Unreadable { .. } | Self::Version(_) | Self::NotOffered { .. } | Self::Cut(_) | Self::GivenUp => {
                (Exit::Code(1), "", &[])
            }
        };
        let mut verdict = judged(exit, told, stderr, &patterns);
        verdict.kind = self.kind(verdict.kind);
        verdict.excerpt = environment::without_secrets(&verdict.excerpt, &manifest.env);
        let mut described = failure::describe(&subject, exit, verdict);
        if !matches!(self, Self::Stopped(_) | Self::Silent { .. } | Self::Flooded) {
            described.message = environment::without_secrets(&self.words(&manifest.name), &manifest.env);
        }
        let is_new = |line: &&str| !described.message.contains(line.trim());
        described.excerpt = described.excerpt.lines().filter(is_new).collect::<Vec<_>>().join("\n");
        (described, mistake)
    }

    const fn kind(&self, seen: FailureKind) -> FailureKind {
        match self {
            Self::Cut(_) | Self::Unreadable { .. } => FailureKind::Garbled,
            Self::NotOffered { phase: Phase::Model, .. } => FailureKind::Model,
            Self::NotOffered { .. } | Self::Version(_) => FailureKind::Flags,
            _ => seen,
        }
    }
}

/// What an agent says of the failure itself counts first, whatever lines of its log count; then its log.
fn judged(exit: Exit, told: &str, stderr: &[u8], patterns: &Patterns) -> Verdict {
    let classify = |text: &[u8], patterns: &Patterns| {
        failure::classify(&Evidence { exit, stdout: &[], stderr: text, given: &[] }, patterns)
    };
    let every_line = Patterns { where_line: None, ..patterns.clone() };
    let verdict = classify(told.as_bytes(), &every_line);
    if !told.is_empty() && verdict.kind != FailureKind::Exit {
        return verdict;
    }
    // The most important lines stand last.
    classify(&[stderr, b"\n", told.as_bytes()].concat(), patterns)
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}
