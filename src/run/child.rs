//! What watching over a child process takes: threads that nobody joins, reading its outputs, being told of its exit.

use std::io::{self, Read};
use std::thread;

#[cfg(unix)]
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, WaitIdStatus, waitid};

/// Copying and waiting need next to no stack.
const STACK: usize = 128 * 1024;

/// Starts a thread that nobody joins, with a small stack: it ends with the pipe or the process that it waits for.
///
/// # Errors
/// The system gives no thread.
pub fn detached(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    thread::Builder::new().name(name.to_owned()).stack_size(STACK).spawn(work).map(drop)
}

/// The next part of a pipe. One that fails to be read has nothing more to give, just as one that has ended.
pub fn read_some<'a>(source: &mut impl Read, buffer: &'a mut [u8]) -> Option<&'a [u8]> {
    loop {
        match source.read(buffer) {
            Ok(0) => return None,
            Ok(count) => return buffer.get(..count),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return None,
        }
    }
}

/// Calls `exited` on another thread once a child has exited, and before that `wants_terminal` when it was stopped because
/// it turned to the terminal, which belongs to others.
///
/// The child is not collected by that: as long as it is not, its number belongs to nobody else, and it and its group can be
/// killed without hitting strangers.
///
/// # Errors
/// The system gives no thread.
#[cfg(unix)]
pub fn on_exit(
    child: Pid,
    wants_terminal: impl FnOnce() + Send + 'static,
    exited: impl FnOnce() + Send + 'static,
) -> io::Result<()> {
    detached("exit", move || {
        let status = wait_for(child, WaitIdOptions::EXITED | WaitIdOptions::STOPPED);
        if let Some(signal) = status.and_then(|status| status.stopping_signal()) {
            if [Signal::TTIN, Signal::TTOU].iter().any(|terminal| terminal.as_raw() == signal) {
                wants_terminal();
            }
            wait_for(child, WaitIdOptions::EXITED);
        }
        exited();
    })
}

/// Sleeps until something of the kind happens to a child, without collecting it.
#[cfg(unix)]
pub(super) fn wait_for(child: Pid, what: WaitIdOptions) -> Option<WaitIdStatus> {
    loop {
        match waitid(WaitId::Pid(child), what | WaitIdOptions::NOWAIT) {
            Err(rustix::io::Errno::INTR) => {}
            // Any other failure means that there is nothing to wait for.
            result => return result.ok().flatten(),
        }
    }
}
