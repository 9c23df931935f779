//! Stat data of index entries, carried from one index file into another.
//!
//! `git update-index --index-info` makes entries without stat data, and `--refresh` gets it by reading every file that
//! may differ. After a freeze the temporary index has it already. Only fixed fields of entries are written over, so all
//! else in the file stays as git wrote it.

use std::cell::Cell;
use std::collections::HashMap;
use std::path::Path;

use bstr::BString;

use crate::fault;

use super::index_layout::{ID, MODE, MODIFIED, SIZE, STAT, each, number, sign};
use super::index_update::{Fingerprint, Wanted};
use super::{GitError, Side};

/// What a temporary index knows of the files it was made from.
#[derive(Debug)]
pub(super) struct StatData {
    entries: HashMap<BString, Entry>,
    is_incomplete: Cell<bool>,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    stat: [u8; STAT],
    id: [u8; ID],
    /// Whether the file was written before the index was. Of any other, an edit in the same second would not be noticed:
    /// git compares no smaller parts of it, unless it was built to.
    settled: bool,
}

impl StatData {
    /// Reads an index file; empty where it is of a kind that is not known here.
    pub(super) fn read(index: &Path) -> Result<Self, GitError> {
        let (fingerprint, content) = Fingerprint::read(index)?;
        let written = fingerprint.seconds();
        let mut entries = HashMap::new();
        if let Some(content) = content {
            each(&content, |row| {
                if row.is_unmerged() {
                    return;
                }
                if let Some(known) = known(&content, row.bytes.start, written) {
                    entries.insert(row.path.clone(), known);
                }
            });
        }
        Ok(Self { entries, is_incomplete: Cell::new(false) })
    }

    /// All fields of a new entry, as `--refresh` would leave them. Where nothing certain is known there is only what is to be
    /// committed, and git looks at the file when it needs to.
    pub(super) fn fields_of(&self, side: &Side) -> Option<[u8; STAT + ID]> {
        let known = self.entries.get(&side.path).filter(|known| known.is_of(side));
        if !self.is_certain(side) {
            self.is_incomplete.set(true);
        }
        let mut fields = [0; STAT + ID];
        let (stat, id) = fields.split_at_mut(STAT);
        match known.filter(|known| known.settled) {
            Some(known) => stat.copy_from_slice(&known.stat),
            None => stat.get_mut(MODE)?.copy_from_slice(&side.mode.bits().to_be_bytes()),
        }
        id.copy_from_slice(&<[u8; ID]>::try_from(side.id.as_bytes()).ok()?);
        Some(fields)
    }

    /// What an entry has to have in an index that is written now, of which git would have found no difference by the times
    /// alone. `None`: nothing certain is known.
    pub(super) fn after_a_look(&self, path: &BString, fields: &[u8]) -> Option<[u8; STAT]> {
        match self.entries.get(path) {
            Some(known) if known.has(fields) => known.settled.then_some(known.stat),
            // The file has changed; without a size git sees that at once.
            _ => {
                let mut stat = *fields.first_chunk::<STAT>()?;
                stat[SIZE].fill(0);
                Some(stat)
            }
        }
    }

    /// A content that the file does not have, such as some of its hunks, differs anyway.
    fn is_certain(&self, side: &Side) -> bool {
        self.entries.get(&side.path).is_some_and(|known| known.settled || !known.is_of(side))
    }

    /// Gives the entries of an index that git has just written the stat data of the same content, as `--refresh` would.
    /// Entries of which nothing certain is known keep what they have, and git looks at their files when it needs to.
    pub(super) fn put_into(&self, index: &Path, wanted: &[Wanted<'_>]) -> Result<(), GitError> {
        let mut content = std::fs::read(index).map_err(GitError::io("reading", index))?;
        let mut places = Vec::new();
        each(&content, |row| {
            let fields = content.get(row.bytes.clone()).filter(|_| !row.is_unmerged());
            let known = self.entries.get(row.path).filter(|known| known.settled);
            if let (Some(known), Some(fields)) = (known, fields) {
                places.extend(known.has(fields).then_some((row.bytes.start, known.stat)));
            }
        });
        if !wanted.iter().all(|(_, side)| side.is_none_or(|side| self.is_certain(side))) {
            self.is_incomplete.set(true);
        }
        for (start, stat) in places {
            if let Some(fields) = content.get_mut(start..start + STAT) {
                fields.copy_from_slice(&stat);
            }
        }
        if !sign(&mut content) {
            self.is_incomplete.set(true);
            return Ok(());
        }
        fault::write("index: stat data")
            .and_then(|()| std::fs::write(index, content))
            .map_err(GitError::io("writing", index))
    }

    /// Whether some index was given entries of which nothing certain is known.
    pub(super) const fn is_incomplete(&self) -> bool {
        self.is_incomplete.get()
    }
}

impl Entry {
    /// Whether the fields of an entry are of the same mode and content.
    fn has(&self, fields: &[u8]) -> bool {
        fields.get(MODE) == self.stat.get(MODE) && fields.get(STAT..STAT + ID) == Some(&self.id[..])
    }

    fn is_of(&self, side: &Side) -> bool {
        side.id.as_bytes() == self.id && number(&self.stat, MODE.start) == Some(side.mode.bits())
    }
}

fn known(content: &[u8], at: usize, written: u32) -> Option<Entry> {
    let fields = content.get(at..at + STAT + ID)?;
    let (stat, id) = (*fields.first_chunk::<STAT>()?, *fields.last_chunk::<ID>()?);
    // git sets the size to nothing where it has seen a file change in the tick in which it was read.
    let settled = number(fields, MODIFIED.start)? < written && number(fields, SIZE.start)? != 0;
    Some(Entry { stat, id, settled })
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use bstr::ByteSlice;

    use super::super::ObjectId;
    use super::super::testing::Scratch;
    use super::*;

    /// The entries as git lists them, with all stat data.
    fn listed(scratch: &Scratch, index: &str) -> String {
        let mut command = scratch.command(&["ls-files", "--stage", "--debug"]);
        let output = command.env("GIT_INDEX_FILE", index).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    fn sides(scratch: &Scratch, index: &Path) -> Vec<Side> {
        let entries = scratch.open().index_entries(index).unwrap();
        let side = |(path, (mode, id)): (BString, (u32, ObjectId))| {
            let mode = super::super::FileMode::from_bits(mode).unwrap();
            Side { path, mode, id }
        };
        entries.into_iter().map(side).collect()
    }

    /// A repository with files of all lengths of names, last written an hour ago, and an index of the given form.
    fn repository(settings: &[(&str, &str)]) -> Scratch {
        let scratch = Scratch::new();
        for (key, value) in settings {
            scratch.git(&["config", key, value]);
        }
        let hour_ago = SystemTime::now() - Duration::from_secs(3600);
        for length in 1..40 {
            let name = format!("folder{}/{}", length % 3, "n".repeat(length));
            scratch.write(&name, format!("{length}\n"));
            let file = std::fs::File::options().write(true).open(scratch.path().join(name)).unwrap();
            file.set_modified(hour_ago).unwrap();
        }
        scratch.git(&["add", "-A"]);
        // An entry with a second word of flags, and one without content.
        scratch.git(&["update-index", "--skip-worktree", "folder1/n"]);
        scratch.write("later", "x");
        scratch.git(&["add", "-N", "later"]);
        scratch
    }

    #[test]
    fn all_stat_data_comes_across_and_nothing_else_changes() {
        let forms: [&[(&str, &str)]; 5] = [
            &[("index.version", "2")],
            &[("index.version", "3")],
            &[("index.version", "4")],
            &[("index.skipHash", "true")],
            &[("core.untrackedCache", "true"), ("index.threads", "2")],
        ];
        for form in forms {
            let scratch = repository(form);
            let full = scratch.index();
            let known = StatData::read(&full).unwrap();
            let sides = sides(&scratch, &full);
            let wanted: Vec<Wanted<'_>> = sides.iter().map(|side| (side.path.as_bstr(), Some(side))).collect();
            let expected = listed(&scratch, ".git/index");

            let copy = scratch.path().join(".git/copy");
            std::fs::copy(&full, &copy).unwrap();
            // What git's plumbing leaves of stat data: none. Flags are kept, so the entries must not be new.
            let mut content = std::fs::read(&copy).unwrap();
            let mut places = Vec::new();
            each(&content, |row| places.push((row.bytes.start, row.path.clone())));
            assert_eq!(places.len(), 40, "{form:?}");
            for (start, path) in &places {
                if path != "later" {
                    content[*start..start + 24].fill(0);
                    content[start + 28..start + STAT].fill(0);
                }
            }
            assert!(sign(&mut content));
            std::fs::write(&copy, content).unwrap();
            assert_ne!(listed(&scratch, ".git/copy"), expected, "{form:?}");

            known.put_into(&copy, &wanted).unwrap();
            assert!(!known.is_incomplete(), "{form:?}");
            assert_eq!(listed(&scratch, ".git/copy"), expected, "{form:?}");
            assert_eq!(std::fs::read(&copy).unwrap(), std::fs::read(&full).unwrap(), "{form:?}");
        }
    }

    #[test]
    fn a_file_written_in_the_same_second_as_the_index_is_left_to_git() {
        let scratch = repository(&[]);
        let index = scratch.index();
        let second = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000);
        let set =
            |path: &Path, time| std::fs::File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
        set(&scratch.path().join("folder2/nn"), second + Duration::from_millis(100));
        scratch.git(&["add", "folder2/nn"]);
        for (written, is_incomplete) in [(900, true), (1000, false)] {
            set(&index, second + Duration::from_millis(written));
            let known = StatData::read(&index).unwrap();
            let sides = sides(&scratch, &index);
            let side = sides.iter().find(|side| side.path == "folder2/nn").unwrap();
            known.put_into(&index, &[(side.path.as_bstr(), Some(side))]).unwrap();
            assert_eq!(known.is_incomplete(), is_incomplete);
        }
    }

    #[test]
    fn what_is_not_known_is_left_to_git() {
        let scratch = repository(&[]);
        let index = scratch.index();
        let sides = sides(&scratch, &index);
        let side = sides.first().unwrap();
        let before = std::fs::read(&index).unwrap();
        let given = |index: &Path, wanted: &[Wanted<'_>]| {
            let known = StatData::read(&scratch.index()).unwrap();
            known.put_into(index, wanted).unwrap();
            known.is_incomplete()
        };
        let other = Side { path: "nowhere".into(), ..side.clone() };
        assert!(given(&index, &[(other.path.as_bstr(), Some(&other))]));
        // Of another content, and of what is gone, nothing has to be known.
        let id: ObjectId = "0123456789012345678901234567890123456789".parse().unwrap();
        let other = Side { id, ..side.clone() };
        assert!(!given(&index, &[(side.path.as_bstr(), Some(&other)), ("gone".into(), None)]));
        assert_eq!(std::fs::read(&index).unwrap(), before);
        for cut in [0, 3, 11, 12, 60, 100, before.len() / 2] {
            let torn = scratch.path().join(".git/torn");
            std::fs::write(&torn, &before[..cut]).unwrap();
            given(&torn, &[(side.path.as_bstr(), Some(side))]);
            assert_eq!(std::fs::metadata(&torn).unwrap().len(), cut as u64);
        }
    }
}
