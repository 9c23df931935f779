//! Folders that are the user's alone, and the files in them: what stagecoach remembers, and what its runs tell each other.
//!
//! Whoever could write there could speak in the user's name, so a folder or file of another owner, or one that others may
//! write to, is an error and is not used.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use crate::untrusted::printable;

/// A private folder or file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PrivateError {
    /// It could be somebody else's.
    #[error("{} is not safe: {reason}", show(path))]
    Unsafe {
        /// The folder or file.
        path: PathBuf,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The system refused.
    #[error("{} cannot be {action}: {source}", show(path))]
    Io {
        /// The folder or file.
        path: PathBuf,
        /// What was tried, as a participle.
        action: &'static str,
        /// What the system said.
        source: io::Error,
    },
}

fn show(path: &Path) -> String {
    printable(&path.to_string_lossy())
}

/// Creates the folder, mode 0700, unless it is there, and checks it.
///
/// # Errors
/// It cannot be created, or is not safe.
pub fn create(folder: &Path) -> Result<(), PrivateError> {
    if matches!(check(folder), Ok(true)) {
        return Ok(());
    }
    make(folder).map_err(|source| io_error(folder, "created", source))?;
    check(folder).map(|_| ())
}

/// Makes the folder and those above it, mode 0700, unless they are there.
///
/// # Errors
/// It cannot be created.
pub fn make(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Checks that the folder is safe; `false` when it does not exist.
///
/// # Errors
/// It is not, or cannot be looked at.
pub fn check(folder: &Path) -> Result<bool, PrivateError> {
    let not_safe = |reason| PrivateError::Unsafe { path: folder.to_owned(), reason };
    // The link itself first: somebody else's could be pointed elsewhere at any time.
    let Some(entry) = metadata(folder, fs::symlink_metadata(folder))? else { return Ok(false) };
    let target = if entry.is_symlink() {
        if let Some(reason) = foreign(&entry) {
            return Err(not_safe(reason));
        }
        let Some(target) = metadata(folder, fs::metadata(folder))? else {
            return Err(not_safe("it is a symbolic link to nothing"));
        };
        target
    } else {
        entry
    };
    if !target.is_dir() {
        return Err(not_safe("it is not a folder"));
    }
    match foreign(&target).or_else(|| writable_by_others(&target)) {
        Some(reason) => Err(not_safe(reason)),
        None => Ok(true),
    }
}

/// Reads a file that must be regular, the user's, and writable by nobody else; `None` when it does not exist.
///
/// # Errors
/// It is something else, longer than `limit` bytes, or cannot be read.
pub fn read(path: &Path, limit: u64) -> Result<Option<Vec<u8>>, PrivateError> {
    let not_safe = |reason| PrivateError::Unsafe { path: path.to_owned(), reason };
    let Some(entry) = metadata(path, fs::symlink_metadata(path))? else { return Ok(None) };
    check_file(&entry).map_err(not_safe)?;
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(source) => return Err(io_error(path, "opened", source)),
    };
    let opened = file.metadata().map_err(|source| io_error(path, "looked at", source))?;
    check_file(&opened).map_err(not_safe)?;
    let mut bytes = Vec::new();
    file.take(limit + 1).read_to_end(&mut bytes).map_err(|source| io_error(path, "read", source))?;
    if bytes.len() as u64 > limit {
        return Err(not_safe("it is too large"));
    }
    Ok(Some(bytes))
}

/// Opens a file to write into it, created with mode 0600 unless it is there. What is in it stays.
///
/// # Errors
/// It is no regular file, not the user's, writable by others, or cannot be opened.
pub fn open_or_create(path: &Path) -> Result<File, PrivateError> {
    if let Some(entry) = metadata(path, fs::symlink_metadata(path))? {
        check_file(&entry).map_err(|reason| PrivateError::Unsafe { path: path.to_owned(), reason })?;
    }
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map_err(|source| io_error(path, "opened", source))
}

/// The failure of an operation on a file.
pub(crate) fn io_error(path: &Path, action: &'static str, source: io::Error) -> PrivateError {
    PrivateError::Io { path: path.to_owned(), action, source }
}

fn metadata(path: &Path, found: io::Result<Metadata>) -> Result<Option<Metadata>, PrivateError> {
    match found {
        Ok(metadata) => Ok(Some(metadata)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(io_error(path, "looked at", source)),
    }
}

fn check_file(metadata: &Metadata) -> Result<(), &'static str> {
    if !metadata.is_file() {
        return Err("it is not a regular file");
    }
    foreign(metadata).or_else(|| writable_by_others(metadata)).map_or(Ok(()), Err)
}

/// Why a file or folder is not the user's.
#[cfg(unix)]
pub(crate) fn foreign(metadata: &Metadata) -> Option<&'static str> {
    let owner = std::os::unix::fs::MetadataExt::uid(metadata);
    (owner != rustix::process::geteuid().as_raw()).then_some("it belongs to another user")
}

#[cfg(unix)]
fn writable_by_others(metadata: &Metadata) -> Option<&'static str> {
    let mode = std::os::unix::fs::MetadataExt::mode(metadata);
    (mode & 0o022 != 0).then_some("others may write to it")
}

/// Windows keeps the user's profile from others by inherited access lists.
#[cfg(not(unix))]
pub(crate) const fn foreign(_: &Metadata) -> Option<&'static str> {
    None
}

#[cfg(not(unix))]
const fn writable_by_others(_: &Metadata) -> Option<&'static str> {
    None
}
