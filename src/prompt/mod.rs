//! The words sent to an agent: templates as text files, assembled per role. Pure.
//!
//! Everything that comes from a repository – diffs, old messages, branch names, what a hook said – is data to the model
//! and stands between markers that occur nowhere in it; the author's own word is marked as such. A prompt never exceeds
//! its [`Limits`].

mod arbiter;
mod concepts;
mod conventional;
mod fit;
mod gitmoji;
mod message;
mod parted;
mod planner;
mod reading;
#[cfg(test)]
mod role_tests;
mod stager;
mod style;
mod template;
#[cfg(test)]
mod tests;
mod text;
mod tooled;

pub use arbiter::{ArbiterMaterial, arbiter};
pub use concepts::{Concept, Correction};
pub use conventional::{Conventional, TYPES};
pub use fit::{Fitted, Limits, PromptError};
pub use gitmoji::{GITMOJI, Gitmoji, leading as leading_gitmoji};
pub use message::{Again, MAX_SUBJECT, Material, Planned, message};
pub use parted::Parted;
pub use planner::{PlanCount, PlannerMaterial, planner};
pub use reading::{Exchange, Reading};
pub use stager::{NumberedHunk, StagerMaterial, stager};
pub use style::{Body, Form, HouseStyle, examples};
pub use tooled::{TooledMaterial, tooled};

/// What one call sends.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Prompt {
    /// Who the model is and what its answer must be.
    pub system: String,
    /// The instruction and the material.
    pub user: String,
}
