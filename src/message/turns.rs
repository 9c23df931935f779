//! A change that is too large for one call, sent whole over several turns of one session.
//!
//! It is tried after single calls have brought nothing, and once: a turn that fails ends it. Only where the provider has
//! lost the session, everything is sent once more in a fresh one.

use crate::agent::{Agent, AgentFailure, Answer, FailureKind, Request, Session};
use crate::config::show_duration;
use crate::payload::{Payload, estimate};
use crate::progress::Progress;
use crate::prompt::{Material, Parted};
use crate::role::Role;
use crate::run::Cancel;

use super::write::{Question, Rules, Source, WriteError, WriteFailure, Writer, Written, is_nothing, write};

/// How a change is sent in several turns.
#[derive(Clone, Copy)]
pub struct Turns<'a> {
    /// The most of the change that one turn carries, in estimated tokens. A smaller change is not sent in turns.
    pub chunk_tokens: usize,
    /// Reads the change again with nothing cut; only asked for when it is needed.
    pub whole: &'a dyn Fn() -> Result<Payload, Box<dyn std::error::Error>>,
}

impl std::fmt::Debug for Turns<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Turns").field("chunk_tokens", &self.chunk_tokens).finish_non_exhaustive()
    }
}

/// What to do after [`write()`](super::write()) has failed: where the agent said nothing of use, the change is larger
/// than one turn carries, and the provider can continue a session, the whole change is sent in several turns. When that
/// is of no use either and the agent gives way to another provider, that one is asked in the same ways. In every other
/// case the failure comes back as it was.
///
/// # Errors
/// As [`write()`](super::write()).
pub fn write_in_turns(
    agent: &dyn Agent,
    material: &Material<'_>,
    rules: &Rules<'_>,
    turns: &Turns<'_>,
    mut failure: WriteFailure,
    cancel: &Cancel,
    progress: &dyn Progress,
) -> Result<Written, WriteFailure> {
    loop {
        let last = match in_turns(agent, material, rules, turns, failure, cancel, progress) {
            Ok(written) => return Ok(written),
            Err(last) => last,
        };
        if !last.gives_way(agent) {
            return Err(last);
        }
        match write(agent, material, rules, cancel, progress) {
            Ok(written) => return Ok(last.followed_by(written)),
            Err(next) => failure = last.then(next),
        }
    }
}

fn in_turns(
    agent: &dyn Agent,
    material: &Material<'_>,
    rules: &Rules<'_>,
    turns: &Turns<'_>,
    failure: WriteFailure,
    cancel: &Cancel,
    progress: &dyn Progress,
) -> Result<Written, WriteFailure> {
    if !is_nothing(&failure.error) || agent.session(&[]).is_none() {
        return Err(failure);
    }
    let reread = match (!material.payload.is_complete()).then(turns.whole).transpose() {
        Ok(payload) => payload,
        Err(error) => {
            progress.notice(&format!("the change cannot be sent in several turns: {error}"));
            return Err(failure);
        }
    };
    let payload = reread.as_ref().unwrap_or(material.payload);
    say_what_is_new(material.payload, payload, progress);
    let whole = payload.whole();
    if estimate(&whole) <= turns.chunk_tokens {
        return Err(failure);
    }
    let material = Material { payload, ..material.clone() };
    let parted = match Parted::new(&material, &whole, &rules.limits, turns.chunk_tokens) {
        Ok(parted) => parted,
        Err(error) => {
            progress.notice(&format!("the change cannot be sent in several turns: {error}"));
            return Err(failure);
        }
    };
    let mut source = InTurns { agent, parted: &parted, cancel, progress, session: None, restarted: false };
    match Writer::new(&material, rules, progress).run(&mut source) {
        Ok(written) => Ok(failure.followed_by(written)),
        Err(last) => Err(failure.then(last)),
    }
}

/// Credentials, say, may be in what had been cut.
fn say_what_is_new(shown: &Payload, whole: &Payload, progress: &dyn Progress) {
    let new = whole.warnings().iter().filter(|warning| !shown.warnings().contains(warning));
    new.for_each(|warning| progress.notice(warning));
}

/// Sends the parts before the first question, and asks in the same session.
struct InTurns<'a> {
    agent: &'a dyn Agent,
    parted: &'a Parted<'a>,
    cancel: &'a Cancel,
    progress: &'a dyn Progress,
    /// Has heard every part, and no turn has failed.
    session: Option<Box<dyn Session + 'a>>,
    restarted: bool,
}

impl Source for InTurns<'_> {
    fn ask(&mut self, question: &Question<'_>) -> Result<String, WriteError> {
        match self.converse(question) {
            Err(WriteError::Agent(failure)) if failure.kind == FailureKind::Session && !self.restarted => {
                self.restarted = true;
                self.progress.notice(&format!("{failure}; everything is sent once more in a new session"));
                self.converse(question)
            }
            result => result,
        }
    }

    /// An answer without a message in it may be followed by another question, a turn that failed may not.
    fn survives_nothing(&self) -> bool {
        self.session.is_some()
    }
}

impl<'a> InTurns<'a> {
    fn converse(&mut self, question: &Question<'_>) -> Result<String, WriteError> {
        let mut session = match self.session.take() {
            Some(session) => session,
            None => self.send_parts()?,
        };
        let turns = self.parted.count() + 1;
        let prompt = self.parted.last(question.again);
        let answer = self.turn(session.as_mut(), &question.request(&prompt), (turns, turns))?;
        self.session = Some(session);
        Ok(answer.text)
    }

    fn send_parts(&self) -> Result<Box<dyn Session + 'a>, WriteError> {
        let mut session = self.agent.session(&self.parted.texts()).ok_or(WriteError::NoMessage)?;
        let (parts, turns) = (self.parted.count(), self.parted.count() + 1);
        if !self.restarted {
            self.progress.notice(&format!(
                "one call brought nothing, so the whole change is sent in {parts} parts: {turns} turns of one session, {} at most",
                show_duration(session.at_most(turns))
            ));
        }
        for (index, prompt) in self.parted.turns().enumerate() {
            let request = Request { role: Role::Message, prompt: &prompt, retry: false, facts: None };
            self.turn(session.as_mut(), &request, (index + 1, turns))?;
        }
        Ok(session)
    }

    fn turn(
        &self,
        session: &mut dyn Session,
        request: &Request<'_>,
        (number, turns): (usize, usize),
    ) -> Result<Answer, AgentFailure> {
        self.progress.detail(&format!("turn {number} of {turns}"));
        session.ask(request, self.cancel).inspect_err(|failure| {
            self.progress.detail(&format!("turn {number} of {turns} failed: {failure}"));
        })
    }
}
