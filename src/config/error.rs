//! What can be wrong with configuration. Every error says what failed, why, and what to do next.

use std::io;
use std::path::{Path, PathBuf};

use super::file::MAX_BYTES;
use super::place::Place;
use super::problem::Problem;
use super::trust::TrustError;
use crate::untrusted::printable;

/// The configuration cannot be used. [`Display`](std::fmt::Display) says what failed and why; [`hint`](Self::hint)
/// what to do next.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file named by a flag or a variable is not there.
    #[error("configuration file {} does not exist; {named_by} names it", show_path(path))]
    Missing {
        /// The file.
        path: PathBuf,
        /// `--config` or `STAGECOACH_CONFIG`.
        named_by: &'static str,
    },
    /// The file is there and cannot be read.
    #[error("configuration file {} cannot be read: {source}", show_path(path))]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Something else than a plain file has its name.
    #[error("configuration file {} is {found}, not a regular file", show_path(path))]
    NotRegular {
        /// The file.
        path: PathBuf,
        /// What it is, with an article.
        found: &'static str,
    },
    /// No configuration is that long.
    #[error("configuration file {} is larger than {} KiB", show_path(path), MAX_BYTES / 1024)]
    TooLarge {
        /// The file.
        path: PathBuf,
    },
    /// The file is no text.
    #[error("{place}: the file is not UTF-8 text")]
    NotUtf8 {
        /// The first wrong byte.
        place: Place,
    },
    /// The file is no TOML.
    #[error("{place}: TOML syntax error: {message}")]
    Syntax {
        /// Where.
        place: Place,
        /// What the parser said.
        message: String,
    },
    /// A key that no setting has.
    #[error("{place}: unknown key `{}`", printable(key))]
    UnknownKey {
        /// Where.
        place: Place,
        /// The dotted key.
        key: String,
        /// The known key that was most likely meant.
        nearest: Option<String>,
    },
    /// A value that its setting cannot take.
    #[error("{place}: invalid value for `{key}`: {problem}")]
    InvalidValue {
        /// Where.
        place: Place,
        /// The dotted key.
        key: String,
        /// What is wrong with it.
        problem: Box<Problem>,
    },
    /// A value inside a `[provider.<name>]` table, as judged by the manifest schema.
    #[error("{place}: {message}")]
    Provider {
        /// Where.
        place: Place,
        /// What is wrong and why.
        message: String,
        /// What to do next.
        hint: String,
    },
    /// A variable that matters is no text.
    #[error("the environment variable {name} is not UTF-8 text")]
    VariableNotUtf8 {
        /// The variable.
        name: String,
    },
    /// Whether the repository's file is trusted cannot be told.
    #[error(transparent)]
    Trust(#[from] TrustError),
}

impl ConfigError {
    pub(crate) fn invalid(place: Place, key: String, problem: Problem) -> Self {
        ConfigError::InvalidValue { place, key, problem: Box::new(problem) }
    }

    /// What to do next, in one sentence.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            ConfigError::Missing { named_by, .. } => format!("Create the file, or do not set {named_by}."),
            ConfigError::Unreadable { .. } => "Check the permissions of the file and of its folders.".to_owned(),
            ConfigError::NotRegular { .. } => "Put a regular file there, or remove it.".to_owned(),
            ConfigError::TooLarge { .. } => "Remove what is not configuration from it.".to_owned(),
            ConfigError::NotUtf8 { .. } => "Save the file as UTF-8.".to_owned(),
            ConfigError::Syntax { .. } => "Correct the line; the format is described at https://toml.io.".to_owned(),
            ConfigError::UnknownKey { nearest: Some(nearest), .. } => format!("Did you mean `{nearest}`?"),
            ConfigError::UnknownKey { nearest: None, .. } => "Remove the key, or check its spelling.".to_owned(),
            ConfigError::InvalidValue { problem, .. } => problem.hint(),
            ConfigError::Provider { hint, .. } => hint.clone(),
            ConfigError::VariableNotUtf8 { .. } => "Set it to UTF-8 text, or unset it.".to_owned(),
            ConfigError::Trust(error) => error.hint(),
        }
    }

    /// Where the mistake is, when it has a place.
    #[must_use]
    pub const fn place(&self) -> Option<&Place> {
        match self {
            ConfigError::NotUtf8 { place }
            | ConfigError::Syntax { place, .. }
            | ConfigError::UnknownKey { place, .. }
            | ConfigError::InvalidValue { place, .. }
            | ConfigError::Provider { place, .. } => Some(place),
            _ => None,
        }
    }
}

/// A path as it may be printed.
pub(crate) fn show_path(path: &Path) -> String {
    printable(&path.to_string_lossy())
}
