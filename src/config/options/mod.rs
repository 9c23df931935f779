//! Every setting, declared once.
//!
//! A row of [`TABLE`] is all that a setting needs beside its field in [`Settings`]: its key, what it takes, its default,
//! the variable, git-config key and flag that set it, and what a repository that nobody trusts may do with it. Reading,
//! error messages, `config show` and the tables in the documentation follow from the row; tests hold them to it.
//!
//! A row whose value lives in [`RoleSettings`] stands for five keys: `defaults.<field>`, and `role.<role>.<field>` for
//! each role, with variable, git-config key and flag named alike. One whose value lives in [`SeatSettings`] stands for
//! `admission.<field>`, and in files for `admission.<provider>.<field>` as well.

mod key;
mod table;

pub use key::Key;
pub use table::TABLE;

use super::settings::{RoleSettings, SeatSettings, Settings};
use super::slot::Slot;
use super::value::Value;
use crate::role::Role;

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
    /// For every provider.
    Admission {
        /// What it takes.
        slot: Slot<SeatSettings>,
        /// Built-in defaults of single providers; they beat what files set for all providers.
        presets: &'static [(&'static str, Value)],
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
/// The section of seats, in which providers have tables of their own.
pub(crate) const ADMISSION_SECTION: &str = "admission";
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

/// The variable that describes the work.
pub const WORK_DESCRIPTION_VARIABLE: &str = "STAGECOACH_WORK_DESCRIPTION";

/// Variables that are no settings, with what they do.
pub const OTHER_VARIABLES: [(&str, &str); 8] = [
    (CONFIG_VARIABLE, "path of the one configuration file to read, like `--config`"),
    (TRUST_VARIABLE, "trusts the repository's `.stagecoach.toml` for this run (a boolean)"),
    (WORK_DESCRIPTION_VARIABLE, "what the work was about, like `--work-description`"),
    (COMMITS_VARIABLE, "how many commits a dirty tree is to become, like `--commits`"),
    ("STAGECOACH_NO_COLOR", "no colours, like `--no-color`"),
    ("STAGECOACH", "set to `1` for agents, so that they can tell who started them"),
    ("STAGECOACH_ROLE", "set to the role for agents"),
    ("STAGECOACH_IN_HOOK", "set for the hooks of stagecoach's own commits; `hook exec` does nothing then"),
];

/// Names the number of commits that a dirty tree is to become.
pub const COMMITS_VARIABLE: &str = "STAGECOACH_COMMITS";

/// Stores the built-in defaults; a role's own after those for all roles.
pub(super) fn store_defaults(settings: &mut Settings) {
    for key in Key::all() {
        if let Some(value) = key.default_value() {
            key.store(settings, value);
        }
    }
    for key in Key::all() {
        for (provider, value) in key.provider_presets() {
            let general = &settings.admission.general;
            let seats = settings.admission.providers.entry((*provider).to_owned()).or_insert_with(|| general.clone());
            key.store_seats(seats, value);
        }
    }
}
