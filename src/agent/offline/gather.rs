//! The change as plain data, read from a payload.

use crate::config::Style;
use crate::payload::{Counts, FilePatch, Noise, Payload, quote};
use crate::prompt::{Material, PlannerMaterial, examples};

use super::facts::{FileFacts, FileKind, FileStatus, MessageFacts, SubjectFormat};

/// The most lines of each sign that are handed on for one file.
const MOST_LINES: usize = 300;

/// The most lines that are handed on in all.
const MOST_LINES_IN_ALL: usize = 4000;

/// The files of a payload, in its order.
pub(super) fn files(payload: &Payload) -> Vec<FileFacts> {
    let mut left = MOST_LINES_IN_ALL;
    payload.files().iter().map(|patch| file(patch, &mut left)).collect()
}

impl From<Style> for SubjectFormat {
    fn from(style: Style) -> Self {
        match style {
            Style::Auto => Self::Auto,
            Style::Conventional => Self::Conventional,
            Style::Gitmoji => Self::Gitmoji,
            Style::Plain => Self::Plain,
        }
    }
}

/// What a message is written from, as data; `rejected` are subjects that must not come again.
#[must_use]
pub fn facts(material: &Material<'_>, rejected: Vec<String>) -> MessageFacts {
    MessageFacts {
        files: files(material.payload),
        history: examples(material.history),
        scopes: material.scopes.to_vec(),
        description: None,
        format: material.format.style.into(),
        body: material.format.body,
        locale: material.locale.map(str::to_owned),
        rejected,
        subject_limit: material.subject_target,
    }
}

/// What a plan is made from, as the writer of messages knows it.
pub(super) fn planned(material: &PlannerMaterial<'_>) -> MessageFacts {
    facts(
        &material.as_message(),
        material.history.iter().filter_map(|entry| entry.subject()).map(str::to_owned).collect(),
    )
}

/// The path as git quotes it.
pub(super) fn quoted_path(patch: &FilePatch) -> String {
    if !patch.path.contains(char::REPLACEMENT_CHARACTER) {
        return quote(patch.path.as_bytes().into());
    }
    // What was decoded is no longer the path; the skeleton's line ends with it.
    let line = patch.skeleton();
    let names = line.splitn(4, '\t').nth(3).unwrap_or(line);
    match &patch.old_path {
        // Within quotation marks a quotation mark has a backslash before it.
        Some(_) => names.rfind(" => \"").and_then(|at| names.get(at + " => ".len()..)).unwrap_or(names).to_owned(),
        None => names.to_owned(),
    }
}

fn file(patch: &FilePatch, left: &mut usize) -> FileFacts {
    let (added, deleted) = match patch.counts {
        Counts::Lines { added, deleted } => (added, deleted),
        Counts::Binary | Counts::Unknown => (0, 0),
    };
    let mut signed = |sign: char| {
        let lines = patch.hunks().lines().filter_map(move |line| line.strip_prefix(sign));
        let lines: Vec<String> = lines.take(MOST_LINES.min(*left)).map(str::to_owned).collect();
        *left -= lines.len();
        lines
    };
    let (added_lines, removed_lines) = (signed('+'), signed('-'));
    FileFacts {
        status: FileStatus::from_letter(patch.status.letter()).unwrap_or_default(),
        old_path: patch.old_path.clone(),
        path: patch.path.clone(),
        quoted: Some(quoted_path(patch)).filter(|_| patch.path.contains(char::REPLACEMENT_CHARACTER)),
        kind: patch.noise.map_or(FileKind::Text, kind),
        added,
        deleted,
        hunks: patch.hunks().lines().filter(|line| line.starts_with("@@ ")).count(),
        hunk_contexts: patch.hunks().lines().filter_map(hunk_context).map(str::to_owned).collect(),
        added_lines,
        removed_lines,
    }
}

/// What follows `@@ -1,2 +3,4 @@ `.
fn hunk_context(line: &str) -> Option<&str> {
    let (_, context) = line.strip_prefix("@@ ")?.split_once(" @@ ")?;
    Some(context).filter(|context| !context.is_empty())
}

const fn kind(noise: Noise) -> FileKind {
    match noise {
        Noise::Binary | Noise::Lfs | Noise::Large => FileKind::Binary,
        Noise::Excluded => FileKind::Excluded,
        Noise::Lock => FileKind::Lock,
        Noise::Generated | Noise::Snapshot => FileKind::Generated,
        Noise::Minified | Noise::SourceMap => FileKind::Minified,
        Noise::Vendored => FileKind::Vendored,
        Noise::Submodule => FileKind::Submodule,
        Noise::Unread => FileKind::Text,
    }
}
