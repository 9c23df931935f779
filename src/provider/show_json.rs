//! A provider as JSON, for programs: the same values as [`super::show()`] prints, and the layers beside them.

use serde_json::{Map, Value as Json, json};

use super::fields::{EXTENDS, FIELDS, Kind, SUB_TABLES};
use super::layer::Value;
use super::registry::{Provider, Source};
use super::show::{Secrets, effective};
use crate::untrusted::is_secret_name;

/// The provider as one object: all 22 fields, the sub-tables with what is set, `source` (`built-in`, `offline` or `user`),
/// and `origins`, which maps the dotted keys that a layer sets to its label. Hidden variables are null.
#[must_use]
pub fn show_json(provider: &Provider, secrets: Secrets) -> Json {
    let mut object = Map::new();
    for field in &FIELDS {
        let value = match field.kind {
            Kind::Variables | Kind::Lists(_) | Kind::Texts(_) => table(provider, field.name, secrets),
            _ => value(&effective(provider, field).0),
        };
        object.insert(field.name.to_owned(), value);
    }
    if let Some(entry) = provider.fields.get(EXTENDS.name) {
        object.insert(EXTENDS.name.to_owned(), value(&entry.value));
    }
    for sub_table in SUB_TABLES.iter().filter(|sub_table| provider.fields.table(sub_table.name).next().is_some()) {
        object.insert(sub_table.name.to_owned(), table(provider, sub_table.name, secrets));
    }
    let source = match provider.source {
        Source::BuiltIn => "built-in",
        Source::Offline => "offline",
        Source::User => "user",
    };
    let origins: Map<String, Json> =
        provider.fields.iter().map(|(key, entry)| (key.to_owned(), json!(&*entry.layer))).collect();
    object.insert("source".to_owned(), json!(source));
    object.insert("origins".to_owned(), Json::Object(origins));
    Json::Object(object)
}

/// The keys of a table; in `acp` there are tables in the table.
fn table(provider: &Provider, name: &str, secrets: Secrets) -> Json {
    let mut object = Map::new();
    for (key, entry) in provider.fields.table(name) {
        let hidden = name == "env" && secrets == Secrets::Hidden && is_secret_name(key);
        let value = if hidden { Json::Null } else { value(&entry.value) };
        let inner = key.split_once('.').filter(|_| name == "acp");
        match inner {
            Some((table, key)) => {
                let inner = object.entry(table).or_insert_with(|| json!({}));
                if let Some(inner) = inner.as_object_mut() {
                    inner.insert(key.to_owned(), value);
                }
            }
            None => {
                object.insert(key.to_owned(), value);
            }
        }
    }
    Json::Object(object)
}

fn value(value: &Value) -> Json {
    match value {
        Value::Text(text) => json!(text),
        Value::Bool(value) => json!(value),
        Value::Size(number) => json!(number),
        Value::List(items) => json!(items),
        Value::ExitCodes(codes) => json!(codes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::{Layer, Registry, show};

    fn provider(source: &str, name: &str) -> Provider {
        Registry::new(vec![Layer::parse("config.toml", source).unwrap()]).unwrap().get(name).unwrap()
    }

    #[test]
    fn json_and_toml_say_the_same() {
        let own = "[provider.own]\ncommand = 'own'\nenv.A = 'x'\nacp = { command = ['a'], modes.bare = 'ask' }\n\
                   reasoning_levels.low = ['l']\nfailures.ok_exit = [3]\nrun.max_payload_bytes = 7";
        let names: Vec<String> = Registry::default().names().into_iter().chain(["own".to_owned()]).collect();
        for name in names {
            let provider = provider(own, &name);
            let printed: toml::Table = toml::from_str(&show(&provider, Secrets::Shown)).unwrap();
            let mut expected = serde_json::to_value(&printed["provider"][&name]).unwrap();
            let mut given = show_json(&provider, Secrets::Shown);
            let object = given.as_object_mut().unwrap();
            assert!(object.remove("source").is_some() && object.remove("origins").is_some());
            for table in ["env", "reasoning_levels"] {
                expected.as_object_mut().unwrap().entry(table).or_insert_with(|| json!({}));
            }
            assert_eq!(given, expected, "{name}");
        }
    }

    #[test]
    fn secrets_are_null_and_origins_are_named() {
        let own = provider("[provider.own]\ncommand = 'own'\nenv.API_KEY = 'x'", "own");
        let json = show_json(&own, Secrets::Hidden);
        assert_eq!(json["env"], json!({ "API_KEY": null }));
        assert_eq!(json["origins"], json!({ "command": "config.toml", "env.API_KEY": "config.toml" }));
        assert_eq!(json["source"], "user");
    }
}
