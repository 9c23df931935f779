//! From a frozen tree to a commit: freeze, publish, what is kept when it did not come to that, and taking it back.

mod journal;
mod publish;
mod rescue;
mod scopes;
mod snapshot;
mod undo;

pub use journal::{Journal, Listing, Record, Step, Store};
pub use publish::{PublishError, Published, publish};
pub use rescue::{FinishError, Finished, LandedStep, Rescue, Standing, Wishes, finish, tidy};
pub use scopes::scopes;
pub use snapshot::{FreezeError, Snapshot, Source, Staging, freeze};
pub use undo::{Undo, UndoError};
