//! What an agent says of itself over the protocol: no model is asked.

use std::path::Path;
use std::time::{Duration, Instant};

use agent_client_protocol_schema::v1::{AGENT_METHOD_NAMES, SessionConfigOptionCategory};
use serde_json::Value;

use super::connection::Connection;
use super::fault::{Fault, Phase};
use super::host::Host;
use super::session::{self, Place, option_of, values};
use super::{Acp, Options};
use crate::program::SearchPath;
use crate::progress::Silent;
use crate::provider::Manifest;
use crate::role::Reasoning;
use crate::run::Cancel;
use crate::untrusted;

/// No more names of a kind are kept.
const MOST: usize = 1000;
/// A longer name is none, in characters.
const LONGEST: usize = 200;

/// What an agent offers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Offer {
    /// The program and its version, as it says them; may be empty.
    pub agent: String,
    /// What it can do beside answering, by the protocol's names.
    pub capabilities: Vec<String>,
    /// Its modes, the one that a session begins in first.
    pub modes: Vec<String>,
    /// The models that a session can choose.
    pub models: Vec<String>,
}

impl Acp {
    /// Starts the agent of a manifest, opens a session, closes it and ends the agent, all within `timeout`. `repository` is
    /// where it must not run.
    ///
    /// # Errors
    /// Why nothing is known of it, in one sentence.
    pub fn look(
        manifest: &Manifest,
        repository: &Path,
        search: &SearchPath,
        timeout: Duration,
        cancel: &Cancel,
    ) -> Result<Offer, String> {
        let deadline = Instant::now() + timeout;
        // A model on the command line says nothing about which there are.
        let options = Options {
            model: Some(String::new()),
            reasoning: Reasoning::Off,
            timeout,
            deadline: Some(deadline),
            output: None,
            strip_code_fence: None,
        };
        let host = Host::new(manifest.clone(), &options, repository, search).map_err(|error| error.to_string())?;
        let progress: std::sync::Arc<dyn crate::progress::Progress> = std::sync::Arc::new(Silent);
        let looked = host.connect(deadline, &progress, cancel).and_then(|connection| {
            let offer = of(&connection, manifest, deadline, cancel);
            connection.finish(false);
            offer
        });
        looked.map_err(|fault| fault.words(&manifest.name))
    }
}

fn of(connection: &Connection, manifest: &Manifest, deadline: Instant, cancel: &Cancel) -> Result<Offer, Fault> {
    let meta = manifest.acp.as_ref().and_then(|acp| acp.bare_meta.clone());
    let place = Place { folder: connection.working_dir(), mode: None, meta };
    let (opened, models) = session::open(connection, &place, (deadline, cancel))?;
    let listed = models.as_ref().and_then(|models| models.get("availableModels")?.as_array()).into_iter().flatten();
    if connection.closes_sessions() {
        let session = serde_json::json!({ "sessionId": opened.session_id });
        // It ends with its process, if not now.
        drop(connection.call(Phase::Session, AGENT_METHOD_NAMES.session_close, &session, deadline, cancel));
    }
    let of_option = |category: SessionConfigOptionCategory| {
        option_of(&opened, |option| option.category.as_ref() == Some(&category)).map(values)
    };
    let choices = of_option(SessionConfigOptionCategory::Model)
        .unwrap_or_else(|| listed.filter_map(|model| model.get("modelId")?.as_str().map(str::to_owned)).collect());
    let ways = match &opened.modes {
        Some(state) => {
            let (first, rest): (Vec<_>, Vec<_>) =
                state.available_modes.iter().map(|mode| &mode.id).partition(|id| **id == state.current_mode_id);
            first.into_iter().chain(rest).map(|id| id.0.to_string()).collect()
        }
        None => of_option(SessionConfigOptionCategory::Mode).unwrap_or_default(),
    };
    let introduced = connection.introduced();
    let text = |pointer: &str| introduced.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    Ok(Offer {
        agent: names(&[format!("{} {}", text("/agentInfo/name"), text("/agentInfo/version")).trim().to_owned()])
            .concat(),
        capabilities: names(&capabilities(introduced.get("agentCapabilities").unwrap_or(&Value::Null))),
        modes: names(&ways),
        models: names(&choices),
    })
}

/// The names that are set, one level deep: `loadSession`, `sessionCapabilities.close`.
fn capabilities(said: &Value) -> Vec<String> {
    let is_set = |value: &Value| !matches!(value, Value::Null | Value::Bool(false));
    let mut found = Vec::new();
    for (name, value) in said.as_object().into_iter().flatten().filter(|(name, _)| *name != "_meta") {
        match value {
            Value::Object(inner) if !inner.is_empty() => {
                let inner = inner.iter().filter(|(name, value)| *name != "_meta" && is_set(value));
                found.extend(inner.map(|(inner, _)| format!("{name}.{inner}")));
            }
            value if is_set(value) => found.push(name.clone()),
            _ => {}
        }
    }
    found
}

/// Names as they can be shown; what is too long to be one is left out.
fn names(found: &[String]) -> Vec<String> {
    let shown = found.iter().take(MOST).map(|name| untrusted::stripped(name).replace(['\n', '\t'], " "));
    shown.filter(|name| !name.trim().is_empty() && name.chars().count() <= LONGEST).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn capabilities_are_what_is_set() {
        let said = json!({
            "loadSession": true, "image": false, "auth": {}, "_meta": {"x": 1},
            "sessionCapabilities": {"close": {}, "fork": null, "list": {"all": true}},
            "mcpCapabilities": {"http": true, "sse": false},
        });
        let expected =
            ["auth", "loadSession", "mcpCapabilities.http", "sessionCapabilities.close", "sessionCapabilities.list"];
        let mut found = capabilities(&said);
        found.sort();
        assert_eq!(found, expected);
        assert!(capabilities(&Value::Null).is_empty() && capabilities(&json!([1])).is_empty());
    }

    #[test]
    fn names_are_printable_and_bounded() {
        let found = ["a\u{1b}[2Jb".to_owned(), "x".repeat(300), " ".to_owned(), "two\nlines".to_owned()];
        assert_eq!(names(&found), ["ab", "two lines"]);
        assert_eq!(names(&vec!["m".to_owned(); 5000]).len(), MOST);
    }
}
