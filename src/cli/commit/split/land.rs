//! Publishing the commits of a decomposition in order, and what a dry run shows instead.

use std::cell::RefCell;
use std::fmt::Write as _;

use crate::commit::{
    About, Editor, HookError, Hooks, Journal, Made, Making, Planned, PublishError, Step as JournalStep, Subject,
    Wording, make_step,
};
use crate::git::{Change, Head, HeadMoved, Hook, Identities, Operation, StagedTree};
use crate::message::{Message, Refusal};
use crate::progress::Progress;
use crate::ui::{Landed, commit_report, json, name_status};

use super::super::super::failure::{RESCUE, interrupted, of_publish};
use super::super::super::hooks::reflog_action;
use super::super::super::{Failure, to_stdout};
use super::super::Run;
use super::super::land::{counted, without_counts};
use super::super::prepare::Writer;
use super::super::single::Untold;
use super::super::unwritten::{explain_unwritten, rescue};
use super::{Setting, Step};

/// Why a run stops before its last commit.
enum Stop {
    Failure(Box<Failure>),
    /// The message of a commit did not come through.
    Word(usize, Box<Untold>),
    Publish(PublishError),
}

impl From<HookError> for Stop {
    fn from(error: HookError) -> Self {
        Self::Failure(Box::new(error.into()))
    }
}

impl From<PublishError> for Stop {
    fn from(error: PublishError) -> Self {
        Self::Publish(error)
    }
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Self::Failure(Box::new(failure))
    }
}

impl Run<'_> {
    /// Publishes every commit as soon as its message and all earlier ones are there. What fails leaves the earlier
    /// commits and a rescue for the rest.
    pub(super) fn publish_all(
        &self,
        setting: &Setting<'_>,
        writer: &Writer,
        hooks: &Hooks<'_>,
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
        let action = reflog_action();
        let (reflog_action, edits, cancel) = (action.as_deref(), editor.is_some(), self.cancel);
        let making = Making { identities, reflog_action, hooks, edits, cancel };
        let again = Again { setting, writer, hooks, editor: editor.as_ref() };
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
                let is_last = number + 1 == steps.len();
                let staged = setting.snapshot.working_tree().map(|tree| StagedTree { tree, is_last });
                let frozen = &step.frozen;
                let planned = Planned { number, head: &head, frozen, operation: &Operation::None, staged };
                let retries = &mut document.retries;
                let taken: Vec<String> = document.commits.iter().map(|commit| commit.subject.clone()).collect();
                let made = make_step(&mut journal.borrow_mut(), &planned, &making, |subject| {
                    self.worded_step(&again, (number, step), subject, &head, written.message, &taken, retries)
                })?;
                landed += 1;
                let Some(Made { published, restaged, message }) = made else {
                    self.progress.notice(&format!(
                        "\"{}\" makes no commit: the hook pre-commit staged all of it earlier",
                        step.title()
                    ));
                    return Ok(());
                };
                for problem in &published.afterwards {
                    self.progress.notice(&format!("the commit is made, but: {problem}"));
                }
                let next = Head { commit: Some(published.id), ..head.clone() };
                let before = std::mem::replace(&mut head, next);
                let change = restaged.as_ref().map(|frozen| &frozen.change);
                document.commits.push(commit_of(Some(published.id.to_string()), step, change, &message));
                Ok(self.report(&Landed {
                    id: published.id,
                    head: &before,
                    subject: &message.subject(),
                    change: change.unwrap_or(&step.frozen.change),
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
        let mut journal = journal.into_inner();
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
                return Err(*failure);
            }
            Err(Stop::Failure(failure)) => return Err(failure.with_rescue(journal.leave(landed))),
            Err(Stop::Word(step, untold)) => {
                journal.set_message(step, untold.message.as_str());
                return Err(untold.failure.with_rescue(journal.leave(landed)));
            }
        }
        document.outcome = json::Outcome::Committed;
        self.push(document)
    }

    /// Takes the message of one commit through its hooks and the editor; the model tries again when `commit-msg` refuses.
    #[allow(clippy::too_many_arguments, reason = "each is one thing that a message depends on")]
    fn worded_step(
        &self,
        again: &Again<'_>,
        (number, step): (usize, &Step),
        subject: &Subject<'_>,
        head: &Head,
        message: Message,
        taken: &[String],
        retries: &mut usize,
    ) -> Result<Message, Stop> {
        let about = About { head, change: subject.change, merges: false };
        let wording = Wording {
            index: subject.index,
            author: subject.author,
            editor: again.editor.map(|editor| (editor, &about)),
            aside: self.args.json,
            merges: false,
            dry: self.args.dry_run,
            cancel: self.cancel,
        };
        let setting = again.setting;
        let mut write_again = |refusal: Refusal<'_>| {
            let material = self.material(setting.snapshot, &step.payload, setting.history, &step.scopes);
            let material = (&material, subject.change);
            let written = self.write_again(material, again.writer, setting.wishes, taken, refusal)?;
            *retries += 1 + written.retries;
            Ok(written.message)
        };
        self.brought_through(again.hooks, &wording, message, Some(&mut write_again))
            .map_err(|untold| Stop::Word(number, untold))
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
        let tree = self.repository.tree_at(moved.found.commit)?;
        let last = steps.last().map(|step| step.frozen.tree);
        Ok(moved.found.target == moved.frozen.target && tree.is_some() && tree == last)
    }

    /// A dry run: the commits with their messages and files, and nothing moved.
    pub(super) fn show_all(
        &self,
        setting: &Setting<'_>,
        writer: &Writer,
        hooks: &Hooks<'_>,
        steps: &[Step],
        document: &mut json::Document,
    ) -> Result<(), Failure> {
        document.outcome = json::Outcome::DryRun;
        let mut shown = String::new();
        let checked = if hooks.runs(Hook::CommitMsg) { Some(self.repository.identities()?.now().0) } else { None };
        let again = Again { setting, writer, hooks, editor: None };
        self.drafts(
            setting,
            writer,
            steps,
            |_, _| {},
            |number, written| {
                let Some(step) = steps.get(number) else { return Ok(()) };
                document.retries += written.retries;
                let mut message = written.message;
                if let Some(author) = &checked {
                    let (frozen, head) = (&step.frozen, setting.snapshot.head());
                    let view = hooks.view(frozen, None)?;
                    let subject = Subject { index: &view.path(), author, change: &frozen.change };
                    let taken: Vec<String> = document.commits.iter().map(|commit| commit.subject.clone()).collect();
                    let retries = &mut document.retries;
                    message = self
                        .worded_step(&again, (number, step), &subject, head, message, &taken, retries)
                        .map_err(unwritten)?;
                }
                document.commits.push(commit_of(None, step, None, &message));
                if !shown.is_empty() {
                    shown.push('\n');
                }
                let (message, files) = (message.as_str(), name_status(&step.frozen.change));
                // Writing to a String cannot fail.
                let _ = write!(shown, "# commit {} of {}\n{message}\n{files}", number + 1, steps.len());
                Ok::<_, Failure>(())
            },
            |_, failure| explain_unwritten(failure, &self.provider_name()),
        )?;
        if self.args.json { Ok(()) } else { to_stdout(&shown) }
    }
}

/// With what a message is written again.
struct Again<'a> {
    setting: &'a Setting<'a>,
    writer: &'a Writer,
    hooks: &'a Hooks<'a>,
    editor: Option<&'a Editor>,
}

/// In a dry run nothing is published, and there is nothing to rescue.
fn unwritten(stop: Stop) -> Failure {
    match stop {
        Stop::Failure(failure) => *failure,
        Stop::Word(_, untold) => untold.failure,
        Stop::Publish(error) => Failure::new("bug", "a dry run published", error.to_string(), "this is a bug"),
    }
}

/// `restaged`: what hooks have made of the change.
fn commit_of(id: Option<String>, step: &Step, restaged: Option<&Change>, message: &Message) -> json::Commit {
    let files = restaged.map_or_else(
        || counted(&step.payload, &step.frozen.change),
        |change| change.files().iter().map(without_counts).collect(),
    );
    json::Commit { id, subject: message.subject(), message: message.as_str().to_owned(), files }
}
