//! What a commit looks like when it has landed.

use std::fmt::Write as _;

use crate::git::{Change, Head, HeadTarget, ObjectId, Status};

use crate::untrusted::stripped;

/// Digits of a short id, git's least.
const SHORT_ID: usize = 7;

/// A commit that HEAD now names.
#[derive(Debug)]
pub struct Landed<'a> {
    /// The commit.
    pub id: ObjectId,
    /// HEAD before it.
    pub head: &'a Head,
    /// The first line of its message.
    pub subject: &'a str,
    /// What it changes.
    pub change: &'a Change,
}

/// `[1a2b3c4] Subject` and a line for each file, as `git diff-tree --name-status` prints them.
#[must_use]
pub fn commit_report(landed: &Landed<'_>) -> String {
    let mark = match (&landed.head.target, landed.head.commit) {
        (_, None) => "(root-commit) ",
        (HeadTarget::Detached, Some(_)) => "detached HEAD ",
        (HeadTarget::Branch(_), Some(_)) => "",
    };
    format!("[{mark}{}] {}\n{}", landed.id.short(SHORT_ID), stripped(landed.subject), name_status(landed.change))
}

/// One line for each file: status, tab, path; for a rename both paths.
#[must_use]
pub fn name_status(change: &Change) -> String {
    let mut text = String::new();
    for file in change.files() {
        let status = match file.status() {
            Status::Renamed(similarity) => format!("R{similarity:03}"),
            status => status.letter().to_string(),
        };
        let old = file
            .renamed_from()
            .map(|old| format!("\t{}", crate::payload::quote(old.path.as_ref())))
            .unwrap_or_default();
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{status}{old}\t{}", crate::payload::quote(file.path()));
    }
    text
}
