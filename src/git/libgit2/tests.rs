//! The walk of the index against what `git write-tree` and `git diff-tree` say of the same state.

use std::collections::BTreeMap;

use bstr::ByteSlice;
use proptest::prelude::*;

use super::super::testing::{Scratch, bytes};
use super::super::{ChangedFile, GitError, HeadTarget, Ident, ObjectId, Reflog, Repository, Status};

fn head_tree(repository: &Repository) -> Option<ObjectId> {
    repository.head().unwrap().commit.map(|commit| repository.tree_of(commit).unwrap())
}

/// The change as lines like those of `git diff-tree --raw`, without similarity scores.
fn lines(files: &[ChangedFile]) -> Vec<String> {
    let null = "0".repeat(40);
    let mut lines: Vec<String> = files
        .iter()
        .map(|file| {
            let mode =
                |side: Option<&super::super::Side>| side.map_or("000000".to_owned(), |side| side.mode.to_string());
            let id = |side: Option<&super::super::Side>| side.map_or(null.clone(), |side| side.id.to_string());
            let (old, new) = (file.old_side(), file.new_side());
            let paths = match (file.status(), old) {
                (Status::Renamed(_), Some(old)) => format!("{}\t{}", old.path, file.path()),
                _ => file.path().to_string(),
            };
            format!(":{} {} {} {} {}\t{paths}", mode(old), mode(new), id(old), id(new), file.status().letter())
        })
        .collect();
    lines.sort();
    lines
}

/// What git says of the same, with renames when asked for.
fn expected(scratch: &Scratch, renames: bool) -> Vec<String> {
    let renames = if renames { "-M" } else { "--no-renames" };
    let raw = scratch.git(&["diff-index", "--cached", "--raw", "-z", "--no-abbrev", renames, "HEAD"]);
    let mut fields = raw.split('\0').filter(|field| !field.is_empty());
    let mut lines = Vec::new();
    while let Some(head) = fields.next() {
        let mut head = head.to_owned();
        let mut paths = fields.next().unwrap().to_owned();
        if let Some(at) = head.find(" R") {
            head.truncate(at + 2);
            paths = format!("{paths}\t{}", fields.next().unwrap());
        }
        lines.push(format!("{head}\t{paths}"));
    }
    lines.sort();
    lines
}

fn assert_agrees(scratch: &Scratch, renames: bool) {
    let repository = scratch.open();
    let before = bytes(&scratch.index());
    let frozen = repository.freeze(&scratch.index(), head_tree(&repository)).unwrap();
    assert_eq!(bytes(&scratch.index()), before, "the index file was written");
    assert_eq!(lines(frozen.change.files()), expected(scratch, renames));
    repository.store(&frozen).unwrap();
    assert_eq!(frozen.tree.to_string(), scratch.git(&["write-tree"]));
    scratch.git(&["fsck", "--strict", "--no-dangling"]);
}

/// A state of a few files under names that collide: files and folders of the same name, names around the slash.
fn state() -> impl Strategy<Value = BTreeMap<usize, String>> {
    let content = prop_oneof![Just(String::new()), "[a-c]{1,3}\n", "([a-e]{8}\n){6,8}"];
    proptest::collection::btree_map(0..NAMES.len(), content, 0..NAMES.len())
}

const NAMES: [&str; 14] = [
    "a",
    "a-b",
    "a.b",
    "a/b",
    "a/c/d",
    "a0",
    "b/x",
    "b/x.y",
    "b/x/z",
    "b/y",
    "c d/\"q\"",
    "é/ü",
    "z/1/2/3/4",
    "z/1/2/5",
];

fn lay_out(scratch: &Scratch, state: &BTreeMap<usize, String>) {
    for entry in std::fs::read_dir(scratch.path()).unwrap() {
        let name = entry.unwrap().file_name();
        if name != ".git" {
            scratch.remove(name.to_str().unwrap());
        }
    }
    for (name, content) in state {
        let path = NAMES[*name];
        let blocked = state.keys().any(|other| NAMES[*other].starts_with(&format!("{path}/")));
        if !blocked {
            scratch.write(path, content);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn the_walk_agrees_with_git(first in state(), second in state(), cached in any::<bool>()) {
        let scratch = Scratch::new();
        lay_out(&scratch, &first);
        scratch.commit_all("first");
        if cached {
            scratch.git(&["read-tree", "HEAD"]);
        }
        lay_out(&scratch, &second);
        scratch.git(&["add", "-A"]);
        let repository = scratch.open();
        let frozen = repository.freeze(&scratch.index(), head_tree(&repository)).unwrap();
        // Which of several equal files was renamed is a matter of taste, so git is asked without renames.
        let mut unpaired = Vec::new();
        for file in frozen.change.files() {
            match file.status() {
                Status::Renamed(_) => {
                    unpaired.extend(file.old_side().cloned().map(ChangedFile::deleted));
                    unpaired.extend(file.new_side().cloned().map(ChangedFile::added));
                }
                _ => unpaired.push(file.clone()),
            }
        }
        prop_assert_eq!(lines(&unpaired), expected(&scratch, false));
        repository.store(&frozen).unwrap();
        prop_assert_eq!(frozen.tree.to_string(), scratch.git(&["write-tree"]));
    }
}

#[test]
fn every_kind_of_change_is_seen_as_git_sees_it() {
    let scratch = Scratch::new();
    let long: String = (0..60).map(|n| format!("line {n}\n")).collect();
    scratch.write("renamed/exactly", "the same\ncontent\n");
    scratch.write("renamed/nearly", &long);
    scratch.write("gone", "x\n");
    scratch.write("changed", "x\n");
    scratch.write("typed", "target\n");
    scratch.write("file", "x\n");
    scratch.write("folder/file", "x\n");
    scratch.write("kept/deep/down", "x\n");
    scratch.commit_all("first");
    scratch.git(&["mv", "renamed/exactly", "exactly"]);
    scratch.git(&["mv", "renamed/nearly", "nearly"]);
    scratch.write("nearly", format!("{long}one more\n"));
    for path in ["gone", "typed", "file", "folder"] {
        scratch.remove(path);
    }
    scratch.write("changed", "y\n");
    scratch.write("file/now/a/folder", "unlike all others\n");
    scratch.write("folder", "now another file\n");
    std::os::unix::fs::symlink("target", scratch.path().join("typed")).unwrap();
    scratch.git(&["add", "-A"]);
    scratch.git(&["update-index", "--chmod=+x", "changed"]);
    assert_agrees(&scratch, true);
}

#[test]
fn a_path_added_with_intent_only_is_absent() {
    let scratch = Scratch::new();
    scratch.write("old", "x\n");
    scratch.commit_all("first");
    scratch.write("new", "x\n");
    scratch.write("dir/only/new", "x\n");
    scratch.git(&["add", "-N", "new", "dir"]);
    let repository = scratch.open();
    let frozen = repository.freeze(&scratch.index(), head_tree(&repository)).unwrap();
    assert!(frozen.change.is_empty());
    scratch.git(&["rm", "-q", "--cached", "old"]);
    scratch.git(&["add", "-N", "old"]);
    let frozen = repository.freeze(&scratch.index(), head_tree(&repository)).unwrap();
    assert_eq!(frozen.change.files()[0].status(), Status::Deleted);
    assert_eq!(frozen.tree.to_string(), scratch.git(&["write-tree"]));
}

#[test]
fn index_versions_and_submodules_are_read() {
    for version in ["2", "3", "4"] {
        let scratch = Scratch::new();
        scratch.write("a/b", "x\n");
        scratch.commit_all("first");
        scratch.git(&["update-index", "--index-version", version]);
        let link = "160000,b45ef6fec89518d314f546fd6c3025367b721684,sub/module";
        scratch.git(&["update-index", "--add", "--cacheinfo", link]);
        scratch.git(&["update-index", "--skip-worktree", "a/b"]);
        assert_agrees(&scratch, true);
    }
}

#[test]
fn conflicts_are_named_and_missing_objects_refused() {
    let scratch = Scratch::new();
    scratch.write("a", "x\n");
    scratch.commit_all("first");
    let blob = scratch.git(&["rev-parse", "HEAD:a"]);
    let mut update = scratch.command(&["update-index", "--index-info"]);
    let mut child = update.stdin(std::process::Stdio::piped()).spawn().unwrap();
    let info = format!("0 {}\ta\n100644 {blob} 1\ta\n100644 {blob} 2\ta\n", "0".repeat(40));
    std::io::Write::write_all(child.stdin.as_mut().unwrap(), info.as_bytes()).unwrap();
    assert!(child.wait_with_output().unwrap().status.success());
    let repository = scratch.open();
    match repository.freeze(&scratch.index(), head_tree(&repository)) {
        Err(GitError::Unmerged(paths)) => assert_eq!(paths, ["a"]),
        other => panic!("{other:?}"),
    }

    let scratch = Scratch::new();
    let missing = "100644,b45ef6fec89518d314f546fd6c3025367b721684,lost";
    scratch.git(&["update-index", "--add", "--cacheinfo", missing]);
    let repository = scratch.open();
    match repository.freeze(&scratch.index(), None) {
        Err(GitError::InvalidIndex(text)) => assert!(text.contains("lost"), "{text}"),
        other => panic!("{other:?}"),
    }
}

fn reflog() -> Reflog {
    let committer = Ident { name: "C O Mitter".into(), email: "c@example.com".into(), seconds: 7, offset_minutes: 60 };
    Reflog { committer, message: "commit: x".into() }
}

#[test]
fn head_and_branch_move_together_and_both_logs_say_so() {
    let scratch = Scratch::new();
    scratch.write("a", "x\n");
    let first = scratch.commit_all("first");
    let second = scratch.commit_all("second");
    scratch.git(&["reset", "-q", "--soft", &first]);
    let repository = scratch.open();
    let head = repository.head().unwrap();
    assert_eq!(head.target, HeadTarget::Branch("refs/heads/main".to_owned()));
    repository.move_head(&head, second.parse().unwrap(), &reflog()).unwrap();
    assert_eq!(scratch.git(&["symbolic-ref", "HEAD"]), "refs/heads/main");
    for name in ["HEAD", "main"] {
        assert_eq!(scratch.git(&["rev-parse", name]), second);
        let log =
            std::fs::read(scratch.path().join(".git/logs").join(if name == "HEAD" { name } else { "refs/heads/main" }));
        let last = log.unwrap().lines().next_back().unwrap().to_str_lossy().into_owned();
        assert_eq!(last, format!("{first} {second} C O Mitter <c@example.com> 7 +0100\tcommit: x"), "{name}");
    }
}

#[test]
fn unborn_branches_are_born_once_and_detached_heads_stay_detached() {
    let scratch = Scratch::new();
    let tree = scratch.git(&["mktree"]);
    let commit = |message: &str| scratch.git(&["commit-tree", &tree, "-m", message]);
    let (first, second) = (commit("first"), commit("second"));
    let repository = scratch.open();
    let unborn = repository.head().unwrap();
    assert_eq!(unborn.commit, None);
    repository.move_head(&unborn, first.parse().unwrap(), &reflog()).unwrap();
    assert_eq!(scratch.git(&["rev-parse", "main"]), first);
    assert!(matches!(repository.move_head(&unborn, second.parse().unwrap(), &reflog()), Err(GitError::HeadMoved(_))));

    scratch.git(&["checkout", "-q", "--detach"]);
    let detached = repository.head().unwrap();
    repository.move_head(&detached, second.parse().unwrap(), &reflog()).unwrap();
    assert_eq!(scratch.git(&["rev-parse", "HEAD", "main"]), format!("{second}\n{first}"));
    assert_eq!(std::fs::read_to_string(scratch.path().join(".git/HEAD")).unwrap().trim(), second);
}

#[test]
fn a_lock_held_by_somebody_is_an_error_that_names_the_ref() {
    let scratch = Scratch::new();
    let first = scratch.commit_all("first");
    let repository = scratch.open();
    let head = repository.head().unwrap();
    for (lock, name) in [("HEAD.lock", "HEAD"), ("refs/heads/main.lock", "refs/heads/main")] {
        let path = scratch.path().join(".git").join(lock);
        std::fs::write(&path, "").unwrap();
        match repository.move_head(&head, first.parse().unwrap(), &reflog()) {
            Err(GitError::RefLocked(locked)) => assert_eq!(locked, name),
            other => panic!("{other:?}"),
        }
        assert!(path.exists(), "somebody else's lock was removed");
        std::fs::remove_file(path).unwrap();
    }
}

#[test]
fn packed_refs_and_history_are_read() {
    let scratch = Scratch::new();
    scratch.commit_all("first");
    scratch.git(&["commit", "-q", "--allow-empty", "-m", "second\n\nbody"]);
    scratch.git(&["pack-refs", "--all"]);
    scratch.git(&["gc", "-q"]);
    let repository = scratch.open();
    let head = repository.head().unwrap().commit.unwrap();
    let log = repository.log(head, 10).unwrap();
    let messages: Vec<&str> = log.iter().map(|entry| entry.message.as_str()).collect();
    assert_eq!(messages, ["second\n\nbody\n", "first\n"]);
    assert_eq!(repository.log(head, 1).unwrap().len(), 1);
}
