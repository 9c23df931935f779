//! The command line: parse, run one command, print its result, choose the exit code. The only place that writes results.

mod admission;
mod apply;
pub mod args;
mod commit;
mod completions;
mod config;
mod context;
mod demo;
mod diagnose;
mod exclusive;
mod failure;
mod hook;
mod hooks;
mod integrate;
mod launcher;
mod lock;
mod man;
mod misuse;
mod models;
mod plan;
mod providers;
#[cfg(test)]
mod reference;
mod rescue;
mod side_call;
mod trust;
mod undo;

use std::ffi::OsString;
use std::io::{IsTerminal, Write};
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::parser::ValueSource;
use clap::{FromArgMatches, ValueEnum as _};

use crate::run::{Cancel, Signals};
use crate::ui::Shows;
use crate::untrusted::escaped_json;

use args::{Cli, ColorWhen, Command, definition, whole_definition};
pub use failure::Failure;

/// The version, and for a development build the commit that it was built from.
pub const VERSION: &str = env!("STAGECOACH_VERSION");

/// Runs the program with the process's arguments.
#[must_use]
pub fn main() -> ExitCode {
    let arguments = without_help_command(std::env::args_os().collect());
    choose_temporary_folder();
    let cli = match parse(&arguments) {
        Ok(cli) => cli,
        Err(error) => {
            choose_color(asked_color(&arguments));
            return usage(&error, &arguments);
        }
    };
    choose_color(if cli.global.no_color { ColorWhen::Never } else { cli.global.color });
    match run(&cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            if !(cli.command.is_none() && cli.commit.json) {
                tell(&failure);
            }
            ExitCode::from(failure.exit)
        }
    }
}

/// `stagecoach help plan` is `stagecoach plan --help`, and help for `help` is that of the program.
fn without_help_command(mut arguments: Vec<OsString>) -> Vec<OsString> {
    let count = arguments.iter().skip(1).take_while(|argument| *argument == "help").count();
    if count > 0 {
        arguments.drain(1..=count);
        arguments.push("--help".into());
    }
    arguments
}

/// Options of the default action say nothing to a command; those that every command takes may stand before it as well.
fn parse(arguments: &[OsString]) -> Result<Cli, clap::Error> {
    let mut options = arguments.iter().take_while(|argument| *argument != "--");
    let everything = options.any(|argument| argument == "--help-all");
    let mut definition = if everything { whole_definition() } else { definition() };
    let matches = definition.try_get_matches_from_mut(arguments)?;
    if let Some((command, _)) = matches.subcommand() {
        let typed = |id: &&clap::Id| matches.value_source(id.as_str()) == Some(ValueSource::CommandLine);
        let own = |id: &&clap::Id| {
            definition.get_arguments().any(|argument| argument.get_id() == *id && !argument.is_global_set())
        };
        if let Some(id) = matches.ids().filter(typed).find(own) {
            let name = id.as_str().replace('_', "-");
            let mut error = clap::Error::new(ErrorKind::ArgumentConflict).with_cmd(&definition);
            let mut say = |kind, text| error.insert(kind, ContextValue::String(text));
            if let Some(command) = command_with(&definition, &matches, id) {
                say(ContextKind::Custom, format!("--{name} before `{command}` is an option of a commit"));
                say(ContextKind::SuggestedArg, format!("stagecoach {command} --{name}"));
            } else {
                say(ContextKind::Custom, format!("--{name} is an option of a commit, not of `stagecoach {command}`"));
            }
            return Err(error);
        }
    }
    Cli::from_arg_matches(&matches)
}

/// The command that is called, if it has an option of that name of its own.
fn command_with(definition: &clap::Command, matches: &clap::ArgMatches, id: &clap::Id) -> Option<String> {
    let (mut definition, mut matches, mut words) = (definition, matches, Vec::new());
    while let Some((name, inner)) = matches.subcommand() {
        (definition, matches) = (definition.find_subcommand(name)?, inner);
        words.push(name);
    }
    definition.get_arguments().any(|argument| argument.get_id() == id).then(|| words.join(" "))
}

fn run(cli: &Cli) -> Result<(), Failure> {
    if let Some(directory) = &cli.global.directory {
        std::env::set_current_dir(directory).map_err(|error| {
            let what = format!("cannot change to {}", directory.display());
            Failure::new("directory", what, error.to_string(), "give -C a folder that exists")
        })?;
    }
    let global = &cli.global;
    match &cli.command {
        None => commit::run(&cli.commit, global),
        Some(Command::Providers(command)) => providers::run(command, global),
        Some(Command::Models { provider, all, refresh, json }) => {
            let wish = models::Wish { provider: provider.as_deref(), all: *all, refresh: *refresh, json: *json };
            models::run(&wish, global)
        }
        Some(Command::Config(command)) => config::run(command, global),
        Some(Command::Hook(command)) => hook::run(command, global),
        Some(Command::Integrate(command)) => integrate::run(command),
        Some(Command::Rescue { command }) => rescue::run(command.as_ref(), global),
        Some(Command::Lock(command)) => lock::run(command),
        Some(Command::Plan(args)) => plan::run(args, global),
        Some(Command::Apply { file, dry_run, no_verify }) => apply::run(file, *dry_run, *no_verify, &cli.global),
        Some(Command::Doctor { json }) => diagnose::doctor::run(*json, global),
        Some(Command::Demo) => demo::run(),
        Some(Command::Undo { dry_run }) => undo::run(*dry_run, &cli.global),
        Some(Command::Trust { list, revoke }) => trust::run(*list, *revoke, global),
        Some(Command::Completions { shell }) => completions::run(*shell),
        Some(Command::Man { dir }) => man::run(dir.as_deref()),
    }
}

/// A command line that clap does not take. Usage errors exit 1: 2 means "nothing to commit", and only that.
fn usage(error: &clap::Error, arguments: &[OsString]) -> ExitCode {
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        return match written(error.print()) {
            Ok(()) => ExitCode::SUCCESS,
            Err(failure) => {
                tell(&failure);
                ExitCode::from(failure.exit)
            }
        };
    }
    match misuse::answer(error, arguments) {
        Some(failure) => tell(&failure),
        None => drop(error.print()),
    }
    ExitCode::from(failure::ERROR)
}

/// `TMPDIR=` names no folder, and is as good as unset.
fn choose_temporary_folder() {
    if cfg!(unix) && std::env::var_os("TMPDIR").is_some_and(|folder| folder.is_empty()) {
        // The one failure, that it was chosen before, cannot be at the start.
        drop(tempfile::env::override_temp_dir(std::path::Path::new("/tmp")));
    }
}

fn choose_color(when: ColorWhen) {
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let choice = match when {
        _ if set("STAGECOACH_NO_COLOR") => anstream::ColorChoice::Never,
        ColorWhen::Never => anstream::ColorChoice::Never,
        ColorWhen::Always => anstream::ColorChoice::Always,
        ColorWhen::Auto => return, // anstream honours NO_COLOR and the terminal
    };
    choice.write_global();
}

/// What a command line that is not run, since it asks for help or is wrong, says of colour.
fn asked_color(arguments: &[OsString]) -> ColorWhen {
    let options = arguments.iter().map(|argument| argument.to_string_lossy()).take_while(|argument| argument != "--");
    let (mut asked, mut is_value) = (ColorWhen::Auto, false);
    for option in options {
        let value = if is_value { Some(&*option) } else { option.strip_prefix("--color=") };
        asked = match value.map(|value| ColorWhen::from_str(value, false)) {
            Some(Ok(when)) => when,
            _ if option == "--no-color" => ColorWhen::Never,
            _ => asked,
        };
        is_value = option == "--color";
    }
    asked
}

/// Writes a result. A reader that has gone away (`stagecoach … | head`) wants no more of it.
fn to_stdout(text: &str) -> Result<(), Failure> {
    let mut stdout = std::io::stdout().lock();
    written(stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()))
}

fn written(result: std::io::Result<()>) -> Result<(), Failure> {
    match result {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Failure::new("output", "cannot write to standard output", error.to_string(), "is the disk full?"))
        }
        _ => Ok(()),
    }
}

/// Writes for the user's eyes. When standard error is closed, nobody is there to be told.
fn to_stderr(text: &str) {
    drop(anstream::stderr().lock().write_all(text.as_bytes()));
}

/// Tells why the command failed.
fn tell(failure: &Failure) {
    const LABEL: &str = "error:";
    let text = failure.text();
    let rest = text.strip_prefix(LABEL).unwrap_or(&text);
    let style = anstyle::AnsiColor::Red.on_default().bold();
    to_stderr(&format!("{style}{LABEL}{style:#}{rest}"));
}

/// Writes a JSON document as a result.
fn json_to_stdout(value: &impl serde::Serialize) -> Result<(), Failure> {
    let mut text = serde_json::to_string_pretty(value)
        .map_err(|error| Failure::new("output", "cannot write JSON", error.to_string(), "this is a bug"))?;
    text.push('\n');
    to_stdout(&escaped_json(&text))
}

/// From here on a signal ends the programs that were started, and is otherwise only remembered.
fn stoppable() -> Result<(Cancel, Signals), Failure> {
    let cancel = Cancel::new();
    let signals = Signals::install(cancel.clone())
        .map_err(|error| Failure::new("system", "signals cannot be taken over", error.to_string(), "try again"))?;
    Ok((cancel, signals))
}

/// What standard error can show of what goes on.
fn stderr_shows() -> Shows {
    let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    match (std::io::stderr().is_terminal(), is_dumb) {
        (true, false) => Shows::Motion,
        (true, true) => Shows::Lines,
        (false, _) => Shows::Nothing,
    }
}
