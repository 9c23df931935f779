//! With nothing staged, the working tree is frozen and committed, and the index follows.

use crate::support::{World, while_the_agent_thinks};

#[test]
fn everything_that_git_add_would_stage_is_one_commit() {
    let world = World::with_message("Work on everything");
    world.commit("Add files", &[("gone", "x\n"), ("changed", "x\n"), (".gitignore", "ignored\n")]);
    std::fs::remove_file(world.path("gone")).unwrap();
    world.write("changed", "y\n");
    world.write("new/file", "z\n");
    world.write("ignored", "no\n");
    let run = world.run(&["--single"]).succeeds();
    assert!(run.stdout.ends_with("M\tchanged\nD\tgone\nA\tnew/file\n"), "{}", run.stdout);
    assert_eq!(world.git(&["status", "--porcelain"]), "");
    // The index is clean without a refresh, so every tool sees it at once.
    assert_eq!(world.git(&["diff-index", "HEAD"]), "");
    world.git(&["fsck", "--strict"]);
    world.assert_tidy();
}

#[test]
fn a_dirty_tree_with_nothing_staged_is_committed_without_options() {
    let world = World::with_message("Change the readme");
    world.write("README.md", "new\n");
    world.run(&[]).succeeds();
    assert_eq!(world.git(&["show", "HEAD:README.md"]), "new");
}

#[test]
fn all_takes_in_what_is_staged_and_what_is_not() {
    let world = World::with_message("Take all");
    world.stage("a", "staged\n");
    world.write("a", "edited after staging\n");
    world.write("b", "untracked\n");
    world.run(&["-a"]).succeeds();
    assert_eq!(world.git(&["show", "HEAD:a", "HEAD:b"]), "edited after staging\nuntracked");
    assert_eq!(world.git(&["status", "--porcelain"]), "");
}

#[test]
fn a_failed_run_leaves_index_and_files_as_they_were() {
    let world = World::with_message("");
    world.agent("cat > /dev/null; exit 3");
    world.stage("a", "staged\n");
    world.write("b", "untracked\n");
    let before = world.state();
    world.run(&["-a"]).fails_with(3);
    assert_eq!(world.state(), before);
    world.assert_tidy();
}

#[test]
fn credentials_and_large_files_stay_out_unless_they_are_asked_for() {
    let world = World::with_message("Add sources");
    world.write(".env", "TOKEN=1\n");
    world.write("main.rs", "fn main() {}\n");
    let large = std::fs::File::create(world.path("large.bin")).unwrap();
    large.set_len((50 << 20) + 1).unwrap();
    world.run(&[]).succeeds().says(&[".env", "large.bin"]);
    assert_eq!(world.git(&["show", "--name-only", "--format=", "HEAD"]), "main.rs");
    std::fs::remove_file(world.path("large.bin")).unwrap();
    let run = world.run(&[]).fails_with(2);
    assert!(run.stderr.contains("Nothing to commit.") && run.stderr.contains(".env"), "{}", run.stderr);
    world.agent_says("Add settings");
    world.run(&["-a"]).succeeds();
    assert_eq!(world.git(&["show", "--name-only", "--format=", "HEAD"]), ".env");
}

#[test]
fn clean_or_merely_touched_trees_are_nothing_to_commit() {
    let world = World::with_message("x");
    world.run(&[]).fails_with(2).says(&["Nothing to commit."]);
    world.write("README.md", world.read("README.md"));
    world.run(&[]).fails_with(2).says(&["Nothing to commit."]);
    world.write("README.md", "changed\n");
    world.run(&["--no-auto-stage"]).fails_with(2).says(&["Nothing staged.", "git add"]);
}

#[test]
fn what_happens_while_the_agent_thinks_is_neither_swept_in_nor_lost() {
    let world = World::with_message("");
    world.commit("Add files", &[("edited", "1\n"), ("staged", "1\n"), ("deleted", "1\n"), ("untouched", "1\n")]);
    world.write("edited", "2\n");
    world.write("staged", "2\n");
    world.write("untouched", "2\n");
    world.write("deleted", "2\n");
    let run = while_the_agent_thinks(&world, &[], |world| {
        world.write("edited", "3\n");
        world.stage("staged", "3\n");
        world.stage("brand new", "3\n");
        std::fs::remove_file(world.path("deleted")).unwrap();
    });
    run.succeeds();
    for path in ["edited", "staged", "deleted", "untouched"] {
        assert_eq!(world.git(&["show", &format!("HEAD:{path}")]), "2", "{path}");
    }
    assert_eq!(world.git(&["status", "--porcelain"]), "A  \"brand new\"\n D deleted\n M edited\nM  staged");
    assert_eq!(world.git(&["show", ":staged", ":brand new"]), "3\n3");
    world.git(&["fsck", "--strict"]);
    world.assert_tidy();
}

#[test]
fn a_staged_run_leaves_later_staging_alone() {
    let world = World::with_message("");
    world.stage("a", "1\n");
    let run = while_the_agent_thinks(&world, &[], |world| {
        world.stage("a", "2\n");
        world.stage("b", "2\n");
    });
    run.succeeds();
    assert_eq!(world.git(&["show", "HEAD:a"]), "1");
    assert_eq!(world.git(&["status", "--porcelain"]), "M  a\nA  b");
}

#[test]
fn an_index_that_stays_locked_is_a_rescue_with_nothing_moved() {
    let world = World::with_message("");
    world.write("README.md", "changed\n");
    let before = std::cell::RefCell::new(None);
    let run = while_the_agent_thinks(&world, &[], |world| {
        std::fs::write(world.path(".git/index.lock"), "").unwrap();
        *before.borrow_mut() = Some(world.state());
    });
    run.fails_with(3).says(&["index.lock", "git update-ref", "Write it down"]);
    assert_eq!(Some(world.state()), *before.borrow());
}

#[test]
fn conversions_modes_and_symlinks_are_gits_own() {
    let world = World::with_message("Add converted files");
    world.git(&["config", "filter.upper.clean", "tr a-z A-Z"]);
    world.git(&["config", "core.autocrlf", "input"]);
    world.write(".gitattributes", "*.up filter=upper\n*.txt text\n");
    world.write("word.up", "quiet\n");
    world.write("lines.txt", "a\r\nb\r\n");
    world.script("repo/run.sh", "true");
    std::os::unix::fs::symlink("run.sh", world.path("link")).unwrap();
    world.run(&[]).succeeds();
    assert_eq!(world.git(&["show", "HEAD:word.up"]), "QUIET");
    assert_eq!(world.git(&["show", "HEAD:lines.txt"]), "a\nb");
    let tree = world.git(&["ls-tree", "HEAD"]);
    assert!(tree.contains("100755 blob") && tree.contains("120000 blob"), "{tree}");
    assert_eq!(world.git(&["status", "--porcelain"]), "");
}

#[test]
fn bits_of_the_index_survive() {
    let world = World::with_message("Change one file");
    world.commit("Add files", &[("assumed", "1\n"), ("skipped", "1\n"), ("plain", "1\n")]);
    world.git(&["update-index", "--assume-unchanged", "assumed"]);
    world.git(&["update-index", "--skip-worktree", "skipped"]);
    for path in ["assumed", "skipped", "plain"] {
        world.write(path, "2\n");
    }
    world.run(&[]).succeeds();
    assert_eq!(world.git(&["show", "--name-only", "--format=", "HEAD"]), "plain");
    assert_eq!(world.git(&["ls-files", "-v", "assumed", "skipped"]), "h assumed\nS skipped");
}

#[test]
fn an_edit_of_the_same_size_in_the_same_tick_is_seen() {
    let world = World::with_message("Change it");
    for round in 0..8 {
        world.agent_says(&format!("Round {round}"));
        world.stage("racy", format!("a{round}\n"));
        world.git(&["commit", "-q", "-m", "racy"]);
        world.write("racy", format!("b{round}\n"));
        world.run(&[]).succeeds();
        assert_eq!(world.git(&["show", "HEAD:racy"]), format!("b{round}"));
    }
}

#[test]
fn a_split_index_is_read_whole_and_replaced_whole() {
    let world = World::with_message("Work with a split index");
    world.commit("Add files", &[("a", "1\n"), ("b", "1\n"), ("c", "1\n")]);
    world.git(&["config", "core.splitIndex", "true"]);
    world.git(&["update-index", "--split-index"]);
    world.stage("a", "2\n");
    world.write("b", "2\n");
    world.run(&[]).succeeds();
    assert_eq!(world.git(&["show", "--name-only", "--format=", "HEAD"]), "a");
    let run = while_the_agent_thinks(&world, &[], |world| world.stage("c", "3\n"));
    run.succeeds();
    assert_eq!(world.git(&["show", "--name-only", "--format=", "HEAD"]), "b");
    assert_eq!(world.git(&["status", "--porcelain"]), "M  c");
    world.git(&["fsck", "--strict"]);
}

/// As `git add` warns: what looks committed is in no commit of this repository.
#[test]
fn a_repository_within_is_named() {
    let world = World::with_message("Add it");
    world.git(&["init", "-q", "within"]);
    world.write("within/file", "1\n");
    world.git(&["-C", "within", "add", "file"]);
    world.git(&["-C", "within", "commit", "-q", "-m", "Within"]);
    world.run(&[]).succeeds().says(&["within is a repository of its own", "git submodule add"]);
    assert!(world.git(&["ls-tree", "HEAD", "within"]).starts_with("160000 commit"));
    // Once it is there it is no news.
    world.agent_says("Follow it");
    world.git(&["-C", "within", "commit", "-q", "--allow-empty", "-m", "More"]);
    let run = world.run(&[]).succeeds();
    assert!(!run.stderr.contains("of its own"), "{}", run.stderr);
}
