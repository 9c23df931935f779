//! From trees to a plan.

use crate::git::ObjectId;

use super::super::hunks::{Hunk, Lines, Script, git_range};
use super::super::state::{FileState, State};
use super::super::{Ground, Staging};
use super::{Contents, PlanFile, PlannedCommit, PlannedHunk, VERSION, hash, name};

/// What a commit of a plan says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Words {
    /// What it is for.
    pub title: String,
    /// The whole message.
    pub message: String,
}

impl PlanFile {
    /// The plan of a run: for each step its words and its tree, both in order. The last step's tree is the start, or
    /// what it lacks is listed as left over.
    #[must_use]
    pub fn new(
        ground: &Ground,
        parent: Option<ObjectId>,
        staging: &Staging,
        words: &[Words],
        trees: &[ObjectId],
    ) -> Self {
        let hunks_only = (0..=staging.steps.len()).all(|step| {
            let (before, after) = around(ground, staging, step);
            before.differing(&after).all(|file| whole_hunks(staging, file, &before, &after).is_some())
        });
        let commits = words.iter().zip(trees).enumerate().map(|(step, (words, tree))| {
            let (before, after) = around(ground, staging, step);
            let Contents { files, hunks } = contents(ground, staging, &before, &after, hunks_only);
            let tree = (!hunks_only).then(|| tree.to_string());
            PlannedCommit { title: words.title.clone(), message: words.message.clone(), tree, files, hunks }
        });
        let commits = commits.collect();
        let (last, start) = around(ground, staging, staging.steps.len());
        Self {
            version: VERSION,
            parent: parent.map(|parent| parent.to_string()),
            start: ground.start().to_string(),
            commits,
            leftover: contents(ground, staging, &last, &start, hunks_only),
        }
    }

    /// The file's text.
    ///
    /// # Errors
    /// None that could happen with what this type holds.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string_pretty(self).map(|text| text + "\n")
    }
}

/// The trees before and after a step; after the last step comes the start.
fn around(ground: &Ground, staging: &Staging, step: usize) -> (State, State) {
    let after = staging.steps.get(step).map_or_else(|| State::start(ground), |step| step.state.clone());
    (staging.before(step, ground), after)
}

fn contents(ground: &Ground, staging: &Staging, before: &State, after: &State, hunks_only: bool) -> Contents {
    let mut contents = Contents::default();
    for file in before.differing(after) {
        let Some(changed) = ground.file(file) else { continue };
        let path = name(changed.path());
        let whole = *before.of(file) == FileState::Base && *after.of(file) == FileState::Start;
        match staging.scripts().of(file).filter(|_| hunks_only && !whole) {
            Some(script) => {
                let hunks = whole_hunks(staging, file, before, after).unwrap_or_default();
                contents.hunks.extend(hunks.iter().map(|hunk| planned(&path, script, hunk)));
            }
            None => contents.files.push(path),
        }
    }
    contents
}

pub(super) fn planned(path: &str, script: &Script, hunk: &Hunk) -> PlannedHunk {
    PlannedHunk { file: path.to_owned(), base: git_range(&hunk.old), hash: hash(script, hunk) }
}

/// The hunks that a step takes of a file; `None` when it takes a part of one, or makes a file without lines.
fn whole_hunks(staging: &Staging, file: usize, before: &State, after: &State) -> Option<Vec<Hunk>> {
    let Some(script) = staging.scripts().of(file) else { return Some(Vec::new()) };
    let lines = |state: &State| staging.scripts().lines(file, state.of(file));
    let taken: Lines = lines(after).without(&lines(before));
    let (all, some): (Vec<&Hunk>, Vec<&Hunk>) = script
        .hunks()
        .iter()
        .filter(|hunk| hunk.changed().any(|line| taken.has(line)))
        .partition(|hunk| hunk.changed().all(|line| taken.has(line)));
    let changes_lines = !all.is_empty() || (*before.of(file) == FileState::Base && *after.of(file) == FileState::Start);
    (some.is_empty() && changes_lines).then(|| all.into_iter().cloned().collect())
}
