//! The hooks of the repository around every commit of a run, in git's order: `pre-commit`, `prepare-commit-msg`, the
//! editor, `commit-msg`, the commit, `post-commit`.
//!
//! Where there is none, nothing is done: no file is written, no process started.

mod carry;
mod message;
mod tree;

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, ExitStatus};
use std::sync::Arc;
use std::time::Duration;

use bstr::{BString, ByteSlice};

use crate::git::{self, GitError, Hook, HookContext, Ident, Repository};
use crate::run::{Bounds, Cancel, Cause, Echo, Ending, OnStop, Outputs, bounded};

pub use carry::carry;
use message::Cleaning;
pub use message::{Unworded, Wording, WordingError};
pub use tree::{Staged, View};

/// How many of a hook's last lines tell why it failed.
const LAST_LINES: usize = 20;

/// How hooks are run.
#[derive(Debug, Clone, Copy)]
pub struct HookOptions {
    /// Leave out `pre-commit` and `commit-msg`.
    pub no_verify: bool,
    /// How long each may take.
    pub timeout: Duration,
}

/// How the user hears of hooks.
#[derive(Clone)]
pub struct Told {
    /// Receives what they print, as it comes.
    pub echo: Echo,
    /// Told that the run is to stop and only waits for a hook to end.
    pub waits: Arc<dyn Fn(Hook) + Send + Sync>,
}

/// The hooks of a repository, for the commits of one run.
pub struct Hooks<'a> {
    repository: &'a Repository,
    found: git::Hooks,
    options: HookOptions,
    cleaning: Cleaning,
    told: Told,
    /// Whether there is any hook that may look for the message where git has it.
    message_is_read: bool,
}

/// Why a hook, or what it did, stops a commit.
#[derive(Debug, thiserror::Error)]
pub enum HookError {
    /// It ended in failure.
    #[error("the hook {hook} refused: {status}")]
    Refused {
        /// Which one.
        hook: Hook,
        /// How it ended.
        status: ExitStatus,
        /// Its last lines.
        output: String,
    },
    /// It did not end in time.
    #[error("the hook {hook} did not end within {} seconds", after.as_secs())]
    TimedOut {
        /// Which one.
        hook: Hook,
        /// Its time.
        after: Duration,
        /// Its last lines.
        output: String,
    },
    /// It wanted to read from the terminal.
    #[error("the hook {hook} wanted to read from the terminal, which hooks cannot do here")]
    WantedTerminal {
        /// Which one.
        hook: Hook,
    },
    /// The run was told to stop.
    #[error("interrupted")]
    Interrupted(Cause),
    /// `pre-commit` staged what the commit does not change.
    #[error("the hook pre-commit staged a path that this commit does not change")]
    Foreign(Vec<BString>),
    /// `pre-commit` left nothing to commit.
    #[error("the hook pre-commit took every change back")]
    TookBack,
    /// What `pre-commit` changed and a later commit change the same lines.
    #[error("what the hook pre-commit changed conflicts with a later commit")]
    Conflicts(Vec<BString>),
    /// The repository cannot be read or written, or git cannot be started.
    #[error(transparent)]
    Git(#[from] GitError),
}

impl HookError {
    /// The last lines that the hook printed.
    #[must_use]
    pub fn output(&self) -> &str {
        match self {
            HookError::Refused { output, .. } | HookError::TimedOut { output, .. } => output,
            _ => "",
        }
    }
}

impl<'a> Hooks<'a> {
    /// Looks for the hooks of a repository.
    ///
    /// # Errors
    /// git's configuration is wrong.
    pub fn find(repository: &'a Repository, options: HookOptions, told: Told) -> Result<Self, GitError> {
        let (cleaning, found) = (Cleaning::of(repository)?, repository.hooks()?);
        let message_is_read = !found.is_empty();
        Ok(Self { repository, found, options, cleaning, told, message_is_read })
    }

    /// Whether a hook would be run.
    #[must_use]
    pub fn runs(&self, hook: Hook) -> bool {
        let left_out = self.options.no_verify && matches!(hook, Hook::PreCommit | Hook::CommitMsg);
        self.found.has(hook) && !left_out
    }

    /// Whether a hook wants to see the index of the commit before it is made.
    #[must_use]
    pub fn look_at_index(&self) -> bool {
        [Hook::PreCommit, Hook::PrepareCommitMsg, Hook::CommitMsg].into_iter().any(|hook| self.runs(hook))
    }

    /// The repository.
    #[must_use]
    pub const fn repository(&self) -> &'a Repository {
        self.repository
    }

    /// How they are run.
    #[must_use]
    pub const fn options(&self) -> HookOptions {
        self.options
    }

    /// `pre-commit` on an index, to be run when wanted; `None` where it is not to be run.
    ///
    /// # Errors
    /// There is no git program.
    pub fn pre_commit(&self, index: &Path, author: &Ident, edits: bool) -> Result<Option<Ready>, GitError> {
        if !self.runs(Hook::PreCommit) {
            return Ok(None);
        }
        self.ready(Hook::PreCommit, &[], Some(&HookContext { index, author, edits })).map(Some)
    }

    /// `post-commit`, when the commit is made. It stands, whatever becomes of the hook.
    ///
    /// # Errors
    /// See [`HookError`].
    pub fn post_commit(&self, author: &Ident, edits: bool, cancel: &Cancel) -> Result<(), HookError> {
        if !self.runs(Hook::PostCommit) {
            return Ok(());
        }
        let context = HookContext { index: &self.repository.paths().index, author, edits };
        self.ready(Hook::PostCommit, &[], Some(&context))?.run(cancel)
    }

    /// `post-index-change`, when the index is written: neither the working tree nor what is skipped in it has changed. As
    /// with git, nobody asks how it ended.
    ///
    /// # Errors
    /// It could not be started or had to be ended.
    pub fn post_index_change(&self, cancel: &Cancel) -> Result<(), HookError> {
        if !self.runs(Hook::PostIndexChange) {
            return Ok(());
        }
        let unchanged = OsStr::new("0");
        match self.ready(Hook::PostIndexChange, &[unchanged, unchanged], None)?.run(cancel) {
            Err(HookError::Refused { .. }) => Ok(()),
            result => result,
        }
    }

    fn ready(&self, hook: Hook, arguments: &[&OsStr], context: Option<&HookContext<'_>>) -> Result<Ready, GitError> {
        let command = self.repository.hook_command(&self.found, hook, arguments, context)?;
        Ok(Ready { hook, command, timeout: self.options.timeout, told: self.told.clone() })
    }
}

/// A hook that only has to be started.
pub struct Ready {
    hook: Hook,
    command: Command,
    timeout: Duration,
    told: Told,
}

impl Ready {
    /// What tells the user that it is waited for.
    pub fn waits(&self) -> impl Fn() + use<> {
        let (hook, waits) = (self.hook, Arc::clone(&self.told.waits));
        move || waits(hook)
    }

    /// Runs it to its end. A request to stop is passed on to it as the signal it came from; then, too, its end is waited
    /// for, since a hook may have set unstaged changes aside.
    ///
    /// # Errors
    /// See [`HookError`].
    pub fn run(self, cancel: &Cancel) -> Result<(), HookError> {
        let waits = self.waits();
        let Self { hook, command, timeout, told } = self;
        let program = command.get_program().to_owned();
        // What `post-commit` leaves running in the background must not lose its standard error with us.
        let outputs = if hook == Hook::PostCommit { Outputs::Standard } else { Outputs::Both(told.echo) };
        let bounds = Bounds { timeout, cancel, on_stop: OnStop::PassOn(&waits), own_group: true };
        let (ending, output) = bounded(command, &bounds, outputs).map_err(GitError::io("starting", program))?;
        let output = last_lines(&output);
        match ending {
            Ending::Exited(status) if status.success() => Ok(()),
            Ending::Exited(status) => Err(HookError::Refused { hook, status, output }),
            Ending::TimedOut => Err(HookError::TimedOut { hook, after: timeout, output }),
            Ending::WantedTerminal => Err(HookError::WantedTerminal { hook }),
            Ending::Stopped(cause) => Err(HookError::Interrupted(cause)),
        }
    }
}

/// The end of what a program printed, without empty lines.
pub(super) fn last_lines(output: &[u8]) -> String {
    let text = output.to_str_lossy();
    let lines: Vec<&str> = text.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect();
    lines.get(lines.len().saturating_sub(LAST_LINES)..).unwrap_or_default().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_the_output_is_kept() {
        assert_eq!(last_lines(b"To x\n\n ! [rejected]  \r\n\xff\n"), "To x\n ! [rejected]\n\u{fffd}");
        assert_eq!(last_lines(b""), "");
        let many: String = (0..30).map(|n| format!("{n}\n")).collect();
        assert_eq!(last_lines(many.as_bytes()).lines().next(), Some("10"));
    }
}
