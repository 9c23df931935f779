//! Publishing the commits of a decomposition in order, and what a dry run shows instead.

use std::cell::RefCell;

use crate::commit::{About, Journal, Rescue, Step as JournalStep, publish_step};
use crate::git::{Head, Identities};
use crate::message::Message;
use crate::progress::Progress;
use crate::ui::{Landed, commit_report, json, name_status};

use super::super::super::failure::{RESCUE, interrupted, of_publish};
use super::super::super::{Failure, to_stdout};
use super::super::Run;
use super::super::prepare::Writer;
use super::super::words::explain_unwritten;
use super::{Setting, Step, files};

impl Run<'_> {
    /// Publishes every commit as soon as its message and all earlier ones are there. What fails leaves the earlier
    /// commits and a rescue for the rest.
    pub(super) fn publish_all(
        &self,
        setting: &Setting<'_>,
        writer: &Writer,
        steps: &[Step],
        identities: &Identities,
        document: &mut json::Document,
    ) -> Result<(), Failure> {
        self.tidy_up();
        let noted = steps.iter().map(|step| JournalStep::titled(step.frozen.tree, &step.title)).collect();
        let journal = RefCell::new(Some(Journal::begin_steps(self.repository, setting.snapshot, noted)));
        let editor = self.editor()?;
        let mut head = setting.snapshot.head().clone();
        let landed = RefCell::new(0);
        let leave = || journal.borrow_mut().take().map(|journal| journal.leave(*landed.borrow()));
        let with_rescue = |failure: Failure, rescue: Option<Rescue>| match rescue {
            Some(rescue) => failure.with_rescue(rescue),
            None => failure,
        };
        let document = RefCell::new(document);
        let done = self.drafts(
            setting,
            writer,
            steps,
            |step, draft| {
                if let (Ok(written), Some(journal)) = (draft, journal.borrow_mut().as_mut()) {
                    journal.set_message(step, written.message.as_str());
                }
            },
            |number, written| {
                let Some(step) = steps.get(number) else { return Ok(()) };
                document.borrow_mut().retries += written.retries;
                written.notes.iter().for_each(|note| self.progress.notice(note));
                if let Some(cause) = self.cancel.cause() {
                    return Err(with_rescue(interrupted(cause).exit(RESCUE), leave()));
                }
                let mut message = written.message;
                if let Some(editor) = &editor {
                    let about = About {
                        head: &head,
                        change: &step.frozen.change,
                        merges: false,
                        index: &self.repository.paths().index,
                    };
                    message = self.edited(editor, &about, &message).map_err(|failure| with_rescue(failure, leave()))?;
                }
                let made = self.publish_one(&journal, number, &head, step, &message, identities);
                let id = made.map_err(|error| match leave() {
                    Some(rescue) => of_publish(error, rescue),
                    None => Failure::new("bug", error.to_string(), "", "this is a bug"),
                })?;
                *landed.borrow_mut() += 1;
                let next = Head { commit: Some(id), ..head.clone() };
                let before = std::mem::replace(&mut head, next);
                let subject = message.subject();
                document.borrow_mut().commits.push(commit_of(Some(id.to_string()), step, &message));
                if self.args.json || self.args.quiet {
                    return Ok(());
                }
                to_stdout(&commit_report(&Landed { id, head: &before, subject: &subject, change: &step.frozen.change }))
            },
            |number, failure| {
                let candidate = failure.candidate.as_ref().map(|message| message.as_str().to_owned());
                if let (Some(text), Some(journal)) = (&candidate, journal.borrow_mut().as_mut()) {
                    journal.set_message(number, text);
                }
                with_rescue(explain_unwritten(failure, self.provider_name()), leave())
            },
        );
        let document = document.into_inner();
        done?;
        if let Some(journal) = journal.into_inner() {
            self.say_what_was_not_noted(journal.finish());
        }
        document.outcome = json::Outcome::Committed;
        self.push(document)
    }

    fn publish_one(
        &self,
        journal: &RefCell<Option<Journal<'_>>>,
        number: usize,
        head: &Head,
        step: &Step,
        message: &Message,
        identities: &Identities,
    ) -> Result<crate::git::ObjectId, crate::commit::PublishError> {
        let mut journal = journal.borrow_mut();
        let Some(journal) = journal.as_mut() else {
            return Err(
                crate::git::GitError::Library { doing: "publishing", text: "the run has ended".to_owned() }.into()
            );
        };
        let action = std::env::var("GIT_REFLOG_ACTION").ok().filter(|action| !action.is_empty());
        let published =
            publish_step(journal, number, head, &step.frozen, message.as_str(), identities, action.as_deref())?;
        for problem in &published.afterwards {
            self.progress.notice(&format!("the commit is made, but: {problem}"));
        }
        Ok(published.id)
    }

    /// A dry run: the commits with their messages and files, and nothing moved.
    pub(super) fn show_all(
        &self,
        setting: &Setting<'_>,
        writer: &Writer,
        steps: &[Step],
        document: &mut json::Document,
    ) -> Result<(), Failure> {
        document.outcome = json::Outcome::DryRun;
        let mut shown = String::new();
        self.drafts(
            setting,
            writer,
            steps,
            |_, _| {},
            |number, written| {
                let Some(step) = steps.get(number) else { return Ok(()) };
                document.retries += written.retries;
                document.commits.push(commit_of(None, step, &written.message));
                if !shown.is_empty() {
                    shown.push('\n');
                }
                shown.push_str(&format!(
                    "# commit {} of {}\n{}\n{}",
                    number + 1,
                    steps.len(),
                    written.message.as_str(),
                    name_status(&step.frozen.change)
                ));
                Ok(())
            },
            |_, failure| explain_unwritten(failure, self.provider_name()),
        )?;
        if self.args.json { Ok(()) } else { to_stdout(&shown) }
    }
}

fn commit_of(id: Option<String>, step: &Step, message: &Message) -> json::Commit {
    json::Commit { id, subject: message.subject(), message: message.as_str().to_owned(), files: files(step) }
}
