//! Taking a file apart: its one edit script, choices among its lines, and who gets which hunk.

mod assign;
mod lines;
mod script;
mod sheet;
#[cfg(test)]
mod tests;
mod trace;

pub use assign::{Assignment, AssignmentFault};
pub use lines::Lines;
pub(super) use script::git_range;
pub use script::{CompareError, Hunk, Script};
pub use sheet::{NumberedHunk, Sheet};
pub use trace::trace;
