//! stagecoach's own `prepare-commit-msg` hook: the script, and putting it where git looks.
//!
//! A hook is ours when it has our marker line; what is not ours is never touched.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use crate::git::{GitError, OWN_HOOK_MARKER as MARKER, Program};

/// The version that this program writes.
const VERSION: u32 = 1;
/// The hook's name.
const NAME: &str = "prepare-commit-msg";
/// A longer file is not read for a marker, in bytes.
const LONGEST: u64 = 1 << 20;

/// The hook as a POSIX shell script. Where stagecoach is not on `PATH` it does nothing.
#[must_use]
pub fn script(strict: bool) -> String {
    let options = if strict { " --strict" } else { "" };
    format!(
        "#!/bin/sh\n{MARKER}{VERSION}\n\
         # Written by `stagecoach hook install`; `stagecoach hook uninstall` removes it.\n\
         command -v stagecoach >/dev/null 2>&1 || exit 0\n\
         exec stagecoach hook exec{options} \"$@\"\n"
    )
}

/// Which hook is in the place of ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Installed {
    /// None.
    None,
    /// Ours, of this version.
    Ours(u32),
    /// Another one.
    Foreign,
}

/// The place of our hook in a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnHook {
    path: PathBuf,
}

/// The hook cannot be put there or taken away.
#[derive(Debug, thiserror::Error)]
pub enum OwnHookError {
    /// Another hook is there.
    #[error("{} is not stagecoach's", .0.display())]
    Foreign(PathBuf),
    /// The folder cannot be made or written to.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The system's word.
        source: io::Error,
    },
}

impl OwnHook {
    /// Asks git where it looks for the hooks of the repository that a folder lies in, whatever that needs to be opened.
    ///
    /// # Errors
    /// There is none, or the git program is missing or fails.
    pub fn locate(folder: &Path) -> Result<Self, GitError> {
        let git = Program::find(folder)?;
        // A relative `core.hooksPath` counts from where hooks run: the top of the working tree, or a bare repository.
        let top = git
            .run(&["rev-parse", "--show-toplevel"], |_| {})
            .or_else(|_| git.run(&["rev-parse", "--absolute-git-dir"], |_| {}))
            .map_err(|error| match error {
                GitError::Program { text, .. } if text.contains("not a git repository") => GitError::NotARepository,
                other => other,
            })?;
        let top = path_of(&top);
        let git = Program::find(&top)?;
        let configured = git.try_run(&["config", "--get", "core.hooksPath"], None, |_| {})?;
        if configured.success && configured.stdout == b"\n" {
            // git then looks at the root of the file system, and says that it looks here.
            let text = "it is empty, so git finds no hooks of this repository; unset it, or name a folder".to_owned();
            return Err(GitError::Setting { key: "core.hooksPath", text });
        }
        let hooks = git.run(&["rev-parse", "--git-path", "hooks"], |_| {})?;
        Ok(Self { path: top.join(path_of(&hooks)).join(NAME) })
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What is there now.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn installed(&self) -> Result<Installed, OwnHookError> {
        let metadata = match self.path.symlink_metadata() {
            Ok(metadata) if metadata.is_symlink() => self.path.metadata(),
            other => other,
        };
        match metadata {
            Ok(metadata) if metadata.is_file() && metadata.len() <= LONGEST => {
                let content = std::fs::read(&self.path).map_err(|source| self.failed(source))?;
                Ok(version_of(&String::from_utf8_lossy(&content)).map_or(Installed::Foreign, Installed::Ours))
            }
            Err(error) if is_absence(&error) && self.path.symlink_metadata().is_err() => Ok(Installed::None),
            Ok(_) => Ok(Installed::Foreign),
            Err(error) if is_absence(&error) => Ok(Installed::Foreign),
            Err(error) => Err(self.failed(error)),
        }
    }

    /// Writes our script, also over an older one of ours.
    ///
    /// # Errors
    /// [`OwnHookError::Foreign`] when another hook is there; nothing is changed then.
    pub fn install(&self, strict: bool) -> Result<(), OwnHookError> {
        if self.installed()? == Installed::Foreign {
            return Err(OwnHookError::Foreign(self.path.clone()));
        }
        // A link that somebody made to our script stays a link.
        let path = self.path.canonicalize().unwrap_or_else(|_| self.path.clone());
        let folder = path.parent().unwrap_or(Path::new("."));
        std::fs::create_dir_all(folder).map_err(|source| OwnHookError::Io { path: folder.to_owned(), source })?;
        write_script(folder, &path, &script(strict)).map_err(|source| self.failed(source))
    }

    /// Removes our hook and tells whether there was one.
    ///
    /// # Errors
    /// It cannot be removed. What is not ours stays and is no error.
    pub fn uninstall(&self) -> Result<Installed, OwnHookError> {
        let found = self.installed()?;
        if matches!(found, Installed::Ours(_)) {
            std::fs::remove_file(&self.path).map_err(|source| self.failed(source))?;
        }
        Ok(found)
    }

    fn failed(&self, source: io::Error) -> OwnHookError {
        OwnHookError::Io { path: self.path.clone(), source }
    }
}

fn is_absence(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

fn version_of(script: &str) -> Option<u32> {
    script.lines().find_map(|line| line.trim_end().strip_prefix(MARKER)?.parse().ok())
}

/// Writes all of it or nothing, executable for whoever the umask allows.
fn write_script(folder: &Path, path: &Path, text: &str) -> io::Result<()> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".stagecoach-hook-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(std::fs::Permissions::from_mode(0o777));
    }
    let mut file = builder.tempfile_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.persist(path).map(drop).map_err(|error| error.error)
}

/// The path that git printed, without the newline at its end.
#[cfg(unix)]
fn path_of(output: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt as _;
    PathBuf::from(std::ffi::OsStr::from_bytes(output.strip_suffix(b"\n").unwrap_or(output)))
}

#[cfg(not(unix))]
fn path_of(output: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(output).trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_marker_tells_ours_from_others() {
        for strict in [false, true] {
            assert_eq!(version_of(&script(strict)), Some(1));
        }
        assert_eq!(version_of("#!/bin/sh\r\n# stagecoach prepare-commit-msg hook v2\r\n"), Some(2));
        for foreign in [
            "",
            "#!/bin/sh\nexec stagecoach hook exec \"$@\"\n",
            "# stagecoach prepare-commit-msg hook v",
            "x # stagecoach prepare-commit-msg hook v1",
        ] {
            assert_eq!(version_of(foreign), None, "{foreign}");
        }
    }
}
