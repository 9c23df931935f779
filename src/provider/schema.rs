//! A manifest, complete: what is known about how one agent program is called and how its answer is read.
//!
//! A [`Manifest`] is only ever made from layers ([`Manifest::build`]), so one that exists has a command, agrees with its
//! name and can be rendered.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use regex::RegexSet;

use super::builtin::OFFLINE;
use super::error::{ManifestError, Problem};
use super::fields::{DEFAULT_RETRY_INSTRUCTION, FAILURE_KINDS};
use super::layer::{Partial, Value};
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
    pub usage: Usage,
    pub guide: Guide,
    pub run: Run,
    /// None when no layer gives a command that starts the protocol mode.
    pub acp: Option<Acp>,
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
pub struct Usage {
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
    pub model_option: String,
}

/// What the agent's output says about a failure.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Failures {
    /// Only lines that match count.
    pub where_line: Option<String>,
    /// Expressions by kind of failure, in the order of [`FAILURE_KINDS`]; kinds without any are left out.
    pub patterns: Vec<(&'static str, Vec<String>)>,
    /// Exit codes besides 0 that are success.
    pub ok_exit: Vec<u8>,
}

/// [`Failures`] ready to be matched; made only when a call has failed.
#[derive(Debug, Clone)]
pub struct FailurePatterns {
    /// Only lines that match count.
    pub where_line: Option<regex::Regex>,
    /// Expressions by kind of failure, one of [`FAILURE_KINDS`].
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

    /// Whether the agent can play the stager with tools.
    #[must_use]
    pub fn can_stage(&self) -> bool {
        !self.tooled_flags.is_empty()
    }

    /// Whether this is a provider that runs no program.
    #[must_use]
    pub fn is_offline(&self) -> bool {
        self.command.is_empty()
    }
}

/// What one field alone cannot be judged by.
fn check(name: &str, fields: &Partial) -> Result<(), ManifestError> {
    let fail = |field: &str, problem| {
        let at = fields.get(field).or_else(|| fields.iter().map(|(_, entry)| entry).next());
        let layer = at.map_or_else(|| Arc::from(""), |entry| Arc::clone(&entry.layer));
        let span: Option<Range<usize>> = at.and_then(|entry| entry.span.clone());
        Err(ManifestError { provider: name.into(), field: field.into(), layer, span, problem })
    };
    let read = Fields(fields);
    let said = read.text("name");
    if !said.is_empty() && said != name {
        return fail("name", Problem::NameMismatch { name: said.into() });
    }
    if read.text("command").is_empty() && name != OFFLINE {
        return fail("command", Problem::MissingCommand);
    }
    for field in ["command", "detect"] {
        let command = read.text(field);
        if is_relative_path(&command) {
            return fail(field, Problem::RelativePath { command: command.into() });
        }
    }
    if read.text("prompt_delivery") == "flag" && read.text("prompt_flag").is_empty() {
        return fail("prompt_delivery", Problem::MissingPromptFlag);
    }
    Ok(())
}

fn is_relative_path(command: &str) -> bool {
    command.contains(std::path::is_separator) && !Path::new(command).is_absolute()
}

/// Typed look-ups with the schema's defaults.
struct Fields<'a>(&'a Partial);

impl Fields<'_> {
    fn value(&self, key: &str) -> Option<&Value> {
        self.0.get(key).map(|entry| &entry.value)
    }

    fn text(&self, key: &str) -> String {
        self.optional_text(key).unwrap_or_default()
    }

    fn optional_text(&self, key: &str) -> Option<String> {
        match self.value(key) {
            Some(Value::Text(text)) => Some(text.clone()),
            _ => None,
        }
    }

    fn list(&self, key: &str) -> Vec<String> {
        self.optional_list(key).unwrap_or_default()
    }

    fn optional_list(&self, key: &str) -> Option<Vec<String>> {
        match self.value(key) {
            Some(Value::List(items)) => Some(items.clone()),
            _ => None,
        }
    }

    fn boolean(&self, key: &str, default: bool) -> bool {
        match self.value(key) {
            Some(Value::Bool(value)) => *value,
            _ => default,
        }
    }

    fn output(&self, key: &str) -> Option<Output> {
        match self.optional_text(key).as_deref() {
            Some("json") => Some(Output::Json),
            Some("raw") => Some(Output::Raw),
            _ => None,
        }
    }
}

fn assemble(name: &str, fields: &Partial) -> Manifest {
    let read = Fields(fields);
    let command = read.text("command");
    Manifest {
        name: name.to_owned(),
        detect: Some(read.text("detect")).filter(|detect| !detect.is_empty()).unwrap_or_else(|| command.clone()),
        command,
        list_models_command: read.list("list_models_command"),
        subcommand: read.list("subcommand"),
        prompt_delivery: match read.text("prompt_delivery").as_str() {
            "positional" => Delivery::Positional,
            "flag" => Delivery::Flag,
            _ => Delivery::Stdin,
        },
        prompt_flag: read.text("prompt_flag"),
        print_flag: read.text("print_flag"),
        model_flag: read.text("model_flag"),
        default_model: read.text("default_model"),
        system_prompt_flag: read.text("system_prompt_flag"),
        provider_flag: read.text("provider_flag"),
        session_mode: if read.text("session_mode") == "append" { SessionMode::Append } else { SessionMode::None },
        bare_flags: read.list("bare_flags"),
        tooled_flags: read.list("tooled_flags"),
        output: read.output("output").unwrap_or_default(),
        json_field: read.text("json_field"),
        strip_code_fence: read.boolean("strip_code_fence", true),
        retry_instruction: read
            .optional_text("retry_instruction")
            .unwrap_or_else(|| DEFAULT_RETRY_INSTRUCTION.to_owned()),
        env: texts(fields, "env"),
        reasoning_levels: Reasoning::ALL
            .into_iter()
            .filter_map(|level| Some((level, read.optional_list(&format!("reasoning_levels.{level}"))?)))
            .collect(),
        experimental: read.boolean("experimental", false),
        models: models(&read),
        session: session(&read),
        tooled: Tooled {
            repo_dir_flag: read.text("tooled.repo_dir_flag"),
            scoped: read.boolean("tooled.scoped", false),
        },
        checks: checks(&read),
        failures: failures(&read),
        usage: Usage {
            input: read.text("usage.input"),
            output: read.text("usage.output"),
            cached: read.text("usage.cached"),
            cost: read.text("usage.cost"),
        },
        guide: Guide { use_when: read.list("guide.use_when"), avoid_when: read.list("guide.avoid_when") },
        run: run(&read),
        acp: acp(&read),
    }
}

fn texts(fields: &Partial, table: &str) -> BTreeMap<String, String> {
    let texts = fields.table(table).filter_map(|(key, entry)| match &entry.value {
        Value::Text(text) => Some((key.to_owned(), text.clone())),
        _ => None,
    });
    texts.collect()
}

fn models(read: &Fields<'_>) -> Models {
    let by_role = Role::ALL.into_iter().filter_map(|role| Some((role, read.optional_text(&format!("models.{role}"))?)));
    Models { by_role: by_role.collect(), verified: read.optional_text("models.verified") }
}

fn session(read: &Fields<'_>) -> Session {
    Session {
        first: read.list("session.first"),
        next: read.list("session.next"),
        drop: read.list("session.drop"),
        subcommand_next: read.optional_list("session.subcommand_next"),
        id_from: read.text("session.id_from"),
        output: read.output("session.output"),
    }
}

fn checks(read: &Fields<'_>) -> Checks {
    Checks {
        version: read.list("checks.version"),
        minimum: read.text("checks.minimum"),
        auth_env: read.list("checks.auth_env"),
        auth_files: read.list("checks.auth_files"),
        notes: read.list("checks.notes"),
    }
}

fn failures(read: &Fields<'_>) -> Failures {
    let patterns = FAILURE_KINDS.into_iter().filter_map(|kind| {
        let patterns = read.list(&format!("failures.{kind}"));
        (!patterns.is_empty()).then_some((kind, patterns))
    });
    Failures {
        where_line: read.optional_text("failures.where"),
        patterns: patterns.collect(),
        ok_exit: match read.value("failures.ok_exit") {
            Some(Value::ExitCodes(codes)) => codes.clone(),
            _ => Vec::new(),
        },
    }
}

fn run(read: &Fields<'_>) -> Run {
    Run {
        working_dir: if read.text("run.working_dir") == "repo" { WorkingDir::Repo } else { WorkingDir::Scratch },
        max_payload_bytes: match read.value("run.max_payload_bytes") {
            Some(Value::Size(bytes)) => Some(usize::try_from(*bytes).unwrap_or(usize::MAX)),
            _ => None,
        },
        unset_env: read.list("run.unset_env"),
        escape_at: read.boolean("run.escape_at", false),
        stdin_fallback: read.boolean("run.stdin_fallback", false),
    }
}

fn acp(read: &Fields<'_>) -> Option<Acp> {
    let command = read.optional_list("acp.command").filter(|command| !command.is_empty())?;
    Some(Acp {
        command,
        usage: match read.text("acp.use").as_str() {
            "never" => AcpUse::Never,
            "always" => AcpUse::Always,
            _ => AcpUse::Auto,
        },
        bare_mode: read.optional_text("acp.modes.bare"),
        tooled_mode: read.optional_text("acp.modes.tooled"),
        model_option: read.text("acp.model_option"),
    })
}
