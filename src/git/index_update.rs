//! Bringing the live index up to a commit that was made from a temporary one.
//!
//! The order is git's: the lock is taken first and the new index prepared under it, then (by the caller) the ref moves,
//! then the new index is renamed into place. Whatever somebody staged since the freeze stays staged.

use std::collections::HashSet;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, SystemTime};

use bstr::{BStr, ByteSlice};
use sha2::{Digest, Sha256};
use tempfile::TempDir;

use crate::fault;

use super::backend::IndexEntries;
use super::leftover::{index_and_lock, is_stale_lock, private_folder, sign_lock};
use super::{Change, GitError, Repository, Side, WorkingTree, index_edit};

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
        Ok((Self::of(&content, modified), Some(content)))
    }

    fn of(content: &[u8], modified: SystemTime) -> Self {
        let trailer = content.last_chunk::<20>().map_or(&[] as &[u8], |trailer| trailer);
        let digest =
            if trailer.iter().any(|byte| *byte != 0) { trailer.to_vec() } else { Sha256::digest(content).to_vec() };
        Self { modified, length: content.len() as u64, digest }
    }

    pub(super) const fn modified(&self) -> SystemTime {
        self.modified
    }

    /// The modification time as git keeps it in an index: seconds since 1970.
    pub(super) fn seconds(&self) -> u32 {
        let since = self.modified.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        u32::try_from(since.as_secs()).unwrap_or(u32::MAX)
    }

    /// Whether both are the same content; the modification time may differ after a plain copy.
    pub(super) fn same_content(&self, other: &Self) -> bool {
        self.length == other.length && self.digest == other.digest
    }
}

/// The frozen working tree that a commit comes from.
#[derive(Debug, Clone, Copy)]
pub struct StagedTree<'a> {
    /// The tree.
    pub tree: &'a WorkingTree,
    /// Whether everything in it is committed then.
    pub is_last: bool,
}

/// A prepared index and the lock under which it waits. Dropping it releases the lock and changes nothing.
#[derive(Debug)]
pub struct IndexUpdate {
    lock: Lock,
    prepared: PathBuf,
    /// Where `prepared` lies, unless that is the snapshot's own folder.
    _folder: Option<TempDir>,
}

impl IndexUpdate {
    /// Puts the prepared index into place and releases the lock.
    ///
    /// # Errors
    /// The rename failed; the index is the old one.
    pub fn publish(self) -> Result<(), GitError> {
        // The lock goes last, so that whatever a kill leaves of it still says whose it was.
        fault::write("index: put into place")
            .and_then(|()| std::fs::rename(&self.prepared, &self.lock.index))
            .map_err(GitError::IndexBehind)
    }
}

#[derive(Debug)]
struct Lock {
    path: PathBuf,
    index: PathBuf,
}

impl Lock {
    fn take(index: &Path) -> Result<Self, GitError> {
        let (index, path) = index_and_lock(index);
        // Signed before it takes its place: a lock that a kill leaves must say whose it was from its first moment on.
        let folder = private_folder(path.parent().unwrap_or(&path))?;
        let signed = folder.path().join("lock");
        let mut file = File::create_new(&signed).map_err(GitError::io("creating", &signed))?;
        fault::write("index lock: sign")
            .and_then(|()| sign_lock(&mut file))
            .map_err(GitError::io("writing", &signed))?;
        for attempt in 1..=LOCK_TRIES {
            match fault::write("index lock: take").and_then(|()| std::fs::hard_link(&signed, &path)) {
                Ok(()) => return Ok(Self { path, index }),
                // What a killed run left is never absent, so that the sign of it does not get lost.
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists && is_stale_lock(&path) => {
                    std::fs::rename(&signed, &path).map_err(GitError::io("renaming", &signed))?;
                    return Ok(Self { path, index });
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
        fault::crossing("index lock: give back");
        // Nobody can be told of a failure here; git names the file in its own error if it stays.
        drop(std::fs::remove_file(&self.path));
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
        if tree.is_expected(&live) {
            return Ok(IndexUpdate { prepared: tree.index(), lock, _folder: None });
        }
        let prepared = tree.scratch("merged");
        self.copy_live(&prepared, &live, content)?;
        let (frozen, now) = (self.index_entries(&tree.original())?, self.index_entries(&prepared)?);
        self.give(&prepared, &unchanged(&frozen, &now, change), Some(StagedTree { tree, is_last: true }))?;
        Ok(IndexUpdate { lock, prepared, _folder: None })
    }

    /// Takes the index lock and prepares an index in which every path that still has the older side of one of `changes`
    /// gets the newer one. All others keep what somebody staged. `None` where there is no such path: then the index stays.
    /// A frozen working tree spares git the look at the files, until the last of its commits.
    ///
    /// # Errors
    /// [`GitError::IndexLocked`] when somebody else holds the lock.
    pub fn prepare_index_along(
        &self,
        changes: &[&Change],
        frozen: Option<StagedTree<'_>>,
    ) -> Result<Option<IndexUpdate>, GitError> {
        // What comes from a working tree was in no index; for anything else, an index may need no lock.
        if frozen.is_none() {
            let live = self.index_entries(&self.paths().index)?;
            if changes.iter().all(|change| unchanged(&older(change), &live, change).is_empty()) {
                return Ok(None);
            }
        }
        let lock = Lock::take(&self.paths().index)?;
        let folder = private_folder(&self.paths().git_dir)?;
        let prepared = folder.path().join("index");
        let (live, content) = Fingerprint::read(&lock.index)?;
        // Where nobody else writes the index, it has in the end what was staged here.
        let alone = frozen.filter(|frozen| frozen.tree.is_expected(&live));
        if let Some(StagedTree { tree, is_last: true }) = alone {
            return Ok(Some(IndexUpdate { prepared: tree.index(), lock, _folder: Some(folder) }));
        }
        if let (Some(StagedTree { tree, .. }), [change], Some(content)) = (alone, changes, &content)
            && self.edit_index(tree, (&live, content), change, &prepared)?
        {
            return Ok(Some(IndexUpdate { prepared, lock, _folder: Some(folder) }));
        }
        self.copy_live(&prepared, &live, content)?;
        let live = self.index_entries(&prepared)?;
        let mut wanted: Vec<Wanted<'_>> =
            changes.iter().flat_map(|change| unchanged(&older(change), &live, change)).collect();
        if wanted.is_empty() {
            return Ok(None);
        }
        wanted.sort_by_key(|(_, side)| side.is_some());
        self.give(&prepared, &wanted, frozen)?;
        if let Some(StagedTree { tree, .. }) = alone {
            tree.expect(Fingerprint::read(&prepared)?.0);
        }
        Ok(Some(IndexUpdate { lock, prepared, _folder: Some(folder) }))
    }

    /// Writes what this run has left of the index, with one more change, without git. `false`: git has to do it.
    fn edit_index(
        &self,
        tree: &WorkingTree,
        (live, content): (&Fingerprint, &[u8]),
        change: &Change,
        prepared: &Path,
    ) -> Result<bool, GitError> {
        if self.is_by_program() {
            return Ok(false);
        }
        let Some(edited) = index_edit::edit(content, live.seconds(), change, tree.stat_data()?) else {
            return Ok(false);
        };
        fault::write("index: edit")
            .and_then(|()| std::fs::write(prepared, &edited))
            .map_err(GitError::io("writing", prepared))?;
        tree.expect(Fingerprint::of(&edited, SystemTime::now()));
        Ok(true)
    }

    /// Whether the index still has the older side of some path of `change`.
    ///
    /// # Errors
    /// The index cannot be read.
    pub fn index_lags(&self, change: &Change) -> Result<bool, GitError> {
        Ok(!unchanged(&older(change), &self.index_entries(&self.paths().index)?, change).is_empty())
    }

    /// A private copy of the live index, bytes and time, in one piece.
    pub(super) fn copy_live(&self, copy: &Path, live: &Fingerprint, content: Option<Vec<u8>>) -> Result<(), GitError> {
        if let Some(content) = content {
            fault::write("index: copy the live one")
                .and_then(|()| std::fs::write(copy, content))
                .map_err(GitError::io("writing", copy))?;
            File::options()
                .write(true)
                .open(copy)
                .and_then(|file| file.set_modified(live.modified()))
                .map_err(GitError::io("writing", copy))?;
        }
        self.unsplit(&self.program()?, copy)
    }

    /// What the index has to be told of a change, for `git update-index -z --index-info`: one entry for each path, those
    /// that go first.
    #[must_use]
    pub fn index_info(&self, change: &Change) -> Vec<u8> {
        self.lines_of(&committed(change))
    }

    fn lines_of(&self, wanted: &[Wanted<'_>]) -> Vec<u8> {
        let mut lines = Vec::new();
        let none = self.null_id().to_string();
        for (path, side) in wanted {
            let (mode, id) = side
                .map_or_else(|| ("0".to_owned(), none.clone()), |side| (side.mode.to_string(), side.id.to_string()));
            lines.extend_from_slice(format!("{mode} {id}\t").as_bytes());
            lines.extend_from_slice(path);
            lines.push(0);
        }
        lines
    }

    /// Sets entries of a private copy of the index and brings its stat data up to date: from a frozen working tree, or by
    /// having git look at the files, unless another copy is to follow.
    pub(super) fn give(
        &self,
        copy: &Path,
        wanted: &[Wanted<'_>],
        frozen: Option<StagedTree<'_>>,
    ) -> Result<(), GitError> {
        let lines = self.lines_of(wanted);
        let git = self.program()?;
        let update = ["-c", "core.splitIndex=false", "-c", "core.hooksPath=/dev/null", "update-index"];
        let with = |more: &[&'static str], input: Option<&[u8]>| {
            let arguments: Vec<&str> = update.iter().chain(more).copied().collect();
            git.try_run(&arguments, input, |command| {
                command.env("GIT_INDEX_FILE", copy);
            })
        };
        if !lines.is_empty() {
            let given = with(&["-z", "--index-info"], Some(&lines))?;
            if !given.success {
                return Err(super::Program::failure(&["update-index", "--index-info"], &given));
            }
        }
        if let Some(StagedTree { tree, is_last }) = frozen {
            // What the program is needed for, such as other ids in the index or syncing it, is its business alone.
            let is_left = if self.is_by_program() {
                true
            } else {
                let known = tree.stat_data()?;
                known.put_into(copy, wanted)?;
                known.is_incomplete()
            };
            if !(is_last && is_left) {
                return Ok(());
            }
        }
        // Its exit code only says that some files differ from the index, which they may.
        with(&["-q", "--refresh"], None)?;
        Ok(())
    }
}

/// The older side of a change, as entries.
fn older(change: &Change) -> IndexEntries {
    let sides = change.files().iter().filter_map(super::ChangedFile::old_side);
    sides.map(|side| (side.path.clone(), (side.mode.bits(), side.id))).collect()
}

/// A path with what its entry is to become; `None`: no entry.
pub(super) type Wanted<'a> = (&'a BStr, Option<&'a Side>);

/// The paths of a change whose entries are still what they were, with what they are to become.
fn unchanged<'a>(before: &IndexEntries, live: &IndexEntries, change: &'a Change) -> Vec<Wanted<'a>> {
    let mut wanted = committed(change);
    wanted.retain(|(path, _)| before.get(*path) == live.get(*path));
    let is_new = |path: &BStr| !live.contains_key(path);
    if wanted.iter().any(|(path, side)| side.is_some() && is_new(path)) {
        // Somebody may have staged a file where a folder is to be, or a folder where a file is to be: theirs stays.
        let removed: HashSet<&BStr> = wanted.iter().filter(|(_, side)| side.is_none()).map(|(path, _)| *path).collect();
        let staying: HashSet<&BStr> =
            live.keys().map(|path| path.as_bstr()).filter(|path| !removed.contains(path)).collect();
        let folders: HashSet<&BStr> = staying.iter().flat_map(|path| parents(path)).collect();
        let blocked = |path: &BStr| folders.contains(path) || parents(path).any(|folder| staying.contains(folder));
        wanted.retain(|(path, side)| side.is_none() || !is_new(path) || !blocked(path));
    }
    wanted
}

/// The folders that a path lies in, innermost first.
pub(super) fn parents(path: &BStr) -> impl Iterator<Item = &BStr> {
    path.rfind_iter(b"/").filter_map(|slash| path.get(..slash).map(ByteSlice::as_bstr))
}

/// Every path that a change touches, with what the commit has there; `None` where it has nothing.
fn committed(change: &Change) -> Vec<Wanted<'_>> {
    let mut paths: Vec<Wanted<'_>> = Vec::new();
    for file in change.files() {
        paths.extend(file.gone().map(|old| (old.path.as_bstr(), None)));
        paths.extend(file.new_side().map(|new| (new.path.as_bstr(), Some(new))));
    }
    // Removals first: a folder can only take a file's place when the file is gone.
    paths.sort_by_key(|(_, side)| side.is_some());
    paths
}
