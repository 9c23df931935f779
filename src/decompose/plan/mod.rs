//! The planner's answer: which commits there shall be and what goes into each.

mod answer;
mod check;
mod names;
#[cfg(test)]
mod tests;

pub use check::{Count, read};
pub(super) use names::resolve_exactly;

use super::Note;

/// What the planner wants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It is all one commit, perhaps with a message already.
    Single {
        /// The message, as the planner wrote it.
        message: Option<String>,
    },
    /// Several commits, or one with the rest left over.
    Commits(Plan),
}

/// Commits in the order of publication, checked against the change.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Plan {
    /// The commits; each has a file.
    pub concepts: Vec<Concept>,
    /// What was not taken as the planner said it.
    pub notes: Vec<Note>,
}

/// One commit of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Concept {
    /// In a few words what it is for; one line.
    pub title: String,
    /// What it is for, at more length; may be empty.
    pub description: String,
    /// Its files, by position in the change, ascending.
    pub files: Vec<usize>,
}

impl Concept {
    /// Whether it claims a file.
    #[must_use]
    pub fn has(&self, file: usize) -> bool {
        self.files.binary_search(&file).is_ok()
    }
}

impl Plan {
    /// The files that several concepts claim, ascending.
    #[must_use]
    pub fn shared(&self) -> Vec<usize> {
        let mut claims: Vec<usize> = self.concepts.iter().flat_map(|concept| concept.files.iter().copied()).collect();
        claims.sort_unstable();
        let mut shared: Vec<usize> = claims
            .windows(2)
            .filter_map(|pair| match pair {
                [one, other] if one == other => Some(*one),
                _ => None,
            })
            .collect();
        shared.dedup();
        shared
    }
}

/// A plan that cannot be used; the words are for the planner's next try.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanFault {
    /// There is no JSON object with commits in it.
    #[error("The answer holds no JSON object with a list \"commits\".")]
    NoJson,
    /// The object is not of the form that was asked for.
    #[error("The JSON object does not have the form that was asked for: {0}.")]
    Shape(String),
    /// No commit names a path that changed.
    #[error("No commit of the answer names a path of the change.")]
    Empty,
    /// Not as many commits as were asked for.
    #[error(
        "Exactly {wanted} commits are wanted, each with paths of the change that no earlier one has taken whole; the answer has {found}."
    )]
    Count {
        /// As many were asked for.
        wanted: usize,
        /// As many have content.
        found: usize,
    },
    /// More commits than there may be.
    #[error("At most {most} commits are wanted; the answer has {found}.")]
    TooMany {
        /// As many there may be.
        most: usize,
        /// As many have content.
        found: usize,
    },
}
