//! What a changed submodule brings, where its own repository is at hand.

use std::collections::HashMap;

use bstr::{BString, ByteSlice};
use git2::{Oid, RepositoryOpenFlags};

use super::libgit2::to_oid;
use super::{Change, ChangedFile, FileMode, ObjectId, Repository};

/// As many submodules are looked into.
const SUBMODULES: usize = 10;
/// As many commits of each are read to find the old one.
const COMMITS: usize = 100;
/// As many subjects of each are told.
const SUBJECTS: usize = 20;

impl Repository {
    /// The subjects of the commits that each changed submodule brings, by its path, newest first: first parents only, as
    /// `git diff --submodule=log` goes. Nothing is told of a submodule that is not checked out, goes back or sideways, or
    /// goes further than is read.
    #[must_use]
    pub fn submodule_log(&self, change: &Change) -> HashMap<BString, Vec<String>> {
        let moved = change.files().iter().filter_map(|file| Some((file.path().to_owned(), moved(file)?)));
        let log = |(path, (old, new)): (BString, (ObjectId, ObjectId))| {
            let folder = self.paths().work_tree.join(path.to_path().ok()?);
            let repository =
                git2::Repository::open_ext(folder, RepositoryOpenFlags::NO_SEARCH, [] as [&std::ffi::OsStr; 0]);
            // What cannot be read is not at hand; the change itself says both ids.
            Some((path, subjects(&repository.ok()?, to_oid(old).ok()?, to_oid(new).ok()?)?))
        };
        moved.take(SUBMODULES).filter_map(log).collect()
    }
}

/// The commits that a submodule had and has.
fn moved(file: &ChangedFile) -> Option<(ObjectId, ObjectId)> {
    let (old, new) = (file.old_side()?, file.new_side()?);
    (old.mode == FileMode::Gitlink && new.mode == FileMode::Gitlink && old.id != new.id).then_some((old.id, new.id))
}

fn subjects(repository: &git2::Repository, old: Oid, new: Oid) -> Option<Vec<String>> {
    let mut found = Vec::new();
    let mut next = new;
    for _ in 0..COMMITS {
        if next == old {
            return Some(found);
        }
        let commit = repository.find_commit(next).ok()?;
        if found.len() < SUBJECTS {
            let message = commit.message_bytes().to_str_lossy();
            found.push(message.trim_start().lines().next().unwrap_or_default().to_owned());
        }
        next = commit.parent_id(0).ok()?;
    }
    None
}
