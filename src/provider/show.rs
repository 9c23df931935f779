//! A provider as text that can be read and pasted: TOML with the layer of every value beside it.
//!
//! What is printed reads back to the same manifest, except for variables that look like secrets and were asked to be
//! hidden.

use std::fmt::Write as _;
use std::sync::Arc;

use super::fields::{DEFAULT_RETRY_INSTRUCTION, EXTENDS, FIELDS, Field, Kind, SUB_TABLES, SubTable};
use super::layer::{Entry, Value};
use super::registry::{Provider, Source};
use super::schema::Manifest;
use crate::untrusted::is_secret_name;

/// What happens to variables whose names look like those of secrets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Secrets {
    /// A comment says that they are set.
    Hidden,
    /// They are printed.
    Shown,
}

/// The provider as TOML: `[provider.<name>]` with all 22 fields in their order, then the sub-tables with what is set.
#[must_use]
pub fn show(provider: &Provider, secrets: Secrets) -> String {
    let mut printer = Printer { provider, secrets, text: String::new() };
    printer.header();
    for field in &FIELDS {
        printer.field(field);
    }
    for table in &SUB_TABLES {
        printer.sub_table(table);
    }
    printer.text
}

struct Printer<'a> {
    provider: &'a Provider,
    secrets: Secrets,
    text: String,
}

impl Printer<'_> {
    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn header(&mut self) {
        let what = match self.provider.source {
            Source::BuiltIn if self.provider.manifest.experimental => "built-in provider, experimental",
            Source::BuiltIn => "built-in provider",
            Source::Offline => "part of stagecoach: runs no program, asks no model, and serves every role by rules",
            Source::User => "defined by your configuration",
        };
        let alone = self.provider.manifest.acp.as_ref().filter(|_| self.provider.manifest.is_acp_alone);
        let over = alone.map(|acp| format!("; asked over ACP: {}", acp.command.join(" "))).unwrap_or_default();
        self.line(&plain(&format!("# {what}{over}")));
        self.line(&format!("[provider.{}]", key(&self.provider.manifest.name)));
        if let Some(entry) = self.provider.fields.get(EXTENDS.name) {
            let (value, layer) = (literal(&entry.value), entry.layer.to_string());
            self.assignment(EXTENDS.name, &value, &layer);
        }
    }

    fn field(&mut self, field: &Field) {
        match field.kind {
            Kind::Variables | Kind::Lists(_) | Kind::Texts(_) | Kind::Objects(_) => {
                self.table(field.name, field.name, Some("{}"));
            }
            _ => {
                let (value, layer) = effective(self.provider, field);
                let origin = layer.unwrap_or_else(|| "default".into());
                self.assignment(field.name, &literal(&value), &origin);
            }
        }
    }

    /// The values below the dotted key `path`, each on a line of its own as `name.key = value`.
    fn table(&mut self, name: &str, path: &str, when_empty: Option<&str>) {
        let entries: Vec<(String, Entry)> =
            self.provider.fields.table(path).map(|(key, entry)| (key.to_owned(), entry.clone())).collect();
        if let (true, Some(empty)) = (entries.is_empty(), when_empty) {
            self.assignment(name, empty, "default");
        }
        for (variable, entry) in entries {
            if path == "env" && self.secrets == Secrets::Hidden && is_secret_name(&variable) {
                let hidden = format!("# {name}.{} is set but not shown", key(&variable));
                self.line(&format!("{hidden}  # {}", plain(&entry.layer)));
            } else {
                self.assignment(&format!("{name}.{}", key(&variable)), &literal(&entry.value), &entry.layer);
            }
        }
    }

    fn sub_table(&mut self, table: &SubTable) {
        if self.provider.fields.table(table.name).next().is_none() {
            return;
        }
        let title = format!("\n[provider.{}.{}]", key(&self.provider.manifest.name), table.name);
        self.line(&title);
        for field in table.keys {
            let path = format!("{}.{}", table.name, field.name);
            if let Some(entry) = self.provider.fields.get(&path) {
                let (value, layer) = (literal(&entry.value), entry.layer.to_string());
                self.assignment(field.name, &value, &layer);
            }
            self.table(field.name, &path, None);
        }
    }

    fn assignment(&mut self, name: &str, value: &str, origin: &str) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.text, "{name} = {value}  # {}", plain(origin));
    }
}

/// The value of a field that holds no table, and the layer that it comes from; None where it is the default.
pub(super) fn effective(provider: &Provider, field: &Field) -> (Value, Option<Arc<str>>) {
    match provider.fields.get(field.name) {
        Some(entry) if !is_unset(field, &entry.value) => (entry.value.clone(), Some(Arc::clone(&entry.layer))),
        _ => (default(&provider.manifest, field), None),
    }
}

/// What holds for a field that no layer sets.
fn default(manifest: &Manifest, field: &Field) -> Value {
    match (field.name, field.kind) {
        ("name", _) => Value::Text(manifest.name.clone()),
        ("detect", _) => Value::Text(manifest.detect.clone()),
        ("prompt_delivery", _) => Value::Text("stdin".to_owned()),
        ("output", _) => Value::Text("raw".to_owned()),
        ("retry_instruction", _) => Value::Text(DEFAULT_RETRY_INSTRUCTION.to_owned()),
        ("strip_code_fence", _) => Value::Bool(true),
        (_, Kind::Bool) => Value::Bool(false),
        (_, Kind::List) => Value::List(Vec::new()),
        _ => Value::Text(String::new()),
    }
}

/// An empty name or `detect` is the same as none, and what then holds is printed instead.
fn is_unset(field: &Field, value: &Value) -> bool {
    matches!(field.name, "name" | "detect") && *value == Value::Text(String::new())
}

fn literal(value: &Value) -> String {
    match value {
        Value::Text(text) => string(text),
        Value::Bool(value) => value.to_string(),
        Value::Size(number) => number.to_string(),
        Value::List(items) => list(items.iter().map(|item| string(item))),
        Value::ExitCodes(codes) => list(codes.iter().map(u8::to_string)),
    }
}

fn list(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(", "))
}

/// A string on one line, literal where that saves escapes, as expressions and JSON are read more easily so.
fn string(text: &str) -> String {
    let calm = |c: char| !c.is_control() && c != '\'';
    if text.contains(['\\', '"']) && text.chars().all(calm) {
        return format!("'{text}'");
    }
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            '\r' => quoted.push_str("\\r"),
            c if c.is_control() => quoted.extend(format!("\\u{:04X}", u32::from(c)).chars()),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

fn key(name: &str) -> String {
    let bare = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
    if bare { name.to_owned() } else { string(name) }
}

/// A layer's label is often a path, and a path may hold anything.
fn plain(label: &str) -> String {
    label.chars().map(|c| if c.is_control() { '?' } else { c }).collect()
}

#[cfg(test)]
#[path = "show_tests.rs"]
mod tests;
