//! What a repository may ask for that this version would get wrong: refused before anything is frozen, with the command
//! that gets further.

use std::path::{Path, PathBuf};

use super::{Config, GitError, Repository};

/// The hooks that `git commit` runs or lets run.
const HOOKS: [&str; 5] = ["pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", "reference-transaction"];

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
    /// Refuses what a commit here would need and this version cannot do: hooks, signatures, other encodings.
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
        let configured = |key: &str| key.starts_with("hook.") && key.ends_with(".command");
        if config.entries().iter().any(|entry| configured(&entry.key)) {
            return Err(unsupported("git's configuration defines hooks, which are not run yet", "git commit"));
        }
        let folder = self.hooks_folder();
        for name in HOOKS {
            let hook = folder.join(name);
            if is_executable(&hook) {
                return Err(unsupported(
                    format!("the hook {} is installed, and hooks are not run yet", hook.display()),
                    "git commit",
                ));
            }
        }
        Ok(())
    }

    /// The folder in which git looks for hooks here.
    #[must_use]
    pub fn hooks_folder(&self) -> PathBuf {
        let paths = self.paths();
        let Some(configured) = self.config().text("core.hookspath").filter(|path| !path.is_empty()) else {
            return paths.common_dir.join("hooks");
        };
        let home = std::env::var_os("HOME").map(PathBuf::from);
        match (configured.strip_prefix("~/"), home) {
            (Some(rest), Some(home)) => home.join(rest),
            _ => paths.work_tree.join(configured),
        }
    }
}

#[cfg(unix)]
fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(path: &Path) -> bool {
    path.is_file()
}
