//! One agent process, from start to end.
//!
//! Promises: the process and everything it starts in its process group is gone when [`run`] returns or unwinds;
//! standard input is fed while both outputs are read, so that nothing blocks at any size; memory is bounded; the
//! time-out and a request to stop are honoured however the process behaves; an agent that ends at once costs no waiting.

mod confine;
mod group;
mod pump;
mod served;
mod start;
mod supervise;

#[cfg(test)]
#[cfg(unix)]
mod tests;

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::time::Duration;

pub use self::confine::{Confinement, devices};
pub use self::served::{Pipes, Served};
pub use self::start::{ProcessError, find_program};
pub use self::supervise::{run, run_telling};
use crate::run::Cause;

/// How much of standard output is kept, in bytes. No answer is longer.
pub const STDOUT_LIMIT: usize = 8 * 1024 * 1024;

/// How much of the end of standard error is kept, in bytes.
pub const STDERR_LIMIT: usize = 256 * 1024;

/// A process that has written more than this to one of its outputs is stopped, in bytes.
pub const FLOOD_LIMIT: u64 = 64 * 1024 * 1024;

/// How long a process may take to end after it was told to.
pub const GRACE: Duration = Duration::from_secs(5);

/// What to run.
#[derive(Clone, PartialEq, Eq)]
pub struct Command {
    /// The program, as [`find_program`] gives it: an absolute path.
    pub program: PathBuf,
    /// The arguments after the program's name.
    pub args: Vec<OsString>,
    /// Variables to set, on top of the inherited environment. They win over `env_unset`.
    pub env_set: Vec<(String, OsString)>,
    /// Variables to remove from the inherited environment.
    pub env_unset: Vec<String>,
    /// What the process reads from standard input. Empty: it finds the end at once.
    pub stdin: Vec<u8>,
    /// The folder to run in.
    pub working_dir: PathBuf,
    /// How long it may take; `None`: as long as it wants.
    pub timeout: Option<Duration>,
    /// Where it may write, as far as the system can keep it from writing elsewhere; `None`: wherever the user may.
    pub confinement: Option<Confinement>,
}

/// Shows sizes and names only: arguments hold prompts, and variables hold keys.
impl fmt::Debug for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.env_set.iter().map(|(name, _)| name).collect();
        f.debug_struct("Command")
            .field("program", &self.program)
            .field("args", &self.args.len())
            .field("env_set", &names)
            .field("env_unset", &self.env_unset)
            .field("stdin", &self.stdin.len())
            .field("working_dir", &self.working_dir)
            .field("timeout", &self.timeout)
            .field("confinement", &self.confinement)
            .finish()
    }
}

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Exit {
    /// It ended by itself with this code.
    Code(i32),
    /// A signal that we did not send ended it.
    Signal(i32),
    /// We stopped it: its time was over.
    TimedOut,
    /// We stopped it: it wrote more than [`FLOOD_LIMIT`].
    Flooded,
    /// We stopped it: it turned to the terminal and would have waited for ever.
    WantedTerminal,
    /// We stopped it, or did not start it, because the run was told to stop.
    Cancelled(Cause),
}

impl Exit {
    /// How a process ended that nobody stopped.
    fn of(status: ExitStatus) -> Self {
        #[cfg(unix)]
        {
            use std::os::unix::process::ExitStatusExt as _;
            if let Some(signal) = status.signal() {
                return Exit::Signal(signal);
            }
        }
        Exit::Code(status.code().unwrap_or(-1))
    }
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Exit::Code(code) => write!(f, "exit {code}"),
            Exit::Signal(signal) => write!(f, "signal {signal}"),
            Exit::TimedOut => f.write_str("timed out"),
            Exit::Flooded => f.write_str("stopped, too much output"),
            Exit::WantedTerminal => f.write_str("stopped, it wanted the terminal"),
            Exit::Cancelled(_) => f.write_str("cancelled"),
        }
    }
}

/// What a process left behind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// How it ended.
    pub exit: Exit,
    /// The first [`STDOUT_LIMIT`] bytes of standard output.
    pub stdout: Vec<u8>,
    /// The last [`STDERR_LIMIT`] bytes of standard error.
    pub stderr_tail: Vec<u8>,
    /// Everything that was read from standard output, in bytes.
    pub stdout_len: u64,
    /// Everything that was read from standard error, in bytes.
    pub stderr_len: u64,
    /// Wall-clock time from the start to the end.
    pub elapsed: Duration,
    /// Whether the system kept it from writing where it may not.
    pub is_confined: bool,
}

impl Outcome {
    /// Whether standard output was longer than what was kept of it.
    #[must_use]
    pub fn is_capped(&self) -> bool {
        self.stdout_len > self.stdout.len() as u64
    }
}
