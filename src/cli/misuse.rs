//! Answers to what people type by habit: options and arguments of `git commit` that stagecoach does not take, each with
//! the git command that does it.

use std::ffi::OsString;

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
    if !matches!(error.kind(), ErrorKind::UnknownArgument | ErrorKind::InvalidSubcommand) {
        return None;
    }
    let key = match error.kind() {
        ErrorKind::InvalidSubcommand => ContextKind::InvalidSubcommand,
        _ => ContextKind::InvalidArg,
    };
    let Some(ContextValue::String(word)) = error.get(key) else { return None };
    let name = word.split(['=', ' ']).next().unwrap_or(word);
    if let Some((_, instead)) = INSTEAD.iter().find(|(option, _)| *option == name) {
        let what = format!("stagecoach takes no {name}");
        return Some(Failure::new("usage", what, "git does that itself", format!("run: {instead}")));
    }
    let after_dashes = arguments.iter().any(|argument| argument == "--");
    let is_path = !name.starts_with('-') && (after_dashes || std::path::Path::new(word).exists());
    is_path.then(|| {
        Failure::new(
            "usage",
            format!("stagecoach takes no paths, and `{word}` is one"),
            "it commits what is staged, so that you see beforehand what it will be",
            format!("run: git add -- {word} && stagecoach"),
        )
    })
}
