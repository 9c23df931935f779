//! The `[provider.<name>]` tables of all files, laid over each other, with credentials masked.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};
use toml::de::{DeTable, DeValue};

use super::{line, origin_json};
use crate::config::file::ProviderLayer;
use crate::config::options::PROVIDER_SECTION;
use crate::config::place::{Origin, Place};
use crate::untrusted::is_secret_name;

/// Stands for a value that is not shown.
const MASK: &str = "[masked]";
/// The sub-table of variables for the agent.
const ENV: &str = "env";

struct Leaf {
    value: toml::Value,
    origin: Origin,
}

/// By name of the provider, then by the path below it.
type Merged = BTreeMap<String, BTreeMap<Vec<String>, Leaf>>;

pub(super) fn show(text: &mut String, layers: &[ProviderLayer], origins: bool) {
    for (name, leaves) in merge(layers) {
        line(text, format_args!("\n[{PROVIDER_SECTION}.{}]", toml_key(&name)));
        for (path, Leaf { value, origin }) in leaves {
            let path: Vec<_> = path.iter().map(|part| toml_key(part)).collect();
            let comment = if origins { format!("  # {origin}") } else { String::new() };
            line(text, format_args!("{} = {value}{comment}", path.join(".")));
        }
    }
}

pub(super) fn to_json(layers: &[ProviderLayer]) -> Json {
    let leaf = |(path, leaf): (Vec<String>, Leaf)| {
        (path.join("."), json!({ "value": leaf.value, "origins": [origin_json(&leaf.origin)] }))
    };
    let provider =
        |(name, leaves): (String, BTreeMap<_, _>)| (name, Json::Object(leaves.into_iter().map(leaf).collect()));
    Json::Object(merge(layers).into_iter().map(provider).collect())
}

/// Tables merge key by key; everything else, lists too, is replaced by the higher layer.
fn merge(layers: &[ProviderLayer]) -> Merged {
    let mut merged = Merged::new();
    for layer in layers {
        // The text was parsed when it was loaded.
        let Ok(root) = DeTable::parse(layer.text()) else { continue };
        let Some(providers) = root.get_ref().get(PROVIDER_SECTION).and_then(|value| value.get_ref().as_table()) else {
            continue;
        };
        for (name, table) in providers {
            let leaves = merged.entry(name.get_ref().to_string()).or_default();
            if let DeValue::Table(table) = table.get_ref() {
                collect(layer, table, &[], leaves);
            }
        }
    }
    merged
}

fn collect(layer: &ProviderLayer, table: &DeTable<'_>, prefix: &[String], into: &mut BTreeMap<Vec<String>, Leaf>) {
    for (name, value) in table {
        let mut path = prefix.to_vec();
        path.push(name.get_ref().to_string());
        if let DeValue::Table(table) = value.get_ref() {
            collect(layer, table, &path, into);
            continue;
        }
        let value = if is_credential(&path) { toml::Value::from(MASK) } else { owned(value.get_ref()) };
        let place = Place::in_file(layer.path(), layer.text(), name.span().start);
        into.insert(path, Leaf { value, origin: Origin::at(layer.layer(), place) });
    }
}

fn is_credential(path: &[String]) -> bool {
    let [table, name] = path else { return false };
    table == ENV && is_secret_name(name)
}

fn owned(value: &DeValue<'_>) -> toml::Value {
    match value {
        DeValue::String(text) => text.as_ref().into(),
        // A number that TOML allows and this program cannot hold is shown as its digits.
        DeValue::Integer(integer) => i64::from_str_radix(integer.as_str(), integer.radix())
            .map_or_else(|_| integer.to_string().into(), toml::Value::Integer),
        DeValue::Float(float) => float.as_str().parse().map_or_else(|_| float.as_str().into(), toml::Value::Float),
        DeValue::Boolean(on) => (*on).into(),
        DeValue::Datetime(datetime) => (*datetime).into(),
        DeValue::Array(items) => items.iter().map(|item| owned(item.get_ref())).collect::<Vec<_>>().into(),
        DeValue::Table(table) => {
            let entries = table.iter().map(|(name, value)| (name.get_ref().to_string(), owned(value.get_ref())));
            toml::Value::Table(entries.collect())
        }
    }
}

/// The key, quoted where TOML wants that.
fn toml_key(key: &str) -> String {
    toml_edit::Key::new(key).display_repr().into_owned()
}
