//! What no concept took, and which commit takes it.
//!
//! All of this happens on trees that are not published yet, so nothing is ever rewritten.

use crate::git::ChangedPath;

use super::stage::{Staged, Staging};
use super::state::{FileState, Objects, State};
use super::{Ground, Note, StageError, concept_index, json};

/// Who takes what is left over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// The commit of a concept.
    Concept(usize),
    /// A last commit of its own.
    Own,
}

/// What separates the last tree from the start, before renames are looked for; empty when nothing does.
#[must_use]
pub fn leftover(ground: &Ground, staging: &Staging) -> Vec<ChangedPath> {
    ground.between(&staging.last(ground), &State::start(ground))
}

/// Reads the arbiter's `{"target": "c2"}` or `{"target": null}`. What cannot be used is a commit of its own, with a note.
#[must_use]
pub fn read_target(answer: &str, staging: &Staging) -> (Target, Option<Note>) {
    let own = |why: String| (Target::Own, Some(Note::OwnCommit { why }));
    let Some(fields) = json::find(answer, |fields| fields.contains_key("target")) else {
        return own("the answer names no target".to_owned());
    };
    let Some(target) = fields.get("target").filter(|target| !target.is_null()) else { return (Target::Own, None) };
    let concept = concept_index(target, usize::MAX);
    match concept.filter(|concept| staging.steps.iter().any(|step| step.concept == Some(*concept))) {
        Some(concept) => (Target::Concept(concept), None),
        None => own(format!("{target} is no commit of this run")),
    }
}

/// Gives what is left over to a commit and all later ones, or to a last one of its own. Afterwards the last tree is the
/// start.
///
/// # Errors
/// A content cannot be written, or, by a mistake of ours, the last tree is not the start.
pub fn reconcile(
    ground: &Ground,
    mut staging: Staging,
    target: &Target,
    objects: &dyn Objects,
) -> Result<Staging, StageError> {
    let last = staging.last(ground);
    if last.is_start() {
        return Ok(staging);
    }
    let position = match target {
        Target::Concept(concept) => staging.steps.iter().position(|step| step.concept == Some(*concept)),
        Target::Own => None,
    };
    match position {
        Some(position) => fold(ground, &mut staging, position, &last, objects)?,
        None => staging.steps.push(Staged { concept: None, state: State::start(ground) }),
    }
    if staging.last(ground).is_start() { Ok(staging) } else { Err(StageError::NotTheStart) }
}

fn fold(
    ground: &Ground,
    staging: &mut Staging,
    position: usize,
    last: &State,
    objects: &dyn Objects,
) -> Result<(), StageError> {
    let missing: Vec<usize> = last.differing(&State::start(ground)).collect();
    let Staging { steps, scripts, .. } = staging;
    for step in steps.iter_mut().skip(position) {
        for file in &missing {
            let now = match last.of(*file) {
                FileState::Base => FileState::Start,
                end => {
                    let rest = scripts.lines(*file, end).rest();
                    let lines = scripts.lines(*file, step.state.of(*file)).or(&rest);
                    scripts.partial(ground, *file, lines, objects)?
                }
            };
            step.state.set(*file, now);
        }
    }
    Ok(())
}
