//! What strangers can say – a repository, an agent, a file name – and what must not become of it.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use crate::support::{Run, World, killed_while_the_agent_thinks};

const KEY: &str = "hunter2-hunter2-hunter2";
const TOKEN: &str = "correct-horse-battery";
const CREDENTIAL: &str = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";

#[track_caller]
fn assert_hides(run: &Run, secrets: &[&str]) {
    for secret in secrets {
        assert!(!run.stdout.contains(secret) && !run.stderr.contains(secret), "{secret} is told: {run:#?}");
    }
}

/// An agent that tells all it knows, on standard error or in an answer that is none.
fn talkative(then: &str) -> World {
    let mut world = World::with_message("");
    world.set("ACME_API_KEY", KEY);
    world.agent_with(
        &format!("cat; env; {then}"),
        &format!("bare_flags = [\"--token={TOKEN}\"]\nenv = {{ OWN_TOKEN = \"{TOKEN}\" }}\n"),
    );
    // A value of the environment that has found its way into the change, and a credential that shows by its shape.
    world.stage("a.txt", format!("key = {KEY}\ntoken = {CREDENTIAL}\n"));
    world
}

#[test]
fn the_log_holds_no_secrets() {
    let world = talkative("exit 1");
    for verbosity in ["-q", "-v", "-vv"] {
        let run = world.run(&[verbosity, "--dry-run"]).fails_with(1);
        assert_hides(&run, &[KEY, TOKEN, CREDENTIAL]);
    }
    let run = world.run(&["-vv"]).fails_with(3).says(&["[ACME_API_KEY]", "[OWN_TOKEN]", "[redacted:"]);
    assert_hides(&run, &[KEY, TOKEN, CREDENTIAL]);
    let run = world.run(&["--json", "-vv"]).fails_with(3);
    assert_hides(&run, &[KEY, TOKEN, CREDENTIAL]);
    for command in [&["providers", "show", "fake"][..], &["config", "show", "--origin"], &["providers", "list"]] {
        let run = world.run(command).succeeds();
        assert!(!run.stdout.contains(KEY) && !run.stdout.contains(&format!("OWN_TOKEN = \"{TOKEN}")), "{run:#?}");
    }
}

#[test]
fn the_offline_writer_logs_no_secrets_either() {
    let world = talkative("exit 1");
    let run = world.run(&["-vv", "--provider", "offline"]).succeeds();
    assert_hides(&run, &[KEY, CREDENTIAL]);
    // What is committed is what was staged.
    assert!(world.git(&["show", "HEAD:a.txt"]).contains(CREDENTIAL));
}

#[track_caller]
fn assert_is_for_a_terminal(run: &Run) {
    let unsafe_char = |c: char| (c.is_control() && c != '\n' && c != '\t') || ('\u{202a}'..='\u{202e}').contains(&c);
    for text in [&run.stdout, &run.stderr] {
        assert!(!text.contains(unsafe_char), "{run:#?}");
    }
}

const EVIL: &str = "\u{1b}[2J\u{1b}]0;owned\u{7}\u{9b}31m\u{202e}";

/// Folder, file names, history, answer and complaints all try to steer the terminal.
#[test]
fn nothing_from_a_stranger_steers_the_terminal() {
    let world = World::in_repository(&format!("re{EVIL}po"));
    world.commit("Start\u{1b}[2J the project", &[("README.md", "# Project\n")]);
    let answer = world.root().join("answer");
    std::fs::write(&answer, format!("Tidy{EVIL} up\n\nBody{EVIL}\n")).unwrap();
    world.agent(&format!("cat > /dev/null; printf '\\033[2J\\033]0;x\\007' >&2; cat '{}'", answer.display()));
    let change = |number: usize| {
        world.write(&format!("a{EVIL}{number}"), format!("{EVIL}\n"));
        world.write(&format!(".env{EVIL}.{number}"), format!("{EVIL}\n"));
    };
    change(1);
    world.git(&["add", "--", &format!("a{EVIL}1")]);
    for arguments in [&["--dry-run", "-vv"][..], &["--json", "--dry-run"], &["-vv"]] {
        let run = world.run(arguments).succeeds();
        assert_is_for_a_terminal(&run);
    }
    std::fs::write(&answer, format!("Go{EVIL} on\n")).unwrap();
    change(2);
    let plan = world.root().join("plan.json");
    assert_is_for_a_terminal(&world.run(&["plan", "-o", plan.to_str().unwrap()]).succeeds());
    assert_is_for_a_terminal(&world.run(&["apply", plan.to_str().unwrap(), "--dry-run"]).succeeds());
    assert_is_for_a_terminal(&world.run(&["undo", "--dry-run"]).succeeds());
    for command in [&["lock", "status"][..], &["config", "path"], &["config", "show"], &["rescue"]] {
        assert_is_for_a_terminal(&world.run(command).succeeds());
    }
    killed_while_the_agent_thinks(&world, &["-a"]);
    assert_is_for_a_terminal(&world.run(&["lock", "status"]).succeeds());
    for command in [&["rescue", "list"][..], &["rescue", "show"], &["rescue", "commit", "-m", &format!("x{EVIL}")]] {
        assert_is_for_a_terminal(&world.run(command));
    }
    world.agent(&format!("cat > /dev/null; printf 'no {EVIL}' >&2; exit 1"));
    change(3);
    assert_is_for_a_terminal(&world.run(&["-a", "-vv"]).fails_with(3));
    world.write(".stagecoach.toml", format!("[provider.\"{EVIL}\"]\n"));
    assert_is_for_a_terminal(&world.run(&["-a"]));
    world.write(".stagecoach.toml", "[defaults]\nprovider = \"evil\\u001b[2J\"\n");
    assert_is_for_a_terminal(&world.run(&["-a"]));
    assert_is_for_a_terminal(&world.run(&["trust"]));
}

/// Whatever the umask is: nobody else reads what a run keeps or leaves while it works.
#[test]
fn folders_are_the_users_alone_whatever_the_umask() {
    let world = World::with_message("");
    let modes = world.root().join("modes");
    let stat = "stat -c %a . ..";
    world.agent(&format!("cat > /dev/null; {stat} > '{}'; exit 1", modes.display()));
    std::os::unix::fs::symlink("/usr/bin/stat", world.root().join("bin/stat")).unwrap();
    world.stage("a.txt", "one\n");
    let script = format!("umask 0; exec '{}'", env!("CARGO_BIN_EXE_stagecoach"));
    let output = world.program("sh").args(["-c", &script]).output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(std::fs::read_to_string(modes).unwrap(), "700\n700\n");
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&world.path(".git/stagecoach")), 0o700);
    assert_eq!(mode(&world.path(".git/stagecoach/rescue")), 0o700);
    assert_eq!(mode(&world.root().join("run/stagecoach")), 0o700);
    assert_eq!(mode(&world.root().join("run/stagecoach/locks")), 0o700);
}

/// A value of another kind than the default, as the documentation describes what a key takes.
fn another(takes: &str, default: &str) -> String {
    let range = |text: &str| text.split(" to ").map(|end| end.trim().to_owned()).collect::<Vec<_>>();
    if let Some(numbers) = takes.strip_prefix("a whole number from ") {
        let numbers = range(numbers.split(',').next().unwrap());
        return numbers.into_iter().find(|number| number != default).unwrap();
    }
    match takes {
        "true or false" => (if default == "true" { "false" } else { "true" }).to_owned(),
        "text" => "\"evil\"".to_owned(),
        "a list of texts" => "[\"evil\"]".to_owned(),
        _ if takes.starts_with("a duration") => "\"7s\"".to_owned(),
        _ => {
            let choices = takes.replace(" or ", ", ");
            let other = choices.split(", ").find(|choice| format!("\"{choice}\"") != default).unwrap();
            format!("\"{other}\"")
        }
    }
}

/// Every key that the documentation says is ignored, set at once by a repository that nobody trusts.
#[test]
fn a_hostile_repository_changes_no_setting() {
    let docs = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/configuration.md")).unwrap();
    let mut text = String::from("config_version = 3\n");
    let mut keys = 0;
    for row in docs.lines().filter(|line| line.starts_with("| `") && line.contains(" | ignored | ")) {
        let cells: Vec<&str> = row.split('|').map(|cell| cell.trim().trim_matches('`')).collect();
        let (key, takes, default) = (cells[1], cells[2], cells[3]);
        let mut set = |key: &str| {
            keys += 1;
            text.push_str(&format!("{key} = {}\n", another(takes, default)));
        };
        set(key);
        // What can be set for all roles can be set for each.
        if ["provider", "model", "reasoning", "timeout"].iter().any(|field| key == format!("defaults.{field}")) {
            for role in ["planner", "stager", "message", "arbiter"] {
                set(&key.replace("defaults", &format!("role.{role}")));
            }
        }
    }
    assert!(keys > 25, "only {keys} keys are documented as ignored");
    let world = World::with_message("Harmless");
    let hostile = world.script("hostile", "touch \"$HOME/owned\"; echo owned");
    for provider in ["evil", "fake", "claude", "offline"] {
        text.push_str(&format!("provider.{provider}.command = {hostile:?}\nprovider.{provider}.detect = \"sh\"\n"));
    }
    let before = world.run(&["config", "show"]).succeeds().stdout;
    let providers = world.run(&["providers", "show", "fake"]).succeeds().stdout;
    world.stage(".stagecoach.toml", &text);
    assert_eq!(world.run(&["config", "show"]).succeeds().stdout, before, "{text}");
    assert_eq!(world.run(&["providers", "show", "fake"]).succeeds().stdout, providers);
    for command in [&["providers", "list"][..], &["models", "fake"], &["--dry-run"], &[]] {
        world.run(command).succeeds();
    }
    assert!(!world.home("owned").exists(), "a program of the repository was run");
    assert_eq!(world.message("HEAD"), "Harmless\n");
    world.stage("b.txt", "two\n");
    world.agent_says("Quiet");
    let run = world.run(&[]).succeeds();
    assert_eq!(run.stderr.matches("is not trusted").count(), 1, "{run:#?}");
    // Trusted, it is read, so that the test above was one.
    world.run(&["trust"]).succeeds();
    assert_ne!(world.run(&["config", "show"]).succeeds().stdout, before);
}
