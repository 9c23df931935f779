//! Reading HEAD and moving it, by `git update-ref` in a transaction that is held open.
//!
//! `git update-ref --stdin` compares ids, not targets, and its `symref-verify` cannot stand in one transaction with an
//! update of the branch that HEAD names. But after `prepare` the locks are held: of HEAD and of the branch that it named
//! under lock (files), or of all refs (reftable). So HEAD is read once more between `prepare` and `commit`.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender};
use std::thread::sleep;
use std::time::{Duration, Instant};

use bstr::ByteSlice;

use super::super::{GitError, Head, HeadMoved, HeadTarget, ObjectId, Program, Reflog};

/// As long is waited for a lock that somebody else holds; git itself waits as long for a single ref.
const LOCK_TIMEOUT: Duration = Duration::from_millis(100);

/// Reads HEAD without following it to a commit that may not exist yet.
pub(super) fn read_head(git: &Program) -> Result<Head, GitError> {
    let arguments = ["symbolic-ref", "-q", "HEAD"];
    let finished = git.try_run(&arguments, None, |_| {})?;
    match finished.code {
        Some(0) => {
            let name = branch_name(finished.stdout.strip_suffix(b"\n").unwrap_or(&finished.stdout))?;
            let commit = find(git, &name)?;
            Ok(Head { target: HeadTarget::Branch(name), commit })
        }
        Some(1) => {
            let output = git.run(&["rev-parse", "--verify", "HEAD"], |_| {})?;
            Ok(Head { target: HeadTarget::Detached, commit: Some(id(&output)?) })
        }
        _ => Err(Program::failure(&arguments, &finished)),
    }
}

fn branch_name(name: &[u8]) -> Result<String, GitError> {
    String::from_utf8(name.to_vec()).map_err(|_| GitError::Unsupported {
        what: format!("the branch name {} is not UTF-8", bstr::BStr::new(name)),
        instead: "git commit".to_owned(),
    })
}

/// What a full ref name points to. No other rule of finding refs may apply.
fn find(git: &Program, name: &str) -> Result<Option<ObjectId>, GitError> {
    let output = git.run(&["for-each-ref", "--format=%(objectname) %(refname)", name], |_| {})?;
    let mut lines = ByteSlice::lines(output.as_slice()).filter_map(|line| line.split_once_str(" "));
    lines.find(|(_, found)| *found == name.as_bytes()).map(|(object, _)| id(object)).transpose()
}

/// An id that git printed.
pub(super) fn id(output: &[u8]) -> Result<ObjectId, GitError> {
    let text = output.trim().to_str_lossy();
    text.parse().map_err(|error: super::super::InvalidObjectId| GitError::Program {
        command: "git".to_owned(),
        text: error.to_string(),
    })
}

/// Where HEAD and its branch go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Move {
    /// To a commit.
    To(ObjectId),
    /// Back to being unborn.
    Away,
}

/// Moves what `frozen` says HEAD points to, or changes nothing. HEAD and its branch are locked and read again under the
/// lock; both reflogs tell of the move, and `reference-transaction` hooks are asked, within `limit` in all.
pub(crate) fn move_head(
    git: &Program,
    frozen: &Head,
    to: Move,
    null: ObjectId,
    (reflog, limit): (&Reflog, Duration),
) -> Result<(), GitError> {
    let moved = |found| GitError::HeadMoved(Box::new(HeadMoved { frozen: frozen.clone(), found }));
    let old = frozen.commit.unwrap_or(null);
    // HEAD itself is named, so that git locks it before it finds out which branch is meant.
    let update = match to {
        Move::To(new) => format!("update HEAD\0{new}\0{old}\0"),
        Move::Away => format!("delete HEAD\0{old}\0"),
    };
    let deadline = Instant::now() + LOCK_TIMEOUT;
    let transaction = loop {
        let mut transaction = Transaction::start(git, reflog, limit)?;
        if transaction.send("start", "start\0")? && transaction.send("prepare", &format!("{update}prepare\0"))? {
            break transaction;
        }
        let late = transaction.watch.late();
        let text = transaction.failure();
        let found = read_head(git)?;
        if found != *frozen {
            return Err(moved(found));
        }
        if let Some(after) = late {
            return Err(GitError::RefHook(format!("it did not end within {} seconds", after.as_secs())));
        }
        if !is_lock(&text) {
            if text.contains(ABORTED) {
                return Err(GitError::RefHook(text));
            }
            return Err(GitError::Program { command: "git update-ref".to_owned(), text });
        }
        if Instant::now() >= deadline {
            return Err(GitError::RefLocked(locked(&text, frozen)));
        }
        sleep(Duration::from_millis(10));
    };
    let found = read_head(git)?;
    if found != *frozen {
        transaction.abort();
        return Err(moved(found));
    }
    let Err(error) = transaction.commit() else { return Ok(()) };
    // It may have been killed, or a hook that is told of the move have taken too long, after the work was done; what counts
    // is where HEAD is.
    let there = match to {
        Move::To(new) => Some(new),
        Move::Away => None,
    };
    if read_head(git)? == (Head { target: frozen.target.clone(), commit: there }) { Ok(()) } else { Err(error) }
}

/// What git says when a hook does not let refs move.
const ABORTED: &str = "ref updates aborted by hook";

/// Whether git says that somebody else holds a lock, in the words of either way to store refs.
fn is_lock(text: &str) -> bool {
    (text.contains(".lock'") && text.contains("File exists")) || text.contains("cannot lock references")
}

/// Which ref git could not lock. It speaks of HEAD in either case, but names the file.
fn locked(text: &str, frozen: &Head) -> String {
    let name = if text.contains("/HEAD.lock'") { "HEAD" } else { frozen.ref_to_move() };
    name.to_owned()
}

/// A running `git update-ref --stdin`. When it loses its input before the commit, it undoes everything.
struct Transaction {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    /// What git and hooks say. A pipe would be held open by what a hook leaves running.
    said: File,
    watch: Watch,
}

impl Transaction {
    fn start(git: &Program, reflog: &Reflog, limit: Duration) -> Result<Self, GitError> {
        let message = reflog.message.replace(b"\0", b" ");
        let mut command = git.command(&["update-ref", "-z", "--stdin", "-m"]);
        command.arg(message.to_os_str_lossy());
        reflog.committer.export("COMMITTER", &mut command);
        let said = tempfile::tempfile().map_err(GitError::io("creating a file in", tempfile::env::temp_dir()))?;
        let copy = said.try_clone().map_err(GitError::io("running", git.path()))?;
        // Ctrl-C is for us, who finish this.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        command.stdin(Stdio::piped()).stderr(copy);
        let mut child = command.spawn().map_err(GitError::io("starting", git.path()))?;
        let stdin = child.stdin.take();
        let broken = || std::io::Error::from(std::io::ErrorKind::BrokenPipe);
        let stdout = child.stdout.take().ok_or_else(broken).map_err(GitError::io("running", git.path()))?;
        let watch = end_after(&child, limit).map_err(GitError::io("running", git.path()))?;
        Ok(Self { child, stdin, stdout: BufReader::new(stdout), said, watch })
    }

    /// Sends commands and waits until the named one is answered. False: git has given up and says why.
    fn send(&mut self, awaited: &str, commands: &str) -> Result<bool, GitError> {
        // A git that has given up does not read; its answer tells.
        let sent = self.stdin.as_mut().is_some_and(|stdin| stdin.write_all(commands.as_bytes()).is_ok());
        let mut line = String::new();
        self.stdout.read_line(&mut line).map_err(GitError::io("reading from", "git update-ref"))?;
        Ok(sent && line.trim_end() == format!("{awaited}: ok"))
    }

    /// What git says after it has given up.
    fn failure(mut self) -> String {
        drop(self.stdin.take());
        // What cannot be read any more is not told; that git has failed is known without it.
        drop(self.child.wait());
        let text = self.words().unwrap_or_default();
        let text = text.trim().to_str_lossy().into_owned();
        if text.is_empty() { "git update-ref ended unexpectedly".to_owned() } else { text }
    }

    /// What git and hooks have said so far.
    fn words(&mut self) -> Result<Vec<u8>, GitError> {
        let mut text = Vec::new();
        let read = self.said.rewind().and_then(|()| self.said.read_to_end(&mut text));
        read.map(|_| text).map_err(GitError::io("reading from", "git update-ref"))
    }

    fn commit(mut self) -> Result<(), GitError> {
        if self.send("commit", "commit\0")? {
            drop(self.stdin.take());
            // The refs have moved: nothing that goes wrong now may look as if they had not.
            drop(self.child.wait());
            let words = self.words().unwrap_or_default();
            // What a hook prints is for the user, as it is; git has nothing to say when all is well.
            drop(std::io::stderr().write_all(&words));
            return Ok(());
        }
        Err(GitError::Program { command: "git update-ref".to_owned(), text: self.failure() })
    }

    fn abort(mut self) {
        // Even an abort that does not get through is one: git undoes what it cannot commit.
        if let Some(stdin) = self.stdin.as_mut() {
            drop(stdin.write_all(b"abort\0"));
        }
    }
}

impl Drop for Transaction {
    fn drop(&mut self) {
        drop(self.stdin.take());
        drop(self.child.wait());
    }
}

/// The watch over the time of a transaction. Dropping it ends it.
struct Watch {
    limit: Duration,
    late: Arc<AtomicBool>,
    _end: Sender<()>,
}

impl Watch {
    /// The time that was exceeded.
    fn late(&self) -> Option<Duration> {
        self.late.load(Ordering::SeqCst).then_some(self.limit)
    }
}

/// Ends git when its time is over; then git undoes everything.
fn end_after(child: &Child, limit: Duration) -> std::io::Result<Watch> {
    let (sender, inbox) = std::sync::mpsc::channel();
    let late = Arc::new(AtomicBool::new(false));
    let is_late = Arc::clone(&late);
    #[cfg(unix)]
    let group = rustix::process::Pid::from_child(child);
    #[cfg(not(unix))]
    let _ = child;
    std::thread::Builder::new().name("refs".to_owned()).spawn(move || {
        if inbox.recv_timeout(limit) == Err(RecvTimeoutError::Timeout) {
            is_late.store(true, Ordering::SeqCst);
            // It may have ended at this very moment.
            #[cfg(unix)]
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::TERM);
        }
    })?;
    Ok(Watch { limit, late, _end: sender })
}
