//! One code fence around an answer.

/// The content of the fence that `text` opens with, trimmed: its first line is dropped, and everything from the last
/// matching closer on. A closer is a line of at least as many of the same character and nothing else; without one, all
/// that follows the opening line is content. None when the text opens with no fence.
#[must_use]
pub fn strip(text: &str) -> Option<&str> {
    let (opening, content) = text.split_once('\n').unwrap_or((text, ""));
    let (mark, length) = opener(opening)?;
    let mut end = content.len();
    let mut at = 0;
    for line in content.split_inclusive('\n') {
        if closes(line, mark, length) {
            end = at;
        }
        at += line.len();
    }
    content.get(..end).map(str::trim)
}

/// The character and the length of an opening fence. A line of backticks with a backtick in its language tag is inline
/// code, as in Markdown.
fn opener(line: &str) -> Option<(char, usize)> {
    let mark = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let tag = line.trim_start_matches(mark);
    let length = line.len() - tag.len();
    (length >= 3 && !(mark == '`' && tag.contains('`'))).then_some((mark, length))
}

fn closes(line: &str, mark: char, length: usize) -> bool {
    let line = line.trim();
    line.len() >= length && line.chars().all(|c| c == mark)
}

/// Which lines of a text are inside a fence or are one themselves.
pub(in crate::provider) fn fenced_lines(text: &str) -> Vec<bool> {
    let mut open: Option<(char, usize)> = None;
    let lines = text.split('\n').map(|line| {
        if let Some((mark, length)) = open {
            open = open.filter(|_| !closes(line, mark, length));
            return true;
        }
        open = opener(line.trim_start());
        open.is_some()
    });
    lines.collect()
}
