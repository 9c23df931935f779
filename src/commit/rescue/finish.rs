//! `stagecoach rescue commit`: publishing what an earlier run froze, by the rules of any other run.

use bstr::BString;

use crate::git::{Change, GitError, Head, HeadMoved, MergedTrees, ObjectId, Operation, Repository};
use crate::message::Message;

use super::super::publish::merge_heads;
use super::super::{
    About, Aftermath, Editor, HookError, Journal, Making, Planned, PublishError, Record, Step, Unworded, Wording,
    make_step,
};
use super::Standing;

/// A commit that was made.
#[derive(Debug)]
pub struct LandedStep<'a> {
    /// Its id.
    pub id: ObjectId,
    /// HEAD before it.
    pub head: &'a Head,
    /// Its whole message.
    pub message: &'a str,
    /// What it changes.
    pub change: &'a Change,
}

/// What came of it.
#[derive(Debug, Default)]
pub struct Finished {
    /// How many commits were made.
    pub made: usize,
    /// How many change nothing on top of the new HEAD, and were left out.
    pub needless: usize,
    /// Somebody committed the very same tree already; the record is gone.
    pub same_tree: bool,
    /// What went wrong after a commit was made; it stands all the same.
    pub afterwards: Vec<Aftermath>,
}

/// Not everything was committed; the record stays.
#[derive(Debug, thiserror::Error)]
pub enum FinishError {
    /// HEAD is not where the next commit belongs.
    #[error("it belongs onto {}, and HEAD is {}", .0.frozen, .0.found)]
    Moved(Box<HeadMoved>),
    /// Both changed these paths differently.
    #[error("{} path(s) conflict with HEAD", .0.len())]
    Conflicts(Vec<BString>),
    /// The commit at this position has no message.
    #[error("commit {} has no message", .0 + 1)]
    NoMessage(usize),
    /// One message cannot be that of several commits.
    #[error("{0} commits are left")]
    Several(usize),
    /// Another merge is in progress than the commit was to conclude, if it was to conclude one.
    #[error("the merge in progress is not the recorded one")]
    MergeChanged,
    /// The first commit concludes a merge, and none waits for it.
    #[error("the merge that it concludes is not in progress any more")]
    MergeGone,
    /// A hook stopped it.
    #[error(transparent)]
    Hook(#[from] HookError),
    /// The message did not come through its hooks or the editor.
    #[error(transparent)]
    Word(#[from] Unworded),
    /// As for any other commit.
    #[error(transparent)]
    Publish(#[from] PublishError),
    /// The repository cannot be read or written.
    #[error(transparent)]
    Git(#[from] GitError),
}

/// How to finish.
pub struct Wishes<'a> {
    /// Another message for the one commit that is left.
    pub message: Option<&'a str>,
    /// The editor that each message goes through.
    pub editor: Option<&'a Editor>,
    /// Whether a moved HEAD gets the change merged on top.
    pub onto_head: bool,
    /// Who commits, and what runs around it.
    pub making: Making<'a>,
}

/// Publishes what is left of a record; `landed` is told of each commit.
///
/// # Errors
/// What stopped it; commits made before it stand.
pub fn finish(
    repository: &Repository,
    mut record: Record,
    wishes: &Wishes<'_>,
    landed: &mut dyn FnMut(&LandedStep<'_>),
) -> Result<Finished, FinishError> {
    let mut finished = Finished::default();
    let operation = repository.operation()?;
    let next = match record.standing(repository)? {
        Standing::Waiting(next) => {
            if record.was_killed() {
                bring_index_up(repository, &record, next)?;
            }
            next
        }
        Standing::Landed { .. } => {
            bring_index_up(repository, &record, record.steps.len())?;
            finished.afterwards.extend(Journal::resume(repository, record).finish().map(Aftermath::from));
            return Ok(finished);
        }
        Standing::Moved { same_tree: true, .. } => {
            finished.same_tree = true;
            finished.afterwards.extend(Journal::resume(repository, record).discard().map(Aftermath::from));
            return Ok(finished);
        }
        Standing::Moved { next, found, .. } => {
            if !wishes.onto_head {
                let frozen = Head { commit: record.parent_of(next), ..record.head() };
                return Err(FinishError::Moved(Box::new(HeadMoved { frozen, found })));
            }
            finished.needless = rebase(repository, &mut record, next, &found)?;
            0
        }
    };
    if merge_heads(&operation) != record.parents_of(next).get(1..).unwrap_or_default() {
        let waits = matches!(operation, Operation::Merge(_));
        return Err(if waits { FinishError::MergeChanged } else { FinishError::MergeGone });
    }
    choose_messages(&mut record, next, wishes)?;
    let mut journal = Journal::resume(repository, record);
    for step in next..journal.record().steps.len() {
        // What is in progress is concluded by the first commit.
        let operation = if step == next { &operation } else { &Operation::None };
        match publish_step(&mut journal, step, operation, wishes, landed) {
            Ok(Some(afterwards)) => {
                finished.made += 1;
                finished.afterwards.extend(afterwards);
            }
            Ok(None) => finished.needless += 1,
            Err(error) => {
                if let FinishError::Word(Unworded { message: Some(message), .. }) = &error {
                    journal.set_message(step, message.as_str());
                }
                drop(journal.leave(step));
                return Err(error);
            }
        }
    }
    let unnoted = if finished.made == 0 { journal.discard() } else { journal.finish() };
    finished.afterwards.extend(unnoted.map(Aftermath::from));
    Ok(finished)
}

/// Makes one commit; `None` where a hook has put its change into an earlier one.
fn publish_step(
    journal: &mut Journal<'_>,
    step: usize,
    operation: &Operation,
    wishes: &Wishes<'_>,
    landed: &mut dyn FnMut(&LandedStep<'_>),
) -> Result<Option<Vec<Aftermath>>, FinishError> {
    let repository = journal.repository();
    let record = journal.record();
    let head = Head { commit: record.parent_of(step), ..record.head() };
    let Some(Step { tree, message, .. }) = record.steps.get(step).cloned() else {
        return Err(FinishError::NoMessage(step));
    };
    let base = repository.tree_at(head.commit)?;
    let frozen = repository.freeze_tree(base, tree)?;
    let message = message.and_then(|message| Message::new(&message).ok());
    if message.is_none() && wishes.editor.is_none() {
        return Err(FinishError::NoMessage(step));
    }
    let planned = Planned { number: step, head: &head, frozen: &frozen, operation, staged: None };
    let Making { hooks, cancel, .. } = wishes.making;
    let made = make_step::<FinishError>(journal, &planned, &wishes.making, |subject| {
        let (index, author) = (subject.index, subject.author);
        let merges = matches!(operation, Operation::Merge(_));
        let about = About { head: &head, change: subject.change, merges };
        let editor = wishes.editor.map(|editor| (editor, &about));
        let wording = Wording { index, author, editor, aside: false, merges, dry: false, cancel };
        Ok(hooks.word(message.as_ref(), &wording)?)
    })?;
    let Some(made) = made else { return Ok(None) };
    let change = made.restaged.as_ref().map_or(&frozen.change, |restaged| &restaged.change);
    landed(&LandedStep { id: made.published.id, head: &head, message: made.message.as_str(), change });
    Ok(Some(made.published.afterwards))
}

/// Every commit that is left must have a message, unless it goes through the editor; a plan's title is one.
fn choose_messages(record: &mut Record, next: usize, wishes: &Wishes<'_>) -> Result<(), FinishError> {
    let given = wishes.message;
    let left = record.steps.len().saturating_sub(next);
    if given.is_some() && left > 1 {
        return Err(FinishError::Several(left));
    }
    for (number, step) in record.steps.iter_mut().enumerate().skip(next) {
        let title = step.title.as_ref().map(|title| format!("{title}\n"));
        let message = given.map(str::to_owned).or_else(|| step.message.take()).or(title);
        if message.is_none() && wishes.editor.is_none() {
            return Err(FinishError::NoMessage(number));
        }
        step.message = message;
    }
    Ok(())
}

/// Puts the commits that are left on top of a HEAD that moved, by merging trees. Returns how many of them change nothing
/// there.
fn rebase(repository: &Repository, record: &mut Record, next: usize, found: &Head) -> Result<usize, FinishError> {
    if record.parents_of(next).len() > 1 {
        return Err(FinishError::MergeGone);
    }
    let mut before = record.tree_before(next, repository)?;
    // Onto a branch without a commit come the changes, too, and not what they were made to.
    let mut top = repository.tree_at(found.commit)?.map_or_else(|| repository.empty_tree(), Ok)?;
    let mut steps = Vec::new();
    let left = record.steps.split_off(next);
    let count = left.len();
    for step in left {
        let tree = match repository.merge_trees(before, top, step.tree)? {
            MergedTrees::Clean(tree) => tree,
            MergedTrees::Conflicts(paths) => return Err(FinishError::Conflicts(paths)),
        };
        before = Some(step.tree);
        if top != tree {
            top = tree;
            steps.push(Step { tree, commit: None, ..step });
        }
    }
    let needless = count - steps.len();
    record.move_to(found, steps);
    Ok(needless)
}

/// After a kill between the move of the branch and that of the index, which would then stage the reverse of the last
/// commit. Returns whether it was so.
///
/// # Errors
/// The index cannot be read or is locked.
pub(super) fn bring_index_up(repository: &Repository, record: &Record, landed: usize) -> Result<bool, GitError> {
    let Some(change) = record.last_landed(repository, landed)? else { return Ok(false) };
    let update = repository.prepare_index_along(&[&change], None)?;
    let lagged = update.is_some();
    update.map_or(Ok(()), crate::git::IndexUpdate::publish)?;
    Ok(lagged)
}
