//! Asking until there is a message that may be used.
//!
//! Each kind of refusal has its own number of retries: an empty answer one, a subject that was used before
//! [`Rules::max_duplicate_retries`], any other fault one, after which the best message is taken as it is, with a note. The
//! time-out of each call is the agent's business.

use crate::agent::offline::{Facts, MessageFacts};
use crate::agent::{Agent, AgentFailure, FailureKind, Request};
use crate::git::GitError;
use crate::progress::Progress;
use crate::prompt::{self, Again, HouseStyle, Limits, Material, Prompt, PromptError};
use crate::provider;
use crate::role::Role;
use crate::run::Cancel;

use super::facts::facts;
use super::judge::{self, Fault, Subjects};
use super::trailers::{self, Trailers};
use super::{Message, Template};

/// What a message has to keep to, besides the style of its [`Material`].
#[derive(Debug, Clone, Default)]
pub struct Rules<'a> {
    /// How large a prompt may be.
    pub limits: Limits,
    /// The text around the message.
    pub template: Option<&'a Template>,
    /// Subjects of this run; those of history are taken from the material.
    pub taken: &'a [String],
    /// How often a message is asked for again because its subject was used before.
    pub max_duplicate_retries: usize,
    /// The committer, as `name <email>`, when the commit is to be signed off.
    pub sign_off: Option<&'a str>,
    /// Further trailers.
    pub trailers: &'a Trailers,
    /// The last message and what a `commit-msg` hook said against it, when this is another try.
    pub refusal: Option<Refusal<'a>>,
}

/// A message that a hook refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refusal<'a> {
    /// The message.
    pub message: &'a str,
    /// What the hook printed.
    pub output: &'a str,
}

/// A message, ready to be committed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// With template, sign-off and trailers.
    pub message: Message,
    /// How often the agent was asked again.
    pub retries: usize,
    /// What the user should know about it, one line each.
    pub notes: Vec<String>,
}

/// There is no message that may be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{error}")]
pub struct WriteFailure {
    /// What went wrong last.
    #[source]
    pub error: Box<WriteError>,
    /// The last message that there was, though it may not be used as it is; with sign-off and trailers.
    pub candidate: Option<Message>,
    /// How often the agent was asked again.
    pub retries: usize,
}

impl WriteFailure {
    /// Whether the agent lets another provider try.
    pub(super) fn gives_way(&self, agent: &dyn Agent) -> bool {
        matches!(&*self.error, WriteError::Agent(failure) if agent.give_way(failure))
    }

    /// What came of asking in another way.
    pub(super) fn followed_by(&self, written: Written) -> Written {
        Written { retries: self.retries + 1 + written.retries, ..written }
    }

    /// That asking in another way has failed as well.
    pub(super) fn then(self, last: Self) -> Self {
        Self {
            candidate: last.candidate.or(self.candidate),
            retries: self.retries + 1 + last.retries,
            error: last.error,
        }
    }
}

/// Why there is no message.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WriteError {
    /// The agent failed.
    #[error(transparent)]
    Agent(#[from] AgentFailure),
    /// Twice there was no message in what it answered.
    #[error("the agent answered, but with no commit message, and did so again when it was asked for nothing else")]
    NoMessage,
    /// Every message has a subject that was used before.
    #[error("the agent keeps writing a subject that was used before: {0}")]
    Duplicate(String),
    /// There is no room for a prompt.
    #[error(transparent)]
    Prompt(#[from] PromptError),
    /// git would not add the trailers to the message.
    #[error("{0}")]
    Trailers(String),
}

/// Has an agent write the message of one commit.
///
/// # Errors
/// See [`WriteError`]; the failure holds the best text that there was.
pub fn write(
    agent: &dyn Agent,
    material: &Material<'_>,
    rules: &Rules<'_>,
    cancel: &Cancel,
    progress: &dyn Progress,
) -> Result<Written, WriteFailure> {
    let mut source = Calls { agent, material, limits: &rules.limits, cancel, progress, told: false };
    Writer::new(material, rules, progress).run(&mut source)
}

/// Where answers come from: single calls, or a conversation.
pub(super) trait Source {
    /// Asks for the message once. An answer that holds no message may be [`WriteError::NoMessage`].
    fn ask(&mut self, question: &Question<'_>) -> Result<String, WriteError>;

    /// Whether a call that brought nothing may be followed by another.
    fn survives_nothing(&self) -> bool {
        true
    }
}

/// What a message is asked for with.
pub(super) struct Question<'a> {
    /// What is to be said of earlier answers.
    pub(super) again: &'a Again,
    /// The last answer was nothing: the manifest's instruction goes first.
    pub(super) retry: bool,
    /// The change for a writer that reads no prompt.
    pub(super) facts: &'a MessageFacts,
}

impl<'a> Question<'a> {
    /// What an agent is asked with these words.
    pub(super) const fn request(&self, prompt: &'a Prompt) -> Request<'a> {
        Request { role: Role::Message, prompt, retry: self.retry, facts: Some(Facts::Message(self.facts)) }
    }
}

/// Each question is a call of its own, with as much of the change as fits.
struct Calls<'a> {
    agent: &'a dyn Agent,
    material: &'a Material<'a>,
    limits: &'a Limits,
    cancel: &'a Cancel,
    progress: &'a dyn Progress,
    /// The user was told that the diff is cut.
    told: bool,
}

impl Source for Calls<'_> {
    fn ask(&mut self, question: &Question<'_>) -> Result<String, WriteError> {
        let fitted = prompt::message(self.material, question.again, self.limits)?;
        if let Some(notice) = fitted.notice.filter(|_| !std::mem::replace(&mut self.told, true)) {
            self.progress.notice(&notice);
        }
        Ok(self.agent.ask(&question.request(&fitted.prompt), self.cancel)?.text)
    }
}

/// Whether a failure is that the agent said nothing of use, so that it may help to ask in another way.
pub(super) const fn is_nothing(error: &WriteError) -> bool {
    match error {
        WriteError::NoMessage => true,
        WriteError::Agent(failure) => failure.is_nothing(),
        WriteError::Duplicate(_) | WriteError::Prompt(_) | WriteError::Trailers(_) => false,
    }
}

/// What is to be done after one call.
enum Step {
    Again,
    Done,
    GiveUp(WriteError),
}

/// A message that could be used if there is no better one.
struct Candidate {
    message: Message,
    faults: Vec<Fault>,
}

pub(super) struct Writer<'a> {
    rules: &'a Rules<'a>,
    progress: &'a dyn Progress,
    style: HouseStyle,
    taken: Subjects,
    facts: MessageFacts,
    again: Again,
    /// The next call is the one after an answer without a message.
    after_nothing: bool,
    retried_nothing: bool,
    retried_faults: bool,
    duplicates: usize,
    calls: usize,
    best: Option<Candidate>,
    refused: Option<Message>,
}

impl<'a> Writer<'a> {
    pub(super) fn new(material: &Material<'_>, rules: &'a Rules<'a>, progress: &'a dyn Progress) -> Self {
        let again = Again {
            taken: rules.taken.to_vec(),
            previous: rules.refusal.map(|refusal| refusal.message.to_owned()),
            hook_output: rules.refusal.map(|refusal| refusal.output.to_owned()),
            ..Again::default()
        };
        Self {
            rules,
            progress,
            style: HouseStyle::resolve(material.format, material.history),
            taken: Subjects::taken(material.history, rules.taken),
            facts: facts(material, rules.taken),
            again,
            after_nothing: false,
            retried_nothing: false,
            retried_faults: false,
            duplicates: 0,
            calls: 0,
            best: None,
            refused: None,
        }
    }

    /// With what the author says about the work, for a writer that reads no prompt.
    pub(super) fn described(mut self, description: &str) -> Self {
        self.facts.description = Some(description.to_owned());
        self
    }

    /// Asks until there is a message, or no hope of one.
    pub(super) fn run(mut self, source: &mut dyn Source) -> Result<Written, WriteFailure> {
        loop {
            match self.step(source) {
                Step::Again => {}
                Step::Done => return self.finish(None),
                Step::GiveUp(error) => return self.finish(Some(error)),
            }
        }
    }

    fn step(&mut self, source: &mut dyn Source) -> Step {
        let retry = std::mem::take(&mut self.after_nothing);
        let answer = source.ask(&Question { again: &self.again, retry, facts: &self.facts });
        // Without a prompt, nobody was asked.
        self.calls += usize::from(!matches!(answer, Err(WriteError::Prompt(_))));
        match answer {
            Ok(text) => self.judge(&provider::clean(&text)),
            Err(error) if is_nothing(&error) && source.survives_nothing() => self.nothing(&error.to_string(), error),
            Err(error) => Step::GiveUp(error),
        }
    }

    /// An answer without a message in it.
    fn nothing(&mut self, why: &str, error: WriteError) -> Step {
        self.progress.detail(&format!("answer {} is not used: {why}", self.calls));
        if std::mem::replace(&mut self.retried_nothing, true) {
            return Step::GiveUp(error);
        }
        self.after_nothing = true;
        Step::Again
    }

    fn judge(&mut self, own: &str) -> Step {
        let text = self.rules.template.map_or_else(|| own.to_owned(), |template| template.apply(own));
        let message = match Message::new(own).and_then(|_| Message::new(&text)) {
            Ok(message) => message,
            Err(error) => return self.nothing(&error.to_string(), WriteError::NoMessage),
        };
        let subject = message.subject();
        let judged = self.rules.template.is_none_or(Template::has_subject);
        if judged && self.taken.contains(&subject) {
            return self.duplicate(subject, message);
        }
        let judged_subject = if judged { subject.as_str() } else { "" };
        let faults = judge::faults(own, judged_subject, self.style.form, self.style.body);
        self.faulty(own, message, faults)
    }

    fn duplicate(&mut self, subject: String, message: Message) -> Step {
        self.progress.detail(&format!("answer {} is not used: its subject was used before: {subject}", self.calls));
        self.refused = Some(message);
        if self.duplicates >= self.rules.max_duplicate_retries {
            return Step::GiveUp(WriteError::Duplicate(subject));
        }
        self.duplicates += 1;
        if !self.again.taken.contains(&subject) {
            self.facts.rejected.push(subject.clone());
            self.again.taken.push(subject);
        }
        Step::Again
    }

    fn faulty(&mut self, own: &str, message: Message, faults: Vec<Fault>) -> Step {
        let good = faults.is_empty();
        let sentences: Vec<String> = faults.iter().map(ToString::to_string).collect();
        if self.best.as_ref().is_none_or(|best| faults.len() <= best.faults.len()) {
            self.best = Some(Candidate { message, faults });
        }
        if good || std::mem::replace(&mut self.retried_faults, true) {
            return Step::Done;
        }
        self.progress.detail(&format!("answer {} is asked for again: {}", self.calls, sentences.join(" ")));
        self.again.previous = Some(own.to_owned());
        self.again.faults = sentences;
        Step::Again
    }

    /// The best message, whatever its faults, unless a stop was asked for or there is none.
    fn finish(self, error: Option<WriteError>) -> Result<Written, WriteFailure> {
        let retries = self.calls.saturating_sub(1);
        let cancelled = matches!(&error,
            Some(WriteError::Agent(failure)) if matches!(failure.kind, FailureKind::Cancelled(_)));
        let rules = self.rules;
        match (self.best, error) {
            (Some(best), error) if !cancelled => {
                let mut notes: Vec<String> =
                    best.faults.iter().map(|fault| format!("the message is used in spite of this: {fault}")).collect();
                notes.extend(error.map(|error| format!("asking for a better message failed: {error}")));
                match completed(&best.message, rules) {
                    Ok(message) => Ok(Written { message, retries, notes }),
                    Err(error) => {
                        let error = Box::new(WriteError::Trailers(error.to_string()));
                        Err(WriteFailure { error, candidate: Some(best.message), retries })
                    }
                }
            }
            (best, error) => {
                let last = best.map(|best| best.message).or(self.refused);
                let candidate = last.map(|message| completed(&message, rules).unwrap_or(message));
                Err(WriteFailure { error: Box::new(error.unwrap_or(WriteError::NoMessage)), candidate, retries })
            }
        }
    }
}

/// Adds sign-off and trailers, in git's order.
///
/// # Errors
/// git would not add the trailers.
pub fn completed(message: &Message, rules: &Rules<'_>) -> Result<Message, GitError> {
    let signed = match rules.sign_off {
        Some(identity) => trailers::sign_off(message.as_str(), identity),
        None => message.as_str().to_owned(),
    };
    Ok(Message::new(&rules.trailers.add(&signed)?).unwrap_or_else(|_| message.clone()))
}
