//! The manifest's fields as a JSON Schema, for editors.

use serde_json::{Map, Value as Json, json};

use super::fields::{EXTENDS, FIELDS, Field, Kind, SUB_TABLES};

/// The schema of one `[provider.<name>]` table.
#[must_use]
pub fn json_schema() -> Json {
    let mut properties = fields(&FIELDS);
    properties.extend(fields(&[EXTENDS]));
    for table in &SUB_TABLES {
        properties.insert(table.name.to_owned(), table_of(&fields(table.keys)));
    }
    table_of(&properties)
}

fn table_of(properties: &Map<String, Json>) -> Json {
    json!({ "type": "object", "additionalProperties": false, "properties": properties })
}

fn fields(fields: &[Field]) -> Map<String, Json> {
    fields.iter().map(|field| (field.name.to_owned(), of_field(field))).collect()
}

fn of_field(field: &Field) -> Json {
    let mut schema = of_kind(field.kind);
    if let Json::Object(schema) = &mut schema {
        schema.insert("description".to_owned(), field.meaning.into());
    }
    schema
}

fn of_kind(kind: Kind) -> Json {
    let texts = json!({ "type": "array", "items": { "type": "string" } });
    let named =
        |keys: &[&str], value: &Json| table_of(&keys.iter().map(|key| ((*key).to_owned(), value.clone())).collect());
    match kind {
        Kind::Text | Kind::Json => json!({ "type": "string" }),
        Kind::Pattern => json!({ "type": "string", "format": "regex" }),
        Kind::Choice(allowed) => json!({ "enum": allowed }),
        // A TOML date has no type of its own in JSON; editors take it for a string.
        Kind::Date => json!({ "type": "string", "format": "date" }),
        Kind::Bool => json!({ "type": "boolean" }),
        Kind::Size => json!({ "type": "integer", "minimum": 0 }),
        Kind::List | Kind::Patterns => texts,
        Kind::ExitCodes => {
            json!({ "type": "array", "items": { "type": "integer", "minimum": 0, "maximum": 255 } })
        }
        Kind::Variables => json!({ "type": "object", "additionalProperties": { "type": "string" } }),
        Kind::Texts(keys) | Kind::Objects(keys) => named(keys, &json!({ "type": "string" })),
        Kind::Lists(keys) => named(keys, &texts),
    }
}
