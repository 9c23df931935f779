//! A private temporary folder: the working folder of agents, and the place for files that only this run may see.
//!
//! Promises: mode 0700, a name nobody can guess, not inside a folder that the caller names (the repository), gone when
//! the value is dropped, whatever an agent left in it. What a killed run leaves is taken away by a later one: the folder
//! lies in another that says whose it is and which agents were started there. A name alone proves nothing.

mod sweep;

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use crate::fault;
use crate::private;
use crate::process::Process;

/// What the names of all scratch folders begin with, so that a later run need not look into all others.
const PREFIX: &str = "stagecoach-";
/// The folder that is used, beside what is noted.
const WORK: &str = "work";
/// The file that names the agents which were started, one to a line.
const AGENTS: &str = "agents";

/// A private, empty folder that lives as long as this value.
#[derive(Debug)]
pub struct Scratch {
    /// The folder with everything in it.
    outer: PathBuf,
    path: PathBuf,
}

/// No private folder could be made.
#[derive(Debug, thiserror::Error)]
#[error("no temporary folder can be made in {}: {source}", parent.display())]
pub struct ScratchError {
    /// Where it was tried.
    pub parent: PathBuf,
    /// What the system said.
    pub source: io::Error,
}

impl Scratch {
    /// Makes one in the system's folder for temporary files (`$TMPDIR`).
    ///
    /// # Errors
    /// The folder is missing, full or not writable.
    pub fn new() -> Result<Self, ScratchError> {
        Self::new_in(&tempfile::env::temp_dir())
    }

    /// Makes one in the system's folder for temporary files, or, where that lies inside `repository`, in `/tmp` or
    /// `/var/tmp`: agents look upwards from their working folder for rules and configuration.
    ///
    /// # Errors
    /// No such folder is outside of `repository` and writable.
    pub fn outside(repository: &Path) -> Result<Self, ScratchError> {
        parent_outside(repository).map_or_else(
            || {
                let source = io::Error::other("it lies inside the repository; set TMPDIR to a folder outside of it");
                Err(ScratchError { parent: tempfile::env::temp_dir(), source })
            },
            |parent| Self::new_in(&parent),
        )
    }

    /// Makes one in `parent`.
    ///
    /// # Errors
    /// The folder is missing, full or not writable.
    pub fn new_in(parent: &Path) -> Result<Self, ScratchError> {
        let failed = |source| ScratchError { parent: parent.to_owned(), source };
        // The path becomes a working folder, so it must mean the same from everywhere.
        let absolute = std::path::absolute(parent).map_err(failed)?;
        let mut builder = tempfile::Builder::new();
        builder.prefix(PREFIX);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            builder.permissions(fs::Permissions::from_mode(0o700));
        }
        fault::write("scratch: make").map_err(failed)?;
        let outer = builder.tempdir_in(absolute).map_err(failed)?;
        fault::write("scratch: sign").map_err(failed)?;
        let path = outer.path().join(WORK);
        Process::sign(outer.path()).and_then(|()| private::make(&path)).map_err(failed)?;
        Ok(Self { outer: outer.keep(), path })
    }

    /// Where it is; absolute.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Notes that an agent was started, so that a later run can end it if this one is killed.
    ///
    /// # Errors
    /// The note cannot be written.
    pub fn note_agent(&self, pid: u32) -> io::Result<()> {
        // One that is gone already needs no note.
        let Some(process) = Process::of(pid) else { return Ok(()) };
        fault::write("scratch: note an agent")?;
        let file = fs::OpenOptions::new().append(true).create(true).open(self.outer.join(AGENTS));
        file?.write_all(format!("{process}\n").as_bytes())
    }

    /// Removes the folder now and says whether that worked; dropping the value does the same but cannot say so.
    ///
    /// # Errors
    /// Something in the folder cannot be removed.
    pub fn close(mut self) -> io::Result<()> {
        remove(&std::mem::take(&mut self.outer))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if !self.outer.as_os_str().is_empty() {
            // Nobody is left to tell, and a later run meets it again.
            let _ = remove(&self.outer);
        }
    }
}

/// The first usual folder for temporary files that is outside of the repository.
fn parent_outside(repository: &Path) -> Option<PathBuf> {
    let parents = [tempfile::env::temp_dir(), PathBuf::from("/tmp"), PathBuf::from("/var/tmp")];
    parents.into_iter().find(|parent| !lies_inside(parent, repository))
}

fn lies_inside(folder: &Path, repository: &Path) -> bool {
    match (folder.canonicalize(), repository.canonicalize()) {
        (Ok(folder), Ok(repository)) => folder.starts_with(repository),
        _ => folder.starts_with(repository),
    }
}

/// Removes a folder that may contain folders nobody may write to, as package caches do.
fn remove(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            make_writable(folder)?;
            fs::remove_dir_all(folder)
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        result => result,
    }
}

#[cfg(unix)]
fn make_writable(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(folder, fs::Permissions::from_mode(0o700))?;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        // The type of the entry itself: a symlink is not followed.
        if entry.file_type()?.is_dir() {
            make_writable(&entry.path())?;
        }
    }
    Ok(())
}

#[cfg(not(unix))]
fn make_writable(_folder: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests;
