//! `stagecoach integrate …`: other tools' files are edited with care.

use std::fs;
use std::os::unix::fs::symlink;

use crate::support::World;

const LAZYGIT: &str = ".config/lazygit/config.yml";

/// A world in which lazygit is installed, as a program that prints its folder.
fn with_lazygit() -> World {
    let world = World::new();
    let folder = world.home(".config/lazygit");
    let program = world.script("lazygit", &format!("test \"$1\" = --print-config-dir && echo '{}'", folder.display()));
    symlink(program, world.root().join("bin/lazygit")).unwrap();
    fs::create_dir_all(folder).unwrap();
    world
}

fn copies(world: &World, folder: &str) -> usize {
    let entries = fs::read_dir(world.home(folder)).unwrap();
    entries.filter(|entry| entry.as_ref().unwrap().path().to_str().unwrap().contains(".stagecoach-backup.")).count()
}

#[test]
fn lazygit_gets_a_key_and_loses_it_again() {
    let world = with_lazygit();
    let old = "# mine\ngui:\n    theme: x   # y\ncustomCommands:\n    - key: 'b'\n      command: 'c'";
    fs::write(world.home(LAZYGIT), old).unwrap();
    let run = world.run(&["integrate", "install", "lazygit", "--yes"]).succeeds();
    run.clone().says(&["+    - key: '<c-a>'", "+      command: 'stagecoach'", "the old file is kept as"]);
    assert!(run.stdout.starts_with("lazygit is set up: "), "{}", run.stdout);
    let new = fs::read_to_string(world.home(LAZYGIT)).unwrap();
    assert!(new.contains("    - key: 'b'\n      command: 'c'"), "{new}");
    assert_eq!(world.run(&["integrate", "install", "lazygit", "-y"]).succeeds().stdout, "lazygit is set up already\n");
    let listed = world.run(&["integrate", "list"]).succeeds().stdout;
    assert!(listed.lines().any(|line| line.starts_with("lazygit    yes       installed ")), "{listed}");
    world.run(&["integrate", "remove", "lazygit", "--yes"]).succeeds();
    assert_eq!(fs::read_to_string(world.home(LAZYGIT)).unwrap(), old);
    assert_eq!(world.run(&["integrate", "remove", "lazygit"]).succeeds().stdout, "lazygit is not set up\n");
    assert_eq!(copies(&world, ".config/lazygit"), 2);
}

#[test]
fn a_file_that_was_not_there_is_gone_again() {
    let world = with_lazygit();
    world.run(&["integrate", "install", "lazygit", "--yes", "--key", "<c-y>"]).succeeds();
    assert!(fs::read_to_string(world.home(LAZYGIT)).unwrap().contains("'<c-y>'"));
    world.run(&["integrate", "remove", "lazygit", "--yes"]).succeeds();
    assert!(!world.home(LAZYGIT).exists());
}

#[test]
fn without_a_yes_nothing_is_changed() {
    let world = with_lazygit();
    world.run(&["integrate", "install", "lazygit"]).fails_with(1).says(&["+customCommands:", "--yes"]);
    assert!(!world.home(LAZYGIT).exists());
}

#[test]
fn a_file_that_cannot_be_edited_safely_is_left() {
    for (old, why) in [
        ("a: [", "cannot be read as YAML"),
        ("customCommands: 7\n", "integrate show lazygit"),
        ("customCommands:\n  - key: '<c-a>'\n    context: 'files'\n    command: 'x'\n", "--key"),
    ] {
        let world = with_lazygit();
        fs::write(world.home(LAZYGIT), old).unwrap();
        world.run(&["integrate", "install", "lazygit", "--yes"]).fails_with(1).says(&[why]);
        assert_eq!(
            (fs::read_to_string(world.home(LAZYGIT)).unwrap().as_str(), copies(&world, ".config/lazygit")),
            (old, 0)
        );
    }
}

#[test]
fn git_runs_stagecoach_by_its_alias() {
    let world = World::with_message("By the alias");
    symlink(env!("CARGO_BIN_EXE_stagecoach"), world.root().join("bin/stagecoach")).unwrap();
    let old = fs::read_to_string(world.home("gitconfig")).unwrap();
    world.run(&["integrate", "install", "git-alias", "--yes"]).succeeds().says(&["+\tstagecoach = !stagecoach"]);
    world.stage("a", "x\n");
    world.git(&["stagecoach"]);
    assert_eq!(world.message("HEAD"), "By the alias\n");
    world.run(&["integrate", "install", "git-alias", "--yes", "--alias-name", "sc"]).succeeds();
    world.run(&["integrate", "remove", "git-alias", "--yes", "--alias-name", "sc"]).succeeds();
    world.run(&["integrate", "remove", "git-alias", "--yes"]).succeeds();
    assert_eq!(fs::read_to_string(world.home("gitconfig")).unwrap(), old);
    world.git(&["config", "--global", "alias.sc", "log"]);
    world
        .run(&["integrate", "install", "git-alias", "--yes", "--alias-name", "sc"])
        .fails_with(1)
        .says(&["already runs `log`"]);
    world
        .run(&["integrate", "install", "git-alias", "--yes", "--alias-name", "log"])
        .fails_with(1)
        .says(&["of its own"]);
}

#[test]
fn a_missing_tool_does_not_keep_the_others_from_being_set_up() {
    let world = World::new();
    let run = world.run(&["integrate", "install", "lazygit", "tig", "git-alias", "--yes"]).fails_with(1);
    assert!(run.stdout.starts_with("git-alias is set up: "), "{run:#?}");
    run.says(&["lazygit is not installed", "tig is set up by hand", "`stagecoach integrate show tig`"]);
}

#[test]
fn every_target_is_listed_and_shown() {
    let world = World::new();
    let listed = world.run(&["integrate", "list"]).succeeds().stdout;
    for target in ["git-alias", "lazygit", "gitui", "tig", "neovim", "vscode"] {
        assert!(listed.lines().any(|line| line.starts_with(target)), "{target}\n{listed}");
        assert!(world.run(&["integrate", "show", target]).succeeds().stdout.contains("stagecoach"), "{target}");
    }
    world.run(&["integrate", "show", "lazigit"]).fails_with(1).says(&["did you mean lazygit?"]);
}

/// What `docs/integrations.md` shows is what is done.
#[test]
fn the_documentation_shows_what_is_done() {
    let text = include_str!("../../docs/integrations.md");
    let world = with_lazygit();
    symlink(env!("CARGO_BIN_EXE_stagecoach"), world.root().join("bin/stagecoach")).unwrap();
    for block in text.split("```sh\n").skip(1) {
        let command = block.split("```").next().unwrap().trim();
        let yes = if command.contains("install") { " --yes" } else { "" };
        let output = world.program("sh").args(["-c", &format!("{command}{yes}")]).output().unwrap();
        assert!(output.status.success(), "{command}: {output:?}");
    }
    let entry = text.split("```yaml\n").nth(1).unwrap().split("```").next().unwrap();
    assert!(world.run(&["integrate", "show", "lazygit"]).succeeds().stdout.ends_with(entry));
    for line in text.lines().filter(|line| line.starts_with("| `")) {
        let target = line.split('`').nth(1).unwrap();
        world.run(&["integrate", "show", target]).succeeds();
    }
}
