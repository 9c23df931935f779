//! The process environment as a value: variables and the user's folders come in by argument, so that nothing else here
//! asks the system and tests make up their own.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use etcetera::base_strategy::{BaseStrategy, choose_native_strategy};

use super::error::ConfigError;
use super::options::{CONFIG_VARIABLE, Key, OTHER_VARIABLES, TRUST_VARIABLE, VARIABLE_PREFIX};
use super::place::{Layer, Place};
use super::problem::Problem;
use super::resolve::Assignment;
use super::slot::{Dialect, boolean};
use super::text::nearest_after;
use super::warning::Warning;

/// Name of the user's configuration file.
const GLOBAL_FILE: &str = "config.toml";

/// The user's folders, as the platform gives them.
#[derive(Debug, Clone, Default)]
pub struct Folders {
    /// The home folder.
    pub home: Option<PathBuf>,
    /// The folder for stagecoach's configuration.
    pub config: Option<PathBuf>,
    /// The folder for stagecoach's state.
    pub state: Option<PathBuf>,
    /// The folder for what stagecoach can do without.
    pub cache: Option<PathBuf>,
    /// Whether `~/.config` is looked at before [`config`](Self::config), as it is on macOS.
    pub home_config_first: bool,
}

impl Folders {
    /// The platform's folders.
    #[must_use]
    pub fn of_platform() -> Self {
        // A home that is no absolute path would make every folder depend on where the program was started.
        let base = choose_native_strategy().ok().filter(|base| base.home_dir().is_absolute());
        let own = |base: PathBuf, kind: &str| {
            let folder = base.join("stagecoach");
            if cfg!(windows) { folder.join(kind) } else { folder }
        };
        let local = |base: &dyn BaseStrategy| if cfg!(windows) { base.cache_dir() } else { base.data_dir() };
        // On macOS, `config_dir` is for what the system's own defaults database keeps.
        let config =
            |base: &dyn BaseStrategy| if cfg!(target_os = "macos") { base.data_dir() } else { base.config_dir() };
        Self {
            home: base.as_ref().map(|base| base.home_dir().to_owned()),
            config: base.as_ref().map(|base| own(config(base), "config")),
            state: base.as_ref().map(|base| own(base.state_dir().unwrap_or_else(|| local(base)), "data")),
            cache: base.as_ref().map(|base| own(base.cache_dir(), "cache")),
            home_config_first: cfg!(target_os = "macos"),
        }
    }
}

/// Environment variables and folders.
#[derive(Debug, Clone, Default)]
pub struct Environment {
    variables: Vec<(OsString, OsString)>,
    folders: Folders,
}

impl Environment {
    /// The environment of this process.
    #[must_use]
    pub fn of_process() -> Self {
        Self::new(env::vars_os(), Folders::of_platform())
    }

    /// An environment made up of its parts. Of the variables only those that can matter here are kept: others may be
    /// secret, and what is not kept is never printed.
    #[must_use]
    pub fn new(variables: impl IntoIterator<Item = (OsString, OsString)>, folders: Folders) -> Self {
        let matters = |name: &OsStr| {
            let name = name.to_string_lossy();
            name.starts_with("STAGECOACH") || name.starts_with("XDG_")
        };
        let mut variables: Vec<_> = variables.into_iter().filter(|(name, _)| matters(name)).collect();
        variables.sort();
        Self { variables, folders }
    }

    /// A variable; one that is empty counts as unset.
    fn variable(&self, name: &str) -> Option<&OsStr> {
        let found = self.variables.iter().find(|(candidate, _)| candidate == name);
        found.map(|(_, value)| value.as_os_str()).filter(|value| !value.is_empty())
    }

    /// A folder named by a variable; as the XDG rules say, a relative one counts as unset.
    fn folder(&self, name: &str) -> Option<&Path> {
        self.variable(name).map(Path::new).filter(|path| path.is_absolute())
    }

    /// The user's configuration file, whether it exists or not.
    pub(crate) fn global_file(&self) -> Option<PathBuf> {
        if let Some(base) = self.folder("XDG_CONFIG_HOME") {
            return Some(base.join("stagecoach").join(GLOBAL_FILE));
        }
        let of_platform = self.folders.config.as_ref().map(|folder| folder.join(GLOBAL_FILE));
        let Some(dot_config) = self.folders.home.as_ref().map(|home| home.join(".config")) else { return of_platform };
        let in_home = dot_config.join("stagecoach").join(GLOBAL_FILE);
        let only_of_platform = || !in_home.exists() && of_platform.as_ref().is_some_and(|path| path.exists());
        if self.folders.home_config_first && dot_config.is_dir() && !only_of_platform() {
            return Some(in_home);
        }
        of_platform
    }

    /// The folder of what stagecoach remembers.
    pub(crate) fn state_folder(&self) -> Option<PathBuf> {
        self.folder("XDG_STATE_HOME").map(|base| base.join("stagecoach")).or_else(|| self.folders.state.clone())
    }

    /// The folder for what is only there while programs run; it may not exist.
    #[must_use]
    pub fn runtime_folder(&self) -> Option<PathBuf> {
        self.folder("XDG_RUNTIME_DIR").map(Path::to_owned)
    }

    /// The folder of what stagecoach can do without.
    #[must_use]
    pub fn cache_folder(&self) -> Option<PathBuf> {
        self.folder("XDG_CACHE_HOME").map(|base| base.join("stagecoach")).or_else(|| self.folders.cache.clone())
    }

    /// The file that `STAGECOACH_CONFIG` names.
    pub(crate) fn config_file(&self) -> Option<&Path> {
        self.variable(CONFIG_VARIABLE).map(Path::new)
    }

    /// Whether the repository's file is trusted for this run.
    pub(crate) fn trusts_repository(&self) -> Result<bool, ConfigError> {
        let Some(value) = self.variable(TRUST_VARIABLE) else { return Ok(false) };
        let text = text_of(TRUST_VARIABLE, value)?;
        boolean(text, Dialect::Plain).ok_or_else(|| {
            let problem = Problem::Malformed { expected: "true or false".to_owned(), found: text.to_owned() };
            ConfigError::invalid(Place::Variable(TRUST_VARIABLE.to_owned()), TRUST_VARIABLE.to_owned(), problem)
        })
    }

    /// The settings made by variables or what is wrong with them, and a warning for each variable that no setting has.
    pub(crate) fn read(&self) -> (Vec<Result<Assignment, ConfigError>>, Vec<Warning>) {
        let variables = Key::all().filter_map(|key| {
            let name = key.variable()?;
            let value = self.variable(&name)?;
            Some(text_of(&name, value).and_then(|text| {
                let read = key.read_text(text, Dialect::Plain);
                Assignment::new(key, read, Layer::Environment, Place::Variable(name.clone()))
            }))
        });
        (variables.collect(), self.unknown())
    }

    fn unknown(&self) -> Vec<Warning> {
        let mut known: Vec<_> = Key::all().filter_map(Key::variable).collect();
        known.extend(OTHER_VARIABLES.map(|(name, _)| name.to_owned()));
        let names = self.variables.iter().map(|(name, _)| name.to_string_lossy());
        names
            .filter(|name| name.starts_with(VARIABLE_PREFIX) && !known.iter().any(|other| other == name))
            .map(|name| Warning::UnknownVariable {
                nearest: nearest_after(VARIABLE_PREFIX, &name, known.iter().map(String::as_str)),
                name: name.into_owned(),
            })
            .collect()
    }
}

fn text_of<'a>(name: &str, value: &'a OsStr) -> Result<&'a str, ConfigError> {
    value.to_str().ok_or_else(|| ConfigError::VariableNotUtf8 { name: name.to_owned() })
}
