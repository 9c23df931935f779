//! Opening a repository, and the choice between git's library and the git program, which is made here once.

use std::path::{Path, PathBuf};

use bstr::ByteSlice;
use git2::ErrorCode;

use crate::program::SearchPath;

use super::backend::Backend;
use super::libgit2::Libgit2;
use super::plumbing::Plumbing;
use super::{Config, GitError, ObjectId, Paths, Program, Repository, durability, index_file, replacements};

impl Repository {
    /// Opens the repository of the current folder as git would: `GIT_DIR`, `GIT_WORK_TREE` and the like are honoured, and
    /// a repository that somebody else owns is refused.
    ///
    /// # Errors
    /// There is none, it is not ours, it has no working tree, or it is of a kind that git itself cannot handle.
    pub fn open() -> Result<Self, GitError> {
        let here = || std::env::current_dir().map_err(GitError::io("reading", "."));
        match git2::Repository::open_from_env() {
            Ok(repository) => {
                // GIT_NAMESPACE is for those who serve a repository; no commit of git looks at it.
                repository.remove_namespace().map_err(|error| open_error(&error))?;
                if let Some(work_tree) = variable("GIT_WORK_TREE") {
                    // The library takes a relative one from the git folder, git from the current one. And to name one means
                    // that the repository is not bare, whatever `core.bare` says.
                    repository.set_workdir(&here()?.join(work_tree), false).map_err(|error| open_error(&error))?;
                }
                if is_inside(&repository, &here()?) {
                    return Err(GitError::Bare);
                }
                Self::by_library(repository)
            }
            Err(error) => Self::by_program(&here()?, &error),
        }
    }

    /// Opens the repository that a folder lies in, whatever the environment says of git folders.
    ///
    /// # Errors
    /// As [`Repository::open`].
    pub fn open_in(folder: &Path) -> Result<Self, GitError> {
        match git2::Repository::discover(folder) {
            Ok(repository) => Self::by_library(repository),
            Err(error) => Self::by_program(folder, &error),
        }
    }

    fn by_library(repository: git2::Repository) -> Result<Self, GitError> {
        // git itself does not hash again what it reads, and leaves that to `git fsck`.
        git2::opts::strict_hash_verification(false);
        let paths = Paths::of(&repository)?;
        let library = Libgit2::new(repository);
        let program = || -> Result<Plumbing, GitError> {
            let git = Program::find(&paths.work_tree)?;
            Ok(Plumbing::new(git, paths.git_dir.clone(), ObjectId::null(false)))
        };
        let config = read_config(&library, program)?;
        let reason = beyond_the_library(&config, &paths);
        let backend: Box<dyn Backend> = if reason.is_some() { Box::new(program()?) } else { Box::new(library) };
        Ok(Self { backend, reason, paths, config })
    }

    /// Opens a repository that the library has refused.
    fn by_program(folder: &Path, refusal: &git2::Error) -> Result<Self, GitError> {
        let is_foreign = is_foreign_format(refusal.message());
        if !is_foreign && !misses_work_tree(refusal) {
            return Err(open_error(refusal));
        }
        let git = Program::find(folder)?;
        let paths = Paths::asked(&git)?;
        if !paths.work_tree.is_dir() {
            return Err(GitError::Bare);
        }
        let format = git.run(&["rev-parse", "--show-object-format"], |_| {})?;
        let null = ObjectId::null(format.trim() == b"sha256");
        let backend = Plumbing::new(Program::find(&paths.work_tree)?, paths.git_dir.clone(), null);
        let config = backend.config()?;
        let reason = if is_foreign { foreign_format(&config) } else { "GIT_WORK_TREE is a relative path".to_owned() };
        let reason = Some(reason);
        Ok(Self { backend: Box::new(backend), reason, paths, config })
    }
}

impl Paths {
    fn of(repository: &git2::Repository) -> Result<Self, GitError> {
        let common_dir = repository.commondir().to_owned();
        Ok(Self::with(repository.path().to_owned(), common_dir, work_tree(repository)?))
    }

    /// As git says.
    fn asked(git: &Program) -> Result<Self, GitError> {
        let ask = |what: &str| -> Result<PathBuf, GitError> {
            let output = git.run(&["rev-parse", "--path-format=absolute", what], |_| {}).map_err(git_open_error)?;
            Ok(output.strip_suffix(b"\n").unwrap_or(&output).to_path_lossy().into_owned())
        };
        Ok(Self::with(ask("--git-dir")?, ask("--git-common-dir")?, ask("--show-toplevel")?))
    }

    fn with(git_dir: PathBuf, common_dir: PathBuf, work_tree: PathBuf) -> Self {
        // git has gone to the top of the working tree when it reads the variable.
        let index = variable("GIT_INDEX_FILE").map_or_else(|| git_dir.join("index"), |path| work_tree.join(path));
        Self { git_dir, common_dir, work_tree, index }
    }
}

pub(super) fn variable(name: &str) -> Option<std::ffi::OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

fn configures_work_tree(repository: &git2::Repository) -> bool {
    repository.config().is_ok_and(|config| config.get_path("core.worktree").is_ok())
}

/// With `GIT_DIR` and without `GIT_WORK_TREE`, the working tree is the current folder, unless the configuration names one.
fn work_tree(repository: &git2::Repository) -> Result<PathBuf, GitError> {
    let given = variable("GIT_DIR").is_some() && variable("GIT_WORK_TREE").is_none();
    if given && !repository.is_bare() && !configures_work_tree(repository) {
        return std::env::current_dir().map_err(GitError::io("reading", "."));
    }
    repository.workdir().map(Path::to_owned).ok_or(GitError::Bare)
}

/// Whether a folder lies in the git folder by which it was found: git knows of no working tree there, unless one is named.
fn is_inside(repository: &git2::Repository, folder: &Path) -> bool {
    let named = || variable("GIT_DIR").is_some() || variable("GIT_WORK_TREE").is_some();
    let git_dir = repository.path();
    let linked = || git_dir.canonicalize().is_ok_and(|path| folder.starts_with(path));
    let is_outside = repository.workdir().is_none_or(|work_tree| !folder.starts_with(work_tree));
    let inside = folder.starts_with(git_dir) || (is_outside && linked());
    inside && !named() && !configures_work_tree(repository)
}

fn open_error(error: &git2::Error) -> GitError {
    match error.code() {
        ErrorCode::NotFound => GitError::NotARepository,
        ErrorCode::Owner => GitError::UnsafeOwner(error.message().to_owned()),
        _ => GitError::Library { doing: "opening the repository", text: error.message().to_owned() },
    }
}

/// git's own refusals that have a name here.
fn git_open_error(error: GitError) -> GitError {
    match error {
        GitError::Program { text, .. } if text.contains("not a git repository") => GitError::NotARepository,
        GitError::Program { text, .. } if text.contains("must be run in a work tree") => GitError::Bare,
        GitError::Program { text, .. } if text.contains("dubious ownership") => GitError::UnsafeOwner(text),
        other => other,
    }
}

/// Whether the library may have looked for the named working tree in the wrong place: from the git folder, while it is
/// relative to the current one.
fn misses_work_tree(refusal: &git2::Error) -> bool {
    refusal.code() == ErrorCode::NotFound
        && variable("GIT_WORK_TREE").is_some_and(|path| Path::new(&path).is_relative())
}

/// Whether the library has refused a format that git may know.
fn is_foreign_format(message: &str) -> bool {
    let words = ["unknown object format", "unsupported extension name", "unsupported repository version"];
    words.iter().any(|words| message.contains(words))
}

/// What the library refuses by itself, in words that follow "because".
fn foreign_format(config: &Config) -> String {
    let says = |key: &str, value: &str| config.text(key).is_some_and(|text| text.eq_ignore_ascii_case(value));
    let mut reasons = Vec::new();
    if says("extensions.objectformat", "sha256") {
        reasons.push("it stores SHA-256 objects");
    }
    if says("extensions.refstorage", "reftable") {
        reasons.push("it stores its refs as a reftable");
    }
    if is_partial_clone(config) {
        reasons.push("it is a partial clone");
    }
    if reasons.is_empty() {
        reasons.push("it uses an extension of git's format");
    }
    reasons.join(" and ")
}

/// Whether a remote has promised objects that are not here.
pub(super) fn is_partial_clone(config: &Config) -> bool {
    let promises = |key: &str| key.starts_with("remote.") && key.ends_with(".promisor");
    config.entries().iter().any(|entry| promises(&entry.key) || entry.key == "extensions.partialclone")
}

/// What the library would open and then get wrong, in words that follow "because".
fn beyond_the_library(config: &Config, paths: &Paths) -> Option<String> {
    if is_partial_clone(config) {
        return Some("it is a partial clone".to_owned());
    }
    if index_file::is_split(&paths.git_dir) {
        return Some("its index is split".to_owned());
    }
    if durability::is_wanted(config) {
        return Some("git is to sync what it writes".to_owned());
    }
    if is_shared(config) {
        return Some("its files are shared with other users".to_owned());
    }
    if replacements::are_there(config, &paths.common_dir) {
        return Some("it has replaced objects".to_owned());
    }
    let is_sparse = config.boolean("core.sparsecheckout").is_ok_and(|sparse| sparse == Some(true));
    (is_sparse && index_file::is_sparse(&paths.index)).then(|| "its index is sparse".to_owned())
}

/// Whether git gives its files other permissions than those of the process.
fn is_shared(config: &Config) -> bool {
    let shared = config.entry("core.sharedrepository");
    let value = shared.map(|entry| entry.value.as_ref().map_or("true".into(), |value| value.to_str_lossy()));
    value.is_some_and(|value| !["", "umask", "false", "no", "off", "0"].contains(&value.to_ascii_lowercase().as_str()))
}

/// Reads the configuration in-process where libgit2 sees all of it, else through the git program.
fn read_config(library: &Libgit2, program: impl FnOnce() -> Result<Plumbing, GitError>) -> Result<Config, GitError> {
    if !is_partly_invisible() {
        let config = library.config()?;
        let conditional = |key: &str| key.starts_with("includeif.hasconfig:");
        if !config.entries().iter().any(|entry| conditional(&entry.key)) {
            return Ok(config);
        }
    }
    program()?.config()
}

/// Whether git would read configuration that libgit2 does not look for, or the other way round.
fn is_partly_invisible() -> bool {
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
