//! One setting's value, whichever setting and layer it is from.

use std::fmt;
use std::time::Duration;

use super::duration;

/// A value that its setting accepts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// Yes or no.
    Switch(bool),
    /// A whole number.
    Integer(usize),
    /// A time span in whole seconds.
    Duration(Duration),
    /// Free text.
    Text(String),
    /// One of the names that the setting lists.
    Choice(&'static str),
    /// Several texts.
    List(Vec<String>),
}

impl Value {
    /// The value as JSON: durations as the text that configuration takes.
    #[must_use]
    pub fn to_json(&self) -> serde_json::Value {
        match self {
            Value::Switch(on) => (*on).into(),
            Value::Integer(number) => (*number).into(),
            Value::Duration(span) => duration::show(*span).into(),
            Value::Text(text) => text.as_str().into(),
            Value::Choice(name) => (*name).into(),
            Value::List(items) => items.as_slice().into(),
        }
    }
}

/// The value as TOML.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Switch(on) => on.fmt(f),
            Value::Integer(number) => number.fmt(f),
            Value::Duration(span) => write!(f, "\"{}\"", duration::show(*span)),
            Value::Text(text) => toml_text(text).fmt(f),
            Value::Choice(name) => write!(f, "\"{name}\""),
            Value::List(items) => {
                let items: Vec<_> = items.iter().map(|item| toml_text(item).to_string()).collect();
                write!(f, "[{}]", items.join(", "))
            }
        }
    }
}

fn toml_text(text: &str) -> toml::Value {
    toml::Value::String(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_shown_as_toml() {
        for (value, expected) in [
            (Value::Switch(true), "true"),
            (Value::Integer(7), "7"),
            (Value::Duration(Duration::from_secs(90)), "\"90s\""),
            (Value::Choice("off"), "\"off\""),
            (Value::List(vec!["a".to_owned(), "b\"".to_owned()]), "[\"a\", 'b\"']"),
        ] {
            assert_eq!(value.to_string(), expected);
        }
        let text = "a\n'''\"\"\" \\ \t ü";
        let shown = Value::Text(text.to_owned()).to_string();
        let parsed: toml::Table = toml::from_str(&format!("x = {shown}")).unwrap();
        assert_eq!(parsed["x"].as_str(), Some(text));
    }
}
