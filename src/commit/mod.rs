//! From a frozen tree to a commit: freeze, edit, publish, push, what is kept when it did not come to that, and taking it
//! back.

mod edit;
mod journal;
mod publish;
mod push;
mod rescue;
mod scopes;
mod snapshot;
mod undo;

pub use edit::{About, EditError, EditFailure, Editor, NoEditor};
pub use journal::{Journal, Listing, Record, Step, Store};
pub use publish::{PublishError, Published, publish, publish_step};
pub use push::{Loudness, PushError, push};
pub use rescue::{FinishError, Finished, LandedStep, Rescue, Standing, Wishes, finish, tidy};
pub use scopes::scopes;
pub use snapshot::{FreezeError, Snapshot, Source, Staging, freeze};
pub use undo::{Undo, UndoError};
