//! Asking a provider. The roles know only the [`Agent`] trait.

mod acp;
mod environment;
pub mod failure;
mod fallback;
pub mod offline;
mod one_shot;
pub mod process;
mod seated;
#[cfg(test)]
#[cfg(unix)]
mod testing;

use std::time::Duration;

pub use self::acp::{Acp, Host, HostError, Offer, Worker};
pub use self::fallback::{Candidate, Fallback, Named, Standing};
pub use self::one_shot::{OneShot, Options, ToolCall, Workbench};
pub use self::seated::{Admission, Seated};

use self::offline::Facts;
use crate::prompt::Prompt;
use crate::role::Role;
use crate::run::{Cancel, Cause};

/// One question to an agent.
#[derive(Debug, Clone)]
pub struct Request<'a> {
    /// The role to play.
    pub role: Role,
    /// The words.
    pub prompt: &'a Prompt,
    /// Whether this is the retry after an unusable answer: the manifest's `retry_instruction` goes before the payload.
    pub retry: bool,
    /// The same as data, for a writer that reads no prompt.
    pub facts: Option<Facts<'a>>,
}

/// What an agent answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The answer after the five steps of reading; never empty.
    pub text: String,
    /// Wall-clock time of the call.
    pub elapsed: Duration,
    /// JSON was expected and could not be read, so the text is the raw output.
    pub raw_fallback: bool,
}

/// Why an agent gave no answer, as the user is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FailureKind {
    /// The program is not there.
    Missing,
    /// Not logged in, or the key is wrong.
    Auth,
    /// Rate limit or budget.
    Quota,
    /// The model does not exist or is not allowed.
    Model,
    /// The prompt is longer than the model takes.
    TooLong,
    /// No connection, or the service is down.
    Network,
    /// Our time-out.
    Timeout,
    /// Success without any text.
    Blank,
    /// Text that is no answer.
    Garbled,
    /// The program does not know a flag we pass.
    Flags,
    /// Ended by a signal that is not ours.
    Killed,
    /// The session that a further turn was to continue is not known.
    Session,
    /// Any other exit code but zero.
    Exit,
    /// It was not asked: the folder of seats cannot be used.
    NoSeat,
    /// We were told to stop.
    Cancelled(Cause),
}

/// A call that gave no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct AgentFailure {
    /// What it was.
    pub kind: FailureKind,
    /// The provider's name.
    pub provider: String,
    /// One sentence: what failed.
    pub message: String,
    /// The last lines the program wrote, without control characters; may be empty.
    pub excerpt: String,
    /// What to do about it.
    pub advice: String,
}

impl AgentFailure {
    /// Whether the agent ran well and said nothing of use, so that it may help to ask again.
    #[must_use]
    pub const fn is_nothing(&self) -> bool {
        matches!(self.kind, FailureKind::Blank | FailureKind::Garbled)
    }
}

/// Something that answers prompts: a one-shot process, or the offline writer.
pub trait Agent: Send + Sync {
    /// Asks once and waits, at most for the agent's time-out.
    ///
    /// # Errors
    /// No usable text came back; the failure says why and what to do.
    fn ask(&self, request: &Request<'_>, cancel: &Cancel) -> Result<Answer, AgentFailure>;

    /// Says that several questions are to come, so that it pays to prepare for them.
    fn expect_several(&self) {}

    /// Prepares a conversation, of which nothing is sent yet; `None` where the provider cannot go on with one. `texts` are
    /// all the texts that will be sent in it, so that whatever is replaced in them is replaced in the same way each time.
    fn session<'a>(&'a self, _texts: &[&str]) -> Option<Box<dyn Session + 'a>> {
        None
    }

    /// Told when every way of asking has failed: whether another provider takes over, so that it is worth to begin anew.
    fn give_way(&self, _failure: &AgentFailure) -> bool {
        false
    }
}

/// A conversation: the provider remembers the earlier turns.
pub trait Session: Send {
    /// Sends the next turn and waits for its answer, at most for the agent's time-out. The system prompt has to be the same
    /// in every turn.
    ///
    /// # Errors
    /// As [`Agent::ask`]. Where the conversation is lost, the kind is [`FailureKind::Session`], and another one is needed.
    fn ask(&mut self, request: &Request<'_>, cancel: &Cancel) -> Result<Answer, AgentFailure>;

    /// How long this many turns may take together.
    fn at_most(&self, turns: usize) -> Duration;
}
