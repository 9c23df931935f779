//! Every setting, declared once.
//!
//! A row of [`TABLE`] is all that a setting needs beside its field in [`Settings`]: its key, what it takes, its default,
//! the variable, git-config key and flag that set it, and what a repository that nobody trusts may do with it. Reading,
//! error messages, `config show` and the tables in the documentation follow from the row; tests hold them to it.
//!
//! A row whose value lives in [`RoleSettings`] stands for five keys: `defaults.<field>`, and `role.<role>.<field>` for
//! each role, with variable, git-config key and flag named alike.

use std::fmt;
use std::time::Duration;

use toml::de::DeValue;

use super::settings::{Format, OutputMode, RoleSettings, Secrets, Settings, Style};
use super::text::nearest;
use super::value::{Choice, Dialect, Problem, Slot, Value};
use crate::role::{Reasoning, Role};

/// The declaration of one setting.
pub struct Declaration {
    /// The dotted key in a file.
    pub key: &'static str,
    /// What it takes and where that is stored.
    pub(super) target: Target,
    /// The built-in default; `None`: unset.
    pub default: Option<Value>,
    /// The environment variable, without the prefix `STAGECOACH_`.
    pub variable: Option<&'static str>,
    /// The variable in git's configuration, below `stagecoach.`.
    pub git_key: Option<&'static str>,
    /// The flag, without its value.
    pub flag: Option<&'static str>,
    /// What `.stagecoach.toml` may do before it is trusted.
    pub untrusted: Untrusted,
    /// What it decides, in one line.
    pub doc: &'static str,
}

/// Where a setting's value is stored.
pub(super) enum Target {
    /// Once for the run.
    Run(Slot<Settings>),
    /// For every role.
    Role {
        /// What it takes.
        slot: Slot<RoleSettings>,
        /// Built-in defaults of single roles; they beat what files and git's configuration set for all roles.
        presets: &'static [(Role, Value)],
    },
}

/// What a repository file that is not trusted may do with a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Untrusted {
    /// Nothing.
    Ignored,
    /// Set it: it only shapes messages.
    Allowed,
    /// Lower it.
    Lowers,
    /// Lower it, where 0 means that a cap in bytes applies in its place.
    LowersTokens {
        /// The key of that cap.
        bytes: &'static str,
    },
}

/// The section of provider manifests, whose keys are not options.
pub(crate) const PROVIDER_SECTION: &str = "provider";
/// The key that says how a file is to be read.
pub(crate) const VERSION_KEY: &str = "config_version";
/// Prefix of every environment variable.
pub(crate) const VARIABLE_PREFIX: &str = "STAGECOACH_";
/// Section of git's configuration.
pub(crate) const GIT_SECTION: &str = "stagecoach";

/// The variable that names a configuration file.
pub const CONFIG_VARIABLE: &str = "STAGECOACH_CONFIG";
/// The variable that trusts the repository's file for one run.
pub const TRUST_VARIABLE: &str = "STAGECOACH_TRUST_REPO_CONFIG";

/// Variables that are no settings, with what they do.
pub const OTHER_VARIABLES: [(&str, &str); 5] = [
    (CONFIG_VARIABLE, "path of the one configuration file to read, like `--config`"),
    (TRUST_VARIABLE, "trusts the repository's `.stagecoach.toml` for this run (a boolean)"),
    ("STAGECOACH_NO_COLOR", "no colours, like `--no-color`"),
    ("STAGECOACH", "set to `1` for agents, so that they can tell who started them"),
    ("STAGECOACH_ROLE", "set to the role for agents"),
];

fn one_line(text: &str) -> Option<&'static str> {
    text.contains(['\n', '\r', '\t']).then_some("it must be one line")
}

fn language(text: &str) -> Option<&'static str> {
    if text.chars().count() > 100 { Some("a language is named in at most 100 characters") } else { one_line(text) }
}

fn model_name(text: &str) -> Option<&'static str> {
    if text.starts_with('-') { Some("a model cannot begin with `-`") } else { one_line(text) }
}

fn template_text(text: &str) -> Option<&'static str> {
    (!text.is_empty() && !text.contains("$msg")).then_some("a template needs `$msg`, which stands for the message")
}

fn extension(text: &str) -> Option<&'static str> {
    let name = text.trim_start_matches('.');
    (name.is_empty() || name.contains(['/', '*'])).then_some("a file name extension is meant, such as `bin`")
}

fn pattern(text: &str) -> Option<&'static str> {
    if text.trim().is_empty() { Some("a pattern cannot be empty") } else { one_line(text) }
}

fn non_empty(text: &str) -> Option<String> {
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

fn bare_extension(text: &String) -> String {
    text.trim_start_matches('.').to_lowercase()
}

macro_rules! choices {
    ($target:ty: $($name:literal => $field:expr),+ $(,)?) => {
        Slot::Choice(&[$(Choice { name: $name, set: { const SET: fn(&mut $target) = $field; SET } }),+])
    };
}

/// Longest time-out: a day.
const DAY: u64 = 24 * 3600;
/// Upper bound of size caps in bytes or tokens; beyond it a cap is none.
const HUGE: usize = 1_000_000_000;

/// Every setting.
pub static TABLE: [Declaration; 20] = [
    Declaration {
        key: "defaults.provider",
        target: Target::Role {
            slot: Slot::Text { check: one_line, set: |role, name| role.provider = non_empty(name) },
            presets: &[],
        },
        default: None,
        variable: Some("PROVIDER"),
        git_key: Some("provider"),
        flag: Some("--provider"),
        untrusted: Untrusted::Ignored,
        doc: "the agent to use; unset or empty: the first one that is installed",
    },
    Declaration {
        key: "defaults.model",
        target: Target::Role {
            slot: Slot::Text { check: model_name, set: |role, name| role.model = non_empty(name) },
            presets: &[],
        },
        default: None,
        variable: Some("MODEL"),
        git_key: Some("model"),
        flag: Some("--model"),
        untrusted: Untrusted::Ignored,
        doc: "the model to ask for; unset or empty: the manifest's default, else the agent's own",
    },
    Declaration {
        key: "defaults.reasoning",
        target: Target::Role {
            slot: choices!(RoleSettings:
                "off" => |role| role.reasoning = Reasoning::Off,
                "low" => |role| role.reasoning = Reasoning::Low,
                "medium" => |role| role.reasoning = Reasoning::Medium,
                "high" => |role| role.reasoning = Reasoning::High,
            ),
            presets: &[],
        },
        default: Some(Value::Choice("off")),
        variable: Some("REASONING"),
        git_key: Some("reasoning"),
        flag: Some("--reasoning"),
        untrusted: Untrusted::Ignored,
        doc: "how hard the model may think",
    },
    Declaration {
        key: "defaults.timeout",
        target: Target::Role {
            slot: Slot::Duration { range: 1..=DAY, set: |role, span| role.timeout = span },
            presets: &[(Role::Planner, Value::Duration(Duration::from_secs(480)))],
        },
        default: Some(Value::Duration(Duration::from_secs(120))),
        variable: Some("TIMEOUT"),
        git_key: Some("timeout"),
        flag: Some("--timeout"),
        untrusted: Untrusted::Ignored,
        doc: "how long one call of the agent may take",
    },
    Declaration {
        key: "defaults.auto_stage_all",
        target: Target::Run(Slot::Switch(|settings, on| settings.auto_stage_all = on)),
        default: Some(Value::Switch(true)),
        variable: Some("AUTO_STAGE_ALL"),
        git_key: Some("autoStageAll"),
        flag: Some("--no-auto-stage"),
        untrusted: Untrusted::Ignored,
        doc: "with nothing staged, take the whole working tree",
    },
    Declaration {
        key: "defaults.verbose",
        target: Target::Run(Slot::Level { highest: 2, set: |settings, level| settings.verbose = level }),
        default: Some(Value::Integer(0)),
        variable: Some("VERBOSE"),
        git_key: None,
        flag: Some("--verbose"),
        untrusted: Untrusted::Ignored,
        doc: "explain the run; 2 adds what is sent and what comes back",
    },
    Declaration {
        key: "generation.max_diff_bytes",
        target: Target::Run(Slot::Integer {
            range: 0..=HUGE,
            set: |settings, bytes| settings.generation.max_diff_bytes = bytes,
        }),
        default: Some(Value::Integer(300_000)),
        variable: None,
        git_key: None,
        flag: None,
        untrusted: Untrusted::Lowers,
        doc: "without `token_limit`: cap on all diff text but markdown's, in bytes",
    },
    Declaration {
        key: "generation.max_md_lines",
        target: Target::Run(Slot::Integer {
            range: 0..=HUGE,
            set: |settings, lines| settings.generation.max_md_lines = lines,
        }),
        default: Some(Value::Integer(100)),
        variable: None,
        git_key: None,
        flag: None,
        untrusted: Untrusted::Lowers,
        doc: "without `token_limit`: cap per markdown file, in lines",
    },
    Declaration {
        key: "generation.token_limit",
        target: Target::Run(Slot::Integer {
            range: 0..=HUGE,
            set: |settings, tokens| settings.generation.token_limit = tokens,
        }),
        default: Some(Value::Integer(0)),
        variable: None,
        git_key: Some("tokenLimit"),
        flag: None,
        untrusted: Untrusted::LowersTokens { bytes: "generation.max_diff_bytes" },
        doc: "cap on the whole prompt, in estimated tokens; 0: the two caps above apply",
    },
    Declaration {
        key: "generation.diff_context",
        target: Target::Run(Slot::Integer {
            range: 0..=3,
            set: |settings, lines| settings.generation.diff_context = lines,
        }),
        default: Some(Value::Integer(1)),
        variable: None,
        git_key: Some("diffContext"),
        flag: None,
        untrusted: Untrusted::Allowed,
        doc: "lines of context around each change",
    },
    Declaration {
        key: "generation.max_duplicate_retries",
        target: Target::Run(Slot::Integer {
            range: 0..=20,
            set: |settings, tries| settings.generation.max_duplicate_retries = tries,
        }),
        default: Some(Value::Integer(3)),
        variable: None,
        git_key: None,
        flag: None,
        untrusted: Untrusted::Ignored,
        doc: "how often to ask again when the subject was used before",
    },
    Declaration {
        key: "generation.subject_target_chars",
        target: Target::Run(Slot::Integer {
            range: 20..=100,
            set: |settings, length| settings.generation.subject_target_chars = length,
        }),
        default: Some(Value::Integer(50)),
        variable: None,
        git_key: None,
        flag: None,
        untrusted: Untrusted::Allowed,
        doc: "length of subject to aim for, in characters",
    },
    Declaration {
        key: "generation.output",
        target: Target::Run(choices!(Settings:
            "raw" => |settings| settings.generation.output = Some(OutputMode::Raw),
            "json" => |settings| settings.generation.output = Some(OutputMode::Json),
        )),
        default: None,
        variable: None,
        git_key: Some("output"),
        flag: None,
        untrusted: Untrusted::Ignored,
        doc: "forces how every provider's output is read; unset: as its manifest says",
    },
    Declaration {
        key: "generation.strip_code_fence",
        target: Target::Run(Slot::Switch(|settings, on| settings.generation.strip_code_fence = Some(on))),
        default: None,
        variable: None,
        git_key: Some("stripCodeFence"),
        flag: None,
        untrusted: Untrusted::Ignored,
        doc: "forces whether a code fence around the answer is removed; unset: as the manifest says",
    },
    Declaration {
        key: "generation.binary_extensions",
        target: Target::Run(Slot::List {
            adds_up: false,
            check: extension,
            set: |settings, items| settings.generation.binary_extensions = items.iter().map(bare_extension).collect(),
        }),
        default: Some(Value::List(Vec::new())),
        variable: None,
        git_key: None,
        flag: None,
        untrusted: Untrusted::Ignored,
        doc: "file name extensions that count as binary, beside the built-in ones",
    },
    Declaration {
        key: "generation.exclude",
        target: Target::Run(Slot::List {
            adds_up: true,
            check: pattern,
            set: |settings, items| settings.generation.exclude = items.to_vec(),
        }),
        default: Some(Value::List(Vec::new())),
        variable: None,
        git_key: None,
        flag: Some("--exclude"),
        untrusted: Untrusted::Allowed,
        doc: "patterns of files whose contents the agent does not see; adds up over all layers",
    },
    Declaration {
        key: "generation.format",
        target: Target::Run(choices!(Settings:
            "auto" => |settings| settings.generation.format = Format { style: Style::Auto, body: false },
            "conventional" => |settings| settings.generation.format = Format { style: Style::Conventional, body: false },
            "gitmoji" => |settings| settings.generation.format = Format { style: Style::Gitmoji, body: false },
            "plain" => |settings| settings.generation.format = Format { style: Style::Plain, body: false },
            "auto+body" => |settings| settings.generation.format = Format { style: Style::Auto, body: true },
            "conventional+body" => |settings| settings.generation.format = Format { style: Style::Conventional, body: true },
            "gitmoji+body" => |settings| settings.generation.format = Format { style: Style::Gitmoji, body: true },
            "plain+body" => |settings| settings.generation.format = Format { style: Style::Plain, body: true },
        )),
        default: Some(Value::Choice("auto")),
        variable: Some("FORMAT"),
        git_key: Some("format"),
        flag: Some("--format"),
        untrusted: Untrusted::Allowed,
        doc: "shape of messages; `auto` follows the history",
    },
    Declaration {
        key: "generation.locale",
        target: Target::Run(Slot::Text {
            check: language,
            set: |settings, text| settings.generation.locale = non_empty(text),
        }),
        default: Some(Value::Text(String::new())),
        variable: Some("LOCALE"),
        git_key: Some("locale"),
        flag: Some("--locale"),
        untrusted: Untrusted::Allowed,
        doc: "language of messages, e.g. `de` or `Brazilian Portuguese`",
    },
    Declaration {
        key: "generation.template",
        target: Target::Run(Slot::Text {
            check: template_text,
            set: |settings, text| settings.generation.template = (!text.is_empty()).then(|| text.to_owned()),
        }),
        default: Some(Value::Text(String::new())),
        variable: Some("TEMPLATE"),
        git_key: Some("template"),
        flag: Some("--template"),
        untrusted: Untrusted::Allowed,
        doc: "text around the message, which `$msg` stands for",
    },
    Declaration {
        key: "security.secrets",
        target: Target::Run(choices!(Settings:
            "redact" => |settings| settings.secrets = Secrets::Redact,
            "abort" => |settings| settings.secrets = Secrets::Abort,
            "off" => |settings| settings.secrets = Secrets::Off,
        )),
        default: Some(Value::Choice("redact")),
        variable: None,
        git_key: None,
        flag: None,
        untrusted: Untrusted::Ignored,
        doc: "what happens to credentials in what the agent would see",
    },
];

/// One key that can be set: a setting, for the run or all roles, or for one role.
#[derive(Clone, Copy)]
pub struct Key {
    declaration: &'static Declaration,
    role: Option<Role>,
}

impl Key {
    /// Every key, in the order of the table; a role's keys follow the key for all roles.
    pub fn all() -> impl Iterator<Item = Key> {
        TABLE.iter().flat_map(|declaration| {
            let roles: &[Role] = match declaration.target {
                Target::Run(_) => &[],
                Target::Role { .. } => &Role::ALL,
            };
            let of_roles = roles.iter().map(move |role| Key { declaration, role: Some(*role) });
            std::iter::once(Key { declaration, role: None }).chain(of_roles)
        })
    }

    /// The key of that dotted path.
    #[must_use]
    pub fn find(path: &str) -> Option<Key> {
        Key::all().find(|key| key.path() == path)
    }

    /// Whether files have a table of that dotted path in which keys of settings are.
    pub(crate) fn is_section(path: &str) -> bool {
        Key::all().any(|key| key.path().strip_prefix(path).is_some_and(|rest| rest.starts_with('.')))
    }

    /// The path that an unknown path was most likely meant to be: the nearest one, else one with the same last part.
    pub(crate) fn nearest_path(path: &str) -> Option<String> {
        let depth = path.split('.').count();
        let prefix_of = |key: Key| key.path().split('.').take(depth).collect::<Vec<_>>().join(".");
        let mut known: Vec<_> = Key::all().map(prefix_of).collect();
        known.extend([PROVIDER_SECTION, VERSION_KEY].map(str::to_owned));
        if let Some(found) = nearest(path, known.iter().map(String::as_str)) {
            return Some(found.to_owned());
        }
        let field = path.rsplit('.').next().unwrap_or(path);
        Key::all().find(|key| key.field() == field).map(Key::path)
    }

    /// The row of the table.
    #[must_use]
    pub const fn declaration(self) -> &'static Declaration {
        self.declaration
    }

    /// The role, for a key of one role.
    #[must_use]
    pub const fn role(self) -> Option<Role> {
        self.role
    }

    /// The same setting for one role; for a setting of the run, the key itself.
    pub(crate) const fn of_role(self, role: Role) -> Key {
        match self.declaration.target {
            Target::Run(_) => self,
            Target::Role { .. } => Key { declaration: self.declaration, role: Some(role) },
        }
    }

    /// The key for all roles of a role's key; for a setting of the run, the key itself.
    pub(crate) const fn of_all_roles(self) -> Key {
        Key { declaration: self.declaration, role: None }
    }

    /// The key's last part.
    #[must_use]
    pub fn field(self) -> &'static str {
        self.declaration.key.rsplit('.').next().unwrap_or(self.declaration.key)
    }

    /// The table that the key is in.
    #[must_use]
    pub fn section(self) -> String {
        let path = self.path();
        path.rsplit_once('.').map_or_else(String::new, |(section, _)| section.to_owned())
    }

    /// The dotted path in a file.
    #[must_use]
    pub fn path(self) -> String {
        match self.role {
            None => self.declaration.key.to_owned(),
            Some(role) => format!("role.{role}.{}", self.field()),
        }
    }

    /// The environment variable.
    #[must_use]
    pub fn variable(self) -> Option<String> {
        self.declaration.variable.map(|name| match self.role {
            None => format!("{VARIABLE_PREFIX}{name}"),
            Some(role) => format!("{VARIABLE_PREFIX}{}_{name}", role.name().to_ascii_uppercase()),
        })
    }

    /// The whole key in git's configuration.
    #[must_use]
    pub fn git_key(self) -> Option<String> {
        self.declaration.git_key.map(|name| match self.role {
            None => format!("{GIT_SECTION}.{name}"),
            Some(role) => format!("{GIT_SECTION}.role.{role}.{name}"),
        })
    }

    /// The flag.
    #[must_use]
    pub fn flag(self) -> Option<String> {
        self.declaration.flag.map(|flag| match self.role {
            None => flag.to_owned(),
            Some(role) => format!("--{role}-{}", flag.trim_start_matches('-')),
        })
    }

    /// What is accepted, in words.
    #[must_use]
    pub fn expects(self) -> String {
        match &self.declaration.target {
            Target::Run(slot) => slot.expects(),
            Target::Role { slot, .. } => slot.expects(),
        }
    }

    /// The built-in default. A role's key has one only where the role differs from the others.
    #[must_use]
    pub fn default_value(self) -> Option<&'static Value> {
        match (self.role, &self.declaration.target) {
            (None, _) => self.declaration.default.as_ref(),
            (Some(role), Target::Role { presets, .. }) => {
                presets.iter().find(|(preset, _)| *preset == role).map(|(_, value)| value)
            }
            (Some(_), Target::Run(_)) => None,
        }
    }

    /// Whether it takes a boolean and nothing else.
    pub(crate) const fn is_switch(self) -> bool {
        matches!(self.declaration.target, Target::Run(Slot::Switch(_)) | Target::Role { slot: Slot::Switch(_), .. })
    }

    /// Reads a value from a file.
    pub(crate) fn read_toml(self, value: &DeValue<'_>) -> Result<Value, Problem> {
        match &self.declaration.target {
            Target::Run(slot) => slot.read_toml(value),
            Target::Role { slot, .. } => slot.read_toml(value),
        }
    }

    /// Reads a value from text.
    pub(crate) fn read_text(self, text: &str, dialect: Dialect) -> Result<Value, Problem> {
        match &self.declaration.target {
            Target::Run(slot) => slot.read_text(text, dialect),
            Target::Role { slot, .. } => slot.read_text(text, dialect),
        }
    }

    /// Stores a value that this key has read. A setting of the roles is stored for this key's role, or for all.
    pub(crate) fn store(self, settings: &mut Settings, value: &Value) {
        match (&self.declaration.target, self.role) {
            (Target::Run(slot), _) => slot.store(settings, value),
            (Target::Role { slot, .. }, Some(role)) => slot.store(settings.role_mut(role), value),
            (Target::Role { slot, .. }, None) => {
                for role in Role::ALL {
                    slot.store(settings.role_mut(role), value);
                }
            }
        }
    }

    /// Whether the lists of all layers are joined.
    #[must_use]
    pub const fn adds_up(self) -> bool {
        match &self.declaration.target {
            Target::Run(slot) => slot.adds_up(),
            Target::Role { slot, .. } => slot.adds_up(),
        }
    }
}

impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        self.declaration.key == other.declaration.key && self.role == other.role
    }
}

impl Eq for Key {}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.path())
    }
}

/// Stores the built-in defaults; a role's own after those for all roles.
pub(super) fn store_defaults(settings: &mut Settings) {
    for key in Key::all() {
        if let Some(value) = key.default_value() {
            key.store(settings, value);
        }
    }
}
