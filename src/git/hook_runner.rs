//! The hooks around a commit: whether there are any, and how git would start them.
//!
//! Looking costs one question to the file system per name. Whatever is there is left to `git hook run`, which knows what
//! a hook is and says so where one is not executable; a git without that command (before 2.36) has them started directly.

use std::ffi::{OsStr, OsString};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use bstr::ByteSlice;

use super::program::process_environment;
use super::{GitError, Ident, Program, Repository};

/// How the line begins by which stagecoach's own `prepare-commit-msg` hook is known; its version follows.
pub const OWN_HOOK_MARKER: &str = "# stagecoach prepare-commit-msg hook v";
/// Set for the hooks of a commit that stagecoach makes, so that its own hook does nothing there.
pub const IN_HOOK_VARIABLE: &str = "STAGECOACH_IN_HOOK";

/// A longer file is nobody's hook of ours, in bytes.
const MAX_OWN_HOOK: u64 = 64 * 1024;
/// The first git with `git hook run`.
const HOOK_RUN_SINCE: (u32, u32) = (2, 36);

/// A hook that `git commit` runs or has run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Hook {
    /// Before anything else; may refuse.
    PreCommit,
    /// May change the message.
    PrepareCommitMsg,
    /// May change or refuse the message.
    CommitMsg,
    /// When the commit is made.
    PostCommit,
    /// When refs move; may refuse.
    ReferenceTransaction,
    /// When the index is written. Nobody asks how it ended.
    PostIndexChange,
}

impl Hook {
    /// Those that are run around a commit; git itself runs `reference-transaction`.
    pub const AROUND: [Hook; 6] = [
        Hook::PreCommit,
        Hook::PrepareCommitMsg,
        Hook::CommitMsg,
        Hook::PostCommit,
        Hook::ReferenceTransaction,
        Hook::PostIndexChange,
    ];

    /// The name of its file.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Hook::PreCommit => "pre-commit",
            Hook::PrepareCommitMsg => "prepare-commit-msg",
            Hook::CommitMsg => "commit-msg",
            Hook::PostCommit => "post-commit",
            Hook::ReferenceTransaction => "reference-transaction",
            Hook::PostIndexChange => "post-index-change",
        }
    }
}

impl std::fmt::Display for Hook {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// The hooks of a repository, looked for once.
#[derive(Debug, Default)]
pub struct Hooks {
    found: Vec<Hook>,
    folder: PathBuf,
    /// Whether git can run them itself; asked when the first one is to be run.
    git_runs: OnceLock<bool>,
}

/// What a hook is told by its environment.
#[derive(Debug, Clone, Copy)]
pub struct HookContext<'a> {
    /// The index that git commands in the hook see.
    pub index: &'a Path,
    /// Who writes the commit.
    pub author: &'a Ident,
    /// Whether an editor is part of this commit.
    pub edits: bool,
}

impl Hooks {
    /// Whether there may be such a hook.
    #[must_use]
    pub fn has(&self, hook: Hook) -> bool {
        self.found.contains(&hook)
    }

    /// Whether there is none at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }
}

impl Repository {
    /// Looks for the hooks of a commit, where git looks for them.
    ///
    /// # Errors
    /// Their folder is named in a way that only git understands, and git fails.
    pub fn hooks(&self) -> Result<Hooks, GitError> {
        let folder = self.hooks_folder()?;
        let configured = self.configures_hooks();
        let found = Hook::AROUND.into_iter().filter(|hook| configured || is_there(&folder, *hook)).collect();
        Ok(Hooks { found, folder, git_runs: OnceLock::new() })
    }

    /// Whether there may be such a hook.
    ///
    /// # Errors
    /// As [`Repository::hooks`].
    pub fn has_hook(&self, hook: Hook) -> Result<bool, GitError> {
        Ok(is_there(&self.hooks_folder()?, hook) || self.configures_hooks())
    }

    /// A git that knows such hooks runs them, and another takes no notice.
    fn configures_hooks(&self) -> bool {
        let configured = |key: &str| key.starts_with("hook.") && key.matches('.').count() > 1;
        self.config().entries().iter().any(|entry| configured(&entry.key))
    }

    /// The folder in which git looks for hooks here.
    ///
    /// # Errors
    /// As [`Repository::hooks`].
    pub fn hooks_folder(&self) -> Result<PathBuf, GitError> {
        let paths = self.paths();
        let Some(configured) = self.config().value("core.hookspath") else {
            return Ok(paths.common_dir.join("hooks"));
        };
        if configured.is_empty() {
            // git then looks at the root of the file system.
            return Ok(PathBuf::from("/"));
        }
        if configured.starts_with(b"%(prefix)/") || configured.starts_with(b"~") {
            return self.ask_for_hooks_folder(configured);
        }
        Ok(paths.work_tree.join(configured.to_path_lossy()))
    }

    fn ask_for_hooks_folder(&self, configured: &[u8]) -> Result<PathBuf, GitError> {
        let home = process_environment("HOME").filter(|home| !home.is_empty());
        if let (Some(rest), Some(home)) = (configured.strip_prefix(b"~/"), home) {
            return Ok(PathBuf::from(home).join(rest.to_path_lossy()));
        }
        let output = self.program()?.run(&["rev-parse", "--git-path", "hooks"], |_| {})?;
        let folder = output.strip_suffix(b"\n").unwrap_or(&output);
        Ok(self.paths().work_tree.join(folder.to_path_lossy()))
    }

    /// The command that runs a hook as `git commit` does. Its standard input is empty; both its outputs are meant for
    /// standard error. Without a context it is told nothing of the commit.
    ///
    /// # Errors
    /// There is no git program.
    pub fn hook_command(
        &self,
        hooks: &Hooks,
        hook: Hook,
        arguments: &[&OsStr],
        context: Option<&HookContext<'_>>,
    ) -> Result<Command, GitError> {
        let git = self.program()?;
        let git_runs = match hooks.git_runs.get() {
            Some(known) => *known,
            None => *hooks.git_runs.get_or_init(|| runs_hooks(&git)),
        };
        let mut command =
            if git_runs { through_git(&git, hook, arguments) } else { self.directly(hooks, hook, arguments) };
        command.env(IN_HOOK_VARIABLE, "1").stdin(Stdio::null());
        if let Some(HookContext { index, author, edits }) = context {
            author.export("AUTHOR", &mut command);
            command.env("GIT_INDEX_FILE", self.as_git_names(index));
            if !edits {
                command.env("GIT_EDITOR", ":");
            }
        }
        Ok(command)
    }

    /// A file in the git folder as git names it from the top of the working tree.
    #[must_use]
    pub fn as_git_names(&self, file: &Path) -> PathBuf {
        let paths = self.paths();
        if let Some(given) = process_environment("GIT_INDEX_FILE").filter(|given| !given.is_empty())
            && file == paths.index
        {
            return given.into();
        }
        let usual = paths.git_dir == paths.work_tree.join(".git") && process_environment("GIT_DIR").is_none();
        match file.strip_prefix(&paths.git_dir) {
            Ok(rest) if usual => Path::new(".git").join(rest),
            _ => file.to_owned(),
        }
    }

    /// For a git that cannot run hooks: a shell, which also runs scripts without a first line that says what they are.
    fn directly(&self, hooks: &Hooks, hook: Hook, arguments: &[&OsStr]) -> Command {
        let paths = self.paths();
        let mut command = Command::new(if cfg!(windows) { "sh" } else { "/bin/sh" });
        command
            .args(["-c", "exec \"$0\" \"$@\" >&2"])
            .arg(hooks.folder.join(hook.name()))
            .args(arguments)
            .current_dir(&paths.work_tree)
            .env("GIT_PREFIX", self.prefix());
        if paths.git_dir != paths.work_tree.join(".git") {
            command.env("GIT_DIR", &paths.git_dir);
        }
        super::program::keep_repository(&mut command);
        command
    }

    /// Where in the working tree we were started, as git writes it: with a slash at its end, empty at the top.
    fn prefix(&self) -> OsString {
        let top = self.paths().work_tree.canonicalize();
        let folder = std::env::current_dir().and_then(|folder| folder.canonicalize());
        let (Ok(top), Ok(folder)) = (top, folder) else { return OsString::new() };
        match folder.strip_prefix(&top) {
            Ok(inside) if !inside.as_os_str().is_empty() => inside.join("").into_os_string(),
            _ => OsString::new(),
        }
    }
}

/// From where we were started, so that git finds the repository and the prefix as `git commit` would.
fn through_git(git: &Program, hook: Hook, arguments: &[&OsStr]) -> Command {
    let mut command = Command::new(git.path());
    command.args(["hook", "run", "--ignore-missing", hook.name()]);
    if !arguments.is_empty() {
        command.arg("--").args(arguments);
    }
    command
}

/// Whether the git program is new enough to run hooks. One whose version is not understood is.
fn runs_hooks(git: &Program) -> bool {
    let version = git.run(&["version"], |_| {}).ok().and_then(|output| version(&output.to_str_lossy()));
    version.is_none_or(|version| version >= HOOK_RUN_SINCE)
}

fn version(line: &str) -> Option<(u32, u32)> {
    let mut numbers = line.strip_prefix("git version ")?.split(['.', ' ', '\n']).map(str::parse);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

fn is_there(folder: &Path, hook: Hook) -> bool {
    let file = folder.join(hook.name());
    file.exists() && !(hook == Hook::PrepareCommitMsg && is_own(&file))
}

fn is_own(file: &Path) -> bool {
    let mut text = Vec::new();
    let read = std::fs::File::open(file).and_then(|file| file.take(MAX_OWN_HOOK).read_to_end(&mut text));
    read.is_ok() && text.lines().any(|line| line.starts_with(OWN_HOOK_MARKER.as_bytes()))
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use crate::git::testing::Scratch;

    #[test]
    fn hooks_are_looked_for_where_git_looks() {
        let scratch = Scratch::new();
        let folder = |setting: Option<&str>| {
            if let Some(setting) = setting {
                scratch.git(&["config", "core.hooksPath", setting]);
            }
            scratch.open().hooks_folder().unwrap()
        };
        let top = scratch.path().canonicalize().unwrap();
        assert_eq!(folder(None), top.join(".git/hooks"));
        assert_eq!(folder(Some("tools/hooks")), top.join("tools/hooks"));
        assert_eq!(folder(Some("/opt/hooks")), Path::new("/opt/hooks"));
        assert_eq!(folder(Some("")), Path::new("/"));
        let home = PathBuf::from(std::env::var_os("HOME").unwrap());
        assert_eq!(folder(Some("~/hooks")), home.join("hooks"));
    }

    #[test]
    fn our_own_hook_is_none_and_samples_are_none() {
        let scratch = Scratch::new();
        assert!(scratch.open().hooks().unwrap().is_empty());
        let file = |name: &str, text: &str| std::fs::write(scratch.path().join(".git/hooks").join(name), text).unwrap();
        std::fs::create_dir_all(scratch.path().join(".git/hooks")).unwrap();
        file("prepare-commit-msg", &format!("#!/bin/sh\n{OWN_HOOK_MARKER}1\nexec stagecoach hook exec \"$@\"\n"));
        file("pre-commit.sample", "#!/bin/sh\n");
        assert!(scratch.open().hooks().unwrap().is_empty());
        file("prepare-commit-msg", "#!/bin/sh\n");
        file("post-commit", "#!/bin/sh\n");
        let hooks = scratch.open().hooks().unwrap();
        assert!(hooks.has(Hook::PrepareCommitMsg) && hooks.has(Hook::PostCommit) && !hooks.has(Hook::PreCommit));
    }

    #[test]
    fn versions_are_read() {
        assert_eq!(version("git version 2.47.3\n"), Some((2, 47)));
        assert_eq!(version("git version 2.39.3 (Apple Git-146)\n"), Some((2, 39)));
        assert_eq!(version("git version 2.50.GIT\n"), Some((2, 50)));
        assert_eq!(version("hub version 2\n"), None);
    }
}
