//! Finding a program, and saying why it did not start.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

/// A process that could not be started, or whose end could not be learned.
#[derive(Debug, thiserror::Error)]
pub enum ProcessError {
    /// No such program.
    #[error("`{0}` is not installed, or not on PATH")]
    Missing(String),
    /// The program is a script, and what should run it is not there.
    #[error("{} cannot run: the interpreter in its first line is not installed", .0.display())]
    NoInterpreter(PathBuf),
    /// The file is there, but may not be executed.
    #[error("{} may not be executed", .0.display())]
    NotExecutable(PathBuf),
    /// A folder has that name.
    #[error("{} is a folder, not a program", .0.display())]
    Folder(PathBuf),
    /// The system cannot run such a file.
    #[error("{} is not a program for this system", .0.display())]
    BadFormat(PathBuf),
    /// The working folder cannot be entered.
    #[error("the working folder {} cannot be entered", .0.display())]
    WorkingFolder(PathBuf),
    /// The system does not take so much on a command line; the longest argument, in bytes.
    #[error("the command line is too long for the system (longest argument: {0} bytes)")]
    TooLong(usize),
    /// A NUL byte in an argument or variable.
    #[error("an argument contains a NUL byte")]
    Nul,
    /// Out of memory, processes, files or the like.
    #[error("the process cannot be started: {0}")]
    Other(#[source] io::Error),
    /// Somebody else took the exit status.
    #[error("the end of the process cannot be learned: {0}")]
    Lost(#[source] io::Error),
}

/// Finds the program that `command` names: a path (absolute, or relative to `folder`), or a name that is looked up in
/// `search`, the value of `PATH`. Relative entries of the search path are passed over: they would run what happens to
/// lie in the current folder.
///
/// # Errors
/// There is none, or it is no executable file.
pub fn find_program(command: &str, search: Option<&OsStr>, folder: &Path) -> Result<PathBuf, ProcessError> {
    let missing = || ProcessError::Missing(command.to_owned());
    if command.is_empty() {
        return Err(missing());
    }
    if Path::new(command).components().count() > 1 || command.contains(std::path::is_separator) {
        let path = folder.join(command);
        return which::which_in(&path, None::<&OsStr>, folder).map_err(|_| unusable(&path, command));
    }
    let entries: Vec<_> =
        std::env::split_paths(search.unwrap_or_default()).filter(|entry| entry.is_absolute()).collect();
    if entries.is_empty() {
        // An empty search path means the current folder.
        return Err(missing());
    }
    let search = std::env::join_paths(entries).map_err(|_| missing())?;
    which::which_in(command, Some(search), folder).map_err(|_| missing())
}

fn unusable(path: &Path, command: &str) -> ProcessError {
    if path.is_dir() {
        ProcessError::Folder(path.to_owned())
    } else if path.exists() {
        ProcessError::NotExecutable(path.to_owned())
    } else {
        ProcessError::Missing(command.to_owned())
    }
}

/// Tells the reasons for a failed start apart. The system gives the same answer for a missing program, a missing
/// interpreter and a missing working folder, so the files are looked at afterwards.
pub(super) fn explain(error: io::Error, program: &Path, args: &[OsString], working_dir: &Path) -> ProcessError {
    let enterable = working_dir.is_dir();
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory if !enterable => {
            ProcessError::WorkingFolder(working_dir.to_owned())
        }
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory if program.exists() => {
            ProcessError::NoInterpreter(program.to_owned())
        }
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => ProcessError::Missing(program.display().to_string()),
        io::ErrorKind::PermissionDenied if program.is_dir() => ProcessError::Folder(program.to_owned()),
        io::ErrorKind::PermissionDenied if !enterable => ProcessError::WorkingFolder(working_dir.to_owned()),
        io::ErrorKind::PermissionDenied => ProcessError::NotExecutable(program.to_owned()),
        io::ErrorKind::ArgumentListTooLong => {
            ProcessError::TooLong(args.iter().map(|arg| arg.len()).max().unwrap_or_default())
        }
        io::ErrorKind::InvalidInput => ProcessError::Nul,
        _ if is_bad_format(&error) => ProcessError::BadFormat(program.to_owned()),
        _ => ProcessError::Other(error),
    }
}

#[cfg(unix)]
fn is_bad_format(error: &io::Error) -> bool {
    error.raw_os_error() == Some(rustix::io::Errno::NOEXEC.raw_os_error())
}

#[cfg(not(unix))]
fn is_bad_format(error: &io::Error) -> bool {
    // ERROR_BAD_EXE_FORMAT
    error.raw_os_error() == Some(193)
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn program(folder: &Path, name: &str, mode: u32) -> PathBuf {
        let path = folder.join(name);
        fs::write(&path, "#!/bin/sh\n").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        path
    }

    #[test]
    fn names_are_looked_up_and_paths_are_not() {
        let root = tempfile::tempdir().unwrap();
        let bin = root.path().join("bin");
        fs::create_dir(&bin).unwrap();
        let path = program(&bin, "agent", 0o755);
        let search = Some(bin.as_os_str());
        assert_eq!(find_program("agent", search, root.path()).unwrap(), path);
        assert_eq!(find_program("bin/agent", None, root.path()).unwrap(), path);
        assert_eq!(find_program("./bin/agent", None, root.path()).unwrap(), root.path().join("./bin/agent"));
        assert_eq!(find_program(path.to_str().unwrap(), None, Path::new("/")).unwrap(), path);
    }

    #[test]
    fn relative_entries_of_the_search_path_are_passed_over() {
        let root = tempfile::tempdir().unwrap();
        program(root.path(), "agent", 0o755);
        for search in ["", ".", ":", "bin/..", "./"] {
            let found = find_program("agent", Some(OsStr::new(search)), root.path());
            assert!(matches!(found, Err(ProcessError::Missing(_))), "{search:?}: {found:?}");
        }
    }

    #[test]
    fn what_cannot_run_says_why() {
        let root = tempfile::tempdir().unwrap();
        program(root.path(), "plain", 0o644);
        fs::create_dir(root.path().join("folder")).unwrap();
        let find = |command: &str| find_program(command, Some(root.path().as_os_str()), root.path());
        assert!(matches!(find("./plain"), Err(ProcessError::NotExecutable(_))));
        assert!(matches!(find("./folder"), Err(ProcessError::Folder(_))));
        assert!(matches!(find("./gone"), Err(ProcessError::Missing(_))));
        assert!(matches!(find("plain"), Err(ProcessError::Missing(_))));
        assert!(matches!(find(""), Err(ProcessError::Missing(_))));
    }
}
