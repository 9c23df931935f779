//! One walk of two trees side by side, in which folders that are equal cost nothing.

use std::cmp::Ordering;

use bstr::{BStr, ByteSlice};
use git2::Repository;

use super::super::tree::{self, TreeEntry, folder, join};
use super::super::{ChangedPath, GitError, ObjectId};
use super::entries::{self, each_below};

/// Every path that differs between two trees, in the order of trees; renames are not looked for.
pub(super) fn diff(
    repository: &Repository,
    old: Option<ObjectId>,
    new: Option<ObjectId>,
) -> Result<Vec<ChangedPath>, GitError> {
    let mut walk = Walk { repository, changed: Vec::new() };
    walk.folder(b"".as_bstr(), old, new)?;
    Ok(walk.changed)
}

struct Walk<'a> {
    repository: &'a Repository,
    changed: Vec<ChangedPath>,
}

impl Walk<'_> {
    fn folder(&mut self, prefix: &BStr, old: Option<ObjectId>, new: Option<ObjectId>) -> Result<(), GitError> {
        if old == new {
            return Ok(());
        }
        let mut before = entries::read(self.repository, old)?.into_iter().peekable();
        for after in entries::read(self.repository, new)? {
            while let Some(gone) = before.next_if(|entry| order(entry, &after) == Ordering::Less) {
                self.removed(prefix, &gone)?;
            }
            match before.next_if(|entry| order(entry, &after) == Ordering::Equal) {
                Some(same) if same.is_folder() => {
                    let inside = folder(join(prefix, after.name.as_bstr()));
                    self.folder(inside.as_bstr(), Some(same.id), Some(after.id))?;
                }
                Some(same) => self.file(prefix, &same, &after),
                None => self.added(prefix, &after)?,
            }
        }
        before.try_for_each(|gone| self.removed(prefix, &gone))
    }

    fn file(&mut self, prefix: &BStr, before: &TreeEntry, after: &TreeEntry) {
        let path = join(prefix, after.name.as_bstr());
        let (old, new) = (before.side(path.clone()), after.side(path));
        if old != new {
            self.changed.push(ChangedPath { old, new });
        }
    }

    fn removed(&mut self, prefix: &BStr, entry: &TreeEntry) -> Result<(), GitError> {
        let changed = &mut self.changed;
        each_below(self.repository, prefix, entry, &mut |side| changed.push(ChangedPath { old: Some(side), new: None }))
    }

    fn added(&mut self, prefix: &BStr, entry: &TreeEntry) -> Result<(), GitError> {
        let changed = &mut self.changed;
        each_below(self.repository, prefix, entry, &mut |side| changed.push(ChangedPath { old: None, new: Some(side) }))
    }
}

fn order(one: &TreeEntry, other: &TreeEntry) -> Ordering {
    tree::order((one.name.as_bstr(), one.is_folder()), (other.name.as_bstr(), other.is_folder()))
}
