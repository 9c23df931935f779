//! Decomposition wherever git works, and of everything that a change can be made of.

use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};

use crate::decompose::{NAME_THE_FIRST_LINE, dirty};
use crate::support::{Roles, Run, World, fresh, say};

#[test]
fn an_unborn_branch() {
    let world = World::new();
    for path in ["a", "b", "c"] {
        world.write(path, format!("{path}\n"));
    }
    let tree = world.whole_tree();
    Roles::plan(&[("One", &["b"]), ("Two", &["a", "c"])]).install(&world);
    let run = world.run(&[]).succeeds();
    assert!(run.stdout.starts_with("[(root-commit) "), "{}", run.stdout);
    assert_eq!(run.stdout.matches("root-commit").count(), 1, "{}", run.stdout);
    assert_eq!(world.files_since(""), [vec!["b"], vec!["a", "c"]]);
    world.assert_whole(&tree, "");
    world.run(&["undo"]).succeeds();
    assert!(!world.try_git(&["rev-parse", "-q", "--verify", "HEAD"]).status.success());
    assert_eq!(world.whole_tree(), tree);
}

#[test]
fn a_detached_head_moves_and_no_branch_does() {
    let world = dirty();
    world.git(&["switch", "-q", "--detach"]);
    let (base, tree) = (world.head(), world.whole_tree());
    Roles::plan(&[("One", &["a", "b"]), ("Two", &["c", "new"])]).install(&world);
    let run = world.run(&[]).succeeds();
    assert!(run.stdout.starts_with("[detached HEAD "), "{}", run.stdout);
    assert_eq!((world.git(&["rev-parse", "main"]), world.subjects_since(&base).len()), (base.clone(), 2));
    world.assert_whole(&tree, &base);
}

#[test]
fn a_linked_worktree_moves_its_own_branch() {
    let world = dirty();
    let base = world.head();
    world.git(&["worktree", "add", "-q", "../linked"]);
    let linked = world.root().join("linked");
    for path in ["a", "b"] {
        std::fs::write(linked.join(path), "in the worktree\n").unwrap();
    }
    Roles::plan(&[("One", &["b"]), ("Two", &["a"])]).install(&world);
    let before = world.git(&["status", "--porcelain"]);
    Run::of(world.stagecoach(&[]).current_dir(&linked).output().unwrap()).succeeds();
    assert_eq!(world.git(&["log", "--format=%s", &format!("{base}..linked")]), "feat: change a\nfeat: change b");
    assert_eq!(world.git(&["-C", "../linked", "status", "--porcelain"]), "");
    assert_eq!((world.head(), world.git(&["status", "--porcelain"])), (base, before));
}

#[test]
fn a_folder_below_takes_in_the_whole_tree() {
    let world = dirty();
    let (base, tree) = (world.head(), world.whole_tree());
    Roles::plan(&[("One", &["new/d", "a"]), ("Two", &["b", "new/e", "c"])]).install(&world);
    Run::of(world.stagecoach(&[]).current_dir(world.path("new")).output().unwrap()).succeeds();
    assert_eq!(world.files_since(&base), [vec!["a", "new/d"], vec!["b", "c", "new/e"]]);
    world.assert_whole(&tree, &base);
}

#[test]
fn new_files_only_and_deletions_only() {
    let world = World::with_message("");
    for path in ["x/a", "x/b", "y"] {
        world.write(path, format!("{path}\n"));
    }
    let (base, tree) = (world.head(), world.whole_tree());
    Roles::plan(&[("One", &["x/b"]), ("Two", &["x/a", "y"])]).install(&world);
    world.run(&[]).succeeds();
    assert_eq!(world.files_since(&base), [vec!["x/b"], vec!["x/a", "y"]]);
    world.assert_whole(&tree, &base);

    std::fs::remove_dir_all(world.path("x")).unwrap();
    std::fs::remove_file(world.path("README.md")).unwrap();
    let (base, tree) = (world.head(), world.whole_tree());
    Roles::plan(&[("One", &["x/b"]), ("Two", &["README.md", "x/a"])])
        .message("echo \"feat: drop $(sed -n 's/^D.*\t//p' \"$prompt\" | tail -n 1)\"")
        .install(&world);
    world.run(&[]).succeeds();
    assert_eq!(world.files_since(&base), [vec!["x/b"], vec!["README.md", "x/a"]]);
    world.assert_whole(&tree, &base);
}

#[test]
fn all_kinds_of_changes_come_through() {
    let world = World::with_message("");
    let many: String = (0..30).map(|n| format!("line {n}\n")).collect();
    world.commit(
        "Add files",
        &[("old", &many), ("mode", "#!/bin/sh\n"), ("file", "x\n"), ("folder/in", "x\n"), ("plain", "x\n")],
    );
    symlink("file", world.path("link")).unwrap();
    world.stage("bin", b"a\0b");
    world.git(&["add", "-A"]);
    world.git(&["commit", "-q", "-m", "More"]);

    std::fs::create_dir(world.path("moved")).unwrap();
    std::fs::rename(world.path("old"), world.path("moved/new")).unwrap();
    std::fs::set_permissions(world.path("mode"), PermissionsExt::from_mode(0o755)).unwrap();
    std::fs::remove_file(world.path("link")).unwrap();
    symlink("mode", world.path("link")).unwrap();
    world.write("bin", b"a\0c");
    std::fs::remove_file(world.path("file")).unwrap();
    world.write("file/below", "now a folder\n");
    std::fs::remove_dir_all(world.path("folder")).unwrap();
    world.write("folder", "now a file\n");
    std::fs::remove_file(world.path("plain")).unwrap();
    symlink("file/below", world.path("plain")).unwrap();
    let (base, tree) = (world.head(), world.whole_tree());
    // A rename's old name, a part of a unit, and everything twice: the first has it.
    let all = ["moved/new", "mode", "link", "bin", "file", "folder", "plain"];
    Roles::plan(&[("Move", &["old"]), ("Kinds", &["file/below", "folder/in", "plain"]), ("Rest", &all)])
        .message("echo \"feat: change $(git hash-object --stdin < \"$prompt\")\"")
        .install(&world);
    world.run(&[]).succeeds();
    assert_eq!(
        world.files_since(&base),
        [
            vec!["moved/new", "old"],
            vec!["file", "file/below", "folder", "folder/in", "plain"],
            vec!["bin", "link", "mode"]
        ]
    );
    world.assert_whole(&tree, &base);
}

#[test]
fn between_two_commits_the_index_is_what_git_would_have_made() {
    let settings: [&[&str]; 6] = [
        &[],
        &["index.version", "4"],
        &["core.untrackedCache", "true"],
        &["index.skipHash", "true"],
        &["core.splitIndex", "true"],
        &["core.fsync", "all"],
    ];
    let formats: [&[&str]; 2] = [&[], &["--object-format=sha256"]];
    for (format, setting) in settings.iter().map(|setting| (formats[0], *setting)).chain([(formats[1], settings[0])]) {
        let world = World::with_message("");
        if !format.is_empty() {
            fresh(&world, format);
            std::fs::remove_file(world.path("README.md")).unwrap();
        }
        if let [key, value] = setting {
            world.git(&["config", key, value]);
        }
        let files = ["a", "b/one", "b/two", "c/gone", "d/moved"].map(|path| (path, format!("of {path}\n")));
        world.commit("Add files", &files.each_ref().map(|(path, content)| (*path, content.as_str())));
        world.write("a", "changed\n");
        world.write("b/two", "changed\n");
        std::fs::remove_file(world.path("c/gone")).unwrap();
        std::fs::rename(world.path("d/moved"), world.path("there")).unwrap();
        world.write("new", "new\n");
        let (base, tree) = (world.head(), world.whole_tree());
        // `git fsck` also looks at the checksum and the cached trees of the index.
        world.hook(
            "post-commit",
            "(git fsck --strict; git diff-index --cached HEAD) 2>&1 | grep -v dangling >>../found",
        );
        Roles::plan(&[("One", &["b", "new"]), ("Two", &["c", "there"]), ("Three", &["a"])])
            .message("echo \"feat: change $(git hash-object --stdin < \"$prompt\")\"")
            .install(&world);
        world.run(&[]).succeeds();
        assert_eq!(world.files_since(&base).len(), 3, "{format:?} {setting:?}");
        assert_eq!(std::fs::read_to_string(world.root().join("found")).unwrap(), "", "{format:?} {setting:?}");
        world.assert_whole(&tree, &base);
    }
}

#[test]
fn odd_names_are_understood_however_they_are_quoted() {
    let world = World::with_message("");
    let names: [&[u8]; 7] =
        [b"tab\there", b"quo\"te", "über".as_bytes(), b"line\nbreak", b"back\\slash", b"\xff\xfe", b"-dash 'n' $(x)"];
    for name in names {
        std::fs::write(world.repository().join(std::ffi::OsStr::from_bytes(name)), "x\n").unwrap();
    }
    let (base, tree) = (world.head(), world.whole_tree());
    Roles::plan(&[
        ("One", &["tab\there", "\"quo\\\"te\"", "\"\\303\\274ber\""]),
        ("Two", &["\"line\\nbreak\"", "back\\slash", "\"\\377\\376\"", "-dash 'n' $(x)"]),
    ])
    .message("echo \"feat: change $(git hash-object --stdin < \"$prompt\")\"")
    .install(&world);
    world.run(&[]).succeeds();
    let counts: Vec<usize> = world.files_since(&base).iter().map(Vec::len).collect();
    assert_eq!(counts, [3, 4]);
    world.assert_whole(&tree, &base);
}

#[test]
fn a_mode_and_a_line_of_one_file_may_part_but_nothing_is_lost() {
    let world = World::with_message("");
    world.commit("Add it", &[("run", "one\ntwo\nthree\nfour\nfive\n")]);
    world.write("run", "first\ntwo\nthree\nfour\nlast\n");
    std::fs::set_permissions(world.path("run"), PermissionsExt::from_mode(0o755)).unwrap();
    world.write("other", "other\n");
    let (base, tree) = (world.head(), world.whole_tree());
    Roles::plan(&[("One", &["run", "other"]), ("Two", &["run"])])
        .stager(&say(&serde_json::json!({ "assignments": { "1": "c1", "2": "c2" } })))
        .message(NAME_THE_FIRST_LINE)
        .install(&world);
    world.run(&[]).succeeds();
    assert!(world.files_since(&base).len() <= 2);
    world.assert_whole(&tree, &base);
}

#[test]
fn no_line_end_at_the_end_of_the_file_and_crlf_survive() {
    let world = World::with_message("");
    world.commit("Add it", &[("text", "a\r\nb\r\nc\r\nd\r\ne"), ("other", "x\n")]);
    world.write("text", "a2\r\nb\r\nc\r\nd\r\ne2");
    world.write("other", "other\n");
    let (base, tree) = (world.head(), world.whole_tree());
    Roles::plan(&[("One", &["text"]), ("Two", &["text", "other"])])
        .sorts(&["c2", "c1"])
        .message("echo \"feat: change $(git hash-object --stdin < \"$prompt\")\"")
        .install(&world);
    world.run(&[]).succeeds();
    let output = world.try_git(&["cat-file", "blob", "HEAD^:text"]);
    assert_eq!(output.stdout, b"a\r\nb\r\nc\r\nd\r\ne2");
    world.assert_whole(&tree, &base);
}

#[test]
fn a_clean_filter_is_applied_once() {
    let world = World::with_message("");
    world.git(&["config", "filter.up.clean", "tr a-z A-Z"]);
    world.git(&["config", "filter.up.smudge", "cat"]);
    world.commit("Add it", &[(".gitattributes", "*.up filter=up\n"), ("a.up", "one\ntwo\nthree\nfour\nfive\n")]);
    world.write("a.up", "first\ntwo\nthree\nfour\nlast\n");
    world.write("b.up", "new\n");
    let (base, tree) = (world.head(), world.whole_tree());
    Roles::plan(&[("One", &["a.up"]), ("Two", &["a.up", "b.up"])])
        .sorts(&["c1", "c2"])
        .message("echo \"feat: change $(git hash-object --stdin < \"$prompt\")\"")
        .install(&world);
    world.run(&[]).succeeds();
    assert_eq!(world.git(&["show", "HEAD^:a.up"]), "FIRST\nTWO\nTHREE\nFOUR\nFIVE");
    world.assert_whole(&tree, &base);
}

#[test]
fn a_submodule_moves_along() {
    let world = World::with_message("");
    let other = world.root().join("other");
    world.git(&["init", "-q", other.to_str().unwrap()]);
    world.git(&["-C", other.to_str().unwrap(), "commit", "-q", "--allow-empty", "-m", "One"]);
    world.git(&["-c", "protocol.file.allow=always", "submodule", "-q", "add", other.to_str().unwrap(), "sub"]);
    world.git(&["commit", "-q", "-m", "Add sub"]);
    world.git(&["-C", "sub", "commit", "-q", "--allow-empty", "-m", "Two"]);
    world.write("a", "a\n");
    let (base, tree) = (world.head(), world.whole_tree());
    Roles::plan(&[("One", &["sub"]), ("Two", &["a"])]).install(&world);
    world.run(&[]).succeeds();
    assert_eq!(world.files_since(&base), [["sub"], ["a"]]);
    world.assert_whole(&tree, &base);
}

#[test]
fn intent_to_add_is_like_any_new_file() {
    let world = dirty();
    world.git(&["add", "-N", "new/d"]);
    let (base, tree) = (world.head(), world.whole_tree());
    Roles::plan(&[("One", &["new/d"]), ("Two", &["a", "b", "c", "new/e"])]).install(&world);
    world.run(&[]).succeeds();
    assert_eq!(world.files_since(&base), [vec!["new/d"], vec!["a", "b", "c", "new/e"]]);
    world.assert_whole(&tree, &base);
}
