//! The one edit script of a file: what separates two texts, line by line, without context.
//!
//! It is made once and everything that is taken of a file is a choice among its lines. Splicing copies the base and puts
//! in what was chosen at the base's own line numbers, so no choice can move another.

use std::ops::Range;

use git2::{DiffOptions, Patch};

use super::Lines;

/// Two texts of more lines than this together are not taken apart.
const MAX_LINES: usize = 200_000;

/// A text and where its lines are; the last one need not end in a newline.
#[derive(Debug, Clone)]
struct Text {
    content: Vec<u8>,
    ends: Vec<usize>,
}

impl Text {
    fn new(content: Vec<u8>) -> Self {
        let mut ends: Vec<usize> = memchr::memchr_iter(b'\n', &content).map(|at| at + 1).collect();
        if ends.last().copied().unwrap_or(0) < content.len() {
            ends.push(content.len());
        }
        Self { content, ends }
    }

    fn count(&self) -> usize {
        self.ends.len()
    }

    fn start_of(&self, line: usize) -> usize {
        line.checked_sub(1).map_or(0, |before| self.ends.get(before).copied().unwrap_or(self.content.len()))
    }

    fn lines(&self, range: &Range<usize>) -> &[u8] {
        self.content.get(self.start_of(range.start)..self.start_of(range.end)).unwrap_or_default()
    }

    fn line(&self, line: usize) -> &[u8] {
        self.lines(&(line..line + 1))
    }
}

/// Lines that touch: some of the base go, some of the newer text come in their place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk {
    /// Lines of the base, counted from 0. Empty for an insertion, before the line of that number.
    pub old: Range<usize>,
    /// Lines of the newer text, counted from 0.
    pub new: Range<usize>,
    /// The number of its first changed line: lines that go are counted before those that come.
    first: usize,
}

impl Hunk {
    /// Its changed lines.
    #[must_use]
    pub fn changed(&self) -> Range<usize> {
        self.first..self.first + self.old.len() + self.new.len()
    }
}

/// A line of the script, in the order of the spliced text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step<'a> {
    /// In both texts.
    Common(&'a [u8]),
    /// In the base only; with the number of the changed line.
    Goes(usize, &'a [u8]),
    /// In the newer text only; with the number of the changed line.
    Comes(usize, &'a [u8]),
}

impl<'a> Step<'a> {
    pub(super) const fn line(self) -> &'a [u8] {
        match self {
            Step::Common(line) | Step::Goes(_, line) | Step::Comes(_, line) => line,
        }
    }
}

/// What separates two texts.
#[derive(Debug, Clone)]
pub struct Script {
    base: Text,
    start: Text,
    hunks: Vec<Hunk>,
    changed: usize,
}

/// git's library refused to compare two texts.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the texts cannot be compared: {0}")]
pub struct CompareError(String);

impl From<git2::Error> for CompareError {
    fn from(error: git2::Error) -> Self {
        Self(error.message().to_owned())
    }
}

impl Script {
    /// Compares two texts; `None` when they are too long to be taken apart.
    ///
    /// # Errors
    /// git's library refuses.
    pub fn between(base: Vec<u8>, start: Vec<u8>) -> Result<Option<Self>, CompareError> {
        let (base, start) = (Text::new(base), Text::new(start));
        if base.count() + start.count() > MAX_LINES {
            return Ok(None);
        }
        let mut script = Self { hunks: Vec::new(), changed: 0, base, start };
        script.hunks = hunks(&script.base, &script.start)?;
        for hunk in &mut script.hunks {
            hunk.first = script.changed;
            script.changed = hunk.changed().end;
        }
        Ok(Some(script))
    }

    /// The hunks, in order.
    #[must_use]
    pub fn hunks(&self) -> &[Hunk] {
        &self.hunks
    }

    /// Both texts: the base, then the newer one.
    #[must_use]
    pub fn sides(&self) -> [&[u8]; 2] {
        [&self.base.content, &self.start.content]
    }

    /// How many lines go or come.
    #[must_use]
    pub const fn changed_lines(&self) -> usize {
        self.changed
    }

    pub(super) fn base_lines(&self) -> usize {
        self.base.count()
    }

    pub(super) fn old_line(&self, line: usize) -> &[u8] {
        self.base.line(line)
    }

    pub(super) fn new_line(&self, line: usize) -> &[u8] {
        self.start.line(line)
    }

    /// The changed lines of some hunks.
    #[must_use]
    pub fn lines_of(&self, chosen: impl Fn(usize) -> bool) -> Lines {
        let mut lines = Lines::none(self.changed);
        let hunks = self.hunks.iter().enumerate();
        hunks.filter(|(number, _)| chosen(*number)).for_each(|(_, hunk)| lines.take(hunk.changed()));
        lines
    }

    /// The base with the chosen lines taken.
    #[must_use]
    pub fn splice(&self, lines: &Lines) -> Vec<u8> {
        let mut text = Vec::with_capacity(self.base.content.len().max(self.start.content.len()));
        self.each_step(|step| match step {
            Step::Common(line) => text.extend_from_slice(line),
            Step::Goes(number, line) if !lines.has(number) => text.extend_from_slice(line),
            Step::Comes(number, line) if lines.has(number) => text.extend_from_slice(line),
            Step::Goes(..) | Step::Comes(..) => {}
        });
        text
    }

    /// Goes through the script line by line.
    pub(super) fn each_step<'a>(&'a self, mut tell: impl FnMut(Step<'a>)) {
        let mut at = 0;
        for hunk in &self.hunks {
            (at..hunk.old.start).for_each(|line| tell(Step::Common(self.base.line(line))));
            let goes = hunk.old.clone().map(|line| self.base.line(line));
            let comes = hunk.new.clone().map(|line| self.start.line(line));
            let (middle, end) = (hunk.first + hunk.old.len(), hunk.changed().end);
            (hunk.first..middle).zip(goes).for_each(|(number, line)| tell(Step::Goes(number, line)));
            (middle..end).zip(comes).for_each(|(number, line)| tell(Step::Comes(number, line)));
            at = hunk.old.end;
        }
        (at..self.base.count()).for_each(|line| tell(Step::Common(self.base.line(line))));
    }

    /// The header that git would print for a hunk without context.
    #[must_use]
    pub fn header(hunk: &Hunk) -> String {
        format!("@@ -{} +{} @@", git_range(&hunk.old), git_range(&hunk.new))
    }

    /// The lines of a hunk with their signs, each ended by a newline, a missing one marked as git marks it.
    #[must_use]
    pub fn text(&self, hunk: &Hunk) -> Vec<u8> {
        let mut text = Vec::new();
        let goes = hunk.old.clone().map(|line| (b'-', self.base.line(line)));
        let comes = hunk.new.clone().map(|line| (b'+', self.start.line(line)));
        for (sign, line) in goes.chain(comes) {
            text.push(sign);
            text.extend_from_slice(line);
            if !line.ends_with(b"\n") {
                text.extend_from_slice(b"\n\\ No newline at end of file\n");
            }
        }
        text
    }
}

/// A range of lines as git counts them: from 1, an empty one by the line before it.
pub(in crate::decompose) fn git_range(lines: &Range<usize>) -> String {
    match lines.len() {
        0 => format!("{},0", lines.start),
        1 => format!("{}", lines.start + 1),
        count => format!("{},{count}", lines.start + 1),
    }
}

fn hunks(base: &Text, start: &Text) -> Result<Vec<Hunk>, CompareError> {
    let mut options = DiffOptions::new();
    options.context_lines(0).interhunk_lines(0).indent_heuristic(true).force_text(true);
    let patch = Patch::from_buffers(&base.content, None, &start.content, None, Some(&mut options))?;
    let mut hunks: Vec<Hunk> = Vec::with_capacity(patch.num_hunks());
    for index in 0..patch.num_hunks() {
        let (hunk, _) = patch.hunk(index)?;
        let old = from_git(hunk.old_start(), hunk.old_lines());
        let new = from_git(hunk.new_start(), hunk.new_lines());
        match hunks.last_mut().filter(|last| last.old.end == old.start) {
            Some(last) => {
                last.old.end = old.end;
                last.new.end = new.end;
            }
            None => hunks.push(Hunk { old, new, first: 0 }),
        }
    }
    Ok(hunks)
}

/// git counts lines from 1, and names an empty range by the line before it.
fn from_git(start: u32, count: u32) -> Range<usize> {
    let wide = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
    let first = if count == 0 { wide(start) } else { wide(start).saturating_sub(1) };
    first..first.saturating_add(wide(count))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn script(base: &str, start: &str) -> Script {
        Script::between(base.into(), start.into()).unwrap().unwrap()
    }

    #[test]
    fn hunks_are_lines_that_touch() {
        let script = script("a\nb\nc\nd\ne\n", "a\nB\nB2\nd\ne\nf\n");
        let headers: Vec<String> = script.hunks().iter().map(Script::header).collect();
        assert_eq!(headers, ["@@ -2,2 +2,2 @@", "@@ -5,0 +6 @@"]);
        assert_eq!(script.text(&script.hunks()[0]), b"-b\n-c\n+B\n+B2\n");
        assert_eq!(script.changed_lines(), 5);
    }

    #[test]
    fn chosen_hunks_go_in_where_the_base_has_them() {
        let script = script("1\n2\n3\n4\n5", "0\n1\n3\nthree\n4\nfive\n");
        let splice = |chosen: &[usize]| {
            String::from_utf8(script.splice(&script.lines_of(|hunk| chosen.contains(&hunk)))).unwrap()
        };
        assert_eq!(splice(&[]), "1\n2\n3\n4\n5");
        assert_eq!(splice(&[0]), "0\n1\n2\n3\n4\n5");
        assert_eq!(splice(&[2]), "1\n2\n3\nthree\n4\n5");
        assert_eq!(splice(&[1, 3]), "1\n3\n4\nfive\n");
        assert_eq!(splice(&[0, 1, 2, 3]), "0\n1\n3\nthree\n4\nfive\n");
    }

    #[test]
    fn a_newline_that_is_missing_is_a_change_of_its_line() {
        let script = script("a\nb", "a\nb\nc");
        assert_eq!(
            script.text(&script.hunks()[0]),
            b"-b\n\\ No newline at end of file\n+b\n+c\n\\ No newline at end of file\n"
        );
        assert_eq!(script.splice(&Lines::all(3)), b"a\nb\nc");
    }

    #[test]
    fn texts_that_are_empty_or_equal() {
        assert!(script("", "").hunks().is_empty());
        assert!(script("a\n", "a\n").hunks().is_empty());
        assert_eq!(Script::header(&script("", "a\nb\n").hunks()[0]), "@@ -0,0 +1,2 @@");
        assert_eq!(Script::header(&script("a\n", "").hunks()[0]), "@@ -1 +0,0 @@");
    }

    #[test]
    fn very_long_texts_go_whole() {
        assert!(Script::between(b"\n".repeat(MAX_LINES), b"x".to_vec()).unwrap().is_none());
    }
}
