//! No message: why, and what is kept of the run.

use crate::agent::FailureKind;
use crate::commit::Journal;
use crate::message::{Message, WriteError, WriteFailure};
use crate::role::Role;

use super::super::Failure;
use super::super::failure::{RESCUE, interrupted};
use super::Run;

impl Run<'_> {
    pub(super) fn not_written(&self, begun: Result<Option<Journal<'_>>, Failure>, failure: WriteFailure) -> Failure {
        let candidate = failure.candidate.clone();
        let candidate = candidate.as_ref().map(Message::as_str);
        let explained = explain_unwritten(failure, &self.provider_name());
        match begun {
            Ok(Some(journal)) => rescue(journal, candidate, explained),
            Ok(None) => explained,
            // Both are told: there is a reason, and nothing to rescue either.
            Err(second) => {
                let why = format!(
                    "{}\nand the frozen tree could not be kept: {}\n{}",
                    explained.why, second.what, second.why
                );
                Failure { why, ..explained }
            }
        }
    }

    /// Who was asked for the message last.
    pub(super) fn provider_name(&self) -> String {
        let substitute = self.standing.substitutes().remove(&Role::Message).map(|name| name.provider);
        let chosen = || self.settings.role(Role::Message).provider.clone();
        substitute.or_else(chosen).unwrap_or_else(|| "the agent".to_owned())
    }
}

/// Why there is no message, for the user.
pub(super) fn explain_unwritten(failure: WriteFailure, provider: &str) -> Failure {
    let why = failure.error.to_string();
    match *failure.error {
        WriteError::Agent(failure) => match failure.kind {
            FailureKind::Cancelled(cause) => interrupted(cause).exit(RESCUE),
            _ => failure.into(),
        },
        WriteError::NoMessage => Failure::new(
            "agent_garbled",
            format!("{provider} gave no commit message"),
            why,
            "try again, or another model with --model or another provider with --provider",
        )
        .exit(RESCUE),
        WriteError::Trailers(_) => Failure::new(
            "trailers",
            "git does not add the trailers",
            why,
            "check `git config --get-regexp '^trailer\\.'`, or leave --trailer out",
        )
        .exit(RESCUE),
        WriteError::Duplicate(_) => Failure::new(
            "duplicate",
            format!("{provider} wrote no new subject"),
            why,
            "say what is different with --context, or use the message below",
        )
        .exit(RESCUE),
        WriteError::Prompt(error) => Failure::new(
            "prompt_too_long",
            "the change cannot be described within the limit",
            error.to_string(),
            "raise `token_limit`, or commit fewer files at once",
        )
        .exit(RESCUE),
    }
}

/// The run ends here, with what it noted and the best message there is.
pub(super) fn rescue(mut journal: Journal<'_>, candidate: Option<&str>, failure: Failure) -> Failure {
    if let Some(candidate) = candidate {
        journal.set_message(0, candidate);
    }
    failure.with_rescue(journal.leave(0))
}
