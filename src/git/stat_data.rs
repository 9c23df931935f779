//! Stat data of index entries, carried from one index file into another.
//!
//! `git update-index --index-info` makes entries without stat data, and `--refresh` gets it by reading every file that
//! may differ. After a freeze the temporary index has it already. Only fixed fields of entries are written over, so all
//! else in the file stays as git wrote it.

use std::cell::Cell;
use std::collections::HashMap;
use std::path::Path;

use bstr::{BStr, BString, ByteSlice};
use gix_index::hash;

use crate::fault;

use super::index_update::{Fingerprint, Wanted};
use super::{GitError, Side};

/// Length of a SHA-1 id, and of the checksum at the end of the file.
const ID: usize = 20;
/// The entry's fields before its id: times, device and inode, mode, owner, size; four bytes each but the times.
const STAT: usize = 40;
const MODE: std::ops::Range<usize> = 24..28;
const EXTENDED: u16 = 0x4000;
const STAGE: u16 = 0x3000;

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
        let written = fingerprint.modified().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        let written = u32::try_from(written.as_secs()).unwrap_or(u32::MAX);
        let mut entries = HashMap::new();
        if let Some(content) = content {
            each(&content, |entry| {
                if let Some(known) = known(&content, entry.start, written) {
                    entries.insert(entry.path.clone(), known);
                }
            });
        }
        Ok(Self { entries, is_incomplete: Cell::new(false) })
    }

    /// Gives the entries of an index that git has just written the stat data of the same content, as `--refresh` would.
    /// Entries of which nothing certain is known keep what they have, and git looks at their files when it needs to.
    pub(super) fn put_into(&self, index: &Path, wanted: &[Wanted<'_>]) -> Result<(), GitError> {
        let mut content = std::fs::read(index).map_err(GitError::io("reading", index))?;
        let mut places = Vec::new();
        each(&content, |entry| {
            let known =
                self.entries.get(entry.path).filter(|known| known.settled && known.is_of(&content, entry.start));
            places.extend(known.map(|known| (entry.start, known.stat)));
        });
        // A content that the file does not have, such as some of its hunks, differs anyway.
        let is_certain = |path: &BStr, side: &Side| {
            let known = self.entries.get(path);
            known.is_some_and(|known| {
                known.settled || side.id.as_bytes() != known.id || side.mode.bits() != known.mode()
            })
        };
        if !wanted.iter().all(|(path, side)| side.is_none_or(|side| is_certain(path, side))) {
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
    /// Whether the entry at a place in an index is of the same mode and content.
    fn is_of(&self, content: &[u8], start: usize) -> bool {
        let id = start + STAT;
        let mode = content.get(start + MODE.start..start + MODE.end);
        mode == self.stat.get(MODE) && content.get(id..id + ID) == Some(&self.id[..])
    }

    fn mode(&self) -> u32 {
        self.stat.get(MODE).and_then(|mode| mode.try_into().ok()).map_or(0, u32::from_be_bytes)
    }
}

/// Where an entry without conflicts begins, and what it is of.
struct Place<'a> {
    start: usize,
    path: &'a BString,
}

/// Calls `visit` for each entry of an index file, in order, as far as it can be read.
///
/// The layout is that of gitformat-index(5), versions 2 to 4 with SHA-1.
fn each(content: &[u8], mut visit: impl FnMut(Place<'_>)) {
    let word = |at: usize| content.get(at..at + 4)?.try_into().ok().map(u32::from_be_bytes);
    let (Some(b"DIRC"), Some(version @ 2..=4), Some(count)) = (content.get(..4), word(4), word(8)) else { return };
    let mut path = BString::default();
    let mut start = 12;
    for _ in 0..count {
        let Some(next) = entry(content, start, version, &mut path) else { return };
        let flags = flags(content, start).unwrap_or(STAGE);
        if flags & STAGE == 0 {
            visit(Place { start, path: &path });
        }
        start = next;
    }
}

fn flags(content: &[u8], start: usize) -> Option<u16> {
    let flags = start + STAT + ID;
    content.get(flags..flags + 2)?.try_into().ok().map(u16::from_be_bytes)
}

/// Reads the path of an entry over that of the one before, and returns where the next entry begins.
fn entry(content: &[u8], start: usize, version: u32, path: &mut BString) -> Option<usize> {
    let mut name = start + STAT + ID + 2;
    if version >= 3 && flags(content, start)? & EXTENDED != 0 {
        name += 2;
    }
    if version == 4 {
        let (cut, length) = offset_number(content.get(name..)?)?;
        name += length;
        let kept = path.len().checked_sub(cut)?;
        path.truncate(kept);
    } else {
        path.clear();
    }
    let rest = content.get(name..)?;
    let end = rest.find_byte(0)?;
    path.extend_from_slice(rest.get(..end)?);
    let end = name + end;
    // Padded with one to eight zeros to a multiple of eight, except where paths are compressed.
    Some(if version == 4 { end + 1 } else { start + (end - start + 8) / 8 * 8 })
}

/// The variable-width number of pack files' offsets, and how many bytes it takes.
fn offset_number(bytes: &[u8]) -> Option<(usize, usize)> {
    let mut number = 0_usize;
    for (index, byte) in bytes.iter().take(5).enumerate() {
        number = number.checked_mul(128)?.checked_add(usize::from(byte & 127))?;
        if byte & 128 == 0 {
            return Some((number, index + 1));
        }
        number += 1;
    }
    None
}

fn known(content: &[u8], at: usize, written: u32) -> Option<Entry> {
    let fields = content.get(at..at + STAT + ID)?;
    let (stat, id) = (*fields.first_chunk::<STAT>()?, *fields.last_chunk::<ID>()?);
    let word = |at: usize| fields.get(at..at + 4)?.try_into().ok().map(u32::from_be_bytes);
    // git sets the size to nothing where it has seen a file change in the tick in which it was read.
    let settled = word(8)? < written && word(36)? != 0;
    Some(Entry { stat, id, settled })
}

/// Renews the checksum at the end, unless there is none. `false` where it cannot be made.
fn sign(content: &mut [u8]) -> bool {
    let Some((body, trailer)) = content.split_last_chunk_mut::<ID>() else { return false };
    if trailer.iter().all(|byte| *byte == 0) {
        return true;
    }
    let mut hasher = hash::hasher(hash::Kind::Sha1);
    hasher.update(body);
    let Ok(digest) = hasher.try_finalize() else { return false };
    let Ok(digest) = <[u8; ID]>::try_from(digest.as_slice()) else { return false };
    *trailer = digest;
    true
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

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
            each(&content, |entry| places.push((entry.start, entry.path.clone())));
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
