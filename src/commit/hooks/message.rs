//! A message on its way through the hooks and the editor, in the file that git would use.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::git::{GitError, Hook, HookContext, Ident, Repository};
use crate::message::{Cleanup, Draft, InvalidMessage, Message};
use crate::run::{Cancel, Scratch, ScratchError};

use super::super::{About, EditError, Editor, comment_setting};
use super::{HookError, Hooks};

/// Hooks, editors and their plugins know what the file is by this name.
const FILE: &str = "COMMIT_EDITMSG";
/// Where the message of `prepare-commit-msg` comes from, in git's word for one that was given.
const GIVEN: &str = "message";
/// The same of every commit that concludes a merge, whoever gave its message.
const MERGE: &str = "merge";
/// How a comment begins where nothing else is configured and nobody edits.
const COMMENT: &str = "#";

/// How git cleans messages here.
#[derive(Debug, Clone)]
pub(super) struct Cleaning {
    edited: Cleanup,
    unedited: Cleanup,
    comment: Option<String>,
}

impl Cleaning {
    /// Reads `commit.cleanup` and `core.commentChar`.
    ///
    /// # Errors
    /// git knows no such mode.
    pub(super) fn of(repository: &Repository) -> Result<Self, GitError> {
        let config = repository.config();
        let mode = config.text("commit.cleanup");
        let (edited, unedited) = Cleanup::of_setting(mode.as_deref())
            .and_then(|edited| Ok((edited, Cleanup::of_unedited(mode.as_deref())?)))
            .map_err(|error| GitError::Setting { key: "commit.cleanup", text: error.to_string() })?;
        Ok(Self { edited, unedited, comment: comment_setting(config) })
    }

    fn draft(&self, message: Option<&Message>, editor: Option<(&Editor, &About<'_>)>) -> Draft {
        let comment = self.comment.as_deref();
        let (notes, cleanup, comment) = match editor {
            Some((editor, about)) => (editor.notes(about), self.edited, comment),
            None => (Vec::new(), self.unedited, Some(comment.unwrap_or(COMMENT))),
        };
        match message {
            Some(message) => Draft::new(message, &notes, cleanup, comment),
            None => Draft::empty(&notes, cleanup, comment),
        }
    }
}

/// What a message meets.
#[derive(Clone, Copy)]
pub struct Wording<'a> {
    /// The index that hooks and the editor's git commands see.
    pub index: &'a Path,
    /// Who writes the commit.
    pub author: &'a Ident,
    /// The editor, where one is wanted, and what it is told.
    pub editor: Option<(&'a Editor, &'a About<'a>)>,
    /// What the editor prints on its standard output goes to standard error.
    pub aside: bool,
    /// Whether the commit concludes a merge.
    pub merges: bool,
    /// No commit will be made: only `commit-msg` is run, on a file that is nobody's.
    pub dry: bool,
    /// Ends it early.
    pub cancel: &'a Cancel,
}

/// A message that did not come through.
#[derive(Debug, thiserror::Error)]
#[error("{error}")]
pub struct Unworded {
    /// What went wrong.
    #[source]
    pub error: Box<WordingError>,
    /// The message as the file last had it, where that can be used, else as it was before, where there was one.
    pub message: Option<Message>,
}

/// Why a message did not come through.
#[derive(Debug, thiserror::Error)]
pub enum WordingError {
    /// `commit-msg` refused it; its output says why.
    #[error(transparent)]
    Refused(HookError),
    /// Another hook failed, or it did for another reason.
    #[error(transparent)]
    Hook(HookError),
    /// The editor failed.
    #[error(transparent)]
    Edit(#[from] EditError),
    /// Nothing is left of it.
    #[error("the message was emptied by {0}")]
    Emptied(&'static str),
    /// The text that it became is none.
    #[error("the message is not UTF-8 text any more")]
    Encoding,
    /// The text that it became can be no message.
    #[error(transparent)]
    Invalid(InvalidMessage),
    /// There is no folder for the file.
    #[error(transparent)]
    Folder(#[from] ScratchError),
    /// The file could not be written or read.
    #[error(transparent)]
    File(#[from] GitError),
}

impl From<HookError> for WordingError {
    fn from(error: HookError) -> Self {
        match error {
            HookError::Refused { hook: Hook::CommitMsg, .. } => Self::Refused(error),
            _ => Self::Hook(error),
        }
    }
}

impl Hooks<'_> {
    /// A message as it is committed where nobody changes it; `None`: nothing is left of it.
    #[must_use]
    pub fn cleaned(&self, message: &Message) -> Option<Message> {
        let draft = self.cleaning.draft(Some(message), None);
        draft.read(draft.text()).ok()
    }

    /// Takes a message, or the lack of one, through `prepare-commit-msg`, the editor and `commit-msg`, and returns what it
    /// has become.
    ///
    /// # Errors
    /// See [`WordingError`].
    pub fn word(&self, message: Option<&Message>, wording: &Wording<'_>) -> Result<Message, Unworded> {
        let draft = self.cleaning.draft(message, wording.editor);
        let failed = |error: WordingError, message: Option<Message>| Unworded { error: Box::new(error), message };
        let prepares = self.runs(Hook::PrepareCommitMsg) && !wording.dry;
        let (mut outcome, mut text) = (Ok(()), draft.text().to_owned());
        if self.runs(Hook::CommitMsg) || wording.editor.is_some() || self.message_is_read && !wording.dry {
            let file = self.file(wording).map_err(|error| failed(error, message.cloned()))?;
            outcome = self.in_file(file.path(), &mut text, |file| self.steps(file, prepares, wording));
        }
        let who = if wording.editor.is_some() { "the editor" } else { "a hook" };
        let worded = draft.read(&text).map_err(|error| match error {
            InvalidMessage::Empty => WordingError::Emptied(who),
            InvalidMessage::Nul => WordingError::Invalid(error),
        });
        match (outcome, worded) {
            (Ok(()), worded) => worded.map_err(|error| failed(error, message.cloned())),
            (Err(error), worded) => Err(failed(error, worded.ok().or_else(|| message.cloned()))),
        }
    }

    /// Has something done to a text in a file, which is in the encoding of commits.
    fn in_file(
        &self,
        file: &Path,
        text: &mut String,
        act: impl FnOnce(&Path) -> Result<(), WordingError>,
    ) -> Result<(), WordingError> {
        let encoded = self.repository.encoded(text)?;
        let is_encoded = encoded.is_some();
        let content = encoded.unwrap_or_else(|| text.clone().into_bytes());
        std::fs::write(file, &content).map_err(GitError::io("writing", file))?;
        let outcome = act(file);
        let read = std::fs::read(file).map_err(GitError::io("reading", file)).map_err(WordingError::from);
        let changed = match read {
            Ok(read) if read == content => return outcome,
            Ok(read) if is_encoded && self.repository.commit_encoding().is_some() => {
                self.repository.decoded(&read).map_err(WordingError::from)
            }
            Ok(read) => String::from_utf8(read).map_err(|_| WordingError::Encoding),
            Err(error) => Err(error),
        };
        match changed {
            Ok(changed) => *text = changed,
            Err(error) => return outcome.and(Err(error)),
        }
        outcome
    }

    fn steps(&self, file: &Path, prepares: bool, wording: &Wording<'_>) -> Result<(), WordingError> {
        let Wording { index, author, editor, aside, merges, cancel, .. } = *wording;
        let context = HookContext { index, author, edits: editor.is_some() };
        let named = self.repository.as_git_names(file);
        if prepares {
            let arguments = [named.as_os_str(), OsStr::new(if merges { MERGE } else { GIVEN })];
            self.ready(Hook::PrepareCommitMsg, &arguments, Some(&context))?.run(cancel)?;
        }
        if let Some((editor, _)) = editor {
            editor.open(self.repository, file, index, aside, cancel)?;
        }
        if self.runs(Hook::CommitMsg) {
            self.ready(Hook::CommitMsg, &[named.as_os_str()], Some(&context))?.run(cancel)?;
        }
        Ok(())
    }

    /// Any hook may look for the file where git has it; for an editor alone it is private, since two runs may be editing,
    /// and with neither there is none: to write over an existing file costs milliseconds.
    fn file(&self, wording: &Wording<'_>) -> Result<File, WordingError> {
        let git_dir = &self.repository.paths().git_dir;
        if self.message_is_read && !wording.dry {
            return Ok(File::Known(git_dir.join(FILE)));
        }
        let folder = Scratch::new_in(git_dir)?;
        Ok(File::Private(folder.path().join(FILE), folder))
    }
}

/// Where the message lies meanwhile.
enum File {
    Known(PathBuf),
    /// The folder goes when it is dropped.
    Private(PathBuf, #[allow(dead_code, reason = "kept for its drop")] Scratch),
}

impl File {
    fn path(&self) -> &Path {
        match self {
            File::Known(path) | File::Private(path, _) => path,
        }
    }
}
