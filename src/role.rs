//! The four roles an agent can be asked to play, and how hard it may think.

use std::fmt;
use std::str::FromStr;

/// What an agent is asked to be in one call. Each role resolves its own provider, model, reasoning and time-out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    /// Decides which commits a dirty tree becomes.
    Planner,
    /// Decides which hunks belong to which commit.
    Stager,
    /// Writes the message of one commit.
    Message,
    /// Decides where content goes that no commit claimed.
    Arbiter,
}

impl Role {
    /// All roles, in the order a run uses them.
    pub const ALL: [Role; 4] = [Role::Planner, Role::Stager, Role::Message, Role::Arbiter];

    /// The name used in configuration keys, flags and `STAGECOACH_ROLE`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Role::Planner => "planner",
            Role::Stager => "stager",
            Role::Message => "message",
            Role::Arbiter => "arbiter",
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How much reasoning is asked of a model; a provider maps each level to flags of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum Reasoning {
    /// The default: whatever the agent does when it is told nothing, or its lowest level.
    #[default]
    Off,
    /// A little.
    Low,
    /// Some.
    Medium,
    /// As much as the agent offers.
    High,
}

impl Reasoning {
    /// All levels, lowest first.
    pub const ALL: [Reasoning; 4] = [Reasoning::Off, Reasoning::Low, Reasoning::Medium, Reasoning::High];

    /// The name used in configuration, flags and the `reasoning_levels` table of a manifest.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Reasoning::Off => "off",
            Reasoning::Low => "low",
            Reasoning::Medium => "medium",
            Reasoning::High => "high",
        }
    }
}

impl fmt::Display for Reasoning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The text names no [`Reasoning`] level.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a reasoning level; use off, low, medium or high")]
pub struct UnknownReasoning(pub String);

impl FromStr for Reasoning {
    type Err = UnknownReasoning;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Reasoning::ALL.into_iter().find(|level| level.name() == text).ok_or_else(|| UnknownReasoning(text.to_owned()))
    }
}
