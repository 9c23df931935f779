//! From a frozen tree to a commit: freeze, edit, publish, push, what is kept when it did not come to that, and taking it
//! back.

mod edit;
mod hooks;
mod journal;
mod object;
mod own_hook;
mod publish;
mod push;
mod rescue;
mod scopes;
mod snapshot;
mod step;
mod undo;

pub use edit::{About, EditError, Editor, NoEditor, cleanup_setting, comment_setting};
pub use hooks::{HookError, HookOptions, Hooks, Ready, Staged, Told, Unworded, View, Wording, WordingError, carry};
pub use journal::{Journal, Listing, Record, Step, Store};
pub use own_hook::{Installed, OwnHook, OwnHookError, script};
pub use publish::{Aftermath, Making, PublishError, Published, publish};
pub use push::{Loudness, PushError, push};
pub use rescue::{FinishError, Finished, LandedStep, Rescue, Standing, Tidied, Wishes, finish, tidy};
pub use scopes::scopes;
pub use snapshot::{FreezeError, Snapshot, Source, Staging, freeze, freeze_staged};
pub use step::{Made, Planned, Subject, make_step};
pub use undo::{Undo, UndoError};
