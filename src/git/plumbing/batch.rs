//! One `git cat-file` that is kept running and asked again and again.

use std::cell::RefCell;
use std::ffi::OsString;
use std::io::{BufRead, BufReader, Error, ErrorKind, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use bstr::ByteSlice;

use super::super::{GitError, ObjectId, Program};

/// The headers of objects with their contents.
pub(in super::super) const CONTENTS: &str = "--batch";
/// The headers alone.
pub(in super::super) const HEADERS: &str = "--batch-check";

/// Answers questions about objects.
pub(in super::super) struct Batch {
    /// [`CONTENTS`] or [`HEADERS`].
    mode: &'static str,
    /// Whether what a partial clone has left elsewhere is fetched.
    fetches: bool,
    /// More folders to look in, as `GIT_ALTERNATE_OBJECT_DIRECTORIES` has them.
    alternates: Option<OsString>,
    running: RefCell<Option<Running>>,
}

/// What an object is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) struct Found {
    pub(in super::super) kind: String,
    pub(in super::super) size: u64,
    /// Empty where only the header was asked for.
    pub(in super::super) content: Vec<u8>,
}

struct Running {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
}

impl Batch {
    pub(in super::super) const fn new(mode: &'static str, fetches: bool) -> Self {
        Self { mode, fetches, alternates: None, running: RefCell::new(None) }
    }

    /// Looks in the folders of `GIT_ALTERNATE_OBJECT_DIRECTORIES`, too, and fetches nothing.
    pub(in super::super) const fn with_alternates(mode: &'static str, alternates: OsString) -> Self {
        Self { mode, fetches: false, alternates: Some(alternates), running: RefCell::new(None) }
    }

    /// Asks for an object; `None` when it is not there.
    pub(in super::super) fn ask(&self, git: &Program, id: ObjectId) -> Result<Option<Found>, GitError> {
        let mut running = self.running.borrow_mut();
        if let Some(process) = running.as_mut()
            && let Ok(answer) = process.ask(id, self.mode == CONTENTS)
        {
            return Ok(answer);
        }
        // It has not begun yet, or a signal to the whole group of processes or an object that is elsewhere has ended it.
        let process = running.insert(self.start(git)?);
        let answer = process.ask(id, self.mode == CONTENTS);
        answer.map_err(|_| {
            *running = None;
            self.explain(git, id)
        })
    }

    /// Asks once more, by a process that can say what is wrong.
    fn explain(&self, git: &Program, id: ObjectId) -> GitError {
        let asked = git.try_run(&["cat-file", "-s", &id.to_string()], None, |command| self.prepare(command));
        let text = match asked {
            Ok(finished) if finished.stderr.is_empty() => "git cat-file ended unexpectedly".to_owned(),
            Ok(finished) => finished.stderr,
            Err(error) => error.to_string(),
        };
        GitError::Object(id, text)
    }

    /// Says where git looks, and whether it fetches what is missing; git before 2.44 always does.
    fn prepare(&self, command: &mut Command) {
        if !self.fetches {
            command.env("GIT_NO_LAZY_FETCH", "1");
        }
        if let Some(folders) = &self.alternates {
            command.env("GIT_ALTERNATE_OBJECT_DIRECTORIES", folders);
        }
    }

    fn start(&self, git: &Program) -> Result<Running, GitError> {
        let starting = || GitError::io("starting", git.path());
        let mut command = git.command(&["cat-file", self.mode]);
        self.prepare(&mut command);
        let mut child = command.stdin(Stdio::piped()).stderr(Stdio::null()).spawn().map_err(starting())?;
        let broken = || Error::from(ErrorKind::BrokenPipe);
        let stdin = child.stdin.take();
        let stdout = child.stdout.take().ok_or_else(broken).map_err(starting())?;
        Ok(Running { child, stdin, stdout: BufReader::new(stdout) })
    }
}

impl Running {
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
