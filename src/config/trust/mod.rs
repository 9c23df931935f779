//! Which repositories' files the user trusts, and in exactly which wording.
//!
//! A `.stagecoach.toml` comes with a repository, so anybody may have written it. Until the user trusts it, it can shape
//! messages and nothing else. Trust is recorded outside the repository, as the file's canonical path and the hash of its
//! content: any later change takes the trust away.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use faster_hex::hex_string;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::environment::Environment;
use super::error::{ConfigError, show_path};
use super::file::{Admit, MAX_BYTES, read};
use crate::private::{self, PrivateError};

/// The file in the state folder.
const STORE_FILE: &str = "trust.toml";
/// Held while the file is changed.
const LOCK_FILE: &str = "trust.lock";
/// There once it was said that there is no configuration.
const FIRST_RUN_FILE: &str = "first-run";

/// What is trusted.
#[derive(Debug, Clone)]
pub struct Store {
    folder: PathBuf,
}

/// One trusted file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrustedFile {
    /// Its canonical path.
    pub path: PathBuf,
    /// The SHA-256 of its content, in hexadecimal digits.
    pub sha256: String,
}

/// The file's layout.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Contents {
    #[serde(default, rename = "file")]
    files: Vec<TrustedFile>,
}

/// Trust cannot be looked up or recorded.
#[derive(Debug, thiserror::Error)]
pub enum TrustError {
    /// The folder or file could be somebody else's.
    #[error("{} is not safe to keep trust in: {reason}", show_path(path))]
    Unsafe {
        /// The folder or file.
        path: PathBuf,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The system refused.
    #[error("{} cannot be {action}: {source}", show_path(path))]
    Io {
        /// The folder or file.
        path: PathBuf,
        /// What was tried, as a participle.
        action: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// The record was changed by hand or is damaged.
    #[error("{} is not a list of trusted files: {message}", show_path(path))]
    Malformed {
        /// The record.
        path: PathBuf,
        /// What the parser said.
        message: String,
    },
    /// There is no file to trust.
    #[error("there is no {} to trust", show_path(path))]
    NothingThere {
        /// Where it would be.
        path: PathBuf,
    },
    /// The file to trust cannot be used.
    #[error(transparent)]
    File(Box<ConfigError>),
    /// The record is text and cannot hold such a path.
    #[error("the path {} is not UTF-8 text and cannot be recorded", show_path(path))]
    PathNotUtf8 {
        /// The path.
        path: PathBuf,
    },
}

impl From<PrivateError> for TrustError {
    fn from(error: PrivateError) -> Self {
        match error {
            PrivateError::Unsafe { path, reason } => TrustError::Unsafe { path, reason },
            PrivateError::Io { path, action, source } => TrustError::Io { path, action, source },
        }
    }
}

impl TrustError {
    /// What to do next, in one sentence.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            TrustError::Unsafe { path, .. } => {
                format!(
                    "Make {} yours, with mode 0700 for a folder and 0600 for a file, or remove it.",
                    show_path(path)
                )
            }
            TrustError::Io { .. } => {
                "Check the permissions of the folder, or set XDG_STATE_HOME to another one.".to_owned()
            }
            TrustError::Malformed { path, .. } => format!("Remove {} and trust your files again.", show_path(path)),
            TrustError::NothingThere { .. } => "Run it in a repository that has such a file.".to_owned(),
            TrustError::File(error) => error.hint(),
            TrustError::PathNotUtf8 { .. } => {
                "Set STAGECOACH_TRUST_REPO_CONFIG=1 to trust the file for one run.".to_owned()
            }
        }
    }
}

impl Store {
    /// The user's store; `None` where no folder for state is known. Nothing is read or created yet.
    #[must_use]
    pub fn of(environment: &Environment) -> Option<Self> {
        environment.state_folder().map(|folder| Self { folder })
    }

    /// Where trust is recorded.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        self.folder.join(STORE_FILE)
    }

    /// Whether this very content of the file at `path` is trusted.
    ///
    /// # Errors
    /// The record cannot be read, is damaged, or could be somebody else's.
    pub fn is_trusted(&self, path: &Path, content: &[u8]) -> Result<bool, TrustError> {
        let files = self.list()?;
        if files.is_empty() {
            return Ok(false);
        }
        let path = path.canonicalize().map_err(|source| io_error(path, "resolved", source))?;
        let sha256 = digest(content);
        Ok(files.iter().any(|file| file.path == path && file.sha256 == sha256))
    }

    /// Trusts the file at `path` as it is now.
    ///
    /// # Errors
    /// There is no such file, it is no regular file, or trust cannot be recorded.
    pub fn trust(&self, path: &Path) -> Result<TrustedFile, TrustError> {
        let content = read(path, Admit::Regular).map_err(|error| TrustError::File(Box::new(error)))?;
        let content = content.ok_or_else(|| TrustError::NothingThere { path: path.to_owned() })?;
        let path = path.canonicalize().map_err(|source| io_error(path, "resolved", source))?;
        if path.to_str().is_none() {
            return Err(TrustError::PathNotUtf8 { path });
        }
        let trusted = TrustedFile { path, sha256: digest(&content) };
        self.change(|files| {
            files.retain(|file| file.path != trusted.path);
            files.push(trusted.clone());
        })?;
        Ok(trusted)
    }

    /// All trusted files, in the order in which they were trusted.
    ///
    /// # Errors
    /// The record cannot be read, is damaged, or could be somebody else's.
    pub fn list(&self) -> Result<Vec<TrustedFile>, TrustError> {
        if !private::check(&self.folder)? {
            return Ok(Vec::new());
        }
        let path = self.path();
        let Some(bytes) = private::read(&path, MAX_BYTES)? else { return Ok(Vec::new()) };
        let malformed = |message: String| TrustError::Malformed { path: path.clone(), message };
        let text = String::from_utf8(bytes).map_err(|error| malformed(error.to_string()))?;
        let contents: Contents = toml::from_str(&text).map_err(|error| malformed(error.message().to_owned()))?;
        Ok(contents.files)
    }

    /// Takes the trust in the file at `path` away, whether it still exists or not. Says whether there was any.
    ///
    /// # Errors
    /// Trust cannot be recorded.
    pub fn revoke(&self, path: &Path) -> Result<bool, TrustError> {
        let path = canonical_even_if_gone(path);
        if !self.list()?.iter().any(|file| file.path == path) {
            return Ok(false);
        }
        self.change(|files| files.retain(|file| file.path != path))?;
        Ok(true)
    }

    /// Notes that this machine has seen a run; `true` for the first one.
    pub(super) fn note_first_run(&self) -> Result<bool, TrustError> {
        let path = self.folder.join(FIRST_RUN_FILE);
        if path.symlink_metadata().is_ok() {
            return Ok(false);
        }
        private::create(&self.folder)?;
        match File::create_new(&path) {
            Ok(_) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            Err(source) => Err(io_error(&path, "created", source)),
        }
    }

    /// Changes the record under a lock, and replaces it as a whole: it is never half written.
    fn change(&self, edit: impl FnOnce(&mut Vec<TrustedFile>)) -> Result<(), TrustError> {
        private::create(&self.folder)?;
        let lock_path = self.folder.join(LOCK_FILE);
        let lock = private::open_or_create(&lock_path)?;
        lock.lock().map_err(|source| io_error(&lock_path, "locked", source))?;
        let mut contents = Contents { files: self.list()? };
        edit(&mut contents.files);
        let path = self.path();
        let text = toml::to_string(&contents)
            .map_err(|error| TrustError::Malformed { path: path.clone(), message: error.to_string() })?;
        self.replace(&text).map_err(|source| io_error(&path, "written", source))
    }

    fn replace(&self, text: &str) -> io::Result<()> {
        // Such a file is made with mode 0600.
        let mut file = tempfile::NamedTempFile::new_in(&self.folder)?;
        file.write_all(text.as_bytes())?;
        file.as_file().sync_all()?;
        file.persist(self.path())?;
        if cfg!(unix) {
            File::open(&self.folder)?.sync_all()?;
        }
        Ok(())
    }
}

fn io_error(path: &Path, action: &'static str, source: io::Error) -> TrustError {
    TrustError::Io { path: path.to_owned(), action, source }
}

fn canonical_even_if_gone(path: &Path) -> PathBuf {
    if let Ok(path) = path.canonicalize() {
        return path;
    }
    match (path.parent().and_then(|folder| folder.canonicalize().ok()), path.file_name()) {
        (Some(folder), Some(name)) => folder.join(name),
        _ => path.to_owned(),
    }
}

fn digest(content: &[u8]) -> String {
    hex_string(&Sha256::digest(content))
}

#[cfg(test)]
mod tests;
