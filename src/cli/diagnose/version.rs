//! Versions as programs print them.

use std::cmp::Ordering;

/// The first thing in a text that looks like a version: two numbers or more with points between.
pub(in super::super) fn find(text: &str) -> Option<&str> {
    let words = text.split(|c: char| !(c.is_ascii_digit() || c == '.'));
    words.map(|word| word.trim_matches('.')).find(|word| word.contains('.') && parts(word).is_some())
}

/// Whether one version is lower than another; `None` where one is no version.
pub(super) fn is_below(version: &str, minimum: &str) -> Option<bool> {
    let (mut version, mut minimum) = (parts(version)?, parts(minimum)?);
    let length = version.len().max(minimum.len());
    version.resize(length, 0);
    minimum.resize(length, 0);
    Some(version.cmp(&minimum) == Ordering::Less)
}

fn parts(version: &str) -> Option<Vec<u64>> {
    version.split('.').map(|part| part.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found_and_compared() {
        for (text, version) in [
            ("2.1.332 (Claude Code)", Some("2.1.332")),
            ("codex-cli 0.171.0\n", Some("0.171.0")),
            ("Version v1.18.33.", Some("1.18.33")),
            ("git version 2.47.3", Some("2.47.3")),
            ("7 of 9, no version", None),
        ] {
            assert_eq!(find(text), version, "{text}");
        }
        assert_eq!(is_below("2.1.9", "2.1.10"), Some(true));
        assert_eq!(is_below("2.1.10", "2.1.10"), Some(false));
        assert_eq!(is_below("2.2", "2.1.10"), Some(false));
        assert_eq!(is_below("2.1", "2.1.0"), Some(false));
        assert_eq!(is_below("x", "2.1"), None);
    }
}
