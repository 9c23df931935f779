//! `stagecoach config init`

use std::io::IsTerminal as _;

use crate::config::init::{Agent, Choice};
use crate::config::{Request, init_path, write_init};
use crate::provider::{OFFLINE, Provider, Registry};
use crate::role::Role;
use crate::untrusted::stripped;

use super::super::args::{GlobalArgs, InitArgs};
use super::super::context::{Context, registry, search_path};
use super::super::{Failure, to_stderr, to_stdout};
use super::interview::interview;

pub(super) fn run(args: &InitArgs, global: &GlobalArgs) -> Result<(), Failure> {
    let context = Context::anywhere(global)?;
    init_path(&context.sources, args.local, args.force)?;
    // A file that is wrong must not keep a new one from being written; the built-in agents are known without it.
    let registry = context.load().and_then(|loaded| registry(&loaded)).unwrap_or_default();
    let agents = agents()?;
    let choice = if args.template {
        None
    } else if args.interactive {
        Some(ask(&agents)?)
    } else {
        Some(choose(args, &registry, &agents)?)
    };
    let copies = context.copies();
    let request = Request {
        local: args.local,
        force: args.force,
        agents: &agents,
        choice: choice.clone(),
        copies: copies.as_deref(),
    };
    let written = write_init(&context.sources, &request)?;
    to_stdout(&format!("{}\n", stripped(&written.path.to_string_lossy())))?;
    let mut notes = Vec::new();
    if let Some(backup) = &written.backup {
        notes.push(format!("the old file is kept as {}", backup.display()));
    }
    if !written.changed {
        notes.push("it was up to date, so nothing has changed".to_owned());
    }
    if written.untrusted {
        notes.push("the file was not trusted before and is not now: read it, then run `stagecoach trust`".to_owned());
    }
    let asked = args.provider.is_some() || args.interactive;
    notes.extend(choice.and_then(|choice| about(&choice, asked, written.provider.as_deref(), &agents)));
    notes.iter().for_each(|note| to_stderr(&stripped(&format!("note: {note}\n"))));
    Ok(())
}

/// What is to be known about the provider that the file now names.
fn about(choice: &Choice, asked: bool, set: Option<&str>, agents: &[Agent]) -> Option<String> {
    let name = &choice.provider;
    match set {
        None => Some("the file has models or a form of its own, so no provider was set in it".to_owned()),
        Some(set) if set != name => {
            asked.then(|| format!("the file already has `provider = \"{set}\"`, which was kept; {name} was not set"))
        }
        Some(_) if name == OFFLINE && !agents.iter().any(|agent| agent.installed) => {
            let how = "install one (`stagecoach providers show <name>` says how), then set `provider`";
            Some(format!("no coding agent is installed, so the built-in offline writer was set; {how}"))
        }
        Some(_) if agents.iter().any(|agent| agent.name == *name && agent.needs_backend) => {
            Some(format!("set a model in the file: `stagecoach models {name}` lists them"))
        }
        Some(_) => None,
    }
}

/// The built-in agents, in the order of detection.
fn agents() -> Result<Vec<Agent>, Failure> {
    let path = search_path();
    let registry = Registry::default();
    let known = crate::provider::builtin::agents().map(|name| Ok(registry.get(name)?));
    known.map(|provider| provider.map(|provider| agent(&provider, &path))).collect()
}

fn agent(provider: &Provider, path: &crate::program::SearchPath) -> Agent {
    let manifest = &provider.manifest;
    let models = &manifest.models.by_role;
    let models: Vec<_> = Role::ALL.into_iter().filter_map(|role| Some((role, models.get(&role)?.clone()))).collect();
    let lacks_backend = !manifest.provider_flag.is_empty();
    Agent {
        name: manifest.name.clone(),
        needs_backend: lacks_backend || models.iter().any(|(_, model)| model.contains('/')),
        lacks_backend,
        installed: path.find(&manifest.detect).is_some(),
        models,
    }
}

fn choose(args: &InitArgs, registry: &Registry, agents: &[Agent]) -> Result<Choice, Failure> {
    let provider = match &args.provider {
        Some(name) => registry.get(name)?.manifest.name,
        None => agents.iter().find(|agent| agent.installed).map_or(OFFLINE, |agent| &agent.name).to_owned(),
    };
    let models = agents.iter().find(|agent| agent.name == provider).map(Agent::ready_models).unwrap_or_default();
    Ok(Choice { provider, models })
}

fn ask(agents: &[Agent]) -> Result<Choice, Failure> {
    let stdin = std::io::stdin();
    if !(stdin.is_terminal() && std::io::stderr().is_terminal()) {
        let why = "standard input or standard error is none";
        let hint = "leave --interactive out; --provider picks an agent";
        return Err(Failure::new("usage", "--interactive needs a terminal", why, hint));
    }
    interview(agents, &mut stdin.lock(), &mut anstream::stderr().lock()).map_err(|error| {
        Failure::new("interrupted", "no answer, so nothing was written", error.to_string(), "run it again")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_of_old_layouts_fits_the_built_in_manifests() {
        let with_backends: Vec<_> =
            agents().unwrap().into_iter().filter(|agent| agent.lacks_backend).map(|agent| agent.name).collect();
        assert_eq!(with_backends, crate::config::WITH_BACKENDS);
    }

    #[test]
    fn models_are_set_for_agents_with_one_backend_only() {
        for agent in agents().unwrap() {
            let expected = ["pi", "opencode"].contains(&agent.name.as_str());
            assert_eq!(agent.needs_backend, expected, "{}", agent.name);
        }
    }
}
