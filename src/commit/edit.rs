//! A message through the user's editor before it is committed (`--edit`).

use std::ffi::OsString;
use std::path::Path;
use std::process::{ExitStatus, Stdio};

use crate::git::{Change, ChangedFile, Config, GitError, Head, HeadTarget, Repository, Status};
use crate::message::Cleanup;
use crate::payload::quote;
use crate::run::{Cancel, Cause, foreground};

/// What git takes for an editor that leaves everything as it is, without starting anything.
const NO_EDITOR: &str = ":";

/// The editor: found before anything is frozen, used when there is a message.
#[derive(Debug)]
pub struct Editor {
    command: OsString,
    /// `commit.status`: whether the file says what is committed.
    describes: bool,
}

/// There is no editor that could be opened.
#[derive(Debug, thiserror::Error)]
pub enum NoEditor {
    /// Neither git nor the environment names one that works here.
    #[error("Terminal is dumb, but EDITOR unset")]
    Unset,
    /// git's configuration cannot be read.
    #[error(transparent)]
    Git(#[from] GitError),
}

/// What the file tells about the commit to be.
#[derive(Debug, Clone, Copy)]
pub struct About<'a> {
    /// HEAD before the commit.
    pub head: &'a Head,
    /// What it changes.
    pub change: &'a Change,
    /// Whether it concludes a merge.
    pub merges: bool,
}

/// What went wrong with an edit.
#[derive(Debug, thiserror::Error)]
pub enum EditError {
    /// The run was told to stop, or the editor by the keyboard.
    #[error("interrupted")]
    Interrupted(Cause),
    /// The editor says that it failed.
    #[error("there was a problem with the editor '{editor}': {status}")]
    Failed {
        /// Its command.
        editor: String,
        /// How it ended.
        status: ExitStatus,
    },
    /// The editor does not start.
    #[error("unable to start editor '{editor}': {source}")]
    Start {
        /// Its command.
        editor: String,
        /// The system's word.
        source: std::io::Error,
    },
}

impl Editor {
    /// Finds out which editor git would open.
    ///
    /// # Errors
    /// There is none, or git's configuration is wrong.
    pub fn find(repository: &Repository) -> Result<Self, NoEditor> {
        let command = repository.editor()?.ok_or(NoEditor::Unset)?;
        let describes = repository.config().boolean("commit.status").map_err(GitError::from)?.unwrap_or(true);
        Ok(Self { command, describes })
    }

    /// What the file says below the message.
    pub(super) fn notes(&self, about: &About<'_>) -> Vec<String> {
        if self.describes { notes(about) } else { Vec::new() }
    }

    /// Lets the user edit a file. `aside`: what the editor prints on its standard output goes to standard error.
    pub(super) fn open(
        &self,
        repository: &Repository,
        file: &Path,
        index: &Path,
        aside: bool,
        cancel: &Cancel,
    ) -> Result<(), EditError> {
        if self.command == NO_EDITOR {
            return Ok(());
        }
        let editor = self.command.to_string_lossy().into_owned();
        let mut command = repository.editor_command(&self.command, file, index);
        if aside {
            command.stdout(Stdio::from(std::io::stderr()));
        }
        let keyboard = cancel.lend_keyboard();
        let status = match foreground(&mut command, cancel) {
            Ok(status) => status,
            Err(source) => return Err(EditError::Start { editor, source }),
        };
        drop(keyboard);
        match cancel.cause() {
            Some(cause) => Err(EditError::Interrupted(cause)),
            None if status.success() => Ok(()),
            None if by_the_keyboard(status) => Err(EditError::Interrupted(Cause::Interrupt)),
            None => Err(EditError::Failed { editor, status }),
        }
    }
}

/// What git's configuration says of how comments begin. Of the two names of the setting, the last one counts.
#[must_use]
pub fn comment_setting(config: &Config) -> Option<String> {
    let entry = config.entries().iter().rev().find(|entry| COMMENT_KEYS.contains(&entry.key.as_str()));
    entry.and_then(|entry| entry.value.as_ref()).map(ToString::to_string)
}

/// How git cleans a message that an editor had. A mode that git does not know is told of by git itself.
#[must_use]
pub fn cleanup_setting(config: &Config) -> Cleanup {
    Cleanup::of_setting(config.text("commit.cleanup").as_deref()).unwrap_or(Cleanup::Strip)
}

/// Both names of the setting, in lower case.
const COMMENT_KEYS: [&str; 2] = ["core.commentchar", "core.commentstring"];

/// Whether SIGINT or SIGQUIT ended the editor, or the command below its shell.
fn by_the_keyboard(status: ExitStatus) -> bool {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return matches!(signal, 2 | 3);
    }
    matches!(status.code(), Some(130 | 131))
}

/// What is about to be committed, in the words that editors highlight in a message that git prepared.
fn notes(about: &About<'_>) -> Vec<String> {
    let mut notes = Vec::new();
    if about.merges {
        notes.extend(["This commit concludes a merge.".to_owned(), String::new()]);
    }
    notes.push(match (&about.head.target, about.head.commit) {
        (HeadTarget::Detached, Some(commit)) => format!("HEAD detached at {}", commit.short(7)),
        _ => format!("On branch {}", about.head.branch()),
    });
    if about.head.commit.is_none() {
        notes.extend(["", "Initial commit", ""].map(str::to_owned));
    }
    if !about.change.is_empty() {
        notes.push("Changes to be committed:".to_owned());
        notes.extend(about.change.files().iter().map(changed));
    }
    notes.push(String::new());
    notes
}

fn changed(file: &ChangedFile) -> String {
    let path = quote(file.path());
    match file.status() {
        Status::Added => format!("\tnew file:   {path}"),
        Status::Modified => format!("\tmodified:   {path}"),
        Status::Deleted => format!("\tdeleted:    {path}"),
        Status::TypeChanged => format!("\ttypechange: {path}"),
        Status::Renamed(_) => match file.old_side() {
            Some(old) => format!("\trenamed:    {} -> {path}", quote(old.path.as_ref())),
            None => format!("\trenamed:    {path}"),
        },
    }
}
