//! What the agent may do when it asks. A question needs no tool, so nothing. A stager may read, and stage with git, in its
//! own repository, and is believed nothing: what it wants to do has to be plain from the request itself.

mod git;
mod places;
mod words;

use std::sync::Arc;

use agent_client_protocol_schema::v1::{
    PermissionOptionKind, RequestPermissionOutcome, RequestPermissionRequest, RequestPermissionResponse,
    SelectedPermissionOutcome,
};
use serde_json::{Map, Value};

pub(super) use self::places::Places;

use crate::progress::Progress;
use crate::untrusted;

/// Keys that name what is read, and those beside them that change nothing about where.
const PATHS: [&str; 6] = ["file_path", "filePath", "path", "absolute_path", "abs_path", "filepath"];
const READ_DETAILS: [&str; 7] = ["offset", "limit", "start_line", "end_line", "line", "view_range", "description"];
/// Keys that name the folder of a command, and those beside it that change nothing about what is run.
const FOLDERS: [&str; 5] = ["cwd", "workdir", "directory", "dir_path", "working_directory"];
const COMMAND_DETAILS: [&str; 4] = ["description", "timeout", "timeout_ms", "title"];
/// Keys that send a command to the background, where nobody sees its end.
const BACKGROUND: [&str; 2] = ["run_in_background", "is_background"];
/// No request is quoted further, in characters.
const SHOWN: usize = 200;

/// Who decides the requests of one process, and whom it tells.
pub(super) struct Guard {
    places: Option<Places>,
    progress: Arc<dyn Progress>,
}

impl Guard {
    /// `places` are those of a stager.
    pub(super) fn new(places: Option<Places>, progress: Arc<dyn Progress>) -> Self {
        Self { places, progress }
    }

    pub(super) fn answer(&self, params: Value) -> RequestPermissionResponse {
        let decision = decide(params, self.places.as_ref());
        self.progress.detail(&decision.told);
        decision.response
    }
}

/// An answer, and what there is to tell of it.
#[derive(Debug, Clone, PartialEq)]
struct Decision {
    response: RequestPermissionResponse,
    /// What was asked for and what became of it, in one line.
    told: String,
}

/// Decides a request; `places` are those of a stager.
fn decide(params: Value, places: Option<&Places>) -> Decision {
    let wanted = wanted(&params);
    let verdict = match places {
        Some(places) => judge(params.get("toolCall"), places),
        None => Err("nothing is allowed in answering a question".to_owned()),
    };
    let options = serde_json::from_value::<RequestPermissionRequest>(params).map(|request| request.options);
    let options = options.unwrap_or_default();
    let first = |kinds: &[PermissionOptionKind]| {
        kinds.iter().find_map(|kind| options.iter().find(|option| option.kind == *kind)).map(|o| o.option_id.clone())
    };
    // What is allowed once is asked for again the next time.
    let verdict =
        verdict.and_then(|()| first(&[PermissionOptionKind::AllowOnce]).ok_or("it cannot be allowed once".to_owned()));
    let (chosen, told) = match verdict {
        Ok(option) => (Some(option), format!("allowed: {wanted}")),
        Err(why) => {
            let refusal = first(&[PermissionOptionKind::RejectOnce, PermissionOptionKind::RejectAlways]);
            (refusal, format!("refused: {wanted} ({why})"))
        }
    };
    let outcome = match chosen {
        Some(option) => RequestPermissionOutcome::Selected(SelectedPermissionOutcome::new(option)),
        // There is no other way to say no.
        None => RequestPermissionOutcome::Cancelled,
    };
    Decision { response: RequestPermissionResponse::new(outcome), told }
}

/// The request in a few words, for people.
fn wanted(params: &Value) -> String {
    let call = params.get("toolCall").unwrap_or(&Value::Null);
    let text = |pointer: &str| call.pointer(pointer).and_then(Value::as_str);
    let words = text("/rawInput/command").or_else(|| text("/title")).unwrap_or("something without a name");
    untrusted::stripped(words).lines().next().unwrap_or_default().chars().take(SHOWN).collect()
}

/// Whether a tool call reads or stages, and does nothing else.
fn judge(call: Option<&Value>, places: &Places) -> Result<(), String> {
    let call = call.ok_or("it names no tool")?;
    let empty = Map::new();
    let input = match call.get("rawInput") {
        Some(Value::Object(input)) => input,
        None | Some(Value::Null) => &empty,
        Some(_) => return Err("what it is called with is no object".to_owned()),
    };
    let kind = call.get("kind").and_then(Value::as_str);
    match kind {
        Some("execute") => command(input, places),
        Some("read") if !input.contains_key("command") => read(call, input, places),
        _ => Err("neither a command nor a file to read".to_owned()),
    }
}

fn command(input: &Map<String, Value>, places: &Places) -> Result<(), String> {
    let line = match input.get("command") {
        Some(Value::String(command)) => words::read(command)?,
        Some(Value::Array(argv)) => {
            let argv: Option<Vec<String>> = argv.iter().map(|word| word.as_str().map(str::to_owned)).collect();
            words::Line { argv: argv.ok_or("a command that is no text")?, has_text: false }
        }
        _ => return Err("it does not say which command".to_owned()),
    };
    for (key, value) in input {
        let is_harmless = match key.as_str() {
            "command" => true,
            // The same once more, as parts.
            "commands" => {
                value.as_array().is_some_and(|parts| parts.iter().all(|part| Some(part) == input.get("command")))
            }
            key if BACKGROUND.contains(&key) => *value == Value::Bool(false),
            key if FOLDERS.contains(&key) => value.as_str().is_some_and(|folder| places.is_folder(folder)),
            key => COMMAND_DETAILS.contains(&key),
        };
        if !is_harmless {
            return Err(format!("`{}` beside the command", untrusted::stripped(key)));
        }
    }
    git::allow(&line, places)
}

fn read(call: &Value, input: &Map<String, Value>, places: &Places) -> Result<(), String> {
    let unknown = input.keys().find(|key| !PATHS.contains(&key.as_str()) && !READ_DETAILS.contains(&key.as_str()));
    if let Some(key) = unknown {
        return Err(format!("`{}` beside the file", untrusted::stripped(key)));
    }
    let named = input.iter().filter(|(key, _)| PATHS.contains(&key.as_str())).map(|(_, value)| value);
    let locations = call.get("locations").and_then(Value::as_array).into_iter().flatten();
    let paths: Vec<&Value> =
        named.chain(locations.map(|location| location.get("path").unwrap_or(&Value::Null))).collect();
    if paths.is_empty() {
        return Err("it does not say which file".to_owned());
    }
    let is_inside = |path: &&Value| path.as_str().is_some_and(|path| places.holds(path, true));
    if paths.iter().all(is_inside) { Ok(()) } else { Err("a file that lies elsewhere".to_owned()) }
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
