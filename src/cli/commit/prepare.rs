//! Before the freeze: who commits, which agent is asked, and how.

use std::path::Path;

use crate::agent::offline::Offline;
use crate::agent::{Admission, Agent, AgentFailure, OneShot, Options as AgentOptions, Seated};
use crate::commit::Staging;
use crate::config::RoleSettings;
use crate::git::TrailerProgram;
use crate::message::{Template, Trailer, Trailers};
use crate::payload::Excludes;
use crate::progress::Progress;
use crate::prompt::Limits;
use crate::provider::{Call, Choice, Manifest, Provider, Registry, payload_limit, render};
use crate::role::Role;

use super::super::Failure;
use super::super::admission::admission;
use super::super::context::{output, registry, search_path, seats_of_nobody};
use super::super::failure::{ERROR, interrupted};
use super::{Run, description};

/// The file in the working tree that lists what agents need not see.
const IGNORE_FILE: &str = ".stagecoachignore";
/// A larger one is no list of patterns, in bytes.
const MAX_IGNORE_FILE: u64 = 1 << 20;

/// Where the words come from.
pub(super) struct Writer {
    pub(super) agent: Box<dyn Agent>,
    pub(super) manifest: Manifest,
}

/// How a message is made, read from options and settings before anything is frozen.
pub(super) struct Wishes {
    pub(super) template: Option<Template>,
    pub(super) trailers: Trailers,
    pub(super) excludes: Excludes,
    pub(super) limits: Limits,
    /// What the work was about, when the agent is to ask for diffs.
    pub(super) description: Option<String>,
}

impl Run<'_> {
    pub(super) fn say_what_the_configuration_says(&self) {
        for warning in &self.loaded.warnings {
            self.progress.notice(&warning.to_string());
        }
        let because = self.repository.backend_reason().map(|reason| format!(", because {reason}")).unwrap_or_default();
        self.progress.detail(&format!("repository: {}{because}", self.repository.backend_name()));
    }

    /// Where a flag for all roles does not reach a role that is about to be asked.
    pub(super) fn say_what_is_shadowed(&self, role: Role) {
        for shadowed in self.loaded.origins.shadowed(&[role]) {
            self.progress.notice(&shadowed.to_string());
        }
    }

    pub(super) fn staging(&self, wishes: &Wishes) -> Staging {
        match (self.args.all, self.settings.auto_stage_all) {
            (true, _) => Staging::Everything,
            (false, true) => Staging::Auto,
            (false, false) if self.args.single || wishes.description.is_some() => Staging::Auto,
            (false, false) => Staging::StagedOnly,
        }
    }

    /// Who writes the message.
    pub(super) fn message_writer(&self) -> Result<Writer, Failure> {
        self.say_what_is_shadowed(Role::Message);
        self.writer(Role::Message)
    }

    /// Finds the provider of a role and its program; with `fallback`, those that may be asked in its place as well.
    pub(super) fn writer(&self, role: Role) -> Result<Writer, Failure> {
        let settings = self.settings.role(role);
        let manifest = self.provider(settings)?.manifest;
        let chosen = self.agent(&manifest, settings)?.map(|agent| Writer { agent, manifest });
        if self.settings.fallback.is_empty() {
            return chosen.map_err(|failure| Failure::from(failure).exit(ERROR));
        }
        self.with_fallback(role, chosen)
    }

    /// The agent that a manifest describes, unless its program is not there.
    pub(super) fn agent(
        &self,
        manifest: &Manifest,
        role: &RoleSettings,
    ) -> Result<Result<Box<dyn Agent>, AgentFailure>, Failure> {
        if manifest.is_offline() {
            return Ok(Ok(Box::new(Offline::new(role.timeout, self.progress.clone()))));
        }
        let single = if manifest.is_acp_alone { None } else { Some(self.one_shot(manifest, role)?) };
        let admission = self.admission(manifest, role)?;
        let reached = self.reach(manifest, role, single);
        Ok(reached.map(|agent| Box::new(Seated::new(agent, admission)) as Box<dyn Agent>))
    }

    /// How a provider's calls come to their seats.
    pub(super) fn admission(&self, manifest: &Manifest, role: &RoleSettings) -> Result<Admission, Failure> {
        let limits = (role.timeout, self.deadline);
        admission(self.settings, self.environment, &manifest.name, limits, self.progress.clone())
    }

    /// A provider's program, called as a role wants it, unless it is not there.
    pub(super) fn one_shot(
        &self,
        manifest: &Manifest,
        role: &RoleSettings,
    ) -> Result<Result<OneShot, AgentFailure>, Failure> {
        let call = Call { model: role.model.as_deref(), reasoning: role.reasoning, ..Call::bare("", "") };
        render(manifest, &call).map_err(|error| {
            let hint = format!("`stagecoach models {}` lists what there is", manifest.name);
            Failure::new("model", "the provider cannot be called like this", error.to_string(), hint)
        })?;
        let (options, top) = (self.agent_options(role), &self.repository.paths().work_tree);
        Ok(OneShot::new(manifest.clone(), options, top, &search_path(), self.progress.clone()))
    }

    /// How a role wants its provider asked.
    pub(super) fn agent_options(&self, role: &RoleSettings) -> AgentOptions {
        let generation = &self.settings.generation;
        AgentOptions {
            model: role.model.clone(),
            reasoning: role.reasoning,
            timeout: role.timeout,
            deadline: self.deadline,
            output: output(generation.output),
            strip_code_fence: generation.strip_code_fence,
        }
    }

    /// The providers, put together when they are first asked for: a run that asks nobody minds no mistake in a table.
    pub(super) fn registry(&self) -> Result<&Registry, Failure> {
        if let Some(registry) = self.registry.get() {
            return Ok(registry);
        }
        let made = registry(self.loaded)?;
        for warning in seats_of_nobody(self.loaded, &made) {
            let text = warning.to_string();
            if warning.is_slip() { self.progress.notice(&text) } else { self.progress.detail(&text) }
        }
        Ok(self.registry.get_or_init(|| made))
    }

    pub(super) fn provider(&self, role: &RoleSettings) -> Result<Provider, Failure> {
        let registry = self.registry()?;
        if let Some(name) = &role.provider {
            return Ok(registry.get(name)?);
        }
        match registry.choose(&search_path())? {
            Choice::Installed { provider, .. } => Ok(*provider),
            Choice::Offline(provider) => {
                self.progress.notice(
                    "no coding agent is installed, so the built-in offline writer is used (`stagecoach providers list`)",
                );
                Ok(*provider)
            }
        }
    }

    pub(super) fn wishes(&self, manifest: Option<&Manifest>) -> Result<Wishes, Failure> {
        let generation = &self.settings.generation;
        let template = generation.template.as_deref().map(Template::new).transpose().map_err(|error| usage(&error))?;
        let ignored = read_ignore_file(&self.repository.paths().work_tree)?;
        let excludes = Excludes::new(&generation.exclude, ignored.as_deref()).map_err(|error| usage(&error))?;
        Ok(Wishes {
            template,
            trailers: self.trailers()?,
            excludes,
            limits: self.limits(manifest),
            description: description::read(self.args)?,
        })
    }

    /// Reads `--trailer`, and has git say now what it would say of them later.
    fn trailers(&self) -> Result<Trailers, Failure> {
        let texts = &self.args.message.trailer;
        if texts.is_empty() || !TrailerProgram::is_configured(self.repository.config()) {
            let parsed = texts.iter().map(|text| Trailer::parse(text)).collect::<Result<_, _>>();
            return Ok(Trailers::Plain(parsed.map_err(|error| usage(&error))?));
        }
        let program = TrailerProgram::new(self.repository.program()?, texts);
        program.check().map_err(|error| usage(&error))?;
        Ok(Trailers::Configured(program))
    }

    /// How large a prompt may be for a provider.
    pub(super) fn limits(&self, manifest: Option<&Manifest>) -> Limits {
        let generation = &self.settings.generation;
        Limits {
            token_limit: generation.token_limit,
            max_diff_bytes: generation.max_diff_bytes,
            max_md_lines: generation.max_md_lines,
            max_prompt_bytes: manifest.and_then(payload_limit),
            reserved: manifest.map(|manifest| manifest.retry_instruction.clone()).unwrap_or_default(),
        }
    }

    pub(super) fn stop_when_asked(&self) -> Result<(), Failure> {
        self.cancel.cause().map_or(Ok(()), |cause| Err(interrupted(cause)))
    }

    /// A git program that the same signal has ended reports an error that is none.
    pub(super) fn unless_interrupted(&self, failure: Failure) -> Failure {
        self.cancel.cause().map_or(failure, interrupted)
    }
}

fn usage(error: &dyn std::fmt::Display) -> Failure {
    Failure::new("usage", "an option cannot be used as it is", error.to_string(), "see `stagecoach --help`")
}

fn read_ignore_file(top: &Path) -> Result<Option<String>, Failure> {
    let path = top.join(IGNORE_FILE);
    let wrong = |why: String| {
        let what = format!("{} cannot be read", path.display());
        Failure::new("ignore_file", what, why, "make it a plain file of patterns, or remove it")
    };
    // Whatever a repository put there must neither block nor fill the memory.
    match path.symlink_metadata() {
        Ok(file) if !file.is_file() => return Err(wrong("it is no regular file".to_owned())),
        Ok(file) if file.len() > MAX_IGNORE_FILE => return Err(wrong("it is larger than 1 MiB".to_owned())),
        Ok(_) => {}
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(wrong(error.to_string())),
    }
    let content = std::fs::read(&path).map_err(|error| wrong(error.to_string()))?;
    Ok(Some(String::from_utf8_lossy(&content).into_owned()))
}
