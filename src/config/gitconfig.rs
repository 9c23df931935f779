//! Settings from git's configuration, read as git reads its own.

use super::error::ConfigError;
use super::options::{GIT_SECTION, Key};
use super::place::{Layer, Place};
use super::problem::Problem;
use super::resolve::Assignment;
use super::slot::Dialect;
use super::text::nearest_after;
use super::value::Value;
use super::warning::Warning;

/// One value of git's configuration. Entries come in the order in which git reads them: a later one wins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GitEntry {
    /// The whole key, e.g. `stagecoach.role.planner.timeout`. Section and variable may have any case.
    pub key: String,
    /// The value; `None` for a key without `=`.
    pub value: Option<String>,
    /// Where git found it, e.g. `file:.git/config`; for messages only.
    pub origin: String,
}

/// The settings made by `stagecoach.*` or what is wrong with them, and a warning for each key that no setting has. Other
/// sections are not looked at.
pub(crate) fn read(entries: &[GitEntry]) -> (Vec<Result<Assignment, ConfigError>>, Vec<Warning>) {
    let known: Vec<_> = Key::all().filter_map(|key| Some((key.git_key()?, key))).collect();
    let prefix = format!("{GIT_SECTION}.");
    let mut assignments = Vec::new();
    let mut warnings = Vec::new();
    for entry in entries.iter().filter(|entry| is_ours(&entry.key)) {
        match known.iter().find(|(name, _)| same_key(name, &entry.key)) {
            Some((_, key)) => assignments.push(assignment(*key, entry)),
            None => warnings.push(Warning::UnknownGitKey {
                key: entry.key.clone(),
                origin: entry.origin.clone(),
                nearest: nearest_after(&prefix, &entry.key, known.iter().map(|(name, _)| name.as_str())),
            }),
        }
    }
    (assignments, warnings)
}

fn assignment(key: Key, entry: &GitEntry) -> Result<Assignment, ConfigError> {
    let place = Place::GitConfig { key: entry.key.clone(), origin: entry.origin.clone() };
    let read = match &entry.value {
        Some(text) => key.read_text(text, Dialect::Git),
        // git reads a key without `=` as true, where a boolean is wanted.
        None if key.is_switch() => Ok(Value::Switch(true)),
        None => Err(Problem::Valueless { expected: key.expects() }),
    };
    Assignment::new(key, read, Layer::GitConfig, place)
}

fn is_ours(key: &str) -> bool {
    key.split_once('.').is_some_and(|(section, _)| section.eq_ignore_ascii_case(GIT_SECTION))
}

/// git's rule: the case of section and variable does not matter, that of a subsection does.
fn same_key(a: &str, b: &str) -> bool {
    match (parts(a), parts(b)) {
        (Some(a), Some(b)) => a.0.eq_ignore_ascii_case(b.0) && a.1 == b.1 && a.2.eq_ignore_ascii_case(b.2),
        _ => false,
    }
}

/// Section, subsection and variable; a subsection may have dots in it.
fn parts(key: &str) -> Option<(&str, &str, &str)> {
    let (section, rest) = key.split_once('.')?;
    let (subsection, variable) = rest.rsplit_once('.').unwrap_or(("", rest));
    Some((section, subsection, variable))
}
