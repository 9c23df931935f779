//! From a plan to trees: what each commit has, one after the other.

use std::collections::BTreeSet;

use super::hunks::{Assignment, Sheet};
use super::plan::Plan;
use super::state::{FileState, Objects, Scripts, State};
use super::{Ground, Note, StageError};

/// The tree of one commit to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Staged {
    /// Which concept of the plan it is; `None` for what was left over.
    pub concept: Option<usize>,
    /// What its tree has of the change.
    pub state: State,
}

/// The trees of a run in the order of publication.
#[derive(Debug, Clone, Default)]
pub struct Staging {
    /// Each differs from the one before it, and from the base.
    pub steps: Vec<Staged>,
    /// What did not come out as planned.
    pub notes: Vec<Note>,
    pub(super) scripts: Scripts,
}

impl Staging {
    /// One commit of the whole change.
    #[must_use]
    pub fn whole(ground: &Ground) -> Self {
        Self { steps: vec![Staged { concept: None, state: State::start(ground) }], ..Self::default() }
    }

    /// The tree that the last commit has so far.
    #[must_use]
    pub fn last(&self, ground: &Ground) -> State {
        self.steps.last().map_or_else(|| State::base(ground), |step| step.state.clone())
    }

    /// The tree before a step.
    #[must_use]
    pub fn before(&self, step: usize, ground: &Ground) -> State {
        let before = step.checked_sub(1).and_then(|before| self.steps.get(before));
        before.map_or_else(|| State::base(ground), |step| step.state.clone())
    }

    /// The scripts of the files that were taken apart.
    #[must_use]
    pub const fn scripts(&self) -> &Scripts {
        &self.scripts
    }

    /// Adds a step, or a note when it changes nothing.
    pub(super) fn push(&mut self, ground: &Ground, concept: usize, title: &str, state: State) {
        if state == self.last(ground) {
            self.notes.push(Note::NothingStaged { title: title.to_owned() });
        } else {
            self.steps.push(Staged { concept: Some(concept), state });
        }
    }
}

/// Gives each concept its files and hunks. With an empty sheet no file is shared, and no content is read or made.
///
/// # Errors
/// A content cannot be written.
pub fn stage(
    ground: &Ground,
    plan: &Plan,
    sheet: Sheet,
    assignment: &Assignment,
    objects: &dyn Objects,
) -> Result<Staging, StageError> {
    let notes = sheet.notes().iter().chain(assignment.notes()).cloned().collect();
    let mut staging = Staging { steps: Vec::new(), notes, scripts: Scripts::default() };
    let mut state = State::base(ground);
    let owned = whole_files(plan, &sheet);
    for (concept, planned) in plan.concepts.iter().enumerate() {
        for file in owned.get(concept).into_iter().flatten() {
            state.set(*file, FileState::Start);
        }
        for (file, script) in sheet.scripts.iter() {
            let first = sheet.first_number(file);
            let taken = |hunk: usize| assignment.concept_of(first + hunk).is_some_and(|owner| owner <= concept);
            let lines = script.lines_of(taken);
            if lines != sheet.scripts.lines(file, state.of(file)) {
                state.set(file, sheet.scripts.partial(ground, file, lines, objects)?);
            }
        }
        staging.push(ground, concept, &planned.title, state.clone());
    }
    staging.scripts = sheet.scripts;
    Ok(staging)
}

/// The concepts that would have no content: no file is theirs alone, and no hunk is given to them.
#[must_use]
pub fn emptied(plan: &Plan, sheet: &Sheet, assignment: &Assignment) -> Vec<usize> {
    let owned = whole_files(plan, sheet);
    let given: BTreeSet<usize> = (1..=sheet.len()).filter_map(|number| assignment.concept_of(number)).collect();
    let is_empty = |concept: &usize| owned.get(*concept).is_none_or(Vec::is_empty) && !given.contains(concept);
    (0..plan.concepts.len()).filter(is_empty).collect()
}

/// For each concept the files that are its alone, or its first.
fn whole_files(plan: &Plan, sheet: &Sheet) -> Vec<Vec<usize>> {
    let mut taken = std::collections::HashSet::new();
    let files = plan.concepts.iter().map(|concept| {
        let files = concept.files.iter().copied();
        files.filter(|file| !sheet.has(*file) && taken.insert(*file)).collect()
    });
    files.collect()
}
