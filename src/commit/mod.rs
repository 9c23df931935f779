//! From a frozen tree to a commit: freeze, edit, publish, push, and what to say when it did not come to that.

mod edit;
mod publish;
mod push;
mod rescue;
mod scopes;
mod snapshot;

pub use edit::{About, EditError, EditFailure, Editor, NoEditor};
pub use publish::{PublishError, Published, publish};
pub use push::{Loudness, PushError, push};
pub use rescue::Rescue;
pub use scopes::scopes;
pub use snapshot::{FreezeError, Snapshot, Source, Staging, freeze};
