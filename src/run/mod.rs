//! The life of a run: cancellation, signals, scratch folders.

mod cancel;
mod scratch;
mod signals;

pub use cancel::{Cancel, Cause, Critical, Watch};
pub use scratch::{PREFIX as SCRATCH_PREFIX, Scratch, ScratchError};
pub use signals::Signals;
