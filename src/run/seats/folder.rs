//! The folder of one line: a file for each call, whose name is its place and whose content is its process.
//!
//! Calls come in, are seated and are taken away in another's place only while the lock is held, so what one reads then
//! stays true until it has acted. Going is free: a file that is gone can only make room. Each file is made in one step, so
//! that a kill leaves either nothing or a file that says whose it is.

use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use faster_hex::hex_string;
use sha2::{Digest as _, Sha256};

use super::line::{Line, Moment, Name, Ticket};
use crate::fault;
use crate::private::{self, PrivateError, io_error};
use crate::process::Process;

/// The file that is locked; it stays.
const LOCK: &str = "lock";
/// How much longer than it said a call may take where nobody can tell whether its process still runs.
const SLACK: Duration = Duration::from_secs(120);
/// Whoever waits and has not moved for so long is passed over, in milliseconds. Longer than anybody sleeps.
const ASLEEP: Moment = 10_000;

/// The folder of one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Folder {
    /// stagecoach's folder for state, and the folder of all lines in it: they must be as safe as the line's own.
    above: [PathBuf; 2],
    path: PathBuf,
    /// Whether all of them were there and safe.
    is_checked: bool,
}

/// While it lives, nobody else changes the line.
#[derive(Debug)]
pub(super) struct Lock(#[expect(dead_code, reason = "it is the open file that is locked")] File);

impl Folder {
    /// The folder of a scope, which is made when it is needed.
    pub(super) fn open(state: &Path, scope: &str) -> Result<Self, PrivateError> {
        let lines = state.join("seats");
        let path = lines.join(file_name(scope));
        let mut folder = Self { above: [state.to_owned(), lines], path, is_checked: false };
        folder.is_checked = match folder.check() {
            // One that cannot be looked at is met again by whoever needs it.
            Err(PrivateError::Io { .. }) => false,
            checked => checked?,
        };
        Ok(folder)
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Checks that nobody else can write to the folder, as far as it is there.
    pub(super) fn check(&self) -> Result<bool, PrivateError> {
        for folder in self.above.iter().chain([&self.path]) {
            if !private::check(folder)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Takes the lock; `None` when somebody else has it at the moment.
    pub(super) fn try_lock(&self) -> Result<Option<Lock>, PrivateError> {
        let path = self.path.join(LOCK);
        if !self.is_checked {
            self.create()?;
        }
        let file = match private::open_or_create(&path) {
            // Somebody has removed it since.
            Err(PrivateError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
                self.create()?;
                private::open_or_create(&path)?
            }
            opened => opened?,
        };
        match file.try_lock() {
            Ok(()) => Ok(Some(Lock(file))),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(source)) => Err(io_error(&path, "locked", source)),
        }
    }

    fn create(&self) -> Result<(), PrivateError> {
        fault::write("seat: make the folder").map_err(|error| io_error(&self.path, "created", error))?;
        self.above.iter().chain([&self.path]).try_for_each(|folder| private::create(folder))
    }

    /// Who waits and who has a seat. Without the lock, what is seen may be over.
    pub(super) fn line(&self) -> Result<Line, PrivateError> {
        let failed = |source| io_error(&self.path, "read", source);
        let mut names = Vec::new();
        for entry in std::fs::read_dir(&self.path).map_err(failed)? {
            let name = entry.map_err(failed)?.file_name();
            names.extend(name.to_str().and_then(Name::parse));
        }
        Ok(Line::of(names.into_iter()))
    }

    /// The file of a call; it goes with the value.
    pub(super) fn place(&self, _: &Lock, ticket: Ticket, longest: Duration) -> Result<Placed, PrivateError> {
        let path = self.path.join(Name::Ticket(ticket).to_string());
        fault::write("seat: make").map_err(|error| io_error(&path, "created", error))?;
        mark(&format!("{} {}", Process::current(), longest.as_secs()), &path)
            .map_err(|source| io_error(&path, "created", source))?;
        Ok(Placed { path, ticket })
    }

    /// Notes that a call begins.
    pub(super) fn note_start(&self, _: &Lock, line: &Line, now: Moment) -> Result<(), PrivateError> {
        let path = self.path.join(Name::LastStart(now).to_string());
        if let Some(last) = line.last_start {
            match std::fs::rename(self.path.join(Name::LastStart(last).to_string()), &path) {
                // Somebody has removed it.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                noted => return noted.map_err(|source| io_error(&path, "created", source)),
            }
        }
        mark("", &path).map_err(|source| io_error(&path, "created", source))
    }

    /// Takes away the files of those whose processes are gone: of all who have a seat, and of whoever is the first to wait.
    /// Whether there were any.
    pub(super) fn clear(&self, _: &Lock, line: &Line) -> Result<bool, PrivateError> {
        let first = line.tickets.iter().find(|ticket| ticket.seated.is_none());
        let mut cleared = false;
        for ticket in line.seated().chain(first).filter(|ticket| self.has_left(**ticket)) {
            let path = self.path_of(*ticket);
            fault::crossing("seat: clear away");
            match std::fs::remove_file(&path) {
                Err(source) if source.kind() != io::ErrorKind::NotFound => {
                    return Err(io_error(&path, "removed", source));
                }
                _ => cleared = true,
            }
        }
        Ok(cleared)
    }

    /// Leaves out of the line whoever is the first to wait and has not moved for long, as a process that was stopped.
    pub(super) fn pass_over_sleepers(&self, line: &mut Line, number: u64, now: Moment) {
        loop {
            let Some(first) = line.ahead(number).next().copied() else { return };
            let moved = touched(&self.path_of(first));
            // Until it has moved for the first time, the time is that of a calendar, far ahead.
            if moved.is_none_or(|moved| now.checked_sub(moved).is_none_or(|age| age <= ASLEEP)) {
                return;
            }
            line.forget(first);
        }
    }

    /// Whether the process of a call is gone. Where that cannot be known, as of a process in another container, a call is
    /// believed to last no longer than it said, and whoever waits to move now and then.
    pub(super) fn has_left(&self, ticket: Ticket) -> bool {
        let path = self.path_of(ticket);
        let text = match read_mark(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return false,
            // A file that no run has made says nothing.
            text => text.unwrap_or_default(),
        };
        let (process, longest) = text.rsplit_once(' ').unwrap_or_default();
        let process = process.parse::<Process>().ok();
        if process.as_ref().is_some_and(Process::is_here) {
            return false;
        }
        if process.as_ref().is_some_and(Process::is_gone) {
            return true;
        }
        if ticket.seated.is_none() {
            let age = touched(&path).and_then(|moved| now().checked_sub(moved));
            return age.is_some_and(|age| u128::from(age) > SLACK.as_millis());
        }
        let longest = Duration::from_secs(longest.parse().unwrap_or(0)).saturating_add(SLACK);
        let since = path.symlink_metadata().and_then(|file| file.modified()).unwrap_or_else(|_| SystemTime::now());
        since.elapsed().is_ok_and(|age| age > longest)
    }

    fn path_of(&self, ticket: Ticket) -> PathBuf {
        self.path.join(Name::Ticket(ticket).to_string())
    }
}

/// The file of a call that waits or has a seat. It goes with this value.
#[derive(Debug)]
pub(super) struct Placed {
    path: PathBuf,
    pub(super) ticket: Ticket,
}

impl Placed {
    /// Shows the others that this process moves.
    pub(super) fn touch(&self, now: Moment) {
        // Where that fails, others may come first.
        drop(touch(&self.path, now));
    }
}

impl Drop for Placed {
    fn drop(&mut self) {
        fault::crossing("seat: give back");
        // Nobody can be told of a failure; others see when the process is gone.
        drop(std::fs::remove_file(&self.path));
    }
}

/// A name for a folder that is as good on every system, and another one for another text.
fn file_name(scope: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'_');
    if !scope.is_empty() && scope.len() <= 100 && scope.bytes().all(is_plain) {
        return scope.to_owned();
    }
    format!("={}", hex_string(&Sha256::digest(scope.as_bytes())))
}

/// A symbolic link is the one kind of file that is made with its content, in one step.
#[cfg(unix)]
fn mark(text: &str, path: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(if text.is_empty() { "-" } else { text }, path)
}

#[cfg(unix)]
fn read_mark(path: &Path) -> io::Result<String> {
    Ok(std::fs::read_link(path)?.to_string_lossy().into_owned())
}

/// When whoever waits has last moved.
#[cfg(unix)]
fn touched(path: &Path) -> Option<Moment> {
    use std::os::unix::fs::MetadataExt as _;
    let file = path.symlink_metadata().ok()?;
    Moment::try_from(file.mtime().saturating_mul(1000).saturating_add(file.mtime_nsec() / 1_000_000)).ok()
}

#[cfg(unix)]
pub(super) fn touch(path: &Path, now: Moment) -> io::Result<()> {
    use rustix::fs::{AtFlags, CWD, Timespec, Timestamps, utimensat};
    let seconds = i64::try_from(now / 1000).unwrap_or_default();
    let nanoseconds = i64::try_from(now % 1000 * 1_000_000).unwrap_or_default();
    let time = Timespec { tv_sec: seconds, tv_nsec: nanoseconds as _ };
    let times = Timestamps { last_access: time, last_modification: time };
    Ok(utimensat(CWD, path, &times, AtFlags::SYMLINK_NOFOLLOW)?)
}

#[cfg(not(unix))]
fn touched(path: &Path) -> Option<Moment> {
    let moved = path.symlink_metadata().and_then(|file| file.modified()).ok()?;
    Moment::try_from(moved.duration_since(SystemTime::UNIX_EPOCH).ok()?.as_millis()).ok()
}

#[cfg(not(unix))]
pub(super) fn touch(path: &Path, now: Moment) -> io::Result<()> {
    let time = SystemTime::UNIX_EPOCH + Duration::from_millis(now);
    File::options().write(true).open(path)?.set_modified(time)
}

/// Now, on a clock that goes on whatever is done to the time of day, and is the same for all processes.
#[cfg(unix)]
pub(super) fn now() -> Moment {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    let milliseconds = time.tv_sec.saturating_mul(1000).saturating_add(time.tv_nsec / 1_000_000);
    Moment::try_from(milliseconds).unwrap_or_default()
}

/// There is no such clock that processes share.
#[cfg(not(unix))]
pub(super) fn now() -> Moment {
    let time = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    Moment::try_from(time.as_millis()).unwrap_or_default()
}

/// A file that a kill leaves empty names nobody, and so counts for a while only.
#[cfg(not(unix))]
fn mark(text: &str, path: &Path) -> io::Result<()> {
    io::Write::write_all(&mut File::create_new(path)?, text.as_bytes())
}

#[cfg(not(unix))]
fn read_mark(path: &Path) -> io::Result<String> {
    std::fs::read_to_string(path)
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    #[test]
    fn every_scope_has_a_folder_of_its_own() {
        assert_eq!(file_name("provider-claude"), "provider-claude");
        let odd = ["", ".", "..", "a/b", "A", "a", "ü", "=", "account-x y"];
        let mut names: Vec<_> = odd.iter().map(|scope| file_name(scope)).collect();
        assert!(names.iter().all(|name| !name.contains(['/', '.', ' ']) && !name.is_empty()), "{names:?}");
        names.sort();
        names.dedup();
        assert_eq!(names.len(), odd.len());
        assert_eq!(file_name(&"a".repeat(101)).len(), 65);
    }

    #[test]
    fn whoever_cannot_be_judged_stays_as_long_as_he_said() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().to_owned();
        let folder = Folder { above: [path.clone(), path.clone()], path, is_checked: true };
        let left = |text: &str, ticket: Ticket, time: Moment| {
            let path = folder.path_of(ticket);
            drop(std::fs::remove_file(&path));
            mark(text, &path).unwrap();
            touch(&path, time).unwrap();
            folder.has_left(ticket)
        };
        let seated = Ticket { number: 1, seated: Some(1) };
        let calendar = |age: u64| {
            let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs();
            (now - age) * 1000
        };
        let here = Process::current().to_string();
        let elsewhere = "1 1 boot another-host pid:[1]";
        assert!(!left(&format!("{here} 60"), seated, calendar(100_000)), "it runs, however long");
        assert!(!left(&format!("{elsewhere} 60"), seated, calendar(170)));
        assert!(left(&format!("{elsewhere} 60"), seated, calendar(190)));
        assert!(!left("rubbish", seated, calendar(110)));
        assert!(left("rubbish", seated, calendar(130)));

        let waiting = Ticket { number: 2, seated: None };
        let text = format!("{elsewhere} 60");
        assert!(!left(&text, waiting, now()) && !left(&text, waiting, calendar(0)));
        // Where the system has just been started, there is no such moment.
        if let Some(before) = now().checked_sub(130_000) {
            assert!(left(&text, waiting, before));
        }
        let file = folder.path_of(seated);
        std::fs::remove_file(&file).unwrap();
        std::fs::write(&file, "").unwrap();
        assert!(!folder.has_left(seated));
        touch(&file, calendar(130)).unwrap();
        assert!(folder.has_left(seated), "nor does what is no mark stay for ever");

        std::fs::remove_file(folder.path_of(waiting)).unwrap();
        assert!(!folder.has_left(waiting), "nobody is no hindrance");
    }
}
