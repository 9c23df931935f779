//! Our custom command in a configuration file of lazygit: putting it in, finding it, taking it out, as text.
//!
//! Where the text of an edit would go is a guess from the tree; each guess is parsed and taken back, and only one that
//! changed nothing else and can be taken back byte for byte is used.

use std::fmt::Write as _;
use std::ops::Range;

use super::super::Found;
use super::super::yaml::{Content, Document, Node, YamlError, parse};

/// The list that lazygit reads custom commands from.
pub(super) const LIST: &str = "customCommands";
/// What tells our entry apart in a list in brackets, where no comment can.
const DESCRIPTION: &str = "Commit with a message written by stagecoach";
const COMMAND: &str = "stagecoach";

const BEGIN: &str = "# stagecoach: begin";
const END: &str = "# stagecoach: end";
/// Said in the first line where the list is ours, too.
const WITH_LIST: &str = " (and the list)";
/// Said in the first line where the file is ours, too.
const WITH_FILE: &str = " (and the file)";

/// Why a file is not edited.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// It is no YAML, or more than one document.
    #[error("it cannot be read as YAML: {0}")]
    Yaml(String),
    /// It is YAML of a form that cannot be added to.
    #[error("it is written in a form that cannot be added to without changing more")]
    Form,
    /// Something else has the key.
    #[error("the key {key} already has a custom command: {what}")]
    KeyTaken {
        /// The key.
        key: String,
        /// What it runs or says of itself.
        what: String,
    },
    /// What is between our marks is not our entry any more.
    #[error("what stands between `{BEGIN}` and `{END}` was changed by hand")]
    Edited,
}

impl From<YamlError> for Refusal {
    fn from(error: YamlError) -> Self {
        Refusal::Yaml(error.to_string())
    }
}

/// Whether a file has a list of custom commands.
pub(super) fn has_list(text: &str) -> bool {
    parse(text).is_ok_and(|document| list(&document).is_some_and(|(_, value)| !value.is_null()))
}

/// Looks for our entry.
pub(super) fn find(text: &str) -> Result<Found, Refusal> {
    let document = parse(text)?;
    if ours(text, &document).is_some_and(|ours| !ours.items.is_empty()) {
        return Ok(Found::Ours);
    }
    let runs_us = |item: &Node| {
        let command = item.get("command").and_then(Node::text).unwrap_or_default();
        command.split(|c: char| !(c.is_alphanumeric() || "-_.".contains(c))).any(|word| word == COMMAND)
    };
    Ok(if items(&document).iter().any(runs_us) { Found::Foreign } else { Found::Nothing })
}

/// Puts our entry in, in place of one that is there. `None` for `text`: there is no file.
pub(super) fn install(text: Option<&str>, key: &str) -> Result<String, Refusal> {
    let left = remove(text.unwrap_or_default())?;
    let is_new = text.is_none() || left.is_none();
    let base = left.unwrap_or_default();
    let document = parse(&base)?;
    if let Some(taken) = items(&document).iter().find(|item| overlaps(item, key)) {
        let what = ["description", "command"].iter().find_map(|name| taken.get(name)?.text());
        return Err(Refusal::KeyTaken { key: key.to_owned(), what: what.unwrap_or("(no command)").to_owned() });
    }
    let guesses = guesses(&base, &document, key, is_new);
    guesses.into_iter().find(|guess| is_right(&base, &document, guess, key)).ok_or(Refusal::Form)
}

/// Takes our entry out; the text itself where there is none. `None`: the file was ours altogether.
pub(super) fn remove(text: &str) -> Result<Option<String>, Refusal> {
    let document = parse(text)?;
    let Some(ours) = ours(text, &document) else { return Ok(Some(text.to_owned())) };
    if ours.items.len() > 1 {
        return Err(Refusal::Edited);
    }
    let expected = without(&document, &ours.items);
    let left = ours.regions.into_iter().find_map(|region| {
        let mut left = text.to_owned();
        left.replace_range(region, "");
        parse(&left).is_ok_and(|rest| without(&rest, &[]) == expected).then_some(left)
    });
    let left = left.ok_or(Refusal::Edited)?;
    Ok(Some(left).filter(|left| !(ours.with_file && left.is_empty())))
}

/// Whether a guess adds our entry and nothing else, and can be taken back.
fn is_right(base: &str, before: &Document, guess: &str, key: &str) -> bool {
    let Ok(after) = parse(guess) else { return false };
    let Some(ours) = ours(guess, &after) else { return false };
    let [at] = ours.items.as_slice() else { return false };
    let says = |name: &str| items(&after).get(*at).and_then(|item| item.get(name)?.text()).map(str::to_owned);
    let is_ours = fields(key).iter().all(|(name, value)| says(name).as_deref() == Some(*value));
    let back = remove(guess).ok().map(Option::unwrap_or_default);
    is_ours && without(&after, &ours.items) == without(before, &[]) && back.as_deref() == Some(base)
}

/// The list of custom commands.
fn list(document: &Document) -> Option<&(Node, Node)> {
    document.root.as_ref()?.entry(LIST)
}

fn items(document: &Document) -> &[Node] {
    match list(document).map(|(_, value)| &value.content) {
        Some(Content::Sequence(items)) => items,
        _ => &[],
    }
}

/// Whether an entry would be asked for by the same key in the files panel.
fn overlaps(item: &Node, key: &str) -> bool {
    let context = item.get("context").and_then(Node::text).unwrap_or_default();
    let here = context.split(',').any(|context| ["files", "global"].contains(&context.trim()));
    here && item.get("key").and_then(Node::text).is_some_and(|other| other.eq_ignore_ascii_case(key))
}

/// The document without some custom commands; a list without any is as good as none.
fn without(document: &Document, leave_out: &[usize]) -> Vec<(Node, Node)> {
    let Some(Node { content: Content::Mapping(entries), .. }) = &document.root else {
        // Something that is no mapping is told from nothing by being an entry of its own.
        return document.root.iter().filter(|root| !root.is_null()).map(|root| (root.clone(), root.clone())).collect();
    };
    let mut entries = entries.clone();
    entries.retain_mut(|(name, value)| {
        if name.text() != Some(LIST) {
            return true;
        }
        if let Content::Sequence(items) = &mut value.content {
            let mut number = 0;
            items.retain(|_| {
                number += 1;
                !leave_out.contains(&(number - 1))
            });
            return !items.is_empty();
        }
        !value.is_null()
    });
    entries
}

/// Our entry in a text.
struct Ours {
    /// What to take out; the first of these that leaves everything else as it is.
    regions: Vec<Range<usize>>,
    /// The custom commands in it, by number.
    items: Vec<usize>,
    with_file: bool,
}

fn ours(text: &str, document: &Document) -> Option<Ours> {
    let ours = marked(text).or_else(|| in_brackets(text, document))?;
    let is_in = |item: &Node| ours.regions.iter().any(|region| region.contains(&item.span.start));
    let items = items(document).iter().enumerate().filter(|(_, item)| is_in(item)).map(|(number, _)| number).collect();
    Some(Ours { items, ..ours })
}

/// Between our two comments.
fn marked(text: &str) -> Option<Ours> {
    let mut begin = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let end = at + line.len();
        let trimmed = line.trim();
        if trimmed.starts_with(BEGIN) {
            begin = Some((at, trimmed));
        } else if trimmed == END
            && let Some((begin, mark)) = begin
        {
            let with_list = mark.contains(WITH_LIST).then(|| line_before(text, begin)).flatten();
            let begins = with_list.into_iter().chain([begin]);
            // Where the file had no line break at its end, the one before ours is ours.
            let begins = begins.map(|at| if line.ends_with('\n') { at } else { break_before(text, at) });
            let regions = begins.map(|begin| begin..end).collect();
            return Some(Ours { regions, items: Vec::new(), with_file: mark.contains(WITH_FILE) });
        }
        at = end;
    }
    None
}

/// Where the line before the one at `at` begins.
fn line_before(text: &str, at: usize) -> Option<usize> {
    let before = text.get(..at)?.strip_suffix('\n')?;
    let mark = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    Some(before.rfind('\n').map_or(mark, |line| line + 1))
}

/// Where the line break before `at` begins.
fn break_before(text: &str, at: usize) -> usize {
    let before = text.get(..at).unwrap_or_default();
    before.strip_suffix("\r\n").or_else(|| before.strip_suffix('\n')).map_or(at, str::len)
}

/// In a list in brackets, by what it says of itself.
fn in_brackets(text: &str, document: &Document) -> Option<Ours> {
    let says = |item: &Node| {
        let is = |name: &str, value: &str| item.get(name).and_then(Node::text) == Some(value);
        is("description", DESCRIPTION) && is("command", COMMAND)
    };
    let item = items(document).iter().find(|item| says(item))?;
    text.get(item.span.start..).filter(|rest| rest.starts_with('{'))?;
    let begin_of_list = format!("\"{LIST}\": [");
    let head = text.get(..item.span.start)?;
    let alone = text.get(item.span.end..)?.starts_with(']');
    let (start, end) = match head.strip_suffix(begin_of_list.as_str()) {
        // The list was not there: it goes, too.
        Some(before) if alone && before.ends_with('{') => (before.len(), item.span.end + 1),
        _ => (item.span.start, item.span.end),
    };
    let comma = text.get(end..)?.starts_with(", ");
    let end = if comma { end + 2 } else { end };
    Some(Ours { regions: std::iter::once(start..end).collect(), items: Vec::new(), with_file: false })
}

/// Texts with our entry in several places, the most natural one first.
fn guesses(base: &str, document: &Document, key: &str, is_new: bool) -> Vec<String> {
    let newline = if base.contains("\r\n") { "\r\n" } else { "\n" };
    let insert = |at: usize, what: &str| {
        let mut text = base.to_owned();
        text.insert_str(at, what);
        text
    };
    let starts_with = |node: &Node, mark: char| base.get(node.span.start..).is_some_and(|rest| rest.starts_with(mark));
    match (&document.root, list(document)) {
        (Some(_), Some((_, value))) if starts_with(value, '[') => {
            let comma = if items(document).is_empty() { "" } else { ", " };
            vec![insert(value.span.start + 1, &format!("{}{comma}", flow(key)))]
        }
        (Some(_), Some((name, value))) if matches!(value.content, Content::Sequence(_)) => {
            let after_name = line_end(base, name.span.end).unwrap_or(base.len());
            // Of a list that is not indented the parser does not tell where its first dash is, only that it is below the name.
            let indent = if starts_with(value, '-') { column(base, value) } else { column(base, name) };
            let dash = format!("{}-", " ".repeat(indent));
            let lines = base.get(after_name..).unwrap_or_default().split_inclusive('\n');
            let before_first =
                after_name + lines.take_while(|line| !line.starts_with(&dash)).map(str::len).sum::<usize>();
            let block = block(key, indent, newline, "");
            vec![insert(after_name, &block), insert(before_first, &block)]
        }
        (Some(_), Some((name, value))) if value.is_null() => {
            let block = block(key, column(base, name) + 2, newline, "");
            match line_end(base, name.span.end) {
                Some(at) => vec![insert(at, &block)],
                None => vec![at_end(base, &block, newline)],
            }
        }
        (Some(root), None) if starts_with(root, '{') => {
            let comma =
                if matches!(&root.content, Content::Mapping(entries) if entries.is_empty()) { "" } else { ", " };
            vec![insert(root.span.start + 1, &format!("\"{LIST}\": [{}]{comma}", flow(key)))]
        }
        (root, None) => {
            let first = root.as_ref().and_then(|root| match &root.content {
                Content::Mapping(entries) => entries.first(),
                _ => None,
            });
            let indent = first.map_or(0, |(name, _)| column(base, name));
            let with = if is_new { format!("{WITH_LIST}{WITH_FILE}") } else { WITH_LIST.to_owned() };
            let block = format!("{}{LIST}:{newline}{}", " ".repeat(indent), block(key, indent + 2, newline, &with));
            vec![at_end(base, &block, newline), insert(document.begin, &block)]
        }
        _ => Vec::new(),
    }
}

/// Where the line of `at` ends, after its line break; `None` where it has none.
fn line_end(text: &str, at: usize) -> Option<usize> {
    text.get(at..)?.find('\n').map(|end| at + end + 1)
}

/// How far a node is indented, in bytes, which are characters here.
fn column(text: &str, node: &Node) -> usize {
    let before = text.get(..node.span.start).unwrap_or_default();
    let line = before.rfind('\n').map_or(0, |at| at + 1);
    before.get(line..).map_or(0, |head| head.trim_start_matches('\u{feff}').len())
}

/// The text with a block below it; where its last line has no break, the block's has none either.
fn at_end(base: &str, block: &str, newline: &str) -> String {
    if base.trim_start_matches('\u{feff}').is_empty() || base.ends_with('\n') {
        return format!("{base}{block}");
    }
    format!("{base}{newline}{}", block.trim_end())
}

fn fields(key: &str) -> [(&'static str, &str); 5] {
    [
        ("key", key),
        ("context", "files"),
        ("command", COMMAND),
        ("description", DESCRIPTION),
        ("loadingText", "stagecoach is writing"),
    ]
}

/// The entry as lines of a list, between our comments.
fn block(key: &str, indent: usize, newline: &str, with: &str) -> String {
    let space = " ".repeat(indent);
    let mut text = format!("{space}{BEGIN}{with}; `stagecoach integrate remove lazygit` takes it out{newline}");
    for (number, (name, value)) in fields(key).into_iter().enumerate() {
        let dash = if number == 0 { "- " } else { "  " };
        let value = value.replace('\'', "''");
        // Writing to a String cannot fail.
        let _ = write!(text, "{space}{dash}{name}: '{value}'{newline}");
    }
    let _ = write!(text, "{space}{END}{newline}");
    text
}

/// The entry in braces.
fn flow(key: &str) -> String {
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    let fields: Vec<String> =
        fields(key).into_iter().map(|(name, value)| format!("{}: {}", quoted(name), quoted(value))).collect();
    format!("{{{}}}", fields.join(", "))
}

/// The entry as one would type it.
pub(super) fn snippet(key: &str) -> String {
    format!("{LIST}:\n{}", block(key, 2, "\n", ""))
}

#[cfg(test)]
#[path = "entry_tests.rs"]
mod tests;
