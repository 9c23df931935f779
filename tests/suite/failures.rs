//! Bad agents and bad input: a clear error in three parts, the right exit code, nothing lost and nothing left.

use crate::support::{Run, World};

/// A world with something staged and an agent that is a script.
fn with_agent(script: &str) -> World {
    let world = World::with_message("");
    world.agent(script);
    world.stage("a", "x\n");
    world
}

/// The agent fails: exit code, a word of what failed, and everything as it was.
#[track_caller]
fn assert_fails(world: &World, code: i32, says: &[&str]) -> Run {
    let before = world.state();
    let run = world.run(&[]).fails_with(code).says(says).says(&["error: ", "hint: "]);
    assert_eq!(world.state(), before);
    world.assert_tidy();
    for text in ["panicked", "RUST_BACKTRACE", "::"] {
        assert!(!run.stderr.contains(text), "{text:?} in {}", run.stderr);
    }
    run
}

#[test]
fn an_agent_that_prints_nothing() {
    assert_fails(&with_agent("cat > /dev/null"), 3, &["fake", "git commit-tree"]);
}

#[test]
fn an_agent_that_prints_only_white_space_and_controls() {
    assert_fails(&with_agent("cat > /dev/null; printf ' \\n\\t\\033[0m\\r\\n'"), 3, &["fake"]);
}

#[test]
fn an_agent_that_only_apologises() {
    assert_fails(&with_agent("cat > /dev/null; echo \"I'm sorry, but I can't help with that.\""), 3, &["fake"]);
}

#[test]
fn an_agent_that_floods() {
    let world = with_agent("cat > /dev/null; yes 'flood of text' | head -c 200000000");
    assert_fails(&world, 3, &["fake"]);
}

#[test]
fn an_agent_that_exits_with_an_error() {
    let world = with_agent("cat > /dev/null; echo 'half an answer'; echo 'quota exceeded for today' >&2; exit 7");
    assert_fails(&world, 3, &["quota exceeded for today"]);
}

#[test]
fn an_agent_that_is_killed() {
    assert_fails(&with_agent("cat > /dev/null; kill -9 $$"), 3, &["fake", "signal"]);
}

#[test]
fn an_agent_that_stalls() {
    let world = with_agent("cat > /dev/null; sleep 600");
    let before = world.state();
    world.run(&["--timeout", "1"]).fails_with(124).says(&["1 s", "--timeout", "git commit-tree"]);
    assert_eq!(world.state(), before);
    world.assert_tidy();
}

#[test]
fn an_agent_that_stalls_with_grandchildren_on_its_pipes_leaves_none_behind() {
    let world = with_agent("cat > /dev/null; (sleep 613) & sleep 613");
    world.run(&["--timeout", "1"]).fails_with(124);
    let left = std::fs::read_dir("/proc").unwrap().flatten().any(|process| {
        std::fs::read(process.path().join("cmdline")).is_ok_and(|line| line.starts_with(b"sleep\x00613"))
    });
    assert!(!left, "a grandchild is still running");
}

#[test]
fn an_agent_that_ignores_its_input_is_fine() {
    let world = with_agent("echo 'Add a large file'");
    world.stage("large", "0123456789abcdef\n".repeat(400_000));
    world.run(&[]).succeeds();
    assert_eq!(world.message("HEAD"), "Add a large file\n");
}

#[test]
fn escapes_and_invalid_text_never_reach_commit_or_terminal() {
    let world = with_agent("cat > /dev/null; printf '\\033[31mAdd\\033[0m \\342\\200\\256it\\377\\007\\r\\n'");
    let run = world.run(&[]).succeeds();
    assert_eq!(world.message("HEAD"), "Add it\u{fffd}\n");
    assert!(!run.stdout.contains(['\x1b', '\x07', '\u{202e}']), "{:?}", run.stdout);

    let world = with_agent("cat > /dev/null; printf '\\033]0;title\\007broken \\033[2J' >&2; exit 1");
    let run = world.run(&[]).fails_with(3).says(&["broken"]);
    assert!(!run.stderr.contains(['\x1b', '\x07']), "{:?}", run.stderr);
}

#[test]
fn file_names_with_escapes_are_quoted() {
    let world = World::with_message("Add it");
    world.stage("a\x1b[31m\nb", "x\n");
    let run = world.run(&[]).succeeds();
    assert!(run.stdout.ends_with("A\t\"a\\033[31m\\nb\"\n"), "{:?}", run.stdout);
}

#[test]
fn an_agent_that_answers_badly_once_is_asked_once_more() {
    let world =
        with_agent("cat > /dev/null; if test -e \"$HOME/once\"; then echo 'Add a'; else touch \"$HOME/once\"; fi");
    world.run(&[]).succeeds();
    assert_eq!(world.message("HEAD"), "Add a\n");
}

#[test]
fn the_best_candidate_is_kept_for_the_rescue() {
    let world = with_agent("cat > /dev/null; echo 'Describe the goal'");
    let run = assert_fails(&world, 3, &["Describe the goal", "git commit-tree", "-F "]);
    assert!(!run.stderr.contains("-m 'Describe the change here'"), "{}", run.stderr);
}

#[test]
fn an_agent_that_writes_into_the_repository_changes_nothing_of_the_commit() {
    let world = World::with_message("");
    world.agent(&format!(
        "cat > /dev/null; echo mine > '{0}/a'; git -C '{0}' add -A; echo 'Add a'",
        world.repository().display()
    ));
    world.stage("a", "x\n");
    world.run(&[]).succeeds();
    assert_eq!(world.git(&["show", "HEAD:a"]), "x");
    assert_eq!(world.git(&["show", ":a"]), "mine");
}

#[test]
fn a_missing_agent_is_an_error_before_anything_is_frozen() {
    let world = World::with_message("x");
    world.config("[defaults]\nprovider = \"fake\"\n[provider.fake]\ncommand = \"no-such-agent\"\n");
    world.stage("a", "x\n");
    assert_fails(&world, 1, &["fake", "no-such-agent"]);
    world.config("[defaults]\nprovider = \"claude\"\n");
    assert_fails(&world, 1, &["claude"]);
}

#[test]
fn a_program_in_the_repository_is_never_the_agent() {
    let mut world = World::with_message("x");
    let path = format!(".:bin::{}", world.root().join("bin").display());
    world.script("repo/claude", "echo 'I was run'");
    world.set("PATH", &path);
    world.config("[defaults]\nprovider = \"claude\"\n");
    world.stage("a", "x\n");
    world.run(&[]).fails_with(1).says(&["claude"]);
}

#[test]
fn an_unknown_provider_is_named_with_its_nearest() {
    let world = World::with_message("x");
    world.stage("a", "x\n");
    world.run(&["--provider", "cluade"]).fails_with(1).says(&["cluade", "claude"]);
}

#[test]
fn a_bare_model_for_a_provider_with_backends_shows_the_right_form() {
    let world = World::with_message("x");
    world.script("bin/pi", "echo no");
    world.stage("a", "x\n");
    world.run(&["--provider", "pi", "--model", "gpt-5.4"]).fails_with(1).says(&["gpt-5.4", "/gpt-5.4"]);
    world.run(&["--provider", "fake", "--model=-x"]).fails_with(1).says(&["-x"]);
}

#[test]
fn a_wrong_configuration_stops_before_anything_is_frozen() {
    let cases = [
        ("[defaults]\nprovder = \"x\"\n", vec!["config.toml:2:1", "provder", "provider"]),
        ("[defaults]\ntimeout = \"soon\"\n", vec!["config.toml:2:", "timeout"]),
        ("[generation]\ndiff_context = 9\n", vec!["config.toml:2:", "diff_context", "0", "3"]),
        ("[generation]\nformat = \"conventionel\"\n", vec!["conventionel", "conventional"]),
        ("[defaults\n", vec!["config.toml:1:"]),
        (
            "[provider.fake]\ncommand = \"x\"\nprompt_deliver = \"stdin\"\n",
            vec!["config.toml:3:", "prompt_deliver", "prompt_delivery"],
        ),
    ];
    for (text, says) in cases {
        let world = World::with_message("x");
        world.config(text);
        world.stage("a", "x\n");
        assert_fails(&world, 1, &says);
    }
}

#[test]
fn wrong_variables_and_flags_name_themselves() {
    let mut world = World::with_message("x");
    world.stage("a", "x\n");
    world.set("STAGECOACH_TIMEOUT", "soon");
    assert_fails(&world, 1, &["STAGECOACH_TIMEOUT", "soon"]);
    world.unset("STAGECOACH_TIMEOUT").set("STAGECOACH_TIMEOT", "9");
    world.run(&["--dry-run"]).succeeds().says(&["STAGECOACH_TIMEOT", "STAGECOACH_TIMEOUT"]);
    world.unset("STAGECOACH_TIMEOT");
    world.run(&["--reasoning", "hihg"]).fails_with(1).says(&["hihg", "high"]);
    world.run(&["--no-such-flag"]).fails_with(1).says(&["--no-such-flag"]);
    world.run(&["--config", "/nonexistent.toml"]).fails_with(1).says(&["/nonexistent.toml"]);
}

#[test]
fn what_git_commit_does_is_answered_with_the_git_command() {
    let world = World::with_message("x");
    world.stage("a", "x\n");
    for (arguments, advice) in [
        (vec!["--amend"], "git commit --amend"),
        (vec!["-m", "text"], "git commit -m"),
        (vec!["-p"], "git add -p"),
        (vec!["--fixup", "HEAD"], "git commit --fixup"),
        (vec!["--allow-empty"], "git commit --allow-empty"),
        (vec!["--author", "A <a@b>"], "git commit --author"),
        (vec!["README.md"], "git add"),
        (vec!["--", "README.md"], "git add"),
    ] {
        world.run(&arguments).fails_with(1).says(&[advice]);
    }
}

#[test]
fn an_untrusted_repository_cannot_choose_what_runs() {
    let world = World::with_message("Harmless");
    let hostile = world.script("hostile", "touch \"$HOME/owned\"; echo owned");
    world.stage(
        ".stagecoach.toml",
        format!("[defaults]\nprovider = \"evil\"\n[provider.evil]\ncommand = {hostile:?}\n[provider.fake]\ncommand = {hostile:?}\n"),
    );
    world.run(&[]).succeeds().says(&["stagecoach trust"]);
    assert!(!world.home("owned").exists());
    assert_eq!(world.message("HEAD"), "Harmless\n");
    world.stage("b", "x\n");
    world.run(&["trust"]).succeeds();
    world.run(&[]).succeeds();
    assert!(world.home("owned").exists(), "trust had no effect");
}

#[test]
fn interrupts_stop_the_agent_and_leave_a_rescue() {
    for (signal, name) in [("INT", "interrupt"), ("TERM", "terminat"), ("HUP", "hang")] {
        let world = with_agent("cat > /dev/null; touch \"$HOME/asked\"; exec sleep 611");
        let before = world.state();
        let mut command = world.stagecoach(&[]);
        let child = command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().unwrap();
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(60);
        while !world.home("asked").exists() {
            assert!(std::time::Instant::now() < deadline);
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        let pid = child.id().to_string();
        assert!(world.program("sh").args(["-c", &format!("kill -{signal} {pid}")]).status().unwrap().success());
        let run = Run::of(child.wait_with_output().unwrap()).fails_with(3);
        assert!(run.stderr.to_lowercase().contains(name) && run.stderr.contains("git commit-tree"), "{}", run.stderr);
        assert_eq!(world.state(), before);
        world.assert_tidy();
    }
}

#[test]
fn a_read_only_repository_is_an_error() {
    if std::fs::read_to_string("/proc/self/status").is_ok_and(|text| text.contains("Uid:\t0\t")) {
        // The superuser may write anywhere; an immutable object folder is a file instead.
        let world = with_agent("cat > /dev/null; echo 'Add a'");
        let before = world.head();
        std::fs::rename(world.path(".git/refs/heads"), world.path(".git/refs/kept")).unwrap();
        std::fs::write(world.path(".git/refs/heads"), "").unwrap();
        assert_ne!(world.run(&[]).code, 0);
        std::fs::remove_file(world.path(".git/refs/heads")).unwrap();
        std::fs::rename(world.path(".git/refs/kept"), world.path(".git/refs/heads")).unwrap();
        assert_eq!(world.head(), before);
        return;
    }
    use std::os::unix::fs::PermissionsExt;
    let world = with_agent("cat > /dev/null; echo 'Add a'");
    let heads = world.path(".git/refs/heads");
    std::fs::set_permissions(&heads, PermissionsExt::from_mode(0o555)).unwrap();
    let before = world.state();
    world.run(&[]).fails_with(3).says(&["git commit-tree"]);
    assert_eq!(world.state(), before);
    std::fs::set_permissions(&heads, PermissionsExt::from_mode(0o755)).unwrap();
}

#[test]
fn with_no_agent_at_all_the_offline_writer_does_the_job_and_says_so() {
    let world = World::new();
    world.commit("Start the project", &[("README.md", "# Project\n")]);
    world.commit("Add a library", &[("src/lib.rs", "pub fn one() {}\n")]);
    world.stage("src/lib.rs", "pub fn one() {}\n\npub fn two() {}\n");
    let run = world.run(&[]).succeeds().says(&["offline"]);
    assert!(run.stdout.contains("two"), "{}", run.stdout);
    assert!(!run.stderr.contains("error"), "{}", run.stderr);
}

#[test]
fn an_ignore_file_that_is_no_file_neither_blocks_nor_fills_the_memory() {
    let world = World::with_message("x");
    world.stage("a", "x\n");
    let path = world.path(".stagecoachignore");
    rustix::fs::mkfifoat(rustix::fs::CWD, &path, rustix::fs::Mode::RUSR).unwrap();
    world.run(&[]).fails_with(1).says(&[".stagecoachignore", "no regular file"]);
    std::fs::remove_file(&path).unwrap();
    std::os::unix::fs::symlink("/dev/zero", &path).unwrap();
    world.run(&[]).fails_with(1).says(&[".stagecoachignore"]);
}

#[test]
fn options_of_every_command_may_stand_before_it_and_those_of_a_commit_may_not() {
    let world = World::with_message("x");
    let top = world.repository().to_str().unwrap();
    let run = world.run(&["-C", top, "--no-color", "config", "path"]).succeeds();
    assert!(run.stdout.contains("global file"), "{}", run.stdout);
    world.run(&["--dry-run", "config", "path"]).fails_with(1).says(&["--dry-run", "stagecoach config"]);
}

/// What failed, why where there is more to say, and what to do next.
#[test]
fn a_command_line_that_is_not_understood_is_answered_in_three_parts() {
    let world = World::new();
    for (arguments, what, why, hint) in [
        (&["--resoning", "low"][..], "`stagecoach` does not take --resoning", "", "did you mean --reasoning?"),
        (
            &["models", "--bogus"],
            "`stagecoach models` does not take --bogus",
            "",
            "`stagecoach models --help-all` lists",
        ),
        (&["bogus"], "there is no command `stagecoach bogus`", "", "`stagecoach --help` lists the commands"),
        (&["undoo"], "there is no command `stagecoach undoo`", "", "did you mean undo?"),
        (&["config", "shwo"], "there is no command `stagecoach config shwo`", "", "did you mean show?"),
        (
            &["help", "nonsense"],
            "there is no command `stagecoach nonsense`",
            "",
            "`stagecoach --help` lists the commands",
        ),
        (
            &["--commits", "x"],
            "`x` cannot be used for --commits <N>",
            "it takes a whole number",
            "give one that it takes",
        ),
        (&["completions", "bsh"], "`bsh` cannot be used for <SHELL>", "it takes bash, elvish", "did you mean bash?"),
        (&["--model"], "--model <MODEL> needs a value", "", "give one that it takes"),
        (&["--dry-run=3"], "--dry-run takes no value, and `3` is one", "", "leave the value out"),
        (&["--edit", "--dry-run"], "--edit cannot be given with --dry-run", "", "leave one of them out"),
        (
            &["--push", "models"],
            "--push is an option of a commit, not of `stagecoach models`",
            "",
            "leave the option or",
        ),
        (
            &["--provider", "offline", "plan"],
            "--provider before `plan` is an option of a commit",
            "",
            "put it behind: stagecoach plan --provider",
        ),
        (
            &["--json", "lock", "status"],
            "--json before `lock status` is an option of a commit",
            "",
            "put it behind: stagecoach lock status --json",
        ),
        (&["--format", "x"], "--format has a value that cannot be used", "`x` is not one of auto", "use auto, "),
        (&["--timeout", "5x"], "--timeout has a value that cannot be used", "`5x`: a duration", "correct the value"),
        (&["apply"], "`stagecoach apply` needs <FILE>", "", "see `stagecoach apply --help`"),
    ] {
        let run = world.run(arguments).fails_with(1);
        let lines: Vec<&str> = run.stderr.lines().collect();
        assert_eq!(lines[0], format!("error: {what}"), "{arguments:?}");
        assert!(why.is_empty() || lines[1].starts_with(&format!("  cause: {why}")), "{arguments:?}: {lines:#?}");
        assert!(lines[lines.len() - 1].starts_with(&format!("   hint: {hint}")), "{arguments:?}: {lines:#?}");
        assert_eq!(lines.len(), if why.is_empty() { 2 } else { 3 }, "{arguments:?}: {lines:#?}");
    }
}

#[test]
fn help_is_a_command_as_well() {
    let world = World::new();
    for command in [&[][..], &["plan"], &["rescue", "commit"]] {
        let as_command = world.run(&[&["help"], command].concat()).succeeds();
        let as_option = world.run(&[command, &["--help"]].concat()).succeeds();
        assert_eq!(as_command.stdout, as_option.stdout);
        assert!(as_command.stdout.contains("Usage: stagecoach"));
    }
    let of_help = world.run(&["help", "help"]).succeeds();
    assert_eq!(of_help.stdout, world.run(&["--help"]).succeeds().stdout);
}

/// What a program prints that asks for something where colour is wanted, or not.
fn printed(world: &World, arguments: &[&str]) -> String {
    let run = Run::of(world.stagecoach(arguments).output().unwrap());
    run.stdout + &run.stderr
}

#[test]
fn help_and_usage_errors_have_the_colour_that_is_asked_for() {
    let mut world = World::new();
    for what in ["--help", "--frobnicate", "config"] {
        let colored = |arguments: &[&str]| printed(&world, arguments).contains('\u{1b}');
        assert!(colored(&["--color", "always", what]), "{what}");
        assert!(colored(&[what, "--color=always"]), "{what}");
        assert!(colored(&["--no-color", "--color=always", what]), "{what}");
        assert!(!colored(&["--color=always", "--no-color", what]), "{what}");
        assert!(!colored(&["--color", "always", "--color", "never", what]), "{what}");
        assert!(!colored(&[what]), "{what}");
    }
    world.set("CLICOLOR_FORCE", "1");
    assert!(printed(&world, &["--help"]).contains('\u{1b}'));
    assert!(!printed(&world, &["--help", "--color", "never"]).contains('\u{1b}'));
    world.set("STAGECOACH_NO_COLOR", "1");
    assert!(!printed(&world, &["--help"]).contains('\u{1b}'));
}

#[cfg(target_os = "linux")]
#[test]
fn a_result_that_cannot_be_written_is_a_failure_with_a_reason() {
    let world = World::with_message("Add it");
    world.stage("a", "a\n");
    for arguments in [&["--help"][..], &["--version"], &["config", "--help"], &["--json", "--dry-run"], &["--json"]] {
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let output = world.stagecoach(arguments).stdout(full).output().unwrap();
        Run::of(output).fails_with(1).says(&["cannot write to standard output", "No space left"]);
    }
    assert_eq!(world.message("HEAD"), "Add it\n");
    world.agent("cat > /dev/null; exit 9");
    world.stage("b", "b\n");
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let output = world.stagecoach(&["--json"]).stdout(full).output().unwrap();
    Run::of(output).fails_with(3).says(&["cannot write to standard output", "stagecoach rescue commit"]);
}
