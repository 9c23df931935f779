//! The program that started a run goes away: the run ends as by SIGTERM, with a rescue, and its agents end with it.

use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::support::{Run, World, records};

/// Waits for something that is bound to come.
#[track_caller]
fn until(what: &str, is_so: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while !is_so() {
        assert!(Instant::now() < deadline, "{what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// A process that nobody waits for any more may stay as a zombie.
fn runs(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(')').is_some_and(|(_, rest)| !rest.trim_start().starts_with(['Z', 'X']))
}

fn number(file: &Path) -> String {
    until("a number was never written", || std::fs::read_to_string(file).is_ok_and(|text| text.ends_with('\n')));
    std::fs::read_to_string(file).unwrap().trim().to_owned()
}

/// Has a shell start a run, kills the shell while the agent thinks, and returns the numbers of run and agent.
fn orphan(world: &World) -> (String, String) {
    let root = world.root();
    let stagecoach = env!("CARGO_BIN_EXE_stagecoach");
    let script = format!("'{stagecoach}' 2> $root/said & echo $! > $root/run.pid; wait");
    let mut shell = world.program("sh").args(["-c", &script]).env("root", &root).stdout(Stdio::null()).spawn().unwrap();
    let (agent, run) = (number(&root.join("agent.pid")), number(&root.join("run.pid")));
    until("nothing was noted", || records(world).iter().any(|file| file.metadata().is_ok_and(|file| file.len() > 0)));
    shell.kill().unwrap();
    shell.wait().unwrap();
    (run, agent)
}

fn world_with_agent(then: &str) -> World {
    let world = World::with_message("");
    let root = world.root();
    world.agent(&format!("cat > /dev/null; echo $$ > '{}/agent.pid'; {then}", root.display()));
    world.stage("a", "x\n");
    world
}

#[test]
fn a_run_whose_launcher_is_killed_ends_with_a_rescue_and_without_an_agent() {
    let world = world_with_agent("exec sleep 612");
    let before = world.state();
    let (run, agent) = orphan(&world);
    until("the run went on", || !runs(&run));
    assert!(!runs(&agent), "the agent went on");
    let said = std::fs::read_to_string(world.root().join("said")).unwrap();
    assert!(said.contains("the program that started stagecoach is gone") && said.contains("git commit-tree"), "{said}");
    assert_eq!(world.state(), before);
    world.assert_tidy();
    assert_eq!(std::fs::read_dir(world.root().join("run/stagecoach/locks")).unwrap().count(), 0);
    world.run(&["rescue", "commit", "-m", "Finish it"]).succeeds();
    assert_eq!(world.message("HEAD"), "Finish it\n");
}

#[test]
fn a_run_that_was_told_to_goes_on_without_its_launcher() {
    let wait = "while ! test -e '$root/go'; do sleep 0.01; done; echo 'Write it down'";
    for by_git in [false, true] {
        let world = World::with_message("");
        let root = world.root();
        let wait = wait.replace("$root", &root.display().to_string());
        let settings = if by_git { "" } else { "[generation]\nno_parent_watchdog = true\n" };
        world.agent_with(&format!("cat > /dev/null; echo $$ > '{}/agent.pid'; {wait}", root.display()), settings);
        if by_git {
            world.git(&["config", "stagecoach.noParentWatchdog", "true"]);
        }
        world.stage("a", "x\n");
        let (run, _) = orphan(&world);
        // Longer than the launcher's end takes to be noticed.
        std::thread::sleep(Duration::from_millis(1200));
        std::fs::write(root.join("go"), "").unwrap();
        until("the run does not end", || !runs(&run));
        assert_eq!(world.message("HEAD"), "Write it down\n", "{:?}", std::fs::read_to_string(root.join("said")));
    }
}

/// Has a shell start a command that a hook holds up, kills the shell, and returns once the command has ended.
fn orphan_in_hook(world: &World, arguments: &str) -> String {
    let (root, stagecoach) = (world.root(), env!("CARGO_BIN_EXE_stagecoach"));
    world.hook("commit-msg", &format!("echo $$ > '{}/hook.pid'; exec sleep 612", root.display()));
    // Those of an earlier command would let the shell be killed before this one has begun.
    for file in ["hook.pid", "run.pid"] {
        drop(std::fs::remove_file(root.join(file)));
    }
    let script = format!("'{stagecoach}' {arguments} 2> $root/said & echo $! > $root/run.pid; wait");
    let mut shell = world.program("sh").args(["-c", &script]).env("root", &root).stdout(Stdio::null()).spawn().unwrap();
    let (hook, run) = (number(&root.join("hook.pid")), number(&root.join("run.pid")));
    shell.kill().unwrap();
    shell.wait().unwrap();
    until("the command went on", || !runs(&run));
    assert!(!runs(&hook), "the hook went on");
    std::fs::read_to_string(root.join("said")).unwrap()
}

#[test]
fn whatever_commits_ends_with_its_launcher() {
    let world = World::with_message("Write it down");
    world.write("a", "x\n");
    world.run(&["plan", "--provider", "offline", "-o", "../plan.json"]).succeeds();
    let before = world.state();
    let said = orphan_in_hook(&world, "apply ../plan.json");
    assert!(said.contains("the program that started stagecoach is gone"), "{said}");
    assert_eq!(world.state(), before);

    let said = orphan_in_hook(&world, "rescue commit");
    assert!(said.contains("the program that started stagecoach is gone"), "{said}");
    assert_eq!(world.state(), before);
    world.hook("commit-msg", "");
    world.run(&["rescue", "commit"]).succeeds();
    world.assert_tidy();
}

/// The last moment at which it can still be stopped is before the branch is touched.
#[test]
fn nothing_is_taken_back_for_a_launcher_that_is_gone() {
    let mut world = World::with_message("Write it down");
    world.stage("a", "x\n");
    world.run(&[]).succeeds();
    let before = world.state();
    let root = world.root();
    // Dates in words are left to git: it is asked who takes back, and is held up.
    world.set("GIT_COMMITTER_DATE", "Thu, 07 Apr 2005 22:13:13 +0200");
    let git = root.join("bin/git").read_link().unwrap();
    std::fs::remove_file(root.join("bin/git")).unwrap();
    let script = format!(
        "for word; do if test \"$word\" = var; then echo $$ > '{root}/git.pid'; \
         while ! test -e '{root}/go'; do sleep 0.01; done; fi; done; exec '{git}' \"$@\"",
        root = root.display(),
        git = git.display()
    );
    std::fs::rename(world.script("git", &script), root.join("bin/git")).unwrap();
    let stagecoach = env!("CARGO_BIN_EXE_stagecoach");
    let script = format!("'{stagecoach}' undo 2> $root/said & echo $! > $root/run.pid; wait");
    let mut shell = world.program("sh").args(["-c", &script]).env("root", &root).stdout(Stdio::null()).spawn().unwrap();
    let (_, run) = (number(&root.join("git.pid")), number(&root.join("run.pid")));
    shell.kill().unwrap();
    shell.wait().unwrap();
    // Longer than the launcher's end takes to be noticed.
    std::thread::sleep(Duration::from_millis(1200));
    std::fs::write(root.join("go"), "").unwrap();
    until("it went on", || !runs(&run));
    let said = std::fs::read_to_string(root.join("said")).unwrap();
    assert!(said.contains("the program that started stagecoach is gone"), "{said}");
    world.unset("GIT_COMMITTER_DATE");
    assert_eq!(world.state(), before);
}

/// Linux tells of the end of the thread that started a process, which is not the end of the launcher.
#[test]
fn a_launcher_may_start_runs_from_threads_that_end() {
    let world = world_with_agent("sleep 0.3; echo 'Write it down'");
    let mut command = world.stagecoach(&[]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = std::thread::spawn(move || command.spawn().unwrap()).join().unwrap();
    Run::of(child.wait_with_output().unwrap()).succeeds();
    assert_eq!(world.message("HEAD"), "Write it down\n");
}
