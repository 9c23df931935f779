//! What can go wrong at the door to the repository, told apart by what a caller can do about it.

use std::path::PathBuf;

use bstr::BString;

use super::ObjectId;

/// A git operation that did not do what was asked. Nothing is half done: the variants of moving HEAD and the index
/// promise that neither changed.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// There is no repository here.
    #[error("not a git repository (or any of the parent directories)")]
    NotARepository,
    /// The repository has no working tree to commit from.
    #[error("this operation must be run in a work tree")]
    Bare,
    /// git refuses the repository because somebody else owns it.
    #[error("the repository is owned by someone else: {0}")]
    UnsafeOwner(String),
    /// The repository needs something that this version would get wrong.
    #[error("{what}")]
    Unsupported {
        /// What the repository has or asks for.
        what: String,
        /// The command that gets further.
        instead: String,
    },
    /// Paths with conflicts, in index order.
    #[error("{} unmerged path(s)", .0.len())]
    Unmerged(Vec<BString>),
    /// Another git operation has to be finished first.
    #[error("{operation} is in progress")]
    InProgress {
        /// In words, with its article: `a cherry-pick`.
        operation: &'static str,
        /// The command that goes on with it.
        next: &'static str,
    },
    /// The index names an object that is not there, or an entry that no tree may hold.
    #[error("the index cannot be committed: {0}")]
    InvalidIndex(String),
    /// Edits that no tree can hold: an impossible path, or one that is both a file and a folder.
    #[error("no tree can hold {0}")]
    InvalidEdit(BString),
    /// A variable of git's configuration has a value that git does not take.
    #[error(transparent)]
    Config(#[from] super::BadBoolean),
    /// A variable of git's configuration has a value that it cannot have; `text` is git's word for it.
    #[error("{key}: {text}")]
    Setting {
        /// The variable.
        key: &'static str,
        /// What is wrong.
        text: String,
    },
    /// Who commits is not known; git's own words.
    #[error("{0}")]
    Identity(String),
    /// HEAD is not what it was when the commit was frozen.
    #[error("HEAD moved")]
    HeadMoved(Box<super::HeadMoved>),
    /// Somebody holds the lock of HEAD or of the branch.
    #[error("cannot lock {0}: another process holds it")]
    RefLocked(String),
    /// The branch has moved, and the index could not follow.
    #[error("the index could not be replaced ({0}) and does not know of it; `git restore --staged :/` brings it up")]
    IndexBehind(std::io::Error),
    /// A `reference-transaction` hook does not let HEAD move; git's words and the hook's.
    #[error("the hook reference-transaction refused")]
    RefHook(String),
    /// Somebody holds the lock of the index.
    #[error("cannot lock the index: {} exists", .0.display())]
    IndexLocked(PathBuf),
    /// The git program is needed and is not there.
    #[error("the git program was not found on PATH")]
    NoGitProgram,
    /// The git program failed; `text` is what it wrote.
    #[error("{command} failed: {text}")]
    Program {
        /// The command in words.
        command: String,
        /// Its standard error.
        text: String,
    },
    /// An object is missing or corrupt.
    #[error("object {0} cannot be read: {1}")]
    Object(ObjectId, String),
    /// A file of the repository could not be read or written.
    #[error("{doing} {}: {source}", path.display())]
    Io {
        /// What was tried, as a gerund: `writing`.
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// The operating system's word.
        source: std::io::Error,
    },
    /// git's library failed in a way that has no variant of its own.
    #[error("{doing}: {text}")]
    Library {
        /// What was tried, as a gerund phrase.
        doing: &'static str,
        /// The library's words.
        text: String,
    },
}

impl GitError {
    pub(crate) fn io(doing: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| GitError::Io { doing, path, source }
    }

    pub(crate) fn library(doing: &'static str) -> impl Fn(git2::Error) -> Self {
        move |error| GitError::Library { doing, text: error.message().to_owned() }
    }
}
