//! The settings of one run: plain, typed, complete. Nothing in here remembers where a value came from.

use std::collections::BTreeMap;
use std::time::Duration;

use super::options;
use crate::role::{Reasoning, Role};

/// Everything that configuration decides for a run. [`Default`] gives the built-in defaults.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// What each role uses.
    pub roles: Roles,
    /// Whether a run with nothing staged takes the whole working tree.
    pub auto_stage_all: bool,
    /// How much is told: 0, 1 (`-v`) or 2 (`-vv`, with contents).
    pub verbose: usize,
    /// The providers that are asked in order when the first one fails for a reason of its own.
    pub fallback: Vec<String>,
    /// How messages are made.
    pub generation: Generation,
    /// How the trees of several commits are made.
    pub stager: Stager,
    /// What happens to credentials in what an agent would see.
    pub secrets: Secrets,
    /// How many calls go on at once, over all runs.
    pub admission: Admission,
}

impl Settings {
    /// What a role uses.
    #[must_use]
    pub const fn role(&self, role: Role) -> &RoleSettings {
        match role {
            Role::Planner => &self.roles.planner,
            Role::Stager => &self.roles.stager,
            Role::Message => &self.roles.message,
            Role::Arbiter => &self.roles.arbiter,
        }
    }

    pub(super) const fn role_mut(&mut self, role: Role) -> &mut RoleSettings {
        match role {
            Role::Planner => &mut self.roles.planner,
            Role::Stager => &mut self.roles.stager,
            Role::Message => &mut self.roles.message,
            Role::Arbiter => &mut self.roles.arbiter,
        }
    }

    /// Settings before any layer, the defaults included: the option table fills them.
    pub(super) const fn blank() -> Self {
        Self {
            roles: Roles {
                planner: RoleSettings::BLANK,
                stager: RoleSettings::BLANK,
                message: RoleSettings::BLANK,
                arbiter: RoleSettings::BLANK,
            },
            auto_stage_all: false,
            verbose: 0,
            fallback: Vec::new(),
            generation: Generation::BLANK,
            stager: Stager::Auto,
            secrets: Secrets::Redact,
            admission: Admission { general: SeatSettings::BLANK, providers: BTreeMap::new() },
        }
    }
}

impl Default for Settings {
    fn default() -> Self {
        let mut settings = Self::blank();
        options::store_defaults(&mut settings);
        settings
    }
}

/// What each role uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Roles {
    /// Of the planner.
    pub planner: RoleSettings,
    /// Of the stager.
    pub stager: RoleSettings,
    /// Of the message writer.
    pub message: RoleSettings,
    /// Of the arbiter.
    pub arbiter: RoleSettings,
}

/// What one role uses, after inheritance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoleSettings {
    /// The provider's name; `None`: to be detected.
    pub provider: Option<String>,
    /// The model; `None`: the manifest's default, if it has one. Never empty and never with a leading `-`.
    pub model: Option<String>,
    /// How hard the model may think.
    pub reasoning: Reasoning,
    /// How long one call may take, in whole seconds, at least one.
    pub timeout: Duration,
}

impl RoleSettings {
    const BLANK: Self = Self { provider: None, model: None, reasoning: Reasoning::Off, timeout: Duration::ZERO };
}

/// How many calls of a provider go on at once, over all runs of the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Admission {
    /// Of every provider that has nothing of its own.
    pub general: SeatSettings,
    /// Of single providers, by name.
    pub providers: BTreeMap<String, SeatSettings>,
}

impl Admission {
    /// What applies to a provider.
    #[must_use]
    pub fn of(&self, provider: &str) -> &SeatSettings {
        self.providers.get(provider).unwrap_or(&self.general)
    }
}

/// How calls are admitted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeatSettings {
    /// How many go on at once.
    pub max_active: usize,
    /// How many begin at once.
    pub max_starts: usize,
    /// The least time between two beginnings, in whole seconds.
    pub min_spacing: Duration,
    /// Whose calls are counted together.
    pub scope: Scope,
}

impl SeatSettings {
    const BLANK: Self = Self { max_active: 0, max_starts: 0, min_spacing: Duration::ZERO, scope: Scope::Provider };
}

/// Whose calls are counted together.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Scope {
    /// Those of one provider.
    Provider,
    /// Those of all providers that name this account.
    Account(String),
}

/// How messages are made.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "each is a setting of its own")]
pub struct Generation {
    /// Without a token limit: the cap on all diff text but markdown's, in bytes.
    pub max_diff_bytes: usize,
    /// Without a token limit: the cap per markdown file, in lines.
    pub max_md_lines: usize,
    /// The cap on the whole prompt, in estimated tokens; 0: the two caps above apply instead.
    pub token_limit: usize,
    /// Lines of context around each change, 0 to 3.
    pub diff_context: usize,
    /// How often a message is asked for again because its subject was used before.
    pub max_duplicate_retries: usize,
    /// The length of subject that the model is asked to keep to, in characters.
    pub subject_target_chars: usize,
    /// Forces how every provider's output is read; `None`: the manifest's.
    pub output: Option<OutputMode>,
    /// Forces whether a code fence is unwrapped; `None`: the manifest's.
    pub strip_code_fence: Option<bool>,
    /// File name extensions that count as binary beside the built-in ones, lower case, without the dot.
    pub binary_extensions: Vec<String>,
    /// Patterns of files whose contents an agent does not see; every layer's, lowest first.
    pub exclude: Vec<String>,
    /// The shape of messages.
    pub format: Format,
    /// The language of messages, in any form that a model understands.
    pub locale: Option<String>,
    /// A text with `$msg` in it, which stands for the message.
    pub template: Option<String>,
    /// The most commits that a dirty tree may become.
    pub max_commits: usize,
    /// How many agents one run may ask at the same time.
    pub max_parallel: usize,
    /// Whether new commits are pushed.
    pub push: bool,
    /// Whether the hooks `pre-commit` and `commit-msg` are left out.
    pub no_verify: bool,
    /// How long a hook or the program that signs may take.
    pub hook_timeout: Duration,
    /// Whether a large change is sent in several turns when one call brings no message.
    pub multi_turn_fallback: bool,
    /// How much of a large change one turn carries, in estimated tokens.
    pub multi_turn_chunk_tokens: usize,
    /// How often diffs may be asked for when the work is described.
    pub work_desc_read_rounds: usize,
    /// Whether a run goes on when the program that started it is gone.
    pub no_parent_watchdog: bool,
}

impl Generation {
    const BLANK: Self = Self {
        max_diff_bytes: 0,
        max_md_lines: 0,
        token_limit: 0,
        diff_context: 0,
        max_duplicate_retries: 0,
        subject_target_chars: 0,
        output: None,
        strip_code_fence: None,
        binary_extensions: Vec::new(),
        exclude: Vec::new(),
        format: Format { style: Style::Auto, body: false },
        locale: None,
        template: None,
        max_commits: 0,
        max_parallel: 0,
        push: false,
        no_verify: false,
        hook_timeout: Duration::ZERO,
        multi_turn_fallback: false,
        multi_turn_chunk_tokens: 0,
        work_desc_read_rounds: 0,
        no_parent_watchdog: false,
    };
}

/// How a provider's standard output is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OutputMode {
    /// It is the text.
    Raw,
    /// It is JSON that holds the text.
    Json,
}

/// The shape of messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Format {
    /// How the subject is built.
    pub style: Style,
    /// Whether a body is demanded (`+body`).
    pub body: bool,
}

/// How subjects are built.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Style {
    /// As the history does, or Conventional Commits where there is too little of it.
    Auto,
    /// Conventional Commits.
    Conventional,
    /// One emoji of the gitmoji table, then the description.
    Gitmoji,
    /// Neither type nor emoji.
    Plain,
}

/// How the trees of several commits are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stager {
    /// Without an agent where no file is shared, else by numbered hunks; with tools where that gave nothing usable.
    Auto,
    /// An agent that is shown numbered hunks gives each to a commit.
    Hunks,
    /// An agent stages with git itself, in a scratch repository.
    Tooled,
}

/// What happens to credentials in what an agent would see.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Secrets {
    /// They are masked, with a warning.
    Redact,
    /// The run stops.
    Abort,
    /// Nothing is looked for.
    Off,
}
