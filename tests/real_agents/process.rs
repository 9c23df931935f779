//! Running a program to its end, but never longer than a limit.

use std::fmt;
use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use process_wrap::std::{ChildWrapper, CommandWrap, ProcessGroup};

const PAUSE: Duration = Duration::from_millis(20);
const GRACE: Duration = Duration::from_secs(15);
const SIGTERM: i32 = 15;

/// A program that came to its end.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) elapsed: Duration,
}

impl fmt::Display for Finished {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n--- standard output\n{}\n--- standard error\n{}", self.status, self.stdout, self.stderr)
    }
}

/// Runs a program with its outputs in files of `folder`, so that nothing has to be read while it runs.
///
/// # Errors
/// It cannot be started, or does not end in time; then it and its children are ended.
pub(crate) fn run(mut command: Command, folder: &Path, limit: Duration) -> Result<Finished> {
    let (out, err) = (folder.join("stdout"), folder.join("stderr"));
    command.stdin(Stdio::null()).stdout(File::create(&out)?).stderr(File::create(&err)?);
    let shown = format!("{command:?}");
    let start = Instant::now();
    let mut child =
        CommandWrap::from(command).wrap(ProcessGroup::leader()).spawn().with_context(|| format!("starting {shown}"))?;
    let status = wait(child.as_mut(), start + limit)?;
    let elapsed = start.elapsed();
    if status.is_none() {
        end(child.as_mut())?;
    }
    let finished = |status| Finished { status, stdout: read(&out), stderr: read(&err), elapsed };
    match status {
        Some(status) => Ok(finished(status)),
        None => bail!("{shown} did not end within {} s:\n{}\n{}", limit.as_secs(), read(&out), read(&err)),
    }
}

fn wait(child: &mut dyn ChildWrapper, until: Instant) -> Result<Option<ExitStatus>> {
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if Instant::now() >= until {
            return Ok(None);
        }
        thread::sleep(PAUSE);
    }
}

/// Asks first, so that a program that has children in other groups can end them.
fn end(child: &mut dyn ChildWrapper) -> Result<()> {
    child.signal(SIGTERM)?;
    if wait(child, Instant::now() + GRACE)?.is_none() {
        child.kill()?;
    }
    Ok(())
}

fn read(path: &Path) -> String {
    fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
}
