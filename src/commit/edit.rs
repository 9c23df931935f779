//! A message through the user's editor before it is committed (`--edit`).

use std::ffi::OsString;
use std::path::Path;
use std::process::{ExitStatus, Stdio};

use crate::git::{Change, ChangedFile, Config, GitError, Head, HeadTarget, Repository, Status};
use crate::message::{Cleanup, Draft, InvalidCleanup, InvalidMessage, Message};
use crate::payload::quote;
use crate::run::{Cancel, Cause, Scratch, ScratchError, foreground};

/// Editors and their plugins know what the file is by this name.
const FILE: &str = "COMMIT_EDITMSG";

/// What git takes for an editor that leaves everything as it is, without starting anything.
const NO_EDITOR: &str = ":";

/// The editor, and how its text is read: found before anything is frozen, used when there is a message.
#[derive(Debug)]
pub struct Editor {
    command: OsString,
    cleanup: Cleanup,
    comment: Option<String>,
    /// `commit.status`: whether the file says what is committed.
    describes: bool,
}

/// There is no editor that could be opened.
#[derive(Debug, thiserror::Error)]
pub enum NoEditor {
    /// Neither git nor the environment names one that works here.
    #[error("Terminal is dumb, but EDITOR unset")]
    Unset,
    /// `commit.cleanup` is wrong.
    #[error(transparent)]
    Cleanup(#[from] InvalidCleanup),
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
    /// The index that holds its tree.
    pub index: &'a Path,
}

/// The message was not edited to an end.
#[derive(Debug, thiserror::Error)]
#[error("{error}")]
pub struct EditFailure {
    /// What went wrong.
    #[source]
    pub error: EditError,
    /// The message as the editor last saved it, where that can be used, else as it was before.
    pub message: Message,
}

/// What went wrong with an edit.
#[derive(Debug, thiserror::Error)]
pub enum EditError {
    /// The user wants no commit.
    #[error("the message was emptied by the editor")]
    Emptied,
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
    /// The text that it left is none.
    #[error("the editor left a text that is not UTF-8")]
    Encoding,
    /// The text that it left can be no message.
    #[error(transparent)]
    Invalid(InvalidMessage),
    /// There is no folder for the file.
    #[error(transparent)]
    Folder(#[from] ScratchError),
    /// The file could not be written or read.
    #[error(transparent)]
    File(#[from] GitError),
}

impl Editor {
    /// Finds out which editor git would open, and how git would read its text.
    ///
    /// # Errors
    /// There is none, or git's configuration is wrong.
    pub fn find(repository: &Repository) -> Result<Self, NoEditor> {
        let command = repository.editor()?.ok_or(NoEditor::Unset)?;
        let config = repository.config();
        let cleanup = Cleanup::of_setting(config.text("commit.cleanup").as_deref())?;
        let describes = config.boolean("commit.status").map_err(GitError::from)?.unwrap_or(true);
        Ok(Self { command, cleanup, comment: comment_setting(config), describes })
    }

    /// Lets the user edit a message and returns what it has become. `aside`: what the editor prints on its standard
    /// output goes to standard error.
    ///
    /// # Errors
    /// See [`EditError`].
    pub fn edit(
        &self,
        repository: &Repository,
        message: &Message,
        about: &About<'_>,
        aside: bool,
        cancel: &Cancel,
    ) -> Result<Message, EditFailure> {
        if self.command == NO_EDITOR {
            return Ok(message.clone());
        }
        let notes = self.notes(about);
        let draft = Draft::new(message, &notes, self.cleanup, self.comment.as_deref());
        let edited = self.through(repository, &draft, about.index, aside, cancel);
        edited.map_err(|(error, saved)| EditFailure { error, message: saved.unwrap_or_else(|| message.clone()) })
    }

    /// Lets the user write a message where there is none; as [`Editor::edit`].
    ///
    /// # Errors
    /// See [`EditError`].
    pub fn compose(
        &self,
        repository: &Repository,
        about: &About<'_>,
        aside: bool,
        cancel: &Cancel,
    ) -> Result<Message, EditError> {
        if self.command == NO_EDITOR {
            return Err(EditError::Emptied);
        }
        let draft = Draft::empty(&self.notes(about), self.cleanup, self.comment.as_deref());
        self.through(repository, &draft, about.index, aside, cancel).map_err(|(error, _)| error)
    }

    fn notes(&self, about: &About<'_>) -> Vec<String> {
        if self.describes { notes(about) } else { Vec::new() }
    }

    /// A draft through the editor; on failure with what the editor last saved, where that is a message.
    fn through(
        &self,
        repository: &Repository,
        draft: &Draft,
        index: &Path,
        aside: bool,
        cancel: &Cancel,
    ) -> Result<Message, (EditError, Option<Message>)> {
        let failed = |error: EditError| (error, None);
        // In the git folder, where plugins look for the repository; private, since two runs may be editing.
        let folder = Scratch::new_in(&repository.paths().git_dir).map_err(|error| failed(error.into()))?;
        let file = folder.path().join(FILE);
        std::fs::write(&file, draft.text()).map_err(|error| failed(GitError::io("writing", &file)(error).into()))?;

        let opened = self.open(repository, &file, index, aside, cancel);
        let edited = read(&file).and_then(|text| {
            draft.read(&text).map_err(|error| match error {
                InvalidMessage::Empty => EditError::Emptied,
                InvalidMessage::Nul => EditError::Invalid(error),
            })
        });
        match (opened, edited) {
            (Ok(()), edited) => edited.map_err(failed),
            (Err(error), edited) => Err((error, edited.ok())),
        }
    }

    fn open(
        &self,
        repository: &Repository,
        file: &Path,
        index: &Path,
        aside: bool,
        cancel: &Cancel,
    ) -> Result<(), EditError> {
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

fn read(file: &Path) -> Result<String, EditError> {
    let content = std::fs::read(file).map_err(GitError::io("reading", file))?;
    String::from_utf8(content).map_err(|_| EditError::Encoding)
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
