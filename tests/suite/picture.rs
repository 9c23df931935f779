//! The README's picture: what `stagecoach demo` prints, as it is today.

use std::fmt::Write as _;
use std::path::Path;

use regex::Regex;

use crate::support::World;

/// Size of a character and distance of lines, in pixels.
const CHARACTER: usize = 8;
const LINE: usize = 19;
const MARGIN: usize = 20;
const COLUMNS: usize = 60;

const STYLE: &str = "text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,'Liberation Mono',monospace;fill:#d8dee9}\
                     .prompt{fill:#8fbcbb}.typed{fill:#fff;font-weight:bold}.id{fill:#ebcb8b}.changed{fill:#e5938b}\
                     .added{fill:#a3be8c}.moved{fill:#88c0d0}";

/// The command lines that are shown, each with what it prints.
fn shown(world: &World) -> String {
    let text = world.run(&["demo"]).succeeds().stdout;
    let block = |typed: &str| {
        let (_, rest) = text.split_once(&format!("$ {typed}\n")).unwrap();
        format!("$ {typed}\n{}\n", rest.split("\n\n").next().unwrap())
    };
    format!("{}\n{}\n$ git status --short\n$\n", block("git status --short"), block("stagecoach"))
}

/// A line in pieces: class, column and text.
fn pieces(line: &str) -> Vec<(&'static str, usize, String)> {
    let letter = |text: &str| match text.trim_start().chars().next() {
        Some('A' | '?') => "added",
        Some('R') => "moved",
        _ => "changed",
    };
    if let Some(typed) = line.strip_prefix('$') {
        return vec![("prompt", 0, "$".to_owned()), ("typed", 2, typed.trim_start().to_owned())];
    }
    if let Some((id, subject)) = line.split_once("] ") {
        return vec![("id", 0, format!("{id}]")), ("", id.len() + 2, subject.to_owned())];
    }
    if let Some((status, paths)) = line.split_once('\t') {
        return vec![(letter(status), 0, status.to_owned()), ("", 8, paths.replace('\t', " → "))];
    }
    let (status, path) = line.split_at(2.min(line.len()));
    let indent = status.len() - status.trim_start().len();
    vec![(letter(status), indent, status.trim_start().to_owned()), ("", 3, path.trim_start().to_owned())]
}

fn svg(text: &str) -> String {
    let width = COLUMNS * CHARACTER + 2 * MARGIN;
    let height = text.lines().count() * LINE + 2 * MARGIN;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\">\n\
         <title>A dirty tree of eleven files becomes six commits</title>\n<style>{STYLE}</style>\n\
         <rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"#2e3440\"/>\n"
    );
    for (number, line) in text.lines().enumerate() {
        let y = MARGIN + number * LINE + 14;
        for (class, column, text) in pieces(line).into_iter().filter(|(_, _, text)| !text.is_empty()) {
            let length = text.chars().count();
            assert!(column + length <= COLUMNS, "{line} is too long for the picture");
            let (x, length) = (MARGIN + column * CHARACTER, length * CHARACTER);
            let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
            writeln!(
                svg,
                "<text class=\"{class}\" x=\"{x}\" y=\"{y}\" textLength=\"{length}\" \
                 lengthAdjust=\"spacingAndGlyphs\">{text}</text>"
            )
            .unwrap();
        }
    }
    svg + "</svg>\n"
}

/// `UPDATE_DOCS=1 cargo test --test suite picture::` renews it. Ids of commits change with the time and are not compared.
#[test]
fn the_picture_in_the_readme_is_what_the_demonstration_prints() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/picture.svg");
    let picture = svg(&shown(&World::new()));
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, &picture).unwrap();
    }
    let ids = Regex::new(r">\[[0-9a-f]{7}\]<").unwrap();
    let without_ids = |text: &str| ids.replace_all(text, ">[id]<").into_owned();
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(without_ids(&committed), without_ids(&picture), "run this test with UPDATE_DOCS=1");
    let readme = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).unwrap();
    assert!(readme.contains("](docs/picture.svg)"));
}
