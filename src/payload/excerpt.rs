//! The text of a payload for a given size: the skeleton whole, then as much of the diffs as there is room for.

use super::Payload;
use std::fmt::Write as _;

use super::budget::share;
use super::patch::FilePatch;
use super::tokens::estimate;

/// How much room there is for diffs. The skeleton is never cut and does not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Share {
    /// Two caps: on the diffs of all files but markdown, in bytes, and on each markdown file's, in lines. All markdown
    /// together is held to `max_diff_bytes` too.
    Caps {
        /// In bytes.
        max_diff_bytes: usize,
        /// In lines, header included.
        max_md_lines: usize,
    },
    /// So many [estimated](estimate) tokens.
    Tokens(usize),
    /// So many bytes.
    Bytes(usize),
}

/// What is shown of a change.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Excerpt {
    /// Skeleton, empty line, diffs; whole lines.
    pub text: String,
    /// How many files are shown in part.
    pub cut: usize,
    /// How many files are in the skeleton alone although they have a diff.
    pub dropped: usize,
}

impl Excerpt {
    /// One line for the user, when something was cut.
    #[must_use]
    pub fn notice(&self) -> Option<String> {
        let files = |count: usize| if count == 1 { "1 file".to_owned() } else { format!("{count} files") };
        match (self.cut, self.dropped) {
            (0, 0) => None,
            (cut, 0) => Some(format!("the diff is too large to be shown whole: {} cut", files(cut))),
            (0, dropped) => {
                Some(format!("the diff is too large to be shown whole: {} listed by name only", files(dropped)))
            }
            (cut, dropped) => Some(format!(
                "the diff is too large to be shown whole: {} cut, {} listed by name only",
                files(cut),
                files(dropped)
            )),
        }
    }
}

/// Stands where lines of a file's diff were left out.
const CUT_MARK: &str = "[... the rest of this file's diff is not shown]\n";

/// A diff with less room than this, in bytes, says nothing.
const LEAST_BYTES: usize = 400;

/// A diff with less room than this, in tokens, says nothing.
const LEAST_TOKENS: usize = 150;

impl Payload {
    /// The text for so much room.
    #[must_use]
    pub fn excerpt(&self, room: Share) -> Excerpt {
        let (unit, budget) = match room {
            Share::Caps { max_diff_bytes, .. } | Share::Bytes(max_diff_bytes) => (Unit::Bytes, max_diff_bytes),
            Share::Tokens(tokens) => (Unit::Tokens, tokens),
        };
        let md_lines = match room {
            Share::Caps { max_md_lines, .. } => Some(max_md_lines),
            _ => None,
        };
        let mut shown: Vec<Shown<'_>> = self.files.iter().map(|file| Shown::new(file, md_lines)).collect();
        // Placeholders are small and many: they must not crowd out the diffs.
        let spent = fill(&mut shown, |file| file.noise.is_some(), budget / 8, unit);
        fill(&mut shown, |file| file.noise.is_none() && !(md_lines.is_some() && file.markdown), budget - spent, unit);
        if md_lines.is_some() {
            fill(&mut shown, |file| file.noise.is_none() && file.markdown, budget, unit);
        }
        self.assemble(&shown)
    }

    fn assemble(&self, shown: &[Shown<'_>]) -> Excerpt {
        let mut excerpt = Excerpt { text: self.skeleton(), cut: 0, dropped: 0 };
        let mut first = true;
        for part in shown {
            if part.text.is_empty() {
                excerpt.dropped += 1;
                continue;
            }
            if std::mem::take(&mut first) {
                excerpt.text.push('\n');
            }
            excerpt.text.push_str(part.text);
            if part.cut {
                excerpt.text.push_str(CUT_MARK);
                excerpt.cut += 1;
            }
        }
        if excerpt.dropped > 0 {
            // Writing to a string cannot fail.
            let _ = writeln!(excerpt.text, "\n[{} more diffs of files listed above are not shown]", excerpt.dropped);
        }
        excerpt
    }
}

/// What is shown of one file.
struct Shown<'a> {
    file: &'a FilePatch,
    text: &'a str,
    cut: bool,
}

impl<'a> Shown<'a> {
    fn new(file: &'a FilePatch, md_lines: Option<usize>) -> Self {
        let most = md_lines.filter(|_| file.markdown && file.noise.is_none());
        let text = most.map_or(file.text.as_str(), |most| first_lines(&file.text, most));
        Self { file, text, cut: text.len() < file.text.len() || !file.complete }
    }

    /// Cuts at the end of a line so that text and mark take no more than `room`; to nothing where the room is not enough
    /// for the header and one line of a hunk.
    fn cut_to(&mut self, room: usize, unit: Unit) {
        if unit.size(self.text) + self.mark_size(unit) <= room {
            return;
        }
        let end = prefix(self.text, room.saturating_sub(unit.size(CUT_MARK)), unit);
        self.text = at_hunk(self.text, end, self.file.body);
        self.cut = !self.text.is_empty();
    }

    fn mark_size(&self, unit: Unit) -> usize {
        if self.cut { unit.size(CUT_MARK) } else { 0 }
    }
}

/// Shares a budget among some of the files and cuts them; returns what they take.
fn fill(shown: &mut [Shown<'_>], chosen: impl Fn(&FilePatch) -> bool, budget: usize, unit: Unit) -> usize {
    let mut chosen: Vec<&mut Shown<'_>> = shown.iter_mut().filter(|part| chosen(part.file)).collect();
    let sizes: Vec<usize> = chosen.iter().map(|part| unit.size(part.text) + part.mark_size(unit)).collect();
    let shares = share(&sizes, budget, unit.least());
    chosen
        .iter_mut()
        .zip(shares)
        .map(|(part, room)| {
            part.cut_to(room, unit);
            unit.size(part.text) + part.mark_size(unit)
        })
        .sum()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Unit {
    Bytes,
    Tokens,
}

impl Unit {
    fn size(self, text: &str) -> usize {
        match self {
            Unit::Bytes => text.len(),
            Unit::Tokens => estimate(text),
        }
    }

    const fn least(self) -> usize {
        match self {
            Unit::Bytes => LEAST_BYTES,
            Unit::Tokens => LEAST_TOKENS,
        }
    }
}

fn first_lines(text: &str, most: usize) -> &str {
    let end: usize = text.split_inclusive('\n').take(most).map(str::len).sum();
    text.get(..end).unwrap_or_default()
}

/// Where as many whole lines end as there is room for.
fn prefix(text: &str, room: usize, unit: Unit) -> usize {
    let mut used = 0_usize;
    text.split_inclusive('\n')
        .take_while(|line| {
            used = used.saturating_add(unit.size(line));
            used <= room
        })
        .map(str::len)
        .sum()
}

/// The text up to `end`, or up to the last border between hunks before it when that keeps at least half of the hunks'
/// text; nothing when no line of a hunk would be left.
fn at_hunk(text: &str, end: usize, body: usize) -> &str {
    let (kept, rest) = text.split_at_checked(end).unwrap_or((text, ""));
    let hunks = kept.get(body..).unwrap_or_default();
    let end = match hunks.rfind("\n@@ ") {
        _ if rest.starts_with("@@ ") => kept.len(),
        Some(border) if border >= hunks.len() / 2 => body + border + 1,
        _ => kept.len(),
    };
    let has_line = kept.get(body..end).unwrap_or_default().lines().any(|line| !line.starts_with("@@ "));
    if has_line { kept.get(..end).unwrap_or_default() } else { "" }
}
