//! Edited trees and the walk of two trees against what git makes and says of the same.

use std::collections::BTreeMap;
use std::io::Write;
use std::process::Stdio;

use proptest::prelude::*;

use super::super::testing::Scratch;
use super::super::{ChangedFile, FileMode, GitError, ObjectId, Repository, Side, Status, TreeEdit};

const NAMES: [&str; 12] =
    ["a", "a-b", "a.b", "a/b", "a/b/c", "a/c/d", "a0", "b/x", "b/x/z", "b/x.y", "c d/\"q\"", "z/1/2/3/4"];

const MODES: [FileMode; 4] = [FileMode::Regular, FileMode::Executable, FileMode::Symlink, FileMode::Gitlink];

type State = BTreeMap<&'static str, (FileMode, usize)>;

/// Files under names of which none is a folder of another.
fn state() -> impl Strategy<Value = State> {
    proptest::collection::btree_map(0..NAMES.len(), (0..MODES.len(), 0..CONTENTS.len()), 0..NAMES.len()).prop_map(
        |picked| {
            let is_folder = |name: &str| picked.keys().any(|other| NAMES[*other].starts_with(&format!("{name}/")));
            picked
                .iter()
                .filter(|(name, _)| !is_folder(NAMES[**name]))
                .map(|(name, (mode, content))| (NAMES[*name], (MODES[*mode], *content)))
                .collect()
        },
    )
}

const CONTENTS: [&str; 3] = ["", "one\n", "two"];

fn entries(repository: &Repository, state: &State) -> BTreeMap<&'static str, (FileMode, ObjectId)> {
    let gitlink: ObjectId = "1234567890123456789012345678901234567890".parse().unwrap();
    let id = |mode, content: usize| match mode {
        FileMode::Gitlink => gitlink,
        _ => repository.write_blob(CONTENTS[content].as_bytes()).unwrap(),
    };
    state.iter().map(|(path, (mode, content))| (*path, (*mode, id(*mode, *content)))).collect()
}

/// Has git change its index and write it as a tree.
fn git_tree(scratch: &Scratch, lines: &str) -> ObjectId {
    let mut child =
        scratch.command(&["update-index", "--replace", "--index-info"]).stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    assert!(child.wait().unwrap().success());
    scratch.git(&["write-tree", "--missing-ok"]).parse().unwrap()
}

fn index_info(entries: &BTreeMap<&'static str, (FileMode, ObjectId)>) -> String {
    entries.iter().map(|(path, (mode, id))| format!("{mode} {id}\t{}\n", quoted(path))).collect()
}

fn quoted(path: &str) -> String {
    if path.contains('"') { format!("\"{}\"", path.replace('"', "\\\"")) } else { path.to_owned() }
}

fn raw(files: &[ChangedFile]) -> Vec<String> {
    let null = "0".repeat(40);
    let shown = |side: Option<&Side>| {
        side.map_or(("000000".to_owned(), null.clone()), |side| (side.mode.to_string(), side.id.to_string()))
    };
    let line = |old: Option<&Side>, new: Option<&Side>, letter: char| {
        let ((old_mode, old_id), (new_mode, new_id)) = (shown(old), shown(new));
        let path = new.or(old).unwrap().path.clone();
        format!(":{old_mode} {new_mode} {old_id} {new_id} {letter}\t{path}")
    };
    let mut lines: Vec<String> = Vec::new();
    for file in files {
        match file.status() {
            Status::Renamed(_) => {
                lines.push(line(file.old_side(), None, 'D'));
                lines.push(line(None, file.new_side(), 'A'));
            }
            status => lines.push(line(file.old_side(), file.new_side(), status.letter())),
        }
    }
    lines.sort();
    lines
}

fn git_raw(scratch: &Scratch, old: ObjectId, new: ObjectId) -> Vec<String> {
    let text = scratch.git(&[
        "diff-tree",
        "-r",
        "--raw",
        "-z",
        "--no-abbrev",
        "--no-renames",
        &old.to_string(),
        &new.to_string(),
    ]);
    let fields: Vec<&str> = text.split('\0').filter(|field| !field.is_empty()).collect();
    let mut lines: Vec<String> = fields.chunks(2).map(|pair| format!("{}\t{}", pair[0], pair[1])).collect();
    lines.sort();
    lines
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn edits_and_differences_are_gits(
        first in state(),
        second in state(),
        taken in proptest::collection::btree_set(0..NAMES.len(), 0..4),
        unborn in any::<bool>(),
    ) {
        let scratch = Scratch::new();
        let repository = scratch.open();
        let first = if unborn { BTreeMap::new() } else { entries(&repository, &first) };
        let second = entries(&repository, &second);
        let base = git_tree(&scratch, &index_info(&first));
        // Paths are taken away first, then the second state's files are put over what is left.
        let gone = taken.iter().map(|name| NAMES[*name]).filter(|name| !second.contains_key(name));
        let removals: String = gone.clone().map(|name| format!("0 {} 0\t{}\n", "0".repeat(40), quoted(name))).collect();
        let expected = git_tree(&scratch, &(removals + &index_info(&second)));
        let mut edits: Vec<TreeEdit> = gone.map(|path| TreeEdit { path: path.into(), entry: None }).collect();
        edits.extend(second.iter().map(|(path, entry)| TreeEdit { path: (*path).into(), entry: Some(*entry) }));
        let frozen = repository.freeze_edited((!unborn).then_some(base), &edits, Vec::new(), &crate::git::Change::default()).unwrap();
        repository.store(&frozen).unwrap();
        prop_assert_eq!(frozen.tree, expected);
        let change = repository.compare((!unborn).then_some(base), Some(expected)).unwrap();
        prop_assert_eq!(raw(change.files()), git_raw(&scratch, base, expected));
        let back = repository.compare(Some(expected), (!unborn).then_some(base)).unwrap();
        prop_assert_eq!(raw(back.files()), git_raw(&scratch, expected, base));
    }
}

#[test]
fn only_touched_folders_are_made_anew() {
    let scratch = Scratch::new();
    scratch.write("kept/deep/file", "x\n");
    scratch.write("touched/file", "x\n");
    scratch.commit_all("first");
    let repository = scratch.open();
    let base = repository.tree_of(repository.head().unwrap().commit.unwrap()).unwrap();
    let entry = Some((FileMode::Regular, repository.write_blob(b"y\n").unwrap()));
    let edits = [TreeEdit { path: "touched/file".into(), entry }];
    let frozen = repository.freeze_edited(Some(base), &edits, Vec::new(), &crate::git::Change::default()).unwrap();
    assert_eq!(frozen.pending_trees(), 2, "the folder and the root");
    let same = repository.freeze_edited(Some(base), &[], Vec::new(), &crate::git::Change::default()).unwrap();
    assert_eq!((same.tree, same.pending_trees()), (base, 0));
}

#[test]
fn a_rename_between_two_trees_is_paired() {
    let scratch = Scratch::new();
    scratch.write("before", "the same\ncontent\n");
    scratch.commit_all("first");
    scratch.git(&["mv", "before", "after"]);
    scratch.commit_all("second");
    let repository = scratch.open();
    let tree = |name: &str| scratch.git(&["rev-parse", name]).parse::<ObjectId>().unwrap();
    let change = repository.compare(Some(tree("HEAD~^{tree}")), Some(tree("HEAD^{tree}"))).unwrap();
    assert_eq!(change.files().iter().map(ChangedFile::status).collect::<Vec<_>>(), [Status::Renamed(100)]);
}

#[test]
fn what_no_tree_can_hold_is_refused() {
    let scratch = Scratch::new();
    let repository = scratch.open();
    let entry = Some((FileMode::Regular, repository.write_blob(b"").unwrap()));
    for paths in [&["a", "a/b"][..], &[""], &["a//b"], &["/a"], &["a/"]] {
        let edits: Vec<TreeEdit> = paths.iter().map(|path| TreeEdit { path: (*path).into(), entry }).collect();
        let error = repository.freeze_edited(None, &edits, Vec::new(), &crate::git::Change::default()).unwrap_err();
        assert!(matches!(error, GitError::InvalidEdit(_)), "{paths:?}: {error}");
    }
}
