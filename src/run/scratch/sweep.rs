//! What killed runs leave of their scratch folders, and their agents.

use std::fs;
use std::path::{Path, PathBuf};

use super::{AGENTS, PREFIX, Scratch, parent_outside, remove};
use crate::process::Process;

impl Scratch {
    /// Takes away the folders that killed runs left where [`Scratch::new`] and [`Scratch::outside`] make them, and ends the
    /// agents that were started there and still run. Returns what was removed.
    #[must_use]
    pub fn sweep(repository: &Path) -> Vec<PathBuf> {
        let mut parents: Vec<PathBuf> =
            [Some(tempfile::env::temp_dir()), parent_outside(repository)].into_iter().flatten().collect();
        parents.dedup();
        parents.iter().flat_map(|parent| sweep_in(parent)).collect()
    }
}

pub(super) fn sweep_in(parent: &Path) -> Vec<PathBuf> {
    let mut swept = Vec::new();
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let ours = entry.file_name().to_string_lossy().starts_with(PREFIX);
        if !ours || !entry.metadata().is_ok_and(|folder| folder.is_dir() && is_own(&folder)) {
            continue;
        }
        let path = entry.path();
        let clear = |folder: &Path| {
            end_agents(folder);
            remove(folder)
        };
        if Process::clear(&path, clear) {
            swept.push(path);
        }
    }
    swept
}

/// Ends the process groups of the agents that are noted and still are the processes they were.
fn end_agents(folder: &Path) {
    let noted = fs::read_to_string(folder.join(AGENTS)).unwrap_or_default();
    let agents = noted.lines().filter_map(|line| line.parse::<Process>().ok());
    agents.filter(Process::is_here).for_each(|agent| end_group(&agent));
}

#[cfg(unix)]
fn end_group(leader: &Process) {
    use rustix::process::{Pid, Signal, kill_process_group};
    if let Some(pid) = i32::try_from(leader.pid()).ok().and_then(Pid::from_raw) {
        // The only failure that matters not: it has just ended by itself.
        let _ = kill_process_group(pid, Signal::KILL);
    }
}

#[cfg(not(unix))]
fn end_group(_leader: &Process) {}

#[cfg(unix)]
fn is_own(folder: &fs::Metadata) -> bool {
    std::os::unix::fs::MetadataExt::uid(folder) == rustix::process::geteuid().as_raw()
}

#[cfg(not(unix))]
fn is_own(_folder: &fs::Metadata) -> bool {
    true
}
