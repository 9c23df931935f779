//! A manifest, complete: what is known about how one agent program is called and how its answer is read.
//!
//! A [`Manifest`] is only ever made from layers ([`Manifest::build`]), so one that exists has a command, agrees with its
//! name and can be rendered.

use std::collections::BTreeMap;

use regex::RegexSet;

use super::build::{assemble, check};
use super::error::ManifestError;
use super::layer::Partial;
use crate::role::{Reasoning, Role};

/// How the payload travels to the agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Delivery {
    /// On standard input.
    #[default]
    Stdin,
    /// As the last argument.
    Positional,
    /// As the last argument, after `prompt_flag`.
    Flag,
}

/// What an agent's standard output is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Output {
    /// The answer itself.
    #[default]
    Raw,
    /// JSON with the answer in a field.
    Json,
}

/// Whether an agent's session can be continued by further one-shot calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SessionMode {
    /// It cannot.
    #[default]
    None,
    /// A further call with the same session adds a turn that the model remembers.
    Append,
}

/// Where a bare call runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WorkingDir {
    /// In an empty, private folder.
    #[default]
    Scratch,
    /// In the repository, for an agent that needs it.
    Repo,
}

/// When an agent's protocol mode is preferred to one-shot calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AcpUse {
    /// Never.
    Never,
    /// To stage, and to show what the agent offers; questions are one-shot calls where those can be made.
    Staging,
    /// When a run needs more than one call.
    #[default]
    Auto,
    /// Always.
    Always,
}

/// Everything known about one provider. The fields are described in `docs/providers.md`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs, reason = "each field is described once, in `fields::FIELDS`")]
pub struct Manifest {
    pub name: String,
    pub detect: String,
    /// Empty for the provider that runs no program.
    pub command: String,
    pub list_models_command: Vec<String>,
    pub subcommand: Vec<String>,
    pub prompt_delivery: Delivery,
    pub prompt_flag: String,
    pub print_flag: String,
    pub model_flag: String,
    pub default_model: String,
    pub system_prompt_flag: String,
    pub provider_flag: String,
    pub session_mode: SessionMode,
    pub bare_flags: Vec<String>,
    pub tooled_flags: Vec<String>,
    pub output: Output,
    pub json_field: String,
    pub strip_code_fence: bool,
    pub retry_instruction: String,
    pub env: BTreeMap<String, String>,
    pub reasoning_levels: BTreeMap<Reasoning, Vec<String>>,
    pub experimental: bool,
    pub models: Models,
    pub session: Session,
    pub tooled: Tooled,
    pub checks: Checks,
    pub failures: Failures,
    pub usage: UsagePaths,
    pub guide: Guide,
    pub run: Run,
    /// None when no layer gives a command that starts the protocol mode.
    pub acp: Option<Acp>,
    /// Whether nothing but `acp` can be used: the provider extends it.
    pub is_acp_alone: bool,
}

/// Suggested models; a run never takes one of them by itself.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Models {
    /// By role.
    pub by_role: BTreeMap<Role, String>,
    /// When the names were last checked.
    pub verified: Option<String>,
}

/// How a session is begun and continued; `{id}` stands for the session.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[allow(missing_docs, reason = "each key is described once, in `fields::SUB_TABLES`")]
pub struct Session {
    pub first: Vec<String>,
    pub next: Vec<String>,
    pub drop: Vec<String>,
    pub subcommand_next: Option<Vec<String>>,
    pub id_from: String,
    /// What the first turn's output is, where it differs from the manifest's `output`.
    pub output: Option<Output>,
}

/// What tooled mode needs beside its flags.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[allow(missing_docs, reason = "each key is described once, in `fields::SUB_TABLES`")]
pub struct Tooled {
    pub repo_dir_flag: String,
    pub scoped: bool,
    pub sandbox: bool,
}

/// What can be checked without a call.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[allow(missing_docs, reason = "each key is described once, in `fields::SUB_TABLES`")]
pub struct Checks {
    pub version: Vec<String>,
    pub minimum: String,
    pub auth_env: Vec<String>,
    pub auth_files: Vec<String>,
    pub notes: Vec<String>,
}

/// Where usage is reported in JSON output; empty paths are not reported.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[allow(missing_docs, reason = "each key is described once, in `fields::SUB_TABLES`")]
pub struct UsagePaths {
    pub input: String,
    pub output: String,
    pub cached: String,
    pub cost: String,
}

/// Sentences that help to choose.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[allow(missing_docs, reason = "each key is described once, in `fields::SUB_TABLES`")]
pub struct Guide {
    pub use_when: Vec<String>,
    pub avoid_when: Vec<String>,
}

/// How the process is run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[allow(missing_docs, reason = "each key is described once, in `fields::SUB_TABLES`")]
pub struct Run {
    pub working_dir: WorkingDir,
    pub max_payload_bytes: Option<usize>,
    pub unset_env: Vec<String>,
    pub escape_at: bool,
    pub stdin_fallback: bool,
}

/// How the agent is driven by the Agent Client Protocol.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[allow(missing_docs, reason = "each key is described once, in `fields::SUB_TABLES`")]
pub struct Acp {
    pub command: Vec<String>,
    /// The `use` key.
    pub usage: AcpUse,
    pub bare_mode: Option<String>,
    pub tooled_mode: Option<String>,
    pub bare_meta: Option<serde_json::Map<String, serde_json::Value>>,
    pub tooled_meta: Option<serde_json::Map<String, serde_json::Value>>,
    /// Empty where it is the same as `command`.
    pub tooled_command: Vec<String>,
    pub model_option: String,
}

/// What the agent's output says about a failure.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Failures {
    /// Only lines that match count.
    pub where_line: Option<String>,
    /// Expressions by kind of failure, in the order of [`FAILURE_KINDS`](super::fields::FAILURE_KINDS); kinds without any are left out.
    pub patterns: Vec<(&'static str, Vec<String>)>,
    /// Exit codes besides 0 that are success.
    pub ok_exit: Vec<u8>,
}

/// [`Failures`] ready to be matched; made only when a call has failed, or may have.
#[derive(Debug, Clone)]
pub struct FailurePatterns {
    /// Only lines that match count.
    pub where_line: Option<regex::Regex>,
    /// Expressions by kind of failure, one of [`FAILURE_KINDS`](super::fields::FAILURE_KINDS).
    pub kinds: Vec<(&'static str, RegexSet)>,
}

impl Failures {
    /// Compiles the expressions.
    ///
    /// # Errors
    /// An expression is invalid. Manifests of users were checked when they were read and those built in by the tests, so
    /// this happens only to values made by hand.
    pub fn compile(&self) -> Result<FailurePatterns, regex::Error> {
        let where_line = self.where_line.as_deref().map(regex::Regex::new).transpose()?;
        let kinds = self.patterns.iter().map(|(kind, patterns)| Ok((*kind, RegexSet::new(patterns)?)));
        Ok(FailurePatterns { where_line, kinds: kinds.collect::<Result<_, regex::Error>>()? })
    }
}

impl Manifest {
    /// Makes the manifest of the provider `name` from merged layers.
    ///
    /// # Errors
    /// The command is missing or a relative path, `name` disagrees, or `prompt_flag` is missing where it is needed.
    pub fn build(name: &str, fields: &Partial) -> Result<Manifest, ManifestError> {
        check(name, fields)?;
        Ok(assemble(name, fields))
    }

    /// Whether the agent can play the stager with tools. One that can be called singly says by its flags that it cannot.
    #[must_use]
    pub fn can_stage(&self) -> bool {
        !self.tooled_flags.is_empty() || self.is_acp_alone && self.stages_over_acp()
    }

    /// Whether it plays that over the Agent Client Protocol.
    #[must_use]
    pub fn stages_over_acp(&self) -> bool {
        self.acp.as_ref().is_some_and(|acp| acp.usage != AcpUse::Never && acp.tooled_mode.is_some())
    }

    /// Whether this is a provider that runs no program.
    #[must_use]
    pub fn is_offline(&self) -> bool {
        self.command.is_empty()
    }
}
