//! What stagecoach costs besides the agent, against `git commit` on the same change in the same run.
//!
//! `cargo bench --bench overhead` prints one line for each repository: the median time of `git commit -q -m x`, the
//! median time of `stagecoach -q` with an agent that answers at once, the agent's own time, the ratio
//! (stagecoach − agent) / git, and the peak memory of stagecoach. Runs are interleaved and every run commits content that
//! no run before it had, so that neither side finds its objects already written. `RUNS` (30) and `REPOSITORY` (`small`,
//! `large`) may be set.

#![allow(clippy::print_stdout, reason = "the table is what a bench is run for")]

mod support;

use std::process::{Command, Stdio};
use std::time::Duration;

use support::{Bench, Case, cases, median, milliseconds, runs, timed};

const STAGECOACH: &str = env!("CARGO_BIN_EXE_stagecoach");

fn main() {
    println!("{:<8} {:>12} {:>14} {:>10} {:>8} {:>10}", "", "git commit", "stagecoach", "agent", "ratio", "memory");
    for case in cases() {
        measure(case);
    }
    let mut times: Vec<Duration> = (0..runs()).map(|_| timed(Command::new(STAGECOACH).arg("--version"))).collect();
    println!("--version {:.2} ms", milliseconds(&mut times));
}

fn measure(case: &Case) {
    let bench = Bench::new(case);
    let (mut git, mut ours, mut agent, mut ratios) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for run in 0..=runs() {
        bench.stage(case, 2 * run);
        let ours_took = timed(bench.command(STAGECOACH).arg("-q"));
        let agent_took = timed(bench.command(bench.agent()).stdin(Stdio::null()));
        bench.stage(case, 2 * run + 1);
        let git_took = timed(bench.command("git").args(["commit", "-q", "-m", "x"]));
        if run == 0 {
            continue; // warm-up
        }
        ratios.push((ours_took.as_secs_f64() - agent_took.as_secs_f64()) / git_took.as_secs_f64());
        git.push(git_took);
        ours.push(ours_took);
        agent.push(agent_took);
    }
    bench.stage(case, 2 * runs() + 2);
    println!(
        "{:<8} {:>9.2} ms {:>11.2} ms {:>7.2} ms {:>8.2} {:>10}",
        case.name,
        milliseconds(&mut git),
        milliseconds(&mut ours),
        milliseconds(&mut agent),
        median(&mut ratios),
        bench.peak_memory(&["-q"]),
    );
}
