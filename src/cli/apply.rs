//! `stagecoach apply`: the commits of a plan, checked against the repository and published as those of a run are.

use std::fmt::Write as _;
use std::path::Path;

use crate::commit::{
    HookError, Hooks, Journal, Made, Making, Planned, PublishError, Step as JournalStep, Wording, make_step, tidy,
};
use crate::decompose::plan_file::{PlanFile, PlanFileError};
use crate::decompose::{Ground, State, freeze, freeze_all};
use crate::git::{Change, Frozen, GitError, Head, Hook, ObjectId, Operation, Repository};
use crate::message::Message;
use crate::run::Cancel;
use crate::ui::{Landed, commit_report, name_status};
use crate::untrusted::stripped;

use super::args::GlobalArgs;
use super::commit::not_cleared;
use super::context::Context;
use super::failure::{ERROR, RESCUE, interrupted, of_publish, staged};
use super::hooks::of_wording;
use super::{Failure, exclusive, hooks, launcher, stoppable, to_stderr, to_stdout};

pub(super) fn run(file: &Path, dry_run: bool, no_verify: bool, global: &GlobalArgs) -> Result<(), Failure> {
    let (cancel, _signals) = stoppable()?;
    let piped = file.as_os_str() == "-";
    let read = if piped { std::io::read_to_string(std::io::stdin()) } else { std::fs::read_to_string(file) };
    let text = read.map_err(|error| {
        let source = if piped { "standard input".to_owned() } else { file.display().to_string() };
        let what = format!("{source} cannot be read");
        Failure::new("plan", what, error.to_string(), "name a file that `stagecoach plan -o` wrote")
    })?;
    let plan = PlanFile::parse(&text)?;
    let context = Context::in_repository(global, hooks::flags(no_verify))?;
    let settings = context.load()?.settings;
    let _launcher = launcher::watch(&settings, &cancel)?;
    let Some(repository) = context.repository else { return Err(GitError::NotARepository.into()) };
    let hooks = Hooks::find(&repository, hooks::options(&settings), hooks::told())?;
    if dry_run {
        return Ready::check(&repository, &plan)?.try_out(&hooks, &cancel);
    }
    let tree = || Ok(Ready::check(&repository, &plan)?.tree());
    let Some(mut turn) = exclusive::take_or_leave(&repository, &cancel, &tree)? else { return Ok(()) };
    let ready = Ready::check(&repository, &plan)?;
    if let Some(tree) = ready.tree() {
        // Without it other runs are merely told that the repository is busy.
        drop(turn.say_tree(tree));
    }
    ready.publish(&hooks, &cancel)
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
        let base = repository.tree_at(head.commit)?;
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

    /// Shows the commits, with what `commit-msg` says of their messages.
    fn try_out(mut self, hooks: &Hooks<'_>, cancel: &Cancel) -> Result<(), Failure> {
        if hooks.runs(Hook::CommitMsg) {
            let author = hooks.repository().identities()?.now().0;
            for commit in &mut self.commits {
                let view = hooks.view(&commit.frozen, None)?;
                let (index, author) = (&view.path(), &author);
                let wording = Wording { index, author, editor: None, aside: false, merges: false, dry: true, cancel };
                let worded = hooks.word(Some(&commit.message), &wording);
                commit.message = worded.map_err(|unworded| of_wording(unworded).exit(ERROR))?;
            }
        }
        to_stdout(&stripped(&self.show()))
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
    fn publish(&self, hooks: &Hooks<'_>, cancel: &Cancel) -> Result<(), Failure> {
        let repository = hooks.repository();
        let identities = repository.identities()?;
        if let Some(cause) = cancel.cause() {
            return Err(interrupted(cause));
        }
        if let Some(problem) = tidy(repository)?.problem {
            to_stderr(&stripped(&format!("{}\n", not_cleared(&problem))));
        }
        let mut journal = Journal::begin_plan(repository, &self.head, self.steps());
        let action = hooks::reflog_action();
        let (identities, reflog_action) = (&identities, action.as_deref());
        let making = Making { identities, reflog_action, hooks, edits: false, cancel };
        let mut head = self.head.clone();
        for (number, commit) in self.commits.iter().enumerate() {
            if let Some(cause) = cancel.cause() {
                return Err(interrupted(cause).exit(RESCUE).with_rescue(journal.leave(number)));
            }
            let (frozen, operation) = (&commit.frozen, &Operation::None);
            let planned = Planned { number, head: &head, frozen, operation, staged: None };
            let made = make_step::<Stop>(&mut journal, &planned, &making, |subject| {
                let (index, author) = (subject.index, subject.author);
                let wording = Wording { index, author, editor: None, aside: false, merges: false, dry: false, cancel };
                hooks.word(Some(&commit.message), &wording).map_err(|unworded| Stop::Failure(of_wording(unworded)))
            });
            let Made { published, restaged, message } = match made {
                Ok(Some(made)) => made,
                Ok(None) => {
                    let title = &commit.title;
                    let said = format!("\"{title}\" makes no commit: the hook pre-commit staged all of it earlier\n");
                    to_stderr(&stripped(&said));
                    continue;
                }
                Err(Stop::Publish(error)) => return Err(of_publish(error, journal.leave(number))),
                Err(Stop::Failure(failure)) => return Err(failure.exit(RESCUE).with_rescue(journal.leave(number))),
            };
            for problem in &published.afterwards {
                to_stderr(&stripped(&format!("the commit is made, but: {problem}\n")));
            }
            let change = restaged.as_ref().map_or(&frozen.change, |restaged| &restaged.change);
            let subject = message.subject();
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

/// Why a commit was not made.
enum Stop {
    Failure(Failure),
    Publish(PublishError),
}

impl From<HookError> for Stop {
    fn from(error: HookError) -> Self {
        Self::Failure(error.into())
    }
}

impl From<PublishError> for Stop {
    fn from(error: PublishError) -> Self {
        Self::Publish(error)
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
            PlanFileError::Form(_) | PlanFileError::NoPlan | PlanFileError::Version(_) | PlanFileError::Id(_) => (
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
