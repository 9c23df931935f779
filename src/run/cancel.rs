//! A request to stop that many threads can see, wait for, and for a short while hold back.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Why a run is told to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Cause {
    /// SIGINT, or Ctrl-C on a terminal.
    Interrupt,
    /// SIGTERM.
    Terminate,
    /// SIGHUP: the terminal is gone.
    Hangup,
    /// The program that started us is gone; then as SIGTERM.
    LauncherGone,
}

impl Cause {
    /// The number of the signal on every Unix.
    #[must_use]
    pub const fn signal(self) -> i32 {
        match self {
            Cause::Hangup => 1,
            Cause::Interrupt => 2,
            Cause::Terminate | Cause::LauncherGone => 15,
        }
    }

    /// The signal that passes it on to a program.
    #[cfg(unix)]
    pub(super) fn to_signal(self) -> rustix::process::Signal {
        use rustix::process::Signal;
        Signal::from_named_raw(self.signal()).unwrap_or(Signal::TERM)
    }
}

/// A request to stop, shared by every thread of a run. Clones see the same request.
#[derive(Debug, Clone, Default)]
pub struct Cancel {
    shared: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    first: Option<Cause>,
    urgent: bool,
    /// How many [`Critical`] guards are alive.
    held: u32,
    /// What was asked for while one was alive.
    pending: Vec<Cause>,
    /// How many [`Lent`] guards are alive.
    lent: u32,
    next_watcher: u64,
    watchers: Vec<(u64, Watcher)>,
}

type Watcher = Arc<dyn Fn() + Send + Sync>;

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("State")
            .field("first", &self.first)
            .field("urgent", &self.urgent)
            .field("held", &self.held)
            .field("pending", &self.pending)
            .field("lent", &self.lent)
            .finish_non_exhaustive()
    }
}

impl State {
    /// Takes a request in and returns whom to tell.
    fn accept(&mut self, cause: Cause) -> Vec<Watcher> {
        // A terminal that closes sends SIGHUP after somebody's SIGTERM; only a person at the keyboard is in a hurry.
        self.urgent |= self.first.is_some() && cause == Cause::Interrupt;
        self.first.get_or_insert(cause);
        self.watchers.iter().map(|(_, watcher)| Arc::clone(watcher)).collect()
    }
}

impl Cancel {
    /// A token that nobody has asked to stop.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks for a stop. The first cause is kept; an interrupt after it makes it [urgent](Self::is_urgent). While a
    /// [`Critical`] guard is alive the request is remembered and takes effect when the guard goes.
    pub fn request(&self, cause: Cause) {
        let told = {
            let mut state = self.lock();
            if state.held > 0 {
                state.pending.push(cause);
                return;
            }
            state.accept(cause)
        };
        // Outside the lock, so that a watcher may look at the token.
        for watcher in told {
            watcher();
        }
    }

    /// Why to stop, once somebody asked.
    #[must_use]
    pub fn cause(&self) -> Option<Cause> {
        self.lock().first
    }

    /// Whether an interrupt followed the first request: skip every grace period.
    #[must_use]
    pub fn is_urgent(&self) -> bool {
        self.lock().urgent
    }

    /// Passes every request on to another token until the returned guard is dropped, so that a part of a run can be
    /// stopped alone and is still stopped with the whole.
    #[must_use = "dropping the guard ends the connection"]
    pub fn forward_to(&self, part: &Cancel) -> Watch {
        let (whole, part) = (self.clone(), part.clone());
        self.watch(move || {
            part.request(whole.cause().unwrap_or(Cause::Terminate));
            if whole.is_urgent() {
                part.request(Cause::Interrupt);
            }
        })
    }

    /// Enters a stretch that must not be torn apart, such as moving a ref. Requests made before the guard is dropped
    /// are held back until then.
    ///
    /// # Errors
    /// A stop was asked for already, so the stretch must not begin. Decided under one lock with every request: either
    /// the caller sees the stop here or the whole stretch runs.
    pub fn critical(&self) -> Result<Critical, Cause> {
        let mut state = self.lock();
        if let Some(cause) = state.first {
            return Err(cause);
        }
        state.held += 1;
        Ok(Critical { cancel: self.clone() })
    }

    /// Leaves the keyboard to a program on the same terminal, such as an editor: until the guard is dropped, Ctrl-C and
    /// Ctrl-\ are that program's and do not stop the run.
    pub fn lend_keyboard(&self) -> Lent {
        self.lock().lent += 1;
        Lent { cancel: self.clone() }
    }

    /// Whether what comes from the keyboard is for another program.
    #[must_use]
    pub fn is_keyboard_lent(&self) -> bool {
        self.lock().lent > 0
    }

    /// Calls `told` at every request, the first time at once when one was made already, until the returned guard is
    /// dropped. `told` runs on the thread that asks for the stop and should only wake somebody up.
    #[must_use = "dropping the guard ends the watch"]
    pub fn watch(&self, told: impl Fn() + Send + Sync + 'static) -> Watch {
        let watcher: Watcher = Arc::new(told);
        let (id, requested) = {
            let mut state = self.lock();
            let id = state.next_watcher;
            state.next_watcher += 1;
            state.watchers.push((id, Arc::clone(&watcher)));
            (id, state.first.is_some())
        };
        if requested {
            watcher();
        }
        Watch { cancel: self.clone(), id }
    }

    /// No code that holds the lock can panic half-way through a change, so a poisoned state is still a good one.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// While it lives, requests to stop are remembered, not made. See [`Cancel::critical`].
#[derive(Debug)]
#[must_use = "dropping the guard ends the critical stretch"]
pub struct Critical {
    cancel: Cancel,
}

impl Drop for Critical {
    fn drop(&mut self) {
        let pending = {
            let mut state = self.cancel.lock();
            state.held = state.held.saturating_sub(1);
            if state.held > 0 { Vec::new() } else { std::mem::take(&mut state.pending) }
        };
        for cause in pending {
            self.cancel.request(cause);
        }
    }
}

/// While it lives, the keyboard belongs to another program. See [`Cancel::lend_keyboard`].
#[derive(Debug)]
#[must_use = "dropping the guard takes the keyboard back"]
pub struct Lent {
    cancel: Cancel,
}

impl Drop for Lent {
    fn drop(&mut self) {
        let mut state = self.cancel.lock();
        state.lent = state.lent.saturating_sub(1);
    }
}

/// A registered watcher. See [`Cancel::watch`].
#[derive(Debug)]
pub struct Watch {
    cancel: Cancel,
    id: u64,
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.cancel.lock().watchers.retain(|(id, _)| *id != self.id);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn the_first_cause_is_kept_and_an_interrupt_after_it_is_urgent() {
        let cancel = Cancel::new();
        assert_eq!(cancel.cause(), None);
        cancel.request(Cause::Terminate);
        assert_eq!(cancel.cause(), Some(Cause::Terminate));
        assert!(!cancel.is_urgent());
        cancel.request(Cause::Hangup);
        assert!(!cancel.is_urgent());
        cancel.clone().request(Cause::Interrupt);
        assert_eq!(cancel.cause(), Some(Cause::Terminate));
        assert!(cancel.is_urgent());
    }

    #[test]
    fn a_critical_stretch_holds_requests_back() {
        let cancel = Cancel::new();
        let outer = cancel.critical().unwrap();
        let inner = cancel.critical().unwrap();
        cancel.request(Cause::Interrupt);
        cancel.request(Cause::Interrupt);
        assert_eq!(cancel.cause(), None);
        drop(inner);
        assert_eq!(cancel.cause(), None);
        drop(outer);
        assert_eq!(cancel.cause(), Some(Cause::Interrupt));
        assert!(cancel.is_urgent());
    }

    #[test]
    fn a_critical_stretch_does_not_begin_after_a_request() {
        let cancel = Cancel::new();
        cancel.request(Cause::Hangup);
        assert_eq!(cancel.critical().err(), Some(Cause::Hangup));
    }

    #[test]
    fn watchers_are_told_of_every_request_until_they_leave() {
        let count = Arc::new(AtomicUsize::new(0));
        let counter = || {
            let count = Arc::clone(&count);
            move || {
                count.fetch_add(1, Ordering::SeqCst);
            }
        };
        let cancel = Cancel::new();
        let early = cancel.watch(counter());
        cancel.request(Cause::Interrupt);
        assert_eq!(count.load(Ordering::SeqCst), 1);
        let late = cancel.watch(counter());
        assert_eq!(count.load(Ordering::SeqCst), 2, "told at once of a request made before");
        drop(early);
        cancel.request(Cause::Interrupt);
        assert_eq!(count.load(Ordering::SeqCst), 3);
        drop(late);
        cancel.request(Cause::Interrupt);
        assert_eq!(count.load(Ordering::SeqCst), 3);
    }

    #[test]
    fn a_part_is_stopped_with_the_whole_and_not_the_other_way_round() {
        let (whole, part) = (Cancel::new(), Cancel::new());
        let _connection = whole.forward_to(&part);
        part.request(Cause::Interrupt);
        assert_eq!((whole.cause(), part.cause()), (None, Some(Cause::Interrupt)));

        let part = Cancel::new();
        let _connection = whole.forward_to(&part);
        whole.request(Cause::Hangup);
        assert_eq!((part.cause(), part.is_urgent()), (Some(Cause::Hangup), false));
        whole.request(Cause::Interrupt);
        assert!(part.is_urgent());
    }

    #[test]
    fn watchers_hear_of_a_held_request_when_the_stretch_ends() {
        let cancel = Cancel::new();
        let count = Arc::new(AtomicUsize::new(0));
        let seen = Arc::clone(&count);
        let _watch = cancel.watch(move || {
            seen.fetch_add(1, Ordering::SeqCst);
        });
        let guard = cancel.critical().unwrap();
        cancel.request(Cause::Terminate);
        assert_eq!(count.load(Ordering::SeqCst), 0);
        drop(guard);
        assert_eq!(count.load(Ordering::SeqCst), 1);
    }
}
