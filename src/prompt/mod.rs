//! The words sent to an agent: templates as text files, assembled per role. Pure.
//!
//! Everything that comes from a repository – diffs, old messages, branch names, what a hook said – is data to the model
//! and stands between markers that occur nowhere in it; the author's own word is marked as such. A prompt never exceeds
//! its [`Limits`].

mod conventional;
mod fit;
mod gitmoji;
mod message;
mod parted;
mod reading;
mod style;
mod template;
#[cfg(test)]
mod tests;

pub use conventional::{Conventional, TYPES};
pub use fit::{Fitted, Limits, PromptError};
pub use gitmoji::{GITMOJI, Gitmoji, leading as leading_gitmoji};
pub use message::{Again, MAX_SUBJECT, Material, message};
pub use parted::Parted;
pub use reading::{Exchange, Reading};
pub use style::{Body, Form, HouseStyle, examples};

/// What one call sends.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Prompt {
    /// Who the model is and what its answer must be.
    pub system: String,
    /// The instruction and the material.
    pub user: String,
}
