//! Cutting text into parts that lose nothing: between files and hunks where that is possible, else between lines, and
//! within a line only when it alone is larger than a part may be.

use super::Payload;
use super::excerpt::Share;
use super::tokens::estimate;

/// How large one part may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PartSize {
    /// In [estimated](estimate) tokens.
    pub tokens: usize,
    /// In bytes.
    pub bytes: usize,
}

impl PartSize {
    fn holds(self, text: &str) -> bool {
        text.len() <= self.bytes && estimate(text) <= self.tokens
    }
}

/// Cuts a text into parts, which together are the text again. A single character that is too large for a part is one all
/// the same.
#[must_use]
pub fn parts(text: &str, size: PartSize) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let lines = whole_lines(rest, size);
        let end = match lines {
            0 => within_line(rest, size),
            _ if lines == rest.len() => lines,
            _ => last_border(rest, lines).unwrap_or(lines),
        };
        let (part, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
        parts.push(part);
        rest = after;
    }
    parts
}

impl Payload {
    /// The skeleton, an empty line, and every diff as far as it was made.
    #[must_use]
    pub fn whole(&self) -> String {
        self.excerpt(Share::Bytes(usize::MAX)).text
    }

    /// Whether every file's diff, or the placeholder in its place, is all there.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.files.iter().all(super::FilePatch::is_complete)
    }
}

/// Where as many whole lines end as fit. What lines cost one by one is never less than what they cost together.
fn whole_lines(text: &str, size: PartSize) -> usize {
    let (mut end, mut tokens) = (0_usize, 0_usize);
    for line in text.split_inclusive('\n') {
        tokens = tokens.saturating_add(estimate(line));
        if tokens > size.tokens || end + line.len() > size.bytes {
            break;
        }
        end += line.len();
    }
    end
}

/// The last beginning of a file's diff or a hunk at or before `end`, but not at the start.
fn last_border(text: &str, end: usize) -> Option<usize> {
    let mut at = end;
    while at > 0 {
        let (before, after) = text.split_at_checked(at)?;
        let line = before.strip_suffix('\n')?.rfind('\n').map_or(0, |newline| newline + 1);
        // A file's header alone says nothing, so its first hunk stays with it.
        let behind_header = before.get(line..).is_some_and(|line| line.starts_with("+++ "));
        if after.starts_with("diff --git ") || (after.starts_with("@@ ") && !behind_header) {
            return Some(at);
        }
        at = line;
    }
    None
}

/// Where as much of the first line ends as fits, at a border between characters, at least one.
fn within_line(text: &str, size: PartSize) -> usize {
    let line = text.split_inclusive('\n').next().unwrap_or(text);
    let (mut fits, mut too_long) = (line.chars().next().map_or(0, char::len_utf8), line.len());
    while let Some(middle) = border_between(line, fits, too_long) {
        if line.get(..middle).is_some_and(|start| size.holds(start)) {
            fits = middle;
        } else {
            too_long = middle;
        }
    }
    fits
}

/// The border between characters nearest to the middle, strictly between two others.
fn border_between(line: &str, from: usize, to: usize) -> Option<usize> {
    let middle = usize::midpoint(from, to);
    let mut candidates = (from + 1..=middle).rev().chain(middle + 1..to);
    candidates.find(|at| line.is_char_boundary(*at))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::payload::samples::Store;

    const fn size(tokens: usize) -> PartSize {
        PartSize { tokens, bytes: usize::MAX }
    }

    /// A diff of files with hunks of so many lines.
    fn diff(files: &[Vec<usize>]) -> String {
        let hunk = |lines: &usize| format!("@@ -1 +1,{lines} @@ fn f()\n{}", "+    call(argument);\n".repeat(*lines));
        let file = |hunks: &Vec<usize>| {
            format!("diff --git a/x b/x\n--- a/x\n+++ b/x\n{}", hunks.iter().map(hunk).collect::<String>())
        };
        files.iter().map(file).collect()
    }

    #[test]
    fn what_fits_is_one_part() {
        let text = diff(&[vec![3, 3]]);
        assert_eq!(parts(&text, size(estimate(&text) + 40)), [text.as_str()]);
        assert_eq!(parts("", size(10)), [""; 0]);
    }

    #[test]
    fn hunks_stay_together_where_they_can() {
        let text = diff(&[vec![4, 4, 4], vec![4, 4]]);
        let found = parts(&text, size(120));
        let begins = |part: &&str| part.starts_with("@@ ") || part.starts_with("diff --git ");
        assert!(found.len() > 2);
        assert!(found.iter().all(begins), "{found:#?}");
    }

    #[test]
    fn a_header_stays_with_its_first_hunk() {
        let text = diff(&[vec![2], vec![60]]);
        let found = parts(&text, size(150));
        assert!(found.iter().all(|part| !part.ends_with("+++ b/x\n")), "{found:#?}");
        assert!(found[1].starts_with("diff --git "), "{found:#?}");
    }

    #[test]
    fn a_hunk_that_is_too_large_is_cut_between_lines() {
        let text = diff(&[vec![2, 60, 2]]);
        let found = parts(&text, size(150));
        assert_eq!(found.concat(), text);
        assert!(found.iter().all(|part| part.ends_with('\n')));
        // The large hunk begins a part, and the small one after it does not need one of its own.
        assert!(found.iter().any(|part| part.starts_with("@@ -1 +1,60")));
        assert!(!found.iter().any(|part| part.starts_with("@@ -1 +1,2 ")));
    }

    #[test]
    fn bytes_count_too() {
        let text = diff(&[vec![20]]);
        let found = parts(&text, PartSize { tokens: usize::MAX, bytes: 100 });
        assert!(found.iter().all(|part| part.len() <= 100));
        assert_eq!(found.concat(), text);
    }

    #[test]
    fn a_whole_payload_is_skeleton_and_every_diff() {
        let payload = Store::default().modified("a", "1\n", "2\n").added("b.lock", "x\n").payload();
        let diffs: String = payload.files().iter().map(super::super::FilePatch::text).collect();
        assert_eq!(payload.whole(), format!("{}\n{diffs}", payload.skeleton()));
        assert!(payload.is_complete());
    }

    proptest! {
        #[test]
        fn nothing_is_lost_and_every_part_fits(
            files in prop::collection::vec(prop::collection::vec(0_usize..40, 0..4), 0..4),
            extra in "(\\PC{0,60}\n?){0,6}",
            tokens in 12_usize..400,
        ) {
            let text = diff(&files) + &extra;
            let found = parts(&text, size(tokens));
            prop_assert_eq!(found.concat(), text.as_str());
            for part in found {
                prop_assert!(!part.is_empty() && estimate(part) <= tokens, "{} > {}: {:?}", estimate(part), tokens, part);
            }
        }

        #[test]
        fn any_text_is_cut_without_loss(text in "[ -~\n\t\r→é漢]{0,300}", tokens in 3_usize..30, bytes in 4_usize..60) {
            let found = parts(&text, PartSize { tokens, bytes });
            prop_assert_eq!(found.concat(), text.as_str());
            for part in found {
                prop_assert!(part.len() <= bytes && estimate(part) <= tokens, "{part:?}");
            }
        }
    }
}
