//! How far a tree has come from the base to the start, file by file.

use std::collections::BTreeMap;

use crate::git::{Blobs, GitError, ObjectId, Repository};

use super::hunks::{Lines, Script};
use super::{Ground, StageError};

/// A file in a tree between base and start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileState {
    /// As in the base.
    Base,
    /// With some of its changed lines.
    Between(Partial),
    /// As at the start.
    Start,
}

/// Some of the changed lines of a file, and the content they make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Partial {
    lines: Lines,
    blob: ObjectId,
}

impl Partial {
    pub(super) const fn new(lines: Lines, blob: ObjectId) -> Self {
        Self { lines, blob }
    }

    /// Which changed lines are in it.
    #[must_use]
    pub const fn lines(&self) -> &Lines {
        &self.lines
    }

    /// The content.
    #[must_use]
    pub const fn blob(&self) -> ObjectId {
        self.blob
    }
}

impl FileState {
    /// Whether a later tree may have `later` where this one has `self`: nothing that was taken is given back.
    #[must_use]
    pub fn may_become(&self, later: &FileState) -> bool {
        match (self, later) {
            (FileState::Base, _) | (_, FileState::Start) => true,
            (FileState::Between(one), FileState::Between(other)) => one.lines.is_within(&other.lines),
            _ => false,
        }
    }
}

/// A tree between base and start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct State {
    files: Vec<FileState>,
}

impl State {
    /// The base itself.
    #[must_use]
    pub fn base(ground: &Ground) -> Self {
        Self { files: vec![FileState::Base; ground.files().len()] }
    }

    /// The start itself.
    #[must_use]
    pub fn start(ground: &Ground) -> Self {
        Self { files: vec![FileState::Start; ground.files().len()] }
    }

    /// Whether it is the start.
    #[must_use]
    pub fn is_start(&self) -> bool {
        self.files.iter().all(|file| *file == FileState::Start)
    }

    /// One file.
    #[must_use]
    pub fn of(&self, index: usize) -> &FileState {
        self.files.get(index).unwrap_or(&FileState::Base)
    }

    pub(super) fn set(&mut self, index: usize, state: FileState) {
        if let Some(file) = self.files.get_mut(index) {
            *file = state;
        }
    }

    /// Whether a tree may follow: nothing that was taken is given back.
    #[must_use]
    pub fn may_become(&self, later: &State) -> bool {
        self.files.iter().zip(&later.files).all(|(now, later)| now.may_become(later))
    }

    /// The files that differ, in order.
    pub(super) fn differing<'a>(&'a self, other: &'a State) -> impl Iterator<Item = usize> + 'a {
        let pairs = self.files.iter().zip(&other.files).enumerate();
        pairs.filter(|(_, (one, other))| one != other).map(|(index, _)| index)
    }
}

/// Where contents are read and new ones are kept.
pub trait Objects: Blobs {
    /// Keeps a content.
    ///
    /// # Errors
    /// It cannot be written.
    fn keep(&self, content: &[u8]) -> Result<ObjectId, GitError>;
}

impl Objects for Repository {
    fn keep(&self, content: &[u8]) -> Result<ObjectId, GitError> {
        self.write_blob(content)
    }
}

/// The edit scripts of the files that are taken apart, by position in the change.
#[derive(Debug, Clone, Default)]
pub struct Scripts {
    by_file: BTreeMap<usize, Script>,
}

impl Scripts {
    pub(super) fn insert(&mut self, file: usize, script: Script) {
        self.by_file.insert(file, script);
    }

    /// The script of a file, where it is taken apart.
    #[must_use]
    pub fn of(&self, file: usize) -> Option<&Script> {
        self.by_file.get(&file)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (usize, &Script)> {
        self.by_file.iter().map(|(file, script)| (*file, script))
    }

    /// Makes the script of a file where there is none yet; `false` when it can only go whole.
    pub(super) fn ensure(&mut self, ground: &Ground, file: usize, blobs: &dyn Blobs) -> Result<bool, StageError> {
        if !self.by_file.contains_key(&file) {
            let Some(script) = ground.script(file, blobs)? else { return Ok(false) };
            self.insert(file, script);
        }
        Ok(true)
    }

    /// The file with these of its changed lines.
    pub(super) fn partial(
        &self,
        ground: &Ground,
        file: usize,
        lines: Lines,
        objects: &dyn Objects,
    ) -> Result<FileState, StageError> {
        let Some(script) = self.of(file) else { return Ok(FileState::Base) };
        let was_there = ground.file(file).is_some_and(|file| file.old_side().is_some());
        if lines.is_all() {
            return Ok(FileState::Start);
        }
        if lines.is_none() && was_there {
            return Ok(FileState::Base);
        }
        let blob = objects.keep(&script.splice(&lines))?;
        Ok(FileState::Between(Partial::new(lines, blob)))
    }

    /// Which changed lines of a file a state has.
    pub(super) fn lines(&self, file: usize, state: &FileState) -> Lines {
        let count = self.of(file).map_or(0, Script::changed_lines);
        match state {
            FileState::Base => Lines::none(count),
            FileState::Between(partial) => partial.lines.clone(),
            FileState::Start => Lines::all(count),
        }
    }
}
