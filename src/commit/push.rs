//! `git push`, plain, after the commits of a run have landed (`--push`).

use std::fs::File;
use std::io::{self, Read as _, Seek as _, Write as _};
use std::process::{Command, ExitStatus, Stdio};

use crate::git::{GitError, Repository};
use crate::run::{Cancel, Cause, foreground};

use super::hooks::last_lines;

/// How a push talks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loudness {
    /// As `git push` does.
    Usual,
    /// Errors only.
    Quiet,
    /// As it does, and its words are part of the error, too; they come when it has ended.
    Quoted,
}

/// Nothing or not everything was pushed. The commits stand.
#[derive(Debug, thiserror::Error)]
pub enum PushError {
    /// The run was told to stop.
    #[error("interrupted")]
    Interrupted(Cause),
    /// git failed.
    #[error("{}", if words.is_empty() { status.to_string() } else { words.clone() })]
    Failed {
        /// How it ended.
        status: ExitStatus,
        /// Its last lines, where they are wanted.
        words: String,
    },
    /// git could not be run.
    #[error(transparent)]
    Git(#[from] GitError),
}

/// Runs `git push` in the current folder, on our terminal: git may ask for a password there. It never writes to standard
/// output, where the results of the run are.
///
/// # Errors
/// See [`PushError`].
pub fn push(repository: &Repository, loudness: Loudness, cancel: &Cancel) -> Result<(), PushError> {
    if let Some(cause) = cancel.cause() {
        return Err(PushError::Interrupted(cause));
    }
    let git = repository.program()?;
    let mut command = Command::new(git.path());
    command.arg("push").stdout(Stdio::from(io::stderr()));
    let kept = match loudness {
        Loudness::Usual => None,
        Loudness::Quiet => {
            command.arg("--quiet");
            None
        }
        Loudness::Quoted => Some(keep(&mut command).map_err(GitError::io("keeping the output of", git.path()))?),
    };
    let status = foreground(&mut command, cancel).map_err(GitError::io("running", git.path()))?;
    let words = kept.map(pass_on).transpose().map_err(GitError::io("reading the output of", git.path()))?;
    match cancel.cause() {
        _ if status.success() => Ok(()),
        Some(cause) => Err(PushError::Interrupted(cause)),
        None => Err(PushError::Failed { status, words: words.unwrap_or_default() }),
    }
}

/// Has the output written to a file. A pipe would be held open by what a push may leave running, such as a shared
/// connection of ssh.
fn keep(command: &mut Command) -> io::Result<File> {
    let file = tempfile::tempfile()?;
    command.stdout(file.try_clone()?).stderr(file.try_clone()?);
    Ok(file)
}

/// Shows what was kept, and returns its end.
fn pass_on(mut file: File) -> io::Result<String> {
    let mut output = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut output)?;
    // When standard error is closed, nobody is there to be told.
    drop(io::stderr().write_all(&output));
    Ok(last_lines(&output))
}
