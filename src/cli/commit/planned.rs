//! A run up to its messages, as a plan that can be written down instead of being published.

use crate::commit::{Snapshot, Staging, Store, freeze};
use crate::decompose::plan_file::{PlanFile, Words};
use crate::git::{Change, ObjectId, Operation};
use crate::message::Message;
use crate::progress::Progress;
use crate::ui::json;

use super::super::args::{CommitArgs, GlobalArgs};
use super::super::failure::staged;
use super::prepare::{Wishes, Writer};
use super::split::{Division, Parts, Setting};
use super::unwritten::explain_unwritten;
use super::{Failure, Run, of_dry_run, with_run};

/// Divides the working tree and has all messages written. `fits` sees the frozen change before any agent does.
pub(in super::super) fn plan(
    args: &CommitArgs,
    global: &GlobalArgs,
    fits: &dyn Fn(&Change) -> Result<(), Failure>,
) -> Result<PlanFile, Failure> {
    with_run(args, global, |run| {
        let planned = run.plan(fits);
        run.tell_usage();
        planned.map_err(of_dry_run)
    })
}

impl Run<'_> {
    fn plan(&self, fits: &dyn Fn(&Change) -> Result<(), Failure>) -> Result<PlanFile, Failure> {
        self.say_what_the_configuration_says();
        if let Operation::Merge(_) = self.repository.operation()? {
            return Err(merge_in_progress());
        }
        let writer = self.message_writer()?;
        // Described work is one commit; a plan is made to divide.
        let wishes = Wishes { description: None, ..self.wishes(Some(&writer.manifest))? };
        self.stop_when_asked()?;
        let snapshot = freeze(self.repository, Staging::Auto).map_err(|error| self.unless_interrupted(error.into()))?;
        if snapshot.working_tree().is_none() {
            return Err(staged("a plan divides the working tree, and something is staged", snapshot.change()));
        }
        self.say_what_was_frozen(&snapshot);
        fits(snapshot.change())?;

        let history = self.history(&snapshot)?;
        let setting = Setting { snapshot: &snapshot, wishes: &wishes, history: &history };
        // What is noted for the JSON document of a run has no reader here.
        let mut document = json::Document::new(json::Outcome::DryRun);
        let (parts, given) = if self.divides(&snapshot, &wishes) {
            match self.divide(&setting, || Ok(()), &mut document)? {
                Division::Several(parts) => (*parts, None),
                Division::One(message) => {
                    let judged = message.map(|text| self.judged(&setting, &text)).transpose()?.flatten();
                    (self.undivided(&setting)?, judged)
                }
                Division::Unplanned(failure) => return Err(*failure),
                Division::Prompt(_) => return Err(Failure::new("bug", "a plan shows no prompt", "", "this is a bug")),
            }
        } else {
            (self.undivided(&setting)?, None)
        };
        let messages = match given {
            Some(message) => vec![message],
            None => self.messages(&setting, &writer, &parts)?,
        };
        self.written_down(&snapshot, &parts, &messages)
    }

    fn messages(&self, setting: &Setting<'_>, writer: &Writer, parts: &Parts) -> Result<Vec<Message>, Failure> {
        let mut messages = Vec::with_capacity(parts.steps.len());
        self.drafts(
            setting,
            writer,
            &parts.steps,
            |_, _| {},
            |_, written| {
                written.notes.iter().for_each(|note| self.progress.notice(note));
                messages.push(written.message);
                Ok(())
            },
            |_, failure| explain_unwritten(failure, &self.provider_name()),
        )?;
        Ok(messages)
    }

    /// The plan, with its trees kept for as long as those of a rescue.
    fn written_down(&self, snapshot: &Snapshot, parts: &Parts, messages: &[Message]) -> Result<PlanFile, Failure> {
        let words: Vec<Words> = parts
            .steps
            .iter()
            .zip(messages)
            .map(|(step, message)| Words { title: step.title().to_owned(), message: message.as_str().to_owned() })
            .collect();
        let trees: Vec<ObjectId> = parts.steps.iter().map(|step| step.frozen.tree).collect();
        self.tidy_up()?;
        let store = Store::new(self.repository);
        store.expire()?;
        store.keep_plan(&trees)?;
        Ok(PlanFile::new(&parts.ground, snapshot.head().commit, &parts.staging, &words, &trees))
    }
}

fn merge_in_progress() -> Failure {
    Failure::new(
        "in_progress",
        "a merge is in progress, and it is one commit",
        "",
        "conclude it with `stagecoach` or `git commit` first",
    )
}
