//! How far a recorded run came, as the branch tells it.

use crate::git::{Change, GitError, Head, Repository};

use super::super::{Record, Source};

/// Where HEAD is, seen from a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// HEAD is exactly where the commit of this step belongs.
    Waiting(usize),
    /// Every commit is there. The run may have been killed before the index followed.
    Landed {
        /// Whether the index still has what the commits replaced.
        index_lags: bool,
    },
    /// HEAD names another branch or another commit.
    Moved {
        /// The first commit that has not landed.
        next: usize,
        /// HEAD as it is.
        found: Head,
        /// Whether it has the very tree that was frozen last: somebody committed it already.
        same_tree: bool,
    },
}

impl Standing {
    /// How many commits of the record have landed.
    #[must_use]
    pub const fn landed(&self, record: &Record) -> usize {
        match self {
            Standing::Waiting(next) | Standing::Moved { next, .. } => *next,
            Standing::Landed { .. } => record.steps.len(),
        }
    }
}

impl Record {
    /// Compares HEAD with what the run recorded.
    ///
    /// # Errors
    /// HEAD, the index or a commit cannot be read.
    pub fn standing(&self, repository: &Repository) -> Result<Standing, GitError> {
        let found = repository.head()?;
        let count = self.steps.len();
        if found.target == self.head().target {
            // From the end: a noted commit that never landed does not count, a landed one counts with all before it.
            for next in (0..=count).rev() {
                if self.parent_of(next) == found.commit && (next == 0 || found.commit.is_some()) {
                    return if next < count { Ok(Standing::Waiting(next)) } else { self.all_landed(repository) };
                }
            }
        }
        let mut next = 0;
        if let Some(head) = found.commit {
            for step in (0..count).rev() {
                let commit = self.steps.get(step).and_then(|step| step.commit);
                if let Some(commit) = commit
                    && repository.is_in_history(commit, head)?
                {
                    next = step + 1;
                    break;
                }
            }
        }
        if next == count {
            return Ok(Standing::Landed { index_lags: false });
        }
        let tree = repository.tree_at(found.commit)?;
        let same_tree = tree.is_some() && tree == self.steps.last().map(|step| step.tree);
        Ok(Standing::Moved { next, same_tree: same_tree && found.target == self.head().target, found })
    }

    /// What the index may not know after a kill, when so many commits have landed: it followed all of them but the last.
    /// `None` where it need not follow any.
    pub(super) fn last_landed(&self, repository: &Repository, landed: usize) -> Result<Option<Change>, GitError> {
        let Some(last) = landed.checked_sub(1).filter(|_| self.source == Source::WorkingTree) else { return Ok(None) };
        let before = self.tree_before(last, repository)?;
        repository.compare(before, self.steps.get(last).map(|step| step.tree)).map(Some)
    }

    /// HEAD is the last commit. A kill may have come between the move of the branch and that of the index.
    fn all_landed(&self, repository: &Repository) -> Result<Standing, GitError> {
        let change = self.last_landed(repository, self.steps.len())?;
        let index_lags = change.map(|change| repository.index_lags(&change)).transpose()?.unwrap_or(false);
        Ok(Standing::Landed { index_lags })
    }
}
