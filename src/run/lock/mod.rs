//! One run per repository: an advisory lock on a file outside of it.
//!
//! The lock is the system's, on the open file, so it goes with its process however that ends; the file itself is removed
//! by its holder, or by a later run when its process is gone. Whoever has locked a file looks whether it still is the one
//! of that name, because the last holder may have removed it in between: so no two runs hold *the* lock.
//!
//! It is a courtesy. Different environments may see different folders, and what keeps a commit from being overwritten is
//! the comparison when the branch moves.

mod holder;

use std::fs::{File, TryLockError};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

use faster_hex::hex_string;
use sha2::{Digest as _, Sha256};

use crate::fault;
use crate::private::{self, PrivateError, io_error};

pub use holder::Holder;

/// No file of ours is longer, in bytes.
const LONGEST: u64 = 64 * 1024;
/// How often a file that was removed under our hands, or that says nothing yet, is looked at again.
const TRIES: usize = 50;
const PAUSE: Duration = Duration::from_millis(2);
/// What the names of lock files end with.
const EXTENSION: &str = "lock";

/// Where the locks of a user's runs may lie.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LockFolders {
    /// The folder for what runs at the moment (`$XDG_RUNTIME_DIR`), which must be the user's own.
    pub runtime: Option<PathBuf>,
    /// stagecoach's folder below the cache folder, which is used where there is no such folder.
    pub cache: Option<PathBuf>,
}

/// The place of one repository's lock; nothing is held.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LockPlace {
    /// `…/stagecoach/locks`
    folder: PathBuf,
    name: String,
}

/// The lock, held until this is dropped.
#[derive(Debug)]
pub struct RunLock {
    file: File,
    path: PathBuf,
}

/// What came of trying to take the lock.
#[derive(Debug)]
pub enum Taken {
    /// It is ours.
    Held(RunLock),
    /// Another run has it; what it says of itself, if it has said anything.
    Busy(Option<Holder>),
}

impl LockPlace {
    /// The lock of the worktree whose git folder is `git_dir`. `None` where no folder is known.
    #[must_use]
    pub fn of(folders: &LockFolders, common_dir: &Path, git_dir: &Path) -> Option<Self> {
        let runtime = folders.runtime.as_ref().filter(|folder| matches!(private::check(folder), Ok(true)));
        let base = runtime.map(|folder| folder.join("stagecoach")).or_else(|| folders.cache.clone())?;
        Some(Self { folder: base.join("locks"), name: name(common_dir, git_dir) })
    }

    /// The lock file, whether it is there or not.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        self.folder.join(&self.name)
    }

    /// Takes the lock if nobody has it, and writes down that it is for a run in the working tree at `repository`.
    ///
    /// # Errors
    /// The folder is not safe, or folder or file cannot be made, locked or written.
    pub fn try_take(&self, repository: &Path) -> Result<Taken, PrivateError> {
        if let Some(parent) = self.folder.parent() {
            private::create(parent)?;
        }
        private::create(&self.folder)?;
        let path = self.path();
        for _ in 0..TRIES {
            fault::write("lock: make").map_err(|error| io_error(&path, "opened", error))?;
            let file = private::open_or_create(&path)?;
            match file.try_lock() {
                Ok(()) if is_the_file(&file, &path)? => {
                    return RunLock::begin(file, path, repository).map(Taken::Held);
                }
                Ok(()) => {} // the last holder has removed it
                Err(TryLockError::WouldBlock) => {
                    if let Some(holder) = self.holder()? {
                        return Ok(Taken::Busy(Some(holder)));
                    }
                    sleep(PAUSE);
                }
                Err(TryLockError::Error(source)) => return Err(io_error(&path, "locked", source)),
            }
        }
        Ok(Taken::Busy(None))
    }

    /// What the lock file says, without touching the lock. `None` where there is no file, or nothing in it yet.
    ///
    /// # Errors
    /// The folder or the file is not safe, or cannot be read.
    pub fn holder(&self) -> Result<Option<Holder>, PrivateError> {
        if !private::check(&self.folder)? {
            return Ok(None);
        }
        let content = private::read(&self.path(), LONGEST)?;
        Ok(content.and_then(|content| Holder::parse(&String::from_utf8_lossy(&content))))
    }
}

impl RunLock {
    fn begin(file: File, path: PathBuf, repository: &Path) -> Result<Self, PrivateError> {
        let failed = |path: &Path, error| io_error(path, "written", error);
        let mut lock = Self { file, path };
        fault::write("lock: write").map_err(|error| failed(&lock.path, error))?;
        // A run that was killed may have left its own words.
        lock.file.set_len(0).map_err(|error| failed(&lock.path, error))?;
        let said = Holder::current(repository).to_string();
        lock.file.write_all(said.as_bytes()).map_err(|error| failed(&lock.path, error))?;
        Ok(lock)
    }

    /// Says which tree this run is about to commit. A line is added: what is there is never rewritten, so that a reader
    /// sees all of it or less.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn say_tree(&mut self, tree: &str) -> io::Result<()> {
        fault::write("lock: say the tree")?;
        self.file.write_all(holder::tree_line(tree).as_bytes())
    }

    /// Removes the files of other repositories' runs whose processes are gone. Returns them.
    #[must_use]
    pub fn sweep(&self) -> Vec<PathBuf> {
        let mut swept = Vec::new();
        for entry in self.path.parent().map(std::fs::read_dir).into_iter().flatten().flatten().flatten() {
            let path = entry.path();
            let others = path.extension().is_some_and(|extension| extension == EXTENSION) && path != self.path;
            // One that cannot be read or removed is met again by the next run.
            if others && is_left(&path) && remove_left(&path).unwrap_or(false) {
                swept.push(path);
            }
        }
        swept
    }
}

impl Drop for RunLock {
    fn drop(&mut self) {
        fault::crossing("lock: give back");
        // Only ours: somebody may have removed it by hand, and another run made a new one. Nobody can be told of a
        // failure; the next run takes over what is left.
        if is_the_file(&self.file, &self.path).unwrap_or(false) {
            drop(std::fs::remove_file(&self.path));
        }
    }
}

/// A name that is as good for every way to reach the repository.
fn name(common_dir: &Path, git_dir: &Path) -> String {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let common = real(common_dir);
    let own = if git_dir == common_dir { common.clone() } else { real(git_dir) };
    let mut hash = Sha256::new();
    for path in [common, own] {
        hash.update(path.as_os_str().as_encoded_bytes());
        hash.update([0]);
    }
    format!("{}.{EXTENSION}", hex_string(&hash.finalize()))
}

fn is_left(path: &Path) -> bool {
    let content = private::read(path, LONGEST).ok().flatten();
    let holder = content.and_then(|content| Holder::parse(&String::from_utf8_lossy(&content)));
    holder.is_some_and(|holder| !holder.is_alive())
}

/// Removes a file whose process is gone, unless a new run has taken it meanwhile.
fn remove_left(path: &Path) -> io::Result<bool> {
    let file = File::options().read(true).write(true).open(path)?;
    if file.try_lock().is_err() || !is_the_file(&file, path).unwrap_or(false) || !is_left(path) {
        return Ok(false);
    }
    std::fs::remove_file(path)?;
    Ok(true)
}

/// Whether the open file is the one that has the name now.
fn is_the_file(file: &File, path: &Path) -> Result<bool, PrivateError> {
    let opened = file.metadata().map_err(|source| io_error(path, "looked at", source))?;
    match path.symlink_metadata() {
        Ok(named) => Ok(is_same(&opened, &named)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(source) => Err(io_error(path, "looked at", source)),
    }
}

#[cfg(unix)]
fn is_same(one: &std::fs::Metadata, other: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

/// A locked file cannot be removed by others on such a system.
#[cfg(not(unix))]
fn is_same(_one: &std::fs::Metadata, _other: &std::fs::Metadata) -> bool {
    true
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
