//! The first run on a machine: there is no configuration, and once that is said.

use super::environment::Environment;
use super::load::Loaded;
use super::trust::{Store, TrustError};

/// Whether to say that there is no configuration: no file is there, and it was not said before. It counts as said then.
///
/// # Errors
/// It cannot be noted that it was said; it is better not said then, or every run would say it.
pub fn is_first_run(environment: &Environment, loaded: &Loaded) -> Result<bool, TrustError> {
    if loaded.has_file {
        return Ok(false);
    }
    match Store::of(environment) {
        Some(store) => store.note_first_run(),
        None => Ok(false),
    }
}
