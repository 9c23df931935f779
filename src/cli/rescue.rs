//! `stagecoach rescue …`

use std::fmt::Write as _;
use std::time::Duration;

use serde::Serialize;

use crate::commit::{
    EditError, Editor, FinishError, Hooks, LandedStep, Making, PublishError, Record, Rescue, Source, Standing, Step,
    Store, Wishes, WordingError, finish, tidy,
};
use crate::git::{Change, ChangedFile, GitError, Repository};
use crate::message::Message;
use crate::ui::{Landed, commit_report, name_status};
use crate::untrusted::stripped;

use super::args::{GlobalArgs, RescueCommand};
use super::context::Context;
use super::failure::{RESCUE, RescueNote, indent, interrupted, unsigned};
use super::hooks::{is_emptied, of_wording};
use super::{Failure, exclusive, hooks, json_to_stdout, launcher, stoppable, to_stderr, to_stdout};

pub(super) fn run(command: Option<&RescueCommand>, global: &GlobalArgs) -> Result<(), Failure> {
    let no_verify = matches!(command, Some(RescueCommand::Commit { no_verify: true, .. }));
    let context = Context::in_repository(global, hooks::flags(no_verify))?;
    if let Some(RescueCommand::Commit { run, message, edit, onto_head, .. }) = command {
        return commit(&context, run.as_deref(), message.as_deref(), (*edit, *onto_head));
    }
    let Some(repository) = context.repository else { return Err(GitError::NotARepository.into()) };
    match command {
        None | Some(RescueCommand::Commit { .. }) => list(&repository, false),
        Some(RescueCommand::List { json }) => list(&repository, *json),
        Some(RescueCommand::Show { run }) => show(&repository, run.as_deref()),
        Some(RescueCommand::Drop { run, all }) => forget(&repository, run.as_deref(), *all),
    }
}

// ---- list and show

/// One rescue with what the repository says of it now.
struct Found {
    record: Record,
    standing: Standing,
    /// For each commit what it changes.
    changes: Vec<Change>,
}

impl Found {
    fn of(repository: &Repository, record: Record) -> Result<Self, GitError> {
        let standing = record.standing(repository)?;
        let mut before = repository.tree_at(record.parent)?;
        let mut changes = Vec::new();
        for step in &record.steps {
            changes.push(repository.compare(before, Some(step.tree))?);
            before = Some(step.tree);
        }
        Ok(Self { record, standing, changes })
    }

    fn landed(&self) -> usize {
        self.standing.landed(&self.record)
    }

    /// The commits that are left, each with its change.
    fn left(&self) -> impl Iterator<Item = (&Step, &Change)> {
        self.record.steps.iter().zip(&self.changes).skip(self.landed())
    }

    fn state(&self) -> (&'static str, String) {
        match &self.standing {
            Standing::Waiting(_) => ("waiting", "HEAD is where it belongs".to_owned()),
            Standing::Landed { .. } => ("landed", "committed; only the index does not know it yet".to_owned()),
            Standing::Moved { same_tree: true, found, .. } => {
                ("same_tree", format!("committed by somebody else: {found}"))
            }
            Standing::Moved { found, .. } => ("moved", format!("HEAD moved and is {found}")),
        }
    }

    fn line(&self) -> String {
        let files: usize = self.left().map(|(_, change)| change.files().len()).sum();
        let mut subjects = self.left().map(|(step, _)| step.subject().unwrap_or("(no message)"));
        let first = subjects.next().unwrap_or("(all committed)").to_owned();
        let more = subjects.count();
        let more = if more > 0 { format!(" (and {more} more)") } else { String::new() };
        let head = self.record.head();
        let (run, age) = (&self.record.run, age(self.record.age()));
        format!("{run}  {age}  {}  {}  {first}{more}\n", head.branch(), count(files, "file"))
    }
}

/// What is there to finish: runs that are still at work are none of it.
fn rescues(repository: &Repository) -> Result<Vec<Record>, Failure> {
    tidy(repository)?.problem.map_or(Ok(()), Err)?;
    let listing = Store::new(repository).list()?;
    for (path, why) in &listing.unreadable {
        to_stderr(&stripped(&format!("{} is no record: {why}\n", path.display())));
    }
    Ok(listing.records.into_iter().filter(|record| !record.is_live()).collect())
}

fn list(repository: &Repository, json: bool) -> Result<(), Failure> {
    let mut found = Vec::new();
    for record in rescues(repository)? {
        let run = record.run.clone();
        match Found::of(repository, record) {
            Ok(rescue) => found.push(rescue),
            Err(error) => to_stderr(&stripped(&format!("{run} cannot be read: {error}\n"))),
        }
    }
    if json {
        return json_to_stdout(&Document { schema: 1, rescues: found.iter().map(describe).collect() });
    }
    if found.is_empty() {
        to_stderr("There is nothing to rescue.\n");
    }
    to_stdout(&stripped(&found.iter().map(Found::line).collect::<Vec<_>>().concat()))
}

fn show(repository: &Repository, run: Option<&str>) -> Result<(), Failure> {
    let found = Found::of(repository, pick(rescues(repository)?, run)?)?;
    let head = found.record.head();
    let mut text = format!("{}, begun {} on {head}\n", found.record.run, age(found.record.age()));
    // Writing to a String cannot fail.
    let _ = writeln!(text, "{}", found.state().1);
    for (step, change) in found.left() {
        let _ = writeln!(text, "\ntree {}", step.tree);
        let message = step.message.as_deref().or(step.title.as_deref()).unwrap_or("(no message)");
        indent(message, &mut text);
        text.push_str(&name_status(change));
    }
    let rescue = Rescue::of_record(repository, found.record.clone(), found.landed());
    let note = match &found.standing {
        Standing::Moved { found, .. } => RescueNote::moved(rescue, found),
        Standing::Waiting(_) | Standing::Landed { .. } => RescueNote::waiting(rescue),
    };
    text.push_str(&note.ways_on());
    to_stdout(&stripped(&text))
}

/// The one that is meant.
fn pick(records: Vec<Record>, run: Option<&str>) -> Result<Record, Failure> {
    let known: Vec<String> = records.iter().map(|record| record.run.clone()).collect();
    // An empty name, as of a variable that is not set, is none.
    let begins = |known: &str, run: &str| !run.is_empty() && known.starts_with(run);
    let mut fitting = records.into_iter().filter(|record| run.is_none_or(|run| begins(&record.run, run)));
    match (fitting.next(), run) {
        (Some(_), Some(run)) if known.iter().filter(|known| begins(known, run)).count() > 1 => Err(Failure::new(
            "ambiguous",
            format!("{run} is the beginning of several"),
            known.join("\n"),
            "write more of the name",
        )),
        (Some(record), _) => Ok(record),
        (None, Some(run)) if !known.is_empty() => Err(Failure::new(
            "unknown_rescue",
            format!("there is no rescue {run}"),
            format!("known are {}", known.join(", ")),
            "`stagecoach rescue list` shows them",
        )),
        (None, _) => Err(Failure::new(
            "no_rescue",
            "there is nothing to rescue",
            "",
            "every run in this worktree came to its end, or its record is older than two weeks",
        )),
    }
}

#[derive(Serialize)]
struct Document<'a> {
    schema: u32,
    rescues: Vec<Entry<'a>>,
}

#[derive(Serialize)]
struct Entry<'a> {
    run: &'a str,
    created: u64,
    branch: Option<&'a str>,
    parent: Option<String>,
    source: Source,
    state: &'static str,
    landed: usize,
    commits: Vec<Commit<'a>>,
}

#[derive(Serialize)]
struct Commit<'a> {
    tree: String,
    subject: Option<&'a str>,
    message: Option<&'a str>,
    files: Vec<File>,
}

#[derive(Serialize)]
struct File {
    status: char,
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    old_path: Option<String>,
}

fn describe(found: &Found) -> Entry<'_> {
    let commits = found.left().map(|(step, change)| Commit {
        tree: step.tree.to_string(),
        subject: step.subject(),
        message: step.message.as_deref(),
        files: files(change),
    });
    Entry {
        run: &found.record.run,
        created: found.record.created,
        branch: found.record.branch.as_deref(),
        parent: found.record.parent.map(|parent| parent.to_string()),
        source: found.record.source,
        state: found.state().0,
        landed: found.landed(),
        commits: commits.collect(),
    }
}

fn files(change: &Change) -> Vec<File> {
    let file = |file: &ChangedFile| {
        let old_path = file.renamed_from().map(|old| old.path.to_string());
        File { status: file.status().letter(), path: file.path().to_string(), old_path }
    };
    change.files().iter().map(file).collect()
}

// ---- commit and drop

fn commit(
    context: &Context,
    run: Option<&str>,
    message: Option<&str>,
    (edit, onto_head): (bool, bool),
) -> Result<(), Failure> {
    let settings = context.settings_despite_mistakes();
    let Some(repository) = &context.repository else { return Err(GitError::NotARepository.into()) };
    let editor = if edit { Some(Editor::find(repository)?) } else { None };
    // From here on a signal ends hooks and editors and is otherwise only remembered: the rest must not be torn apart.
    let (cancel, _signals) = stoppable()?;
    let _launcher = launcher::watch(&settings, &cancel)?;
    let tree = || Ok(pick(rescues(repository)?, run)?.steps.last().map(|step| step.tree));
    let Some(mut turn) = exclusive::take_or_leave(repository, &cancel, &tree)? else { return Ok(()) };
    let record = pick(rescues(repository)?, run)?;
    if let Some(step) = record.steps.last() {
        // Without it other runs are merely told that the repository is busy.
        drop(turn.say_tree(step.tree));
    }
    let message = message.map(Message::new).transpose().map_err(|error| {
        Failure::new("usage", "the message cannot be used", error.to_string(), "give another one with -m")
    })?;
    let identities = repository.identities()?;
    let hooks = Hooks::find(repository, hooks::options(&settings), hooks::told())?;
    let action = hooks::reflog_action();
    let wishes = Wishes {
        message: message.as_ref().map(Message::as_str),
        editor: editor.as_ref(),
        onto_head,
        making: Making {
            identities: &identities,
            reflog_action: action.as_deref(),
            hooks: &hooks,
            edits: editor.is_some(),
            cancel: &cancel,
        },
    };
    let mut said = Ok(());
    let result = finish(repository, record, &wishes, &mut |step| {
        let report = to_stdout(&describe_landed(step));
        said = std::mem::replace(&mut said, Ok(())).and(report);
    });
    said?;
    let finished = result.map_err(of_finish)?;
    for problem in &finished.afterwards {
        to_stderr(&stripped(&format!("it is committed, but: {problem}\n")));
    }
    if finished.same_tree {
        to_stderr("Somebody committed exactly this already; the record is gone.\n");
    } else if finished.made == 0 && finished.needless == 0 {
        to_stderr("Everything was committed already; the index knows it now.\n");
    } else if finished.needless > 0 {
        let needless = count(finished.needless, "commit");
        to_stderr(&format!("{needless} would change nothing on top of HEAD and was left out.\n"));
    }
    Ok(())
}

fn describe_landed(step: &LandedStep<'_>) -> String {
    let subject = step.message.lines().take_while(|line| !line.is_empty()).collect::<Vec<_>>().join(" ");
    commit_report(&Landed { id: step.id, head: step.head, subject: &subject, change: step.change })
}

fn of_finish(error: FinishError) -> Failure {
    let why = error.to_string();
    match error {
        FinishError::Moved(_) | FinishError::Publish(PublishError::HeadMoved { .. }) => Failure::new(
            "head_moved",
            "HEAD is not where the commit belongs; nothing was overwritten",
            why,
            "go back there, or put it on top of what is there now: stagecoach rescue commit --onto-head",
        ),
        FinishError::Conflicts(paths) => Failure::new(
            "conflict",
            "the change does not fit onto HEAD; nothing was committed",
            hooks::named(&paths),
            "go back with `git switch -c <name> <the recorded commit>`, run `stagecoach rescue commit --onto-head` there, and merge",
        )
        .exit(RESCUE),
        FinishError::NoMessage(_) => {
            Failure::new("no_message", "there is no message to commit with", why, "give one with -m, or write it with --edit")
        }
        FinishError::Several(_) => {
            Failure::new("usage", "-m gives a message to one commit", why, "leave it out; each has a message of its own")
        }
        FinishError::MergeChanged => Failure::new(
            "merge_changed",
            "nothing was committed",
            why,
            "finish or abort the merge (`git merge --abort`) and begin anew",
        ),
        FinishError::MergeGone => Failure::new(
            "merge_changed",
            "nothing was committed",
            why,
            "merge again and run stagecoach; `stagecoach rescue drop` forgets this one",
        ),
        FinishError::Publish(error @ PublishError::Unsigned(_)) => unsigned(&error),
        FinishError::Publish(PublishError::Interrupted(cause)) => interrupted(cause).exit(RESCUE),
        FinishError::Hook(error) => error.into(),
        FinishError::Word(error) if is_emptied(&error) => {
            Failure::new("emptied", why, "this commit and those after it were not made", "stagecoach rescue commit --edit")
        }
        FinishError::Word(error) => {
            if let WordingError::Edit(EditError::Interrupted(cause)) = &*error.error {
                return Failure { hint: "stagecoach rescue commit --edit".to_owned(), ..interrupted(*cause) };
            }
            let edited = matches!(*error.error, WordingError::Edit(_));
            let failure = of_wording(error);
            if edited { Failure { hint: "stagecoach rescue commit --edit".to_owned(), ..failure } } else { failure }
        }
        FinishError::Publish(PublishError::MergeChanged { .. }) => {
            Failure::new("merge_changed", "nothing was committed", why, "look at `git status`")
        }
        FinishError::Publish(PublishError::Git(error)) | FinishError::Git(error) => Failure::from(error).exit(RESCUE),
    }
}

fn forget(repository: &Repository, run: Option<&str>, all: bool) -> Result<(), Failure> {
    let records = rescues(repository)?;
    let dropped = if all { records } else { vec![pick(records, run)?] };
    let store = Store::new(repository);
    for record in &dropped {
        store.remove(record)?;
        to_stdout(&stripped(&format!("dropped {}\n", record.run)))?;
    }
    Ok(())
}

// ---- words

fn age(age: Duration) -> String {
    let seconds = age.as_secs();
    let (number, unit) = match seconds {
        0..60 => (seconds, "second"),
        60..3_600 => (seconds / 60, "minute"),
        3_600..86_400 => (seconds / 3_600, "hour"),
        _ => (seconds / 86_400, "day"),
    };
    format!("{} ago", count(usize::try_from(number).unwrap_or(usize::MAX), unit))
}

fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_told_in_their_largest_unit() {
        for (seconds, text) in [
            (0, "0 seconds ago"),
            (1, "1 second ago"),
            (119, "1 minute ago"),
            (7_200, "2 hours ago"),
            (86_400, "1 day ago"),
            (13 * 86_400 + 86_399, "13 days ago"),
        ] {
            assert_eq!(age(Duration::from_secs(seconds)), text);
        }
    }
}
