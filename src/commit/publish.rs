//! From a message to a commit on the branch: object, index lock, ref, index – in git's own order.

use crate::git::{CommitObject, GitError, Head, HeadMoved, Identities, ObjectId, Operation, Reflog, Repository};

use super::Snapshot;

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

/// Commits a snapshot whose trees are stored. `message` is complete and ends in a newline. Once the ref has moved
/// nothing stops before the index is in place: signals are only remembered.
///
/// # Errors
/// Nothing was published; see [`PublishError`].
pub fn publish(
    repository: &Repository,
    snapshot: &Snapshot,
    message: &str,
    identities: &Identities,
    reflog_action: Option<&str>,
) -> Result<Published, PublishError> {
    let (author, committer) = identities.now();
    let commit = CommitObject {
        tree: snapshot.tree(),
        parents: snapshot.parents().to_vec(),
        author,
        committer,
        message: message.to_owned(),
    };
    let id = repository.write_commit(&commit.content())?;
    let reflog = Reflog::of_commit(&commit, reflog_action);

    let update = match snapshot.working_tree() {
        Some(tree) => Some(repository.prepare_index(tree, snapshot.change())?),
        None => None,
    };
    refuse_changed_merge(repository, snapshot)?;
    let mut afterwards = Vec::new();
    repository.move_head(snapshot.head(), id, &reflog).map_err(|error| explain_moved(repository, snapshot, error))?;
    if let Some(update) = update {
        afterwards.extend(update.publish().err());
    }
    afterwards.extend(repository.conclude(snapshot.operation()));
    afterwards.extend(repository.maintain().err());
    Ok(Published { id, afterwards })
}

/// A merge may have been aborted, or another one started, while the message was written.
fn refuse_changed_merge(repository: &Repository, snapshot: &Snapshot) -> Result<(), PublishError> {
    let heads = |operation: &Operation| match operation {
        Operation::Merge(merge) => merge.heads.clone(),
        Operation::None | Operation::Squash(_) => Vec::new(),
    };
    if heads(&repository.operation()?) == heads(snapshot.operation()) {
        return Ok(());
    }
    Err(PublishError::MergeChanged { head: repository.head()? })
}

fn explain_moved(repository: &Repository, snapshot: &Snapshot, error: GitError) -> PublishError {
    let GitError::HeadMoved(moved) = error else { return error.into() };
    let same_branch = moved.found.target == moved.frozen.target;
    let tree = moved.found.commit.and_then(|commit| repository.tree_of(commit).ok());
    PublishError::HeadMoved { same_tree: same_branch && tree == Some(snapshot.tree()), moved }
}
