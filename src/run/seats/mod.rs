//! How many calls of an agent go on at once, over all runs of a user: each takes a seat before its prompt is sent, and
//! waits in line for one where all are taken.
//!
//! Promises, among all that use the same folder: never more seats than there are; whoever comes first is seated first;
//! beginnings are spaced; a seat is given back however a call ends, and one whose process was killed is taken back by
//! whoever needs it. A waiting process that does not move on, as one that was stopped, holds up nobody for long.
//!
//! The folder has to be on a disk of this host. Seats of processes that cannot be judged, as those of another container,
//! count for as long as their call may take.

mod folder;
mod line;

use std::path::Path;
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use self::folder::{Folder, Lock, Placed, now};
pub use self::line::SeatLimits;
use self::line::{Line, Ticket, Turn};
use super::cancel::Cancel;
use crate::private::PrivateError;

/// How soon somebody who waits looks again: at first, and later; longer for each who waits before, up to a limit.
const LOOK: Duration = Duration::from_millis(20);
const LOOK_LATER: Duration = Duration::from_millis(160);
const LOOK_PER_CALL: Duration = Duration::from_millis(5);
const LONGEST_PAUSE: Duration = Duration::from_secs(4);
/// How soon the lock, which nobody has for long, is tried again.
const LOCKED: Duration = Duration::from_millis(1);

/// The seats of one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seats {
    folder: Folder,
    limits: SeatLimits,
}

/// A seat, given back when this is dropped.
#[derive(Debug)]
pub struct Seat {
    #[allow(dead_code, reason = "it is held, not read")]
    placed: Placed,
}

/// Nobody was seated.
#[derive(Debug, thiserror::Error)]
pub enum NoSeat {
    /// The run is told to stop.
    #[error("stopped while it waited for a seat")]
    Stopped,
    /// Nobody before has left for too long.
    #[error("no seat became free within {} s, with {ahead} waiting before", waited.as_secs())]
    TimedOut {
        /// How long nothing moved.
        waited: Duration,
        /// How many waited before.
        ahead: usize,
    },
    /// The folder cannot be used.
    #[error(transparent)]
    Folder(#[from] PrivateError),
}

/// How long somebody waits.
#[derive(Clone, Copy)]
pub struct Patience<'a> {
    /// How long the call itself may take, and how long the line may stand still.
    pub timeout: Duration,
    /// When waiting ends in any case.
    pub deadline: Option<Instant>,
    /// Ends the waiting.
    pub cancel: &'a Cancel,
    /// Told how many wait before, whenever that has changed.
    pub tell: &'a dyn Fn(usize),
}

/// Somebody who waits.
struct Waiting<'a> {
    placed: Placed,
    patience: Patience<'a>,
    stop: Receiver<()>,
    ahead: usize,
    at_least: Option<Duration>,
    /// Everybody before, and since when they are the same.
    before: Vec<u64>,
    unmoved: Instant,
    looks: u32,
}

impl Seats {
    /// The seats of everybody who names the same `scope`, kept below stagecoach's folder for `state`. Nothing is made yet.
    ///
    /// # Errors
    /// Others could write to the folder.
    pub fn open(state: &Path, scope: &str, limits: SeatLimits) -> Result<Self, PrivateError> {
        Ok(Self { folder: Folder::open(state, scope)?, limits })
    }

    /// Where they are kept.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// How many have a seat and how many wait, without those whose processes are gone. Nothing is changed.
    ///
    /// # Errors
    /// The folder is not safe, or cannot be read.
    pub fn in_use(&self) -> Result<(usize, usize), PrivateError> {
        if !self.folder.check()? {
            return Ok((0, 0));
        }
        let line = self.folder.line()?;
        let (mut seated, mut waiting) = (0, 0);
        for ticket in line.tickets.iter().filter(|ticket| !self.folder.has_left(**ticket)) {
            if ticket.seated.is_some() { seated += 1 } else { waiting += 1 }
        }
        Ok((seated, waiting))
    }

    /// Takes a seat, after everybody who came before.
    ///
    /// # Errors
    /// See [`NoSeat`].
    pub fn take(&self, patience: Patience<'_>) -> Result<Seat, NoSeat> {
        if patience.cancel.cause().is_some() {
            return Err(NoSeat::Stopped);
        }
        let lock = self.lock(&patience)?;
        let mut line = self.folder.line()?;
        let number = line.next_number();
        let turn = self.turn(&lock, &mut line, number)?;
        let Turn::Later { ahead, at_least } = turn else { return self.seat(&lock, &line, number, &patience) };
        let placed = self.folder.place(&lock, Ticket { number, seated: None }, patience.timeout)?;
        placed.touch(now());
        drop(lock);
        let (sender, stop) = mpsc::channel();
        // Whoever has gone on need not be told.
        let _watch = patience.cancel.watch(move || sender.send(()).unwrap_or_default());
        (patience.tell)(ahead);
        let (before, unmoved) = (line.before(number), Instant::now());
        self.wait(Waiting { placed, patience, stop, ahead, at_least, before, unmoved, looks: 0 })
    }

    fn wait(&self, mut waiting: Waiting<'_>) -> Result<Seat, NoSeat> {
        let number = waiting.placed.ticket.number;
        loop {
            waiting.sleep()?;
            let now = now();
            waiting.placed.touch(now);
            // Without the lock: most looks find nothing to do.
            let mut line = self.folder.line()?;
            self.folder.pass_over_sleepers(&mut line, number, now);
            let turn = line.turn(number, &self.limits, now);
            if turn != Turn::Now && !self.somebody_left(&line, number) {
                waiting.observe(&line, turn, &self.limits);
                continue;
            }
            let lock = self.lock(&waiting.patience)?;
            line = self.folder.line()?;
            let turn = self.turn(&lock, &mut line, number)?;
            if turn == Turn::Now {
                return self.seat(&lock, &line, number, &waiting.patience);
            }
            drop(lock);
            waiting.observe(&line, turn, &self.limits);
        }
    }

    /// Whether somebody who is in the way is gone. Seats are looked after by whoever is the first to wait.
    fn somebody_left(&self, line: &Line, number: u64) -> bool {
        match line.ahead(number).next() {
            Some(first) => self.folder.has_left(*first),
            None => line.seated().any(|ticket| self.folder.has_left(*ticket)),
        }
    }

    /// Whose turn it is, once those are gone who only seem to be in the way.
    fn turn(&self, lock: &Lock, line: &mut Line, number: u64) -> Result<Turn, PrivateError> {
        loop {
            self.folder.pass_over_sleepers(line, number, now());
            let turn = line.turn(number, &self.limits, now());
            if turn == Turn::Now || !self.folder.clear(lock, line)? {
                return Ok(turn);
            }
            *line = self.folder.line()?;
        }
    }

    fn seat(&self, lock: &Lock, line: &Line, number: u64, patience: &Patience<'_>) -> Result<Seat, NoSeat> {
        let now = now();
        // First: should we be killed in between, others wait for nobody, and not too little.
        if !self.limits.spacing.is_zero() || line.last_start.is_some() {
            self.folder.note_start(lock, line, now)?;
        }
        let ticket = Ticket { number, seated: Some(now) };
        Ok(Seat { placed: self.folder.place(lock, ticket, patience.timeout)? })
    }

    fn lock(&self, patience: &Patience<'_>) -> Result<Lock, NoSeat> {
        let began = Instant::now();
        loop {
            if let Some(lock) = self.folder.try_lock()? {
                return Ok(lock);
            }
            std::thread::sleep(jittered(LOCKED));
            if patience.cancel.cause().is_some() {
                return Err(NoSeat::Stopped);
            }
            // Somebody was stopped at a bad moment.
            if began.elapsed() > patience.timeout || patience.is_over() {
                return Err(NoSeat::TimedOut { waited: began.elapsed(), ahead: 0 });
            }
        }
    }
}

impl Patience<'_> {
    fn is_over(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

impl Waiting<'_> {
    /// Takes in what was seen.
    fn observe(&mut self, line: &Line, turn: Turn, limits: &SeatLimits) {
        let Turn::Later { ahead, at_least } = turn else { return };
        if ahead != self.ahead {
            (self.patience.tell)(ahead);
        }
        (self.ahead, self.at_least) = (ahead, at_least);
        let before = line.before(self.placed.ticket.number);
        // A line that has to pause does not stand still.
        if before != self.before || line.quiet(limits, now()).is_some() {
            (self.before, self.unmoved) = (before, Instant::now());
        }
    }

    /// Sleeps until the next look.
    fn sleep(&mut self) -> Result<(), NoSeat> {
        let waited = self.unmoved.elapsed();
        if waited >= self.patience.timeout || self.patience.is_over() {
            return Err(NoSeat::TimedOut { waited, ahead: self.ahead });
        }
        let ahead = u32::try_from(self.ahead).unwrap_or(u32::MAX);
        let now_and_then = LOOK.saturating_mul(1 << self.looks.min(3)).min(LOOK_LATER);
        let look = now_and_then.saturating_add(LOOK_PER_CALL.saturating_mul(ahead)).min(LONGEST_PAUSE);
        self.looks = self.looks.saturating_add(1);
        // Where the time is known, there is no need to look before.
        let pause = self.at_least.filter(|left| *left < look).unwrap_or_else(|| jittered(look));
        match self.stop.recv_timeout(pause) {
            Err(mpsc::RecvTimeoutError::Timeout) => Ok(()),
            Ok(()) | Err(mpsc::RecvTimeoutError::Disconnected) => Err(NoSeat::Stopped),
        }
    }
}

/// Between three quarters and five quarters of a time, so that those who wait do not all look at once.
fn jittered(time: Duration) -> Duration {
    use std::hash::{BuildHasher as _, Hasher as _};
    let random = std::hash::RandomState::new().build_hasher().finish();
    let share = u32::try_from(random % 1024).unwrap_or_default();
    time * 3 / 4 + time / 2 * share / 1024
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
