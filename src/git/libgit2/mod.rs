//! The repository in-process, through libgit2.

mod diff;
mod entries;
mod index_tree;
mod recent;
mod refs;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tree_tests;
mod trees;

use std::cell::RefCell;
use std::path::Path;

use bstr::{BStr, ByteSlice};
use git2::{AttrCheckFlags, AttrValue, ObjectType, OdbLookupFlags};

use self::recent::Recent;
use super::backend::{Backend, IndexEntries, IndexTree, PendingTree};
use super::config::{ConfigEntry, normalize_key};
use super::{
    Attributes, BlobError, Blobs, ChangedPath, Config, GitError, Head, LogEntry, MergedTrees, ObjectId, Reflog,
    TreeEdit, index_file, tree_edit,
};

/// An open repository and its object database.
pub(crate) struct Libgit2 {
    repository: git2::Repository,
    recent: RefCell<Recent>,
}

impl Libgit2 {
    pub(crate) fn new(repository: git2::Repository) -> Self {
        Self { repository, recent: RefCell::default() }
    }

    fn odb(&self) -> Result<git2::Odb<'_>, GitError> {
        self.repository.odb().map_err(GitError::library("opening the object database"))
    }

    fn commit(&self, id: ObjectId) -> Result<git2::Commit<'_>, GitError> {
        self.repository.find_commit(to_oid(id)?).map_err(|error| GitError::Object(id, error.message().to_owned()))
    }

    fn write(&self, kind: ObjectType, content: &[u8]) -> Result<ObjectId, GitError> {
        let written = self.odb()?.write(kind, content).map_err(GitError::library("writing an object"))?;
        from_oid(written)
    }
}

/// Our id as libgit2's.
pub(super) fn to_oid(id: ObjectId) -> Result<git2::Oid, GitError> {
    git2::Oid::from_bytes(id.as_bytes()).map_err(GitError::library("reading an object id"))
}

/// libgit2's id as ours.
pub(super) fn from_oid(oid: git2::Oid) -> Result<ObjectId, GitError> {
    ObjectId::from_bytes(oid.as_bytes())
        .map_err(|error| GitError::Library { doing: "reading an object id", text: error.to_string() })
}

impl Blobs for Libgit2 {
    fn size(&self, id: ObjectId) -> Result<u64, BlobError> {
        if let Some(content) = self.recent.borrow().get(id) {
            return Ok(content.len() as u64);
        }
        let unreadable = |reason: String| BlobError { id, reason };
        let odb = self.odb().map_err(|error| unreadable(error.to_string()))?;
        let oid = to_oid(id).map_err(|error| unreadable(error.to_string()))?;
        match odb.read_header(oid) {
            Ok((size, ObjectType::Blob)) => Ok(size as u64),
            Ok((_, kind)) => Err(unreadable(format!("it is a {kind}"))),
            Err(error) => Err(unreadable(error.message().to_owned())),
        }
    }

    fn read(&self, id: ObjectId) -> Result<Vec<u8>, BlobError> {
        if let Some(content) = self.recent.borrow().get(id) {
            return Ok(content.to_vec());
        }
        let unreadable = |reason: String| BlobError { id, reason };
        let odb = self.odb().map_err(|error| unreadable(error.to_string()))?;
        let oid = to_oid(id).map_err(|error| unreadable(error.to_string()))?;
        let object = odb.read(oid).map_err(|error| unreadable(error.message().to_owned()))?;
        match object.kind() {
            ObjectType::Blob => {
                self.recent.borrow_mut().keep(id, object.data());
                Ok(object.data().to_vec())
            }
            kind => Err(unreadable(format!("it is a {kind}"))),
        }
    }
}

impl Backend for Libgit2 {
    fn name(&self) -> &'static str {
        "libgit2"
    }

    fn head(&self) -> Result<Head, GitError> {
        refs::read_head(&self.repository)
    }

    fn tree_of(&self, commit: ObjectId) -> Result<ObjectId, GitError> {
        from_oid(self.commit(commit)?.tree_id())
    }

    fn index_tree(&self, index: &Path, base: Option<ObjectId>) -> Result<IndexTree, GitError> {
        index_tree::build(&self.repository, index, base)
    }

    fn index_entries(&self, index: &Path) -> Result<IndexEntries, GitError> {
        index_file::entries(index)
    }

    fn null_id(&self) -> ObjectId {
        ObjectId::null(false)
    }

    fn edit_tree(&self, base: Option<ObjectId>, edits: &[TreeEdit]) -> Result<(ObjectId, Vec<PendingTree>), GitError> {
        let mut trees = entries::Trees::of(&self.repository)?;
        let tree = tree_edit::edit(&mut trees, base, edits)?;
        Ok((tree, trees.pending))
    }

    fn write_blob(&self, content: &[u8]) -> Result<ObjectId, GitError> {
        self.write(ObjectType::Blob, content)
    }

    fn write_trees(&self, trees: &[PendingTree]) -> Result<(), GitError> {
        trees.iter().try_for_each(|tree| {
            let written = self.write(ObjectType::Tree, &tree.content)?;
            if written == tree.id {
                return Ok(());
            }
            Err(GitError::Object(tree.id, format!("it was written as {written}")))
        })
    }

    fn write_commit(&self, content: &[u8]) -> Result<ObjectId, GitError> {
        self.write(ObjectType::Commit, content)
    }

    fn move_head(&self, frozen: &Head, new: ObjectId, reflog: &Reflog) -> Result<(), GitError> {
        refs::move_head(&self.repository, frozen, new, reflog)
    }

    fn tree_changes(&self, old: Option<ObjectId>, new: Option<ObjectId>) -> Result<Vec<ChangedPath>, GitError> {
        diff::diff(&self.repository, old, new)
    }

    fn merge_trees(&self, base: Option<ObjectId>, ours: ObjectId, theirs: ObjectId) -> Result<MergedTrees, GitError> {
        trees::merge(&self.repository, base, ours, theirs)
    }

    fn bundle_trees(&self, trees: &[ObjectId]) -> Result<ObjectId, GitError> {
        trees::bundle(&self.repository, trees)
    }

    fn keep(&self, name: &str, object: ObjectId) -> Result<(), GitError> {
        trees::keep(&self.repository, name, object)
    }

    fn release(&self, name: &str) -> Result<(), GitError> {
        trees::release(&self.repository, name)
    }

    fn refs_below(&self, prefix: &str) -> Result<Vec<String>, GitError> {
        trees::refs_below(&self.repository, prefix)
    }

    fn log(&self, from: ObjectId, limit: usize) -> Result<Option<Vec<LogEntry>>, GitError> {
        let odb = self.odb()?;
        let mut entries = Vec::with_capacity(limit.min(64));
        let mut next = Some(from);
        while let Some(id) = next.filter(|_| entries.len() < limit) {
            let object = match odb.read(to_oid(id)?) {
                Ok(object) if object.kind() == ObjectType::Commit => object,
                // A shallow clone's history ends at a commit whose parents are not there.
                _ if !entries.is_empty() => break,
                Ok(object) => return Err(GitError::Object(id, format!("it is a {}", object.kind()))),
                Err(error) => return Err(GitError::Object(id, error.message().to_owned())),
            };
            let (header, message) = object.data().split_once_str("\n\n").unwrap_or((object.data(), b""));
            let is_encoded = header.lines().any(|line| line.starts_with(b"encoding "));
            if is_encoded && !message.is_ascii() {
                return Ok(None);
            }
            let mut parents = header.lines().filter_map(|line| line.strip_prefix(b"parent "));
            next = parents.next().and_then(|parent| parent.to_str().ok()?.parse().ok());
            let count = usize::from(next.is_some()) + parents.count();
            entries.push(LogEntry { id, parents: count, message: message.to_str_lossy().into_owned() });
        }
        Ok(Some(entries))
    }

    fn touches(&self, commit: ObjectId, paths: &[&BStr]) -> Result<bool, GitError> {
        let reading = |error: git2::Error| GitError::Object(commit, error.message().to_owned());
        let commit = self.commit(commit)?;
        let after = commit.tree().map_err(reading)?;
        // In a shallow clone the parent may be named and not be there; then nothing is known of the change.
        let before = commit.parent(0).ok().map(|parent| parent.tree()).transpose().map_err(reading)?;
        let id = |tree: &git2::Tree<'_>, path: &BStr| Some(tree.get_path(path.to_path().ok()?).ok()?.id());
        Ok(paths.iter().any(|path| id(&after, path) != before.as_ref().and_then(|tree| id(tree, path))))
    }

    fn config(&self) -> Result<Config, GitError> {
        let config = self.repository.config().map_err(GitError::library("reading git's configuration"))?;
        read_config(config)
    }

    fn attributes(&self, paths: &[&BStr]) -> Result<Vec<Attributes>, GitError> {
        paths.iter().map(|path| self.attributes_of(path)).collect()
    }
}

/// git's configuration outside of any repository.
///
/// # Errors
/// A file cannot be read.
pub fn global_config() -> Result<Config, GitError> {
    read_config(git2::Config::open_default().map_err(GitError::library("reading git's configuration"))?)
}

fn read_config(mut config: git2::Config) -> Result<Config, GitError> {
    let reading = GitError::library("reading git's configuration");
    let snapshot = config.snapshot().map_err(&reading)?;
    let mut list = snapshot.entries(None).map_err(&reading)?;
    let mut entries = Vec::new();
    while let Some(entry) = list.next() {
        let entry = entry.map_err(&reading)?;
        entries.push(ConfigEntry {
            key: normalize_key(&entry.name_bytes().to_str_lossy()),
            value: entry.has_value().then(|| entry.value_bytes().into()),
            origin: scope(entry.level()).to_owned(),
        });
    }
    Ok(Config::new(entries))
}

impl Libgit2 {
    fn attributes_of(&self, path: &BStr) -> Result<Attributes, GitError> {
        let Ok(path) = path.to_path() else { return Ok(Attributes::default()) };
        let read = |name: &str| {
            self.repository
                .get_attr_bytes(path, name, AttrCheckFlags::FILE_THEN_INDEX)
                .map(AttrValue::from_bytes)
                .map_err(GitError::library("reading attributes"))
        };
        // `binary` is a macro for `-diff -merge -text`; a named driver still shows text.
        Ok(Attributes {
            diff: boolean(read("diff")?),
            generated: boolean(read("linguist-generated")?),
            vendored: boolean(read("linguist-vendored")?),
        })
    }
}

fn boolean(value: AttrValue<'_>) -> Option<bool> {
    match value {
        AttrValue::True | AttrValue::String("true") => Some(true),
        AttrValue::False | AttrValue::String("false") => Some(false),
        _ => None,
    }
}

fn scope(level: git2::ConfigLevel) -> &'static str {
    match level {
        git2::ConfigLevel::ProgramData | git2::ConfigLevel::System => "system",
        git2::ConfigLevel::XDG | git2::ConfigLevel::Global => "global",
        git2::ConfigLevel::Local => "local",
        git2::ConfigLevel::Worktree => "worktree",
        _ => "command",
    }
}

/// Whether an object is there, asking the disk a second time only when it seems to be missing.
pub(super) fn exists(odb: &git2::Odb<'_>, oid: git2::Oid) -> bool {
    odb.exists_ext(oid, OdbLookupFlags::NO_REFRESH) || odb.exists(oid)
}
