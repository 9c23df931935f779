//! Reading the index file.

use std::path::Path;

use bstr::BString;
use gix_index::State;
use gix_index::entry::{Flags, Stage};

use super::backend::IndexEntries;
use super::{GitError, ObjectId};

/// Reads an index file without verifying its checksum, as git does. A missing file is an empty index. The shared part of a
/// split index is read from beside the file.
pub(super) fn read(path: &Path) -> Result<State, GitError> {
    let state = State::from(decode(path)?);
    if state.is_sparse() {
        return Err(GitError::Unsupported {
            // Where sparse checkout is on, the git program is chosen when the repository is opened.
            what: "the index is sparse, but core.sparseCheckout is off".to_owned(),
            instead: "git sparse-checkout disable".to_owned(),
        });
    }
    Ok(state)
}

fn decode(path: &Path) -> Result<gix_index::File, GitError> {
    let options = gix_index::decode::Options { thread_limit: Some(1), ..Default::default() };
    gix_index::File::at_or_default(path, gix_index::hash::Kind::Sha1, true, options)
        .map_err(|error| GitError::InvalidIndex(format!("{} is not readable: {error}", path.display())))
}

/// Whether the index in a git folder has, or lately had, a shared part.
pub(super) fn is_split(git_dir: &Path) -> bool {
    let is_shared = |entry: std::fs::DirEntry| entry.file_name().as_encoded_bytes().starts_with(b"sharedindex.");
    std::fs::read_dir(git_dir).into_iter().flatten().flatten().any(is_shared)
}

/// Whether an index has whole folders for entries. One that cannot be read is not sparse, and told of by who needs it.
pub(super) fn is_sparse(path: &Path) -> bool {
    decode(path).is_ok_and(|file| file.is_sparse())
}

/// What an index file holds of each path.
pub(super) fn entries(path: &Path) -> Result<IndexEntries, GitError> {
    let state = read(path)?;
    let of = |entry: &gix_index::Entry| {
        let id = ObjectId::from_bytes(entry.id.as_slice()).ok()?;
        let mode = if entry.stage() == Stage::Unconflicted { entry.mode.bits() } else { 0 };
        (!is_intent_to_add(entry)).then(|| (entry.path(&state).to_owned(), (mode, id)))
    };
    Ok(state.entries().iter().filter_map(of).collect())
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
