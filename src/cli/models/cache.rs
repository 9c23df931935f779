//! What agents listed within the last day, kept so that nobody waits for the same list twice.
//!
//! A list holds for one program as it is now, in the environment that decides what an account may use. Of that
//! environment only a hash is stored, for it holds keys.

use std::fs::Metadata;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use faster_hex::hex_string;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::private;
use crate::process::seconds_since_1970;
use crate::provider::Manifest;

/// How long a list holds.
const AGE: Duration = Duration::from_secs(24 * 3600);
/// A longer file was not written by us, in bytes.
const LONGEST: u64 = 1 << 20;
/// What else may decide which models there are: where programs keep logins and settings.
const VARIABLES: [&str; 4] = ["HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "PATH"];

/// The folder of the lists.
#[derive(Debug, Clone)]
pub(super) struct Cache {
    folder: PathBuf,
}

#[derive(Serialize, Deserialize)]
struct Kept {
    /// Seconds since 1970.
    created: u64,
    models: Vec<String>,
}

impl Cache {
    /// Below stagecoach's folder for what it can do without.
    pub(super) fn below(folder: &Path) -> Self {
        Self { folder: folder.join("models") }
    }

    /// The list that holds for a key, if there is one of today.
    pub(super) fn get(&self, key: &str) -> Option<Vec<String>> {
        if !private::check(&self.folder).ok()? {
            return None;
        }
        let content = private::read(&self.file(key), LONGEST).ok()??;
        let kept: Kept = serde_json::from_slice(&content).ok()?;
        let age = seconds_since_1970().checked_sub(kept.created)?;
        (age < AGE.as_secs()).then_some(kept.models)
    }

    /// Keeps a list, in the place of an older one.
    ///
    /// # Errors
    /// The folder or the file cannot be written; the list is as good as before.
    pub(super) fn put(&self, key: &str, models: &[String]) -> std::io::Result<()> {
        if let Some(parent) = self.folder.parent() {
            private::create(parent).map_err(std::io::Error::other)?;
        }
        private::create(&self.folder).map_err(std::io::Error::other)?;
        self.sweep();
        let kept = Kept { created: seconds_since_1970(), models: models.to_vec() };
        let mut file = tempfile::NamedTempFile::new_in(&self.folder)?;
        file.write_all(&serde_json::to_vec(&kept)?)?;
        file.persist(self.file(key)).map(drop).map_err(|error| error.error)
    }

    /// Removes lists that hold no more; what cannot be removed does no harm.
    fn sweep(&self) {
        for entry in std::fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            let modified = entry.metadata().and_then(|metadata| metadata.modified());
            if modified.is_ok_and(|time| time.elapsed().is_ok_and(|age| age > AGE)) {
                drop(std::fs::remove_file(entry.path()));
            }
        }
    }

    fn file(&self, key: &str) -> PathBuf {
        self.folder.join(format!("{key}.json"))
    }
}

/// What a list depends on, as one word. `program` is where it was found, `version` what it prints.
pub(super) fn key(manifest: &Manifest, program: &Path, version: &str) -> Option<String> {
    let program = program.canonicalize().ok()?;
    let (size, time) = stamp(&program.metadata().ok()?);
    let mut hash = Sha256::new();
    let mut add = |part: &str| {
        hash.update(part.len().to_le_bytes());
        hash.update(part.as_bytes());
    };
    add(&program.to_string_lossy());
    add(&format!("{size} {time}"));
    add(version);
    add(&manifest.list_models_command.join("\0"));
    add(&manifest.acp.iter().flat_map(|acp| &acp.command).map(String::as_str).collect::<Vec<_>>().join("\0"));
    manifest.env.iter().for_each(|(name, value)| add(&format!("{name}={value}")));
    let names = manifest.checks.auth_env.iter().map(String::as_str).chain(VARIABLES);
    names.for_each(|name| add(&format!("{name}={}", std::env::var_os(name).unwrap_or_default().to_string_lossy())));
    Some(hex_string(&hash.finalize()))
}

fn stamp(metadata: &Metadata) -> (u64, u128) {
    let time = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    (metadata.len(), time.map_or(0, |time| time.as_nanos()))
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    #[test]
    fn a_list_holds_for_a_day_and_for_its_key() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::below(&folder.path().join("cache"));
        assert_eq!(cache.get("a"), None);
        cache.put("a", &["m".to_owned()]).unwrap();
        assert_eq!(cache.get("a"), Some(vec!["m".to_owned()]));
        assert_eq!(cache.get("b"), None);
        let old = Kept { created: seconds_since_1970() - AGE.as_secs(), models: vec!["m".to_owned()] };
        std::fs::write(cache.file("a"), serde_json::to_vec(&old).unwrap()).unwrap();
        assert_eq!(cache.get("a"), None);
        std::fs::write(cache.file("a"), "rubbish").unwrap();
        assert_eq!(cache.get("a"), None);
    }

    #[test]
    fn the_key_changes_with_what_it_stands_for() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("agent");
        std::fs::write(&program, "one").unwrap();
        let registry = crate::provider::Registry::new(Vec::new()).unwrap();
        let manifest = registry.get("opencode").unwrap().manifest;
        let first = key(&manifest, &program, "1.0").unwrap();
        assert_eq!(key(&manifest, &program, "1.0").as_ref(), Some(&first));
        assert_ne!(key(&manifest, &program, "1.1").as_ref(), Some(&first));
        let other = Manifest { list_models_command: vec!["x".to_owned()], ..manifest.clone() };
        assert_ne!(key(&other, &program, "1.0").as_ref(), Some(&first));
        std::fs::write(&program, "another").unwrap();
        assert_ne!(key(&manifest, &program, "1.0").as_ref(), Some(&first));
        assert_eq!(key(&manifest, &folder.path().join("nothing"), "1.0"), None);
    }
}
