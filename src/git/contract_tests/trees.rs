//! Trees edited, compared, merged and kept.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::super::backend::Backend;
use super::super::testing::Scratch;
use super::super::{FileMode, GitError, MergedTrees, ObjectId, TreeEdit};
use super::{FORMATS, agreed, backends, gits_lines, id, lines, sorted};

const NAMES: [&str; 12] =
    ["a", "a-b", "a.b", "a/b", "a/b/c", "a/c/d", "a0", "b/x", "b/x/z", "b/x.y", "c d/\"q\"", "z/1/2/3/4"];
const MODES: [FileMode; 4] = [FileMode::Regular, FileMode::Executable, FileMode::Symlink, FileMode::Gitlink];

type State = BTreeMap<&'static str, (FileMode, usize)>;

/// Files under names of which none is a folder of another.
fn state() -> impl Strategy<Value = State> {
    proptest::collection::btree_map(0..NAMES.len(), (0..MODES.len(), 0..3usize), 0..NAMES.len()).prop_map(|picked| {
        let is_folder = |name: &str| picked.keys().any(|other| NAMES[*other].starts_with(&format!("{name}/")));
        let named = picked.iter().map(|(name, (mode, content))| (NAMES[*name], (MODES[*mode], *content)));
        named.filter(|(name, _)| !is_folder(name)).collect()
    })
}

fn edits(backend: &dyn Backend, state: &State, gone: &[&'static str]) -> Vec<TreeEdit> {
    let id = |mode, content: usize| match mode {
        // A commit that is not here, as is usual.
        FileMode::Gitlink => "12".repeat(backend.null_id().as_bytes().len()).parse().unwrap(),
        _ => backend.write_blob(["", "one\n", "two"][content].as_bytes()).unwrap(),
    };
    let removal = |path: &&'static str| TreeEdit { path: (*path).into(), entry: None };
    let mut edits: Vec<TreeEdit> = gone.iter().filter(|path| !state.contains_key(*path)).map(removal).collect();
    let addition = |(path, (mode, content)): (&&'static str, &(FileMode, usize))| TreeEdit {
        path: (*path).into(),
        entry: Some((*mode, id(*mode, *content))),
    };
    edits.extend(state.iter().map(addition));
    edits
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10))]

    #[test]
    fn edited_trees_and_their_differences_are_the_same(
        first in state(),
        second in state(),
        gone in proptest::collection::vec(0..NAMES.len(), 0..4),
        format in 0..FORMATS.len(),
    ) {
        let scratch = Scratch::of(FORMATS[format]);
        let gone: Vec<&'static str> = gone.into_iter().map(|name| NAMES[name]).collect();
        let make = |backend: &dyn Backend, base, state: &State| {
            let (tree, pending) = backend.edit_tree(base, &edits(backend, state, &gone)).unwrap();
            backend.write_trees(&pending).unwrap();
            tree
        };
        let old = agreed(&scratch, |backend| make(backend, None, &first));
        let new = agreed(&scratch, |backend| make(backend, Some(old), &second));
        scratch.git(&["ls-tree", "-r", &new.to_string()]);
        let (old_name, new_name) = (old.to_string(), new.to_string());
        let changed = agreed(&scratch, |backend| sorted(backend.tree_changes(Some(old), Some(new)).unwrap()));
        let git = gits_lines(&scratch, &["diff-tree", &old_name, &new_name]);
        prop_assert_eq!(lines(&changed, old.to_null()), git);
        let all = agreed(&scratch, |backend| sorted(backend.tree_changes(None, Some(new)).unwrap()));
        prop_assert_eq!(all.len(), scratch.git(&["ls-tree", "-r", "--name-only", &new_name]).lines().count());
        scratch.git(&["fsck", "--no-dangling"]);
    }
}

#[test]
fn what_no_tree_can_hold_is_refused() {
    let scratch = Scratch::new();
    for paths in [&["a", "a/b"][..], &[""], &["a//b"], &["/a"], &["a/"]] {
        for backend in backends(&scratch) {
            let entry = Some((FileMode::Regular, backend.write_blob(b"").unwrap()));
            let edits: Vec<TreeEdit> = paths.iter().map(|path| TreeEdit { path: (*path).into(), entry }).collect();
            assert!(matches!(backend.edit_tree(None, &edits), Err(GitError::InvalidEdit(_))), "{paths:?}");
        }
    }
}

#[test]
fn trees_are_merged_or_their_conflicts_named() {
    for format in FORMATS {
        let scratch = Scratch::of(format);
        let tree = |files: &[(&str, &str)]| {
            scratch.git(&["rm", "-rqf", "--ignore-unmatch", "."]);
            for (path, content) in files {
                scratch.write(path, content);
            }
            scratch.git(&["add", "-A"]);
            scratch.git(&["write-tree"]).parse::<ObjectId>().unwrap()
        };
        let base = tree(&[("a", "1\n2\n3\n4\n5\n"), ("b", "1\n")]);
        let ours = tree(&[("a", "one\n2\n3\n4\n5\n"), ("b", "1\n")]);
        let theirs = tree(&[("a", "1\n2\n3\n4\nfive\n"), ("b", "1\n")]);
        let both = tree(&[("a", "one\n2\n3\n4\nfive\n"), ("b", "1\n")]);
        let against = tree(&[("a", "uno\n2\n3\n4\n5\n"), ("b", "2\n")]);
        let merged = agreed(&scratch, |backend| backend.merge_trees(Some(base), ours, theirs).unwrap());
        assert_eq!(merged, MergedTrees::Clean(both));
        let merged = agreed(&scratch, |backend| backend.merge_trees(Some(base), ours, against).unwrap());
        assert_eq!(merged, MergedTrees::Conflicts(vec!["a".into()]));
        let merged = agreed(&scratch, |backend| backend.merge_trees(None, ours, against).unwrap());
        assert_eq!(merged, MergedTrees::Conflicts(vec!["a".into(), "b".into()]));
    }
}

#[test]
fn kept_trees_survive_gc_until_they_are_released() {
    for format in FORMATS {
        let scratch = Scratch::of(format);
        scratch.write("a", "1\n");
        scratch.commit_all("first");
        let trees = ["one", "two"].map(|content| {
            scratch.write("a", content);
            scratch.git(&["add", "a"]);
            id(&scratch, &scratch.git(&["write-tree"]))
        });
        scratch.git(&["reset", "-q", "--hard"]);
        for backend in backends(&scratch) {
            let name = format!("refs/stagecoach/rescue/{}-1", backend.name());
            let bundle = backend.bundle_trees(&trees).unwrap();
            backend.keep(&name, bundle).unwrap();
            for prefix in ["refs/stagecoach/rescue/", "refs/stagecoach/", &name[..name.len() - 1]] {
                assert_eq!(backend.refs_below(prefix).unwrap(), [name.as_str()], "{format:?}");
            }
            assert!(backend.refs_below("refs/stagecoach/other/").unwrap().is_empty());
            scratch.git(&["gc", "-q", "--prune=now"]);
            assert_eq!(id(&scratch, &format!("{name}:1")), trees[1]);
            backend.release(&name).unwrap();
            backend.release(&name).unwrap();
            assert_eq!(scratch.git(&["for-each-ref", "refs/stagecoach"]), "");
        }
    }
}
