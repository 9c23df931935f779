//! How a run ends that froze something and could not commit it: nothing is lost, and there are two ways on – `stagecoach
//! rescue commit`, and a recipe that can be pasted into a shell.

mod finish;
mod recipe;
mod standing;

use std::path::PathBuf;

use crate::git::{GitError, ObjectId, Repository};
use crate::run::Scratch;

use super::{Record, Store};

pub use finish::{FinishError, Finished, LandedStep, Wishes, finish};
pub use standing::Standing;

/// What is left to finish.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rescue {
    /// The run and its commits.
    pub record: Record,
    /// How many of them are published.
    pub landed: usize,
    /// Whether the record is there for `stagecoach rescue`.
    pub is_kept: bool,
    /// Why it is not.
    pub problem: Option<String>,
    /// For each commit the file with its message, where it has one.
    pub(super) files: Vec<Option<PathBuf>>,
    /// The file with what the index has to be told afterwards, where it has to be and that is known.
    pub(super) entries: Option<PathBuf>,
    /// How commits are made here by hand.
    pub(super) manner: Manner,
}

/// What the repository's settings ask of `git commit-tree`, which by itself follows none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Manner {
    /// `commit.gpgSign` is on.
    signs: bool,
    /// `i18n.commitEncoding` is not the encoding of the files with messages, which are UTF-8.
    encodes: bool,
}

impl Manner {
    pub(super) fn of(repository: &Repository) -> Self {
        // A setting that is no boolean was an error before, and git reports it again when the recipe is run.
        Self { signs: repository.signs_commits().unwrap_or(false), encodes: repository.commit_encoding().is_some() }
    }
}

impl Rescue {
    /// A record that an earlier run left.
    #[must_use]
    pub fn of_record(repository: &Repository, record: Record, landed: usize) -> Self {
        let store = Store::new(repository);
        let (files, entries) = (store.message_files(&record), store.entries(&record));
        Self { record, landed, is_kept: true, problem: None, files, entries, manner: Manner::of(repository) }
    }

    /// The last frozen tree.
    #[must_use]
    pub fn tree(&self) -> Option<ObjectId> {
        self.record.steps.last().map(|step| step.tree)
    }

    /// The parents that the next commit would have.
    #[must_use]
    pub fn parents(&self) -> Vec<ObjectId> {
        self.record.parents_of(self.landed)
    }

    /// The message of the next commit, with the file that it is kept in.
    #[must_use]
    pub fn candidate(&self) -> Option<(&str, Option<&PathBuf>)> {
        let message = self.record.steps.get(self.landed)?.message.as_deref()?;
        Some((message, self.file(self.landed)))
    }

    /// How many commits are left.
    #[must_use]
    pub const fn left(&self) -> usize {
        self.record.steps.len().saturating_sub(self.landed)
    }

    /// Whether each commit that is left has a message, or a title that serves as one.
    #[must_use]
    pub fn has_words(&self) -> bool {
        self.record.steps.iter().skip(self.landed).all(|step| step.subject().is_some())
    }

    fn file(&self, step: usize) -> Option<&PathBuf> {
        self.files.get(step).and_then(Option::as_ref)
    }
}

/// What became of clearing up.
#[derive(Debug)]
pub struct Tidied {
    /// What was left lying, and is gone.
    pub swept: Vec<PathBuf>,
    /// What could not be done and does no harm until the next run does it.
    pub problem: Option<GitError>,
}

/// Clears up after earlier runs: what killed ones left lying, an index that does not know of their last commit, rescues
/// that are too old, and those whose commits are all there. Costs next to nothing where there is none.
///
/// # Errors
/// The index may stage the reverse of a commit that has landed, and could not be brought along: nothing may be frozen.
pub fn tidy(repository: &Repository) -> Result<Tidied, GitError> {
    let mut swept = repository.sweep();
    swept.extend(Scratch::sweep(&repository.paths().work_tree));
    // A run holds the lock while it moves the branch; without one left, what the index says was said by somebody else.
    let index_lock = repository.stale_index_lock();
    let problem = settle(repository, index_lock.is_some(), &mut swept).err();
    match (problem, index_lock) {
        // The lock stays: it says so to the next run as well.
        (Some(problem), Some(_)) => Err(problem),
        (problem, _) => {
            swept.extend(repository.sweep_index_lock());
            Ok(Tidied { swept, problem })
        }
    }
}

/// Brings what killed runs noted to an end, where it can be.
fn settle(repository: &Repository, had_lock: bool, swept: &mut Vec<PathBuf>) -> Result<(), GitError> {
    let store = Store::new(repository);
    if store.is_empty() {
        return Ok(());
    }
    store.expire()?;
    for record in store.list()?.records.iter().filter(|record| !record.is_live()) {
        if record.was_killed() {
            let commits: Vec<ObjectId> = record.steps.iter().filter_map(|step| step.commit).collect();
            swept.extend(repository.sweep_ref_locks(&record.head().target, &commits));
        }
        if had_lock
            && record.was_killed()
            && let standing @ (Standing::Waiting(_) | Standing::Landed { .. }) = record.standing(repository)?
        {
            finish::bring_index_up(repository, record, standing.landed(record))?;
        }
        if record.standing(repository)? == (Standing::Landed { index_lags: false }) {
            // Killed with its last breath: it was a good run, if nothing came after it.
            let is_last = repository.head()?.commit == record.parent_of(record.steps.len());
            if is_last { store.finish(record)? } else { store.remove(record)? }
        }
    }
    Ok(())
}
