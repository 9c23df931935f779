//! Hooks of the repository around a commit: what they are told, what they may change, what becomes of a refusal.

use crate::support::{World, records};

const MESSAGE: &str = "Explain how to start";
const NAMES: [&str; 4] = ["pre-commit", "prepare-commit-msg", "commit-msg", "post-commit"];

/// Every hook notes its arguments, folder, standard input and environment.
fn note_everything(world: &World) {
    note(world, &NAMES);
}

fn note(world: &World, names: &[&str]) {
    for name in names {
        let log = world.root().join(format!("log.{name}"));
        let script = format!(
            "{{ for word in \"$@\"; do echo \"arg $word\"; done; echo \"in $(pwd)\"; echo \"stdin $(ls -l /proc/$$/fd/0 | sed 's/.*-> //')\"\n\
             test -z \"$1\" || sed 's/^/text /' \"$1\"; git diff --cached --name-only | sed 's/^/staged /'; env; }} > '{}'",
            log.display()
        );
        world.hook(name, &script);
    }
}

/// What they noted, without what is ours, this run's or the shell's own.
fn noted(world: &World, name: &str) -> Vec<String> {
    let text = std::fs::read_to_string(world.root().join(format!("log.{name}"))).unwrap();
    let root = world.root().display().to_string();
    let left_out = |line: &&str| {
        !["GIT_AUTHOR_DATE=", "STAGECOACH_IN_HOOK=", "_=", "OLDPWD=", "SHLVL="]
            .iter()
            .any(|name| line.starts_with(name))
    };
    let mut lines: Vec<String> = text.lines().filter(left_out).map(|line| line.replace(&root, "ROOT")).collect();
    lines.sort();
    lines
}

fn compare(prepare: impl Fn(&mut World), folder: &str) {
    let (mut ours, mut theirs) = (World::with_message(MESSAGE), World::with_message(MESSAGE));
    for world in [&mut ours, &mut theirs] {
        note_everything(world);
        world.stage("docs/start.md", "Run it.\n");
        prepare(world);
    }
    let run = ours.stagecoach(&[]).current_dir(ours.path(folder)).output().unwrap();
    assert!(run.status.success(), "{run:?}");
    let git = theirs.program("git").args(["commit", "-q", "-m", MESSAGE]).current_dir(theirs.path(folder)).output();
    assert!(git.unwrap().status.success());
    for name in NAMES {
        let (mut ours, theirs) = (noted(&ours, name), noted(&theirs, name));
        if name != "post-commit" {
            // They see an index of their own, so that nobody else changes it under them.
            let index = |line: &&String| line.starts_with("GIT_INDEX_FILE=");
            let (given, live) = (ours.iter().find(index).unwrap(), theirs.iter().find(index).unwrap());
            assert!(given.contains("stagecoach-"), "{name}: {given}");
            let position = ours.iter().position(|line| line.starts_with("GIT_INDEX_FILE=")).unwrap();
            ours[position] = live.clone();
            ours.sort();
        }
        pretty(&ours, &theirs, name);
    }
    assert_eq!(ours.git(&["rev-parse", "HEAD^{tree}"]), theirs.git(&["rev-parse", "HEAD^{tree}"]));
    ours.assert_tidy();
}

#[track_caller]
fn pretty(ours: &[String], theirs: &[String], name: &str) {
    let only = |some: &[String], others: &[String]| -> Vec<String> {
        some.iter().filter(|line| !others.contains(line)).cloned().collect()
    };
    assert_eq!((only(ours, theirs), only(theirs, ours)), (Vec::new(), Vec::new()), "{name}");
}

#[test]
fn hooks_are_told_what_git_commit_tells_them() {
    compare(|_| {}, "");
    compare(|_| {}, "docs");
    compare(
        |world| {
            world.set("GIT_AUTHOR_NAME", "Ännie").set("GIT_AUTHOR_EMAIL", "annie@example.com");
        },
        "",
    );
}

#[test]
fn post_index_change_is_told_what_git_tells_it_when_the_index_is_written() {
    let (ours, theirs) = (World::with_message(MESSAGE), World::with_message(MESSAGE));
    for world in [&ours, &theirs] {
        world.commit("Begin", &[("docs/start.md", "Go.\n")]);
        world.write("docs/start.md", "Run it.\n");
        note(world, &["post-index-change"]);
    }
    let run = ours.stagecoach(&["-a", "--no-verify"]).current_dir(ours.path("docs")).output().unwrap();
    assert!(run.status.success(), "{run:?}");
    let arguments = ["commit", "-q", "-a", "-n", "-m", MESSAGE];
    let git = theirs.program("git").args(arguments).current_dir(theirs.path("docs")).output();
    assert!(git.unwrap().status.success());
    let [ours, theirs] = [&ours, &theirs].map(|world| {
        let lines = noted(world, "post-index-change").into_iter();
        // `git commit -a` writes the index before the commit, stagecoach after it.
        lines.filter(|line| !line.starts_with("staged ")).collect::<Vec<_>>()
    });
    assert!(ours.iter().filter(|line| *line == "arg 0").count() == 2, "{ours:?}");
    pretty(&ours, &theirs, "post-index-change");
}

#[test]
fn post_index_change_comes_once_for_each_index_that_is_written_and_decides_nothing() {
    let world = World::with_message(MESSAGE);
    let log = world.root().join("log");
    for name in ["post-index-change", "post-commit"] {
        let note = format!("echo {name} $(git diff --cached --quiet && echo clean) >> '{}'; exit 1", log.display());
        world.hook(name, &note);
    }
    let told = || {
        let text = std::fs::read_to_string(&log).unwrap_or_default();
        drop(std::fs::remove_file(&log));
        text
    };
    world.write("a", "a\n");
    let run = world.run(&["--single"]).succeeds();
    assert!(!run.stderr.contains("post-index-change"), "{run:?}");
    assert_eq!(told(), "post-index-change clean\npost-commit clean\n");
    // What is staged is in the index already.
    world.stage("a", "b\n");
    told();
    world.agent_says("Explain how to go on");
    world.run(&[]).succeeds();
    assert_eq!(told(), "post-commit clean\n");
}

#[test]
fn hooks_are_found_where_git_finds_them() {
    for setting in ["tools/hooks", "~/hooks"] {
        let world = World::with_message(MESSAGE);
        let folder = if setting.starts_with('~') { world.home("hooks") } else { world.path(setting) };
        world.git(&["config", "core.hooksPath", setting]);
        let seen = world.root().join("seen");
        world.hook_in(&folder, "pre-commit", &format!(": > '{}'", seen.display()));
        world.stage("a", "a\n");
        world.run(&[]).succeeds();
        assert!(seen.exists(), "{setting}");
    }
}

#[test]
fn in_a_linked_worktree_they_see_its_git_folder() {
    let mut world = World::with_message(MESSAGE);
    note_everything(&world);
    let other = world.root().join("other");
    world.git(&["worktree", "add", "-q", "-b", "other", other.to_str().unwrap()]);
    world.move_to(&other);
    world.stage("a", "a\n");
    world.run(&[]).succeeds();
    let ours = noted(&world, "post-commit");
    world.stage("a", "b\n");
    world.git(&["commit", "-q", "-m", MESSAGE]);
    pretty(&ours, &noted(&world, "post-commit"), "post-commit");
    let told = noted(&world, "commit-msg");
    assert!(told.iter().any(|line| line == "arg ROOT/repo/.git/worktrees/other/COMMIT_EDITMSG"), "{told:?}");
}

#[test]
fn an_older_git_has_them_started_directly() {
    let world = World::with_message(MESSAGE);
    let git = world.root().join("bin/git");
    let real = std::fs::read_link(&git).unwrap();
    std::fs::remove_file(&git).unwrap();
    let script = format!(
        "case \"$1\" in version) echo git version 2.30.2;; hook) echo 'no such command' >&2; exit 1;; *) exec '{}' \"$@\";; esac",
        real.display()
    );
    world.script("bin/git", &script);
    note_everything(&world);
    world.stage("docs/start.md", "Run it.\n");
    let run = world.stagecoach(&[]).current_dir(world.path("docs")).output().unwrap();
    assert!(run.status.success(), "{run:?}");
    let told = noted(&world, "prepare-commit-msg");
    for line in [
        "arg .git/COMMIT_EDITMSG",
        "arg message",
        "in ROOT/repo",
        "stdin /dev/null",
        "GIT_PREFIX=docs/",
        "GIT_EDITOR=:",
    ] {
        assert!(told.iter().any(|told| told == line), "{line} is not in {told:?}");
    }
}

#[test]
fn a_hook_that_is_not_executable_gets_gits_advice() {
    let world = World::with_message(MESSAGE);
    world.hook("pre-commit", "exit 1");
    let hook = world.path(".git/hooks/pre-commit");
    std::fs::set_permissions(&hook, std::os::unix::fs::PermissionsExt::from_mode(0o644)).unwrap();
    world.stage("a", "a\n");
    let run = world.run(&[]).succeeds().says(&["hint: The '.git/hooks/pre-commit' hook was ignored"]);
    assert_eq!(run.stderr.matches("was ignored").count(), 1, "{run:#?}");
}

#[test]
fn what_pre_commit_stages_enters_the_commit() {
    for arguments in [&[][..], &["-a"]] {
        let world = World::with_message(MESSAGE);
        world.hook("pre-commit", "sed -i s/x/y/ code && git add code");
        world.stage("other", "as it is\n");
        world.stage("code", "x\n");
        world.run(arguments).succeeds();
        assert_eq!(world.git(&["show", "HEAD:code"]), "y");
        assert_eq!(world.git(&["status", "--porcelain"]), "");
        assert_eq!(world.git(&["diff-index", "--name-only", "HEAD"]), "", "stat data is fresh");
        world.git(&["fsck", "--strict"]);
        world.assert_tidy();
    }
}

#[test]
fn a_formatter_that_stages_nothing_changes_the_working_tree_only() {
    let world = World::with_message(MESSAGE);
    world.hook("pre-commit", "sed -i s/x/y/ code");
    world.stage("code", "x\n");
    world.run(&[]).succeeds();
    assert_eq!(world.git(&["show", "HEAD:code"]), "x");
    assert_eq!(world.git(&["status", "--porcelain"]), " M code");
}

#[test]
fn what_somebody_stages_while_pre_commit_runs_stays_staged() {
    let world = World::with_message(MESSAGE);
    // Without the hook's index, so the live one.
    world.hook("pre-commit", "sed -i s/x/y/ code && git add code && unset GIT_INDEX_FILE && git add late");
    world.write("late", "later\n");
    world.stage("code", "x\n");
    world.run(&[]).succeeds();
    assert_eq!(world.git(&["show", "--name-only", "--format=", "HEAD"]), "code");
    assert_eq!(world.git(&["show", "HEAD:code"]), "y");
    assert_eq!(world.git(&["status", "--porcelain"]), "A  late");
}

#[test]
fn another_path_that_pre_commit_stages_stops_the_run() {
    let world = World::with_message(MESSAGE);
    world.hook("pre-commit", "echo new > generated && git add generated");
    world.stage("code", "x\n");
    let before = world.head();
    world.run(&[]).fails_with(3).says(&["the hook pre-commit staged a path", "generated", "rescue commit"]);
    assert_eq!(world.head(), before);
    assert_eq!(world.git(&["status", "--porcelain"]), "A  code\n?? generated");
}

#[test]
fn a_refusal_stops_the_agent_and_is_a_rescue() {
    let world = World::with_message(MESSAGE);
    world.agent("cat > /dev/null; sleep 600");
    world.hook("pre-commit", "echo 'lint: line 3 is bad' >&2; exit 7");
    world.stage("code", "x\n");
    let run = world.run(&[]).fails_with(3);
    let run = run.says(&[
        "error: the hook pre-commit refused: exit status: 7",
        "cause: lint: line 3 is bad",
        "rescue commit",
    ]);
    assert_eq!(run.stderr.matches("lint: line 3 is bad").count(), 2, "as it comes, and as the cause: {run:#?}");
    assert_eq!(records(&world).len(), 1);
    world.run(&["rescue", "commit", "-m", "Forced"]).fails_with(3).says(&["pre-commit refused"]);
    world.run(&["rescue", "commit", "-m", "Forced", "--no-verify"]).succeeds();
    assert_eq!(world.git(&["show", "HEAD:code"]), "x");
}

#[test]
fn no_verify_leaves_out_two_hooks_and_no_other() {
    let log = |world: &World| std::fs::read_to_string(world.root().join("log")).unwrap_or_default();
    let world = World::with_message(MESSAGE);
    for name in NAMES {
        world.hook(name, &format!("echo {name} >> '{}'", world.root().join("log").display()));
    }
    world.stage("a", "a\n");
    world.run(&["--no-verify"]).succeeds();
    assert_eq!(log(&world), "prepare-commit-msg\npost-commit\n");
    world.git(&["config", "stagecoach.noVerify", "true"]);
    world.stage("a", "b\n");
    world.agent_says("Another one");
    world.run(&[]).succeeds();
    assert_eq!(log(&world), "prepare-commit-msg\npost-commit\n".repeat(2));
    world.git(&["config", "--unset", "stagecoach.noVerify"]);
    world.stage("a", "c\n");
    world.agent_says("And another");
    world.run(&[]).succeeds();
    assert!(log(&world).ends_with("pre-commit\nprepare-commit-msg\ncommit-msg\npost-commit\n"));
}

#[test]
fn hooks_may_change_the_message() {
    let world = World::with_message(MESSAGE);
    world.hook("prepare-commit-msg", "echo '# kept' >> \"$1\"; echo >> \"$1\"; echo Prepared. >> \"$1\"");
    world.hook("commit-msg", "printf '\\nChange-Id: I1  \\n\\n' >> \"$1\"");
    world.stage("a", "a\n");
    let run = world.run(&[]).succeeds();
    assert_eq!(world.message("HEAD"), format!("{MESSAGE}\n# kept\n\nPrepared.\n\nChange-Id: I1\n"));
    assert!(run.stdout.contains(MESSAGE), "{run:#?}");
}

#[test]
fn the_editor_comes_between_the_hooks_of_the_message() {
    let mut world = World::with_message(MESSAGE);
    let editor = world.script("editor", "echo Edited. >> \"$1\"");
    world.set("GIT_EDITOR", &editor);
    world
        .hook("prepare-commit-msg", "test \"$GIT_EDITOR\" != : || exit 1; printf '\\nPrepared.\\n# gone\\n' >> \"$1\"");
    world.hook("commit-msg", "grep -q Edited \"$1\" && echo Checked. >> \"$1\"");
    world.stage("a", "a\n");
    world.run(&["--edit"]).succeeds();
    assert_eq!(world.message("HEAD"), format!("{MESSAGE}\n\nPrepared.\nEdited.\nChecked.\n"));
}

#[test]
fn an_emptied_message_makes_no_commit() {
    let world = World::with_message(MESSAGE);
    world.hook("commit-msg", ": > \"$1\"");
    world.stage("a", "a\n");
    let before = world.state();
    world.run(&[]).fails_with(1).says(&["the message was emptied by a hook"]);
    assert_eq!(world.state(), before);
    assert_eq!(records(&world), Vec::<std::path::PathBuf>::new());
}

/// An agent that counts its calls and keeps every prompt.
fn counting_agent(world: &World) {
    let root = world.root();
    world.agent(&format!(
        "n=$(cat '{0}/n' 2>/dev/null || echo 0); n=$((n+1)); echo $n > '{0}/n'; cat > '{0}/prompt'$n; echo \"Try number $n\"",
        root.display()
    ));
}

fn calls(world: &World) -> String {
    std::fs::read_to_string(world.root().join("n")).unwrap().trim().to_owned()
}

#[test]
fn a_refused_message_goes_back_to_the_model() {
    let world = World::with_message(MESSAGE);
    counting_agent(&world);
    world.hook("prepare-commit-msg", "printf '\\nSeen.\\n' >> \"$1\"");
    world.hook("commit-msg", "grep -q 'number 3' \"$1\" || { echo 'ticket is missing'; exit 1; }");
    world.stage("a", "a\n");
    let run = world.run(&["--json"]).succeeds();
    assert_eq!((calls(&world).as_str(), world.message("HEAD").as_str()), ("3", "Try number 3\n\nSeen.\n"));
    let prompt = std::fs::read_to_string(world.root().join("prompt2")).unwrap();
    assert!(prompt.contains("ticket is missing") && prompt.contains("Try number 1"), "{prompt}");
    assert!(run.stdout.contains("\"retries\": 2"), "{run:#?}");
}

#[test]
fn a_message_that_is_refused_three_times_is_a_rescue() {
    let world = World::with_message(MESSAGE);
    counting_agent(&world);
    world.hook("commit-msg", "echo 'ticket is missing' >&2; exit 1");
    world.stage("a", "a\n");
    world.run(&[]).fails_with(3).says(&["the hook commit-msg refused", "cause: ticket is missing", "    Try number 3"]);
    assert_eq!(calls(&world), "3");
}

#[test]
fn a_dry_run_has_only_the_message_checked() {
    let world = World::with_message(MESSAGE);
    counting_agent(&world);
    for name in ["pre-commit", "prepare-commit-msg", "post-commit"] {
        world.hook(name, &format!("echo {name} >> '{}'", world.root().join("log").display()));
    }
    world.hook("commit-msg", "grep -q 'number 2' \"$1\" && printf '\\nChange-Id: I1\\n' >> \"$1\"");
    world.stage("a", "a\n");
    let before = world.state();
    let run = world.run(&["--dry-run"]).succeeds();
    assert_eq!(run.stdout, "Try number 2\n\nChange-Id: I1\n");
    assert!(!world.root().join("log").exists() && !world.path(".git/COMMIT_EDITMSG.lock").exists());
    assert_eq!(world.state(), before);
    world.hook("commit-msg", "exit 1");
    world.run(&["--dry-run"]).fails_with(1).says(&["the hook commit-msg refused"]);
    world.assert_tidy();
}

#[test]
fn a_hook_that_does_not_end_is_stopped_with_all_it_started() {
    let world = World::with_message(MESSAGE);
    let config = std::fs::read_to_string(world.home(".config/stagecoach/config.toml")).unwrap();
    world.config(&config.replace("[defaults]", "[generation]\nhook_timeout = \"1s\"\n[defaults]"));
    let pid = world.root().join("pid");
    world.hook("prepare-commit-msg", &format!("sleep 600 & echo $! > '{}'; wait", pid.display()));
    world.stage("a", "a\n");
    world.run(&[]).fails_with(3).says(&["the hook prepare-commit-msg did not end within 1 seconds", MESSAGE]);
    let pid = std::fs::read_to_string(pid).unwrap();
    let stat = || std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
    let gone = || stat().is_empty() || stat().contains(") Z ");
    assert!((0..500).any(|_| gone() || {
        std::thread::sleep(std::time::Duration::from_millis(10));
        false
    }));
}

#[test]
fn a_failing_post_commit_is_a_warning() {
    let world = World::with_message(MESSAGE);
    world.hook("post-commit", "git rev-parse HEAD; exit 9");
    world.stage("a", "a\n");
    let run =
        world.run(&[]).succeeds().says(&["the commit is made, but: the hook post-commit refused: exit status: 9"]);
    assert!(run.stderr.contains(&world.head()), "standard output goes to standard error: {run:#?}");
    assert!(!run.stdout.contains(&world.head()));
}

#[test]
fn hooks_find_the_new_message_where_git_has_it() {
    for name in ["post-commit", "reference-transaction"] {
        let read = |commit: &dyn Fn(&World)| {
            let world = World::with_message(MESSAGE);
            world.commit("Earlier", &[("a", "a\n")]);
            let told = world.root().join("told");
            world.hook(name, &format!("cat .git/COMMIT_EDITMSG >> '{}'", told.display()));
            world.stage("a", "b\n");
            commit(&world);
            (std::fs::read_to_string(told).unwrap(), world.read(".git/COMMIT_EDITMSG"))
        };
        let gits = read(&|world| drop(world.git(&["commit", "-q", "-m", MESSAGE])));
        assert_eq!(gits.1, format!("{MESSAGE}\n"));
        let ours = read(&|world| drop(world.run(&[]).succeeds()));
        let theirs = |told: &str| told.lines().all(|line| line == MESSAGE) && !told.is_empty();
        assert!(theirs(&ours.0) && theirs(&gits.0), "{name}: {ours:?}, {gits:?}");
        assert_eq!(ours.1, gits.1, "{name}");
    }
}

#[test]
fn prepare_commit_msg_is_told_of_a_merge() {
    let told = |commit: &dyn Fn(&World)| {
        let world = World::with_message(MESSAGE);
        world.commit("Base", &[("a", "a\n")]);
        world.git(&["switch", "-q", "-c", "side"]);
        world.commit("Side", &[("b", "b\n")]);
        world.git(&["switch", "-q", "-c", "other", "HEAD^"]);
        world.commit("Other", &[("c", "c\n")]);
        world.git(&["merge", "-q", "--no-commit", "side"]);
        world.hook("prepare-commit-msg", &format!("echo \"$@\" >> '{}'", world.root().join("told").display()));
        commit(&world);
        std::fs::read_to_string(world.root().join("told")).unwrap()
    };
    let gits = told(&|world| drop(world.git(&["commit", "-q", "--no-edit"])));
    assert_eq!(gits, ".git/COMMIT_EDITMSG merge\n");
    assert_eq!(told(&|world| drop(world.run(&[]).succeeds())), gits);
    // Also where an agent writes a part of it.
    assert_eq!(told(&|world| drop(world.run(&["--format", "auto+body"]).succeeds())), gits);
}

#[test]
fn stagecoachs_own_hook_is_left_out() {
    let world = World::with_message(MESSAGE);
    world.hook("prepare-commit-msg", "# stagecoach prepare-commit-msg hook v1\nexit 1");
    world.stage("a", "a\n");
    world.run(&[]).succeeds();
    world.hook("prepare-commit-msg", "test \"$STAGECOACH_IN_HOOK\" = 1");
    world.stage("a", "b\n");
    world.agent_says("Again");
    world.run(&[]).succeeds();
}

#[test]
fn the_author_of_the_commit_is_who_the_hooks_were_told() {
    let world = World::with_message(MESSAGE);
    let told = world.root().join("told");
    world.hook(
        "pre-commit",
        &format!("echo \"$GIT_AUTHOR_NAME <$GIT_AUTHOR_EMAIL> $GIT_AUTHOR_DATE\" > '{}'; sleep 1.1", told.display()),
    );
    world.stage("a", "a\n");
    world.run(&[]).succeeds();
    let told = std::fs::read_to_string(told).unwrap().replace('@', "");
    assert_eq!(world.git(&["log", "-1", "--format=%an <%ae> %ad", "--date=raw"]).replace('@', ""), told.trim());
}

#[test]
fn an_interrupt_ends_a_hook_and_leaves_a_rescue() {
    let world = World::with_message(MESSAGE);
    let started = world.root().join("started");
    world.hook("pre-commit", &format!(": > '{}'; sleep 600", started.display()));
    world.stage("a", "a\n");
    let child = world
        .stagecoach(&[])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    while !started.exists() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    world.program("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let run = crate::support::Run::of(child.wait_with_output().unwrap());
    run.fails_with(3).says(&["error: interrupted", "rescue commit"]);
    world.assert_tidy();
}

/// A hook that notes what it is told of refs.
fn note_refs(world: &World, more: &str) {
    let log = world.root().join("refs");
    world.hook(
        "reference-transaction",
        &format!(
            "state=$1; while read -r old new name; do echo $state $old $new $name >> '{}'; done\n{more}",
            log.display()
        ),
    );
}

#[test]
fn a_reference_transaction_hook_sees_what_it_sees_of_git_commit() {
    let noted = |world: &World| {
        let text = std::fs::read_to_string(world.root().join("refs")).unwrap_or_default();
        let (head, before) = (world.head(), world.git(&["rev-parse", "HEAD^"]));
        // Our own refs are no concern of hooks, and git takes away a pseudo-ref that is not there.
        let others = |line: &&str| !line.contains("refs/stagecoach/") && !line.ends_with("AUTO_MERGE");
        let lines = text.lines().filter(others);
        lines.map(|line| line.replace(&head, "NEW").replace(&before, "OLD")).collect::<Vec<_>>()
    };
    let (ours, theirs) = (World::with_message(MESSAGE), World::with_message(MESSAGE));
    for world in [&ours, &theirs] {
        world.stage("a", "a\n");
        note_refs(world, "echo asked >&2");
    }
    ours.run(&[]).succeeds().says(&["asked"]);
    theirs.git(&["commit", "-q", "-m", MESSAGE]);
    assert_eq!(noted(&ours), noted(&theirs));
    assert!(!noted(&ours).is_empty());
    let log = |world: &World| world.git(&["reflog", "-1", "--format=%gs %gn %ge", "HEAD"]);
    assert_eq!(log(&ours), log(&theirs));
    ours.run(&["undo"]).succeeds();
}

#[test]
fn a_reference_transaction_hook_may_forbid_the_commit() {
    let world = World::with_message(MESSAGE);
    let before = world.head();
    note_refs(&world, "test \"$state\" != prepared || { echo 'the branch is frozen' >&2; exit 1; }");
    world.stage("a", "a\n");
    let run = world.run(&[]).fails_with(3);
    run.says(&["the hook reference-transaction refused", "the branch is frozen", "rescue commit", MESSAGE]);
    assert_eq!(world.head(), before);
    world.assert_tidy();
}

#[test]
fn a_reference_transaction_hook_has_its_time() {
    let world = World::with_message(MESSAGE);
    let config = std::fs::read_to_string(world.home(".config/stagecoach/config.toml")).unwrap();
    world.config(&config.replace("[defaults]", "[generation]\nhook_timeout = \"1s\"\n[defaults]"));
    let before = world.head();
    note_refs(&world, "sleep 600");
    world.stage("a", "a\n");
    let run = world.run(&[]).fails_with(3);
    run.says(&["the hook reference-transaction refused", "it did not end within 1 seconds", "rescue commit"]);
    assert_eq!(world.head(), before);
    world.assert_tidy();
    // Told of a move that is done, it is too late to forbid it.
    note_refs(&world, "test \"$state\" != committed || sleep 600");
    world.run(&["rescue", "commit"]).succeeds();
    assert_ne!(world.head(), before);
    assert_eq!(world.git(&["status", "--porcelain"]), "");
}
