//! `config upgrade`: a file in the words of the present layout, every other byte as it is.

use super::error::ConfigError;
use super::file::{ConfigText, ProviderLayer, VERSION};
use super::load::Candidate;
use super::migrate::{migrate, with_version};

/// What is to become of a file.
#[derive(Debug, Clone)]
pub enum Upgrade {
    /// There is none of that name.
    Absent,
    /// It has the present layout.
    Current,
    /// It sets nothing, so there is nothing to bring up to date.
    Inactive,
    /// It is for a newer program, with this `config_version`.
    Newer(i64),
    /// It is to be written anew.
    Outdated {
        /// The whole new text.
        text: String,
        /// Its provider tables, which are still to be checked.
        providers: Option<ProviderLayer>,
    },
}

/// Brings a file up to date. Nothing is written.
///
/// # Errors
/// The file cannot be read, or would be a mistake in the present layout, too.
pub(super) fn upgrade(file: &Candidate) -> Result<Upgrade, ConfigError> {
    let Some(bytes) = file.read()? else { return Ok(Upgrade::Absent) };
    let old = ConfigText::decode_as_is(file.layer, &file.path, bytes)?;
    let contents = old.contents()?;
    match contents.version {
        Some(version) if version > VERSION => return Ok(Upgrade::Newer(version)),
        None if !contents.is_active() => return Ok(Upgrade::Inactive),
        _ => {}
    }
    // Lines are counted before the version is put on top of them.
    let migrated = ConfigText::of(file.layer, &file.path, &migrate(old.text()));
    let providers = check(&migrated)?;
    let text = with_version(migrated.text());
    if text == old.text() {
        return Ok(Upgrade::Current);
    }
    let providers = (!providers.is_empty()).then(|| migrated.into_provider_layer(providers));
    Ok(Upgrade::Outdated { text, providers })
}

/// Finds the first mistake in a file, and returns its providers.
fn check(file: &ConfigText) -> Result<Vec<String>, ConfigError> {
    let contents = file.contents()?;
    if let Some(unknown) = contents.unknown.into_iter().next() {
        return Err(unknown);
    }
    for entry in contents.entries {
        entry
            .key
            .read_toml(&entry.value)
            .map_err(|problem| ConfigError::invalid(entry.place, entry.key.path(), problem))?;
    }
    Ok(contents.providers)
}
