//! A repository with a staged change, and a home, that nothing of the user's reaches.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::Duration;

use anyhow::{Result, ensure};
use regex::Regex;
use tempfile::TempDir;

use crate::agents::Agent;
use crate::install::Program;
use crate::mock::Request;
use crate::process::{self, Finished};

const GIT_LIMIT: Duration = Duration::from_secs(60);

/// In the staged change, so the model has to see it.
const CHANGE: &str = "println!(\"hello from the change\");";
/// How many lines the large file of the change has: with 50 bytes each, almost as much as is sent without a limit.
const LINES: usize = 5000;
/// In files that the change only names, so the model must not see it.
const SECRET: &str = "what-only-the-file-itself-says";
/// In the files that agents read for instructions, so the model must not see it.
const INSTRUCTION: &str = "always-answer-in-verse";
/// Files that agents read for instructions.
const INSTRUCTION_FILES: [&str; 5] =
    ["AGENTS.md", "CLAUDE.md", "GEMINI.md", "QWEN.md", ".github/copilot-instructions.md"];

/// A line of the large file.
fn table_line(number: usize) -> String {
    format!("pub const LINE_{number:05}: &str = \"line {number:05}\";\n")
}

/// The model was given the change, and nothing that is only in files the change names.
pub(crate) fn check_request(agent: &Agent, request: &Request) -> Result<()> {
    let said = request.users.concat();
    ensure!(said.contains(CHANGE), "{}: the change did not arrive: {said}", agent.provider);
    for number in [1, LINES / 2, LINES] {
        let line = table_line(number);
        ensure!(said.contains(line.trim_end()), "{}: the change did not arrive whole: no {line}", agent.provider);
    }
    // Agents that follow an `@`, here at least to the folder they run in, also alter the text around the others.
    let address = Regex::new(r"\bperson(@|\[at\d*\])example\.com\b")?;
    ensure!(address.is_match(&said), "{}: the text around an `@` was altered", agent.provider);
    for (text, what) in [(SECRET, "a named file was read"), (INSTRUCTION, "a file of instructions was read")] {
        ensure!(!request.body.contains(text), "{}: {what}: {}", agent.provider, request.body);
    }
    let passwd = fs::read_to_string("/etc/passwd")?;
    let line = passwd.lines().next().unwrap_or("root:");
    ensure!(!request.body.contains(line), "{}: /etc/passwd was read: {}", agent.provider, request.body);
    Ok(())
}

/// A scratch world of its own, removed in the end.
#[derive(Debug)]
pub(crate) struct Scratch {
    root: TempDir,
    program: Program,
    variables: RefCell<BTreeMap<OsString, OsString>>,
}

impl Scratch {
    /// Makes the repository and stages a change.
    ///
    /// # Errors
    /// A file cannot be written, or git fails.
    pub(crate) fn new(program: Program) -> Result<Self> {
        let scratch = Self { root: tempfile::tempdir()?, program, variables: RefCell::default() };
        for folder in ["home", "logs", "repository/src", "repository/.github", "tmp"] {
            fs::create_dir_all(scratch.folder().join(folder))?;
        }
        let identity = "[user]\n\tname = A Person\n\temail = person@example.com\n[init]\n\tdefaultBranch = main\n";
        fs::write(scratch.folder().join("gitconfig"), identity)?;
        scratch.write("src/main.rs", "fn main() {}\n")?;
        scratch.write("secret.txt", &format!("{SECRET}\n"))?;
        for file in INSTRUCTION_FILES {
            scratch.write(file, &format!("{INSTRUCTION}\n"))?;
        }
        for arguments in [&["init", "-q"][..], &["add", "-A"], &["commit", "-q", "-m", "Begin"]] {
            scratch.git(arguments)?;
        }
        scratch.write("src/main.rs", &scratch.changed())?;
        scratch.write("src/table.rs", &(1..=LINES).map(table_line).collect::<String>())?;
        scratch.git(&["add", "-A"])?;
        Ok(scratch)
    }

    /// A program that names files the way some agents take for a request to read them.
    fn changed(&self) -> String {
        let secret = self.repository().join("secret.txt");
        format!(
            "// see @{} and @secret.txt, @./ and @/etc/passwd, or ask person@example.com\n\
             fn main() {{\n    {CHANGE}\n}}\n",
            secret.display()
        )
    }

    /// The folder everything is in.
    pub(crate) fn folder(&self) -> &Path {
        self.root.path()
    }

    fn repository(&self) -> PathBuf {
        self.folder().join("repository")
    }

    fn write(&self, file: &str, content: &str) -> Result<()> {
        Ok(fs::write(self.repository().join(file), content)?)
    }

    /// Points an agent at the service at `base`.
    ///
    /// # Errors
    /// Its configuration cannot be written.
    pub(crate) fn point(&self, agent: &Agent, base: &str) -> Result<()> {
        agent.configure(&self.folder().join("home"), base)?;
        let variables = agent.environment(base).map(|(name, value)| (name.into(), value.into()));
        self.variables.borrow_mut().extend(variables);
        Ok(())
    }

    /// What git says, in the repository.
    ///
    /// # Errors
    /// git fails.
    pub(crate) fn git(&self, arguments: &[&str]) -> Result<String> {
        let mut command = self.command("git");
        command.args(arguments);
        let finished = process::run(command, &self.folder().join("logs"), GIT_LIMIT)?;
        ensure!(finished.status.success(), "git {}: {finished}", arguments.join(" "));
        Ok(finished.stdout)
    }

    /// What must be the same after a run that failed: branch, index and working tree.
    pub(crate) fn state(&self) -> Result<String> {
        let asked = [&["rev-parse", "HEAD"][..], &["ls-files", "--stage"], &["status", "--porcelain"]];
        asked.into_iter().map(|arguments| self.git(arguments)).collect()
    }

    /// Runs stagecoach on the staged change.
    pub(crate) fn stagecoach(&self, agent: &Agent, limit: Duration) -> Result<Finished> {
        let mut command = self.command(env!("CARGO_BIN_EXE_stagecoach"));
        command.args(["--provider", agent.provider]);
        if let Some(model) = agent.model {
            command.args(["--model", model]);
        }
        command.envs(&*self.variables.borrow());
        process::run(command, &self.folder().join("logs"), limit)
    }

    fn command(&self, program: &str) -> Command {
        let home = self.folder().join("home");
        let mut command = Command::new(program);
        command.current_dir(self.repository()).env_clear();
        command.env("PATH", &self.program.path).env("LANG", "C.UTF-8").env("TMPDIR", self.folder().join("tmp"));
        for (name, folder) in [
            ("XDG_CONFIG_HOME", ".config"),
            ("XDG_DATA_HOME", ".local/share"),
            ("XDG_STATE_HOME", ".local/state"),
            ("XDG_CACHE_HOME", ".cache"),
            ("HOME", ""),
        ] {
            command.env(name, home.join(folder));
        }
        command.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", self.folder().join("gitconfig"));
        command
    }

    /// No process of the run is left, and nothing that stagecoach made in the folder for temporary files.
    pub(crate) fn nothing_survives(&self) -> Result<()> {
        let made: Vec<_> = fs::read_dir(self.folder().join("tmp"))?
            .flatten()
            .map(|entry| entry.file_name())
            .filter(|name| name.to_string_lossy().starts_with("stagecoach"))
            .collect();
        ensure!(made.is_empty(), "temporary files were left: {made:?}");
        let mut left = Vec::new();
        for _ in 0..50 {
            left = self.processes();
            if left.is_empty() {
                return Ok(());
            }
            thread::sleep(Duration::from_millis(100));
        }
        ensure!(left.is_empty(), "processes were left: {left:?}");
        Ok(())
    }

    /// The command lines of processes that have our home in their environment; none where there is no `/proc`.
    fn processes(&self) -> Vec<String> {
        let home = format!("HOME={}", self.folder().join("home").display());
        let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
        let ours = entries.flatten().map(|entry| entry.path()).filter(|process| {
            let environment = fs::read(process.join("environ")).unwrap_or_default();
            environment.split(|byte| *byte == 0).any(|variable| variable.starts_with(home.as_bytes()))
        });
        ours.map(|process| {
            let line = fs::read(process.join("cmdline")).unwrap_or_default();
            String::from_utf8_lossy(&line).replace('\0', " ")
        })
        .collect()
    }
}
