//! `config show`: the effective values, and who set each of them.

mod providers;

use std::fmt::Write as _;

use serde_json::{Value as Json, json};

use super::file::VERSION;
use super::load::Loaded;
use super::options::VERSION_KEY;
use super::place::{Origin, Place};
use super::resolve::Effective;

/// Version of the layout of [`show_json`]'s document.
const SCHEMA: u32 = 1;

/// The effective configuration as a file that, used as configuration, gives the same settings but for masked values.
/// With `origins`, a comment on every value says who set it.
#[must_use]
pub fn show(loaded: &Loaded, origins: bool) -> String {
    let mut text = format!("{VERSION_KEY} = {VERSION}\n");
    for (section, values) in by_section(loaded) {
        line(&mut text, format_args!("\n[{section}]"));
        for effective in values {
            let comment = if origins { format!("  # {}", describe(effective)) } else { String::new() };
            match &effective.value {
                Some(value) => line(&mut text, format_args!("{} = {value}{comment}", effective.key.field())),
                None => line(&mut text, format_args!("# {} is not set", effective.key.field())),
            }
        }
    }
    providers::show(&mut text, &loaded.provider_layers, origins);
    text
}

/// The same as one JSON document, always with origins.
///
/// `settings` and `providers` map dotted keys to `{value, origins}`; an origin has `layer` and, as its layer has them,
/// `file`, `line` and `column`, `key` and `origin`, `variable` or `flag`.
#[must_use]
pub fn show_json(loaded: &Loaded) -> Json {
    let setting = |effective: &Effective| {
        let value = effective.value.as_ref().map(super::Value::to_json);
        let origins: Vec<_> = effective.origins.iter().map(origin_json).collect();
        let inherited = effective.inherited_from.map(super::options::Key::path);
        (effective.path(), json!({ "value": value, "origins": origins, "inherited_from": inherited }))
    };
    json!({
        "schema": SCHEMA,
        "settings": loaded.origins.iter().map(setting).collect::<serde_json::Map<_, _>>(),
        "providers": providers::to_json(&loaded.provider_layers),
        "warnings": loaded.warnings.iter().map(ToString::to_string).collect::<Vec<_>>(),
    })
}

/// The values by table, tables and values in the order of the option table.
fn by_section(loaded: &Loaded) -> Vec<(String, Vec<&Effective>)> {
    let mut sections: Vec<(String, Vec<&Effective>)> = Vec::new();
    for effective in loaded.origins.iter() {
        let section = effective.section();
        match sections.iter_mut().find(|(name, _)| *name == section) {
            Some((_, values)) => values.push(effective),
            None => sections.push((section, vec![effective])),
        }
    }
    sections
}

fn describe(effective: &Effective) -> String {
    let origins: Vec<_> = effective.origins.iter().map(ToString::to_string).collect();
    match effective.inherited_from {
        Some(key) => format!("{} ({})", origins.join(" + "), key.path()),
        None => origins.join(" + "),
    }
}

fn origin_json(origin: &Origin) -> Json {
    let layer = origin.layer;
    match &origin.place {
        None => json!({ "layer": layer }),
        Some(Place::File { path, line, column }) => {
            json!({ "layer": layer, "file": path.to_string_lossy(), "line": line, "column": column })
        }
        Some(Place::GitConfig { key, origin }) => json!({ "layer": layer, "key": key, "origin": origin }),
        Some(Place::Variable(name)) => json!({ "layer": layer, "variable": name }),
        Some(Place::Flag(flag)) => json!({ "layer": layer, "flag": flag }),
    }
}

/// Writing to a String cannot fail.
fn line(text: &mut String, line: std::fmt::Arguments<'_>) {
    let _ = writeln!(text, "{line}");
}

#[cfg(test)]
mod tests;
