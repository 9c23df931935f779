//! `stagecoach models`: what the agent itself lists, else the curated table with its date.

mod cache;

use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::agent::Acp;
use crate::agent::process::Exit;
use crate::provider::{AcpUse, Manifest, Registry};
use crate::role::Role;
use crate::run::Cancel;
use crate::ui::json::SCHEMA;
use crate::untrusted::{self, stripped};

use super::args::GlobalArgs;
use super::context::{Context, chosen, registry, search_path};
use super::failure::interrupted;
use super::side_call::{self, PARALLEL, VERSION_TIMEOUT, in_parallel};
use super::{Failure, json_to_stdout, stoppable, to_stderr, to_stdout};
use cache::Cache;

/// An agent that has not told its version and its models by then is not going to.
const TIMEOUT: Duration = Duration::from_secs(20);
/// A longer line is no model's name, in characters.
const MAX_LINE: usize = 200;

/// What is to be listed, and how.
pub(super) struct Wish<'a> {
    /// The provider; the default one when left out.
    pub(super) provider: Option<&'a str>,
    /// Every provider that is installed.
    pub(super) all: bool,
    /// Ask again, whatever is kept.
    pub(super) refresh: bool,
    pub(super) json: bool,
}

pub(super) fn run(wish: &Wish<'_>, global: &GlobalArgs) -> Result<(), Failure> {
    let context = Context::anywhere(global)?;
    let loaded = context.load()?;
    let registry = registry(&loaded)?;
    let (cancel, _signals) = stoppable()?;
    let manifests = if wish.all {
        installed(&registry)?
    } else {
        vec![one(&registry, wish.provider.or(loaded.settings.role(Role::Message).provider.as_deref()))?]
    };
    let cache = context.sources.environment.cache_folder().map(|folder| Cache::below(&folder));
    let asking = Asking { cache: cache.as_ref(), refresh: wish.refresh, timeout: TIMEOUT, cancel: &cancel };
    let lists = in_parallel(&manifests, PARALLEL, |manifest| List::new(manifest, asking.list(manifest)));
    if let Some(cause) = cancel.cause() {
        return Err(interrupted(cause));
    }
    for list in &lists {
        if let Some(problem) = &list.problem {
            to_stderr(&stripped(&format!("note: {}: {problem}\n", list.provider)));
        }
    }
    if wish.json { json_to_stdout(&Document { schema: SCHEMA, providers: lists }) } else { to_stdout(&text(&lists)) }
}

fn installed(registry: &Registry) -> Result<Vec<Manifest>, Failure> {
    let path = search_path();
    let all = registry.all()?.into_iter().map(|provider| provider.manifest);
    Ok(all.filter(|manifest| manifest.is_offline() || path.find(&manifest.detect).is_some()).collect())
}

fn one(registry: &Registry, name: Option<&str>) -> Result<Manifest, Failure> {
    let manifest = chosen(registry, name)?;
    if manifest.is_offline() || search_path().find(&manifest.detect).is_some() {
        return Ok(manifest);
    }
    Err(Failure::new(
        "agent_missing",
        format!("`{}` is not installed", manifest.detect),
        curated_text(&manifest),
        manifest.checks.notes.first().cloned().unwrap_or_else(|| format!("install `{}`", manifest.command)),
    ))
}

/// The suggestions, for whoever cannot ask the program.
fn curated_text(manifest: &Manifest) -> String {
    let List { curated, verified, .. } = List::new(manifest, Err(String::new()));
    let Some(date) = verified.filter(|_| !curated.is_empty()) else { return String::new() };
    let models: Vec<String> = curated.into_iter().map(|(role, model)| format!("{role} {model}")).collect();
    format!("suggestions of {date}: {}", models.join(", "))
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
    problem: Option<String>,
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

/// How agents are asked.
struct Asking<'a> {
    cache: Option<&'a Cache>,
    refresh: bool,
    /// For everything that one agent is asked.
    timeout: Duration,
    cancel: &'a Cancel,
}

impl Asking<'_> {
    /// What the agent lists, or listed today. An empty error means that it has no way to.
    fn list(&self, manifest: &Manifest) -> Result<Vec<String>, String> {
        let program = match (manifest.list_models_command.first(), protocol(manifest)) {
            (Some(command), _) => search_path().find(command).ok_or_else(|| format!("{command} is not installed"))?,
            (None, Some(program)) => program,
            (None, None) => return Err(String::new()),
        };
        let started = Instant::now();
        let keyed =
            self.cache.and_then(|cache| Some((cache, cache::key(manifest, &program, &self.version(manifest))?)));
        let kept = || keyed.as_ref().and_then(|(cache, key)| cache.get(key));
        if let Some(models) = if self.refresh { None } else { kept() } {
            return Ok(models);
        }
        let models = self.live(manifest, self.timeout.saturating_sub(started.elapsed()))?;
        if let Some((cache, key)) = &keyed
            && let Err(error) = cache.put(key, &models)
        {
            to_stderr(&stripped(&format!("note: the list of {} is not kept: {error}\n", manifest.name)));
        }
        Ok(models)
    }

    /// What the program says of its version; nothing where it says none.
    fn version(&self, manifest: &Manifest) -> String {
        let printed =
            side_call::run(manifest, &manifest.checks.version, VERSION_TIMEOUT.min(self.timeout), self.cancel);
        printed.map(|outcome| String::from_utf8_lossy(&outcome.stdout).into_owned()).unwrap_or_default()
    }

    /// By its own command, which opens no session, or else over the protocol.
    fn live(&self, manifest: &Manifest, timeout: Duration) -> Result<Vec<String>, String> {
        let started = Instant::now();
        let mut why = String::new();
        if !manifest.list_models_command.is_empty() {
            match self.by_command(manifest, timeout) {
                Ok(models) => return Ok(models),
                Err(other) => why = other,
            }
        }
        let left = timeout.saturating_sub(started.elapsed());
        if protocol(manifest).is_none() || left.is_zero() {
            return Err(why);
        }
        let here = std::env::current_dir().unwrap_or_default();
        match Acp::look(manifest, &here, &search_path(), left, self.cancel) {
            Ok(offer) if !offer.models.is_empty() => Ok(offer.models),
            Ok(_) => Err(why),
            Err(other) => Err(if why.is_empty() { format!("it lists nothing over ACP: {other}") } else { why }),
        }
    }

    fn by_command(&self, manifest: &Manifest, timeout: Duration) -> Result<Vec<String>, String> {
        let outcome = side_call::run(manifest, &manifest.list_models_command, timeout, self.cancel)?;
        match outcome.exit {
            Exit::Code(0) => {}
            Exit::TimedOut => {
                let command = manifest.list_models_command.join(" ");
                return Err(format!(
                    "`{command}` was still running after {} s and was stopped",
                    self.timeout.as_secs()
                ));
            }
            exit => return Err(format!("its own list failed ({exit})")),
        }
        let lines = untrusted::lines(&outcome.stdout, MAX_LINE);
        if lines.is_empty() { Err("its own list is empty".to_owned()) } else { Ok(lines) }
    }
}

/// The program that speaks the protocol, where it is installed and may be used. What an agent lists there is no name for its
/// command line.
fn protocol(manifest: &Manifest) -> Option<PathBuf> {
    let acp = manifest.acp.as_ref().filter(|acp| acp.usage != AcpUse::Never && acp.model_option != "argv")?;
    search_path().find(acp.command.first()?)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::Layer;

    /// Version and list together have the one deadline, and the others have what they listed.
    #[cfg(unix)]
    #[test]
    fn a_slow_agent_is_stopped_and_holds_up_no_other() {
        let layer = Layer::parse(
            "test",
            "[provider.slow]\ncommand = 'sh'\nlist_models_command = ['sh', '-c', 'exec sleep 600']\n\
             checks.version = ['sh', '-c', 'exec sleep 600']\n\
             [provider.fast]\ncommand = 'sh'\nlist_models_command = ['sh', '-c', 'echo one']\n",
        )
        .unwrap();
        let registry = Registry::new(vec![layer]).unwrap();
        let manifests = ["slow", "fast"].map(|name| registry.get(name).unwrap().manifest);
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::below(folder.path());
        let timeout = Duration::from_secs(1);
        let asking = Asking { cache: Some(&cache), refresh: false, timeout, cancel: &Cancel::new() };
        let lists = in_parallel(&manifests, PARALLEL, |manifest| asking.list(manifest));
        let stopped = "`sh -c exec sleep 600` was still running after 1 s and was stopped";
        assert_eq!(lists, [Err(stopped.to_owned()), Ok(vec!["one".to_owned()])]);
    }
}
