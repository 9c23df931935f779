//! Definitions that a line of code begins.
//!
//! One reader for the common languages: modifiers are skipped, a keyword says what is defined, the next word is its
//! name. It need not be complete: what it does not know leaves the writer to speak of files.

use super::path;

/// What kind of thing is defined, the weightiest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum What {
    Type,
    Function,
    Module,
    Test,
    Constant,
}

/// Something that has a name.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Definition {
    pub(super) what: What,
    pub(super) name: String,
}

/// Longer names are no names, in characters.
const LONGEST: usize = 48;

/// The definitions that the lines of a file of this path begin, in order, each once.
pub(super) fn definitions(lines: &[String], path: &str) -> Vec<Definition> {
    let extension = path::extension(path);
    let mut found: Vec<Definition> = Vec::new();
    let mut is_test = false;
    for line in lines {
        let text = line.trim();
        if text.starts_with("#[") || text.starts_with('@') {
            is_test |= text.to_ascii_lowercase().contains("test");
            continue;
        }
        if let Some(mut definition) = definition(line, &extension) {
            if is_test && definition.what == What::Function {
                definition.what = What::Test;
            }
            if !found.contains(&definition) {
                found.push(definition);
            }
        }
        is_test = is_test && text.is_empty();
    }
    found
}

/// The definition that this line begins.
pub(super) fn definition(line: &str, extension: &str) -> Option<Definition> {
    let text = line.trim();
    if text.is_empty() || text.starts_with(['#', '*', '/', ';', '"', '\'', '-', '<']) {
        return None;
    }
    keyword(text)
        .or_else(|| quoted_test(text))
        .or_else(|| arrow(text, extension))
        .or_else(|| shell_function(text, extension))
        .or_else(|| c_like(line, extension))
        .filter(|found| found.name.chars().count() <= LONGEST && !is_placeholder(&found.name))
}

fn is_placeholder(name: &str) -> bool {
    name.chars().all(|char| char == '_') || matches!(name, "if" | "for" | "while" | "return" | "new" | "self" | "this")
}

const MODIFIERS: [&str; 36] = [
    "pub",
    "async",
    "unsafe",
    "export",
    "default",
    "public",
    "private",
    "protected",
    "internal",
    "static",
    "final",
    "abstract",
    "override",
    "virtual",
    "inline",
    "open",
    "sealed",
    "data",
    "suspend",
    "partial",
    "readonly",
    "declare",
    "local",
    "extern",
    "fileprivate",
    "mutating",
    "inner",
    "case",
    "indirect",
    "synchronized",
    "native",
    "transient",
    "explicit",
    "implicit",
    "lazy",
    "create",
];

fn keyword(text: &str) -> Option<Definition> {
    let mut rest = text;
    for _ in 0..8 {
        let (word, after) = word(rest)?;
        if MODIFIERS.contains(&word.to_ascii_lowercase().as_str()) {
            rest = skip_argument(after);
            continue;
        }
        if word == "const" && next_is(after, &["fn", "enum", "struct"]) || word == "enum" && next_is(after, &["class"])
        {
            rest = after;
            continue;
        }
        return named(word, after);
    }
    None
}

/// `(crate)` after `pub`, `"C"` after `extern`.
fn skip_argument(rest: &str) -> &str {
    let trimmed = rest.trim_start();
    let end = match trimmed.chars().next() {
        Some('(') => trimmed.find(')'),
        Some('"') => trimmed.get(1..).and_then(|inner| inner.find('"')).map(|end| end + 1),
        _ => None,
    };
    end.and_then(|end| trimmed.get(end + 1..)).unwrap_or(rest)
}

fn next_is(rest: &str, words: &[&str]) -> bool {
    word(rest).is_some_and(|(next, _)| words.contains(&next))
}

fn named(keyword: &str, after: &str) -> Option<Definition> {
    let what = match keyword {
        "fn" | "def" | "func" | "function" | "fun" | "sub" | "proc" | "defp" | "defmacro" | "rpc" | "macro_rules" => {
            What::Function
        }
        "class" | "struct" | "enum" | "trait" | "interface" | "union" | "protocol" | "record" | "message"
        | "service" | "object" | "type" | "actor" | "table" | "TABLE" | "view" | "VIEW" => What::Type,
        "module" | "mod" | "namespace" | "defmodule" | "package" => What::Module,
        "const" | "static" | "val" => What::Constant,
        _ => return None,
    };
    let after = after.trim_start_matches('!').trim_start_matches('*');
    // A keyword that is followed by punctuation is a word of another kind: `type: string`, `message = …`.
    let receiver = keyword == "func" && after.trim_start().starts_with('(');
    let after = if receiver { after.trim_start().split_once(')')?.1 } else { after };
    if !after.starts_with(char::is_whitespace) && !receiver {
        return None;
    }
    let (name, rest) = word(after.trim_start().trim_start_matches("if not exists "))?;
    // `object is`, `class of`, `message to`: prose, not code.
    let follows = rest.trim_start().chars().next();
    let plausible = match what {
        What::Type | What::Module => {
            matches!(follows, None | Some('{' | '(' | '<' | ':' | '=' | ';' | '[' | '&' | '|'))
                || next_is(
                    rest,
                    &["extends", "implements", "where", "struct", "interface", "func", "do", "with", "for", "is", "as"],
                )
                || keyword == "type"
        }
        What::Function | What::Test => {
            matches!(follows, None | Some('(' | '<' | '[' | '{' | ':' | '=' | '!' | '?' | ',' | ';'))
        }
        What::Constant => {
            // `const x = compute()` inside a function is no definition worth a subject; constants shout.
            name.chars().any(|char| char.is_ascii_uppercase())
                && !name.chars().any(|char| char.is_ascii_lowercase())
                && matches!(follows, Some(':' | '='))
        }
    };
    plausible.then(|| Definition { what, name: name.to_owned() })
}

/// `describe('…')`, `it("…")`, `test("…")`.
fn quoted_test(text: &str) -> Option<Definition> {
    let call = ["describe", "it", "test"].into_iter().find_map(|name| text.strip_prefix(name))?;
    let inner = call.strip_prefix('(')?;
    let quote = inner.chars().next().filter(|char| matches!(char, '\'' | '"' | '`'))?;
    let name = inner.get(1..)?.split(quote).next()?;
    (!path::clean(name).is_empty()).then(|| Definition { what: What::Test, name: path::clean(name) })
}

/// `export const load = async (…) =>`.
fn arrow(text: &str, extension: &str) -> Option<Definition> {
    if !matches!(extension, "js" | "jsx" | "ts" | "tsx" | "mjs" | "cjs" | "mts" | "vue" | "svelte") {
        return None;
    }
    let text = text.strip_prefix("export ").unwrap_or(text);
    let rest = text.strip_prefix("const ").or_else(|| text.strip_prefix("let "))?;
    let (name, after) = word(rest)?;
    let (_, value) = after.split_once('=')?;
    let value = value.trim_start();
    let function = value.contains("=>") || value.starts_with("function") || value.starts_with("async function");
    function.then(|| Definition { what: What::Function, name: name.to_owned() })
}

/// `name() {`.
fn shell_function(text: &str, extension: &str) -> Option<Definition> {
    if !matches!(extension, "sh" | "bash" | "zsh" | "") {
        return None;
    }
    let (name, after) = word(text)?;
    let body = after.strip_prefix("()")?.trim();
    (body.is_empty() || body == "{").then(|| Definition { what: What::Function, name: name.to_owned() })
}

/// `static int parse(const char *text)`, `public void save(User user) throws X {`: a type, a name, a bracket, and no
/// statement.
fn c_like(line: &str, extension: &str) -> Option<Definition> {
    let c = matches!(extension, "c" | "h" | "cc" | "cpp" | "cxx" | "hh" | "hpp" | "hxx");
    if !c && !matches!(extension, "java" | "cs" | "dart") {
        return None;
    }
    if c && line.starts_with(char::is_whitespace) {
        return None;
    }
    let text = line.trim_end();
    if text.ends_with(';') || text.contains(" = ") {
        return None;
    }
    let head = text.split_once('(')?.0;
    let words: Vec<&str> =
        head.split(|char: char| !is_name(char) && char != ':').filter(|word| !word.is_empty()).collect();
    let statement = |word: &&str| {
        matches!(*word, "return" | "if" | "else" | "for" | "while" | "switch" | "case" | "new" | "throw" | "catch")
    };
    let (name, before) = words.split_last()?;
    if before.is_empty() || words.iter().any(statement) || !head.ends_with(name) {
        return None;
    }
    let name = name.rsplit("::").next().filter(|name| !name.is_empty())?;
    Some(Definition { what: What::Function, name: name.to_owned() })
}

fn is_name(char: char) -> bool {
    char.is_alphanumeric() || char == '_'
}

/// The first name in the text and what follows it.
fn word(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    let end = text.find(|char: char| !is_name(char)).unwrap_or(text.len());
    let (word, rest) = text.split_at_checked(end)?;
    (!word.is_empty() && !word.starts_with(|char: char| char.is_ascii_digit())).then_some((word, rest))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn definitions_of_many_languages() {
        for (line, extension, expected) in [
            ("pub(crate) async fn fetch_all<T>(x: T) -> T {", "rs", Some((What::Function, "fetch_all"))),
            ("pub struct Parser<'a> {", "rs", Some((What::Type, "Parser"))),
            ("pub const fn size() -> usize {", "rs", Some((What::Function, "size"))),
            ("const LIMIT: usize = 3;", "rs", Some((What::Constant, "LIMIT"))),
            ("let x = 3;", "rs", None),
            ("macro_rules! check {", "rs", Some((What::Function, "check"))),
            ("pub type Pair = (u8, u8);", "rs", Some((What::Type, "Pair"))),
            ("    def load_user(self, name):", "py", Some((What::Function, "load_user"))),
            ("class User(Base):", "py", Some((What::Type, "User"))),
            ("async def run():", "py", Some((What::Function, "run"))),
            ("func (s *Server) Handle(w http.ResponseWriter) {", "go", Some((What::Function, "Handle"))),
            ("func New(a int) *Server {", "go", Some((What::Function, "New"))),
            ("type Server struct {", "go", Some((What::Type, "Server"))),
            ("export default function render(a) {", "js", Some((What::Function, "render"))),
            ("export const load = async (id: string) => {", "ts", Some((What::Function, "load"))),
            ("export interface Options {", "ts", Some((What::Type, "Options"))),
            ("const x = 3;", "ts", None),
            ("describe('the parser', () => {", "ts", Some((What::Test, "the parser"))),
            ("public class UserService implements Service {", "java", Some((What::Type, "UserService"))),
            ("    public void save(User user) throws IOException {", "java", Some((What::Function, "save"))),
            ("    return compute(a);", "java", None),
            ("    if (ready(x)) {", "java", None),
            ("static int parse_line(const char *text)", "c", Some((What::Function, "parse_line"))),
            ("    call(a, b)", "c", None),
            ("void Parser::next(int n) {", "cpp", Some((What::Function, "next"))),
            ("data class Point(val x: Int)", "kt", Some((What::Type, "Point"))),
            ("fun area(p: Point) = 3", "kt", Some((What::Function, "area"))),
            ("def total?", "rb", Some((What::Function, "total"))),
            ("module Billing", "rb", Some((What::Module, "Billing"))),
            ("deploy() {", "sh", Some((What::Function, "deploy"))),
            ("CREATE TABLE users (", "sql", Some((What::Type, "users"))),
            ("message Ping {", "proto", Some((What::Type, "Ping"))),
            ("type: string", "yml", None),
            ("message = \"class of its own\"", "py", None),
            ("// fn commented() {", "rs", None),
            ("function of the whole", "rs", None),
            ("fn", "rs", None),
            ("", "rs", None),
        ] {
            let found = definition(line, extension);
            let found = found.as_ref().map(|found| (found.what, found.name.as_str()));
            assert_eq!(found, expected, "{line}");
        }
    }

    #[test]
    fn tests_are_told_from_functions() {
        let lines: Vec<String> =
            ["#[test]", "fn it_works() {", "}", "", "fn helper() {"].iter().map(|line| (*line).to_owned()).collect();
        let found: Vec<_> = definitions(&lines, "a.rs").into_iter().map(|found| found.what).collect();
        assert_eq!(found, [What::Test, What::Function]);
    }

    proptest! {
        #[test]
        fn no_line_is_too_strange(line in "\\PC{0,60}", extension in "(rs|c|java|ts|sh|go|)") {
            if let Some(found) = definition(&line, &extension) {
                prop_assert!(!found.name.is_empty());
            }
        }
    }
}
