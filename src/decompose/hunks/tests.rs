//! Splicing against `git apply`, and the reading of the stager's answer.

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::Stdio;

use proptest::prelude::*;
use serde_json::json;

use super::super::plan::{Concept, Plan};
use super::super::testing::{Memory, ground};
use super::super::{Ground, Note};
use super::script::git_range;
use super::*;
use crate::git::testing::Scratch;

/// A text of a few lines that repeat, with or without a newline at its end.
fn text() -> impl Strategy<Value = String> {
    (proptest::collection::vec("[a-d]?", 0..12), any::<bool>()).prop_map(|(lines, ended)| {
        let mut text = lines.join("\n");
        if ended && !text.is_empty() {
            text.push('\n');
        }
        text
    })
}

/// A patch of the chosen hunks alone: what the hunks before add or take away moves the newer side's line numbers.
fn patch(file: &str, script: &Script, chosen: &[bool]) -> Vec<u8> {
    let mut patch = format!("diff --git a/{file} b/{file}\n--- a/{file}\n+++ b/{file}\n").into_bytes();
    let (mut added, mut deleted) = (0, 0);
    for (hunk, _) in script.hunks().iter().zip(chosen).filter(|(_, chosen)| **chosen) {
        let start = hunk.old.start + added - deleted;
        let new = start..start + hunk.new.len();
        // git looks for a hunk at the newer side's number, which for one that only takes lines away is the line before.
        // Where that is the same line, but for its newline, git would take the wrong one.
        let new = if new.is_empty() { format!("{},0", new.start + 1) } else { git_range(&new) };
        let mut header = String::new();
        writeln!(header, "@@ -{} +{new} @@", git_range(&hunk.old)).unwrap();
        patch.extend_from_slice(header.as_bytes());
        patch.extend_from_slice(&script.text(hunk));
        added += hunk.new.len();
        deleted += hunk.old.len();
    }
    patch
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, max_shrink_iters: 200, ..ProptestConfig::default() })]

    /// 250 random subsets at a time.
    #[test]
    fn splicing_is_what_git_applies(
        files in proptest::collection::vec((text(), text(), proptest::collection::vec(any::<bool>(), 12)), 250),
    ) {
        let scratch = Scratch::new();
        let (mut patches, mut expected) = (Vec::new(), Vec::new());
        for (number, (base, start, chosen)) in files.iter().enumerate() {
            let path = format!("f{number:03}");
            scratch.write(&path, base);
            let script = Script::between(base.clone().into(), start.clone().into()).unwrap().unwrap();
            if script.hunks().iter().zip(chosen).any(|(_, chosen)| *chosen) {
                patches.extend(patch(&path, &script, chosen));
            }
            expected.push((path, script.splice(&script.lines_of(|hunk| chosen[hunk]))));
        }
        scratch.git(&["add", "-A"]);
        let mut apply = scratch
            .command(&["apply", "--cached", "--unidiff-zero", "--whitespace=nowarn"])
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        apply.stdin.take().unwrap().write_all(&patches).unwrap();
        prop_assert!(apply.wait().unwrap().success());
        let listing = scratch.git(&["ls-files", "-s"]);
        for (line, (path, content)) in listing.lines().zip(expected) {
            let id = git2::Oid::hash_object(git2::ObjectType::Blob, &content).unwrap();
            prop_assert_eq!(line, format!("100644 {id} 0\t{path}"), "{:?}", String::from_utf8_lossy(&content));
        }
    }
}

proptest! {
    #[test]
    fn all_hunks_make_the_start_and_none_the_base(base in text(), start in text()) {
        let script = Script::between(base.clone().into(), start.clone().into()).unwrap().unwrap();
        prop_assert_eq!(script.splice(&Lines::all(script.changed_lines())), start.as_bytes());
        prop_assert_eq!(script.splice(&Lines::none(script.changed_lines())), base.as_bytes());
        prop_assert_eq!(script.hunks().is_empty(), base == start);
        prop_assert!(script.hunks().windows(2).all(|pair| pair[0].old.end < pair[1].old.start));
    }
}

/// Two shared files, one with two hunks and one with one.
fn shared() -> (Ground, Sheet, Memory) {
    let memory = Memory::default();
    let ground = ground(
        &memory,
        &[("a", "1\n2\n3\n"), ("b", "1\n"), ("c", "1\n")],
        &[("a", "one\n2\nthree\n"), ("b", "2\n"), ("c", "2\n")],
    );
    let concept = |title: &str, files: &[usize]| Concept {
        title: title.to_owned(),
        description: String::new(),
        files: files.to_vec(),
    };
    let plan = Plan { concepts: vec![concept("one", &[0, 1]), concept("two", &[0, 1, 2])], notes: Vec::new() };
    let sheet = Sheet::new(&ground, &plan, &memory).unwrap();
    (ground, sheet, memory)
}

#[test]
fn shared_files_are_shown_as_numbered_hunks() {
    let (ground, sheet, _) = shared();
    let shown = sheet.hunks(&ground);
    let lines: Vec<String> =
        shown.iter().map(|hunk| format!("{} {} {} {:?}", hunk.number, hunk.path, hunk.header, hunk.text)).collect();
    assert_eq!(
        lines,
        ["1 a @@ -1 +1 @@ \"-1\\n+one\\n\"", "2 a @@ -3 +3 @@ \"-3\\n+three\\n\"", "3 b @@ -1 +1 @@ \"-1\\n+2\\n\""]
    );
}

#[test]
fn assignments_are_read_in_every_form() {
    let (ground, sheet, _) = shared();
    for answer in [
        json!({"assignments": [{"hunk": 1, "concept": "c1"}, {"hunk": 2, "concept": "c2"}, {"hunk": 3, "concept": "c2"}]}),
        json!({"assignments": {"1": "c1", "2": "c2", "#3": 2}}),
        json!({"hunks": {"1": "1", "2": "C2", "3": "c2"}}),
        json!({"result": {"hunks": [{"hunk": "1", "concept": 1}, {"hunk": "2", "concept": "c2"}, {"hunk": "3", "concept": "c2"}]}}),
    ] {
        let assignment = Assignment::read(&format!("Sure:\n```json\n{answer}\n```"), &ground, &sheet, 2).unwrap();
        let owners: Vec<Option<usize>> = (1..=3).map(|number| assignment.concept_of(number)).collect();
        assert_eq!(owners, [Some(0), Some(1), Some(1)], "{answer}");
        assert_eq!(assignment.notes(), [], "{answer}");
    }
}

#[test]
fn what_does_not_fit_in_an_assignment_is_noted() {
    let (ground, sheet, _) = shared();
    let answer = json!({"assignments": [
        {"hunk": 1, "concept": "c1"},
        {"hunk": 1, "concept": "c2"},
        {"hunk": 1, "concept": "c1"},
        {"hunk": 0, "concept": "c1"},
        {"hunk": 9, "concept": "c1"},
        {"hunk": 2, "concept": "c7"},
        {"hunk": 3, "concept": null},
    ]});
    let assignment = Assignment::read(&answer.to_string(), &ground, &sheet, 2).unwrap();
    assert_eq!(assignment.concept_of(1), Some(0));
    assert_eq!(
        assignment.notes(),
        [
            Note::HunkTwice { number: 1, kept: 0 },
            Note::UnknownHunk("0".to_owned()),
            Note::UnknownHunk("9".to_owned()),
            Note::UnknownConcept { number: 2, concept: "c7".to_owned() },
            Note::LeftOver { number: 2, path: "a".to_owned() },
            Note::LeftOver { number: 3, path: "b".to_owned() },
        ]
    );
}

#[test]
fn an_assignment_of_nothing_is_a_fault() {
    let (ground, sheet, _) = shared();
    let read = |answer: &str| Assignment::read(answer, &ground, &sheet, 2).unwrap_err();
    assert_eq!(read("I cannot do that."), AssignmentFault::NoJson);
    assert_eq!(read("{\"assignments\": 3}"), AssignmentFault::NoJson);
    assert_eq!(read("{\"assignments\": []}"), AssignmentFault::Nothing);
    assert_eq!(read("{\"hunks\": {\"8\": \"c1\", \"1\": \"c9\"}}"), AssignmentFault::Nothing);
}
