//! What the user does not want the agent to see, in gitignore syntax. It changes the payload only, never the commit.

use bstr::{BStr, ByteSlice};
use ignore::gitignore::{Gitignore, GitignoreBuilder};

/// A set of patterns. The default excludes nothing.
#[derive(Debug, Clone)]
pub struct Excludes {
    matcher: Gitignore,
    warnings: Vec<String>,
}

/// A pattern of an option or of the configuration cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the exclude pattern `{pattern}` cannot be read: {reason}")]
pub struct InvalidPattern {
    /// The pattern as given.
    pub pattern: String,
    /// What is wrong with it.
    pub reason: String,
}

impl Default for Excludes {
    fn default() -> Self {
        Self { matcher: Gitignore::empty(), warnings: Vec::new() }
    }
}

impl Excludes {
    /// Reads the patterns of options and configuration, then the text of a `.stagecoachignore` file. A `!` line takes
    /// nothing back: it is ignored with a [warning](Self::warnings), as is a line of the file that cannot be read.
    ///
    /// # Errors
    /// A pattern of `patterns` cannot be read.
    pub fn new(patterns: &[String], file: Option<&str>) -> Result<Self, InvalidPattern> {
        let lines: Vec<&str> = file.unwrap_or_default().lines().filter(|line| is_pattern(line)).collect();
        if patterns.is_empty() && lines.is_empty() {
            return Ok(Self::default());
        }
        let mut builder = GitignoreBuilder::new("");
        let mut warnings = Vec::new();
        for pattern in patterns {
            if pattern.starts_with('!') {
                warnings.push(format!("the exclude pattern `{pattern}` is ignored: excludes cannot be taken back"));
            } else if let Err(error) = builder.add_line(None, pattern) {
                return Err(InvalidPattern { pattern: pattern.clone(), reason: error.to_string() });
            }
        }
        for line in lines {
            if line.starts_with('!') {
                warnings.push(format!("`{line}` in .stagecoachignore is ignored: excludes cannot be taken back"));
            } else if let Err(error) = builder.add_line(None, line) {
                warnings.push(format!("`{line}` in .stagecoachignore is ignored: {error}"));
            }
        }
        let matcher = builder
            .build()
            .map_err(|error| InvalidPattern { pattern: patterns.join(", "), reason: error.to_string() })?;
        Ok(Self { matcher, warnings })
    }

    /// Lines that were ignored, and why.
    #[must_use]
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Whether the file at `path`, or a folder above it, is excluded.
    #[must_use]
    pub fn excludes(&self, path: &BStr) -> bool {
        !self.matcher.is_empty() && self.matcher.matched_path_or_any_parents(path.to_path_lossy(), false).is_ignore()
    }
}

fn is_pattern(line: &str) -> bool {
    !line.trim().is_empty() && !line.starts_with('#')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn excludes(patterns: &[&str], file: &str) -> Excludes {
        Excludes::new(&patterns.iter().map(ToString::to_string).collect::<Vec<_>>(), Some(file)).unwrap()
    }

    #[test]
    fn patterns_are_gitignore_patterns() {
        let set = excludes(&["*.log", "/top.txt", "docs/"], "# comment\n\nsrc/**/gen\n");
        for (path, expected) in [
            ("a.log", true),
            ("deep/down/a.log", true),
            ("top.txt", true),
            ("sub/top.txt", false),
            ("docs/guide.md", true),
            ("x/docs/guide.md", true),
            ("docs", false),
            ("src/a/gen/x.rs", true),
            ("src/a/other.rs", false),
        ] {
            assert_eq!(set.excludes(path.into()), expected, "{path}");
        }
    }

    #[test]
    fn nothing_is_taken_back() {
        let set = excludes(&["*.rs", "!keep.rs"], "!other.rs\n");
        assert!(set.excludes("keep.rs".into()));
        assert!(set.excludes("other.rs".into()));
        assert_eq!(set.warnings().len(), 2);
    }

    #[test]
    fn a_broken_pattern_is_an_error_in_options_and_a_warning_in_the_file() {
        assert!(Excludes::new(&["a{".to_owned()], None).is_err());
        assert_eq!(excludes(&[], "a{\n*.x\n").warnings().len(), 1);
    }

    #[test]
    fn the_default_excludes_nothing() {
        assert!(!Excludes::default().excludes("a".into()));
    }
}
