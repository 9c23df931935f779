//! What most commands begin with: the repository if there is one, the configuration, the providers.

use crate::config::{self, Environment, Flag, GitEntry, Loaded, OutputMode, ProviderLayer, Settings, Sources, Warning};
use crate::git::{ConfigEntry, Repository, global_config};
use crate::program::SearchPath;
use crate::provider::{Layer, LayerError, Manifest, Output, Registry, RegistryError};
use crate::untrusted::stripped;

use super::args::GlobalArgs;
use super::{Failure, to_stderr};

/// Where a command runs.
pub(super) struct Context {
    pub(super) repository: Option<Repository>,
    pub(super) sources: Sources,
}

impl Context {
    /// In the repository of the current folder, where there is one that can be opened.
    pub(super) fn anywhere(global: &GlobalArgs) -> Result<Self, Failure> {
        // These commands do not touch the repository; whoever commits to it is told what is wrong with it.
        Self::with(Repository::open().ok(), global, Vec::new())
    }

    /// In a repository that must be there.
    pub(super) fn in_repository(global: &GlobalArgs, flags: Vec<Flag>) -> Result<Self, Failure> {
        Self::of(Repository::open()?, global, flags)
    }

    /// In a repository that is open.
    pub(super) fn of(repository: Repository, global: &GlobalArgs, flags: Vec<Flag>) -> Result<Self, Failure> {
        Self::with(Some(repository), global, flags)
    }

    fn with(repository: Option<Repository>, global: &GlobalArgs, flags: Vec<Flag>) -> Result<Self, Failure> {
        let entries = match &repository {
            Some(repository) => git_entries(repository.config().entries()),
            None => git_entries(global_config()?.entries()),
        };
        let current_dir = std::env::current_dir().map_err(|error| {
            Failure::new("directory", "the current folder cannot be read", error.to_string(), "go to another folder")
        })?;
        let sources = Sources {
            environment: Environment::of_process(),
            current_dir,
            worktree_root: repository.as_ref().map(|repository| repository.paths().work_tree.clone()),
            config_flag: global.config.clone(),
            git: entries,
            flags,
        };
        Ok(Self { repository, sources })
    }

    /// Where copies of the repository's configuration file go: its git folder, which no commit takes along.
    pub(super) fn copies(&self) -> Option<std::path::PathBuf> {
        Some(self.repository.as_ref()?.paths().git_dir.join("stagecoach"))
    }

    /// Reads the configuration.
    pub(super) fn load(&self) -> Result<Loaded, Failure> {
        Ok(config::load(&self.sources)?)
    }

    /// The settings for a command that helps out of trouble: mistakes are told, and what they are in is left out.
    pub(super) fn settings_despite_mistakes(&self) -> Settings {
        let (loaded, mistakes) = config::load_despite_mistakes(&self.sources);
        for mistake in mistakes {
            to_stderr(&stripped(&format!("note: {mistake} – going on without it (`stagecoach doctor`)\n")));
        }
        loaded.settings
    }
}

fn git_entries(entries: &[ConfigEntry]) -> Vec<GitEntry> {
    let ours = entries.iter().filter(|entry| entry.key.starts_with("stagecoach."));
    ours.map(|entry| GitEntry {
        key: entry.key.clone(),
        value: entry.value.as_ref().map(ToString::to_string),
        origin: entry.origin.clone(),
    })
    .collect()
}

/// The providers, with the user's tables over the built-in ones. A mistake in a table is reported with its file and line.
pub(super) fn registry(loaded: &Loaded) -> Result<Registry, Failure> {
    let layers = loaded.provider_layers.iter().map(provider_layer).collect::<Result<_, _>>()?;
    Ok(Registry::new(layers)?)
}

/// Seats of providers that are not defined here. Another repository may define them, so that is no mistake.
pub(super) fn seats_of_nobody(loaded: &Loaded, registry: &Registry) -> Vec<Warning> {
    let mut found: Vec<Warning> = Vec::new();
    for effective in loaded.origins.iter() {
        let Some(provider) = &effective.provider else { continue };
        // What is built in has no place, and its provider need not be looked up in every run.
        let Some(place) = effective.origins.iter().find_map(|origin| origin.place.clone()) else { continue };
        let Err(RegistryError::Unknown(unknown)) = registry.get(provider) else { continue };
        if !found.iter().any(|told| matches!(told, Warning::UnknownSeats { provider: told, .. } if told == provider)) {
            found.push(Warning::UnknownSeats { place, provider: provider.clone(), nearest: unknown.nearest });
        }
    }
    found
}

/// The provider of that name, else the one that a run takes where nothing names one.
pub(super) fn chosen(registry: &Registry, name: Option<&str>) -> Result<Manifest, Failure> {
    match name {
        Some(name) => Ok(registry.get(name)?.manifest),
        None => Ok(registry.choose(&search_path())?.provider().manifest.clone()),
    }
}

/// Reports a mistake in one file's tables of providers.
pub(super) fn check_providers(layer: &ProviderLayer) -> Result<(), Failure> {
    Registry::new(vec![provider_layer(layer)?])?;
    Ok(())
}

fn provider_layer(layer: &ProviderLayer) -> Result<Layer, Failure> {
    Layer::parse(&layer.label(), layer.text()).map_err(|error| {
        let span = match &error {
            LayerError::Syntax { span, .. } => span.clone(),
            LayerError::Manifest(error) => error.span.clone(),
        };
        layer.error(span, &error.to_string(), "`stagecoach providers show <name>` prints all fields").into()
    })
}

/// The form of answers that the settings ask for.
pub(super) fn output(mode: Option<OutputMode>) -> Option<Output> {
    mode.map(|mode| match mode {
        OutputMode::Raw => Output::Raw,
        OutputMode::Json => Output::Json,
    })
}

/// Where programs are looked for.
pub(super) fn search_path() -> SearchPath {
    SearchPath::of_process()
}
