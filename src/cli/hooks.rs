//! The hooks of the repository, as every command that makes commits uses them.

use std::io::{IsTerminal as _, Write as _};
use std::sync::Arc;

use crate::commit::{HookError, HookOptions, Told, Unworded, WordingError};
use crate::config::{Flag, Settings};
use crate::git::Hook;

use super::Failure;
use super::failure::{RESCUE, interrupted};

/// How hooks are run by these settings.
pub(super) const fn options(settings: &Settings) -> HookOptions {
    HookOptions { no_verify: settings.generation.no_verify, timeout: settings.generation.hook_timeout }
}

/// `--no-verify` of a command that has no other settings.
pub(super) fn flags(no_verify: bool) -> Vec<Flag> {
    let flag =
        || Flag { key: "generation.no_verify".to_owned(), text: "true".to_owned(), name: "--no-verify".to_owned() };
    if no_verify { vec![flag()] } else { Vec::new() }
}

/// What the environment wants reflogs to say of the commits.
pub(super) fn reflog_action() -> Option<String> {
    std::env::var("GIT_REFLOG_ACTION").ok().filter(|action| !action.is_empty())
}

/// What hooks print goes straight to standard error. A closed one ends no run.
pub(super) fn told() -> Told {
    let print = |text: &[u8]| drop(std::io::stderr().lock().write_all(text));
    Told { echo: Arc::new(print), waits: waits(move |text| print(text.as_bytes())) }
}

/// Tells whoever sits at a terminal why nothing happens.
pub(super) fn waits(tell: impl Fn(&str) + Send + Sync + 'static) -> Arc<dyn Fn(Hook) + Send + Sync> {
    let watched = std::io::stderr().is_terminal();
    Arc::new(move |hook| {
        if watched {
            tell(&format!("waiting for the hook {hook} to end, as it may have set changes of yours aside\n"));
        }
    })
}

impl From<HookError> for Failure {
    fn from(error: HookError) -> Self {
        let what = error.to_string();
        let (code, why, hint) = match &error {
            HookError::Refused { hook, output, .. } => ("hook", output.clone(), correct(*hook)),
            HookError::TimedOut { output, .. } => {
                ("hook_timeout", output.clone(), "give it longer with `hook_timeout`, or see what it waits for")
            }
            HookError::WantedTerminal { hook } => ("hook", String::new(), correct(*hook)),
            HookError::Foreign(paths) => {
                ("hook", named(paths), "stage that change yourself, or leave the hook out with --no-verify")
            }
            HookError::TookBack => ("hook", String::new(), "see what the hook did to the files"),
            HookError::Conflicts(paths) => {
                ("hook_conflict", named(paths), "run the hook's formatter on the files first, then stagecoach again")
            }
            HookError::Interrupted(cause) => return interrupted(*cause).exit(RESCUE),
            HookError::Git(_) => ("", String::new(), ""),
        };
        match error {
            HookError::Git(error) => Failure::from(error).exit(RESCUE),
            _ => Failure::new(code, what, why, hint).exit(RESCUE),
        }
    }
}

const fn correct(hook: Hook) -> &'static str {
    match hook {
        Hook::PreCommit => "correct what it found and run stagecoach again, or leave it out with --no-verify",
        Hook::CommitMsg => "finish with a message that it takes, or leave it out with --no-verify",
        Hook::PrepareCommitMsg | Hook::PostCommit | Hook::ReferenceTransaction | Hook::PostIndexChange => {
            "see what the hook wants"
        }
    }
}

/// Paths as git quotes them, one a line.
pub(super) fn named(paths: &[bstr::BString]) -> String {
    paths.iter().map(|path| crate::payload::quote(path.as_ref())).collect::<Vec<_>>().join("\n")
}

/// Why a message did not come through its hooks or the editor.
pub(super) fn of_wording(unworded: Unworded) -> Failure {
    match *unworded.error {
        WordingError::Refused(error) | WordingError::Hook(error) => error.into(),
        WordingError::Edit(error) => super::commit::of_edit(&error),
        error @ WordingError::Emptied(_) => {
            let cause = "a message of comments and white space is none; nothing was committed";
            Failure::new("emptied", error.to_string(), cause, "run stagecoach again")
        }
        WordingError::File(error) => Failure::from(error).exit(RESCUE),
        error => {
            let what = "the message cannot be used";
            Failure::new("message", what, error.to_string(), "use the message below").exit(RESCUE)
        }
    }
}

/// Whether the user, or a hook, wants no commit at all.
pub(super) fn is_emptied(unworded: &Unworded) -> bool {
    matches!(*unworded.error, WordingError::Emptied(_))
}
