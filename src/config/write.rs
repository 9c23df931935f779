//! `config init` and `config upgrade` write: which file, what becomes of the old one, and of the trust in it.

use std::io;
use std::path::{Path, PathBuf};

use super::error::{ConfigError, show_path};
use super::file::{Admit, ConfigText, VERSION, read};
use super::init::{Agent, Choice, Wish, render};
use super::load::{Sources, config_files, is_trusted_for_good};
use super::migrate::{migrate, with_version};
use super::options::Key;
use super::place::Layer;
use super::trust::{Store, TrustError};
use super::upgrade::{Upgrade, upgrade};
use super::{REPOSITORY_FILE, Value};
use crate::atomic;

/// A configuration file that is not written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// There is one, and it was not said that it may be replaced.
    #[error("{} is there already", show_path(.0))]
    Exists(PathBuf),
    /// No folder of the user's is known.
    #[error("there is no folder for configuration: neither XDG_CONFIG_HOME nor HOME is set")]
    NoFolder,
    /// A repository's file was wanted, and there is no working tree.
    #[error("there is no repository here, so there is no place for {REPOSITORY_FILE}")]
    NoRepository,
    /// The file is for a newer program.
    #[error("{} has config_version {version}, newer than this program's {VERSION}", show_path(path))]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its version.
        version: i64,
    },
    /// Not everything that the file sets could be kept.
    #[error("{} is written in a way that cannot be renewed without changing what it sets", show_path(.0))]
    NotKept(PathBuf),
    /// The present file is wrong.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The system refused.
    #[error("{} cannot be written: {source}", show_path(path))]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file is written, but trust in it could not be recorded.
    #[error(transparent)]
    Trust(#[from] TrustError),
}

impl WriteError {
    /// What to do next, in one sentence.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            WriteError::Exists(_) => {
                "`--force` keeps every setting of it and renews what is written around them.".to_owned()
            }
            WriteError::NoFolder => "Set HOME, or name a file with --config.".to_owned(),
            WriteError::NoRepository => "Go into a repository, or leave `--local` out.".to_owned(),
            WriteError::Newer { .. } => "Upgrade stagecoach.".to_owned(),
            WriteError::NotKept(_) => "Write its tables as [section] lines, or move it away and start anew.".to_owned(),
            WriteError::Config(error) => error.hint(),
            WriteError::Io { .. } => "Check the permissions of the file and of its folder.".to_owned(),
            WriteError::Trust(error) => error.hint(),
        }
    }
}

/// What the names of copies have in them.
const COPY: &str = "bak";

/// What `config init` was asked for.
#[derive(Debug, Clone)]
pub struct Request<'a> {
    /// The repository's file, not the user's.
    pub local: bool,
    /// An existing file may be renewed.
    pub force: bool,
    /// Every built-in agent, in the order of detection.
    pub agents: &'a [Agent],
    /// What to set where nothing about agents is set; `None`: a template.
    pub choice: Option<Choice>,
    /// Where copies of the repository's file are kept, which must not enter its next commit; `None`: beside it.
    pub copies: Option<&'a Path>,
}

/// A configuration file that was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// The file.
    pub path: PathBuf,
    /// The copy of the file that was there.
    pub backup: Option<PathBuf>,
    /// Whether there was something to change.
    pub changed: bool,
    /// The provider that the file now sets for all roles.
    pub provider: Option<String>,
    /// Whether it is a repository's file that nobody trusted before; what it sets is not trusted by writing around it.
    pub untrusted: bool,
}

/// The file that `config init` would write.
///
/// # Errors
/// There is no place for it, or it is there and may not be renewed.
pub fn init_path(sources: &Sources, local: bool, force: bool) -> Result<PathBuf, WriteError> {
    let (_, path) = init_place(sources, local)?;
    if !force && path.symlink_metadata().is_ok_and(|file| !file.is_symlink() || path.exists()) {
        return Err(WriteError::Exists(path));
    }
    Ok(path)
}

fn init_place(sources: &Sources, local: bool) -> Result<(Layer, PathBuf), WriteError> {
    if local {
        let root = sources.worktree_root.as_ref().ok_or(WriteError::NoRepository)?;
        return Ok((Layer::RepositoryFile, root.join(REPOSITORY_FILE)));
    }
    let of_user = config_files(sources).into_iter().find(|file| file.layer != Layer::RepositoryFile);
    of_user.map(|file| (file.layer, file.path)).ok_or(WriteError::NoFolder)
}

/// Writes the user's file, or the repository's.
///
/// # Errors
/// See [`WriteError`]; but for trust that cannot be recorded, nothing has changed then.
pub fn init(sources: &Sources, request: &Request<'_>) -> Result<Written, WriteError> {
    let path = init_path(sources, request.local, request.force)?;
    let (layer, _) = init_place(sources, request.local)?;
    let admit = if request.local { Admit::Regular } else { Admit::Linked };
    let old = match read(&path, admit)? {
        Some(bytes) => Some(ConfigText::decode_as_is(layer, &path, bytes)?),
        None => None,
    };
    let mut base = String::new();
    let mut untrusted = false;
    if let Some(old) = &old {
        let contents = old.contents()?;
        if let Some(version) = contents.version.filter(|version| *version > VERSION) {
            return Err(WriteError::Newer { path, version });
        }
        untrusted = !is_trusted_for_good(sources, old, &contents)?;
        base = migrate(old.text());
        if contents.version.is_some() || contents.is_active() {
            base = with_version(&base);
        }
    }
    let choice = request.choice.clone().map(|choice| match set_provider(&base) {
        Some(provider) => Choice { provider, models: Vec::new() },
        None => choice,
    });
    let wish = Wish { agents: request.agents, choice };
    let text = render(&base, &wish).ok_or_else(|| WriteError::NotKept(path.clone()))?;
    let changed = old.as_ref().is_none_or(|old| old.text() != text);
    let backup =
        if changed { write(&path, &text, old.is_some(), request.copies.filter(|_| request.local))? } else { None };
    if request.local
        && !untrusted
        && let Some(store) = Store::of(&sources.environment)
    {
        store.trust(&path)?;
    }
    Ok(Written { path, backup, changed, provider: set_provider(&text), untrusted })
}

/// The provider that a text sets for all roles.
fn set_provider(text: &str) -> Option<String> {
    let key = Key::find("defaults.provider")?;
    let file = ConfigText::of(Layer::GlobalFile, Path::new(""), text);
    let entries = file.contents().ok()?.entries;
    let entry = entries.into_iter().find(|entry| entry.key == key)?;
    match key.read_toml(&entry.value) {
        Ok(Value::Text(name)) if !name.is_empty() => Some(name),
        _ => None,
    }
}

/// Writes a file, and returns the copy of the one that was there.
fn write(path: &Path, text: &str, exists: bool, copies: Option<&Path>) -> Result<Option<PathBuf>, WriteError> {
    let failed = |source: io::Error| WriteError::Io { path: path.to_owned(), source };
    if !exists {
        return match atomic::create(path, text.as_bytes()) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(WriteError::Exists(path.to_owned())),
            Err(error) => Err(failed(error)),
            Ok(()) => Ok(None),
        };
    }
    let backup = match copies {
        Some(folder) => atomic::back_up_in(folder, path, COPY),
        None => atomic::back_up(path, COPY),
    };
    let backup = backup.map_err(failed)?;
    atomic::replace(path, text.as_bytes()).map_err(failed)?;
    Ok(Some(backup))
}

/// What is to become of each configuration file, the lowest layer first.
#[must_use]
pub fn upgrades(sources: &Sources) -> Vec<(PathBuf, Result<Upgrade, ConfigError>)> {
    config_files(sources).into_iter().map(|file| (file.path.clone(), upgrade(&file))).collect()
}

/// Writes an upgraded file, and returns the copy of the old one, which for a repository's file is in `copies`. A repository's
/// file that was trusted is trusted again.
///
/// # Errors
/// See [`WriteError`].
pub fn write_upgrade(sources: &Sources, path: &Path, text: &str, copies: Option<&Path>) -> Result<PathBuf, WriteError> {
    let of_repository =
        config_files(sources).into_iter().find(|file| file.layer == Layer::RepositoryFile && file.path == path);
    let store = Store::of(&sources.environment);
    let trusted = match (&of_repository, &store) {
        (Some(file), Some(store)) => match file.read()? {
            Some(bytes) => store.is_trusted(path, &bytes)?,
            None => false,
        },
        _ => false,
    };
    let backup = write(path, text, true, copies.filter(|_| of_repository.is_some()))?
        .ok_or_else(|| WriteError::NotKept(path.to_owned()))?;
    if let (true, Some(store)) = (trusted, store) {
        store.trust(path)?;
    }
    Ok(backup)
}
