//! YAML as a tree with places in the text, to guide edits of the text and to tell whether one changed anything else.

use std::ops::Range;

use saphyr_parser::{Event, Parser, ScalarStyle, Span};

/// Nothing that people write is nested deeper.
const MAX_DEPTH: usize = 100;

/// A value and where it stands, in bytes. Two are equal when they say the same, wherever they stand.
#[derive(Debug, Clone)]
pub(super) struct Node {
    pub(super) content: Content,
    pub(super) span: Range<usize>,
    tag: Option<String>,
    anchor: usize,
}

/// What a value is.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Content {
    Scalar {
        text: String,
        /// Written without quotes, so that it may be a number, a boolean or nothing.
        plain: bool,
    },
    Sequence(Vec<Node>),
    Mapping(Vec<(Node, Node)>),
    /// A reference to an anchor.
    Alias(usize),
}

impl PartialEq for Node {
    fn eq(&self, other: &Self) -> bool {
        (&self.content, &self.tag, self.anchor) == (&other.content, &other.tag, other.anchor)
    }
}

impl Node {
    /// The value of a key.
    pub(super) fn get(&self, name: &str) -> Option<&Node> {
        self.entry(name).map(|(_, value)| value)
    }

    /// A key and its value.
    pub(super) fn entry(&self, name: &str) -> Option<&(Node, Node)> {
        let Content::Mapping(entries) = &self.content else { return None };
        entries.iter().find(|(key, _)| key.text() == Some(name))
    }

    /// The text of a scalar.
    pub(super) fn text(&self) -> Option<&str> {
        match &self.content {
            Content::Scalar { text, .. } => Some(text),
            _ => None,
        }
    }

    /// Whether it is nothing: left out, or one of the words for it.
    pub(super) fn is_null(&self) -> bool {
        matches!(&self.content, Content::Scalar { text, plain: true }
            if ["", "~", "null", "Null", "NULL"].contains(&text.as_str()))
    }
}

/// Why a text is not taken for YAML.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum YamlError {
    #[error("line {line}: {message}")]
    Syntax { line: usize, message: String },
    #[error("it holds several documents")]
    Documents,
    #[error("it is nested too deeply")]
    Depth,
}

/// A text taken apart: its one document, `None` where there is none, and where the line after an explicit `---` begins.
#[derive(Debug, Clone)]
pub(super) struct Document {
    pub(super) root: Option<Node>,
    /// Where content can begin, in bytes.
    pub(super) begin: usize,
}

/// Takes a text apart.
pub(super) fn parse(text: &str) -> Result<Document, YamlError> {
    let bare = text.strip_prefix('\u{feff}').unwrap_or(text);
    let skipped = text.len() - bare.len();
    // The parser counts characters.
    let mut offsets: Vec<usize> = bare.char_indices().map(|(at, _)| at + skipped).collect();
    offsets.push(text.len());
    let mut reader = Reader { text, parser: Parser::new_from_str(bare), offsets };
    let mut document = Document { root: None, begin: skipped };
    let mut documents = 0;
    loop {
        let (event, span) = reader.next()?;
        match event {
            Event::StreamEnd => return Ok(document),
            Event::DocumentStart(explicit) => {
                documents += 1;
                if documents > 1 {
                    return Err(YamlError::Documents);
                }
                if explicit {
                    let at = reader.offset(span.start.index());
                    document.begin =
                        text.get(at..).and_then(|rest| rest.find('\n')).map_or(text.len(), |end| at + end + 1);
                }
                let next = reader.next()?;
                document.root = Some(reader.node(next, 0)?);
            }
            _ => {}
        }
    }
}

struct Reader<'a> {
    text: &'a str,
    parser: Parser<'a, saphyr_parser::StrInput<'a>>,
    /// The byte of each character, and of the end.
    offsets: Vec<usize>,
}

impl<'a> Reader<'a> {
    fn next(&mut self) -> Result<(Event<'a>, Span), YamlError> {
        match self.parser.next_event() {
            None => Ok((Event::StreamEnd, Span::default())),
            Some(Ok(next)) => Ok(next),
            Some(Err(error)) => {
                Err(YamlError::Syntax { line: error.marker().line(), message: error.info().to_owned() })
            }
        }
    }

    fn offset(&self, index: usize) -> usize {
        self.offsets.get(index).or(self.offsets.last()).copied().unwrap_or_default()
    }

    /// Where a list or mapping ends. The parser counts the spaces after a closing bracket in.
    fn end(&self, span: Span) -> usize {
        let at = self.offset(span.start.index());
        let closes = self.text.get(at..).is_some_and(|rest| rest.starts_with([']', '}']));
        if closes && !span.is_empty() { at + 1 } else { self.offset(span.end.index()) }
    }

    fn node(&mut self, (event, span): (Event<'a>, Span), depth: usize) -> Result<Node, YamlError> {
        if depth > MAX_DEPTH {
            return Err(YamlError::Depth);
        }
        let start = self.offset(span.start.index());
        let mut end = self.offset(span.end.index());
        let (content, tag, anchor) = match event {
            Event::Scalar(text, style, anchor, tag) => {
                let plain = style == ScalarStyle::Plain;
                (Content::Scalar { text: text.into_owned(), plain }, tag, anchor)
            }
            Event::SequenceStart(anchor, tag) => {
                let mut items = Vec::new();
                loop {
                    match self.next()? {
                        (Event::SequenceEnd, span) => {
                            end = self.end(span);
                            break;
                        }
                        next => items.push(self.node(next, depth + 1)?),
                    }
                }
                (Content::Sequence(items), tag, anchor)
            }
            Event::MappingStart(anchor, tag) => {
                let mut entries = Vec::new();
                loop {
                    match self.next()? {
                        (Event::MappingEnd, span) => {
                            end = self.end(span);
                            break;
                        }
                        key => {
                            let key = self.node(key, depth + 1)?;
                            let value = self.next()?;
                            entries.push((key, self.node(value, depth + 1)?));
                        }
                    }
                }
                (Content::Mapping(entries), tag, anchor)
            }
            Event::Alias(of) => (Content::Alias(of), None, 0),
            _ => (Content::Scalar { text: String::new(), plain: true }, None, 0),
        };
        Ok(Node { content, span: start..end, tag: tag.map(|tag| format!("{}{}", tag.handle, tag.suffix)), anchor })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root(text: &str) -> Node {
        parse(text).unwrap().root.unwrap()
    }

    #[test]
    fn places_are_bytes_of_the_text() {
        let text = "\u{feff}# ä\nä: 'ö'\nlist:\n  - a: 1 # x\n  - [b, {c: d} ] \nempty:\n";
        let root = root(text);
        let list = root.get("list").unwrap();
        let Content::Sequence(items) = &list.content else { panic!("{list:?}") };
        assert!(text[list.span.start..].starts_with("- a: 1"), "{:?}", &text[list.span.clone()]);
        assert_eq!(&text[root.get("ä").unwrap().span.clone()], "'ö'");
        assert_eq!(&text[items[1].span.clone()], "[b, {c: d} ]");
        assert!(root.get("empty").unwrap().is_null());
    }

    #[test]
    fn equality_is_about_what_is_said() {
        assert_eq!(root("a: [1, 'x']\n"), root("# y\na:\n  - 1\n  - \"x\"\n"));
        for other in ["a: ['1', 'x']", "a: [1]", "b: [1, 'x']", "a: [1, x]", "a: [1, !t 'x']", "a: [1, &b 'x']"] {
            assert_ne!(root("a: [1, 'x']"), root(other), "{other}");
        }
    }

    #[test]
    fn what_is_no_single_document() {
        assert!(parse("").unwrap().root.is_none_or(|root| root.is_null()));
        assert!(parse("# only\n").unwrap().root.is_none_or(|root| root.is_null()));
        assert_eq!(parse("a: 1\n---\nb: 2\n").unwrap_err(), YamlError::Documents);
        assert!(matches!(parse("a: [1\n").unwrap_err(), YamlError::Syntax { .. }));
        parse(&"[".repeat(5000)).unwrap_err();
        let deep: String = (0..150).map(|depth| format!("{}a:\n", " ".repeat(depth))).collect();
        assert_eq!(parse(&deep).unwrap_err(), YamlError::Depth);
        assert_eq!(parse("%YAML 1.2\n--- # x\na: 1\n").unwrap().begin, 18);
    }
}
