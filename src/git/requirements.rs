//! What a repository may ask for that this version would get wrong: refused before anything is frozen, with the command
//! that gets further.

use super::{Config, GitError, Hook, Repository};

fn unsupported(what: impl Into<String>, instead: &str) -> GitError {
    GitError::Unsupported { what: what.into(), instead: instead.to_owned() }
}

/// Refuses settings whose effect on files is not ours to imitate.
pub(super) fn refuse_config(config: &Config) -> Result<(), GitError> {
    let shared = config.text("core.sharedrepository").unwrap_or_default().to_ascii_lowercase();
    if !matches!(shared.as_str(), "" | "umask" | "false" | "0") {
        return Err(unsupported(
            format!("core.sharedRepository is {shared}, and shared permissions are not supported yet"),
            "git commit",
        ));
    }
    Ok(())
}

impl Repository {
    /// Refuses what a commit here would need and this version cannot do: signatures, other encodings.
    ///
    /// # Errors
    /// [`GitError::Unsupported`] names the first of them.
    pub fn refuse_unsupported_commit(&self) -> Result<(), GitError> {
        let config = self.config();
        if config.boolean("commit.gpgsign")? == Some(true) {
            return Err(unsupported("commit.gpgSign asks for a signature, which is not supported yet", "git commit"));
        }
        let encoding = config.text("i18n.commitencoding").unwrap_or_default().to_ascii_lowercase();
        if !matches!(encoding.as_str(), "" | "utf-8" | "utf8") {
            return Err(unsupported(
                format!("i18n.commitEncoding is {encoding}, and only UTF-8 is supported yet"),
                "git -c i18n.commitEncoding=UTF-8 commit",
            ));
        }
        if self.hooks()?.has(Hook::ReferenceTransaction) {
            return Err(unsupported(
                "the hook reference-transaction is installed, and it is not run yet",
                "git commit",
            ));
        }
        Ok(())
    }
}
