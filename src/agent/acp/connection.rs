//! One agent process and the conversation of requests with it, shared by all sessions of a run.

use std::collections::HashMap;
use std::path::Path;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use agent_client_protocol_schema::ProtocolVersion;
use agent_client_protocol_schema::v1::{
    AGENT_METHOD_NAMES, CLIENT_METHOD_NAMES, Implementation, InitializeRequest, SessionId, SessionUpdate,
};
use serde::Serialize;
use serde_json::Value;

use super::fault::{Fault, Phase, Spent};
use super::permission::Guard;
use super::wire::{self, End, Incoming, RpcError};
use crate::agent::process::{Pipes, Served};
use crate::run::{Cancel, Scratch};

/// How long the end of a cancelled turn is waited for.
const SETTLE: Duration = Duration::from_secs(5);

/// What wakes whoever waits for an answer.
#[derive(Debug)]
pub(super) enum Event {
    /// The answer.
    Reply(Result<Value, RpcError>),
    /// Something that the agent tells about the session while it works.
    Update(Value),
    /// There will be no more answers.
    Ended(End),
    /// The run is told to stop.
    Stop,
}

/// A running agent.
pub(super) struct Connection {
    shared: Arc<Shared>,
    /// Taken when the process is ended.
    served: Mutex<Option<Served>>,
    /// What `initialize` has said.
    introduced: OnceLock<Value>,
    /// Where the process and its sessions work; it goes after the process.
    scratch: Scratch,
}

struct Shared {
    guard: Guard,
    state: Mutex<State>,
    /// Closed by taking it, which closes the agent's standard input.
    out: Mutex<Option<Sender<Vec<u8>>>>,
}

#[derive(Default)]
struct State {
    last_id: i64,
    waiting: HashMap<i64, Sender<Event>>,
    /// Who listens to what a session tells, while a turn goes on.
    turns: HashMap<String, Sender<Event>>,
    ended: Option<End>,
}

impl Connection {
    /// Talks to a process that has just been started, which belongs to this value from now on.
    ///
    /// # Errors
    /// No threads can be started.
    pub(super) fn new(served: Served, pipes: Pipes, scratch: Scratch, guard: Guard) -> std::io::Result<Self> {
        let out = wire::write(pipes.input)?;
        let shared = Arc::new(Shared { guard, state: Mutex::default(), out: Mutex::new(Some(out)) });
        let (arrived, ended) = (Arc::clone(&shared), Arc::clone(&shared));
        wire::read(pipes.output, move |incoming| arrived.dispatch(incoming), move |end| ended.end(end))?;
        Ok(Self { shared, served: Mutex::new(Some(served)), introduced: OnceLock::new(), scratch })
    }

    /// The working folder of the process and of its sessions.
    pub(super) fn working_dir(&self) -> &Path {
        self.scratch.path()
    }

    /// Waits until the agent is ready and keeps what it says of itself.
    pub(super) fn introduce(&self, deadline: Instant, cancel: &Cancel) -> Result<(), Fault> {
        let ours = Implementation::new("stagecoach", env!("CARGO_PKG_VERSION"));
        let request = InitializeRequest::new(ProtocolVersion::V1).client_info(ours);
        let answer = self.call(Phase::Ready, AGENT_METHOD_NAMES.initialize, &request, deadline, cancel)?;
        match answer.get("protocolVersion").and_then(Value::as_u64) {
            Some(1) => {
                // Once: nobody introduces itself twice.
                drop(self.introduced.set(answer));
                Ok(())
            }
            Some(other) => Err(Fault::Version(other)),
            None => Err(Fault::Unreadable { phase: Phase::Ready, why: "it names no version".to_owned() }),
        }
    }

    /// What the agent has said of itself; `null` before it did.
    pub(super) fn introduced(&self) -> &Value {
        self.introduced.get().unwrap_or(&Value::Null)
    }

    /// Whether the agent can be told that a session is over.
    pub(super) fn closes_sessions(&self) -> bool {
        let at = "/agentCapabilities/sessionCapabilities/close";
        self.introduced.get().and_then(|said| said.pointer(at)).is_some_and(|close| !close.is_null())
    }

    /// Whether the agent still answers.
    pub(super) fn is_alive(&self) -> bool {
        self.shared.state().ended.is_none()
    }

    /// The end of what the agent wrote to standard error.
    pub(super) fn stderr_tail(&self) -> Vec<u8> {
        self.served().as_ref().map(Served::stderr_tail).unwrap_or_default()
    }

    /// Tells the agent something.
    pub(super) fn notify(&self, method: &str, params: &impl Serialize) {
        self.shared.send(wire::notification(method, params));
    }

    /// Asks for something of which nobody waits for the answer.
    pub(super) fn forget(&self, method: &str, params: &impl Serialize) {
        let id = {
            let mut state = self.shared.state();
            state.last_id += 1;
            state.last_id
        };
        self.shared.send(wire::request(id, method, params));
    }

    /// Asks for something that is no turn and waits for it.
    pub(super) fn call(
        &self,
        phase: Phase,
        method: &str,
        params: &impl Serialize,
        deadline: Instant,
        cancel: &Cancel,
    ) -> Result<Value, Fault> {
        let spent = Spent::from_now(phase, deadline);
        let (id, (events, _watch)) = self.ask(&spent, method, params, None, cancel)?;
        let result = match next(&events, deadline) {
            Some(Event::Reply(reply)) => reply.map_err(|error| self.refused(phase, &error)),
            Some(Event::Ended(end)) => Err(self.ended(&spent, end)),
            Some(Event::Stop) => Err(Fault::stopped(cancel)),
            Some(Event::Update(_)) | None => {
                Err(Fault::TimedOut { spent: spent.until_now(), stderr: self.stderr_tail() })
            }
        };
        self.shared.state().waiting.remove(&id);
        result
    }

    /// Sends a turn and hands each update to `update` until it is over. A turn that must be stopped is cancelled and its
    /// end waited for; one that does not end takes the process with it.
    pub(super) fn turn(
        &self,
        session: &SessionId,
        params: &impl Serialize,
        deadline: Instant,
        cancel: &Cancel,
        mut update: impl FnMut(Value),
    ) -> Result<Value, Fault> {
        let spent = Spent::from_now(Phase::Turn, deadline);
        let method = AGENT_METHOD_NAMES.session_prompt;
        let (id, (events, watch)) = self.ask(&spent, method, params, Some(session), cancel)?;
        let mut stopped: Option<Fault> = None;
        let mut until = deadline;
        let result = loop {
            match next(&events, until) {
                Some(Event::Update(told)) => update(told),
                Some(Event::Reply(reply)) => {
                    break match stopped {
                        Some(fault) => Err(fault),
                        None => reply.map_err(|error| self.refused(Phase::Turn, &error)),
                    };
                }
                Some(Event::Ended(end)) => break Err(stopped.unwrap_or_else(|| self.ended(&spent, end))),
                // Told again, or told while it settles: somebody is in a hurry.
                Some(Event::Stop) if stopped.is_some() && cancel.is_urgent() => {
                    self.finish(true);
                    break Err(Fault::stopped(cancel));
                }
                Some(Event::Stop) => {
                    stopped = Some(Fault::stopped(cancel));
                    until = self.cancel_turn(session);
                }
                None => {
                    if let Some(fault) = stopped {
                        self.finish(true);
                        break Err(fault);
                    }
                    stopped = Some(Fault::TimedOut { spent: spent.until_now(), stderr: self.stderr_tail() });
                    until = self.cancel_turn(session);
                }
            }
        };
        drop(watch);
        let mut state = self.shared.state();
        state.waiting.remove(&id);
        state.turns.remove(session.0.as_ref());
        result
    }

    /// Until when the end of the turn is waited for.
    fn cancel_turn(&self, session: &SessionId) -> Instant {
        self.notify(AGENT_METHOD_NAMES.session_cancel, &serde_json::json!({ "sessionId": session }));
        Instant::now() + SETTLE
    }

    /// Ends the process, if it still runs.
    pub(super) fn finish(&self, urgent: bool) {
        drop(self.shared.out().take());
        let served = self.served().take();
        if let Some(served) = served {
            served.end(urgent);
        }
    }

    fn ask(
        &self,
        spent: &Spent,
        method: &str,
        params: &impl Serialize,
        session: Option<&SessionId>,
        cancel: &Cancel,
    ) -> Result<(i64, (Receiver<Event>, crate::run::Watch)), Fault> {
        let (sender, events) = mpsc::channel();
        let id = {
            let mut state = self.shared.state();
            if let Some(end) = state.ended {
                drop(state);
                return Err(self.ended(spent, end));
            }
            state.last_id += 1;
            let id = state.last_id;
            state.waiting.insert(id, sender.clone());
            if let Some(session) = session {
                state.turns.insert(session.0.to_string(), sender.clone());
            }
            id
        };
        let watch = cancel.watch(move || drop(sender.send(Event::Stop)));
        self.shared.send(wire::request(id, method, params));
        Ok((id, (events, watch)))
    }

    fn refused(&self, phase: Phase, error: &RpcError) -> Fault {
        Fault::Refused { phase, code: error.code, message: error.words(), stderr: self.stderr_tail() }
    }

    fn ended(&self, spent: &Spent, end: End) -> Fault {
        match end {
            End::Flooded => Fault::Flooded,
            End::Closed => {
                let spent = spent.until_now();
                Fault::Ended { spent, stderr: self.served().as_ref().map(Served::last_words).unwrap_or_default() }
            }
        }
    }

    fn served(&self) -> MutexGuard<'_, Option<Served>> {
        self.served.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.finish(false);
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn out(&self) -> MutexGuard<'_, Option<Sender<Vec<u8>>>> {
        self.out.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn send(&self, line: Vec<u8>) {
        if let Some(out) = self.out().as_ref() {
            // When nobody writes any more, the end of the agent is told in another way.
            drop(out.send(line));
        }
    }

    fn dispatch(&self, incoming: Incoming) {
        match incoming {
            Incoming::Reply(id, reply) => {
                if let Some(waiting) = self.state().waiting.remove(&id) {
                    drop(waiting.send(Event::Reply(reply)));
                }
            }
            Incoming::Request { id, method, params } => {
                self.send(if method == CLIENT_METHOD_NAMES.session_request_permission {
                    wire::reply(&id, &self.guard.answer(params))
                } else {
                    wire::unknown_method(&id, &method)
                });
            }
            Incoming::Notification { method, mut params } if method == CLIENT_METHOD_NAMES.session_update => {
                let Some(session) = params.get("sessionId").and_then(Value::as_str).map(str::to_owned) else { return };
                let update = params.get_mut("update").map(Value::take).unwrap_or_default();
                if let Some(turn) = self.state().turns.get(&session) {
                    drop(turn.send(Event::Update(update)));
                }
            }
            Incoming::Notification { .. } => {}
        }
    }

    fn end(&self, end: End) {
        let mut state = self.state();
        state.ended = Some(end);
        for (_, waiting) in state.waiting.drain() {
            drop(waiting.send(Event::Ended(end)));
        }
    }
}

impl RpcError {
    /// What it says, with the details that some agents put beside it.
    fn words(&self) -> String {
        let details = ["details", "message", "error"].iter().find_map(|key| self.data.get(key)?.as_str());
        match details.or_else(|| self.data.as_str()).filter(|details| *details != self.message) {
            Some(details) => format!("{}: {details}", self.message),
            None => self.message.clone(),
        }
    }
}

/// The next event, or `None` when the deadline has passed.
fn next(events: &Receiver<Event>, deadline: Instant) -> Option<Event> {
    match events.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
        Ok(event) => Some(event),
        Err(RecvTimeoutError::Timeout) => None,
        Err(RecvTimeoutError::Disconnected) => Some(Event::Ended(End::Closed)),
    }
}

/// What a session tells, where it is anything that we know.
pub(super) fn known(update: Value) -> Option<SessionUpdate> {
    serde_json::from_value(update).ok()
}
