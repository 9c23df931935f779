//! The document that `--json` prints. Its shape is described in `docs/json.md`; a change that breaks a reader raises
//! [`SCHEMA`].

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Serialize;

use crate::usage::{Amount, Cost, Ledger, Total};

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
    /// What the agents used; absent where no call reported anything.
    pub usage: Option<RunUsage>,
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
            usage: None,
            warnings: Vec::new(),
            error: None,
        }
    }

    /// Notes how long the run took.
    pub fn took(&mut self, elapsed: Duration) {
        self.duration_ms = u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX);
    }

    /// Notes what the calls of the run used.
    pub fn used(&mut self, ledger: &Ledger) {
        let total = ledger.total();
        self.usage = (!total.is_empty()).then(|| RunUsage {
            total: (&total).into(),
            roles: ledger.roles().map(|(role, total)| (role.name(), total.into())).collect(),
        });
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

/// What all calls of a run used.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunUsage {
    /// All of them together.
    #[serde(flatten)]
    pub total: Usage,
    /// The same for each role that was asked.
    pub roles: BTreeMap<&'static str, Usage>,
}

/// What several calls used. A number that none of them reported is absent.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Usage {
    /// How many calls there were.
    pub calls: usize,
    /// Tokens that were sent to models.
    pub input_tokens: Option<u64>,
    /// Tokens that models answered with.
    pub output_tokens: Option<u64>,
    /// Tokens that were read from a cache.
    pub cached_tokens: Option<u64>,
    /// What they cost, in US dollars.
    pub cost_usd: Option<f64>,
    /// Which of these only some of the calls reported.
    pub partial: Vec<&'static str>,
}

impl From<&Total> for Usage {
    fn from(total: &Total) -> Self {
        let mut partial = Vec::new();
        let mut tokens = |name, amount: Option<Amount<u64>>| {
            partial.extend(amount.filter(|amount| amount.is_partial).map(|_| name));
            amount.map(|amount| amount.value)
        };
        let input_tokens = tokens("input_tokens", total.input());
        let output_tokens = tokens("output_tokens", total.output());
        let cached_tokens = tokens("cached_tokens", total.cached());
        let cost = total.cost();
        partial.extend(cost.filter(|cost| cost.is_partial).map(|_| "cost_usd"));
        let cost_usd = cost.map(|Amount { value, .. }| Cost::dollars(value));
        Self { calls: total.calls(), input_tokens, output_tokens, cached_tokens, cost_usd, partial }
    }
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
