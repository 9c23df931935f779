use super::sweep::sweep_in;
use super::*;

#[test]
fn it_is_gone_with_the_value() {
    let parent = tempfile::tempdir().unwrap();
    let scratch = Scratch::new_in(parent.path()).unwrap();
    let path = scratch.path().to_owned();
    fs::create_dir_all(path.join("a/b")).unwrap();
    fs::write(path.join("a/b/c"), "x").unwrap();
    assert!(path.is_absolute());
    drop(scratch);
    assert!(!path.exists());
    assert!(parent.path().exists());
}

#[test]
fn closing_tells_and_a_vanished_folder_is_fine() {
    let parent = tempfile::tempdir().unwrap();
    let scratch = Scratch::new_in(parent.path()).unwrap();
    fs::remove_dir(scratch.path()).unwrap();
    scratch.close().unwrap();
}

#[cfg(unix)]
#[test]
fn it_is_private_and_unlike_the_last_one() {
    use std::os::unix::fs::PermissionsExt as _;
    let parent = tempfile::tempdir().unwrap();
    let one = Scratch::new_in(parent.path()).unwrap();
    let two = Scratch::new_in(parent.path()).unwrap();
    assert_eq!(fs::metadata(one.path()).unwrap().permissions().mode() & 0o777, 0o700);
    assert_ne!(one.path(), two.path());
}

#[cfg(unix)]
#[test]
fn write_protected_folders_inside_are_removed_too() {
    use std::os::unix::fs::PermissionsExt as _;
    let parent = tempfile::tempdir().unwrap();
    let scratch = Scratch::new_in(parent.path()).unwrap();
    let path = scratch.path().to_owned();
    fs::create_dir_all(path.join("cache/module")).unwrap();
    fs::write(path.join("cache/module/file"), "x").unwrap();
    fs::set_permissions(path.join("cache/module"), fs::Permissions::from_mode(0o500)).unwrap();
    fs::set_permissions(path.join("cache"), fs::Permissions::from_mode(0o500)).unwrap();
    make_writable(&path).unwrap();
    assert_eq!(fs::metadata(path.join("cache/module")).unwrap().permissions().mode() & 0o777, 0o700);
    drop(scratch);
    assert!(!path.exists());
}

#[test]
fn a_missing_parent_is_named() {
    let parent = tempfile::tempdir().unwrap().path().join("gone");
    let error = Scratch::new_in(&parent).unwrap_err();
    assert!(error.to_string().contains("gone"), "{error}");
}

#[test]
fn inside_means_below_after_links_are_resolved() {
    let root = tempfile::tempdir().unwrap();
    let repository = root.path().join("repository");
    fs::create_dir_all(repository.join("tmp")).unwrap();
    fs::create_dir(root.path().join("repository-tmp")).unwrap();
    assert!(lies_inside(&repository.join("tmp"), &repository));
    assert!(lies_inside(&repository, &repository));
    assert!(!lies_inside(&root.path().join("repository-tmp"), &repository));
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(repository.join("tmp"), root.path().join("link")).unwrap();
        assert!(lies_inside(&root.path().join("link"), &repository));
    }
}

#[test]
fn a_folder_outside_is_found() {
    let repository = tempfile::tempdir().unwrap();
    let scratch = Scratch::outside(repository.path()).unwrap();
    assert!(!lies_inside(scratch.path(), repository.path()));
}

/// A process that is gone: this one's id with another start.
fn gone() -> String {
    let text = Process::current().to_string();
    let mut words: Vec<&str> = text.split(' ').collect();
    words[1] = "1";
    words.join(" ")
}

#[cfg(target_os = "linux")]
#[test]
fn folders_of_dead_processes_go_and_all_others_stay() {
    let parent = tempfile::tempdir().unwrap();
    let make = |name: &str, owner: Option<String>| {
        let folder = parent.path().join(name);
        fs::create_dir_all(folder.join(WORK)).unwrap();
        if let Some(owner) = owner {
            fs::write(folder.join("owner"), owner).unwrap();
        }
        folder
    };
    let live = Scratch::new_in(parent.path()).unwrap();
    let dead = make("stagecoach-dead", Some(gone()));
    let others = [
        make("stagecoach-unsigned", None),
        make("stagecoach-strange", Some("nobody".to_owned())),
        make("another-dead", Some(gone())),
    ];
    let elsewhere = tempfile::tempdir().unwrap();
    fs::write(elsewhere.path().join("owner"), gone()).unwrap();
    std::os::unix::fs::symlink(elsewhere.path(), parent.path().join("stagecoach-link")).unwrap();
    assert_eq!(sweep_in(parent.path()), [dead]);
    assert!(live.path().exists() && others.iter().all(|folder| folder.exists()) && elsewhere.path().exists());
}

#[cfg(unix)]
#[test]
fn an_empty_folder_goes_when_nobody_can_be_about_to_sign_it() {
    let parent = tempfile::tempdir().unwrap();
    let folder = |name: &str, file: Option<&str>| {
        let folder = parent.path().join(format!("stagecoach-{name}"));
        fs::create_dir(&folder).unwrap();
        if let Some(file) = file {
            fs::write(folder.join(file), "").unwrap();
        }
        folder
    };
    let (young, old) = (folder("young", None), folder("old", None));
    // Killed while it signed, and a folder with something in it.
    let (half, full) = (folder("half", Some("owner")), folder("full", Some("precious")));
    let long_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(60);
    for folder in [&old, &half, &full] {
        fs::File::open(folder).unwrap().set_modified(long_ago).unwrap();
    }
    let mut swept = sweep_in(parent.path());
    swept.sort();
    assert_eq!(swept, [half, old]);
    assert!(young.exists() && full.join("precious").exists());
}

#[cfg(target_os = "linux")]
#[test]
fn agents_of_dead_processes_are_ended_unless_they_are_somebody_else() {
    use std::os::unix::process::CommandExt as _;
    let parent = tempfile::tempdir().unwrap();
    let sleeper = || std::process::Command::new("sleep").arg("613").process_group(0).spawn().unwrap();
    let (mut agent, mut stranger) = (sleeper(), sleeper());
    let scratch = Scratch::new_in(parent.path()).unwrap();
    scratch.note_agent(agent.id()).unwrap();
    let outer = scratch.outer.clone();
    let noted = fs::read_to_string(outer.join(AGENTS)).unwrap();
    // The same number, used again.
    let reused = gone().replacen(&std::process::id().to_string(), &stranger.id().to_string(), 1);
    fs::write(outer.join(AGENTS), format!("{noted}{reused}\nrubbish\n")).unwrap();
    assert_eq!(sweep_in(parent.path()), Vec::<PathBuf>::new(), "its run is alive");
    fs::write(outer.join("owner"), gone()).unwrap();
    assert_eq!(sweep_in(parent.path()), [outer]);
    let status = agent.wait().unwrap();
    assert_eq!(std::os::unix::process::ExitStatusExt::signal(&status), Some(9));
    assert!(stranger.try_wait().unwrap().is_none(), "a stranger was hit");
    stranger.kill().unwrap();
    stranger.wait().unwrap();
}
