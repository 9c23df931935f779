//! What commits stops when nobody waits for it any more.

use crate::config::Settings;
use crate::run::{Cancel, Launcher};

use super::Failure;

/// Stops the run when the program that started it is gone, unless it is to go on then.
pub(super) fn watch(settings: &Settings, cancel: &Cancel) -> Result<Option<Launcher>, Failure> {
    if settings.generation.no_parent_watchdog {
        return Ok(None);
    }
    let watch = Launcher::watch(cancel.clone());
    watch.map(Some).map_err(|error| {
        Failure::new("system", "the program that started stagecoach cannot be watched", error.to_string(), "try again")
    })
}
