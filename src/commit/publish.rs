//! From a message to a commit on the branch: object, index lock, ref, index – in git's own order.

use crate::fault;
use crate::git::{
    CommitObject, Frozen, GitError, Head, HeadMoved, Identities, IndexUpdate, ObjectId, Operation, Reflog, Repository,
};

use super::{Journal, Snapshot};

/// A commit that HEAD now names.
#[derive(Debug)]
pub struct Published {
    /// The new commit.
    pub id: ObjectId,
    /// What went wrong after the commit was made; it stands all the same.
    pub afterwards: Vec<GitError>,
}

/// The commit was not made, and neither HEAD nor the index changed.
#[derive(Debug, thiserror::Error)]
pub enum PublishError {
    /// HEAD is not where it was; `same_tree` when it already records exactly the frozen tree.
    #[error("HEAD moved from {} to {}", moved.frozen, moved.found)]
    HeadMoved {
        /// Before and after.
        moved: Box<HeadMoved>,
        /// Whether somebody committed the very same tree meanwhile.
        same_tree: bool,
    },
    /// The merge that was to be concluded is not the one that was frozen.
    #[error("the merge in progress changed")]
    MergeChanged {
        /// HEAD as it is.
        head: Head,
    },
    /// Anything else; the snapshot can be committed later.
    #[error(transparent)]
    Git(#[from] GitError),
}

/// Commits a snapshot whose trees are stored, as the first step of its journal. `message` is complete and ends in a
/// newline. Once the ref has moved nothing stops before the index is in place: signals are only remembered.
///
/// # Errors
/// Nothing was published; see [`PublishError`].
pub fn publish(
    repository: &Repository,
    snapshot: &Snapshot,
    journal: &mut Journal<'_>,
    message: &str,
    identities: &Identities,
    reflog_action: Option<&str>,
) -> Result<Published, PublishError> {
    let landing = Landing {
        head: snapshot.head(),
        parents: snapshot.parents().to_vec(),
        tree: snapshot.tree(),
        operation: snapshot.operation(),
        message,
    };
    let prepare = || match snapshot.working_tree() {
        Some(tree) => repository.prepare_index(tree, snapshot.change()).map(Some),
        None => Ok(None),
    };
    landing.land(journal, 0, prepare, identities, reflog_action)
}

/// Commits one step of a decomposition on top of `head`, which is where the step before has left it. The index follows
/// where it still has what the commit changes.
///
/// # Errors
/// Nothing was published; see [`PublishError`].
pub fn publish_step(
    journal: &mut Journal<'_>,
    step: usize,
    head: &Head,
    frozen: &Frozen,
    message: &str,
    identities: &Identities,
    reflog_action: Option<&str>,
) -> Result<Published, PublishError> {
    let landing = Landing {
        head,
        parents: head.commit.into_iter().collect(),
        tree: frozen.tree,
        operation: &Operation::None,
        message,
    };
    let repository = journal.repository();
    landing.land(journal, step, || repository.prepare_index_along(&frozen.change), identities, reflog_action)
}

/// One commit about to be made.
pub(super) struct Landing<'a> {
    /// Where HEAD must be.
    pub(super) head: &'a Head,
    pub(super) parents: Vec<ObjectId>,
    pub(super) tree: ObjectId,
    /// What the commit concludes.
    pub(super) operation: &'a Operation,
    pub(super) message: &'a str,
}

impl Landing<'_> {
    /// Makes the commit as a step of a journal. `prepare` takes the lock of the index, where the index must change.
    pub(super) fn land(
        &self,
        journal: &mut Journal<'_>,
        step: usize,
        prepare: impl FnOnce() -> Result<Option<IndexUpdate>, GitError>,
        identities: &Identities,
        reflog_action: Option<&str>,
    ) -> Result<Published, PublishError> {
        let repository = journal.repository();
        let (author, committer) = identities.now();
        let commit = CommitObject {
            tree: self.tree,
            parents: self.parents.clone(),
            author,
            committer,
            message: self.message.to_owned(),
        };
        let id = repository.write_commit(&commit.content())?;
        journal.set_commit(step, self.message, id);
        let reflog = Reflog::of_commit(&commit, reflog_action);

        let update = prepare()?;
        refuse_changed_merge(repository, self.operation)?;
        let mut afterwards = Vec::new();
        repository.move_head(self.head, id, &reflog).map_err(|error| self.explain_moved(repository, error))?;
        fault::crossing("head: moved");
        if let Some(update) = update {
            afterwards.extend(update.publish().err());
        }
        afterwards.extend(repository.conclude(self.operation));
        afterwards.extend(repository.maintain().err());
        Ok(Published { id, afterwards })
    }

    fn explain_moved(&self, repository: &Repository, error: GitError) -> PublishError {
        let GitError::HeadMoved(moved) = error else { return error.into() };
        let same_branch = moved.found.target == moved.frozen.target;
        let tree = moved.found.commit.and_then(|commit| repository.tree_of(commit).ok());
        PublishError::HeadMoved { same_tree: same_branch && tree == Some(self.tree), moved }
    }
}

/// The other parents of a commit that concludes a merge.
pub(super) fn merge_heads(operation: &Operation) -> &[ObjectId] {
    match operation {
        Operation::Merge(merge) => &merge.heads,
        Operation::None | Operation::Squash(_) => &[],
    }
}

/// A merge may have been aborted, or another one started, while the message was written.
fn refuse_changed_merge(repository: &Repository, frozen: &Operation) -> Result<(), PublishError> {
    if merge_heads(&repository.operation()?) == merge_heads(frozen) {
        return Ok(());
    }
    Err(PublishError::MergeChanged { head: repository.head()? })
}
