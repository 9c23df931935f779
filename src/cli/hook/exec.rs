//! `stagecoach hook exec`: what git's `prepare-commit-msg` hook does. It must never be in the way of a commit: what there
//! is nothing to do for is found out from arguments, environment and file names, before any configuration is read, and
//! a failure changes nothing.

use std::ffi::OsStr;
use std::io::Write as _;
use std::path::Path;

use bstr::ByteSlice as _;

use crate::commit::{cleanup_setting, comment_setting, freeze_staged};
use crate::git::{IN_HOOK_VARIABLE, Repository};
use crate::message::Prepared;
use crate::untrusted::stripped;

use super::super::args::GlobalArgs;
use super::super::commit::message_for;
use super::super::failure::ERROR;
use super::super::{Failure, to_stderr};

/// Variables that say that this commit is made by stagecoach, or by an agent that it started.
const OURS: [&str; 2] = [IN_HOOK_VARIABLE, "STAGECOACH_ROLE"];

pub(super) fn run(file: &Path, source: Option<&OsStr>, strict: bool, global: &GlobalArgs) -> Result<(), Failure> {
    match attempt(file, source, global) {
        Ok(()) => Ok(()),
        Err(failure) if strict => Err(Failure { exit: ERROR, rescue: None, ..failure }),
        Err(failure) => {
            to_stderr(&warning(&failure));
            Ok(())
        }
    }
}

fn attempt(file: &Path, source: Option<&OsStr>, global: &GlobalArgs) -> Result<(), Failure> {
    // A template is a source like no other: it may be nothing but comments, which the file itself tells.
    let has_words = source.is_some_and(|source| !source.is_empty() && source != "template");
    if has_words || OURS.iter().any(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty())) {
        return Ok(());
    }
    let repository = Repository::open()?;
    if repository.is_under_way() {
        return Ok(());
    }
    let mut content = std::fs::read(file).map_err(|error| unreadable(file, &error))?;
    // git reads the file in the encoding of its commits, where that is not UTF-8.
    let encoding = repository.commit_encoding();
    if encoding.is_some() {
        content = repository.decoded(&content)?.into_bytes();
    }
    let comment = comment_setting(repository.config());
    let prepared = Prepared::new(&content, cleanup_setting(repository.config()), comment.as_deref());
    if prepared.holds_message() {
        return Ok(());
    }
    let Some(snapshot) = freeze_staged(&repository)? else { return Ok(()) };
    let message = message_for(repository, &snapshot, global)?;
    let mut new = prepared.with(&message);
    if let Some(name) = encoding {
        let encoded = Repository::open()?.encoded(&new.to_str_lossy())?;
        new = encoded.ok_or_else(|| unencodable(&name))?;
    }
    write(file, &new).map_err(|error| {
        let what = format!("the message could not be written into {}", file.display());
        Failure::new("output", what, error.to_string(), "write it yourself")
    })
}

fn unencodable(encoding: &str) -> Failure {
    Failure::new(
        "unsupported",
        format!("the message cannot be written in {encoding}"),
        "it has letters that i18n.commitEncoding lacks",
        "unset i18n.commitEncoding, or write it yourself",
    )
}

/// Replaces the file as a whole, so that it is never half written. A link stays one.
fn write(file: &Path, content: &[u8]) -> std::io::Result<()> {
    let path = file.canonicalize()?;
    let permissions = path.metadata()?.permissions();
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut new = tempfile::Builder::new().prefix(".stagecoach-message-").tempfile_in(folder)?;
    new.write_all(content)?;
    new.as_file().set_permissions(permissions)?;
    new.persist(&path).map(drop).map_err(|error| error.error)
}

fn unreadable(file: &Path, error: &std::io::Error) -> Failure {
    let hint = "git passes the file to the hook: the hook must hand on its arguments (\"$@\")";
    Failure::new("input", format!("{} cannot be read", file.display()), error.to_string(), hint)
}

/// One line, whatever went wrong.
fn warning(failure: &Failure) -> String {
    let why = failure.why.lines().next().unwrap_or_default();
    let parts = [failure.what.as_str(), why].map(stripped);
    let said: Vec<&str> = parts.iter().map(|part| part.trim()).filter(|part| !part.is_empty()).collect();
    // What the others advise holds here as well; there is no message below, though, and no option to give.
    let hint = if failure.code == "duplicate" { "write it yourself" } else { &failure.hint };
    let hint = stripped(hint).split_whitespace().collect::<Vec<_>>().join(" ");
    format!("warning: stagecoach wrote no message: {} ({hint})\n", said.join(": ").replace(['\n', '\r', '\t'], " "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warning_is_one_line() {
        let failure = Failure::new("x", "it\nfailed", "because\nof much", "do\n  this");
        let line = warning(&failure);
        assert_eq!(line, "warning: stagecoach wrote no message: it failed: because (do this)\n");
    }
}
