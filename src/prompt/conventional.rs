//! Conventional Commits: the types, and reading a subject.

/// The usual types.
pub const TYPES: [&str; 11] =
    ["build", "chore", "ci", "docs", "feat", "fix", "perf", "refactor", "revert", "style", "test"];

/// A subject of the form `type(scope)!: description`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Conventional<'a> {
    /// The word at the beginning, known or not, as written.
    pub kind: &'a str,
    /// What stands in parentheses.
    pub scope: Option<&'a str>,
    /// What follows the colon, trimmed; never empty.
    pub description: &'a str,
}

impl<'a> Conventional<'a> {
    /// Reads a subject; `None` when it has another form.
    #[must_use]
    pub fn parse(subject: &'a str) -> Option<Self> {
        let (head, description) = subject.split_once(": ")?;
        let head = head.strip_suffix('!').unwrap_or(head);
        let (kind, scope) = match head.split_once('(') {
            Some((kind, scope)) => (kind, Some(scope.strip_suffix(')').filter(|scope| !scope.trim().is_empty())?)),
            None => (head, None),
        };
        let word = !kind.is_empty() && kind.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'-');
        let description = description.trim();
        (word && !description.is_empty()).then_some(Self { kind, scope, description })
    }

    /// Whether the type is one of [`TYPES`].
    #[must_use]
    pub fn is_known(&self) -> bool {
        TYPES.contains(&self.kind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subjects_are_read() {
        for (subject, kind, scope, description) in [
            ("feat: add it", "feat", None, "add it"),
            ("fix(parser): accept tabs", "fix", Some("parser"), "accept tabs"),
            ("refactor(a, b)!: split", "refactor", Some("a, b"), "split"),
            ("feat!: drop it", "feat", None, "drop it"),
        ] {
            assert_eq!(Conventional::parse(subject), Some(Conventional { kind, scope, description }), "{subject}");
        }
    }

    #[test]
    fn other_subjects_are_not() {
        for subject in ["Add it", "feat add", "feat(: x", "fix(): y", "fix:no space", "feat: ", "two words: x", ": x"] {
            assert_eq!(Conventional::parse(subject), None, "{subject}");
        }
    }

    #[test]
    fn only_the_usual_types_are_known() {
        assert!(Conventional::parse("ci: run on arm").unwrap().is_known());
        assert!(!Conventional::parse("feature: x").unwrap().is_known());
        assert!(!Conventional::parse("Feat: x").unwrap().is_known());
    }
}
