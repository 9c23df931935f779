//! A private temporary folder: the working folder of agents, and the place for files that only this run may see.
//!
//! Promises: mode 0700, a name nobody can guess, not inside a folder that the caller names (the repository), gone when
//! the value is dropped, whatever an agent left in it. What a killed run leaves names its process, so that a later run
//! can take it away.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::process::Process;

/// What the names of all scratch folders begin with. A name alone proves nothing.
const PREFIX: &str = "stagecoach-";
/// The file that names the process whose folder it is, beside the folder that is handed out.
const OWNER: &str = "owner";
/// The folder that is handed out.
const INSIDE: &str = "work";

/// A private, empty folder that lives as long as this value.
#[derive(Debug)]
pub struct Scratch {
    /// Removed as a whole; empty once that is done.
    folder: PathBuf,
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
        parent_outside(repository).map_or_else(
            || {
                let source = io::Error::other("it lies inside the repository; set TMPDIR to a folder outside of it");
                Err(ScratchError { parent: std::env::temp_dir(), source })
            },
            |parent| Self::new_in(&parent),
        )
    }

    /// Removes what killed runs have left where [`Self::outside`] makes its folders. A folder whose process may still run,
    /// or that names none, stays. Returns what was removed.
    #[must_use]
    pub fn sweep(repository: &Path) -> Vec<PathBuf> {
        let parent = parent_outside(repository);
        let entries = parent.into_iter().flat_map(fs::read_dir).flatten().flatten();
        let ours = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(PREFIX));
        let folders = ours.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())).map(|entry| entry.path());
        // One that resists is met again by the next run.
        folders.filter(|folder| is_left_behind(folder) && remove(folder).is_ok()).collect()
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
        let folder = builder.tempdir_in(absolute).map_err(failed)?.keep();
        // From here on the folder goes with the value, whatever else fails.
        let scratch = Self { path: folder.join(INSIDE), folder };
        fs::write(scratch.folder.join(OWNER), Process::current().to_string()).map_err(failed)?;
        private_dir(&scratch.path).map_err(failed)?;
        Ok(scratch)
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
        remove(&std::mem::take(&mut self.folder))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if !self.folder.as_os_str().is_empty() {
            // Nobody is left to tell, and the system clears its temporary folder in time.
            let _ = remove(&self.folder);
        }
    }
}

fn parent_outside(repository: &Path) -> Option<PathBuf> {
    let parents = [std::env::temp_dir(), PathBuf::from("/tmp"), PathBuf::from("/var/tmp")];
    parents.into_iter().find(|parent| !lies_inside(parent, repository))
}

fn is_left_behind(folder: &Path) -> bool {
    let owner = fs::read_to_string(folder.join(OWNER)).ok();
    owner.and_then(|text| text.parse::<Process>().ok()).is_some_and(|process| process.is_gone())
}

fn private_dir(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
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
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 1);
        drop(scratch);
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 0);
    }

    #[test]
    fn closing_tells_and_a_vanished_folder_is_fine() {
        let parent = tempfile::tempdir().unwrap();
        let scratch = Scratch::new_in(parent.path()).unwrap();
        fs::remove_dir_all(&scratch.folder).unwrap();
        scratch.close().unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn it_is_private_and_unlike_the_last_one() {
        use std::os::unix::fs::PermissionsExt as _;
        let parent = tempfile::tempdir().unwrap();
        let one = Scratch::new_in(parent.path()).unwrap();
        let two = Scratch::new_in(parent.path()).unwrap();
        for folder in [one.path(), &one.folder] {
            assert_eq!(fs::metadata(folder).unwrap().permissions().mode() & 0o777, 0o700);
        }
        assert_ne!(one.path(), two.path());
        assert_eq!(fs::read_dir(one.path()).unwrap().count(), 0);
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

    #[cfg(target_os = "linux")]
    #[test]
    fn only_what_a_dead_process_left_is_behind() {
        let parent = tempfile::tempdir().unwrap();
        let live = Scratch::new_in(parent.path()).unwrap();
        assert!(!is_left_behind(&live.folder));
        let owner = Process::current().to_string();
        let (pid, rest) = owner.split_once(' ').unwrap();
        let (_, rest) = rest.split_once(' ').unwrap();
        // The same id with another start.
        fs::write(live.folder.join(OWNER), format!("{pid} 1 {rest}")).unwrap();
        assert!(is_left_behind(&live.folder));
        for nobody in ["", "12"] {
            fs::write(live.folder.join(OWNER), nobody).unwrap();
            assert!(!is_left_behind(&live.folder));
        }
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
