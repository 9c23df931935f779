//! From a message to a commit on the branch: object, index lock, ref, index – in git's own order.

use crate::fault;
use crate::git::{
    Change, CommitObject, Frozen, GitError, Head, HeadMoved, Hook, Ident, Identities, IndexUpdate, ObjectId, Operation,
    Reflog, Repository, StagedTree,
};
use crate::run::{Cancel, Cause};

use super::{HookError, Hooks, Journal, Snapshot, object};

/// How the commits of a run are made.
#[derive(Clone, Copy)]
pub struct Making<'a> {
    /// Who commits.
    pub identities: &'a Identities,
    /// The value of `GIT_REFLOG_ACTION`.
    pub reflog_action: Option<&'a str>,
    /// The hooks of the repository.
    pub hooks: &'a Hooks<'a>,
    /// Whether an editor is part of it.
    pub edits: bool,
    /// Ends hooks early.
    pub cancel: &'a Cancel,
}

/// A commit that HEAD now names.
#[derive(Debug)]
pub struct Published {
    /// The new commit.
    pub id: ObjectId,
    /// What went wrong after the commit was made; it stands all the same.
    pub afterwards: Vec<Aftermath>,
}

/// Something that went wrong after a commit was made.
#[derive(Debug, thiserror::Error)]
pub enum Aftermath {
    /// The index, the state of a merge or the like.
    #[error(transparent)]
    Git(#[from] GitError),
    /// The message has letters that the encoding of commits lacks, and is UTF-8.
    #[error("its message cannot be written in {0}, so it is UTF-8")]
    Encoding(String),
    /// `post-commit`.
    #[error("{0}")]
    Hook(#[from] HookError),
}

/// The commit was not made, and neither HEAD nor the index changed.
#[derive(Debug, thiserror::Error)]
pub enum PublishError {
    /// HEAD is not where it was; `same_tree` when it already records exactly the frozen tree.
    #[error(
        "{} from {} to {}",
        if *by_hook { "the hook post-commit of the commit before moved HEAD" } else { "HEAD moved" },
        moved.frozen,
        moved.found
    )]
    HeadMoved {
        /// Before and after.
        moved: Box<HeadMoved>,
        /// Whether somebody committed the very same tree meanwhile.
        same_tree: bool,
        /// Whether `post-commit` of the commit before moved it.
        by_hook: bool,
    },
    /// The merge that was to be concluded is not the one that was frozen.
    #[error("the merge in progress changed")]
    MergeChanged {
        /// HEAD as it is.
        head: Head,
    },
    /// The commit could not be signed; why, and the last lines of the program that signs.
    #[error("the commit could not be signed: {0}")]
    Unsigned(String),
    /// The run was told to stop while the commit was signed.
    #[error("interrupted")]
    Interrupted(Cause),
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
    author: &Ident,
    message: &str,
    making: &Making<'_>,
) -> Result<Published, PublishError> {
    let landing = Landing {
        head: snapshot.head(),
        parents: snapshot.parents().to_vec(),
        tree: snapshot.tree(),
        operation: snapshot.operation(),
        author,
        message,
    };
    let prepare = || match (snapshot.working_tree(), snapshot.by_hook()) {
        (Some(tree), _) => repository.prepare_index(tree, snapshot.change()).map(Some),
        (None, Some(by_hook)) => repository.prepare_index_along(&[by_hook], None),
        (None, None) => Ok(None),
    };
    landing.land(journal, 0, prepare, making)
}

/// One commit of several, with its message complete.
#[derive(Clone, Copy)]
pub(super) struct Part<'a> {
    /// Its place in the journal.
    pub(super) number: usize,
    /// Where the commit before it has left HEAD.
    pub(super) head: &'a Head,
    /// Its tree and change.
    pub(super) frozen: &'a Frozen,
    /// The frozen working tree that it comes from.
    pub(super) staged: Option<StagedTree<'a>>,
    /// What `pre-commit` changed of it.
    pub(super) by_hook: Option<&'a Change>,
    /// What it concludes.
    pub(super) operation: &'a Operation,
    /// Who writes it, with the moment.
    pub(super) author: &'a Ident,
    /// Ends in a newline.
    pub(super) message: &'a str,
}

/// Commits one of several. The index follows where it still has what the commit, or a hook, changes.
///
/// # Errors
/// Nothing was published; see [`PublishError`].
pub(super) fn publish_step(
    journal: &mut Journal<'_>,
    part: &Part<'_>,
    making: &Making<'_>,
) -> Result<Published, PublishError> {
    let Part { number, head, frozen, staged, by_hook, operation, author, message } = *part;
    let mut parents: Vec<ObjectId> = head.commit.into_iter().collect();
    parents.extend(merge_heads(operation));
    let landing = Landing { head, parents, tree: frozen.tree, operation, author, message };
    let repository = journal.repository();
    let changes: Vec<&Change> = std::iter::once(&frozen.change).chain(by_hook).collect();
    landing.land(journal, number, || repository.prepare_index_along(&changes, staged), making)
}

/// One commit about to be made.
struct Landing<'a> {
    /// Where HEAD must be.
    head: &'a Head,
    parents: Vec<ObjectId>,
    tree: ObjectId,
    /// What the commit concludes.
    operation: &'a Operation,
    author: &'a Ident,
    message: &'a str,
}

impl Landing<'_> {
    /// Makes the commit as a step of a journal. `prepare` takes the lock of the index, where the index must change.
    fn land(
        &self,
        journal: &mut Journal<'_>,
        step: usize,
        prepare: impl FnOnce() -> Result<Option<IndexUpdate>, GitError>,
        making: &Making<'_>,
    ) -> Result<Published, PublishError> {
        let repository = journal.repository();
        let commit = repository.encode(CommitObject {
            tree: self.tree,
            parents: self.parents.clone(),
            author: self.author.clone(),
            committer: making.identities.now().1,
            encoding: None,
            message: self.message.into(),
        })?;
        let id = object::write(repository, &commit, making)?;
        journal.set_commit(step, self.message, id);
        let reflog = Reflog::of_commit(&commit, making.reflog_action);

        let update = prepare()?;
        refuse_changed_merge(repository, self.operation)?;
        let mut afterwards: Vec<Aftermath> = Vec::new();
        if commit.encoding.is_none() {
            afterwards.extend(repository.commit_encoding().map(Aftermath::Encoding));
        }
        let limit = making.hooks.options().timeout;
        let moved = repository.move_head_within(self.head, id, &reflog, limit);
        moved.map_err(|error| self.explain_moved(journal, error))?;
        fault::crossing("head: moved");
        let published = update.map(IndexUpdate::publish);
        let index_changed = matches!(published, Some(Ok(())));
        afterwards.extend(published.and_then(Result::err).map(Aftermath::from));
        afterwards.extend(repository.conclude().into_iter().map(Aftermath::from));
        afterwards.extend(repository.maintain().err().map(Aftermath::from));
        // Only now may something take its time.
        if index_changed {
            afterwards.extend(making.hooks.post_index_change(making.cancel).err().map(Aftermath::from));
        }
        let after = making.hooks.post_commit(self.author, making.edits, making.cancel);
        afterwards.extend(after.err().map(Aftermath::from));
        if making.hooks.runs(Hook::PostCommit) {
            match repository.head() {
                Ok(head) if head.commit != Some(id) => journal.set_left_by_hook(head),
                Ok(_) => {}
                Err(error) => afterwards.push(error.into()),
            }
        }
        Ok(Published { id, afterwards })
    }

    fn explain_moved(&self, journal: &Journal<'_>, error: GitError) -> PublishError {
        let GitError::HeadMoved(moved) = error else { return error.into() };
        let repository = journal.repository();
        let same_branch = moved.found.target == moved.frozen.target;
        let tree = moved.found.commit.and_then(|commit| repository.tree_of(commit).ok());
        let by_hook = journal.is_left_by_hook(&moved.found);
        PublishError::HeadMoved { same_tree: same_branch && tree == Some(self.tree), by_hook, moved }
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
