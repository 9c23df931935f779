//! The one door to a repository.
//!
//! [`Repository`] is opened once. What differs between git's library and the git program sits behind one small trait;
//! what must be exactly git's own and happens once a run (staging a working tree) always goes through the program.
//! Nothing here writes the index or the working tree but [`IndexUpdate`], under the index's lock.

mod backend;
mod change;
mod commit_object;
mod config;
#[cfg(test)]
mod contract_tests;
mod durability;
mod editor;
mod encoding;
mod error;
mod head;
mod history;
mod hook_runner;
mod identity;
mod index_edit;
mod index_file;
mod index_layout;
mod index_update;
mod index_view;
mod leftover;
mod libgit2;
mod maintenance;
mod object;
mod open;
mod operation;
mod plumbing;
mod program;
mod ref_state;
mod renames;
mod replacements;
mod repository;
mod scratch_repository;
mod signing;
mod stat_data;
mod submodules;
#[cfg(test)]
pub(crate) mod testing;
mod trailers;
mod tree;
mod tree_edit;
mod working_tree;

pub use change::{Attributes, BlobError, Blobs, Change, ChangedFile, ChangedPath, Side, Status, TreeEdit};
pub use commit_object::{CommitObject, Reflog};
pub use config::{BadBoolean, Config, ConfigEntry, normalize_key};
pub use error::GitError;
pub use head::{Head, HeadMoved, HeadTarget};
pub use hook_runner::{Hook, HookContext, Hooks, IN_HOOK_VARIABLE, OWN_HOOK_MARKER};
pub use identity::{Ident, Identities};
pub use index_update::{IndexUpdate, StagedTree};
pub use index_view::IndexView;
pub use libgit2::global_config;
pub use object::{FileMode, InvalidObjectId, ObjectId};
pub use operation::{Merge, Operation};
pub use program::Program;
pub use ref_state::RefState;
pub use repository::{Frozen, MergedTrees, Paths, Repository};
pub use scratch_repository::{ScratchFile, ScratchRepository};
pub use trailers::TrailerProgram;
pub use working_tree::{LeftOut, WorkingTree};

/// One commit of the history, as style learning and duplicate checks need it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogEntry {
    /// The commit.
    pub id: ObjectId,
    /// How many parents it has; two or more make a merge.
    pub parents: usize,
    /// The whole message, lossily decoded.
    pub message: String,
}

impl LogEntry {
    /// The first line of the message, unless that is empty.
    #[must_use]
    pub fn subject(&self) -> Option<&str> {
        self.message.trim_start().lines().next()
    }
}
