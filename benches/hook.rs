//! What our `prepare-commit-msg` hook costs where it has nothing to do: in a rebase, which runs it for every commit.
//!
//! `cargo bench --bench hook` prints the median time of a rebase of thirty commits without and with the hook, the ratio of
//! the pairs, and the median time of one `stagecoach hook exec` in the middle of a rebase beside that of `git --version`.
//! `RUNS` (30) may be set.

#![allow(clippy::print_stdout, reason = "the table is what a bench is run for")]
#![allow(clippy::expect_used, reason = "a bench stops where something is wrong")]

mod support;

use std::time::Duration;

use support::{Bench, CASES, median, milliseconds, runs, timed};

const STAGECOACH: &str = env!("CARGO_BIN_EXE_stagecoach");
const PICKS: usize = 30;

fn main() {
    let [case, _] = &CASES;
    let bench = Bench::new(case);
    prepare(&bench);
    let (mut without, mut with, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for run in 0..=runs() {
        let plain = rebase(&bench, "no-hooks");
        let hooked = rebase(&bench, "hooks");
        if run == 0 {
            continue; // warm-up
        }
        ratios.push(hooked.as_secs_f64() / plain.as_secs_f64());
        without.push(plain);
        with.push(hooked);
    }
    println!(
        "rebase of {PICKS} commits {:.2} ms, with the hook {:.2} ms, ratio {:.2}",
        milliseconds(&mut without),
        milliseconds(&mut with),
        median(&mut ratios)
    );
    in_the_middle(&bench);
}

/// A branch of commits that a rebase has to make anew, and a folder with our hook beside one without.
fn prepare(bench: &Bench) {
    bench.git(&["switch", "-q", "-c", "topic"]);
    for pick in 0..PICKS {
        bench.write(&format!("topic{pick}"), "x\n");
        bench.git(&["add", "."]);
        bench.git(&["commit", "-q", "-m", &format!("Pick {pick}")]);
    }
    bench.git(&["switch", "-q", "main"]);
    bench.write("main", "x\n");
    bench.git(&["add", "."]);
    bench.git(&["commit", "-q", "-m", "Go on"]);
    let git_dir = bench.path("repo/.git");
    for folder in ["hooks", "no-hooks"] {
        std::fs::create_dir_all(git_dir.join(folder)).expect("a folder");
    }
    timed(with_us(bench.command(STAGECOACH)).args(["hook", "install"]));
}

/// The time that a rebase takes with the hooks of a folder.
fn rebase(bench: &Bench, hooks: &str) -> Duration {
    bench.git(&["branch", "-q", "-f", "work", "topic"]);
    let hooks = format!("core.hooksPath={}", bench.path("repo/.git").join(hooks).display());
    let took = timed(with_us(bench.command("git")).args(["-c", &hooks, "rebase", "-q", "main", "work"]));
    bench.git(&["switch", "-q", "main"]);
    took
}

/// With the folder of our program on its `PATH`.
fn with_us(mut command: std::process::Command) -> std::process::Command {
    let ours = std::path::Path::new(STAGECOACH).parent().map(std::path::Path::to_owned);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = ours.into_iter().chain(std::env::split_paths(&path));
    command.env("PATH", std::env::join_paths(folders).expect("folders without colons"));
    command
}

/// One call, while a rebase waits at an `edit`.
fn in_the_middle(bench: &Bench) {
    bench.git(&["branch", "-q", "-f", "work", "topic"]);
    let mut edit = bench.command("git");
    edit.env("GIT_SEQUENCE_EDITOR", "sed -i -e 1s/pick/edit/");
    timed(edit.args(["rebase", "-q", "-i", "main", "work"]).stderr(std::process::Stdio::null()));
    bench.write(".git/MSG", "");
    bench.write("main", "y\n");
    bench.git(&["add", "."]);
    let (mut ours, mut git, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..runs() {
        let call = timed(bench.command(STAGECOACH).args(["hook", "exec", ".git/MSG"]));
        let version = timed(bench.command("git").arg("--version"));
        ratios.push(call.as_secs_f64() / version.as_secs_f64());
        ours.push(call);
        git.push(version);
    }
    let untouched = std::fs::read(bench.path("repo/.git/MSG")).expect("the file");
    assert!(untouched.is_empty(), "the hook wrote a message in a rebase");
    println!(
        "hook exec in a rebase {:.2} ms, git --version {:.2} ms, ratio {:.2}",
        milliseconds(&mut ours),
        milliseconds(&mut git),
        median(&mut ratios)
    );
}
