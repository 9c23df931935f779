//! `stagecoach lock status`: who holds this repository's run lock. It reads, and takes no lock even for a moment.

use std::fmt::Write as _;

use serde::Serialize;

use crate::config::Environment;
use crate::git::Repository;
use crate::run::Holder;
use crate::ui::json::SCHEMA;
use crate::untrusted::stripped;

use super::args::LockCommand;
use super::{Failure, exclusive, json_to_stdout, to_stderr, to_stdout};

#[derive(Serialize)]
struct Document<'a> {
    schema: u32,
    path: Option<&'a str>,
    holder: Option<Described<'a>>,
}

#[derive(Serialize)]
struct Described<'a> {
    pid: u32,
    host: &'a str,
    repository: &'a str,
    /// Seconds since 1970.
    since: u64,
    tree: Option<&'a str>,
    alive: bool,
    orphaned: bool,
}

pub(super) fn run(command: &LockCommand) -> Result<(), Failure> {
    let LockCommand::Status { json } = command;
    let repository = Repository::open()?;
    let place = exclusive::place(&repository, &Environment::of_process());
    let path = place.as_ref().map(|place| place.path().display().to_string());
    let holder = match place.map(|place| place.holder()).transpose() {
        Ok(holder) => holder.flatten(),
        Err(error) => {
            to_stderr(&stripped(&format!("note: {error}\n")));
            None
        }
    };
    if *json {
        let holder = holder.as_ref().map(describe);
        return json_to_stdout(&Document { schema: SCHEMA, path: path.as_deref(), holder });
    }
    to_stdout(&stripped(&text(path.as_deref(), holder.as_ref())))
}

fn describe(holder: &Holder) -> Described<'_> {
    Described {
        pid: holder.process.pid(),
        host: holder.process.host(),
        repository: &holder.repository,
        since: holder.since,
        tree: holder.tree.as_deref(),
        alive: holder.is_alive(),
        orphaned: holder.is_orphaned(),
    }
}

fn text(path: Option<&str>, holder: Option<&Holder>) -> String {
    let mut text = format!("path        {}\n", path.unwrap_or("(no folder for locks is known)"));
    let Some(holder) = holder else { return text + "held        no\n" };
    let yes = |is: bool| if is { "yes" } else { "no" };
    // Writing to a String cannot fail.
    let _ = writeln!(
        text,
        "pid         {}\nhost        {}\nrepository  {}\nsince       {} s ago\ntree        {}\nalive       {}\norphaned    {}",
        holder.process.pid(),
        holder.process.host(),
        holder.repository,
        holder.age().as_secs(),
        holder.tree.as_deref().unwrap_or("(not known yet)"),
        yes(holder.is_alive()),
        yes(holder.is_orphaned()),
    );
    text
}
