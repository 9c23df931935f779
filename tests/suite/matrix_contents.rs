//! The matrix: what files are, how they are called, and what git makes of their contents.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};

use super::support::{Row, World, fresh};

// ---- what git makes of contents

#[test]
fn one_shot_clean_filter() {
    Row::new()
        .prepare(|world| {
            Row::history(world);
            world.commit("Filter", &[(".gitattributes", "*.up filter=up\n")]);
            let clean = world.script("clean", "tr a-z A-Z");
            world.git(&["config", "filter.up.clean", &clean]);
            world.git(&["config", "filter.up.smudge", "tr A-Z a-z"]);
            world.git(&["config", "filter.up.required", "true"]);
            world.commit("Filter a file", &[("x.up", "first\n")]);
        })
        .change(&["x.up"], |world| {
            world.write("x.up", "second\n");
            world.write("y.up", "new\n");
        })
        .check();
}

/// What Git LFS's filter does: the repository has a pointer, the working tree the content.
fn large_files(world: &mut World) {
    Row::history(world);
    let clean = "size=$(wc -c); printf 'version https://git-lfs.github.com/spec/v1\\noid sha256:%064d\\nsize %d\\n' $size $size";
    let clean = world.script("lfs-clean", clean);
    world.git(&["config", "filter.lfs.clean", &clean]);
    world.git(&["config", "filter.lfs.smudge", "cat"]);
    world.git(&["config", "filter.lfs.required", "true"]);
    world.commit("Track", &[(".gitattributes", "*.big filter=lfs diff=lfs merge=lfs -text\n"), ("a.big", "one\n")]);
}

#[test]
fn pointers_to_large_files() {
    Row::new()
        .prepare(large_files)
        .change(&["a.big"], |world| {
            world.write("a.big", "two\n".repeat(1000));
            world.write("new.big", b"\0\x01");
            world.write("src/changed", "otherwise\n");
        })
        .check();
}

#[test]
fn a_pointer_to_a_large_file_is_committed_and_not_shown() {
    let mut world = World::with_message("Change the big file");
    large_files(&mut world);
    world.stage("a.big", "longer\n");
    world.run(&[]).succeeds();
    assert!(world.git(&["show", "HEAD:a.big"]).starts_with("version https://git-lfs.github.com/spec/v1\noid sha256:"));
    assert_eq!(world.read("a.big"), "longer\n");
    assert!(world.prompt().contains("M\t[lfs] a.big") && !world.prompt().contains("oid sha256"), "{}", world.prompt());
    assert_eq!(world.git(&["status", "--porcelain"]), "");
}

/// A filter that speaks git's protocol of long-running filters, and makes contents upper case.
const PROCESS: &str = r#"
work=$(dirname "$0")/filter-$$
flush() { printf 0000; }
say() { printf '%04x%s\n' $((${#1} + 5)) "$1"; }
# Reads a packet into the file $work.line; fails at a flush packet.
hear() {
    size=$(dd bs=1 count=4 2> /dev/null)
    test -n "$size" || exit 0
    test "$size" != 0000 || return 1
    dd bs=1 count=$((0x$size - 4)) 2> /dev/null > "$work.line"
}
while hear; do :; done
say git-filter-server; say version=2; flush
while hear; do :; done
say capability=clean; flush
while :; do
    while hear; do :; done
    : > "$work"
    while hear; do cat "$work.line" >> "$work"; done
    say status=success; flush
    text=$(tr a-z A-Z < "$work"; echo .)
    text=${text%.}
    printf '%04x%s' $((${#text} + 4)) "$text"; flush; flush
done
"#;

#[test]
fn long_running_clean_filter() {
    Row::new()
        .prepare(|world| {
            Row::history(world);
            world.commit("Filter", &[(".gitattributes", "*.up filter=up\n")]);
            let process = world.script("process", PROCESS);
            world.git(&["config", "filter.up.process", &process]);
            world.git(&["config", "filter.up.required", "true"]);
            world.commit("Filter a file", &[("x.up", "first\n")]);
            assert_eq!(world.git(&["show", "HEAD:x.up"]), "FIRST");
        })
        .change(&["x.up"], |world| {
            world.write("x.up", "second\n");
            world.write("y.up", "new\n");
        })
        .check();
}

#[test]
fn ends_of_lines() {
    Row::new()
        .prepare(|world| {
            world.git(&["config", "core.autocrlf", "true"]);
            world.git(&["config", "core.safecrlf", "false"]);
            world.commit("Attributes", &[(".gitattributes", "*.crlf text eol=crlf\n*.lf text eol=lf\n*.raw -text\n")]);
            for name in ["a.txt", "b.crlf", "c.lf", "d.raw"] {
                world.stage(name, "one\r\ntwo\r\n");
            }
            world.commit("Add files of all kinds", &[]);
        })
        .change(&["a.txt", "d.raw"], |world| {
            for name in ["a.txt", "b.crlf", "c.lf", "d.raw", "new.txt"] {
                world.write(name, "one\r\ntwo\r\nthree\r\n");
            }
        })
        .check();
}

#[test]
fn ident_and_other_encodings() {
    Row::new()
        .prepare(|world| {
            world.commit(
                "Attributes",
                &[(".gitattributes", "*.id ident\n*.wide working-tree-encoding=UTF-16LE eol=lf\n")],
            );
            world.stage("x.id", "$Id$\n");
            world.stage("x.wide", wide("one\n"));
            world.commit("Add", &[]);
        })
        .change(&["x.wide"], |world| {
            world.write("x.id", "$Id: 0123 $\nmore\n");
            world.write("x.wide", wide("one\nzwölf\n"));
            world.write("y.wide", wide("ü\n"));
        })
        .check();
}

fn wide(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

// ---- what files are

#[test]
fn symlinks_and_permissions() {
    Row::new()
        .change(&["src/changed", "link"], |world| {
            let executable = |path: &str| {
                std::fs::set_permissions(world.path(path), PermissionsExt::from_mode(0o755)).unwrap();
            };
            executable("src/changed");
            symlink("src/changed", world.path("link")).unwrap();
            symlink("nowhere at all", world.path("dangling")).unwrap();
            std::fs::remove_file(world.path("src/gone")).unwrap();
            symlink("../README.md", world.path("src/gone")).unwrap();
            world.write("run", "#!/bin/sh\n");
            executable("run");
        })
        .check();
}

#[test]
fn permissions_and_symlinks_that_do_not_count() {
    Row::new()
        .prepare(|world| {
            Row::history(world);
            world.stage("run", "#!/bin/sh\n");
            world.git(&["update-index", "--chmod=+x", "run"]);
            symlink("src", world.path("link")).unwrap();
            world.git(&["add", "link"]);
            world.commit("Add a program and a link", &[]);
            world.git(&["config", "core.fileMode", "false"]);
            world.git(&["config", "core.symlinks", "false"]);
            std::fs::remove_file(world.path("link")).unwrap();
        })
        .change(&["run"], |world| {
            std::fs::set_permissions(world.path("README.md"), PermissionsExt::from_mode(0o755)).unwrap();
            world.write("run", "#!/bin/sh\nexit\n");
            world.write("link", "README.md");
        })
        .check();
}

fn nested() -> Row {
    Row::new()
        .prepare(|world| {
            world.commit("Start", &[("a", "file\n"), ("b/x", "x\n"), ("b/y/z", "z\n"), ("c", "c\n")]);
        })
        .change(&["c"], |world| {
            std::fs::remove_file(world.path("a")).unwrap();
            world.write("a/is/now", "a folder\n");
            std::fs::remove_dir_all(world.path("b")).unwrap();
            world.write("b", "is now a file\n");
            world.write("c", "changed\n");
        })
}

#[test]
fn files_become_folders_and_back() {
    nested().check();
}

#[test]
fn files_become_folders_and_back_in_sha256() {
    nested()
        .prepare(|world| {
            fresh(world, &["--object-format=sha256"]);
            world.commit("Start", &[("a", "file\n"), ("b/x", "x\n"), ("b/y/z", "z\n"), ("c", "c\n")]);
        })
        .by_program()
        .check();
}

#[test]
fn a_repository_within_that_is_no_submodule() {
    Row::new()
        .change(&["src/changed"], |world| {
            world.write("src/changed", "otherwise\n");
            world.git(&["init", "-q", "inner"]);
            world.git(&["-C", "inner", "commit", "-q", "--allow-empty", "-m", "Inner"]);
        })
        .check();
}

#[test]
fn contents_of_every_shape() {
    Row::new()
        .prepare(|world| {
            Row::history(world);
            world.commit(
                "Add",
                &[("full", "one\ntwo"), ("empty", ""), ("crlf", "one\r\ntwo\r\n"), ("binary", "\0\u{1}")],
            );
        })
        .change(&["full", "crlf"], |world| {
            world.write("full", "");
            world.write("empty", "no longer");
            world.write("crlf", "one\r\nTWO\r\nthree");
            world.write("binary", b"\0\xff\xfe");
            world.write("only-a-newline", "\n");
            world.write("nothing", "");
            world.write("one long line", "x".repeat(300_000));
        })
        .check();
}

#[test]
fn hunks_of_one_file_in_two_commits() {
    for format in [&[][..], &["--object-format=sha256", "--ref-format=reftable"]] {
        let world = World::new();
        fresh(&world, format);
        let lines: Vec<String> = (0..40).map(|n| format!("line {n}\n")).collect();
        world.commit("Start", &[("f", lines.concat().as_str()), ("g", "")]);
        let base = world.head();
        world.write("f", lines.concat().replace("line 2\n", "two\n").replace("line 30\n", "thirty\n"));
        world.write("g", "thirty, too\n");
        let tree = world.whole_tree();
        super::support::Roles::plan(&[("Two", &["f"]), ("Thirty", &["f", "g"])])
            .sorts(&["c1", "c2"])
            .message("if grep -q '^+two' \"$prompt\"; then echo 'feat: two'; else echo 'feat: thirty'; fi")
            .install(&world);
        world.run(&[]).succeeds();
        assert_eq!(world.subjects_since(&base), ["feat: two", "feat: thirty"], "{format:?}");
        let first = world.git(&["show", "HEAD~:f"]);
        assert!(first.contains("\ntwo\n") && first.contains("\nline 30\n"));
        world.assert_whole(&tree, &base);
        // All of it can be taken back.
        world.run(&["undo"]).succeeds();
        assert_eq!(world.head(), base);
        assert_eq!(world.whole_tree(), tree);
        assert_eq!(world.git(&["diff-index", "--cached", "HEAD"]), "");
    }
}

// ---- how they are called

fn odd_names(world: &World) {
    let names: [&[u8]; 17] = [
        b"with space ",
        b"\"quoted\"",
        b"new\nline",
        b"tab\there",
        b"back\\slash",
        b"latin1-\xe4",
        b"-n",
        b"--",
        b":colon",
        b":(top)x",
        b"star*",
        b"[a]",
        b"!bang",
        b"#hash",
        b"~",
        "komponiert-\u{e9}".as_bytes(),
        "zerlegt-e\u{301}".as_bytes(),
    ];
    for name in names {
        let path = world.repository().join(OsStr::from_bytes(name));
        let more = if path.exists() { "more\n" } else { "" };
        std::fs::write(&path, [name, b"\n", more.as_bytes()].concat()).unwrap();
        let folder = world.repository().join(OsStr::from_bytes(&[b"in ", name].concat()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("file"), [name, b"\n", more.as_bytes()].concat()).unwrap();
    }
    std::fs::write(world.repository().join("star-not"), "x\n").unwrap();
}

#[test]
fn odd_names_that_are_new() {
    Row::new().change(&["--", "star*", ":(top)x"], odd_names).check();
}

#[test]
fn odd_names_that_change() {
    Row::new()
        .prepare(|world| {
            odd_names(world);
            world.git(&["add", "-A"]);
            world.commit("Start", &[]);
        })
        .change(&["-n", ":colon", "in star*/file"], odd_names)
        .check();
}

#[test]
fn odd_names_by_the_program() {
    Row::new()
        .prepare(|world| {
            fresh(world, &["--object-format=sha256"]);
            odd_names(world);
            world.git(&["add", "-A"]);
            world.commit("Start", &[]);
        })
        .change(&["-n", ":colon", "in star*/file"], odd_names)
        .by_program()
        .check();
}

fn renamed_in_case_only() -> Row {
    Row::new()
        .prepare(|world| {
            world.commit("Start", &[("Readme", "about\n"), ("Folder/file", "of it\n"), ("other", "x\n")]);
        })
        .change(&["other"], |world| {
            std::fs::rename(world.path("Readme"), world.path("README")).unwrap();
            std::fs::rename(world.path("Folder"), world.path("folder")).unwrap();
            world.write("other", "y\n");
        })
}

#[test]
fn names_that_differ_in_case_only() {
    renamed_in_case_only().check();
}

#[test]
fn names_that_differ_in_case_only_where_case_is_ignored() {
    renamed_in_case_only()
        .prepare(|world| {
            world.commit("Start", &[("Readme", "about\n"), ("Folder/file", "of it\n"), ("other", "x\n")]);
            world.git(&["config", "core.ignoreCase", "true"]);
        })
        .check();
}

#[test]
fn renames_with_changes() {
    Row::new()
        .prepare(|world| {
            let text: String = (0..50).map(|n| format!("line {n}\n")).collect();
            world.commit("Start", &[("old/name", &text), ("exact", "just this\n"), ("other", "x\n")]);
        })
        .change(&["other"], |world| {
            std::fs::create_dir(world.path("new")).unwrap();
            std::fs::rename(world.path("old/name"), world.path("new/name")).unwrap();
            world.write("new/name", world.read("new/name") + "and more\n");
            std::fs::rename(world.path("exact"), world.path("exactly")).unwrap();
            world.write("other", "y\n");
        })
        .check();
}

#[test]
#[ignore = "writes and reads files of more than 2 GiB"]
fn files_of_more_than_two_gibibytes() {
    for format in [&[][..], &["--object-format=sha256"]] {
        let world = World::with_message("x");
        fresh(&world, format);
        world.commit("Start", &[("a", "a\n")]);
        world.git(&["config", "core.compression", "0"]);
        let file = std::fs::File::create(world.path("huge")).unwrap();
        file.set_len((2 << 30) + 5).unwrap();
        world.agent_says("Add what is huge");
        world.run(&["-a"]).succeeds();
        assert_eq!(world.git(&["cat-file", "-s", "HEAD:huge"]), ((2u64 << 30) + 5).to_string());
        assert_eq!(world.git(&["status", "--porcelain"]), "");
    }
}
