//! A choice among the changed lines of a file.

/// For each changed line of an edit script, in its order, whether it is taken.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Lines(Vec<bool>);

impl Lines {
    /// No line of so many.
    #[must_use]
    pub fn none(count: usize) -> Self {
        Self(vec![false; count])
    }

    /// Every line of so many.
    #[must_use]
    pub fn all(count: usize) -> Self {
        Self(vec![true; count])
    }

    /// The lines for which a condition holds.
    pub(in crate::decompose) fn such_that(count: usize, taken: impl Fn(usize) -> bool) -> Self {
        Self((0..count).map(taken).collect())
    }

    /// Whether a line is taken.
    #[must_use]
    pub fn has(&self, line: usize) -> bool {
        self.0.get(line).copied().unwrap_or(false)
    }

    /// Whether every line is taken.
    #[must_use]
    pub fn is_all(&self) -> bool {
        self.0.iter().all(|taken| *taken)
    }

    /// Whether no line is taken.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.0.iter().all(|taken| !taken)
    }

    /// Whether the other choice takes all that this one does.
    #[must_use]
    pub fn is_within(&self, other: &Lines) -> bool {
        self.0.len() == other.0.len() && self.0.iter().zip(&other.0).all(|(one, other)| *other || !one)
    }

    /// What either takes.
    #[must_use]
    pub fn or(&self, other: &Lines) -> Self {
        Self(self.0.iter().zip(&other.0).map(|(one, other)| *one || *other).collect())
    }

    /// What this does not take.
    #[must_use]
    pub fn rest(&self) -> Self {
        Self(self.0.iter().map(|taken| !taken).collect())
    }

    /// What this takes and the other does not.
    #[must_use]
    pub fn without(&self, other: &Lines) -> Self {
        Self(self.0.iter().zip(&other.0).map(|(one, other)| *one && !other).collect())
    }

    pub(super) fn take(&mut self, lines: std::ops::Range<usize>) {
        self.0.get_mut(lines).into_iter().flatten().for_each(|taken| *taken = true);
    }
}
