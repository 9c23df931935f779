//! From all that a commit says to its object: in its encoding, and signed where that is asked for.

use std::fs::File;
use std::io::{IsTerminal, Read, Seek};
use std::sync::Arc;

use bstr::ByteSlice;

use crate::git::{CommitObject, GitError, ObjectId, Repository};
use crate::run::{Bounds, Ending, OnStop, Outputs, bounded};

use super::hooks::last_lines;
use super::{Making, PublishError};

/// Writes the object of a commit.
///
/// # Errors
/// It cannot be written, or not be signed.
pub(super) fn write(
    repository: &Repository,
    commit: &CommitObject,
    making: &Making<'_>,
) -> Result<ObjectId, PublishError> {
    if repository.signs_commits()? {
        sign(repository, commit, making)
    } else {
        Ok(repository.write_commit(&commit.content())?)
    }
}

fn sign(repository: &Repository, commit: &CommitObject, making: &Making<'_>) -> Result<ObjectId, PublishError> {
    let scratch = GitError::io("writing a file in", tempfile::env::temp_dir());
    let (output, copy) = scratch_file().map_err(scratch)?;
    let mut command = repository.signing_command(commit)?;
    command.stdout(copy);
    // Where there is a terminal, the program may ask for a passphrase there; else it can be ended with all it started.
    let own_group = !(std::io::stdin().is_terminal() || std::io::stderr().is_terminal());
    let bounds =
        Bounds { timeout: making.hooks.options().timeout, cancel: making.cancel, on_stop: OnStop::End, own_group };
    let (ending, words) = bounded(command, &bounds, Outputs::Errors(Arc::new(|_| {})))
        .map_err(GitError::io("running", "git commit-tree"))?;
    let failed = |why: String| {
        let said = last_lines(&words);
        Err(PublishError::Unsigned(if said.is_empty() { why } else { format!("{why}\n{said}") }))
    };
    match ending {
        Ending::Exited(status) if status.success() => {}
        Ending::Exited(status) => return failed(format!("git commit-tree -S: {status}")),
        Ending::TimedOut => return failed(format!("it did not end within {} seconds", bounds.timeout.as_secs())),
        Ending::WantedTerminal => return failed("it wanted to read from a terminal, and there is none".to_owned()),
        Ending::Stopped(cause) => return Err(PublishError::Interrupted(cause)),
    }
    let id = read_id(output)?;
    repository.check_signed(id, commit)?;
    Ok(id)
}

fn scratch_file() -> std::io::Result<(File, File)> {
    let file = tempfile::tempfile()?;
    let copy = file.try_clone()?;
    Ok((file, copy))
}

fn read_id(mut output: File) -> Result<ObjectId, GitError> {
    let mut text = Vec::new();
    let read = output.rewind().and_then(|()| output.read_to_end(&mut text));
    read.map_err(GitError::io("reading the output of", "git commit-tree"))?;
    let shown = text.trim().to_str_lossy();
    shown.parse().map_err(|error: crate::git::InvalidObjectId| GitError::Program {
        command: "git commit-tree".to_owned(),
        text: error.to_string(),
    })
}
