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
        .filter_map(|file| file.gone().map(|old| old.path.clone()))
        .collect();
    let kept = |path: &BString| !removed.contains(path);
    let edits: Vec<TreeEdit> = by_hook
        .files()
        .iter()
        .flat_map(|file| {
            let gone = file.gone().map(|old| TreeEdit { path: old.path.clone(), entry: None });
            gone.into_iter()
                .chain(file.new_side().map(|new| TreeEdit { path: new.path.clone(), entry: Some((new.mode, new.id)) }))
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
