//! What is decomposed: two frozen trees and everything that separates them.

use std::collections::{BTreeMap, BTreeSet};

use bstr::{BStr, BString};

use crate::git::{BlobError, Blobs, Change, ChangedFile, ChangedPath, FileMode, ObjectId, Side, Status, TreeEdit};

use super::StageError;
use super::hunks::Script;
use super::state::{FileState, State};
use super::units::Units;

/// git looks for a NUL byte in as much of a file to tell whether it is binary.
const SNIFFED: usize = 8000;

/// A larger file is never taken apart.
const MAX_BYTES: u64 = 8 << 20;

/// The base and the start of a run. Files are known by their position in the change.
#[derive(Debug, Clone)]
pub struct Ground {
    base: Option<ObjectId>,
    start: ObjectId,
    change: Change,
    units: Units,
    by_path: BTreeMap<BString, usize>,
    hidden: BTreeSet<usize>,
}

impl Ground {
    /// From the base tree (`None`: the empty tree), the frozen tree, and what separates them.
    #[must_use]
    pub fn new(base: Option<ObjectId>, start: ObjectId, change: Change) -> Self {
        let units = Units::of(&change);
        let by_path = change
            .files()
            .iter()
            .enumerate()
            .flat_map(|(index, file)| sides(file).map(move |side| (side.path.clone(), index)))
            .collect();
        Self { base, start, change, units, by_path, hidden: BTreeSet::new() }
    }

    /// The same with files whose content no agent is shown, so that none can take them apart: they go whole, whoever
    /// claims them.
    #[must_use]
    pub fn hiding(mut self, files: impl IntoIterator<Item = usize>) -> Self {
        self.hidden.extend(files);
        self
    }

    /// The base tree.
    #[must_use]
    pub const fn base(&self) -> Option<ObjectId> {
        self.base
    }

    /// The frozen tree that the last commit must have.
    #[must_use]
    pub const fn start(&self) -> ObjectId {
        self.start
    }

    /// What separates the two.
    #[must_use]
    pub const fn change(&self) -> &Change {
        &self.change
    }

    /// The changed files.
    #[must_use]
    pub fn files(&self) -> &[ChangedFile] {
        self.change.files()
    }

    /// One changed file.
    #[must_use]
    pub fn file(&self, index: usize) -> Option<&ChangedFile> {
        self.files().get(index)
    }

    /// The path of a changed file, for people.
    pub(super) fn name(&self, index: usize) -> String {
        self.file(index).map(|file| crate::payload::quote(file.path())).unwrap_or_default()
    }

    /// Which files go together.
    #[must_use]
    pub const fn units(&self) -> &Units {
        &self.units
    }

    /// The changed file that a path is either name of.
    #[must_use]
    pub fn find(&self, path: &BStr) -> Option<usize> {
        self.by_path.get(path).copied()
    }

    /// The changed files with a name below a folder, each once.
    pub(super) fn below(&self, folder: &BStr) -> Vec<usize> {
        let mut prefix = folder.to_owned();
        prefix.push(b'/');
        let range = self.by_path.range(prefix.clone()..).take_while(|(path, _)| path.starts_with(&prefix));
        let mut found: Vec<usize> = range.map(|(_, index)| *index).collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Whether the file may be shared by several concepts, hunk by hunk, as far as its kind goes.
    #[must_use]
    pub fn may_split(&self, index: usize) -> bool {
        self.file(index).is_some_and(|file| file.status() == Status::Modified) && self.may_share(index)
    }

    /// Whether an agent may take lines of the file one by one, as far as its kind goes.
    pub(super) fn may_share(&self, index: usize) -> bool {
        !self.hidden.contains(&index) && self.may_trace(index)
    }

    /// Whether lines of the file may be taken one by one, as far as its kind goes: a text that is nobody's second half
    /// and keeps its mode.
    pub(super) fn may_trace(&self, index: usize) -> bool {
        let Some(file) = self.file(index) else { return false };
        let mut modes = sides(file).map(|side| side.mode);
        let Some(mode) = modes.next() else { return false };
        self.units.mates(index).len() == 1
            && matches!(mode, FileMode::Regular | FileMode::Executable)
            && modes.all(|other| other == mode)
            && !matches!(file.status(), Status::Renamed(_))
            && file.attributes().diff != Some(false)
    }

    /// The edit script of a file, or `None` where it can only go whole.
    ///
    /// # Errors
    /// Its content cannot be read or compared.
    pub fn script(&self, index: usize, blobs: &dyn Blobs) -> Result<Option<Script>, StageError> {
        if self.may_trace(index) { self.compare(index, blobs) } else { Ok(None) }
    }

    /// What separates the contents of a file, where both are text of a bearable size.
    pub(super) fn compare(&self, index: usize, blobs: &dyn Blobs) -> Result<Option<Script>, StageError> {
        let Some(file) = self.file(index) else { return Ok(None) };
        let (Some(old), Some(new)) = (text(file, file.old_side(), blobs)?, text(file, file.new_side(), blobs)?) else {
            return Ok(None);
        };
        Ok(Script::between(old, new)?)
    }

    /// What makes a state of the base tree.
    #[must_use]
    pub fn edits(&self, state: &State) -> Vec<TreeEdit> {
        let mut edits = Vec::new();
        for (index, file) in self.files().iter().enumerate() {
            if *state.of(index) == FileState::Base {
                continue;
            }
            let now = entry(file, state.of(index));
            if let Some(old) = file.old_side().filter(|old| now.as_ref().is_none_or(|now| now.path != old.path)) {
                edits.push(TreeEdit { path: old.path.clone(), entry: None });
            }
            edits.extend(now.map(|now| TreeEdit { path: now.path, entry: Some((now.mode, now.id)) }));
        }
        edits
    }

    /// What separates two states, before renames are looked for.
    #[must_use]
    pub fn between(&self, from: &State, to: &State) -> Vec<ChangedPath> {
        let mut changed = Vec::new();
        for (index, file) in self.files().iter().enumerate() {
            match (entry(file, from.of(index)), entry(file, to.of(index))) {
                (old, new) if old == new => {}
                (Some(old), Some(new)) if old.path != new.path => {
                    changed.push(ChangedPath { old: Some(old), new: None });
                    changed.push(ChangedPath { old: None, new: Some(new) });
                }
                (old, new) => changed.push(ChangedPath { old, new }),
            }
        }
        changed
    }
}

/// The content of one side, empty where there is none, `None` where it is no text that could be taken apart.
fn text(file: &ChangedFile, side: Option<&Side>, blobs: &dyn Blobs) -> Result<Option<Vec<u8>>, BlobError> {
    let Some(side) = side else { return Ok(Some(Vec::new())) };
    if !side.mode.same_type(FileMode::Regular) || blobs.size(side.id)? > MAX_BYTES {
        return Ok(None);
    }
    let content = blobs.read(side.id)?;
    let head = content.get(..SNIFFED).unwrap_or(&content);
    let is_binary = file.attributes().diff.map_or_else(|| head.contains(&0), |diff| !diff);
    Ok((!is_binary).then_some(content))
}

/// What lies at the file's path in a state.
fn entry(file: &ChangedFile, state: &FileState) -> Option<Side> {
    match state {
        FileState::Base => file.old_side().cloned(),
        FileState::Start => file.new_side().cloned(),
        FileState::Between(partial) => {
            let side = file.new_side().or(file.old_side())?;
            Some(Side { id: partial.blob(), ..side.clone() })
        }
    }
}

pub(super) fn sides(file: &ChangedFile) -> impl Iterator<Item = &Side> {
    file.old_side().into_iter().chain(file.new_side())
}
