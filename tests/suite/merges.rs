//! Merges are concluded with all their parents; what only another git command may go on with is refused.

use crate::support::{World, records};

/// Two branches that both changed `file`.
fn diverged() -> World {
    let world = World::with_message("never asked");
    world.agent("echo asked > \"$HOME/asked\"; echo 'An answer'");
    world.commit("Base", &[("file", "1\n")]);
    world.git(&["switch", "-q", "-c", "side"]);
    world.commit("Side", &[("file", "side\n"), ("other", "x\n")]);
    world.git(&["switch", "-q", "main"]);
    world.commit("Main", &[("file", "main\n")]);
    world
}

#[test]
fn a_conflicted_merge_is_refused_until_it_is_resolved_and_then_concluded() {
    let world = diverged();
    assert!(!world.try_git(&["merge", "side"]).status.success());
    let before = world.state();
    world.run(&[]).fails_with(1).says(&["file", "unmerged"]);
    assert_eq!(world.state(), before);
    world.stage("file", "both\n");
    let (main, side) = (world.head(), world.git(&["rev-parse", "side"]));
    world.run(&[]).succeeds();
    assert_eq!(world.git(&["log", "-1", "--format=%P"]), format!("{main} {side}"));
    assert_eq!(world.message("HEAD"), "Merge branch 'side'\n");
    assert!(!world.home("asked").exists(), "an agent was asked for a message that git had prepared");
    for file in ["MERGE_HEAD", "MERGE_MSG", "MERGE_MODE"] {
        assert!(!world.path(&format!(".git/{file}")).exists(), "{file} is left");
    }
    let log = world.read(".git/logs/HEAD");
    assert!(log.ends_with("\tcommit (merge): Merge branch 'side'\n"), "{log}");
    assert_eq!(world.git(&["status", "--porcelain"]), "");
}

#[test]
fn the_rescue_of_a_merge_waits_for_that_merge() {
    let world = diverged();
    let merge = || {
        assert!(!world.try_git(&["merge", "side"]).status.success());
        world.stage("file", "both\n");
    };
    merge();
    world.hook("commit-msg", "exit 1");
    world.run(&[]).fails_with(3);
    world.hook("commit-msg", "");
    world.git(&["merge", "--abort"]);
    let before = world.state();
    world.run(&["rescue", "commit"]).fails_with(1).says(&["not in progress any more", "merge again"]);
    assert_eq!(world.state(), before);
    merge();
    world.run(&["rescue", "commit"]).succeeds();
    assert_eq!(world.git(&["log", "-1", "--format=%P"]).split(' ').count(), 2);
    assert_eq!(world.git(&["status", "--porcelain"]), "");
}

/// What we make of the prepared message is what `git commit` makes of it in an editor that changes nothing; but for
/// `auto`, where git 2.47 takes its own list of conflicts for text.
#[test]
fn comments_of_the_prepared_message_begin_as_git_is_configured() {
    for (key, value, cleanup) in [
        ("core.commentChar", ";", "strip"),
        ("core.commentString", "//", "strip"),
        ("core.commentChar", "auto", "strip"),
        ("core.commentChar", "#", "scissors"),
    ] {
        let concluded = |conclude: &dyn Fn(&World)| {
            let world = diverged();
            world.git(&["config", key, value]);
            world.git(&["config", "commit.cleanup", cleanup]);
            assert!(!world.try_git(&["merge", "-m", "Merge it\n\nText of it.", "side"]).status.success());
            assert!(world.read(".git/MERGE_MSG").contains("Conflicts:"));
            world.stage("file", "both\n");
            conclude(&world);
            world.message("HEAD")
        };
        let ours = concluded(&|world| drop(world.run(&[]).succeeds()));
        assert_eq!(ours, "Merge it\n\nText of it.\n", "{key} {value} {cleanup}");
        if value != "auto" {
            assert_eq!(
                ours,
                concluded(&|world| drop(world.git(&["-c", "core.editor=:", "commit", "-q"]))),
                "{key} {value}"
            );
        }
    }
}

#[test]
fn what_only_shows_a_merge_leaves_nothing_to_rescue() {
    let world = diverged();
    world.try_git(&["merge", "side"]);
    world.stage("file", "both\n");
    let before = (world.state(), world.git(&["for-each-ref"]));
    for option in ["--dry-run", "--show-prompt"] {
        world.run(&[option]).succeeds();
        assert_eq!((world.state(), world.git(&["for-each-ref"])), before, "{option}");
        assert_eq!(records(&world), Vec::<std::path::PathBuf>::new(), "{option}");
    }
    world.run(&["rescue"]).succeeds().says(&["nothing"]);
}

#[test]
fn a_demanded_body_is_added_to_the_prepared_message() {
    let world = diverged();
    world.git(&["switch", "-q", "-c", "third", "HEAD^"]);
    world.commit("Third", &[("third", "x\n")]);
    world.git(&["merge", "-q", "--no-commit", "side"]);
    world.agent_says("Take side over\n\nIts change is needed here.");
    world.run(&["--format", "auto+body", "-s"]).succeeds();
    assert_eq!(
        world.message("HEAD"),
        "Merge branch 'side' into third\n\nIts change is needed here.\n\nSigned-off-by: A U Thor <author@example.com>\n"
    );
}

#[test]
fn a_prepared_message_takes_trailers_and_needs_no_agent() {
    let world = diverged();
    world.git(&["merge", "-q", "-s", "ours", "--no-commit", "side"]);
    world.config("config_version = 3\n[defaults]\nprovider = \"claude\"\n");
    world.run(&["--trailer", "Reviewed-by: R <r@example.com>"]).succeeds();
    assert_eq!(world.message("HEAD"), "Merge branch 'side'\n\nReviewed-by: R <r@example.com>\n");
}

#[test]
fn a_merge_whose_tree_is_heads_is_concluded_too() {
    let world = diverged();
    world.git(&["merge", "-q", "-s", "ours", "--no-commit", "side"]);
    world.run(&[]).succeeds();
    assert_eq!(world.git(&["rev-parse", "HEAD^{tree}"]), world.git(&["rev-parse", "HEAD^^{tree}"]));
    assert_eq!(world.git(&["rev-list", "--count", "--merges", "HEAD"]), "1");
}

#[test]
fn an_octopus_has_all_its_parents() {
    let world = diverged();
    world.git(&["switch", "-q", "-c", "third", "HEAD^"]);
    world.commit("Third", &[("third", "x\n")]);
    world.git(&["switch", "-q", "main"]);
    world.git(&["reset", "-q", "--hard", "HEAD^"]);
    world.commit("Own", &[("own", "x\n")]);
    world.git(&["merge", "-q", "--no-commit", "side", "third"]);
    world.run(&[]).succeeds();
    assert_eq!(world.git(&["log", "-1", "--format=%P"]).split(' ').count(), 3);
}

#[test]
fn an_autostash_comes_back() {
    let world = diverged();
    world.git(&["reset", "-q", "--hard", "HEAD^"]);
    world.commit("Own", &[("own", "x\n")]);
    world.write("own", "in progress\n");
    world.git(&["merge", "-q", "--no-commit", "--autostash", "side"]);
    world.run(&[]).succeeds();
    assert_eq!(world.read("own"), "in progress\n");
    assert!(!world.path(".git/MERGE_AUTOSTASH").exists());
    assert_eq!(world.git(&["stash", "list"]), "");
}

#[test]
fn a_squash_is_an_ordinary_commit_with_the_prepared_text_as_context() {
    let world = diverged();
    world.git(&["reset", "-q", "--hard", "HEAD^"]);
    world.agent_says("Take over the side branch");
    world.git(&["merge", "-q", "--squash", "side"]);
    world.run(&[]).succeeds();
    assert!(world.prompt().contains("Squashed commit of the following"), "{}", world.prompt());
    assert_eq!(world.git(&["log", "-1", "--format=%P"]).split(' ').count(), 1);
    assert!(!world.path(".git/SQUASH_MSG").exists());
}

#[test]
fn operations_that_keep_authorship_are_left_to_git() {
    let cases: [(&[&str], &str); 3] = [
        (&["cherry-pick", "side"], "git cherry-pick --continue"),
        (&["revert", "--no-edit", "HEAD~1"], "git revert --continue"),
        (&["rebase", "side"], "git rebase --continue"),
    ];
    for (command, advice) in cases {
        let world = diverged();
        assert!(!world.try_git(command).status.success(), "{command:?} was to conflict");
        world.stage("file", "resolved\n");
        let before = world.state();
        world.run(&[]).fails_with(1).says(&[advice]);
        assert_eq!(world.state(), before, "{command:?}");
    }
}

#[test]
fn a_rebase_stopped_at_edit_takes_commits() {
    let mut world = diverged();
    world.agent_says("Add in between");
    world.set("GIT_SEQUENCE_EDITOR", "sed -i -e 's/^pick/edit/'");
    world.git(&["rebase", "-q", "-i", "HEAD~1"]);
    world.stage("between", "x\n");
    world.run(&[]).succeeds();
    world.git(&["rebase", "--continue"]);
    assert_eq!(world.git(&["log", "--format=%s", "-2", "main"]), "Add in between\nMain");
}

#[test]
fn a_bisect_takes_commits_like_any_detached_head() {
    let world = World::with_message("Try a fix");
    world.git(&["bisect", "start", "HEAD", "HEAD^"]);
    world.stage("fix", "x\n");
    world.run(&[]).succeeds();
    assert_eq!(world.message("HEAD"), "Try a fix\n");
}

/// What git's own commands leave for the next commit, and what is left of that after it.
fn leaves(commit: impl Fn(&World), before: impl Fn(&World)) -> Vec<String> {
    let world = diverged();
    world.git(&["config", "rerere.enabled", "true"]);
    before(&world);
    commit(&world);
    let mut left: Vec<String> = ["MERGE_HEAD", "MERGE_MSG", "MERGE_MODE", "SQUASH_MSG", "AUTO_MERGE"]
        .into_iter()
        .filter(|name| world.path(&format!(".git/{name}")).exists())
        .map(str::to_owned)
        .collect();
    // Resolutions that wait to be recorded.
    left.extend(std::fs::read_to_string(world.path(".git/MERGE_RR")).ok().filter(|text| !text.is_empty()));
    left
}

#[test]
fn what_a_commit_concludes_is_cleared_up_as_git_commit_does() {
    let picked = |world: &World| {
        assert!(!world.try_git(&["cherry-pick", "-n", "side"]).status.success());
        assert!(world.path(".git/MERGE_MSG").exists() && world.path(".git/AUTO_MERGE").exists());
        world.stage("file", "both\n");
    };
    let applied = |world: &World| {
        world.git(&["cherry-pick", "-n", "-X", "theirs", "side"]);
        assert!(world.path(".git/MERGE_MSG").exists());
    };
    let popped = |world: &World| {
        world.write("file", "stashed\n");
        world.git(&["stash", "-q"]);
        world.commit("Other", &[("file", "other\n")]);
        assert!(!world.try_git(&["stash", "pop"]).status.success());
        assert!(world.path(".git/AUTO_MERGE").exists());
        world.stage("file", "both\n");
    };
    let ours = |world: &World| drop(world.run(&[]).succeeds());
    let gits = |world: &World| drop(world.git(&["commit", "-q", "-m", "An answer"]));
    for before in [&picked as &dyn Fn(&World), &applied, &popped] {
        assert_eq!(leaves(ours, before), leaves(gits, before));
    }
}
