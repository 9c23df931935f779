//! Freezing a working tree: what `git add -A` would stage, in a temporary index, with the real one untouched.
//!
//! The temporary index starts as a byte copy of the real one with its modification time, so that stat data, the
//! assume-unchanged and skip-worktree bits and git's rule for racily clean files all hold.

use std::cell::{OnceCell, RefCell};
use std::ffi::OsStr;
use std::fs::{File, FileTimes};
use std::path::{Path, PathBuf};

use bstr::{BStr, BString, ByteSlice};
use tempfile::TempDir;

use crate::fault;

use super::index_update::Fingerprint;
use super::leftover::private_folder;
use super::stat_data::StatData;
use super::{GitError, Program, Repository, index_file};

/// An untracked file larger than this is left out unless it is asked for.
const MAX_UNTRACKED: u64 = 50 << 20;

/// What `git add` says of paths outside the sparse checkout, and of a folder that is a repository.
const OUTSIDE: &str = "outside of your sparse-checkout definition";
const EMBEDDED: &str = "warning: adding embedded git repository: ";

/// A working tree staged into a temporary index.
#[derive(Debug)]
pub struct WorkingTree {
    /// Removed with everything in it when dropped.
    folder: TempDir,
    /// What the real index is as long as only this run writes it: at first, what was copied.
    expected: RefCell<Fingerprint>,
    stat_data: OnceCell<StatData>,
    /// Untracked files that were left out.
    pub left_out: Vec<LeftOut>,
    /// Whether git left untracked files outside the sparse checkout alone.
    pub outside_sparse_checkout: bool,
    /// Folders that are repositories of their own and no submodules: what was staged of each is the name of a commit.
    pub embedded: Vec<String>,
}

/// An untracked file that a working-tree commit does not take in by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// Its path from the top of the working tree.
    pub path: BString,
    /// Why, in words that follow "it".
    pub why: &'static str,
}

impl WorkingTree {
    /// The temporary index.
    #[must_use]
    pub fn index(&self) -> PathBuf {
        self.folder.path().join("index")
    }

    /// The real index as it was at the freeze.
    pub(super) fn original(&self) -> PathBuf {
        self.folder.path().join("original")
    }

    /// Whether the real index is what this run has left of it.
    pub(super) fn is_expected(&self, live: &Fingerprint) -> bool {
        self.expected.borrow().same_content(live)
    }

    /// Keeps what this run is about to make of the real index.
    pub(super) fn expect(&self, prepared: Fingerprint) {
        self.expected.replace(prepared);
    }

    /// The stat data of the temporary index, read once.
    pub(super) fn stat_data(&self) -> Result<&StatData, GitError> {
        if let Some(known) = self.stat_data.get() {
            return Ok(known);
        }
        let read = StatData::read(&self.index())?;
        Ok(self.stat_data.get_or_init(|| read))
    }

    /// A path in the private folder beside the temporary index, on the same file system as the real one.
    pub(super) fn scratch(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

impl Repository {
    /// Stages the whole working tree into a temporary index. With `everything`, also the untracked files that are
    /// otherwise left out: those shaped like credentials and very large ones.
    ///
    /// # Errors
    /// git's own text when it cannot stage a file.
    pub fn freeze_working_tree(&self, everything: bool) -> Result<WorkingTree, GitError> {
        let git = self.program()?;
        let dir = &self.paths().git_dir;
        let folder = private_folder(dir)?;
        let mut tree = WorkingTree {
            expected: RefCell::new(copy_index(&self.paths().index, folder.path())?),
            folder,
            stat_data: OnceCell::new(),
            left_out: Vec::new(),
            outside_sparse_checkout: false,
            embedded: Vec::new(),
        };
        self.unsplit(&git, &tree.original())?;
        if !everything {
            tree.left_out = self.untracked_to_leave(&git, &tree.index())?;
        }
        let warnings = stage(&git, &tree.index(), &tree.left_out)?;
        tree.outside_sparse_checkout = warnings.contains(OUTSIDE);
        tree.embedded = warnings
            .lines()
            .filter_map(|line| line.strip_prefix(EMBEDDED))
            .map(|path| path.trim().to_owned())
            .collect();
        Ok(tree)
    }

    /// Makes a private copy of the index whole, where the repository splits its index: the shared part lies beside the
    /// real one and is looked for beside the copy.
    pub(super) fn unsplit(&self, git: &Program, copy: &Path) -> Result<(), GitError> {
        if index_file::is_split(&self.paths().git_dir) && copy.exists() {
            git.run(&["-c", "core.splitIndex=false", "update-index", "--no-split-index"], |command| {
                command.env("GIT_INDEX_FILE", copy);
            })?;
        }
        Ok(())
    }

    fn untracked_to_leave(&self, git: &Program, index: &Path) -> Result<Vec<LeftOut>, GitError> {
        let listing = git.run(&["ls-files", "--others", "--exclude-standard", "-z"], |command| {
            command.env("GIT_INDEX_FILE", index);
        })?;
        let leave = |path: &BStr| {
            let why = reason_to_leave(path, || {
                let file = self.paths().work_tree.join(path.to_path().ok()?);
                file.symlink_metadata().ok().filter(std::fs::Metadata::is_file).map(|file| file.len())
            })?;
            Some(LeftOut { path: path.to_owned(), why })
        };
        Ok(listing.split_str("\0").filter_map(|path| leave(path.as_bstr())).collect())
    }
}

/// Copies the index twice, bytes and modification time: once to stage into, once to know what it was.
fn copy_index(index: &Path, folder: &Path) -> Result<Fingerprint, GitError> {
    let (fingerprint, content) = Fingerprint::read(index)?;
    let Some(content) = content else { return Ok(fingerprint) };
    for name in ["index", "original"] {
        let path = folder.join(name);
        fault::write("index: copy")
            .and_then(|()| std::fs::write(&path, &content))
            .map_err(GitError::io("writing", &path))?;
        let times = FileTimes::new().set_modified(fingerprint.modified());
        File::options()
            .write(true)
            .open(&path)
            .and_then(|file| file.set_times(times))
            .map_err(GitError::io("writing", &path))?;
    }
    Ok(fingerprint)
}

/// Runs `git add -A`. Returns what git said of it. That it skipped paths outside the sparse checkout is its one accepted
/// complaint.
fn stage(git: &Program, index: &Path, left_out: &[LeftOut]) -> Result<String, GitError> {
    let mut pathspecs = b":(top)\0".to_vec();
    for file in left_out {
        pathspecs.extend_from_slice(b":(top,exclude,literal)");
        pathspecs.extend_from_slice(&file.path);
        pathspecs.push(0);
    }
    let arguments = [
        "-c",
        "core.splitIndex=false",
        "-c",
        "core.fsmonitor=false",
        "-c",
        "core.hooksPath=/dev/null",
        "add",
        "-A",
        "--pathspec-from-file=-",
        "--pathspec-file-nul",
    ];
    let finished = git.try_run(&arguments, Some(&pathspecs), |command| {
        command.env("GIT_INDEX_FILE", index);
    })?;
    if finished.success || (finished.stderr.contains(OUTSIDE) && finished.code == Some(1)) {
        return Ok(finished.stderr);
    }
    Err(Program::failure(&["add", "-A"], &finished))
}

/// Why an untracked file is not taken in by itself.
fn reason_to_leave(path: &BStr, size: impl FnOnce() -> Option<u64>) -> Option<&'static str> {
    if path.is_empty() || path.ends_with(b"/") {
        return None;
    }
    let name = path.rsplit_str("/").next().unwrap_or_default().to_ascii_lowercase();
    let name = name.to_str_lossy();
    if is_credential(&name) {
        return Some("looks like a credential");
    }
    (size()? > MAX_UNTRACKED).then_some("is larger than 50 MB")
}

/// File names, in lower case, under which secrets usually lie.
fn is_credential(name: &str) -> bool {
    const NAMES: [&str; 14] = [
        ".env",
        ".envrc",
        ".netrc",
        ".npmrc",
        ".pypirc",
        ".pgpass",
        ".htpasswd",
        ".git-credentials",
        "id_rsa",
        "id_dsa",
        "id_ecdsa",
        "id_ed25519",
        "credentials.json",
        "service-account.json",
    ];
    const ENDINGS: [&str; 8] = ["pem", "key", "p12", "pfx", "jks", "keystore", "kdbx", "ppk"];
    // Templates are meant to be shared.
    const SHARED: [&str; 5] = [".example", ".sample", ".template", ".dist", ".defaults"];
    if NAMES.contains(&name) {
        return true;
    }
    if name.starts_with(".env.") {
        return !SHARED.iter().any(|ending| name.ends_with(ending));
    }
    let extension = Path::new(name).extension().and_then(OsStr::to_str).unwrap_or_default();
    ENDINGS.contains(&extension)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_and_large_files_are_left_out() {
        let reason = |path: &str, size: u64| reason_to_leave(path.into(), || Some(size));
        for path in [".env", "a/.env.local", "deploy/server.PEM", "id_rsa", "x/.netrc", "store.jks", "tls.key"] {
            assert_eq!(reason(path, 1), Some("looks like a credential"), "{path}");
        }
        for path in ["env", ".env.example", "id_rsa.pub", "keys.rs", "key", "monkey.txt", "nested/"] {
            assert_eq!(reason(path, 1), None, "{path}");
        }
        assert_eq!(reason("video.bin", MAX_UNTRACKED), None);
        assert_eq!(reason("video.bin", MAX_UNTRACKED + 1), Some("is larger than 50 MB"));
        assert_eq!(reason_to_leave("fifo".into(), || None), None);
    }
}
