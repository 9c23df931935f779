//! What the agent is shown of a change: bounded, filtered, masked, and framed so that it cannot pass for instructions.
//!
//! [`build`] reads a [`Change`] once. What comes out, a [`Payload`], is whole: every changed file has a line in its
//! skeleton, and its diff or a placeholder. [`Payload::excerpt`] then makes the text for a given size; the prompt does
//! that as often as it takes to fit. Time and memory are linear in what is read, and what is read is bounded
//! ([`MAX_FILE`], [`MAX_READ`]).
//!
//! The module knows the repository through [`Blobs`] only and has no other effect.

mod budget;
mod excerpt;
mod exclude;
mod fence;
#[cfg(test)]
mod git_tests;
mod hunks;
mod noise;
mod parts;
mod patch;
mod pem;
mod quote;
mod reader;
#[cfg(test)]
pub(crate) mod samples;
mod secrets;
mod shapes;
#[cfg(test)]
mod tests;
mod tokens;

use std::collections::HashMap;

use bstr::BString;

use crate::config::Secrets;
use crate::git::{BlobError, Blobs, Change};

pub(crate) use budget::share;
pub use excerpt::{Excerpt, Share};
pub use exclude::{Excludes, InvalidPattern};
pub use fence::Fence;
pub use noise::{MAX_FILE, Noise};
pub use parts::{PartSize, parts};
pub use patch::{Counts, FilePatch};
pub use quote::{quote, unquote};
pub use reader::MAX_READ;
pub use secrets::{Finding, masked};
pub use tokens::estimate;

/// What shapes a payload, besides the change itself.
#[derive(Debug, Clone)]
pub struct Options {
    /// Lines of context around each change, 0 to 3.
    pub context: u32,
    /// What the user does not want shown.
    pub excludes: Excludes,
    /// Extensions that mean binary content, added to the built-in list; with or without the dot.
    pub binary_extensions: Vec<String>,
    /// What happens to credentials.
    pub secrets: Secrets,
    /// No more than this many bytes of one file's diff are made, since more could never be shown.
    pub file_cap: usize,
    /// Subjects of the commits that a submodule's change brings, by its path, newest first; as far as they are at hand.
    pub submodule_log: HashMap<BString, Vec<String>>,
}

/// A change as the agent may see it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Payload {
    files: Vec<FilePatch>,
    notices: Vec<String>,
    warnings: Vec<String>,
}

/// There is nothing that may be shown.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PayloadError {
    /// The trees are the same.
    #[error("there is no change to describe")]
    Empty,
    /// The content of a changed file is not to be had.
    #[error("the content of `{path}` cannot be read")]
    Blob {
        /// The file, quoted as git quotes.
        path: String,
        /// Why not.
        source: BlobError,
    },
    /// git's library refused to compare the two sides of a file.
    #[error("the change of `{path}` cannot be shown: {reason}")]
    Compare {
        /// The file, quoted as git quotes.
        path: String,
        /// What the library said.
        reason: String,
    },
    /// Credentials are in the change and the policy is to stop.
    #[error("the change holds what looks like credentials: {}", secrets::listed(.0))]
    Credentials(Vec<Finding>),
}

/// Reads a change once: filters, masks and counts.
///
/// # Errors
/// The change is empty, a blob cannot be read, or it holds credentials and the policy is [`Secrets::Abort`].
pub fn build(change: &Change, blobs: &dyn Blobs, options: &Options) -> Result<Payload, PayloadError> {
    if change.is_empty() {
        return Err(PayloadError::Empty);
    }
    let (files, findings) = reader::read(change, blobs, options)?;
    if options.secrets == Secrets::Abort && !findings.is_empty() {
        return Err(PayloadError::Credentials(findings));
    }
    let mut warnings = options.excludes.warnings().to_vec();
    warnings.extend(findings.iter().map(Finding::warning));
    warnings.extend(unread_warning(&files));
    let notices = notices(&files);
    Ok(Payload { files, notices, warnings })
}

impl Payload {
    /// The changed files, in the order of the change.
    #[must_use]
    pub fn files(&self) -> &[FilePatch] {
        &self.files
    }

    /// One line per changed file, each ended by a newline.
    #[must_use]
    pub fn skeleton(&self) -> String {
        let mut text = String::with_capacity(self.files.iter().map(|file| file.skeleton.len() + 1).sum());
        for file in &self.files {
            text.push_str(&file.skeleton);
            text.push('\n');
        }
        text
    }

    /// What explains the payload, for `--verbose`: which files are not shown and why.
    #[must_use]
    pub fn notices(&self) -> &[String] {
        &self.notices
    }

    /// What the user should know although the run goes on: masked credentials, excludes that were ignored.
    #[must_use]
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }
}

fn unread_warning(files: &[FilePatch]) -> Option<String> {
    let unread = files.iter().filter(|file| file.noise == Some(Noise::Unread)).count();
    let files = if unread == 1 { "1 file".to_owned() } else { format!("{unread} files") };
    let most = MAX_READ >> 20;
    (unread > 0)
        .then(|| format!("the change is larger than the {most} MiB that are read: the agent sees {files} by name only"))
}

fn notices(files: &[FilePatch]) -> Vec<String> {
    let mut by_noise = std::collections::BTreeMap::<Noise, Vec<&str>>::new();
    for file in files {
        if let Some(noise) = file.noise {
            by_noise.entry(noise).or_default().push(&file.path);
        }
    }
    by_noise
        .into_iter()
        .map(|(noise, paths)| {
            let first = paths.iter().take(5).map(|path| quote(path.as_bytes().into())).collect::<Vec<_>>().join(", ");
            let more = paths.len().saturating_sub(5);
            let more = if more == 0 { String::new() } else { format!(" and {more} more") };
            format!("not shown to the agent ({}), but committed: {first}{more}", noise.label())
        })
        .collect()
}
