//! Reads all layers and resolves them.

use std::path::PathBuf;

use super::environment::Environment;
use super::error::ConfigError;
use super::file::{Admit, ConfigText, Contents, Entry, ProviderLayer, VERSION, read};
use super::gitconfig::{self, GitEntry};
use super::options::{Key, PROVIDER_SECTION, Untrusted};
use super::place::{Layer, Origin, Place};
use super::resolve::{Assignment, Origins, resolve};
use super::settings::Settings;
use super::slot::Dialect;
use super::trust::Store;
use super::value::Value;
use super::warning::Warning;
use super::{REPOSITORY_FILE, options};

/// Everything that configuration is read from.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    /// Variables and the user's folders.
    pub environment: Environment,
    /// The folder that relative paths of `--config` and `STAGECOACH_CONFIG` start from.
    pub current_dir: PathBuf,
    /// The root of the working tree, if there is one.
    pub worktree_root: Option<PathBuf>,
    /// The value of `--config`.
    pub config_flag: Option<PathBuf>,
    /// git's configuration, all scopes, in the order in which git reads it. Other sections are not looked at.
    pub git: Vec<GitEntry>,
    /// What flags set, in the order of the command line.
    pub flags: Vec<Flag>,
}

/// A flag that sets a key. A repeatable flag is one entry for each time it is given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flag {
    /// The dotted key, e.g. `defaults.model`.
    pub key: String,
    /// The value as text.
    pub text: String,
    /// The flag as it was typed, for messages.
    pub name: String,
}

/// The configuration of a run.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// The effective values.
    pub settings: Settings,
    /// Who set them.
    pub origins: Origins,
    /// What the user should know.
    pub warnings: Vec<Warning>,
    /// The files with provider tables that count, the lowest layer first.
    pub provider_layers: Vec<ProviderLayer>,
    /// Whether there is a configuration file of any kind.
    pub has_file: bool,
}

/// Reads all layers.
///
/// # Errors
/// The first mistake that was found, lowest layer first.
pub fn load(sources: &Sources) -> Result<Loaded, ConfigError> {
    let mut loader = Loader::default();
    loader.layers(sources)?;
    Ok(loader.loaded())
}

/// Reads all layers and leaves out what is wrong with them: a value, or a whole file that cannot be read. For commands that
/// help when something went wrong, and must not need the whole configuration for that. The mistakes come beside what
/// could be read, lowest layer first.
#[must_use]
pub fn load_despite_mistakes(sources: &Sources) -> (Loaded, Vec<ConfigError>) {
    let mut loader = Loader { mistakes: Some(Vec::new()), ..Loader::default() };
    // Such a loader keeps mistakes and returns none. Were it otherwise, this one would not be lost, either.
    let stopped = loader.layers(sources).err();
    let mistakes = loader.mistakes.take().into_iter().flatten().chain(stopped).collect();
    (loader.loaded(), mistakes)
}

/// A file that is looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Candidate {
    pub(crate) layer: Layer,
    pub(crate) path: PathBuf,
    /// What must exist, and the flag or variable that says so.
    pub(crate) named_by: Option<&'static str>,
}

impl Candidate {
    /// The file's bytes; `None` when it does not exist and need not.
    pub(crate) fn read(&self) -> Result<Option<Vec<u8>>, ConfigError> {
        let admit = match self.layer {
            Layer::RepositoryFile => Admit::Regular,
            Layer::ExplicitFile => Admit::Named,
            _ => Admit::Linked,
        };
        match (read(&self.path, admit)?, self.named_by) {
            (None, Some(named_by)) => Err(ConfigError::Missing { path: self.path.clone(), named_by }),
            (found, _) => Ok(found),
        }
    }
}

/// The files to read, the lowest layer first: the one that was named, else the user's and the repository's.
pub(crate) fn config_files(sources: &Sources) -> Vec<Candidate> {
    let by_flag = sources.config_flag.as_deref().map(|path| (path, "--config"));
    let by_variable = || sources.environment.config_file().map(|path| (path, options::CONFIG_VARIABLE));
    match by_flag.or_else(by_variable) {
        Some((path, named_by)) => {
            let path = sources.current_dir.join(path);
            vec![Candidate { layer: Layer::ExplicitFile, path, named_by: Some(named_by) }]
        }
        None => discovered_files(sources),
    }
}

/// The user's and the repository's file, whether or not another one was named.
pub(crate) fn discovered_files(sources: &Sources) -> Vec<Candidate> {
    let global = sources.environment.global_file();
    let repository = sources.worktree_root.as_ref().map(|root| root.join(REPOSITORY_FILE));
    let candidate = |layer, path: Option<PathBuf>| path.map(|path| Candidate { layer, path, named_by: None });
    let files = [candidate(Layer::GlobalFile, global), candidate(Layer::RepositoryFile, repository)];
    files.into_iter().flatten().collect()
}

fn of_flag(flag: &Flag) -> Result<Assignment, ConfigError> {
    let place = Place::Flag(flag.name.clone());
    let Some(key) = Key::find(&flag.key) else {
        let nearest = Key::nearest_path(&flag.key);
        return Err(ConfigError::UnknownKey { place, key: flag.key.clone(), nearest });
    };
    Assignment::new(key, key.read_text(&flag.text, Dialect::Plain), Layer::CommandLine, place)
}

#[derive(Default)]
struct Loader {
    assignments: Vec<Assignment>,
    warnings: Vec<Warning>,
    provider_layers: Vec<ProviderLayer>,
    has_file: bool,
    /// Where mistakes are kept that stop nothing; `None`: the first one stops the loading.
    mistakes: Option<Vec<ConfigError>>,
}

impl Loader {
    fn layers(&mut self, sources: &Sources) -> Result<(), ConfigError> {
        // Also where no file asks for it, a mistake in the variable is one.
        let trusts = sources.environment.trusts_repository().map(drop);
        self.unless_kept(trusts)?;
        for file in config_files(sources) {
            let read = self.file(sources, &file);
            self.unless_kept(read)?;
        }
        let (from_git, unknown) = gitconfig::read(&sources.git);
        self.add(from_git)?;
        self.warnings.extend(unknown);
        let (from_variables, unknown) = sources.environment.read();
        self.add(from_variables)?;
        self.warnings.extend(unknown);
        self.add(sources.flags.iter().map(of_flag).collect())
    }

    fn loaded(self) -> Loaded {
        let (settings, origins) = resolve(&self.assignments);
        let Self { warnings, provider_layers, has_file, .. } = self;
        Loaded { settings, origins, warnings, provider_layers, has_file }
    }

    fn add(&mut self, read: Vec<Result<Assignment, ConfigError>>) -> Result<(), ConfigError> {
        for assignment in read {
            match assignment {
                Ok(assignment) => self.assignments.push(assignment),
                Err(mistake) => self.unless_kept(Err(mistake))?,
            }
        }
        Ok(())
    }

    /// Keeps a mistake where mistakes are kept; else it is returned.
    fn unless_kept(&mut self, result: Result<(), ConfigError>) -> Result<(), ConfigError> {
        match (result, &mut self.mistakes) {
            (Err(mistake), Some(kept)) => {
                // What is wrong with trust is found for each file.
                if !kept.iter().any(|known| known.to_string() == mistake.to_string()) {
                    kept.push(mistake);
                }
                Ok(())
            }
            (result, _) => result,
        }
    }

    fn is_trusted(
        &mut self,
        sources: &Sources,
        file: &ConfigText,
        contents: &Contents<'_>,
    ) -> Result<bool, ConfigError> {
        match is_trusted(sources, file, contents) {
            Ok(trusted) => Ok(trusted),
            Err(mistake) => self.unless_kept(Err(mistake)).map(|()| file.layer() != Layer::RepositoryFile),
        }
    }

    fn file(&mut self, sources: &Sources, candidate: &Candidate) -> Result<(), ConfigError> {
        let Some(bytes) = candidate.read()? else { return Ok(()) };
        self.has_file = true;
        let file = ConfigText::decode(candidate.layer, &candidate.path, bytes)?;
        let mut contents = file.contents()?;
        let lenient = contents.version.is_some_and(|version| version > VERSION);
        self.warnings.extend(version_warning(&file, &contents));
        for error in std::mem::take(&mut contents.unknown) {
            self.tolerate(lenient, error)?;
        }
        let trusted = self.is_trusted(sources, &file, &contents)?;
        let mut refused = self.entries(&file, std::mem::take(&mut contents.entries), trusted, lenient)?;
        let providers = contents.providers;
        if !trusted {
            refused.extend(providers.iter().map(|name| format!("{PROVIDER_SECTION}.{name}")));
        } else if !providers.is_empty() {
            self.provider_layers.push(file.clone().into_provider_layer(providers));
        }
        if !refused.is_empty() {
            self.warnings.push(Warning::Untrusted { path: file.path().to_owned(), keys: refused });
        }
        Ok(())
    }

    /// Reads the values and returns the keys that the file may not set.
    fn entries(
        &mut self,
        file: &ConfigText,
        entries: Vec<Entry<'_>>,
        trusted: bool,
        lenient: bool,
    ) -> Result<Vec<String>, ConfigError> {
        let (_, beneath) = resolve(&self.assignments);
        let mut refused = Vec::new();
        for entry in entries {
            let path = entry.path();
            let Entry { key, provider, place, value } = entry;
            if !trusted && key.declaration().untrusted == Untrusted::Ignored {
                refused.push(path);
                continue;
            }
            match key.read_toml(&value) {
                Ok(value) if trusted || is_harmless(key, &value, &beneath) => {
                    let origin = Origin::at(file.layer(), place);
                    self.assignments.push(Assignment { key, provider, value, origin });
                }
                Ok(_) => refused.push(path),
                Err(problem) => {
                    self.tolerate(lenient, ConfigError::invalid(place, path, problem))?;
                }
            }
        }
        Ok(refused)
    }

    /// What a file for a newer program says may be right although it is not understood.
    fn tolerate(&mut self, lenient: bool, error: ConfigError) -> Result<(), ConfigError> {
        if !lenient {
            return self.unless_kept(Err(error));
        }
        self.warnings.push(Warning::NotUnderstood { text: error.to_string() });
        Ok(())
    }
}

fn version_warning(file: &ConfigText, contents: &Contents<'_>) -> Option<Warning> {
    let path = || file.path().to_owned();
    match contents.version {
        Some(version) if version > VERSION => Some(Warning::NewerFile { path: path(), version }),
        Some(VERSION) => None,
        version => contents.is_active().then(|| Warning::OlderFile { path: path(), version }),
    }
}

/// Whether the file may set everything in this run.
pub(crate) fn is_trusted(sources: &Sources, file: &ConfigText, contents: &Contents<'_>) -> Result<bool, ConfigError> {
    Ok(sources.environment.trusts_repository()? || is_trusted_for_good(sources, file, contents)?)
}

/// Whether the file may set everything in every run. What is trusted is looked up only for a file that sets more than what
/// is allowed without.
pub(crate) fn is_trusted_for_good(
    sources: &Sources,
    file: &ConfigText,
    contents: &Contents<'_>,
) -> Result<bool, ConfigError> {
    let allowed = |entry: &Entry<'_>| entry.key.declaration().untrusted == Untrusted::Allowed;
    let needs_no_trust = contents.providers.is_empty() && contents.entries.iter().all(allowed);
    if file.layer() != Layer::RepositoryFile || needs_no_trust {
        return Ok(true);
    }
    match Store::of(&sources.environment) {
        Some(store) => Ok(store.is_trusted(file.path(), file.bytes())?),
        None => Ok(false),
    }
}

/// Whether a file that nobody trusts may set this value, over what the layers beneath it set.
fn is_harmless(key: Key, value: &Value, beneath: &Origins) -> bool {
    match key.declaration().untrusted {
        Untrusted::Ignored => false,
        Untrusted::Allowed => true,
        Untrusted::Lowers => number(Some(value)) <= number(beneath.value(key)),
        Untrusted::LowersTokens { bytes } => {
            let limit = number(Some(value));
            let cap = Key::find(bytes).and_then(|key| beneath.value(key));
            match number(beneath.value(key)) {
                // Where a cap in bytes applies, a limit in tokens takes its place. It must not let more through.
                0 => limit == 0 || limit.saturating_mul(BYTES_PER_TOKEN) <= number(cap),
                present => limit > 0 && limit <= present,
            }
        }
    }
}

/// A token of source code or prose is rarely longer.
const BYTES_PER_TOKEN: usize = 4;

fn number(value: Option<&Value>) -> usize {
    match value {
        Some(Value::Integer(number)) => *number,
        _ => 0,
    }
}
