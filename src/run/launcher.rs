//! Noticing that the program that started us is gone: then nobody waits for the result any more, and agents would go on
//! without a reader.
//!
//! The sign is a parent that is not the first one. It is looked for twice a second, and at once when Linux tells of a
//! parent's end. What Linux tells is the end of the *thread* that started us, so it is taken as a hint and no more.

#[cfg(unix)]
pub use unix::Launcher;

#[cfg(not(unix))]
pub use other::Launcher;

#[cfg(unix)]
mod unix {
    use std::io::{self, Read as _};
    use std::net::Shutdown;
    use std::os::unix::net::UnixStream;
    use std::os::unix::process::parent_id;
    use std::time::Duration;

    use signal_hook::consts::SIGURG;
    use signal_hook::{SigId, low_level};

    use crate::run::{Cancel, Cause, detached};

    const INTERVAL: Duration = Duration::from_millis(500);

    /// Watches the parent process for as long as it lives, and asks for a stop when it is gone.
    #[derive(Debug)]
    pub struct Launcher {
        /// Our end of what the watching thread sleeps on.
        wake: UnixStream,
        hint: SigId,
    }

    impl Launcher {
        /// Begins to watch.
        ///
        /// # Errors
        /// The system gives no pipe, no handler or no thread.
        pub fn watch(cancel: Cancel) -> io::Result<Self> {
            let parent = parent_id();
            let (sleeping, wake) = UnixStream::pair()?;
            sleeping.set_read_timeout(Some(INTERVAL))?;
            detached("launcher", move || wait_for_end(sleeping, parent, &cancel))?;
            // Ignored by default, so that it does no harm whoever gets it.
            let hint = low_level::pipe::register(SIGURG, wake.try_clone()?)?;
            ask_for_hint();
            Ok(Self { wake, hint })
        }
    }

    impl Drop for Launcher {
        fn drop(&mut self) {
            low_level::unregister(self.hint);
            // The thread sees the end of the stream and goes; it need not be waited for.
            drop(self.wake.shutdown(Shutdown::Both));
        }
    }

    fn wait_for_end(mut sleeping: UnixStream, parent: u32, cancel: &Cancel) {
        while parent_id() == parent {
            match sleeping.read(&mut [0; 16]) {
                Ok(0) => return,
                Ok(_) => {}
                Err(error) if is_a_pause(&error) => {}
                Err(_) => return,
            }
        }
        cancel.request(Cause::LauncherGone);
    }

    fn is_a_pause(error: &io::Error) -> bool {
        use io::ErrorKind::{Interrupted, TimedOut, WouldBlock};
        matches!(error.kind(), WouldBlock | TimedOut | Interrupted)
    }

    #[cfg(any(target_os = "linux", target_os = "android"))]
    fn ask_for_hint() {
        // Without it the next look, half a second later at most, finds out.
        let _ = rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::URG));
    }

    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    const fn ask_for_hint() {}

    #[cfg(test)]
    mod tests {
        use std::sync::mpsc;

        use super::*;

        const LONG: Duration = Duration::from_secs(30);

        #[test]
        fn another_parent_is_the_launchers_end() {
            let (sleeping, _wake) = UnixStream::pair().unwrap();
            let cancel = Cancel::new();
            wait_for_end(sleeping, parent_id() + 1, &cancel);
            assert_eq!(cancel.cause(), Some(Cause::LauncherGone));
        }

        #[test]
        fn the_same_parent_is_none_and_the_watch_can_end() {
            let cancel = Cancel::new();
            let (sleeping, wake) = UnixStream::pair().unwrap();
            sleeping.set_read_timeout(Some(Duration::from_millis(1))).unwrap();
            let (done, ended) = mpsc::channel();
            let watched = cancel.clone();
            std::thread::spawn(move || {
                wait_for_end(sleeping, parent_id(), &watched);
                done.send(()).unwrap();
            });
            // A hint alone stops nothing.
            std::io::Write::write_all(&mut &wake, b"!").unwrap();
            assert!(ended.recv_timeout(Duration::from_millis(50)).is_err(), "it ended by itself");
            wake.shutdown(Shutdown::Both).unwrap();
            ended.recv_timeout(LONG).unwrap();
            assert_eq!(cancel.cause(), None);
        }

        #[test]
        fn a_watch_on_the_living_says_nothing() {
            let cancel = Cancel::new();
            drop(Launcher::watch(cancel.clone()).unwrap());
            assert_eq!(cancel.cause(), None);
        }
    }
}

#[cfg(not(unix))]
mod other {
    use std::io;

    use crate::run::Cancel;

    /// Processes keep no link to their parent on this system, so there is nothing to watch.
    #[derive(Debug)]
    pub struct Launcher {}

    impl Launcher {
        /// Watches nothing.
        ///
        /// # Errors
        /// None.
        pub fn watch(_cancel: Cancel) -> io::Result<Self> {
            Ok(Self {})
        }
    }
}
