//! Many runs at once. The agent answers at once, so that the runs meet where it matters: at the lock, the index and the
//! branch.

use std::process::Stdio;

use crate::support::{Run, World, records};

const RUNS: usize = 50;

fn at_once(commands: Vec<std::process::Command>) -> Vec<Run> {
    let started: Vec<_> = commands
        .into_iter()
        .map(|mut command| command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap())
        .collect();
    started.into_iter().map(|child| Run::of(child.wait_with_output().unwrap())).collect()
}

/// One of them commits; all others were busy, too late, or had nothing to do.
fn one_commit_and_no_more(world: &World, arguments: &[&str]) {
    let before = world.git(&["rev-list", "--count", "HEAD"]).parse::<usize>().unwrap();
    let runs = at_once((0..RUNS).map(|_| world.stagecoach(arguments)).collect());
    let committed = runs.iter().filter(|run| run.code == 0 && !run.stdout.is_empty()).count();
    for run in &runs {
        let fine = match run.code {
            0 => !run.stdout.is_empty() || run.stderr.contains("is committing exactly this"),
            2 => run.stderr.contains("Nothing to commit"),
            5 => run.stderr.contains("another run is at work"),
            _ => false,
        };
        assert!(fine, "{run:#?}");
    }
    assert_eq!(committed, 1, "{runs:#?}");
    assert_eq!(world.git(&["rev-list", "--count", "HEAD"]).parse::<usize>().unwrap(), before + 1);
    assert_eq!(world.git(&["status", "--porcelain"]), "");
    world.git(&["fsck", "--strict", "--no-dangling"]);
    assert!(records(world).is_empty());
    world.assert_tidy();
}

#[test]
fn fifty_runs_on_one_staged_change_make_one_commit() {
    let world = World::with_message("Write it down");
    world.stage("a.txt", "one\n");
    one_commit_and_no_more(&world, &[]);
}

#[test]
fn fifty_runs_on_one_working_tree_make_one_commit() {
    let world = World::with_message("Write it down");
    world.write("a.txt", "one\n");
    world.write("b.txt", "two\n");
    one_commit_and_no_more(&world, &["-a"]);
}

/// Without locks, as when every run sees another folder: the branch moves once all the same.
#[test]
fn without_locks_the_branch_still_moves_once() {
    let world = World::with_message("Write it down");
    world.stage("a.txt", "one\n");
    let commands = (0..RUNS).map(|number| {
        let mut command = world.stagecoach(&[]);
        let folder = world.root().join(format!("run-{number}"));
        std::fs::create_dir(&folder).unwrap();
        command.env("XDG_RUNTIME_DIR", folder);
        command
    });
    let runs = at_once(commands.collect());
    let committed = runs.iter().filter(|run| run.code == 0 && !run.stdout.is_empty()).count();
    assert_eq!(committed, 1, "{runs:#?}");
    // The others came too late, or saw the branch locked at the very moment and left a rescue.
    for run in &runs {
        let locked = run.code == 3 && run.stderr.contains("lock");
        assert!([0, 2].contains(&run.code) || locked, "{run:#?}");
    }
    assert_eq!(world.git(&["rev-list", "--count", "HEAD"]), "3");
    assert_eq!(world.git(&["status", "--porcelain"]), "");
    world.git(&["fsck", "--strict", "--no-dangling"]);
}

#[test]
fn fifty_runs_in_fifty_repositories_commit_each_its_own() {
    let world = World::with_message("Write it down");
    let repositories: Vec<_> = (0..RUNS).map(|number| world.root().join(format!("repo-{number}"))).collect();
    for (number, repository) in repositories.iter().enumerate() {
        let path = repository.to_str().unwrap();
        world.git(&["init", "-q", path]);
        std::fs::write(repository.join("file"), format!("{number}\n")).unwrap();
        world.git(&["-C", path, "add", "file"]);
    }
    let runs = at_once(repositories.iter().map(|path| world.stagecoach(&["-C", path.to_str().unwrap()])).collect());
    for (number, (run, repository)) in runs.into_iter().zip(&repositories).enumerate() {
        run.succeeds();
        let path = repository.to_str().unwrap();
        assert_eq!(world.git(&["-C", path, "show", "HEAD:file"]), number.to_string());
        assert_eq!(world.git(&["-C", path, "rev-list", "--count", "HEAD"]), "1");
        assert_eq!(world.git(&["-C", path, "status", "--porcelain"]), "");
    }
    let locks = std::fs::read_dir(world.root().join("run/stagecoach/locks")).unwrap().count();
    assert_eq!(locks, 0);
    world.assert_tidy();
}
