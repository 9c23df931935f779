//! One commit of several with everything around it: `pre-commit`, its words, the commit.

use std::path::Path;

use crate::git::{Change, Frozen, GitError, Head, Ident, Operation, Repository, StagedTree};
use crate::message::Message;

use super::publish::{Part, publish_step};
use super::{HookError, Journal, Making, PublishError, Published, carry};

/// A commit to be made as a step of a journal.
#[derive(Clone, Copy)]
pub struct Planned<'a> {
    /// Its place in the journal.
    pub number: usize,
    /// Where the commit before it has left HEAD.
    pub head: &'a Head,
    /// Its tree as planned, stored; the journal knows what hooks have made of it meanwhile.
    pub frozen: &'a Frozen,
    /// What it concludes.
    pub operation: &'a Operation,
    /// The frozen working tree that it comes from, where it does.
    pub staged: Option<StagedTree<'a>>,
}

/// What the words of a commit are chosen for.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    /// The index that hooks see.
    pub index: &'a Path,
    /// Who writes it.
    pub author: &'a Ident,
    /// What it changes.
    pub change: &'a Change,
}

/// A commit that was made.
#[derive(Debug)]
pub struct Made {
    /// Its id, and what went wrong afterwards.
    pub published: Published,
    /// What hooks made of it, where that is not what was planned.
    pub restaged: Option<Frozen>,
    /// Its message.
    pub message: Message,
}

/// Makes one commit: runs `pre-commit`, carries what that changed into the later commits of the journal, has the message
/// worded and publishes. `None`: an earlier commit has everything of it already, because a hook staged it there.
///
/// # Errors
/// Nothing was published; the journal says how far it came.
pub fn make_step<E>(
    journal: &mut Journal<'_>,
    planned: &Planned<'_>,
    making: &Making<'_>,
    word: impl FnOnce(&Subject<'_>) -> Result<Message, E>,
) -> Result<Option<Made>, E>
where
    E: From<HookError> + From<PublishError>,
{
    let repository = journal.repository();
    let author = making.identities.now().0;
    let mut restaged = restaged(repository, journal, planned).map_err(HookError::from)?;
    if restaged.as_ref().is_some_and(|frozen| frozen.change.is_empty()) {
        journal.skip(planned.number);
        return Ok(None);
    }
    let frozen = restaged.as_ref().unwrap_or(planned.frozen);
    let view = making.hooks.view(frozen, None)?;
    let mut by_hook = None;
    if let Some(ready) = making.hooks.pre_commit(&view.path(), &author, making.edits).map_err(HookError::from)? {
        ready.run(making.cancel)?;
        let base = repository.tree_at(planned.head.commit).map_err(HookError::from)?;
        let merges = matches!(planned.operation, Operation::Merge(_));
        if let Some(staged) = making.hooks.staged(&view, base, frozen, merges)? {
            carry_on(repository, journal, planned.number, (frozen, &staged.frozen))?;
            by_hook = Some(staged.by_hook);
            restaged = Some(staged.frozen);
        }
    }
    let frozen = restaged.as_ref().unwrap_or(planned.frozen);
    let message = word(&Subject { index: &view.path(), author: &author, change: &frozen.change })?;
    drop(view);
    let Planned { number, head, operation, .. } = *planned;
    // A hook may have written files as well.
    let staged = planned.staged.filter(|_| restaged.is_none());
    let (by_hook, author, text) = (by_hook.as_ref(), &author, message.as_str());
    let part = Part { number, head, frozen, staged, by_hook, operation, author, message: text };
    let published = publish_step(journal, &part, making)?;
    Ok(Some(Made { published, restaged, message }))
}

/// The tree that hooks of earlier commits made of a planned one; `None`: they changed nothing.
fn restaged(repository: &Repository, journal: &Journal<'_>, planned: &Planned<'_>) -> Result<Option<Frozen>, GitError> {
    if !journal.is_restaged() {
        return Ok(None);
    }
    let tree = journal.record().steps.get(planned.number).map_or(planned.frozen.tree, |step| step.tree);
    repository.freeze_tree(repository.tree_at(planned.head.commit)?, tree).map(Some)
}

fn carry_on(
    repository: &Repository,
    journal: &mut Journal<'_>,
    number: usize,
    (before, after): (&Frozen, &Frozen),
) -> Result<(), HookError> {
    let later: Vec<_> = journal.record().steps.iter().skip(number + 1).map(|step| step.tree).collect();
    let mut trees = vec![after.tree];
    trees.extend(carry(repository, before.tree, after.tree, &later)?);
    journal.set_trees(number, &trees);
    Ok(())
}
