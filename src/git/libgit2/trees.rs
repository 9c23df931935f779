//! Trees compared and merged in memory, and refs that keep them.

use bstr::{BString, ByteSlice};
use git2::{DiffOptions, ErrorCode, Repository};

use super::super::{ChangedPath, FileMode, GitError, MergedTrees, ObjectId, Side};
use super::{from_oid, to_oid};

/// What separates two trees (`None`: the empty one), no renames.
pub(super) fn changes(
    repository: &Repository,
    old: Option<ObjectId>,
    new: Option<ObjectId>,
) -> Result<Vec<ChangedPath>, GitError> {
    let (old, new) = (find(repository, old)?, find(repository, new)?);
    let mut options = DiffOptions::new();
    options.include_typechange(true).ignore_submodules(false).skip_binary_check(true);
    let diff = repository
        .diff_tree_to_tree(old.as_ref(), new.as_ref(), Some(&mut options))
        .map_err(GitError::library("comparing trees"))?;
    diff.deltas()
        .map(|delta| Ok(ChangedPath { old: side(&delta.old_file())?, new: side(&delta.new_file())? }))
        .collect()
}

fn find(repository: &Repository, tree: Option<ObjectId>) -> Result<Option<git2::Tree<'_>>, GitError> {
    let find = |id| repository.find_tree(to_oid(id)?).map_err(|error| GitError::Object(id, error.message().to_owned()));
    tree.map(find).transpose()
}

fn side(file: &git2::DiffFile<'_>) -> Result<Option<Side>, GitError> {
    let Some(mode) = FileMode::from_bits(u32::from(file.mode())) else { return Ok(None) };
    let path = file.path_bytes().map(BString::from).unwrap_or_default();
    Ok(Some(Side { path, mode, id: from_oid(file.id())? }))
}

/// Merges two trees that come from a third (`None`: the empty one).
pub(super) fn merge(
    repository: &Repository,
    base: Option<ObjectId>,
    ours: ObjectId,
    theirs: ObjectId,
) -> Result<MergedTrees, GitError> {
    let merging = GitError::library("merging trees");
    let empty = || repository.treebuilder(None).and_then(|builder| builder.write()).map_err(&merging);
    let base = match base {
        Some(base) => base,
        None => from_oid(empty()?)?,
    };
    let tree = |id| repository.find_tree(to_oid(id)?).map_err(|error| GitError::Object(id, error.message().to_owned()));
    let mut index = repository.merge_trees(&tree(base)?, &tree(ours)?, &tree(theirs)?, None).map_err(&merging)?;
    if index.has_conflicts() {
        return conflicts(&index).map(MergedTrees::Conflicts);
    }
    from_oid(index.write_tree_to(repository).map_err(&merging)?).map(MergedTrees::Clean)
}

fn conflicts(index: &git2::Index) -> Result<Vec<BString>, GitError> {
    let merging = GitError::library("merging trees");
    let mut paths = Vec::new();
    for conflict in index.conflicts().map_err(&merging)? {
        let conflict = conflict.map_err(&merging)?;
        let entry = [conflict.our, conflict.their, conflict.ancestor].into_iter().flatten().next();
        paths.extend(entry.map(|entry| entry.path.as_bstr().to_owned()));
    }
    paths.sort();
    paths.dedup();
    Ok(paths)
}

/// A tree whose folders are other trees, so that one ref keeps them all.
pub(super) fn bundle(repository: &Repository, trees: &[ObjectId]) -> Result<ObjectId, GitError> {
    let keeping = GitError::library("keeping trees");
    let mut builder = repository.treebuilder(None).map_err(&keeping)?;
    for (number, tree) in trees.iter().enumerate() {
        builder.insert(number.to_string(), to_oid(*tree)?, 0o040_000).map_err(&keeping)?;
    }
    from_oid(builder.write().map_err(&keeping)?)
}

/// Points a ref at any object.
pub(super) fn keep(repository: &Repository, name: &str, object: ObjectId) -> Result<(), GitError> {
    repository.reference(name, to_oid(object)?, true, "").map(drop).map_err(GitError::library("keeping a tree"))
}

/// Removes a ref; one that is not there is fine.
pub(super) fn release(repository: &Repository, name: &str) -> Result<(), GitError> {
    match repository.find_reference(name).and_then(|mut reference| reference.delete()) {
        Err(error) if error.code() != ErrorCode::NotFound => Err(GitError::library("removing a ref")(error)),
        _ => Ok(()),
    }
}

/// The full names of all refs that begin with `prefix`.
pub(super) fn refs_below(repository: &Repository, prefix: &str) -> Result<Vec<String>, GitError> {
    let listing = GitError::library("listing refs");
    let mut references = repository.references_glob(&format!("{prefix}*")).map_err(&listing)?;
    references.names().map(|name| name.map(str::to_owned).map_err(&listing)).collect()
}
