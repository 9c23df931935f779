//! The change as plain data, for a writer that reads no prompt.

use crate::agent::offline::{self, MessageFacts};
use crate::git::LogEntry;
use crate::prompt::Material;

use super::judge::DUPLICATE_WINDOW;

/// What a message is written from, as data; `rejected` are the subjects refused in this run.
pub(super) fn facts(material: &Material<'_>, rejected: &[String]) -> MessageFacts {
    let latest = material.history.iter().take(DUPLICATE_WINDOW);
    let subjects = latest.filter_map(LogEntry::subject).map(str::to_owned);
    offline::facts(material, rejected.iter().cloned().chain(subjects).collect())
}
