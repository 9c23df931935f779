//! Text from elsewhere, made fit to be shown, and the blocks it stands in.

use std::fmt::Write as _;

use crate::payload::Fence;

/// The most that is told of an answer, of what a hook said or of what git prepared, in bytes.
const MOST_BYTES: usize = 8000;

/// The most that is told of a title, a scope or the branch's name, in characters.
const MOST_LINE: usize = 200;

/// The longest name of a language, in characters.
const MOST_LOCALE: usize = 40;

/// Without control characters, trimmed, and only so much of it.
pub(super) fn bounded(text: &str) -> String {
    let mut size = 0;
    let within = |c: &char| {
        size += c.len_utf8();
        size <= MOST_BYTES
    };
    let visible = text.trim().chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t'));
    visible.take_while(within).collect()
}

/// One line of at most `most` characters, without control characters.
pub(super) fn one_line(text: &str, most: usize) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").chars().filter(|c| !c.is_control()).take(most).collect()
}

/// One line of usual length.
pub(super) fn short_line(text: &str) -> String {
    one_line(text, MOST_LINE)
}

/// The name of a language. It may come from the repository, and stands among our own words: there is room for a name and
/// no more.
pub(super) fn locale_name(locale: &str) -> String {
    one_line(locale, MOST_LOCALE)
}

/// The user's part of a prompt: an instruction, then data between markers.
pub(super) struct Blocks<'a> {
    text: String,
    fence: &'a Fence,
}

impl<'a> Blocks<'a> {
    pub(super) fn new(instruction: &str, fence: &'a Fence) -> Self {
        Self { text: instruction.to_owned(), fence }
    }

    /// Adds data under a line that says what it is.
    pub(super) fn add(&mut self, lead: &str, name: &str, data: &str) {
        // Writing to a string cannot fail.
        let _ = write!(self.text, "\n{lead}{}", self.fence.wrap(name, data));
    }

    pub(super) fn into_text(self) -> String {
        self.text
    }
}
