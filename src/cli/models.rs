//! `stagecoach models`: what the agent itself lists, else the curated table with its date.

use std::fmt::Write as _;
use std::time::Duration;

use serde::Serialize;

use crate::agent::process;
use crate::provider::{Manifest, Registry};
use crate::role::Role;
use crate::run::{Cancel, Scratch, Signals};
use crate::ui::json::SCHEMA;
use crate::untrusted::{self, stripped};

use super::args::GlobalArgs;
use super::context::{Context, registry, search_path};
use super::{Failure, json_to_stdout, to_stderr, to_stdout};

/// An agent that has not listed its models by then is not going to.
const TIMEOUT: Duration = Duration::from_secs(20);
/// A longer line is no model's name, in characters.
const MAX_LINE: usize = 200;
/// As many agents are asked at once.
const PARALLEL: usize = 4;

pub(super) fn run(provider: Option<&str>, all: bool, json: bool, global: &GlobalArgs) -> Result<(), Failure> {
    let context = Context::anywhere(global)?;
    let loaded = context.load()?;
    let registry = registry(&loaded)?;
    let cancel = Cancel::new();
    let _signals = Signals::install(cancel.clone())
        .map_err(|error| Failure::new("system", "signals cannot be taken over", error.to_string(), "try again"))?;
    let manifests = if all {
        installed(&registry)?
    } else {
        vec![one(&registry, provider.or(loaded.settings.role(Role::Message).provider.as_deref()))?]
    };
    let lists = list_all(&manifests, &cancel);
    for list in &lists {
        if let Some(problem) = &list.problem {
            to_stderr(&stripped(&format!("note: {}: {problem}\n", list.provider)));
        }
    }
    if json { json_to_stdout(&Document { schema: SCHEMA, providers: lists }) } else { to_stdout(&text(&lists)) }
}

fn installed(registry: &Registry) -> Result<Vec<Manifest>, Failure> {
    let path = search_path();
    let all = registry.all()?.into_iter().map(|provider| provider.manifest);
    Ok(all.filter(|manifest| manifest.is_offline() || path.find(&manifest.detect).is_some()).collect())
}

fn one(registry: &Registry, name: Option<&str>) -> Result<Manifest, Failure> {
    match name {
        Some(name) => Ok(registry.get(name)?.manifest),
        None => Ok(registry.choose(&search_path())?.provider().manifest.clone()),
    }
}

#[derive(Serialize)]
struct Document {
    schema: u32,
    providers: Vec<List>,
}

/// The models of one provider.
#[derive(Serialize)]
struct List {
    provider: String,
    /// What the agent printed, line by line; empty where it was not asked or did not answer.
    models: Vec<String>,
    /// Our suggestions by role, shown where the agent lists nothing.
    curated: Vec<(&'static str, String)>,
    /// The day the suggestions were checked.
    verified: Option<String>,
    /// Why there is no list of the agent's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
}

fn list_all(manifests: &[Manifest], cancel: &Cancel) -> Vec<List> {
    let mut lists = Vec::new();
    for group in manifests.chunks(PARALLEL) {
        std::thread::scope(|scope| {
            let asked: Vec<_> =
                group.iter().map(|manifest| (manifest, scope.spawn(|| live(manifest, cancel)))).collect();
            for (manifest, thread) in asked {
                let answer = thread.join().unwrap_or_else(|_| Err("listing its models failed".to_owned()));
                lists.push(List::new(manifest, answer));
            }
        });
    }
    lists
}

impl List {
    fn new(manifest: &Manifest, answer: Result<Vec<String>, String>) -> Self {
        let (models, problem) = match answer {
            Ok(models) => (models, None),
            Err(problem) => (Vec::new(), Some(problem).filter(|problem| !problem.is_empty())),
        };
        let curated = Role::ALL.iter().filter_map(|role| {
            let model = manifest.models.by_role.get(role)?;
            let model = if manifest.provider_flag.is_empty() { model.clone() } else { format!("<backend>/{model}") };
            Some((role.name(), model))
        });
        Self {
            provider: manifest.name.clone(),
            curated: if models.is_empty() { curated.collect() } else { Vec::new() },
            models,
            verified: manifest.models.verified.clone(),
            problem,
        }
    }
}

/// What the agent lists. An empty error means that it has no command for that.
fn live(manifest: &Manifest, cancel: &Cancel) -> Result<Vec<String>, String> {
    let Some(command) = manifest.list_models_command.first() else { return Err(String::new()) };
    let program = search_path().find(command).ok_or_else(|| format!("{command} is not installed"))?;
    let scratch = Scratch::new().map_err(|error| error.to_string())?;
    let command = process::Command {
        program,
        args: manifest.list_models_command.iter().skip(1).map(Into::into).collect(),
        env_set: manifest.env.iter().map(|(name, value)| (name.clone(), value.into())).collect(),
        env_unset: manifest.run.unset_env.clone(),
        stdin: Vec::new(),
        working_dir: scratch.path().to_owned(),
        timeout: Some(TIMEOUT),
        confinement: None,
    };
    let outcome = process::run(command, cancel).map_err(|error| error.to_string())?;
    if outcome.exit != process::Exit::Code(0) {
        return Err(format!("its own list failed ({})", outcome.exit));
    }
    let lines = untrusted::lines(&outcome.stdout, MAX_LINE);
    if lines.is_empty() { Err("its own list is empty".to_owned()) } else { Ok(lines) }
}

fn text(lists: &[List]) -> String {
    let mut text = String::new();
    for list in lists {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{}:", list.provider);
        for model in &list.models {
            let _ = writeln!(text, "  {model}");
        }
        for (role, model) in &list.curated {
            let _ = writeln!(text, "  {role:<8} {model}");
        }
        match (&list.verified, list.curated.is_empty(), list.models.is_empty()) {
            (Some(date), false, _) => {
                let _ = writeln!(text, "  (suggestions of {date}; the program itself knows better)");
            }
            (_, true, true) => {
                let _ = writeln!(text, "  (it lists no models)");
            }
            _ => {}
        }
    }
    stripped(&text)
}
