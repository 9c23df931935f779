//! What happened inside of code.

use super::{Idea, Kind, READ, common_status, counts, few_or_many, file_subject, list, place};
use crate::agent::offline::facts::{FileFacts, FileStatus};
use crate::agent::offline::names::{Definition, What, definition, definitions};
use crate::agent::offline::path;

/// Ideas for changed code, the most telling first; none when the lines say nothing.
pub(super) fn ideas(files: &[&FileFacts]) -> Vec<Idea> {
    if matches!(common_status(files), Some(FileStatus::Added | FileStatus::Deleted)) {
        return Vec::new();
    }
    let place = place(files);
    if let Some(idea) = superficial(files, place.as_deref()) {
        return vec![idea];
    }
    let news = News::read(files);
    let mut ideas = Vec::new();
    if let Some((old, new)) = news.renamed() {
        ideas.push(Idea::new(Kind::REFACTOR, format!("rename {old} to {new}")).at("in", place.as_deref()));
    }
    if let Some(target) = &news.moved_to {
        ideas.push(Idea::new(Kind::MOVE, format!("move {} to {target}", list(&names(&news.moved), 2))));
    }
    if !news.added.is_empty() {
        ideas.extend(located_lists(Kind::FEATURE, "add", &names(&news.added), "to", place.as_deref()));
    } else if !news.removed.is_empty() {
        ideas.extend(located_lists(Kind::REMOVAL, "remove", &names(&news.removed), "from", place.as_deref()));
    }
    let (kind, verb) = touch(files);
    if !news.touched.is_empty() {
        ideas.extend(located_lists(kind, verb, &names(&news.touched), "in", place.as_deref()));
    }
    ideas.push(Idea::new(kind, format!("{verb} {}", few_or_many(files, 3, file_subject))));
    if let Some(place) = place {
        ideas.push(Idea::new(kind, format!("{verb} {place}")));
    }
    ideas
}

/// What the definitions in the lines tell.
#[derive(Debug, Default)]
struct News {
    added: Vec<Definition>,
    removed: Vec<Definition>,
    /// Changed in their first line, or named as the place of a hunk.
    touched: Vec<Definition>,
    /// Went from one file to another.
    moved: Vec<Definition>,
    /// Where the first of them went.
    moved_to: Option<String>,
}

impl News {
    fn read(files: &[&FileFacts]) -> Self {
        let mut news = Self::default();
        for file in files.iter().take(READ) {
            let new = definitions(&file.added_lines, &file.path);
            let old = definitions(&file.removed_lines, &file.path);
            let extension = path::extension(&file.path);
            let contexts = file.hunk_contexts.iter().filter_map(|line| definition(line, &extension));
            let (both, added): (Vec<_>, Vec<_>) = new.into_iter().partition(|found| old.contains(found));
            news.removed.extend(old.into_iter().filter(|found| !both.contains(found)));
            news.added.extend(added);
            for found in both.into_iter().chain(contexts) {
                if !news.touched.contains(&found) {
                    news.touched.push(found);
                }
            }
        }
        news.moved = news.added.iter().filter(|found| news.removed.contains(found)).cloned().collect();
        news.moved_to = news.moved.first().and_then(|moved| {
            let gained = |file: &&&FileFacts| definitions(&file.added_lines, &file.path).contains(moved);
            files.iter().find(gained).map(|file| path::subject(&file.path))
        });
        news.removed.retain(|found| !news.moved.contains(found));
        news.added.retain(|found| !news.moved.contains(found));
        // Tests inside of source files come along with what they test.
        for list in [&mut news.added, &mut news.removed] {
            if list.iter().any(|found| found.what <= What::Function) {
                list.retain(|found| found.what <= What::Function);
            }
            list.sort_by_key(|found| found.what);
        }
        news
    }

    /// One definition went, one of the same kind came, and little else happened.
    fn renamed(&self) -> Option<(&str, &str)> {
        match (self.removed.as_slice(), self.added.as_slice()) {
            ([old], [new]) if old.what == new.what => Some((&old.name, &new.name)),
            _ => None,
        }
    }
}

fn names(found: &[Definition]) -> Vec<String> {
    found.iter().map(|definition| definition.name.clone()).collect()
}

/// The names with their place, and shorter ways to say it.
fn located_lists(
    kind: Kind,
    verb: &str,
    names: &[String],
    preposition: &'static str,
    place: Option<&str>,
) -> Vec<Idea> {
    let said = [2, 1].map(|most| Idea::new(kind, format!("{verb} {}", list(names, most))));
    said.into_iter().flat_map(|idea| [idea.clone().at(preposition, place), idea]).collect()
}

/// What kind of work a change without new or lost definitions is, and its verb. Nobody can tell from lines alone
/// whether behaviour was wrong before; a small change that adds a check is the usual fix.
fn touch(files: &[&FileFacts]) -> (Kind, &'static str) {
    const CHECKS: [&str; 18] = [
        "if ",
        "if(",
        "else",
        "catch",
        "except",
        "rescue",
        "?;",
        "unwrap_or",
        ".get(",
        "is_empty",
        "null",
        "None",
        "nil",
        "undefined",
        "<=",
        ">=",
        "!=",
        "timeout",
    ];
    let (added, deleted) = counts(files);
    let small = added.saturating_add(deleted) <= 20;
    let mut lines = files.iter().flat_map(|file| &file.added_lines);
    let checks = lines.any(|line| CHECKS.iter().any(|check| line.contains(check)));
    match (added, deleted) {
        (_, 0) if checks && small => (Kind::FIX, "adjust"),
        (_, 0) => (Kind::FEATURE, "extend"),
        (0, _) => (Kind::REFACTOR, "trim"),
        _ if checks && small => (Kind::FIX, "adjust"),
        _ if added > 10 && added / 3 >= deleted => (Kind::FEATURE, "extend"),
        _ if small => (Kind::REFACTOR, "adjust"),
        _ => (Kind::REFACTOR, "rework"),
    }
}

/// Changes that leave what the code does alone.
fn superficial(files: &[&FileFacts], place: Option<&str>) -> Option<Idea> {
    let seen_whole = |file: &&FileFacts| {
        file.added == file.added_lines.len() as u64 && file.deleted == file.removed_lines.len() as u64
    };
    let (added, deleted) = counts(files);
    if (added, deleted) == (0, 0) || !files.iter().all(seen_whole) {
        return None;
    }
    let place = place.map_or_else(|| few_or_many(files, 2, file_subject), str::to_owned);
    let located = |kind, text: &str| Idea::new(kind, text).at("in", Some(&place));
    let all = |is_so: &dyn Fn(&str) -> bool| {
        let mut lines = files.iter().flat_map(|file| file.added_lines.iter().chain(&file.removed_lines));
        lines.all(|line| line.trim().is_empty() || is_so(line.trim()))
    };
    if files.iter().all(|file| squeezed(&file.added_lines) == squeezed(&file.removed_lines)) {
        return Some(Idea::new(Kind::STYLE, format!("reformat {place}")));
    }
    if files.iter().all(|file| sorted(&file.added_lines) == sorted(&file.removed_lines)) {
        return Some(Idea::new(Kind::STYLE, format!("reorder {place}")));
    }
    if all(&is_comment) {
        let text = match (added, deleted) {
            (_, 0) => format!("add comments to {place}"),
            (0, _) => format!("remove comments from {place}"),
            _ => format!("update comments in {place}"),
        };
        return Some(Idea::new(Kind::COMMENTS, text));
    }
    all(&is_import).then(|| located(Kind::REFACTOR, "tidy imports"))
}

/// The lines as one text without any white space.
pub(in crate::agent::offline) fn squeezed(lines: &[String]) -> String {
    lines.iter().flat_map(|line| line.chars()).filter(|char| !char.is_whitespace()).collect()
}

fn sorted(lines: &[String]) -> Vec<&str> {
    let mut lines: Vec<&str> = lines.iter().map(|line| line.trim()).filter(|line| !line.is_empty()).collect();
    lines.sort_unstable();
    lines
}

fn is_comment(line: &str) -> bool {
    let attribute = line.starts_with("#[") || line.starts_with("#!") || line.starts_with("#include");
    let preprocessor =
        ["#define", "#if", "#else", "#endif", "#pragma", "#undef"].iter().any(|word| line.starts_with(word));
    let dash = line.strip_prefix("--").is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '-', '|']));
    let star = line.strip_prefix('*').is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '/']));
    ["//", "/*", "<!--"].iter().any(|mark| line.starts_with(mark))
        || dash
        || star
        || (line.starts_with('#') && !attribute && !preprocessor)
}

fn is_import(line: &str) -> bool {
    let line = line.strip_prefix("pub ").unwrap_or(line);
    ["use ", "import ", "from ", "#include", "using ", "require ", "require_relative ", "export * from"]
        .iter()
        .any(|word| line.starts_with(word))
}
