//! How engine code tells what happens without printing anything: one trait, implemented by what the user sees and by tests.

use std::time::Duration;

use crate::role::Role;
use crate::usage::Usage;

/// One call of an agent that is about to start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallStart<'a> {
    /// The role asked for.
    pub role: Role,
    /// The provider's name.
    pub provider: &'a str,
    /// The model passed on, or empty where the agent uses its own default.
    pub model: &'a str,
    /// The argument vector with payload and system prompt shown as sizes; empty for a provider without a process.
    pub argv: &'a [String],
    /// Length of the system prompt in bytes.
    pub system_bytes: usize,
    /// Length of the user payload in bytes.
    pub payload_bytes: usize,
    /// The time-out that applies to this call.
    pub timeout: Duration,
    /// System prompt and payload, for `-vv` only.
    pub contents: (&'a str, &'a str),
}

/// One call of an agent that has ended, well or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallEnd<'a> {
    /// The role that was asked for.
    pub role: Role,
    /// The provider's name.
    pub provider: &'a str,
    /// How the process ended, in words (`exit 0`, `signal 9`, `timed out`).
    pub exit: &'a str,
    /// Wall-clock time of the call.
    pub elapsed: Duration,
    /// Bytes read from standard output.
    pub stdout_bytes: usize,
    /// Bytes read from standard error.
    pub stderr_bytes: usize,
    /// What it used, as far as the agent reported that; `None` where no agent was at work.
    pub usage: Option<Usage>,
    /// What was read from both, for `-vv` only, lossily decoded.
    pub contents: (&'a str, &'a str),
}

/// Receives what a run has to say while it goes on. Methods may be called from several threads.
pub trait Progress: Send + Sync {
    /// What the calls of this thread are for from now on, in a few words that nobody vouches for; `None`: nothing more is
    /// known than their role.
    fn about(&self, _what: Option<&str>) {}
    /// A call of an agent starts. It ends in the same thread.
    fn call_started(&self, _call: &CallStart<'_>) {}
    /// A call of an agent has ended.
    fn call_ended(&self, _call: &CallEnd<'_>) {}
    /// The next call of this thread waits for a seat, with so many before it; `None`: it waits no more.
    fn waiting(&self, _provider: &str, _ahead: Option<usize>) {}
    /// How much of a call is told: 0, 1 (what is run) or 2 (with contents). Nobody need prepare more.
    fn verbosity(&self) -> u8 {
        0
    }
    /// Something the user should know although the run goes on; shown unless `--quiet`.
    fn notice(&self, _text: &str) {}
    /// Something that explains the run; shown with `--verbose`.
    fn detail(&self, _text: &str) {}
}

/// Says nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Progress for Silent {}
