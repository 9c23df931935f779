//! Private folders in the git folder and our lock of the index: each says which process it belongs to, so that the next
//! run can take away what a killed one left. A name alone proves nothing.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tempfile::TempDir;

use crate::fault;
use crate::process::{Process, age};

use super::{GitError, HeadTarget, ObjectId, Repository};

/// What the names of private folders begin with.
const PREFIX: &str = "stagecoach-";
/// The first word of our lock of the index.
const MARK: &str = "stagecoach";
/// No lock of ours is longer.
const LONGEST_LOCK: u64 = 1024;
/// A lock of a ref that is this old and says nothing is nobody's who is alive.
const REF_LOCK_AGE: Duration = Duration::from_secs(1);

/// Makes a private folder in the git folder, on the same file system as the index.
pub(super) fn private_folder(git_dir: &Path) -> Result<TempDir, GitError> {
    let folder = fault::write("private folder: make")
        .and_then(|()| tempfile::Builder::new().prefix(PREFIX).tempdir_in(git_dir))
        .map_err(GitError::io("creating a folder in", git_dir))?;
    fault::write("private folder: sign")
        .and_then(|()| Process::sign(folder.path()))
        .map_err(GitError::io("writing into", folder.path()))?;
    Ok(folder)
}

/// Writes into a lock file whose it is, with the file's own number, so that a copy is not taken for it.
pub(super) fn sign_lock(file: &mut File) -> std::io::Result<()> {
    let inode = inode(&file.metadata()?);
    writeln!(file, "{MARK} {} {inode}", Process::current())
}

impl Repository {
    /// The lock of the index, where a killed run has left it: the sign that its last commit may have landed without its
    /// index. Whoever makes up for that takes the lock over.
    #[must_use]
    pub fn stale_index_lock(&self) -> Option<PathBuf> {
        let (_, lock) = index_and_lock(&self.paths().index);
        Some(lock).filter(|lock| is_stale_lock(lock))
    }

    /// Takes away a lock of the index that a killed run has left, and nobody needs any more. Returns it.
    #[must_use]
    pub fn sweep_index_lock(&self) -> Option<PathBuf> {
        self.stale_index_lock().filter(|lock| std::fs::remove_file(lock).is_ok())
    }

    /// The lock of the index that somebody else holds, or has left: no index can be written until it is gone.
    #[must_use]
    pub fn foreign_index_lock(&self) -> Option<PathBuf> {
        let (_, lock) = index_and_lock(&self.paths().index);
        Some(lock).filter(|lock| lock.exists() && !is_stale_lock(lock))
    }

    /// Takes away the private folders that killed runs left. One whose process may still run, or that names none, stays.
    /// Returns what was removed.
    #[must_use]
    pub fn sweep(&self) -> Vec<PathBuf> {
        let gone = |path: &PathBuf| Process::clear(path, |path| std::fs::remove_dir_all(path));
        self.private_folders().filter(gone).collect()
    }

    /// The private folders of killed runs, which the next run takes away.
    #[must_use]
    pub fn stale_folders(&self) -> Vec<PathBuf> {
        self.private_folders().filter(|path| Process::has_left(path)).collect()
    }

    fn private_folders(&self) -> impl Iterator<Item = PathBuf> {
        let entries = std::fs::read_dir(&self.paths().git_dir).into_iter().flatten().flatten();
        let ours = entries.filter(|entry| {
            let named = entry.file_name().to_string_lossy().starts_with(PREFIX);
            named && entry.file_type().is_ok_and(|kind| kind.is_dir())
        });
        ours.map(|entry| entry.path())
    }

    /// Takes away the locks of HEAD and its branch that a killed run has left, whose process is known to be gone and which
    /// was about to move them to one of `commits`. They name nobody, but git writes what it is about into the lock of a
    /// branch at once: all that are there must be empty or name such a commit, and be older than any program needs to
    /// write it. Returns what was removed.
    #[must_use]
    pub fn sweep_ref_locks(&self, target: &HeadTarget, commits: &[ObjectId]) -> Vec<PathBuf> {
        let mut locks = vec![self.paths().git_dir.join("HEAD.lock")];
        if let HeadTarget::Branch(name) = target {
            locks.push(self.paths().common_dir.join(format!("{name}.lock")));
        }
        locks.retain(|lock| lock.exists());
        if locks.is_empty() {
            return locks;
        }
        let commits: Vec<String> = commits.iter().map(ToString::to_string).collect();
        let is_ours = |lock: &PathBuf| {
            let content = std::fs::read_to_string(lock).ok();
            content.is_some_and(|text| text.is_empty() || commits.iter().any(|commit| commit == text.trim()))
        };
        let youngest = locks.iter().filter_map(|lock| age(lock)).min().unwrap_or_default();
        std::thread::sleep(REF_LOCK_AGE.saturating_sub(youngest));
        if locks.iter().all(|lock| is_ours(lock) && age(lock).is_some_and(|age| age >= REF_LOCK_AGE)) {
            locks.retain(|lock| std::fs::remove_file(lock).is_ok());
            return locks;
        }
        Vec::new()
    }
}

/// The index, or what a link in its place points to, since that is what git replaces; and its lock.
pub(super) fn index_and_lock(index: &Path) -> (PathBuf, PathBuf) {
    let index = index.canonicalize().unwrap_or_else(|_| index.to_owned());
    let mut lock = index.clone().into_os_string();
    lock.push(".lock");
    (index, lock.into())
}

/// Whether a lock of the index is ours and its process is gone.
pub(super) fn is_stale_lock(lock: &Path) -> bool {
    let stale = || {
        let metadata = lock.symlink_metadata().ok().filter(|file| file.is_file() && file.len() < LONGEST_LOCK)?;
        let text = std::fs::read_to_string(lock).ok()?;
        let (process, signed) = text.strip_prefix(MARK)?.trim().rsplit_once(' ')?;
        let process: Process = process.parse().ok()?;
        let same = signed.parse() == Ok(inode(&metadata))
            && lock.symlink_metadata().is_ok_and(|now| inode(&now) == inode(&metadata));
        Some(same && process.is_gone())
    };
    stale().unwrap_or(false)
}

#[cfg(unix)]
fn inode(metadata: &std::fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(metadata)
}

#[cfg(not(unix))]
fn inode(_metadata: &std::fs::Metadata) -> u64 {
    0
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;
    use crate::git::testing::Scratch;

    /// A process that is gone: this one's id with another start.
    fn gone() -> String {
        let current = Process::current().to_string();
        let mut words: Vec<&str> = current.split(' ').collect();
        words[1] = "1";
        words.join(" ")
    }

    #[test]
    fn folders_of_dead_processes_go_and_all_others_stay() {
        let scratch = Scratch::new();
        let repository = scratch.open();
        let git_dir = scratch.path().join(".git");
        let live = private_folder(&git_dir).unwrap();
        for (name, owner) in [("stagecoach-dead", Some(gone())), ("stagecoach-unknown", None)] {
            std::fs::create_dir(git_dir.join(name)).unwrap();
            std::fs::write(git_dir.join(name).join("index"), "x").unwrap();
            if let Some(owner) = owner {
                std::fs::write(git_dir.join(name).join("owner"), owner).unwrap();
            }
        }
        assert_eq!(repository.stale_folders(), [git_dir.canonicalize().unwrap().join("stagecoach-dead")]);
        assert_eq!(repository.sweep().len(), 1);
        assert!(!git_dir.join("stagecoach-dead").exists());
        assert!(git_dir.join("stagecoach-unknown").exists() && live.path().exists());
    }

    #[test]
    fn a_lock_goes_only_when_it_is_ours_and_its_process_is_dead() {
        let scratch = Scratch::new();
        let repository = scratch.open();
        let lock = scratch.path().join(".git/index.lock");
        let number = || inode(&lock.metadata().unwrap());
        let write = |text: String| std::fs::write(&lock, text).unwrap();

        sign_lock(&mut File::create(&lock).unwrap()).unwrap();
        assert_eq!(repository.sweep_index_lock(), None, "its process runs");
        assert_eq!(repository.foreign_index_lock().as_deref().and_then(Path::file_name), lock.file_name());
        for foreign in [String::new(), "DIRC".to_owned(), format!("stagecoach {}", gone()), gone()] {
            write(foreign);
            assert_eq!(repository.sweep_index_lock(), None);
        }
        write(format!("stagecoach {} {}", gone(), number() + 1));
        assert_eq!(repository.sweep_index_lock(), None, "another file was meant");
        write(format!("stagecoach {} {}\n", gone(), number()));
        assert_eq!(repository.foreign_index_lock(), None);
        let swept = repository.sweep_index_lock().unwrap();
        assert_eq!(swept.file_name(), lock.file_name());
        assert!(!lock.exists());
    }
}
