//! The diffs of a change, handed out piece by piece.

use std::collections::HashMap;

use crate::payload::{FilePatch, PartSize, Payload, estimate, parts, quote};
use crate::prompt::Exchange;

use super::requests::Files;

/// The longest name in a note, in characters.
const MOST_NAME: usize = 200;

/// What can be asked for, and how far each file was given.
pub(super) struct Shelf<'a> {
    payload: &'a Payload,
    names: HashMap<String, usize>,
    /// The part that is given next, for files of which one was given.
    next: HashMap<usize, usize>,
    room: PartSize,
    diff_room: PartSize,
}

impl Files for Shelf<'_> {
    fn has(&self, name: &str) -> bool {
        self.find(name).is_some()
    }
}

impl<'a> Shelf<'a> {
    /// One answer holds at most `room`, of which diffs take at most `diff_room`.
    pub(super) fn new(payload: &'a Payload, room: PartSize, diff_room: PartSize) -> Self {
        let mut names = HashMap::new();
        // The newer path of one file may be the older one of another: it means the file that has it now.
        for (index, file) in payload.files().iter().enumerate() {
            names.extend(file.old_path.iter().map(|old| (old.clone(), index)));
        }
        for (index, file) in payload.files().iter().enumerate() {
            names.insert(quote(file.path.as_bytes().into()), index);
            names.insert(file.path.clone(), index);
            // As the list shows it, quotes and arrow included.
            names.extend(file.skeleton().splitn(4, '\t').nth(3).map(|shown| (shown.to_owned(), index)));
        }
        Self { payload, names, next: HashMap::new(), room, diff_room }
    }

    /// Also by the names that a diff's header has.
    fn find(&self, name: &str) -> Option<usize> {
        let bare = || {
            let name =
                name.strip_prefix("./").or_else(|| name.strip_prefix("a/")).or_else(|| name.strip_prefix("b/"))?;
            self.names.get(name)
        };
        self.names.get(name).or_else(bare).copied()
    }

    /// The next parts of the files asked for, as far as there is room, and notes.
    pub(super) fn serve(&mut self, asked: &[String]) -> Exchange {
        let (mut given, mut notes) = (String::new(), Vec::new());
        let (mut tokens, mut served) = (0, Vec::new());
        for name in asked {
            let shown = printable(name);
            let Some((index, file)) = self.find(name).and_then(|index| Some((index, self.payload.files().get(index)?)))
            else {
                notes.push(format!("{shown} is not in this change"));
                continue;
            };
            if served.contains(&index) {
                continue;
            }
            served.push(index);
            let (part, number, count) = self.part(index, file);
            let cost = estimate(part) + 1;
            let fits = tokens + cost <= self.diff_room.tokens && given.len() + part.len() < self.diff_room.bytes;
            if !given.is_empty() && !fits {
                notes.push(format!("there was no room left for {shown}; READ it again"));
                continue;
            }
            tokens += cost;
            given.push_str(part);
            if !part.ends_with('\n') {
                given.push('\n');
            }
            self.next.insert(index, number);
            if count > 1 {
                let more = if number < count { "; READ again for the next" } else { "" };
                notes.push(format!("{shown}: part {number} of {count}{more}"));
            }
        }
        self.push_notes(&mut given, &notes);
        Exchange { asked: asked.iter().map(|name| printable(name) + "\n").collect(), given }
    }

    /// The part of a file that is its turn, its number from 1, and how many there are. After the last comes the first.
    fn part(&self, index: usize, file: &'a FilePatch) -> (&'a str, usize, usize) {
        let parts = parts(file.text(), self.diff_room);
        let next = self.next.get(&index).copied().filter(|next| *next < parts.len()).unwrap_or(0);
        (parts.get(next).copied().unwrap_or_default(), next + 1, parts.len())
    }

    fn push_notes(&self, given: &mut String, notes: &[String]) {
        let mut tokens = estimate(given);
        for note in notes {
            let line = format!("[{note}]\n");
            tokens += estimate(&line);
            if tokens > self.room.tokens || given.len() + line.len() > self.room.bytes {
                return;
            }
            given.push_str(&line);
        }
    }
}

fn printable(name: &str) -> String {
    name.chars().filter(|c| !c.is_control()).take(MOST_NAME).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::payload::samples::Store;

    const ROOM: PartSize = PartSize { tokens: 450, bytes: usize::MAX };
    const DIFFS: PartSize = PartSize { tokens: 400, bytes: usize::MAX };

    fn payload() -> Payload {
        let lines = |count: usize| "let value = compute(argument);\n".repeat(count);
        Store::default()
            .added("large.rs", lines(100))
            .added("small.rs", lines(3))
            .added("other.rs", lines(3))
            .added("t\tab", "x\n")
            .added("Cargo.lock", "x\n")
            .payload()
    }

    fn ask(shelf: &mut Shelf<'_>, names: &[&str]) -> String {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        shelf.serve(&names).given
    }

    #[test]
    fn files_are_given_under_any_of_their_names() {
        let payload = payload();
        let mut shelf = Shelf::new(&payload, ROOM, DIFFS);
        for name in ["small.rs", "b/small.rs", "./small.rs"] {
            assert!(ask(&mut shelf, &[name]).starts_with("diff --git a/small.rs b/small.rs\n"), "{name}");
        }
        for name in ["t\tab", "\"t\\tab\""] {
            assert!(ask(&mut shelf, &[name]).contains("+x\n"), "{name}");
        }
        assert_eq!(ask(&mut shelf, &["Cargo.lock"]), "A\t[lock] Cargo.lock\n");
        assert_eq!(ask(&mut shelf, &["no\u{1b}where"]), "[nowhere is not in this change]\n");
    }

    #[test]
    fn a_large_diff_comes_in_parts_that_are_the_diff() {
        let payload = payload();
        let whole = payload.files().iter().find(|file| file.path == "large.rs").unwrap().text();
        let mut shelf = Shelf::new(&payload, ROOM, DIFFS);
        let mut all = String::new();
        let first = ask(&mut shelf, &["large.rs"]);
        let count: usize = first.rsplit_once("part 1 of ").unwrap().1.split(';').next().unwrap().parse().unwrap();
        assert!(count > 2 && first.ends_with("; READ again for the next]\n"), "{first}");
        all.push_str(first.split("[large.rs: ").next().unwrap());
        for number in 2..=count {
            let given = ask(&mut shelf, &["large.rs"]);
            let (part, note) = given.split_once("[large.rs: ").unwrap();
            assert!(note.starts_with(&format!("part {number} of {count}")), "{note}");
            assert!(estimate(&given) <= ROOM.tokens);
            all.push_str(part);
        }
        assert_eq!(all, whole);
        // Whoever lost the beginning gets it again.
        assert_eq!(ask(&mut shelf, &["large.rs"]), first);
    }

    #[test]
    fn one_answer_has_an_end() {
        let payload = payload();
        let mut shelf = Shelf::new(&payload, ROOM, DIFFS);
        let given = ask(&mut shelf, &["large.rs", "small.rs", "small.rs", "nowhere"]);
        assert!(estimate(&given) <= ROOM.tokens && !given.contains("diff --git a/small.rs"));
        assert_eq!(given.matches("no room left for small.rs; READ it again").count(), 1);
        assert!(ask(&mut shelf, &["small.rs", "other.rs"]).contains("diff --git a/other.rs"));
        let many: Vec<String> = (0..60).map(|n| format!("nowhere-{n}-{}", "x".repeat(40))).collect();
        assert!(estimate(&shelf.serve(&many).given) <= ROOM.tokens);
    }
}
