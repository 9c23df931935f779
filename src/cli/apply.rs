//! `stagecoach apply`: the commits of a plan, checked against the repository and published as those of a run are.

use std::fmt::Write as _;
use std::path::Path;

use crate::commit::{Journal, Step as JournalStep, publish_step, tidy};
use crate::decompose::plan_file::{PlanFile, PlanFileError};
use crate::decompose::{Ground, State, freeze, freeze_all};
use crate::git::{Change, Frozen, Head, ObjectId, Operation, Repository};
use crate::message::Message;
use crate::run::{Cancel, Signals};
use crate::ui::{Landed, commit_report, name_status};
use crate::untrusted::stripped;

use super::failure::{RESCUE, interrupted, of_publish, staged};
use super::{Failure, exclusive, to_stderr, to_stdout};

pub(super) fn run(file: &Path, dry_run: bool) -> Result<(), Failure> {
    let cancel = Cancel::new();
    let _signals = Signals::install(cancel.clone())
        .map_err(|error| Failure::new("system", "signals cannot be taken over", error.to_string(), "try again"))?;
    let text = std::fs::read_to_string(file).map_err(|error| {
        let what = format!("{} cannot be read", file.display());
        Failure::new("plan", what, error.to_string(), "name a file that `stagecoach plan -o` wrote")
    })?;
    let plan = PlanFile::parse(&text)?;
    let repository = Repository::open()?;
    if dry_run {
        return to_stdout(&stripped(&Ready::check(&repository, &plan)?.show()));
    }
    repository.refuse_unsupported_commit()?;
    let tree = || Ok(Ready::check(&repository, &plan)?.tree());
    let Some(mut turn) = exclusive::take_or_leave(&repository, &cancel, &tree)? else { return Ok(()) };
    let ready = Ready::check(&repository, &plan)?;
    if let Some(tree) = ready.tree() {
        // Without it other runs are merely told that the repository is busy.
        drop(turn.say_tree(tree));
    }
    ready.publish(&repository, &cancel)
}

/// A plan that fits, with its trees.
struct Ready {
    head: Head,
    commits: Vec<Commit>,
    /// What stays in the working tree.
    leftover: Change,
}

/// One commit to be made.
struct Commit {
    title: String,
    message: Message,
    frozen: Frozen,
}

impl Ready {
    /// Everything that must hold, before anything is written but objects.
    fn check(repository: &Repository, plan: &PlanFile) -> Result<Self, Failure> {
        if let Operation::Merge(_) = repository.operation()? {
            let hint = "conclude it with `stagecoach` or `git commit` first";
            return Err(Failure::new("in_progress", "a merge is in progress", "", hint));
        }
        let head = repository.head()?;
        if head.commit != plan.parent()? {
            return Err(moved(repository, &head, plan.parent()?));
        }
        let base = head.commit.map(|commit| repository.tree_of(commit)).transpose()?;
        let index = repository.freeze(&repository.paths().index, base)?.change;
        if !index.is_empty() {
            return Err(staged("a plan starts from an index that is HEAD's, and something is staged", &index));
        }
        let start = plan.start()?;
        let change = repository.compare(base, Some(start)).map_err(|error| {
            let what = format!("the frozen tree of the plan, {start}, is not here");
            let hint = "plans are kept for two weeks, in the repository that they were made in; make another one";
            Failure::new("plan_expired", what, error.to_string(), hint)
        })?;
        let ground = Ground::new(base, start, change);
        let messages = messages(plan)?;
        let staging = plan.restage(&ground, repository, &|tree| repository.compare(base, Some(tree)))?;
        let trees = freeze_all(repository, &ground, &staging).map_err(PlanFileError::from)?;
        let rest = freeze(repository, &ground, &staging.last(&ground), &State::start(&ground))?;
        let commits = plan.commits.iter().zip(messages).zip(trees).map(|((planned, message), frozen)| {
            repository.store(&frozen)?;
            Ok(Commit { title: planned.title.clone(), message, frozen })
        });
        Ok(Self { head, commits: commits.collect::<Result<_, Failure>>()?, leftover: rest.change })
    }

    /// The tree of the last commit.
    fn tree(&self) -> Option<ObjectId> {
        self.commits.last().map(|commit| commit.frozen.tree)
    }

    fn show(&self) -> String {
        let mut text = String::new();
        for (number, commit) in self.commits.iter().enumerate() {
            let change = name_status(&commit.frozen.change);
            // Writing to a String cannot fail.
            let _ = writeln!(
                text,
                "# commit {} of {}\n{}\n{change}",
                number + 1,
                self.commits.len(),
                commit.message.as_str()
            );
        }
        if self.leftover.is_empty() {
            text.pop();
        } else {
            let _ = write!(text, "# not committed\n{}", name_status(&self.leftover));
        }
        text
    }

    /// Publishes the commits in order. What fails leaves the earlier ones and a rescue for the rest.
    fn publish(&self, repository: &Repository, cancel: &Cancel) -> Result<(), Failure> {
        let identities = repository.identities()?;
        if let Some(cause) = cancel.cause() {
            return Err(interrupted(cause));
        }
        if let Err(error) = tidy(repository) {
            to_stderr(&stripped(&format!("what earlier runs left cannot be cleared up: {error}\n")));
        }
        let mut journal = Journal::begin_plan(repository, &self.head, self.steps());
        let action = std::env::var("GIT_REFLOG_ACTION").ok().filter(|action| !action.is_empty());
        let mut head = self.head.clone();
        for (number, commit) in self.commits.iter().enumerate() {
            if let Some(cause) = cancel.cause() {
                return Err(interrupted(cause).exit(RESCUE).with_rescue(journal.leave(number)));
            }
            let Commit { message, frozen, .. } = commit;
            let made =
                publish_step(&mut journal, number, &head, frozen, message.as_str(), &identities, action.as_deref());
            let published = match made {
                Ok(published) => published,
                Err(error) => return Err(of_publish(error, journal.leave(number))),
            };
            for problem in &published.afterwards {
                to_stderr(&stripped(&format!("the commit is made, but: {problem}\n")));
            }
            let (subject, change) = (message.subject(), &frozen.change);
            let report = commit_report(&Landed { id: published.id, head: &head, subject: &subject, change });
            if let Err(failure) = to_stdout(&report) {
                return Err(unheard(failure, journal, number + 1));
            }
            head.commit = Some(published.id);
        }
        if let Some(problem) = journal.finish() {
            to_stderr(&stripped(&format!("this run could not be recorded: {problem}\n")));
        }
        Ok(())
    }

    /// The commits with their messages, which a rescue needs however this ends.
    fn steps(&self) -> Vec<JournalStep> {
        let step = |commit: &Commit| JournalStep {
            message: Some(commit.message.as_str().to_owned()),
            ..JournalStep::titled(commit.frozen.tree, &commit.title)
        };
        self.commits.iter().map(step).collect()
    }
}

/// Nobody can be told of a commit that was made; the rest waits.
fn unheard(failure: Failure, journal: Journal<'_>, landed: usize) -> Failure {
    if landed < journal.record().steps.len() {
        return failure.exit(RESCUE).with_rescue(journal.leave(landed));
    }
    let unnoted = journal.finish().map(|problem| format!("\nthis run could not be recorded: {problem}"));
    Failure { why: failure.why.clone() + &unnoted.unwrap_or_default(), ..failure }
}

fn messages(plan: &PlanFile) -> Result<Vec<Message>, Failure> {
    let mut messages = Vec::with_capacity(plan.commits.len());
    for (number, commit) in plan.commits.iter().enumerate() {
        messages.push(Message::new(&commit.message).map_err(|error| {
            let what = format!("commit {} \"{}\" of the plan has no message", number + 1, commit.title);
            Failure::new("plan", what, error.to_string(), "write one into the plan")
        })?);
    }
    Ok(messages)
}

/// HEAD is not where the plan begins: says which of the two has more.
fn moved(repository: &Repository, head: &Head, parent: Option<ObjectId>) -> Failure {
    let begins = parent.map_or_else(|| "an unborn branch".to_owned(), |parent| parent.short(10));
    let mut why = format!("it begins at {begins}, and HEAD is {head}");
    let newer = match (parent, head.commit) {
        (Some(parent), Some(commit)) => repository.is_in_history(parent, commit).unwrap_or(false),
        (None, Some(_)) => true,
        (_, None) => false,
    };
    if newer {
        why.push_str(", which has commits that the plan does not know");
    }
    let hint = "go to where it begins, or make another plan with `stagecoach plan`";
    Failure::new("head_moved", "the plan does not begin at HEAD; nothing was committed", why, hint)
}

impl From<PlanFileError> for Failure {
    fn from(error: PlanFileError) -> Self {
        let (code, what, hint) = match &error {
            PlanFileError::Form(_) | PlanFileError::Version(_) | PlanFileError::Id(_) => (
                "plan",
                "the plan cannot be read",
                "correct what is named, or make another plan with `stagecoach plan`",
            ),
            PlanFileError::Stage(_) => ("plan", "the plan cannot be carried out", "see `git fsck`"),
            _ => (
                "plan",
                "the plan does not fit; nothing was committed",
                "every path and hunk belongs into exactly one commit or into \"leftover\"",
            ),
        };
        Failure::new(code, what, stripped(&error.to_string()), hint)
    }
}
