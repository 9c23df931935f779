//! Which process wrote something and when, and whether it still runs.
//!
//! A process id alone is no answer: ids are used again. So a record names the moment the process started as well, the boot
//! and the host it ran on, and the namespace its id counts in (two containers may share a repository). What cannot be
//! decided counts as running: nothing of a live process is ever taken away.

use std::fmt;
use std::io;
use std::path::Path;
use std::str::FromStr;
use std::sync::OnceLock;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A process, told apart from every other that had or will have its id. Displays as five words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Process {
    pid: u32,
    /// Clock ticks from boot to start; 0 where the system does not tell.
    started: u64,
    boot: String,
    host: String,
    namespace: String,
}

/// The text names no process.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` names no process")]
pub struct InvalidProcess(String);

/// The file in a folder that names its process.
const OWNER: &str = "owner";
/// A folder that is older is not about to be signed any more.
const BEING_SIGNED: Duration = Duration::from_secs(10);
/// What stands for a word that the system does not tell.
const UNKNOWN: &str = "-";

impl Process {
    /// This process.
    #[must_use]
    pub fn current() -> &'static Self {
        static CURRENT: OnceLock<Process> = OnceLock::new();
        CURRENT.get_or_init(|| Self {
            pid: std::process::id(),
            started: system::started(std::process::id()).map_or(0, |(started, _)| started),
            boot: word(system::boot()),
            host: word(system::host()),
            namespace: word(system::namespace()),
        })
    }

    /// The process that started this one, or that has adopted it since. `None` where the system does not tell.
    #[must_use]
    pub fn parent() -> Option<Self> {
        #[cfg(unix)]
        return Self::of(std::os::unix::process::parent_id());
        #[cfg(not(unix))]
        return None;
    }

    /// The process that has this id now, on this host. `None` where there is none, or the system does not tell.
    #[must_use]
    pub fn of(pid: u32) -> Option<Self> {
        let (started, _) = system::started(pid)?;
        Some(Self { pid, started, ..Self::current().clone() })
    }

    /// Writes into a folder that it is this process's.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub fn sign(folder: &Path) -> io::Result<()> {
        std::fs::write(folder.join(OWNER), Self::current().to_string())
    }

    /// Takes away, by `remove`, a folder whose process is gone, or which was made to be [signed](Self::sign) and never was.
    /// Whether it is gone: one that resists is met again by the next run.
    #[must_use]
    pub fn clear(folder: &Path, remove: impl FnOnce(&Path) -> io::Result<()>) -> bool {
        match Self::owner_of(folder) {
            Some(owner) => owner.is_gone() && remove(folder).is_ok(),
            None => Self::remove_unsigned(folder),
        }
    }

    /// Whether a folder's process is gone, so that the next run [clears](Self::clear) it away.
    #[must_use]
    pub fn has_left(folder: &Path) -> bool {
        Self::owner_of(folder).is_some_and(|owner| owner.is_gone())
    }

    /// Whose a folder is, if somebody has signed it.
    fn owner_of(folder: &Path) -> Option<Self> {
        std::fs::read_to_string(folder.join(OWNER)).ok()?.parse().ok()
    }

    /// Removes a folder that was made to be signed and never was: nothing is in it but a signature without a word, and it is
    /// too old for anybody to be about to write one. Whether it is gone.
    fn remove_unsigned(folder: &Path) -> bool {
        let Ok(mut entries) = std::fs::read_dir(folder) else { return false };
        let owner = folder.join(OWNER);
        let is_bare = entries.all(|entry| entry.is_ok_and(|entry| entry.path() == owner));
        let is_unsigned = owner.metadata().map_or(true, |owner| owner.is_file() && owner.len() == 0);
        if !is_bare || !is_unsigned || age(folder).is_none_or(|age| age < BEING_SIGNED) {
            return false;
        }
        // It may not be there.
        drop(std::fs::remove_file(owner));
        std::fs::remove_dir(folder).is_ok()
    }

    /// Its id.
    #[must_use]
    pub const fn pid(&self) -> u32 {
        self.pid
    }

    /// The host that it runs or ran on; `-` where the system did not tell.
    #[must_use]
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Whether it certainly still runs, on this host.
    #[must_use]
    pub fn is_here(&self) -> bool {
        let here = Self::current();
        let same = (&self.host, &self.boot, &self.namespace) == (&here.host, &here.boot, &here.namespace);
        same && self.started != 0 && system::runs(self.pid, self.started)
    }

    /// Whether it certainly runs no more.
    #[must_use]
    pub fn is_gone(&self) -> bool {
        let here = Self::current();
        if self.host != here.host {
            return false;
        }
        if self.boot != here.boot {
            return self.boot != UNKNOWN && here.boot != UNKNOWN;
        }
        self.namespace == here.namespace && !system::runs(self.pid, self.started)
    }
}

/// The moment, as records have it.
#[must_use]
pub fn seconds_since_1970() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_secs())
}

/// How long ago a file or folder was changed; `None` where that cannot be told.
#[must_use]
pub fn age(path: &Path) -> Option<Duration> {
    path.metadata().and_then(|entry| entry.modified()).ok()?.elapsed().ok()
}

/// One word: no white space, never empty.
fn word(text: Option<String>) -> String {
    let text: String = text.unwrap_or_default().split_whitespace().collect();
    if text.is_empty() { UNKNOWN.to_owned() } else { text }
}

impl fmt::Display for Process {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {} {} {}", self.pid, self.started, self.boot, self.host, self.namespace)
    }
}

impl FromStr for Process {
    type Err = InvalidProcess;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parse = || {
            let mut words = text.split_whitespace();
            let process = Self {
                pid: words.next()?.parse().ok()?,
                started: words.next()?.parse().ok()?,
                boot: words.next()?.to_owned(),
                host: words.next()?.to_owned(),
                namespace: words.next()?.to_owned(),
            };
            words.next().is_none().then_some(process)
        };
        parse().ok_or_else(|| InvalidProcess(text.to_owned()))
    }
}

impl Serialize for Process {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Process {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(target_os = "linux")]
mod system {
    use std::fs;

    /// When a process started and the letter of its state.
    pub(super) fn started(pid: u32) -> Option<(u64, char)> {
        let stat = fs::read(format!("/proc/{pid}/stat")).ok()?;
        let stat = String::from_utf8_lossy(&stat);
        // The name, in parentheses, may hold anything; what follows the last one has no surprises.
        let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
        let state = fields.next()?.chars().next()?;
        Some((fields.nth(18)?.parse().ok()?, state))
    }

    /// A zombie runs no more; it only waits for its parent.
    pub(super) fn runs(pid: u32, start: u64) -> bool {
        started(pid).is_some_and(|(started, state)| started == start && !matches!(state, 'Z' | 'X'))
    }

    pub(super) fn boot() -> Option<String> {
        fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()
    }

    pub(super) fn host() -> Option<String> {
        fs::read_to_string("/proc/sys/kernel/hostname").ok()
    }

    pub(super) fn namespace() -> Option<String> {
        Some(fs::read_link("/proc/self/ns/pid").ok()?.to_string_lossy().into_owned())
    }
}

#[cfg(all(unix, not(target_os = "linux")))]
mod system {
    use rustix::process::{Pid, test_kill_process};

    /// The start is not told; an id that nobody has is.
    pub(super) fn started(pid: u32) -> Option<(u64, char)> {
        runs(pid, 0).then_some((0, 'R'))
    }

    /// Without a start time an id that is in use is taken to be the same process.
    pub(super) fn runs(pid: u32, _start: u64) -> bool {
        let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
        !pid.is_some_and(|pid| test_kill_process(pid) == Err(rustix::io::Errno::SRCH))
    }

    pub(super) fn boot() -> Option<String> {
        None
    }

    pub(super) fn host() -> Option<String> {
        Some(rustix::system::uname().nodename().to_string_lossy().into_owned())
    }

    pub(super) fn namespace() -> Option<String> {
        None
    }
}

#[cfg(not(unix))]
mod system {
    pub(super) fn started(_pid: u32) -> Option<(u64, char)> {
        None
    }

    pub(super) fn runs(_pid: u32, _start: u64) -> bool {
        true
    }

    pub(super) fn boot() -> Option<String> {
        None
    }

    pub(super) fn host() -> Option<String> {
        std::env::var("COMPUTERNAME").ok()
    }

    pub(super) fn namespace() -> Option<String> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_runs_and_survives_the_way_through_text() {
        let process = Process::current();
        assert!(!process.is_gone());
        assert_eq!(process.to_string().parse::<Process>().as_ref(), Ok(process));
        for text in ["", "1", "1 2 3 4", "x 2 3 4 5", "1 2 3 4 5 6"] {
            assert!(text.parse::<Process>().is_err(), "{text}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn only_what_is_certainly_gone_is_gone() {
        let here = Process::current();
        let with = |change: fn(&mut Process)| {
            let mut process = here.clone();
            change(&mut process);
            process.is_gone()
        };
        assert!(with(|process| process.started += 1), "the id was used again");
        assert!(with(|process| process.boot = "another".to_owned()), "before the last boot");
        assert!(!with(|process| process.host = "elsewhere".to_owned()), "on another host");
        assert!(!with(|process| {
            process.namespace = "another".to_owned();
            process.started += 1;
        }));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_killed_child_is_gone_before_anybody_waits_for_it() {
        let mut child = std::process::Command::new("sleep").arg("600").spawn().unwrap();
        let process =
            Process { pid: child.id(), started: system::started(child.id()).unwrap().0, ..Process::current().clone() };
        assert!(!process.is_gone());
        child.kill().unwrap();
        while system::started(child.id()).unwrap().1 != 'Z' {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        assert!(process.is_gone());
        child.wait().unwrap();
        assert!(process.is_gone());
    }
}
