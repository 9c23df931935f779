//! The hunks that separate two texts, byte for byte as `git diff` prints them, up to a cap.

use std::ops::ControlFlow;

use git2::{DiffLineType, DiffOptions, Patch};

/// The hunks of one file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Hunks {
    /// Hunk headers and lines, each ended by a newline.
    pub(super) text: Vec<u8>,
    /// Lines added in the whole file, shown or not.
    pub(super) added: u64,
    /// Lines deleted in the whole file, shown or not.
    pub(super) deleted: u64,
    /// Whether `text` is all of it.
    pub(super) complete: bool,
}

/// How much of a file's hunks is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Extent {
    /// Lines of context around each change, 0 to 3.
    pub(super) context: u32,
    /// Text beyond this many bytes is not made.
    pub(super) cap: usize,
}

/// Two texts of more lines than this together are not compared: the comparison keeps about a hundred bytes a line.
pub(super) const MAX_LINES: usize = 500_000;

/// The comparison was refused by git's library.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the texts cannot be compared: {0}")]
pub(super) struct CompareError(String);

impl From<git2::Error> for CompareError {
    fn from(error: git2::Error) -> Self {
        Self(error.message().to_owned())
    }
}

/// Compares two texts; `None` when they have more than [`MAX_LINES`] lines.
pub(super) fn between(old: &[u8], new: &[u8], extent: Extent) -> Result<Option<Hunks>, CompareError> {
    if old.is_empty() {
        return Ok(Some(one_sided(b'+', new, extent.cap)));
    }
    if new.is_empty() {
        return Ok(Some(one_sided(b'-', old, extent.cap)));
    }
    if count_lines(old) + count_lines(new) > MAX_LINES {
        return Ok(None);
    }
    let (old, new) = if extent.context == 0 { without_common_tail(old, new) } else { (old, new) };
    compared(old, new, extent).map(Some)
}

/// Lines in a text; the last one need not end in a newline.
pub(super) fn count_lines(text: &[u8]) -> usize {
    let open = usize::from(text.last().is_some_and(|byte| *byte != b'\n'));
    memchr::memchr_iter(b'\n', text).count() + open
}

/// Everything added or everything deleted needs no comparison.
fn one_sided(sign: u8, text: &[u8], cap: usize) -> Hunks {
    let lines = count_lines(text);
    let count = u64::try_from(lines).unwrap_or(u64::MAX);
    let (added, deleted) = if sign == b'+' { (count, 0) } else { (0, count) };
    let mut out = Capped::new(cap);
    if lines > 0 {
        let range = if lines == 1 { "1".to_owned() } else { format!("1,{lines}") };
        let header = if sign == b'+' { format!("@@ -0,0 +{range} @@\n") } else { format!("@@ -{range} +0,0 @@\n") };
        let _ = out.push(&[header.as_bytes()]);
        let _ = text.split_inclusive(|byte| *byte == b'\n').try_for_each(|line| {
            if line.ends_with(b"\n") { out.push(&[&[sign], line]) } else { out.push(&[&[sign], line, NO_NEWLINE]) }
        });
    }
    Hunks { text: out.text, added, deleted, complete: !out.full }
}

const NO_NEWLINE: &[u8] = b"\n\\ No newline at end of file\n";

fn compared(old: &[u8], new: &[u8], extent: Extent) -> Result<Hunks, CompareError> {
    let mut options = DiffOptions::new();
    options.context_lines(extent.context).interhunk_lines(0).indent_heuristic(true).force_text(true);
    let patch = Patch::from_buffers(old, None, new, None, Some(&mut options))?;
    let (_, added, deleted) = patch.line_stats()?;
    let mut out = Capped::new(extent.cap);
    'hunks: for index in 0..patch.num_hunks() {
        let (hunk, lines) = patch.hunk(index)?;
        if out.push(&[hunk.header()]).is_break() {
            break;
        }
        for line in 0..lines {
            let line = patch.line_in_hunk(index, line)?;
            let sign: &[u8] = match line.origin_value() {
                DiffLineType::Addition => b"+",
                DiffLineType::Deletion => b"-",
                DiffLineType::Context => b" ",
                _ => b"",
            };
            // The mark of a missing newline is an entry of its own, and belongs to the line before it.
            let pushed = if sign.is_empty() { out.extend(line.content()) } else { out.push(&[sign, line.content()]) };
            if pushed.is_break() {
                break 'hunks;
            }
        }
    }
    let wide = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
    Ok(Hunks { complete: !out.full, text: out.text, added: wide(added), deleted: wide(deleted) })
}

/// git leaves out what both texts end with before it compares without context, in blocks of 1024 bytes, and this decides
/// where a change among equal lines is shown.
fn without_common_tail<'a>(old: &'a [u8], new: &'a [u8]) -> (&'a [u8], &'a [u8]) {
    const BLOCK: usize = 1024;
    let smaller = old.len().min(new.len());
    let tail = |text: &'a [u8], trimmed: usize| text.len().checked_sub(trimmed + BLOCK).and_then(|at| text.get(at..));
    let mut trimmed = 0;
    while trimmed + BLOCK <= smaller {
        let (Some(a), Some(b)) = (tail(old, trimmed), tail(new, trimmed)) else { break };
        if a.get(..BLOCK) != b.get(..BLOCK) {
            break;
        }
        trimmed += BLOCK;
    }
    // The cut goes back to the end of a line.
    let rest = old.get(old.len() - trimmed..).unwrap_or_default();
    let recovered = memchr::memchr(b'\n', rest).map_or(trimmed, |at| at + 1);
    let keep = |text: &'a [u8]| text.get(..text.len() - trimmed + recovered).unwrap_or(text);
    (keep(old), keep(new))
}

/// Text that refuses what would take it over its cap, and everything after that.
struct Capped {
    text: Vec<u8>,
    cap: usize,
    full: bool,
}

impl Capped {
    const fn new(cap: usize) -> Self {
        Self { text: Vec::new(), cap, full: false }
    }

    /// Adds one line, made of parts, or nothing.
    fn push(&mut self, parts: &[&[u8]]) -> ControlFlow<()> {
        let size: usize = parts.iter().map(|part| part.len()).sum();
        if self.full || self.text.len() + size > self.cap {
            self.full = true;
            return ControlFlow::Break(());
        }
        for part in parts {
            self.text.extend_from_slice(part);
        }
        ControlFlow::Continue(())
    }

    /// Adds what belongs to the last line, whatever the cap.
    fn extend(&mut self, part: &[u8]) -> ControlFlow<()> {
        self.text.extend_from_slice(part);
        ControlFlow::Continue(())
    }
}
