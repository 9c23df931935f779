//! An index that stands for a frozen tree, for hooks to look at and to change.
//!
//! It begins as a copy of the live one, so that its stat data, the assume-unchanged and skip-worktree bits hold.

use std::path::PathBuf;

use bstr::ByteSlice;
use tempfile::TempDir;

use super::index_update::{Fingerprint, Wanted};
use super::leftover::private_folder;
use super::{ChangedPath, GitError, ObjectId, Repository};

/// A private index, removed when dropped.
#[derive(Debug)]
pub struct IndexView {
    folder: TempDir,
}

impl IndexView {
    /// The index file.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        self.folder.path().join("index")
    }
}

impl Repository {
    /// A private index whose tree is `tree`, with everything besides as the live index has it, and with fresh stat data.
    ///
    /// # Errors
    /// The live index has conflicts or cannot be read, or git fails.
    pub fn index_view(&self, tree: ObjectId) -> Result<IndexView, GitError> {
        let view = IndexView { folder: private_folder(&self.paths().git_dir)? };
        let copy = view.path();
        let (live, content) = Fingerprint::read(&self.paths().index)?;
        self.copy_live(&copy, &live, content)?;
        let differing = self.index_changes(&copy, Some(tree))?;
        let mut wanted: Vec<Wanted<'_>> = Vec::with_capacity(differing.len());
        for ChangedPath { old, new } in &differing {
            match (old, new) {
                (Some(old), _) => wanted.push((old.path.as_bstr(), Some(old))),
                (None, Some(new)) => wanted.push((new.path.as_bstr(), None)),
                (None, None) => {}
            }
        }
        // Removals first: a folder can only take a file's place when the file is gone.
        wanted.sort_by_key(|(_, side)| side.is_some());
        self.give(&copy, &wanted, None)?;
        Ok(view)
    }
}
