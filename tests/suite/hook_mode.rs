//! The `prepare-commit-msg` hook: `git commit` itself runs it, in every way there is to commit.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use crate::support::{Run, World};

/// An agent that answers `Add a`, our hook installed, and an editor that keeps what it is given and changes nothing.
fn hooked() -> World {
    hooked_with("Add a", &[])
}

fn hooked_with(message: &str, options: &[&str]) -> World {
    let mut world = World::with_message(message);
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_stagecoach"), world.root().join("bin/stagecoach")).unwrap();
    let editor = world.script("editor", &format!("cat \"$1\" > '{}'", world.root().join("given").display()));
    world.set("GIT_EDITOR", &editor);
    world.run(&[&["hook", "install"], options].concat()).succeeds();
    world
}

fn given(world: &World) -> String {
    std::fs::read_to_string(world.root().join("given")).unwrap()
}

fn commit(world: &World, arguments: &[&str]) -> Run {
    Run::of(world.program("git").arg("commit").args(arguments).output().unwrap())
}

/// Whether the agent was asked since the last look.
fn was_asked(world: &World) -> bool {
    std::fs::remove_file(world.root().join("prompt")).is_ok()
}

#[track_caller]
fn assert_left_alone(world: &World, arguments: &[&str]) {
    let output = world.try_git(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    assert!(!was_asked(world), "{arguments:?} asked an agent");
}

#[test]
fn a_commit_gets_its_message_above_the_block_of_git() {
    let world = hooked_with("Add a\n\n#12 wanted it.", &[]);
    world.stage("a", "x\n");
    world.write("b", "not staged\n");
    let run = commit(&world, &[]).succeeds();
    assert_eq!(world.message("HEAD"), "Add a\n\n #12 wanted it.\n");
    let given = given(&world);
    assert!(given.starts_with("Add a\n\n #12 wanted it.\n\n# Please enter the commit message"), "{given}");
    assert!(given.contains("# On branch main\n"), "{given}");
    assert!(world.prompt().contains("+x") && !world.prompt().contains("not staged"));
    assert_eq!(run.stderr, "");
    world.assert_tidy();
}

#[test]
fn the_index_is_the_one_that_git_commits() {
    let world = hooked();
    world.write("README.md", "changed\n");
    world.stage("staged", "staged\n");
    commit(&world, &["-a"]).succeeds();
    assert!(world.prompt().contains("+changed") && world.prompt().contains("+staged"));

    world.agent_says("Change the readme");
    world.write("README.md", "again\n");
    world.stage("staged", "more\n");
    commit(&world, &["--", "README.md"]).succeeds();
    assert!(world.prompt().contains("+again") && !world.prompt().contains("+more"));
    assert_eq!(world.git(&["diff", "--cached", "--name-only"]), "staged");

    world.agent_says("Add a file below");
    world.write("folder/file", "deep\n");
    world.git(&["add", "-N", "folder/file"]);
    let below = world.program("git").args(["commit", "-o", "file"]).current_dir(world.path("folder")).output().unwrap();
    Run::of(below).succeeds();
    assert!(world.prompt().contains("+deep") && !world.prompt().contains("+more"));
}

#[test]
fn a_working_tree_that_is_named_on_the_command_line_is_the_one() {
    let world = hooked();
    world.stage("a", "x\n");
    world.write("folder/file", "deep\n");
    for arguments in [&["--work-tree=."][..], &["--git-dir=.git", "--work-tree=."]] {
        // git says GIT_WORK_TREE=. to its hooks, wherever it was started.
        let mut git = world.program("git");
        Run::of(git.args(arguments).args(["commit", "--allow-empty"]).output().unwrap()).succeeds();
        let prompt = world.prompt();
        assert!(prompt.contains("+x") && !prompt.contains("README.md"), "{prompt}");
        assert!(was_asked(&world));
        world.git(&["reset", "-q", "--soft", "HEAD~1"]);
    }
}

#[test]
fn the_first_commit_and_a_detached_head_are_served() {
    let world = hooked();
    world.git(&["checkout", "-q", "--orphan", "fresh"]);
    commit(&world, &[]).succeeds();
    assert_eq!(world.message("HEAD"), "Add a\n");
    world.git(&["checkout", "-q", "--detach"]);
    world.agent_says("Add b");
    world.stage("b", "x\n");
    commit(&world, &["--no-edit"]).succeeds();
    assert_eq!(world.message("HEAD"), "Add b\n");
}

#[test]
fn words_that_are_there_already_stay() {
    let world = hooked();
    let file = world.root().join("message");
    std::fs::write(&file, "From a file\n").unwrap();
    let file = file.to_str().unwrap();
    world.stage("a", "1\n");
    assert_left_alone(&world, &["commit", "-m", "By hand"]);
    assert_eq!(world.message("HEAD"), "By hand\n");
    for (content, arguments) in [
        ("2\n", &["commit", "-F", file][..]),
        ("3\n", &["commit", "--amend"]),
        ("4\n", &["commit", "--amend", "--no-edit"]),
        ("5\n", &["commit", "-C", "HEAD"]),
        ("6\n", &["commit", "-c", "HEAD"]),
        ("7\n", &["commit", "--fixup", "HEAD"]),
        ("8\n", &["commit", "--squash", "HEAD", "-m", "more"]),
        ("9\n", &["commit", "-m", "By hand", "--edit"]),
        ("10\n", &["commit", "-t", file, "--no-edit"]),
    ] {
        world.stage("a", content);
        // Of a template, git wants to see that it was edited.
        let output = world.try_git(arguments);
        assert!(!was_asked(&world), "{arguments:?} asked an agent");
        assert!(output.status.success() || arguments.contains(&"-t"), "{arguments:?}: {output:?}");
    }
}

#[test]
fn nothing_staged_is_nothing_to_write_about() {
    let world = hooked();
    let run = commit(&world, &["--allow-empty"]);
    assert!(!was_asked(&world));
    assert!(run.stderr.contains("empty commit message"), "{run:?}");
}

#[test]
fn merges_squashes_picks_reverts_and_rebases_keep_their_messages() {
    let world = hooked();
    world.git(&["checkout", "-q", "-b", "side"]);
    for number in 1..=5 {
        world.commit(&format!("Side {number}"), &[(&format!("s{number}"), "x\n")]);
    }
    world.git(&["checkout", "-q", "main"]);
    world.commit("Main", &[("m", "x\n")]);
    assert!(!was_asked(&world));
    assert_left_alone(&world, &["cherry-pick", "side~1"]);
    assert_left_alone(&world, &["cherry-pick", "--edit", "side"]);
    assert_eq!(world.message("HEAD"), "Side 5\n");
    assert_left_alone(&world, &["revert", "--no-edit", "HEAD"]);
    assert_left_alone(&world, &["revert", "--edit", "HEAD~2"]);
    assert_left_alone(&world, &["merge", "--no-ff", "--edit", "side~3"]);
    assert!(world.message("HEAD").starts_with("Merge branch 'side'"), "{}", world.message("HEAD"));
    assert_left_alone(&world, &["merge", "--squash", "-q", "side~2"]);
    assert_left_alone(&world, &["commit"]);
    assert!(world.message("HEAD").starts_with("Squashed commit of"), "{}", world.message("HEAD"));
    // A configuration that does not parse would be told of, if anybody read it.
    world.config("this is no configuration");
    world.git(&["checkout", "-q", "side"]);
    for todo in ["cat", "sed -i s/^pick/reword/"] {
        let before = world.git(&["log", "--format=%s"]);
        let mut rebase = world.program("git");
        rebase.args(["rebase", "--interactive", "--force-rebase", "side~4"]).env("GIT_SEQUENCE_EDITOR", todo);
        let rebased = Run::of(rebase.output().unwrap()).succeeds();
        assert!(!rebased.stderr.contains("stagecoach"), "{rebased:?}");
        assert_eq!(world.git(&["log", "--format=%s"]), before, "{todo}");
    }
}

#[test]
fn while_something_is_under_way_nothing_is_written() {
    let world = hooked();
    for (name, is_folder) in [
        ("rebase-merge", true),
        ("rebase-apply", true),
        ("sequencer", true),
        ("MERGE_HEAD", false),
        ("CHERRY_PICK_HEAD", false),
        ("REVERT_HEAD", false),
    ] {
        let path = world.path(".git").join(name);
        if is_folder {
            std::fs::create_dir(&path).unwrap()
        } else {
            std::fs::write(&path, world.head()).unwrap()
        }
        world.stage("a", name);
        world.write(".git/MESSAGE", "\n# On branch main\n");
        let run = world.run(&["hook", "exec", "--strict", ".git/MESSAGE"]).succeeds();
        assert_eq!((run.stderr.as_str(), world.read(".git/MESSAGE").as_str()), ("", "\n# On branch main\n"), "{name}");
        assert!(!was_asked(&world), "{name}");
        if is_folder { std::fs::remove_dir(&path).unwrap() } else { std::fs::remove_file(&path).unwrap() }
    }
    world.run(&["hook", "exec", "--strict", ".git/MESSAGE"]).succeeds();
    assert_eq!(world.read(".git/MESSAGE"), "Add a\n\n# On branch main\n");
}

#[test]
fn a_template_of_comments_is_no_message_and_one_with_words_is() {
    let world = hooked();
    let template = world.root().join("template");
    world.git(&["config", "commit.template", template.to_str().unwrap()]);
    std::fs::write(&template, "# Say why, not what.\n").unwrap();
    world.stage("a", "x\n");
    commit(&world, &[]).succeeds();
    assert!(given(&world).starts_with("Add a\n\n# Say why, not what.\n"), "{}", given(&world));
    assert_eq!(world.message("HEAD"), "Add a\n");
    assert!(was_asked(&world));

    std::fs::write(&template, "Ticket:\n").unwrap();
    world.stage("a", "y\n");
    commit(&world, &[]);
    assert!(!was_asked(&world));
    assert!(given(&world).starts_with("Ticket:\n"), "{}", given(&world));
}

#[test]
fn sign_offs_and_the_verbose_diff_are_no_message() {
    let world = hooked();
    world.stage("a", "x\n");
    commit(&world, &["-s", "-v"]).succeeds();
    assert_eq!(world.message("HEAD"), "Add a\n\nSigned-off-by: A U Thor <author@example.com>\n");
    assert!(given(&world).contains("\n+x\n"));
}

#[test]
fn comments_begin_as_git_is_configured() {
    for (key, value, kept) in [
        ("core.commentChar", ";", "#12\n ;x\n"),
        ("core.commentChar", "auto", " #12\n;x\n"),
        ("core.commentString", "//", "#12\n;x\n"),
        ("commit.cleanup", "scissors", "#12\n;x\n"),
        ("commit.status", "false", " #12\n;x\n"),
    ] {
        let world = hooked_with("Add a\n\nfor\n#12\n;x", &[]);
        world.git(&["config", key, value]);
        for options in [&[][..], &["-v"]] {
            world.stage("a", format!("{options:?}"));
            commit(&world, &[&["-q"], options].concat()).succeeds();
            assert_eq!(world.message("HEAD"), format!("Add a\n\nfor\n{kept}"), "{key} {value} {options:?}");
            world.git(&["reset", "-q", "--soft", "HEAD~"]);
        }
    }
}

#[test]
fn a_failure_changes_nothing_and_stops_no_commit() {
    let mut world = hooked();
    world.agent("cat > /dev/null; echo 'Not logged in' >&2; exit 1");
    let before = "\n# caf\u{e9} \n#\n";
    world.write(".git/MESSAGE", before);
    world.stage("a", "x\n");
    let run = world.run(&["hook", "exec", ".git/MESSAGE"]).succeeds();
    assert_eq!(run.stderr.lines().count(), 1, "{run:?}");
    let run = run.says(&["warning: stagecoach wrote no message: ", "not logged in", "log in"]);
    assert_eq!((run.stdout.as_str(), world.read(".git/MESSAGE").as_str()), ("", before));
    world.run(&["hook", "exec", "--strict", ".git/MESSAGE"]).fails_with(1).says(&["error: ", "hint: "]);
    assert_eq!(world.read(".git/MESSAGE"), before);

    let type_it = world.script("typing", "echo 'Typed' > \"$1\"");
    world.set("GIT_EDITOR", &type_it);
    let run = commit(&world, &[]).succeeds();
    assert_eq!((world.message("HEAD").as_str(), run.stderr.lines().count()), ("Typed\n", 1), "{run:?}");

    // The same of a configuration that is wrong, and of an agent that is not there.
    for config in ["nonsense", "config_version = 3\n[defaults]\nprovider = \"codex\"\n"] {
        world.config(config);
        let run = world.run(&["hook", "exec", ".git/MESSAGE"]).succeeds();
        assert_eq!(run.stderr, "", "nothing is staged, so nobody looks");
        world.stage("a", config);
        let run = world.run(&["hook", "exec", ".git/MESSAGE"]).succeeds();
        assert_eq!(run.stderr.lines().count(), 1, "{run:?}");
        assert_eq!(world.read(".git/MESSAGE"), before);
        world.git(&["reset", "-q", "--hard"]);
    }
    world.assert_tidy();
}

#[test]
fn a_strict_hook_stops_the_commit() {
    let world = hooked_with("Add a", &["--strict"]);
    world.stage("a", "x\n");
    commit(&world, &[]).succeeds();
    world.agent("exit 7");
    world.stage("a", "y\n");
    let head = world.head();
    commit(&world, &[]).fails_with(1).says(&["error: fake failed"]);
    assert_eq!(world.head(), head);
}

#[test]
fn all_calls_together_take_no_longer_than_one_may() {
    let world = hooked();
    // Each answer is empty, which is asked for again, and comes after more than half of the time.
    let count = world.root().join("count");
    world.agent(&format!("cat > /dev/null; echo x >> '{}'; sleep 1.2", count.display()));
    world.write(".git/MESSAGE", "");
    world.stage("a", "x\n");
    let mut command = world.stagecoach(&["hook", "exec", "--strict", ".git/MESSAGE"]);
    let run = Run::of(command.env("STAGECOACH_MESSAGE_TIMEOUT", "2s").output().unwrap());
    run.fails_with(1).says(&["did not answer within 2 s"]);
    assert_eq!(world.read(".git/MESSAGE"), "");
}

#[test]
fn commits_of_stagecoach_and_of_its_agents_are_left_alone() {
    for variable in ["STAGECOACH_IN_HOOK", "STAGECOACH_ROLE"] {
        let mut world = hooked();
        world.set(variable, "1");
        world.stage("a", "x\n");
        assert!(commit(&world, &[]).stderr.contains("empty commit message"));
        assert!(!was_asked(&world), "{variable}");
    }
}

#[test]
fn without_stagecoach_on_the_path_the_hook_does_nothing() {
    let world = hooked_with("Add a", &["--strict"]);
    std::fs::remove_file(world.root().join("bin/stagecoach")).unwrap();
    world.stage("a", "x\n");
    let run = commit(&world, &["--no-edit"]);
    assert!(run.stderr.contains("empty commit message") && !run.stderr.contains("stagecoach"), "{run:?}");
    world.run(&["hook", "install"]).succeeds().says(&["stagecoach is not on PATH"]);
}

#[test]
fn the_message_is_in_the_encoding_of_commits() {
    let world = hooked_with("Add caf\u{e9}", &[]);
    world.git(&["config", "i18n.commitEncoding", "ISO-8859-1"]);
    world.write(".git/MESSAGE", b"\n# On branch caf\xe9\n");
    world.stage("a", "x\n");
    world.run(&["hook", "exec", ".git/MESSAGE"]).succeeds();
    let message = std::fs::read(world.path(".git/MESSAGE")).unwrap();
    assert_eq!(message.escape_ascii().to_string(), "Add caf\\xe9\\n\\n# On branch caf\\xe9\\n");
    commit(&world, &["-q", "--no-edit"]).succeeds();
    assert_eq!(world.git(&["log", "-1", "--format=%s", "--encoding=UTF-8"]), "Add caf\u{e9}");
}

#[test]
fn letters_that_the_encoding_lacks_are_not_written() {
    let world = hooked_with("Add \u{20ac}", &[]);
    world.git(&["config", "i18n.commitEncoding", "ISO-8859-1"]);
    world.write(".git/MESSAGE", "");
    world.stage("a", "x\n");
    world.run(&["hook", "exec", ".git/MESSAGE"]).succeeds().says(&["ISO-8859-1"]);
    assert_eq!(world.read(".git/MESSAGE"), "");
}

// ---- install, status, uninstall

fn hook_file(world: &World) -> PathBuf {
    world.path(".git/hooks/prepare-commit-msg")
}

#[track_caller]
fn assert_status(world: &World, status: &str) {
    assert_eq!(world.run(&["hook", "status"]).succeeds().stdout, format!("{status}\n"));
}

#[test]
fn the_hook_comes_is_renewed_and_goes() {
    let world = World::new();
    std::fs::remove_dir_all(world.path(".git/hooks")).unwrap();
    assert_status(&world, "none");
    world.run(&["hook", "uninstall"]).succeeds();
    let printed = world.run(&["hook", "install", "--print"]).succeeds().stdout;
    assert_status(&world, "none");
    let run = world.run(&["hook", "install"]).succeeds();
    assert!(run.stdout.starts_with("installed ") && run.stdout.contains("hooks/prepare-commit-msg"), "{run:?}");
    assert_eq!(std::fs::read_to_string(hook_file(&world)).unwrap(), printed);
    assert!(printed.contains("\n# stagecoach prepare-commit-msg hook v1\n"), "{printed}");
    assert_eq!(hook_file(&world).metadata().unwrap().permissions().mode() & 0o111, 0o111);
    assert_status(&world, "stagecoach (v1)");

    let older = "#!/bin/sh\n# stagecoach prepare-commit-msg hook v1\nexit 1\n";
    std::fs::write(hook_file(&world), older).unwrap();
    assert!(world.run(&["hook", "install", "--strict"]).succeeds().stdout.starts_with("renewed "));
    let strict = std::fs::read_to_string(hook_file(&world)).unwrap();
    assert!(strict.contains("exec stagecoach hook exec --strict \"$@\"\n"), "{strict}");
    world.run(&["hook", "uninstall"]).succeeds();
    assert!(!hook_file(&world).exists());
    assert_status(&world, "none");
}

#[test]
fn a_foreign_hook_is_never_touched() {
    let world = World::new();
    let foreign = |world: &World| std::fs::read_to_string(hook_file(world)).unwrap();
    std::fs::write(hook_file(&world), "#!/bin/sh\nexit 0\n").unwrap();
    assert_status(&world, "foreign");
    let run = world.run(&["hook", "install"]).fails_with(1);
    run.says(&["is another hook, and nothing was changed", "stagecoach hook exec \"$@\""]);
    world.run(&["hook", "uninstall"]).succeeds();
    assert_eq!(foreign(&world), "#!/bin/sh\nexit 0\n");

    std::fs::remove_file(hook_file(&world)).unwrap();
    std::os::unix::fs::symlink("/nowhere/at/all", hook_file(&world)).unwrap();
    assert_status(&world, "foreign");
    world.run(&["hook", "install"]).fails_with(1);
    assert!(hook_file(&world).is_symlink());
}

#[test]
fn the_folder_is_the_one_that_git_uses() {
    let mut world = hooked();
    world.run(&["hook", "uninstall"]).succeeds();
    let below = world.path("sub");
    std::fs::create_dir(&below).unwrap();
    let home = world.home("my hooks").to_str().unwrap().to_owned();
    for (setting, folder) in
        [("team", world.path("team")), (home.as_str(), world.home("my hooks")), ("~/tilde", world.home("tilde"))]
    {
        world.git(&["config", "core.hooksPath", setting]);
        let run = Run::of(world.stagecoach(&["hook", "install"]).current_dir(&below).output().unwrap());
        assert!(run.succeeds().stdout.contains(folder.to_str().unwrap()), "{setting}");
        world.stage("a", setting);
        commit(&world, &[]).succeeds();
        assert!(was_asked(&world), "{setting}");
        world.git(&["reset", "-q", "--soft", "HEAD~"]);
        assert_status(&world, "stagecoach (v1)");
        std::fs::remove_dir_all(folder).unwrap();
    }
    world.git(&["config", "--unset", "core.hooksPath"]);

    let linked = world.root().join("linked");
    world.git(&["worktree", "add", "-q", "--detach", linked.to_str().unwrap()]);
    Run::of(world.stagecoach(&["hook", "install"]).current_dir(&linked).output().unwrap()).succeeds();
    assert_status(&world, "stagecoach (v1)");
    std::fs::write(linked.join("w"), "in the worktree\n").unwrap();
    world.unset("GIT_EDITOR");
    for arguments in [&["add", "w"][..], &["commit", "-q", "--no-edit"]] {
        let output = world.program("git").args(arguments).current_dir(&linked).output().unwrap();
        Run::of(output).succeeds();
    }
    assert!(world.prompt().contains("+in the worktree"));
}

#[test]
fn a_hook_of_husky_is_added_to_where_husky_looks() {
    let world = World::new();
    world.git(&["config", "core.hooksPath", ".husky/_"]);
    world.write(".husky/_/prepare-commit-msg", "#!/usr/bin/env sh\n. \"$(dirname \"$0\")/h\"\n");
    let run = world.run(&["hook", "install"]).fails_with(1);
    assert!(run.stderr.contains(".husky/prepare-commit-msg:\n"), "{run:?}");
}

#[test]
fn outside_of_a_repository_only_the_script_can_be_had() {
    let world = World::new();
    let outside = |arguments: &[&str]| Run::of(world.stagecoach(arguments).current_dir(world.root()).output().unwrap());
    assert!(outside(&["hook", "install", "--print", "--strict"]).succeeds().stdout.contains("--strict \"$@\""));
    for command in ["install", "status", "uninstall"] {
        outside(&["hook", command]).fails_with(1).says(&["not a git repository"]);
    }
}

#[test]
fn an_empty_hooks_path_gets_no_hook() {
    let world = World::with_message("Add a");
    world.git(&["config", "core.hooksPath", ""]);
    world.run(&["hook", "install"]).fails_with(1).says(&["core.hooksPath", "empty"]);
    assert_eq!(world.git(&["status", "--porcelain", "--ignored"]), "");
}

#[test]
fn the_diagnosis_of_the_documentation_says_what_is_wrong() {
    let text = include_str!("../../docs/troubleshooting.md");
    let command = "stagecoach hook exec --strict \"$(mktemp)\"";
    assert!(text.contains(command));
    let world = hooked();
    world.stage("a", "x\n");
    commit(&world, &["-q", "--no-edit"]).succeeds();
    world.stage("a", "y\n");
    world.agent("cat > /dev/null; echo 'no credit' >&2; exit 9");
    let bin = world.root().join("bin");
    let file = world.home("message");
    std::fs::write(&file, "").unwrap();
    let run =
        Run::of(world.program(bin.join("stagecoach")).args(["hook", "exec", "--strict"]).arg(file).output().unwrap());
    run.fails_with(1).says(&["no credit"]);
}
