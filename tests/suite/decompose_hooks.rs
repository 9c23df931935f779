//! Hooks around every commit of a decomposition, of a plan and of a rescue; what a formatter changes in one commit is
//! found in the ones after it.

use crate::decompose::{NAME_THE_FIRST_LINE, dirty, numbered};
use crate::support::{Roles, World, records};

/// Two commits that share a file, whose lines 3 and 15 changed.
fn shared() -> World {
    let world = World::with_message("");
    world.commit("Add files", &[("shared", &numbered(&[])), ("other", "1\n")]);
    world.write("shared", numbered(&[(3, "early"), (15, "late")]));
    Roles::plan(&[("One", &["shared"]), ("Two", &["shared"])])
        .sorts(&["1", "2"])
        .message(NAME_THE_FIRST_LINE)
        .install(&world);
    world
}

/// A formatter that puts something into the shared file as it is staged, not as it lies in the working tree.
fn formats_staged(world: &World, edit: &str) {
    world.hook(
        "pre-commit",
        &format!(
            "git show :shared | sed '{edit}' > formatted || exit 1; blob=$(git hash-object -w formatted); rm formatted\n\
             git update-index --cacheinfo 100644,$blob,shared; sed -i '{edit}' shared"
        ),
    );
}

#[test]
fn every_commit_runs_all_hooks_on_its_own_tree() {
    let world = dirty();
    let (base, tree) = (world.head(), world.whole_tree());
    let log = world.root().join("log");
    let note = |what: &str| format!("echo \"{what}\" >> '{}'", log.display());
    world.hook("pre-commit", &note("pre $(git write-tree) $(git diff --cached --name-only | tr '\\n' ' ')"));
    world.hook("prepare-commit-msg", &note("prepare $2 $(head -n 1 \"$1\")"));
    world.hook("commit-msg", &note("check $(git write-tree)"));
    world.hook("post-commit", &note("post $(git log -1 --format=%T)"));
    Roles::plan(&[("One", &["a"]), ("Two", &["b", "c", "new"])]).install(&world);
    world.run(&[]).succeeds();
    let trees = world.git(&["log", "--reverse", "--format=%T", &format!("{base}..HEAD")]);
    let trees: Vec<&str> = trees.lines().collect();
    let expected = [
        format!("pre {} a ", trees[0]),
        "prepare message feat: change a".to_owned(),
        format!("check {}", trees[0]),
        format!("post {}", trees[0]),
        format!("pre {} b c new/d new/e ", trees[1]),
        "prepare message feat: change b".to_owned(),
        format!("check {}", trees[1]),
        format!("post {}", trees[1]),
    ];
    assert_eq!(std::fs::read_to_string(log).unwrap().lines().collect::<Vec<_>>(), expected);
    world.assert_whole(&tree, &base);
}

#[test]
fn what_a_formatter_changes_is_taken_over_and_merged_into_later_commits() {
    let world = shared();
    let base = world.head();
    formats_staged(&world, "s/^line 9$/LINE 9/");
    world.run(&["--commits", "2"]).succeeds();
    let line = |revision: &str, number: usize| {
        world.git(&["show", &format!("{revision}:shared")]).lines().nth(number - 1).unwrap().to_owned()
    };
    assert_eq!([line("HEAD~", 3), line("HEAD~", 9), line("HEAD~", 15)], ["early", "LINE 9", "line 15"]);
    assert_eq!([line("HEAD", 3), line("HEAD", 9), line("HEAD", 15)], ["early", "LINE 9", "late"]);
    world.assert_whole(&world.whole_tree(), &base);
    world.run(&["undo"]).succeeds();
    assert_eq!(world.head(), base);
}

#[test]
fn a_file_that_no_later_commit_touches_stays_formatted() {
    let world = dirty();
    let base = world.head();
    world.hook("pre-commit", "if git diff --cached --name-only | grep -qx a; then echo formatted > a; git add a; fi");
    Roles::plan(&[("One", &["a"]), ("Two", &["b"]), ("Three", &["c", "new"])]).install(&world);
    world.run(&[]).succeeds();
    for revision in ["HEAD~2", "HEAD~", "HEAD"] {
        assert_eq!(world.git(&["show", &format!("{revision}:a")]), "formatted", "{revision}");
    }
    assert_eq!(world.files_since(&base), [vec!["a"], vec!["b"], vec!["c", "new/d", "new/e"]]);
    world.assert_whole(&world.whole_tree(), &base);
}

#[test]
fn a_commit_whose_change_a_hook_staged_earlier_is_left_out() {
    let world = shared();
    let (base, tree) = (world.head(), world.whole_tree());
    // Stages the file as it lies there, with what was meant for the second commit.
    world.hook("pre-commit", "git add shared");
    world
        .run(&["--commits", "2"])
        .succeeds()
        .says(&["\"Two\" makes no commit: the hook pre-commit staged all of it earlier"]);
    assert_eq!(world.files_since(&base), [vec!["shared"]]);
    world.assert_whole(&tree, &base);
    let undone = world.run(&["undo"]).succeeds();
    assert_eq!(world.head(), base, "{undone:#?}");
}

#[test]
fn a_formatter_that_a_later_commit_contradicts_is_a_rescue() {
    let world = shared();
    let base = world.head();
    formats_staged(&world, "s/^line 15$/LINE 15/");
    let run = world.run(&["--commits", "2"]).fails_with(3);
    run.says(&["what the hook pre-commit changed conflicts with a later commit", "shared", "rescue commit"]);
    assert_eq!(world.head(), base);
    assert_eq!(records(&world).len(), 1);
    world.run(&["rescue", "commit", "--no-verify"]).succeeds();
    assert_eq!(world.files_since(&base).len(), 2);
    assert_eq!(world.git(&["show", "HEAD:shared"]) + "\n", numbered(&[(3, "early"), (15, "late")]));
}

#[test]
fn a_refusal_keeps_the_commits_before_it() {
    let world = dirty();
    let base = world.head();
    world.hook("pre-commit", "! git diff --cached --name-only | grep -qx b");
    Roles::plan(&[("One", &["a"]), ("Two", &["b"]), ("Three", &["c", "new"])]).install(&world);
    world.run(&[]).fails_with(3).says(&["the hook pre-commit refused"]);
    assert_eq!(world.files_since(&base), [["a"]]);
    std::fs::remove_file(world.path(".git/hooks/pre-commit")).unwrap();
    world.run(&["rescue", "commit"]).succeeds();
    assert_eq!(world.files_since(&base).len(), 3);
    assert_eq!(world.git(&["status", "--porcelain"]), "");
}

#[test]
fn a_refused_message_is_written_again_for_its_commit() {
    let world = dirty();
    let base = world.head();
    world.hook("commit-msg", "grep -q '^feat: again' \"$1\" || { echo say again; exit 1; }");
    Roles::plan(&[("One", &["a"]), ("Two", &["b", "c", "new"])])
        .message("if grep -q 'say again' \"$prompt\"; then echo \"feat: again $$\"; else echo \"feat: first $$\"; fi")
        .install(&world);
    world.run(&[]).succeeds();
    assert!(world.subjects_since(&base).iter().all(|subject| subject.starts_with("feat: again")));
    assert_eq!(world.calls_of("message"), 4);
}

#[test]
fn what_is_wrong_with_a_message_written_again_is_told() {
    let world = dirty();
    world.hook("commit-msg", "grep -q '^feat: again' \"$1\" || { echo say again; exit 1; }");
    let long = "x".repeat(101);
    Roles::plan(&[("One", &["a"]), ("Two", &["b", "c", "new"])])
        .message(&format!(
            "if grep -q 'say again' \"$prompt\"; then echo \"feat: again {long} $$\"; else echo \"feat: first $$\"; fi"
        ))
        .install(&world);
    world.run(&[]).succeeds().says(&["the message is used in spite of this: The subject has"]);
}

#[test]
fn a_dry_run_has_the_messages_checked() {
    let world = dirty();
    let before = world.state();
    world.hook("pre-commit", "exit 1");
    world.hook("commit-msg", "git diff --cached --name-only >> \"$1\"");
    Roles::plan(&[("One", &["a"]), ("Two", &["b", "c", "new"])]).install(&world);
    let run = world.run(&["--dry-run"]).succeeds();
    assert!(run.stdout.contains("feat: change a\na\n"), "{run:#?}");
    // HEAD stays where it is, so the second tree differs from it in everything.
    assert!(run.stdout.contains("feat: change b\na\nb\nc\nnew/d\nnew/e\n"), "{run:#?}");
    assert_eq!(world.state(), before);
    world.assert_tidy();
}

#[test]
fn hooks_run_for_the_commits_of_a_plan() {
    let world = dirty();
    let base = world.head();
    Roles::plan(&[("One", &["a"]), ("Two", &["b", "c", "new"])]).install(&world);
    let file = world.root().join("plan.json");
    let file = file.to_str().unwrap();
    world.run(&["plan", "-o", file]).succeeds();
    world.hook("commit-msg", "echo Checked. >> \"$1\"");
    world.hook("pre-commit", "if git diff --cached --name-only | grep -qx a; then echo formatted > a; git add a; fi");
    let shown = world.run(&["apply", file, "--dry-run"]).succeeds();
    assert!(shown.stdout.contains("feat: change a\nChecked.\n"), "{shown:#?}");
    world.run(&["apply", file]).succeeds();
    assert_eq!(world.git(&["show", "HEAD:a"]), "formatted");
    assert_eq!(world.message("HEAD"), "feat: change b\nChecked.\n");
    world.assert_whole(&world.whole_tree(), &base);
}

#[test]
fn a_rescue_runs_the_hooks_on_the_recorded_trees() {
    let world = World::with_message("");
    world.agent("cat > /dev/null; exit 9");
    world.stage("code", "x\n");
    world.run(&[]).fails_with(3);
    world.hook("pre-commit", "sed -i s/x/y/ code && git add code");
    world.hook("prepare-commit-msg", "echo Prepared. >> \"$1\"");
    world.run(&["rescue", "commit", "-m", "Do it"]).succeeds();
    assert_eq!(world.message("HEAD"), "Do it\nPrepared.\n");
    assert_eq!(world.git(&["show", "HEAD:code"]), "y");
    assert_eq!(world.git(&["status", "--porcelain"]), "");
}

#[test]
fn a_post_commit_that_moves_head_is_named_as_the_cause() {
    let world = dirty();
    let (base, tree) = (world.head(), world.whole_tree());
    Roles::plan(&[("One", &["a"]), ("Two", &["b", "c", "new"])]).install(&world);
    world.hook("post-commit", "test -e .git/amended || { : > .git/amended; git commit -q --amend -m Amended; }");
    let run = world.run(&[]).fails_with(1);
    let run = run.says(&["error: the hook post-commit of the commit before moved HEAD", "rescue commit --onto-head"]);
    assert!(!run.stderr.contains("while the message was written"), "{run:#?}");
    assert_eq!(world.subjects_since(&base), ["Amended"]);
    world.run(&["rescue", "commit", "--onto-head"]).succeeds();
    assert_eq!(world.subjects_since(&base), ["Amended", "feat: change b"]);
    world.assert_whole(&tree, &base);
}
