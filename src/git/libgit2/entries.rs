//! Tree objects in-process: read, hashed, written.

use bstr::{BStr, ByteSlice};
use git2::{ObjectType, OdbLookupFlags, Repository};

use super::super::backend::PendingTree;
use super::super::tree::{TreeEntry, folder, join};
use super::super::tree_edit::TreeStore;
use super::super::{GitError, ObjectId, Side};
use super::{from_oid, to_oid};

/// The entries of a tree, none without one.
pub(super) fn read(repository: &Repository, tree: Option<ObjectId>) -> Result<Vec<TreeEntry>, GitError> {
    let Some(id) = tree else { return Ok(Vec::new()) };
    let tree = repository.find_tree(to_oid(id)?).map_err(|error| GitError::Object(id, error.message().to_owned()))?;
    tree.iter()
        .map(|entry| {
            let mode = u32::try_from(entry.filemode_raw()).unwrap_or_default();
            Ok(TreeEntry { name: entry.name_bytes().into(), mode, id: from_oid(entry.id())? })
        })
        .collect()
}

/// Tells of every file at or below an entry; `prefix` is the path of its folder, with the slash at its end.
pub(super) fn each_below(
    repository: &Repository,
    prefix: &BStr,
    entry: &TreeEntry,
    tell: &mut dyn FnMut(Side),
) -> Result<(), GitError> {
    let path = join(prefix, entry.name.as_bstr());
    if !entry.is_folder() {
        entry.side(path).into_iter().for_each(tell);
        return Ok(());
    }
    let inside = folder(path);
    read(repository, Some(entry.id))?.iter().try_for_each(|entry| each_below(repository, inside.as_bstr(), entry, tell))
}

/// Names a tree by its content, and keeps it for writing when the database does not have it.
pub(super) fn hash(
    odb: &git2::Odb<'_>,
    content: Vec<u8>,
    pending: &mut Vec<PendingTree>,
) -> Result<ObjectId, GitError> {
    let oid = git2::Oid::hash_object(ObjectType::Tree, &content).map_err(GitError::library("hashing a tree"))?;
    let id = from_oid(oid)?;
    if !odb.exists_ext(oid, OdbLookupFlags::NO_REFRESH) {
        pending.push(PendingTree { id, content });
    }
    Ok(id)
}

/// What an edit of trees reads, and what it makes.
pub(super) struct Trees<'r> {
    repository: &'r Repository,
    odb: git2::Odb<'r>,
    pub(super) pending: Vec<PendingTree>,
}

impl<'r> Trees<'r> {
    pub(super) fn of(repository: &'r Repository) -> Result<Self, GitError> {
        let odb = repository.odb().map_err(GitError::library("opening the object database"))?;
        Ok(Self { repository, odb, pending: Vec::new() })
    }
}

impl TreeStore for Trees<'_> {
    fn entries(&mut self, tree: Option<ObjectId>) -> Result<Vec<TreeEntry>, GitError> {
        read(self.repository, tree)
    }

    fn add(&mut self, content: Vec<u8>) -> Result<ObjectId, GitError> {
        hash(&self.odb, content, &mut self.pending)
    }
}
