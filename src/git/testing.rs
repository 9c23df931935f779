//! A scratch repository driven by the git program, for tests of this module.

use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use super::Repository;

pub(crate) struct Scratch {
    folder: TempDir,
}

impl Scratch {
    pub(crate) fn new() -> Self {
        Self::of(&[])
    }

    /// With more words for `git init`.
    pub(crate) fn of(format: &[&str]) -> Self {
        let scratch = Self { folder: tempfile::tempdir().unwrap() };
        std::fs::create_dir(scratch.path()).unwrap();
        let init: Vec<&str> = ["init", "-q", "-b", "main"].iter().chain(format).copied().collect();
        scratch.git(&init);
        scratch
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join("repo")
    }

    pub(crate) fn open(&self) -> Repository {
        Repository::open_in(&self.path()).unwrap()
    }

    pub(crate) fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    pub(crate) fn remove(&self, path: &str) {
        let path = self.path().join(path);
        if path.is_dir() { std::fs::remove_dir_all(path).unwrap() } else { std::fs::remove_file(path).unwrap() }
    }

    /// Runs git in a fixed environment and returns its standard output without the last newline.
    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        let output = self.command(arguments).output().unwrap();
        assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).trim_end_matches('\n').to_owned()
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("git");
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("GIT_")) {
            command.env_remove(name);
        }
        command
            .current_dir(self.path())
            .env("HOME", self.folder.path())
            .env("XDG_CONFIG_HOME", self.folder.path().join(".config"))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_AUTHOR_NAME", "A U Thor")
            .env("GIT_AUTHOR_EMAIL", "author@example.com")
            .env("GIT_COMMITTER_NAME", "C O Mitter")
            .env("GIT_COMMITTER_EMAIL", "committer@example.com")
            .args(arguments);
        command
    }

    pub(crate) fn commit_all(&self, message: &str) -> String {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", message]);
        self.git(&["rev-parse", "HEAD"])
    }

    pub(crate) fn index(&self) -> PathBuf {
        self.path().join(".git/index")
    }
}

/// Reads a file, or nothing where there is none.
pub(crate) fn bytes(path: &Path) -> Option<Vec<u8>> {
    std::fs::read(path).ok()
}
