//! What can be wrong with a manifest, said so that the place can be found and the mistake put right.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use super::fields::nearest;

/// A manifest, or a layer over one, that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct ManifestError {
    /// The provider's name.
    pub provider: Box<str>,
    /// The key below the provider, dotted; empty where it is about the whole table.
    pub field: Box<str>,
    /// The label of the layer that is at fault.
    pub layer: Arc<str>,
    /// Byte range in that layer's source text, where there is one.
    pub span: Option<Range<usize>>,
    /// What is wrong.
    pub problem: Problem,
}

impl fmt::Display for ManifestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = ["provider", &self.provider, &self.field].into_iter().filter(|part| !part.is_empty());
        write!(f, "`{}`: {}", path.collect::<Vec<_>>().join("."), self.problem)
    }
}

/// What is wrong with a manifest.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// The key does not exist.
    #[error("unknown field{}", suggestion(*nearest))]
    UnknownField {
        /// The known key that is nearest.
        nearest: Option<&'static str>,
    },
    /// The value is of another type.
    #[error("expected a {expected}, found {found}")]
    WrongType {
        /// What it has to be.
        expected: &'static str,
        /// What it is.
        found: &'static str,
    },
    /// The value is none of the few that are allowed.
    #[error("`{value}` is not allowed; use {}{}", choices(allowed), suggestion(nearest_choice(value, allowed)))]
    NotAllowed {
        /// What was given.
        value: Box<str>,
        /// What would do.
        allowed: &'static [&'static str],
    },
    /// A number outside its range.
    #[error("{value} is out of range; use {range}")]
    OutOfRange {
        /// What was given.
        value: Box<str>,
        /// What would do.
        range: &'static str,
    },
    /// A regular expression that does not compile.
    #[error("not a valid regular expression: {reason}")]
    BadPattern {
        /// What the expression compiler says.
        reason: Box<str>,
    },
    /// A string that is no JSON object.
    #[error("not a JSON object: {reason}")]
    BadJson {
        /// What the JSON reader says.
        reason: Box<str>,
    },
    /// A string with a NUL, which no argument and no variable can carry.
    #[error("a string cannot contain a NUL character")]
    Nul,
    /// A key that cannot name an environment variable.
    #[error("not a possible name of an environment variable")]
    BadVariable,
    /// A provider's name that could not be typed on a command line.
    #[error("a provider's name consists of letters, digits, `-`, `_` and `.`, and begins with a letter or digit")]
    BadName,
    /// `name` says something else than the table's key.
    #[error("`{name}` disagrees with the table's key; use the key, or leave the field out")]
    NameMismatch {
        /// What `name` says.
        name: Box<str>,
    },
    /// No layer says which program to run.
    #[error("`command` is missing: it names the program to run")]
    MissingCommand,
    /// A program named by a path that depends on where one stands.
    #[error("`{command}` is a relative path; use a name that is on `PATH`, or an absolute path")]
    RelativePath {
        /// The path.
        command: Box<str>,
    },
    /// `flag` delivery without the flag.
    #[error("`prompt_delivery = \"flag\"` needs `prompt_flag`")]
    MissingPromptFlag,
    /// `argv` without the flag.
    #[error("`acp.model_option = \"argv\"` needs `model_flag`")]
    MissingModelFlag,
    /// A field of single calls, where none is made.
    #[error(
        "has no meaning with `extends = \"acp\"`: `command` and `subcommand` start the agent, and all else goes over ACP"
    )]
    NoSingleCalls,
    /// A built-in provider is complete.
    #[error("a built-in provider extends nothing; give yours a name of its own")]
    ExtendsBuiltIn,
    /// The offline provider runs nothing that could be configured.
    #[error("the offline provider runs no program, so its fields cannot be changed")]
    OfflineIsFixed,
}

/// A layer's source text that holds no usable provider tables.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LayerError {
    /// The text is not TOML.
    #[error("{message}")]
    Syntax {
        /// What the TOML reader says.
        message: String,
        /// Where, in bytes.
        span: Option<Range<usize>>,
    },
    /// A table is at fault.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
}

fn suggestion(nearest: Option<&str>) -> String {
    nearest.map(|name| format!("; did you mean `{name}`?")).unwrap_or_default()
}

fn nearest_choice(value: &str, allowed: &[&'static str]) -> Option<&'static str> {
    nearest(value, allowed.iter().copied().filter(|name| !name.is_empty()))
}

fn choices(allowed: &[&str]) -> String {
    allowed.iter().map(|value| format!("`\"{value}\"`")).collect::<Vec<_>>().join(" or ")
}
