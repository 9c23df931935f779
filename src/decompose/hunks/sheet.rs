//! The numbered hunks that the stager is shown.

use bstr::ByteSlice;

use crate::git::Blobs;

use super::super::plan::Plan;
use super::super::state::Scripts;
use super::super::{Ground, Note, StageError};
use super::Script;

/// The hunks of the files that several concepts share, numbered from 1 through all of them.
#[derive(Debug, Clone, Default)]
pub struct Sheet {
    pub(in crate::decompose) scripts: Scripts,
    numbers: Vec<(usize, usize)>,
    notes: Vec<Note>,
}

/// One hunk as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumberedHunk {
    /// Its number.
    pub number: usize,
    /// The position of its file in the change.
    pub file: usize,
    /// Its file, quoted as git quotes.
    pub path: String,
    /// Its header, as git prints it.
    pub header: String,
    /// Its lines with their signs, lossily decoded.
    pub text: String,
}

impl Sheet {
    /// The hunks of all files that several concepts claim and that can be taken apart. Empty: nobody need be asked.
    ///
    /// # Errors
    /// A content cannot be read or compared.
    pub fn new(ground: &Ground, plan: &Plan, blobs: &dyn Blobs) -> Result<Self, StageError> {
        let mut sheet = Self::default();
        for file in plan.shared() {
            if let Some(script) = ground.script(file, blobs)? {
                sheet.numbers.extend((0..script.hunks().len()).map(|hunk| (file, hunk)));
                sheet.scripts.insert(file, script);
            } else {
                let titles: Vec<&str> = plan
                    .concepts
                    .iter()
                    .filter(|concept| concept.has(file))
                    .map(|concept| concept.title.as_str())
                    .collect();
                let Some((kept, others)) = titles.split_first() else { continue };
                sheet.notes.extend(others.iter().map(|also| Note::ClaimedTwice {
                    path: ground.name(file),
                    kept: (*kept).to_owned(),
                    also: (*also).to_owned(),
                }));
            }
        }
        Ok(sheet)
    }

    /// Whether there is nothing to be shared out.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// How many hunks there are; they are numbered from 1.
    #[must_use]
    pub fn len(&self) -> usize {
        self.numbers.len()
    }

    /// The hunks as the stager is shown them.
    #[must_use]
    pub fn hunks(&self, ground: &Ground) -> Vec<NumberedHunk> {
        let shown = self.numbers.iter().enumerate().filter_map(|(index, (file, hunk))| {
            let script = self.scripts.of(*file)?;
            let hunk = script.hunks().get(*hunk)?;
            Some(NumberedHunk {
                number: index + 1,
                file: *file,
                path: ground.name(*file),
                header: Script::header(hunk),
                text: script.text(hunk).to_str_lossy().into_owned(),
            })
        });
        shown.collect()
    }

    /// Both contents of a file that is shared out, whole.
    #[must_use]
    pub fn sides(&self, file: usize) -> Option<[&[u8]; 2]> {
        self.scripts.of(file).map(Script::sides)
    }

    /// The files that are shared out.
    pub(in crate::decompose) fn has(&self, file: usize) -> bool {
        self.scripts.of(file).is_some()
    }

    /// The file of a hunk.
    pub(in crate::decompose) fn file_of(&self, number: usize) -> Option<usize> {
        number.checked_sub(1).and_then(|index| self.numbers.get(index)).map(|(file, _)| *file)
    }

    /// The number of a file's first hunk.
    pub(in crate::decompose) fn first_number(&self, file: usize) -> usize {
        self.numbers.partition_point(|(other, _)| *other < file) + 1
    }

    pub(in crate::decompose) fn notes(&self) -> &[Note] {
        &self.notes
    }
}
