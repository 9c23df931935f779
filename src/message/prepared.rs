//! The file that git hands to `prepare-commit-msg`: whether it holds a message already, and how one is put into it.
//!
//! By git's rules: a comment begins as `core.commentChar` says, what follows the scissors is cut off, and sign-offs alone
//! are no message.

use bstr::{BStr, ByteSlice};

use super::draft::{CANDIDATES, SCISSORS, SIGN_OFF};
use super::{Cleanup, Message};

/// What comments begin with when nothing else is said.
const DEFAULT_COMMENT: &str = "#";

/// The file as git prepared it.
#[derive(Debug, Clone, Copy)]
pub struct Prepared<'a> {
    content: &'a [u8],
    /// What comes before the scissors.
    above: &'a [u8],
    comment: &'a str,
    /// Whether lines that look like comments are text of the message.
    keeps_comments: bool,
    /// Whether git will remove comment lines of the message.
    strips: bool,
}

impl<'a> Prepared<'a> {
    /// Reads the file. `cleanup` is what `commit.cleanup` says, `comment` the value of `core.commentChar`.
    #[must_use]
    pub fn new(content: &'a [u8], cleanup: Cleanup, comment: Option<&'a str>) -> Self {
        let comment = match comment.filter(|text| !text.is_empty()) {
            Some(text) if text.eq_ignore_ascii_case("auto") => chosen_by_git(content),
            Some(text) => text,
            None => DEFAULT_COMMENT,
        };
        let above = scissors(content, comment).and_then(|start| content.get(..start)).unwrap_or(content);
        // With scissors before anything else, only they count; `-v` puts them below the comments.
        let cut_only = above.len() < content.len() && above.trim().is_empty();
        let strips = cleanup == Cleanup::Strip && !cut_only;
        Self { content, above, comment, keeps_comments: cleanup == Cleanup::Scissors, strips }
    }

    /// Whether somebody has written something into it.
    #[must_use]
    pub fn holds_message(&self) -> bool {
        self.above.lines().any(|line| {
            let is_comment = !self.keeps_comments && line.starts_with_str(self.comment);
            !line.trim().is_empty() && !is_comment && !line.starts_with_str(SIGN_OFF)
        })
    }

    /// What somebody, or git, has written into it, without comments.
    #[must_use]
    pub fn text(&self) -> String {
        let is_text = |line: &&[u8]| self.keeps_comments || !line.starts_with_str(self.comment);
        let kept: Vec<&[u8]> = self.above.lines().filter(is_text).collect();
        kept.join(&b'\n').to_str_lossy().into_owned()
    }

    /// The file with a message above everything that is in it. A line that git would take for a comment is indented by a
    /// space.
    #[must_use]
    pub fn with(&self, message: &Message) -> Vec<u8> {
        let mut text = Vec::with_capacity(message.as_str().len() + self.content.len() + 1);
        for line in message.as_str().split_inclusive('\n') {
            if (self.strips && line.starts_with(self.comment)) || is_scissors(line.as_bytes().as_bstr(), self.comment) {
                text.push(b' ');
            }
            text.extend_from_slice(line.as_bytes());
        }
        if self.content.lines().next().is_some_and(|line| !line.trim().is_empty()) {
            text.push(b'\n');
        }
        text.extend_from_slice(self.content);
        text
    }
}

/// Where the line of scissors begins.
fn scissors(content: &[u8], comment: &str) -> Option<usize> {
    let mut start = 0;
    for line in content.lines_with_terminator() {
        if is_scissors(line.as_bstr(), comment) {
            return Some(start);
        }
        start += line.len();
    }
    None
}

fn is_scissors(line: &BStr, comment: &str) -> bool {
    let rest = line.strip_prefix(comment.as_bytes()).and_then(|rest| rest.strip_prefix(b" "));
    rest.is_some_and(|rest| rest.trim_end() == SCISSORS.as_bytes())
}

/// With `core.commentChar = auto` git chooses before it writes its comments, which end the file or are followed by
/// scissors.
fn chosen_by_git(content: &[u8]) -> &'static str {
    let candidates = || CANDIDATES.iter().copied();
    let cut = candidates().find(|comment| scissors(content, comment).is_some());
    let of_last_line = || {
        let last = content.lines().rev().find(|line| !line.trim().is_empty())?;
        candidates().find(|comment| last.starts_with_str(comment))
    };
    cut.or_else(of_last_line).unwrap_or(DEFAULT_COMMENT)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLOCK: &str = "\n# Please enter the commit message for your changes. Lines starting\n# with '#' will be ignored.\n#\n# On branch main\n#\n";

    fn strip(content: &str) -> Prepared<'_> {
        Prepared::new(content.as_bytes(), Cleanup::Strip, None)
    }

    fn with(prepared: &Prepared<'_>, message: &str) -> String {
        String::from_utf8(prepared.with(&Message::new(message).unwrap())).unwrap()
    }

    #[test]
    fn comments_and_sign_offs_are_no_message() {
        for empty in ["", "\n\n", BLOCK, "\nSigned-off-by: A <a@b>\n\n# On branch main\n", "# a hint of a template\n"] {
            assert!(!strip(empty).holds_message(), "{empty:?}");
        }
        for held in ["Add a\n", "\n\n Add a\n# On branch main\n", "x", "\u{e9}"] {
            assert!(strip(held).holds_message(), "{held:?}");
        }
        assert!(Prepared::new(b"\xff\n", Cleanup::Strip, None).holds_message());
    }

    #[test]
    fn what_follows_the_scissors_is_no_message() {
        let verbose = format!("{BLOCK}# {SCISSORS}\n# Do not modify.\ndiff --git a/a b/a\n+x\n");
        assert!(!strip(&verbose).holds_message());
        let held = format!("Add a\n# {SCISSORS}\n");
        assert!(strip(&held).holds_message());
        // In this mode, git keeps what looks like a comment.
        let template = format!("# kept\n# {SCISSORS}\n# On branch main\n");
        assert!(Prepared::new(template.as_bytes(), Cleanup::Scissors, None).holds_message());
        assert!(!strip(&template).holds_message());
    }

    #[test]
    fn the_comment_character_is_the_configured_one() {
        let semicolons = "\n; On branch main\n";
        let read = |comment| Prepared::new(semicolons.as_bytes(), Cleanup::Strip, comment).holds_message();
        assert!(read(None));
        assert!(!read(Some(";")));
        assert!(!read(Some("auto")));
        assert!(!Prepared::new(b"// On branch main\n", Cleanup::Strip, Some("//")).holds_message());
        // git left `#` alone, because the template has lines that begin with it: they are text.
        let text = "# title\n\n; On branch main\n;\n";
        assert!(Prepared::new(text.as_bytes(), Cleanup::Strip, Some("auto")).holds_message());
        let verbose = format!("\n; On branch main\n; {SCISSORS}\ndiff\n#\n");
        assert!(!Prepared::new(verbose.as_bytes(), Cleanup::Strip, Some("auto")).holds_message());
    }

    #[test]
    fn the_text_is_what_is_no_comment() {
        assert_eq!(strip("Merge\n\n#1\n; x\n# Conflicts:\n#\tfile\n").text(), "Merge\n\n; x");
        let of = |content: &str, cleanup, comment| Prepared::new(content.as_bytes(), cleanup, comment).text();
        assert_eq!(of("Merge\n\n#1\n; Conflicts:\n", Cleanup::Strip, Some(";")), "Merge\n\n#1");
        assert_eq!(of("Merge\n\n#1\n; Conflicts:\n", Cleanup::Strip, Some("auto")), "Merge\n\n#1");
        let cut = format!("Merge\n\n#1\n# {SCISSORS}\n# Conflicts:\n");
        assert_eq!(of(&cut, Cleanup::Scissors, None), "Merge\n\n#1");
    }

    #[test]
    fn the_message_comes_first_and_the_rest_stays() {
        assert_eq!(with(&strip(BLOCK), "Add a\n\nBecause."), format!("Add a\n\nBecause.\n{BLOCK}"));
        assert_eq!(with(&strip(""), "Add a"), "Add a\n");
        assert_eq!(with(&strip("# hint\n"), "Add a"), "Add a\n\n# hint\n");
        let content = b"\n# \xff\n";
        let text = Prepared::new(content, Cleanup::Strip, None).with(&Message::new("Add a").unwrap());
        assert_eq!(text, b"Add a\n\n# \xff\n");
    }

    #[test]
    fn lines_that_git_would_remove_are_indented() {
        assert_eq!(with(&strip(BLOCK), "#12: add a\n\n#x\n x"), format!(" #12: add a\n\n #x\n x\n{BLOCK}"));
        let semicolons = Prepared::new(b"\n; On\n", Cleanup::Strip, Some(";"));
        assert_eq!(with(&semicolons, "#1\n\n;x"), "#1\n\n ;x\n\n; On\n");
        let cut = format!("\n# {SCISSORS}\n# On branch main\n");
        for cleanup in [Cleanup::Strip, Cleanup::Scissors] {
            let prepared = Prepared::new(cut.as_bytes(), cleanup, None);
            assert_eq!(with(&prepared, "#12"), format!("#12\n{cut}"), "{cleanup:?}");
            assert_eq!(with(&prepared, &format!("# {SCISSORS}")), format!(" # {SCISSORS}\n{cut}"));
        }
        let kept = Prepared::new(BLOCK.as_bytes(), Cleanup::Whitespace, None);
        assert!(!kept.holds_message());
        assert_eq!(with(&kept, "#12"), format!("#12\n{BLOCK}"));
    }
}
