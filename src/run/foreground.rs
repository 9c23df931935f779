//! Running a program that shares our terminal: an editor, or a git that may ask for a password.
//!
//! Unlike an agent it stays in our process group, so that it may read from the terminal and gets what is typed there.

use std::io;
use std::process::{Child, Command, ExitStatus};

use super::Cancel;

/// Runs a program to its end. A request to stop is passed on to it as the signal it came from; then, too, its end is
/// waited for.
///
/// # Errors
/// It cannot be started, or its end cannot be learned.
pub fn foreground(command: &mut Command, cancel: &Cancel) -> io::Result<ExitStatus> {
    let mut child = command.spawn()?;
    wait_for_exit(&child, cancel);
    child.wait()
}

/// Sleeps until the program has exited, without collecting it: until that is done its number is nobody else's, so no
/// signal can reach a stranger.
#[cfg(unix)]
fn wait_for_exit(child: &Child, cancel: &Cancel) {
    use std::sync::{Arc, Mutex, PoisonError};

    use rustix::process::{Pid, Signal, WaitIdOptions, kill_process};

    use super::Cause;
    use super::child::wait_for;

    let id = Pid::from_child(child);
    let running = Arc::new(Mutex::new(true));
    let (still, cause) = (Arc::clone(&running), cancel.clone());
    let watch = cancel.watch(move || {
        let signal = cause.cause().map_or(Signal::TERM, Cause::to_signal);
        if *still.lock().unwrap_or_else(PoisonError::into_inner) {
            // A program that has taken on other rights cannot be signalled; its end is waited for all the same.
            let _ = kill_process(id, signal);
        }
    });
    wait_for(id, WaitIdOptions::EXITED);
    *running.lock().unwrap_or_else(PoisonError::into_inner) = false;
    drop(watch);
}

#[cfg(not(unix))]
fn wait_for_exit(_child: &Child, _cancel: &Cancel) {}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::unix::process::ExitStatusExt as _;

    use super::*;
    use crate::run::Cause;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn the_exit_is_the_programs() {
        let status = foreground(&mut shell("exit 7"), &Cancel::new()).unwrap();
        assert_eq!(status.code(), Some(7));
        assert!(foreground(&mut Command::new("/nonexistent"), &Cancel::new()).is_err());
    }

    #[test]
    fn a_request_to_stop_reaches_the_program_as_its_signal() {
        for (cause, signal) in [(Cause::Terminate, 15), (Cause::Hangup, 1), (Cause::Interrupt, 2)] {
            let cancel = Cancel::new();
            cancel.request(cause);
            let status = foreground(&mut shell("exec sleep 600"), &cancel).unwrap();
            assert_eq!(status.signal(), Some(signal), "{cause:?}");
        }
    }

    #[test]
    fn a_program_that_ends_in_its_own_time_after_the_request_is_waited_for() {
        let cancel = Cancel::new();
        let folder = tempfile::tempdir().unwrap();
        let ready = folder.path().join("ready");
        let script = format!("trap 'exit 9' TERM; : > '{}'; while :; do sleep 0.01; done", ready.display());
        let status = std::thread::scope(|scope| {
            scope.spawn(|| {
                while !ready.exists() {
                    std::thread::sleep(std::time::Duration::from_millis(2));
                }
                cancel.request(Cause::Terminate);
            });
            foreground(&mut shell(&script), &cancel).unwrap()
        });
        assert_eq!(status.code(), Some(9));
    }
}
