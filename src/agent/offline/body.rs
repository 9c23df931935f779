//! The body: what happened to each file, one bullet each.

use super::facts::{FileFacts, FileStatus, MessageFacts};
use super::ideas::list;
use super::names::{Definition, What, definitions};
use super::path;

/// Lines are not longer, in characters.
const WIDTH: usize = 72;

/// So many files are named one by one.
const FILES: usize = 12;

/// One line for each file, wrapped.
pub(super) fn body(facts: &MessageFacts) -> String {
    let mut lines: Vec<String> = Vec::new();
    for file in facts.files.iter().take(FILES) {
        wrap(&format!("{}: {}", path::shown(&file.path), deed(file)), &mut lines);
    }
    match facts.files.len().saturating_sub(FILES) {
        0 => {}
        1 => lines.push("- and 1 more file".to_owned()),
        more => lines.push(format!("- and {more} more files")),
    }
    lines.join("\n")
}

/// What happened to the file, in a few words.
fn deed(file: &FileFacts) -> String {
    let new = definitions(&file.added_lines, &file.path);
    let old = definitions(&file.removed_lines, &file.path);
    let names = |found: &[Definition], known: &[Definition]| -> Vec<String> {
        let named = found.iter().filter(|one| one.what != What::Test && !known.contains(one));
        named.map(|one| one.name.clone()).collect()
    };
    let (added, removed) = (names(&new, &old), names(&old, &new));
    let counts = format!("+{}, -{}", file.added, file.deleted);
    match file.status {
        FileStatus::Added if added.is_empty() => format!("new ({counts})"),
        FileStatus::Added => format!("new, with {}", list(&added, 4)),
        FileStatus::Deleted => "removed".to_owned(),
        FileStatus::TypeChanged => "type changed".to_owned(),
        FileStatus::Renamed => {
            format!("moved from {}", path::shown(file.old_path.as_deref().unwrap_or("elsewhere")))
        }
        FileStatus::Modified => {
            let mut deeds = Vec::new();
            if !added.is_empty() {
                deeds.push(format!("add {}", list(&added, 4)));
            }
            if !removed.is_empty() {
                deeds.push(format!("remove {}", list(&removed, 4)));
            }
            if deeds.is_empty() { format!("changed ({counts})") } else { deeds.join("; ") }
        }
    }
}

/// Adds the text as one bullet, broken between words.
fn wrap(text: &str, lines: &mut Vec<String>) {
    let mut line = "-".to_owned();
    for word in text.split_whitespace() {
        if line.chars().count() + 1 + word.chars().count() > WIDTH && line.len() > 1 {
            lines.push(std::mem::replace(&mut line, " ".to_owned()));
        }
        line.push(' ');
        line.push_str(word);
    }
    lines.push(line);
}
