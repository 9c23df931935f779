//! Small text services for messages: text from outside made safe to print, and the nearest known word.

/// The text with everything escaped that could steer a terminal or turn its direction: what comes from a file, a
/// variable or a path is quoted in messages only through this.
pub(crate) fn printable(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        if is_unsafe(character) {
            safe.extend(character.escape_unicode());
        } else {
            safe.push(character);
        }
    }
    safe
}

/// Control characters, what reorders text, and what hides in it.
fn is_unsafe(character: char) -> bool {
    steers(character)
        || matches!(character, '\u{200b}'..='\u{200f}' | '\u{2028}' | '\u{2029}' | '\u{2060}'..='\u{2065}' | '\u{feff}')
}

/// Control characters (also C1) and the marks that reorder text. A joiner between emoji is neither.
pub(crate) fn steers(character: char) -> bool {
    character.is_control() || matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

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

    #[test]
    fn nothing_that_steers_a_terminal_is_printed() {
        assert_eq!(printable("plain ü 漢"), "plain ü 漢");
        assert_eq!(printable("\u{1b}[31m\n\u{9b}\u{202e}"), "\\u{1b}[31m\\u{a}\\u{9b}\\u{202e}");
    }
}
