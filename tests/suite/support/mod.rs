//! A hermetic world for one test: a home, a repository, a `PATH` with nothing but git and a few POSIX tools, and an agent
//! that is a shell script.

#![allow(dead_code)]

mod roles;
mod row;

pub use roles::{Roles, WAIT, plan, say, while_asked};
pub use row::{Row, fresh};

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

use tempfile::TempDir;

/// The tools that scripted agents and git itself need.
const TOOLS: [&str; 25] = [
    "git", "sh", "cat", "sleep", "head", "tail", "printf", "echo", "touch", "rm", "mkdir", "kill", "env", "yes",
    "grep", "sed", "ls", "wc", "tr", "ln", "mkfifo", "mv", "dirname", "basename", "dd",
];

/// A user with a home, a repository and perhaps an agent.
pub struct World {
    folder: TempDir,
    repository: PathBuf,
    environment: BTreeMap<String, String>,
}

/// What a run of stagecoach did.
#[derive(Debug, Clone)]
pub struct Run {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl World {
    /// An empty repository on the branch `main`, an identity, no agent.
    pub fn new() -> Self {
        Self::in_repository("repo")
    }

    pub fn in_repository(name: &str) -> Self {
        let folder = tempfile::Builder::new().prefix("world-").tempdir().unwrap();
        let folder_path = folder.path().canonicalize().unwrap();
        for dir in ["home/.config", "bin", "tmp", "run"] {
            std::fs::create_dir_all(folder_path.join(dir)).unwrap();
        }
        std::fs::set_permissions(folder_path.join("run"), PermissionsExt::from_mode(0o700)).unwrap();
        for tool in TOOLS {
            if let Some(path) = host_tool(tool) {
                std::os::unix::fs::symlink(path, folder_path.join("bin").join(tool)).unwrap();
            }
        }
        let text = |path: PathBuf| path.to_str().unwrap().to_owned();
        let environment = [
            ("HOME", text(folder_path.join("home"))),
            ("XDG_CONFIG_HOME", text(folder_path.join("home/.config"))),
            ("XDG_STATE_HOME", text(folder_path.join("home/.local/state"))),
            ("XDG_CACHE_HOME", text(folder_path.join("home/.cache"))),
            ("XDG_RUNTIME_DIR", text(folder_path.join("run"))),
            ("TMPDIR", text(folder_path.join("tmp"))),
            ("PATH", text(folder_path.join("bin"))),
            ("GIT_CONFIG_GLOBAL", text(folder_path.join("home/gitconfig"))),
            ("GIT_CONFIG_NOSYSTEM", "1".to_owned()),
            ("TZ", "UTC".to_owned()),
            ("LC_ALL", "C".to_owned()),
        ];
        let world = Self {
            repository: folder_path.join(name),
            folder,
            environment: environment.into_iter().map(|(key, value)| (key.to_owned(), value)).collect(),
        };
        std::fs::write(
            world.home("gitconfig"),
            "[user]\n\tname = A U Thor\n\temail = author@example.com\n[init]\n\tdefaultBranch = main\n\
             [gc]\n\tauto = 0\n[advice]\n\tdetachedHead = false\n",
        )
        .unwrap();
        std::fs::create_dir_all(&world.repository).unwrap();
        world.git(&["init", "-q"]);
        world
    }

    /// A world whose repository has two commits and whose agent answers with a fixed message.
    pub fn with_message(message: &str) -> Self {
        let world = Self::new();
        world.commit("Start the project", &[("README.md", "# Project\n")]);
        world.commit("Describe the goal", &[("README.md", "# Project\n\nIt shall work.\n")]);
        world.agent_says(message);
        world
    }

    pub fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    pub fn repository(&self) -> &Path {
        &self.repository
    }

    /// From now on the repository is another one, named by its place as seen from this one.
    pub fn enter(&mut self, relative: &str) {
        self.repository = self.repository.join(relative).canonicalize().unwrap();
    }

    pub fn path(&self, relative: &str) -> PathBuf {
        self.repository.join(relative)
    }

    pub fn home(&self, relative: &str) -> PathBuf {
        self.root().join("home").join(relative)
    }

    pub fn set(&mut self, variable: &str, value: &str) -> &mut Self {
        self.environment.insert(variable.to_owned(), value.to_owned());
        self
    }

    pub fn unset(&mut self, variable: &str) -> &mut Self {
        self.environment.remove(variable);
        self
    }

    // ---- files and git

    pub fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.path(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    pub fn read(&self, path: &str) -> String {
        String::from_utf8_lossy(&std::fs::read(self.path(path)).unwrap()).into_owned()
    }

    pub fn stage(&self, path: &str, content: impl AsRef<[u8]>) {
        self.write(path, content);
        self.git(&["add", "--", path]);
    }

    pub fn commit(&self, message: &str, files: &[(&str, &str)]) -> String {
        for (path, content) in files {
            self.stage(path, content);
        }
        self.git(&["commit", "-q", "--allow-empty", "-m", message]);
        self.git(&["rev-parse", "HEAD"])
    }

    /// Runs git and returns its standard output without the last newline.
    pub fn git(&self, arguments: &[&str]) -> String {
        let output = self.try_git(arguments);
        assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).trim_end_matches('\n').to_owned()
    }

    pub fn try_git(&self, arguments: &[&str]) -> Output {
        self.program("git").args(arguments).output().unwrap()
    }

    /// A program in this world's environment, started in the repository.
    pub fn program(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command.env_clear().envs(&self.environment).current_dir(&self.repository).stdin(Stdio::null());
        command
    }

    /// The message of a commit, exactly.
    pub fn message(&self, revision: &str) -> String {
        let output = self.try_git(&["log", "-1", "--format=%B", revision]);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        text.strip_suffix('\n').unwrap_or(&text).to_owned()
    }

    pub fn head(&self) -> String {
        self.git(&["rev-parse", "HEAD"])
    }

    // ---- the agent

    /// Writes a POSIX shell script that is the provider `fake`, and makes it the default.
    pub fn agent(&self, script: &str) {
        self.agent_with(script, "");
    }

    /// The same with more lines for its manifest.
    pub fn agent_with(&self, script: &str, manifest: &str) {
        // A script that does not tell roles apart writes messages, and plans nothing: everything is one commit.
        let plans = script.contains("STAGECOACH_ROLE");
        let single =
            "if test \"$STAGECOACH_ROLE\" = planner; then cat > /dev/null; echo '{\"single\": true}'; exit; fi\n";
        let program = self.script("fake-agent", &format!("{}{script}", if plans { "" } else { single }));
        self.config(&format!(
            "config_version = 3\n[defaults]\nprovider = \"fake\"\n\n[provider.fake]\ncommand = {program:?}\n{manifest}",
        ));
    }

    /// An agent that reads its prompt, keeps it in `prompt`, and answers with a fixed text.
    pub fn agent_says(&self, answer: &str) {
        let file = self.root().join("answer");
        std::fs::write(&file, answer).unwrap();
        let prompt = self.root().join("prompt");
        self.agent(&format!("cat > '{}'\ncat '{}'", prompt.display(), file.display()));
    }

    /// What the agent of [`Self::agent_says`] was sent last.
    pub fn prompt(&self) -> String {
        std::fs::read_to_string(self.root().join("prompt")).unwrap()
    }

    /// Writes an executable shell script outside the repository and returns its path.
    pub fn script(&self, name: &str, script: &str) -> String {
        let path = self.root().join(name);
        std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
        path.to_str().unwrap().to_owned()
    }

    /// Installs a hook of the repository, a shell script.
    pub fn hook(&self, name: &str, script: &str) {
        let folder =
            PathBuf::from(self.git(&["rev-parse", "--path-format=absolute", "--git-common-dir"])).join("hooks");
        self.hook_in(&folder, name, script);
    }

    pub fn hook_in(&self, folder: &Path, name: &str, script: &str) {
        std::fs::create_dir_all(folder).unwrap();
        let path = folder.join(name);
        std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
    }

    /// From here on everything happens in another working tree.
    pub fn move_to(&mut self, repository: &Path) {
        repository.clone_into(&mut self.repository);
    }

    /// Writes the user's configuration file.
    pub fn config(&self, text: &str) {
        let path = self.home(".config/stagecoach/config.toml");
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    // ---- stagecoach

    pub fn stagecoach(&self, arguments: &[&str]) -> Command {
        let mut command = self.program(env!("CARGO_BIN_EXE_stagecoach"));
        command.args(arguments);
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Run {
        Run::of(self.stagecoach(arguments).output().unwrap())
    }

    /// HEAD's tree, and those that come of adding these files to it, one after the other.
    pub fn trees_of_adding(&self, files: &[&str]) -> Vec<String> {
        let index = tempfile::tempdir_in(self.root()).unwrap();
        let git = |arguments: &[&str]| {
            let mut command = self.program("git");
            let output = command.env("GIT_INDEX_FILE", index.path().join("index")).args(arguments).output().unwrap();
            String::from_utf8(output.stdout).unwrap().trim().to_owned()
        };
        git(&["read-tree", "HEAD"]);
        let mut trees = vec![git(&["write-tree"])];
        for file in files {
            git(&["add", file]);
            trees.push(git(&["write-tree"]));
        }
        trees
    }

    // ---- what must not change

    /// Everything that a failed run must leave as it was: refs (but those that keep a rescue), HEAD, the index file's bytes, the working tree.
    pub fn state(&self) -> State {
        let git_dir = PathBuf::from(self.git(&["rev-parse", "--absolute-git-dir"]));
        let index = git_dir.join("index");
        State {
            refs: self.git(&["for-each-ref", "--format=%(refname) %(objectname)", "--exclude=refs/stagecoach/"]),
            head: std::fs::read_to_string(git_dir.join("HEAD")).unwrap(),
            index_bytes: std::fs::read(&index).ok(),
            files: files_below(&self.repository),
            locks: locks_below(&git_dir),
        }
    }

    /// Nothing of ours is left in the temporary folder or the git folder, besides kept messages.
    pub fn assert_tidy(&self) {
        let left: Vec<String> = names(&self.root().join("tmp"));
        assert!(left.is_empty(), "left in TMPDIR: {left:?}");
        let git_dir = PathBuf::from(self.git(&["rev-parse", "--absolute-git-dir"]));
        let ours: Vec<String> = names(&git_dir).into_iter().filter(|name| name.starts_with("stagecoach-")).collect();
        assert!(ours.is_empty(), "left in the git folder: {ours:?}");
        assert_eq!(locks_below(&git_dir), Vec::<PathBuf>::new(), "locks left");
    }
}

/// See [`World::state`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct State {
    refs: String,
    head: String,
    index_bytes: Option<Vec<u8>>,
    files: BTreeMap<PathBuf, Vec<u8>>,
    locks: Vec<PathBuf>,
}

impl Run {
    pub fn of(output: Output) -> Self {
        Self {
            // A death by signal shows as the negative number of the signal.
            code: output
                .status
                .code()
                .unwrap_or_else(|| -std::os::unix::process::ExitStatusExt::signal(&output.status).unwrap_or(999)),
            stdout: String::from_utf8(output.stdout).expect("standard output is UTF-8"),
            stderr: String::from_utf8(output.stderr).expect("standard error is UTF-8"),
        }
    }

    #[track_caller]
    pub fn succeeds(self) -> Self {
        assert_eq!(self.code, 0, "{self:#?}");
        self
    }

    #[track_caller]
    pub fn fails_with(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{self:#?}");
        self
    }

    /// Every given text is on standard error.
    #[track_caller]
    pub fn says(self, texts: &[&str]) -> Self {
        for text in texts {
            assert!(self.stderr.contains(text), "missing {text:?} in {self:#?}");
        }
        self
    }
}

/// Runs stagecoach with an agent that reports on its standard error's file when it is asked, waits for the go-ahead, and
/// meanwhile does something to the repository.
pub fn while_the_agent_thinks(world: &World, arguments: &[&str], meanwhile: impl FnOnce(&World)) -> Run {
    let (asked, go) = (world.root().join("asked"), world.root().join("go"));
    world.agent(&format!(
        "cat > /dev/null; echo asked > '{}'; while ! test -e '{}'; do sleep 0.01; done; echo 'Write it down'",
        asked.display(),
        go.display()
    ));
    while_asked(world, arguments, meanwhile)
}

/// Runs the shell commands that a failed run printed.
pub fn paste(world: &World, run: &Run) {
    let start = run.stderr.find("commit=$(").unwrap_or_else(|| panic!("{run:#?}"));
    let lines: Vec<&str> = run.stderr[start..].lines().map(str::trim).collect();
    let end = lines.iter().position(|line| !line.ends_with("&&")).unwrap();
    let output = world.program("sh").args(["-c", &lines[..=end].join("\n")]).output().unwrap();
    assert!(output.status.success(), "{output:?}");
}

/// Runs stagecoach and kills it while the agent thinks, once it has noted what it froze.
pub fn killed_while_the_agent_thinks(world: &World, arguments: &[&str]) {
    let before = records(world).len();
    let asked = world.root().join("asked");
    drop(std::fs::remove_file(&asked));
    world.agent(&format!("cat > /dev/null; echo asked > '{}'; sleep 5", asked.display()));
    let mut child = world.stagecoach(arguments).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(60);
    let is_noted = |path: &PathBuf| path.metadata().is_ok_and(|file| file.len() > 0);
    while records(world).iter().filter(|path| is_noted(path)).count() == before || !asked.exists() {
        assert!(std::time::Instant::now() < deadline, "nothing was noted");
        if child.try_wait().unwrap().is_some() {
            panic!("ended before noting anything: {:#?}", Run::of(child.wait_with_output().unwrap()));
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
}

/// The files that runs of any worktree noted something in.
pub fn records(world: &World) -> Vec<PathBuf> {
    let mut records = Vec::new();
    walk(&world.path(".git"), &mut |path| {
        if path.parent().is_some_and(|parent| parent.ends_with("stagecoach/rescue"))
            && path.extension().is_some_and(|extension| extension == "json")
        {
            records.push(path.to_owned());
        }
    });
    records.sort();
    records
}

fn host_tool(name: &str) -> Option<PathBuf> {
    static PATHS: OnceLock<Vec<PathBuf>> = OnceLock::new();
    let paths = PATHS.get_or_init(|| std::env::split_paths(&std::env::var_os("PATH").unwrap()).collect());
    paths.iter().map(|dir| dir.join(name)).find(|path| path.is_file())
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect()
}

fn walk(folder: &Path, visit: &mut dyn FnMut(&Path)) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        visit(&path);
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            walk(&path, visit);
        }
    }
}

fn files_below(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    walk(folder, &mut |path| {
        let inside_git = path.components().any(|part| part.as_os_str() == ".git");
        if !inside_git && path.symlink_metadata().is_ok_and(|file| file.is_file()) {
            files.insert(path.to_owned(), std::fs::read(path).unwrap());
        }
    });
    files
}

fn locks_below(git_dir: &Path) -> Vec<PathBuf> {
    let mut locks = Vec::new();
    walk(git_dir, &mut |path| {
        if path.extension().is_some_and(|extension| extension == "lock") {
            locks.push(path.to_owned());
        }
    });
    locks
}
