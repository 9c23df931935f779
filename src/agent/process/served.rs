//! A process that is talked to for as long as a run lasts: started once, ended by us.

use std::io::{Read, Write};
use std::process::Stdio;
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

use super::group::Group;
use super::pump::{Keep, Tap};
use super::start::{ProcessError, spawn};
use super::{Command, FLOOD_LIMIT, STDERR_LIMIT};

/// How long a process may take to end by itself once its standard input is closed.
const QUIET: Duration = Duration::from_millis(300);
/// How long it may take after it was asked to end.
const ASKED: Duration = Duration::from_secs(2);
/// How long a killed process may take to disappear.
const DEATH: Duration = Duration::from_secs(5);
#[cfg(not(unix))]
const LOOK: Duration = Duration::from_millis(10);

/// A running process and its group. Dropping it kills whatever is left.
#[derive(Debug)]
pub struct Served {
    group: Group,
    stderr: Tap,
    /// Told when its standard error has ended.
    silent: Receiver<()>,
    exited: Receiver<()>,
    is_confined: bool,
}

/// Its standard input and output.
pub struct Pipes {
    /// What it reads.
    pub input: Box<dyn Write + Send>,
    /// What it writes.
    pub output: Box<dyn Read + Send>,
}

impl Served {
    /// Starts `command`; its `stdin` and `timeout` are not looked at.
    ///
    /// # Errors
    /// It cannot be started.
    pub fn start(command: &Command) -> Result<(Self, Pipes), ProcessError> {
        let (group, is_confined) = spawn(command, Stdio::piped())?;
        Self::attach(group, is_confined).map_err(ProcessError::Other)
    }

    /// Whether the system keeps it from writing elsewhere than it may.
    #[must_use]
    pub const fn is_confined(&self) -> bool {
        self.is_confined
    }

    fn attach(mut group: Group, is_confined: bool) -> std::io::Result<(Self, Pipes)> {
        let (input, output, error) = group.pipes()?;
        let input = input.ok_or_else(|| std::io::Error::other("the process has no standard input"))?;
        let (hush, silent) = mpsc::channel();
        // Over weeks of warnings nobody is flooded: only the end is kept.
        let stderr = Tap::open(
            "stderr",
            error,
            Keep::Last(STDERR_LIMIT),
            FLOOD_LIMIT,
            || {},
            move || {
                // Nobody may wait for it.
                let _ = hush.send(());
            },
        )?;
        let (tell, exited) = mpsc::channel();
        #[cfg(unix)]
        // One that waits for a terminal answers nothing, and its caller's time is over some day.
        group.watch(
            || {},
            move || {
                let _ = tell.send(());
            },
        )?;
        #[cfg(not(unix))]
        drop(tell);
        Ok((
            Self { group, stderr, silent, exited, is_confined },
            Pipes { input: Box::new(input), output: Box::new(output) },
        ))
    }

    /// Its process id.
    pub(crate) fn id(&self) -> u32 {
        self.group.id()
    }

    /// The end of what it wrote to standard error so far.
    #[must_use]
    pub fn stderr_tail(&self) -> Vec<u8> {
        self.stderr.peek()
    }

    /// The end of what it wrote to standard error, after it has closed its standard output: that may still be on its way.
    #[must_use]
    pub fn last_words(&self) -> Vec<u8> {
        // Whatever it left behind may keep it open for ever.
        let _ = self.silent.recv_timeout(QUIET);
        self.stderr.peek()
    }

    /// Ends the process, whose standard input has been closed: waits a moment, asks, and kills.
    pub fn end(mut self, urgent: bool) {
        if !urgent && !self.gone_within(QUIET) {
            self.group.terminate();
            self.gone_within(ASKED);
        }
        // Even where the leader is gone, something of its group may be left.
        self.group.kill();
        if self.gone_within(DEATH) {
            // How it ended says nothing: it was told to.
            drop(self.group.reap());
        }
    }

    #[cfg(unix)]
    fn gone_within(&mut self, time: Duration) -> bool {
        // The sender is dropped after it has spoken, so a broken channel says the same.
        !matches!(self.exited.recv_timeout(time), Err(mpsc::RecvTimeoutError::Timeout))
    }

    #[cfg(not(unix))]
    fn gone_within(&mut self, time: Duration) -> bool {
        let until = std::time::Instant::now() + time;
        loop {
            if self.group.has_exited() {
                return true;
            }
            if std::time::Instant::now() >= until {
                return false;
            }
            drop(self.exited.recv_timeout(LOOK));
            std::thread::sleep(LOOK);
        }
    }
}
