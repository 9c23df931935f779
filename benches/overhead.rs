//! What stagecoach costs besides the agent, against `git commit` on the same change in the same run.
//!
//! `cargo bench --bench overhead` prints one line for each repository: the median time of `git commit -q -m x`, the
//! median time of `stagecoach -q` with an agent that answers at once, the agent's own time, and the ratio
//! (stagecoach − agent) / git. Runs are interleaved and every run commits content that no run before it had, so that
//! neither side finds its objects already written. `RUNS` (30) and `REPOSITORY` (`small`, `large`) may be set.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    clippy::too_many_lines,
    reason = "a bench stops where something is wrong"
)]

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// One repository to measure in.
struct Case {
    name: &'static str,
    files: usize,
    commits: usize,
    staged: usize,
}

const CASES: [Case; 2] = [
    Case { name: "small", files: 20, commits: 30, staged: 1 },
    Case { name: "large", files: 20_000, commits: 2_000, staged: 200 },
];

fn main() {
    let runs: usize = std::env::var("RUNS").ok().and_then(|runs| runs.parse().ok()).unwrap_or(30);
    let only = std::env::var("REPOSITORY").ok();
    println!("{:<8} {:>12} {:>14} {:>10} {:>8} {:>10}", "", "git commit", "stagecoach", "agent", "ratio", "memory");
    for case in CASES.iter().filter(|case| only.as_deref().is_none_or(|name| name == case.name)) {
        measure(case, runs);
    }
    version(runs);
}

fn measure(case: &Case, runs: usize) {
    let world = Bench::new(case);
    let (mut git, mut ours, mut agent, mut ratios) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for run in 0..=runs {
        world.stage(case, 2 * run);
        let ours_took = timed(world.command(env!("CARGO_BIN_EXE_stagecoach")).arg("-q"));
        let agent_took = timed(world.command(world.agent()).stdin(Stdio::null()));
        world.stage(case, 2 * run + 1);
        let git_took = timed(world.command("git").args(["commit", "-q", "-m", "x"]));
        if run == 0 {
            continue; // warm-up
        }
        ratios.push((ours_took.as_secs_f64() - agent_took.as_secs_f64()) / git_took.as_secs_f64());
        git.push(git_took);
        ours.push(ours_took);
        agent.push(agent_took);
    }
    ratios.sort_by(f64::total_cmp);
    world.stage(case, 2 * runs + 2);
    println!(
        "{:<8} {:>9.2} ms {:>11.2} ms {:>7.2} ms {:>8.2} {:>10}",
        case.name,
        milliseconds(&mut git),
        milliseconds(&mut ours),
        milliseconds(&mut agent),
        ratios[ratios.len() / 2],
        world.peak_memory().map_or_else(|| "?".to_owned(), |kib| format!("{:.1} MB", f64::from(kib) / 1024.0)),
    );
}

fn version(runs: usize) {
    let mut times: Vec<Duration> =
        (0..runs).map(|_| timed(Command::new(env!("CARGO_BIN_EXE_stagecoach")).arg("--version"))).collect();
    println!("--version {:.2} ms", milliseconds(&mut times));
}

fn milliseconds(times: &mut [Duration]) -> f64 {
    times.sort();
    times[times.len() / 2].as_secs_f64() * 1000.0
}

fn timed(command: &mut Command) -> Duration {
    let start = Instant::now();
    let status = command.stdout(Stdio::null()).status().expect("the command starts");
    let took = start.elapsed();
    assert!(status.success(), "{command:?}: {status}");
    took
}

/// A repository, a home and an agent in a temporary folder.
struct Bench {
    folder: tempfile::TempDir,
}

impl Bench {
    fn new(case: &Case) -> Self {
        let bench = Self { folder: tempfile::tempdir().expect("a temporary folder") };
        for dir in ["repo", "home/.config/stagecoach"] {
            std::fs::create_dir_all(bench.path(dir)).expect("folders");
        }
        let agent = bench.agent();
        std::fs::write(&agent, "#!/bin/sh\necho \"Describe change $$\"\n").expect("the agent");
        assert!(Command::new("chmod").arg("755").arg(&agent).status().expect("chmod").success());
        std::fs::write(
            bench.path("home/.config/stagecoach/config.toml"),
            format!(
                "config_version = 3\n[defaults]\nprovider = \"instant\"\n[provider.instant]\ncommand = \"{}\"\n",
                agent.display()
            ),
        )
        .expect("the configuration");
        std::fs::write(
            bench.path("home/.gitconfig"),
            "[user]\n\tname = A\n\temail = a@example.com\n[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n",
        )
        .expect("git's configuration");
        bench.git(&["init", "-q", "-b", "main"]);
        bench.import(case);
        bench.git(&["reset", "-q", "--hard"]);
        bench.git(&["gc", "-q"]);
        bench
    }

    fn path(&self, relative: &str) -> PathBuf {
        self.folder.path().join(relative)
    }

    fn agent(&self) -> PathBuf {
        self.path("agent")
    }

    fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.path("home"))
            .current_dir(self.path("repo"));
        command
    }

    fn git(&self, arguments: &[&str]) {
        assert!(self.command("git").args(arguments).status().expect("git").success(), "git {arguments:?}");
    }

    /// Makes the history with one `git fast-import`.
    fn import(&self, case: &Case) {
        let mut stream = String::new();
        for commit in 0..case.commits {
            write!(
                stream,
                "commit refs/heads/main\ncommitter A <a@example.com> {} +0000\ndata <<END\nChange part {commit}\nEND\n",
                1_700_000_000 + commit
            )
            .expect("a String takes everything");
            let touched: Vec<usize> =
                if commit == 0 { (0..case.files).collect() } else { vec![commit * 7 % case.files] };
            for file in touched {
                write!(stream, "M 644 inline {}\ndata <<END\n{}END\n", name(file), content(file, commit))
                    .expect("a String takes everything");
            }
        }
        let mut import =
            self.command("git").args(["fast-import", "--quiet"]).stdin(Stdio::piped()).spawn().expect("git");
        import.stdin.take().expect("a pipe").write_all(stream.as_bytes()).expect("git reads");
        assert!(import.wait().expect("git").success());
    }

    /// Stages new content in as many files as the case asks for.
    fn stage(&self, case: &Case, generation: usize) {
        let step = case.files / case.staged;
        for n in 0..case.staged {
            let file = n * step;
            std::fs::write(self.path("repo").join(name(file)), content(file, 10_000 + generation)).expect("a file");
        }
        self.git(&["add", "-u"]);
    }

    /// The peak resident memory of a run in KiB, where GNU time is installed.
    fn peak_memory(&self) -> Option<u32> {
        if !Path::new("/usr/bin/time").exists() {
            return None;
        }
        let report = self.path("memory");
        let mut command = self.command("/usr/bin/time");
        command.args(["-f", "%M", "-o"]).arg(&report).arg(env!("CARGO_BIN_EXE_stagecoach")).arg("-q");
        assert!(command.status().expect("time").success());
        std::fs::read_to_string(report).ok()?.trim().parse().ok()
    }
}

fn name(file: usize) -> String {
    format!("part{:02}/module{:02}/file{file}.rs", file % 40, file / 40 % 25)
}

fn content(file: usize, generation: usize) -> String {
    let mut text = String::new();
    for line in 0..40 {
        let value = if line == file % 40 { generation } else { line };
        writeln!(text, "pub fn item_{file}_{line}() -> usize {{ {value} }}").expect("a String takes everything");
    }
    text
}
