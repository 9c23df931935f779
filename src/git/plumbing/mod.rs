//! The repository by running git, for what the library cannot read or would get wrong: SHA-256 objects, reftables, sparse
//! indexes, partial clones, extensions that it does not know.
//!
//! Every format is one that git promises to keep for scripts, with NUL between names, and no setting of the user changes
//! it. Objects are read through two processes that stay; everything else is a process of its own.

pub(super) mod batch;
pub(super) mod refs;
mod trees;

use std::cell::OnceCell;
use std::path::{Path, PathBuf};

use bstr::{BStr, ByteSlice};
use sha2::{Digest, Sha256};

use self::batch::{Batch, CONTENTS, Found, HEADERS};
use super::backend::{Backend, IndexEntries, IndexTree, MOVE_LIMIT, PendingTree};
use super::open::is_partial_clone;
use super::tree::{TreeEntry, parse};
use super::tree_edit::{TreeStore, edit};
use super::{
    Attributes, BlobError, Blobs, ChangedPath, Config, GitError, Head, LogEntry, MergedTrees, ObjectId, Program,
    Reflog, TreeEdit,
};

/// The git program in one repository.
pub(crate) struct Plumbing {
    git: Program,
    git_dir: PathBuf,
    null: ObjectId,
    /// Commits and trees.
    objects: Batch,
    blobs: Batch,
    sizes: Batch,
    is_partial: OnceCell<bool>,
}

impl Plumbing {
    pub(crate) const fn new(git: Program, git_dir: PathBuf, null: ObjectId) -> Self {
        Self {
            git,
            git_dir,
            null,
            objects: Batch::new(CONTENTS, true),
            // A tree is needed to make another of it. A blob only ever shows what a change is about.
            blobs: Batch::new(CONTENTS, false),
            sizes: Batch::new(HEADERS, false),
            is_partial: OnceCell::new(),
        }
    }

    /// Whether objects that are missing may be elsewhere.
    fn is_partial(&self) -> bool {
        *self.is_partial.get_or_init(|| self.config().is_ok_and(|config| is_partial_clone(&config)))
    }

    fn object(&self, id: ObjectId, kind: &str) -> Result<Vec<u8>, GitError> {
        let batch = if kind == "blob" { &self.blobs } else { &self.objects };
        match batch.ask(&self.git, id)? {
            Some(found) if found.kind == kind => Ok(found.content),
            Some(found) => Err(GitError::Object(id, format!("it is a {}", found.kind))),
            None => Err(GitError::Object(id, "it is not there".to_owned())),
        }
    }

    fn write(&self, arguments: &[&str], content: &[u8]) -> Result<ObjectId, GitError> {
        let finished = self.git.try_run(arguments, Some(content), |_| {})?;
        if finished.success { refs::id(&finished.stdout) } else { Err(Program::failure(arguments, &finished)) }
    }

    /// The id of a tree object that may not be in the database.
    fn hash(&self, content: &[u8]) -> Result<ObjectId, GitError> {
        let invalid = |text: String| GitError::Library { doing: "hashing a tree", text };
        if self.null == ObjectId::null(false) {
            let oid = git2::Oid::hash_object(git2::ObjectType::Tree, content).map_err(GitError::library("hashing"))?;
            return ObjectId::from_bytes(oid.as_bytes()).map_err(|error| invalid(error.to_string()));
        }
        let digest = Sha256::new().chain_update(format!("tree {}\0", content.len())).chain_update(content).finalize();
        ObjectId::from_bytes(&digest).map_err(|error| invalid(error.to_string()))
    }

    /// A tree, or the empty one, which git knows without having it.
    fn or_empty(&self, tree: Option<ObjectId>) -> Result<ObjectId, GitError> {
        tree.map_or_else(|| self.hash(b""), Ok)
    }
}

impl Blobs for Plumbing {
    fn size(&self, id: ObjectId) -> Result<u64, BlobError> {
        let unreadable = |reason: String| BlobError { id, reason };
        match self.sizes.ask(&self.git, id) {
            Ok(Some(Found { kind, size, .. })) if kind == "blob" => Ok(size),
            Ok(Some(found)) => Err(unreadable(format!("it is a {}", found.kind))),
            Ok(None) if self.is_partial() => Ok(u64::MAX),
            Ok(None) => Err(unreadable("it is not there".to_owned())),
            Err(error) => Err(unreadable(error.to_string())),
        }
    }

    fn read(&self, id: ObjectId) -> Result<Vec<u8>, BlobError> {
        self.object(id, "blob").map_err(|error| match error {
            GitError::Object(id, reason) => BlobError { id, reason },
            other => BlobError { id, reason: other.to_string() },
        })
    }
}

impl Backend for Plumbing {
    fn name(&self) -> &'static str {
        "program"
    }

    fn head(&self) -> Result<Head, GitError> {
        refs::read_head(&self.git)
    }

    fn tree_of(&self, commit: ObjectId) -> Result<ObjectId, GitError> {
        let content = self.object(commit, "commit")?;
        let tree = content.lines().next().and_then(|line| line.strip_prefix(b"tree "));
        tree.and_then(|id| id.to_str().ok()?.parse().ok())
            .ok_or_else(|| GitError::Object(commit, "it names no tree".to_owned()))
    }

    fn index_tree(&self, index: &Path, base: Option<ObjectId>) -> Result<IndexTree, GitError> {
        let copy = trees::Copy::of(index, &self.git_dir)?;
        let tree = copy.write_tree(&self.git).or_else(|error| {
            copy.refuse_unmerged(&self.git)?;
            Err(error)
        })?;
        let changed = self.tree_changes(base, Some(tree))?;
        Ok(IndexTree { tree, pending: Vec::new(), changed, tracks_attributes: true })
    }

    fn index_entries(&self, index: &Path) -> Result<IndexEntries, GitError> {
        trees::index_entries(&self.git, index, self.or_empty(None)?)
    }

    fn null_id(&self) -> ObjectId {
        self.null
    }

    fn edit_tree(&self, base: Option<ObjectId>, edits: &[TreeEdit]) -> Result<(ObjectId, Vec<PendingTree>), GitError> {
        let mut store = Store { backend: self, pending: Vec::new() };
        let tree = edit(&mut store, base, edits)?;
        Ok((tree, store.pending))
    }

    fn write_blob(&self, content: &[u8]) -> Result<ObjectId, GitError> {
        self.write(&["hash-object", "-w", "--stdin"], content)
    }

    fn write_trees(&self, trees: &[PendingTree]) -> Result<(), GitError> {
        trees::write(&self.git, trees)
    }

    fn write_commit(&self, content: &[u8]) -> Result<ObjectId, GitError> {
        self.write(&["hash-object", "-t", "commit", "-w", "--stdin"], content)
    }

    fn move_head(&self, frozen: &Head, new: ObjectId, reflog: &Reflog) -> Result<(), GitError> {
        refs::move_head(&self.git, frozen, refs::Move::To(new), self.null, (reflog, MOVE_LIMIT))
    }

    fn tree_changes(&self, old: Option<ObjectId>, new: Option<ObjectId>) -> Result<Vec<ChangedPath>, GitError> {
        let (old, new) = (self.or_empty(old)?, self.or_empty(new)?);
        if old == new { Ok(Vec::new()) } else { trees::changes(&self.git, old, new) }
    }

    fn merge_trees(&self, base: Option<ObjectId>, ours: ObjectId, theirs: ObjectId) -> Result<MergedTrees, GitError> {
        trees::merge(&self.git, self.or_empty(base)?, ours, theirs)
    }

    fn bundle_trees(&self, trees: &[ObjectId]) -> Result<ObjectId, GitError> {
        trees::bundle(&self.git, trees)
    }

    // Hooks are for the refs of the user; these two are housekeeping of ours.

    fn keep(&self, name: &str, object: ObjectId) -> Result<(), GitError> {
        let object = object.to_string();
        let arguments = ["-c", "core.hooksPath=/dev/null", "update-ref", "--no-deref", name, &object];
        self.git.run(&arguments, |_| {}).map(drop)
    }

    fn release(&self, name: &str) -> Result<(), GitError> {
        let arguments = ["-c", "core.hooksPath=/dev/null", "update-ref", "--no-deref", "-d", name];
        self.git.run(&arguments, |_| {}).map(drop)
    }

    fn refs_below(&self, prefix: &str) -> Result<Vec<String>, GitError> {
        let folder = prefix.rfind('/').map_or("", |slash| prefix.get(..slash).unwrap_or_default());
        let output = self.git.run(&["for-each-ref", "--format=%(refname)", folder], |_| {})?;
        let names = output.lines().map(|name| name.to_str_lossy().into_owned());
        Ok(names.filter(|name| name.starts_with(prefix)).collect())
    }

    fn log(&self, from: ObjectId, limit: usize) -> Result<Option<Vec<LogEntry>>, GitError> {
        log(&self.git, from, limit).map(Some)
    }

    fn touches(&self, commit: ObjectId, paths: &[&BStr]) -> Result<bool, GitError> {
        // Pathspecs are lines here. One that is two lines would be two pathspecs, and answer for another file.
        let mut paths = paths.iter().filter(|path| !path.contains(&b'\n')).peekable();
        if paths.peek().is_none() {
            return Ok(false);
        }
        let commit = commit.to_string();
        // Of this commit only, and of a root commit too, whatever is configured.
        let fixed = ["log", "--no-walk", "--diff-merges=first-parent", "--format=", "--name-only", "--no-renames"];
        let more = ["-z", "--no-show-signature", "--ignore-submodules=none", &commit, "--stdin"];
        let arguments: Vec<&str> =
            ["--literal-pathspecs", "-c", "log.showRoot=true"].into_iter().chain(fixed).chain(more).collect();
        let mut input = b"--\n".to_vec();
        for path in paths {
            input.extend_from_slice(path);
            input.push(b'\n');
        }
        let finished = self.git.try_run(&arguments, Some(&input), |_| {})?;
        if finished.success { Ok(!finished.stdout.is_empty()) } else { Err(Program::failure(&["log"], &finished)) }
    }

    fn config(&self) -> Result<Config, GitError> {
        let output = self.git.run(&["config", "--list", "-z", "--show-scope", "--show-origin"], |_| {})?;
        Ok(Config::new(super::config::parse_list(&output)))
    }

    fn attributes(&self, paths: &[&BStr]) -> Result<Vec<Attributes>, GitError> {
        let arguments = ["check-attr", "-z", "--stdin", "diff", "linguist-generated", "linguist-vendored"];
        let input: Vec<u8> = paths.iter().flat_map(|path| path.iter().copied().chain([0])).collect();
        let finished = self.git.try_run(&arguments, Some(&input), |_| {})?;
        if !finished.success {
            return Err(Program::failure(&arguments, &finished));
        }
        // Path, attribute, value for each of the three, in the order in which they were asked for.
        let mut values = finished.stdout.split_str("\0").skip(2).step_by(3).map(boolean);
        let mut next = || values.next().flatten();
        Ok(paths.iter().map(|_| Attributes { diff: next(), generated: next(), vendored: next() }).collect())
    }
}

fn boolean(value: &[u8]) -> Option<bool> {
    match value {
        b"set" | b"true" => Some(true),
        b"unset" | b"false" => Some(false),
        _ => None,
    }
}

/// First-parent history from a commit, newest first, with the messages in UTF-8.
pub(super) fn log(git: &Program, from: ObjectId, limit: usize) -> Result<Vec<LogEntry>, GitError> {
    let (limit, from) = (format!("--max-count={limit}"), from.to_string());
    let format = "--format=tformat:%H %P%n%B";
    let arguments =
        ["log", "--first-parent", "-z", "--no-show-signature", "--encoding=UTF-8", format, &limit, &from, "--"];
    let output = git.run(&arguments, |_| {})?;
    output.split_str("\0").filter(|entry| !entry.is_empty()).map(log_entry).collect()
}

fn log_entry(entry: &[u8]) -> Result<LogEntry, GitError> {
    let (ids, message) = entry.split_once_str("\n").unwrap_or((entry, b""));
    let (id, parents) = ids.split_once_str(" ").unwrap_or((ids, b""));
    Ok(LogEntry { id: refs::id(id)?, parents: parents.fields().count(), message: message.to_str_lossy().into_owned() })
}

/// What an edit of trees reads, and what it makes.
struct Store<'a> {
    backend: &'a Plumbing,
    pending: Vec<PendingTree>,
}

impl TreeStore for Store<'_> {
    fn entries(&mut self, tree: Option<ObjectId>) -> Result<Vec<TreeEntry>, GitError> {
        let Some(id) = tree else { return Ok(Vec::new()) };
        let content = self.backend.object(id, "tree")?;
        parse(&content, id.as_bytes().len()).ok_or_else(|| GitError::Object(id, "it is no tree".to_owned()))
    }

    fn add(&mut self, content: Vec<u8>) -> Result<ObjectId, GitError> {
        let id = self.backend.hash(&content)?;
        // One that is there already is written again, which changes nothing: to ask could fetch it from elsewhere.
        self.pending.push(PendingTree { id, content });
        Ok(id)
    }
}
