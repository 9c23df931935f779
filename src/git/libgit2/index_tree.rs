//! One walk of the index beside a base tree: it yields the tree that the index stands for and everything that changed.
//!
//! Folders whose tree is known to the index's cached-tree extension and equal to the base's are skipped whole, so the
//! walk costs what changed and not what is there. The tree is what `git write-tree` would write; nothing is written
//! here.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::path::Path;

use bstr::{BStr, BString, ByteSlice};
use git2::Repository;
use gix_index::{Entry, State};

use super::super::backend::{IndexTree, PendingTree};
use super::super::index_file::{self, is_intent_to_add};
use super::super::tree::{self, TreeEntry, join, push_entry};
use super::super::{ChangedPath, FileMode, GitError, ObjectId, Side};
use super::entries;
use super::{exists, to_oid};

/// Computes the tree of an index file against a base tree. A missing file is an empty index, as for git.
pub(super) fn build(repository: &Repository, index: &Path, base: Option<ObjectId>) -> Result<IndexTree, GitError> {
    let file = index_file::read(index)?;
    index_file::refuse_unmerged(&file)?;
    let mut walk = Walk {
        repository,
        odb: repository.odb().map_err(GitError::library("opening the object database"))?,
        state: &file,
        pending: Vec::new(),
        changed: Vec::new(),
    };
    let tree = match walk.folder(file.entries(), 0, file.tree(), base)? {
        Some(tree) => tree,
        None => walk.store(Vec::new())?,
    };
    let tracks_attributes = file.path_backing().find(b".gitattributes").is_some();
    Ok(IndexTree { tree, pending: walk.pending, changed: walk.changed, tracks_attributes })
}

struct Walk<'a> {
    repository: &'a Repository,
    odb: git2::Odb<'a>,
    state: &'a State,
    pending: Vec<PendingTree>,
    changed: Vec<ChangedPath>,
}

/// What the index has next in a folder.
enum Next<'a> {
    File(&'a Entry, &'a BStr),
    Folder(&'a [Entry], &'a BStr),
}

impl Next<'_> {
    fn name(&self) -> &BStr {
        match self {
            Next::File(_, name) | Next::Folder(_, name) => name,
        }
    }

    const fn is_folder(&self) -> bool {
        matches!(self, Next::Folder(..))
    }
}

impl<'a> Walk<'a> {
    /// Walks the entries of one folder, whose paths share their first `depth` bytes. Returns the folder's tree, or
    /// `None` for a folder without content, which git does not record.
    fn folder(
        &mut self,
        entries: &'a [Entry],
        depth: usize,
        cache: Option<&'a gix_index::extension::Tree>,
        base: Option<ObjectId>,
    ) -> Result<Option<ObjectId>, GitError> {
        if let (Some(cache), Some(base)) = (cache, base)
            && cache.num_entries.is_some_and(|count| usize::try_from(count) == Ok(entries.len()))
            && cache.id.as_slice() == base.as_bytes()
        {
            return Ok(Some(base));
        }
        let caches: HashMap<&[u8], &gix_index::extension::Tree> = cache
            .map(|cache| cache.children.iter().map(|child| (child.name.as_slice(), child)).collect())
            .unwrap_or_default();
        let mut prefix: &BStr = b"".as_bstr();
        if let Some(first) = entries.first() {
            prefix = first.path(self.state).get(..depth).unwrap_or_default().as_bstr();
        }
        let mut before = entries::read(self.repository, base)?.into_iter().peekable();
        let mut content = Vec::new();
        let mut rest = entries;
        let mut last: Option<BString> = None;
        while let Some((next, remaining)) = self.next(rest, depth) {
            rest = remaining;
            if last.as_ref().is_some_and(|last| last.as_bstr() == next.name()) {
                return Err(self.invalid(prefix, next.name(), "appears twice, as a file and as a folder"));
            }
            last = Some(next.name().to_owned());
            while let Some(old) = before.next_if(|old| order(old, &next) == Ordering::Less) {
                self.removed(prefix, &old)?;
            }
            let old = before.next_if(|old| order(old, &next) == Ordering::Equal);
            match next {
                Next::File(entry, name) => self.file(entry, name, prefix, old, &mut content)?,
                Next::Folder(inside, name) => {
                    let old = old.map(|old| old.id);
                    let inner = depth + name.len() + 1;
                    match self.folder(inside, inner, caches.get(name.as_bytes()).copied(), old)? {
                        Some(id) => push_entry(&mut content, 0o040_000, name, id),
                        None => debug_assert!(inside.iter().all(is_intent_to_add)),
                    }
                }
            }
        }
        for old in before {
            self.removed(prefix, &old)?;
        }
        if content.is_empty() { Ok(None) } else { self.store(content).map(Some) }
    }

    /// Splits off the next file or folder of a folder's entries.
    fn next(&self, entries: &'a [Entry], depth: usize) -> Option<(Next<'a>, &'a [Entry])> {
        let (first, rest) = entries.split_first()?;
        let name = first.path(self.state).get(depth..).unwrap_or_default().as_bstr();
        let Some(slash) = name.find_byte(b'/') else { return Some((Next::File(first, name), rest)) };
        let name = name.get(..slash).unwrap_or_default().as_bstr();
        let with_slash = first.path(self.state).get(..=depth + slash).unwrap_or_default();
        let count = entries.partition_point(|entry| entry.path(self.state).starts_with(with_slash));
        let (inside, rest) = entries.split_at_checked(count)?;
        Some((Next::Folder(inside, name), rest))
    }

    fn file(
        &mut self,
        entry: &Entry,
        name: &BStr,
        prefix: &BStr,
        old: Option<TreeEntry>,
        content: &mut Vec<u8>,
    ) -> Result<(), GitError> {
        if is_intent_to_add(entry) {
            // `git add -N` stages no content: in a commit such a path is absent.
            return old.map_or(Ok(()), |old| self.removed(prefix, &old));
        }
        let mode = FileMode::from_bits(entry.mode.bits())
            .ok_or_else(|| self.invalid(prefix, name, "has a mode that no tree may hold"))?;
        let id = ObjectId::from_bytes(entry.id.as_slice()).map_err(|error| self.invalid(prefix, name, &error.0))?;
        push_entry(content, mode.bits(), name, id);
        let path = join(prefix, name);
        let old = old.and_then(|old| old.side(path.clone()));
        let new = Side { path, mode, id };
        if old.as_ref() == Some(&new) {
            return Ok(());
        }
        if id.is_null() || (mode != FileMode::Gitlink && !exists(&self.odb, to_oid(id)?)) {
            return Err(self.invalid(prefix, name, &format!("names the object {id}, which is not there")));
        }
        self.changed.push(ChangedPath { old, new: Some(new) });
        Ok(())
    }

    /// Records that a base entry, with all below it, is gone.
    fn removed(&mut self, prefix: &BStr, old: &TreeEntry) -> Result<(), GitError> {
        let changed = &mut self.changed;
        entries::each_below(self.repository, prefix, old, &mut |side| {
            changed.push(ChangedPath { old: Some(side), new: None });
        })
    }

    fn store(&mut self, content: Vec<u8>) -> Result<ObjectId, GitError> {
        entries::hash(&self.odb, content, &mut self.pending)
    }

    #[allow(clippy::unused_self)]
    fn invalid(&self, prefix: &BStr, name: &BStr, why: &str) -> GitError {
        GitError::InvalidIndex(format!("{} {why}", join(prefix, name)))
    }
}

fn order(old: &TreeEntry, next: &Next<'_>) -> Ordering {
    tree::order((old.name.as_bstr(), old.is_folder()), (next.name(), next.is_folder()))
}
