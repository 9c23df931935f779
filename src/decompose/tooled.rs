//! Trees that an agent staged with git itself: checked file by file, and read as choices among the lines of the change.
//!
//! The same check serves for our own trees: it knows nothing of how they were made.

use std::collections::{BTreeMap, BTreeSet};

use crate::git::{Change, ChangedFile, FileMode, ObjectId, Side};

use super::ground::sides;
use super::hunks::{Lines, Script, trace};
use super::plan::Plan;
use super::stage::{Staged, Staging};
use super::state::{FileState, Objects, Partial, Scripts, State};
use super::{Ground, StageError};

/// A tree that does not lie between the one before it and the start.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Violation {
    /// A path changed that is as it was at the start of the run.
    #[error("{0} is not in the change")]
    Foreign(String),
    /// The content is none that comes of taking or leaving lines of the change.
    #[error("{0} has content that is not made of lines of the change")]
    Content(String),
    /// Mode, kind or the content of what can only go whole is neither the old nor the new one.
    #[error("{0} is neither as before nor as after the change")]
    Neither(String),
    /// Something that an earlier commit has is gone again.
    #[error("{0} gives back what an earlier commit took")]
    GivenBack(String),
    /// Only a part of what goes together is there.
    #[error("{0} is there without what it goes together with")]
    Torn(String),
}

/// What each tree has of a file.
#[derive(Debug, Clone)]
struct Traced {
    /// The content of each tree so far in which the file is neither as in the base nor as at the start.
    contents: Vec<(usize, ObjectId, Vec<u8>)>,
    lines: Vec<Lines>,
}

/// Reads the trees of a run one after the other.
pub struct Tooled<'a> {
    ground: &'a Ground,
    objects: &'a dyn Objects,
    scripts: Scripts,
    /// Files that go whole although they could be taken apart.
    whole: BTreeSet<usize>,
    traced: BTreeMap<usize, Traced>,
    states: Vec<State>,
    steps: Vec<Option<usize>>,
}

impl<'a> Tooled<'a> {
    /// Before the first tree.
    #[must_use]
    pub fn new(ground: &'a Ground, objects: &'a dyn Objects) -> Self {
        Self {
            ground,
            objects,
            scripts: Scripts::default(),
            whole: BTreeSet::new(),
            traced: BTreeMap::new(),
            states: Vec::new(),
            steps: Vec::new(),
        }
    }

    /// Lets a file go whole by the plan, whatever its kind.
    pub fn keep_whole(&mut self, file: usize) {
        self.whole.insert(file);
    }

    /// The edit script of a file of which lines can be staged one by one; `None` when it goes whole by the plan.
    ///
    /// # Errors
    /// A content cannot be read or compared.
    pub fn script(&mut self, file: usize) -> Result<Option<&Script>, StageError> {
        let traceable = self.may_trace(file) && self.scripts.ensure(self.ground, file, self.objects)?;
        Ok(if traceable { self.scripts.of(file) } else { None })
    }

    fn may_trace(&self, file: usize) -> bool {
        !self.whole.contains(&file) && self.ground.may_share(file)
    }

    /// The tree so far.
    #[must_use]
    pub fn state(&self) -> State {
        self.states.last().cloned().unwrap_or_else(|| State::base(self.ground))
    }

    /// Takes the tree that an agent staged for a concept, given as what separates it from the **base**. What can only go
    /// whole goes by the plan, and whole where the agent touched it.
    ///
    /// # Errors
    /// A [`Violation`], or a content cannot be read; then the tree is not taken.
    pub fn add(&mut self, plan: &Plan, concept: usize, staged: &Change) -> Result<(), StageError> {
        let state = self.read(staged, false)?;
        self.push_with_whole(plan, concept, state)
    }

    /// Takes of a concept only what goes whole by the plan.
    ///
    /// # Errors
    /// A content cannot be read or compared.
    pub fn add_whole(&mut self, plan: &Plan, concept: usize) -> Result<(), StageError> {
        self.push_with_whole(plan, concept, self.state())
    }

    fn push_with_whole(&mut self, plan: &Plan, concept: usize, mut state: State) -> Result<(), StageError> {
        for file in plan.concepts.get(concept).into_iter().flat_map(|concept| &concept.files) {
            if self.script(*file)?.is_none() {
                state.set(*file, FileState::Start);
            }
        }
        self.push(Some(concept), state);
        Ok(())
    }

    /// Counts a concept as empty, because its agent failed.
    pub fn add_nothing(&mut self, concept: usize) {
        self.push(Some(concept), self.state());
    }

    /// Takes a tree as it is, given as what separates it from the base.
    ///
    /// # Errors
    /// As [`Tooled::add`]; files that go together are all there or none is.
    pub fn add_exactly(&mut self, staged: &Change) -> Result<(), StageError> {
        let state = self.read(staged, true)?;
        self.push(None, state);
        Ok(())
    }

    /// The trees that changed something.
    #[must_use]
    pub fn finish(self, plan: &Plan) -> Staging {
        let mut staging = Staging { scripts: self.scripts, ..Staging::default() };
        for (state, concept) in self.states.into_iter().zip(self.steps) {
            match concept.and_then(|concept| Some((concept, plan.concepts.get(concept)?))) {
                Some((concept, planned)) => staging.push(self.ground, concept, &planned.title, state),
                None => staging.steps.push(Staged { concept: None, state }),
            }
        }
        staging
    }

    fn push(&mut self, concept: Option<usize>, state: State) {
        self.states.push(state);
        self.steps.push(concept);
        // A later content may tell how an earlier one is to be read.
        for (file, traced) in &self.traced {
            for ((step, blob, _), lines) in traced.contents.iter().zip(&traced.lines) {
                if let Some(state) = self.states.get_mut(*step) {
                    state.set(*file, FileState::Between(Partial::new(lines.clone(), *blob)));
                }
            }
        }
    }

    fn read(&mut self, staged: &Change, exactly: bool) -> Result<State, StageError> {
        let now = self.sides_by_file(staged, exactly)?;
        let before = self.state();
        let mut state = before.clone();
        let traced = self.traced.clone();
        for index in 0..self.ground.files().len() {
            let result = self.file(index, before.of(index), now.get(&index).map(Vec::as_slice), exactly);
            match result {
                Ok(Some(found)) if found == FileState::Start && !exactly => {
                    self.ground.units().mates(index).iter().for_each(|mate| state.set(*mate, FileState::Start));
                }
                Ok(Some(found)) => state.set(index, found),
                Ok(None) => {}
                Err(error) => {
                    self.traced = traced;
                    return Err(error);
                }
            }
        }
        let torn = (0..self.ground.files().len()).find(|file| {
            let mates = self.ground.units().mates(*file);
            mates.len() > 1 && mates.iter().any(|mate| state.of(*mate) != state.of(*file))
        });
        match torn {
            Some(file) if exactly => Err(Violation::Torn(self.ground.name(file)).into()),
            _ => Ok(state),
        }
    }

    /// What the tree has at the paths of each file that it touches: old name and new name. Unless it counts exactly, the
    /// permission is the one that it has to be.
    fn sides_by_file(&self, staged: &Change, exactly: bool) -> Result<BTreeMap<usize, Vec<(Side, bool)>>, Violation> {
        let mut now: BTreeMap<usize, Vec<(Side, bool)>> = BTreeMap::new();
        for file in staged.files() {
            for (side, there) in
                file.gone().map(|side| (side, false)).into_iter().chain(file.new_side().map(|side| (side, true)))
            {
                let foreign = || Violation::Foreign(crate::payload::quote(side.path.as_ref()));
                let index = self.ground.find(side.path.as_ref()).ok_or_else(foreign)?;
                let mut side = side.clone();
                let Some(file) = self.ground.file(index) else { continue };
                let planned = file.new_side().or(file.old_side()).filter(|_| !exactly);
                if let Some(planned) = planned.filter(|planned| planned.mode.same_type(side.mode)) {
                    side.mode = planned.mode;
                    if there && file.old_side() == Some(&side) {
                        continue;
                    }
                }
                now.entry(index).or_default().push((side, there));
            }
        }
        Ok(now)
    }

    /// How far the file has come, `None` for no further than before.
    fn file(
        &mut self,
        index: usize,
        before: &FileState,
        now: Option<&[(Side, bool)]>,
        exactly: bool,
    ) -> Result<Option<FileState>, StageError> {
        let Some(file) = self.ground.file(index) else { return Ok(None) };
        let name = || self.ground.name(index);
        let Some(now) = now else {
            let may_be = *before == FileState::Base || (!exactly && !self.may_trace(index));
            return if may_be { Ok(None) } else { Err(Violation::GivenBack(name()).into()) };
        };
        let found = match position(file, now) {
            Position::Start => FileState::Start,
            Position::Half if !exactly => FileState::Start,
            Position::Half => return Err(Violation::Torn(name()).into()),
            Position::Other if exactly || self.may_trace(index) => self.between(index, file, now)?,
            Position::Other => self.whole(index, file, now)?,
        };
        if *before == FileState::Start && found != FileState::Start {
            return Err(Violation::GivenBack(name()).into());
        }
        Ok(Some(found))
    }

    /// A file that goes whole, of which an agent staged a part: a part it must be.
    fn whole(&self, index: usize, file: &ChangedFile, now: &[(Side, bool)]) -> Result<FileState, StageError> {
        for (side, _) in now.iter().filter(|(_, there)| *there) {
            if sides(file).any(|known| known.id == side.id) {
                continue;
            }
            let is_file = side.mode.same_type(FileMode::Regular);
            let script = if is_file { self.ground.compare(index, self.objects)? } else { None };
            let script = script.ok_or_else(|| Violation::Neither(self.ground.name(index)))?;
            if trace(&script, &[&self.objects.read(side.id)?]).is_none() {
                return Err(Violation::Content(self.ground.name(index)).into());
            }
        }
        Ok(FileState::Start)
    }

    /// Reads a content that is neither the old nor the new one.
    fn between(&mut self, index: usize, file: &ChangedFile, now: &[(Side, bool)]) -> Result<FileState, StageError> {
        let step = self.states.len();
        let neither = || Violation::Neither(self.ground.name(index));
        let [(side, true)] = now else { return Err(neither().into()) };
        let fits = sides(file).any(|known| known.mode == side.mode) && side.mode != FileMode::Gitlink;
        if !fits || !self.scripts.ensure(self.ground, index, self.objects)? {
            return Err(neither().into());
        }
        let Some(script) = self.scripts.of(index) else { return Err(neither().into()) };
        let content = self.objects.read(side.id)?;
        let mut contents = self.traced.get(&index).map(|traced| traced.contents.clone()).unwrap_or_default();
        contents.push((step, side.id, content));
        let slices: Vec<&[u8]> = contents.iter().map(|(_, _, content)| content.as_slice()).collect();
        let Some(lines) = trace(script, &slices) else {
            let alone = slices.last().and_then(|content| trace(script, &[content])).is_some();
            let name = self.ground.name(index);
            return Err(if alone { Violation::GivenBack(name) } else { Violation::Content(name) }.into());
        };
        let last = lines.last().cloned().unwrap_or_else(|| Lines::none(script.changed_lines()));
        self.traced.insert(index, Traced { contents, lines });
        Ok(FileState::Between(Partial::new(last, side.id)))
    }
}

enum Position {
    Start,
    /// One name of a rename is as after the change, the other as before.
    Half,
    Other,
}

/// How what is there compares with the file after the change. Paths that are not named are as before it.
fn position(file: &ChangedFile, now: &[(Side, bool)]) -> Position {
    let is_after = |(side, there): &(Side, bool)| match file.new_side() {
        Some(new) if new.path == side.path => *there && new == side,
        _ => !there,
    };
    let names = match (file.old_side(), file.new_side()) {
        (Some(old), Some(new)) if old.path != new.path => 2,
        _ => 1,
    };
    match now.iter().all(is_after) {
        true if now.len() == names => Position::Start,
        true => Position::Half,
        false => Position::Other,
    }
}

/// Checks that each tree lies between the one before it and the start, by nothing but what is in them. Each is given as
/// what separates it from the base, in order.
///
/// # Errors
/// A [`Violation`], or a content cannot be read.
pub fn verify(ground: &Ground, objects: &dyn Objects, trees: &[Change]) -> Result<(), StageError> {
    let mut reader = Tooled::new(ground, objects);
    trees.iter().try_for_each(|tree| reader.add_exactly(tree))
}
