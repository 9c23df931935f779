//! What the user should know although the run goes on. Each is one line.

use std::fmt;
use std::path::PathBuf;

use super::error::show_path;
use super::file::VERSION;
use super::place::Place;
use crate::untrusted::printable;

/// Something that is worth a line on standard error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Warning {
    /// A variable that looks like ours and is not known.
    UnknownVariable {
        /// Its name.
        name: String,
        /// The known one that was most likely meant.
        nearest: Option<String>,
    },
    /// A key of git's configuration that is in our section and not known.
    UnknownGitKey {
        /// Its name.
        key: String,
        /// Where git found it.
        origin: String,
        /// The known one that was most likely meant.
        nearest: Option<String>,
    },
    /// The file is for a newer program.
    NewerFile {
        /// The file.
        path: PathBuf,
        /// Its `config_version`.
        version: i64,
    },
    /// Something in a file for a newer program that this one does not understand.
    NotUnderstood {
        /// What, and where.
        text: String,
    },
    /// The file is for an older program, or does not say for which.
    OlderFile {
        /// The file.
        path: PathBuf,
        /// Its `config_version`.
        version: Option<i64>,
    },
    /// A repository's file that nobody trusts sets more than it may.
    Untrusted {
        /// The file.
        path: PathBuf,
        /// The keys that are ignored.
        keys: Vec<String>,
    },
    /// Seats of a provider that is not defined here.
    UnknownSeats {
        /// Where they are set.
        place: Place,
        /// The provider.
        provider: String,
        /// The known one that may have been meant.
        nearest: Option<String>,
    },
}

impl Warning {
    /// Whether it looks like a slip, and not like something that is meant for elsewhere.
    #[must_use]
    pub const fn is_slip(&self) -> bool {
        !matches!(self, Warning::UnknownSeats { nearest: None, .. })
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Warning::UnknownVariable { name, nearest } => {
                write!(f, "the environment variable {} is not known{}", printable(name), guess(nearest.as_deref()))
            }
            Warning::UnknownGitKey { key, origin, nearest } => {
                let nearest = guess(nearest.as_deref());
                write!(f, "git config {} ({}) is not known{nearest}", printable(key), printable(origin))
            }
            Warning::NewerFile { path, version } => write!(
                f,
                "{} has config_version {version}, newer than this program's {VERSION}; upgrade stagecoach – going on with \
                 what is understood",
                show_path(path)
            ),
            Warning::NotUnderstood { text } => write!(f, "{text} – ignored"),
            Warning::OlderFile { path, version: Some(version) } => {
                write!(
                    f,
                    "{} has config_version {version}; the present one is {VERSION}: `stagecoach config upgrade` sets it",
                    show_path(path)
                )
            }
            Warning::OlderFile { path, version: None } => {
                write!(
                    f,
                    "{} has no config_version; the present one is {VERSION}: `stagecoach config upgrade` sets it",
                    show_path(path)
                )
            }
            Warning::Untrusted { path, keys } => {
                let keys: Vec<_> = keys.iter().map(|key| printable(key)).collect();
                write!(
                    f,
                    "{} is not trusted; ignored: {}. Read the file, then run `stagecoach trust` to let it set them",
                    show_path(path),
                    keys.join(", ")
                )
            }
            Warning::UnknownSeats { place, provider, nearest } => {
                let name = printable(provider);
                write!(f, "{place}: [admission.{name}] counts for nobody here: no provider `{name}` is defined")?;
                nearest.as_deref().map_or(Ok(()), |nearest| write!(f, "; did you mean {}?", printable(nearest)))
            }
        }
    }
}

fn guess(nearest: Option<&str>) -> String {
    nearest.map_or_else(|| " and ignored".to_owned(), |nearest| format!(" and ignored; did you mean {nearest}?"))
}
