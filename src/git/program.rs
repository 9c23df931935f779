//! Running the git program: machine-readable output, no prompts, no translation.

use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::Builder;

use bstr::ByteSlice;

use crate::program::SearchPath;

use super::GitError;

/// Variables that would change what a pathspec or a listing means.
const UNSET: [&str; 5] =
    ["GIT_LITERAL_PATHSPECS", "GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS", "GIT_EXTERNAL_DIFF"];

/// Variables that name folders, perhaps from where we were started.
const FOLDERS: [&str; 3] = ["GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR"];

/// Writing to a pipe needs next to no stack.
const STACK: usize = 128 * 1024;

/// The git program and the folder to run it in.
#[derive(Debug, Clone)]
pub struct Program {
    path: PathBuf,
    directory: PathBuf,
}

/// How a run of git ended.
pub(crate) struct Finished {
    pub(crate) success: bool,
    pub(crate) code: Option<i32>,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
}

impl Program {
    /// Finds git on `PATH`.
    ///
    /// # Errors
    /// It is not there.
    pub fn find(directory: &Path) -> Result<Self, GitError> {
        let path = SearchPath::of_process().find("git").ok_or(GitError::NoGitProgram)?;
        Ok(Self { path, directory: directory.to_owned() })
    }

    /// The program found.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Runs git and takes its standard output.
    ///
    /// # Errors
    /// git cannot be started or exits with another code than zero.
    pub fn run(&self, arguments: &[&str], prepare: impl FnOnce(&mut Command)) -> Result<Vec<u8>, GitError> {
        let finished = self.try_run(arguments, None, prepare)?;
        if finished.success {
            return Ok(finished.stdout);
        }
        Err(Self::failure(arguments, &finished))
    }

    /// Runs git, with bytes for its standard input, whatever it exits with.
    pub(crate) fn try_run(
        &self,
        arguments: &[&str],
        input: Option<&[u8]>,
        prepare: impl FnOnce(&mut Command),
    ) -> Result<Finished, GitError> {
        let mut command = self.command(arguments);
        command.stdin(if input.is_some() { Stdio::piped() } else { Stdio::null() });
        prepare(&mut command);
        let mut child = command.spawn().map_err(GitError::io("starting", &self.path))?;
        let stdin = child.stdin.take();
        let output = std::thread::scope(|scope| {
            if let (Some(mut stdin), Some(bytes)) = (stdin, input) {
                // A git that stops reading early says why on its own; the broken pipe adds nothing.
                let write = move || drop(stdin.write_all(bytes));
                if let Err(error) = Builder::new().stack_size(STACK).spawn_scoped(scope, write) {
                    // With half of its input it must do nothing. If it has ended already, that is its end.
                    drop(child.kill());
                    child.wait()?;
                    return Err(error);
                }
            }
            child.wait_with_output()
        })
        .map_err(GitError::io("running", &self.path))?;
        Ok(Finished {
            success: output.status.success(),
            code: output.status.code(),
            stdout: output.stdout,
            stderr: output.stderr.trim().to_str_lossy().into_owned(),
        })
    }

    /// A command that says the same to everybody, with pipes for its output and nothing to read.
    pub(super) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.path);
        command
            .current_dir(&self.directory)
            .args(arguments)
            .env("LC_MESSAGES", "C")
            .env("LANGUAGE", "C")
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("GIT_TERMINAL_PROMPT", "0")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        for variable in UNSET {
            command.env_remove(variable);
        }
        keep_repository(&mut command);
        command
    }

    pub(crate) fn failure(arguments: &[&str], finished: &Finished) -> GitError {
        let text = match (finished.stderr.is_empty(), finished.code) {
            (false, _) => finished.stderr.clone(),
            (true, Some(code)) => format!("exit code {code}"),
            (true, None) => "killed by a signal".to_owned(),
        };
        let words: Vec<&str> = arguments.iter().copied().filter(|word| !word.contains('=')).collect();
        GitError::Program { command: format!("git {}", words.join(" ").replace("-c ", "")), text }
    }
}

/// Makes sure that a program which starts in another folder finds the repository that the environment names.
pub(super) fn keep_repository(command: &mut Command) {
    for variable in FOLDERS {
        let folder = process_environment(variable).filter(|folder| !folder.is_empty()).map(PathBuf::from);
        // Where the current folder is gone, git says so itself.
        if let Some(absolute) = folder.and_then(|folder| std::path::absolute(folder).ok()) {
            command.env(variable, absolute);
        }
    }
}

/// An environment variable as a closure, for code that must not read the process's own.
pub(crate) fn process_environment(name: &str) -> Option<OsString> {
    std::env::var_os(name)
}
