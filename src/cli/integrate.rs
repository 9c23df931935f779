//! `stagecoach integrate …`

use std::ffi::OsString;
use std::io::{BufRead as _, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use etcetera::base_strategy::{BaseStrategy as _, choose_native_strategy};

use crate::agent::process;
use crate::integrate::{AliasError, Edit, EditError, Found, GitAlias, Lazygit, Refusal, Surroundings, Target, recipe};
use crate::run::{Cancel, Scratch};
use crate::untrusted::{printable, stripped};

use super::args::{InstallArgs, IntegrateCommand, RemoveArgs};
use super::context::search_path;
use super::{Failure, to_stderr, to_stdout};

/// lazygit prints the name of a folder; it has no reason to take long.
const PATIENCE: Duration = Duration::from_secs(5);

pub(super) fn run(command: &IntegrateCommand) -> Result<(), Failure> {
    match command {
        IntegrateCommand::List { alias_name } => list(alias_name),
        IntegrateCommand::Show { target, alias_name, key } => to_stdout(&recipe(*target, alias_name, key)),
        IntegrateCommand::Install(args) => install(args),
        IntegrateCommand::Remove(args) => remove(args),
    }
}

/// A configuration that can be edited.
enum Tool {
    Alias(GitAlias),
    Lazygit(Lazygit),
}

impl Tool {
    fn open(target: Target, alias_name: &str) -> Result<Self, Failure> {
        let opened = match target {
            Target::GitAlias => GitAlias::open(alias_name, |name| std::env::var_os(name))?.map(Tool::Alias),
            Target::Lazygit => Lazygit::open(&surroundings()?)?.map(Tool::Lazygit),
            _ => {
                let hint = format!("`stagecoach integrate show {}` says how", target.name());
                let what = format!("{} is set up by hand", target.name());
                return Err(Failure::new("by_hand", what, "it has no file that could be edited safely", hint));
            }
        };
        opened.ok_or_else(|| {
            let why = "HOME is not set";
            Failure::new("no_file", format!("{} has no configuration file", target.name()), why, "set HOME")
        })
    }

    fn path(&self) -> &Path {
        match self {
            Tool::Alias(alias) => alias.path(),
            Tool::Lazygit(lazygit) => lazygit.path(),
        }
    }

    fn find(&self) -> Result<Found, Failure> {
        match self {
            Tool::Alias(alias) => Ok(alias.find()?),
            Tool::Lazygit(lazygit) => lazygit.find().map_err(|refusal| refused(lazygit.path(), &refusal)),
        }
    }

    fn install(&self, key: &str) -> Result<Edit, Failure> {
        match self {
            Tool::Alias(alias) => Ok(alias.install()?),
            Tool::Lazygit(lazygit) => lazygit.install(key).map_err(|refusal| refused(lazygit.path(), &refusal)),
        }
    }

    fn remove(&self) -> Result<Edit, Failure> {
        match self {
            Tool::Alias(alias) => Ok(alias.remove()?),
            Tool::Lazygit(lazygit) => lazygit.remove().map_err(|refusal| refused(lazygit.path(), &refusal)),
        }
    }

    fn check(&self, text: Option<&str>, expected: Found) -> Result<(), String> {
        match self {
            Tool::Alias(alias) => alias.check(text, expected),
            Tool::Lazygit(_) => Lazygit::check(text, expected),
        }
    }
}

/// Where lazygit's configuration is, asked of lazygit itself where it is installed.
fn surroundings() -> Result<Surroundings, Failure> {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let absolute = |path: OsString| Some(PathBuf::from(path)).filter(|path| path.is_absolute());
    let mut found = Surroundings {
        file_list: variable("LG_CONFIG_FILE").map(|list| list.to_string_lossy().into_owned()),
        folder: variable("CONFIG_DIR").map(PathBuf::from),
        printed: None,
        config_home: variable("XDG_CONFIG_HOME").and_then(absolute).or_else(platform_config),
        config_dirs: variable("XDG_CONFIG_DIRS").map(|list| std::env::split_paths(&list).collect()).unwrap_or_default(),
    };
    if found.file_list.is_none() && found.folder.is_none() {
        found.printed = printed_folder()?;
    }
    Ok(found)
}

/// Where programs keep their configuration on this platform.
fn platform_config() -> Option<PathBuf> {
    let base = choose_native_strategy().ok()?;
    Some(match () {
        () if cfg!(windows) => base.cache_dir(), // the local one, which does not follow the user to other machines
        () if cfg!(target_os = "macos") => base.data_dir(),
        () => base.config_dir(),
    })
}

/// What `lazygit --print-config-dir` says; a lazygit that does not say it is not asked twice.
fn printed_folder() -> Result<Option<PathBuf>, Failure> {
    let Some(program) = search_path().find(Target::Lazygit.program()) else { return Ok(None) };
    let failed = |error: &dyn std::fmt::Display| {
        Failure::new("lazygit", "lazygit cannot be asked for its folder", error.to_string(), "set CONFIG_DIR to it")
    };
    let scratch = Scratch::new().map_err(|error| failed(&error))?;
    let command = process::Command {
        program,
        args: vec!["--print-config-dir".into()],
        env_set: Vec::new(),
        env_unset: Vec::new(),
        stdin: Vec::new(),
        working_dir: scratch.path().to_owned(),
        timeout: Some(PATIENCE),
        confinement: None,
    };
    let outcome = process::run(command, &Cancel::new()).map_err(|error| failed(&error))?;
    let text = String::from_utf8_lossy(&outcome.stdout);
    let folder = text.lines().next().map(|line| PathBuf::from(line.trim())).filter(|path| path.is_absolute());
    Ok(folder.filter(|_| outcome.exit == process::Exit::Code(0)))
}

fn list(alias_name: &str) -> Result<(), Failure> {
    let path = search_path();
    let mut rows = vec![["TARGET", "DETECTED", "STATUS", "FILE"].map(str::to_owned)];
    for target in Target::ALL {
        let detected = if path.find(target.program()).is_some() { "yes" } else { "no" };
        let (state, file) = if target.is_edited() {
            let tool = Tool::open(target, alias_name);
            let file = tool.as_ref().map_or_else(|_| String::new(), |tool| tool.path().display().to_string());
            match tool.and_then(|tool| tool.find()) {
                Ok(Found::Nothing) => ("not installed".to_owned(), file),
                Ok(Found::Ours) => ("installed".to_owned(), file),
                Ok(Found::Foreign) => ("foreign".to_owned(), file),
                Err(failure) => (format!("cannot be read: {}", failure.why), file),
            }
        } else {
            ("by hand".to_owned(), format!("`stagecoach integrate show {}`", target.name()))
        };
        rows.push([target.name().to_owned(), detected.to_owned(), state, file]);
    }
    to_stdout(&stripped(&table(&rows)))
}

fn table(rows: &[[String; 4]]) -> String {
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths = [width(0), width(1), width(2)];
    let line = |[target, tool, state, file]: &[String; 4]| {
        let [first, second, third] = widths;
        format!("{target:first$}  {tool:second$}  {state:third$}  {file}").trim_end().to_owned() + "\n"
    };
    rows.iter().map(line).collect()
}

fn install(args: &InstallArgs) -> Result<(), Failure> {
    each(&args.targets, |target| {
        if target.is_edited() && search_path().find(target.program()).is_none() {
            let what = format!("{} is not installed", target.name());
            let why = format!("there is no program `{}` on PATH", target.program());
            return Err(Failure::new("no_tool", what, why, "install it, then run this again"));
        }
        let tool = Tool::open(target, &args.alias_name)?;
        let edit = tool.install(&args.key)?;
        carry_out(target, &tool, &edit, Found::Ours, args.yes)
    })
}

fn remove(args: &RemoveArgs) -> Result<(), Failure> {
    each(&args.targets, |target| {
        let tool = Tool::open(target, &args.alias_name)?;
        let edit = tool.remove()?;
        carry_out(target, &tool, &edit, Found::Nothing, args.yes)
    })
}

/// Does the same for every target, whatever becomes of the others. The first failure is the command's.
fn each(targets: &[Target], act: impl Fn(Target) -> Result<(), Failure>) -> Result<(), Failure> {
    let mut failed = None;
    for target in targets {
        if let Err(failure) = act(*target) {
            match &failed {
                None => failed = Some(failure),
                Some(_) => to_stderr(&failure.text()),
            }
        }
    }
    failed.map_or(Ok(()), Err)
}

/// Shows an edit, asks, and makes it.
fn carry_out(target: Target, tool: &Tool, edit: &Edit, expected: Found, yes: bool) -> Result<(), Failure> {
    let name = target.name();
    let done = if expected == Found::Ours { "set up" } else { "removed" };
    if !edit.changes() {
        let state = if expected == Found::Ours { "is set up already" } else { "is not set up" };
        return to_stdout(&format!("{name} {state}\n"));
    }
    to_stderr(&stripped(&edit.diff()));
    if !(yes || agreed()?) {
        return Err(Failure::new("declined", format!("{name} was left as it is"), "", "say y, or give --yes"));
    }
    let backup = edit.apply(|text| tool.check(text, expected))?;
    to_stdout(&format!("{name} is {done}: {}\n", printable(&edit.path.to_string_lossy())))?;
    if let Some(backup) = backup {
        to_stderr(&format!("note: the old file is kept as {}\n", printable(&backup.to_string_lossy())));
    }
    Ok(())
}

/// Asks the person at the terminal; where there is none, nobody has agreed.
fn agreed() -> Result<bool, Failure> {
    let stdin = std::io::stdin();
    if !stdin.is_terminal() {
        let why = "standard input is no terminal, so nobody can be asked";
        return Err(Failure::new("declined", "nothing was changed", why, "give --yes to go on without being asked"));
    }
    let failed =
        |error: std::io::Error| Failure::new("declined", "nothing was changed", error.to_string(), "try again");
    let mut stderr = anstream::stderr().lock();
    stderr.write_all(b"Change it? [y/N] ").and_then(|()| stderr.flush()).map_err(failed)?;
    let mut answer = String::new();
    stdin.lock().read_line(&mut answer).map_err(failed)?;
    Ok(["y", "yes"].contains(&answer.trim().to_ascii_lowercase().as_str()))
}

fn refused(path: &Path, refusal: &Refusal) -> Failure {
    let hint = match refusal {
        Refusal::Yaml(_) => "correct the file first",
        Refusal::Form => "add it by hand: `stagecoach integrate show lazygit` prints it",
        Refusal::KeyTaken { .. } => "choose another one with --key",
        Refusal::Edited => "take it out by hand",
    };
    let what = format!("{} is left as it is", printable(&path.to_string_lossy()));
    Failure::new("refused", what, refusal.to_string(), hint)
}

impl From<EditError> for Failure {
    fn from(error: EditError) -> Self {
        let hint = match &error {
            EditError::Io { .. } => "check the permissions of the file and of its folder",
            EditError::NoText { .. } => "make it a plain text file, or set this up by hand",
            EditError::Changed(_) => "run it again",
            EditError::Restored { .. } => "set this up by hand: `stagecoach integrate show`",
        };
        Failure::new("edit", "the file is left as it was", error.to_string(), hint)
    }
}

impl From<AliasError> for Failure {
    fn from(error: AliasError) -> Self {
        let hint = match error {
            AliasError::Git(error) => return error.into(),
            AliasError::Edit(error) => return error.into(),
            AliasError::Name(_) | AliasError::Command(_) | AliasError::Taken { .. } => {
                "choose another name with --alias-name"
            }
            AliasError::Copy(_) => "check the temporary folder",
        };
        Failure::new("alias", "the alias is not set", error.to_string(), hint)
    }
}
