//! What a lock file says of the run that holds it: one `key value` per line, for people as well.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::process::{Process, seconds_since_1970};
use crate::untrusted::printable;

/// The run that holds a lock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holder {
    /// Its process.
    pub process: Process,
    /// Who started it.
    pub(super) launcher: Option<Process>,
    /// The top of its working tree, made printable.
    pub repository: String,
    /// When it took the lock, in seconds since 1970.
    pub since: u64,
    /// The tree that it is about to commit, once it knows it, in hexadecimal digits.
    pub tree: Option<String>,
}

impl Holder {
    /// This process.
    pub(super) fn current(repository: &Path) -> Self {
        Self {
            process: Process::current().clone(),
            launcher: Process::parent(),
            // Without the slash that libgit2 puts at the end.
            repository: printable(&repository.components().collect::<PathBuf>().to_string_lossy()),
            since: seconds_since_1970(),
            tree: None,
        }
    }

    /// Reads whole lines; `None` where they do not say whose lock it is.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (whole, _) = text.rsplit_once('\n')?;
        let value = |key: &str| {
            let mut lines = whole.lines().filter_map(|line| line.split_once(' '));
            lines.find(|(name, _)| *name == key).map(|(_, value)| value)
        };
        Some(Self {
            process: value("process")?.parse().ok()?,
            launcher: value("launcher").and_then(|process| process.parse().ok()),
            repository: printable(value("repository")?),
            since: value("since")?.parse().ok()?,
            tree: value("tree").filter(|tree| tree.bytes().all(|byte| byte.is_ascii_hexdigit())).map(str::to_owned),
        })
    }

    /// Whether its process may still run.
    #[must_use]
    pub fn is_alive(&self) -> bool {
        !self.process.is_gone()
    }

    /// Whether it runs on although the program that started it is gone.
    #[must_use]
    pub fn is_orphaned(&self) -> bool {
        self.is_alive() && self.launcher.as_ref().is_some_and(Process::is_gone)
    }

    /// How long it has had the lock.
    #[must_use]
    pub fn age(&self) -> Duration {
        Duration::from_secs(seconds_since_1970().saturating_sub(self.since))
    }
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "pid {}", self.process.pid())?;
        writeln!(f, "host {}", self.process.host())?;
        writeln!(f, "repository {}", self.repository)?;
        writeln!(f, "since {}", self.since)?;
        writeln!(f, "process {}", self.process)?;
        if let Some(launcher) = &self.launcher {
            writeln!(f, "launcher {launcher}")?;
        }
        self.tree.iter().try_for_each(|tree| f.write_str(&tree_line(tree)))
    }
}

pub(super) fn tree_line(tree: &str) -> String {
    format!("tree {tree}\n")
}
