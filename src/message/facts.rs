//! The change as plain data, for a writer that reads no prompt.

use crate::agent::offline::{self, MessageFacts};
use crate::prompt::{Material, examples};

use super::judge::DUPLICATE_WINDOW;

/// What a message is written from, as data; `rejected` are the subjects refused in this run.
pub(super) fn facts(material: &Material<'_>, rejected: &[String]) -> MessageFacts {
    let latest = material.history.iter().take(DUPLICATE_WINDOW);
    let subjects = latest.filter_map(|entry| entry.message.trim_start().lines().next().map(str::to_owned));
    MessageFacts {
        files: offline::files(material.payload),
        history: examples(material.history),
        scopes: material.scopes.to_vec(),
        description: None,
        format: material.format.style.into(),
        body: material.format.body,
        locale: material.locale.map(str::to_owned),
        rejected: rejected.iter().cloned().chain(subjects).collect(),
        subject_limit: material.subject_target,
    }
}
