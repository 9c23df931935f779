//! Finding the READ lines of an answer.
//!
//! A model writes them in many ways, and a commit message may well begin with "Read". So a line counts when it is spelt as
//! it was asked for, or when what follows is a file of the change or looks like one.

/// More paths at a time are not looked at.
const MOST: usize = 64;

/// The longest path that is taken for one, in characters.
const LONGEST: usize = 1024;

/// Knows the files of the change.
pub(super) trait Files {
    /// Whether a name is one of them.
    fn has(&self, name: &str) -> bool;
}

/// The paths that an answer asks for, each once, in their order; empty when it asks for none and so is the message.
pub(super) fn read(answer: &str, files: &dyn Files) -> Vec<String> {
    let mut asked: Vec<String> = Vec::new();
    let mut first = true;
    for line in answer.lines().filter(|line| !line.trim().is_empty()) {
        let alone = std::mem::take(&mut first);
        for path in line_requests(line, alone, files) {
            if !asked.contains(&path) && asked.len() < MOST {
                asked.push(path);
            }
        }
    }
    asked
}

fn line_requests(line: &str, first: bool, files: &dyn Files) -> Vec<String> {
    let Some((shouted, list)) = after_keyword(line) else { return Vec::new() };
    let items = if files.has(list) { vec![Item { name: list.to_owned(), quoted: false }] } else { split(list, files) };
    let counts = |item: &Item| {
        let one_word = !item.name.contains(char::is_whitespace);
        let looks_like_one = one_word && (shouted || item.name.contains(['/', '.']));
        files.has(&item.name) || looks_like_one || (shouted && item.quoted)
    };
    let counted: Vec<String> = items.iter().filter(|item| counts(item)).map(|item| item.name.clone()).collect();
    if counted.is_empty() && shouted && first {
        return items.into_iter().map(|item| item.name).collect();
    }
    counted
}

/// What follows READ in a line, and whether that is in capitals.
fn after_keyword(line: &str) -> Option<(bool, &str)> {
    let bare = without_bullet(line.trim()).trim_matches(['`', '*', ' ', '\t']);
    let (keyword, rest) = bare.split_at_checked(4)?;
    if !keyword.eq_ignore_ascii_case("read") {
        return None;
    }
    let list = rest.trim_start_matches(['*', '`', ':', ' ', '\t']);
    let parted = rest.starts_with([':', ' ', '\t', '*', '`']);
    (parted && !list.is_empty()).then_some((keyword == "READ", list.trim_end()))
}

fn without_bullet(line: &str) -> &str {
    let line = line.trim_start_matches(['-', '*', '•', '+', '>', ' ', '\t']);
    let after_number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    match after_number.strip_prefix(['.', ')']) {
        Some(rest) if after_number.len() < line.len() => rest.trim_start(),
        _ => line,
    }
}

/// One name of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Item {
    name: String,
    quoted: bool,
}

fn split(list: &str, files: &dyn Files) -> Vec<Item> {
    between_commas(list).into_iter().flat_map(|item| names(item, files)).collect()
}

/// Splits at commas that are not within double quotes.
fn between_commas(list: &str) -> Vec<&str> {
    let (mut quoted, mut escaped) = (false, false);
    list.split(|c: char| {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            _ => {}
        }
        c == ',' && !quoted
    })
    .map(str::trim)
    .filter(|item| !item.is_empty())
    .collect()
}

/// The name in an item, or the names of several files with spaces between.
fn names(item: &str, files: &dyn Files) -> Vec<Item> {
    let named = |name: &str, quoted| Item { name: name.chars().take(LONGEST).collect(), quoted };
    if files.has(item) {
        return vec![named(item, false)];
    }
    let bare = item.trim_matches(['"', '\'', '`', '*']);
    let quoted = bare.len() < item.len();
    let without_stop = bare.trim_end_matches(['.', ';']);
    if !files.has(bare) && files.has(without_stop) {
        return vec![named(without_stop, quoted)];
    }
    let words: Vec<&str> = bare.split_whitespace().filter(|word| !matches!(*word, "and" | "&")).collect();
    if !files.has(bare) && words.len() > 1 && words.iter().all(|word| files.has(word)) {
        return words.into_iter().map(|word| named(word, false)).collect();
    }
    if bare.is_empty() { Vec::new() } else { vec![named(bare, quoted)] }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    struct Known(&'static [&'static str]);

    impl Files for Known {
        fn has(&self, name: &str) -> bool {
            self.0.contains(&name)
        }
    }

    const FILES: Known =
        Known(&["src/a.rs", "b.txt", "with space.md", "one,two", "\"t\\tab\"", "Makefile", "old => new"]);

    #[test]
    fn requests_are_found_however_they_are_written() {
        for (answer, expected) in [
            ("READ src/a.rs", &["src/a.rs"][..]),
            ("read src/a.rs\nRead b.txt", &["src/a.rs", "b.txt"]),
            ("READ: src/a.rs, b.txt", &["src/a.rs", "b.txt"]),
            ("READ src/a.rs b.txt and Makefile", &["src/a.rs", "b.txt", "Makefile"]),
            ("- READ src/a.rs\n* READ `b.txt`\n1. READ \"with space.md\"", &["src/a.rs", "b.txt", "with space.md"]),
            ("`READ src/a.rs`", &["src/a.rs"]),
            ("**READ** src/a.rs", &["src/a.rs"]),
            ("**READ src/a.rs**", &["src/a.rs"]),
            ("READ with space.md", &["with space.md"]),
            ("READ one,two", &["one,two"]),
            ("READ \"t\\tab\", \"no, such\"", &["\"t\\tab\"", "no, such"]),
            ("READ old => new", &["old => new"]),
            ("READ src/a.rs.", &["src/a.rs"]),
            ("I need two files:\n\nREAD src/a.rs\nREAD src/a.rs", &["src/a.rs"]),
            ("READ nowhere", &["nowhere"]),
            ("READ no such file", &["no such file"]),
            ("read nowhere/at/all", &["nowhere/at/all"]),
            ("Read Makefile", &["Makefile"]),
        ] {
            assert_eq!(read(answer, &FILES), expected, "{answer}");
        }
    }

    #[test]
    fn messages_are_no_requests() {
        for message in [
            "Read configuration lazily",
            "Read configs",
            "Readme: mend links",
            "README updates",
            "Reading is faster\n\nRead ahead while the disk is idle.",
            "Parse requests\n\nREAD lines are found in any case.",
            "fix: read the whole file",
            "READ",
            "READ:",
            "",
        ] {
            assert_eq!(read(message, &FILES), [""; 0], "{message}");
        }
    }

    #[test]
    fn there_is_an_end_to_what_is_asked_for() {
        let many: String = (0..500).map(|n| format!("READ file{n}.rs\n")).collect();
        assert_eq!(read(&many, &FILES).len(), MOST);
        assert_eq!(read(&format!("READ {}", "x/".repeat(5000)), &FILES)[0].len(), LONGEST);
    }

    proptest! {
        #[test]
        fn any_known_path_can_be_asked_for_in_quotes(index in 0..5_usize, bullet in "([-*] |[0-9]{1,2}[.)] )?") {
            let path = FILES.0[index];
            let quoted = if path.starts_with('"') { path.to_owned() } else { format!("\"{path}\"") };
            prop_assert_eq!(read(&format!("{bullet}READ {quoted}"), &FILES), [path]);
        }

        #[test]
        fn no_answer_breaks_it(answer in "(READ|read|[-*`:\"', ]|[a-z./\\\\é]{1,8}|\n){0,40}") {
            for path in read(&answer, &FILES) {
                prop_assert!(!path.is_empty() && !path.contains('\n'));
            }
        }
    }
}
