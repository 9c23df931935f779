//! Plans as files: written to be read, reordered, merged, split and reworded by people, and turned back into trees.
//!
//! A plan names its parent and the frozen tree. Files go whole; where commits share a file, its hunks are named by their
//! lines in the base and a hash of their text, so that each stands for itself. Where lines were taken one by one, which
//! only git's own staging does, every commit carries its tree instead.

mod read;
#[cfg(test)]
mod tests;
mod write;

pub use write::Words;

use faster_hex::hex_string;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::git::{GitError, ObjectId};

use super::StageError;
use super::hunks::{Hunk, Script};

/// The form that this version writes and reads.
const VERSION: u32 = 1;
/// How much of a hash a hunk's text is recognised by, in bytes.
const HASH: usize = 8;

/// A plan as its file has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a plan")]
pub struct PlanFile {
    version: u32,
    parent: Option<String>,
    start: String,
    /// The commits, in the order of publication.
    pub commits: Vec<PlannedCommit>,
    /// What shall stay uncommitted.
    #[serde(default, skip_serializing_if = "Contents::is_empty")]
    pub leftover: Contents,
}

/// One commit of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a commit")]
pub struct PlannedCommit {
    /// What it is for, for people only.
    pub title: String,
    /// The whole message.
    pub message: String,
    /// The tree, where lines were taken one by one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<String>,
    /// Paths that change with this commit; quoted as git does where they are no UTF-8.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// Parts of files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hunks: Vec<PlannedHunk>,
}

/// Files and parts of files.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "files and hunks")]
pub struct Contents {
    /// Paths; quoted as git does where they are no UTF-8.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// Parts of files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hunks: Vec<PlannedHunk>,
}

/// One hunk of a file.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a hunk")]
pub struct PlannedHunk {
    /// The file.
    pub file: String,
    /// Its lines in the base, as in the header of a hunk without context: `12,3`, or `12,0` for an insertion after line 12.
    pub base: String,
    /// A hash of its text.
    pub hash: String,
}

/// Why a plan cannot be read or no longer fits.
#[derive(Debug, thiserror::Error)]
pub enum PlanFileError {
    /// It is no JSON of the right form.
    #[error(transparent)]
    Form(#[from] serde_json::Error),
    /// It is JSON, and no plan of any version.
    #[error("it is no plan: it has no number \"version\"")]
    NoPlan,
    /// It is of another form.
    #[error("the plan has version {0}; this stagecoach reads version {VERSION}")]
    Version(u64),
    /// An object id is none.
    #[error("{0} is not an object id")]
    Id(String),
    /// It is about another tree.
    #[error("the plan is about the tree {planned}, not {found}")]
    OtherStart {
        /// The tree of the plan.
        planned: ObjectId,
        /// The tree at hand.
        found: ObjectId,
    },
    /// There is no commit in it.
    #[error("the plan has no commit")]
    NoCommits,
    /// A commit without a change.
    #[error("{0} changes nothing")]
    Empty(Place),
    /// A path that is not in the change.
    #[error("{place} names {path}, which is not in the change")]
    UnknownPath {
        /// Where.
        place: Place,
        /// The path as written.
        path: String,
    },
    /// A hunk that the file does not have.
    #[error("{place} names a hunk {base} of {path}, which it does not have")]
    UnknownHunk {
        /// Where.
        place: Place,
        /// The file.
        path: String,
        /// The lines as written.
        base: String,
    },
    /// The hunk at these lines has another text.
    #[error("the hunk {base} of {path} in {place} has another text now")]
    ChangedHunk {
        /// Where.
        place: Place,
        /// The file.
        path: String,
        /// The lines as written.
        base: String,
    },
    /// Something that an earlier commit has.
    #[error("{place} names {what}, which an earlier place has already")]
    Twice {
        /// Where.
        place: Place,
        /// The path, with the hunk's lines.
        what: String,
    },
    /// A part of what goes together.
    #[error("{place} has {path} without what it goes together with")]
    Torn {
        /// Where.
        place: Place,
        /// The path.
        path: String,
    },
    /// Something that is nowhere.
    #[error("{0} is in no commit, nor in \"leftover\"")]
    Missing(String),
    /// Some commits carry trees and others do not.
    #[error("either every commit carries a tree or none; {0} is the odd one")]
    SomeTrees(Place),
    /// A commit that carries a tree names other files than the tree changes.
    #[error("{place} carries a tree that changes {expected} there; neither its files nor its place can be edited")]
    TreeFiles {
        /// Where.
        place: Place,
        /// The paths that it must name.
        expected: String,
    },
    /// A tree that does not fit.
    #[error("{place}: {source}")]
    Tree {
        /// Where.
        place: Place,
        /// What is wrong with it.
        source: StageError,
    },
    /// A content cannot be read or written.
    #[error(transparent)]
    Stage(#[from] StageError),
}

impl From<GitError> for PlanFileError {
    fn from(error: GitError) -> Self {
        PlanFileError::Stage(error.into())
    }
}

/// A place in a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// A commit: its number from 1, and its title.
    Commit(usize, String),
    /// What is left over.
    Leftover,
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Place::Commit(number, title) => write!(f, "commit {number} \"{title}\""),
            Place::Leftover => f.write_str("\"leftover\""),
        }
    }
}

impl Contents {
    fn is_empty(&self) -> bool {
        self.files.is_empty() && self.hunks.is_empty()
    }
}

/// What a hunk's text is recognised by.
fn hash(script: &Script, hunk: &Hunk) -> String {
    let digest = Sha256::digest(script.text(hunk));
    hex_string(digest.get(..HASH).unwrap_or_default())
}

/// A path as a JSON string can hold it.
fn name(path: &bstr::BStr) -> String {
    std::str::from_utf8(path).map_or_else(|_| crate::payload::quote(path), str::to_owned)
}
