//! An agent that plays all roles of a decomposition: one shell snippet for each, and a few that are often wanted.

use std::path::PathBuf;
use std::process::Stdio;

use serde_json::{Value, json};

use super::{Run, World, records};

/// What the agent does in each role. Its prompt lies in the file `$prompt`, and `$root` is the folder of the world.
pub struct Roles {
    planner: String,
    stager: String,
    arbiter: String,
    message: String,
    manifest: String,
    settings: String,
}

/// Names the first file that the prompt lists, or the subject that it has not used before.
const NAME_THE_FIRST_FILE: &str = "\
file=$(sed -n 's/^[AMDRT]\t[-0-9?]*\t[-0-9?]*\t//p' \"$prompt\" | head -n 1)
echo \"feat: change $file\"";

impl Roles {
    /// A planner that divides the change so.
    pub fn plan(commits: &[(&str, &[&str])]) -> Self {
        Self::planner(&say(&plan(commits)))
    }

    pub fn planner(script: &str) -> Self {
        Self {
            planner: script.to_owned(),
            stager: "exit 21".to_owned(),
            arbiter: "exit 22".to_owned(),
            message: NAME_THE_FIRST_FILE.to_owned(),
            manifest: String::new(),
            settings: String::new(),
        }
    }

    pub fn stager(mut self, script: &str) -> Self {
        self.stager = script.to_owned();
        self
    }

    /// A stager that gives the hunks, in order, to these concepts.
    pub fn sorts(self, concepts: &[&str]) -> Self {
        let pairs = concepts.iter().enumerate().map(|(index, id)| json!({ "hunk": index + 1, "concept": id }));
        let answer = json!({ "assignments": pairs.collect::<Vec<_>>() });
        self.stager(&say(&answer))
    }

    pub fn arbiter(mut self, script: &str) -> Self {
        self.arbiter = script.to_owned();
        self
    }

    pub fn message(mut self, script: &str) -> Self {
        self.message = script.to_owned();
        self
    }

    /// Runs more before the message is written.
    pub fn before_message(mut self, script: &str) -> Self {
        self.message = format!("{script}\n{}", self.message);
        self
    }

    pub fn manifest(mut self, lines: &str) -> Self {
        self.manifest.push_str(lines);
        self
    }

    /// More tables for the configuration file.
    pub fn settings(mut self, lines: &str) -> Self {
        self.settings.push_str(lines);
        self
    }

    /// Writes the agent and makes it the default provider.
    pub fn install(&self, world: &World) {
        let root = world.root();
        let script = format!(
            "root='{}'\nprompt=$root/prompt.$STAGECOACH_ROLE.$$\ncat > \"$prompt\"\necho $STAGECOACH_ROLE >> $root/calls\n\
             case $STAGECOACH_ROLE in\nplanner)\n{}\n;;\nstager)\n{}\n;;\narbiter)\n{}\n;;\nmessage)\n{}\n;;\nesac",
            root.display(),
            self.planner,
            self.stager,
            self.arbiter,
            self.message
        );
        world.agent_with(&script, &format!("{}\n{}", self.manifest, self.settings));
    }
}

/// A plan as planners answer it.
pub fn plan(commits: &[(&str, &[&str])]) -> Value {
    let commit = |(title, files): &(&str, &[&str])| json!({ "title": title, "description": "", "files": files });
    json!({ "count": commits.len(), "single": false, "commits": commits.iter().map(commit).collect::<Vec<_>>() })
}

/// A snippet that prints an answer.
pub fn say(answer: &Value) -> String {
    format!("cat <<'END-OF-ANSWER'\n{answer}\nEND-OF-ANSWER")
}

/// A snippet that tells [`while_asked`] that it came so far, and waits for the go-ahead.
pub const WAIT: &str = "echo > $root/asked; while ! test -e $root/go; do sleep 0.01; done";

/// Runs stagecoach and does something to the repository while a snippet with [`WAIT`] waits.
pub fn while_asked(world: &World, arguments: &[&str], meanwhile: impl FnOnce(&World)) -> Run {
    let (asked, go) = (world.root().join("asked"), world.root().join("go"));
    // An earlier run of the same test may have left them.
    [&asked, &go].into_iter().for_each(|sign| drop(std::fs::remove_file(sign)));
    let mut child = world.stagecoach(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(60);
    while !asked.exists() {
        assert!(std::time::Instant::now() < deadline, "the agent was never asked");
        if child.try_wait().unwrap().is_some() {
            panic!("ended before asking: {:#?}", Run::of(child.wait_with_output().unwrap()));
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    meanwhile(world);
    std::fs::write(go, "").unwrap();
    Run::of(child.wait_with_output().unwrap())
}

impl World {
    /// The roles that were asked since the start, in order.
    pub fn calls(&self) -> Vec<String> {
        let calls = std::fs::read_to_string(self.root().join("calls")).unwrap_or_default();
        calls.lines().map(str::to_owned).collect()
    }

    pub fn calls_of(&self, role: &str) -> usize {
        self.calls().iter().filter(|call| *call == role).count()
    }

    /// All prompts that a role was sent.
    pub fn prompts_of(&self, role: &str) -> Vec<String> {
        let mut files: Vec<PathBuf> =
            std::fs::read_dir(self.root()).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.retain(|path| path.file_name().unwrap().to_string_lossy().starts_with(&format!("prompt.{role}.")));
        files.sort_by_key(|path| path.metadata().unwrap().modified().unwrap());
        files.iter().map(|path| std::fs::read_to_string(path).unwrap()).collect()
    }

    /// The tree that `git add -A` would make of the working tree now.
    pub fn whole_tree(&self) -> String {
        let index = tempfile::tempdir_in(self.root()).unwrap();
        let git = |arguments: &[&str]| {
            let mut command = self.program("git");
            let output = command.env("GIT_INDEX_FILE", index.path().join("index")).args(arguments).output().unwrap();
            assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
            String::from_utf8(output.stdout).unwrap().trim().to_owned()
        };
        if self.try_git(&["rev-parse", "-q", "--verify", "HEAD"]).status.success() {
            git(&["read-tree", "HEAD"]);
        }
        git(&["add", "-A"]);
        git(&["write-tree"])
    }

    /// The subjects since a commit, oldest first.
    pub fn subjects_since(&self, base: &str) -> Vec<String> {
        let range = if base.is_empty() { "HEAD".to_owned() } else { format!("{base}..HEAD") };
        let log = self.git(&["log", "--reverse", "--format=%s", &range]);
        log.lines().map(str::to_owned).collect()
    }

    /// The names of the files of each commit since a commit, oldest first, renames as two.
    pub fn files_since(&self, base: &str) -> Vec<Vec<String>> {
        let range = if base.is_empty() { "HEAD".to_owned() } else { format!("{base}..HEAD") };
        let commits = self.git(&["rev-list", "--reverse", &range]);
        let files = |commit: &str| {
            let names =
                self.git(&["diff-tree", "-r", "--root", "--no-commit-id", "--no-renames", "--name-only", commit]);
            names.lines().map(str::to_owned).collect()
        };
        commits.lines().map(files).collect()
    }

    /// A run came to a good end: the tip has the tree, nothing is dirty, no commit is empty, nothing is left lying.
    #[track_caller]
    pub fn assert_whole(&self, tree: &str, base: &str) {
        assert_eq!(self.git(&["rev-parse", "HEAD^{tree}"]), tree, "the tip has another tree");
        assert_eq!(self.git(&["diff-index", "HEAD"]), "");
        assert_eq!(self.git(&["status", "--porcelain"]), "");
        assert!(self.files_since(base).iter().all(|files| !files.is_empty()), "an empty commit");
        self.git(&["fsck", "--strict", "--no-dangling"]);
        assert_eq!(records(self), Vec::<PathBuf>::new());
        self.assert_tidy();
    }
}
