//! The option table as a JSON Schema, for editors.

use serde_json::{Map, Value as Json, json};

use super::file::VERSION;
use super::options::{ADMISSION_SECTION, Key, PROVIDER_SECTION, VERSION_KEY};
use crate::role::Role;

/// The schema of a configuration file, in which a table of `[provider]` has the schema `provider`.
#[must_use]
pub fn json_schema(provider: &Json) -> Json {
    let mut root = Map::new();
    root.insert(
        VERSION_KEY.to_owned(),
        json!({ "description": "the layout that the file has", "type": "integer", "minimum": 1, "default": VERSION }),
    );
    for key in Key::all() {
        insert(&mut root, &key.path(), of_key(key));
    }
    if let Some(Json::Object(admission)) = root.get_mut(ADMISSION_SECTION) {
        admission.insert("additionalProperties".to_owned(), seats_of_provider());
    }
    let providers = json!({
        "description": "manifests of providers, over the built-in ones of the same name",
        "type": "object",
        "additionalProperties": provider,
    });
    root.insert(PROVIDER_SECTION.to_owned(), providers);
    json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "stagecoach's configuration",
        "description": "config.toml and .stagecoach.toml; printed by `stagecoach config schema`",
        "type": "object",
        "additionalProperties": false,
        "properties": root,
    })
}

/// Puts a key's schema into the tables that its dotted path leads through.
fn insert(properties: &mut Map<String, Json>, path: &str, schema: Json) {
    let Some((section, rest)) = path.split_once('.') else {
        properties.insert(path.to_owned(), schema);
        return;
    };
    let table = properties.entry(section).or_insert_with(empty_table);
    if let Some(Json::Object(properties)) = table.get_mut("properties") {
        insert(properties, rest, schema);
    }
}

fn empty_table() -> Json {
    json!({ "type": "object", "additionalProperties": false, "properties": {} })
}

/// The table of one provider's seats.
fn seats_of_provider() -> Json {
    let keys = Key::all().filter(|key| key.is_of_providers());
    let properties = keys.map(|key| {
        let mut schema = key.json_schema();
        schema.insert("description".to_owned(), key.declaration().doc.into());
        (key.field().to_owned(), Json::Object(schema))
    });
    json!({
        "description": "what one provider has of its own",
        "type": "object",
        "additionalProperties": false,
        "properties": properties.collect::<Map<_, _>>(),
    })
}

fn of_key(key: Key) -> Json {
    let mut schema = key.json_schema();
    let doc = key.declaration().doc;
    let description = key.role().map_or_else(|| doc.to_owned(), |role| of_role(role, doc));
    schema.insert("description".to_owned(), description.into());
    if let Some(default) = key.default_value() {
        schema.insert("default".to_owned(), default.to_json());
    }
    Json::Object(schema)
}

fn of_role(role: Role, doc: &str) -> String {
    format!("for the {role} role: {doc}")
}
