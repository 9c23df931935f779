//! What killed runs leave of their scratch folders, and their agents.

use std::fs;
use std::path::{Path, PathBuf};

use super::{AGENTS, PREFIX, Scratch, parent_outside, remove};
use crate::private::foreign;
use crate::process::Process;

impl Scratch {
    /// Takes away the folders that killed runs left where [`Scratch::new`] and [`Scratch::outside`] make them, and ends the
    /// agents that were started there and still run. Returns what was removed.
    #[must_use]
    pub fn sweep(repository: &Path) -> Vec<PathBuf> {
        parents(repository).iter().flat_map(|parent| sweep_in(parent)).collect()
    }

    /// The folders that killed runs left there, which the next run takes away.
    #[must_use]
    pub fn stale(repository: &Path) -> Vec<PathBuf> {
        parents(repository).iter().flat_map(|parent| ours_in(parent)).filter(|path| Process::has_left(path)).collect()
    }
}

fn parents(repository: &Path) -> Vec<PathBuf> {
    let mut parents: Vec<PathBuf> =
        [Some(tempfile::env::temp_dir()), parent_outside(repository)].into_iter().flatten().collect();
    parents.dedup();
    parents
}

fn ours_in(parent: &Path) -> impl Iterator<Item = PathBuf> {
    let ours = |entry: &fs::DirEntry| {
        let named = entry.file_name().to_string_lossy().starts_with(PREFIX);
        named && entry.metadata().is_ok_and(|folder| folder.is_dir() && foreign(&folder).is_none())
    };
    fs::read_dir(parent).into_iter().flatten().flatten().filter(ours).map(|entry| entry.path())
}

pub(super) fn sweep_in(parent: &Path) -> Vec<PathBuf> {
    let mut swept = Vec::new();
    for path in ours_in(parent) {
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
