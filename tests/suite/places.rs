//! Wherever it is started, it commits to the repository that git would.

use crate::support::{Run, World};

#[test]
fn a_subfolder_commits_the_whole_index() {
    let world = World::with_message("Add two");
    world.stage("top", "x\n");
    world.stage("deep/er/file", "x\n");
    let mut command = world.stagecoach(&[]);
    let run = Run::of(command.current_dir(world.path("deep/er")).output().unwrap()).succeeds();
    assert!(run.stdout.ends_with("A\tdeep/er/file\nA\ttop\n"), "{}", run.stdout);
}

#[test]
fn a_subfolder_freezes_the_whole_working_tree() {
    let world = World::with_message("Add two");
    world.write("top", "x\n");
    world.write("deep/er/file", "x\n");
    let mut command = world.stagecoach(&[]);
    Run::of(command.current_dir(world.path("deep/er")).output().unwrap()).succeeds();
    assert_eq!(world.git(&["status", "--porcelain"]), "");
}

#[test]
fn dash_c_is_as_if_started_there() {
    let world = World::with_message("From afar");
    world.stage("a", "x\n");
    let mut command = world.stagecoach(&["-C", world.repository().to_str().unwrap()]);
    Run::of(command.current_dir("/").output().unwrap()).succeeds();
    assert_eq!(world.message("HEAD"), "From afar\n");
    world.run(&["-C", "/nonexistent"]).fails_with(1).says(&["/nonexistent"]);
}

#[test]
fn a_namespace_in_the_environment_changes_nothing() {
    let mut world = World::with_message("Beyond namespaces");
    world.set("GIT_NAMESPACE", "elsewhere");
    world.stage("a", "x\n");
    world.run(&[]).succeeds();
    assert_eq!(world.message("HEAD"), "Beyond namespaces\n");
    assert_eq!(world.git(&["for-each-ref", "refs/namespaces"]), "");
}

#[test]
fn a_linked_worktree_moves_its_own_branch() {
    let world = World::with_message("In the worktree");
    world.git(&["worktree", "add", "-q", "../linked"]);
    let linked = world.root().join("linked");
    std::fs::write(linked.join("a"), "x\n").unwrap();
    let main = world.head();
    let mut command = world.stagecoach(&[]);
    Run::of(command.current_dir(&linked).output().unwrap()).succeeds();
    assert_eq!(world.head(), main);
    assert_eq!(world.message("linked"), "In the worktree\n");
    assert_eq!(world.git(&["-C", linked.to_str().unwrap(), "status", "--porcelain"]), "");
    let log = world.read(".git/worktrees/linked/logs/HEAD");
    assert!(log.ends_with("\tcommit: In the worktree\n"), "{log}");
}

#[test]
fn a_submodule_is_a_repository_of_its_own() {
    let world = World::with_message("Inside");
    let inner = World::with_message("x");
    world.git(&[
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "add",
        "-q",
        inner.repository().to_str().unwrap(),
        "sub",
    ]);
    world.git(&["commit", "-q", "-m", "Add the submodule"]);
    let outer = world.head();
    world.write("sub/a", "x\n");
    let mut command = world.stagecoach(&[]);
    Run::of(command.current_dir(world.path("sub")).output().unwrap()).succeeds();
    assert_eq!(world.head(), outer);
    assert_eq!(world.git(&["-C", "sub", "log", "-1", "--format=%s"]), "Inside");
    // Outside, the new commit of the submodule is a change like any other.
    world.agent_says("Follow the submodule");
    world.run(&[]).succeeds();
    assert_eq!(world.git(&["status", "--porcelain"]), "");
}

#[test]
fn git_dir_and_work_tree_from_the_environment_are_honoured() {
    let mut world = World::with_message("By environment");
    std::fs::rename(world.path(".git"), world.root().join("elsewhere.git")).unwrap();
    let git_dir = world.root().join("elsewhere.git");
    world.set("GIT_DIR", git_dir.to_str().unwrap());
    world.set("GIT_WORK_TREE", world.repository().to_str().unwrap().to_owned().as_str());
    world.write("a", "x\n");
    world.run(&[]).succeeds();
    assert_eq!(world.message("HEAD"), "By environment\n");
    assert_eq!(world.git(&["status", "--porcelain"]), "");

    // Without GIT_WORK_TREE the current folder is the working tree.
    world.unset("GIT_WORK_TREE");
    world.write("b", "x\n");
    world.agent_says("From here");
    world.run(&[]).succeeds();
    assert_eq!(world.git(&["show", "--name-only", "--format=%s", "HEAD"]), "From here\n\nb");
}

#[test]
fn a_relative_work_tree_is_the_one_that_git_takes() {
    let mut world = World::with_message("From here");
    world.set("GIT_WORK_TREE", ".");
    world.write("sub/a", "x\n");
    world.write(".env", "KEY=1\n");
    world.run(&["--single"]).succeeds();
    assert_eq!(world.git(&["show", "--name-only", "--format=%s", "HEAD"]), "From here\n\nsub/a");

    world.enter("sub");
    world.set("GIT_WORK_TREE", "..").set("GIT_DIR", "../.git");
    world.write("b", "x\n");
    world.agent_says("From below");
    world.run(&["--single"]).succeeds();
    assert_eq!(world.git(&["show", "--name-only", "--format=%s", "HEAD"]), "From below\n\nsub/b");
    assert_eq!(world.git(&["status", "--porcelain"]), "?? .env");

    // Where there is no such folder as seen from the git folder.
    world.enter("..");
    world.set("GIT_WORK_TREE", "sub").set("GIT_DIR", "sub.git");
    world.git(&["init", "-q"]);
    world.agent_says("From above");
    world.run(&["--single"]).succeeds();
    assert_eq!(world.git(&["show", "--name-only", "--format=%s", "HEAD"]), "From above\n\na\nb");

    world.set("GIT_WORK_TREE", "nowhere");
    let run = world.run(&["--single"]).fails_with(1);
    assert!(run.stderr.starts_with("error: there is no work tree to commit from\n"), "{}", run.stderr);
}

#[test]
fn an_index_from_the_environment_is_the_one_that_counts() {
    let mut world = World::with_message("Other index");
    let other = world.root().join("other-index");
    world.set("GIT_INDEX_FILE", other.to_str().unwrap());
    world.git(&["read-tree", "HEAD"]);
    world.stage("a", "x\n");
    world.run(&[]).succeeds();
    assert_eq!(world.git(&["show", "HEAD:a"]), "x");
}

#[test]
fn a_relative_index_is_found_from_the_top_as_git_finds_it() {
    let mut world = World::with_message("Other index");
    world.commit("Add a folder", &[("sub/g", "x\n")]);
    std::fs::copy(world.path(".git/index"), world.path(".git/other")).unwrap();
    world.set("GIT_INDEX_FILE", ".git/other");
    world.stage("README.md", "changed\n");
    let mut command = world.stagecoach(&[]);
    let run = Run::of(command.current_dir(world.path("sub")).output().unwrap()).succeeds();
    assert!(run.stdout.ends_with("\nM\tREADME.md\n"), "{}", run.stdout);
}

#[test]
fn an_agent_sees_an_empty_folder_and_no_git_variables() {
    let mut world = World::with_message("");
    world.set("GIT_INDEX_FILE", world.path(".git/index").to_str().unwrap().to_owned().as_str());
    let out = world.home("seen");
    world.agent(&format!("cat > /dev/null; {{ ls -A; env; }} > '{}'; echo 'Look around'", out.display()));
    world.stage("a", "x\n");
    world.run(&[]).succeeds();
    let seen = std::fs::read_to_string(out).unwrap();
    assert!(!seen.contains("GIT_INDEX_FILE") && !seen.contains("README.md"), "{seen}");
    assert!(seen.contains("STAGECOACH=1\n") && seen.contains("STAGECOACH_ROLE=message\n"), "{seen}");
    assert!(!seen.contains(&format!("PWD={}", world.repository().display())), "{seen}");
}

#[test]
fn an_empty_name_of_the_temporary_folder_is_none() {
    let mut world = World::with_message("Add it");
    world.set("TMPDIR", "");
    world.stage("a", "a\n");
    world.run(&[]).succeeds();
    assert_eq!(world.message("HEAD"), "Add it\n");
    assert_eq!(world.git(&["status", "--porcelain", "--ignored"]), "");
    world.assert_tidy();
}

#[test]
fn a_temporary_folder_that_cannot_be_is_told_with_the_reason() {
    let mut world = World::with_message("Add it");
    let file = world.root().join("file");
    std::fs::write(&file, "").unwrap();
    world.set("TMPDIR", file.to_str().unwrap());
    world.stage("a", "a\n");
    world.run(&[]).fails_with(3).says(&["no temporary folder can be made in", "Not a directory", "check TMPDIR"]);
}

#[test]
fn outside_a_repository_it_says_so() {
    let world = World::new();
    let mut command = world.stagecoach(&[]);
    Run::of(command.current_dir(world.root()).output().unwrap())
        .fails_with(1)
        .says(&["not a git repository", "git init"]);
}

#[test]
fn a_bare_repository_has_nothing_to_commit_from() {
    let world = World::new();
    world.git(&["init", "-q", "--bare", "../bare.git"]);
    let mut command = world.stagecoach(&[]);
    Run::of(command.current_dir(world.root().join("bare.git")).output().unwrap()).fails_with(1).says(&["work tree"]);
}

#[test]
fn a_hook_that_git_would_not_run_is_no_reason_to_refuse() {
    let world = World::with_message("Go on");
    std::fs::create_dir_all(world.path(".git/hooks")).unwrap();
    std::fs::write(world.path(".git/hooks/pre-commit"), "#!/bin/sh\nexit 1\n").unwrap();
    world.stage("a", "x\n");
    world.run(&[]).succeeds();
}

#[test]
fn nobody_to_commit_as_is_gits_own_error_before_any_agent_runs() {
    let mut world = World::with_message("");
    world.agent("touch \"$HOME/asked\"; echo no");
    world.stage("a", "x\n");
    std::fs::write(world.home("gitconfig"), "[user]\n\tuseConfigOnly = true\n").unwrap();
    world.set("LC_ALL", "C");
    let before = world.state();
    world.run(&[]).fails_with(1).says(&["auto-detection is disabled"]);
    assert!(!world.home("asked").exists());
    assert_eq!(world.state(), before);
}
