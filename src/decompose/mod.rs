//! One dirty tree, several commits: everything about it that needs no agent and no prompt.
//!
//! A run goes from one frozen tree, the *base*, to another, the *start*. Both are fixed, so is the change between them,
//! and so is the edit script of every file in it. A plan only decides which line of the change comes with which commit;
//! it is a [`State`] for each commit, and what is not taken by one is taken by a later one. All of it is plain values;
//! contents are read and new ones kept through [`Objects`], and trees are made by [`freeze_all`].
//!
//! The order of calls, where `ask` stands for asking an agent and `publish` for what comes after:
//!
//! ```no_run
//! # use stagecoach::decompose::*;
//! # use stagecoach::git::Repository;
//! # fn ask(_: &str) -> String { String::new() }
//! # fn run(repository: &Repository, ground: &Ground) -> Result<(), Box<dyn std::error::Error>> {
//! let plan = match plan::read(&ask("planner"), ground, plan::Count::UpTo(12))? {
//!     plan::Verdict::Single { .. } => return Ok(()),
//!     plan::Verdict::Commits(plan) => plan,
//! };
//! let sheet = hunks::Sheet::new(ground, &plan, repository)?;
//! let assignment = if sheet.is_empty() {
//!     hunks::Assignment::default()
//! } else {
//!     hunks::Assignment::read(&ask("stager"), ground, &sheet, plan.concepts.len())?
//! };
//! let mut staging = stage(ground, &plan, sheet, &assignment, repository)?;
//! if !leftover(ground, &staging).is_empty() {
//!     let (target, note) = read_target(&ask("arbiter"), &staging);
//!     staging.notes.extend(note);
//!     staging = reconcile(ground, staging, &target, repository)?;
//! }
//! for frozen in freeze_all(repository, ground, &staging)? {
//!     repository.store(&frozen)?; // then a message for `frozen.change`, then a commit of `frozen.tree`
//! }
//! # Ok(())
//! # }
//! ```
//!
//! Where an agent stages with git itself, [`Tooled`] stands in for [`stage()`]: for each concept in turn it takes what
//! separates the base from the agent's tree, and gives the [`State`] that the next agent starts from ([`freeze()`]).
//! [`verify`] checks any run's trees by nothing but what is in them. [`plan_file`] is the way to a file and back.

mod freeze;
mod ground;
pub mod hunks;
mod json;
mod note;
pub mod plan;
pub mod plan_file;
#[cfg(test)]
mod properties;
mod reconcile;
mod stage;
#[cfg(test)]
mod stage_tests;
mod state;
#[cfg(test)]
mod testing;
mod tooled;
mod units;

pub use freeze::{freeze, freeze_all};
pub use ground::Ground;
pub use note::Note;
pub use reconcile::{Target, leftover, read_target, reconcile};
pub use stage::{Staged, Staging, emptied, stage};
pub use state::{FileState, Objects, Partial, Scripts, State};
pub use tooled::{Tooled, Violation, verify};
pub use units::Units;

use crate::git::{BlobError, GitError};

/// Why there are no trees.
#[derive(Debug, thiserror::Error)]
pub enum StageError {
    /// A content of the change cannot be read.
    #[error(transparent)]
    Blob(#[from] BlobError),
    /// Two contents cannot be compared.
    #[error(transparent)]
    Compare(#[from] hunks::CompareError),
    /// The repository refuses.
    #[error(transparent)]
    Git(#[from] GitError),
    /// A tree is not such as it may be.
    #[error(transparent)]
    Violation(#[from] Violation),
    /// A tree of ours gives back what the one before it has.
    #[error("a commit would take back what an earlier one has; this is a bug")]
    GoesBack,
    /// The last tree of ours is not the frozen one.
    #[error("the last commit would not have the frozen tree; this is a bug")]
    NotTheStart,
}

/// The name under which agents know a concept.
#[must_use]
pub fn concept_id(index: usize) -> String {
    format!("c{}", index + 1)
}

/// The concept that an agent names: `"c2"`, `"2"` or `2`, of so many.
fn concept_index(name: &serde_json::Value, count: usize) -> Option<usize> {
    let number = match name {
        serde_json::Value::Number(number) => usize::try_from(number.as_u64()?).ok()?,
        serde_json::Value::String(text) => text.trim().trim_start_matches(['c', 'C']).parse().ok()?,
        _ => return None,
    };
    number.checked_sub(1).filter(|index| *index < count)
}
