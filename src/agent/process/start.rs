//! Finding a program, and saying why it did not start.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command as StdCommand, Stdio};

use super::Command;
use super::confine;
use super::group::Group;
use crate::program::SearchPath;
use crate::run::ScratchError;

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
    /// There can be no working folder.
    #[error(transparent)]
    NoWorkingFolder(#[from] ScratchError),
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

/// Finds the program that `command` names: an absolute path, or a name that is looked up.
///
/// # Errors
/// There is none, or it is no executable file.
pub fn find_program(command: &str, search: &SearchPath) -> Result<PathBuf, ProcessError> {
    search.find(command).ok_or_else(|| {
        let path = Path::new(command);
        if !path.is_absolute() || !path.exists() {
            ProcessError::Missing(command.to_owned())
        } else if path.is_dir() {
            ProcessError::Folder(path.to_owned())
        } else {
            ProcessError::NotExecutable(path.to_owned())
        }
    })
}

/// Starts a command with a pipe for each of its streams, `stdin` aside; where it is to be confined, whether it is. From here
/// on the group ends with its value.
pub(super) fn spawn(command: &Command, stdin: Stdio) -> Result<(Group, bool), ProcessError> {
    let mut std_command = StdCommand::new(&command.program);
    std_command.args(&command.args).current_dir(&command.working_dir);
    for name in &command.env_unset {
        std_command.env_remove(name);
    }
    std_command.envs(command.env_set.iter().map(|(name, value)| (name, value)));
    std_command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped());
    let spawned = match &command.confinement {
        Some(confinement) => confine::spawn(confinement, || Group::spawn(std_command)),
        None => Group::spawn(std_command).map(|group| (group, false)),
    };
    spawned.map_err(|error| explain(error, &command.program, &command.args, &command.working_dir))
}

/// Tells the reasons for a failed start apart. The system gives the same answer for a missing program, a missing
/// interpreter and a missing working folder, so the files are looked at afterwards.
fn explain(error: io::Error, program: &Path, args: &[OsString], working_dir: &Path) -> ProcessError {
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

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn what_is_not_found_says_why() {
        let root = tempfile::tempdir().unwrap();
        let path = |name: &str| root.path().join(name).to_str().unwrap().to_owned();
        for (name, mode) in [("agent", 0o755), ("data", 0o644)] {
            fs::write(path(name), "#!/bin/sh\n").unwrap();
            fs::set_permissions(path(name), fs::Permissions::from_mode(mode)).unwrap();
        }
        fs::create_dir(path("folder")).unwrap();
        let search = SearchPath::new(Some(root.path().as_os_str()));
        let find = |command: &str| find_program(command, &search);
        assert_eq!(find("agent").unwrap(), root.path().join("agent"));
        assert_eq!(find(&path("agent")).unwrap(), root.path().join("agent"));
        assert!(matches!(find(&path("data")), Err(ProcessError::NotExecutable(_))));
        assert!(matches!(find(&path("folder")), Err(ProcessError::Folder(_))));
        assert!(matches!(find(&path("gone")), Err(ProcessError::Missing(_))));
        for missing in ["data", "gone", "", "./agent"] {
            assert!(matches!(find(missing), Err(ProcessError::Missing(_))), "{missing}");
        }
    }
}
