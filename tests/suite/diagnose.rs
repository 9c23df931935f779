//! `providers test`, `doctor` and `models`: what can be found out without asking a model.

use serde_json::Value;

use crate::support::{Run, World, fresh, killed_while_the_agent_thinks};

/// A world with the provider `acme`, whose program answers `--version`, `--help`, `models` and prompts by these lines of
/// a shell's `case`.
fn acme(answers: &str, manifest: &str) -> World {
    let world = World::with_message("");
    let log = world.root().join("asked");
    let program = world.script(
        "acme",
        &format!(
            "echo \"$*\" >> '{}'\ncase \"$*\" in\n{answers}\n*) cat > /dev/null; echo ready ;;\nesac",
            log.display()
        ),
    );
    world.config(&format!(
        "config_version = 3\n[defaults]\nprovider = 'acme'\n[provider.acme]\ncommand = {program:?}\n\
         list_models_command = [{program:?}, 'models']\nmodel_flag = '--model'\nprint_flag = '-p'\n{manifest}\n\
         [provider.acme.checks]\nversion = [{program:?}, '--version']\nminimum = '2.0'\nauth_env = ['ACME_KEY']\n\
         auth_files = ['~/.acme/login']\nnotes = ['Install acme from its page.']\n"
    ));
    world
}

const HEALTHY: &str =
    "--version) echo acme 2.1.0 ;;\n--help) echo ' -p, --print  --model <m>' ;;\nmodels) printf 'one\\ntwo\\n' ;;";

fn asked(world: &World, what: &str) -> usize {
    let text = std::fs::read_to_string(world.root().join("asked")).unwrap_or_default();
    text.lines().filter(|line| *line == what).count()
}

fn json(run: &Run) -> Value {
    serde_json::from_str(&run.stdout).unwrap()
}

/// The level and the message of each finding of a code.
fn findings(report: &Value, code: &str) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let checks = report["checks"].as_array().unwrap().iter().filter(|check| check["code"] == code);
    checks.map(|check| (text(&check["level"]), text(&check["message"]))).collect()
}

#[track_caller]
fn assert_finding(report: &Value, code: &str, level: &str, message: &str) {
    let found = findings(report, code);
    assert!(found.iter().any(|(l, m)| l == level && m.contains(message)), "{code}: {found:?}");
}

#[test]
fn a_healthy_provider_passes_and_nothing_is_changed() {
    let world = acme(HEALTHY, "");
    std::fs::create_dir(world.home(".acme")).unwrap();
    std::fs::write(world.home(".acme/login"), "").unwrap();
    let before = world.state();
    let run = world.run(&["providers", "test", "acme", "--json"]).succeeds();
    let document = json(&run);
    assert_eq!((&document["schema"], &document["status"]), (&Value::from(1), &Value::from("pass")));
    let report = &document["reports"][0];
    assert_eq!((&report["name"], &report["status"]), (&Value::from("acme"), &Value::from("pass")));
    assert_finding(report, "command", "info", "/acme");
    assert_finding(report, "version", "info", "2.1.0");
    assert_finding(report, "flags", "info", "every option");
    assert_finding(report, "login", "info", "~/.acme/login is there");
    assert_finding(report, "model", "info", "message: the program's own default");
    assert_finding(report, "stager", "info", "cannot stage");
    assert_finding(report, "session", "info", "no sessions");
    assert!(findings(report, "probe").is_empty());
    assert_eq!(asked(&world, "-p"), 0, "no model is asked");
    assert_eq!(world.state(), before);
    world.assert_tidy();

    let report = &json(&world.run(&["providers", "test", "acme", "--probe", "--json"]).succeeds())["reports"][0];
    assert_finding(report, "probe", "info", "answered \"ready\" after ");
    assert_eq!(asked(&world, "-p"), 1);
}

#[test]
fn a_stager_that_fails_where_it_is_confined_is_a_warning() {
    let stager = "tooled_flags = ['--tools']";
    let report = json(&acme(HEALTHY, stager).run(&["providers", "test", "acme", "--json"]).succeeds());
    let report = &report["reports"][0];
    assert_finding(report, "confined", "info", "starts as a stager");
    let is_confined = findings(report, "confined")[0].1.contains("kept from writing");

    // It has its state where only an agent that is not confined may write.
    let answers = HEALTHY.replace("--version)", "--version) echo 1 > \"$HOME/state\" || exit 3;");
    let world = acme(&answers, stager);
    let report = &json(&world.run(&["providers", "test", "acme", "--json"]).succeeds())["reports"][0];
    assert_finding(report, "version", "info", "2.1.0");
    if is_confined {
        assert_finding(report, "confined", "warn", "kept from writing to your repository, it fails: ");
        assert_finding(report, "confined", "warn", "--version`: exit 3");
    } else {
        assert_finding(report, "confined", "info", "this system cannot keep it");
    }
    world.assert_tidy();
    // Who confines itself, or cannot stage, is not confined, so it is not tried.
    for manifest in ["tooled_flags = ['--tools']\ntooled.sandbox = true", ""] {
        let report =
            &json(&acme(&answers, manifest).run(&["providers", "test", "acme", "--json"]).succeeds())["reports"][0];
        assert!(findings(report, "confined").is_empty(), "{report}");
    }
}

#[test]
fn what_may_go_wrong_is_a_warning() {
    let answers = "--version) echo acme 1.9.9 ;;\n--help) echo ' --model <m>  --printer' ;;";
    let mut world = acme(answers, "");
    let report = &json(&world.run(&["providers", "test", "acme", "--json"]).succeeds())["reports"][0];
    assert_eq!(report["status"], "warn");
    assert_finding(report, "version", "warn", "1.9.9 is below 2.0");
    assert_finding(report, "flags", "warn", "does not list -p");
    assert_finding(report, "login", "warn", "no sign of a login");

    world.set("ACME_KEY", "hidden-value");
    std::fs::create_dir(world.home(".acme")).unwrap();
    std::fs::write(world.home(".acme/login"), "").unwrap();
    let run = world.run(&["providers", "test", "acme", "--json"]).succeeds();
    assert_finding(&json(&run)["reports"][0], "login", "warn", "ACME_KEY is set, and may be used instead");
    assert!(!run.stdout.contains("hidden-value"));
}

#[test]
fn a_named_provider_that_would_fail_is_exit_1_with_what_to_do() {
    let world = acme(HEALTHY, "provider_flag = '--backend'\ndefault_model = 'bare'");
    let run = world.run(&["providers", "test", "acme"]).fails_with(1);
    assert!(run.stdout.starts_with("acme: fail\n"), "{run:?}");
    assert!(run.stdout.contains("backend/model") || run.stdout.contains("<backend>/"), "{run:?}");
    run.says(&["error: something would stop a run"]);

    let run = world.run(&["providers", "test", "codex"]).fails_with(1);
    assert!(run.stdout.contains("`codex` is not installed") && run.stdout.contains("hint: Install it with"), "{run:?}");
    // Of all, those that are not there are no failure.
    let run = world.run(&["providers", "test", "--json"]).succeeds();
    let document = json(&run);
    let codex = document["reports"].as_array().unwrap().iter().find(|report| report["name"] == "codex").unwrap();
    assert_eq!(codex["status"], "pass");
    world.run(&["providers", "test", "acmee"]).fails_with(1).says(&["no provider `acmee`", "did you mean acme?"]);
    world.run(&["providers", "test", "--probe"]).fails_with(1);

    world.agent("cat > /dev/null; echo 'Not logged in' >&2; exit 1");
    let run = world.run(&["providers", "test", "fake", "--probe"]).fails_with(1);
    assert!(run.stdout.contains("error probe      fake is not logged in"), "{run:?}");
}

#[test]
fn every_built_in_can_be_tested_where_none_is_installed() {
    let world = World::new();
    let document = json(&world.run(&["providers", "test", "--json"]).succeeds());
    let names: Vec<&str> =
        document["reports"].as_array().unwrap().iter().map(|report| report["name"].as_str().unwrap()).collect();
    for name in ["pi", "opencode", "cursor", "agy", "codex", "claude", "qwen", "copilot", "gemini", "offline"] {
        assert!(names.contains(&name), "{names:?}");
    }
    let run = world.run(&["providers", "test", "offline"]).succeeds();
    assert!(run.stdout.starts_with("offline: pass\n"), "{run:?}");
}

// ---- doctor

fn section<'a>(document: &'a Value, name: &str) -> &'a Value {
    document["reports"].as_array().unwrap().iter().find(|report| report["name"] == name).unwrap()
}

#[test]
fn the_doctor_looks_at_everything_and_changes_nothing() {
    let world = acme(HEALTHY, "");
    let before = world.state();
    let document = json(&world.run(&["doctor", "--json"]).succeeds());
    for name in ["git", "repository", "configuration", "providers", "roles", "lock", "leftovers", "terminal"] {
        assert!(section(&document, name)["status"].is_string(), "{name}");
    }
    assert_finding(section(&document, "git"), "version", "info", "2.");
    assert_finding(section(&document, "repository"), "identity", "info", "A U Thor <author@example.com>");
    assert_finding(section(&document, "configuration"), "file", "info", "config.toml");
    assert_finding(section(&document, "roles"), "provider", "info", "message: acme");
    assert_finding(section(&document, "lock"), "holder", "info", "nobody");
    assert_finding(section(&document, "leftovers"), "rescues", "info", "nothing is left");
    assert_eq!(world.state(), before);
    world.assert_tidy();
    assert!(world.run(&["doctor"]).succeeds().stdout.starts_with("git: pass\n  "));
}

#[test]
fn the_doctor_finds_what_would_stop_a_run() {
    let world = acme(HEALTHY, "");
    world.config("config_version = 3\n[defaults]\nprovder = 'x'\n");
    let run = world.run(&["doctor", "--json"]).fails_with(1).says(&["something would stop a run"]);
    let document = json(&run);
    assert_eq!(document["status"], "fail");
    assert_finding(section(&document, "configuration"), "setting", "error", "the configuration is wrong");
    assert!(run.stdout.contains("provder"), "{run:?}");
    // Everything else is looked at all the same.
    assert_finding(section(&document, "repository"), "identity", "info", "A U Thor");

    world.config("config_version = 3\n[defaults]\nprovider = 'codex'\n");
    let document = json(&world.run(&["doctor", "--json"]).fails_with(1));
    assert_finding(section(&document, "roles"), "provider", "error", "message: `codex` is not installed");
    world.config("config_version = 3\n[defaults]\nprovider = 'codex'\nfallback = ['offline']\n");
    let document = json(&world.run(&["doctor", "--json"]).succeeds());
    assert_finding(section(&document, "roles"), "provider", "warn", "message: `codex` is not installed");
    world.config("config_version = 3\n[defaults]\nfallback = ['nobody']\n");
    let document = json(&world.run(&["doctor", "--json"]).fails_with(1));
    assert_finding(section(&document, "roles"), "fallback", "error", "no provider `nobody`");

    world.config("");
    std::fs::write(world.home("gitconfig"), "[user]\n\tuseConfigOnly = true\n").unwrap();
    std::fs::write(world.path(".git/CHERRY_PICK_HEAD"), world.head()).unwrap();
    let document = json(&world.run(&["doctor", "--json"]).fails_with(1));
    assert_finding(section(&document, "repository"), "identity", "error", "git does not know who commits");
    assert_finding(section(&document, "repository"), "state", "error", "a cherry-pick is in progress");
}

#[test]
fn the_doctor_tells_a_file_that_is_no_toml_once() {
    let world = World::with_message("Write it down");
    world.config("config_version = 3\n[generation]\nlocale =\n");
    let run = world.run(&["doctor"]).fails_with(1);
    assert_eq!(run.stdout.matches("config.toml:3:9: TOML syntax error: no value after `=`").count(), 1, "{run:?}");
    assert_eq!(run.stdout.matches("hint: correct the line").count(), 1, "{run:?}");
    assert!(!run.stderr.contains("the configuration is wrong"), "{run:?}");
    // What only reading the values finds is told of them.
    world.config("config_version = 3\n[generation]\nlocale = 3\n");
    let run = world.run(&["doctor"]).fails_with(1).says(&["the configuration is wrong"]);
    assert_eq!(run.stdout.matches("config.toml:3:1: ").count(), 1, "{run:?}");
}

#[test]
fn the_doctor_tells_of_leftovers_hooks_and_untrusted_files() {
    let world = World::with_message("");
    world.agent("cat > /dev/null; exit 4");
    world.stage("a", "x\n");
    world.run(&[]).fails_with(3);
    world.write(".stagecoach.toml", "config_version = 3\n[defaults]\nprovider = 'codex'\n");
    let document = json(&world.run(&["doctor", "--json"]).succeeds());
    assert_finding(section(&document, "leftovers"), "rescues", "warn", "left to finish: 1");
    assert_finding(section(&document, "configuration"), "file", "warn", ".stagecoach.toml is not trusted");
    assert_finding(section(&document, "repository"), "messages", "info", "no hook writes messages");
}

#[test]
fn the_doctor_shows_what_a_killed_run_left_and_says_that_the_next_one_clears_it_up() {
    let world = World::with_message("");
    world.stage("a", "x\n");
    killed_while_the_agent_thinks(&world, &[]);
    let lock = world.path(".git/index.lock");
    std::fs::write(&lock, "").unwrap();
    let before = world.state();
    let document = json(&world.run(&["doctor", "--json"]).succeeds());
    let dead = section(&document, "lock");
    assert_finding(dead, "holder", "warn", ", which is gone: it was killed");
    assert!(dead["checks"][0]["hint"].as_str().unwrap().contains("the next run takes the lock over"), "{dead:#}");
    let left = section(&document, "leftovers");
    assert_finding(left, "rescues", "warn", "left to finish: 1");
    assert_finding(left, "folders", "warn", "killed runs have left: 1");
    assert_finding(left, "index_lock", "warn", "the index is locked");
    let folder = left["checks"].as_array().unwrap().iter().find(|check| check["code"] == "folders").unwrap();
    assert!(folder["detail"].as_str().unwrap().contains("/tmp/stagecoach-"), "{folder:#}");
    assert_eq!(world.state(), before);

    std::fs::remove_file(lock).unwrap();
    world.agent_says("Add a");
    world.run(&[]).succeeds();
    let document = json(&world.run(&["doctor", "--json"]).succeeds());
    assert_eq!(section(&document, "leftovers")["checks"].as_array().unwrap().len(), 1);
    assert_finding(section(&document, "lock"), "holder", "info", "nobody");
}

#[test]
fn the_doctor_names_the_formats_of_the_repository_as_git_does() {
    for options in [&[][..], &["--object-format=sha256", "--ref-format=reftable"]] {
        let world = World::new();
        fresh(&world, options);
        let document = json(&world.run(&["doctor", "--json"]).succeeds());
        let (objects, refs) =
            (world.git(&["rev-parse", "--show-object-format"]), world.git(&["rev-parse", "--show-ref-format"]));
        let said = format!("objects: {objects}, refs: {refs}");
        assert_finding(section(&document, "repository"), "format", "info", &said);
    }
}

#[test]
fn the_doctor_comes_outside_of_repositories_too() {
    let world = World::new();
    let run = Run::of(world.stagecoach(&["doctor", "--json"]).current_dir(world.root()).output().unwrap()).succeeds();
    let document = json(&run);
    assert_finding(section(&document, "repository"), "place", "info", "in no repository");
    assert_finding(section(&document, "providers"), "installed", "warn", "no coding agent is installed");
    assert_finding(section(&document, "roles"), "provider", "info", "planner: offline");
}

// ---- models

fn list(world: &World, arguments: &[&str]) -> Value {
    json(&world.run(&[&["models", "--json"], arguments].concat()).succeeds())["providers"][0]["models"].clone()
}

#[test]
fn models_are_asked_for_once_a_day() {
    let mut world = acme(HEALTHY, "");
    let both = serde_json::json!(["one", "two"]);
    assert_eq!(list(&world, &["acme"]), both);
    assert_eq!(list(&world, &[]), both);
    assert_eq!(asked(&world, "models"), 1);
    assert_eq!(list(&world, &["--refresh"]), both);
    assert_eq!(asked(&world, "models"), 2);
    // Another account may have other models.
    world.set("ACME_KEY", "another");
    list(&world, &[]);
    assert_eq!(asked(&world, "models"), 3);
    let cache = world.home(".cache/stagecoach/models");
    for entry in std::fs::read_dir(cache).unwrap() {
        assert!(!std::fs::read_to_string(entry.unwrap().path()).unwrap().contains("another"));
    }
    // So may a new version of the program, and a failure is not kept.
    world.script("acme", "case \"$*\" in --version) echo 3.0 ;; *) exit 3 ;; esac");
    let run = world.run(&["models"]).succeeds().says(&["acme: its own list failed (exit 3)"]);
    assert_eq!(run.stdout, "acme:\n  (it lists no models)\n");
}

/// The first of six waits for the last, which is only asked when others have answered.
#[test]
fn all_are_asked_and_a_slow_one_holds_up_no_other() {
    let world = World::new();
    let flag = world.root().join("flag");
    let mut config = "config_version = 3\n".to_owned();
    for name in ["a", "b", "c", "d", "e", "f"] {
        let act = match name {
            "a" => format!("while ! test -e '{}'; do sleep 0.01; done", flag.display()),
            "f" => format!("echo > '{}'", flag.display()),
            _ => String::new(),
        };
        let program = world.script(name, &format!("{act}\necho model-of-{name}"));
        config += &format!("[provider.{name}]\ncommand = {program:?}\nlist_models_command = [{program:?}]\n");
    }
    world.config(&config);
    let run = world.run(&["models", "--all"]).succeeds();
    assert_eq!(run.stderr, "");
    for name in ["a", "b", "c", "d", "e", "f"] {
        assert!(run.stdout.contains(&format!("{name}:\n  model-of-{name}\n")), "{run:#?}");
    }
}

#[test]
fn the_list_of_providers_says_how_each_is_asked() {
    let world = World::new();
    world.config(
        "config_version = 3\n[provider.always]\ncommand = 'x'\nacp = { command = ['x'], use = 'always' }\n\
         [provider.never]\ncommand = 'x'\nacp = { command = ['x'], use = 'never' }\n",
    );
    let text = world.run(&["providers", "list"]).succeeds().stdout;
    let (head, rows) = text.split_once('\n').unwrap();
    let column = head.find("TRANSPORT").unwrap();
    let document = json(&world.run(&["providers", "list", "--json"]).succeeds());
    for (name, transport) in [
        ("pi", "one-shot"),
        ("claude", "one-shot, ACP"),
        ("codex", "one-shot"),
        ("opencode", "one-shot, ACP"),
        ("always", "ACP"),
        ("never", "one-shot"),
        ("offline", "built-in"),
    ] {
        let row = rows.lines().find(|row| row.split_whitespace().any(|word| word == name)).unwrap();
        assert!(format!("{}  ", &row[column..]).starts_with(&format!("{transport}  ")), "{row}");
        let listed = document["providers"].as_array().unwrap().iter().find(|row| row["name"] == name).unwrap();
        assert_eq!(listed["transport"], transport);
    }
}

#[test]
fn a_provider_that_is_not_there_has_no_models() {
    let world = World::new();
    world.run(&["models", "claude"]).fails_with(1).says(&["`claude` is not installed", "message haiku", "Install it"]);
    world.run(&["models", "cluade"]).fails_with(1).says(&["no provider `cluade`"]);
    world.run(&["models", "--all"]).succeeds();
}
