//! A change and its contents in memory, for tests of this module.

use std::collections::{BTreeMap, HashMap};
use std::sync::Mutex;

use bstr::BString;

use crate::git::{BlobError, Blobs, Change, ChangedFile, FileMode, GitError, ObjectId, Side, TreeEdit};

use super::{Ground, Objects, State};

/// Contents by id; equal contents have equal ids.
#[derive(Default)]
pub(super) struct Memory(Mutex<HashMap<ObjectId, Vec<u8>>>);

impl Blobs for Memory {
    fn size(&self, id: ObjectId) -> Result<u64, BlobError> {
        self.read(id).map(|content| content.len() as u64)
    }

    fn read(&self, id: ObjectId) -> Result<Vec<u8>, BlobError> {
        let found = self.0.lock().unwrap().get(&id).cloned();
        found.ok_or_else(|| BlobError { id, reason: "missing".to_owned() })
    }
}

impl Objects for Memory {
    fn keep(&self, content: &[u8]) -> Result<ObjectId, GitError> {
        let oid = git2::Oid::hash_object(git2::ObjectType::Blob, content).unwrap();
        let id = ObjectId::from_bytes(oid.as_bytes()).unwrap();
        self.0.lock().unwrap().insert(id, content.to_vec());
        Ok(id)
    }
}

/// A tree as its files.
pub(super) type Tree = BTreeMap<BString, (FileMode, ObjectId)>;

pub(super) fn tree(memory: &Memory, files: &[(&str, &str)]) -> Tree {
    let entry = |content: &str| (FileMode::Regular, memory.keep(content.as_bytes()).unwrap());
    files.iter().map(|(path, content)| (BString::from(*path), entry(content))).collect()
}

/// What separates two trees, with exact renames paired.
pub(super) fn difference(base: &Tree, start: &Tree) -> Change {
    let side = |path: &BString, entry: &(FileMode, ObjectId)| Side { path: path.clone(), mode: entry.0, id: entry.1 };
    let mut gone: Vec<Side> = Vec::new();
    let mut files = Vec::new();
    for (path, entry) in base {
        match start.get(path) {
            Some(new) => files.extend(ChangedFile::modified(side(path, entry), side(path, new))),
            None => gone.push(side(path, entry)),
        }
    }
    for (path, entry) in start.iter().filter(|(path, _)| !base.contains_key(*path)) {
        let new = side(path, entry);
        match gone.iter().position(|old| old.id == new.id && old.mode.same_type(new.mode)) {
            Some(at) => files.push(ChangedFile::renamed(gone.remove(at), new, 100)),
            None => files.push(ChangedFile::added(new)),
        }
    }
    files.extend(gone.into_iter().map(ChangedFile::deleted));
    Change::new(files)
}

pub(super) fn change(memory: &Memory, base: &[(&str, &str)], start: &[(&str, &str)]) -> Change {
    difference(&tree(memory, base), &tree(memory, start))
}

/// An id for a tree that is nowhere.
pub(super) fn tree_id(tree: &Tree) -> ObjectId {
    let oid = git2::Oid::hash_object(git2::ObjectType::Blob, format!("{tree:?}").as_bytes()).unwrap();
    ObjectId::from_bytes(oid.as_bytes()).unwrap()
}

pub(super) fn ground_of(base: &Tree, start: &Tree) -> Ground {
    Ground::new(Some(tree_id(base)), tree_id(start), difference(base, start))
}

pub(super) fn ground(memory: &Memory, base: &[(&str, &str)], start: &[(&str, &str)]) -> Ground {
    ground_of(&tree(memory, base), &tree(memory, start))
}

/// The tree that edits make of another, by the rules that git's index has.
pub(super) fn edited(base: &Tree, edits: &[TreeEdit]) -> Tree {
    let mut tree = base.clone();
    for edit in edits.iter().filter(|edit| edit.entry.is_none()) {
        tree.remove(&edit.path);
    }
    for edit in edits {
        let Some(entry) = edit.entry else { continue };
        let below = [edit.path.as_slice(), b"/"].concat();
        tree.retain(|path, _| !path.starts_with(&below) && !edit.path.starts_with(&[path.as_slice(), b"/"].concat()));
        tree.insert(edit.path.clone(), entry);
    }
    tree
}

/// The tree of a state.
pub(super) fn tree_of(ground: &Ground, base: &Tree, state: &State) -> Tree {
    edited(base, &ground.edits(state))
}

/// A tree as paths and texts.
pub(super) fn texts(memory: &Memory, tree: &Tree) -> BTreeMap<String, String> {
    let text = |id: ObjectId| String::from_utf8(memory.read(id).unwrap()).unwrap();
    tree.iter().map(|(path, (_, id))| (path.to_string(), text(*id))).collect()
}
