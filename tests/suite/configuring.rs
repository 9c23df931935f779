//! `stagecoach config …`: files are written whole, and nothing of the user's is lost.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};

use crate::support::World;

const GLOBAL: &str = ".config/stagecoach/config.toml";

/// A world in which these programs are installed.
fn with_programs(names: &[&str]) -> World {
    let world = World::new();
    for name in names {
        let program = world.script(name, "exit 1");
        symlink(program, world.root().join("bin").join(name)).unwrap();
    }
    world
}

fn file(world: &World) -> String {
    fs::read_to_string(world.home(GLOBAL)).unwrap()
}

/// The copies of the user's file.
fn copies(world: &World) -> Vec<String> {
    let entries = fs::read_dir(world.home(".config/stagecoach")).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.starts_with("config.toml.bak.")).collect()
}

#[test]
fn init_writes_a_file_that_works() {
    let world = with_programs(&["claude", "codex"]);
    let run = world.run(&["config", "init"]).succeeds();
    assert_eq!(run.stdout, format!("{}\n", world.home(GLOBAL).display()));
    assert_eq!(run.stderr, "");
    let shown = world.run(&["config", "show", "--origin"]).succeeds();
    assert_eq!(shown.stderr, "");
    assert!(shown.stdout.contains("provider = \"codex\"  # global file"), "{}", shown.stdout);
    assert!(file(&world).contains("# claude is installed, too."), "{}", file(&world));
    let before = file(&world);
    world.run(&["config", "init"]).fails_with(1).says(&["is there already", "--force"]);
    world.run(&["config", "init", "--force"]).succeeds().says(&["up to date"]);
    assert_eq!((file(&world), copies(&world).len()), (before, 0));
}

#[test]
fn init_takes_the_provider_that_is_named() {
    let world = with_programs(&["codex"]);
    world.run(&["config", "init", "--provider", "cluade"]).fails_with(1).says(&["did you mean claude?"]);
    assert!(!world.home(GLOBAL).exists());
    world.run(&["config", "init", "--provider", "claude"]).succeeds();
    assert!(file(&world).contains("\nprovider = \"claude\"\n"));
    world.run(&["config", "init", "--force", "--provider", "codex"]).succeeds().says(&["which was kept"]);
    assert!(file(&world).contains("\nprovider = \"claude\"\n"));
}

#[test]
fn without_an_agent_init_sets_the_offline_writer_and_says_so() {
    let world = World::new();
    world.run(&["config", "init"]).succeeds().says(&["no coding agent is installed"]);
    assert!(file(&world).contains("\nprovider = \"offline\"\n"));
}

#[test]
fn a_template_sets_nothing() {
    let world = with_programs(&["codex"]);
    world.run(&["config", "init", "--template"]).succeeds();
    assert!(file(&world).lines().all(|line| line.is_empty() || line.starts_with('#')));
    assert_eq!(world.run(&["config", "show"]).succeeds().stderr, "");
}

#[test]
fn force_keeps_settings_remarks_mode_and_links() {
    let world = with_programs(&["codex"]);
    let real = world.home("dotfiles/stagecoach.toml");
    fs::create_dir_all(real.parent().unwrap()).unwrap();
    fs::create_dir_all(world.home(".config/stagecoach")).unwrap();
    let old = "# mine\n[generation]\nformat = 'plain' # short\n[provider.mine]\ncommand = 'x'\n";
    fs::write(&real, old).unwrap();
    fs::set_permissions(&real, fs::Permissions::from_mode(0o600)).unwrap();
    symlink("../../dotfiles/stagecoach.toml", world.home(GLOBAL)).unwrap();

    world.run(&["config", "init", "--force"]).succeeds().says(&["the old file is kept as"]);
    let new = file(&world);
    for line in old.lines() {
        assert!(new.lines().any(|other| other == line), "{line} is gone:\n{new}");
    }
    assert!(new.contains("config_version = 3"), "{new}");
    assert!(world.home(GLOBAL).symlink_metadata().unwrap().is_symlink());
    assert_eq!(fs::metadata(&real).unwrap().mode() & 0o777, 0o600);
    let copies = copies(&world);
    assert_eq!(copies.len(), 1);
    assert_eq!(fs::read_to_string(world.home(".config/stagecoach").join(&copies[0])).unwrap(), old);
}

#[test]
fn a_file_that_is_wrong_or_newer_is_not_touched() {
    for (text, why) in [("[broken", "TOML syntax error"), ("config_version = 9\na = 1\n", "newer")] {
        let world = World::new();
        world.config(text);
        world.run(&["config", "init", "--force"]).fails_with(1).says(&[why]);
        assert_eq!((file(&world).as_str(), copies(&world).len()), (text, 0));
    }
}

#[test]
fn init_writes_the_file_that_is_named() {
    let mut world = World::new();
    let path = world.home("other/place.toml");
    world.run(&["config", "init", "--config", path.to_str().unwrap()]).succeeds();
    assert!(path.exists() && !world.home(GLOBAL).exists());
    world.set("STAGECOACH_CONFIG", path.to_str().unwrap());
    world.run(&["config", "init"]).fails_with(1).says(&["place.toml is there already"]);
}

#[test]
fn a_local_file_is_written_at_the_root_and_trusted() {
    let world = with_programs(&["codex"]);
    world.write("deep/file", "");
    world.stagecoach(&["config", "init", "--local"]).current_dir(world.path("deep")).output().unwrap();
    let shown = world.run(&["config", "show", "--origin"]).succeeds();
    assert_eq!(shown.stderr, "", "it is not trusted");
    assert!(shown.stdout.contains("provider = \"codex\"  # repository file"), "{}", shown.stdout);
    let mut outside = world.stagecoach(&["config", "init", "--local"]);
    let outside = crate::support::Run::of(outside.current_dir(world.home("")).output().unwrap());
    outside.fails_with(1).says(&["there is no repository here"]);
}

#[test]
fn what_nobody_trusted_is_not_trusted_for_being_renewed() {
    let world = World::new();
    world.write(".stagecoach.toml", "[provider.evil]\ncommand = 'evil'\n");
    world.run(&["config", "init", "--local", "--force"]).succeeds().says(&["was not trusted before"]);
    assert_eq!(world.run(&["trust", "--list"]).succeeds().stdout, "");
    world.run(&["config", "show"]).succeeds().says(&["is not trusted; ignored:", "provider.evil"]);
}

#[test]
fn interactive_needs_a_terminal() {
    let world = World::new();
    world.run(&["config", "init", "--interactive"]).fails_with(1).says(&["needs a terminal"]);
    assert!(!world.home(GLOBAL).exists());
}

#[test]
fn upgrade_edits_in_place_and_once() {
    let world = World::new();
    world.config("# mine\r\n[provider.pi]\r\ndefault_provider = \"x\" # login\r\ndefault_model = 'm'");
    world.run(&["config", "show"]).succeeds().says(&["`stagecoach config upgrade` sets it"]);
    // Until then, the old words are understood.
    assert!(world.run(&["providers", "show", "pi"]).succeeds().stdout.contains("default_model = \"x/m\""));

    let run = world.run(&["config", "upgrade"]).succeeds();
    assert!(run.stdout.contains("config.toml is upgraded; the old one is kept as"), "{}", run.stdout);
    let new = "config_version = 3\r\n# mine\r\n[provider.pi]\r\n# default_provider = \"x\" # login\r\ndefault_model = \"x/m\"";
    assert_eq!(file(&world), new);
    assert_eq!(world.run(&["config", "show"]).succeeds().stderr, "");
    assert!(world.run(&["config", "upgrade"]).succeeds().stdout.contains("is up to date"));
    assert_eq!((file(&world).as_str(), copies(&world).len()), (new, 1));
}

#[test]
fn upgrade_refuses_what_is_wrong_and_does_the_others() {
    for (text, why) in [
        ("[broken", "TOML syntax error"),
        ("config_version = 2\ndefaults.modle = 'x'\n", "config.toml:2:10: unknown key `defaults.modle`"),
        ("config_version = 2\ngeneration.max_commits = 0\n", "out of range"),
        ("[provider.x]\ncomand = 'x'\n", "config.toml:2:1"),
    ] {
        let world = World::new();
        world.config(text);
        world.write(".stagecoach.toml", "generation.format = 'plain'\n");
        world.run(&["config", "upgrade"]).fails_with(1).says(&[why]);
        assert_eq!((file(&world).as_str(), copies(&world).len()), (text, 0), "{why}");
        assert!(world.read(".stagecoach.toml").starts_with("config_version = 3\n"));
    }
    let world = World::new();
    assert!(world.run(&["config", "upgrade"]).succeeds().stdout.contains("there is no configuration file"));
}

#[test]
fn an_upgraded_local_file_stays_trusted() {
    let world = World::new();
    world.write(".stagecoach.toml", "defaults.model = 'x'\n");
    world.run(&["trust"]).succeeds();
    world.run(&["config", "upgrade"]).succeeds();
    assert_eq!(world.run(&["config", "show"]).succeeds().stderr, "");
    world.write(".stagecoach.toml", "defaults.model = 'y'\n");
    world.run(&["config", "upgrade"]).succeeds();
    world.run(&["config", "show"]).succeeds().says(&["is not trusted"]);
}

#[test]
fn the_schema_that_is_printed_is_the_one_in_the_repository() {
    let committed = include_str!("../../docs/config.schema.json");
    assert_eq!(World::new().run(&["config", "schema"]).succeeds().stdout, committed);
}

#[test]
fn the_first_run_on_a_machine_names_config_init_once() {
    let mut world = World::new();
    world.write("a", "x\n");
    let hint = "`stagecoach config init`";
    for quiet in [["--dry-run", "--quiet"], ["--dry-run", "--json"]] {
        assert!(!world.run(&quiet).succeeds().stderr.contains(hint));
    }
    world.run(&["--dry-run"]).succeeds().says(&[hint]);
    assert!(!world.run(&["--dry-run"]).succeeds().stderr.contains(hint));
    assert!(!world.home(GLOBAL).exists(), "a run writes no configuration");

    // Another machine, with a file of any kind, or without a place to remember.
    world.set("XDG_STATE_HOME", world.home("elsewhere").to_str().unwrap());
    world.write(".stagecoach.toml", "");
    assert!(!world.run(&["--dry-run"]).succeeds().stderr.contains(hint));
    fs::remove_file(world.path(".stagecoach.toml")).unwrap();
    fs::write(world.home("plain-file"), "").unwrap();
    world.set("XDG_STATE_HOME", world.home("plain-file").to_str().unwrap());
    assert!(!world.run(&["--dry-run"]).succeeds().stderr.contains(hint));
}

#[test]
fn the_copy_of_a_repositorys_file_enters_no_commit() {
    let world = with_programs(&[]);
    world.write(".stagecoach.toml", "defaults.model = 'x'\n");
    world.git(&["add", ".stagecoach.toml"]);
    world.git(&["commit", "-q", "-m", "Configure it"]);
    let run = world.run(&["config", "upgrade"]).succeeds();
    assert!(run.stdout.contains(".git/stagecoach/.stagecoach.toml.bak.2"), "{}", run.stdout);
    world.run(&["config", "init", "--local", "--force"]).succeeds().says(&[".git/stagecoach/.stagecoach.toml.bak.2"]);
    assert_eq!(world.git(&["status", "--porcelain"]), " M .stagecoach.toml");
    let copies = fs::read_dir(world.path(".git/stagecoach")).unwrap().count();
    assert_eq!(copies, 2);
}

/// By the same rule, whatever shows them.
#[test]
fn values_of_secret_variables_are_not_shown() {
    let world = World::new();
    let names = ["A_KEY", "a_token", "A_SECRET", "DB_PASS", "A_CREDENTIAL", "AUTH", "A_COOKIE", "A_PRIVATE"];
    let secret = |name: &&str| format!("env.{name} = \"hidden value\"\n");
    let secrets: String = names.iter().map(secret).collect();
    world.config(&format!(
        "config_version = 3\n[provider.own]\ncommand = \"own\"\nenv.LEVEL = \"open value\"\n{secrets}"
    ));
    for arguments in [&["config", "show"][..], &["providers", "show", "own"]] {
        for more in [&[][..], &["--json"]] {
            let run = world.run(&[arguments, more].concat()).succeeds();
            let said = format!("{}{}", run.stdout, run.stderr);
            assert!(said.contains("open value") && !said.contains("hidden value"), "{arguments:?}: {said}");
            assert!(names.iter().all(|name| arguments[0] == "providers" || said.contains(name)), "{said}");
        }
    }
}
