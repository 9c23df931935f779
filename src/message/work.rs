//! The author's description first: the model reads it with the list of changed files and asks for the diffs it wants.
//!
//! At most so many requests are answered as were announced; then only a message counts. A provider that can continue a
//! session hears in each turn what is new; any other is called anew with all that was said so far.

mod requests;
mod shelf;

use crate::agent::{Agent, FailureKind, Session};
use crate::progress::Progress;
use crate::prompt::{Exchange, Material, Prompt, Reading};
use crate::run::Cancel;

use self::shelf::Shelf;
use super::write::{Question, Rules, Source, WriteError, WriteFailure, Writer, Written};

/// What the author says, and how much may be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Work<'a> {
    /// What the work was about, in the author's words.
    pub description: &'a str,
    /// How many requests for diffs are answered.
    pub rounds: usize,
}

/// Has an agent write the message of one commit from a description and the diffs that it asks for. When it gives way to
/// another provider, that one starts anew.
///
/// # Errors
/// As [`write()`](super::write()).
pub fn write_by_reading(
    agent: &dyn Agent,
    material: &Material<'_>,
    rules: &Rules<'_>,
    work: Work<'_>,
    cancel: &Cancel,
    progress: &dyn Progress,
) -> Result<Written, WriteFailure> {
    let mut result = by_reading(agent, material, rules, work, cancel, progress);
    loop {
        let failure = match result {
            Err(failure) if failure.gives_way(agent) => failure,
            result => return result,
        };
        result = match by_reading(agent, material, rules, work, cancel, progress) {
            Ok(written) => Ok(failure.followed_by(written)),
            Err(last) => Err(failure.then(last)),
        };
    }
}

fn by_reading(
    agent: &dyn Agent,
    material: &Material<'_>,
    rules: &Rules<'_>,
    work: Work<'_>,
    cancel: &Cancel,
    progress: &dyn Progress,
) -> Result<Written, WriteFailure> {
    let reading = Reading::new(material, work.description, &rules.limits, work.rounds)
        .map_err(|error| WriteFailure { error: Box::new(error.into()), candidate: None, retries: 0 })?;
    let mut source = ByReading {
        agent,
        reading: &reading,
        shelf: Shelf::new(material.payload, reading.room(), reading.diff_room()),
        exchanges: Vec::new(),
        left: work.rounds,
        cancel,
        progress,
        session: None,
        heard: None,
        sessions: true,
        restarted: false,
    };
    Writer::new(material, rules, progress).described(work.description).run(&mut source)
}

struct ByReading<'a> {
    agent: &'a dyn Agent,
    reading: &'a Reading<'a>,
    shelf: Shelf<'a>,
    exchanges: Vec<Exchange>,
    /// How many more requests are answered.
    left: usize,
    cancel: &'a Cancel,
    progress: &'a dyn Progress,
    session: Option<Box<dyn Session + 'a>>,
    /// How many of the exchanges the session has heard of; `None`: nothing at all.
    heard: Option<usize>,
    /// Sessions may be used, where the provider has them.
    sessions: bool,
    restarted: bool,
}

impl Source for ByReading<'_> {
    fn ask(&mut self, question: &Question<'_>) -> Result<String, WriteError> {
        let mut retry = question.retry;
        loop {
            let answer = self.send(&Question { retry: std::mem::take(&mut retry), ..*question })?;
            let asked = requests::read(&answer, &self.shelf);
            if asked.is_empty() {
                return Ok(answer);
            }
            let Some(left) = self.left.checked_sub(1) else {
                self.progress.detail("the agent asks for more diffs than were announced");
                return Err(WriteError::NoMessage);
            };
            self.left = left;
            self.progress.detail(&format!("the agent asks for {}; {left} more times", asked.join(", ")));
            self.exchanges.push(self.shelf.serve(&asked));
        }
    }
}

impl ByReading<'_> {
    fn send(&mut self, question: &Question<'_>) -> Result<String, WriteError> {
        loop {
            if self.session.is_none() && self.sessions {
                self.session = self.agent.session(&self.reading.texts());
            }
            let prompt = self.prompt(question)?;
            let request = question.request(&prompt);
            let answer = match self.session.as_mut() {
                Some(session) => session.ask(&request, self.cancel),
                None => self.agent.ask(&request, self.cancel),
            };
            match answer {
                // The id came, but the answer beside it could not be read: such a program is better asked without.
                Ok(answer) if answer.raw_fallback && self.session.is_some() && self.heard.is_none() => {
                    self.progress
                        .detail("the answer in the session's first turn cannot be read; sessions are not used");
                    self.sessions = false;
                    self.forget();
                }
                Ok(answer) => {
                    self.heard = self.session.as_ref().map(|_| self.exchanges.len());
                    return Ok(answer.text);
                }
                Err(failure) => {
                    // Whatever comes next begins a new session with all that was said.
                    self.forget();
                    if failure.kind != FailureKind::Session || std::mem::replace(&mut self.restarted, true) {
                        return Err(failure.into());
                    }
                    self.progress.notice(&format!("{failure}; everything is sent once more in a new session"));
                }
            }
        }
    }

    fn prompt(&self, question: &Question<'_>) -> Result<Prompt, WriteError> {
        Ok(match self.heard.and_then(|heard| self.exchanges.get(heard..)) {
            Some(new) => self.reading.next(new, question.again, self.left),
            None => self.reading.whole(&self.exchanges, question.again, self.left)?,
        })
    }

    fn forget(&mut self) {
        self.session = None;
        self.heard = None;
    }
}
