//! Asking an agent over the Agent Client Protocol: JSON-RPC, one message a line, over standard input and output.
//!
//! One process serves a whole run and is [started](host::Host) when it is first needed. Every question is a session of
//! its own, so that no role sees what another was told; a conversation keeps its session. What the agent asks of us is
//! decided here: permissions are refused, or what staging needs is allowed to a stager, and no file, terminal or other service is offered.
//!
//! An agent that cannot be reached this way is called once per question instead, if its manifest says how; that is
//! announced once. A question that fails after that is a failure like any other.

mod connection;
mod fault;
mod host;
mod offer;
mod permission;
mod session;
mod turn;
mod wire;
mod worker;

#[cfg(test)]
mod builtin_tests;
#[cfg(test)]
#[cfg(unix)]
mod tests;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

pub use self::host::{Host, HostError};
pub use self::offer::Offer;
pub use self::worker::Worker;

use self::fault::Fault;
use self::host::READY;
use self::session::Opened;
use super::environment;
use super::one_shot::OneShot;
use super::{Agent, AgentFailure, Answer, Options, Request, Session};
use crate::progress::{CallEnd, CallStart, Progress};
use crate::provider::{Call, Manifest, Output, Spoken, output, speak};
use crate::run::Cancel;

/// A provider that is asked over the protocol.
pub struct Acp {
    host: Arc<Host>,
    options: Options,
    /// How to ask where the protocol does not work; `None` where the manifest knows nothing else.
    otherwise: Option<OneShot>,
    /// Whether the process is worth its start; until then single calls are made where they can be.
    several: AtomicBool,
    progress: Arc<dyn Progress>,
}

impl std::fmt::Debug for Acp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Acp").field("host", &self.host).field("options", &self.options).finish_non_exhaustive()
    }
}

impl Acp {
    /// An agent whose process `host` starts and owns. `always` is `false` where a single question had better be a single
    /// call.
    #[must_use]
    pub fn new(
        host: Arc<Host>,
        options: Options,
        otherwise: Option<OneShot>,
        always: bool,
        progress: Arc<dyn Progress>,
    ) -> Self {
        Self { host, options, otherwise, several: AtomicBool::new(always), progress }
    }

    /// How to ask without the protocol, where that is better.
    fn single_calls(&self) -> Option<&OneShot> {
        let worth_it = !self.host.is_given_up() && (self.several.load(Ordering::SeqCst) || self.host.is_running());
        self.otherwise.as_ref().filter(|_| !worth_it)
    }

    fn manifest(&self) -> &Manifest {
        self.host.manifest()
    }

    /// The time-out of one question, or what is left of the run's time.
    fn timeout(&self) -> Duration {
        self.options.time_left().unwrap_or_default()
    }

    /// Opens a session; `Ok(None)` where single calls have to do, which was announced.
    fn open(&self, deadline: Instant, cancel: &Cancel) -> Result<Option<Opened>, Fault> {
        let opened = self
            .host
            .connect(Instant::now() + READY, &self.progress, cancel)
            .and_then(|connection| Opened::new(connection, self.manifest(), &self.options, deadline, cancel));
        match opened {
            Ok(opened) => {
                opened.notes.iter().for_each(|note| self.progress.detail(note));
                Ok(Some(opened))
            }
            Err(Fault::GivenUp) if self.otherwise.is_some() => Ok(None),
            Err(fault) if fault.is_about_the_protocol() && self.otherwise.is_some() => {
                if self.host.give_up() {
                    self.reported().give_up("is called once per question, because it cannot be used over ACP", &fault);
                }
                Ok(None)
            }
            Err(fault) => Err(fault),
        }
    }

    /// Sends one turn and reads its answer.
    fn prompt(
        &self,
        opened: &Opened,
        request: &Request<'_>,
        spoken: &Spoken,
        (started, deadline): (Instant, Instant),
        cancel: &Cancel,
    ) -> Result<Answer, AgentFailure> {
        let text = self
            .reported()
            .prompt(opened, request, spoken, (started, deadline), cancel)
            .map_err(|fault| self.failure(&fault, &opened.model))?;
        let rules = output::Rules::new(self.manifest(), Some(Output::Raw), self.options.strip_code_fence);
        let mut answer = output::read_text(&rules, &text).text;
        if let Some(escape) = &spoken.escape {
            answer = escape.restore(&answer);
        }
        if answer.is_empty() {
            return Err(self.failure(&Fault::Silent { stderr: opened.stderr_tail() }, &opened.model));
        }
        Ok(Answer { text: answer, elapsed: started.elapsed(), raw_fallback: false })
    }

    fn reported(&self) -> Reported<'_> {
        let argv = self.host.display_argv();
        Reported { manifest: self.manifest(), options: &self.options, argv, progress: &*self.progress }
    }

    fn failure(&self, fault: &Fault, model: &str) -> AgentFailure {
        self.reported().failure(fault, model)
    }
}

/// Turns and faults that are told of.
struct Reported<'a> {
    manifest: &'a Manifest,
    options: &'a Options,
    argv: &'a [String],
    progress: &'a dyn Progress,
}

impl Reported<'_> {
    /// Sends one turn, between the two reports of a call.
    fn prompt(
        &self,
        opened: &Opened,
        request: &Request<'_>,
        spoken: &Spoken,
        (started, deadline): (Instant, Instant),
        cancel: &Cancel,
    ) -> Result<String, Fault> {
        let name = &self.manifest.name;
        let shown = |text: &str, from| environment::shown(self.progress.verbosity(), from, text, &self.manifest.env);
        let (system, user) = (shown(&request.prompt.system, 2), shown(&request.prompt.user, 2));
        self.progress.call_started(&CallStart {
            role: request.role,
            provider: name,
            model: &opened.model,
            argv: self.argv,
            system_bytes: request.prompt.system.len(),
            payload_bytes: request.prompt.user.len(),
            timeout: self.options.timeout,
            contents: (&system, &user),
        });
        let (result, usage) = opened.prompt(&spoken.text, deadline, cancel);
        let (exit, text) = match &result {
            Ok(text) => ("turn ended".to_owned(), text.as_str()),
            Err(fault) => (fault.words(name), ""),
        };
        let stderr = opened.stderr_tail();
        self.progress.call_ended(&CallEnd {
            role: request.role,
            provider: name,
            exit: &exit,
            elapsed: started.elapsed(),
            stdout_bytes: text.len(),
            stderr_bytes: stderr.len(),
            usage: Some(usage),
            contents: (&shown(text, 2), &shown(&String::from_utf8_lossy(&stderr), 2)),
        });
        result
    }

    /// A fault as the user is told of it.
    fn failure(&self, fault: &Fault, model: &str) -> AgentFailure {
        let (failure, mistake) = fault.describe(self.manifest, self.options, model);
        mistake.iter().for_each(|mistake| self.progress.detail(mistake));
        failure
    }

    /// Tells that the protocol is given up; in detail, what the agent said last.
    fn give_up(&self, instead: &str, fault: &Fault) {
        let name = &self.manifest.name;
        self.progress.notice(&format!("{name} {instead}: {}", fault.words(name)));
        let failure = self.failure(fault, self.options.model.as_ref().unwrap_or(&self.manifest.default_model));
        if !failure.excerpt.is_empty() {
            self.progress.detail(&format!("{name} said: {}", failure.excerpt));
        }
    }
}

fn call<'a>(request: &Request<'a>) -> Call<'a> {
    Call { retry: request.retry, ..Call::bare(&request.prompt.system, &request.prompt.user) }
}

impl Agent for Acp {
    fn ask(&self, request: &Request<'_>, cancel: &Cancel) -> Result<Answer, AgentFailure> {
        if let Some(single) = self.single_calls() {
            return single.ask(request, cancel);
        }
        let started = Instant::now();
        let deadline = started + self.timeout();
        let opened = match (self.open(deadline, cancel), &self.otherwise) {
            (Ok(Some(opened)), _) => opened,
            (Ok(None), Some(otherwise)) => return otherwise.ask(request, cancel),
            (Ok(None), None) => return Err(self.failure(&Fault::GivenUp, "")),
            (Err(fault), _) => return Err(self.failure(&fault, "")),
        };
        let spoken = speak(self.manifest(), &call(request));
        let answer = self.prompt(&opened, request, &spoken, (started, deadline), cancel);
        opened.close();
        answer
    }

    fn expect_several(&self) {
        self.several.store(true, Ordering::SeqCst);
    }

    fn session<'a>(&'a self, texts: &[&str]) -> Option<Box<dyn Session + 'a>> {
        if self.host.is_given_up()
            && let Some(otherwise) = &self.otherwise
        {
            return otherwise.session(texts);
        }
        Some(Box::new(Conversation {
            agent: self,
            escape: crate::provider::agree(self.manifest(), texts),
            opened: None,
            otherwise: None,
            texts: texts.iter().map(|text| (*text).to_owned()).collect(),
        }))
    }
}

/// A conversation in one session of the agent.
struct Conversation<'a> {
    agent: &'a Acp,
    /// How at-signs are written in every turn.
    escape: Option<crate::provider::AtEscape>,
    /// Opened with the first turn.
    opened: Option<Opened>,
    /// The conversation over single calls, where the protocol does not work.
    otherwise: Option<Box<dyn Session + 'a>>,
    texts: Vec<String>,
}

impl Session for Conversation<'_> {
    fn ask(&mut self, request: &Request<'_>, cancel: &Cancel) -> Result<Answer, AgentFailure> {
        let started = Instant::now();
        let deadline = started + self.agent.timeout();
        if let Some(otherwise) = &mut self.otherwise {
            return otherwise.ask(request, cancel);
        }
        let first = self.opened.is_none();
        if first {
            match self.agent.open(deadline, cancel).map_err(|fault| self.agent.failure(&fault, ""))? {
                Some(opened) => self.opened = Some(opened),
                None => return self.begin_otherwise(request, cancel),
            }
        }
        let Some(opened) = &self.opened else { return Err(self.agent.failure(&Fault::GivenUp, "")) };
        // The session has the system prompt from its first turn.
        let system = if first { request.prompt.system.as_str() } else { "" };
        let call = Call { system, escape: self.escape.as_ref(), ..call(request) };
        let spoken = speak(self.agent.manifest(), &call);
        self.agent.prompt(opened, request, &spoken, (started, deadline), cancel)
    }

    fn at_most(&self, turns: usize) -> Duration {
        self.agent.options.time_for(turns)
    }
}

impl Conversation<'_> {
    fn begin_otherwise(&mut self, request: &Request<'_>, cancel: &Cancel) -> Result<Answer, AgentFailure> {
        let texts: Vec<&str> = self.texts.iter().map(String::as_str).collect();
        let begun = self.agent.otherwise.as_ref().and_then(|otherwise| otherwise.session(&texts));
        let Some(session) = begun else { return Err(self.agent.failure(&Fault::GivenUp, "")) };
        self.otherwise.insert(session).ask(request, cancel)
    }
}

impl Drop for Conversation<'_> {
    fn drop(&mut self) {
        if let Some(opened) = self.opened.take() {
            opened.close();
        }
    }
}
