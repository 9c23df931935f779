//! The tree that an index stands for, and its entries.

use bstr::BStr;

use super::super::GitError;
use super::super::testing::Scratch;
use super::{FORMATS, agreed, backends, base, gits_lines, lines, sorted};

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
