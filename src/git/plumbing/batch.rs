//! One `git cat-file` that is kept running and asked again and again.

use std::cell::RefCell;
use std::io::{BufRead, BufReader, Error, ErrorKind, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use bstr::ByteSlice;

use super::super::{GitError, ObjectId, Program};

/// Answers questions about objects.
pub(super) struct Batch {
    /// `--batch` or `--batch-check`.
    mode: &'static str,
    running: RefCell<Option<Running>>,
}

/// What an object is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) kind: String,
    pub(super) size: u64,
    /// Empty where only the header was asked for.
    pub(super) content: Vec<u8>,
}

struct Running {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
}

impl Batch {
    pub(super) const fn contents() -> Self {
        Self { mode: "--batch", running: RefCell::new(None) }
    }

    pub(super) const fn headers() -> Self {
        Self { mode: "--batch-check", running: RefCell::new(None) }
    }

    /// Asks for an object; `None` when it is not there.
    pub(super) fn ask(&self, git: &Program, id: ObjectId) -> Result<Option<Found>, GitError> {
        let mut running = self.running.borrow_mut();
        // A signal to the whole group of processes, or a failed fetch of a missing object, may have ended it.
        for fresh in [false, true] {
            if running.is_none() || fresh {
                *running = Some(Running::start(git, self.mode)?);
            }
            if let Some(process) = running.as_mut()
                && let Ok(answer) = process.ask(id, self.mode == "--batch")
            {
                return Ok(answer);
            }
            *running = None;
        }
        Err(Self::explain(git, id))
    }

    /// Asks once more, by a process that can say what is wrong.
    fn explain(git: &Program, id: ObjectId) -> GitError {
        let text = match git.try_run(&["cat-file", "-s", &id.to_string()], None, |_| {}) {
            Ok(finished) if finished.stderr.is_empty() => "git cat-file ended unexpectedly".to_owned(),
            Ok(finished) => finished.stderr,
            Err(error) => error.to_string(),
        };
        GitError::Object(id, text)
    }
}

impl Running {
    fn start(git: &Program, mode: &str) -> Result<Self, GitError> {
        let starting = || GitError::io("starting", git.path());
        let mut command = git.command(&["cat-file", mode]);
        let mut child = command.stdin(Stdio::piped()).stderr(Stdio::null()).spawn().map_err(starting())?;
        let broken = || Error::from(ErrorKind::BrokenPipe);
        let stdin = child.stdin.take();
        let stdout = child.stdout.take().ok_or_else(broken).map_err(starting())?;
        Ok(Self { child, stdin, stdout: BufReader::new(stdout) })
    }

    fn ask(&mut self, id: ObjectId, with_content: bool) -> std::io::Result<Option<Found>> {
        let stdin = self.stdin.as_mut().ok_or(ErrorKind::BrokenPipe)?;
        stdin.write_all(format!("{id}\n").as_bytes())?;
        stdin.flush()?;
        let mut header = Vec::new();
        self.stdout.read_until(b'\n', &mut header)?;
        let header = header.strip_suffix(b"\n").ok_or(ErrorKind::UnexpectedEof)?;
        let mut words = header.to_str().map_err(|_| ErrorKind::InvalidData)?.split(' ').skip(1);
        let kind = words.next().ok_or(ErrorKind::InvalidData)?.to_owned();
        let Some(size) = words.next() else {
            return if kind == "missing" { Ok(None) } else { Err(ErrorKind::InvalidData.into()) };
        };
        let size: u64 = size.parse().map_err(|_| ErrorKind::InvalidData)?;
        let mut content = Vec::new();
        if with_content {
            let length = size.checked_add(1).ok_or(ErrorKind::InvalidData)?;
            (&mut self.stdout).take(length).read_to_end(&mut content)?;
            if content.len() as u64 != length || content.pop() != Some(b'\n') {
                return Err(ErrorKind::UnexpectedEof.into());
            }
        }
        Ok(Some(Found { kind, size, content }))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It ends when it has nothing more to read.
        drop(self.stdin.take());
        drop(self.child.wait());
    }
}
