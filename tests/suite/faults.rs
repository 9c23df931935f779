//! Runs that are killed at every numbered point, and runs in which every write fails once: what is there is the old state
//! or the new one, nothing is lost, and the next run clears up.

use std::os::unix::process::ExitStatusExt as _;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::{Duration, SystemTime};

use serde_json::Value;

use crate::support::{Roles, Run, World, plan, records, say};

/// Points that come after the run has been noted: from here on `rescue list` knows of it.
const NOTED: [&str; 7] = [
    "objects: store the commit",
    "head: move",
    "index lock: sign",
    "index lock: take",
    "index: copy the live one",
    "index: put into place",
    "head: moved",
];

/// A kind of run.
struct Case {
    arguments: &'static [&'static str],
    /// Makes a change; the number is different each time.
    change: fn(&World, usize),
    /// The trees that HEAD may have, the old one first.
    trees: fn(&World) -> Vec<String>,
}

fn world() -> World {
    let world = World::with_message("");
    world.agent(&format!(
        "cat > /dev/null; n=$(cat '{0}'); echo \"$n\"x > '{0}'; echo \"Change number $n\"",
        world.root().join("count").display()
    ));
    std::fs::write(world.root().join("count"), "x\n").unwrap();
    world
}

fn strike(world: &World, arguments: &[&str], kind: &str, number: usize) -> (Run, Option<String>) {
    let log = world.root().join("fault");
    let mut command = world.stagecoach(arguments);
    command.env("FAULT_INJECTION", format!("{kind}:{number}")).env("FAULT_LOG", &log);
    let output = command.stdout(Stdio::piped()).stderr(Stdio::piped()).output().unwrap();
    let point = std::fs::read_to_string(&log).ok();
    if point.is_some() {
        std::fs::remove_file(&log).unwrap();
        assert_eq!(output.status.signal(), (kind == "kill").then_some(9), "{point:?} {output:?}");
    }
    (Run::of(output), point)
}

fn rescues(world: &World) -> Vec<Value> {
    let run = world.run(&["rescue", "list", "--json"]).succeeds();
    serde_json::from_str::<Value>(&run.stdout).unwrap()["rescues"].as_array().unwrap().clone()
}

/// The tree that the index stands for; a lock that was left does not matter.
fn index_tree(world: &World) -> String {
    let copy = world.root().join("index-copy");
    std::fs::copy(world.path(".git/index"), &copy).unwrap();
    let output = world.program("git").env("GIT_INDEX_FILE", &copy).arg("write-tree").output().unwrap();
    assert!(output.status.success(), "the index is broken: {output:?}");
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// The names and contents of the working tree's files.
fn files(world: &World) -> Vec<(PathBuf, Vec<u8>)> {
    let entries = std::fs::read_dir(world.repository()).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = entries.filter(|path| path.is_file()).collect();
    files.sort();
    files.into_iter().map(|path| (path.clone(), std::fs::read(path).unwrap())).collect()
}

/// As when the next run comes a little later.
fn let_time_pass(world: &World) {
    let earlier = SystemTime::now() - Duration::from_secs(60);
    let folders = [world.root().join("tmp"), world.path(".git"), world.path(".git/stagecoach/rescue")];
    for entry in folders.iter().flat_map(|folder| std::fs::read_dir(folder).into_iter().flatten()) {
        let entry = entry.unwrap();
        if entry.file_name().to_string_lossy().starts_with("stagecoach-") || entry.metadata().unwrap().len() == 0 {
            std::fs::File::open(entry.path()).unwrap().set_modified(earlier).unwrap();
        }
    }
    // The name of a ref says when its run began.
    for line in world.git(&["for-each-ref", "--format=%(refname) %(objectname)", "refs/stagecoach/rescue"]).lines() {
        let (name, object) = line.split_once(' ').unwrap();
        let (began, pid) = name.rsplit_once('/').unwrap().1.split_once('-').unwrap();
        let began = u64::from_str_radix(began, 16).unwrap() - 60;
        world.git(&["update-ref", &format!("refs/stagecoach/rescue/{began:x}-{pid}"), object]);
        world.git(&["update-ref", "-d", name]);
    }
    // So does the name of its lock.
    for lock in std::fs::read_dir(world.path(".git/refs/stagecoach/rescue")).into_iter().flatten().flatten() {
        let name = lock.file_name().into_string().unwrap();
        if let Some((began, pid)) = name.strip_suffix(".lock").and_then(|run| run.split_once('-')) {
            let began = u64::from_str_radix(began, 16).unwrap() - 60;
            std::fs::rename(lock.path(), lock.path().with_file_name(format!("{began:x}-{pid}.lock"))).unwrap();
        }
    }
}

fn assert_nothing_is_left(world: &World, what: &str) {
    world.assert_tidy();
    let locks = std::fs::read_dir(world.root().join("run/stagecoach/locks")).unwrap().count();
    assert_eq!(locks, 0, "{what}: a lock file is left");
    assert_eq!(world.git(&["for-each-ref", "refs/stagecoach"]), "", "{what}");
    assert_eq!(records(world), Vec::<PathBuf>::new(), "{what}");
}

/// Strikes at every point of a run, and each time goes on as a user would.
fn strike_everywhere(kind: &str, case: &Case) {
    let world = world();
    for number in 1.. {
        (case.change)(&world, number);
        let trees = (case.trees)(&world);
        let files = files(&world);
        let (run, point) = strike(&world, case.arguments, kind, number);
        let Some(point) = point else {
            run.succeeds();
            assert!(number > 12, "there are only {number} points");
            assert_nothing_is_left(&world, "the run without a fault");
            return;
        };
        let what = format!("{kind} {number}: {point}\n{run:#?}");
        world.git(&["fsck", "--strict", "--no-dangling"]);
        let landed = trees.iter().rposition(|tree| *tree == world.git(&["rev-parse", "HEAD^{tree}"]));
        let landed = landed.unwrap_or_else(|| panic!("{what}: HEAD has a tree of its own"));
        if run.stderr.contains("git restore --staged :/") {
            // The index could not follow, as when git itself fails here; the user does as told.
            assert_eq!((kind, point.as_str()), ("fail", "index: put into place"));
            world.git(&["restore", "--staged", ":/"]);
        }
        let index = index_tree(&world);
        let indexed = trees.iter().position(|tree| *tree == index);
        assert!(indexed.is_some_and(|index| index <= landed || case.arguments.is_empty()), "{what}: the index is torn");
        assert!(self::files(&world) == files, "{what}: the working tree was changed");

        let known = rescues(&world);
        let complete = landed == trees.len() - 1;
        if kind == "kill" && NOTED.contains(&point.as_str()) && !complete {
            assert_eq!(known.len(), 1, "{what}: nobody knows of it");
        }
        if kind == "fail" && run.code == 3 {
            assert_eq!(known.len(), usize::from(!run.stderr.contains("It is not recorded")), "{what}");
        }
        if kind == "fail" && run.code == 0 {
            assert!(complete && known.is_empty(), "{what}");
        }
        if kind == "fail" {
            world.assert_tidy();
        }
        if !known.is_empty() {
            let message = format!("Finish after fault {number}");
            let has_messages =
                known[0]["commits"].as_array().unwrap().iter().all(|commit| commit["subject"].is_string());
            let message = if has_messages { vec![] } else { vec!["-m", message.as_str()] };
            let finished = world.run(&[&["rescue", "commit"][..], &message].concat());
            assert_eq!(finished.code, 0, "{what}\n{finished:#?}");
        } else if !complete {
            let again = world.run(case.arguments);
            assert_eq!(again.code, 0, "{what}\n{again:#?}");
        }
        assert_eq!(world.git(&["rev-parse", "HEAD^{tree}"]), trees[trees.len() - 1], "{what}");
        assert_eq!(world.git(&["status", "--porcelain"]), "", "{what}");
        let_time_pass(&world);
        world.stage("next", format!("{number}\n"));
        let next = world.run(&[]);
        assert_eq!(next.code, 0, "{what}\n{next:#?}");
        assert_nothing_is_left(&world, &what);
        world.git(&["fsck", "--strict", "--no-dangling"]);
    }
}

const STAGED: Case = Case {
    arguments: &[],
    change: |world, number| world.stage("a.txt", format!("{number}\n")),
    trees: |world| vec![world.git(&["rev-parse", "HEAD^{tree}"]), world.git(&["write-tree"])],
};

const WORKING_TREE: Case = Case {
    arguments: &["-a"],
    change: |world, number| {
        world.write("a.txt", format!("{number}\n"));
        world.write(&format!("b{number}.txt"), "new\n");
    },
    trees: |world| vec![world.git(&["rev-parse", "HEAD^{tree}"]), world.whole_tree()],
};

#[test]
fn killed_at_every_point_of_a_staged_commit() {
    strike_everywhere("kill", &STAGED);
}

#[test]
fn every_write_of_a_staged_commit_fails() {
    strike_everywhere("fail", &STAGED);
}

#[test]
fn killed_at_every_point_of_a_commit_of_the_working_tree() {
    strike_everywhere("kill", &WORKING_TREE);
}

#[test]
fn every_write_of_a_commit_of_the_working_tree_fails() {
    strike_everywhere("fail", &WORKING_TREE);
}

fn decompose_everywhere(kind: &str) {
    let case = Case {
        arguments: &["--commits", "2"],
        change: |world, number| {
            for file in ["a", "b"] {
                world.write(file, format!("{file} {number}\n"));
            }
            Roles::planner(&say(&plan(&[("first", &["a"]), ("second", &["b"])])))
                .message(&format!("echo \"feat: change $(sed -n 's/^[AM]\\t.*\\t//p' \"$prompt\") in {number}\""))
                .install(world);
        },
        trees: |world| world.trees_of_adding(&["a", "b"]),
    };
    strike_everywhere(kind, &case);
}

#[test]
fn killed_at_every_point_of_a_decomposition() {
    decompose_everywhere("kill");
}

#[test]
fn every_write_of_a_decomposition_fails() {
    decompose_everywhere("fail");
}

/// No file may grow beyond some size, for stagecoach and for every git that it starts: the system itself refuses.
#[test]
fn a_disk_that_takes_no_more_tears_nothing() {
    for blocks in [0, 1, 2, 4] {
        for arguments in ["", "-a"] {
            let world = world();
            world.commit("Add a large file", &[("large", &"x y z\n".repeat(100))]);
            if arguments.is_empty() {
                world.stage("large", "z y x\n".repeat(2000));
            } else {
                world.write("large", (0..2000).map(|line| format!("{line}\n")).collect::<String>());
            }
            let before = world.state();
            let script =
                format!("trap '' XFSZ; ulimit -f {blocks}; exec '{}' {arguments}", env!("CARGO_BIN_EXE_stagecoach"));
            let output = world.program("sh").args(["-c", &script]).output().unwrap();
            let run = Run::of(output);
            world.git(&["fsck", "--strict", "--no-dangling"]);
            if run.code == 0 {
                assert_eq!(world.git(&["status", "--porcelain"]), "", "{run:#?}");
            } else {
                assert!([1, 3].contains(&run.code), "{blocks} {arguments} {run:#?}");
                assert!(world.state() == before, "{blocks} {arguments} {run:#?}");
            }
            for lock in ["index.lock", "HEAD.lock", "refs/heads/main.lock"] {
                assert!(!world.path(".git").join(lock).exists(), "{lock} {run:#?}");
            }
            // With room again everything goes its way.
            world.write("another", "x\n");
            world.run(&["-a"]).succeeds();
            assert_eq!(world.git(&["status", "--porcelain"]), "");
        }
    }
}

/// As where the system allows few processes. What needs a thread of its own goes on without or ends with an error.
#[test]
fn without_threads_one_thing_is_done_after_the_other() {
    let mut world = World::with_message("");
    // No thread can have a stack of this size, unless it asks for another.
    world.set("RUST_MIN_STACK", &(1_u64 << 50).to_string());
    let whole = |world: &World, base: &str| world.assert_whole(&world.whole_tree(), base);
    world.hook("pre-commit", "echo checked >&2");
    world.agent_says("Change it");
    world.stage("a", "1\n");
    let base = world.head();
    world.run(&[]).succeeds().says(&["checked"]);
    whole(&world, &base);

    let base = world.head();
    Roles::plan(&[("One", &["a"]), ("Two", &["b"]), ("Three", &["c"])]).install(&world);
    for file in ["a", "b", "c"] {
        world.write(file, "2\n");
    }
    world.run(&[]).succeeds();
    whole(&world, &base);
    assert_eq!(world.files_since(&base), [["a"], ["b"], ["c"]]);
}

/// A run that is killed while its agent thinks leaves the agent and its folder; the next run ends both.
#[test]
fn the_agent_of_a_killed_run_is_ended_by_the_next() {
    let world = World::with_message("");
    let pid = world.root().join("agent.pid");
    world.agent(&format!("cat > /dev/null; echo $$ > '{}'; exec sleep 614", pid.display()));
    world.stage("a", "x\n");
    let mut child = world.stagecoach(&[]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let deadline = std::time::Instant::now() + Duration::from_secs(60);
    let agent = loop {
        assert!(std::time::Instant::now() < deadline);
        let text = std::fs::read_to_string(&pid).unwrap_or_default();
        if let Some(number) = text.strip_suffix('\n') {
            break number.to_owned();
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    child.kill().unwrap();
    child.wait().unwrap();
    let runs = || {
        let stat = std::fs::read_to_string(format!("/proc/{agent}/stat")).unwrap_or_default();
        stat.rsplit_once(')').is_some_and(|(_, rest)| !rest.trim_start().starts_with(['Z', 'X']))
    };
    assert!(runs() && std::fs::read_dir(world.root().join("tmp")).unwrap().count() == 1);
    // A process that has the number of an agent of old, and one whose folder has the right name only.
    let strange = world.root().join("tmp/stagecoach-strange");
    std::fs::create_dir_all(strange.join("work")).unwrap();
    world.agent_says("Write it down");
    world.run(&[]).succeeds();
    assert!(!runs(), "the agent goes on");
    std::fs::remove_dir_all(strange).unwrap();
    world.assert_tidy();
}
