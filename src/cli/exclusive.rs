//! One run per repository: taking the run lock, or saying who has it.

use std::path::PathBuf;
use std::thread::sleep;
use std::time::Duration;

use crate::config::Environment;
use crate::git::{ObjectId, Repository};
use crate::private::PrivateError;
use crate::run::{Cancel, Holder, LockFolders, LockPlace, RunLock, Taken};
use crate::untrusted::stripped;

use super::failure::{BUSY, interrupted};
use super::{Failure, to_stderr};

/// How long to wait before the lock is tried again.
const PAUSE: Duration = Duration::from_millis(100);
/// How often to begin anew when the lock was free again as soon as we looked who had it.
const TRIES: usize = 20;

/// Whose turn it is.
pub(super) enum Turn {
    /// Ours.
    Ours(Held),
    /// Another run commits at this moment exactly what this one would.
    Theirs(Holder),
}

/// The lock, or none where there is no place for locks: what keeps commits apart is the comparison when the branch moves.
#[derive(Default)]
pub(super) struct Held(Option<RunLock>);

impl Held {
    /// Tells other runs what this one is about to commit. Without it they are merely told that the repository is busy.
    ///
    /// # Errors
    /// The lock file cannot be written.
    pub(super) fn say_tree(&mut self, tree: ObjectId) -> std::io::Result<()> {
        self.0.as_mut().map_or(Ok(()), |lock| lock.say_tree(&tree.to_string()))
    }

    /// Removes the lock files that killed runs left in other repositories. Returns them.
    pub(super) fn sweep(&self) -> Vec<PathBuf> {
        self.0.as_ref().map(RunLock::sweep).unwrap_or_default()
    }
}

/// What a run does when another one has the lock.
pub(super) struct Patience<'a> {
    /// Whether to wait for it; `None`: this command knows no `--wait`.
    pub(super) waits: Option<bool>,
    /// Ends the waiting.
    pub(super) cancel: &'a Cancel,
    /// Tells the user something.
    pub(super) notice: &'a dyn Fn(&str),
}

/// The place of a repository's lock; `None` where no folder for it is known.
pub(super) fn place(repository: &Repository, environment: &Environment) -> Option<LockPlace> {
    let folders = LockFolders { runtime: environment.runtime_folder(), cache: environment.cache_folder() };
    LockPlace::of(&folders, &repository.paths().common_dir, &repository.paths().git_dir)
}

/// Takes the run lock. When another run has it, `tree` says what this one would commit.
///
/// # Errors
/// The repository is busy, the folder of locks is not safe, or what `tree` says.
pub(super) fn take(
    repository: &Repository,
    environment: &Environment,
    patience: &Patience<'_>,
    tree: &dyn Fn() -> Result<Option<ObjectId>, Failure>,
) -> Result<Turn, Failure> {
    let Some(place) = place(repository, environment) else {
        (patience.notice)(
            "no folder for locks is known (HOME is not set), so runs of this repository do not exclude each other",
        );
        return Ok(Turn::Ours(Held(None)));
    };
    match wait_for(&place, repository, patience, tree) {
        Err(Problem::Lock(PrivateError::Io { path, action, source })) => {
            let path = path.display();
            (patience.notice)(&format!(
                "runs of this repository do not exclude each other: {path} cannot be {action}: {source}"
            ));
            Ok(Turn::Ours(Held(None)))
        }
        Err(Problem::Lock(error @ PrivateError::Unsafe { .. })) => Err(unsafe_folder(&error)),
        Err(Problem::Failure(failure)) => Err(failure),
        Ok(turn) => Ok(turn),
    }
}

/// The same for commands that do not wait. `None`: another run commits exactly this, which the user is told.
pub(super) fn take_or_leave(
    repository: &Repository,
    cancel: &Cancel,
    tree: &dyn Fn() -> Result<Option<ObjectId>, Failure>,
) -> Result<Option<Held>, Failure> {
    let notice = |text: &str| to_stderr(&stripped(&format!("note: {text}\n")));
    let patience = Patience { waits: None, cancel, notice: &notice };
    match take(repository, &Environment::of_process(), &patience, tree)? {
        Turn::Ours(lock) => Ok(Some(lock)),
        Turn::Theirs(holder) => {
            notice(&nothing_to_do(&holder));
            Ok(None)
        }
    }
}

enum Problem {
    Lock(PrivateError),
    Failure(Failure),
}

impl From<PrivateError> for Problem {
    fn from(error: PrivateError) -> Self {
        Self::Lock(error)
    }
}

impl From<Failure> for Problem {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

fn wait_for(
    place: &LockPlace,
    repository: &Repository,
    patience: &Patience<'_>,
    tree: &dyn Fn() -> Result<Option<ObjectId>, Failure>,
) -> Result<Turn, Problem> {
    let mut tries = 0;
    loop {
        let holder = match place.try_take(&repository.paths().work_tree)? {
            Taken::Held(lock) => return Ok(Turn::Ours(Held(Some(lock)))),
            Taken::Busy(holder) => holder,
        };
        if let Some(cause) = patience.cancel.cause() {
            return Err(interrupted(cause).into());
        }
        if patience.waits == Some(true) {
            // Said once: the same notice is not repeated.
            (patience.notice)("another run is at work in this repository; waiting for it");
            sleep(PAUSE);
            continue;
        }
        let ours = tree()?.map(|tree| tree.to_string());
        tries += 1;
        // Meanwhile it may have said what it commits, or be done.
        match place.holder()? {
            Some(now) if ours.is_some() && now.tree == ours => return Ok(Turn::Theirs(now)),
            None if holder.is_some() && tries < TRIES => {}
            now => return Err(busy(place, now.or(holder).as_ref(), patience).into()),
        }
    }
}

/// Another run has the lock.
fn busy(place: &LockPlace, holder: Option<&Holder>, patience: &Patience<'_>) -> Failure {
    let path = place.path().display().to_string();
    let wait = if patience.waits.is_some() { "wait for it with --wait" } else { "wait for it and try again" };
    let (who, hint) = match holder {
        Some(holder) => {
            let (pid, host, age) = (holder.process.pid(), holder.process.host(), holder.age().as_secs());
            let orphaned = holder.is_orphaned();
            let looks = if orphaned { "looks orphaned: what started it is gone" } else { "does not look orphaned" };
            let hint = if orphaned { format!("end it with `kill {pid}`, or {wait}") } else { wait.to_owned() };
            (format!("pid {pid} on host {host} has had its lock for {age} s and {looks}"), hint)
        }
        None => ("it has not said who it is".to_owned(), wait.to_owned()),
    };
    let (why, hint) = (format!("{who}\n{path}"), format!("{hint}; `stagecoach lock status` shows it"));
    Failure::new("busy", "another run is at work in this repository; nothing was changed", why, hint).exit(BUSY)
}

fn unsafe_folder(error: &PrivateError) -> Failure {
    let hint = "make it yours, with mode 0700 for a folder and 0600 for a file, or remove it";
    Failure::new("unsafe_folder", "the folder of run locks cannot be used", error.to_string(), hint)
}

/// What is said when another run does all that there is to do.
pub(super) fn nothing_to_do(holder: &Holder) -> String {
    format!("nothing to do, pid {} is committing exactly this", holder.process.pid())
}
