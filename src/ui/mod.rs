//! What a person or a script sees: progress on standard error, reports as text, and the JSON document.
//!
//! Everything that comes from an agent, a file name or another program passes through [`crate::untrusted`] before it
//! reaches a terminal.

pub mod json;
mod progress;
mod report;
mod usage;

pub use progress::{Shows, Terminal};
pub use report::{Landed, commit_report, name_status};
pub use usage::usage_line;
