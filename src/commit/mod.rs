//! From a frozen tree to a commit: freeze, publish, and what to say when it did not come to that.

mod publish;
mod rescue;
mod scopes;
mod snapshot;

pub use publish::{PublishError, Published, publish};
pub use rescue::Rescue;
pub use scopes::scopes;
pub use snapshot::{FreezeError, Snapshot, Source, Staging, freeze};
