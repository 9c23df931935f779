//! The life of a run: cancellation, signals, scratch folders.

mod cancel;

pub use cancel::{Cancel, Cause};
