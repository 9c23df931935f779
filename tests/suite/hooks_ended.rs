//! Hooks that have set unstaged changes aside when the run fails or is told to stop: they always get to bring them back.

use crate::support::{Run, World, records};

const MESSAGE: &str = "Explain how to start";
const FAILING: &str = "cat > /dev/null; exit 1";

/// A repository with a staged change and one that is not.
fn partly_staged() -> World {
    let world = World::with_message(MESSAGE);
    world.write("a", "one\n");
    world.write("b", "one\n");
    world.git(&["add", "a", "b"]);
    world.git(&["commit", "-q", "-m", "Start"]);
    world.write("a", "two\n");
    world.git(&["add", "a"]);
    world.write("b", "precious\n");
    world
}

/// A hook that sets unstaged changes aside, waits, and brings them back, whatever signal of these comes.
fn sets_aside(world: &World, name: &str, signals: &str, waits: &str) {
    let started = world.root().join("started");
    let script = format!(
        "back() {{ sleep 0.5; git stash pop -q; }}\ntrap 'back; exit 130' {signals}\n\
         git stash push -q --keep-index || exit\n: > '{}'\n{waits}\nback",
        started.display()
    );
    world.hook(name, &script);
}

#[track_caller]
fn assert_precious(world: &World) {
    assert_eq!(std::fs::read_to_string(world.path("b")).unwrap(), "precious\n");
    assert_eq!(world.git(&["status", "--porcelain"]), "M  a\n M b");
    assert_eq!(world.git(&["stash", "list"]), "");
}

fn signalled(world: &World, signal: &str) -> Run {
    let child = world
        .stagecoach(&[])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    while !world.root().join("started").exists() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    world.program("kill").args([signal, &child.id().to_string()]).status().unwrap();
    Run::of(child.wait_with_output().unwrap())
}

#[test]
fn a_failing_agent_ends_no_hook() {
    let world = partly_staged();
    world.agent(FAILING);
    sets_aside(&world, "pre-commit", "USR1", "sleep 3");
    let run = world.run(&[]).fails_with(3);
    assert!(run.stderr.contains("exit 1") && !run.stderr.contains("pre-commit refused"), "{run:#?}");
    assert_precious(&world);
    assert_eq!(records(&world).len(), 1);
}

#[test]
fn a_hook_that_refuses_after_the_agent_failed_is_not_the_cause() {
    let world = partly_staged();
    world.agent(FAILING);
    sets_aside(&world, "pre-commit", "USR1", "sleep 3; back; exit 7");
    let run = world.run(&[]).fails_with(3);
    assert!(!run.stderr.contains("pre-commit refused"), "{run:#?}");
    assert_precious(&world);
}

#[test]
fn a_hook_gets_the_signal_of_the_run_and_is_waited_for() {
    for (signal, name) in [("-INT", "INT"), ("-TERM", "TERM"), ("-HUP", "HUP")] {
        let world = partly_staged();
        sets_aside(&world, "pre-commit", name, "sleep 600");
        signalled(&world, signal).fails_with(3).says(&["rescue commit"]);
        assert_precious(&world);
    }
}

#[test]
fn a_hook_of_the_message_gets_it_too() {
    for name in ["prepare-commit-msg", "commit-msg"] {
        let world = partly_staged();
        sets_aside(&world, name, "INT", "sleep 600");
        signalled(&world, "-INT").fails_with(3).says(&["error: interrupted", MESSAGE]);
        // These hooks see an index of their own, which alone `git stash` resets.
        assert_eq!(std::fs::read_to_string(world.path("b")).unwrap(), "precious\n");
    }
}
