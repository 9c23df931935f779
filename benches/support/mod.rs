//! Repositories to measure in, and how a command is timed.

#![allow(
    dead_code,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a bench stops where something is wrong, and not every bench needs everything"
)]

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// One repository to measure in.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) files: usize,
    pub(crate) commits: usize,
    pub(crate) staged: usize,
}

pub(crate) const CASES: [Case; 2] = [
    Case { name: "small", files: 20, commits: 30, staged: 1 },
    Case { name: "large", files: 20_000, commits: 2_000, staged: 200 },
];

/// How often each command is run: `RUNS`, or 30.
pub(crate) fn runs() -> usize {
    std::env::var("RUNS").ok().and_then(|runs| runs.parse().ok()).unwrap_or(30)
}

/// The cases to measure: the one that `REPOSITORY` names, or all.
pub(crate) fn cases() -> impl Iterator<Item = &'static Case> {
    let only = std::env::var("REPOSITORY").ok();
    CASES.iter().filter(move |case| only.as_deref().is_none_or(|name| name == case.name))
}

/// The median of some ratios.
pub(crate) fn median(ratios: &mut [f64]) -> f64 {
    ratios.sort_by(f64::total_cmp);
    ratios[ratios.len() / 2]
}

/// The median in milliseconds.
pub(crate) fn milliseconds(times: &mut [Duration]) -> f64 {
    times.sort();
    times[times.len() / 2].as_secs_f64() * 1000.0
}

/// Runs a command that must succeed, and tells how long it took.
pub(crate) fn timed(command: &mut Command) -> Duration {
    let start = Instant::now();
    let status = command.stdout(Stdio::null()).status().expect("the command starts");
    let took = start.elapsed();
    assert!(status.success(), "{command:?}: {status}");
    took
}

/// A repository, a home and an agent in a temporary folder.
pub(crate) struct Bench {
    folder: tempfile::TempDir,
}

impl Bench {
    pub(crate) fn new(case: &Case) -> Self {
        let bench = Self { folder: tempfile::tempdir().expect("a temporary folder") };
        for dir in ["repo", "home/.config/stagecoach"] {
            std::fs::create_dir_all(bench.path(dir)).expect("folders");
        }
        let agent = bench.agent();
        bench.answer("echo \"Describe change $$\"");
        assert!(Command::new("chmod").arg("755").arg(&agent).status().expect("chmod").success());
        std::fs::write(
            bench.path("home/.config/stagecoach/config.toml"),
            format!(
                "config_version = 3\n[defaults]\nprovider = \"instant\"\n[provider.instant]\ncommand = \"{}\"\n",
                agent.display()
            ),
        )
        .expect("the configuration");
        // git looks for maintenance to do after every commit, as for everybody, and never finds any while we measure.
        std::fs::write(
            bench.path("home/.gitconfig"),
            "[user]\n\tname = A\n\temail = a@example.com\n[gc]\n\tauto = 1000000\n",
        )
        .expect("git's configuration");
        bench.git(&["init", "-q", "-b", "main"]);
        bench.import(case);
        bench.git(&["reset", "-q", "--hard"]);
        bench.git(&["gc", "-q"]);
        bench
    }

    pub(crate) fn path(&self, relative: &str) -> PathBuf {
        self.folder.path().join(relative)
    }

    pub(crate) fn agent(&self) -> PathBuf {
        self.path("agent")
    }

    pub(crate) fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.path("home"))
            .current_dir(self.path("repo"));
        command
    }

    pub(crate) fn git(&self, arguments: &[&str]) {
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

    /// What the agent does: a shell script.
    pub(crate) fn answer(&self, script: &str) {
        std::fs::write(self.agent(), format!("#!/bin/sh\n{script}\n")).expect("the agent");
    }

    /// Stages new content in as many files as the case asks for.
    pub(crate) fn stage(&self, case: &Case, generation: usize) {
        self.change(case, generation);
        self.git(&["add", "-u"]);
    }

    /// Writes new content into as many files as the case asks for.
    pub(crate) fn change(&self, case: &Case, generation: usize) {
        let step = case.files / case.staged;
        for n in 0..case.staged {
            let file = n * step;
            std::fs::write(self.path("repo").join(name(file)), content(file, 10_000 + generation)).expect("a file");
        }
    }

    /// Writes a file into the repository.
    pub(crate) fn write(&self, path: &str, content: &str) {
        std::fs::write(self.path("repo").join(path), content).expect("a file");
    }

    /// The peak resident memory of a run of stagecoach, where GNU time is installed.
    pub(crate) fn peak_memory(&self, arguments: &[&str]) -> String {
        if !Path::new("/usr/bin/time").exists() {
            return "?".to_owned();
        }
        let report = self.path("memory");
        let mut command = self.command("/usr/bin/time");
        command.args(["-f", "%M", "-o"]).arg(&report).arg(env!("CARGO_BIN_EXE_stagecoach")).args(arguments);
        assert!(command.stdout(Stdio::null()).status().expect("time").success());
        let kib: f64 = std::fs::read_to_string(report).expect("a report").trim().parse().expect("a number");
        format!("{:.1} MB", kib / 1024.0)
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
