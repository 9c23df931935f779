//! `Repository`: opened once, asked many times.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bstr::{BStr, BString, ByteSlice};

use crate::fault;

use super::backend::{Backend, IndexEntries, IndexTree, MOVE_LIMIT, PendingTree};
use super::plumbing::{
    self,
    refs::{self, Move},
};
use super::program::process_environment;
use super::{
    Attributes, BlobError, Blobs, Change, ChangedFile, ChangedPath, Config, GitError, Head, Hook, Identities, LogEntry,
    ObjectId, Program, Reflog, TreeEdit, renames,
};

/// A repository with a working tree.
pub struct Repository {
    pub(super) backend: Box<dyn Backend>,
    /// Why it is not reached in the usual way.
    pub(super) reason: Option<String>,
    pub(super) paths: Paths,
    pub(super) config: Config,
}

/// Where the parts of a repository lie. All are absolute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paths {
    /// This worktree's git folder, where its HEAD and index are.
    pub git_dir: PathBuf,
    /// The git folder shared by all worktrees, where branches and objects are.
    pub common_dir: PathBuf,
    /// The top of the working tree.
    pub work_tree: PathBuf,
    /// The index file, `GIT_INDEX_FILE` honoured.
    pub index: PathBuf,
}

/// The tree that an index stands for, and how it differs from HEAD's.
#[derive(Debug)]
pub struct Frozen {
    /// The tree. Its objects are complete after [`Repository::store`].
    pub tree: ObjectId,
    /// What it changes, renames paired.
    pub change: Change,
    pending: Vec<PendingTree>,
}

#[cfg(test)]
impl Frozen {
    pub(super) const fn pending_trees(&self) -> usize {
        self.pending.len()
    }
}

/// What a three-way merge of trees comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MergedTrees {
    /// A tree that has both changes.
    Clean(ObjectId),
    /// The paths that both changed differently.
    Conflicts(Vec<BString>),
}

impl Repository {
    /// Where its parts lie.
    #[must_use]
    pub const fn paths(&self) -> &Paths {
        &self.paths
    }

    /// git's configuration, read once.
    #[must_use]
    pub const fn config(&self) -> &Config {
        &self.config
    }

    /// How the repository is reached: `libgit2`, in this process, or `program`, by running git.
    #[must_use]
    pub fn backend_name(&self) -> &'static str {
        self.backend.name()
    }

    /// Why the repository is reached by running git, in words that follow "because"; `None` for the usual way.
    #[must_use]
    pub fn backend_reason(&self) -> Option<&str> {
        self.reason.as_deref()
    }

    /// How objects are named and how refs are stored, in git's words.
    #[must_use]
    pub fn formats(&self) -> (String, String) {
        let format = |key, usual: &str| self.config.text(key).unwrap_or_else(|| usual.to_owned());
        (format("extensions.objectformat", "sha1"), format("extensions.refstorage", "files"))
    }

    /// The id that means "no object" here.
    #[must_use]
    pub fn null_id(&self) -> ObjectId {
        self.backend.null_id()
    }

    pub(super) fn index_entries(&self, index: &Path) -> Result<IndexEntries, GitError> {
        self.backend.index_entries(index)
    }

    /// Where HEAD points now.
    ///
    /// # Errors
    /// HEAD cannot be read.
    pub fn head(&self) -> Result<Head, GitError> {
        self.backend.head()
    }

    /// The git program, to be run at the top of the working tree.
    ///
    /// # Errors
    /// It is not on `PATH`.
    pub fn program(&self) -> Result<Program, GitError> {
        Program::find(&self.paths.work_tree)
    }

    /// The tree of a commit.
    ///
    /// # Errors
    /// The commit cannot be read.
    pub fn tree_of(&self, commit: ObjectId) -> Result<ObjectId, GitError> {
        self.backend.tree_of(commit)
    }

    /// The tree of a commit, where there is one; else `None`, which stands for the empty tree.
    ///
    /// # Errors
    /// As [`Repository::tree_of`].
    pub fn tree_at(&self, commit: Option<ObjectId>) -> Result<Option<ObjectId>, GitError> {
        commit.map(|commit| self.tree_of(commit)).transpose()
    }

    /// Freezes an index file: computes its tree and what separates it from `base` (`None`: the empty tree). Neither the
    /// index nor the object database is written.
    ///
    /// # Errors
    /// Unmerged entries, missing objects, an unreadable index.
    pub fn freeze(&self, index: &Path, base: Option<ObjectId>) -> Result<Frozen, GitError> {
        let IndexTree { tree, pending, changed, tracks_attributes } = self.backend.index_tree(index, base)?;
        Ok(Frozen { tree, change: self.change_of(changed, tracks_attributes)?, pending })
    }

    /// The objects that an index file names, by path. Names of what `git add -N` added are not among them.
    pub(super) fn objects_in(&self, index: &Path) -> Result<Vec<(BString, ObjectId)>, GitError> {
        let entries = self.backend.index_entries(index)?;
        Ok(entries.into_iter().map(|(path, (_, id))| (path, id)).collect())
    }

    /// What an index file changes against a tree, renames not paired.
    pub(super) fn index_changes(&self, index: &Path, base: Option<ObjectId>) -> Result<Vec<ChangedPath>, GitError> {
        Ok(self.backend.index_tree(index, base)?.changed)
    }

    /// The tree without anything in it, as an object.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn empty_tree(&self) -> Result<ObjectId, GitError> {
        let (tree, pending) = self.backend.edit_tree(None, &[])?;
        self.backend.write_trees(&pending)?;
        Ok(tree)
    }

    /// Freezes a tree that is in the database already, with what separates it from `base`.
    ///
    /// # Errors
    /// A tree is not there.
    pub fn freeze_tree(&self, base: Option<ObjectId>, tree: ObjectId) -> Result<Frozen, GitError> {
        Ok(Frozen { tree, change: self.compare(base, Some(tree))?, pending: Vec::new() })
    }

    /// Freezes the tree that edits make of `base` (`None`: the empty tree), with `changed` as what separates it from the
    /// tree before it. Attributes of the changed files are those that `whole` has, whatever became of `.gitattributes`
    /// since. Nothing is written.
    ///
    /// # Errors
    /// The base cannot be read, or the edits are such as no tree can hold.
    pub fn freeze_edited(
        &self,
        base: Option<ObjectId>,
        edits: &[TreeEdit],
        changed: Vec<ChangedPath>,
        whole: &Change,
    ) -> Result<Frozen, GitError> {
        let (tree, pending) = self.backend.edit_tree(base, edits)?;
        let known = attributes_in(whole);
        let attributed = |file: ChangedFile| {
            let found = known.get(file.path()).copied().unwrap_or_default();
            file.with_attributes(found)
        };
        let files = self.paired(changed).into_iter().map(attributed).collect();
        Ok(Frozen { tree, change: Change::new(files), pending })
    }

    /// Pairs renames.
    fn paired(&self, mut changed: Vec<ChangedPath>) -> Vec<ChangedFile> {
        // Of several equally good pairs the first is taken, so the order must not be that of the caller.
        if !changed.is_sorted_by(|a, b| path_of(a) <= path_of(b)) {
            changed.sort_by(|a, b| path_of(a).cmp(&path_of(b)));
        }
        renames::pair(changed, self)
    }

    /// Pairs renames and looks attributes up.
    fn change_of(&self, changed: Vec<ChangedPath>, tracks_attributes: bool) -> Result<Change, GitError> {
        let mut files = self.paired(changed);
        if !files.is_empty() && (tracks_attributes || self.has_untracked_attributes()) {
            let paths: Vec<&BStr> = files.iter().map(ChangedFile::path).collect();
            let attributes = self.backend.attributes(&paths)?;
            files = files.into_iter().zip(attributes).map(|(file, found)| file.with_attributes(found)).collect();
        }
        Ok(Change::new(files))
    }

    /// Writes a blob.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write_blob(&self, content: &[u8]) -> Result<ObjectId, GitError> {
        self.backend.write_blob(content)
    }

    /// Writes the tree objects of a frozen tree that are not in the database yet.
    ///
    /// # Errors
    /// They cannot be written.
    pub fn store(&self, frozen: &Frozen) -> Result<(), GitError> {
        fault::write("objects: store trees").map_err(GitError::io("writing", &self.paths.common_dir))?;
        self.backend.write_trees(&frozen.pending)
    }

    /// Writes a commit object and moves nothing.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write_commit(&self, content: &[u8]) -> Result<ObjectId, GitError> {
        fault::write("objects: store the commit").map_err(GitError::io("writing", &self.paths.common_dir))?;
        self.backend.write_commit(content)
    }

    /// Moves HEAD (and its branch) from where it was frozen to a new commit, or changes nothing.
    ///
    /// # Errors
    /// [`GitError::HeadMoved`] when HEAD is not what was frozen; [`GitError::RefLocked`] when somebody holds a lock.
    pub fn move_head(&self, frozen: &Head, new: ObjectId, reflog: &Reflog) -> Result<(), GitError> {
        self.move_head_within(frozen, new, reflog, MOVE_LIMIT)
    }

    /// The same with a limit to the time that hooks may take.
    ///
    /// # Errors
    /// As [`Repository::move_head`], and [`GitError::RefHook`] when a hook forbids it.
    pub fn move_head_within(
        &self,
        frozen: &Head,
        new: ObjectId,
        reflog: &Reflog,
        limit: Duration,
    ) -> Result<(), GitError> {
        fault::write("head: move").map_err(GitError::io("writing", &self.paths.git_dir))?;
        if self.is_by_program() || self.only_git_moves_refs(reflog)? {
            let git = self.program()?;
            return refs::move_head(&git, frozen, Move::To(new), self.null_id(), (reflog, limit));
        }
        self.backend.move_head(frozen, new, reflog)
    }

    /// What the library would leave out: hooks, and lines in reflogs that it does not write.
    fn only_git_moves_refs(&self, reflog: &Reflog) -> Result<bool, GitError> {
        let no_new_logs = || self.config.boolean("core.logallrefupdates").is_ok_and(|all| all == Some(false));
        let Reflog { committer, message } = reflog;
        let is_text = [&committer.name, &committer.email, message].iter().all(|part| part.to_str().is_ok());
        let unusual = committer.email.is_empty() || !is_text;
        Ok(unusual || no_new_logs() || self.has_hook(Hook::ReferenceTransaction)?)
    }

    pub(super) fn is_by_program(&self) -> bool {
        self.backend.name() == "program"
    }

    /// What separates two trees, renames paired. `None` is the empty tree.
    ///
    /// # Errors
    /// A tree is not there.
    pub fn compare(&self, old: Option<ObjectId>, new: Option<ObjectId>) -> Result<Change, GitError> {
        self.change_of(self.backend.tree_changes(old, new)?, true)
    }

    /// Merges two trees that come from a third (`None`: the empty one), in memory.
    ///
    /// # Errors
    /// A tree is not there, or the merged one cannot be written.
    pub fn merge_trees(
        &self,
        base: Option<ObjectId>,
        ours: ObjectId,
        theirs: ObjectId,
    ) -> Result<MergedTrees, GitError> {
        self.backend.merge_trees(base, ours, theirs)
    }

    /// Keeps trees from `git gc` by a ref, from whichever worktree it is run.
    ///
    /// # Errors
    /// The ref cannot be written.
    pub fn keep_trees(&self, name: &str, trees: &[ObjectId]) -> Result<(), GitError> {
        fault::write("journal: keep trees").map_err(GitError::io("writing", &self.paths.common_dir))?;
        let object = match trees {
            [tree] => *tree,
            trees => self.backend.bundle_trees(trees)?,
        };
        self.backend.keep(name, object)
    }

    /// Removes a ref that kept trees, if it is there.
    ///
    /// # Errors
    /// It cannot be removed.
    pub fn release(&self, name: &str) -> Result<(), GitError> {
        fault::write("journal: release trees").map_err(GitError::io("writing", &self.paths.common_dir))?;
        self.backend.release(name)
    }

    /// The full names of all refs that begin with `prefix`.
    ///
    /// # Errors
    /// They cannot be listed.
    pub fn refs_below(&self, prefix: &str) -> Result<Vec<String>, GitError> {
        self.backend.refs_below(prefix)
    }

    /// First-parent history from a commit, newest first.
    ///
    /// # Errors
    /// A commit cannot be read.
    pub fn log(&self, from: ObjectId, limit: usize) -> Result<Vec<LogEntry>, GitError> {
        match self.backend.log(from, limit)? {
            Some(entries) => Ok(entries),
            None => plumbing::log(&self.program()?, from, limit),
        }
    }

    /// Whether a commit changed, against its first parent, what lies at one of the paths (files or folders).
    ///
    /// # Errors
    /// The commit cannot be read.
    pub fn touches(&self, commit: ObjectId, paths: &[&BStr]) -> Result<bool, GitError> {
        self.backend.touches(commit, paths)
    }

    /// Whether anything in index or working tree differs from HEAD, untracked files included.
    ///
    /// # Errors
    /// git's own text.
    pub fn has_changes(&self) -> Result<bool, GitError> {
        let status = self.program()?.run(&["status", "--porcelain", "-z"], |_| {})?;
        Ok(!status.is_empty())
    }

    /// Who will be author and committer.
    ///
    /// # Errors
    /// git's own words when it does not know.
    pub fn identities(&self) -> Result<Identities, GitError> {
        Identities::resolve(&self.config, &process_environment, &|| self.program())
    }

    /// Attributes can also come from files that the index does not track.
    fn has_untracked_attributes(&self) -> bool {
        let home = || std::env::var_os("HOME").map(PathBuf::from);
        let global = self.config.text("core.attributesfile").map(PathBuf::from).or_else(|| {
            let config = std::env::var_os("XDG_CONFIG_HOME")
                .filter(|dir| !dir.is_empty())
                .map(PathBuf::from)
                .or_else(|| Some(home()?.join(".config")))?;
            Some(config.join("git/attributes"))
        });
        // A path with a leading `~` is taken to exist: libgit2 expands it and finds out.
        global.is_some_and(|path| path.starts_with("~") || path.exists())
            || self.paths.work_tree.join(".gitattributes").exists()
            || self.paths.common_dir.join("info/attributes").exists()
            || Path::new("/etc/gitattributes").exists()
    }
}

/// What `.gitattributes` said of every path of a change that they say anything of.
fn attributes_in(change: &Change) -> HashMap<&BStr, Attributes> {
    let said = change.files().iter().filter(|file| file.attributes() != Attributes::default());
    let paths = said.flat_map(|file| {
        [file.old_side(), file.new_side()].into_iter().flatten().map(|side| (side.path.as_bstr(), file.attributes()))
    });
    paths.collect()
}

fn path_of(changed: &ChangedPath) -> Option<&BStr> {
    changed.new.as_ref().or(changed.old.as_ref()).map(|side| side.path.as_bstr())
}

impl Blobs for Repository {
    fn size(&self, id: ObjectId) -> Result<u64, BlobError> {
        self.backend.size(id)
    }

    fn read(&self, id: ObjectId) -> Result<Vec<u8>, BlobError> {
        self.backend.read(id)
    }
}
