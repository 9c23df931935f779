//! What could be said of a change, the best first.
//!
//! The part of the project that a change is about speaks for it: source code before tests, tests before documents, and
//! so on. What happened to files as a whole (added, removed, moved) is looked at before their lines.

mod other;
mod source;
mod whole;

pub(super) use other::{is_license, tested};
pub(super) use source::squeezed;

use super::area::{Area, area};
use super::facts::{FileFacts, FileStatus, MessageFacts};
use super::path;

/// Only so many files have their lines read: a subject names two things, and no more time is to be spent on more.
const READ: usize = 200;

/// The kind of a change: its Conventional Commits type and its gitmoji.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Kind {
    pub(super) name: &'static str,
    /// The emoji and its code.
    pub(super) emoji: (&'static str, &'static str),
    /// About dependencies: their scope is `deps`.
    pub(super) dependencies: bool,
}

macro_rules! kinds {
    ($($name:ident = $type:literal $emoji:literal $code:literal $dependencies:literal;)*) => {
        impl Kind {
            $(pub(super) const $name: Kind =
                Kind { name: $type, emoji: ($emoji, $code), dependencies: $dependencies };)*

            /// Every kind, for tests.
            #[cfg(test)]
            pub(super) const ALL: &'static [Kind] = &[$(Kind::$name),*];
        }
    };
}

kinds! {
    FEATURE = "feat" "✨" "sparkles" false;
    FIX = "fix" "🐛" "bug" false;
    REFACTOR = "refactor" "♻️" "recycle" false;
    REMOVAL = "refactor" "🔥" "fire" false;
    MOVE = "refactor" "🚚" "truck" false;
    STYLE = "style" "🎨" "art" false;
    DOCS = "docs" "📝" "memo" false;
    COMMENTS = "docs" "💡" "bulb" false;
    LICENSE = "docs" "📄" "page_facing_up" false;
    TEST = "test" "✅" "white_check_mark" false;
    BUILD = "build" "📦️" "package" false;
    UPGRADE = "build" "⬆️" "arrow_up" true;
    DOWNGRADE = "build" "⬇️" "arrow_down" true;
    DEPENDENCY = "build" "➕" "heavy_plus_sign" true;
    NO_DEPENDENCY = "build" "➖" "heavy_minus_sign" true;
    CI = "ci" "👷" "construction_worker" false;
    CONFIG = "chore" "🔧" "wrench" false;
    IGNORE = "chore" "🙈" "see_no_evil" false;
    ASSETS = "chore" "🍱" "bento" false;
    RELEASE = "chore" "🔖" "bookmark" false;
    OTHER = "chore" "🔧" "wrench" false;
}

/// One thing that could be said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Idea {
    /// Lower case, imperative, no full stop.
    pub(super) text: String,
    /// Where, as a preposition and a name: left out where the scope says the same.
    pub(super) place: Option<(&'static str, String)>,
    pub(super) kind: Kind,
}

impl Idea {
    pub(super) fn new(kind: Kind, text: impl Into<String>) -> Self {
        Self { text: text.into(), place: None, kind }
    }

    /// The same with a place, unless the text ends with it anyway.
    fn at(mut self, preposition: &'static str, place: Option<&str>) -> Self {
        self.place = place.filter(|place| !self.text.ends_with(place)).map(|place| (preposition, place.to_owned()));
        self
    }

    /// The whole description.
    pub(super) fn sentence(&self) -> String {
        match &self.place {
            Some((preposition, place)) => format!("{} {preposition} {place}", self.text),
            None => self.text.clone(),
        }
    }
}

/// Everything that could be said of the change, the best first; never empty.
pub(super) fn of(facts: &MessageFacts) -> Vec<Idea> {
    let mut areas: Vec<(Area, &FileFacts)> = facts.files.iter().map(|file| (area(file), file)).collect();
    areas.sort_by_key(|(area, _)| *area);
    let Some((lead, _)) = areas.first().copied() else {
        return vec![Idea::new(Kind::OTHER, "update files")];
    };
    let files: Vec<&FileFacts> = areas.iter().filter(|(area, _)| *area == lead).map(|(_, file)| *file).collect();
    let mut ideas: Vec<Idea> = other::release(&areas).into_iter().collect();
    ideas.extend(whole::ideas(lead, &files));
    ideas.extend(match lead {
        Area::Source => source::ideas(&files),
        _ => other::ideas(lead, &files),
    });
    let kind = ideas.first().map_or(Kind::OTHER, |idea| idea.kind);
    ideas.extend(plainest(kind, &files));
    with_company(&mut ideas, &areas, lead);
    ideas.dedup();
    ideas
}

/// What can be said of any files.
fn plainest(kind: Kind, files: &[&FileFacts]) -> Vec<Idea> {
    let verb = verb(files);
    let mut ideas = vec![Idea::new(kind, format!("{verb} {}", few_or_many(files, 2, file_name)))];
    if let [only] = files {
        ideas.push(Idea::new(kind, format!("{verb} {}", path::shown(&only.path))));
    } else {
        ideas.push(Idea::new(kind, format!("{verb} {}", counted(files))));
        ideas.push(Idea::new(kind, format!("{verb} {} files", files.len())));
    }
    ideas
}

/// Above this many files, their number says more than a few of their names.
const FEW: usize = 6;

/// The names of a few files, at most `most` of them with the number of the rest; or how many there are, and where.
fn few_or_many(files: &[&FileFacts], most: usize, name: impl Fn(&FileFacts) -> String) -> String {
    if files.len() > FEW {
        return counted(files);
    }
    let names: Vec<String> = files.iter().map(|file| name(file)).collect();
    list(&names, most)
}

/// `12 files in src`.
fn counted(files: &[&FileFacts]) -> String {
    match path::clean(path::common_folder(files.iter().map(|file| file.path.as_str()))) {
        folder if folder.is_empty() => format!("{} files", files.len()),
        folder => format!("{} files in {folder}", files.len()),
    }
}

fn file_name(file: &FileFacts) -> String {
    path::shown(path::name(&file.path))
}

fn file_subject(file: &FileFacts) -> String {
    path::subject(&file.path)
}

/// After what was said of the leading part: the same with what comes along.
fn with_company(ideas: &mut Vec<Idea>, areas: &[(Area, &FileFacts)], lead: Area) {
    let Some(best) = ideas.first().cloned() else { return };
    let along = |area| area != lead && areas.iter().any(|(other, _)| *other == area);
    let company = match (along(Area::Tests), along(Area::Docs)) {
        (true, true) => "with tests and docs",
        (true, false) => "with tests",
        (false, true) => "with docs",
        (false, false) => return,
    };
    ideas.insert(ideas.len().min(1), Idea::new(best.kind, format!("{}, {company}", best.sentence())));
}

/// The verb for files as a whole.
fn verb(files: &[&FileFacts]) -> &'static str {
    match common_status(files) {
        Some(FileStatus::Added) => "add",
        Some(FileStatus::Deleted) => "remove",
        _ => "update",
    }
}

/// The status that all files share.
fn common_status(files: &[&FileFacts]) -> Option<FileStatus> {
    let first = files.first()?.status;
    files.iter().all(|file| file.status == first).then_some(first)
}

/// `a`, `a and b`, `a, b and c`, `a, b and 3 more` when there are more than `most`.
pub(super) fn list(names: &[String], most: usize) -> String {
    let shown = names.get(..most.max(1).min(names.len())).unwrap_or_default();
    let more = names.len() - shown.len();
    match (shown, more) {
        ([], _) => String::new(),
        (shown, 0) => joined(shown),
        // "a, b and 1 more" is no shorter than naming it.
        (_, 1) => joined(names),
        (shown, more) => format!("{} and {more} more", shown.join(", ")),
    }
}

fn joined(names: &[String]) -> String {
    match names.split_last() {
        None => String::new(),
        Some((last, [])) => last.clone(),
        Some((last, before)) => format!("{} and {last}", before.join(", ")),
    }
}

/// Lines added and deleted in all.
fn counts(files: &[&FileFacts]) -> (u64, u64) {
    files
        .iter()
        .fold((0, 0), |(added, deleted), file| (added.saturating_add(file.added), deleted.saturating_add(file.deleted)))
}

/// What the files together are called: the only file's subject, or the folder they share.
fn place(files: &[&FileFacts]) -> Option<String> {
    if let [only] = files {
        return Some(path::subject(&only.path));
    }
    let paths: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
    path::component(&paths).filter(|component| !component.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_read_well() {
        let names = |count: usize| (0..count).map(|n| format!("n{n}")).collect::<Vec<_>>();
        assert_eq!(list(&names(0), 2), "");
        assert_eq!(list(&names(1), 2), "n0");
        assert_eq!(list(&names(2), 2), "n0 and n1");
        assert_eq!(list(&names(3), 2), "n0, n1 and n2");
        assert_eq!(list(&names(5), 2), "n0, n1 and 3 more");
    }

    #[test]
    fn kinds_have_known_types() {
        for kind in Kind::ALL {
            assert!(crate::agent::offline::habits::TYPES.contains(&kind.name), "{kind:?}");
        }
    }
}
