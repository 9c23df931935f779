//! What `pre-commit` is shown, and what it made of it.

use std::collections::HashSet;
use std::path::PathBuf;

use bstr::BStr;

use crate::git::{Change, Frozen, IndexView, ObjectId};

use super::{HookError, Hooks};

/// The index that hooks see: one of their own, or one that is there already.
#[derive(Debug)]
pub enum View {
    /// Made for them.
    Private(IndexView),
    /// The temporary index of a frozen working tree, or the live one where no hook looks at it before the commit.
    Given(PathBuf),
}

impl View {
    /// The index file.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        match self {
            View::Private(view) => view.path(),
            View::Given(path) => path.clone(),
        }
    }
}

/// A tree as `pre-commit` left it.
#[derive(Debug)]
pub struct Staged {
    /// The tree, with its whole change against the same base. Its objects are stored.
    pub frozen: Frozen,
    /// What the hook changed.
    pub by_hook: Change,
}

impl Hooks<'_> {
    /// The index that the hooks of a commit of `frozen` see; its objects are stored. A frozen working tree has one.
    ///
    /// # Errors
    /// The live index cannot be copied.
    pub fn view(&self, frozen: &Frozen, given: Option<PathBuf>) -> Result<View, HookError> {
        match given {
            Some(path) => Ok(View::Given(path)),
            None if self.look_at_index() => Ok(View::Private(self.repository.index_view(frozen.tree)?)),
            None => Ok(View::Given(self.repository.paths().index.clone())),
        }
    }

    /// What `pre-commit` staged in a view of `frozen`, which stands on the tree `base`; `None`: nothing.
    ///
    /// # Errors
    /// It staged a path that the commit does not change, or left nothing of the commit.
    pub fn staged(
        &self,
        view: &View,
        base: Option<ObjectId>,
        frozen: &Frozen,
        concludes_merge: bool,
    ) -> Result<Option<Staged>, HookError> {
        let now = self.repository.freeze(&view.path(), base)?;
        if now.tree == frozen.tree {
            return Ok(None);
        }
        self.repository.store(&now)?;
        let by_hook = self.repository.compare(Some(frozen.tree), Some(now.tree))?;
        let own: HashSet<&BStr> = paths(&frozen.change).collect();
        let foreign: Vec<_> = paths(&by_hook).filter(|path| !own.contains(path)).map(ToOwned::to_owned).collect();
        if !foreign.is_empty() {
            return Err(HookError::Foreign(foreign));
        }
        if now.change.is_empty() && !concludes_merge {
            return Err(HookError::TookBack);
        }
        Ok(Some(Staged { frozen: now, by_hook }))
    }
}

/// Every path that a change touches.
fn paths(change: &Change) -> impl Iterator<Item = &BStr> {
    let sides = change.files().iter().flat_map(|file| [file.old_side(), file.new_side()]);
    let mut paths: Vec<&BStr> = sides.flatten().map(|side| side.path.as_ref()).collect();
    paths.dedup();
    paths.into_iter()
}
