//! From a plan, perhaps edited, back to trees: everything in it must fit, and nothing may be missing.

use std::collections::BTreeSet;

use bstr::ByteSlice;

use crate::git::{Change, GitError, ObjectId};

use super::super::hunks::git_range;
use super::super::plan::{Plan, resolve_exactly};
use super::super::state::{FileState, Objects, Scripts, State};
use super::super::{Ground, Staged, Staging, Tooled};
use super::{Contents, Place, PlanFile, PlanFileError, PlannedCommit, PlannedHunk, VERSION, hash, name};

impl PlanFile {
    /// Reads a plan's text; the ids in it are ids.
    ///
    /// # Errors
    /// It is no plan, or one of another version.
    pub fn parse(text: &str) -> Result<Self, PlanFileError> {
        // Some editors begin a file with a byte order mark.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let json: serde_json::Value = serde_json::from_str(text)?;
        let version = json.get("version").and_then(serde_json::Value::as_u64).ok_or(PlanFileError::NoPlan)?;
        if version != u64::from(VERSION) {
            return Err(PlanFileError::Version(version));
        }
        let plan: Self = serde_json::from_str(text)?;
        plan.parent()?;
        plan.start()?;
        if plan.commits.is_empty() {
            return Err(PlanFileError::NoCommits);
        }
        Ok(plan)
    }

    /// The commit that the first of the plan shall follow; `None` on an unborn branch.
    ///
    /// # Errors
    /// It is no id.
    pub fn parent(&self) -> Result<Option<ObjectId>, PlanFileError> {
        self.parent.as_deref().map(id).transpose()
    }

    /// The frozen tree.
    ///
    /// # Errors
    /// It is no id.
    pub fn start(&self) -> Result<ObjectId, PlanFileError> {
        id(&self.start)
    }

    /// The trees of the plan's commits, one for each, in order. `differences` tells what separates a tree from the base;
    /// it is asked only about trees that the plan carries.
    ///
    /// # Errors
    /// What does not fit, is there twice, or is missing.
    pub fn restage(
        &self,
        ground: &Ground,
        objects: &dyn Objects,
        differences: &dyn Fn(ObjectId) -> Result<Change, GitError>,
    ) -> Result<Staging, PlanFileError> {
        let planned = self.start()?;
        if planned != ground.start() {
            return Err(PlanFileError::OtherStart { planned, found: ground.start() });
        }
        let mut reader = Reader { ground, objects, scripts: Scripts::default() };
        let states = if self.commits.iter().any(|commit| commit.tree.is_some()) {
            self.read_trees(&mut reader, differences)?
        } else {
            self.read_contents(&mut reader)?
        };
        let last = states.last().cloned().unwrap_or_else(|| State::base(ground));
        let covered = reader.take(&last, &self.leftover, &Place::Leftover)?;
        reader.refuse_missing(&covered)?;
        let steps = states.into_iter().enumerate().map(|(step, state)| Staged { concept: Some(step), state });
        Ok(Staging { steps: steps.collect(), notes: Vec::new(), scripts: reader.scripts })
    }

    fn read_contents(&self, reader: &mut Reader<'_>) -> Result<Vec<State>, PlanFileError> {
        let mut state = State::base(reader.ground);
        let mut states = Vec::with_capacity(self.commits.len());
        for (index, commit) in self.commits.iter().enumerate() {
            let place = place(index, commit);
            let contents = Contents { files: commit.files.clone(), hunks: commit.hunks.clone() };
            let next = reader.take(&state, &contents, &place)?;
            if next == state {
                return Err(PlanFileError::Empty(place));
            }
            states.push(next.clone());
            state = next;
        }
        Ok(states)
    }

    fn read_trees(
        &self,
        reader: &mut Reader<'_>,
        differences: &dyn Fn(ObjectId) -> Result<Change, GitError>,
    ) -> Result<Vec<State>, PlanFileError> {
        let mut tooled = Tooled::new(reader.ground, reader.objects);
        for (index, commit) in self.commits.iter().enumerate() {
            let place = place(index, commit);
            let tree = commit.tree.as_deref().ok_or_else(|| PlanFileError::SomeTrees(place.clone()))?;
            let before = tooled.state();
            let added = tooled.add_exactly(&differences(id(tree)?)?);
            added.map_err(|source| PlanFileError::Tree { place: place.clone(), source })?;
            let after = tooled.state();
            if before == after {
                return Err(PlanFileError::Empty(place));
            }
            reader.compare_files(&before, &after, commit, place)?;
        }
        let Staging { steps, scripts, .. } = tooled.finish(&Plan::default());
        reader.scripts = scripts;
        Ok(steps.into_iter().map(|step| step.state).collect())
    }
}

fn place(index: usize, commit: &PlannedCommit) -> Place {
    Place::Commit(index + 1, commit.title.clone())
}

fn id(text: &str) -> Result<ObjectId, PlanFileError> {
    text.parse().map_err(|_| PlanFileError::Id(text.to_owned()))
}

struct Reader<'a> {
    ground: &'a Ground,
    objects: &'a dyn Objects,
    scripts: Scripts,
}

impl Reader<'_> {
    /// Adds files and hunks to a tree. All must be there and none taken before.
    fn take(&mut self, before: &State, contents: &Contents, place: &Place) -> Result<State, PlanFileError> {
        let mut state = before.clone();
        for path in &contents.files {
            let file = self.find(path, place)?;
            let is_free = match state.of(file) {
                FileState::Base => true,
                // Of a file whose lines are in trees, the rest is left over as a whole.
                FileState::Between(partial) => *place == Place::Leftover && self.is_torn_apart(file, partial.lines()),
                FileState::Start => false,
            };
            if !is_free {
                return Err(PlanFileError::Twice { place: place.clone(), what: path.clone() });
            }
            state.set(file, FileState::Start);
        }
        for hunk in &contents.hunks {
            self.take_hunk(&mut state, hunk, place)?;
        }
        self.refuse_torn(&state, place)?;
        Ok(state)
    }

    fn take_hunk(&mut self, state: &mut State, planned: &PlannedHunk, place: &Place) -> Result<(), PlanFileError> {
        let PlannedHunk { file: path, base, .. } = planned;
        let unknown = || PlanFileError::UnknownHunk { place: place.clone(), path: path.clone(), base: base.clone() };
        let file = self.find(path, place)?;
        if !self.scripts.ensure(self.ground, file, self.objects)? {
            return Err(unknown());
        }
        let script = self.scripts.of(file).ok_or_else(unknown)?;
        let number = script.hunks().iter().position(|hunk| git_range(&hunk.old) == *base).ok_or_else(unknown)?;
        let hunk = script.hunks().get(number).ok_or_else(unknown)?;
        if hash(script, hunk) != planned.hash {
            return Err(PlanFileError::ChangedHunk { place: place.clone(), path: path.clone(), base: base.clone() });
        }
        let before = self.scripts.lines(file, state.of(file));
        if *state.of(file) == FileState::Start || hunk.changed().any(|line| before.has(line)) {
            return Err(PlanFileError::Twice { place: place.clone(), what: format!("the hunk {base} of {path}") });
        }
        let lines = before.or(&script.lines_of(|other| other == number));
        let next = self.scripts.partial(self.ground, file, lines, self.objects)?;
        state.set(file, next);
        Ok(())
    }

    fn find(&self, path: &str, place: &Place) -> Result<usize, PlanFileError> {
        resolve_exactly(self.ground, path)
            .ok_or_else(|| PlanFileError::UnknownPath { place: place.clone(), path: path.to_owned() })
    }

    /// Whether some hunk is taken in part.
    fn is_torn_apart(&self, file: usize, lines: &super::super::hunks::Lines) -> bool {
        self.scripts.of(file).is_some_and(|script| {
            script.hunks().iter().any(|hunk| {
                let taken = hunk.changed().filter(|line| lines.has(*line)).count();
                taken != 0 && taken != hunk.changed().len()
            })
        })
    }

    fn refuse_torn(&self, state: &State, place: &Place) -> Result<(), PlanFileError> {
        for file in 0..self.ground.files().len() {
            let mut mates = self.ground.units().mates(file).iter();
            if *state.of(file) == FileState::Base && mates.any(|mate| *state.of(*mate) != FileState::Base) {
                return Err(PlanFileError::Torn { place: place.clone(), path: self.ground.name(file) });
            }
        }
        Ok(())
    }

    /// Everything must be somewhere.
    fn refuse_missing(&self, covered: &State) -> Result<(), PlanFileError> {
        let Some(file) = covered.differing(&State::start(self.ground)).next() else { return Ok(()) };
        let path = self.ground.name(file);
        let lines = self.scripts.lines(file, covered.of(file));
        let missing = self
            .scripts
            .of(file)
            .filter(|_| *covered.of(file) != FileState::Base)
            .and_then(|script| script.hunks().iter().find(|hunk| hunk.changed().any(|line| !lines.has(line))));
        Err(PlanFileError::Missing(match missing {
            Some(hunk) => format!("the hunk {} of {path}", git_range(&hunk.old)),
            None => path,
        }))
    }

    fn compare_files(
        &self,
        before: &State,
        after: &State,
        commit: &PlannedCommit,
        place: Place,
    ) -> Result<(), PlanFileError> {
        let changed: BTreeSet<usize> = before.differing(after).collect();
        let named: Option<BTreeSet<usize>> =
            commit.files.iter().map(|path| resolve_exactly(self.ground, path)).collect();
        if commit.hunks.is_empty() && named.as_ref() == Some(&changed) {
            return Ok(());
        }
        let paths = changed.iter().filter_map(|file| self.ground.file(*file)).map(|file| name(file.path().as_bstr()));
        Err(PlanFileError::TreeFiles { place, expected: paths.collect::<Vec<_>>().join(", ") })
    }
}
