//! `--edit`: the message goes through the user's editor, by git's rules.

use std::process::Stdio;

use crate::support::{Run, World};

/// Something staged, an agent that answers `Add a`, and an editor that keeps what it was given in `given` and then runs a
/// script on `$1`.
fn editing(script: &str) -> World {
    let mut world = World::with_message("Add a");
    world.stage("a", "x\n");
    set_editor(&mut world, script);
    world
}

fn set_editor(world: &mut World, script: &str) {
    let given = world.root().join("given");
    let editor = world.script("editor", &format!("cat \"$1\" > '{}'\n{script}", given.display()));
    world.set("GIT_EDITOR", &editor);
}

fn given(world: &World) -> String {
    std::fs::read_to_string(world.root().join("given")).unwrap()
}

/// The editor and its file leave nothing behind, and nothing has changed.
#[track_caller]
fn assert_untouched(world: &World, arguments: &[&str], code: i32, says: &[&str]) -> Run {
    let before = world.state();
    let run = world.run(arguments).fails_with(code).says(says).says(&["error: ", "hint: "]);
    assert_eq!(world.state(), before);
    world.assert_tidy();
    run
}

#[test]
fn what_the_editor_saves_is_committed_without_comments() {
    let world = editing("sed -i -e '1s/.*/Add the letter a/' \"$1\"; printf '\\n\\nMore.  \\n# gone\\n' >> \"$1\"");
    let run = world.run(&["--edit"]).succeeds();
    assert_eq!(world.message("HEAD"), "Add the letter a\n\nMore.\n");
    assert!(run.stdout.contains("] Add the letter a\n"), "{}", run.stdout);
    let given = given(&world);
    assert!(given.starts_with("Add a\n\n# "), "{given}");
    assert!(given.ends_with("#\n# On branch main\n# Changes to be committed:\n#\tnew file:   a\n#\n"), "{given}");
    world.assert_tidy();
}

#[test]
fn an_untouched_message_is_the_agents_and_sign_off_and_trailers_are_shown() {
    let world = editing("");
    world.run(&["--edit", "-s", "--trailer", "Refs: 7"]).succeeds();
    let expected = "Add a\n\nSigned-off-by: A U Thor <author@example.com>\nRefs: 7\n";
    assert_eq!(world.message("HEAD"), expected);
    assert!(given(&world).starts_with(expected), "{}", given(&world));
}

#[test]
fn without_the_option_no_editor_is_opened() {
    let world = editing("exit 1");
    world.run(&[]).succeeds();
    assert!(!world.root().join("given").exists());
}

#[test]
fn editors_are_found_and_started_as_git_does_it() {
    let mut world = editing("");
    let own = world.script("own editor", "printf 'By %s, %s' \"$1\" \"${2##*/}\" > \"$2\"");
    world.unset("GIT_EDITOR");
    // With words of its own, through a shell, and with a space in its path.
    world.git(&["config", "core.editor", &format!("'{own}' me")]);
    world.run(&["--edit"]).succeeds();
    assert_eq!(world.message("HEAD"), "By me, COMMIT_EDITMSG\n");

    world.stage("a", "y\n");
    world.set("GIT_EDITOR", "f() { echo 'By a function' > \"$1\"; }; f");
    world.run(&["--edit"]).succeeds();
    assert_eq!(world.message("HEAD"), "By a function\n");

    world.stage("a", "z\n");
    world.set("GIT_EDITOR", ":");
    world.run(&["--edit"]).succeeds();
    assert_eq!(world.message("HEAD"), "Add a\n");
}

#[test]
fn git_in_the_editor_sees_what_will_be_committed() {
    let staged = "git diff --cached --name-only > \"$HOME/staged\"; pwd >> \"$HOME/staged\"";
    let world = editing(staged);
    world.write("b", "new\n");
    std::fs::create_dir(world.path("folder")).unwrap();
    let top = world.repository().to_str().unwrap();
    let seen = || std::fs::read_to_string(world.home("staged")).unwrap();
    world.run(&["--edit", "-C", "folder"]).succeeds();
    assert_eq!(seen(), format!("a\n{top}\n"));
    world.agent_says("Add b");
    world.run(&["--edit", "--all"]).succeeds();
    assert_eq!(seen(), format!("b\n{top}\n"));
}

#[test]
fn the_file_is_in_a_private_folder_of_the_git_folder() {
    let world = editing("ls -ld \"${1%/*}\" > \"$HOME/mode\"; echo \"$1\" > \"$HOME/where\"");
    world.run(&["--edit"]).succeeds();
    let read = |name: &str| std::fs::read_to_string(world.home(name)).unwrap();
    assert!(read("mode").starts_with("drwx------"), "{}", read("mode"));
    assert!(read("where").starts_with(world.path(".git").to_str().unwrap()), "{}", read("where"));
    assert!(read("where").ends_with("/COMMIT_EDITMSG\n"), "{}", read("where"));
}

#[test]
fn an_emptied_message_commits_nothing() {
    for script in [": > \"$1\"", "sed -i -e '/^[^#]/d' \"$1\"", "echo 'Signed-off-by: A <a@b>' > \"$1\""] {
        let run = assert_untouched(&editing(script), &["--edit"], 1, &["emptied by the editor"]);
        assert!(!run.stderr.contains("git commit-tree"), "{}", run.stderr);
    }
}

#[test]
fn a_failing_editor_is_a_rescue_with_the_message_as_last_saved() {
    let world = editing("sed -i -e '1s/.*/Add it, edited/' \"$1\"; exit 4");
    assert_untouched(&world, &["--edit"], 3, &["problem with the editor", "Add it, edited", "git commit-tree"]);
    // Nothing that could be used was saved: the agent's message is the best there is.
    let world = editing("rm \"$1\"; exit 4");
    assert_untouched(&world, &["--edit"], 3, &["Add a", "git commit-tree"]);
    let world = editing("rm \"$1\"");
    assert_untouched(&world, &["--edit"], 3, &["COMMIT_EDITMSG", "Add a", "git commit-tree"]);
    let world = editing("printf 'caf\\351\\n' > \"$1\"");
    assert_untouched(&world, &["--edit"], 3, &["UTF-8", "Add a", "git commit-tree"]);
}

#[test]
fn an_editor_that_is_not_there_is_a_rescue() {
    let mut world = editing("");
    world.set("GIT_EDITOR", "/nonexistent-editor");
    assert_untouched(&world, &["--edit"], 3, &["unable to start editor '/nonexistent-editor'", "git commit-tree"]);
}

#[test]
fn without_a_usable_editor_no_agent_is_asked() {
    let mut world = editing("");
    world.agent("touch \"$HOME/asked\"; echo 'Add a'");
    world.unset("GIT_EDITOR").set("TERM", "dumb");
    assert_untouched(&world, &["--edit"], 1, &["Terminal is dumb, but EDITOR unset"]);
    set_editor(&mut world, "");
    world.git(&["config", "commit.cleanup", "tidy"]);
    assert_untouched(&world, &["--edit"], 1, &["Invalid cleanup mode tidy", "scissors"]);
    world.git(&["config", "commit.cleanup", "strip"]);
    world.git(&["config", "core.commentChar", ""]);
    world.run(&["--edit"]).fails_with(1).says(&["core.commentchar must have at least one character"]);
    assert!(!world.home("asked").exists());
}

#[test]
fn dry_runs_and_the_option_exclude_each_other() {
    let world = editing("");
    for dry in ["--dry-run", "--show-prompt"] {
        world.run(&["--edit", dry]).fails_with(1).says(&["--edit", dry]);
    }
}

#[test]
fn comments_begin_as_git_is_configured() {
    let keep_hash = "printf '\\n#1 stays\\n; goes\\n// goes\\n' >> \"$1\"";
    for (setting, value, expected) in [
        ("core.commentChar", ";", "Add a\n\n#1 stays\n// goes\n"),
        ("core.commentString", "//", "Add a\n\n#1 stays\n; goes\n"),
        ("core.commentChar", "auto", "Add a\n\n; goes\n// goes\n"),
    ] {
        let world = editing(keep_hash);
        world.git(&["config", setting, value]);
        world.run(&["--edit"]).succeeds();
        assert_eq!(world.message("HEAD"), expected, "{setting} {value}");
        let comment = if value == "auto" { "#" } else { value };
        assert!(given(&world).contains(&format!("\n{comment} On branch main\n")), "{}", given(&world));
    }
}

#[test]
fn a_message_with_a_line_that_looks_like_a_comment_survives() {
    let world = editing("");
    world.agent_says("Add a\n\n#12 needs it.");
    world.run(&["--edit"]).succeeds();
    assert_eq!(world.message("HEAD"), "Add a\n\n#12 needs it.\n");
    assert!(given(&world).contains("\n; On branch main\n"), "{}", given(&world));
}

/// What the same editor makes of the same message in `git commit` with the same settings.
fn by_git(settings: &[(&str, &str)], script: &str) -> String {
    let world = editing(script);
    for (key, value) in settings {
        world.git(&["config", key, value]);
    }
    world.git(&["commit", "-q", "--edit", "-m", "Add a"]);
    world.message("HEAD")
}

#[test]
fn the_clean_up_is_gits() {
    let cut = "------------------------ >8 ------------------------";
    // Put before what is there, since git's summary and ours differ.
    let script = format!(
        "{{ printf 'Over\\n\\n# comment \\n\\n\\n\\nText  \\n# {cut}\\n'; cat \"$1\"; }} > \"$HOME/new\"\n\
         cat \"$HOME/new\" > \"$1\""
    );
    for settings in [
        &[][..],
        &[("commit.cleanup", "strip")],
        &[("commit.cleanup", "default")],
        &[("commit.cleanup", "scissors")],
        &[("commit.cleanup", "whitespace"), ("commit.status", "false")],
    ] {
        let world = editing(&script);
        for (key, value) in settings {
            world.git(&["config", key, value]);
        }
        world.run(&["--edit"]).succeeds();
        assert_eq!(world.message("HEAD"), by_git(settings, &script), "{settings:?}");
    }
}

#[test]
fn the_summary_is_left_out_where_it_is_not_wanted() {
    for (key, value) in [("commit.status", "no"), ("commit.cleanup", "whitespace"), ("commit.cleanup", "verbatim")] {
        let world = editing("");
        world.git(&["config", key, value]);
        world.run(&["--edit"]).succeeds();
        assert_eq!(given(&world), "Add a\n", "{key}={value}");
        assert_eq!(world.message("HEAD"), "Add a\n");
    }
}

#[test]
fn the_summary_names_root_commits_detached_heads_and_every_kind_of_change() {
    let mut world = World::new();
    world.agent_says("Begin");
    set_editor(&mut world, "");
    world.stage("a", "1\n2\n3\n4\n");
    world.stage("b", "x\n");
    world.stage("c d\n", "x\n");
    world.run(&["--edit"]).succeeds();
    assert!(given(&world).contains("# On branch main\n#\n# Initial commit\n#\n# Changes"), "{}", given(&world));
    assert!(given(&world).contains("#\tnew file:   \"c d\\n\"\n"), "{}", given(&world));

    world.agent_says("Go on");
    world.git(&["switch", "-q", "--detach"]);
    world.git(&["mv", "a", "e"]);
    world.git(&["rm", "-q", "b"]);
    world.stage("c d\n", "y\n");
    let at = world.git(&["rev-parse", "--short=7", "HEAD"]);
    world.run(&["--edit"]).succeeds();
    let given = given(&world);
    for line in [
        format!("# HEAD detached at {at}"),
        "#\trenamed:    a -> e".to_owned(),
        "#\tdeleted:    b".to_owned(),
        "#\tmodified:   \"c d\\n\"".to_owned(),
    ] {
        assert!(given.lines().any(|given| given == line), "{line:?} in {given}");
    }
}

#[test]
fn the_prepared_message_of_a_merge_is_edited() {
    let mut world = World::with_message("never asked");
    world.git(&["switch", "-q", "-c", "side"]);
    world.commit("Side", &[("side", "x\n")]);
    world.git(&["switch", "-q", "main"]);
    world.commit("Main", &[("main", "x\n")]);
    world.git(&["merge", "-q", "--no-ff", "--no-commit", "side"]);
    set_editor(&mut world, "sed -i -e '1s/$/, edited/' \"$1\"");
    world.run(&["--edit"]).succeeds();
    assert_eq!(world.message("HEAD"), "Merge branch 'side', edited\n");
    assert!(given(&world).contains("merge"), "{}", given(&world));
    assert_eq!(world.git(&["log", "-1", "--format=%P"]).split(' ').count(), 2);
}

#[test]
fn a_head_that_moves_while_the_editor_is_open_is_not_overwritten() {
    let world = editing(
        "echo 'Add a, edited' > \"$1\"; unset GIT_INDEX_FILE; git commit -q --allow-empty --only -m 'Somebody else'",
    );
    world.run(&["--edit"]).fails_with(1).says(&["HEAD moved", "Add a, edited", "git merge-tree"]);
    assert_eq!(world.message("HEAD"), "Somebody else\n");
    world.assert_tidy();
}

#[test]
fn the_editors_output_stays_out_of_the_document() {
    let world = editing("echo 'from the editor'; echo Edited > \"$1\"");
    let run = world.run(&["--edit", "--json"]).succeeds().says(&["from the editor"]);
    assert!(run.stdout.starts_with('{') && run.stdout.contains("\"subject\": \"Edited\""), "{}", run.stdout);
    assert!(!run.stdout.contains("from the editor"), "{}", run.stdout);
}

/// Starts a run whose editor waits for a file `go`, and returns once the editor is open.
fn with_the_editor_open(world: &World) -> std::process::Child {
    let child = world.stagecoach(&["--edit"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(60);
    while !world.home("open").exists() {
        assert!(std::time::Instant::now() < deadline, "the editor was never opened");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    child
}

fn signal(world: &World, name: &str, child: &std::process::Child) {
    let kill = format!("kill -{name} {}", child.id());
    assert!(world.program("sh").args(["-c", &kill]).status().unwrap().success());
}

const WAIT: &str = "touch \"$HOME/open\"; while ! test -e \"$HOME/go\"; do sleep 0.01; done";

#[test]
fn what_is_typed_to_the_editor_does_not_stop_the_run() {
    let world = editing(&format!("trap '' INT QUIT; {WAIT}; echo Edited > \"$1\""));
    let child = with_the_editor_open(&world);
    signal(&world, "INT", &child);
    signal(&world, "QUIT", &child);
    std::thread::sleep(std::time::Duration::from_millis(50));
    std::fs::write(world.home("go"), "").unwrap();
    Run::of(child.wait_with_output().unwrap()).succeeds();
    assert_eq!(world.message("HEAD"), "Edited\n");
}

#[test]
fn an_editor_ended_by_the_keyboard_is_an_interrupt() {
    for script in ["kill -INT $$", "exit 130"] {
        let world = editing(&format!("echo 'Half done' > \"$1\"; {script}"));
        assert_untouched(&world, &["--edit"], 3, &["interrupted", "Half done", "git commit-tree"]);
    }
}

#[test]
fn a_run_told_to_end_ends_its_editor_and_keeps_the_message() {
    for (name, says) in [("TERM", "terminated"), ("HUP", "hung up")] {
        let world = editing(&format!("echo 'Half done' > \"$1\"; {WAIT}"));
        let before = world.state();
        let child = with_the_editor_open(&world);
        signal(&world, name, &child);
        let run = Run::of(child.wait_with_output().unwrap()).fails_with(3);
        run.says(&[says, "Half done", "git commit-tree"]);
        assert_eq!(world.state(), before);
        world.assert_tidy();
    }
}

#[test]
fn a_repository_named_by_relative_variables_is_the_editors_too() {
    let mut world = editing("");
    std::fs::create_dir(world.path("below")).unwrap();
    let editor = world.script("own", "git rev-parse --absolute-git-dir --show-toplevel > \"$HOME/seen\"");
    world.git(&["config", "core.editor", &editor]);
    let expected = world.git(&["rev-parse", "--absolute-git-dir", "--show-toplevel"]);
    world.unset("GIT_EDITOR").set("GIT_DIR", "../.git").set("GIT_WORK_TREE", "..");
    world.write("b", "new\n");
    world.run(&["-C", "below", "--edit", "--all"]).succeeds();
    assert_eq!(std::fs::read_to_string(world.home("seen")).unwrap().trim_end(), expected);
}
