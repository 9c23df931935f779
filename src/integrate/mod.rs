//! Where stagecoach meets other tools: entries in their configuration, and recipes for what is set up by hand.
//!
//! A file of another tool is edited with care (`edit`): it is parsed first, only our own entry is added or taken out, and
//! taking it out gives the bytes back that were there before.

mod edit;
mod git_alias;
mod lazygit;
mod recipes;
mod yaml;

pub use edit::{Edit, EditError};
pub use git_alias::{AliasError, DEFAULT_NAME as DEFAULT_ALIAS, GitAlias};
pub use lazygit::{DEFAULT_KEY, Lazygit, Refusal, Surroundings};
pub use recipes::recipe;

/// A tool that stagecoach can be used from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// `git stagecoach`.
    GitAlias,
    /// A key in lazygit's files panel.
    Lazygit,
    /// gitui.
    Gitui,
    /// tig.
    Tig,
    /// Neovim.
    Neovim,
    /// Visual Studio Code.
    Vscode,
}

impl Target {
    /// All of them.
    pub const ALL: [Target; 6] =
        [Target::GitAlias, Target::Lazygit, Target::Gitui, Target::Tig, Target::Neovim, Target::Vscode];

    /// The name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Target::GitAlias => "git-alias",
            Target::Lazygit => "lazygit",
            Target::Gitui => "gitui",
            Target::Tig => "tig",
            Target::Neovim => "neovim",
            Target::Vscode => "vscode",
        }
    }

    /// The program that must be there for it.
    #[must_use]
    pub const fn program(self) -> &'static str {
        match self {
            Target::GitAlias => "git",
            Target::Lazygit => "lazygit",
            Target::Gitui => "gitui",
            Target::Tig => "tig",
            Target::Neovim => "nvim",
            Target::Vscode => "code",
        }
    }

    /// Whether it is set up by an edit; the others by hand, with a recipe.
    #[must_use]
    pub const fn is_edited(self) -> bool {
        matches!(self, Target::GitAlias | Target::Lazygit)
    }
}

/// What a tool's configuration has of ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    /// Nothing.
    Nothing,
    /// Our entry.
    Ours,
    /// Something of the user's own in its place, or that does the same.
    Foreign,
}
