//! `config path`: which files are looked at, and what becomes of each. Works with broken files too.

use std::fmt::Write as _;
use std::path::PathBuf;

use serde::{Serialize, Serializer};

use super::error::show_path;
use super::file::ConfigText;
use super::load::{Candidate, Sources, config_files, discovered_files, is_trusted};
use super::place::Layer;
use super::{ConfigError, options};

/// A file that configuration could come from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FileReport {
    /// Its layer.
    pub layer: Layer,
    /// Where it is, or would be.
    #[serde(serialize_with = "lossy")]
    pub path: PathBuf,
    /// Whether there is something of that name.
    pub exists: bool,
    /// What becomes of it.
    #[serde(flatten)]
    pub state: FileState,
}

/// What becomes of a configuration file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "state", rename_all = "kebab-case")]
pub enum FileState {
    /// It is read.
    Used,
    /// It is read, but only for what shapes messages.
    Untrusted,
    /// It does not exist and need not.
    Absent,
    /// Another file was named in its place.
    Replaced,
    /// It cannot be used.
    Broken {
        /// Why.
        error: String,
        /// What to do next.
        hint: String,
    },
}

/// What becomes of every configuration file, the lowest layer first.
#[must_use]
pub fn files(sources: &Sources) -> Vec<FileReport> {
    let used = config_files(sources);
    let mut reports: Vec<_> = discovered_files(sources)
        .into_iter()
        .filter(|file| !used.contains(file))
        .map(|file| report(file, FileState::Replaced))
        .collect();
    reports.extend(used.into_iter().map(|file| {
        let state = state(sources, &file)
            .unwrap_or_else(|error| FileState::Broken { error: error.to_string(), hint: error.hint() });
        report(file, state)
    }));
    reports
}

fn report(file: Candidate, state: FileState) -> FileReport {
    FileReport { layer: file.layer, exists: file.path.symlink_metadata().is_ok(), path: file.path, state }
}

fn state(sources: &Sources, file: &Candidate) -> Result<FileState, ConfigError> {
    let Some(bytes) = file.read()? else { return Ok(FileState::Absent) };
    let text = ConfigText::decode(file.layer, &file.path, bytes)?;
    let trusted = is_trusted(sources, &text, &text.contents()?)?;
    Ok(if trusted { FileState::Used } else { FileState::Untrusted })
}

/// The reports as text, one line for each file.
#[must_use]
pub fn show_files(reports: &[FileReport]) -> String {
    let mut text = String::new();
    for FileReport { layer, path, state, .. } in reports {
        let state = match state {
            FileState::Used => "used".to_owned(),
            FileState::Untrusted => "used for what shapes messages only: not trusted (`stagecoach trust`)".to_owned(),
            FileState::Absent => "does not exist".to_owned(),
            FileState::Replaced => format!("not read: --config or {} names another file", options::CONFIG_VARIABLE),
            FileState::Broken { error, .. } => format!("cannot be used: {error}"),
        };
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{layer}: {} ({state})", show_path(path));
    }
    text
}

fn lossy<S: Serializer>(path: &std::path::Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&path.to_string_lossy())
}
