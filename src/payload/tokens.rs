//! How many tokens a text will be.

/// The estimate.
#[must_use]
pub fn estimate(text: &str) -> usize {
    text.len().div_ceil(2)
}
