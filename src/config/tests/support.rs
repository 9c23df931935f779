//! A made-up user with a home, a repository, variables, git configuration and a command line.

use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use tempfile::TempDir;

use crate::config::options::{Key, Target};
use crate::config::slot::Slot;
use crate::config::trust::Store;
use crate::config::{
    ConfigError, Environment, Flag, Folders, GitEntry, Layer, Loaded, Sources, Value, load, load_despite_mistakes,
};

pub(crate) struct World {
    folder: TempDir,
    variables: Vec<(OsString, OsString)>,
    git: Vec<GitEntry>,
    flags: Vec<Flag>,
    config_flag: Option<PathBuf>,
}

impl World {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["home", "config", "state", "repository"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        Self { folder, variables: Vec::new(), git: Vec::new(), flags: Vec::new(), config_flag: None }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn global_path(&self) -> PathBuf {
        self.path("config/config.toml")
    }

    pub(crate) fn repository_path(&self) -> PathBuf {
        self.path("repository/.stagecoach.toml")
    }

    pub(crate) fn global(self, text: impl AsRef<[u8]>) -> Self {
        fs::write(self.global_path(), text).unwrap();
        self
    }

    pub(crate) fn repository(self, text: impl AsRef<[u8]>) -> Self {
        fs::write(self.repository_path(), text).unwrap();
        self
    }

    pub(crate) fn explicit(mut self, text: impl AsRef<[u8]>) -> Self {
        fs::write(self.path("explicit.toml"), text).unwrap();
        self.config_flag = Some("explicit.toml".into());
        self
    }

    pub(crate) fn config_flag(mut self, path: impl Into<PathBuf>) -> Self {
        self.config_flag = Some(path.into());
        self
    }

    pub(crate) fn variable(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.variables.push((name.into(), value.into()));
        self
    }

    /// Trusts whatever the repository has, as CI does.
    pub(crate) fn trusting(self) -> Self {
        self.variable("STAGECOACH_TRUST_REPO_CONFIG", "1")
    }

    pub(crate) fn git(self, key: &str, value: &str) -> Self {
        self.git_entry(key, Some(value))
    }

    pub(crate) fn git_entry(mut self, key: &str, value: Option<&str>) -> Self {
        let value = value.map(str::to_owned);
        self.git.push(GitEntry { key: key.to_owned(), value, origin: "file:.git/config".to_owned() });
        self
    }

    pub(crate) fn flag(mut self, key: &str, text: &str) -> Self {
        let name = Key::find(key).and_then(Key::flag).unwrap_or_else(|| "--flag".to_owned());
        self.flags.push(Flag { key: key.to_owned(), text: text.to_owned(), name });
        self
    }

    pub(crate) fn environment(&self) -> Environment {
        let folders = Folders {
            home: Some(self.path("home")),
            config: Some(self.path("config")),
            state: Some(self.path("state/stagecoach")),
            cache: None,
            home_config_first: false,
        };
        Environment::new(self.variables.clone(), folders)
    }

    pub(crate) fn store(&self) -> Store {
        Store::of(&self.environment()).unwrap()
    }

    pub(crate) fn sources(&self) -> Sources {
        Sources {
            environment: self.environment(),
            current_dir: self.folder.path().to_owned(),
            worktree_root: Some(self.path("repository")),
            config_flag: self.config_flag.clone(),
            git: self.git.clone(),
            flags: self.flags.clone(),
        }
    }

    pub(crate) fn load(&self) -> Result<Loaded, ConfigError> {
        load(&self.sources())
    }

    /// What is loaded where mistakes stop nothing, and the mistakes without the part of paths that differs.
    pub(crate) fn load_despite_mistakes(&self) -> (Loaded, Vec<String>) {
        let (loaded, mistakes) = load_despite_mistakes(&self.sources());
        let root = format!("{}/", self.folder.path().display());
        (loaded, mistakes.iter().map(|mistake| mistake.to_string().replace(&root, "")).collect())
    }

    pub(crate) fn loaded(&self) -> Loaded {
        self.load().unwrap_or_else(|error| panic!("{error}"))
    }

    /// The error without the part of its paths that differs from run to run.
    pub(crate) fn error(&self) -> (String, String) {
        let error = self.load().expect_err("an error");
        let root = format!("{}/", self.folder.path().display());
        (error.to_string().replace(&root, ""), error.hint().replace(&root, ""))
    }

    pub(crate) fn warnings(&self) -> Vec<String> {
        let root = format!("{}/", self.folder.path().display());
        self.loaded().warnings.iter().map(|warning| warning.to_string().replace(&root, "")).collect()
    }

    /// Sets a key in one layer; `None` where the key has no place in it.
    pub(crate) fn set(self, layer: Layer, key: Key, value: &Value) -> Option<Self> {
        let toml = file_with(key, value);
        Some(match layer {
            Layer::Default => self,
            Layer::GlobalFile => self.global(toml),
            Layer::RepositoryFile => self.repository(toml).trusting(),
            Layer::ExplicitFile => self.explicit(toml),
            Layer::GitConfig => self.git(&key.git_key()?, &plain(value)),
            Layer::Environment => self.variable(key.variable()?, plain(value)),
            Layer::CommandLine if key.flag().is_some() => self.flag(&key.path(), &plain(value)),
            Layer::CommandLine => return None,
        })
    }
}

/// Whether a layer can set a key.
pub(crate) fn has_layer(key: Key, layer: Layer) -> bool {
    match layer {
        Layer::GitConfig => key.git_key().is_some(),
        Layer::Environment => key.variable().is_some(),
        Layer::CommandLine => key.flag().is_some(),
        _ => true,
    }
}

/// A file that sets one key.
pub(crate) fn file_with(key: Key, value: &Value) -> String {
    format!("config_version = 3\n[{}]\n{} = {value}\n", key.section(), key.field())
}

/// A value as variables and flags spell it.
pub(crate) fn plain(value: &Value) -> String {
    match value {
        Value::Text(text) => text.clone(),
        Value::List(items) => items.join(""),
        other => other.to_string().trim_matches('"').to_owned(),
    }
}

/// Values that a key takes, at least two of them, none of them its default.
pub(crate) fn samples(key: Key) -> Vec<Value> {
    let samples = match &key.declaration().target {
        Target::Run(slot) => of_slot(slot),
        Target::Role { slot, .. } => of_slot(slot),
        Target::Admission { slot, .. } => of_slot(slot),
    };
    samples.into_iter().filter(|sample| key.default_value() != Some(sample)).collect()
}

fn of_slot<T>(slot: &Slot<T>) -> Vec<Value> {
    let seconds = |seconds| Value::Duration(Duration::from_secs(seconds));
    let text = |text: &str| Value::Text(text.to_owned());
    match slot {
        Slot::Switch(_) => vec![Value::Switch(false), Value::Switch(true)],
        Slot::Level { highest, .. } => (0..=*highest).map(Value::Integer).collect(),
        Slot::Integer { range, .. } => {
            vec![Value::Integer(*range.start()), Value::Integer(range.start() + 2), Value::Integer(*range.end())]
        }
        Slot::Duration { range, .. } => {
            vec![seconds(*range.start()), seconds(range.start() + 76), seconds(*range.end())]
        }
        Slot::Text { .. } => vec![text("one $msg"), text("two \"$msg\""), text("")],
        Slot::Choice(choices) => choices.iter().map(|choice| Value::Choice(choice.name)).collect(),
        Slot::List { .. } => vec![Value::List(vec!["one".to_owned()]), Value::List(vec!["two".to_owned()])],
    }
}
