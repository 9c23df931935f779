//! The change as plain data, for a writer that reads no prompt.

use crate::agent::offline::{FileFacts, FileKind, FileStatus, MessageFacts, SubjectFormat};
use crate::config::Style;
use crate::payload::{Counts, FilePatch, Noise};
use crate::prompt::{Material, examples};

use super::judge::DUPLICATE_WINDOW;

/// The most lines of each sign that are handed on for one file.
const MOST_LINES: usize = 300;

/// The most lines that are handed on in all.
const MOST_LINES_IN_ALL: usize = 4000;

/// What a message is written from, as data; `rejected` are the subjects refused in this run.
pub(super) fn facts(material: &Material<'_>, rejected: &[String]) -> MessageFacts {
    let latest = material.history.iter().take(DUPLICATE_WINDOW);
    let subjects = latest.filter_map(|entry| entry.message.trim_start().lines().next().map(str::to_owned));
    let mut left = MOST_LINES_IN_ALL;
    MessageFacts {
        files: material.payload.files().iter().map(|patch| file(patch, &mut left)).collect(),
        history: examples(material.history),
        scopes: material.scopes.to_vec(),
        description: None,
        format: match material.format.style {
            Style::Auto => SubjectFormat::Auto,
            Style::Conventional => SubjectFormat::Conventional,
            Style::Gitmoji => SubjectFormat::Gitmoji,
            Style::Plain => SubjectFormat::Plain,
        },
        body: material.format.body,
        locale: material.locale.map(str::to_owned),
        rejected: rejected.iter().cloned().chain(subjects).collect(),
        subject_limit: material.subject_target,
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
        kind: patch.noise.map_or(FileKind::Text, kind),
        added,
        deleted,
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
