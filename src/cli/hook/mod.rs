//! `stagecoach hook …`: the `prepare-commit-msg` hook, for those who commit with `git commit`.

mod exec;

use std::path::Path;

use crate::commit::{Installed, OwnHook, OwnHookError, script};
use crate::program::SearchPath;
use crate::untrusted::stripped;

use super::args::{GlobalArgs, HookCommand};
use super::{Failure, to_stderr, to_stdout};

pub(super) fn run(command: &HookCommand, global: &GlobalArgs) -> Result<(), Failure> {
    match command {
        HookCommand::Install { strict, print: true } => to_stdout(&script(*strict)),
        HookCommand::Install { strict, print: false } => install(*strict),
        HookCommand::Uninstall => uninstall(),
        HookCommand::Status => to_stdout(&format!("{}\n", status(locate()?.installed()?))),
        HookCommand::Exec { file, source, strict } => {
            exec::run(file, source.first().map(std::ffi::OsString::as_os_str), *strict, global)
        }
    }
}

fn locate() -> Result<OwnHook, Failure> {
    Ok(OwnHook::locate(Path::new("."))?)
}

fn install(strict: bool) -> Result<(), Failure> {
    let hook = locate()?;
    let before = hook.installed()?;
    hook.install(strict)?;
    let path = stripped(&hook.path().display().to_string());
    let verb = if before == Installed::None { "installed" } else { "renewed" };
    to_stdout(&format!("{verb} {path}\n"))?;
    if SearchPath::of_process().find("stagecoach").is_none() {
        to_stderr("note: stagecoach is not on PATH, and the hook does nothing until it is\n");
    }
    Ok(())
}

fn uninstall() -> Result<(), Failure> {
    let hook = locate()?;
    let path = stripped(&hook.path().display().to_string());
    match hook.uninstall()? {
        Installed::Ours(_) => to_stdout(&format!("removed {path}\n")),
        Installed::None => to_stdout("no hook is installed\n"),
        Installed::Foreign => to_stdout(&format!("{path} is not stagecoach's and stays\n")),
    }
}

fn status(installed: Installed) -> String {
    match installed {
        Installed::None => "none".to_owned(),
        Installed::Ours(version) => format!("stagecoach (v{version})"),
        Installed::Foreign => "foreign".to_owned(),
    }
}

impl From<OwnHookError> for Failure {
    fn from(error: OwnHookError) -> Self {
        match error {
            OwnHookError::Foreign(path) => {
                // husky runs what lies beside its own folder, and writes that folder anew at each installation.
                let husky = path.parent().filter(|folder| folder.ends_with(".husky/_")).and_then(Path::parent);
                let place = husky.map_or(path.clone(), |folder| folder.join("prepare-commit-msg"));
                Failure::new(
                    "foreign_hook",
                    format!("{} is another hook, and nothing was changed", path.display()),
                    "stagecoach never changes a hook that it did not write",
                    format!("add this line to {}:\nstagecoach hook exec \"$@\"", place.display()),
                )
            }
            OwnHookError::Io { .. } => Failure::new(
                "hook",
                "the hook could not be put in place or taken away",
                error.to_string(),
                "see where `git config core.hooksPath` points, and who may write there",
            ),
        }
    }
}
