//! A message for a commit that git itself makes: the middle of a run, without lock, record or publication.

use std::time::Instant;

use crate::commit::Snapshot;
use crate::git::Repository;
use crate::message::Message;
use crate::role::Role;
use crate::ui::json;

use super::super::args::{CommitArgs, GlobalArgs};
use super::words::Words;
use super::{Failure, Run, of_dry_run, with_repository};

/// Has the message for a snapshot written, within the time-out of the message role for all calls together.
pub(in super::super) fn message_for(
    repository: Repository,
    snapshot: &Snapshot,
    global: &GlobalArgs,
) -> Result<Message, Failure> {
    let started = Instant::now();
    let args = CommitArgs { dry_run: true, ..CommitArgs::default() };
    with_repository(repository, &args, global, |run| {
        let deadline = started.checked_add(run.settings.role(Role::Message).timeout);
        let run = Run { deadline, ..run };
        run.say_what_the_configuration_says();
        let writer = run.message_writer()?;
        let wishes = run.wishes(Some(&writer.manifest))?;
        let mut document = json::Document::new(json::Outcome::DryRun);
        match run.words(snapshot, &writer, &wishes, &mut None, &mut document).map_err(of_dry_run)? {
            Words::Given(message) => Ok(message),
            Words::Prompt(_) => Err(Failure::new("bug", "a hook shows no prompt", "", "this is a bug")),
        }
    })
}
