//! Publishing the commits of a decomposition in order, and what a dry run shows instead.

use std::cell::RefCell;
use std::fmt::Write as _;

use crate::commit::{About, Journal, PublishError, Step as JournalStep, publish_step};
use crate::git::{Head, HeadMoved, Identities};
use crate::message::Message;
use crate::progress::Progress;
use crate::ui::{Landed, commit_report, json, name_status};

use super::super::super::failure::{RESCUE, interrupted, of_publish};
use super::super::super::{Failure, to_stdout};
use super::super::Run;
use super::super::prepare::Writer;
use super::super::words::{explain_unwritten, rescue};
use super::{Setting, Step, files};

/// Why a run stops before its last commit.
enum Stop {
    Failure(Failure),
    Publish(PublishError),
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

impl Run<'_> {
    /// Publishes every commit as soon as its message and all earlier ones are there. What fails leaves the earlier
    /// commits and a rescue for the rest.
    pub(super) fn publish_all(
        &self,
        setting: &Setting<'_>,
        writer: &Writer,
        steps: &[Step],
        (identities, mut journal): (&Identities, Journal<'_>),
        document: &mut json::Document,
    ) -> Result<(), Failure> {
        journal.set_steps(steps.iter().map(|step| JournalStep::titled(step.frozen.tree, step.title())).collect());
        let editor = match self.editor() {
            Ok(editor) => editor,
            Err(failure) => return Err(rescue(journal, None, failure)),
        };
        let journal = RefCell::new(journal);
        let action = std::env::var("GIT_REFLOG_ACTION").ok().filter(|action| !action.is_empty());
        let mut head = setting.snapshot.head().clone();
        let mut landed = 0;
        let done = self.drafts(
            setting,
            writer,
            steps,
            |step, draft| {
                if let Ok(written) = draft {
                    journal.borrow_mut().set_message(step, written.message.as_str());
                }
            },
            |number, written| {
                let Some(step) = steps.get(number) else { return Ok(()) };
                document.retries += written.retries;
                written.notes.iter().for_each(|note| self.progress.notice(note));
                if let Some(cause) = self.cancel.cause() {
                    return Err(interrupted(cause).exit(RESCUE).into());
                }
                let mut message = written.message;
                if let Some(editor) = &editor {
                    let (change, index) = (&step.frozen.change, &self.repository.paths().index);
                    message = self.edited(editor, &About { head: &head, change, merges: false, index }, &message)?;
                }
                let mut journal = journal.borrow_mut();
                let published = publish_step(
                    &mut journal,
                    number,
                    &head,
                    &step.frozen,
                    message.as_str(),
                    identities,
                    action.as_deref(),
                )
                .map_err(Stop::Publish)?;
                for problem in &published.afterwards {
                    self.progress.notice(&format!("the commit is made, but: {problem}"));
                }
                landed += 1;
                let next = Head { commit: Some(published.id), ..head.clone() };
                let before = std::mem::replace(&mut head, next);
                document.commits.push(commit_of(Some(published.id.to_string()), step, &message));
                Ok(self.report(&Landed {
                    id: published.id,
                    head: &before,
                    subject: &message.subject(),
                    change: &step.frozen.change,
                })?)
            },
            |number, failure| {
                if let Some(candidate) = &failure.candidate {
                    journal.borrow_mut().set_message(number, candidate.as_str());
                }
                explain_unwritten(failure, &self.provider_name()).into()
            },
        );
        // Only now have all messages arrived that were being written.
        let journal = journal.into_inner();
        match done {
            Ok(()) => self.say_what_was_not_noted(journal.finish()),
            Err(Stop::Publish(PublishError::HeadMoved { moved, .. })) if self.has_all(&moved, steps)? => {
                self.progress.notice(&format!("somebody else already committed exactly this: {}", moved.found));
                self.say_what_was_not_noted(journal.discard());
                document.outcome = json::Outcome::AlreadyCommitted;
                return Ok(());
            }
            Err(Stop::Publish(error)) => return Err(of_publish(error, journal.leave(landed))),
            Err(Stop::Failure(failure)) if landed == steps.len() => {
                self.say_what_was_not_noted(journal.finish());
                return Err(failure);
            }
            Err(Stop::Failure(failure)) => return Err(failure.with_rescue(journal.leave(landed))),
        }
        document.outcome = json::Outcome::Committed;
        self.push(document)
    }

    fn report(&self, landed: &Landed<'_>) -> Result<(), Failure> {
        if self.args.json || self.args.loudness.quiet {
            return Ok(());
        }
        // Messages of later commits are still being written, and may be drawn.
        self.progress.beside(|| to_stdout(&commit_report(landed)))
    }

    /// Whether the branch has everything that the run was to commit, though it was somebody else who put it there.
    fn has_all(&self, moved: &HeadMoved, steps: &[Step]) -> Result<bool, Failure> {
        let tree = moved.found.commit.map(|commit| self.repository.tree_of(commit)).transpose()?;
        let last = steps.last().map(|step| step.frozen.tree);
        Ok(moved.found.target == moved.frozen.target && tree.is_some() && tree == last)
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
                let (message, files) = (written.message.as_str(), name_status(&step.frozen.change));
                // Writing to a String cannot fail.
                let _ = write!(shown, "# commit {} of {}\n{message}\n{files}", number + 1, steps.len());
                Ok::<_, Failure>(())
            },
            |_, failure| explain_unwritten(failure, &self.provider_name()),
        )?;
        if self.args.json { Ok(()) } else { to_stdout(&shown) }
    }
}

fn commit_of(id: Option<String>, step: &Step, message: &Message) -> json::Commit {
    json::Commit { id, subject: message.subject(), message: message.as_str().to_owned(), files: files(step) }
}
