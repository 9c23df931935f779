//! What happened to files as a whole: moved, removed, added.

use super::{FEW, Idea, Kind, READ, common_status, counts, few_or_many, file_name, file_subject, list, place};
use crate::agent::offline::area::Area;
use crate::agent::offline::facts::{FileFacts, FileStatus};
use crate::agent::offline::names::{Definition, What, definitions};
use crate::agent::offline::path;

/// Ideas when all files had the same fate; otherwise none.
pub(super) fn ideas(lead: Area, files: &[&FileFacts]) -> Vec<Idea> {
    match (common_status(files), lead) {
        (Some(FileStatus::Renamed), _) if is_mostly_a_move(files) => renamed(kind(lead, Kind::MOVE), files),
        (Some(FileStatus::Deleted), Area::Tests) => Vec::new(),
        (Some(FileStatus::Deleted), _) => deleted(kind(lead, Kind::REMOVAL), files),
        (Some(FileStatus::Added), Area::Source) => added(files),
        (Some(FileStatus::TypeChanged), _) => files.first().map_or_else(Vec::new, |file| {
            let text = format!("change the type of {}", path::shown(path::name(&file.path)));
            vec![Idea::new(kind(lead, Kind::OTHER), text)]
        }),
        (Some(FileStatus::Modified), _) if counts(files) == (0, 0) && lead <= Area::Docs => {
            let text = format!("change permissions of {}", few_or_many(files, 2, file_name));
            vec![Idea::new(kind(lead, Kind::OTHER), text)]
        }
        _ => Vec::new(),
    }
}

/// A moved test is about tests, a removed document about documents.
fn kind(lead: Area, source: Kind) -> Kind {
    match lead {
        Area::Source => source,
        Area::Tests => Kind { emoji: source.emoji, ..Kind::TEST },
        Area::Docs => Kind { emoji: source.emoji, ..Kind::DOCS },
        Area::Ci => Kind { emoji: source.emoji, ..Kind::CI },
        Area::Build => Kind { emoji: source.emoji, ..Kind::BUILD },
        _ => Kind { emoji: source.emoji, ..Kind::OTHER },
    }
}

fn is_mostly_a_move(files: &[&FileFacts]) -> bool {
    let (added, deleted) = counts(files);
    added.saturating_add(deleted) <= 10 * files.len() as u64
}

fn renamed(kind: Kind, files: &[&FileFacts]) -> Vec<Idea> {
    let moves: Vec<(&str, &str)> =
        files.iter().map(|file| (file.old_path.as_deref().unwrap_or_default(), file.path.as_str())).collect();
    if let [(old, new)] = moves.as_slice() {
        return one_move(kind, old, new);
    }
    let old = path::common_folder(moves.iter().map(|(old, _)| *old));
    let new = path::common_folder(moves.iter().map(|(_, new)| *new));
    let whole_folder = old != new
        && moves.iter().all(|(before, after)| rest_of(before, old) == rest_of(after, new))
        && !old.is_empty();
    if whole_folder && !new.is_empty() {
        let verb = if path::folder(old) == path::folder(new) { "rename" } else { "move" };
        return vec![Idea::new(kind, format!("{verb} {} to {}", path::shown(old), path::shown(new)))];
    }
    let same_names = moves.iter().all(|(old, new)| path::name(old) == path::name(new));
    if same_names && !new.is_empty() {
        let names = match files.len() {
            count if count > FEW => format!("{count} files"),
            _ => few_or_many(files, 2, file_name),
        };
        return vec![Idea::new(kind, format!("move {names} to {}", path::shown(new)))];
    }
    vec![Idea::new(kind, format!("rename {} files", moves.len()))]
}

fn rest_of<'a>(path: &'a str, folder: &str) -> &'a str {
    path.strip_prefix(folder).unwrap_or(path)
}

fn one_move(kind: Kind, old: &str, new: &str) -> Vec<Idea> {
    let (old_name, new_name) = (path::shown(path::name(old)), path::shown(path::name(new)));
    let whole = Idea::new(kind, format!("move {} to {}", path::shown(old), path::shown(new)));
    let short = if path::folder(old) == path::folder(new) {
        format!("rename {old_name} to {new_name}")
    } else if old_name == new_name && !path::folder(new).is_empty() {
        format!("move {old_name} to {}", path::shown(path::folder(new)))
    } else if old_name == new_name {
        format!("move {old_name} to the top folder")
    } else {
        return vec![whole, Idea::new(kind, format!("move {old_name} to {new_name}"))];
    };
    vec![Idea::new(kind, short), whole]
}

fn deleted(kind: Kind, files: &[&FileFacts]) -> Vec<Idea> {
    if let [only] = files {
        return vec![Idea::new(kind, format!("remove {}", thing(only)))];
    }
    let mut ideas = vec![Idea::new(kind, format!("remove {}", few_or_many(files, 3, file_subject)))];
    if let Some(place) = place(files) {
        ideas.push(Idea::new(kind, format!("remove {} files from {place}", files.len())));
    }
    ideas
}

/// New code: what it defines is more telling than what its files are called.
fn added(files: &[&FileFacts]) -> Vec<Idea> {
    let mut found: Vec<Definition> =
        files.iter().take(READ).flat_map(|file| definitions(&file.added_lines, &file.path)).collect();
    found.retain(|definition| definition.what <= What::Function);
    found.sort_by_key(|definition| definition.what);
    let thing = if let [only] = files {
        thing(only)
    } else {
        place(files).map_or_else(|| few_or_many(files, 3, file_subject), |place| format!("{place} module"))
    };
    let bare = [" module", " script"].iter().find_map(|end| thing.strip_suffix(end)).unwrap_or(&thing);
    // A file named after the type it defines: say that, as the code writes it.
    if let Some(named) = found.iter().find(|found| found.what == What::Type && same(&found.name, bare)) {
        return vec![
            Idea::new(Kind::FEATURE, format!("add {}", named.name)),
            Idea::new(Kind::FEATURE, format!("add {thing}")),
        ];
    }
    let names: Vec<String> = found.iter().map(|found| found.name.clone()).filter(|name| !same(name, bare)).collect();
    let mut ideas = Vec::new();
    if !names.is_empty() {
        ideas.push(Idea::new(Kind::FEATURE, format!("add {thing} with {}", list(&names, 2))));
        ideas.push(Idea::new(Kind::FEATURE, format!("add {thing} with {}", list(&names, 1))));
    }
    ideas.push(Idea::new(Kind::FEATURE, format!("add {thing}")));
    ideas
}

/// Whether two names differ only in how their words are joined: `user_service`, `UserService`.
fn same(one: &str, other: &str) -> bool {
    let bare = |text: &str| -> String {
        text.chars().filter(|char| char.is_alphanumeric()).flat_map(char::to_lowercase).collect()
    };
    bare(one) == bare(other)
}

/// What a file is, in words.
fn thing(file: &FileFacts) -> String {
    let subject = path::subject(&file.path);
    let name = || path::shown(path::name(&file.path));
    match path::extension(&file.path).as_str() {
        "rs" | "py" | "js" | "mjs" | "ts" | "go" | "rb" | "lua" | "ex" | "hs" | "ml" | "zig" | "nim" => {
            format!("{subject} module")
        }
        "sh" | "bash" | "zsh" | "fish" | "ps1" => format!("{subject} script"),
        "java" | "kt" | "swift" | "cs" | "scala" | "tsx" | "jsx" | "vue" | "svelte" => subject,
        _ => name(),
    }
}
