//! One run per repository: who comes second is told so, waits, or has nothing to do.

use std::path::PathBuf;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::{Run, World, killed_while_the_agent_thinks, while_the_agent_thinks};

fn status(world: &World) -> Value {
    let run = world.run(&["lock", "status", "--json"]).succeeds();
    serde_json::from_str(&run.stdout).unwrap()
}

fn lock_files(world: &World) -> Vec<PathBuf> {
    let folder = world.root().join("run/stagecoach/locks");
    std::fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path()).collect()
}

fn staged() -> World {
    let world = World::with_message("Write it down");
    world.stage("a.txt", "one\n");
    world
}

#[test]
fn the_same_change_is_left_to_the_run_that_is_at_it() {
    let world = staged();
    let run = while_the_agent_thinks(&world, &[], |world| {
        let pid = status(world)["holder"]["pid"].to_string();
        let second = world.run(&[]).succeeds();
        assert_eq!(second.stdout, "");
        assert!(second.stderr.contains(&format!("nothing to do, pid {pid} is committing exactly this")), "{second:?}");
        let json: Value = serde_json::from_str(&world.run(&["--json"]).succeeds().stdout).unwrap();
        assert_eq!(json["outcome"], "being_committed");
        assert_eq!(json["commits"], serde_json::json!([]));
    });
    run.succeeds();
    assert_eq!(world.message("HEAD"), "Write it down\n");
    world.assert_tidy();
}

#[test]
fn another_change_finds_the_repository_busy() {
    let world = staged();
    let run = while_the_agent_thinks(&world, &[], |world| {
        let held = status(world);
        world.stage("b.txt", "two\n");
        let second = world.run(&[]).fails_with(5);
        let (pid, host) = (held["holder"]["pid"].to_string(), held["holder"]["host"].as_str().unwrap());
        second.clone().says(&["another run is at work", &format!("pid {pid} on host {host}")]);
        let path = held["path"].as_str().unwrap();
        assert!(second.stderr.lines().any(|line| line.trim() == path), "the path has a line of its own: {second:?}");
        assert!(second.stderr.contains("does not look orphaned") && second.stderr.contains("--wait"), "{second:?}");
        let json = world.run(&["--json"]).fails_with(5);
        assert_eq!(serde_json::from_str::<Value>(&json.stdout).unwrap()["error"]["code"], "busy");
        // What commits nothing is not in anybody's way.
        world.run(&["--show-prompt"]).succeeds();
        world.run(&["rescue", "list"]).succeeds();
    });
    run.succeeds();
    assert_eq!(world.git(&["status", "--porcelain"]), "A  b.txt");
    world.agent_says("Write that down, too");
    world.run(&[]).succeeds();
    assert_eq!(world.git(&["status", "--porcelain"]), "");
    assert_eq!(lock_files(&world), Vec::<PathBuf>::new());
}

#[test]
fn a_dry_run_takes_no_lock() {
    let world = staged();
    let run = while_the_agent_thinks(&world, &["--dry-run"], |world| {
        assert_eq!(status(world)["holder"], Value::Null);
        assert_eq!(lock_files(world), Vec::<PathBuf>::new());
    });
    run.succeeds();
}

#[test]
fn the_status_changes_nothing() {
    let world = staged();
    let free = world.run(&["lock", "status"]).succeeds();
    assert!(free.stdout.starts_with("path ") && free.stdout.ends_with("held        no\n"), "{free:?}");
    assert!(!world.root().join("run/stagecoach").exists(), "looking makes no folder");
    let run = while_the_agent_thinks(&world, &[], |world| {
        let [file] = lock_files(world).try_into().unwrap();
        let before = (std::fs::read(&file).unwrap(), file.metadata().unwrap().modified().unwrap());
        let held = status(world);
        assert_eq!(held["path"], file.to_str().unwrap());
        assert_eq!(held["holder"]["repository"], world.repository().to_str().unwrap());
        assert_eq!(held["holder"]["tree"], world.git(&["write-tree"]));
        assert_eq!((&held["holder"]["alive"], &held["holder"]["orphaned"]), (&true.into(), &false.into()));
        let text = world.run(&["lock", "status"]).succeeds().stdout;
        let keys: Vec<&str> = text.lines().map(|line| line.split_whitespace().next().unwrap()).collect();
        assert_eq!(keys, ["path", "pid", "host", "repository", "since", "tree", "alive", "orphaned"]);
        assert_eq!(before, (std::fs::read(&file).unwrap(), file.metadata().unwrap().modified().unwrap()));
    });
    run.succeeds();
}

/// Starts a run that waits for its turn, and returns once it says so.
fn waiting(world: &World) -> std::process::Child {
    let log = world.root().join("waiting");
    let file = std::fs::File::create(&log).unwrap();
    let child = world.stagecoach(&["--wait"]).stdout(Stdio::piped()).stderr(file).spawn().unwrap();
    let deadline = Instant::now() + Duration::from_secs(60);
    while !std::fs::read_to_string(&log).unwrap().contains("waiting for it") {
        assert!(Instant::now() < deadline, "it does not wait");
        std::thread::sleep(Duration::from_millis(5));
    }
    child
}

#[test]
fn whoever_waits_goes_on_with_what_is_there_then() {
    let world = staged();
    let mut second = None;
    let first = while_the_agent_thinks(&world, &[], |world| {
        world.stage("b.txt", "two\n");
        second = Some(waiting(world));
        world.agent_says("Write that down, too");
    });
    first.succeeds();
    let second = Run::of(second.unwrap().wait_with_output().unwrap()).succeeds();
    assert!(second.stdout.contains("A\tb.txt") && !second.stdout.contains("a.txt"), "{second:?}");
    assert_eq!(world.git(&["rev-list", "--count", "HEAD"]), "4");
    world.assert_tidy();
}

#[test]
fn waiting_ends_with_an_interrupt() {
    let world = staged();
    let first = while_the_agent_thinks(&world, &[], |world| {
        let mut child = waiting(world);
        world.git(&["status"]);
        let pid = rustix::process::Pid::from_child(&child);
        rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(130));
    });
    first.succeeds();
}

#[test]
fn what_a_killed_run_left_is_in_nobodys_way() {
    let world = staged();
    killed_while_the_agent_thinks(&world, &[]);
    let left = status(&world);
    assert_eq!((&left["holder"]["alive"], &left["holder"]["orphaned"]), (&false.into(), &false.into()));
    // A run in another repository clears it away.
    let other = world.root().join("other");
    world.git(&["init", "-q", other.to_str().unwrap()]);
    std::fs::write(other.join("x"), "x").unwrap();
    world.agent_says("Begin");
    world.run(&["-C", other.to_str().unwrap(), "-a"]).succeeds();
    assert_eq!(status(&world)["holder"], Value::Null);
    assert_eq!(lock_files(&world), Vec::<PathBuf>::new());
    // So does the next one here.
    killed_while_the_agent_thinks(&world, &[]);
    world.agent_says("Write it down");
    world.run(&[]).succeeds();
    assert_eq!(lock_files(&world), Vec::<PathBuf>::new());
}

#[test]
fn where_no_lock_can_be_kept_the_run_goes_on_and_says_so() {
    let mut world = staged();
    world.unset("XDG_RUNTIME_DIR");
    let file = world.root().join("file");
    std::fs::write(&file, "").unwrap();
    world.set("XDG_CACHE_HOME", file.to_str().unwrap());
    world.run(&[]).succeeds().says(&["runs of this repository do not exclude each other"]);
    world.assert_tidy();
}

#[test]
fn a_folder_that_others_can_write_to_stops_the_run() {
    use std::os::unix::fs::PermissionsExt as _;
    let world = staged();
    let folder = world.root().join("run/stagecoach/locks");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o777)).unwrap();
    world.run(&[]).fails_with(1).says(&["others may write to it", folder.to_str().unwrap()]);
    world.run(&["lock", "status"]).succeeds().says(&["others may write to it"]);
}

#[test]
fn the_cache_folder_serves_where_there_is_no_runtime_folder() {
    let mut world = staged();
    world.set("XDG_RUNTIME_DIR", "/nonexistent/folder");
    let run = while_the_agent_thinks(&world, &[], |world| {
        let path = status(world)["path"].as_str().unwrap().to_owned();
        assert!(path.starts_with(world.home(".cache/stagecoach/locks").to_str().unwrap()), "{path}");
        world.stage("b.txt", "two\n");
        world.run(&[]).fails_with(5);
    });
    run.succeeds();
}

#[test]
fn each_worktree_has_a_turn_of_its_own() {
    let world = staged();
    let other = world.root().join("other");
    world.git(&["worktree", "add", "-q", other.to_str().unwrap()]);
    let run = while_the_agent_thinks(&world, &[], |world| {
        std::fs::write(other.join("b.txt"), "two\n").unwrap();
        world.agent_says("Work elsewhere");
        world.run(&["-C", other.to_str().unwrap(), "-a"]).succeeds();
    });
    run.succeeds();
}

#[test]
fn every_command_that_commits_takes_its_turn() {
    let world = staged();
    world.run(&[]).succeeds();
    world.agent_says("Write more down");
    world.write("c.txt", "three\n");
    world.write("d.txt", "four\n");
    let plan = world.root().join("plan.json");
    world.run(&["plan", "--commits", "1", "-o", plan.to_str().unwrap()]).succeeds();
    killed_while_the_agent_thinks(&world, &["-a"]);
    world.run(&["rescue", "show"]).succeeds();
    let context = ["-a", "--format", "plain", "--template", "More: $msg"];
    let run = while_the_agent_thinks(&world, &context, |world| {
        assert!(!world.run(&["undo"]).fails_with(5).stderr.contains("--wait"));
        world.run(&["undo", "--dry-run"]).succeeds();
        // The run at work commits the very tree of both.
        for command in [&["apply", plan.to_str().unwrap()][..], &["rescue", "commit", "-m", "x"]] {
            let run = world.run(command).succeeds();
            assert!(run.stderr.contains("is committing exactly this"), "{run:?}");
        }
    });
    run.succeeds();
    world.assert_tidy();
}

#[test]
fn a_push_keeps_nobody_waiting() {
    let world = staged();
    let remote = world.root().join("remote.git");
    world.git(&["init", "-q", "--bare", remote.to_str().unwrap()]);
    world.git(&["remote", "add", "origin", remote.to_str().unwrap()]);
    world.git(&["push", "-q", "-u", "origin", "main"]);
    let seen = world.root().join("seen");
    let hook = format!("ls '{}' > '{}'", world.root().join("run/stagecoach/locks").display(), seen.display());
    std::fs::copy(world.script("pre-push", &hook), world.path(".git/hooks/pre-push")).unwrap();
    world.run(&["--push"]).succeeds();
    assert_eq!(std::fs::read_to_string(seen).unwrap(), "");
}

#[test]
fn the_status_is_told_with_a_broken_configuration() {
    let world = World::with_message("Write it down");
    world.config("config_version = 3\n[generation\n");
    world.write(".stagecoach.toml", "nonsense");
    assert!(world.run(&["lock", "status"]).succeeds().stdout.contains("held        no"));
}
