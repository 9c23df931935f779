//! From merged layers to a [`Manifest`]: what fields must say together, and the schema's defaults.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use super::builtin::OFFLINE;
use super::error::{ManifestError, Problem};
use super::fields::{DEFAULT_RETRY_INSTRUCTION, EXTENDS, FAILURE_KINDS, SINGLE_CALLS};
use super::layer::{Partial, Value};
use super::schema::{
    Acp, AcpUse, Checks, Delivery, Failures, Guide, Manifest, Models, Output, Run, Session, SessionMode, Tooled,
    UsagePaths, WorkingDir,
};
use crate::role::{Reasoning, Role};

/// Finds what no field alone can be judged by.
pub(super) fn check(name: &str, fields: &Partial) -> Result<(), ManifestError> {
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
    let protocol = read.list("acp.command").into_iter().next().unwrap_or_default();
    for (field, command) in
        [("command", read.text("command")), ("detect", read.text("detect")), ("acp.command", protocol)]
    {
        if is_relative_path(&command) {
            return fail(field, Problem::RelativePath { command: command.into() });
        }
    }
    if read.text("acp.model_option") == "argv" && read.text("model_flag").is_empty() {
        return fail("acp.model_option", Problem::MissingModelFlag);
    }
    if read.extends_acp()
        && let Some((field, _)) = fields.iter().find(|(key, entry)| is_of_single_calls(key, &entry.value))
    {
        return fail(field, Problem::NoSingleCalls);
    }
    if read.text("prompt_delivery") == "flag" && read.text("prompt_flag").is_empty() {
        return fail("prompt_delivery", Problem::MissingPromptFlag);
    }
    Ok(())
}

/// Whether a value says how single calls are made. Printed defaults, which may have been pasted, say nothing.
fn is_of_single_calls(key: &str, value: &Value) -> bool {
    let is_default = match value {
        Value::Text(text) => {
            text.is_empty() || [("prompt_delivery", "stdin"), ("output", "raw")].contains(&(key, text))
        }
        Value::List(items) => items.is_empty(),
        _ => false,
    };
    let is_named = |name: &&str| key == *name || key.strip_prefix(*name).is_some_and(|rest| rest.starts_with('.'));
    !is_default && SINGLE_CALLS.iter().any(is_named)
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

    /// Whether nothing but the Agent Client Protocol is used.
    fn extends_acp(&self) -> bool {
        self.text(EXTENDS.name) == "acp"
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

    /// What the reader has found to be a JSON object.
    fn object(&self, key: &str) -> Option<serde_json::Map<String, serde_json::Value>> {
        serde_json::from_str(&self.optional_text(key)?).ok()
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

pub(super) fn assemble(name: &str, fields: &Partial) -> Manifest {
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
            sandbox: read.boolean("tooled.sandbox", false),
        },
        checks: checks(&read),
        failures: failures(&read),
        usage: UsagePaths {
            input: read.text("usage.input"),
            output: read.text("usage.output"),
            cached: read.text("usage.cached"),
            cost: read.text("usage.cost"),
        },
        guide: Guide { use_when: read.list("guide.use_when"), avoid_when: read.list("guide.avoid_when") },
        run: run(&read),
        acp: acp(&read),
        is_acp_alone: read.extends_acp(),
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
    let own = || std::iter::once(read.text("command")).chain(read.list("subcommand")).collect();
    let command = if read.extends_acp() { own() } else { read.list("acp.command") };
    if command.is_empty() {
        return None;
    }
    Some(Acp {
        command,
        usage: match read.text("acp.use").as_str() {
            _ if read.extends_acp() => AcpUse::Always,
            "never" => AcpUse::Never,
            "staging" => AcpUse::Staging,
            "always" => AcpUse::Always,
            _ => AcpUse::Auto,
        },
        bare_mode: read.optional_text("acp.modes.bare"),
        tooled_mode: read.optional_text("acp.modes.tooled"),
        bare_meta: read.object("acp.meta.bare"),
        tooled_meta: read.object("acp.meta.tooled"),
        tooled_command: read.list("acp.tooled_command"),
        model_option: read.text("acp.model_option"),
    })
}
