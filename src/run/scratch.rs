//! A private temporary folder: the working folder of agents, and the place for files that only this run may see.
//!
//! Promises: mode 0700, a name nobody can guess, not inside a folder that the caller names (the repository), gone when
//! the value is dropped, whatever an agent left in it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// What the names of all scratch folders begin with, so that a later run can find what a killed one left.
pub const PREFIX: &str = "stagecoach-";

/// A private, empty folder that lives as long as this value.
#[derive(Debug)]
pub struct Scratch {
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
        Self::new_in(&std::env::temp_dir())
    }

    /// Makes one in the system's folder for temporary files, or, where that lies inside `repository`, in `/tmp` or
    /// `/var/tmp`: agents look upwards from their working folder for rules and configuration.
    ///
    /// # Errors
    /// No such folder is outside of `repository` and writable.
    pub fn outside(repository: &Path) -> Result<Self, ScratchError> {
        let parents = [std::env::temp_dir(), PathBuf::from("/tmp"), PathBuf::from("/var/tmp")];
        let usual = parents.first().cloned().unwrap_or_default();
        parents.iter().find(|parent| !lies_inside(parent, repository)).map_or_else(
            || {
                let source = io::Error::other("it lies inside the repository; set TMPDIR to a folder outside of it");
                Err(ScratchError { parent: usual, source })
            },
            |parent| Self::new_in(parent),
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
        builder.tempdir_in(absolute).map(|folder| Self { path: folder.keep() }).map_err(failed)
    }

    /// Where it is; absolute.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Removes the folder now and says whether that worked; dropping the value does the same but cannot say so.
    ///
    /// # Errors
    /// Something in the folder cannot be removed.
    pub fn close(mut self) -> io::Result<()> {
        remove(&std::mem::take(&mut self.path))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if !self.path.as_os_str().is_empty() {
            // Nobody is left to tell, and the system clears its temporary folder in time.
            let _ = remove(&self.path);
        }
    }
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
mod tests {
    use super::*;

    #[test]
    fn it_is_gone_with_the_value() {
        let parent = tempfile::tempdir().unwrap();
        let scratch = Scratch::new_in(parent.path()).unwrap();
        let path = scratch.path().to_owned();
        fs::create_dir_all(path.join("a/b")).unwrap();
        fs::write(path.join("a/b/c"), "x").unwrap();
        assert!(path.is_absolute());
        drop(scratch);
        assert!(!path.exists());
        assert!(parent.path().exists());
    }

    #[test]
    fn closing_tells_and_a_vanished_folder_is_fine() {
        let parent = tempfile::tempdir().unwrap();
        let scratch = Scratch::new_in(parent.path()).unwrap();
        fs::remove_dir(scratch.path()).unwrap();
        scratch.close().unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn it_is_private_and_unlike_the_last_one() {
        use std::os::unix::fs::PermissionsExt as _;
        let parent = tempfile::tempdir().unwrap();
        let one = Scratch::new_in(parent.path()).unwrap();
        let two = Scratch::new_in(parent.path()).unwrap();
        assert_eq!(fs::metadata(one.path()).unwrap().permissions().mode() & 0o777, 0o700);
        assert_ne!(one.path(), two.path());
    }

    #[cfg(unix)]
    #[test]
    fn write_protected_folders_inside_are_removed_too() {
        use std::os::unix::fs::PermissionsExt as _;
        let parent = tempfile::tempdir().unwrap();
        let scratch = Scratch::new_in(parent.path()).unwrap();
        let path = scratch.path().to_owned();
        fs::create_dir_all(path.join("cache/module")).unwrap();
        fs::write(path.join("cache/module/file"), "x").unwrap();
        fs::set_permissions(path.join("cache/module"), fs::Permissions::from_mode(0o500)).unwrap();
        fs::set_permissions(path.join("cache"), fs::Permissions::from_mode(0o500)).unwrap();
        make_writable(&path).unwrap();
        assert_eq!(fs::metadata(path.join("cache/module")).unwrap().permissions().mode() & 0o777, 0o700);
        drop(scratch);
        assert!(!path.exists());
    }

    #[test]
    fn a_missing_parent_is_named() {
        let parent = tempfile::tempdir().unwrap().path().join("gone");
        let error = Scratch::new_in(&parent).unwrap_err();
        assert!(error.to_string().contains("gone"), "{error}");
    }

    #[test]
    fn inside_means_below_after_links_are_resolved() {
        let root = tempfile::tempdir().unwrap();
        let repository = root.path().join("repository");
        fs::create_dir_all(repository.join("tmp")).unwrap();
        fs::create_dir(root.path().join("repository-tmp")).unwrap();
        assert!(lies_inside(&repository.join("tmp"), &repository));
        assert!(lies_inside(&repository, &repository));
        assert!(!lies_inside(&root.path().join("repository-tmp"), &repository));
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(repository.join("tmp"), root.path().join("link")).unwrap();
            assert!(lies_inside(&root.path().join("link"), &repository));
        }
    }

    #[test]
    fn a_folder_outside_is_found() {
        let repository = tempfile::tempdir().unwrap();
        let scratch = Scratch::outside(repository.path()).unwrap();
        assert!(!lies_inside(scratch.path(), repository.path()));
    }
}
