//! Which scopes history used for the files that a change touches.

use std::collections::{BTreeMap, BTreeSet};

use bstr::{BStr, ByteSlice};

use crate::git::{Change, GitError, LogEntry, Repository};
use crate::prompt::Conventional;

/// More folders than this say nothing about a scope.
const MOST_FOLDERS: usize = 16;
/// More scopes than this are no hint.
const MOST_SCOPES: usize = 5;

/// The scopes of those commits in `history` that touched the folders of this change (for files at the top: the files
/// themselves), the most used first. Costs nothing where no subject has a scope.
///
/// # Errors
/// A commit cannot be read.
pub fn scopes(repository: &Repository, change: &Change, history: &[LogEntry]) -> Result<Vec<String>, GitError> {
    let folders: BTreeSet<&BStr> = change.files().iter().map(|file| folder_or_file(file.path())).collect();
    if folders.len() > MOST_FOLDERS {
        return Ok(Vec::new());
    }
    let folders: Vec<&BStr> = folders.into_iter().collect();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for entry in history.iter().filter(|entry| entry.parents < 2) {
        let subject = entry.message.lines().next().unwrap_or_default();
        let Some(scope) = Conventional::parse(subject).and_then(|subject| subject.scope) else { continue };
        if repository.touches(entry.id, &folders)? {
            *counts.entry(scope).or_default() += 1;
        }
    }
    let mut scopes: Vec<(&str, usize)> = counts.into_iter().collect();
    scopes.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    Ok(scopes.into_iter().take(MOST_SCOPES).map(|(scope, _)| scope.to_owned()).collect())
}

fn folder_or_file(path: &BStr) -> &BStr {
    path.rfind_byte(b'/').and_then(|slash| path.get(..slash)).map_or(path, ByteSlice::as_bstr)
}
