//! Looking programs up on `PATH`, in one place so that one rule holds for all of them.
//!
//! A program is never found through a relative entry: a repository could put its own `git` or `claude` where such an entry
//! leads.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// The folders in which programs are looked for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SearchPath(Option<OsString>);

impl SearchPath {
    /// Takes a `PATH` value and leaves its relative and empty entries out.
    #[must_use]
    pub fn new(path: Option<&OsStr>) -> Self {
        let absolute = path.into_iter().flat_map(std::env::split_paths).filter(|folder| folder.is_absolute());
        // Entries that were split off a list can be joined again, so there is no error to lose.
        Self(std::env::join_paths(absolute).ok().filter(|joined| !joined.is_empty()))
    }

    /// That of this process.
    #[must_use]
    pub fn of_process() -> Self {
        Self::new(std::env::var_os("PATH").as_deref())
    }

    /// The absolute path of a program given by name or absolute path, if it is there and can be executed.
    #[must_use]
    pub fn find(&self, program: &str) -> Option<PathBuf> {
        if program.is_empty() || (program.contains(std::path::is_separator) && !Path::new(program).is_absolute()) {
            return None;
        }
        which::which_in_global(program, self.0.as_ref()).ok()?.next()
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn program(folder: &Path, name: &str, mode: u32) -> PathBuf {
        let path = folder.join(name);
        std::fs::write(&path, "#!/bin/sh\n").unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        path
    }

    #[test]
    fn finds_what_can_be_executed_in_absolute_folders_only() {
        let folder = tempfile::tempdir().unwrap();
        let path = program(folder.path(), "agent", 0o755);
        program(folder.path(), "data", 0o644);
        std::fs::create_dir(folder.path().join("folder")).unwrap();

        let search = SearchPath::new(Some(&std::env::join_paths([Path::new("relative"), folder.path()]).unwrap()));
        assert_eq!(search.find("agent"), Some(path.clone()));
        assert_eq!(search.find(path.to_str().unwrap()), Some(path.clone()));
        for missing in ["data", "folder", "nothing", "", "./agent", "sub/agent"] {
            assert_eq!(search.find(missing), None, "{missing}");
        }
        assert_eq!(SearchPath::new(None).find("agent"), None);
        assert_eq!(SearchPath::new(None).find(path.to_str().unwrap()), Some(path));
    }

    #[test]
    fn relative_and_empty_entries_resolve_nothing() {
        // Tests run in the package's folder, so these entries do lead to a folder with a program in it.
        let here = std::env::current_dir().unwrap();
        let folder = tempfile::tempdir_in(&here).unwrap();
        program(folder.path(), "agent-of-the-repository", 0o755);
        let relative = folder.path().strip_prefix(&here).unwrap();
        assert!(relative.join("agent-of-the-repository").exists());
        for entry in [relative.to_path_buf(), Path::new(".").join(relative), PathBuf::from("")] {
            let search = SearchPath::new(Some(entry.as_os_str()));
            assert_eq!(search.find("agent-of-the-repository"), None, "{entry:?}");
        }
    }
}
