//! What a run commits, frozen before any agent starts.

use crate::git::{Change, Frozen, GitError, Head, LeftOut, ObjectId, Operation, Repository, WorkingTree};

use super::Staged;

/// Which content the user wants committed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Staging {
    /// What is staged; the whole working tree when nothing is.
    Auto,
    /// What is staged and nothing else.
    StagedOnly,
    /// Everything that `git add -A` would stage.
    Everything,
}

/// Where the frozen content came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// The index.
    Index,
    /// The working tree.
    WorkingTree,
}

/// A frozen tree with all that is needed to commit it: taken once, kept for the whole run, never refreshed.
#[derive(Debug)]
pub struct Snapshot {
    head: Head,
    parents: Vec<ObjectId>,
    frozen: Frozen,
    operation: Operation,
    working_tree: Option<WorkingTree>,
    /// What `pre-commit` changed since the freeze.
    by_hook: Option<Change>,
}

impl Snapshot {
    /// HEAD at the freeze.
    #[must_use]
    pub const fn head(&self) -> &Head {
        &self.head
    }

    /// The parents of the commit to be, HEAD's own first.
    #[must_use]
    pub fn parents(&self) -> &[ObjectId] {
        &self.parents
    }

    /// The tree to be committed.
    #[must_use]
    pub const fn tree(&self) -> ObjectId {
        self.frozen.tree
    }

    /// What it changes against HEAD.
    #[must_use]
    pub const fn change(&self) -> &Change {
        &self.frozen.change
    }

    /// The tree with its objects that are still to be [stored](Repository::store).
    #[must_use]
    pub const fn frozen(&self) -> &Frozen {
        &self.frozen
    }

    /// The merge or squash that the commit concludes.
    #[must_use]
    pub const fn operation(&self) -> &Operation {
        &self.operation
    }

    /// The temporary index, when the working tree was frozen.
    #[must_use]
    pub const fn working_tree(&self) -> Option<&WorkingTree> {
        self.working_tree.as_ref()
    }

    /// What `pre-commit` changed since the freeze.
    #[must_use]
    pub const fn by_hook(&self) -> Option<&Change> {
        self.by_hook.as_ref()
    }

    /// Takes in what `pre-commit` staged.
    pub fn restage(&mut self, staged: Staged) {
        self.frozen = staged.frozen;
        self.by_hook = Some(staged.by_hook);
    }

    /// Where the content came from.
    #[must_use]
    pub const fn source(&self) -> Source {
        if self.working_tree.is_some() { Source::WorkingTree } else { Source::Index }
    }

    /// Untracked files that stayed out.
    #[must_use]
    pub fn left_out(&self) -> &[LeftOut] {
        self.working_tree.as_ref().map_or(&[], |tree| &tree.left_out)
    }
}

/// Why there is no snapshot.
#[derive(Debug, thiserror::Error)]
pub enum FreezeError {
    /// The working tree and the index are HEAD's, but for untracked files that were left out.
    #[error("Nothing to commit.")]
    NothingToCommit {
        /// Those that stagecoach itself left out.
        left_out: Vec<LeftOut>,
        /// Whether git left some out, which lie outside the sparse checkout.
        outside_sparse_checkout: bool,
    },
    /// The working tree has changes, but none is staged and staging is not wanted.
    #[error("Nothing staged.")]
    NothingStaged,
    /// The repository cannot be read or must not be committed to.
    #[error(transparent)]
    Git(#[from] GitError),
}

/// Freezes what is staged, and nothing else; `None` where nothing is. The repository is not changed.
///
/// # Errors
/// The repository's state forbids a commit.
pub fn freeze_staged(repository: &Repository) -> Result<Option<Snapshot>, GitError> {
    let operation = repository.operation()?;
    let head = repository.head()?;
    let base = repository.tree_at(head.commit)?;
    let frozen = repository.freeze(&repository.paths().index, base)?;
    let parents = head.commit.into_iter().collect();
    let staged = !frozen.change.is_empty();
    Ok(staged.then_some(Snapshot { head, parents, frozen, operation, working_tree: None, by_hook: None }))
}

/// Freezes what is to be committed. The repository is not changed; a frozen working tree leaves new objects behind.
///
/// # Errors
/// Nothing to commit, or the repository's state forbids a commit.
pub fn freeze(repository: &Repository, staging: Staging) -> Result<Snapshot, FreezeError> {
    let operation = repository.operation()?;
    let head = repository.head()?;
    let base = repository.tree_at(head.commit)?;
    let index = &repository.paths().index;
    let with = |frozen, working_tree, operation: Operation| {
        let mut parents: Vec<ObjectId> = head.commit.into_iter().collect();
        if let Operation::Merge(merge) = &operation {
            parents.extend(&merge.heads);
        }
        Snapshot { head: head.clone(), parents, frozen, operation, working_tree, by_hook: None }
    };

    let staged = repository.freeze(index, base)?;
    let concludes_merge = matches!(operation, Operation::Merge(_));
    if concludes_merge || (staging != Staging::Everything && !staged.change.is_empty()) {
        return Ok(with(staged, None, operation));
    }
    if staging == Staging::StagedOnly {
        return Err(if repository.has_changes()? {
            FreezeError::NothingStaged
        } else {
            FreezeError::NothingToCommit { left_out: Vec::new(), outside_sparse_checkout: false }
        });
    }
    let working_tree = repository.freeze_working_tree(staging == Staging::Everything)?;
    let frozen = repository.freeze(&working_tree.index(), base)?;
    if frozen.change.is_empty() {
        let WorkingTree { left_out, outside_sparse_checkout, .. } = working_tree;
        return Err(FreezeError::NothingToCommit { left_out, outside_sparse_checkout });
    }
    Ok(with(frozen, Some(working_tree), operation))
}
