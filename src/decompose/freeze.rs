//! States as trees in a repository.

use crate::git::{Frozen, GitError, Repository};

use super::stage::Staging;
use super::state::State;
use super::{Ground, StageError};

/// The tree of a state, with what separates it from an earlier one.
///
/// # Errors
/// The base cannot be read.
pub fn freeze(repository: &Repository, ground: &Ground, before: &State, state: &State) -> Result<Frozen, GitError> {
    repository.freeze_edited(ground.base(), &ground.edits(state), ground.between(before, state), ground.change())
}

/// The trees of all steps, each with what it changes. A last state that is the start has the start's tree.
///
/// # Errors
/// The base cannot be read; or, by a mistake of ours, a tree gives back what the one before it has, or the last tree is
/// not the start's.
pub fn freeze_all(repository: &Repository, ground: &Ground, staging: &Staging) -> Result<Vec<Frozen>, StageError> {
    let mut before = State::base(ground);
    let mut frozen = Vec::with_capacity(staging.steps.len());
    for step in &staging.steps {
        if !before.may_become(&step.state) {
            return Err(StageError::GoesBack);
        }
        let tree = freeze(repository, ground, &before, &step.state)?;
        if step.state.is_start() && tree.tree != ground.start() {
            return Err(StageError::NotTheStart);
        }
        frozen.push(tree);
        before = step.state.clone();
    }
    Ok(frozen)
}
