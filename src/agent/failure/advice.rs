//! The words for a failure: what happened, and what to do next.

use std::time::Duration;

use super::Verdict;
use crate::agent::process::{Exit, ProcessError};
use crate::agent::{AgentFailure, FailureKind};

/// Whose failure it is.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    /// The provider's name.
    pub provider: &'a str,
    /// Its program, as the manifest names it.
    pub command: &'a str,
    /// The model that was asked for; empty where the agent chose.
    pub model: &'a str,
    /// The time-out that applied.
    pub timeout: Duration,
    /// Variables that can hold a login, the usual one first.
    pub auth_env: &'a [String],
    /// Where to get the program; empty when the manifest does not say.
    pub install: &'a str,
}

/// Puts a verdict into words.
#[must_use]
pub fn describe(subject: &Subject<'_>, exit: Exit, verdict: Verdict) -> AgentFailure {
    let mut message = what(subject, exit, verdict.kind);
    if let Some(hint) = verdict.hint.and_then(pointing_to) {
        message = format!("{message}; its output points to {hint}");
    }
    let advised = verdict.hint.unwrap_or(verdict.kind);
    AgentFailure {
        kind: verdict.kind,
        provider: subject.provider.to_owned(),
        message,
        excerpt: verdict.excerpt,
        advice: advice(subject, advised),
    }
}

/// Puts into words that a process could not be started.
#[must_use]
pub fn describe_start(subject: &Subject<'_>, error: &ProcessError) -> AgentFailure {
    let provider = subject.provider;
    let (kind, advice) = match error {
        ProcessError::Missing(_) => (FailureKind::Missing, advice(subject, FailureKind::Missing)),
        ProcessError::NoInterpreter(_) => {
            let advice = format!("install what runs `{}` (often Node.js), or install it again", subject.command);
            (FailureKind::Missing, advice)
        }
        ProcessError::NotExecutable(path) => {
            let advice = format!("make it executable (`chmod +x {}`), or correct `command`", path.display());
            (FailureKind::Missing, advice)
        }
        ProcessError::Folder(_) | ProcessError::BadFormat(_) => {
            let advice = format!(
                "correct `command` of provider `{provider}`; `stagecoach providers show {provider}` tells where it is set"
            );
            (FailureKind::Missing, advice)
        }
        ProcessError::TooLong(_) => (FailureKind::TooLong, advice(subject, FailureKind::TooLong)),
        ProcessError::NoWorkingFolder(error) if error.source.kind() == std::io::ErrorKind::StorageFull => {
            (FailureKind::Exit, "make room there, or set TMPDIR to a folder with room".to_owned())
        }
        ProcessError::WorkingFolder(_) | ProcessError::NoWorkingFolder(_) => {
            (FailureKind::Exit, "check TMPDIR: the folder for temporary files must be there and yours".to_owned())
        }
        ProcessError::Nul => {
            let advice =
                "leave the file with the NUL byte out with --exclude, or use a provider that reads standard input";
            (FailureKind::Exit, advice.to_owned())
        }
        ProcessError::Other(_) | ProcessError::Lost(_) => (
            FailureKind::Exit,
            "the system is short of something (processes, files, memory); try again later".to_owned(),
        ),
    };
    AgentFailure {
        kind,
        provider: provider.to_owned(),
        message: format!("provider `{provider}` cannot be used: {error}"),
        excerpt: String::new(),
        advice,
    }
}

fn what(subject: &Subject<'_>, exit: Exit, kind: FailureKind) -> String {
    let provider = subject.provider;
    match kind {
        FailureKind::Missing => format!("`{}` is not installed", subject.command),
        FailureKind::Auth if exit == Exit::WantedTerminal => {
            format!("{provider} wanted to ask something on the terminal, most likely for a login")
        }
        FailureKind::Auth => format!("{provider} is not logged in, or its key was refused"),
        FailureKind::Quota => format!("{provider} has reached a rate limit or budget"),
        FailureKind::Model if subject.model.is_empty() => format!("{provider} cannot use its default model"),
        FailureKind::Model => format!("{provider} cannot use the model `{}`", subject.model),
        FailureKind::TooLong => format!("the prompt is too long for {provider}"),
        FailureKind::Network => format!("{provider} cannot reach its service, or the service is down"),
        FailureKind::Timeout => format!("{provider} did not answer within {}", seconds(subject.timeout)),
        FailureKind::Blank => format!("{provider} ended well but gave no answer"),
        FailureKind::Garbled if exit == Exit::Flooded => format!("{provider} wrote without end and was stopped"),
        FailureKind::Garbled => format!("{provider} gave an answer that cannot be used"),
        FailureKind::Flags => format!("{provider} does not know an option it was started with"),
        FailureKind::Killed => format!("{provider} was killed ({exit})"),
        FailureKind::Session => format!("{provider} does not know the session any more"),
        FailureKind::Exit => format!("{provider} failed ({exit})"),
        FailureKind::NoSeat => format!("{provider} was not asked: no seat can be taken"),
        FailureKind::Cancelled(_) => format!("{provider} was stopped on request"),
    }
}

fn pointing_to(kind: FailureKind) -> Option<&'static str> {
    Some(match kind {
        FailureKind::Auth => "a login that is missing or refused",
        FailureKind::Quota => "a rate limit or budget",
        FailureKind::Model => "a model that cannot be used",
        FailureKind::TooLong => "a prompt that is too long",
        FailureKind::Network => "a service that cannot be reached",
        FailureKind::Flags => "an option it does not know",
        _ => return None,
    })
}

fn advice(subject: &Subject<'_>, kind: FailureKind) -> String {
    let Subject { provider, command, .. } = subject;
    match kind {
        FailureKind::Missing => {
            let install = match subject.install {
                "" => format!("install `{command}`"),
                install => install.trim_end_matches('.').to_owned(),
            };
            format!(
                "{install}, or choose another provider with --provider (`stagecoach providers list` shows which are there)"
            )
        }
        FailureKind::Auth => match subject.auth_env.first() {
            Some(name) => format!("run `{command}` once by hand and log in, or set {name}"),
            None => format!("run `{command}` once by hand and log in"),
        },
        FailureKind::Quota => "wait, or try another model with --model or another provider with --provider".to_owned(),
        FailureKind::Model if subject.model.is_empty() => {
            format!("choose a model with --model; `stagecoach models {provider}` lists them")
        }
        FailureKind::Model => {
            format!("choose another with --model; `stagecoach models {provider}` lists them")
        }
        FailureKind::TooLong => {
            "set `token_limit` in the configuration to what the model takes, or leave files out with --exclude"
                .to_owned()
        }
        FailureKind::Network => {
            "check the connection and try again, or try another provider with --provider".to_owned()
        }
        FailureKind::Timeout => {
            "raise --timeout, or try a faster model with --model or another provider with --provider".to_owned()
        }
        FailureKind::Blank | FailureKind::Garbled | FailureKind::Session => {
            "try again, or try another model with --model or another provider with --provider".to_owned()
        }
        FailureKind::Flags => {
            format!(
                "update `{command}`; `stagecoach providers show {provider}` tells which version its options were checked against"
            )
        }
        FailureKind::Killed => format!("try again; if it happens again, check memory and the logs of `{command}`"),
        FailureKind::Exit => {
            "run it again with --verbose to see how the program was called and what it said".to_owned()
        }
        FailureKind::NoSeat => "make the folder of seats yours, with mode 0700, or remove it".to_owned(),
        FailureKind::Cancelled(_) => "start again when you are ready".to_owned(),
    }
}

/// Whole seconds, or milliseconds below one.
fn seconds(time: Duration) -> String {
    match (time.as_secs(), time.subsec_millis()) {
        (0, milliseconds) => format!("{milliseconds} ms"),
        (seconds, _) => format!("{seconds} s"),
    }
}
