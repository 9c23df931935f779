//! Running a program that the repository names – a hook, a program that signs – for a limited time.
//!
//! What it prints goes on to standard error as it comes, and the end of it is kept. What it leaves running in the
//! background when it ends by itself is left alone, as git does.

use std::io::{self, PipeReader};
use std::process::{Child, Command, ExitStatus};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

#[cfg(unix)]
use super::child::on_exit;
use super::child::{detached, read_some};
use super::{Cancel, Cause};

/// How long a program may take to end after it was told to.
const GRACE: Duration = Duration::from_secs(3);
/// How long its output may stay open after its end: whatever it wrote is in the pipe by then.
const DRAIN: Duration = Duration::from_millis(100);
/// How much of the end of its output is kept, in bytes.
pub(super) const KEPT: usize = 64 * 1024;
/// Where nobody tells us of an end, how often to look.
const LOOK: Duration = Duration::from_millis(10);

/// Receives what a program prints, as it comes.
pub type Echo = Arc<dyn Fn(&[u8]) + Send + Sync>;

/// Where a program's outputs go.
#[derive(Clone)]
pub enum Outputs {
    /// Both are passed on here.
    Both(Echo),
    /// Standard error is passed on here; standard output goes where the command says.
    Errors(Echo),
    /// Both go straight to our standard error.
    Standard,
}

/// What a program may do.
#[derive(Clone, Copy)]
pub struct Bounds<'a> {
    /// How long it may take.
    pub timeout: Duration,
    /// Asks it to end early.
    pub cancel: &'a Cancel,
    /// What becomes of it then.
    pub on_stop: OnStop<'a>,
    /// Whether it ends with everything it started, at the price of not being able to read from the terminal.
    pub own_group: bool,
}

/// What a request to stop means for a program.
#[derive(Clone, Copy)]
pub enum OnStop<'a> {
    /// It is ended, and killed when it does not end soon.
    End,
    /// It gets the signal that the request came from, and then has the rest of its time to clear up: it may have set
    /// something aside. Only an [urgent](Cancel::is_urgent) request kills it. Calls this when the waiting begins.
    PassOn(&'a dyn Fn()),
}

/// How it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// By itself, or by a signal that we did not send.
    Exited(ExitStatus),
    /// Its time was over.
    TimedOut,
    /// It turned to the terminal, which it cannot have, and would have waited for ever.
    WantedTerminal,
    /// The run was told to stop.
    Stopped(Cause),
}

/// How a program is told to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Urge {
    /// As we were told.
    PassOn(Cause),
    Terminate,
    Kill,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Event {
    #[cfg_attr(not(unix), expect(dead_code, reason = "looked for, not told"))]
    Exited,
    #[cfg_attr(not(unix), expect(dead_code, reason = "there is no such thing"))]
    WantsTerminal,
    Stop,
}

/// Runs a program to its end. Returns how it ended and the end of what was passed on.
///
/// # Errors
/// It cannot be started, or its end cannot be learned.
pub fn bounded(mut command: Command, bounds: &Bounds<'_>, outputs: Outputs) -> io::Result<(Ending, Vec<u8>)> {
    if let Some(cause) = bounds.cancel.cause() {
        return Ok((Ending::Stopped(cause), Vec::new()));
    }
    #[cfg(unix)]
    if bounds.own_group {
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
    }
    let tap = match outputs {
        Outputs::Both(echo) => {
            let (reader, writer) = io::pipe()?;
            command.stdout(writer.try_clone()?).stderr(writer);
            Some(Tap::open(reader, echo)?)
        }
        Outputs::Errors(echo) => {
            let (reader, writer) = io::pipe()?;
            command.stderr(writer);
            Some(Tap::open(reader, echo)?)
        }
        Outputs::Standard => {
            command.stdout(io::stderr());
            None
        }
    };
    let child = command.spawn()?;
    // It holds our copies of the pipe's other end.
    drop(command);
    let ending = Watched { child, own_group: bounds.own_group }.wait(bounds, tap.as_ref())?;
    Ok((ending, tap.map(Tap::end).unwrap_or_default()))
}

struct Watched {
    child: Child,
    own_group: bool,
}

impl Watched {
    fn wait(mut self, bounds: &Bounds<'_>, tap: Option<&Tap>) -> io::Result<Ending> {
        let time_is_over = Instant::now().checked_add(bounds.timeout);
        let mut deadline = time_is_over;
        let (events, inbox) = mpsc::channel();
        let stop = events.clone();
        let _watch = bounds.cancel.watch(move || tell(&stop, Event::Stop));
        #[cfg(unix)]
        {
            let turned = events.clone();
            let id = rustix::process::Pid::from_child(&self.child);
            on_exit(id, move || tell(&turned, Event::WantsTerminal), move || tell(&events, Event::Exited))?;
        }
        let (mut stopped, mut ends) = (None, false);
        loop {
            let wanted = match self.next(&inbox, deadline) {
                Some(Event::Exited) => break,
                Some(Event::WantsTerminal) => Ending::WantedTerminal,
                Some(Event::Stop) => Ending::Stopped(bounds.cancel.cause().unwrap_or(Cause::Terminate)),
                None if ends => {
                    self.signal(Urge::Kill);
                    deadline = None;
                    continue;
                }
                None => Ending::TimedOut,
            };
            if let (Ending::Stopped(cause), OnStop::PassOn(waits), false) = (wanted, bounds.on_stop, ends)
                && !bounds.cancel.is_urgent()
            {
                if stopped.replace(wanted).is_none() {
                    self.signal(Urge::PassOn(cause));
                    waits();
                }
                continue;
            }
            // Whoever asked it to stop wants to hear of that, not of the time that it then took.
            if wanted != Ending::TimedOut || stopped.is_none() {
                stopped = Some(wanted);
            }
            if !std::mem::replace(&mut ends, true) {
                self.signal(Urge::Terminate);
            }
            let grace = if bounds.cancel.is_urgent() { Duration::ZERO } else { GRACE };
            deadline = Instant::now().checked_add(grace);
        }
        if ends {
            // What it started may outlive it; its number is still its own, since it is not collected yet.
            self.signal(Urge::Kill);
        }
        let status = self.child.wait()?;
        #[cfg(unix)]
        if let (Some(_), false, Some(tap)) = (stopped, ends, tap) {
            self.wait_for_rest(bounds, tap, time_is_over);
        }
        Ok(stopped.unwrap_or(Ending::Exited(status)))
    }

    /// `git hook run` ends at once by the signal that it got, while the hook itself still clears up. Its group keeps the
    /// number until the last one is gone, and whoever belongs to the hook has our pipe.
    #[cfg(unix)]
    fn wait_for_rest(&self, bounds: &Bounds<'_>, tap: &Tap, time_is_over: Option<Instant>) {
        use rustix::process::{Pid, test_kill_process_group};

        let lives = || self.own_group && test_kill_process_group(Pid::from_child(&self.child)).is_ok();
        while lives() && !tap.ends_within(LOOK) {
            if bounds.cancel.is_urgent() || time_is_over.is_some_and(|over| Instant::now() >= over) {
                self.signal(Urge::Kill);
                return;
            }
        }
    }

    #[cfg(unix)]
    #[allow(clippy::unused_self, reason = "other systems look at the process")]
    fn next(&mut self, inbox: &Receiver<Event>, deadline: Option<Instant>) -> Option<Event> {
        receive(inbox, deadline)
    }

    #[cfg(not(unix))]
    fn next(&mut self, inbox: &Receiver<Event>, deadline: Option<Instant>) -> Option<Event> {
        loop {
            if !matches!(self.child.try_wait(), Ok(None)) {
                return Some(Event::Exited);
            }
            let look = Instant::now() + LOOK;
            if let Some(event) = receive(inbox, Some(deadline.map_or(look, |deadline| deadline.min(look)))) {
                return Some(event);
            }
            if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                return None;
            }
        }
    }

    /// Asks it to end, or ends it. It may be gone already; then there is nobody to signal.
    #[cfg(unix)]
    fn signal(&self, urge: Urge) {
        use rustix::process::{Pid, Signal, kill_process, kill_process_group};

        let id = Pid::from_child(&self.child);
        let send = |signal| {
            let _ = if self.own_group { kill_process_group(id, signal) } else { kill_process(id, signal) };
        };
        send(match urge {
            Urge::PassOn(cause) => cause.to_signal(),
            Urge::Terminate => Signal::TERM,
            Urge::Kill => Signal::KILL,
        });
        // One that is stopped would never see it.
        send(Signal::CONT);
    }

    #[cfg(not(unix))]
    fn signal(&mut self, _urge: Urge) {
        // There is no way to ask on this system; the only failure is that it is gone already.
        drop(self.child.kill());
    }
}

fn tell(events: &Sender<Event>, event: Event) {
    // The receiver may have gone; then nobody needs to know.
    let _ = events.send(event);
}

fn receive(inbox: &Receiver<Event>, deadline: Option<Instant>) -> Option<Event> {
    let Some(deadline) = deadline else { return inbox.recv().ok().or(Some(Event::Stop)) };
    inbox.recv_timeout(deadline.saturating_duration_since(Instant::now())).ok()
}

/// The program's outputs, read on a thread of their own. What something in the background still prints is passed on for
/// as long as we live.
struct Tap {
    kept: Arc<Mutex<Vec<u8>>>,
    ended: Receiver<()>,
}

impl Tap {
    fn open(mut source: PipeReader, echo: Echo) -> io::Result<Self> {
        let kept = Arc::new(Mutex::new(Vec::new()));
        let (tell, ended) = mpsc::channel();
        let into = Arc::clone(&kept);
        detached("output", move || {
            let mut buffer = vec![0; 16 * 1024];
            while let Some(chunk) = read_some(&mut source, &mut buffer) {
                echo(chunk);
                let mut kept = into.lock().unwrap_or_else(PoisonError::into_inner);
                kept.extend_from_slice(chunk);
                let surplus = kept.len().saturating_sub(KEPT);
                kept.drain(..surplus);
            }
            drop(tell);
        })?;
        Ok(Self { kept, ended })
    }

    /// Whether nobody is left who could print, waiting up to `time` for that.
    fn ends_within(&self, time: Duration) -> bool {
        // Nothing is ever sent: the channel closes when the output does.
        self.ended.recv_timeout(time) == Err(RecvTimeoutError::Disconnected)
    }

    fn end(self) -> Vec<u8> {
        self.ends_within(DRAIN);
        std::mem::take(&mut *self.kept.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
