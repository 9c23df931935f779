//! The nearest known word, for suggestions.

/// The candidate that `word` was most likely meant to be, if one is near enough to be worth naming.
pub(crate) fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let folded = word.to_lowercase();
    candidates
        .into_iter()
        .map(|candidate| (strsim::osa_distance(&folded, &candidate.to_lowercase()), candidate))
        .filter(|(distance, candidate)| *distance <= tolerance(&folded, candidate))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// The same for names that all begin alike, which says nothing about how near they are.
pub(crate) fn nearest_after<'a>(
    prefix: &str,
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<String> {
    let word = word.get(prefix.len()..).unwrap_or(word);
    let rests = candidates.into_iter().filter_map(|candidate| candidate.strip_prefix(prefix));
    nearest(word, rests).map(|found| format!("{prefix}{found}"))
}

/// A third of the longer word may be wrong, and always one letter of a word that has more than one.
fn tolerance(word: &str, candidate: &str) -> usize {
    let longer = word.chars().count().max(candidate.chars().count());
    if longer < 2 { 0 } else { (longer / 3).max(1) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_word_or_none() {
        let words = ["provider", "model", "reasoning", "timeout"];
        for (word, expected) in [
            ("tiemout", Some("timeout")),
            ("modle", Some("model")),
            ("PROVIDER", Some("provider")),
            ("reason", Some("reasoning")),
            ("", None),
            ("x", None),
            ("push", None),
        ] {
            assert_eq!(nearest(word, words), expected, "{word}");
        }
    }
}
