//! Answers to a command line that is not understood, in three parts like all others. What people type by habit – options and
//! arguments of `git commit` that stagecoach does not take – is answered with the git command that does it.

use std::ffi::OsString;
use std::num::ParseIntError;

use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::Failure;

/// What to run instead of an option of `git commit`.
const INSTEAD: [(&str, &str); 14] = [
    ("--amend", "git commit --amend"),
    ("-m", "git commit -m <message>"),
    ("--message", "git commit -m <message>"),
    ("-F", "git commit -F <file>"),
    ("--file", "git commit -F <file>"),
    ("-p", "git add -p && stagecoach"),
    ("--patch", "git add -p && stagecoach"),
    ("-i", "git add -i && stagecoach"),
    ("--interactive", "git add -i && stagecoach"),
    ("--fixup", "git commit --fixup <commit>"),
    ("--squash", "git commit --squash <commit>"),
    ("--allow-empty", "git commit --allow-empty"),
    ("--author", "git commit --author <author>"),
    ("--date", "git commit --date <date>"),
];

/// The answer to a command line that clap refused, where there is a better one than clap's.
pub(super) fn answer(error: &clap::Error, arguments: &[OsString]) -> Option<Failure> {
    habit(error, arguments).or_else(|| explained(error))
}

fn habit(error: &clap::Error, arguments: &[OsString]) -> Option<Failure> {
    let word = match error.kind() {
        ErrorKind::InvalidSubcommand => said(error, ContextKind::InvalidSubcommand)?,
        ErrorKind::UnknownArgument => said(error, ContextKind::InvalidArg)?,
        _ => return None,
    };
    let name = word.split(['=', ' ']).next().unwrap_or(&word);
    if let Some((_, instead)) = INSTEAD.iter().find(|(option, _)| *option == name) {
        let what = format!("stagecoach takes no {name}");
        return Some(Failure::new("usage", what, "git does that itself", format!("run: {instead}")));
    }
    let after_dashes = arguments.iter().any(|argument| argument == "--");
    let is_path = !name.starts_with('-') && (after_dashes || std::path::Path::new(&word).exists());
    is_path.then(|| {
        Failure::new(
            "usage",
            format!("stagecoach takes no paths, and `{word}` is one"),
            "it commits what is staged, so that you see beforehand what it will be",
            format!("run: git add -- {word} && stagecoach"),
        )
    })
}

/// What clap says, as what failed, why, and what next. `None` for what says enough by itself, such as help.
fn explained(error: &clap::Error) -> Option<Failure> {
    let command = command(error);
    let help = format!("see `{command} --help`");
    let argument = || said(error, ContextKind::InvalidArg);
    let (what, why, hint) = match error.kind() {
        ErrorKind::UnknownArgument => {
            let suggested = said(error, ContextKind::SuggestedArg).map(|known| format!("did you mean {known}?"));
            let all = format!("`{command} --help-all` lists all options");
            (format!("`{command}` does not take {}", argument()?), String::new(), suggested.unwrap_or(all))
        }
        ErrorKind::InvalidSubcommand => {
            let word = said(error, ContextKind::InvalidSubcommand)?;
            // clap has the likeliest last.
            let suggested = match error.get(ContextKind::SuggestedSubcommand) {
                Some(ContextValue::Strings(known)) => known.last().map(|known| format!("did you mean {known}?")),
                _ => None,
            };
            let hint = suggested.unwrap_or_else(|| format!("`{command} --help` lists the commands"));
            (format!("there is no command `{command} {word}`"), String::new(), hint)
        }
        ErrorKind::InvalidValue | ErrorKind::ValueValidation => {
            let (argument, value) = (argument()?, said(error, ContextKind::InvalidValue).unwrap_or_default());
            let what = if value.is_empty() {
                format!("{argument} needs a value")
            } else {
                format!("`{value}` cannot be used for {argument}")
            };
            let suggested = said(error, ContextKind::SuggestedValue).map(|known| format!("did you mean {known}?"));
            (what, allowed(error), suggested.unwrap_or_else(|| "give one that it takes".to_owned()))
        }
        ErrorKind::TooManyValues => {
            let what =
                format!("{} takes no value, and `{}` is one", argument()?, said(error, ContextKind::InvalidValue)?);
            (what, String::new(), "leave the value out".to_owned())
        }
        ErrorKind::ArgumentConflict => {
            if let Some(ours) = said(error, ContextKind::Custom) {
                let behind = said(error, ContextKind::SuggestedArg).map(|better| format!("put it behind: {better}"));
                let hint = behind.unwrap_or_else(|| "leave the option or the command out".to_owned());
                return Some(Failure::new("usage", ours, "", hint));
            }
            let what = format!("{} cannot be given with {}", argument()?, said(error, ContextKind::PriorArg)?);
            (what, String::new(), "leave one of them out".to_owned())
        }
        ErrorKind::MissingRequiredArgument => (format!("`{command}` needs {}", argument()?), String::new(), help),
        _ => return None,
    };
    Some(Failure::new("usage", what, why, hint))
}

/// What would be taken in place of a wrong value.
fn allowed(error: &clap::Error) -> String {
    if let Some(values) = said(error, ContextKind::ValidValue) {
        return format!("it takes {values}");
    }
    match std::error::Error::source(error) {
        Some(source) if source.is::<ParseIntError>() => "it takes a whole number".to_owned(),
        source => source.map(ToString::to_string).unwrap_or_default(),
    }
}

/// A part of what clap knows of the error.
fn said(error: &clap::Error, kind: ContextKind) -> Option<String> {
    match error.get(kind)? {
        ContextValue::String(text) => Some(text.clone()),
        ContextValue::Strings(texts) if !texts.is_empty() => Some(texts.join(", ")),
        ContextValue::StyledStr(text) => Some(text.to_string()),
        _ => None,
    }
}

/// The command that was called, as its usage names it.
fn command(error: &clap::Error) -> String {
    let usage = said(error, ContextKind::Usage).unwrap_or_default();
    let words = usage.split_whitespace().skip_while(|word| *word != "stagecoach");
    let words: Vec<&str> = words.take_while(|word| !word.starts_with(['[', '<', '-'])).collect();
    // Some errors have no usage.
    if words.is_empty() { "stagecoach".to_owned() } else { words.join(" ") }
}
