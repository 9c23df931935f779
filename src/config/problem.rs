//! What can be wrong with one value, and how that is said.

use super::text::nearest;
use crate::untrusted::printable;

/// What is wrong with a value. Only [`Display`](std::fmt::Display) and [`hint`](Self::hint) are for people.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// A TOML value of another type.
    #[error("expected {expected}, found {}", with_article(found))]
    WrongType {
        /// What is accepted, in words.
        expected: String,
        /// TOML's name of the type.
        found: &'static str,
    },
    /// A number or duration beyond the limits.
    #[error("{} is out of range; expected {expected}", printable(found))]
    OutOfRange {
        /// The range, in words.
        expected: String,
        /// What was given.
        found: String,
    },
    /// Text that is no number or boolean.
    #[error("`{}` is not {expected}", shorten(found))]
    Malformed {
        /// What is accepted, in words.
        expected: String,
        /// What was given.
        found: String,
    },
    /// A name that the enumeration does not have.
    #[error("`{}` is not one of {}", shorten(found), list_names(valid.iter().copied()))]
    UnknownChoice {
        /// What was given.
        found: String,
        /// All names.
        valid: Vec<&'static str>,
    },
    /// A text that the setting refuses.
    #[error("`{}`: {why}", shorten(found))]
    Rejected {
        /// What was given.
        found: String,
        /// Why.
        why: String,
    },
    /// A key of git's configuration without `=`.
    #[error("the key has no value; expected {expected}")]
    Valueless {
        /// What is accepted, in words.
        expected: String,
    },
}

impl Problem {
    /// What to do next, in one sentence.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Problem::WrongType { expected, .. }
            | Problem::OutOfRange { expected, .. }
            | Problem::Malformed { expected, .. }
            | Problem::Valueless { expected } => format!("Set it to {expected}."),
            Problem::UnknownChoice { found, valid } => match nearest(found, valid.iter().copied()) {
                Some(name) => format!("Did you mean `{name}`?"),
                None => format!("Use {}.", list_names(valid.iter().copied())),
            },
            Problem::Rejected { .. } => "Correct the value, or remove it.".to_owned(),
        }
    }
}

fn with_article(noun: &str) -> String {
    let article = if noun.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {noun}")
}

/// Enough of a value to recognise it; a file may hold a very long one.
fn shorten(text: &str) -> String {
    const SHOWN: usize = 60;
    match text.char_indices().nth(SHOWN) {
        None => printable(text),
        Some((end, _)) => format!("{}…", printable(text.get(..end).unwrap_or_default())),
    }
}

/// `off, low or high`
pub(super) fn list_names<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let mut names: Vec<_> = names.into_iter().collect();
    match (names.pop(), names.is_empty()) {
        (None, _) => String::new(),
        (Some(last), true) => last.to_owned(),
        (Some(last), false) => format!("{} or {last}", names.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_a_row() {
        assert_eq!(list_names(["a", "b", "c"]), "a, b or c");
        assert_eq!(list_names(["a"]), "a");
        assert_eq!(list_names([]), "");
    }

    #[test]
    fn a_long_value_is_shown_in_part() {
        assert_eq!(shorten("short\n"), "short\\u{a}");
        assert_eq!(shorten(&"ü".repeat(60)), "ü".repeat(60));
        assert_eq!(shorten(&"ü".repeat(61)), format!("{}…", "ü".repeat(60)));
    }
}
