//! The entries of tree objects: read, put in git's order, written.

use std::cmp::Ordering;

use bstr::{BStr, BString, ByteSlice};
use git2::{ObjectType, OdbLookupFlags, Repository};

use super::super::backend::PendingTree;
use super::super::{FileMode, GitError, ObjectId, Side};
use super::{from_oid, to_oid};

/// The mode of a folder in its parent.
pub(super) const FOLDER: u32 = 0o040_000;

/// One entry of a tree, owned so that a walk can recurse.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct BaseEntry {
    pub(super) name: BString,
    pub(super) mode: u32,
    pub(super) id: ObjectId,
}

impl BaseEntry {
    pub(super) const fn is_folder(&self) -> bool {
        self.mode == FOLDER
    }

    /// The entry as one side of a changed file; a folder is none.
    pub(super) fn side(&self, path: BString) -> Option<Side> {
        FileMode::from_bits(self.mode).map(|mode| Side { path, mode, id: self.id })
    }
}

/// The entries of a tree, none without one.
pub(super) fn read(repository: &Repository, tree: Option<ObjectId>) -> Result<Vec<BaseEntry>, GitError> {
    let Some(id) = tree else { return Ok(Vec::new()) };
    let tree = repository.find_tree(to_oid(id)?).map_err(|error| GitError::Object(id, error.message().to_owned()))?;
    tree.iter()
        .map(|entry| {
            let mode = u32::try_from(entry.filemode_raw()).unwrap_or_default();
            Ok(BaseEntry { name: entry.name_bytes().into(), mode, id: from_oid(entry.id())? })
        })
        .collect()
}

/// Tells of every file at or below an entry; `prefix` is the path of its folder, with the slash at its end.
pub(super) fn each_below(
    repository: &Repository,
    prefix: &BStr,
    entry: &BaseEntry,
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

/// git's order of tree entries: by bytes, a folder as if its name ended in a slash.
pub(super) fn order(one: (&BStr, bool), other: (&BStr, bool)) -> Ordering {
    bytes(one).cmp(bytes(other))
}

fn bytes((name, is_folder): (&BStr, bool)) -> impl Iterator<Item = &u8> {
    name.iter().chain(is_folder.then_some(&b'/'))
}

/// Adds an entry to the content of a tree object.
pub(super) fn push_entry(content: &mut Vec<u8>, mode: u32, name: &BStr, id: ObjectId) {
    content.extend_from_slice(format!("{mode:o} ").as_bytes());
    content.extend_from_slice(name);
    content.push(0);
    content.extend_from_slice(id.as_bytes());
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

/// A name in a folder whose path ends in a slash or is empty.
pub(super) fn join(prefix: &BStr, name: &BStr) -> BString {
    let mut path = BString::from(prefix.as_bytes());
    path.extend_from_slice(name);
    path
}

/// The path of a folder as a prefix of what lies in it.
pub(super) fn folder(mut path: BString) -> BString {
    path.push(b'/');
    path
}
