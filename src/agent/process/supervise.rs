//! Watches over one process until it and its group are gone.
//!
//! One thread feeds standard input, two read the outputs, one waits for the exit; this one sleeps until any of them, a
//! request to stop, or the clock has something to say. The states are: running → told to end (grace) → killed, and from
//! any of them: exited → drained.

use std::process::Stdio;
use std::sync::mpsc::{self, Receiver, Sender};
use std::time::{Duration, Instant};

use super::group::Group;
use super::pump::{self, Keep, Tap};
use super::start::{ProcessError, spawn};
use super::{Command, Exit, FLOOD_LIMIT, GRACE, Outcome, STDERR_LIMIT, STDOUT_LIMIT};
use crate::run::Cancel;

/// How long outputs may stay open after the process has exited. Everything it wrote is in the pipes by then; a helper
/// that it wrote through (`| tee`) may need a moment, and whatever else holds the pipes gets no more than that.
const DRAIN: Duration = Duration::from_millis(100);

/// How long a killed process may take to disappear; only one stuck in the kernel takes any time.
const DEATH: Duration = Duration::from_secs(5);

/// How much later than asked for a sleep may end on a busy machine, and how long an answer may take to get through once
/// the run goes on.
const LEEWAY: Duration = Duration::from_secs(2);

/// Where nobody tells us of the exit, how often to look.
#[cfg(not(unix))]
const LOOK: Duration = Duration::from_millis(10);

/// What wakes the supervisor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Event {
    /// One of the outputs has ended.
    Ended,
    /// One of the outputs is out of bounds.
    Flooded,
    /// The leader has exited.
    #[cfg_attr(not(unix), expect(dead_code, reason = "looked for, not told"))]
    Exited,
    /// The leader waits for a terminal that it will not get.
    #[cfg_attr(not(unix), expect(dead_code, reason = "there is no such thing"))]
    WantsTerminal,
    /// The run is told to stop, or told again.
    Stop,
}

/// Runs `command` to its end and says how it went. A run that was told to stop already starts nothing.
///
/// # Errors
/// The process could not be started, or its end could not be learned.
pub fn run(command: Command, cancel: &Cancel) -> Result<Outcome, ProcessError> {
    run_telling(command, cancel, &|_| {})
}

/// The same; `started` is told the number of the process as soon as it has one.
///
/// # Errors
/// As [`run`].
pub fn run_telling(command: Command, cancel: &Cancel, started: &dyn Fn(u32)) -> Result<Outcome, ProcessError> {
    run_with_limits(command, cancel, &Limits::default(), started)
}

/// The bounds that tests make smaller.
#[derive(Debug, Clone)]
pub(super) struct Limits {
    pub(super) stdout: usize,
    pub(super) stderr: usize,
    pub(super) flood: u64,
    pub(super) grace: Duration,
    pub(super) drain: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { stdout: STDOUT_LIMIT, stderr: STDERR_LIMIT, flood: FLOOD_LIMIT, grace: GRACE, drain: DRAIN }
    }
}

pub(super) fn run_with_limits(
    command: Command,
    cancel: &Cancel,
    limits: &Limits,
    tell: &dyn Fn(u32),
) -> Result<Outcome, ProcessError> {
    let started = Instant::now();
    if let Some(cause) = cancel.cause() {
        return Ok(never_started(Exit::Cancelled(cause)));
    }
    let deadline = command.timeout.and_then(|timeout| started.checked_add(timeout));
    let (events, inbox) = mpsc::channel();
    let (group, is_confined, taps) = start(command, limits, &events, tell)?;
    let _watch = cancel.watch(teller(&events, Event::Stop));
    let mut supervisor =
        Supervisor { group, taps, inbox, cancel: cancel.clone(), limits: limits.clone(), open: 2, stopped: None };
    let exited = supervisor.wait_for_exit(deadline);
    supervisor.drain();
    let exit = match supervisor.stopped {
        Some(exit) => exit,
        None if exited => supervisor.reap()?,
        None => Exit::TimedOut,
    };
    if exited && supervisor.stopped.is_some() {
        // How it ended says nothing: it was told to.
        supervisor.reap()?;
    }
    let [stdout, stderr] = &supervisor.taps;
    let (stdout, stdout_len) = stdout.take();
    let (stderr_tail, stderr_len) = stderr.take();
    Ok(Outcome { exit, stdout, stderr_tail, stdout_len, stderr_len, elapsed: started.elapsed(), is_confined })
}

fn never_started(exit: Exit) -> Outcome {
    Outcome {
        exit,
        stdout: Vec::new(),
        stderr_tail: Vec::new(),
        stdout_len: 0,
        stderr_len: 0,
        elapsed: Duration::ZERO,
        // Nothing wrote anywhere.
        is_confined: true,
    }
}

fn teller(events: &Sender<Event>, event: Event) -> impl Fn() + Send + Sync + 'static {
    let events = events.clone();
    move || {
        // The supervisor may have gone; then nobody needs to know.
        let _ = events.send(event);
    }
}

fn start(
    command: Command,
    limits: &Limits,
    events: &Sender<Event>,
    tell: &dyn Fn(u32),
) -> Result<(Group, bool, [Tap; 2]), ProcessError> {
    let stdin = if command.stdin.is_empty() { Stdio::null() } else { Stdio::piped() };
    let (mut group, is_confined) = spawn(&command, stdin)?;
    tell(group.id());
    let taps = attach(&mut group, command.stdin, limits, events).map_err(ProcessError::Other)?;
    Ok((group, is_confined, taps))
}

/// Connects the threads. When one cannot be started, the group dies with its value.
fn attach(group: &mut Group, stdin: Vec<u8>, limits: &Limits, events: &Sender<Event>) -> std::io::Result<[Tap; 2]> {
    let (input, output, error) = group.pipes()?;
    let tell = |event| teller(events, event);
    let (flood, keep) = (limits.flood, [Keep::First(limits.stdout), Keep::Last(limits.stderr)]);
    let [first, last] = keep;
    let stdout = Tap::open("stdout", output, first, flood, tell(Event::Flooded), tell(Event::Ended))?;
    let stderr = Tap::open("stderr", error, last, flood, tell(Event::Flooded), tell(Event::Ended))?;
    if let Some(input) = input {
        pump::feed(input, stdin)?;
    }
    #[cfg(unix)]
    group.watch(tell(Event::WantsTerminal), tell(Event::Exited))?;
    Ok([stdout, stderr])
}

struct Supervisor {
    group: Group,
    /// Standard output and standard error.
    taps: [Tap; 2],
    inbox: Receiver<Event>,
    cancel: Cancel,
    limits: Limits,
    /// How many outputs have not ended.
    open: usize,
    /// Why we ended it, if we did.
    stopped: Option<Exit>,
}

impl Supervisor {
    /// Waits until the leader has exited and stops it when it must be stopped; `false` when even killing did not help.
    fn wait_for_exit(&mut self, deadline: Option<Instant>) -> bool {
        let mut deadline = deadline;
        let (mut killed, mut slept) = (false, false);
        loop {
            match self.next(deadline) {
                Some(Event::Exited) => return true,
                Some(Event::Ended) => self.open = self.open.saturating_sub(1),
                Some(Event::Flooded) if self.stopped.is_none() => deadline = self.stop(Exit::Flooded),
                Some(Event::WantsTerminal) if self.stopped.is_none() => deadline = self.stop(Exit::WantedTerminal),
                Some(Event::Stop) if self.stopped.is_none() => {
                    deadline = self.stop(self.cancelled());
                }
                // We woke up long after the deadline: the run was stopped with Ctrl-Z. What the agent did meanwhile may
                // be on its way.
                None if self.stopped.is_none() && !slept && is_long_gone(deadline) => {
                    slept = true;
                    deadline = after(LEEWAY);
                }
                None if self.stopped.is_none() => deadline = self.stop(Exit::TimedOut),
                Some(Event::Flooded | Event::WantsTerminal) => {}
                // Told to stop while it is ending: that reason counts now, for the caller must not go on.
                Some(Event::Stop) => self.stopped = Some(self.cancelled()),
                None if killed => return false,
                None => {
                    self.group.kill();
                    killed = true;
                    deadline = after(DEATH);
                }
            }
            if !killed && self.stopped.is_some() && self.cancel.is_urgent() {
                self.group.kill();
                killed = true;
                deadline = after(DEATH);
            }
        }
    }

    fn cancelled(&self) -> Exit {
        self.cancel.cause().map_or(Exit::TimedOut, Exit::Cancelled)
    }

    /// Asks the group to end and returns until when it may take.
    fn stop(&mut self, why: Exit) -> Option<Instant> {
        self.stopped = Some(why);
        self.group.terminate();
        after(self.limits.grace)
    }

    /// Takes in what is left in the pipes and ends whatever the leader left behind.
    fn drain(&mut self) {
        if self.stopped.is_none() {
            self.wait_for_ends(after(self.limits.drain));
        }
        self.group.kill();
        // Only a process that has left the group can hold the pipes now. What is still in them is taken, no more.
        let mut seen = None;
        while self.open > 0 && seen != Some(self.total()) {
            seen = Some(self.total());
            self.wait_for_ends(after(DRAIN));
        }
    }

    fn wait_for_ends(&mut self, deadline: Option<Instant>) {
        while self.open > 0 {
            match self.next(deadline) {
                Some(Event::Ended) => self.open = self.open.saturating_sub(1),
                Some(Event::Exited | Event::WantsTerminal) => {}
                Some(Event::Flooded | Event::Stop) | None => return,
            }
        }
    }

    fn total(&self) -> u64 {
        self.taps.iter().map(Tap::total).sum()
    }

    fn reap(&mut self) -> Result<Exit, ProcessError> {
        self.group.reap().map(Exit::of).map_err(ProcessError::Lost)
    }

    /// The next event, or `None` when the deadline has passed.
    #[cfg(unix)]
    fn next(&mut self, deadline: Option<Instant>) -> Option<Event> {
        self.receive(deadline)
    }

    /// The next event, or `None` when the deadline has passed.
    #[cfg(not(unix))]
    fn next(&mut self, deadline: Option<Instant>) -> Option<Event> {
        loop {
            let look = after(LOOK);
            let until = deadline.into_iter().chain(look).min();
            if let Some(event) = self.receive(until) {
                return Some(event);
            }
            if self.group.has_exited() {
                return Some(Event::Exited);
            }
            if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                return None;
            }
        }
    }

    fn receive(&self, deadline: Option<Instant>) -> Option<Event> {
        match deadline {
            // The threads and the watch hold senders, but a broken channel must not look like an endless wait.
            None => self.inbox.recv().ok(),
            Some(deadline) => self.inbox.recv_timeout(deadline.saturating_duration_since(Instant::now())).ok(),
        }
    }
}

/// Whether a deadline passed so long ago that this process cannot have been running.
fn is_long_gone(deadline: Option<Instant>) -> bool {
    deadline.is_some_and(|deadline| Instant::now().saturating_duration_since(deadline) > LEEWAY)
}

fn after(time: Duration) -> Option<Instant> {
    Instant::now().checked_add(time)
}
