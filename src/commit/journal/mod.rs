//! What a run writes down before it publishes anything, so that nothing is lost however it ends.
//!
//! The record exists from the freeze on, next to a ref that keeps the frozen trees. Every message and every commit is
//! noted before the ref moves; whether a noted commit has landed is read from the branch. At the end of a good run the
//! record becomes that of the last run, which `stagecoach undo` reads; everything else is a rescue.

mod record;
mod store;

use crate::git::{GitError, Head, ObjectId, Repository};

pub use record::{Record, Step};
pub use store::{Listing, Store};

use super::rescue::Manner;
use super::{Rescue, Snapshot, Source};

/// The record of this run. Writing it never stops the run: what a run can still commit is worth more than a note about
/// it. What went wrong is kept for the user.
pub struct Journal<'a> {
    repository: &'a Repository,
    store: Store<'a>,
    record: Record,
    /// Whether hooks changed trees that were planned.
    restaged: bool,
    /// Where `post-commit` of the last commit left HEAD, if elsewhere.
    left_by_hook: Option<Head>,
    problem: Option<GitError>,
}

impl<'a> Journal<'a> {
    /// Notes a snapshot whose trees are stored. It is to become one commit, as far as is known.
    #[must_use]
    pub fn begin(repository: &'a Repository, snapshot: &Snapshot) -> Self {
        Self::with(repository, Record::new(snapshot, vec![Step::new(snapshot.tree())]))
    }

    /// Notes the commits of a plan, which go onto `head`; their trees are stored.
    #[must_use]
    pub fn begin_plan(repository: &'a Repository, head: &Head, steps: Vec<Step>) -> Self {
        Self::with(repository, Record::on(head, Source::WorkingTree, steps))
    }

    /// Goes on with a record of an earlier run.
    #[must_use]
    pub(super) fn resume(repository: &'a Repository, mut record: Record) -> Self {
        record.take_over();
        Self::with(repository, record)
    }

    fn with(repository: &'a Repository, record: Record) -> Self {
        let store = Store::new(repository);
        let mut journal = Self { repository, store, record, restaged: false, left_by_hook: None, problem: None };
        journal.note(|journal| {
            journal.store.keep(&journal.record)?;
            journal.store.write(&journal.record)
        });
        journal
    }

    /// Replaces the commits to be made, as when a plan is known or reconciled. Their trees are stored.
    pub fn set_steps(&mut self, steps: Vec<Step>) {
        self.record.steps = steps;
        self.note(|journal| {
            journal.store.keep(&journal.record)?;
            journal.store.write(&journal.record)
        });
    }

    /// Notes other trees for the commits from `first` on, which hooks have changed. They are stored.
    pub fn set_trees(&mut self, first: usize, trees: &[ObjectId]) {
        for (step, tree) in self.record.steps.iter_mut().skip(first).zip(trees) {
            step.tree = *tree;
        }
        self.restaged = true;
        self.note(|journal| {
            journal.store.keep(&journal.record)?;
            journal.store.write(&journal.record)
        });
    }

    /// Notes that a commit is not made, because the one before it has the same tree.
    pub fn skip(&mut self, step: usize) {
        let parent = self.record.parent_of(step);
        if let Some(step) = self.record.steps.get_mut(step) {
            step.commit = parent;
            self.note(|journal| journal.store.write(&journal.record));
        }
    }

    /// Whether hooks changed trees that were planned.
    #[must_use]
    pub const fn is_restaged(&self) -> bool {
        self.restaged
    }

    /// Remembers, for the next commit of this run, that HEAD is not at the commit that was just made, because
    /// `post-commit` moved it.
    pub(super) fn set_left_by_hook(&mut self, head: Head) {
        self.left_by_hook = Some(head);
    }

    /// Whether it was `post-commit` of the commit before that left HEAD there.
    pub(super) fn is_left_by_hook(&self, head: &Head) -> bool {
        self.left_by_hook.as_ref() == Some(head)
    }

    /// Notes the message of a commit to be made.
    pub fn set_message(&mut self, step: usize, message: &str) {
        if let Some(step) = self.record.steps.get_mut(step) {
            step.message = Some(message.to_owned());
            self.note(|journal| journal.store.write(&journal.record));
        }
    }

    /// Notes message and id of a commit whose object is written, just before the branch moves to it.
    pub fn set_commit(&mut self, step: usize, message: &str, commit: ObjectId) {
        if let Some(step) = self.record.steps.get_mut(step) {
            step.message = Some(message.to_owned());
            step.commit = Some(commit);
            self.note(|journal| journal.store.write(&journal.record));
        }
    }

    /// Everything is published: the record becomes that of the last run. Returns what could not be noted.
    #[must_use]
    pub fn finish(mut self) -> Option<GitError> {
        self.note(|journal| journal.store.finish(&journal.record));
        self.forget_when_incomplete();
        self.problem
    }

    /// There is nothing to rescue. Returns what could not be noted.
    #[must_use]
    pub fn discard(mut self) -> Option<GitError> {
        self.note(|journal| journal.store.remove(&journal.record));
        self.forget_when_incomplete();
        self.problem
    }

    /// The run ends here; the record stays and is a rescue. `landed` commits of it are published.
    #[must_use]
    pub fn leave(mut self, landed: usize) -> Rescue {
        self.record.release();
        self.note(|journal| journal.store.write(&journal.record));
        let written = self.store.write_messages(&self.record);
        let written = written.and_then(|files| Ok((files, self.store.write_entries(&self.record, landed)?)));
        let (files, entries) = match written {
            Ok(written) if self.problem.is_none() => written,
            Ok(_) => (Vec::new(), None),
            Err(error) => {
                self.problem.get_or_insert(error);
                (Vec::new(), None)
            }
        };
        Rescue {
            is_kept: self.problem.is_none(),
            problem: self.problem.map(|error| error.to_string()),
            record: self.record,
            landed,
            files,
            entries,
            manner: Manner::of(self.repository),
        }
    }

    /// The record as it is.
    #[must_use]
    pub const fn record(&self) -> &Record {
        &self.record
    }

    /// The repository that it is about.
    #[must_use]
    pub const fn repository(&self) -> &'a Repository {
        self.repository
    }

    /// What could not be noted in full would be taken for a rescue, where there is nothing to rescue.
    fn forget_when_incomplete(&self) {
        if self.problem.is_some() {
            // The problem is told already.
            drop(self.store.remove(&self.record));
        }
    }

    fn note(&mut self, write: impl FnOnce(&mut Self) -> Result<(), GitError>) {
        // After one failure the file no longer says what is; it is not tried again.
        if self.problem.is_none() {
            self.problem = write(self).err();
        }
    }
}
