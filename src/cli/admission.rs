//! How many calls of a provider go on at once, as `[admission]` says.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::agent::Admission;
use crate::config::{Environment, Scope, Settings};
use crate::progress::Progress;
use crate::run::{SeatLimits, Seats};

use super::Failure;

/// The seats of a provider.
///
/// # Errors
/// Others could write to their folder, or no folder is known.
pub(super) fn seats(settings: &Settings, environment: &Environment, provider: &str) -> Result<Seats, Failure> {
    let own = settings.admission.of(provider);
    let limits = SeatLimits { active: own.max_active, starts: own.max_starts, spacing: own.min_spacing };
    let scope = match &own.scope {
        Scope::Provider => format!("provider-{provider}"),
        Scope::Account(name) => format!("account-{name}"),
    };
    let state = environment.state_folder().ok_or_else(|| {
        let why = "calls of all runs are counted in the folder for state, and none is known";
        Failure::new("no_folder", "no seat can be taken for a call", why, "set HOME, or XDG_STATE_HOME")
    })?;
    Seats::open(&state, &scope, limits).map_err(|error| {
        let hint = "make it yours, with mode 0700, or remove it";
        Failure::new("unsafe_folder", "the folder of seats cannot be used", error.to_string(), hint)
    })
}

/// How a provider's calls come to their seats.
///
/// # Errors
/// As [`seats`].
pub(super) fn admission(
    settings: &Settings,
    environment: &Environment,
    provider: &str,
    (timeout, deadline): (Duration, Option<Instant>),
    progress: Arc<dyn Progress>,
) -> Result<Admission, Failure> {
    let seats = seats(settings, environment, provider)?;
    Ok(Admission { provider: provider.to_owned(), seats, timeout, deadline, progress })
}
