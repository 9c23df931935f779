//! A process in a process group of its own (a job object on Windows), so that everything it starts ends with it.

use std::io;
use std::process::{ChildStderr, ChildStdin, ChildStdout, Command as StdCommand, ExitStatus};

use process_wrap::std::{ChildWrapper, CommandWrap};

/// A running leader and its group. Dropping it kills whatever is left.
#[derive(Debug)]
pub(super) struct Group {
    child: Box<dyn ChildWrapper>,
    reaped: bool,
}

impl Group {
    pub(super) fn spawn(command: StdCommand) -> io::Result<Self> {
        let mut command = CommandWrap::from(command);
        #[cfg(unix)]
        command.wrap(process_wrap::std::ProcessGroup::leader());
        #[cfg(windows)]
        command.wrap(process_wrap::std::JobObject);
        Ok(Self { child: command.spawn()?, reaped: false })
    }

    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Its standard streams, taken once; standard input only where it is a pipe.
    pub(super) fn pipes(&mut self) -> io::Result<(Option<ChildStdin>, ChildStdout, ChildStderr)> {
        let missing = || io::Error::other("the process has no pipes");
        let (output, error) = (self.child.stdout().take(), self.child.stderr().take());
        Ok((self.child.stdin().take(), output.ok_or_else(missing)?, error.ok_or_else(missing)?))
    }

    /// Asks every process of the group to end. A stopped process would never see it, so it is continued, too.
    #[cfg(unix)]
    pub(super) fn terminate(&mut self) {
        use rustix::process::Signal;
        self.signal(Signal::TERM.as_raw());
        self.signal(Signal::CONT.as_raw());
    }

    /// There is no way to ask on this system.
    #[cfg(not(unix))]
    pub(super) fn terminate(&mut self) {
        self.kill();
    }

    /// Ends every process of the group, now.
    pub(super) fn kill(&mut self) {
        if !self.reaped {
            // The only failure is that nobody is left to kill.
            let _ = self.child.start_kill();
        }
    }

    #[cfg(unix)]
    fn signal(&self, signal: i32) {
        if !self.reaped {
            // As above.
            let _ = self.child.signal(signal);
        }
    }

    /// Collects the leader, which has exited.
    pub(super) fn reap(&mut self) -> io::Result<ExitStatus> {
        let status = self.child.wait()?;
        self.reaped = true;
        Ok(status)
    }

    /// Calls `exited` on another thread once the leader has exited, and before that `wants_terminal` when it was stopped
    /// because it turned to the terminal, which belongs to others.
    ///
    /// The leader is not collected by that: as long as it is not, the group's number belongs to nobody else, and the
    /// group can be killed without hitting strangers.
    #[cfg(unix)]
    pub(super) fn watch(
        &self,
        wants_terminal: impl FnOnce() + Send + 'static,
        exited: impl FnOnce() + Send + 'static,
    ) -> io::Result<()> {
        let leader = i32::try_from(self.child.id())
            .ok()
            .and_then(rustix::process::Pid::from_raw)
            .ok_or_else(|| io::Error::other("the process has no id"))?;
        crate::run::on_exit(leader, wants_terminal, exited)
    }

    /// Whether the leader has exited, for systems where nobody is told.
    #[cfg(not(unix))]
    pub(super) fn has_exited(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if !self.reaped {
            self.kill();
            // Not waited for: a process that is stuck in the kernel must not hold us.
            let _ = self.child.try_wait();
        }
    }
}
