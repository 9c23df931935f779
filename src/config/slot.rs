//! What a setting takes: reads a value from TOML or from text, checks it, and stores it in its field.

use std::ops::RangeInclusive;
use std::time::Duration;

use serde_json::json;
use toml::de::DeValue;

use super::duration;
use super::problem::{Problem, list_names};
use super::value::Value;
use crate::untrusted::steers;

/// Says why a text is not acceptable, or nothing.
pub(super) type Check = fn(&str) -> Option<&'static str>;

/// One name of an enumeration, and what choosing it does.
pub(super) struct Choice<T: 'static> {
    /// The name in files, variables and flags.
    pub name: &'static str,
    /// Stores it.
    pub set: fn(&mut T),
}

/// What a setting takes, and where the value is stored in `T`.
pub(super) enum Slot<T: 'static> {
    /// A boolean.
    Switch(fn(&mut T, bool)),
    /// A whole number, or a boolean that stands for 0 or 1.
    Level {
        /// The highest level.
        highest: usize,
        /// Stores it.
        set: fn(&mut T, usize),
    },
    /// A whole number.
    Integer {
        /// What is accepted.
        range: RangeInclusive<usize>,
        /// Stores it.
        set: fn(&mut T, usize),
    },
    /// A duration in whole seconds.
    Duration {
        /// What is accepted, in seconds.
        range: RangeInclusive<u64>,
        /// Stores it.
        set: fn(&mut T, Duration),
    },
    /// A text without control characters other than line breaks and tabs.
    Text {
        /// What else is required of it.
        check: Check,
        /// Stores it.
        set: fn(&mut T, &str),
    },
    /// One of several names.
    Choice(&'static [Choice<T>]),
    /// A list of texts.
    List {
        /// Whether the layers' lists are joined; otherwise the highest layer's list replaces the others.
        adds_up: bool,
        /// What is required of every item.
        check: Check,
        /// Stores it.
        set: fn(&mut T, &[String]),
    },
}

/// How text spells booleans and numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// Variables and flags.
    Plain,
    /// git's configuration: booleans as git reads them, `k`, `m` and `g` after numbers.
    Git,
}

impl<T> Slot<T> {
    /// What is accepted, in words.
    #[must_use]
    pub(super) fn expects(&self) -> String {
        match self {
            Slot::Switch(_) => "true or false".to_owned(),
            Slot::Level { highest, .. } => format!("a whole number from 0 to {highest}, true or false"),
            Slot::Integer { range, .. } => format!("a whole number from {} to {}", range.start(), range.end()),
            Slot::Duration { range, .. } => {
                format!("a duration from {} to {}", seconds(*range.start()), seconds(*range.end()))
            }
            Slot::Text { .. } => "text".to_owned(),
            Slot::Choice(choices) => list_names(choices.iter().map(|choice| choice.name)),
            Slot::List { .. } => "a list of texts".to_owned(),
        }
    }

    /// What is accepted, as a JSON Schema.
    pub(super) fn json_schema(&self) -> serde_json::Map<String, serde_json::Value> {
        let schema = match self {
            Slot::Switch(_) => json!({ "type": "boolean" }),
            Slot::Level { highest, .. } => json!({ "type": ["integer", "boolean"], "minimum": 0, "maximum": highest }),
            Slot::Integer { range, .. } => {
                json!({ "type": "integer", "minimum": range.start(), "maximum": range.end() })
            }
            Slot::Duration { range, .. } => json!({
                "type": ["string", "integer"],
                "minimum": range.start(),
                "maximum": range.end(),
                "pattern": duration::PATTERN,
            }),
            Slot::Text { .. } => json!({ "type": "string" }),
            Slot::Choice(choices) => {
                json!({ "enum": choices.iter().map(|choice| choice.name).collect::<Vec<_>>() })
            }
            Slot::List { .. } => json!({ "type": "array", "items": { "type": "string" } }),
        };
        match schema {
            serde_json::Value::Object(schema) => schema,
            _ => serde_json::Map::new(),
        }
    }

    /// Whether the lists of all layers are joined.
    #[must_use]
    pub(super) const fn adds_up(&self) -> bool {
        matches!(self, Slot::List { adds_up: true, .. })
    }

    /// Stores a value that [`read_toml`](Self::read_toml) or [`read_text`](Self::read_text) of this slot returned.
    pub(crate) fn store(&self, target: &mut T, value: &Value) {
        match (self, value) {
            (Slot::Switch(set), Value::Switch(on)) => set(target, *on),
            (Slot::Level { set, .. } | Slot::Integer { set, .. }, Value::Integer(number)) => set(target, *number),
            (Slot::Duration { set, .. }, Value::Duration(span)) => set(target, *span),
            (Slot::Text { set, .. }, Value::Text(text)) => set(target, text),
            (Slot::Choice(choices), Value::Choice(name)) => {
                choices.iter().filter(|choice| choice.name == *name).for_each(|choice| (choice.set)(target));
            }
            (Slot::List { set, .. }, Value::List(items)) => set(target, items),
            _ => debug_assert!(false, "{value:?} was not read by this slot"),
        }
    }

    /// Reads a TOML value.
    pub(crate) fn read_toml(&self, value: &DeValue<'_>) -> Result<Value, Problem> {
        let wrong = || Problem::WrongType { expected: self.expects(), found: value.type_str() };
        match (self, value) {
            (Slot::Switch(_), DeValue::Boolean(on)) => Ok(Value::Switch(*on)),
            (Slot::Level { .. }, DeValue::Boolean(on)) => Ok(Value::Integer(usize::from(*on))),
            (Slot::Level { .. } | Slot::Integer { .. }, DeValue::Integer(_)) => {
                self.number(whole(value), &show_toml(value))
            }
            (Slot::Duration { .. }, DeValue::Integer(_)) => {
                let span = whole(value).and_then(|number| u64::try_from(number).ok());
                self.duration(span.ok_or_else(|| self.out_of_range(&show_toml(value)))?)
            }
            (Slot::Duration { .. } | Slot::Text { .. } | Slot::Choice(_), DeValue::String(text)) => {
                self.read_text(text, Dialect::Plain)
            }
            (Slot::List { check, .. }, DeValue::Array(items)) => {
                let items = items.iter().map(|item| match item.get_ref() {
                    DeValue::String(text) => checked(text, *check),
                    other => Err(Problem::WrongType { expected: self.expects(), found: other.type_str() }),
                });
                items.collect::<Result<_, _>>().map(Value::List)
            }
            _ => Err(wrong()),
        }
    }

    /// Reads the text of a variable, a flag or git's configuration. A list is one item.
    pub(crate) fn read_text(&self, text: &str, dialect: Dialect) -> Result<Value, Problem> {
        let malformed = || Problem::Malformed { expected: self.expects(), found: text.to_owned() };
        match self {
            Slot::Switch(_) => boolean(text, dialect).map(Value::Switch).ok_or_else(malformed),
            Slot::Level { .. } | Slot::Integer { .. } => match integer(text, dialect) {
                Some(number) => self.number(usize::try_from(number).ok(), text),
                None if matches!(self, Slot::Level { .. }) => {
                    boolean(text, dialect).map(|on| Value::Integer(usize::from(on))).ok_or_else(malformed)
                }
                None => Err(malformed()),
            },
            Slot::Duration { .. } => {
                let span = duration::parse(text)
                    .map_err(|error| Problem::Rejected { found: text.to_owned(), why: error.to_string() })?;
                self.duration(span.as_secs())
            }
            Slot::Text { check, .. } => checked(text, *check).map(Value::Text),
            Slot::Choice(choices) => {
                let found = choices.iter().find(|choice| choice.name == text);
                found.map(|choice| Value::Choice(choice.name)).ok_or_else(|| Problem::UnknownChoice {
                    found: text.to_owned(),
                    valid: choices.iter().map(|choice| choice.name).collect(),
                })
            }
            Slot::List { check, .. } => checked(text, *check).map(|item| Value::List(vec![item])),
        }
    }

    fn number(&self, number: Option<usize>, shown: &str) -> Result<Value, Problem> {
        let accepted = |number: &usize| match self {
            Slot::Level { highest, .. } => number <= highest,
            Slot::Integer { range, .. } => range.contains(number),
            _ => false,
        };
        number.filter(accepted).map(Value::Integer).ok_or_else(|| self.out_of_range(shown))
    }

    fn duration(&self, length: u64) -> Result<Value, Problem> {
        match self {
            Slot::Duration { range, .. } if range.contains(&length) => Ok(Value::Duration(Duration::from_secs(length))),
            _ => Err(self.out_of_range(&seconds(length))),
        }
    }

    fn out_of_range(&self, shown: &str) -> Problem {
        Problem::OutOfRange { expected: self.expects(), found: shown.to_owned() }
    }
}

fn seconds(length: u64) -> String {
    duration::show(Duration::from_secs(length))
}

/// A TOML integer that is not negative and fits.
fn whole(value: &DeValue<'_>) -> Option<usize> {
    let integer = value.as_integer()?;
    usize::from_str_radix(integer.as_str(), integer.radix()).ok()
}

fn show_toml(value: &DeValue<'_>) -> String {
    value.as_integer().map(ToString::to_string).unwrap_or_default()
}

/// A text in which only line breaks and tabs may be control characters, and which passes the setting's own check.
fn checked(text: &str, check: Check) -> Result<String, Problem> {
    let why = if text.chars().any(|character| steers(character) && !matches!(character, '\n' | '\t' | '\r')) {
        Some("it contains control characters")
    } else {
        check(text)
    };
    match why {
        None => Ok(text.to_owned()),
        Some(why) => Err(Problem::Rejected { found: text.to_owned(), why: why.to_owned() }),
    }
}

/// `true`, `yes`, `on`, `1` and their opposites, in any case.
pub(crate) fn boolean(text: &str, dialect: Dialect) -> Option<bool> {
    let folded = text.trim().to_ascii_lowercase();
    match folded.as_str() {
        "true" | "yes" | "on" | "1" => Some(true),
        "false" | "no" | "off" | "0" => Some(false),
        // As git does: an empty value is false, and every other number true.
        "" if dialect == Dialect::Git => Some(false),
        _ if dialect == Dialect::Git => integer(&folded, dialect).map(|number| number != 0),
        _ => None,
    }
}

/// Any whole number, so that one that is out of range can be told from one that is none.
fn integer(text: &str, dialect: Dialect) -> Option<i128> {
    let text = text.trim();
    let units = [('k', 10), ('m', 20), ('g', 30)];
    let unit = units.into_iter().find_map(|(unit, shift)| {
        let digits = text.strip_suffix(unit).or_else(|| text.strip_suffix(unit.to_ascii_uppercase()))?;
        Some((digits, shift))
    });
    match unit {
        Some((digits, shift)) if dialect == Dialect::Git => {
            digits.parse::<i64>().ok().map(|number| i128::from(number) << shift)
        }
        _ => text.parse::<i64>().ok().map(i128::from),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn git_spells_numbers_with_units_and_others_do_not() {
        for (text, dialect, expected) in [
            ("12", Dialect::Plain, Some(12)),
            ("-12", Dialect::Plain, Some(-12)),
            ("1k", Dialect::Git, Some(1024)),
            ("1G", Dialect::Git, Some(1 << 30)),
            ("9223372036854775807g", Dialect::Git, Some(9_223_372_036_854_775_807_i128 << 30)),
            ("1k", Dialect::Plain, None),
            ("1kk", Dialect::Git, None),
            ("1.5", Dialect::Git, None),
            ("", Dialect::Git, None),
            ("k", Dialect::Git, None),
        ] {
            assert_eq!(integer(text, dialect), expected, "{text} {dialect:?}");
        }
    }
}
