//! A conversation over one-shot calls: each turn is a process of its own, and the program remembers what came before.
//!
//! All turns run in the same working folder, since programs file their sessions by folder, and write at-signs in the
//! same way. The folder is gone when the conversation is; what a program keeps of a session in its own home stays there.

use std::time::Duration;

use super::{OneShot, evidence, subject};
use crate::agent::failure::{self, Verdict};
use crate::agent::process::{Exit, Outcome, ProcessError};
use crate::agent::{AgentFailure, Answer, FailureKind, Request, Session};
use crate::provider::{AtEscape, Call, Invocation, SessionMode, Turn, agree, output, render};
use crate::run::{Cancel, Scratch};

/// A session of a one-shot provider.
pub(super) struct Conversation<'a> {
    agent: &'a OneShot,
    /// Ours, until a program that chooses its own has named it.
    id: String,
    /// The first turn went well.
    begun: bool,
    escape: Option<AtEscape>,
    /// The working folder of every turn; made for the first.
    scratch: Option<Scratch>,
}

impl<'a> Conversation<'a> {
    /// `None` where the manifest knows no sessions.
    pub(super) fn new(agent: &'a OneShot, texts: &[&str]) -> Option<Self> {
        if agent.manifest.session_mode != SessionMode::Append {
            return None;
        }
        let escape = agree(&agent.manifest, texts);
        Some(Self { agent, id: uuid::Uuid::new_v4().to_string(), begun: false, escape, scratch: None })
    }

    fn call<'b>(&'b self, request: &Request<'b>) -> Call<'b> {
        // Where the system prompt precedes the payload, the session has it from its first turn.
        let by_flag = !self.agent.manifest.system_prompt_flag.is_empty();
        let system = if self.begun && !by_flag { "" } else { request.prompt.system.as_str() };
        let turn = if self.begun { Turn::Next(&self.id) } else { Turn::First(&self.id) };
        Call { system, turn: Some(turn), escape: self.escape.as_ref(), ..self.agent.call(request) }
    }

    fn run(
        &mut self,
        request: &Request<'_>,
        invocation: &mut Invocation,
        timeout: Duration,
        cancel: &Cancel,
    ) -> Result<Outcome, ProcessError> {
        let scratch = match self.scratch.take() {
            Some(scratch) => scratch,
            None => self.agent.scratch()?,
        };
        self.agent.run_in(self.scratch.insert(scratch), request, invocation, timeout, cancel)
    }

    fn first(
        &mut self,
        request: &Request<'_>,
        invocation: &Invocation,
        outcome: &Outcome,
    ) -> Result<Answer, AgentFailure> {
        let session = &self.agent.manifest.session;
        let answer = self.agent.judge(request, invocation, outcome)?;
        if !session.id_from.is_empty() {
            let printed = String::from_utf8_lossy(&outcome.stdout);
            self.id = output::session_id(&printed, &session.id_from).ok_or_else(|| {
                self.failure(invocation, FailureKind::Garbled, "named no session that could be continued")
            })?;
        }
        self.begun = true;
        Ok(answer)
    }

    fn next(&self, request: &Request<'_>, invocation: &Invocation, outcome: &Outcome) -> Result<Answer, AgentFailure> {
        let given = self.agent.given(request);
        if failure::lost_session(&evidence(outcome, outcome.exit, &given), &self.agent.patterns()) {
            return Err(self.failure(invocation, FailureKind::Session, "does not know the session any more"));
        }
        self.agent.judge(request, invocation, outcome)
    }

    fn failure(&self, invocation: &Invocation, kind: FailureKind, what: &str) -> AgentFailure {
        let subject = subject(&self.agent.manifest, &self.agent.options, &invocation.model);
        let verdict = Verdict { kind, hint: None, excerpt: String::new() };
        let message = format!("{} {what}", self.agent.manifest.name);
        AgentFailure { message, ..failure::describe(&subject, Exit::Code(0), verdict) }
    }
}

impl Session for Conversation<'_> {
    fn ask(&mut self, request: &Request<'_>, cancel: &Cancel) -> Result<Answer, AgentFailure> {
        let rendered = render(&self.agent.manifest, &self.call(request));
        let mut invocation = rendered.map_err(|error| self.agent.not_rendered(&error))?;
        for note in &invocation.notes {
            self.agent.progress.detail(note);
        }
        let Some(timeout) = self.agent.options.time_left() else { return Err(self.agent.out_of_time(&invocation)) };
        match self.run(request, &mut invocation, timeout, cancel) {
            Ok(outcome) if self.begun => self.next(request, &invocation, &outcome),
            Ok(outcome) => self.first(request, &invocation, &outcome),
            Err(error) => Err(self.agent.not_started(&invocation, &error)),
        }
    }

    fn at_most(&self, turns: usize) -> Duration {
        self.agent.options.time_for(turns)
    }
}

impl Drop for Conversation<'_> {
    fn drop(&mut self) {
        if let Some(scratch) = self.scratch.take() {
            self.agent.close(scratch);
        }
    }
}
