//! What git is in the middle of: a merge that a commit concludes, or something that has to go on another way.

use std::path::{Path, PathBuf};

use super::{GitError, ObjectId, Program, Repository};

/// A merge that the next commit concludes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merge {
    /// The parents besides HEAD, in git's order.
    pub heads: Vec<ObjectId>,
    /// The message git prepared, comment lines and all.
    pub message: String,
}

/// What the next commit finds in the git folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Operation {
    /// Nothing that matters to a commit.
    None,
    /// A merge waits for its commit.
    Merge(Merge),
    /// `git merge --squash` left a message; the commit is an ordinary one.
    Squash(String),
}

/// Files that `git commit` removes when it has made a commit. More than merges leave them: `git cherry-pick -n`, `git revert
/// -n` and `git stash pop`.
const CONCLUDED: [&str; 5] = ["MERGE_HEAD", "MERGE_MSG", "MERGE_MODE", "SQUASH_MSG", "AUTO_MERGE"];

/// What is in the git folder while git is in the middle of something that has messages of its own.
const UNDER_WAY: [&str; 6] =
    ["rebase-merge", "rebase-apply", "MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "sequencer"];

impl Repository {
    /// Looks for an operation in progress. Those that only another git command may go on with are refused: they keep
    /// authorship that a new commit would lose.
    ///
    /// # Errors
    /// [`GitError::InProgress`] names the command that goes on.
    pub fn operation(&self) -> Result<Operation, GitError> {
        let dir = &self.paths().git_dir;
        refuse_foreign(dir)?;
        let read = |name: &str| -> Result<Option<String>, GitError> {
            read_optional(&dir.join(name))?.map(|content| self.decoded(&content)).transpose()
        };
        if let Some(heads) = read("MERGE_HEAD")? {
            let heads = heads.lines().map(|line| line.trim().parse()).collect::<Result<_, _>>();
            let heads = heads
                .map_err(|error: super::InvalidObjectId| GitError::InvalidIndex(format!("MERGE_HEAD: {error}")))?;
            return Ok(Operation::Merge(Merge { heads, message: read("MERGE_MSG")?.unwrap_or_default() }));
        }
        Ok(read("SQUASH_MSG")?.map_or(Operation::None, Operation::Squash))
    }

    /// Whether a rebase, a merge, a cherry-pick, a revert or a patch series is under way. Looks at a few file names only.
    #[must_use]
    pub fn is_under_way(&self) -> bool {
        UNDER_WAY.iter().any(|name| self.paths().git_dir.join(name).exists())
    }

    /// Clears up what a commit has concluded, as `git commit` does after each: state files, recorded resolutions, an
    /// autostash. Returns what could not be done; the commit stands.
    #[must_use]
    pub fn conclude(&self) -> Vec<GitError> {
        let dir = &self.paths().git_dir;
        let mut failures = Vec::new();
        for name in CONCLUDED {
            let path = dir.join(name);
            if let Err(error) = std::fs::remove_file(&path)
                && error.kind() != std::io::ErrorKind::NotFound
            {
                failures.push(GitError::io("removing", path)(error));
            }
        }
        failures.extend(self.record_resolutions().err());
        failures.extend(self.apply_autostash().err());
        failures
    }

    /// Lets `git rerere` remember how conflicts were resolved, where it is in use.
    fn record_resolutions(&self) -> Result<(), GitError> {
        let in_use = self.paths().git_dir.join("MERGE_RR").metadata().is_ok_and(|file| file.len() > 0);
        if in_use {
            self.program()?.run(&["rerere"], |_| {})?;
        }
        Ok(())
    }

    /// Brings back what `git merge --autostash` put aside; where that conflicts it becomes an ordinary stash entry.
    fn apply_autostash(&self) -> Result<(), GitError> {
        let path = self.paths().git_dir.join("MERGE_AUTOSTASH");
        let Some(stash) = read_optional(&path)? else { return Ok(()) };
        let git = self.program()?;
        let stash = String::from_utf8_lossy(&stash);
        let stash = stash.trim();
        if git.run(&["stash", "apply", stash], |_| {}).is_err() {
            git.run(&["stash", "store", "-m", "autostash", "-q", stash], |_| {})?;
            remove_autostash(&git)?;
            return Err(GitError::Program {
                command: "git stash apply".to_owned(),
                text: "the autostash conflicts with the merge; it is kept as the newest stash entry".to_owned(),
            });
        }
        remove_autostash(&git)
    }
}

/// `MERGE_AUTOSTASH` is a pseudo-ref, so git itself takes it away.
fn remove_autostash(git: &Program) -> Result<(), GitError> {
    git.run(&["update-ref", "-d", "MERGE_AUTOSTASH"], |_| {}).map(|_| ())
}

fn refuse_foreign(dir: &Path) -> Result<(), GitError> {
    let there = |name: &str| dir.join(name).exists();
    let refuse = |operation, next| Err(GitError::InProgress { operation, next });
    let rebasing = there("rebase-merge");
    if there("CHERRY_PICK_HEAD") {
        return if rebasing {
            refuse("a rebase", "git rebase --continue")
        } else {
            refuse("a cherry-pick", "git cherry-pick --continue")
        };
    }
    if there("REVERT_HEAD") {
        return refuse("a revert", "git revert --continue");
    }
    if there("rebase-apply/applying") {
        return refuse("a patch series (git am)", "git am --continue");
    }
    // Stopped at `edit`, `amend` names the commit to be changed and new commits may come on top; at a conflict it is absent.
    let at_conflict = there("rebase-merge/stopped-sha") && !there("rebase-merge/amend");
    if there("rebase-apply") || at_conflict {
        return refuse("a rebase", "git rebase --continue");
    }
    Ok(())
}

fn read_optional(path: &Path) -> Result<Option<Vec<u8>>, GitError> {
    match std::fs::read(path) {
        Ok(content) => Ok(Some(content)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(GitError::io("reading", PathBuf::from(path))(error)),
    }
}
