//! Bringing the live index up to a commit that was made from a temporary one.
//!
//! The order is git's: the lock is taken first and the new index prepared under it, then (by the caller) the ref moves,
//! then the new index is renamed into place. Whatever somebody staged since the freeze stays staged.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, SystemTime};

use bstr::{BStr, BString, ByteSlice};
use gix_index::State;
use gix_index::entry::Stage;
use sha2::{Digest, Sha256};

use super::{Change, GitError, ObjectId, Repository, Side, WorkingTree, index_file};

const LOCK_TRIES: usize = 5;
const LOCK_PAUSE: Duration = Duration::from_millis(100);

/// What an index file was at one moment, so that any later write is noticed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fingerprint {
    modified: SystemTime,
    length: u64,
    /// The checksum that git puts at the end, or a digest of our own where `index.skipHash` left it out. Empty: no file.
    digest: Vec<u8>,
}

impl Fingerprint {
    /// Reads the file through one handle, so that the answer is about one version of it.
    pub(super) fn read(index: &Path) -> Result<(Self, Option<Vec<u8>>), GitError> {
        let mut file = match File::open(index) {
            Ok(file) => file,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                let absent = Self { modified: SystemTime::UNIX_EPOCH, length: 0, digest: Vec::new() };
                return Ok((absent, None));
            }
            Err(error) => return Err(GitError::io("reading", index)(error)),
        };
        let mut content = Vec::new();
        let metadata = file.metadata().map_err(GitError::io("reading", index))?;
        file.read_to_end(&mut content).map_err(GitError::io("reading", index))?;
        let modified = metadata.modified().map_err(GitError::io("reading", index))?;
        let trailer = content.last_chunk::<20>().map_or(&[] as &[u8], |trailer| trailer);
        let digest =
            if trailer.iter().any(|byte| *byte != 0) { trailer.to_vec() } else { Sha256::digest(&content).to_vec() };
        Ok((Self { modified, length: content.len() as u64, digest }, Some(content)))
    }

    pub(super) const fn modified(&self) -> SystemTime {
        self.modified
    }

    /// Whether both are the same content; the modification time may differ after a plain copy.
    fn same_content(&self, other: &Self) -> bool {
        self.length == other.length && self.digest == other.digest
    }
}

/// A prepared index and the lock under which it waits. Dropping it releases the lock and changes nothing.
#[derive(Debug)]
pub struct IndexUpdate {
    lock: Lock,
    prepared: PathBuf,
}

impl IndexUpdate {
    /// Puts the prepared index into place and releases the lock.
    ///
    /// # Errors
    /// The rename failed; the index is the old one.
    pub fn publish(self) -> Result<(), GitError> {
        let IndexUpdate { mut lock, prepared } = self;
        // First onto the lock, which stays held, then into place, which releases it: git's own last step.
        std::fs::rename(&prepared, &lock.path).map_err(GitError::io("replacing", &lock.path))?;
        std::fs::rename(&lock.path, &lock.index).map_err(GitError::io("replacing", &lock.index))?;
        lock.held = false;
        Ok(())
    }
}

#[derive(Debug)]
struct Lock {
    path: PathBuf,
    index: PathBuf,
    held: bool,
}

impl Lock {
    fn take(index: &Path) -> Result<Self, GitError> {
        // The file behind a symlink is replaced, not the link.
        let index = index.canonicalize().unwrap_or_else(|_| index.to_owned());
        let mut path = index.clone().into_os_string();
        path.push(".lock");
        let path = PathBuf::from(path);
        for attempt in 1..=LOCK_TRIES {
            match OpenOptions::new().write(true).create_new(true).open(&path) {
                Ok(mut file) => {
                    let lock = Self { path, index, held: true };
                    writeln!(file, "stagecoach {}", std::process::id()).map_err(GitError::io("writing", &lock.path))?;
                    return Ok(lock);
                }
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                    if attempt < LOCK_TRIES {
                        sleep(LOCK_PAUSE);
                    }
                }
                Err(error) => return Err(GitError::io("creating", path)(error)),
            }
        }
        Err(GitError::IndexLocked(path))
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        if self.held {
            // Nobody can be told of a failure here; git names the file in its own error if it stays.
            drop(std::fs::remove_file(&self.path));
        }
    }
}

impl Repository {
    /// Takes the index lock and prepares the index that goes with a commit of `tree`, whose changes are `change`.
    ///
    /// # Errors
    /// [`GitError::IndexLocked`] when somebody else holds the lock.
    pub fn prepare_index(&self, tree: &WorkingTree, change: &Change) -> Result<IndexUpdate, GitError> {
        let lock = Lock::take(&self.paths().index)?;
        let (live, content) = Fingerprint::read(&lock.index)?;
        if live.same_content(&tree.fingerprint) {
            return Ok(IndexUpdate { prepared: tree.index(), lock });
        }
        let prepared = tree.scratch("merged");
        if let Some(content) = content {
            std::fs::write(&prepared, content).map_err(GitError::io("writing", &prepared))?;
            File::options()
                .write(true)
                .open(&prepared)
                .and_then(|file| file.set_modified(live.modified()))
                .map_err(GitError::io("writing", &prepared))?;
        }
        self.unsplit(&self.program()?, &prepared)?;
        self.merge_entries(&tree.original(), &prepared, change)?;
        Ok(IndexUpdate { lock, prepared })
    }

    /// Gives those paths of a private copy of the live index the committed content whose entries are still what they
    /// were at the freeze. All others keep what somebody staged meanwhile.
    fn merge_entries(&self, original: &Path, copy: &Path, change: &Change) -> Result<(), GitError> {
        let (frozen, live) = (index_file::read(original)?, index_file::read(copy)?);
        let (frozen, live) = (entries(&frozen), entries(&live));
        let mut lines = Vec::new();
        for (path, side) in committed(change) {
            if frozen.get(path) != live.get(path) {
                continue;
            }
            let (mode, id) = side
                .map_or_else(|| ("0".to_owned(), "0".repeat(40)), |side| (side.mode.to_string(), side.id.to_string()));
            lines.extend_from_slice(format!("{mode} {id}\t").as_bytes());
            lines.extend_from_slice(path);
            lines.push(0);
        }
        let git = self.program()?;
        let update = ["-c", "core.splitIndex=false", "-c", "core.hooksPath=/dev/null", "update-index"];
        let with = |more: &[&'static str], input: Option<&[u8]>| {
            let arguments: Vec<&str> = update.iter().chain(more).copied().collect();
            git.try_run(&arguments, input, |command| {
                command.env("GIT_INDEX_FILE", copy);
            })
        };
        let merged = with(&["-z", "--index-info"], Some(&lines))?;
        if !merged.success {
            return Err(super::Program::failure(&["update-index", "--index-info"], &merged));
        }
        // Its exit code only says that some files differ from the index, which they may.
        with(&["-q", "--refresh"], None)?;
        Ok(())
    }
}

type Entries = HashMap<BString, (u32, ObjectId)>;

fn entries(state: &State) -> Entries {
    let of = |entry: &gix_index::Entry| {
        let id = ObjectId::from_bytes(entry.id.as_slice()).ok()?;
        let plain = entry.stage() == Stage::Unconflicted && !index_file::is_intent_to_add(entry);
        plain.then(|| (entry.path(state).to_owned(), (entry.mode.bits(), id)))
    };
    state.entries().iter().filter_map(of).collect()
}

/// Every path that a change touches, with what the commit has there; `None` where it has nothing.
fn committed(change: &Change) -> Vec<(&BStr, Option<&Side>)> {
    let mut paths: Vec<(&BStr, Option<&Side>)> = Vec::new();
    for file in change.files() {
        let (old, new) = (file.old_side(), file.new_side());
        if let Some(old) = old
            && new.is_none_or(|new| new.path != old.path)
        {
            paths.push((old.path.as_bstr(), None));
        }
        if let Some(new) = new {
            paths.push((new.path.as_bstr(), Some(new)));
        }
    }
    // Removals first: a folder can only take a file's place when the file is gone.
    paths.sort_by_key(|(_, side)| side.is_some());
    paths
}
