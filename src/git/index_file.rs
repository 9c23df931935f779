//! Reading the index file.

use std::path::Path;

use bstr::BString;
use gix_index::State;
use gix_index::entry::{Flags, Stage};

use super::GitError;

/// Reads an index file without verifying its checksum, as git does. A missing file is an empty index. The shared part of a
/// split index is read from beside the file.
pub(super) fn read(path: &Path) -> Result<State, GitError> {
    let options = gix_index::decode::Options { thread_limit: Some(1), ..Default::default() };
    let file = gix_index::File::at_or_default(path, gix_index::hash::Kind::Sha1, true, options)
        .map_err(|error| GitError::InvalidIndex(format!("{} is not readable: {error}", path.display())))?;
    let state = State::from(file);
    if state.is_sparse() {
        return Err(GitError::Unsupported {
            what: "the repository has a sparse index, which is not supported yet".to_owned(),
            instead: "git sparse-checkout reapply --no-sparse-index".to_owned(),
        });
    }
    Ok(state)
}

/// Fails with the names of all paths that have conflicts.
pub(super) fn refuse_unmerged(state: &State) -> Result<(), GitError> {
    let mut paths: Vec<BString> = state
        .entries()
        .iter()
        .filter(|entry| entry.stage() != Stage::Unconflicted)
        .map(|entry| entry.path(state).to_owned())
        .collect();
    paths.dedup();
    if paths.is_empty() { Ok(()) } else { Err(GitError::Unmerged(paths)) }
}

/// Whether `git add -N` made the entry: it stages no content, so a commit does not see it.
pub(super) fn is_intent_to_add(entry: &gix_index::Entry) -> bool {
    entry.flags.contains(Flags::INTENT_TO_ADD)
}
