//! `stagecoach providers list` and `providers show`

use std::path::PathBuf;

use serde::Serialize;
use unicode_width::UnicodeWidthStr as _;

use crate::git::Repository;
use crate::program::SearchPath;
use crate::provider::{AcpUse, Manifest, Provider, Registry, Secrets, Source, show, show_json};
use crate::role::Role;
use crate::run::Cancel;
use crate::ui::json::SCHEMA;
use crate::untrusted::stripped;

use super::args::{GlobalArgs, ProvidersCommand};
use super::context::{Context, chosen, registry, search_path};
use super::diagnose::conclude;
use super::diagnose::provider::{self, Setting};
use super::diagnose::version;
use super::failure::interrupted;
use super::side_call::{self, PARALLEL, VERSION_TIMEOUT, in_parallel};
use super::{Failure, json_to_stdout, stoppable, to_stdout};

pub(super) fn run(command: &ProvidersCommand, global: &GlobalArgs) -> Result<(), Failure> {
    let context = Context::anywhere(global)?;
    let loaded = context.load()?;
    let registry = registry(&loaded)?;
    match command {
        ProvidersCommand::List { json } => {
            let path = search_path();
            let default = chosen(&registry, loaded.settings.role(Role::Message).provider.as_deref())?.name;
            let (cancel, _signals) = stoppable()?;
            let row = |provider: &Provider| Row::new(provider, &path, &default, &cancel);
            let rows = in_parallel(&registry.all()?, PARALLEL, row);
            if *json { json_to_stdout(&List { schema: SCHEMA, providers: rows }) } else { to_stdout(&table(&rows)) }
        }
        ProvidersCommand::Test { name, probe, json } => {
            let paths = context.repository.as_ref().map(Repository::paths);
            let protected = paths.map(|paths| [&paths.work_tree, &paths.git_dir, &paths.common_dir].map(Clone::clone));
            let (cancel, _signals) = stoppable()?;
            let default = registry.choose(&search_path())?.provider().manifest.name.clone();
            let setting = Setting {
                settings: &loaded.settings,
                default: &default,
                path: search_path(),
                cancel: &cancel,
                probe: *probe,
                protected: protected.into_iter().flatten().collect(),
            };
            test(&registry, name.as_deref(), &setting, *json)
        }
        ProvidersCommand::Show { name, json } => {
            let provider = registry.get(name)?;
            if *json {
                let provider = show_json(&provider, Secrets::Hidden);
                return json_to_stdout(&Shown { schema: SCHEMA, provider });
            }
            to_stdout(&show(&provider, Secrets::Hidden))
        }
    }
}

/// Tests the provider of that name, or all, several at once.
fn test(registry: &Registry, name: Option<&str>, setting: &Setting<'_>, json: bool) -> Result<(), Failure> {
    let manifests: Vec<Manifest> = match name {
        Some(name) => vec![registry.get(name)?.manifest],
        None => registry.all()?.into_iter().map(|provider| provider.manifest).collect(),
    };
    let reports = in_parallel(&manifests, PARALLEL, |manifest| provider::test(manifest, name.is_some(), setting));
    if let Some(cause) = setting.cancel.cause() {
        return Err(interrupted(cause));
    }
    conclude(&reports, json, name.is_some())
}

#[derive(Serialize)]
struct List {
    schema: u32,
    providers: Vec<Row>,
}

#[derive(Serialize)]
struct Shown {
    schema: u32,
    provider: serde_json::Value,
}

/// What is known of a provider without running a model.
#[derive(Serialize)]
#[allow(clippy::struct_excessive_bools, reason = "each is a column of its own")]
struct Row {
    name: String,
    /// Where its program is; absent when it is not installed.
    program: Option<PathBuf>,
    detected: bool,
    /// What its program says of its version.
    version: Option<String>,
    default: bool,
    experimental: bool,
    can_stage: bool,
    /// How it is asked; see [`transport`].
    transport: &'static str,
    user_defined: bool,
}

impl Row {
    fn new(provider: &Provider, path: &SearchPath, default: &str, cancel: &Cancel) -> Self {
        let manifest = &provider.manifest;
        let offline = manifest.is_offline();
        let program = if offline { None } else { path.find(&manifest.detect) };
        Self {
            name: manifest.name.clone(),
            detected: offline || program.is_some(),
            version: program.as_ref().and_then(|_| version_of(manifest, cancel)),
            default: manifest.name == default,
            experimental: manifest.experimental,
            can_stage: manifest.can_stage(),
            transport: transport(manifest),
            user_defined: provider.source == Source::User,
            program,
        }
    }

    fn notes(&self) -> String {
        let notes = [
            (self.default, "default"),
            (self.can_stage, "can stage"),
            (self.experimental, "experimental"),
            (self.user_defined, "yours"),
            (self.transport == BUILT_IN, "needs no agent"),
        ];
        notes.iter().filter(|(holds, _)| *holds).map(|(_, note)| *note).collect::<Vec<_>>().join(", ")
    }
}

/// What is no program.
const BUILT_IN: &str = "built-in";

/// How a provider is asked: by a process for each call, by one that speaks ACP, or by that where it pays.
fn transport(manifest: &Manifest) -> &'static str {
    if manifest.is_offline() {
        return BUILT_IN;
    }
    match manifest.acp.as_ref().map(|acp| acp.usage) {
        Some(AcpUse::Staging) if manifest.stages_over_acp() => "one-shot, ACP",
        None | Some(AcpUse::Never | AcpUse::Staging) => "one-shot",
        Some(AcpUse::Auto) => "one-shot, ACP",
        Some(AcpUse::Always) => "ACP",
    }
}

/// The version that a program prints, if it does so in time.
fn version_of(manifest: &Manifest, cancel: &Cancel) -> Option<String> {
    let outcome = side_call::run(manifest, &manifest.checks.version, VERSION_TIMEOUT, cancel).ok()?;
    version::find(&String::from_utf8_lossy(&outcome.stdout)).map(str::to_owned)
}

fn table(rows: &[Row]) -> String {
    let head = ["PROVIDER", "STATE", "TRANSPORT", "NOTES"].map(str::to_owned);
    let cells = rows.iter().map(|row| {
        let state = match (row.detected, &row.version) {
            (true, Some(version)) => format!("installed {version}"),
            (true, None) => "installed".to_owned(),
            (false, _) => "not installed".to_owned(),
        };
        [row.name.clone(), state, row.transport.to_owned(), row.notes()]
    });
    let lines: Vec<[String; 4]> = std::iter::once(head).chain(cells).collect();
    let width = |column: usize| lines.iter().filter_map(|line| line.get(column)).map(|cell| cell.width()).max();
    let [first, second, third] = [0, 1, 2].map(|column| width(column).unwrap_or(0));
    let marks = std::iter::once(' ').chain(rows.iter().map(|row| if row.default { '*' } else { ' ' }));
    let line = |(mark, [name, state, transport, notes]): (char, &[String; 4])| {
        let line = format!("{mark} {name:first$}  {state:second$}  {transport:third$}  {notes}");
        line.trim_end().to_owned() + "\n"
    };
    stripped(&marks.zip(&lines).map(line).collect::<String>())
}
