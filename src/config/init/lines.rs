//! A configuration file as lines, so that remarks can be taken out and put in without touching anything else.

use std::collections::BTreeSet;
use std::ops::Range;

use toml::de::{DeTable, DeValue};

/// What a line is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    Blank,
    Comment,
    /// `[section]`, by its dotted path.
    Header(String),
    /// The first line of a key and its value, by the key's dotted path in the whole file.
    Entry(String),
    /// A further line of a value.
    Inside,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    /// Without the line break.
    pub(super) text: String,
    /// The line break of a line that was read.
    pub(super) end: Option<&'static str>,
    pub(super) kind: Kind,
}

impl Line {
    pub(super) fn comment(text: &str) -> Self {
        Self::new(text, Kind::Comment)
    }

    pub(super) fn blank() -> Self {
        Self::new("", Kind::Blank)
    }

    pub(super) fn header(section: &str) -> Self {
        Self::new(&format!("[{section}]"), Kind::Header(section.to_owned()))
    }

    pub(super) fn entry(path: &str, text: &str) -> Self {
        Self::new(text, Kind::Entry(path.to_owned()))
    }

    fn new(text: &str, kind: Kind) -> Self {
        Self { text: text.to_owned(), end: None, kind }
    }
}

/// Takes a text apart; `None` when it is no TOML.
pub(super) fn lines(text: &str) -> Option<Vec<Line>> {
    let root = DeTable::parse(text).ok()?.into_inner();
    let mut entries = Vec::new();
    collect(text, &root, "", &mut entries);
    let mut begin = 0;
    let mut lines: Vec<Line> = Vec::new();
    for piece in text.split_inclusive('\n') {
        let range = begin..begin + piece.len();
        begin = range.end;
        let (bare, end) = match piece.strip_suffix('\n') {
            Some(line) => line.strip_suffix('\r').map_or((line, Some("\n")), |line| (line, Some("\r\n"))),
            None => (piece, None),
        };
        let inside = entries.iter().any(|entry| entry.range.start < range.start && range.start < entry.range.end);
        let first = entries.iter().find(|entry| range.contains(&entry.range.start));
        let kind = match (inside, first, bare.trim()) {
            (true, _, _) => Kind::Inside,
            (false, Some(entry), _) => Kind::Entry(entry.path.clone()),
            (false, None, "") => Kind::Blank,
            (false, None, line) if line.starts_with('[') => Kind::Header(header_path(line)),
            (false, None, _) => Kind::Comment,
        };
        lines.push(Line { text: bare.to_owned(), end, kind });
    }
    Some(lines)
}

/// Every dotted path of a table or value.
pub(super) fn paths(text: &str) -> BTreeSet<String> {
    fn walk(table: &DeTable<'_>, prefix: &str, into: &mut BTreeSet<String>) {
        for (name, value) in table {
            let path = join(prefix, name.get_ref());
            if let DeValue::Table(inner) = value.get_ref() {
                walk(inner, &path, into);
            }
            into.insert(path);
        }
    }
    let mut paths = BTreeSet::new();
    if let Ok(root) = DeTable::parse(text) {
        walk(root.get_ref(), "", &mut paths);
    }
    paths
}

struct Found {
    path: String,
    /// From the key to the end of the value.
    range: Range<usize>,
}

fn collect(text: &str, table: &DeTable<'_>, prefix: &str, into: &mut Vec<Found>) {
    for (name, value) in table {
        let path = join(prefix, name.get_ref());
        let found = |range| Found { path: path.clone(), range };
        let is_inline = |at: usize| text.get(at..).is_some_and(|rest| rest.starts_with('{'));
        match value.get_ref() {
            DeValue::Table(inner) if !is_inline(value.span().start) => collect(text, inner, &path, into),
            // The tables of an array of tables have headers; an array has brackets of its own.
            DeValue::Array(items) if items.iter().any(|item| is_table_of_its_own(text, value.span(), item)) => {
                for item in items {
                    if let DeValue::Table(inner) = item.get_ref() {
                        collect(text, inner, &path, into);
                    }
                }
            }
            _ => into.push(found(name.span().start..value.span().end)),
        }
    }
}

fn is_table_of_its_own(text: &str, array: Range<usize>, item: &toml::Spanned<DeValue<'_>>) -> bool {
    let at_header = text.get(array.start..).is_some_and(|rest| rest.starts_with("[["));
    let begins_alike = item.span().start == array.start;
    matches!(item.get_ref(), DeValue::Table(_)) && at_header && begins_alike
}

fn join(prefix: &str, name: &str) -> String {
    let name = if name.contains('.') { format!("\"{name}\"") } else { name.to_owned() };
    if prefix.is_empty() { name } else { format!("{prefix}.{name}") }
}

/// The path that a header line names.
fn header_path(line: &str) -> String {
    let mut path = String::new();
    if let Ok(root) = DeTable::parse(line) {
        let mut table = Some(root.into_inner());
        while let Some((name, value)) = table.take().and_then(|table| table.into_iter().next()) {
            path = join(&path, name.get_ref());
            if let DeValue::Table(inner) = value.into_inner() {
                table = Some(inner);
            }
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<String> {
        let name = |line: Line| match line.kind {
            Kind::Blank => "blank".to_owned(),
            Kind::Comment => "comment".to_owned(),
            Kind::Header(path) => format!("[{path}]"),
            Kind::Entry(path) => path,
            Kind::Inside => "inside".to_owned(),
        };
        lines(text).unwrap().into_iter().map(name).collect()
    }

    #[test]
    fn every_line_is_known_for_what_it_is() {
        let text = "# a\nconfig_version = 3\r\n\n  [ \"defaults\" ] # b\nmodel = \"\"\"\n# c\n[x]\"\"\"\nrole.planner.model = 'x'\n\
                    [generation]\nexclude = [\n  # d\n  'a',\n]\n[provider.\"a.b\"]\nenv = { A = '1' }\n[[odd]]\nx = 1\n[[odd]]\ny = [\n1]\n";
        let expected = [
            "comment",
            "config_version",
            "blank",
            "[defaults]",
            "defaults.model",
            "inside",
            "inside",
            "defaults.role.planner.model",
            "[generation]",
            "generation.exclude",
            "inside",
            "inside",
            "inside",
            "[provider.\"a.b\"]",
            "provider.\"a.b\".env",
            "[odd]",
            "odd.x",
            "[odd]",
            "odd.y",
            "inside",
        ];
        assert_eq!(kinds(text), expected);
        assert!(lines("no toml [").is_none());
        assert!(paths("a.b = 1\nc = {d = 2}").iter().eq(["a", "a.b", "c", "c.d"]));
    }
}
