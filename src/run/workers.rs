//! Doing the same work on several threads.

use std::thread::{Builder, Scope};

/// Starts up to `most` threads that do what `work` gives each of them. Where the system gives fewer there are fewer, and
/// where it gives none the work is done here, before this returns.
pub fn workers<'scope, W: FnOnce() + Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    most: usize,
    work: impl Fn() -> W,
) {
    let started = (0..most).take_while(|_| Builder::new().spawn_scoped(scope, work()).is_ok()).count();
    if started == 0 && most > 0 {
        work()();
    }
}
