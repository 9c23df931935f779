//! `stagecoach undo`: the commits of the last run are taken back, and nothing else.

use crate::support::{Roles, World};

fn committed(stage: bool) -> World {
    let world = World::with_message("Change it");
    world.commit("Files", &[("edited", "1\n"), ("gone", "1\n")]);
    world.write("edited", "2\n");
    world.write("new", "2\n");
    std::fs::remove_file(world.path("gone")).unwrap();
    if stage {
        world.git(&["add", "-A"]);
    }
    world.run(&[]).succeeds();
    world
}

#[test]
fn a_staged_run_leaves_everything_staged_again() {
    let world = committed(true);
    let (tip, start) = (world.head(), world.git(&["rev-parse", "HEAD^"]));
    world.stage("later", "3\n");
    let index = std::fs::read(world.path(".git/index")).unwrap();
    let run = world.run(&["undo", "--dry-run"]).succeeds();
    assert!(run.stdout.contains(&format!("would take back [{}] Change it", &tip[..7])), "{}", run.stdout);
    assert_eq!(world.head(), tip);
    let run = world.run(&["undo"]).succeeds();
    assert!(run.stdout.contains(&format!("took back [{}] Change it", &tip[..7])), "{}", run.stdout);
    assert!(run.stdout.contains("HEAD is again main at ") && run.stdout.contains("are staged"), "{}", run.stdout);
    assert_eq!(world.head(), start);
    assert_eq!(std::fs::read(world.path(".git/index")).unwrap(), index, "as after reset --soft");
    assert_eq!(world.git(&["status", "--porcelain"]), "M  edited\nD  gone\nA  later\nA  new");
    let log = world.git(&["reflog", "--format=%gs", "-1"]);
    assert_eq!(log, format!("undo: moving to {}", &start[..10]));
    assert_eq!(world.git(&["rev-parse", "HEAD@{1}"]), tip, "the commit is still to be had");
    world.run(&["undo"]).fails_with(1).says(&["no run"]);
    world.git(&["fsck", "--strict"]);
    world.assert_tidy();
}

#[test]
fn a_working_tree_run_is_unstaged_again_but_for_what_was_staged_since() {
    let world = committed(false);
    world.stage("edited", "3\n");
    world.stage("later", "3\n");
    world.write("new", "changed in the working tree\n");
    world.run(&["undo"]).succeeds();
    assert_eq!(world.message("HEAD"), "Files\n");
    assert_eq!(world.git(&["status", "--porcelain"]), "M  edited\n D gone\nA  later\n?? new");
    assert_eq!(world.read("new"), "changed in the working tree\n");
    world.git(&["fsck", "--strict"]);
    world.assert_tidy();
}

#[test]
fn a_root_commit_leaves_the_branch_unborn() {
    for stage in [true, false] {
        let world = World::new();
        world.agent_says("Start");
        world.write("a", "1\n");
        if stage {
            world.git(&["add", "a"]);
        }
        world.run(&[]).succeeds();
        world.run(&["undo"]).succeeds();
        assert_eq!(world.git(&["symbolic-ref", "HEAD"]), "refs/heads/main");
        assert!(!world.try_git(&["rev-parse", "-q", "--verify", "HEAD"]).status.success());
        assert_eq!(world.git(&["status", "--porcelain"]), if stage { "A  a" } else { "?? a" });
        world.run(&[]).succeeds();
        world.assert_tidy();
    }
}

#[test]
fn a_detached_head_goes_back() {
    let world = World::with_message("Change it");
    world.git(&["switch", "-q", "--detach"]);
    let start = world.head();
    world.write("README.md", "changed\n");
    world.run(&[]).succeeds();
    world.run(&["undo"]).succeeds();
    assert_eq!(world.head(), start);
    assert_eq!(world.git(&["rev-parse", "main"]), start);
    assert_eq!(world.git(&["status", "--porcelain"]), " M README.md");
}

#[test]
fn what_something_was_built_on_or_another_branch_is_refused() {
    let world = committed(true);
    world.git(&["switch", "-q", "-c", "other"]);
    let before = world.state();
    world.run(&["undo"]).fails_with(1).says(&["main", "other"]);
    assert_eq!(world.state(), before);
    world.git(&["switch", "-q", "main"]);
    world.commit("On top", &[("top", "x\n")]);
    let before = world.state();
    world.run(&["undo"]).fails_with(1).says(&["nothing was taken back", "git revert"]);
    assert_eq!(world.state(), before);
}

#[test]
fn what_was_pushed_or_fetched_is_refused() {
    let world = committed(true);
    world.git(&["init", "-q", "--bare", "../remote.git"]);
    world.git(&["remote", "add", "origin", "../remote.git"]);
    world.git(&["push", "-q", "origin", "HEAD:refs/heads/feature"]);
    let before = world.state();
    world.run(&["undo"]).fails_with(1).says(&["origin/feature", "git revert"]);
    assert_eq!(world.state(), before);
}

#[test]
fn what_was_pushed_in_part_is_refused() {
    let world = World::with_message("");
    Roles::plan(&[("One", &["a"]), ("Two", &["b"])]).install(&world);
    world.write("a", "1\n");
    world.write("b", "1\n");
    world.run(&[]).succeeds();
    world.git(&["init", "-q", "--bare", "../remote.git"]);
    world.git(&["remote", "add", "origin", "../remote.git"]);
    world.git(&["push", "-q", "origin", "HEAD^:refs/heads/main"]);
    let before = world.state();
    world.run(&["undo"]).fails_with(1).says(&["origin/main", "git revert"]);
    assert_eq!(world.state(), before);
}

#[test]
fn a_merge_is_refused() {
    let world = World::with_message("An answer");
    world.commit("Base", &[("file", "1\n")]);
    world.git(&["switch", "-q", "-c", "side"]);
    world.commit("Side", &[("other", "x\n")]);
    world.git(&["switch", "-q", "main"]);
    world.commit("Main", &[("file", "2\n")]);
    world.git(&["merge", "-q", "--no-commit", "side"]);
    world.run(&[]).succeeds();
    assert_eq!(world.git(&["log", "-1", "--format=%P"]).split(' ').count(), 2);
    let before = world.state();
    world.run(&["undo"]).fails_with(1).says(&["is a merge", "git revert -m 1"]);
    assert_eq!(world.state(), before);
}

#[test]
fn without_a_run_there_is_nothing_to_take_back() {
    let world = World::with_message("Change it");
    world.run(&["undo"]).fails_with(1).says(&["no run"]);
    world.write("README.md", "changed\n");
    world.run(&["--dry-run"]).succeeds();
    world.run(&["undo"]).fails_with(1).says(&["no run"]);
}

#[test]
fn a_failed_run_does_not_hide_the_last_good_one() {
    let world = committed(true);
    world.agent("cat > /dev/null; exit 1");
    world.stage("more", "x\n");
    world.run(&[]).fails_with(3);
    world.run(&["undo"]).succeeds();
    assert_eq!(world.message("HEAD"), "Files\n");
}

#[test]
fn a_locked_index_stops_it_with_nothing_moved() {
    let world = committed(false);
    std::fs::write(world.path(".git/index.lock"), "").unwrap();
    let before = world.state();
    world.run(&["undo"]).fails_with(1).says(&["index.lock"]);
    assert_eq!(world.state(), before);
    std::fs::remove_file(world.path(".git/index.lock")).unwrap();
    world.run(&["undo"]).succeeds();
}

#[test]
fn each_worktree_has_its_own_last_run() {
    let world = committed(true);
    world.git(&["worktree", "add", "-q", "../linked", "-b", "side"]);
    let linked = world.root().join("linked");
    world.run(&["undo", "-C", linked.to_str().unwrap()]).fails_with(1).says(&["no run"]);
    world.run(&["undo"]).succeeds();
    assert_eq!(world.message("side"), "Change it\n");
}

#[test]
fn a_mistake_in_the_configuration_does_not_keep_the_commits() {
    let world = committed(true);
    world.config("config_version = 3\n[generation\n");
    world.write(".stagecoach.toml", "config_version = 3\n[generation]\nfromat = 'plain'\n");
    world.run(&[]).fails_with(1).says(&["config.toml:2"]);
    let run = world.run(&["undo"]).succeeds();
    run.says(&[
        "note: ",
        "config.toml:2:12: ",
        ".stagecoach.toml:3:1: unknown key `generation.fromat`",
        "going on without it",
    ]);
    assert_eq!(world.message("HEAD"), "Files\n");
}

/// `git reset --soft` refuses likewise: the commits would come back as a part of the merge.
#[test]
fn nothing_is_taken_back_in_the_middle_of_a_merge() {
    for stage in [true, false] {
        let world = committed(stage);
        world.git(&["switch", "-q", "-c", "side", "HEAD^"]);
        world.commit("Another edit", &[("edited", "3\n")]);
        world.git(&["switch", "-q", "main"]);
        let merge = ["merge", "-q", "side"];
        assert!(!world.try_git(&merge).status.success());
        let before = world.state();
        world.run(&["undo"]).fails_with(1).says(&["a merge is in progress", "git merge --abort"]);
        assert_eq!(world.state(), before);
        world.git(&["merge", "--abort"]);
        world.run(&["undo"]).succeeds();
    }
}

#[test]
fn a_staged_run_is_not_taken_back_into_an_index_with_conflicts() {
    let world = committed(true);
    world.git(&["switch", "-q", "-c", "side", "HEAD^"]);
    world.commit("Another edit", &[("edited", "3\n")]);
    world.git(&["switch", "-q", "main"]);
    assert!(!world.try_git(&["merge", "-q", "--squash", "side"]).status.success());
    let before = world.state();
    world.run(&["undo"]).fails_with(1).says(&["edited"]);
    assert_eq!(world.state(), before);
}
