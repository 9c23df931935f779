//! A tree made of another tree and a few edits, in memory.
//!
//! Only the folders that an edit lies in are read and made anew. Files may become folders and the other way round, which
//! the library's own builder does not allow.

use std::collections::BTreeMap;

use bstr::{BStr, BString, ByteSlice};

use super::tree::{FOLDER, TreeEntry, order, push_entry};
use super::{FileMode, GitError, ObjectId, TreeEdit};

/// Where an edit reads trees from and puts new ones.
pub(super) trait TreeStore {
    /// The entries of a tree, none without one.
    fn entries(&mut self, tree: Option<ObjectId>) -> Result<Vec<TreeEntry>, GitError>;

    /// Names a new tree by its content, and keeps it for writing; children come before parents.
    fn add(&mut self, content: Vec<u8>) -> Result<ObjectId, GitError>;
}

/// The tree that results.
pub(super) fn edit(
    store: &mut impl TreeStore,
    base: Option<ObjectId>,
    edits: &[TreeEdit],
) -> Result<ObjectId, GitError> {
    let mut wanted = Wanted::default();
    for edit in edits {
        let names = edit.path.split_str("/").map(BStr::new);
        if names.clone().any(|name| name.is_empty() || name.contains(&0)) {
            return Err(GitError::InvalidEdit(edit.path.clone()));
        }
        wanted.add(names, edit);
    }
    match new_folder(store, base, &wanted)? {
        Some(tree) => Ok(tree),
        None => store.add(Vec::new()),
    }
}

/// The edits of one folder: of the files in it, and of the folders in it.
#[derive(Default)]
struct Wanted<'a> {
    files: BTreeMap<&'a BStr, &'a TreeEdit>,
    folders: BTreeMap<&'a BStr, Wanted<'a>>,
}

impl<'a> Wanted<'a> {
    fn add(&mut self, mut names: impl Iterator<Item = &'a BStr>, edit: &'a TreeEdit) {
        let mut folder = self;
        let mut last = names.next();
        while let Some(name) = last {
            last = names.next();
            if last.is_none() {
                folder.files.insert(name, edit);
                return;
            }
            folder = folder.folders.entry(name).or_default();
        }
    }

    fn puts_something(&self) -> bool {
        self.files.values().any(|edit| edit.entry.is_some()) || self.folders.values().any(Wanted::puts_something)
    }
}

/// The folder's new tree, or `None` when nothing is left in it.
fn new_folder(
    store: &mut impl TreeStore,
    base: Option<ObjectId>,
    wanted: &Wanted<'_>,
) -> Result<Option<ObjectId>, GitError> {
    let before = store.entries(base)?;
    let mut now: BTreeMap<BString, TreeEntry> = before.into_iter().map(|entry| (entry.name.clone(), entry)).collect();
    for (name, edit) in &wanted.files {
        if edit.entry.is_none() && now.get(*name).is_some_and(|entry| !entry.is_folder()) {
            now.remove(*name);
        }
    }
    for (name, inside) in &wanted.folders {
        let old = now.get(*name).filter(|entry| entry.is_folder()).map(|entry| entry.id);
        match new_folder(store, old, inside)? {
            Some(id) => put(&mut now, name, FOLDER, id),
            // Taking files from a folder that is not there leaves a file of its name alone.
            None if old.is_some() => drop(now.remove(*name)),
            None => {}
        }
    }
    for (name, edit) in &wanted.files {
        let Some((mode, id)) = edit.entry else { continue };
        if wanted.folders.get(name).is_some_and(Wanted::puts_something) {
            return Err(GitError::InvalidEdit(edit.path.clone()));
        }
        put(&mut now, name, FileMode::bits(mode), id);
    }
    if now.is_empty() { Ok(None) } else { store.add(content(now)).map(Some) }
}

fn put(now: &mut BTreeMap<BString, TreeEntry>, name: &BStr, mode: u32, id: ObjectId) {
    now.insert(name.to_owned(), TreeEntry { name: name.to_owned(), mode, id });
}

fn content(entries: BTreeMap<BString, TreeEntry>) -> Vec<u8> {
    let mut entries: Vec<TreeEntry> = entries.into_values().collect();
    entries.sort_by(|a, b| order((a.name.as_bstr(), a.is_folder()), (b.name.as_bstr(), b.is_folder())));
    let mut content = Vec::new();
    for entry in &entries {
        push_entry(&mut content, entry.mode, entry.name.as_bstr(), entry.id);
    }
    content
}
