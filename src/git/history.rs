//! Questions about history that are asked rarely, and taking a branch back.

use super::backend::MOVE_LIMIT;
use super::plumbing::refs::{self, Move};
use super::{GitError, Head, ObjectId, Program, Reflog, Repository};

impl Repository {
    /// Whether a commit is another one or lies in its history.
    ///
    /// # Errors
    /// git's own text.
    pub fn is_in_history(&self, commit: ObjectId, of: ObjectId) -> Result<bool, GitError> {
        if commit == of {
            return Ok(true);
        }
        let arguments = ["merge-base", "--is-ancestor", &commit.to_string(), &of.to_string()];
        let finished = self.program()?.try_run(&arguments, None, |_| {})?;
        // 128: one of the two is not there any more.
        match finished.code {
            Some(0) => Ok(true),
            Some(1 | 128) => Ok(false),
            _ => Err(Program::failure(&arguments, &finished)),
        }
    }

    /// A remote-tracking ref whose history has the commit, if there is one.
    ///
    /// # Errors
    /// git's own text.
    pub fn remote_with(&self, commit: ObjectId) -> Result<Option<String>, GitError> {
        let contains = format!("--contains={commit}");
        let arguments = ["for-each-ref", "--count=1", "--format=%(refname:short)", &contains, "refs/remotes/"];
        let output = self.program()?.run(&arguments, |_| {})?;
        let name = String::from_utf8_lossy(&output).trim().to_owned();
        Ok(Some(name).filter(|name| !name.is_empty()))
    }

    /// Makes the branch unborn again, by compare-and-swap.
    ///
    /// # Errors
    /// [`GitError::HeadMoved`] when HEAD is not what it is said to be; git's own text.
    pub fn delete_branch(&self, frozen: &Head, reflog: &Reflog) -> Result<(), GitError> {
        refs::move_head(&self.program()?, frozen, Move::Away, self.null_id(), (reflog, MOVE_LIMIT))
    }
}
