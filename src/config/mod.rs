//! Configuration: layers become [`Settings`].
//!
//! Every value can come from several layers – built-in defaults, the user's file, the repository's file, git's
//! configuration, the environment, the command line – and the highest that sets it wins. What exists is declared once,
//! in [`options`]; reading, checking, error messages, `config show` and the documentation follow from that table.
//!
//! What this module promises:
//! - A mistake is an error that says where it is, what is wrong and what to do; nothing is guessed or dropped silently.
//! - A repository's file has no effect beyond shaping messages until the user [trusts](trust) its very content.
//! - The world comes in by argument ([`Sources`]); nothing here asks the process for variables, folders or a repository.

mod duration;
mod environment;
mod error;
mod file;
mod first_run;
mod gitconfig;
pub mod init;
mod json_schema;
mod load;
mod migrate;
pub mod options;
mod paths;
mod place;
mod problem;
pub mod reference;
mod resolve;
mod settings;
mod show;
mod slot;
mod text;
pub mod trust;
mod upgrade;
mod value;
mod warning;
mod write;

pub use duration::{InvalidDuration, parse as parse_duration, show as show_duration};
pub use environment::{Environment, Folders};
pub use error::ConfigError;
pub use file::ProviderLayer;
pub use first_run::is_first_run;
pub use gitconfig::GitEntry;
pub use json_schema::json_schema;
pub use load::{Flag, Loaded, Sources, load, load_despite_mistakes};
pub use migrate::WITH_BACKENDS;
pub use paths::{FileReport, FileState, files, show_files};
pub use place::{Layer, Origin, Place};
pub use problem::Problem;
pub use resolve::{Effective, Origins, Shadowed};
pub use settings::{
    Admission, Format, Generation, OutputMode, RoleSettings, Roles, Scope, SeatSettings, Secrets, Settings, Stager,
    Style,
};
pub use show::{show, show_json};
pub use upgrade::Upgrade;
pub use value::Value;
pub use warning::Warning;
pub use write::init as write_init;
pub use write::{Request, WriteError, Written, init_path, upgrades, write_upgrade};

/// The name of a repository's file, at the root of the working tree.
pub const REPOSITORY_FILE: &str = ".stagecoach.toml";

#[cfg(test)]
mod tests;
