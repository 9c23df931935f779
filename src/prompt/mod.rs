//! The words sent to an agent: templates as text files, assembled per role. Pure.

/// What one call sends.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Prompt {
    /// Who the model is and what its answer must be.
    pub system: String,
    /// The instruction and the material.
    pub user: String,
}
