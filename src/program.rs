//! Finding programs on `PATH`, in one place so that one rule holds for all of them.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Looks a program up the way a shell would, except that relative `PATH` entries (the empty one too) never count: a
/// repository must not be able to bring its own `git` or agent along. A `name` with a separator must be absolute.
#[must_use]
pub fn find(name: &OsStr, path_variable: Option<&OsStr>) -> Option<PathBuf> {
    if Path::new(name).components().count() > 1 {
        let path = Path::new(name);
        return (path.is_absolute() && which::which(path).is_ok()).then(|| path.to_owned());
    }
    let absolute: Vec<PathBuf> = std::env::split_paths(path_variable?).filter(|dir| dir.is_absolute()).collect();
    let absolute = std::env::join_paths(absolute).ok()?;
    which::which_in_global(name, Some(absolute)).ok()?.next()
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn relative_path_entries_are_never_searched() {
        let dir = tempfile::tempdir().unwrap();
        let program = dir.path().join("tool");
        std::fs::write(&program, "#!/bin/sh\n").unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();

        let good = format!("bin:.::{}", dir.path().display());
        assert_eq!(find(OsStr::new("tool"), Some(OsStr::new(&good))), Some(program.clone()));
        assert_eq!(find(program.as_os_str(), None), Some(program));
        for hopeless in [".", "", ":", "bin", ".:bin"] {
            assert_eq!(find(OsStr::new("tool"), Some(OsStr::new(hopeless))), None, "{hopeless:?}");
        }
        assert_eq!(find(OsStr::new("./tool"), Some(OsStr::new(&good))), None);
    }
}
