//! HEAD moves while the agent thinks: nothing is overwritten and nothing is lost.

use crate::support::{World, while_the_agent_thinks};

fn world() -> World {
    let world = World::with_message("");
    world.stage("a", "frozen\n");
    world
}

/// Runs the recipe that a rescue printed, as somebody would who pastes it.
fn paste(world: &World, stderr: &str) -> std::process::Output {
    let lines: Vec<&str> = stderr
        .lines()
        .map(str::trim_start)
        .skip_while(|line| !line.starts_with("commit=") && !line.starts_with("frozen="))
        .collect();
    let end = lines.iter().position(|line| !line.ends_with("&&")).unwrap();
    world.program("sh").arg("-c").arg(lines[..=end].join("\n")).output().unwrap()
}

#[test]
fn another_commit_on_the_branch_is_kept_and_the_recipe_adds_to_it() {
    let world = world();
    let run = while_the_agent_thinks(&world, &[], |world| {
        world.git(&["stash", "-q"]);
        world.commit("Somebody else", &[("b", "theirs\n")]);
    })
    .fails_with(1)
    .says(&["HEAD moved", "Write it down", "git merge-tree"]);
    assert_eq!(world.message("HEAD"), "Somebody else\n");
    let output = paste(&world, &run.stderr);
    assert!(output.status.success(), "{output:?}\n{}", run.stderr);
    assert_eq!(world.message("HEAD"), "Write it down\n");
    assert_eq!(world.message("HEAD^"), "Somebody else\n");
    assert_eq!(world.git(&["show", "HEAD:a", "HEAD:b"]), "frozen\ntheirs");
    world.git(&["fsck", "--strict"]);
}

#[test]
fn a_switched_branch_gets_nothing() {
    let world = world();
    let main = world.head();
    let run = while_the_agent_thinks(&world, &[], |world| {
        world.git(&["switch", "-q", "-c", "other"]);
    })
    .fails_with(1)
    .says(&["HEAD moved", "other", "main"]);
    assert_eq!(world.git(&["rev-parse", "main", "other"]), format!("{main}\n{main}"));
    assert_eq!(world.git(&["status", "--porcelain"]), "A  a");
    assert!(!run.stderr.contains("panicked"), "{}", run.stderr);
}

#[test]
fn the_same_tree_committed_by_somebody_else_is_success() {
    let world = world();
    let run = while_the_agent_thinks(&world, &[], |world| {
        world.git(&["commit", "-q", "-m", "I was faster"]);
    })
    .succeeds()
    .says(&["already"]);
    assert_eq!(run.stdout, "");
    assert_eq!(world.message("HEAD"), "I was faster\n");
}

#[test]
fn a_branch_born_meanwhile_is_not_overwritten() {
    let world = World::new();
    world.stage("a", "frozen\n");
    while_the_agent_thinks(&world, &[], |world| {
        let tree = world.git(&["mktree"]);
        let commit = world.git(&["commit-tree", &tree, "-m", "theirs"]);
        world.git(&["update-ref", "refs/heads/main", &commit]);
    })
    .fails_with(1)
    .says(&["HEAD moved"]);
    assert_eq!(world.message("main"), "theirs\n");
}

#[test]
fn a_merge_that_begins_or_ends_meanwhile_is_not_forgotten() {
    let world = world();
    while_the_agent_thinks(&world, &[], |world| {
        std::fs::write(world.path(".git/MERGE_HEAD"), format!("{}\n", world.git(&["rev-parse", "HEAD^"]))).unwrap();
    })
    .fails_with(1)
    .says(&["merge"]);
    assert!(world.path(".git/MERGE_HEAD").exists());
}

#[test]
fn a_locked_branch_is_a_rescue_whose_recipe_works_once() {
    let world = world();
    let lock = world.path(".git/refs/heads/main.lock");
    let run = while_the_agent_thinks(&world, &[], |_| std::fs::write(&lock, "").unwrap())
        .fails_with(3)
        .says(&["refs/heads/main"]);
    assert!(lock.exists(), "somebody else's lock was removed");
    std::fs::remove_file(lock).unwrap();
    let before = world.head();
    assert!(paste(&world, &run.stderr).status.success());
    assert_eq!(world.message("HEAD"), "Write it down\n");
    assert_eq!(world.git(&["rev-parse", "HEAD^"]), before);
    assert_eq!(world.git(&["status", "--porcelain"]), "");
    let after = world.head();
    assert!(!paste(&world, &run.stderr).status.success(), "the recipe must be a compare-and-swap");
    assert_eq!(world.head(), after);
}

#[test]
fn a_message_full_of_shell_is_only_text_in_the_recipe() {
    let world = world();
    let hostile = "Add $(touch owned) `touch owned` \"; touch owned; ' touch owned #";
    let answer = world.root().join("hostile");
    std::fs::write(&answer, hostile).unwrap();
    world.agent(&format!(
        "cat > /dev/null; : > '{}'; cat '{}'",
        world.path(".git/HEAD.lock").display(),
        answer.display()
    ));
    let run = world.run(&[]).fails_with(3);
    std::fs::remove_file(world.path(".git/HEAD.lock")).unwrap();
    assert!(paste(&world, &run.stderr).status.success(), "{}", run.stderr);
    assert_eq!(world.message("HEAD"), format!("{hostile}\n"));
    assert!(!world.path("owned").exists());
}
