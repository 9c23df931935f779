//! git's configuration as one ordered list, whoever read it.

use bstr::{BStr, BString, ByteSlice};

/// One line of git's configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigEntry {
    /// Section and variable in lower case, subsection as written: `branch.Main.remote`.
    pub key: String,
    /// `None` for a variable without `=`, which is true as a boolean.
    pub value: Option<BString>,
    /// The scope (`system`, `global`, `local`, `worktree`, `command`), with the file where known.
    pub origin: String,
}

/// All of git's configuration, lowest scope first, so that the last entry of a key wins.
#[derive(Debug, Clone, Default)]
pub struct Config {
    entries: Vec<ConfigEntry>,
}

/// A value is no boolean in git's eyes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("bad boolean value '{value}' for '{key}'")]
pub struct BadBoolean {
    /// The variable.
    pub key: String,
    /// What it says.
    pub value: String,
}

impl Config {
    /// Takes the entries in git's order.
    #[must_use]
    pub const fn new(entries: Vec<ConfigEntry>) -> Self {
        Self { entries }
    }

    /// Every entry, lowest scope first.
    #[must_use]
    pub fn entries(&self) -> &[ConfigEntry] {
        &self.entries
    }

    /// The last entry of a key given in lower case.
    #[must_use]
    pub fn entry(&self, key: &str) -> Option<&ConfigEntry> {
        self.entries.iter().rev().find(|entry| entry.key == key)
    }

    /// The value that wins, when there is one with a value.
    #[must_use]
    pub fn value(&self, key: &str) -> Option<&BStr> {
        self.entry(key)?.value.as_ref().map(|value| value.as_bstr())
    }

    /// The value that wins, as text.
    #[must_use]
    pub fn text(&self, key: &str) -> Option<String> {
        self.value(key).map(|value| value.to_str_lossy().into_owned())
    }

    /// The value that wins, read as git reads booleans.
    ///
    /// # Errors
    /// The value is no boolean.
    pub fn boolean(&self, key: &str) -> Result<Option<bool>, BadBoolean> {
        let Some(entry) = self.entry(key) else { return Ok(None) };
        let Some(value) = &entry.value else { return Ok(Some(true)) };
        let text = value.to_str_lossy();
        match text.to_ascii_lowercase().as_str() {
            "true" | "yes" | "on" => Ok(Some(true)),
            "false" | "no" | "off" | "" => Ok(Some(false)),
            number => number
                .parse::<i64>()
                .map(|n| Some(n != 0))
                .map_err(|_| BadBoolean { key: key.to_owned(), value: text.into_owned() }),
        }
    }

    /// The value that wins, as an integer with git's `k`, `m`, `g` suffixes; `None` when absent or no integer.
    #[must_use]
    pub fn integer(&self, key: &str) -> Option<i64> {
        let text = self.text(key)?.to_ascii_lowercase();
        let (digits, factor) = match text.strip_suffix(['k', 'm', 'g']) {
            Some(digits) if text.ends_with('k') => (digits, 1 << 10),
            Some(digits) if text.ends_with('m') => (digits, 1 << 20),
            Some(digits) => (digits, 1 << 30),
            None => (text.as_str(), 1),
        };
        digits.trim().parse::<i64>().ok()?.checked_mul(factor)
    }
}

/// Lower-cases section and variable and leaves the subsection, as git compares keys.
#[must_use]
pub fn normalize_key(key: &str) -> String {
    let (Some(first), Some(last)) = (key.find('.'), key.rfind('.')) else { return key.to_ascii_lowercase() };
    let (section, rest) = key.split_at(first);
    let (subsection, variable) = rest.split_at(last - first);
    format!("{}{subsection}{}", section.to_ascii_lowercase(), variable.to_ascii_lowercase())
}

/// Reads `git config --list -z --show-scope --show-origin`.
pub(crate) fn parse_list(output: &[u8]) -> Vec<ConfigEntry> {
    let mut fields = output.split_str("\0");
    let mut entries = Vec::new();
    while let (Some(scope), Some(origin), Some(pair)) = (fields.next(), fields.next(), fields.next()) {
        let (key, value) = match pair.split_once_str("\n") {
            Some((key, value)) => (key, Some(value.into())),
            None => (pair, None),
        };
        entries.push(ConfigEntry {
            key: normalize_key(&key.to_str_lossy()),
            value,
            origin: format!("{} ({})", scope.to_str_lossy(), origin.to_str_lossy()),
        });
    }
    entries
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(pairs: &[(&str, Option<&str>)]) -> Config {
        Config::new(
            pairs
                .iter()
                .map(|(key, value)| ConfigEntry {
                    key: (*key).to_owned(),
                    value: value.map(Into::into),
                    origin: "local".to_owned(),
                })
                .collect(),
        )
    }

    #[test]
    fn booleans_are_gits() {
        let config = config(&[
            ("a.bare", None),
            ("a.yes", Some("Yes")),
            ("a.two", Some("2")),
            ("a.zero", Some("0")),
            ("a.empty", Some("")),
            ("a.no", Some("maybe")),
            ("a.twice", Some("true")),
            ("a.twice", Some("off")),
        ]);
        let read = |key: &str| config.boolean(key);
        assert_eq!(read("a.bare"), Ok(Some(true)));
        assert_eq!(read("a.yes"), Ok(Some(true)));
        assert_eq!(read("a.two"), Ok(Some(true)));
        assert_eq!(read("a.zero"), Ok(Some(false)));
        assert_eq!(read("a.empty"), Ok(Some(false)));
        assert_eq!(read("a.twice"), Ok(Some(false)));
        assert_eq!(read("a.none"), Ok(None));
        assert!(read("a.no").is_err());
    }

    #[test]
    fn integers_take_gits_suffixes() {
        let config = config(&[("gc.auto", Some("2k")), ("gc.other", Some("-1")), ("gc.bad", Some("many"))]);
        assert_eq!(config.integer("gc.auto"), Some(2048));
        assert_eq!(config.integer("gc.other"), Some(-1));
        assert_eq!(config.integer("gc.bad"), None);
    }

    #[test]
    fn keys_fold_case_outside_the_subsection() {
        assert_eq!(normalize_key("Core.HooksPath"), "core.hookspath");
        assert_eq!(normalize_key("Branch.Main.Remote"), "branch.Main.remote");
    }

    #[test]
    fn a_listing_is_read_with_values_that_hold_newlines() {
        let entries = parse_list(b"local\0file:.git/config\0core.bare\0command\0command line:\0alias.x\na\nb\0");
        assert_eq!(entries.len(), 2);
        assert_eq!(entries[0].value, None);
        assert_eq!(entries[1].value, Some("a\nb".into()));
        assert_eq!(entries[1].origin, "command (command line:)");
    }
}
