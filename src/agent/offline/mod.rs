//! The writer without a process: a message from the change itself.
//!
//! It needs no agent, no network and no configuration, and the same change always gives the same message. It knows
//! files, definitions and habits, not reasons; it claims nothing that the lines do not show.

mod area;
mod dependencies;
mod facts;
mod habits;
mod ideas;
mod names;
mod path;
mod writer;

#[cfg(test)]
mod tests;

use std::time::Instant;

pub use facts::{FileFacts, FileKind, FileStatus, MessageFacts, SubjectFormat};

use super::{Agent, AgentFailure, Answer, FailureKind, Request};
use crate::run::Cancel;

/// The provider's name.
pub const NAME: &str = "offline";

/// Writes messages from [`MessageFacts`], whatever the prompt says.
#[derive(Debug, Clone, Copy, Default)]
pub struct Offline;

impl Agent for Offline {
    fn ask(&self, request: &Request<'_>, cancel: &Cancel) -> Result<Answer, AgentFailure> {
        let started = Instant::now();
        if let Some(cause) = cancel.cause() {
            return Err(failure(FailureKind::Cancelled(cause), "stopped on request", "start again when you are ready"));
        }
        let Some(facts) = request.facts else {
            let message = format!("the offline writer cannot play the {} role here", request.role);
            return Err(failure(FailureKind::Exit, &message, "choose an agent with --provider"));
        };
        if let Some(locale) = facts.locale.as_deref().filter(|locale| !is_english(locale)) {
            let message = format!("the offline writer knows English only, not `{}`", path::shown(locale));
            return Err(failure(FailureKind::Exit, &message, "leave --locale out, or choose an agent with --provider"));
        }
        Ok(Answer { text: writer::write(facts), elapsed: started.elapsed(), raw_fallback: false })
    }
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
