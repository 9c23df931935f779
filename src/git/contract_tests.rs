//! Every operation of a backend, over both, on repositories of every kind that they can read: what they say is the same,
//! and what git says.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use bstr::{BStr, BString};
use proptest::prelude::*;

use super::backend::Backend;
use super::libgit2::Libgit2;
use super::plumbing::Plumbing;
use super::testing::Scratch;
use super::{
    ChangedPath, FileMode, GitError, Head, HeadTarget, Ident, MergedTrees, ObjectId, Program, Reflog, TreeEdit,
};

const FORMATS: [&[&str]; 4] = [
    &[],
    &["--object-format=sha256"],
    &["--ref-format=reftable"],
    &["--object-format=sha256", "--ref-format=reftable"],
];

/// Those that can open the repository of a folder; running git always can.
fn backends_in(scratch: &Scratch, folder: &Path) -> Vec<Box<dyn Backend>> {
    let folder_name = folder.to_str().unwrap();
    let git_dir = PathBuf::from(scratch.git(&["-C", folder_name, "rev-parse", "--absolute-git-dir"]));
    let null = ObjectId::null(scratch.git(&["rev-parse", "--show-object-format"]) == "sha256");
    let program = Plumbing::new(Program::find(folder).unwrap(), git_dir, null);
    let mut backends: Vec<Box<dyn Backend>> = vec![Box::new(program)];
    if let Ok(repository) = git2::Repository::open(folder) {
        backends.push(Box::new(Libgit2::new(repository)));
    }
    backends
}

fn backends(scratch: &Scratch) -> Vec<Box<dyn Backend>> {
    backends_in(scratch, &scratch.path())
}

/// What all backends say, when they agree.
#[track_caller]
fn agreed<T: PartialEq + std::fmt::Debug>(scratch: &Scratch, ask: impl Fn(&dyn Backend) -> T) -> T {
    let mut answers = backends(scratch).into_iter().map(|backend| ask(backend.as_ref()));
    let first = answers.next().unwrap();
    answers.for_each(|answer| assert_eq!(answer, first));
    first
}

fn id(scratch: &Scratch, revision: &str) -> ObjectId {
    scratch.git(&["rev-parse", revision]).parse().unwrap()
}

fn base(scratch: &Scratch) -> Option<ObjectId> {
    let exists = scratch.command(&["rev-parse", "-q", "--verify", "HEAD"]).output().unwrap().status.success();
    exists.then(|| id(scratch, "HEAD^{tree}"))
}

fn sorted(mut changed: Vec<ChangedPath>) -> Vec<ChangedPath> {
    changed.sort_by_key(|change| change.new.as_ref().or(change.old.as_ref()).map(|side| side.path.clone()));
    changed
}

fn lines(changed: &[ChangedPath], null: ObjectId) -> Vec<String> {
    let side =
        |side: Option<&super::Side>| side.map_or(("000000".to_owned(), null), |side| (side.mode.to_string(), side.id));
    let line = |change: &ChangedPath| {
        let ((old_mode, old), (new_mode, new)) = (side(change.old.as_ref()), side(change.new.as_ref()));
        let path = &change.new.as_ref().or(change.old.as_ref()).unwrap().path;
        format!(":{old_mode} {new_mode} {old} {new}\t{path}")
    };
    let mut lines: Vec<String> = changed.iter().map(line).collect();
    lines.sort();
    lines
}

fn gits_lines(scratch: &Scratch, arguments: &[&str]) -> Vec<String> {
    let flags = ["-r", "--raw", "-z", "--no-abbrev", "--no-renames"];
    let arguments: Vec<&str> =
        arguments.iter().take(1).chain(&flags).chain(arguments.iter().skip(1)).copied().collect();
    let text = scratch.git(&arguments);
    let fields: Vec<&str> = text.split('\0').filter(|field| !field.is_empty()).collect();
    let mut lines: Vec<String> =
        fields.chunks(2).map(|pair| format!("{}\t{}", &pair[0][..pair[0].len() - 2], pair[1])).collect();
    lines.sort();
    lines
}

// ---- the index

fn assert_index_agrees(scratch: &Scratch) {
    let before = std::fs::read(scratch.index()).unwrap();
    let (tree, changed) = agreed(scratch, |backend| {
        let found = backend.index_tree(&scratch.index(), base(scratch)).unwrap();
        backend.write_trees(&found.pending).unwrap();
        (found.tree, sorted(found.changed))
    });
    assert_eq!(std::fs::read(scratch.index()).unwrap(), before, "the index file was written");
    if base(scratch).is_some() {
        assert_eq!(lines(&changed, tree.to_null()), gits_lines(scratch, &["diff-index", "--cached", "HEAD"]));
    }
    assert_eq!(tree.to_string(), scratch.git(&["write-tree"]));
    agreed(scratch, |backend| backend.index_entries(&scratch.index()).unwrap());
}

#[test]
fn an_index_of_every_kind_of_entry_makes_gits_tree() {
    for format in FORMATS {
        let scratch = Scratch::of(format);
        for path in ["changed", "file", "folder/file", "gone", "kept/deep/down", "typed", "intended"] {
            scratch.write(path, format!("of {path}\n"));
        }
        scratch.git(&["add", "-A"]);
        assert_index_agrees(&scratch);
        scratch.commit_all("first");
        for path in ["file", "folder", "gone", "typed"] {
            scratch.remove(path);
        }
        scratch.write("changed", "now\n");
        scratch.write("file/is/a folder", "x\n");
        scratch.write("folder", "is a file\n");
        scratch.write("é/new\nline \"quoted\"", "x\n");
        std::os::unix::fs::symlink("target", scratch.path().join("typed")).unwrap();
        scratch.git(&["add", "-A"]);
        scratch.git(&["update-index", "--chmod=+x", "changed"]);
        let link = format!("160000,{},sub", scratch.git(&["rev-parse", "HEAD"]));
        scratch.git(&["update-index", "--add", "--cacheinfo", &link]);
        scratch.git(&["update-index", "--skip-worktree", "kept/deep/down"]);
        scratch.git(&["update-index", "--assume-unchanged", "changed"]);
        scratch.git(&["rm", "-q", "--cached", "intended"]);
        scratch.git(&["add", "-N", "intended"]);
        let entries = agreed(&scratch, |backend| backend.index_entries(&scratch.index()).unwrap());
        assert!(!entries.contains_key(BStr::new("intended")) && entries[BStr::new("sub")].0 == 0o160_000);
        let found = backends(&scratch)[0].index_tree(&scratch.index(), base(&scratch)).unwrap();
        assert_eq!(found.tree.to_string(), scratch.git(&["write-tree"]), "{format:?}");
        scratch.git(&["rm", "-q", "--cached", "intended"]);
        assert_index_agrees(&scratch);
        for version in ["3", "4"] {
            scratch.git(&["update-index", "--index-version", version]);
            assert_index_agrees(&scratch);
        }
        scratch.git(&["update-index", "--split-index"]);
        assert_index_agrees(&scratch);
    }
}

#[test]
fn no_index_is_an_empty_one() {
    for format in FORMATS {
        let scratch = Scratch::of(format);
        let nowhere = scratch.path().join("nowhere");
        let tree = agreed(&scratch, |backend| backend.index_tree(&nowhere, None).unwrap().tree);
        assert_eq!(tree.to_string(), scratch.git(&["write-tree"]));
        assert!(agreed(&scratch, |backend| backend.index_entries(&nowhere).unwrap()).is_empty());
    }
}

#[test]
fn conflicts_are_named_and_missing_objects_refused() {
    for format in FORMATS {
        let scratch = Scratch::of(format);
        scratch.write("a b", "1\n");
        scratch.write("sub/c", "1\n");
        scratch.commit_all("first");
        scratch.git(&["switch", "-q", "-c", "other"]);
        scratch.write("a b", "2\n");
        scratch.remove("sub/c");
        scratch.commit_all("other");
        scratch.git(&["switch", "-q", "main"]);
        scratch.write("a b", "3\n");
        scratch.write("sub/c", "3\n");
        scratch.commit_all("main");
        assert!(!scratch.command(&["merge", "-q", "other"]).output().unwrap().status.success());
        let paths = agreed(&scratch, |backend| match backend.index_tree(&scratch.index(), base(&scratch)) {
            Err(GitError::Unmerged(paths)) => paths,
            other => panic!("{other:?}"),
        });
        assert_eq!(paths, ["a b", "sub/c"]);
        for backend in backends(&scratch) {
            assert_eq!(backend.index_entries(&scratch.index()).unwrap()[BStr::new("a b")].0, 0, "{format:?}");
        }

        let scratch = Scratch::of(format);
        let somewhere = Scratch::of(format);
        somewhere.write("lost", "nowhere else\n");
        let lost = somewhere.git(&["hash-object", "lost"]);
        scratch.git(&["update-index", "--add", "--cacheinfo", &format!("100644,{lost},lost")]);
        for backend in backends(&scratch) {
            match backend.index_tree(&scratch.index(), None) {
                Err(GitError::InvalidIndex(text)) => assert!(text.contains("lost"), "{text}"),
                other => panic!("{other:?}"),
            }
        }
    }
}

// ---- trees

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

// ---- objects

#[test]
fn blobs_are_read_as_they_are_or_not_at_all() {
    for format in FORMATS {
        let scratch = Scratch::of(format);
        scratch.commit_all("first");
        let large = vec![b'x'; 3_000_000];
        let contents: [&[u8]; 4] = [b"", b"\n", b"\0\xff\nno newline", &large];
        for content in contents {
            let blob = agreed(&scratch, |backend| backend.write_blob(content).unwrap());
            assert_eq!(agreed(&scratch, |backend| backend.read(blob).unwrap()), content);
            assert_eq!(agreed(&scratch, |backend| backend.size(blob).unwrap()), content.len() as u64);
        }
        let elsewhere = Scratch::of(format);
        let missing = backends(&elsewhere)[0].write_blob(b"only there").unwrap();
        for backend in backends(&scratch) {
            for bad in [missing, id(&scratch, "HEAD")] {
                assert_eq!(backend.size(bad).unwrap_err().id, bad);
                assert_eq!(backend.read(bad).unwrap_err().id, bad);
            }
            assert_eq!(backend.size(backend.write_blob(b"still").unwrap()).unwrap(), 5, "a refusal ends nothing");
        }
    }
}

#[test]
fn commits_are_written_and_read() {
    for format in FORMATS {
        let scratch = Scratch::of(format);
        scratch.commit_all("first");
        let content = scratch.git(&["cat-file", "commit", "HEAD"]) + "\n";
        let made = agreed(&scratch, |backend| backend.write_commit(content.as_bytes()).unwrap());
        assert_eq!(made, id(&scratch, "HEAD"));
        assert_eq!(agreed(&scratch, |backend| backend.tree_of(made).unwrap()), id(&scratch, "HEAD^{tree}"));
        let tree = id(&scratch, "HEAD^{tree}");
        for backend in backends(&scratch) {
            assert!(matches!(backend.tree_of(tree), Err(GitError::Object(..))));
            assert_eq!(backend.null_id().to_string().len(), content.lines().next().unwrap().len() - "tree ".len());
        }
    }
}

#[test]
fn history_is_first_parent_and_ends_where_a_shallow_clone_ends() {
    for format in FORMATS {
        let scratch = Scratch::of(format);
        scratch.write("a", "1\n");
        scratch.commit_all("first\n\nwith a body\n");
        scratch.git(&["switch", "-q", "-c", "side"]);
        scratch.write("side/b", "1\n");
        scratch.commit_all("side");
        scratch.git(&["switch", "-q", "main"]);
        scratch.write("a", "2\n");
        scratch.commit_all("second");
        scratch.git(&["merge", "-q", "--no-edit", "side"]);
        let head = id(&scratch, "HEAD");
        let log = agreed(&scratch, |backend| backend.log(head, 10).unwrap());
        let subjects: Vec<_> = log.iter().map(|entry| (entry.subject().unwrap(), entry.parents)).collect();
        assert_eq!(subjects, [("Merge branch 'side'", 2), ("second", 1), ("first", 0)]);
        assert_eq!(log[2].message, "first\n\nwith a body\n");
        assert_eq!(agreed(&scratch, |backend| backend.log(head, 2).unwrap().len()), 2);
        let touched = |commit, paths: &[&str]| {
            let paths: Vec<&BStr> = paths.iter().map(|path| BStr::new(*path)).collect();
            agreed(&scratch, |backend| backend.touches(commit, &paths).unwrap())
        };
        for (commit, paths, expected) in [
            (log[0].id, &["side"][..], true),
            (log[0].id, &["side/b"], true),
            (log[0].id, &["a"], false),
            (log[0].id, &[], false),
            (log[1].id, &["a"], true),
            (log[1].id, &["side", "*"], false),
            (log[2].id, &["a"], true),
        ] {
            assert_eq!(touched(commit, paths), expected, "{paths:?}");
        }

        let source = format!("file://{}", scratch.path().display());
        scratch.git(&["clone", "-q", "--depth=1", &source, "../shallow"]);
        for backend in backends_in(&scratch, &scratch.path().join("../shallow")) {
            let log = backend.log(head, 10).unwrap();
            assert_eq!(log.len(), 1, "{}", backend.name());
            assert!(backend.touches(head, &[BStr::new("a")]).unwrap(), "nothing is known before it");
        }
    }
}

// ---- settings

#[test]
fn configuration_and_attributes_are_gits() {
    for format in FORMATS {
        let scratch = Scratch::of(format);
        scratch.git(&["config", "Section.Sub.Key", "two\nlines"]);
        scratch.git(&["config", "--add", "section.Sub.key", "again"]);
        for backend in backends(&scratch) {
            let config = backend.config().unwrap();
            let values: Vec<_> = config
                .entries()
                .iter()
                .filter(|entry| entry.key == "section.Sub.key")
                .map(|e| e.value.clone())
                .collect();
            assert_eq!(values, [Some(BString::from("two\nlines")), Some("again".into())], "{}", backend.name());
        }
        scratch.write(
            ".gitattributes",
            "*.bin binary\n*.min.js linguist-generated\n*.rs diff=rust -linguist-generated\nv/** linguist-vendored=true\n",
        );
        scratch.write("sub/.gitattributes", "*.rs -diff\n");
        scratch.git(&["add", "-A"]);
        scratch.remove("sub/.gitattributes");
        let paths = ["a.bin", "x.min.js", "m.rs", "v/x\ny", "sub/m.rs", "none"].map(BStr::new);
        let found = agreed(&scratch, |backend| backend.attributes(&paths).unwrap());
        assert_eq!(
            found.iter().map(|a| a.diff).collect::<Vec<_>>(),
            [Some(false), None, None, None, Some(false), None]
        );
        assert_eq!((found[1].generated, found[2].generated), (Some(true), Some(false)));
        assert_eq!((found[3].vendored, found[5].vendored), (Some(true), None));
    }
}

// ---- HEAD

fn reflog() -> Reflog {
    let committer = Ident { name: "C O Mitter".into(), email: "c@example.com".into(), seconds: 7, offset_minutes: -90 };
    Reflog { committer, message: "commit: It's \"x\"".into() }
}

/// The last line of a reflog, without ids.
fn last_entry(scratch: &Scratch, folder: &str, name: &str) -> String {
    scratch.git(&["-C", folder, "reflog", "show", "-1", "--date=raw", "--format=%gd %gn %ge %gs", name])
}

#[test]
fn head_and_branch_move_together_and_both_logs_say_so() {
    for format in FORMATS {
        let scratch = Scratch::of(format);
        let (first, second) = (scratch.commit_all("first"), scratch.commit_all("second"));
        scratch.git(&["worktree", "add", "-q", "-b", "it/has/slashes", "../linked", &first]);
        for folder in [".", "../linked"] {
            for backend in backends_in(&scratch, &scratch.path().join(folder)) {
                scratch.git(&["-C", folder, "reset", "-q", "--soft", &first]);
                let head = backend.head().unwrap();
                let branch = scratch.git(&["-C", folder, "symbolic-ref", "HEAD"]);
                assert_eq!(head.target, HeadTarget::Branch(branch.clone()));
                assert_eq!(head.commit, Some(first.parse().unwrap()));
                backend.move_head(&head, second.parse().unwrap(), &reflog()).unwrap();
                assert_eq!(scratch.git(&["-C", folder, "symbolic-ref", "HEAD"]), branch);
                for name in ["HEAD", branch.as_str()] {
                    assert_eq!(scratch.git(&["-C", folder, "rev-parse", name]), second);
                    let entry = last_entry(&scratch, folder, name);
                    assert!(
                        entry.ends_with("@{7 -0130} C O Mitter c@example.com commit: It's \"x\""),
                        "{} {format:?} {name}: {entry}",
                        backend.name()
                    );
                }
            }
        }
        scratch.git(&["refs", "verify"]);
    }
}

#[test]
fn a_head_that_moved_is_not_overwritten() {
    for format in FORMATS {
        let scratch = Scratch::of(format);
        let (first, second) = (scratch.commit_all("first"), scratch.commit_all("second"));
        for backend in backends(&scratch) {
            scratch.git(&["checkout", "-q", "-B", "main", &second]);
            let frozen = backend.head().unwrap();
            let refused = |reason: &str| match backend.move_head(&frozen, first.parse().unwrap(), &reflog()) {
                Err(GitError::HeadMoved(moved)) => {
                    assert_eq!(moved.frozen, frozen, "{reason}");
                    assert_eq!(moved.found, backend.head().unwrap(), "{reason}");
                }
                other => panic!("{reason}: {other:?}"),
            };
            scratch.git(&["switch", "-q", "-C", "other"]);
            refused("another branch with the same commit");
            assert_eq!(scratch.git(&["rev-parse", "main", "other"]), format!("{second}\n{second}"));
            scratch.git(&["switch", "-q", "--detach", "main"]);
            refused("detached at the same commit");
            scratch.git(&["switch", "-q", "main"]);
            scratch.git(&["commit", "-q", "--allow-empty", "-m", "third"]);
            refused("another commit on the same branch");
            scratch.git(&["switch", "-q", "--orphan", "unborn"]);
            refused("a branch that is not born yet");
            // Nothing is left locked.
            scratch.git(&["switch", "-q", "main"]);
            scratch.git(&["update-ref", "refs/heads/main", &first]);
            assert_eq!(scratch.git(&["rev-parse", "other"]), second);
        }
    }
}

#[test]
fn unborn_branches_are_born_once_and_detached_heads_stay_detached() {
    for format in FORMATS {
        let scratch = Scratch::of(format);
        let tree = scratch.git(&["write-tree"]);
        let commit = |message: &str| scratch.git(&["commit-tree", &tree, "-m", message]);
        let (first, second) = (commit("first"), commit("second"));
        for backend in backends(&scratch) {
            let branch = format!("refs/heads/{}", backend.name());
            scratch.git(&["symbolic-ref", "HEAD", &branch]);
            // A longer name that begins alike is another branch.
            scratch.git(&["update-ref", &format!("{branch}2"), &second]);
            let unborn = backend.head().unwrap();
            assert_eq!(unborn, Head { target: HeadTarget::Branch(branch.clone()), commit: None });
            backend.move_head(&unborn, first.parse().unwrap(), &reflog()).unwrap();
            assert_eq!(scratch.git(&["rev-parse", &branch]), first);
            let again = backend.move_head(&unborn, second.parse().unwrap(), &reflog());
            assert!(matches!(again, Err(GitError::HeadMoved(_))), "{again:?}");

            scratch.git(&["checkout", "-q", "--detach", &branch]);
            let detached = backend.head().unwrap();
            assert_eq!(detached.target, HeadTarget::Detached);
            backend.move_head(&detached, second.parse().unwrap(), &reflog()).unwrap();
            assert_eq!(scratch.git(&["rev-parse", "HEAD", &branch]), format!("{second}\n{first}"));
            assert!(last_entry(&scratch, ".", "HEAD").ends_with("commit: It's \"x\""));
            assert!(!scratch.command(&["symbolic-ref", "-q", "HEAD"]).output().unwrap().status.success());
        }
    }
}

#[test]
fn symbolic_branches_are_followed_to_the_end() {
    for format in FORMATS {
        let scratch = Scratch::of(format);
        let (first, second) = (scratch.commit_all("first"), scratch.commit_all("second"));
        scratch.git(&["symbolic-ref", "refs/heads/alias", "refs/heads/main"]);
        scratch.git(&["symbolic-ref", "HEAD", "refs/heads/alias"]);
        for backend in backends(&scratch) {
            scratch.git(&["update-ref", "refs/heads/main", &first]);
            let head = backend.head().unwrap();
            assert_eq!(head.ref_to_move(), "refs/heads/main");
            backend.move_head(&head, second.parse().unwrap(), &reflog()).unwrap();
            assert_eq!(scratch.git(&["rev-parse", "main"]), second);
            assert_eq!(scratch.git(&["symbolic-ref", "--no-recurse", "HEAD"]), "refs/heads/alias");
        }
    }
}

#[test]
fn a_lock_held_by_somebody_is_an_error_that_names_the_ref() {
    for (format, locks) in [
        (FORMATS[0], &[("HEAD.lock", "HEAD"), ("refs/heads/main.lock", "refs/heads/main")][..]),
        (FORMATS[2], &[("reftable/tables.list.lock", "refs/heads/main")]),
    ] {
        let scratch = Scratch::of(format);
        let first = scratch.commit_all("first");
        for backend in backends(&scratch) {
            let head = backend.head().unwrap();
            for (lock, name) in locks {
                let path = scratch.path().join(".git").join(lock);
                std::fs::write(&path, "").unwrap();
                match backend.move_head(&head, first.parse().unwrap(), &reflog()) {
                    Err(GitError::RefLocked(locked)) => assert_eq!(locked, *name),
                    other => panic!("{}: {other:?}", backend.name()),
                }
                assert!(path.exists(), "somebody else's lock was removed");
                std::fs::remove_file(path).unwrap();
            }
        }
    }
}

/// What [`super::plumbing::refs`] builds on: from `prepare` to `commit`, nobody moves HEAD or its branch.
#[test]
fn a_prepared_transaction_holds_head_and_its_branch() {
    for format in FORMATS {
        let scratch = Scratch::of(format);
        let (first, second) = (scratch.commit_all("first"), scratch.commit_all("second"));
        scratch.git(&["branch", "other"]);
        scratch.git(&["worktree", "add", "-q", "-b", "there", "../linked"]);
        for (folder, branch) in [(".", "main"), ("../linked", "there")] {
            let mut git = scratch.command(&["-C", folder, "update-ref", "-z", "--stdin"]);
            let mut git = git.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
            let mut stdin = git.stdin.take().unwrap();
            let mut answers = std::io::BufRead::lines(std::io::BufReader::new(git.stdout.take().unwrap()));
            write!(stdin, "start\0update HEAD\0{first}\0{second}\0prepare\0").unwrap();
            assert_eq!(answers.next().unwrap().unwrap(), "start: ok");
            assert_eq!(answers.next().unwrap().unwrap(), "prepare: ok");
            let attempts: [&[&str]; 3] = [
                &["symbolic-ref", "HEAD", "refs/heads/other"],
                &["update-ref", "--no-deref", "HEAD", &second],
                &["update-ref", &format!("refs/heads/{branch}"), &first],
            ];
            for attempt in attempts {
                let attempt: Vec<&str> = ["-C", folder].iter().chain(attempt).copied().collect();
                let output = scratch.command(&attempt).output().unwrap();
                assert!(!output.status.success(), "{format:?} {attempt:?}");
            }
            assert_eq!(scratch.git(&["-C", folder, "symbolic-ref", "HEAD"]), format!("refs/heads/{branch}"));
            // Without its input it undoes everything.
            drop(stdin);
            git.wait().unwrap();
            assert_eq!(scratch.git(&["-C", folder, "rev-parse", "HEAD"]), second);
            scratch.git(&["-C", folder, "symbolic-ref", "HEAD", "refs/heads/other"]);
            scratch.git(&["-C", folder, "symbolic-ref", "HEAD", &format!("refs/heads/{branch}")]);
        }
    }
}
