//! Running a program that the repository names – a hook, a program that signs – for a limited time.
//!
//! What it prints goes on to standard error as it comes, and the end of it is kept. What it leaves running in the
//! background when it ends by itself is left alone, as git does.

use std::io::{self, PipeReader, Read as _};
use std::process::{Child, Command, ExitStatus};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::{Cancel, Cause};

/// How long a program may take to end after it was told to.
const GRACE: Duration = Duration::from_secs(3);
/// How long its output may stay open after its end: whatever it wrote is in the pipe by then.
const DRAIN: Duration = Duration::from_millis(100);
/// How much of the end of its output is kept, in bytes.
const KEPT: usize = 64 * 1024;
/// Copying needs next to no stack.
const STACK: usize = 128 * 1024;
/// Where nobody tells us of the exit, how often to look.
#[cfg(not(unix))]
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
#[derive(Debug, Clone, Copy)]
pub struct Bounds<'a> {
    /// How long it may take.
    pub timeout: Duration,
    /// Ends it early.
    pub cancel: &'a Cancel,
    /// Whether it ends with everything it started, at the price of not being able to read from the terminal.
    pub own_group: bool,
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
    let ending = Watched { child, own_group: bounds.own_group }.wait(bounds)?;
    Ok((ending, tap.map(Tap::end).unwrap_or_default()))
}

struct Watched {
    child: Child,
    own_group: bool,
}

impl Watched {
    fn wait(mut self, bounds: &Bounds<'_>) -> io::Result<Ending> {
        let mut deadline = Instant::now().checked_add(bounds.timeout);
        let (events, inbox) = mpsc::channel();
        let stop = events.clone();
        let _watch = bounds.cancel.watch(move || tell(&stop, Event::Stop));
        #[cfg(unix)]
        tell_of_exit(&self.child, events)?;
        let mut stopped = None;
        loop {
            let wanted = match self.next(&inbox, deadline) {
                Some(Event::Exited) => break,
                Some(Event::WantsTerminal) => Ending::WantedTerminal,
                Some(Event::Stop) => Ending::Stopped(bounds.cancel.cause().unwrap_or(Cause::Terminate)),
                None if stopped.is_some() => {
                    self.signal(true);
                    deadline = None;
                    continue;
                }
                None => Ending::TimedOut,
            };
            if stopped.replace(wanted).is_none() {
                self.signal(false);
            }
            let grace = if bounds.cancel.is_urgent() { Duration::ZERO } else { GRACE };
            deadline = Instant::now().checked_add(grace);
        }
        if stopped.is_some() {
            // What it started may outlive it; its number is still its own, since it is not collected yet.
            self.signal(true);
        }
        let status = self.child.wait()?;
        Ok(stopped.unwrap_or(Ending::Exited(status)))
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
    fn signal(&self, kill: bool) {
        use rustix::process::{Pid, Signal, kill_process, kill_process_group};

        let id = Pid::from_child(&self.child);
        let send = |signal| {
            let _ = if self.own_group { kill_process_group(id, signal) } else { kill_process(id, signal) };
        };
        send(if kill { Signal::KILL } else { Signal::TERM });
        // One that is stopped would never see it.
        send(Signal::CONT);
    }

    #[cfg(not(unix))]
    fn signal(&mut self, _kill: bool) {
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

/// Tells, on a thread of its own, of the program's exit, and before that when it was stopped for turning to the terminal.
/// It is not collected by that.
#[cfg(unix)]
fn tell_of_exit(child: &Child, events: Sender<Event>) -> io::Result<()> {
    use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, waitid};

    let id = Pid::from_child(child);
    // Any failure but an interruption means that there is nothing to wait for.
    let wait = move |options| loop {
        match waitid(WaitId::Pid(id), options | WaitIdOptions::NOWAIT) {
            Err(rustix::io::Errno::INTR) => {}
            result => return result.ok().flatten(),
        }
    };
    spawn("exit", move || {
        let status = wait(WaitIdOptions::EXITED | WaitIdOptions::STOPPED);
        if let Some(signal) = status.and_then(|status| status.stopping_signal()) {
            if [Signal::TTIN, Signal::TTOU].iter().any(|terminal| terminal.as_raw() == signal) {
                tell(&events, Event::WantsTerminal);
            }
            wait(WaitIdOptions::EXITED);
        }
        tell(&events, Event::Exited);
    })
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
        spawn("output", move || {
            let mut buffer = vec![0; 16 * 1024];
            loop {
                let chunk = match source.read(&mut buffer) {
                    Ok(0) => break,
                    Ok(count) => buffer.get(..count).unwrap_or_default(),
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                    // A pipe that cannot be read has nothing more to give.
                    Err(_) => break,
                };
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

    fn end(self) -> Vec<u8> {
        // Nothing is ever sent: the channel closes when the output does.
        let _ = self.ended.recv_timeout(DRAIN);
        std::mem::take(&mut *self.kept.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    thread::Builder::new().name(name.to_owned()).stack_size(STACK).spawn(work).map(drop)
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::process::Stdio;

    use super::*;

    const LONG: Duration = Duration::from_secs(600);

    fn run(script: &str, timeout: Duration, cancel: &Cancel) -> (Ending, String, String) {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]).stdin(Stdio::null());
        let told = Arc::new(Mutex::new(Vec::new()));
        let into = Arc::clone(&told);
        let echo: Echo = Arc::new(move |chunk| into.lock().unwrap().extend_from_slice(chunk));
        let (ending, kept) =
            bounded(command, &Bounds { timeout, cancel, own_group: true }, Outputs::Both(echo)).unwrap();
        let told = told.lock().unwrap().clone();
        (ending, String::from_utf8(kept).unwrap(), String::from_utf8(told).unwrap())
    }

    #[test]
    fn both_outputs_are_told_in_order_and_kept() {
        let (ending, kept, told) = run("echo a; echo b >&2; echo c; exit 3", LONG, &Cancel::new());
        assert!(matches!(ending, Ending::Exited(status) if status.code() == Some(3)), "{ending:?}");
        assert_eq!((kept.as_str(), told.as_str()), ("a\nb\nc\n", "a\nb\nc\n"));
    }

    #[test]
    fn only_the_end_is_kept() {
        let script = "i=0; while test $i -lt 3000; do echo 0123456789012345678901234567890123456789; i=$((i+1)); done";
        let (_, kept, told) = run(&format!("{script}; echo end"), LONG, &Cancel::new());
        assert_eq!((kept.len(), told.len()), (KEPT, 3000 * 41 + 4));
        assert!(kept.ends_with("end\n"));
    }

    /// The pipe closes when the last process that could write to it is gone.
    #[test]
    fn time_ends_it_and_what_it_started() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("pid");
        let script = format!("trap '' TERM; sleep 600 & echo $! > '{}'; wait; wait", file.display());
        let (ending, ..) = run(&script, Duration::from_millis(300), &Cancel::new());
        assert_eq!(ending, Ending::TimedOut);
        let pid: i32 = std::fs::read_to_string(file).unwrap().trim().parse().unwrap();
        let pid = rustix::process::Pid::from_raw(pid).unwrap();
        // A moment for whoever inherits it to collect it; a zombie is as good as gone.
        let gone = || {
            let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero()));
            rustix::process::test_kill_process(pid).is_err() || stat.is_ok_and(|stat| stat.contains(") Z "))
        };
        assert!(
            (0..500).any(|_| gone() || {
                thread::sleep(Duration::from_millis(10));
                false
            }),
            "sleep lives on"
        );
    }

    #[test]
    fn a_request_to_stop_ends_it() {
        let cancel = Cancel::new();
        let ending = thread::scope(|scope| {
            scope.spawn(|| {
                thread::sleep(Duration::from_millis(50));
                cancel.request(Cause::Interrupt);
            });
            run("exec sleep 600", LONG, &cancel).0
        });
        assert_eq!(ending, Ending::Stopped(Cause::Interrupt));
        assert_eq!(run("echo x", LONG, &cancel).1, "", "nothing is started any more");
    }

    #[test]
    fn what_runs_on_in_the_background_is_neither_waited_for_nor_ended() {
        let folder = tempfile::tempdir().unwrap();
        let (go, done) = (folder.path().join("go"), folder.path().join("done"));
        let script = format!("(while ! test -e '{}'; do sleep 0.01; done; : > '{}') & :", go.display(), done.display());
        let (ending, ..) = run(&script, LONG, &Cancel::new());
        assert!(matches!(ending, Ending::Exited(status) if status.success()));
        std::fs::write(&go, "").unwrap();
        assert!((0..3000).any(|_| done.exists() || {
            thread::sleep(Duration::from_millis(10));
            false
        }));
    }
}
