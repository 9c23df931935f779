//! The files that the demonstration works on: a small project, and a day's work in it that nobody sorted.

/// The project, commit by commit: message, then files.
pub(super) const HISTORY: [(&str, &[(&str, &str)]); 3] = [
    (
        "feat: fetch a page and count its words",
        &[
            ("Cargo.toml", CARGO_TOML),
            ("Cargo.lock", CARGO_LOCK),
            ("src/main.rs", MAIN),
            ("src/fetch.rs", FETCH),
            ("src/tags.rs", TAGS),
            ("src/util.rs", UTIL),
        ],
    ),
    ("docs: explain how to run it", &[("README.md", README)]),
    ("ci: run the tests", &[(".github/workflows/ci.yml", CI)]),
];

/// What is changed in files: path, text to be replaced, new text.
pub(super) const EDITS: [(&str, &str, &str); 10] = [
    ("src/main.rs", "mod util;\n", "mod words;\n"),
    ("src/main.rs", "util::count_words", "words::count_words"),
    ("src/main.rs", "mod fetch;\n", "mod cache;\nmod fetch;\n"),
    ("src/main.rs", "fetch::page(&address)", "cache::remembered(&address, fetch::page)"),
    ("src/main.rs", "mod tags;\n", "mod retry;\nmod tags;\n"),
    ("src/fetch.rs", "request(address).send()?", "crate::retry::with_pauses(|| request(address).send())?"),
    ("README.md", "    wordcount https://example.com\n", README_NEW),
    (
        ".github/workflows/ci.yml",
        "      - run: cargo test\n",
        "      - run: cargo clippy -- -D warnings\n      - run: cargo test\n",
    ),
    ("Cargo.toml", "minreq = \"2.11\"", "minreq = \"2.13\""),
    ("Cargo.lock", "version = \"2.11.0\"", "version = \"2.13.2\""),
];

/// What is moved, from where to where; before the edits.
pub(super) const MOVED: (&str, &str) = ("src/util.rs", "src/words.rs");

/// What is new.
pub(super) const ADDED: [(&str, &str); 3] =
    [("src/cache.rs", CACHE), ("src/retry.rs", RETRY), ("tests/retry.rs", RETRY_TEST)];

const CARGO_TOML: &str = "\
[package]
name = \"wordcount\"
version = \"0.1.0\"
edition = \"2024\"

[dependencies]
minreq = \"2.11\"
";

const CARGO_LOCK: &str = "\
version = 4

[[package]]
name = \"minreq\"
version = \"2.11.0\"

[[package]]
name = \"wordcount\"
version = \"0.1.0\"
dependencies = [
 \"minreq\",
]
";

const MAIN: &str = "\
//! Counts the words of a page.

mod fetch;
mod tags;
mod util;

fn main() {
    let address = std::env::args().nth(1).expect(\"an address\");
    let page = fetch::page(&address).expect(\"a page\");
    let text = tags::removed(&page);
    let count = util::count_words(&text);
    println!(\"{count}\");
}
";

const FETCH: &str = "\
//! Fetches pages.

/// The text at an address.
pub fn page(address: &str) -> Result<String, minreq::Error> {
    let answer = request(address).send()?;
    Ok(answer.as_str()?.to_owned())
}

/// Says who we are and what we understand.
fn request(address: &str) -> minreq::Request {
    minreq::get(address)
        .header(\"User-Agent\", \"wordcount\")
        .header(\"Accept\", \"*/*\")
}
";

const TAGS: &str = "\
//! Markup.

/// A page without its tags.
pub fn removed(page: &str) -> String {
    page.split('<').map(|part| part.split_once('>').map_or(part, |(_, text)| text)).collect()
}
";

const UTIL: &str = "\
//! Counting.

/// How many words a text has.
pub fn count_words(text: &str) -> usize {
    text.split_whitespace().filter(|word| is_word(word)).count()
}

/// Whether anything in it is a letter or a digit.
fn is_word(text: &str) -> bool {
    text.chars().any(char::is_alphanumeric)
}
";

const README: &str = "\
# wordcount

Counts the words of a page:

    wordcount https://example.com
";

const README_NEW: &str = "    wordcount https://example.com

Words are what stands between white space and has a letter or a digit in it.
";

const CI: &str = "\
on: [push]
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: cargo test
";

const CACHE: &str = "\
//! Pages that were fetched before.

/// The page that was kept for an address, else a new one, which is kept.
pub fn remembered<E>(address: &str, fetch: impl Fn(&str) -> Result<String, E>) -> Result<String, E> {
    let name: String = address.chars().map(|sign| if sign.is_alphanumeric() { sign } else { '_' }).collect();
    let file = tempfile::env::temp_dir().join(name);
    if let Ok(page) = std::fs::read_to_string(&file) {
        return Ok(page);
    }
    let page = fetch(address)?;
    drop(std::fs::write(file, &page));
    Ok(page)
}
";

const RETRY: &str = "\
//! Trying again what fails for a while only.

use std::time::Duration;

const PAUSES: [Duration; 3] = [Duration::from_millis(100), Duration::from_millis(400), Duration::from_secs(1)];

/// Tries until it works, with longer and longer pauses.
pub fn with_pauses<T, E>(mut attempt: impl FnMut() -> Result<T, E>) -> Result<T, E> {
    for pause in PAUSES {
        if let Ok(value) = attempt() {
            return Ok(value);
        }
        std::thread::sleep(pause);
    }
    attempt()
}
";

const RETRY_TEST: &str = "\
#[path = \"../src/retry.rs\"]
mod retry;

#[test]
fn the_second_try_counts() {
    let mut tries = 0;
    let result = retry::with_pauses(|| {
        tries += 1;
        if tries < 2 { Err(()) } else { Ok(tries) }
    });
    assert_eq!(result, Ok(2));
}
";
