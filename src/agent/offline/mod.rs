//! The writer without a process: messages, plans and decisions from the change itself.
//!
//! It needs no agent, no network and no configuration, and the same change always gives the same answer. It knows
//! files, definitions and habits, not reasons; it claims nothing that the lines do not show.

mod arbiter;
mod area;
mod body;
mod dependencies;
mod facts;
mod gather;
mod habits;
mod ideas;
mod names;
mod path;
mod planner;
mod said;
mod stager;
mod style;
mod writer;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

pub use facts::{FileFacts, FileKind, FileStatus, MessageFacts, SubjectFormat};
pub use gather::facts;

use super::{Agent, AgentFailure, Answer, FailureKind, Request, environment};
use crate::progress::{CallEnd, CallStart, Progress};
use crate::prompt::{ArbiterMaterial, PlannerMaterial, StagerMaterial};
use crate::run::Cancel;

/// The provider's name.
pub const NAME: &str = "offline";

/// What a role is to work on, as data: the very material its prompt was made from.
#[derive(Debug, Clone, Copy)]
pub enum Facts<'a> {
    /// A message is to be written.
    Message(&'a MessageFacts),
    /// A change is to be divided.
    Planner(&'a PlannerMaterial<'a>),
    /// Hunks are to be sorted.
    Stager(&'a StagerMaterial<'a>),
    /// The rest is to be given a place.
    Arbiter(&'a ArbiterMaterial<'a>),
}

impl Facts<'_> {
    /// The language of what is to be written, as the user named it.
    fn locale(&self) -> Option<&str> {
        match self {
            Self::Message(facts) => facts.locale.as_deref(),
            Self::Planner(material) => material.locale,
            Self::Stager(_) | Self::Arbiter(_) => None,
        }
    }
}

/// Answers from [`Facts`], whatever the prompt says.
pub struct Offline {
    timeout: Duration,
    progress: Arc<dyn Progress>,
}

impl fmt::Debug for Offline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Offline").finish_non_exhaustive()
    }
}

impl Offline {
    /// A writer that tells of its calls; `timeout` is only told, for it never takes long.
    #[must_use]
    pub fn new(timeout: Duration, progress: Arc<dyn Progress>) -> Self {
        Self { timeout, progress }
    }
}

impl Agent for Offline {
    fn ask(&self, request: &Request<'_>, cancel: &Cancel) -> Result<Answer, AgentFailure> {
        let show = |text: &str| environment::shown(self.progress.verbosity(), 2, text, &BTreeMap::new());
        let (system, user) = (show(&request.prompt.system), show(&request.prompt.user));
        self.progress.call_started(&CallStart {
            role: request.role,
            provider: NAME,
            model: "",
            argv: &[],
            system_bytes: request.prompt.system.len(),
            payload_bytes: request.prompt.user.len(),
            timeout: self.timeout,
            contents: (&system, &user),
        });
        let started = Instant::now();
        let result = answer(request, cancel);
        let elapsed = started.elapsed();
        let (exit, text) = match &result {
            Ok(text) => ("done", text.as_str()),
            Err(failure) => ("failed", failure.message.as_str()),
        };
        let shown = show(text);
        self.progress.call_ended(&CallEnd {
            role: request.role,
            provider: NAME,
            exit,
            elapsed,
            stdout_bytes: text.len(),
            stderr_bytes: 0,
            usage: None,
            contents: (&shown, ""),
        });
        result.map(|text| Answer { text, elapsed, raw_fallback: false })
    }
}

fn answer(request: &Request<'_>, cancel: &Cancel) -> Result<String, AgentFailure> {
    if let Some(cause) = cancel.cause() {
        return Err(failure(FailureKind::Cancelled(cause), "stopped on request", "start again when you are ready"));
    }
    let Some(facts) = request.facts else {
        let message = format!("the offline writer cannot play the {} role here", request.role);
        return Err(failure(FailureKind::Exit, &message, "choose an agent with --provider"));
    };
    if let Some(locale) = facts.locale().filter(|locale| !is_english(locale)) {
        let message = format!("the offline writer knows English only, not `{}`", path::shown(locale));
        return Err(failure(FailureKind::Exit, &message, "leave --locale out, or choose an agent with --provider"));
    }
    Ok(match facts {
        Facts::Message(facts) => writer::write(facts),
        Facts::Planner(material) => planner::answer(material),
        Facts::Stager(material) => stager::answer(material),
        Facts::Arbiter(material) => arbiter::answer(material),
    })
}

fn failure(kind: FailureKind, message: &str, advice: &str) -> AgentFailure {
    AgentFailure {
        kind,
        provider: NAME.to_owned(),
        message: message.to_owned(),
        excerpt: String::new(),
        advice: advice.to_owned(),
    }
}

/// `en`, `en_GB.UTF-8`, `English`; also `C` and nothing, as locales go.
fn is_english(locale: &str) -> bool {
    let language = locale.split(['_', '-', '.', ' ', '(']).next().unwrap_or_default();
    ["", "en", "english", "c", "posix"].iter().any(|name| language.eq_ignore_ascii_case(name))
}
