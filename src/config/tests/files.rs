use std::fs;
use std::path::{Path, PathBuf};

use super::support::World;
use crate::config::{Environment, FileState, Folders, Layer, Settings, Sources, files, load, show_files};

type Arrange = fn(&World);

/// Reading a pipe that nobody writes to would hang; the test's own limit is that of the test runner.
fn fifo(path: &Path) {
    assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
}

#[test]
fn a_repositorys_file_is_a_regular_file_or_an_error() {
    let cases: [(Arrange, &str); 5] = [
        (|world| fs::create_dir(world.repository_path()).unwrap(), "a folder"),
        (|world| fifo(&world.repository_path()), "a special file"),
        (|world| std::os::unix::fs::symlink("elsewhere", world.repository_path()).unwrap(), "a symbolic link"),
        (
            |world| {
                fs::write(world.path("elsewhere"), "secret").unwrap();
                std::os::unix::fs::symlink(world.path("elsewhere"), world.repository_path()).unwrap();
            },
            "a symbolic link",
        ),
        (|world| drop(std::os::unix::net::UnixListener::bind(world.repository_path()).unwrap()), "a special file"),
    ];
    for (arrange, found) in cases {
        // What the user trusts for a run is content, not whatever the name leads to.
        for world in [World::new(), World::new().trusting()] {
            arrange(&world);
            let (error, hint) = world.error();
            let path = "repository/.stagecoach.toml";
            assert_eq!(error, format!("configuration file {path} is {found}, not a regular file"));
            assert_eq!(hint, "Put a regular file there, or remove it.");
        }
    }
}

#[test]
fn a_huge_file_is_not_read() {
    let comment = |bytes: usize| "#".repeat(bytes);
    World::new().repository(comment(1024 * 1024)).loaded();
    for world in [
        World::new().repository(comment(1024 * 1024 + 1)),
        World::new().global(comment(1024 * 1024 + 1)),
        World::new().config_flag("/dev/zero"),
    ] {
        let (error, hint) = world.error();
        assert!(error.ends_with("is larger than 1024 KiB"), "{error}");
        assert_eq!(hint, "Remove what is not configuration from it.");
    }
}

#[test]
fn the_users_own_file_may_be_a_link() {
    let world = World::new();
    fs::write(world.path("dotfiles.toml"), "config_version = 3\ngeneration.locale = 'de'").unwrap();
    std::os::unix::fs::symlink(world.path("dotfiles.toml"), world.global_path()).unwrap();
    assert_eq!(world.loaded().settings.generation.locale.as_deref(), Some("de"));
}

#[test]
fn the_users_own_file_is_no_pipe_and_no_folder() {
    let world = World::new();
    fifo(&world.global_path());
    assert!(world.error().0.ends_with("is a special file, not a regular file"));
    let world = World::new();
    fs::create_dir(world.global_path()).unwrap();
    assert!(world.error().0.ends_with("is a folder, not a regular file"));
}

#[test]
fn a_file_that_is_named_must_be_there() {
    let (error, hint) = World::new().config_flag("nowhere.toml").error();
    assert_eq!(error, "configuration file nowhere.toml does not exist; --config names it");
    assert_eq!(hint, "Create the file, or do not set --config.");
    let (error, hint) = World::new().variable("STAGECOACH_CONFIG", "/nowhere/x.toml").error();
    assert_eq!(error, "configuration file /nowhere/x.toml does not exist; STAGECOACH_CONFIG names it");
    assert_eq!(hint, "Create the file, or do not set STAGECOACH_CONFIG.");
    assert!(World::new().config_flag("repository").error().0.ends_with("is a folder, not a regular file"));
}

#[test]
fn a_file_that_is_no_text_says_where() {
    let (error, hint) = World::new().global(b"a = 1\nb = '\xff'\n").error();
    assert_eq!(error, "config/config.toml:2:6: the file is not UTF-8 text");
    assert_eq!(hint, "Save the file as UTF-8.");
}

#[test]
fn without_a_working_tree_or_folders_there_are_no_files() {
    let loaded = load(&Sources::default()).unwrap();
    assert_eq!(loaded.settings, Settings::default());
    assert!(files(&Sources::default()).is_empty());
}

fn global_file(variables: &[(&str, &str)], folders: Folders) -> Option<PathBuf> {
    let variables = variables.iter().map(|(name, value)| ((*name).into(), (*value).into()));
    Environment::new(variables, folders).global_file()
}

#[test]
fn where_the_users_file_is_looked_for() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path();
    let platform = home.join("Library/stagecoach");
    let folders = |home_config_first| Folders {
        home: Some(home.to_owned()),
        config: Some(platform.clone()),
        state: None,
        cache: None,
        home_config_first,
    };
    let of_platform = platform.join("config.toml");
    let of_home = home.join(".config/stagecoach/config.toml");
    assert_eq!(global_file(&[], folders(false)), Some(of_platform.clone()));
    assert_eq!(global_file(&[("XDG_CONFIG_HOME", "/xdg")], folders(true)), Some("/xdg/stagecoach/config.toml".into()));
    for unset in ["", "relative/folder"] {
        assert_eq!(global_file(&[("XDG_CONFIG_HOME", unset)], folders(false)), Some(of_platform.clone()), "{unset}");
    }
    // macOS: only where ~/.config exists, and not when the other place alone has a file.
    assert_eq!(global_file(&[], folders(true)), Some(of_platform.clone()));
    fs::create_dir(home.join(".config")).unwrap();
    assert_eq!(global_file(&[], folders(true)), Some(of_home.clone()));
    fs::create_dir_all(&platform).unwrap();
    fs::write(&of_platform, "").unwrap();
    assert_eq!(global_file(&[], folders(true)), Some(of_platform.clone()));
    fs::create_dir_all(of_home.parent().unwrap()).unwrap();
    fs::write(&of_home, "").unwrap();
    assert_eq!(global_file(&[], folders(true)), Some(of_home));
    assert_eq!(global_file(&[], folders(false)), Some(of_platform));
}

fn states(world: &World) -> Vec<(Layer, bool, FileState)> {
    files(&world.sources()).into_iter().map(|file| (file.layer, file.exists, file.state)).collect()
}

#[test]
fn the_files_and_what_becomes_of_them() {
    use FileState::{Absent, Replaced, Untrusted, Used};
    use Layer::{ExplicitFile, GlobalFile, RepositoryFile};

    assert_eq!(states(&World::new()), [(GlobalFile, false, Absent), (RepositoryFile, false, Absent)]);
    let world = World::new().global("").repository("generation.locale = 'x'");
    assert_eq!(states(&world), [(GlobalFile, true, Used), (RepositoryFile, true, Used)]);
    let world = world.repository("defaults.model = 'x'");
    assert_eq!(states(&world), [(GlobalFile, true, Used), (RepositoryFile, true, Untrusted)]);
    world.store().trust(&world.repository_path()).unwrap();
    assert_eq!(states(&world), [(GlobalFile, true, Used), (RepositoryFile, true, Used)]);
    let world = world.explicit("");
    assert_eq!(
        states(&world),
        [(GlobalFile, true, Replaced), (RepositoryFile, true, Replaced), (ExplicitFile, true, Used)]
    );
}

#[test]
fn a_broken_file_does_not_keep_the_paths_from_being_shown() {
    let world = World::new().global("broken").repository("also broken");
    let text = show_files(&files(&world.sources())).replace(&format!("{}/", world.path("").display()), "");
    let text = text.replace(&world.path("").display().to_string(), "");
    let lines: Vec<_> = text.lines().collect();
    assert!(lines[0].starts_with("global file: config/config.toml (cannot be used: config/config.toml:1:"), "{text}");
    assert!(lines[1].starts_with("repository file: repository/.stagecoach.toml (cannot be used: "), "{text}");
    let json = serde_json::to_value(files(&world.sources())).unwrap();
    assert_eq!(json[0]["state"], "broken");
    assert_eq!(json[0]["layer"], "global-file");
    assert_eq!(json[0]["exists"], true);
    assert!(json[0]["error"].as_str().unwrap().contains("TOML syntax error"));
    assert!(json[0]["path"].is_string());
}
