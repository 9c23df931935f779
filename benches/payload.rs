//! What it takes to read a change into a prompt, against `git diff --cached -M`, both as whole processes.
//!
//! `cargo bench --bench payload` prints for each repository the median times of both, their ratio, and the peak memory of
//! stagecoach; then the same for two changes that must neither stall nor exhaust memory: a staged file of five million
//! lines and 50,000 changed files. `RUNS` (30) and `REPOSITORY` may be set.

#![allow(clippy::print_stdout, reason = "the table is what a bench is run for")]

mod support;

use std::fmt::Write as _;

use support::{Bench, Case, cases, median, milliseconds, runs, timed};

const STAGECOACH: &str = env!("CARGO_BIN_EXE_stagecoach");
const SHOW: [&str; 3] = ["--show-prompt", "--provider", "offline"];

fn main() {
    println!("{:<12} {:>12} {:>14} {:>8} {:>10}", "", "git diff", "stagecoach", "ratio", "memory");
    for case in cases() {
        let bench = Bench::new(case);
        bench.stage(case, 1);
        compare(case.name, &bench, runs());
    }
    if std::env::var_os("REPOSITORY").is_none() {
        let few = runs().min(5);
        compare("5 M lines", &five_million_lines(), few);
        compare("50,000 files", &many_files(), few);
    }
}

fn compare(name: &str, bench: &Bench, runs: usize) {
    let (mut git, mut ours, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for run in 0..=runs {
        let ours_took = timed(bench.command(STAGECOACH).args(SHOW));
        let git_took = timed(bench.command("git").args(["--no-pager", "diff", "--cached", "-M"]));
        if run > 0 {
            ratios.push(ours_took.as_secs_f64() / git_took.as_secs_f64());
            git.push(git_took);
            ours.push(ours_took);
        }
    }
    println!(
        "{name:<12} {:>9.2} ms {:>11.2} ms {:>8.2} {:>10}",
        milliseconds(&mut git),
        milliseconds(&mut ours),
        median(&mut ratios),
        bench.peak_memory(&SHOW),
    );
}

fn five_million_lines() -> Bench {
    let bench = Bench::new(&Case { name: "lines", files: 20, commits: 2, staged: 1 });
    let text = (0..5_000_000).fold(String::new(), |mut text, line| {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "line number {line}");
        text
    });
    bench.write("large.txt", &text);
    bench.git(&["add", "-A"]);
    bench
}

fn many_files() -> Bench {
    let case = Case { name: "files", files: 50_000, commits: 2, staged: 50_000 };
    let bench = Bench::new(&case);
    bench.stage(&case, 1);
    bench
}
