//! Signals become a request to stop.
//!
//! SIGINT, SIGTERM and SIGHUP ask for a stop; a second SIGINT makes it urgent, and SIGQUIT is urgent at once, so that
//! no way out that a process can notice leaves an agent behind. What the launcher had ignored (`nohup`, a background
//! job) stays ignored, and while an editor has the keyboard, what is typed on it stops nothing. SIGPIPE needs nothing:
//! the Rust runtime ignores it, so that writing to a closed pipe is an error of that write and ends no run in the middle.
//!
//! A run stopped with Ctrl-Z leaves its agents running, as they are in process groups of their own; their time-outs go
//! on, too.

#[cfg(unix)]
pub use unix::Signals;

#[cfg(not(unix))]
pub use other::Signals;

#[cfg(unix)]
mod unix {
    use std::io;
    use std::thread::{self, JoinHandle};

    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
    use signal_hook::iterator::{Handle, Signals as Iterator};

    use crate::run::{Cancel, Cause};

    /// Plenty for a loop that sets a flag and wakes a few threads.
    const STACK: usize = 128 * 1024;

    /// Turns signals into requests for as long as it lives. Afterwards further signals are lost, not fatal: keep it
    /// until the process ends.
    #[derive(Debug)]
    pub struct Signals {
        handle: Handle,
        thread: Option<JoinHandle<()>>,
    }

    impl Signals {
        /// Takes the signals over.
        ///
        /// # Errors
        /// The system gives no handler, no pipe or no thread.
        pub fn install(cancel: Cancel) -> io::Result<Self> {
            let ignored = ignored_signals();
            let wanted = [SIGINT, SIGTERM, SIGHUP, SIGQUIT];
            let mut signals = Iterator::new(wanted.into_iter().filter(|signal| !is_ignored(ignored, *signal)))?;
            let handle = signals.handle();
            let thread = thread::Builder::new()
                .name("signals".to_owned())
                .stack_size(STACK)
                .spawn(move || signals.forever().for_each(|signal| deliver(&cancel, signal)))?;
            Ok(Self { handle, thread: Some(thread) })
        }
    }

    impl Drop for Signals {
        fn drop(&mut self) {
            self.handle.close();
            if let Some(thread) = self.thread.take() {
                // It has no result, and its panic was reported when it happened.
                let _ = thread.join();
            }
        }
    }

    fn deliver(cancel: &Cancel, signal: i32) {
        match signal {
            // An editor that shares our terminal got it, too, and it was meant for the editor.
            SIGINT | SIGQUIT if cancel.is_keyboard_lent() => {}
            SIGINT => cancel.request(Cause::Interrupt),
            SIGHUP => cancel.request(Cause::Hangup),
            SIGQUIT => {
                cancel.request(Cause::Terminate);
                cancel.request(Cause::Interrupt);
            }
            _ => cancel.request(Cause::Terminate),
        }
    }

    /// The bit mask of signals that were ignored when we started; signal 1 is bit 0. Only Linux tells it without unsafe
    /// code; elsewhere none counts as ignored.
    fn ignored_signals() -> u64 {
        std::fs::read_to_string("/proc/self/status").ok().and_then(|status| ignored_in(&status)).unwrap_or(0)
    }

    fn ignored_in(status: &str) -> Option<u64> {
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"))?;
        u64::from_str_radix(mask.trim(), 16).ok()
    }

    fn is_ignored(mask: u64, signal: i32) -> bool {
        u32::try_from(signal - 1).is_ok_and(|bit| mask.checked_shr(bit).unwrap_or(0) & 1 == 1)
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn each_signal_has_its_cause() {
            for (signal, cause, urgent) in [
                (SIGINT, Cause::Interrupt, false),
                (SIGTERM, Cause::Terminate, false),
                (SIGHUP, Cause::Hangup, false),
                (SIGQUIT, Cause::Terminate, true),
            ] {
                let cancel = Cancel::new();
                deliver(&cancel, signal);
                assert_eq!((cancel.cause(), cancel.is_urgent()), (Some(cause), urgent), "signal {signal}");
            }
        }

        #[test]
        fn a_lent_keyboard_stops_nothing_but_other_signals_do() {
            let cancel = Cancel::new();
            let lent = cancel.lend_keyboard();
            deliver(&cancel, SIGINT);
            deliver(&cancel, SIGQUIT);
            assert_eq!(cancel.cause(), None);
            drop(lent);
            deliver(&cancel, SIGINT);
            assert_eq!(cancel.cause(), Some(Cause::Interrupt));

            let cancel = Cancel::new();
            let _lent = cancel.lend_keyboard();
            deliver(&cancel, SIGTERM);
            assert_eq!(cancel.cause(), Some(Cause::Terminate));
        }

        #[test]
        fn the_mask_of_ignored_signals_is_read() {
            let mask = ignored_in("Name:\tx\nSigBlk:\t0000000000000000\nSigIgn:\t0000000000001001\n").unwrap();
            assert!(is_ignored(mask, SIGHUP));
            assert!(is_ignored(mask, 13));
            assert!(!is_ignored(mask, SIGINT));
            assert_eq!(ignored_in("nothing of the kind"), None);
        }

        // The process that runs the tests gets a real signal here: nobody else installs handlers in this binary, and
        // the default action is off for the rest of its life.
        #[test]
        fn a_real_signal_arrives_and_wakes_watchers() {
            let cancel = Cancel::new();
            let (told, wake) = std::sync::mpsc::channel();
            let _watch = cancel.watch(move || told.send(()).unwrap_or_default());
            let signals = Signals::install(cancel.clone()).unwrap();
            signal_hook::low_level::raise(SIGHUP).unwrap();
            if wake.recv_timeout(std::time::Duration::from_secs(30)).is_ok() {
                assert_eq!(cancel.cause(), Some(Cause::Hangup));
            } else {
                // A test runner under `nohup`.
                assert!(is_ignored(ignored_signals(), SIGHUP));
            }
            drop(signals);
        }
    }
}

#[cfg(not(unix))]
mod other {
    use std::io;

    use crate::run::Cancel;

    /// Ctrl-C ends the process at once on this system; job objects end the agents with it.
    #[derive(Debug)]
    pub struct Signals {}

    impl Signals {
        /// Nothing to take over.
        ///
        /// # Errors
        /// None.
        pub fn install(_cancel: Cancel) -> io::Result<Self> {
            Ok(Self {})
        }
    }
}
