//! One session: opened in the mode that a bare call needs, with the model that is wanted, prompted, closed.

use std::cell::Cell;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use agent_client_protocol_schema::v1::{
    AGENT_METHOD_NAMES, ContentBlock, NewSessionRequest, NewSessionResponse, PromptRequest, SessionConfigId,
    SessionConfigKind, SessionConfigOption, SessionConfigOptionCategory, SessionConfigSelectOptions,
    SessionConfigValueId, SessionId, SetSessionConfigOptionRequest, SetSessionModeRequest, TextContent,
};
use serde_json::{Map, Value, json};

use super::Options;
use super::connection::Connection;
use super::fault::{Fault, Phase};
use super::turn::{Said, Turn, tokens_of};
use crate::provider::{Acp, Manifest};
use crate::role::Reasoning;
use crate::run::Cancel;
use crate::usage::{Cost, Usage};

/// `model_option` of an agent whose model is chosen when it starts.
pub(super) const BY_ARGUMENT: &str = "argv";
/// `model_option` of an agent with a method of its own for it.
const BY_METHOD: &str = "session";
/// That method; it never became part of the protocol.
const SET_MODEL: &str = "session/set_model";

/// An open session.
pub(super) struct Opened {
    connection: Arc<Connection>,
    id: SessionId,
    /// What the session had cost before the turn that is asked for.
    cost: Cell<Cost>,
    /// The model that was asked for; empty where the agent uses its own.
    pub(super) model: String,
    /// What did not go as asked, for `--verbose`.
    pub(super) notes: Vec<String>,
}

/// Where a session works, and how.
pub(super) struct Place<'a> {
    /// Its working folder.
    pub(super) folder: &'a Path,
    /// The agent's own mode.
    pub(super) mode: Option<&'a str>,
    /// What only this agent knows.
    pub(super) meta: Option<Map<String, Value>>,
}

/// How requests about a session are sent.
struct Asking<'a> {
    connection: &'a Connection,
    deadline: Instant,
    cancel: &'a Cancel,
}

impl Asking<'_> {
    fn call(&self, phase: Phase, method: &str, params: &impl serde::Serialize) -> Result<Value, Fault> {
        self.connection.call(phase, method, params, self.deadline, self.cancel)
    }
}

/// Has a session opened. What is said of models beside the options is no part of the protocol's types.
pub(super) fn open(
    connection: &Connection,
    place: &Place<'_>,
    (deadline, cancel): (Instant, &Cancel),
) -> Result<(NewSessionResponse, Option<Value>), Fault> {
    let request = NewSessionRequest::new(place.folder).meta(place.meta.clone());
    let answer = connection.call(Phase::Session, AGENT_METHOD_NAMES.session_new, &request, deadline, cancel)?;
    let models = answer.get("models").cloned();
    let opened = serde_json::from_value(answer)
        .map_err(|error| Fault::Unreadable { phase: Phase::Session, why: error.to_string() })?;
    Ok((opened, models))
}

impl Opened {
    /// Opens a session that only answers.
    pub(super) fn new(
        connection: Arc<Connection>,
        manifest: &Manifest,
        options: &Options,
        deadline: Instant,
        cancel: &Cancel,
    ) -> Result<Self, Fault> {
        let acp = manifest.acp.clone().unwrap_or_default();
        let folder = connection.working_dir().to_owned();
        let place = Place { folder: &folder, mode: acp.bare_mode.as_deref(), meta: acp.bare_meta.clone() };
        Self::at(connection, &place, manifest, options, (deadline, cancel))
    }

    /// Opens a session in a place.
    pub(super) fn at(
        connection: Arc<Connection>,
        place: &Place<'_>,
        manifest: &Manifest,
        options: &Options,
        (deadline, cancel): (Instant, &Cancel),
    ) -> Result<Self, Fault> {
        let asking = Asking { connection: &connection, deadline, cancel };
        let acp = manifest.acp.clone().unwrap_or_default();
        let (opened, models) = open(&connection, place, (deadline, cancel))?;
        let mut notes = Vec::new();
        if let Some(mode) = place.mode {
            set_mode(&asking, &opened, mode)?;
        }
        let wanted = options.model.as_deref().unwrap_or(&manifest.default_model);
        let model = if wanted.is_empty() || choose_model(&asking, &opened, models.as_ref(), &acp, wanted)? {
            wanted.to_owned()
        } else {
            notes.push(format!("provider `{}` takes no model over ACP, so `{wanted}` is not passed on", manifest.name));
            String::new()
        };
        if !choose_reasoning(&asking, &opened, options.reasoning)? {
            let level = options.reasoning;
            notes.push(format!(
                "provider `{}` takes no reasoning level `{level}` over ACP; it is skipped",
                manifest.name
            ));
        }
        let id = opened.session_id;
        Ok(Self { connection, id, cost: Cell::default(), model, notes })
    }

    /// Sends a turn and returns what it said, and what it used.
    pub(super) fn prompt(&self, text: &str, deadline: Instant, cancel: &Cancel) -> (Result<String, Fault>, Usage) {
        let request = PromptRequest::new(self.id.clone(), vec![ContentBlock::Text(TextContent::new(text))]);
        let mut turn = Turn::default();
        let answer = self.connection.turn(&self.id, &request, deadline, cancel, |update| turn.take(update));
        let tokens = answer.as_ref().map(tokens_of).unwrap_or_default();
        let usage = Usage { cost: turn.cost().and_then(|cost| self.cost_of_turn(cost)), ..tokens };
        (answer.and_then(|answer| self.said(turn, &answer)), usage)
    }

    /// Agents tell what a session has cost from its start.
    fn cost_of_turn(&self, until_now: Cost) -> Option<Cost> {
        until_now.since(self.cost.replace(until_now))
    }

    fn said(&self, turn: Turn, answer: &Value) -> Result<String, Fault> {
        if turn.is_flooded() {
            return Err(Fault::Flooded);
        }
        let why = match answer.get("stopReason").and_then(Value::as_str) {
            Some("refusal") => Some("refused to answer"),
            Some("max_tokens") => Some("reached its limit of tokens before its answer was complete"),
            Some("max_turn_requests") => Some("made too many requests to its model without an answer"),
            Some("cancelled") => Some("says that its turn was cancelled, and not by us"),
            // Whatever else is new ends a turn as well.
            _ => None,
        };
        if let Some(why) = why {
            return Err(Fault::Cut(why));
        }
        let stderr = || self.stderr_tail();
        match turn.said(answer.get("usage").is_some_and(Value::is_object)) {
            Said::Text(text) => Ok(text),
            Said::Error(text) => Err(Fault::Told { text, stderr: stderr() }),
            Said::Nothing => Err(Fault::Silent { stderr: stderr() }),
        }
    }

    pub(super) fn stderr_tail(&self) -> Vec<u8> {
        self.connection.stderr_tail()
    }

    /// Lets the agent forget the session, where it can. Nothing waits for that.
    pub(super) fn close(self) {
        if self.connection.closes_sessions() {
            self.connection.forget(AGENT_METHOD_NAMES.session_close, &json!({ "sessionId": self.id }));
        }
    }
}

/// Sets the agent's own mode, as a mode or, where modes are one of its options, as that.
fn set_mode(asking: &Asking<'_>, opened: &NewSessionResponse, mode: &str) -> Result<(), Fault> {
    let offered: Vec<String> = match &opened.modes {
        Some(modes) => modes.available_modes.iter().map(|mode| mode.id.0.to_string()).collect(),
        None => Vec::new(),
    };
    if offered.iter().any(|offered| offered == mode) {
        let request = SetSessionModeRequest::new(opened.session_id.clone(), mode.to_owned());
        return asking.call(Phase::Mode, AGENT_METHOD_NAMES.session_set_mode, &request).map(drop);
    }
    let option = option_of(opened, |option| option.category == Some(SessionConfigOptionCategory::Mode));
    if let Some(option) = option.filter(|option| values(option).iter().any(|value| value == mode)) {
        return set_option(asking, Phase::Mode, &opened.session_id, &option.id, mode);
    }
    let offered = if offered.is_empty() { option.map(values).unwrap_or_default() } else { offered };
    Err(Fault::NotOffered { phase: Phase::Mode, wanted: mode.to_owned(), offered })
}

/// Chooses the model; `false` where there is no way to.
fn choose_model(
    asking: &Asking<'_>,
    opened: &NewSessionResponse,
    models: Option<&Value>,
    acp: &Acp,
    model: &str,
) -> Result<bool, Fault> {
    let session = &opened.session_id;
    match acp.model_option.as_str() {
        BY_ARGUMENT => Ok(true),
        BY_METHOD => by_method(asking, session, model).map(|()| true),
        "" => match option_of(opened, |option| option.category == Some(SessionConfigOptionCategory::Model)) {
            Some(option) => by_option(asking, session, option, model).map(|()| true),
            None if models.is_some() => by_method(asking, session, model).map(|()| true),
            None => Ok(false),
        },
        id => match option_of(opened, |option| option.id.0.as_ref() == id) {
            Some(option) => by_option(asking, session, option, model).map(|()| true),
            None => Err(not_offered(id, opened.config_options.iter().flatten().map(|o| o.id.0.to_string()).collect())),
        },
    }
}

/// Chooses how hard to think; `false` where there is no such level.
fn choose_reasoning(asking: &Asking<'_>, opened: &NewSessionResponse, level: Reasoning) -> Result<bool, Fault> {
    if level == Reasoning::Off {
        return Ok(true);
    }
    let option = option_of(opened, |option| option.category == Some(SessionConfigOptionCategory::ThoughtLevel));
    let Some(option) = option else { return Ok(false) };
    match set_option(asking, Phase::Reasoning, &opened.session_id, &option.id, level.name()) {
        // What a model knows of levels is for the agent to say.
        Err(Fault::Refused { .. }) => Ok(false),
        set => set.map(|()| true),
    }
}

fn by_method(asking: &Asking<'_>, session: &SessionId, model: &str) -> Result<(), Fault> {
    asking.call(Phase::Model, SET_MODEL, &json!({ "sessionId": session, "modelId": model })).map(drop)
}

fn by_option(asking: &Asking<'_>, session: &SessionId, option: &SessionConfigOption, model: &str) -> Result<(), Fault> {
    // Some take more names than they offer.
    match set_option(asking, Phase::Model, session, &option.id, model) {
        Err(Fault::Refused { .. }) => Err(not_offered(model, values(option))),
        set => set,
    }
}

fn not_offered(wanted: &str, offered: Vec<String>) -> Fault {
    Fault::NotOffered { phase: Phase::Model, wanted: wanted.to_owned(), offered }
}

fn set_option(
    asking: &Asking<'_>,
    phase: Phase,
    session: &SessionId,
    option: &SessionConfigId,
    value: &str,
) -> Result<(), Fault> {
    let value = SessionConfigValueId::new(value.to_owned());
    let request = SetSessionConfigOptionRequest::new(session.clone(), option.clone(), value);
    asking.call(phase, AGENT_METHOD_NAMES.session_set_config_option, &request).map(drop)
}

pub(super) fn option_of(
    opened: &NewSessionResponse,
    is_it: impl Fn(&SessionConfigOption) -> bool,
) -> Option<&SessionConfigOption> {
    opened.config_options.iter().flatten().find(|option| is_it(option))
}

/// What may be chosen.
pub(super) fn values(option: &SessionConfigOption) -> Vec<String> {
    let SessionConfigKind::Select(select) = &option.kind else { return Vec::new() };
    match &select.options {
        SessionConfigSelectOptions::Ungrouped(options) => options.iter().map(|o| o.value.0.to_string()).collect(),
        SessionConfigSelectOptions::Grouped(groups) => {
            groups.iter().flat_map(|group| &group.options).map(|o| o.value.0.to_string()).collect()
        }
        _ => Vec::new(),
    }
}
