//! One changed file as the agent may see it: its line of the skeleton, and its diff or placeholder.

use std::fmt::Write as _;

use crate::git::{ChangedFile, FileMode, Side, Status};

use super::hunks::Hunks;
use super::noise::Noise;
use super::quote::{quote, quote_prefixed};

/// How many lines a file gained and lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counts {
    /// As `git diff --numstat` counts them.
    Lines {
        /// Lines of the newer side only.
        added: u64,
        /// Lines of the older side only.
        deleted: u64,
    },
    /// No lines: shown as `-`, as git does.
    Binary,
    /// The file was not read: shown as `?`.
    Unknown,
}

/// One changed file, filtered and masked; its text is whole unless it is larger than all that could ever be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilePatch {
    /// How it changed.
    pub status: Status,
    /// The older path of a renamed file, lossily decoded, without quotes.
    pub old_path: Option<String>,
    /// The newer path, or the older one of a deleted file, lossily decoded, without quotes.
    pub path: String,
    /// Its lines.
    pub counts: Counts,
    /// Why there is a placeholder instead of a diff.
    pub noise: Option<Noise>,
    /// Whether the cap is in lines, as for markdown, and not in bytes.
    pub markdown: bool,
    pub(super) skeleton: String,
    pub(super) text: String,
    /// Where the hunks begin in `text`; what comes before is the header.
    pub(super) body: usize,
    pub(super) complete: bool,
}

impl FilePatch {
    /// The line of the skeleton, without its newline: status letter, lines added, lines deleted and path, separated by
    /// tabs.
    #[must_use]
    pub fn skeleton(&self) -> &str {
        &self.skeleton
    }

    /// The diff with its header, or the placeholder; whole lines.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The hunks alone: headers, and lines with their sign. Empty for a placeholder and for a change without hunks.
    #[must_use]
    pub fn hunks(&self) -> &str {
        self.text.get(self.body..).unwrap_or_default()
    }

    /// Whether [`text`](Self::text) holds all of the file's diff.
    #[must_use]
    pub const fn is_complete(&self) -> bool {
        self.complete
    }
}

/// The line of the skeleton.
pub(super) fn skeleton_line(file: &ChangedFile, counts: Counts) -> String {
    let path = shown_path(file);
    let letter = file.status().letter();
    match counts {
        Counts::Lines { added, deleted } => format!("{letter}\t{added}\t{deleted}\t{path}"),
        Counts::Binary => format!("{letter}\t-\t-\t{path}"),
        Counts::Unknown => format!("{letter}\t?\t?\t{path}"),
    }
}

/// The line that stands for a diff that is not shown.
pub(super) fn placeholder(file: &ChangedFile, noise: Noise) -> String {
    let letter = file.status().letter();
    let mut line = format!("{letter}\t[{}] {}", noise.label(), shown_path(file));
    if noise == Noise::Submodule {
        let id = |side: Option<&Side>| {
            side.filter(|side| side.mode == FileMode::Gitlink)
                .map_or_else(|| "none".to_owned(), |side| side.id.to_string())
        };
        // Writing to a string cannot fail.
        let _ = write!(line, " {}..{}", id(file.old_side()), id(file.new_side()));
    }
    line.push('\n');
    line
}

/// `old => new` for a rename.
fn shown_path(file: &ChangedFile) -> String {
    match file.renamed_from() {
        Some(old) => format!("{} => {}", quote(old.path.as_ref()), quote(file.path())),
        None => quote(file.path()),
    }
}

/// The diff as git prints it, without `index` lines: header, then hunks, still as bytes. Returns where the hunks begin.
pub(super) fn diff(file: &ChangedFile, hunks: &Hunks) -> (Vec<u8>, usize) {
    let similarity = match file.status() {
        Status::Renamed(similarity) => Some(similarity),
        _ => None,
    };
    with_header(file.old_side(), file.new_side(), similarity, hunks)
}

/// As [`diff`], of a file that became something else: one thing goes, another comes.
pub(super) fn type_change(file: &ChangedFile, gone: &Hunks, come: &Hunks) -> (Vec<u8>, usize) {
    let (mut text, body) = with_header(file.old_side(), None, None, gone);
    text.extend(with_header(None, file.new_side(), None, come).0);
    (text, body)
}

fn with_header(old: Option<&Side>, new: Option<&Side>, similarity: Option<u8>, hunks: &Hunks) -> (Vec<u8>, usize) {
    let mut text = header(old, new, similarity, !hunks.text.is_empty()).into_bytes();
    let body = text.len();
    text.extend_from_slice(&hunks.text);
    (text, body)
}

fn header(old: Option<&Side>, new: Option<&Side>, similarity: Option<u8>, has_hunks: bool) -> String {
    let path =
        |side: Option<&Side>, other: Option<&Side>| side.or(other).map(|side| side.path.clone()).unwrap_or_default();
    let (old_path, new_path) = (path(old, new), path(new, old));
    let (a, b) = (quote_prefixed("a/", old_path.as_ref()), quote_prefixed("b/", new_path.as_ref()));
    let mut text = format!("diff --git {a} {b}\n");
    push_modes(&mut text, old, new);
    if let Some(similarity) = similarity {
        let (from, to) = (quote(old_path.as_ref()), quote(new_path.as_ref()));
        // Writing to a string cannot fail.
        let _ = write!(text, "similarity index {similarity}%\nrename from {from}\nrename to {to}\n");
    }
    if has_hunks {
        let name =
            |side: Option<&Side>, shown: String| side.map_or_else(|| "/dev/null".to_owned(), |_| with_tab(shown));
        let _ = write!(text, "--- {}\n+++ {}\n", name(old, a), name(new, b));
    }
    text
}

fn push_modes(text: &mut String, old: Option<&Side>, new: Option<&Side>) {
    let _ = match (old, new) {
        (Some(old), Some(new)) if old.mode != new.mode => {
            write!(text, "old mode {}\nnew mode {}\n", old.mode, new.mode)
        }
        (None, Some(new)) => writeln!(text, "new file mode {}", new.mode),
        (Some(old), None) => writeln!(text, "deleted file mode {}", old.mode),
        _ => Ok(()),
    };
}

/// git ends a name with a space in it by a tab, so that programs find its end.
fn with_tab(mut shown: String) -> String {
    if shown.contains(' ') {
        shown.push('\t');
    }
    shown
}

/// Bytes of a patch as text: what is no UTF-8 becomes U+FFFD, and so does NUL, which no argument can carry. Returns
/// where `at` is afterwards.
pub(super) fn decode(bytes: Vec<u8>, at: usize) -> (String, usize) {
    let text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    };
    // The header is ASCII, so that an offset into it stays what it is.
    if text.contains('\0') { (text.replace('\0', "\u{fffd}"), at) } else { (text, at) }
}
