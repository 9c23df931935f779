//! stagecoach: a single-shot commit maker that asks a coding-agent program for the words and makes the commit itself.
//!
//! The path is one line and the modules follow it:
//! freeze ([`commit`]) → payload ([`payload`]) → prompt ([`prompt`]) → agent ([`agent`]) → clean ([`provider`]) →
//! judge ([`message`]) → publish ([`commit`]) → report ([`ui`]).
//!
//! Imports point down only; `tests/architecture.rs` holds the order and fails when one points up.

#![cfg_attr(
    test,
    allow(
        clippy::string_slice,
        clippy::items_after_statements,
        clippy::too_many_lines,
        clippy::type_complexity,
        clippy::format_collect,
        reason = "tests say what is wrong by failing"
    )
)]

pub mod agent;
pub mod atomic;
pub mod cli;
pub mod commit;
pub mod config;
pub mod decompose;
pub mod fault;
pub mod git;
pub mod integrate;
pub mod message;
pub mod payload;
pub mod private;
pub mod process;
pub mod program;
pub mod progress;
pub mod prompt;
pub mod provider;
pub mod role;
pub mod run;
pub mod ui;
pub mod untrusted;
pub mod usage;
