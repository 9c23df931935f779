//! The life of a run: its lock, cancellation, signals, scratch folders, seats among all runs, programs that share its
//! terminal or run for a limited time.

mod bounded;
#[cfg(test)]
#[cfg(unix)]
mod bounded_tests;
mod cancel;
mod child;
mod foreground;
mod launcher;
mod lock;
mod scratch;
mod seats;
mod signals;
mod workers;

pub use bounded::{Bounds, Echo, Ending, OnStop, Outputs, bounded};
pub use cancel::{Cancel, Cause, Critical, Lent, Watch};
#[cfg(unix)]
pub use child::on_exit;
pub use child::{detached, read_some};
pub use foreground::foreground;
pub use launcher::Launcher;
pub use lock::{Holder, LockFolders, LockPlace, RunLock, Taken};
pub use scratch::{Scratch, ScratchError};
pub use seats::{NoSeat, Patience, Seat, SeatLimits, Seats};
pub use signals::Signals;
pub use workers::workers;
