//! A repository for an agent that stages with git: folder, index and HEAD of its own, objects borrowed from the user's.
//!
//! Nothing in it is an instruction to git that the user did not give: no hooks, no configuration but ours, no conversion of
//! contents. What was staged is read from the index file alone; git is never run in it once the agent has had it, since
//! the agent may have changed its configuration.

use std::collections::HashSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use bstr::{BStr, BString, ByteSlice, ByteVec};

use super::open::is_partial_clone;
use super::plumbing::batch::{Batch, CONTENTS, Found, HEADERS};
use super::{Change, ChangedFile, ChangedPath, FileMode, GitError, ObjectId, Program, Repository};

/// What an agent stages are lines of two texts; a larger object is none of that, in bytes.
const MAX_OBJECT: u64 = 32 << 20;

/// The folder of the private one that the agent may write to. What we read ourselves lies beside it.
const SHARED: &str = "shared";

/// Attributes that let contents pass as they are, whatever the tree's own files say.
const ATTRIBUTES: &str = "* -text !eol -ident !filter !working-tree-encoding\n";

/// A file that lies in the working tree of a scratch repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScratchFile {
    /// Path from the top.
    pub path: BString,
    /// Its permission and its content; `None`: it is deleted there.
    pub content: Option<(FileMode, Vec<u8>)>,
}

/// A scratch repository, made anew for each call of an agent.
pub struct ScratchRepository<'a> {
    user: &'a Repository,
    folder: PathBuf,
    work_tree: PathBuf,
    head: String,
}

impl Repository {
    /// Makes a scratch repository in an empty private folder: HEAD is a commit of `tree`, which is stored, the working tree
    /// has `files`, and all other files of the tree are skipped in it.
    ///
    /// # Errors
    /// git or the file system refuses.
    pub fn scratch_repository(
        &self,
        folder: &Path,
        tree: ObjectId,
        files: &[ScratchFile],
    ) -> Result<ScratchRepository<'_>, GitError> {
        let shared = folder.join(SHARED);
        let work_tree = shared.join("repository");
        for folder in [&shared, &work_tree, &shared.join("tmp")] {
            std::fs::create_dir(folder).map_err(GitError::io("creating", folder))?;
        }
        let mut scratch = ScratchRepository { user: self, folder: folder.to_owned(), work_tree, head: String::new() };
        write(&scratch.empty_file(), b"")?;
        scratch.init(tree)?;
        scratch.check_out(tree, files)?;
        Ok(scratch)
    }

    /// Whether objects of a tree are missing here because they are fetched when they are needed.
    ///
    /// # Errors
    /// git's own text.
    pub fn lacks_objects(&self, tree: ObjectId) -> Result<bool, GitError> {
        if !is_partial_clone(self.config()) {
            return Ok(false);
        }
        let tree = tree.to_string();
        let listed = self.program()?.run(&["rev-list", "--objects", "--missing=print", &tree], |_| {})?;
        Ok(listed.lines().any(|line| line.starts_with(b"?")))
    }

    /// Where the user's objects lie: first the database, then what the environment adds.
    fn object_folders(&self) -> Vec<PathBuf> {
        let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        let absolute = |path: PathBuf| std::path::absolute(&path).unwrap_or(path);
        let own = variable("GIT_OBJECT_DIRECTORY").map(PathBuf::from);
        let more = variable("GIT_ALTERNATE_OBJECT_DIRECTORIES").unwrap_or_default();
        let own = own.unwrap_or_else(|| self.paths().common_dir.join("objects"));
        std::iter::once(own).chain(std::env::split_paths(&more)).map(absolute).collect()
    }
}

impl ScratchRepository<'_> {
    /// The top of its working tree.
    #[must_use]
    pub fn work_tree(&self) -> &Path {
        &self.work_tree
    }

    /// Its git folder.
    #[must_use]
    pub fn git_dir(&self) -> PathBuf {
        self.work_tree.join(".git")
    }

    /// What belongs to the user's repository and must not be written to.
    #[must_use]
    pub fn protected(&self) -> Vec<PathBuf> {
        let paths = self.user.paths();
        let own = [&paths.work_tree, &paths.git_dir, &paths.common_dir, &paths.index].map(Clone::clone);
        own.into_iter().chain(self.user.object_folders()).collect()
    }

    /// The folder that the agent may write to, with the working tree in it.
    #[must_use]
    pub fn writable(&self) -> PathBuf {
        self.folder.join(SHARED)
    }

    /// A folder for temporary files.
    #[must_use]
    pub fn temporary(&self) -> PathBuf {
        self.writable().join("tmp")
    }

    /// The variables by which git finds it and nothing else, to be set where all others that begin with `GIT_` are removed.
    #[must_use]
    pub fn environment(&self) -> Vec<(String, OsString)> {
        let mut variables = self.isolation();
        variables.push(("GIT_DIR".to_owned(), self.git_dir().into()));
        variables.push(("GIT_WORK_TREE".to_owned(), self.work_tree.clone().into()));
        variables
    }

    /// Whether HEAD is not what it was.
    #[must_use]
    pub fn has_moved(&self) -> bool {
        let head = self.git_dir().join("HEAD");
        let found = plain_file(&head).and_then(|()| std::fs::read_to_string(head));
        found.map_or(true, |found| found.trim_end() != self.head)
    }

    /// What its index changes against a base tree of the user's repository, renames not paired. The contents are copied
    /// into the user's object database.
    ///
    /// # Errors
    /// The index is such as nothing can be committed from, or an object cannot be copied.
    pub fn staged(&self, base: Option<ObjectId>) -> Result<Change, GitError> {
        // A process that outlives the agent may go on writing to the index itself.
        let (index, copy) = (self.git_dir().join("index"), self.folder.join("index"));
        plain_file(&index).and_then(|()| std::fs::copy(&index, &copy)).map_err(GitError::io("copying", index))?;
        self.copy_objects(&copy)?;
        let changed = self.user.index_changes(&copy, base)?;
        Ok(Change::new(changed.into_iter().filter_map(unpaired).collect()))
    }

    fn isolation(&self) -> Vec<(String, OsString)> {
        let empty: OsString = self.empty_file().into();
        let fixed = [
            ("GIT_CONFIG_NOSYSTEM", "1"),
            ("GIT_ATTR_NOSYSTEM", "1"),
            ("GIT_TERMINAL_PROMPT", "0"),
            ("GIT_NO_LAZY_FETCH", "1"),
            ("GIT_DEFAULT_REF_FORMAT", "files"),
            // Nobody is there to page or to edit.
            ("GIT_PAGER", "cat"),
            ("GIT_EDITOR", ":"),
        ];
        let fixed = fixed.map(|(name, value)| (name.to_owned(), value.into()));
        let files = ["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"].map(|name| (name.to_owned(), empty.clone()));
        fixed.into_iter().chain(files).collect()
    }

    fn empty_file(&self) -> PathBuf {
        self.folder.join("empty")
    }

    fn init(&mut self, tree: ObjectId) -> Result<(), GitError> {
        let git = Program::find(&self.work_tree)?;
        let format = if tree.as_bytes().len() == 32 { "--object-format=sha256" } else { "--object-format=sha1" };
        let outside = |command: &mut Command| replace_variables(command, self.isolation());
        git.run(&["init", "-q", "--template=", format], outside)?;
        let git_dir = self.git_dir();
        for folder in ["info", "objects/info"] {
            let folder = git_dir.join(folder);
            std::fs::create_dir_all(&folder).map_err(GitError::io("creating", &folder))?;
        }
        write(&git_dir.join("info/attributes"), ATTRIBUTES.as_bytes())?;
        let folders = self.user.object_folders();
        let alternates: Vec<Vec<u8>> = folders.into_iter().map(alternate).collect();
        write(&git_dir.join("objects/info/alternates"), &alternates.concat())?;
        let config = git_dir.join("config");
        let mut content = std::fs::read(&config).map_err(GitError::io("reading", &config))?;
        content.extend_from_slice(self.configuration().as_bytes());
        write(&config, &content)?;
        let tree = tree.to_string();
        let commit = git.run(&["commit-tree", &tree, "-m", "What earlier commits have"], |command| {
            replace_variables(command, self.environment());
            for who in ["AUTHOR", "COMMITTER"] {
                command.env(format!("GIT_{who}_NAME"), "stagecoach").env(format!("GIT_{who}_EMAIL"), "stagecoach");
            }
        })?;
        self.head = commit.trim().to_str_lossy().into_owned();
        // On no branch: any commit and any switch shows in this one file.
        write(&git_dir.join("HEAD"), format!("{}\n", self.head).as_bytes())
    }

    /// What else git would look for outside, or do besides what it is told.
    fn configuration(&self) -> String {
        let empty = self.empty_file().to_string_lossy().replace('\\', "\\\\").replace('"', "\\\"");
        format!(
            "[core]\n\tautocrlf = false\n\tfsmonitor = false\n\tuntrackedCache = false\n\tlogAllRefUpdates = false\n\
             \tattributesFile = \"{empty}\"\n\texcludesFile = \"{empty}\"\n\
             [gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n[user]\n\tuseConfigOnly = true\n"
        )
    }

    fn check_out(&self, tree: ObjectId, files: &[ScratchFile]) -> Result<(), GitError> {
        let git = Program::find(&self.work_tree)?;
        let inside = |command: &mut Command| replace_variables(command, self.environment());
        git.run(&["read-tree", &tree.to_string()], inside)?;
        let there: HashSet<&BStr> = files.iter().map(|file| file.path.as_bstr()).collect();
        let mut skipped = Vec::new();
        for (path, _) in self.user.objects_in(&self.git_dir().join("index"))? {
            if !there.contains(path.as_bstr()) {
                skipped.extend_from_slice(&path);
                skipped.push(0);
            }
        }
        let arguments = ["update-index", "-z", "--skip-worktree", "--stdin"];
        let finished = git.try_run(&arguments, Some(&skipped), inside)?;
        if !finished.success {
            return Err(Program::failure(&arguments, &finished));
        }
        files.iter().try_for_each(|file| self.put(file))
    }

    fn put(&self, file: &ScratchFile) -> Result<(), GitError> {
        let Some((mode, content)) = &file.content else { return Ok(()) };
        let relative = file.path.to_path().map_err(|_| GitError::InvalidEdit(file.path.clone()))?;
        let path = self.work_tree.join(relative);
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(GitError::io("creating", folder))?;
        }
        write(&path, content)?;
        #[cfg(unix)]
        if *mode == FileMode::Executable {
            use std::os::unix::fs::PermissionsExt as _;
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755))
                .map_err(GitError::io("writing", &path))?;
        }
        #[cfg(not(unix))]
        let _ = mode;
        Ok(())
    }

    /// Copies what the index names and the agent made. Anything that is no content, or far too large, is left behind; then
    /// the index cannot be read, and says so.
    fn copy_objects(&self, index: &Path) -> Result<(), GitError> {
        let made = Made::below(&self.git_dir().join("objects"))?;
        let named = self.user.objects_in(index)?;
        let made: HashSet<ObjectId> = named.into_iter().map(|(_, id)| id).filter(|id| made.may_have(*id)).collect();
        if made.is_empty() {
            return Ok(());
        }
        // The git of the user's repository is asked, which obeys no configuration from here.
        let (git, folders) = (self.user.program()?, self.alternates()?);
        let at_home = Batch::new(HEADERS, false);
        let here_too = Batch::with_alternates(HEADERS, folders.clone());
        let contents = Batch::with_alternates(CONTENTS, folders);
        for id in made {
            let fits = |found: &Found| found.kind == "blob" && found.size <= MAX_OBJECT;
            if at_home.ask(&git, id)?.is_some() || !here_too.ask(&git, id)?.as_ref().is_some_and(fits) {
                continue;
            }
            let found = contents.ask(&git, id)?.ok_or_else(|| unreadable(id))?;
            if self.user.write_blob(&found.content)? != id {
                return Err(unreadable(id));
            }
        }
        Ok(())
    }

    /// Its objects, and the folders that the environment adds to the user's.
    fn alternates(&self) -> Result<OsString, GitError> {
        let here = std::iter::once(self.git_dir().join("objects"));
        let more = std::env::var_os("GIT_ALTERNATE_OBJECT_DIRECTORIES").unwrap_or_default();
        std::env::join_paths(here.chain(std::env::split_paths(&more)))
            .map_err(|error| GitError::io("reading", self.git_dir())(std::io::Error::other(error)))
    }
}

/// Refuses what an agent may have put in a file's place: a link elsewhere, or a pipe that nobody ever writes to.
fn plain_file(path: &Path) -> std::io::Result<()> {
    if path.symlink_metadata()?.is_file() { Ok(()) } else { Err(std::io::Error::other("it is no regular file")) }
}

/// Removes all variables that git looks at and sets others.
fn replace_variables(command: &mut Command, variables: Vec<(String, OsString)>) {
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("GIT_")) {
        command.env_remove(name);
    }
    command.envs(variables);
}

/// The objects in a database's own folder.
enum Made {
    Loose(HashSet<String>),
    /// There are packs, which nobody takes apart here.
    Packed,
}

impl Made {
    fn below(objects: &Path) -> Result<Self, GitError> {
        let names = |folder: &Path| -> Result<Vec<String>, GitError> {
            match std::fs::read_dir(folder) {
                Ok(entries) => {
                    Ok(entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect())
                }
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
                Err(error) => Err(GitError::io("reading", folder)(error)),
            }
        };
        if !names(&objects.join("pack"))?.is_empty() {
            return Ok(Self::Packed);
        }
        let mut loose = HashSet::new();
        for folder in names(objects)?.iter().filter(|name| name.len() == 2) {
            loose.extend(names(&objects.join(folder))?.iter().map(|name| format!("{folder}{name}")));
        }
        Ok(Self::Loose(loose))
    }

    fn may_have(&self, id: ObjectId) -> bool {
        match self {
            Made::Loose(ids) => ids.contains(&id.to_string()),
            Made::Packed => true,
        }
    }
}

fn unreadable(id: ObjectId) -> GitError {
    GitError::Object(id, "it is not what was staged".to_owned())
}

/// A line of `objects/info/alternates`, quoted where git would read something else.
fn alternate(folder: PathBuf) -> Vec<u8> {
    let path = Vec::from_path_buf(folder).unwrap_or_else(|path| path.to_string_lossy().into_owned().into_bytes());
    let plain = !path.starts_with_str("\"") && !path.starts_with_str("#") && !path.contains(&b'\n');
    let mut line = if plain {
        path
    } else {
        let escaped = path.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
        [b"\"", escaped.as_slice(), b"\""].concat()
    };
    line.push(b'\n');
    line
}

fn unpaired(changed: ChangedPath) -> Option<ChangedFile> {
    match (changed.old, changed.new) {
        (Some(old), Some(new)) => ChangedFile::modified(old, new),
        (Some(old), None) => Some(ChangedFile::deleted(old)),
        (None, Some(new)) => Some(ChangedFile::added(new)),
        (None, None) => None,
    }
}

fn write(path: &Path, content: &[u8]) -> Result<(), GitError> {
    std::fs::write(path, content).map_err(GitError::io("writing", path))
}
