//! Where a setting comes from: its layer, and the place in it that a person can go to.

use std::fmt;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::untrusted::printable;

/// Where values come from, lowest precedence first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Layer {
    /// Built in.
    Default,
    /// The user's own file.
    GlobalFile,
    /// `.stagecoach.toml` at the root of the working tree.
    RepositoryFile,
    /// The file named by `--config` or `STAGECOACH_CONFIG`, which replaces the other two.
    ExplicitFile,
    /// `stagecoach.*` in git's configuration.
    GitConfig,
    /// `STAGECOACH_*` variables.
    Environment,
    /// Flags.
    CommandLine,
}

impl Layer {
    /// The name in words.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Layer::Default => "built-in default",
            Layer::GlobalFile => "global file",
            Layer::RepositoryFile => "repository file",
            Layer::ExplicitFile => "--config file",
            Layer::GitConfig => "git config",
            Layer::Environment => "environment",
            Layer::CommandLine => "command line",
        }
    }
}

impl fmt::Display for Layer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A place that a person can open, unset or stop typing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// A position in a file; line and column count from 1, the column in characters.
    File {
        /// The file.
        path: PathBuf,
        /// Its line.
        line: usize,
        /// The column in it.
        column: usize,
    },
    /// A value in git's configuration.
    GitConfig {
        /// The whole key.
        key: String,
        /// Where git found it, e.g. `file:.git/config`.
        origin: String,
    },
    /// An environment variable.
    Variable(String),
    /// A flag.
    Flag(String),
}

impl Place {
    /// The place of a byte offset in a file's text.
    pub(crate) fn in_file(path: &Path, text: &str, offset: usize) -> Self {
        let (line, column) = position(text, offset);
        Place::File { path: path.to_owned(), line, column }
    }

    /// The position in a file; other places have none.
    pub(crate) const fn line_and_column(&self) -> Option<(usize, usize)> {
        match self {
            Place::File { line, column, .. } => Some((*line, *column)),
            _ => None,
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::File { path, line, column } => {
                write!(f, "{}:{line}:{column}", printable(&path.to_string_lossy()))
            }
            Place::GitConfig { key, origin } => {
                write!(f, "git config {} ({})", printable(key), printable(origin))
            }
            Place::Variable(name) => write!(f, "the environment variable {}", printable(name)),
            Place::Flag(flag) => f.write_str(&printable(flag)),
        }
    }
}

/// Who set an effective value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// The layer.
    pub layer: Layer,
    /// The place in it; a built-in default has none.
    pub place: Option<Place>,
}

impl Origin {
    pub(crate) const DEFAULT: Origin = Origin { layer: Layer::Default, place: None };

    pub(crate) const fn at(layer: Layer, place: Place) -> Self {
        Self { layer, place: Some(place) }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            None => self.layer.fmt(f),
            Some(Place::File { path, line, .. }) => {
                write!(f, "{} {}:{line}", self.layer, printable(&path.to_string_lossy()))
            }
            Some(Place::GitConfig { key, origin }) => {
                write!(f, "{} {} ({})", self.layer, printable(key), printable(origin))
            }
            Some(Place::Variable(name) | Place::Flag(name)) => write!(f, "{} {}", self.layer, printable(name)),
        }
    }
}

/// Line and column, both from 1, of a byte offset; an offset past the end is the end.
fn position(text: &str, offset: usize) -> (usize, usize) {
    let boundary = (0..=offset.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default();
    let before = text.get(..boundary).unwrap_or_default();
    let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let column = before.get(start..).map_or(0, |current| current.chars().count()) + 1;
    (line, column)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_lines_and_characters() {
        let text = "a = 1\r\nü = \"漢\"\n";
        for (offset, expected) in
            [(0, (1, 1)), (4, (1, 5)), (7, (2, 1)), (9, (2, 2)), (13, (2, 6)), (14, (2, 6)), (999, (3, 1))]
        {
            assert_eq!(position(text, offset), expected, "{offset}");
        }
        assert_eq!(position("", 0), (1, 1));
    }
}
