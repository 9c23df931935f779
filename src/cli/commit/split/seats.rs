//! How many calls are made at once, whoever makes them.

use std::sync::{Condvar, Mutex, PoisonError};

/// So many seats; who has none waits, and who is urgent waits least.
pub(super) struct Seats {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    free: usize,
    urgent: usize,
}

impl Seats {
    pub(super) const fn new(count: usize) -> Self {
        Self { state: Mutex::new(State { free: count, urgent: 0 }), changed: Condvar::new() }
    }

    /// Does something with a seat taken, once there is one that nobody needs more.
    pub(super) fn wait<T>(&self, call: impl FnOnce() -> T) -> T {
        self.seated(|state| state.free == 0 || state.urgent > 0, call)
    }

    /// Does something with the next seat.
    pub(super) fn come_first<T>(&self, call: impl FnOnce() -> T) -> T {
        self.change(|state| state.urgent += 1);
        self.seated(
            |state| state.free == 0,
            || {
                self.change(|state| state.urgent -= 1);
                call()
            },
        )
    }

    fn seated<T>(&self, must_wait: impl Fn(&State) -> bool, call: impl FnOnce() -> T) -> T {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.changed.wait_while(state, |state| must_wait(state));
        waited.unwrap_or_else(PoisonError::into_inner).free -= 1;
        let done = call();
        self.change(|state| state.free += 1);
        done
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner));
        self.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn never_more_than_there_are_seats() {
        let (seats, now, most) = (Seats::new(2), AtomicUsize::new(0), AtomicUsize::new(0));
        let call = || {
            most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            std::thread::yield_now();
            now.fetch_sub(1, Ordering::SeqCst);
        };
        std::thread::scope(|scope| {
            for thread in 0..6 {
                let (seats, call) = (&seats, &call);
                scope.spawn(move || {
                    (0..50).for_each(|_| if thread == 0 { seats.come_first(call) } else { seats.wait(call) });
                });
            }
        });
        assert!((1..=2).contains(&most.into_inner()));
        let state = seats.state.into_inner().unwrap();
        assert_eq!((state.free, state.urgent), (2, 0));
    }
}
