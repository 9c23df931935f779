//! The document that `--json` prints. Its shape is described in `docs/json.md`; a change that breaks a reader raises
//! [`SCHEMA`].

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Serialize;

/// The version of the document's shape.
pub const SCHEMA: u32 = 1;

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// A commit was made.
    Committed,
    /// A dry run has its message.
    DryRun,
    /// Somebody else committed the very same tree meanwhile.
    AlreadyCommitted,
    /// Another run is committing the very same tree at the moment.
    BeingCommitted,
    /// It failed; see `error`.
    Failed,
}

/// The whole document.
#[derive(Debug, Clone, Serialize)]
pub struct Document {
    /// [`SCHEMA`].
    pub schema: u32,
    /// The program's version.
    pub version: &'static str,
    /// How it ended.
    pub outcome: Outcome,
    /// The commits made, or for a dry run the one that would be made, without id.
    pub commits: Vec<Commit>,
    /// Whether they were pushed.
    pub pushed: bool,
    /// The provider of the message role; absent where none was needed.
    pub provider: Option<String>,
    /// The model passed to it; absent where the agent used its own default.
    pub model: Option<String>,
    /// Which roles were asked, and of whom.
    pub roles: BTreeMap<&'static str, Role>,
    /// Wall-clock time of the run in milliseconds.
    pub duration_ms: u64,
    /// How often an answer was not taken and asked for again.
    pub retries: usize,
    /// What was said on the way.
    pub warnings: Vec<String>,
    /// Why it failed.
    pub error: Option<Error>,
}

impl Document {
    /// A document without commits or error.
    #[must_use]
    pub fn new(outcome: Outcome) -> Self {
        Self {
            schema: SCHEMA,
            version: env!("CARGO_PKG_VERSION"),
            outcome,
            commits: Vec::new(),
            pushed: false,
            provider: None,
            model: None,
            roles: BTreeMap::new(),
            duration_ms: 0,
            retries: 0,
            warnings: Vec::new(),
            error: None,
        }
    }

    /// Notes how long the run took.
    pub fn took(&mut self, elapsed: Duration) {
        self.duration_ms = u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX);
    }
}

/// One commit.
#[derive(Debug, Clone, Serialize)]
pub struct Commit {
    /// The full id; absent in a dry run.
    pub id: Option<String>,
    /// The first line of the message.
    pub subject: String,
    /// The whole message as committed.
    pub message: String,
    /// What it changes.
    pub files: Vec<File>,
}

/// One changed file. Paths that are not UTF-8 have replacement characters.
#[derive(Debug, Clone, Serialize)]
pub struct File {
    /// git's status letter.
    pub status: char,
    /// The path after the change, or the last one of a deleted file.
    pub path: String,
    /// The path before a rename.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old_path: Option<String>,
    /// Lines added; absent for what has no lines and for what was not counted.
    pub added: Option<u64>,
    /// Lines deleted; likewise.
    pub deleted: Option<u64>,
}

/// A role that was asked.
#[derive(Debug, Clone, Serialize)]
pub struct Role {
    /// The provider's name.
    pub provider: String,
    /// The model passed on.
    pub model: Option<String>,
    /// The reasoning level.
    pub reasoning: &'static str,
}

/// Why a run failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Error {
    /// The exit code.
    pub exit: u8,
    /// A stable word for the kind of failure.
    pub code: String,
    /// What failed, and why.
    pub message: String,
    /// What to do next.
    pub hint: String,
    /// What is needed to finish by hand, where something was frozen.
    pub rescue: Option<Rescue>,
}

/// What a failed run froze.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Rescue {
    /// The name of its record, for `stagecoach rescue`; absent where none could be written.
    pub run: Option<String>,
    /// The frozen tree.
    pub tree: String,
    /// The parents that the commit would have had.
    pub parents: Vec<String>,
    /// The best message there was.
    pub message: Option<String>,
    /// The command that finishes it.
    pub command: Option<String>,
    /// Shell commands that do the same without stagecoach.
    pub recipe: Option<String>,
}
