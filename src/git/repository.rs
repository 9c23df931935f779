//! `Repository`: opened once, asked many times.

use std::path::{Path, PathBuf};

use bstr::{BStr, BString};
use git2::ErrorCode;

use crate::program::SearchPath;

use super::backend::{Backend, IndexTree, PendingTree};
use super::libgit2::Libgit2;
use super::program::process_environment;
use super::{
    BlobError, Blobs, Change, ChangedPath, Config, GitError, Head, Identities, LogEntry, ObjectId, Program, Reflog,
    TreeEdit, renames, requirements,
};

/// A repository with a working tree.
pub struct Repository {
    backend: Box<dyn Backend>,
    paths: Paths,
    config: Config,
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
    /// Opens the repository of the current folder as git would: `GIT_DIR`, `GIT_WORK_TREE` and the like are honoured, and
    /// a repository that somebody else owns is refused.
    ///
    /// # Errors
    /// There is none, it is not ours, it has no working tree, or its format is one that this version cannot handle.
    pub fn open() -> Result<Self, GitError> {
        let repository = git2::Repository::open_from_env().map_err(open_error)?;
        // GIT_NAMESPACE is for those who serve a repository; no commit of git looks at it.
        repository.remove_namespace().map_err(open_error)?;
        Self::with(repository)
    }

    /// Opens the repository that a folder lies in, whatever the environment says of git folders.
    ///
    /// # Errors
    /// As [`Repository::open`].
    pub fn open_in(folder: &Path) -> Result<Self, GitError> {
        Self::with(git2::Repository::discover(folder).map_err(open_error)?)
    }

    fn with(repository: git2::Repository) -> Result<Self, GitError> {
        // git itself does not hash again what it reads, and leaves that to `git fsck`.
        git2::opts::strict_hash_verification(false);
        let paths = Paths::of(&repository)?;
        let backend = Libgit2::new(repository);
        let config = read_config(&backend, &paths)?;
        requirements::refuse_config(&config)?;
        Ok(Self { backend: Box::new(backend), paths, config })
    }

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

    /// How the repository is reached, in a word for `--verbose`.
    #[must_use]
    pub fn backend(&self) -> &'static str {
        self.backend.name()
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

    /// Freezes an index file: computes its tree and what separates it from `base` (`None`: the empty tree). Neither the
    /// index nor the object database is written.
    ///
    /// # Errors
    /// Unmerged entries, missing objects, an unreadable index.
    pub fn freeze(&self, index: &Path, base: Option<ObjectId>) -> Result<Frozen, GitError> {
        let IndexTree { tree, pending, changed, tracks_attributes } = self.backend.index_tree(index, base)?;
        Ok(Frozen { tree, change: self.change_of(changed, tracks_attributes)?, pending })
    }

    /// Freezes the tree that edits make of `base` (`None`: the empty tree), with `changed` as what separates it from the
    /// tree before it. Nothing is written.
    ///
    /// # Errors
    /// The base cannot be read, or the edits are such as no tree can hold.
    pub fn freeze_edited(
        &self,
        base: Option<ObjectId>,
        edits: &[TreeEdit],
        changed: Vec<ChangedPath>,
    ) -> Result<Frozen, GitError> {
        let (tree, pending) = self.backend.edit_tree(base, edits)?;
        Ok(Frozen { tree, change: self.change_of(changed, true)?, pending })
    }

    /// Pairs renames and looks attributes up.
    fn change_of(&self, mut changed: Vec<ChangedPath>, tracks_attributes: bool) -> Result<Change, GitError> {
        // Of several equally good pairs the first is taken, so the order must not be that of the caller.
        let path = |changed: &ChangedPath| changed.new.as_ref().or(changed.old.as_ref()).map(|side| side.path.clone());
        if !changed.is_sorted_by_key(path) {
            changed.sort_by_cached_key(path);
        }
        let mut files = renames::pair(changed, self);
        if !files.is_empty() && (tracks_attributes || self.has_untracked_attributes()) {
            let paths: Vec<&BStr> = files.iter().map(super::ChangedFile::path).collect();
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
        self.backend.write_trees(&frozen.pending)
    }

    /// Writes a commit object and moves nothing.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write_commit(&self, content: &[u8]) -> Result<ObjectId, GitError> {
        self.backend.write_commit(content)
    }

    /// Moves HEAD (and its branch) from where it was frozen to a new commit, or changes nothing.
    ///
    /// # Errors
    /// [`GitError::HeadMoved`] when HEAD is not what was frozen; [`GitError::RefLocked`] when somebody holds a lock.
    pub fn move_head(&self, frozen: &Head, new: ObjectId, reflog: &Reflog) -> Result<(), GitError> {
        self.backend.move_head(frozen, new, reflog)
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
        self.backend.log(from, limit)
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

impl Blobs for Repository {
    fn size(&self, id: ObjectId) -> Result<u64, BlobError> {
        self.backend.size(id)
    }

    fn read(&self, id: ObjectId) -> Result<Vec<u8>, BlobError> {
        self.backend.read(id)
    }
}

impl Paths {
    fn of(repository: &git2::Repository) -> Result<Self, GitError> {
        let (git_dir, work_tree) = (repository.path().to_owned(), work_tree(repository)?);
        // git has gone to the top of the working tree when it reads the variable.
        let index = std::env::var_os("GIT_INDEX_FILE").filter(|path| !path.is_empty());
        let index = index.map_or_else(|| git_dir.join("index"), |path| work_tree.join(path));
        Ok(Self { common_dir: repository.commondir().to_owned(), work_tree, index, git_dir })
    }
}

/// With `GIT_DIR` and without `GIT_WORK_TREE`, the working tree is the current folder, unless the configuration names one.
fn work_tree(repository: &git2::Repository) -> Result<PathBuf, GitError> {
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let configured = || repository.config().is_ok_and(|config| config.get_path("core.worktree").is_ok());
    if set("GIT_DIR") && !set("GIT_WORK_TREE") && !repository.is_bare() && !configured() {
        return std::env::current_dir().map_err(GitError::io("reading", "."));
    }
    repository.workdir().map(Path::to_owned).ok_or(GitError::Bare)
}

fn open_error(error: git2::Error) -> GitError {
    match error.code() {
        ErrorCode::NotFound => GitError::NotARepository,
        ErrorCode::Owner => GitError::UnsafeOwner(error.message().to_owned()),
        _ => unsupported_format(error.message()).unwrap_or_else(|| GitError::library("opening the repository")(error)),
    }
}

/// A repository format that libgit2 refuses by itself.
fn unsupported_format(message: &str) -> Option<GitError> {
    let what = match message {
        text if text.contains("unknown object format") => "the repository stores SHA-256 objects".to_owned(),
        text if text.contains("extensions.refstorage") => "the repository stores its refs as a reftable".to_owned(),
        text if text.contains("extensions.partialclone") => "the repository is a partial clone".to_owned(),
        text => format!("the repository uses an extension ({})", text.strip_prefix("unsupported extension name ")?),
    };
    let what = format!("{what}, which is not supported yet");
    Some(GitError::Unsupported { what, instead: "git commit".to_owned() })
}

/// Reads the configuration in-process where libgit2 sees all of it, else through the git program.
fn read_config(backend: &Libgit2, paths: &Paths) -> Result<Config, GitError> {
    if !is_partly_invisible() {
        let config = backend.config()?;
        let conditional = |key: &str| key.starts_with("includeif.hasconfig:");
        if !config.entries().iter().any(|entry| conditional(&entry.key)) {
            return Ok(config);
        }
    }
    let git = Program::find(&paths.work_tree)?;
    let output = git.run(&["config", "--list", "-z", "--show-scope", "--show-origin"], |_| {})?;
    Ok(Config::new(super::config::parse_list(&output)))
}

/// Whether git would read configuration that libgit2 does not look for, or the other way round.
fn is_partly_invisible() -> bool {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let injected = variable("GIT_CONFIG_COUNT").is_some() || variable("GIT_CONFIG_PARAMETERS").is_some();
    // git reads `$XDG_CONFIG_HOME/git/config` only where `GIT_CONFIG_GLOBAL` does not replace it.
    let two_globals = || {
        let home = || Some(PathBuf::from(variable("HOME")?).join(".config"));
        let folder = variable("XDG_CONFIG_HOME").map(PathBuf::from).or_else(home);
        std::env::var_os("GIT_CONFIG_GLOBAL").is_some() && folder.is_some_and(|dir| dir.join("git/config").exists())
    };
    injected || two_globals() || has_own_system_file()
}

/// A git that was built with another prefix than `/usr` reads its system-wide file below that prefix, where libgit2 does
/// not look.
fn has_own_system_file() -> bool {
    if ["GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM"].iter().any(|name| std::env::var_os(name).is_some()) {
        return false;
    }
    let Some(git) = SearchPath::of_process().find("git") else { return false };
    let Some(prefix) = git.parent().and_then(Path::parent) else { return false };
    prefix != Path::new("/usr") && prefix != Path::new("/") && prefix.join("etc/gitconfig").exists()
}
