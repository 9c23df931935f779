//! Carrying what `pre-commit` changed in one commit into the trees of the commits after it.

use bstr::BString;

use crate::git::{Change, MergedTrees, ObjectId, Repository, TreeEdit};

use super::HookError;

/// The later trees with a hook's change in them: taken over where a tree has the very same content, merged where it
/// differs, left out where a tree has no such file any more.
///
/// # Errors
/// A tree changes the same lines.
pub fn carry(
    repository: &Repository,
    before: ObjectId,
    after: ObjectId,
    later: &[ObjectId],
) -> Result<Vec<ObjectId>, HookError> {
    let by_hook = repository.compare(Some(before), Some(after))?;
    later.iter().map(|tree| into(repository, (before, after), &by_hook, *tree)).collect()
}

fn into(
    repository: &Repository,
    (before, after): (ObjectId, ObjectId),
    by_hook: &Change,
    tree: ObjectId,
) -> Result<ObjectId, HookError> {
    if tree == before {
        return Ok(after);
    }
    // A file that is gone by then stays gone, whatever the hook did to it.
    let removed: Vec<BString> = repository
        .compare(Some(before), Some(tree))?
        .files()
        .iter()
        .filter(|file| file.new_side().is_none_or(|new| file.old_side().is_some_and(|old| old.path != new.path)))
        .filter_map(|file| file.old_side().map(|old| old.path.clone()))
        .collect();
    let kept = |path: &BString| !removed.contains(path);
    let edits: Vec<TreeEdit> = by_hook
        .files()
        .iter()
        .flat_map(|file| {
            let (old, new) = (file.old_side(), file.new_side());
            let gone = old.filter(|old| new.is_none_or(|new| new.path != old.path));
            let gone = gone.map(|old| TreeEdit { path: old.path.clone(), entry: None });
            gone.into_iter().chain(new.map(|new| TreeEdit { path: new.path.clone(), entry: Some((new.mode, new.id)) }))
        })
        .filter(|edit| kept(&edit.path))
        .collect();
    let theirs = repository.freeze_edited(Some(before), &edits, Vec::new(), &Change::default())?;
    repository.store(&theirs)?;
    match repository.merge_trees(Some(before), tree, theirs.tree)? {
        MergedTrees::Clean(merged) => Ok(merged),
        MergedTrees::Conflicts(paths) => Err(HookError::Conflicts(paths)),
    }
}
