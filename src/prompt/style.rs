//! Which style a message has to have: the one asked for, or the one that history shows.

use crate::config::{Format, Style};
use crate::git::LogEntry;

use super::conventional::TYPES;
use super::gitmoji::GITMOJI;
use super::template::{self, fill};

/// The most messages of history that are shown.
const MOST_EXAMPLES: usize = 20;

/// The most lines of history that are shown, all messages together.
const MOST_LINES: usize = 100;

/// The most bytes of one line of history that are shown.
const MOST_LINE_BYTES: usize = 400;

/// Fewer messages teach no style.
const FEWEST_EXAMPLES: usize = 2;

/// How the subject is built.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Form {
    /// As the examples show; there is no rule to break.
    Learned,
    /// `type(scope): description`
    Conventional,
    /// One emoji of the table, then the description.
    Gitmoji,
    /// Neither type nor emoji.
    Plain,
}

/// What is said about a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Body {
    /// Demanded by `+body`.
    Required,
    /// Where the subject is not enough.
    Optional,
    /// The project writes none.
    None,
}

/// The style of the message to be written, resolved from format and history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HouseStyle {
    /// How the subject is built.
    pub form: Form,
    /// Whether there is a body.
    pub body: Body,
    /// What is shown of history, newest first; empty unless the form is learned.
    pub examples: Vec<String>,
}

impl HouseStyle {
    /// Resolves a format: `auto` learns from two messages or more, and means Conventional Commits below that. Merges,
    /// reverts and commits that wait to be squashed teach nothing.
    #[must_use]
    pub fn resolve(format: Format, history: &[LogEntry]) -> Self {
        let examples = examples(history);
        let enough = examples.len() >= FEWEST_EXAMPLES;
        let body = match (format.body, enough) {
            (true, _) => Body::Required,
            (false, true) if !examples.iter().any(|message| has_body(message)) => Body::None,
            (false, _) => Body::Optional,
        };
        let form = match format.style {
            Style::Auto if enough => Form::Learned,
            Style::Auto | Style::Conventional => Form::Conventional,
            Style::Gitmoji => Form::Gitmoji,
            Style::Plain => Form::Plain,
        };
        Self { form, body, examples: if form == Form::Learned { examples } else { Vec::new() } }
    }

    /// The style block of the system prompt; `rule` is the line before each example.
    pub(super) fn block(&self, rule: &str) -> String {
        match self.form {
            Form::Learned => {
                let mut examples = String::new();
                for example in &self.examples {
                    examples.push_str(rule);
                    examples.push('\n');
                    examples.push_str(example);
                    examples.push('\n');
                }
                examples.push_str(rule);
                fill(template::STYLE_LEARNED, &[("examples", &examples)])
            }
            Form::Conventional => fill(template::STYLE_CONVENTIONAL, &[("types", &TYPES.join(", "))]),
            Form::Gitmoji => {
                let row = |entry: &super::Gitmoji| format!("{} {}", entry.emoji, entry.meaning);
                let table = GITMOJI.iter().map(row).collect::<Vec<_>>().join("\n");
                fill(template::STYLE_GITMOJI, &[("table", &table)])
            }
            Form::Plain => template::STYLE_PLAIN.to_owned(),
        }
    }

    /// The body rule of the system prompt.
    pub(super) const fn body_rule(&self) -> &'static str {
        match self.body {
            Body::Required => template::BODY_REQUIRED,
            Body::Optional => template::BODY_OPTIONAL,
            Body::None => template::BODY_NONE,
        }
    }
}

/// Recent messages that teach style, newest first.
#[must_use]
pub fn examples(history: &[LogEntry]) -> Vec<String> {
    let mut lines_left = MOST_LINES;
    let mut examples = Vec::new();
    for entry in history.iter().filter(|entry| teaches(entry)).take(MOST_EXAMPLES) {
        if lines_left == 0 {
            break;
        }
        let lines: Vec<String> = entry.message.trim().lines().take(lines_left).map(harmless).collect();
        lines_left -= lines.len();
        examples.push(lines.join("\n").trim_end().to_owned());
    }
    examples
}

fn teaches(entry: &LogEntry) -> bool {
    let message = entry.message.trim_start();
    let subject = message.lines().next().unwrap_or_default();
    let starts = |word: &str| subject.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
    let unusual = ["revert ", "revert: ", "revert(", "fixup! ", "squash! ", "amend! ", "merge branch ", "merge pull "];
    entry.parents < 2 && !subject.trim().is_empty() && !unusual.into_iter().any(starts)
}

/// A line without control characters and of bounded length.
fn harmless(line: &str) -> String {
    let mut size = 0;
    let within = |c: &char| {
        size += c.len_utf8();
        size <= MOST_LINE_BYTES
    };
    let visible = line.chars().filter(|c| !c.is_control() || *c == '\t');
    visible.take_while(within).collect::<String>().trim_end().to_owned()
}

/// Whether a message says more than its subject; trailers say nothing.
fn has_body(message: &str) -> bool {
    let mut paragraphs = message.split("\n\n").skip(1).filter(|paragraph| !paragraph.trim().is_empty());
    paragraphs.any(|paragraph| !paragraph.trim().lines().all(is_trailer))
}

fn is_trailer(line: &str) -> bool {
    let token = |token: &str| !token.is_empty() && token.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    line.starts_with(' ') || line.split_once(": ").is_some_and(|(name, _)| token(name) && name.contains('-'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::git::ObjectId;

    fn entry(message: &str, parents: usize) -> LogEntry {
        LogEntry { id: ObjectId::from_bytes(&[1; 20]).unwrap(), parents, message: message.to_owned() }
    }

    const AUTO: Format = Format { style: Style::Auto, body: false };

    fn resolve(format: Format, messages: &[&str]) -> HouseStyle {
        HouseStyle::resolve(format, &messages.iter().map(|message| entry(message, 1)).collect::<Vec<_>>())
    }

    #[test]
    fn two_messages_teach_and_one_does_not() {
        assert_eq!(resolve(AUTO, &["One"]).form, Form::Conventional);
        assert_eq!(resolve(AUTO, &["One", "Two"]).form, Form::Learned);
        assert_eq!(resolve(AUTO, &["One", "Revert \"One\"", "revert: one", "fixup! One"]).form, Form::Conventional);
        let merges = [entry("Merge it", 2), entry("One", 1), entry("Join it", 3)];
        assert_eq!(HouseStyle::resolve(AUTO, &merges).form, Form::Conventional);
    }

    #[test]
    fn the_body_rule_follows_history_and_format() {
        assert_eq!(resolve(AUTO, &["One", "Two"]).body, Body::None);
        assert_eq!(resolve(AUTO, &["One", "Two\n\nBecause of this."]).body, Body::Optional);
        assert_eq!(resolve(AUTO, &["One", "Two\n\nSigned-off-by: A <a@b>\n"]).body, Body::None);
        assert_eq!(resolve(AUTO, &[]).body, Body::Optional);
        assert_eq!(resolve(Format { style: Style::Plain, body: true }, &["One", "Two"]).body, Body::Required);
    }

    #[test]
    fn examples_are_bounded() {
        let many: Vec<LogEntry> = (0..50).map(|n| entry(&format!("Subject {n}"), 1)).collect();
        assert_eq!(examples(&many).len(), MOST_EXAMPLES);
        let long = entry(&"x\n".repeat(70), 1);
        let lines =
            examples(&[long.clone(), long.clone(), long]).iter().map(|text| text.lines().count()).sum::<usize>();
        assert_eq!(lines, MOST_LINES);
        let wide = examples(&[entry(&"é".repeat(10_000), 1)]);
        assert_eq!(wide[0].len(), MOST_LINE_BYTES);
    }

    #[test]
    fn examples_have_no_control_characters() {
        assert_eq!(examples(&[entry("a\u{1b}[31mb\r\n\n\tc\0", 1)]), ["a[31mb\n\n\tc"]);
    }
}
