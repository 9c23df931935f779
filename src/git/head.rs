//! What HEAD says: which branch, which commit.

use std::fmt;

use super::ObjectId;

/// Where HEAD points.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HeadTarget {
    /// The full name of the branch, after following symbolic refs to the end.
    Branch(String),
    /// No branch: HEAD names a commit itself.
    Detached,
}

/// HEAD as it was at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// What it points to.
    pub target: HeadTarget,
    /// The commit there; `None` on an unborn branch.
    pub commit: Option<ObjectId>,
}

impl Head {
    /// The branch without `refs/heads/`, or git's words for having none.
    #[must_use]
    pub fn branch(&self) -> &str {
        match &self.target {
            HeadTarget::Branch(name) => name.strip_prefix("refs/heads/").unwrap_or(name),
            HeadTarget::Detached => "detached HEAD",
        }
    }

    /// The ref that a new commit moves.
    #[must_use]
    pub fn ref_to_move(&self) -> &str {
        match &self.target {
            HeadTarget::Branch(name) => name,
            HeadTarget::Detached => "HEAD",
        }
    }
}

impl fmt::Display for Head {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.commit {
            Some(commit) => write!(f, "{} at {}", self.branch(), commit.short(10)),
            None => write!(f, "{}, without a commit yet", self.branch()),
        }
    }
}

/// HEAD differs from what was frozen, and nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeadMoved {
    /// As frozen.
    pub frozen: Head,
    /// As found when the commit was to be published.
    pub found: Head,
}
