//! A message on its way through an editor: what the file holds, and what is taken from it afterwards.
//!
//! By git's rules: `commit.cleanup` decides what is removed, `core.commentChar` how a comment begins.

use super::{InvalidMessage, Message};

/// The line below which everything is cut off, after the beginning of a comment and a space.
pub(super) const SCISSORS: &str = "------------------------ >8 ------------------------";

/// What git chooses from when the beginning of comments is left to it, in its order.
pub(super) const CANDIDATES: [&str; 10] = ["#", ";", "@", "!", "$", "%", "^", "&", "|", ":"];

/// A line that alone makes no message.
pub(super) const SIGN_OFF: &str = "Signed-off-by: ";

/// What is removed from the text that an editor leaves, besides needless white space.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cleanup {
    /// Comment lines.
    Strip,
    /// Everything from the scissors line on.
    Scissors,
    /// Nothing more.
    Whitespace,
}

/// A value that `commit.cleanup` cannot have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("Invalid cleanup mode {0}")]
pub struct InvalidCleanup(String);

impl Cleanup {
    /// What a value of `commit.cleanup` means for a message that is edited. `verbatim` counts as `whitespace`, since no
    /// message is stored with needless white space.
    ///
    /// # Errors
    /// git knows no such mode.
    pub fn of_setting(value: Option<&str>) -> Result<Self, InvalidCleanup> {
        match value {
            None | Some("default" | "strip") => Ok(Self::Strip),
            Some("scissors") => Ok(Self::Scissors),
            Some("whitespace" | "verbatim") => Ok(Self::Whitespace),
            Some(other) => Err(InvalidCleanup(other.to_owned())),
        }
    }

    /// The same for a message that nobody edits: its lines are meant as they are, unless `strip` is asked for.
    ///
    /// # Errors
    /// git knows no such mode.
    pub fn of_unedited(value: Option<&str>) -> Result<Self, InvalidCleanup> {
        Self::of_setting(value)?;
        Ok(if value == Some("strip") { Self::Strip } else { Self::Whitespace })
    }
}

/// The text for an editor, and how to read what comes back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    text: String,
    comment: String,
    cleanup: Cleanup,
}

impl Draft {
    /// A draft of `message` with `notes` as comments below it. `comment` is the value of `core.commentChar`; left out or
    /// `auto`, comments begin with what no line of the message begins with. Where comments would be kept, there are none.
    #[must_use]
    pub fn new(message: &Message, notes: &[String], cleanup: Cleanup, comment: Option<&str>) -> Self {
        Self::of(message.as_str(), notes, cleanup, comment)
    }

    /// The same where there is no message yet.
    #[must_use]
    pub fn empty(notes: &[String], cleanup: Cleanup, comment: Option<&str>) -> Self {
        Self::of("", notes, cleanup, comment)
    }

    fn of(message: &str, notes: &[String], cleanup: Cleanup, comment: Option<&str>) -> Self {
        let chosen = comment.filter(|text| !text.is_empty() && !text.eq_ignore_ascii_case("auto"));
        let comment = chosen.map_or_else(|| unused(message), str::to_owned);
        let mut text = message.to_owned();
        if !notes.is_empty() && cleanup != Cleanup::Whitespace {
            text.push('\n');
            for line in explanation(cleanup, &comment).iter().chain(notes) {
                let gap = if line.is_empty() || line.starts_with('\t') { "" } else { " " };
                text.extend([&comment, gap, line, "\n"]);
            }
        }
        Self { text, comment, cleanup }
    }

    /// What the editor is given.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The message in what the editor left.
    ///
    /// # Errors
    /// Nothing is left besides sign-offs, or there is a NUL byte in it.
    pub fn read(&self, edited: &str) -> Result<Message, InvalidMessage> {
        let kept = match self.cleanup {
            Cleanup::Strip => without_comments(edited, &self.comment),
            Cleanup::Scissors => until_scissors(edited, &self.comment).to_owned(),
            Cleanup::Whitespace => edited.to_owned(),
        };
        let message = Message::new(&kept)?;
        let says_something = |line: &str| !line.is_empty() && !line.starts_with(SIGN_OFF);
        if message.as_str().lines().any(says_something) { Ok(message) } else { Err(InvalidMessage::Empty) }
    }
}

/// What the user must know, before the notes.
fn explanation(cleanup: Cleanup, comment: &str) -> Vec<String> {
    let leave = "Everything from the line above on is left out, so leave that line as it is.";
    let lines = match cleanup {
        Cleanup::Strip => vec![
            format!("This will be the message of the commit. Lines that begin with '{comment}'"),
            "are left out, and an empty message makes no commit.".to_owned(),
        ],
        Cleanup::Scissors => [SCISSORS, leave, "An empty message makes no commit."].map(str::to_owned).to_vec(),
        Cleanup::Whitespace => return Vec::new(),
    };
    lines.into_iter().chain([String::new()]).collect()
}

/// The first of git's candidates that no line begins with, else as many `#` as no line begins with.
fn unused(message: &str) -> String {
    let taken = |prefix: &str| message.lines().any(|line| line.starts_with(prefix));
    let single = CANDIDATES.iter().find(|candidate| !taken(candidate));
    let several = || {
        let mut several = "##".to_owned();
        while taken(&several) {
            several.push('#');
        }
        several
    };
    single.map_or_else(several, |single| (*single).to_owned())
}

fn without_comments(text: &str, comment: &str) -> String {
    text.split_inclusive('\n').filter(|line| !line.starts_with(comment)).collect()
}

fn until_scissors<'a>(text: &'a str, comment: &str) -> &'a str {
    let scissors = format!("{comment} {SCISSORS}\n");
    let mut kept = 0;
    for line in text.split_inclusive('\n') {
        if line == scissors {
            break;
        }
        kept += line.len();
    }
    text.get(..kept).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::message::trailers::tests::git;

    fn message(text: &str) -> Message {
        Message::new(text).unwrap()
    }

    fn notes() -> Vec<String> {
        ["On branch main", "Changes to be committed:", "\tnew file:   a", ""].map(str::to_owned).to_vec()
    }

    #[test]
    fn the_file_holds_the_message_and_the_notes_as_comments() {
        let draft = Draft::new(&message("Add a\n\nBecause."), &notes(), Cleanup::Strip, None);
        assert_eq!(
            draft.text(),
            "Add a\n\nBecause.\n\n\
             # This will be the message of the commit. Lines that begin with '#'\n\
             # are left out, and an empty message makes no commit.\n\
             #\n# On branch main\n# Changes to be committed:\n#\tnew file:   a\n#\n"
        );
        let draft = Draft::new(&message("Add a"), &notes(), Cleanup::Scissors, Some("//"));
        assert!(draft.text().starts_with(&format!("Add a\n\n// {SCISSORS}\n// Everything")), "{}", draft.text());
    }

    #[test]
    fn nothing_is_added_that_would_be_kept() {
        for (notes, cleanup) in [(notes(), Cleanup::Whitespace), (Vec::new(), Cleanup::Strip)] {
            assert_eq!(Draft::new(&message("Add a"), &notes, cleanup, None).text(), "Add a\n");
        }
    }

    #[test]
    fn a_comment_begins_as_git_is_told() {
        let begins =
            |text: &str, setting: Option<&str>| Draft::new(&message(text), &notes(), Cleanup::Strip, setting).comment;
        for (text, setting, expected) in [
            ("Add a", None, "#"),
            ("Add a\n\n#12 needs it", None, ";"),
            ("#12\n\n;x", Some("Auto"), "@"),
            ("#12", Some("#"), "#"),
            ("Add a", Some("//"), "//"),
            ("#\n;\n@\n!\n$\n%\n^\n&\n|\n:\n###", None, "####"),
            ("#\n;\n@\n!\n$\n%\n^\n&\n|\n:", None, "##"),
        ] {
            assert_eq!(begins(text, setting), expected, "{text:?} {setting:?}");
        }
    }

    #[test]
    fn what_is_cut_depends_on_the_mode() {
        let edited = format!("Add a\n# kept?\n# {SCISSORS}\nbelow\n");
        let read = |cleanup| Draft::new(&message("x"), &notes(), cleanup, None).read(&edited).unwrap().to_string();
        assert_eq!(read(Cleanup::Strip), "Add a\nbelow\n");
        assert_eq!(read(Cleanup::Scissors), "Add a\n# kept?\n");
        assert_eq!(read(Cleanup::Whitespace), edited);
    }

    #[test]
    fn comments_blanks_and_sign_offs_alone_are_no_message() {
        let draft = Draft::new(&message("x"), &notes(), Cleanup::Strip, None);
        for nothing in ["", " \n\n", "# Add a\n", "\nSigned-off-by: A <a@b>\n#\n"] {
            assert_eq!(draft.read(nothing), Err(InvalidMessage::Empty), "{nothing:?}");
        }
        let scissors = Draft::new(&message("x"), &notes(), Cleanup::Scissors, None);
        assert_eq!(scissors.read(&format!("# {SCISSORS}\nx\n")), Err(InvalidMessage::Empty));
        assert_eq!(draft.read("a\0"), Err(InvalidMessage::Nul));
        assert!(draft.read("Signed-off-by me").is_ok());
    }

    #[test]
    fn every_mode_of_git_is_known() {
        let mode = |text| Cleanup::of_setting(Some(text));
        assert_eq!(Cleanup::of_setting(None), Ok(Cleanup::Strip));
        assert_eq!((mode("default"), mode("strip")), (Ok(Cleanup::Strip), Ok(Cleanup::Strip)));
        assert_eq!((mode("whitespace"), mode("verbatim")), (Ok(Cleanup::Whitespace), Ok(Cleanup::Whitespace)));
        assert_eq!(mode("scissors"), Ok(Cleanup::Scissors));
        assert_eq!(mode("Strip").unwrap_err().to_string(), "Invalid cleanup mode Strip");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100))]

        #[test]
        fn an_untouched_draft_is_the_message(
            text in "[ab#;:@ \n]{1,30}x", mode in 0..3_usize, setting in proptest::option::of("auto|%|//")
        ) {
            let cleanup = [Cleanup::Strip, Cleanup::Scissors, Cleanup::Whitespace][mode];
            let message = message(&text);
            let draft = Draft::new(&message, &notes(), cleanup, setting.as_deref());
            prop_assert_eq!(draft.read(draft.text()), Ok(message));
        }

        #[test]
        fn comments_are_what_git_strips(edited in "[ab#; \t\r\n/]{0,40}", comment in "#|;|//") {
            let draft = Draft::new(&message("x"), &[], Cleanup::Strip, Some(&comment));
            let read = draft.read(&edited).map(|message| message.to_string()).unwrap_or_default();
            let configured = format!("core.commentString={comment}");
            let configured = if comment.len() > 1 { configured } else { configured.replace("String", "Char") };
            prop_assert_eq!(read, git(&["-c", &configured, "stripspace", "--strip-comments"], &edited));
        }
    }
}
