//! The run lock over one run: taken before anything is looked at that will be committed, given back before `git push`.
//! Whoever has it clears up after those who were killed.

use std::sync::PoisonError;

use crate::commit::{Snapshot, freeze};
use crate::progress::Progress;
use crate::run::Holder;

use super::super::exclusive::{Patience, Turn, nothing_to_do, take};
use super::prepare::Wishes;
use super::{Failure, Run, json, left};

impl Run<'_> {
    /// Takes the run lock. `Some`: another run commits exactly what this one would.
    pub(super) fn take_turn(&self, wishes: &Wishes) -> Result<Option<Holder>, Failure> {
        let notice = |text: &str| self.progress.notice(text);
        let patience = Patience { waits: Some(self.args.wait), cancel: self.cancel, notice: &notice };
        let tree = || {
            let snapshot = freeze(self.repository, self.staging(wishes));
            Ok(Some(snapshot.map_err(|error| self.unless_interrupted(error.into()))?.tree()))
        };
        match take(self.repository, self.environment, &patience, &tree)? {
            Turn::Ours(lock) => {
                *self.lock.lock().unwrap_or_else(PoisonError::into_inner) = lock;
                Ok(None)
            }
            Turn::Theirs(holder) => Ok(Some(holder)),
        }
    }

    /// Removes the lock files of killed runs in other repositories.
    pub(super) fn sweep_locks(&self) {
        let lock = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        for path in lock.sweep() {
            self.progress.detail(&left(&path));
        }
    }

    /// Tells other runs what this one is about to commit.
    pub(super) fn say_tree(&self, snapshot: &Snapshot) {
        let mut lock = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = lock.say_tree(snapshot.tree()) {
            self.progress.detail(&format!("the frozen tree cannot be told to other runs: {error}"));
        }
    }

    /// Gives the run lock back.
    pub(super) fn end_turn(&self) {
        drop(std::mem::take(&mut *self.lock.lock().unwrap_or_else(PoisonError::into_inner)));
    }

    /// The result of a run that another one does.
    pub(super) fn left_to(&self, holder: &Holder, document: &mut json::Document) {
        document.outcome = json::Outcome::BeingCommitted;
        self.progress.notice(&nothing_to_do(holder));
    }
}
