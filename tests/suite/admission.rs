//! `[admission]`: all runs of a user share the seats of a provider.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use crate::support::{Run, World};

/// Another clone of the world's repository, with something staged.
fn clone(world: &World, number: usize) -> PathBuf {
    let path = world.root().join(format!("clone-{number}"));
    let text = path.to_str().unwrap();
    world.git(&["clone", "-q", "--no-hardlinks", ".", text]);
    std::fs::write(path.join("new.txt"), format!("{number}\n")).unwrap();
    world.git(&["-C", text, "add", "new.txt"]);
    path
}

fn folder(world: &World) -> PathBuf {
    world.home(".local/state/stagecoach/seats/provider-fake")
}

/// The calls that wait or have a seat.
fn tickets(world: &World) -> Vec<String> {
    let entries = std::fs::read_dir(folder(world)).into_iter().flatten();
    let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.retain(|name| name.contains("seated") || name.contains("waiting"));
    names.sort();
    names
}

fn config(world: &World, agent: &str, seats: &str) {
    world.agent_with(agent, &format!("\n[admission]\n{seats}\n"));
}

/// An agent that waits for the go-ahead of the test.
fn patient(world: &World) -> String {
    let root = world.root();
    format!(
        "cat > /dev/null; echo $$ >> '{root}/asked'; while ! test -e '{root}/go'; do sleep 0.01; done; echo 'Write it down'",
        root = root.display()
    )
}

fn start(world: &World, folder: &std::path::Path) -> Child {
    let mut command = world.stagecoach(&[]);
    command.current_dir(folder).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

#[track_caller]
fn until(what: &str, is_so: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(120);
    while !is_so() {
        assert!(Instant::now() < deadline, "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn finish(child: Child) -> Run {
    Run::of(child.wait_with_output().unwrap())
}

#[test]
fn forty_runs_at_once_share_eight_seats() {
    let world = World::with_message("Write it down");
    let log = world.root().join("log");
    // Lines this short are appended whole.
    let log = log.display();
    config(
        &world,
        &format!("cat > /dev/null; echo begin >> '{log}'; sleep 0.2; echo end >> '{log}'; echo 'Write it'"),
        "",
    );
    let clones: Vec<PathBuf> = (0..40).map(|number| clone(&world, number)).collect();
    let runs: Vec<Child> = clones.iter().map(|folder| start(&world, folder)).collect();
    for run in runs {
        finish(run).succeeds();
    }
    let text = std::fs::read_to_string(world.root().join("log")).unwrap();
    let (mut active, mut most) = (0_i32, 0);
    for line in text.lines() {
        active += if line == "begin" { 1 } else { -1 };
        most = most.max(active);
    }
    assert_eq!(text.lines().filter(|line| *line == "end").count(), 40, "all had their turn");
    assert!(most <= 8, "{most} at once");
    assert!(most > 1, "they did not run beside each other at all");
    assert_eq!(tickets(&world), Vec::<String>::new());
}

#[test]
fn beginnings_are_spaced_over_all_runs() {
    let world = World::with_message("Write it down");
    let log = world.root().join("log");
    config(
        &world,
        &format!("cat > /dev/null; echo begin >> '{}'; echo 'Write it'", log.display()),
        "min_spacing = \"1s\"",
    );
    let clones: Vec<PathBuf> = (0..4).map(|number| clone(&world, number)).collect();
    let began = Instant::now();
    let runs: Vec<Child> = clones.iter().map(|folder| start(&world, folder)).collect();
    runs.into_iter().for_each(|run| drop(finish(run).succeeds()));
    assert!(began.elapsed() >= Duration::from_secs(3), "{:?}", began.elapsed());
    assert_eq!(std::fs::read_to_string(log).unwrap().lines().count(), 4);
}

#[test]
fn whoever_waits_says_so_and_stops_at_once() {
    let world = World::with_message("Write it down");
    config(&world, &patient(&world), "max_active = 1");
    let clones: Vec<PathBuf> = (0..3).map(|number| clone(&world, number)).collect();
    let first = start(&world, &clones[0]);
    until("the agent is not asked", || world.root().join("asked").exists());
    let second = start(&world, &clones[1]);
    until("the second does not wait", || tickets(&world).len() == 2);
    let third = start(&world, &clones[2]);
    until("the third does not wait", || tickets(&world).len() == 3);
    let doctor = world.run(&["doctor"]);
    assert!(doctor.stdout.contains("fake: 1 of 1 are taken, and 2 calls wait"), "{doctor:?}");
    rustix::process::kill_process(rustix::process::Pid::from_child(&third), rustix::process::Signal::INT).unwrap();
    let third = finish(third);
    third.fails_with(3).says(&["fake: waiting for a seat (1 ahead)", "interrupted"]);
    assert_eq!(tickets(&world).len(), 2);
    std::fs::write(world.root().join("go"), "").unwrap();
    finish(first).succeeds();
    finish(second).succeeds().says(&["fake: waiting for a seat (next)"]);
    assert_eq!(std::fs::read_to_string(world.root().join("asked")).unwrap().lines().count(), 2);
    assert_eq!(tickets(&world), Vec::<String>::new());
}

#[test]
fn waiting_is_not_charged_to_the_agent_and_ends_with_the_time_out() {
    let world = World::with_message("Write it down");
    config(&world, &patient(&world), "max_active = 1");
    let clones: Vec<PathBuf> = (0..2).map(|number| clone(&world, number)).collect();
    let first = start(&world, &clones[0]);
    until("the agent is not asked", || world.root().join("asked").exists());
    let mut second = world.stagecoach(&["--timeout", "1s"]);
    let second = Run::of(second.current_dir(&clones[1]).output().unwrap()).fails_with(124);
    second.says(&["fake was not asked: no seat became free within 1 s, with 0 waiting before", "max_active"]);
    std::fs::write(world.root().join("go"), "").unwrap();
    finish(first).succeeds();
}

#[test]
fn the_seat_of_a_killed_run_is_taken_back() {
    let world = World::with_message("Write it down");
    config(&world, &patient(&world), "max_active = 1");
    let clones: Vec<PathBuf> = (0..2).map(|number| clone(&world, number)).collect();
    let mut first = start(&world, &clones[0]);
    until("the agent is not asked", || world.root().join("asked").exists());
    let second = start(&world, &clones[1]);
    until("the second does not wait", || tickets(&world).len() == 2);
    first.kill().unwrap();
    first.wait().unwrap();
    let asked = || std::fs::read_to_string(world.root().join("asked")).unwrap().lines().count();
    until("nobody took the seat", || asked() == 2);
    std::fs::write(world.root().join("go"), "").unwrap();
    finish(second).succeeds();
    assert_eq!(tickets(&world), Vec::<String>::new());
}

#[test]
fn a_folder_that_others_may_write_to_is_refused_before_anything_is_frozen() {
    let world = World::with_message("Write it down");
    world.stage("a.txt", "one\n");
    std::fs::create_dir_all(folder(&world)).unwrap();
    std::fs::set_permissions(folder(&world), PermissionsExt::from_mode(0o777)).unwrap();
    let before = world.state();
    let run = world.run(&[]).fails_with(1);
    run.says(&["the folder of seats cannot be used", "others may write to it", "make it yours, with mode 0700"]);
    assert_eq!(world.state(), before);
    // The offline writer asks nobody.
    world.run(&["--provider", "offline"]).succeeds();
}

#[test]
fn a_folder_that_cannot_be_made_is_told() {
    let mut world = World::with_message("Write it down");
    world.stage("a.txt", "one\n");
    let file = world.root().join("file");
    std::fs::write(&file, "").unwrap();
    world.set("XDG_STATE_HOME", file.to_str().unwrap());
    world.run(&[]).succeeds().says(&["note: calls of fake are not counted among other runs'"]);
}

#[test]
fn settings_of_seats_are_read_and_checked() {
    let world = World::with_message("Write it down");
    world.stage("a.txt", "one\n");
    for (seats, complaint) in [
        ("max_active = 0", "a whole number from 1 to 1000"),
        ("max_activ = 2", "max_active"),
        ("[admission.fake]\nmax_activ = 2", "admission.fake.max_active"),
        ("[admission.fake]\nmin_spacing = \"soon\"", "admission.fake.min_spacing"),
        ("[admission.elsewhere]\nmax_activ = 2", "admission.elsewhere.max_active"),
    ] {
        config(&world, "echo no", seats);
        world.run(&[]).fails_with(1).says(&[complaint, "config.toml:"]);
    }
    config(&world, "cat > /dev/null; echo 'Write it'", "max_active = 3\n[admission.fake]\nscope = \"mine\"");
    let shown = world.run(&["config", "show", "--origin"]).succeeds().stdout;
    for line in
        ["[admission.agy]\n", "min_spacing = \"2s\"  # built-in default", "[admission.fake]\n", "scope = \"mine\"  #"]
    {
        assert!(shown.contains(line), "{line}: {shown}");
    }
    world.run(&[]).succeeds();
    assert!(world.home(".local/state/stagecoach/seats/account-mine/lock").exists());
    assert!(!folder(&world).exists());
}

#[test]
fn seats_of_a_provider_that_another_repository_defines_stop_no_run() {
    let world = World::with_message("Write it down");
    world.stage("a.txt", "one\n");
    for (seats, told, is_slip) in [
        ("[admission.elsewhere]\nmax_active = 2\nmax_starts = 1", "no provider `elsewhere` is defined\n", false),
        ("[admission.fak]\nmax_active = 2", "no provider `fak` is defined; did you mean fake?\n", true),
    ] {
        config(&world, "cat > /dev/null; echo 'Write it'", seats);
        let quiet = world.run(&["--dry-run"]).succeeds();
        assert_eq!(quiet.stderr.contains(told), is_slip, "{quiet:?}");
        let run = world.run(&["--dry-run", "-v"]).succeeds();
        assert_eq!(run.stderr.matches(told).count(), 1, "{run:?}");
        world.run(&["config", "show"]).succeeds().says(&["config.toml:", told]);
        let json = world.run(&["config", "show", "--json"]).succeeds().stdout;
        assert!(json.contains("counts for nobody here"), "{json}");
        let doctor = world.run(&["doctor"]).succeeds().stdout;
        assert!(doctor.contains(told.trim_end()), "{doctor}");
    }
    // Where the provider is defined, there is nothing to say.
    config(&world, "cat > /dev/null; echo 'Write it'", "[admission.mine]\nmax_active = 2");
    world.write(".stagecoach.toml", "config_version = 3\n[provider.mine]\ncommand = 'mine'\n");
    world.run(&["trust"]).succeeds();
    let run = world.run(&["-v"]).succeeds();
    assert!(!run.stderr.contains("counts for nobody"), "{run:?}");
}
