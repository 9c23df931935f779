//! Calls that take a seat first, so that all runs together do not ask more of a provider than it bears.
//!
//! A seat is taken before a prompt is sent and given back when the answer, or the failure, is there. Waiting for one is not
//! charged to the agent's time-out; it ends when nobody before has left for that long.

use std::cell::Cell;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{Agent, AgentFailure, Answer, FailureKind, Request, Session};
use crate::private::PrivateError;
use crate::progress::Progress;
use crate::run::{Cancel, Cause, NoSeat, Patience, Seat, Seats};

/// How the calls of one provider come to their seats.
#[derive(Clone)]
pub struct Admission {
    /// The provider's name.
    pub provider: String,
    /// The seats.
    pub seats: Seats,
    /// How long one call may take, and how long the line may stand still.
    pub timeout: Duration,
    /// When waiting ends in any case.
    pub deadline: Option<Instant>,
    /// Told who waits.
    pub progress: Arc<dyn Progress>,
}

impl Admission {
    /// Waits for a seat. `None` where the folder cannot be written, of which the user is told.
    ///
    /// # Errors
    /// No seat became free, the run is told to stop, or the folder is not safe.
    pub fn seat(&self, cancel: &Cancel) -> Result<Option<Seat>, AgentFailure> {
        let waited = Cell::new(false);
        let tell = |ahead| {
            waited.set(true);
            self.progress.waiting(&self.provider, Some(ahead));
        };
        let taken = self.seats.take(Patience { timeout: self.timeout, deadline: self.deadline, cancel, tell: &tell });
        if waited.get() {
            self.progress.waiting(&self.provider, None);
        }
        match taken {
            Ok(seat) => Ok(Some(seat)),
            Err(NoSeat::Folder(error @ PrivateError::Io { .. })) => {
                self.progress.notice(&format!("calls of {} are not counted among other runs': {error}", self.provider));
                Ok(None)
            }
            Err(why) => Err(self.failure(&why, cancel)),
        }
    }

    fn failure(&self, why: &NoSeat, cancel: &Cancel) -> AgentFailure {
        let provider = &self.provider;
        let (kind, message, excerpt, advice) = match why {
            NoSeat::Stopped => (
                FailureKind::Cancelled(cancel.cause().unwrap_or(Cause::Terminate)),
                format!("{provider} was not asked: {why}"),
                String::new(),
                "start again when you are ready",
            ),
            NoSeat::TimedOut { .. } => (
                FailureKind::Timeout,
                format!("{provider} was not asked: {why}"),
                String::new(),
                "try again when other runs are done, or raise `max_active` in [admission]; `stagecoach doctor` tells how many seats are taken",
            ),
            NoSeat::Folder(error) => (
                FailureKind::NoSeat,
                format!("{provider} was not asked: no seat can be taken"),
                error.to_string(),
                "make the folder yours, with mode 0700, or remove it",
            ),
        };
        AgentFailure { kind, provider: provider.clone(), message, excerpt, advice: advice.to_owned() }
    }
}

/// An agent each of whose calls takes a seat.
pub struct Seated {
    agent: Box<dyn Agent>,
    admission: Admission,
}

impl Seated {
    /// The same agent, with a seat for each call.
    #[must_use]
    pub fn new(agent: Box<dyn Agent>, admission: Admission) -> Self {
        Self { agent, admission }
    }
}

impl Agent for Seated {
    fn ask(&self, request: &Request<'_>, cancel: &Cancel) -> Result<Answer, AgentFailure> {
        let _seat = self.admission.seat(cancel)?;
        self.agent.ask(request, cancel)
    }

    fn expect_several(&self) {
        self.agent.expect_several();
    }

    fn session<'a>(&'a self, texts: &[&str]) -> Option<Box<dyn Session + 'a>> {
        let session = self.agent.session(texts)?;
        Some(Box::new(SeatedSession { session, admission: &self.admission }))
    }

    fn give_way(&self, failure: &AgentFailure) -> bool {
        self.agent.give_way(failure)
    }
}

/// A conversation each of whose turns takes a seat.
struct SeatedSession<'a> {
    session: Box<dyn Session + 'a>,
    admission: &'a Admission,
}

impl Session for SeatedSession<'_> {
    fn ask(&mut self, request: &Request<'_>, cancel: &Cancel) -> Result<Answer, AgentFailure> {
        let _seat = self.admission.seat(cancel)?;
        self.session.ask(request, cancel)
    }

    fn at_most(&self, turns: usize) -> Duration {
        self.session.at_most(turns)
    }
}
