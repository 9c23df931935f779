//! The prompt of the stager: which hunk of a shared file belongs to which planned commit.

use std::fmt::Write as _;

use crate::payload::{Share, estimate, share};

use super::Prompt;
use super::concepts::{Background, Concept, Correction, Data, listed, without_breaks};
use super::fit::{Fitted, Limits, PromptError, fit};
use super::template::{self, fill};
use super::text::short_line;

/// Everything that hunks are sorted by.
#[derive(Debug, Clone, Copy)]
pub struct StagerMaterial<'a> {
    /// The planned commits, in their order.
    pub concepts: &'a [Concept],
    /// The hunks of the files that several of them claim, file by file.
    pub hunks: &'a [NumberedHunk],
    /// What the author says about the change (`--context`).
    pub context: Option<&'a str>,
    /// The branch, unless HEAD is detached.
    pub branch: Option<&'a str>,
}

/// A hunk that can be spoken of.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NumberedHunk {
    /// Its number, unlike that of any other hunk.
    pub number: usize,
    /// Its file, quoted as git quotes.
    pub path: String,
    /// `@@ -1,2 +3,4 @@` and the line of the enclosing definition where there is one.
    pub header: String,
    /// Its lines with their signs, credentials masked (see [`crate::payload::masked`]).
    pub text: String,
}

/// Stands where lines of a hunk were left out.
const CUT_MARK: &str = "[... the rest of this hunk is not shown]\n";

/// Assembles the prompt that has hunks sorted; `correction` is what was wrong with the last answer, where there was one.
///
/// # Errors
/// The limits leave no room for the instructions, the planned commits and the list of hunks.
pub fn stager(
    material: &StagerMaterial<'_>,
    correction: Option<Correction<'_>>,
    limits: &Limits,
) -> Result<Fitted, PromptError> {
    let concepts = listed(material.concepts);
    fit(limits, |room| {
        let (hunks, cut) = shown(material.hunks, room);
        let background = Background { context: material.context, branch: material.branch, scopes: &[] };
        let data = Data::new(background, correction).with(template::CONCEPTS, "COMMITS", &concepts).with(
            template::HUNKS,
            "HUNKS",
            &hunks,
        );
        let fence = data.fence(&[]);
        let framing = fill(template::FRAMING, &[("tag", fence.tag())]);
        let system = fill(template::STAGER_SYSTEM, &[("framing", &framing)]);
        Fitted { prompt: Prompt { system, user: data.user(template::STAGER_USER, &fence) }, notice: notice(cut) }
    })
}

/// One line for the user, when something was cut.
fn notice(cut: usize) -> Option<String> {
    match cut {
        0 => None,
        1 => Some("the hunks are too large to be shown whole: 1 cut".to_owned()),
        cut => Some(format!("the hunks are too large to be shown whole: {cut} cut")),
    }
}

/// All hunks under their numbers with as many of their lines as there is room for, and how many were cut.
fn shown(hunks: &[NumberedHunk], room: Share) -> (String, usize) {
    let (size, budget): (fn(&str) -> usize, usize) = match room {
        Share::Caps { max_diff_bytes: bytes, .. } | Share::Bytes(bytes) => (str::len, bytes),
        Share::Tokens(tokens) => (estimate, tokens),
    };
    let texts: Vec<String> = hunks.iter().map(|hunk| signed(&hunk.text)).collect();
    let sizes: Vec<usize> = texts.iter().map(|text| size(text)).collect();
    let (mut out, mut cut, mut path) = (String::new(), 0, None);
    for ((hunk, text), room) in hunks.iter().zip(&texts).zip(share(&sizes, budget, size(CUT_MARK))) {
        if path != Some(hunk.path.as_str()) {
            path = Some(&hunk.path);
            // Writing to a string cannot fail.
            let _ = writeln!(out, "file {}", without_breaks(&hunk.path));
        }
        let _ = writeln!(out, "hunk {}: {}", hunk.number, short_line(&hunk.header));
        let kept = first_lines(text, room, size);
        out.push_str(kept);
        if kept.len() < text.len() {
            out.push_str(if room == 0 { "" } else { CUT_MARK });
            cut += 1;
        }
    }
    (out, cut)
}

/// The whole text, or as many of its lines as there is room for besides the mark.
fn first_lines(text: &str, room: usize, size: fn(&str) -> usize) -> &str {
    if size(text) <= room {
        return text;
    }
    let mut left = room.saturating_sub(size(CUT_MARK));
    let within = |line: &&str| {
        let fits = size(line) <= left;
        left = left.saturating_sub(size(line));
        fits
    };
    let end: usize = text.split_inclusive('\n').take_while(within).map(str::len).sum();
    text.get(..end).unwrap_or_default()
}

/// Whole lines, each with a sign, so that none can pass for a line that names a file or a hunk.
fn signed(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 1);
    for line in text.lines() {
        if !line.starts_with(['+', '-', ' ', '\\']) {
            out.push(' ');
        }
        out.push_str(line);
        out.push('\n');
    }
    out
}
