//! What the planner knows of each file: its part of the project, the names it defines and the words it uses.

use std::collections::HashSet;

use crate::agent::offline::area::{Area, area};
use crate::agent::offline::facts::{FileFacts, FileStatus};
use crate::agent::offline::ideas::{squeezed, tested};
use crate::agent::offline::names::{What, definitions};
use crate::agent::offline::path;

/// Only so many files have their lines read; the rest is grouped by its paths.
const READ: usize = 400;

/// Shorter words tie nothing together, in bytes.
const SHORTEST_WORD: usize = 3;

/// Shorter names tie nothing together, in bytes.
const SHORTEST_NAME: usize = 4;

/// Names that many files define for themselves.
const COMMON_NAMES: &str = "main test tests setup teardown default from into clone next init build parse render update \
                            create delete insert remove config options error errors result results value values name \
                            names data item items state props args params index list load save read write open close \
                            start stop send handle handler process check validate format print debug info warn fmt self \
                            this none some true false String Result Error Options Config Default Display Debug Props \
                            State __init__ constructor toString equals hashCode apply call";

/// One file.
#[derive(Debug)]
pub(super) struct Reading<'a> {
    pub(super) facts: &'a FileFacts,
    pub(super) area: Area,
    /// What people call it; for a test, what it tests.
    pub(super) subject: String,
    /// Names that its added lines define and its removed lines do not, or the other way round.
    pub(super) gained: HashSet<String>,
    pub(super) lost: HashSet<String>,
    /// Names whose definition it changes.
    pub(super) changed: HashSet<String>,
    /// Words of its added lines, and of its removed ones.
    pub(super) new_words: HashSet<&'a str>,
    pub(super) old_words: HashSet<&'a str>,
}

pub(super) fn read(files: &[FileFacts]) -> Vec<Reading<'_>> {
    files.iter().enumerate().map(|(index, file)| Reading::new(file, index < READ)).collect()
}

impl<'a> Reading<'a> {
    fn new(facts: &'a FileFacts, lines: bool) -> Self {
        let area = area(facts);
        let (added, removed) =
            if lines { (facts.added_lines.as_slice(), facts.removed_lines.as_slice()) } else { (&[][..], &[][..]) };
        let (new, old) = (defined(added, &facts.path), defined(removed, &facts.path));
        Self {
            facts,
            area,
            subject: subject(&facts.path, area),
            gained: new.difference(&old).cloned().collect(),
            lost: old.difference(&new).cloned().collect(),
            changed: new.intersection(&old).cloned().collect(),
            new_words: words(added),
            old_words: words(removed),
        }
    }

    /// All names that it defines, before or after.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.gained.iter().chain(&self.lost).chain(&self.changed).map(String::as_str)
    }

    /// Whether all of its changed lines are known.
    pub(super) fn is_whole(&self) -> bool {
        let count = |lines: &[String]| lines.len() as u64;
        self.facts.added == count(&self.facts.added_lines) && self.facts.deleted == count(&self.facts.removed_lines)
    }

    /// Only white space differs.
    pub(super) fn is_reformatted(&self) -> bool {
        let facts = self.facts;
        let both = !facts.added_lines.is_empty() && !facts.removed_lines.is_empty();
        both && self.is_whole() && squeezed(&facts.added_lines) == squeezed(&facts.removed_lines)
    }

    /// The words that came and those that went, when there are few of both.
    pub(super) fn edit(&self) -> Option<(Vec<&'a str>, Vec<&'a str>)> {
        const MOST: usize = 8;
        let sorted = |one: &HashSet<&'a str>, other: &HashSet<&'a str>| {
            let mut words: Vec<&'a str> = one.difference(other).copied().collect();
            words.sort_unstable();
            words
        };
        let new = sorted(&self.new_words, &self.old_words);
        let old = sorted(&self.old_words, &self.new_words);
        let few = |words: &[&str]| (1..=MOST).contains(&words.len());
        (self.is_whole() && few(&new) && few(&old)).then_some((new, old))
    }

    /// Its path is new or gone, so that files which tie others together have to name it.
    pub(super) fn is_come_or_gone(&self) -> bool {
        matches!(self.facts.status, FileStatus::Added | FileStatus::Deleted | FileStatus::Renamed)
    }
}

/// What a file is called; two files of one name belong together.
fn subject(file: &str, area: Area) -> String {
    let subject = match area {
        Area::Tests => tested(file),
        // A manifest speaks for its folder.
        Area::Dependencies if file.contains('/') => path::name(path::folder(file)).to_owned(),
        _ => path::subject(file),
    };
    let ends = [".pb", ".min", "_pb2", ".generated", "_generated", ".gen", ".module", ".styles", ".stories"];
    ends.iter().find_map(|end| subject.strip_suffix(end)).unwrap_or(&subject).to_lowercase()
}

fn defined(lines: &[String], path: &str) -> HashSet<String> {
    let telling =
        |name: &str| name.len() >= SHORTEST_NAME && !COMMON_NAMES.split_ascii_whitespace().any(|common| common == name);
    definitions(lines, path)
        .into_iter()
        .filter(|found| matches!(found.what, What::Type | What::Function | What::Constant) && telling(&found.name))
        .map(|found| found.name)
        .collect()
}

/// The words in lines: names as code writes them.
pub(super) fn words(lines: &[String]) -> HashSet<&str> {
    let inside = |char: char| !(char.is_alphanumeric() || char == '_');
    let all = lines.iter().flat_map(|line| line.split(inside));
    all.filter(|word| word.len() >= SHORTEST_WORD && !word.starts_with(|char: char| char.is_ascii_digit())).collect()
}
