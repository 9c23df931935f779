//! What a decomposition costs besides its agents, against `git add -A && git commit` of the same change in the same run.
//!
//! `cargo bench --bench decompose` prints the median times and their ratio for 3,000 changed files of 20,000 that become
//! ten commits, with agents that answer at once. Their own starts are part of stagecoach's time; what one takes is printed
//! beside it. `RUNS` (30) may be set.

#![allow(clippy::print_stdout, reason = "the table is what a bench is run for")]

mod support;

use std::process::Stdio;

use support::{Bench, Case, median, milliseconds, runs, timed};

const CASE: Case = Case { name: "dirty", files: 20_000, commits: 200, staged: 3_000 };

/// The files lie in forty folders; each commit takes four of them.
const COMMITS: usize = 10;

fn main() {
    let bench = Bench::new(&CASE);
    bench.answer(&format!(
        "case $STAGECOACH_ROLE in\nplanner) cat <<'END'\n{}\nEND\n;;\n*) echo \"Describe change $$\" ;;\nesac",
        plan()
    ));
    let (mut git, mut ours, mut agent, mut ratios) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for run in 0..=runs() {
        bench.change(&CASE, 2 * run);
        let ours_took = timed(bench.command(env!("CARGO_BIN_EXE_stagecoach")).arg("-q"));
        let agent_took = timed(bench.command(bench.agent()).stdin(Stdio::null()));
        bench.change(&CASE, 2 * run + 1);
        let git_took = timed(bench.command("git").args(["add", "-A"]))
            + timed(bench.command("git").args(["commit", "-q", "-m", "x"]));
        if run == 0 {
            continue; // warm-up
        }
        ratios.push(ours_took.as_secs_f64() / git_took.as_secs_f64());
        git.push(git_took);
        ours.push(ours_took);
        agent.push(agent_took);
    }
    bench.change(&CASE, 2 * runs() + 2);
    println!("{:>14} {:>14} {:>12} {:>8} {:>10}", "git add+commit", "stagecoach", "one agent", "ratio", "memory");
    println!(
        "{:>11.2} ms {:>11.2} ms {:>9.2} ms {:>8.2} {:>10}",
        milliseconds(&mut git),
        milliseconds(&mut ours),
        milliseconds(&mut agent),
        median(&mut ratios),
        bench.peak_memory(&["-q"]),
    );
}

fn plan() -> String {
    let commit = |number: usize| {
        let folders: Vec<String> = (0..4).map(|part| format!("\"part{:02}\"", 4 * number + part)).collect();
        format!("{{\"title\": \"Part {number}\", \"files\": [{}]}}", folders.join(", "))
    };
    format!("{{\"commits\": [{}]}}", (0..COMMITS).map(commit).collect::<Vec<_>>().join(", "))
}
