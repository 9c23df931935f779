//! A tree made of another tree and a few edits, in memory.
//!
//! Only the folders that an edit lies in are read and made anew. Files may become folders and the other way round, which
//! the library's own builder does not allow.

use std::collections::BTreeMap;

use bstr::{BStr, BString, ByteSlice};
use git2::Repository;

use super::super::backend::PendingTree;
use super::super::{FileMode, GitError, ObjectId, TreeEdit};
use super::entries::{self, BaseEntry, FOLDER, push_entry};

/// The tree that results, and its objects that are not in the database yet, children before parents.
pub(super) fn edit(
    repository: &Repository,
    base: Option<ObjectId>,
    edits: &[TreeEdit],
) -> Result<(ObjectId, Vec<PendingTree>), GitError> {
    let mut wanted = Wanted::default();
    for edit in edits {
        let names = edit.path.split_str("/").map(BStr::new);
        if names.clone().any(|name| name.is_empty() || name.contains(&0)) {
            return Err(GitError::InvalidEdit(edit.path.clone()));
        }
        wanted.add(names, edit);
    }
    let odb = repository.odb().map_err(GitError::library("opening the object database"))?;
    let mut editor = Editor { repository, odb, pending: Vec::new() };
    let tree = match editor.folder(base, &wanted)? {
        Some(tree) => tree,
        None => editor.store(Vec::new())?,
    };
    Ok((tree, editor.pending))
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

struct Editor<'r> {
    repository: &'r Repository,
    odb: git2::Odb<'r>,
    pending: Vec<PendingTree>,
}

impl Editor<'_> {
    /// The folder's new tree, or `None` when nothing is left in it.
    fn folder(&mut self, base: Option<ObjectId>, wanted: &Wanted<'_>) -> Result<Option<ObjectId>, GitError> {
        let before = entries::read(self.repository, base)?;
        let mut now: BTreeMap<BString, BaseEntry> =
            before.into_iter().map(|entry| (entry.name.clone(), entry)).collect();
        for (name, edit) in &wanted.files {
            if edit.entry.is_none() && now.get(*name).is_some_and(|entry| !entry.is_folder()) {
                now.remove(*name);
            }
        }
        for (name, inside) in &wanted.folders {
            let old = now.get(*name).filter(|entry| entry.is_folder()).map(|entry| entry.id);
            match self.folder(old, inside)? {
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
        if now.is_empty() { Ok(None) } else { self.store(content(now)).map(Some) }
    }

    fn store(&mut self, content: Vec<u8>) -> Result<ObjectId, GitError> {
        entries::hash(&self.odb, content, &mut self.pending)
    }
}

fn put(now: &mut BTreeMap<BString, BaseEntry>, name: &BStr, mode: u32, id: ObjectId) {
    now.insert(name.to_owned(), BaseEntry { name: name.to_owned(), mode, id });
}

fn content(entries: BTreeMap<BString, BaseEntry>) -> Vec<u8> {
    let mut entries: Vec<BaseEntry> = entries.into_values().collect();
    entries.sort_by(|a, b| entries::order((a.name.as_bstr(), a.is_folder()), (b.name.as_bstr(), b.is_folder())));
    let mut content = Vec::new();
    for entry in &entries {
        push_entry(&mut content, entry.mode, entry.name.as_bstr(), entry.id);
    }
    content
}
