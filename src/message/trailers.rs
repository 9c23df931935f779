//! Sign-off and trailers, added where `git commit --signoff --trailer` adds them. Pure.
//!
//! git's rules in short: trailers are the last paragraph, unless it is the first; that paragraph consists of
//! `token: value` lines, or at least a quarter of them are and one was written by git itself. A new trailer goes to its
//! end, unless the last one there says the same. Where git's configuration says otherwise (`trailer.*`), git adds them.

use std::fmt;

use crate::git::{GitError, TrailerProgram};

/// A line such as `Reviewed-by: Ada <ada@example.org>`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trailer {
    token: String,
    value: String,
}

/// The text is no trailer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a trailer; write it as `token: value`")]
pub struct InvalidTrailer(pub String);

impl Trailer {
    /// Reads `token: value` or `token=value`.
    ///
    /// # Errors
    /// There is no separator, the token is empty or has other characters than letters, digits and `-`, or the value has
    /// more than one line.
    pub fn parse(text: &str) -> Result<Self, InvalidTrailer> {
        let invalid = || InvalidTrailer(text.to_owned());
        let at = separator(text, "=:").filter(|at| *at > 0).ok_or_else(invalid)?;
        let (token, value) = text.split_at_checked(at).ok_or_else(invalid)?;
        let (token, value) = (trim(token), trim(value.get(1..).unwrap_or_default()));
        if value.contains(['\n', '\0']) { Err(invalid()) } else { Ok(Self::new(token, value)) }
    }

    /// The trailer by which a committer signs a commit off.
    #[must_use]
    pub fn signed_off_by(identity: &str) -> Self {
        Self::new("Signed-off-by", identity)
    }

    fn new(token: &str, value: &str) -> Self {
        Self { token: token.to_owned(), value: value.to_owned() }
    }

    /// git compares as much of the tokens as both have, without what is no letter or digit at their ends.
    fn has_token_of(&self, other: &Self) -> bool {
        let bare = |token: &str| token.trim_end_matches(|c: char| !c.is_ascii_alphanumeric()).len();
        let length = bare(&self.token).min(bare(&other.token));
        let start = |token: &str| token.as_bytes().get(..length).map(<[u8]>::to_ascii_lowercase);
        start(&self.token) == start(&other.token)
    }

    fn says_the_same_as(&self, other: &Self) -> bool {
        self.has_token_of(other) && self.value.eq_ignore_ascii_case(&other.value)
    }
}

impl fmt::Display for Trailer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.token, self.value)
    }
}

/// What is to be added below a message, and by whom.
#[derive(Debug, Clone)]
pub enum Trailers {
    /// These, by the rules that git has without configuration.
    Plain(Vec<Trailer>),
    /// Those that the git program was given, by the rules of its configuration.
    Configured(TrailerProgram),
}

impl Trailers {
    /// Adds them to a message of whole lines.
    ///
    /// # Errors
    /// The git program cannot be run, or refuses them.
    pub fn add(&self, message: &str) -> Result<String, GitError> {
        match self {
            Self::Plain(trailers) => Ok(add(message, trailers)),
            Self::Configured(program) => program.add(message),
        }
    }
}

impl Default for &Trailers {
    fn default() -> Self {
        const NONE: &Trailers = &Trailers::Plain(Vec::new());
        NONE
    }
}

fn add(message: &str, trailers: &[Trailer]) -> String {
    if trailers.is_empty() {
        return message.to_owned();
    }
    let message = complete(message);
    let block = Block::of(&message);
    let mut items = block.items(&message);
    for trailer in trailers {
        let known = items.iter().any(|item| item.trailer().is_some_and(|other| other.has_token_of(trailer)));
        let last = items.last().and_then(Item::trailer);
        if !(known && last.is_some_and(|last| last.says_the_same_as(trailer))) {
            items.push(Item::Trailer(trailer.clone()));
        }
    }
    let mut out = message.get(..block.start).unwrap_or_default().to_owned();
    if !ends_with_blank_line(&out) {
        out.push('\n');
    }
    for item in &items {
        item.print(&mut out);
    }
    out.push_str(message.get(block.end..).unwrap_or_default());
    out
}

/// Signs a message off, unless its last trailer does so already.
#[must_use]
pub fn sign_off(message: &str, identity: &str) -> String {
    let message = complete(message);
    let line = format!("{}\n", Trailer::signed_off_by(identity));
    let block = Block::of(&message);
    let (before, after) = message.split_at_checked(block.end).unwrap_or((&message, ""));
    let lines = Block::lines(message.get(block.start..block.end).unwrap_or_default());
    if before == line || lines.last().is_some_and(|last| last.starts_with(&line)) {
        return message;
    }
    let gap = if !lines.is_empty() || ends_with_blank_line(before) {
        ""
    } else if before.is_empty() {
        "\n\n"
    } else {
        "\n"
    };
    format!("{before}{gap}{line}{after}")
}

fn complete(message: &str) -> String {
    if message.is_empty() || message.ends_with('\n') { message.to_owned() } else { format!("{message}\n") }
}

const SPACES: [char; 4] = [' ', '\t', '\n', '\r'];

fn trim(text: &str) -> &str {
    text.trim_matches(SPACES)
}

fn is_blank(line: &str) -> bool {
    trim(line).is_empty()
}

fn is_comment(line: &str) -> bool {
    line.starts_with('#')
}

fn ends_with_blank_line(text: &str) -> bool {
    text.split_inclusive('\n').next_back().is_some_and(is_blank)
}

/// Where the token ends, if the line begins with one.
fn separator(line: &str, separators: &str) -> Option<usize> {
    let mut space = false;
    for (at, c) in line.char_indices() {
        if separators.contains(c) {
            return Some(at);
        }
        match c {
            _ if !space && (c.is_ascii_alphanumeric() || c == '-') => {}
            ' ' | '\t' if at > 0 => space = true,
            _ => return None,
        }
    }
    None
}

fn is_trailer(line: &str) -> bool {
    !line.starts_with(SPACES) && separator(line, ":").is_some_and(|at| at > 0)
}

/// Where the trailers of a message are; empty, at the end of what is no comment, when it has none.
struct Block {
    start: usize,
    end: usize,
}

impl Block {
    fn of(message: &str) -> Self {
        let end = message.len() - ignored_end(message);
        let text = message.get(..end).unwrap_or(message);
        Self { start: block_start(text).unwrap_or(end), end }
    }

    /// The trailers, each with the lines that go on with it.
    fn lines(block: &str) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        let mut open = false;
        for line in block.split_inclusive('\n') {
            match lines.last_mut() {
                Some(last) if open && line.starts_with(SPACES) => last.push_str(line),
                _ => {
                    open = separator(line, ":").is_some_and(|at| at > 0);
                    lines.push(line.to_owned());
                }
            }
        }
        lines
    }

    fn items(&self, message: &str) -> Vec<Item> {
        let block = message.get(self.start..self.end).unwrap_or_default();
        Self::lines(block).into_iter().filter(|line| !is_comment(line)).map(|line| Item::read(&line)).collect()
    }
}

enum Item {
    Trailer(Trailer),
    Other(String),
}

impl Item {
    fn read(line: &str) -> Self {
        let parts = separator(line, ":").filter(|at| *at > 0).and_then(|at| line.split_at_checked(at));
        match parts {
            Some((token, value)) => Item::Trailer(Trailer::new(trim(token), trim(value.get(1..).unwrap_or_default()))),
            None => Item::Other(line.trim_end_matches('\n').to_owned()),
        }
    }

    const fn trailer(&self) -> Option<&Trailer> {
        match self {
            Item::Trailer(trailer) => Some(trailer),
            Item::Other(_) => None,
        }
    }

    fn print(&self, out: &mut String) {
        match self {
            Item::Trailer(trailer) => out.push_str(&trailer.to_string()),
            Item::Other(line) => out.push_str(line),
        }
        out.push('\n');
    }
}

/// Lines that git itself writes, which make a paragraph a block of trailers even among other lines.
const GENERATED: [&str; 2] = ["Signed-off-by: ", "(cherry picked from commit "];

fn block_start(text: &str) -> Option<usize> {
    let lines: Vec<(usize, &str)> = text
        .split_inclusive('\n')
        .scan(0, |at, line| {
            let start = *at;
            *at += line.len();
            Some((start, line))
        })
        .collect();
    // The first paragraph is the title.
    let title = lines.iter().position(|(_, line)| !is_comment(line) && is_blank(line))?;
    let (mut trailers, mut others, mut continued) = (0, 0, 0);
    let (mut generated, mut only_spaces) = (false, true);
    for (at, line) in lines.get(title..)?.iter().rev() {
        if is_comment(line) {
            others += std::mem::take(&mut continued);
        } else if is_blank(line) {
            if only_spaces {
                continue;
            }
            others += continued;
            let is_block = (generated && trailers * 3 >= others) || (trailers > 0 && others == 0);
            return is_block.then_some(at + line.len());
        } else {
            only_spaces = false;
            let by_git = GENERATED.iter().any(|prefix| line.starts_with(prefix));
            generated |= by_git;
            if by_git || is_trailer(line) {
                trailers += 1;
                continued = 0;
            } else if line.starts_with(SPACES) {
                continued += 1;
            } else {
                others += 1 + std::mem::take(&mut continued);
            }
        }
    }
    None
}

/// How many bytes at the end are comments, blank lines or an old list of conflicts, which trailers go before.
fn ignored_end(message: &str) -> usize {
    // As in git, what begins with the message is never ignored: 0 means none.
    let mut begin = 0;
    let mut conflicts = false;
    let mut at = 0;
    for line in message.split_inclusive('\n') {
        let ignored = is_comment(line) || line == "\n" || line == "Conflicts:\n";
        conflicts |= line == "Conflicts:\n";
        if ignored {
            begin = if begin == 0 { at } else { begin };
        } else if !(conflicts && line.starts_with('\t')) && begin > 0 {
            begin = 0;
            conflicts = false;
        }
        at += line.len();
    }
    if begin == 0 { 0 } else { message.len() - begin }
}

#[cfg(test)]
pub(super) mod tests {
    use std::io::Write;
    use std::process::{Command, Stdio};

    use proptest::prelude::*;

    use super::*;

    /// Runs git outside any repository, without configuration.
    pub(in crate::message) fn git(args: &[&str], input: &str) -> String {
        let dir = tempfile::tempdir().unwrap();
        let mut child = Command::new("git")
            .args(args)
            .current_dir(dir.path())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", dir.path())
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CEILING_DIRECTORIES", dir.path().parent().unwrap())
            .env("GIT_COMMITTER_NAME", "Ada")
            .env("GIT_COMMITTER_EMAIL", "ada@example.org")
            .env("GIT_AUTHOR_NAME", "Ada")
            .env("GIT_AUTHOR_EMAIL", "ada@example.org")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "git {args:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    fn lines() -> impl Strategy<Value = String> {
        let line = prop_oneof![
            4 => Just(""),
            3 => Just("Plain words here"),
            3 => Just("Reviewed-by: Bo <bo@example.org>"),
            2 => Just("reviewed-BY : BO <bo@example.org>"),
            2 => Just("Signed-off-by: Ada <ada@example.org>"),
            1 => Just("Signed-off-by: Bo <bo@example.org>"),
            1 => Just("(cherry picked from commit 1234)"),
            1 => Just("  goes on"),
            1 => Just("# comment"),
            1 => Just("Refs:"),
            1 => Just("Re: 7"),
            1 => Just("https://example.org/x: y"),
            1 => Just("not a token: x"),
            1 => Just("Conflicts:"),
            1 => Just("\tpath"),
            1 => Just("é: x"),
            1 => Just(" "),
        ];
        prop::collection::vec(line, 0..9).prop_map(|lines| lines.join("\n"))
    }

    const ADDED: [&str; 5] =
        ["Reviewed-by: Bo <bo@example.org>", "Refs=7", "Re: 7", "Signed-off-by: Ada <ada@example.org>", "Fixes: #1"];

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn trailers_are_added_as_git_adds_them(
            message in lines(),
            added in prop::collection::vec(prop::sample::select(&ADDED[..]), 1..3),
        ) {
            let mut args = vec!["interpret-trailers", "--no-divider"];
            args.extend(added.iter().flat_map(|trailer| ["--trailer", trailer]));
            let trailers: Vec<Trailer> = added.iter().map(|text| Trailer::parse(text).unwrap()).collect();
            prop_assert_eq!(add(&message, &trailers), git(&args, &message));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(30))]

        #[test]
        fn a_sign_off_is_where_git_puts_it(message in lines().prop_map(|text| format!("Subject\n{text}"))) {
            let clean = crate::message::cleanup(&message);
            let ours = crate::message::cleanup(&sign_off(&clean, "Ada <ada@example.org>"));
            let script = "git init -q && git -c core.fsync=none commit -q -s --allow-empty -F - && git cat-file commit HEAD";
            let commit = git(&["-c", &format!("alias.x=!{script}"), "x"], &message);
            prop_assert_eq!(&ours, commit.split_once("\n\n").unwrap().1);
        }
    }

    #[test]
    fn a_trailer_is_a_token_and_a_value() {
        assert_eq!(Trailer::parse("Refs= 7 ").unwrap().to_string(), "Refs: 7");
        assert_eq!(Trailer::parse("Change-Id:I1").unwrap().to_string(), "Change-Id: I1");
        for text in ["", "Refs", ": x", "=x", "two words: x", "a: b\nc: d", "é: x"] {
            assert!(Trailer::parse(text).is_err(), "{text}");
        }
    }
}
