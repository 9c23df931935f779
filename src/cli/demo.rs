//! `stagecoach demo`: the whole decomposition in a throw-away repository, with the offline writer.
//!
//! The program calls itself in an environment of its own, so that nothing of the user's – identity, configuration,
//! hooks, variables – can reach the demonstration, and nothing of the demonstration can reach the user's.

mod story;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::run::{Cancel, Scratch};

use super::failure::interrupted;
use super::{Failure, stoppable, to_stdout};

/// Variables that say where programs are and how the terminal is to be used; all others are left behind.
const KEPT: [&str; 4] = ["PATH", "TERM", "COLUMNS", "SYSTEMROOT"];

/// The repository's own settings, which win over any other.
const SETTINGS: [(&str, &str); 8] = [
    ("user.name", "Demo"),
    ("user.email", "demo@example.com"),
    ("user.useConfigOnly", "false"),
    ("commit.gpgSign", "false"),
    ("core.autocrlf", "false"),
    ("core.hooksPath", ".git/hooks"),
    ("core.excludesFile", ""),
    ("gc.auto", "0"),
];

const END: &str = "
Nothing is left to commit, and nothing of all this is left on your disk. In a repository of yours, `stagecoach --dry-run`
shows what it would make of your changes.
";

pub(super) fn run() -> Result<(), Failure> {
    let (cancel, _signals) = stoppable()?;
    let scratch = Scratch::new()
        .map_err(|error| Failure::new("scratch", error.to_string(), "", "set TMPDIR to another folder"))?;
    let stage = Stage::set(scratch.path(), &cancel)?;
    stage.play()?;
    scratch.close().map_err(|error| {
        Failure::new("scratch", "the throw-away repository cannot be removed", error.to_string(), "remove it by hand")
    })?;
    to_stdout(END)
}

/// The throw-away repository and the programs that work in it.
struct Stage<'a> {
    folder: PathBuf,
    repository: PathBuf,
    program: PathBuf,
    cancel: &'a Cancel,
}

impl<'a> Stage<'a> {
    /// Makes the repository with its history and the work that is to be committed.
    fn set(folder: &Path, cancel: &'a Cancel) -> Result<Self, Failure> {
        let program = std::env::current_exe().map_err(|error| {
            Failure::new("system", "stagecoach does not find itself", error.to_string(), "try again")
        })?;
        let stage = Self { folder: folder.to_owned(), repository: folder.join("wordcount"), program, cancel };
        for name in ["home", "tmp", "wordcount"] {
            std::fs::create_dir(folder.join(name)).map_err(|error| unwritable(&folder.join(name), &error))?;
        }
        stage.git(&["init", "-q", "-b", "main", "--template="])?;
        for (key, value) in SETTINGS {
            stage.git(&["config", key, value])?;
        }
        for (message, files) in story::HISTORY {
            files.iter().try_for_each(|(path, text)| stage.write(path, text))?;
            stage.git(&["add", "-A"])?;
            stage.git(&["commit", "-q", "-m", message])?;
        }
        stage.change()?;
        Ok(stage)
    }

    /// The day's work.
    fn change(&self) -> Result<(), Failure> {
        let (from, to) = story::MOVED;
        let (from, to) = (self.repository.join(from), self.repository.join(to));
        std::fs::rename(&from, to).map_err(|error| unwritable(&from, &error))?;
        for (path, old, new) in story::EDITS {
            let file = self.repository.join(path);
            let text = std::fs::read_to_string(&file).map_err(|error| unwritable(&file, &error))?;
            self.write(path, &text.replacen(old, new, 1))?;
        }
        story::ADDED.iter().try_for_each(|(path, text)| self.write(path, text))
    }

    fn write(&self, path: &str, text: &str) -> Result<(), Failure> {
        let file = self.repository.join(path);
        file.parent()
            .map_or(Ok(()), std::fs::create_dir_all)
            .and_then(|()| std::fs::write(&file, text))
            .map_err(|error| unwritable(&file, &error))
    }

    fn play(&self) -> Result<(), Failure> {
        let start = self.git(&["rev-parse", "HEAD"])?;
        to_stdout("A day's work in a throw-away repository, all of it uncommitted:\n\n")?;
        self.show_git(&["status", "--short", "-uall"], "git status --short")?;
        to_stdout("\nOne file changed for three reasons:\n\n")?;
        self.show_git(&["diff", "-U0", "--", "src/main.rs"], "git diff -U0 src/main.rs")?;
        to_stdout(
            "\nNo agent is asked: the offline writer plans the commits, sorts the hunks and writes the messages.\n\n",
        )?;
        self.show("stagecoach", self.command(&self.program))?;
        to_stdout("\n")?;
        let range = format!("{}..", start.trim_end());
        self.show_git(&["log", "--reverse", "--stat", "--format=%C(yellow)%h%C(reset) %s", &range], "git log --stat")?;
        to_stdout("\n")?;
        self.show_git(&["status", "--short"], "git status --short")
    }

    fn git(&self, arguments: &[&str]) -> Result<String, Failure> {
        let mut command = self.command(Path::new("git"));
        command.args(arguments);
        self.run(command)
    }

    /// Shows a command as one would type it, and what it says.
    fn show_git(&self, arguments: &[&str], typed: &str) -> Result<(), Failure> {
        let colorless = anstream::stdout().current_choice() == anstream::ColorChoice::Never;
        let color = if colorless { "color.ui=never" } else { "color.ui=always" };
        let mut command = self.command(Path::new("git"));
        command.args(["--no-pager", "-c", color]).args(arguments);
        self.show(typed, command)
    }

    fn show(&self, typed: &str, command: Command) -> Result<(), Failure> {
        to_stdout(&format!("$ {typed}\n"))?;
        to_stdout(&self.run(command)?)
    }

    /// Runs a program to its end and returns what it says.
    fn run(&self, mut command: Command) -> Result<String, Failure> {
        let name = command.get_program().to_string_lossy().into_owned();
        let output = command.output();
        if let Some(cause) = self.cancel.cause() {
            return Err(interrupted(cause));
        }
        let output = output.map_err(|error| {
            Failure::new("demo", format!("{name} cannot be run"), error.to_string(), "install git, or put it on PATH")
        })?;
        if !output.status.success() {
            let why = String::from_utf8_lossy(&output.stderr).into_owned();
            return Err(Failure::new(
                "demo",
                format!("{name} failed in the demonstration"),
                why,
                "see `git --version`",
            ));
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    fn command(&self, program: &Path) -> Command {
        let home = self.folder.join("home");
        let kept = KEPT.iter().filter_map(|name| Some((OsString::from(name), std::env::var_os(name)?)));
        let mut command = Command::new(program);
        command
            .env_clear()
            .envs(kept)
            .env("HOME", &home)
            .env("USERPROFILE", &home)
            .env("XDG_CONFIG_HOME", home.join("config"))
            .env("XDG_STATE_HOME", home.join("state"))
            .env("XDG_CACHE_HOME", home.join("cache"))
            .env("TMPDIR", self.folder.join("tmp"))
            .env("GIT_CONFIG_GLOBAL", home.join("gitconfig"))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_ATTR_NOSYSTEM", "1")
            .env("GIT_CEILING_DIRECTORIES", &self.folder)
            .env("STAGECOACH_PROVIDER", "offline")
            .current_dir(&self.repository)
            .stdin(Stdio::null());
        command
    }
}

fn unwritable(path: &Path, error: &std::io::Error) -> Failure {
    let hint = "set TMPDIR to a folder that can be written";
    Failure::new("demo", format!("{} cannot be written", path.display()), error.to_string(), hint)
}
