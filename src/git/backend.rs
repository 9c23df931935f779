//! The operations that differ between git's library in-process and the git program.

use std::collections::HashMap;
use std::path::Path;
use std::time::Duration;

use bstr::BString;

use super::{Blobs, ChangedPath, Config, GitError, Head, LogEntry, MergedTrees, ObjectId, Reflog, TreeEdit};

/// How long hooks may hold a move of HEAD up where nothing else is said.
pub(crate) const MOVE_LIMIT: Duration = Duration::from_secs(600);

/// A tree that an index would make, and what it changes.
#[derive(Debug)]
pub(crate) struct IndexTree {
    /// The tree's id; the object may still have to be [written](Backend::write_trees).
    pub(crate) tree: ObjectId,
    /// Tree objects that are not in the database yet, children before parents.
    pub(crate) pending: Vec<PendingTree>,
    /// Every path that differs from the base tree, in index order, no renames.
    pub(crate) changed: Vec<ChangedPath>,
    /// Whether the index tracks a `.gitattributes` file.
    pub(crate) tracks_attributes: bool,
}

/// A tree object that exists only in memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PendingTree {
    pub(crate) id: ObjectId,
    pub(crate) content: Vec<u8>,
}

/// What an index holds of each path: mode and object. A path with conflicts has mode 0, which no tree can have; what
/// `git add -N` added is absent.
pub(crate) type IndexEntries = HashMap<BString, (u32, ObjectId)>;

/// One way to reach a repository. An implementation never touches the index file or the working tree.
pub(crate) trait Backend: Blobs {
    /// A word for `--verbose`.
    fn name(&self) -> &'static str;

    /// Where HEAD points now.
    fn head(&self) -> Result<Head, GitError>;

    /// The tree of a commit.
    fn tree_of(&self, commit: ObjectId) -> Result<ObjectId, GitError>;

    /// The tree of the index file, compared with a base tree; unmerged entries are an error that names them.
    fn index_tree(&self, index: &Path, base: Option<ObjectId>) -> Result<IndexTree, GitError>;

    /// What an index file holds; a missing file is an empty index.
    fn index_entries(&self, index: &Path) -> Result<IndexEntries, GitError>;

    /// The id that means "no object", as long as ids are here.
    fn null_id(&self) -> ObjectId;

    /// The tree that edits make of a base tree, and its objects that are still to be written.
    fn edit_tree(&self, base: Option<ObjectId>, edits: &[TreeEdit]) -> Result<(ObjectId, Vec<PendingTree>), GitError>;

    /// Writes a blob.
    fn write_blob(&self, content: &[u8]) -> Result<ObjectId, GitError>;

    /// Writes what [`Self::index_tree`] and [`Self::edit_tree`] left pending.
    fn write_trees(&self, trees: &[PendingTree]) -> Result<(), GitError>;

    /// Writes a commit object whose content is complete.
    fn write_commit(&self, content: &[u8]) -> Result<ObjectId, GitError>;

    /// Moves what `frozen` says HEAD points to from there to `new`, with HEAD unchanged under lock, or changes nothing.
    fn move_head(&self, frozen: &Head, new: ObjectId, reflog: &Reflog) -> Result<(), GitError>;

    /// Every path that differs between two trees (`None`: the empty one), no renames.
    fn tree_changes(&self, old: Option<ObjectId>, new: Option<ObjectId>) -> Result<Vec<ChangedPath>, GitError>;

    /// Merges two trees that come from a third (`None`: the empty one).
    fn merge_trees(&self, base: Option<ObjectId>, ours: ObjectId, theirs: ObjectId) -> Result<MergedTrees, GitError>;

    /// Writes a tree whose folders are the given trees.
    fn bundle_trees(&self, trees: &[ObjectId]) -> Result<ObjectId, GitError>;

    /// Points a ref that is ours at an object.
    fn keep(&self, name: &str, object: ObjectId) -> Result<(), GitError>;

    /// Removes a ref that is ours, if it is there.
    fn release(&self, name: &str) -> Result<(), GitError>;

    /// The full names of all refs that begin with `prefix`.
    fn refs_below(&self, prefix: &str) -> Result<Vec<String>, GitError>;

    /// First-parent history from a commit, newest first, at most `limit` commits. `None` where only git itself can tell what
    /// the messages say.
    fn log(&self, from: ObjectId, limit: usize) -> Result<Option<Vec<LogEntry>>, GitError>;

    /// Whether a commit changed, against its first parent, what lies at one of the paths (files or folders).
    fn touches(&self, commit: ObjectId, paths: &[&bstr::BStr]) -> Result<bool, GitError>;

    /// git's configuration as this way of access reads it.
    fn config(&self) -> Result<Config, GitError>;

    /// What `.gitattributes` say of each path, in the same order.
    fn attributes(&self, paths: &[&bstr::BStr]) -> Result<Vec<super::Attributes>, GitError>;
}
