//! A flag that many threads can see: stop what you are doing, and why.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

/// Why a run is told to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Cause {
    /// SIGINT, or Ctrl-C on a terminal.
    Interrupt,
    /// SIGTERM.
    Terminate,
    /// SIGHUP, or the launcher is gone.
    Hangup,
}

impl Cause {
    /// The number of the signal on every Unix.
    #[must_use]
    pub const fn signal(self) -> i32 {
        match self {
            Cause::Hangup => 1,
            Cause::Interrupt => 2,
            Cause::Terminate => 15,
        }
    }

    fn from_signal(signal: u8) -> Option<Self> {
        match signal {
            1 => Some(Cause::Hangup),
            2 => Some(Cause::Interrupt),
            15 => Some(Cause::Terminate),
            _ => None,
        }
    }
}

/// A request to stop, shared by every thread of a run. Clones see the same request.
#[derive(Debug, Clone, Default)]
pub struct Cancel {
    state: Arc<State>,
}

#[derive(Debug, Default)]
struct State {
    first: AtomicU8,
    requests: AtomicU8,
}

impl Cancel {
    /// A token that nobody has asked to stop.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks for a stop. The first cause is kept; a second request makes it [urgent](Self::is_urgent).
    pub fn request(&self, cause: Cause) {
        let signal = u8::try_from(cause.signal()).unwrap_or(15);
        let _ = self.state.first.compare_exchange(0, signal, Ordering::SeqCst, Ordering::SeqCst);
        let _ = self.state.requests.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |n| Some(n.saturating_add(1)));
    }

    /// Why to stop, once somebody asked.
    #[must_use]
    pub fn cause(&self) -> Option<Cause> {
        Cause::from_signal(self.state.first.load(Ordering::SeqCst))
    }

    /// Whether it was asked for more than once: skip every grace period.
    #[must_use]
    pub fn is_urgent(&self) -> bool {
        self.state.requests.load(Ordering::SeqCst) > 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_cause_is_kept_and_a_second_request_is_urgent() {
        let cancel = Cancel::new();
        assert_eq!(cancel.cause(), None);
        cancel.request(Cause::Terminate);
        assert_eq!(cancel.cause(), Some(Cause::Terminate));
        assert!(!cancel.is_urgent());
        cancel.clone().request(Cause::Interrupt);
        assert_eq!(cancel.cause(), Some(Cause::Terminate));
        assert!(cancel.is_urgent());
    }
}
