//! Numbered points at which the tests can kill a run or have a write fail, to see what is left then.
//!
//! They exist in development builds only, where the variable `FAULT_INJECTION` says `kill:<number>` or `fail:<number>`, and
//! `FAULT_LOG` names a file that learns which point it was. In a release build the functions are empty.

#[cfg(not(debug_assertions))]
pub use absent::{crossing, write};
#[cfg(debug_assertions)]
pub use present::{crossing, write};

#[cfg(not(debug_assertions))]
mod absent {
    use std::io;

    /// A write is about to be made.
    ///
    /// # Errors
    /// None, in a release build.
    #[inline(always)]
    pub const fn write(_name: &'static str) -> io::Result<()> {
        Ok(())
    }

    /// Something is about to be done that cannot fail, or whose failure changes nothing.
    #[inline(always)]
    pub const fn crossing(_name: &'static str) {}
}

#[cfg(debug_assertions)]
mod present {
    use std::io;
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[derive(Clone, Copy, PartialEq, Eq)]
    enum Kind {
        Kill,
        Fail,
    }

    /// What is to happen, and at which point.
    fn wanted() -> Option<(Kind, usize)> {
        static WANTED: OnceLock<Option<(Kind, usize)>> = OnceLock::new();
        *WANTED.get_or_init(|| {
            let text = std::env::var("FAULT_INJECTION").ok()?;
            let (kind, number) = text.split_once(':')?;
            let kind = if kind == "kill" { Kind::Kill } else { Kind::Fail };
            Some((kind, number.parse().ok()?))
        })
    }

    /// Counts the points of a kind; whether this is the one.
    fn is_reached(name: &str, kind: Kind, number: usize) -> bool {
        static PASSED: AtomicUsize = AtomicUsize::new(0);
        if PASSED.fetch_add(1, Ordering::SeqCst) + 1 != number {
            return false;
        }
        if let Some(log) = std::env::var_os("FAULT_LOG") {
            // A test that misses the name fails by itself.
            drop(std::fs::write(log, name));
        }
        if kind == Kind::Kill {
            kill();
        }
        true
    }

    #[cfg(unix)]
    fn kill() {
        // It cannot fail, and nothing comes after it.
        let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
        std::thread::park();
    }

    #[cfg(not(unix))]
    fn kill() {
        std::process::abort();
    }

    /// A write is about to be made.
    ///
    /// # Errors
    /// "No space left on device", when that was asked for.
    pub fn write(name: &'static str) -> io::Result<()> {
        let Some((kind, number)) = wanted() else { return Ok(()) };
        if is_reached(name, kind, number) { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
    }

    /// Something is about to be done that cannot fail, or whose failure changes nothing.
    pub fn crossing(name: &'static str) {
        if let Some((Kind::Kill, number)) = wanted() {
            is_reached(name, Kind::Kill, number);
        }
    }
}
