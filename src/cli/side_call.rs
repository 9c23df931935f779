//! Running an agent's program for something else than an answer: its version, its help, its list of models.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use crate::agent::process::{self, Confinement, Outcome};
use crate::provider::Manifest;
use crate::run::{Cancel, Scratch, workers};

use super::context::search_path;

/// As many programs are run at once.
pub(super) const PARALLEL: usize = 4;

/// A version is told at once or not at all, and nothing may wait long for it.
pub(super) const VERSION_TIMEOUT: Duration = Duration::from_secs(5);

/// Does something with each item, with several at once, and returns the results in the order of the items. A slow one
/// holds up nobody but itself.
pub(super) fn in_parallel<T: Sync, R: Send>(items: &[T], most: usize, act: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        workers(scope, most.min(items.len()), || {
            let (sender, next, act) = (sender.clone(), &next, &act);
            move || {
                loop {
                    let index = next.fetch_add(1, Ordering::SeqCst);
                    let Some(item) = items.get(index) else { return };
                    if sender.send((index, act(item))).is_err() {
                        return;
                    }
                }
            }
        });
        drop(sender);
        receiver.into_iter().collect::<BTreeMap<usize, R>>().into_values().collect()
    })
}

/// Runs a command of a provider's program, with its environment and in an empty folder.
///
/// # Errors
/// Why it could not be started, in words.
pub(super) fn run(manifest: &Manifest, argv: &[String], timeout: Duration, cancel: &Cancel) -> Result<Outcome, String> {
    let scratch = Scratch::new().map_err(|error| error.to_string())?;
    run_in(Place { folder: scratch.path(), temporary: None, confinement: None }, manifest, argv, (timeout, cancel))
}

/// Where a program runs.
pub(super) struct Place<'a> {
    /// The working folder.
    pub(super) folder: &'a Path,
    /// A folder for temporary files of its own.
    pub(super) temporary: Option<&'a Path>,
    /// Where it may write; `None`: wherever the user may.
    pub(super) confinement: Option<Confinement>,
}

/// The same in a place.
pub(super) fn run_in(
    place: Place<'_>,
    manifest: &Manifest,
    argv: &[String],
    (timeout, cancel): (Duration, &Cancel),
) -> Result<Outcome, String> {
    let (name, arguments) = argv.split_first().ok_or_else(|| "there is nothing to run".to_owned())?;
    let program = search_path().find(name).ok_or_else(|| format!("{name} is not installed"))?;
    let own = manifest.env.iter().map(|(name, value)| (name.clone(), value.into()));
    let temporary = |folder: &Path| ["TMPDIR", "TMP", "TEMP"].map(|name| (name.to_owned(), folder.into()));
    let command = process::Command {
        program,
        args: arguments.iter().map(Into::into).collect(),
        env_set: own.chain(place.temporary.into_iter().flat_map(temporary)).collect(),
        env_unset: manifest.run.unset_env.clone(),
        stdin: Vec::new(),
        working_dir: place.folder.to_owned(),
        timeout: Some(timeout),
        confinement: place.confinement,
    };
    process::run(command, cancel).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_items() {
        let slow = |item: &u64| {
            std::thread::sleep(Duration::from_millis(10 - item));
            item * 2
        };
        assert_eq!(in_parallel(&[1, 2, 3, 4, 5], 3, slow), [2, 4, 6, 8, 10]);
        assert_eq!(in_parallel(&[], 3, slow), Vec::<u64>::new());
    }
}
