//! Taking back the commits of the last run, when nothing was built on them.

use crate::git::{GitError, Head, HeadMoved, Identities, ObjectId, Operation, Reflog, Repository};

use super::{Record, Source, Store};

/// The commits that can be taken back.
#[derive(Debug)]
pub struct Undo {
    record: Record,
    /// HEAD as it is: the run's last commit.
    pub head: Head,
    /// The commits with their subjects, the newest first.
    pub commits: Vec<(ObjectId, String)>,
}

/// Nothing was taken back.
#[derive(Debug, thiserror::Error)]
pub enum UndoError {
    /// No run is recorded in this worktree.
    #[error("there is no run to take back")]
    Nothing,
    /// HEAD is not the last commit of the last run.
    #[error("the last run ended at {}, and HEAD is {}", .0.frozen, .0.found)]
    Moved(Box<HeadMoved>),
    /// A remote-tracking ref has some of the commits.
    #[error("{0} has commits of the last run")]
    Published(String),
    /// The commit concluded a merge.
    #[error("{0} is a merge")]
    Merge(ObjectId),
    /// A merge waits for its commit, which would lose the side of it that is taken back.
    #[error("a merge is in progress")]
    Merging,
    /// The repository cannot be read or written.
    #[error(transparent)]
    Git(#[from] GitError),
}

impl Undo {
    /// Finds out what the last run made and whether it can be taken back. Nothing is changed.
    ///
    /// # Errors
    /// It cannot; see [`UndoError`].
    pub fn of_last_run(repository: &Repository) -> Result<Self, UndoError> {
        if let Operation::Merge(_) = repository.operation()? {
            return Err(UndoError::Merging);
        }
        let record = Store::new(repository).last()?.ok_or(UndoError::Nothing)?;
        let head = repository.head()?;
        let ended = Head { commit: record.parent_of(record.steps.len()), ..record.head() };
        let Some(tip) = head.commit.filter(|_| head == ended) else {
            return Err(UndoError::Moved(Box::new(HeadMoved { frozen: ended, found: head })));
        };
        if let [step, ..] = record.steps.as_slice()
            && !record.merged.is_empty()
        {
            return Err(UndoError::Merge(step.commit.unwrap_or(tip)));
        }
        if record.source == Source::Index {
            // As `git reset --soft`, which leaves the index alone and so refuses to with conflicts in it.
            repository.freeze(&repository.paths().index, repository.tree_at(Some(tip))?)?;
        }
        // Whoever has any of them has the first.
        let first = record.steps.iter().find_map(|step| step.commit).unwrap_or(tip);
        if let Some(remote) = repository.remote_with(first)? {
            return Err(UndoError::Published(remote));
        }
        let made = record.steps.iter().rev();
        let commits = made.filter_map(|step| Some((step.commit?, step.subject().unwrap_or_default().to_owned())));
        let mut commits: Vec<_> = commits.collect();
        // A step whose change a hook had put into the one before stands for the same commit; that one's words are last.
        commits.reverse();
        commits.dedup_by_key(|(id, _)| *id);
        commits.reverse();
        Ok(Self { record, head, commits })
    }

    /// HEAD as it will be.
    #[must_use]
    pub fn start(&self) -> Head {
        self.record.head()
    }

    /// Whether the content will be staged again, as it was before the run.
    #[must_use]
    pub fn stays_staged(&self) -> bool {
        self.record.source == Source::Index
    }

    /// Takes the commits back: index lock, branch, index. After a run on the index the index is left alone; after one on
    /// the working tree, entries that are still the last commit's return to the start. The working tree is not touched.
    /// Returns what went wrong after the branch had moved.
    ///
    /// # Errors
    /// Nothing was changed.
    pub fn carry_out(&self, repository: &Repository, identities: &Identities) -> Result<Vec<GitError>, UndoError> {
        let start = self.start();
        let update = match self.record.source {
            Source::Index => None,
            Source::WorkingTree => {
                let change =
                    repository.compare(repository.tree_at(self.head.commit)?, repository.tree_at(start.commit)?)?;
                repository.prepare_index_along(&[&change], None)?
            }
        };
        let (_, committer) = identities.now();
        let to = start.commit.map_or_else(|| "the unborn branch".to_owned(), |commit| commit.short(10));
        let reflog = Reflog { committer, message: format!("undo: moving to {to}").into() };
        let moved = match start.commit {
            Some(commit) => repository.move_head(&self.head, commit, &reflog),
            None => repository.delete_branch(&self.head, &reflog),
        };
        moved.map_err(explain)?;
        let mut afterwards = Vec::new();
        afterwards.extend(update.and_then(|update| update.publish().err()));
        afterwards.extend(Store::new(repository).forget_last().err());
        Ok(afterwards)
    }
}

fn explain(error: GitError) -> UndoError {
    match error {
        GitError::HeadMoved(moved) => UndoError::Moved(moved),
        error => UndoError::Git(error),
    }
}
