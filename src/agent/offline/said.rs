//! What the author says about the work, as an idea: the first sentence of a description is a better subject than anything
//! that can be seen in the lines.

use super::facts::MessageFacts;
use super::habits::TYPES;
use super::ideas::{Idea, Kind};

/// The first sentence of the description. One that is a subject with a type already is left alone, for it would get a
/// second one.
pub(super) fn idea(facts: &MessageFacts, kind: Kind) -> Option<Idea> {
    let sentence = first_sentence(facts.description.as_deref()?);
    (!sentence.is_empty() && !has_type(&sentence)).then(|| Idea::new(kind, lower(&sentence)))
}

/// Up to the first end of a sentence or paragraph, on one line, without its full stop.
fn first_sentence(text: &str) -> String {
    let mut words = Vec::new();
    for line in text.trim().lines().take_while(|line| !line.trim().is_empty()) {
        for word in line.split_whitespace() {
            let visible: String = word.chars().filter(|c| !c.is_control()).collect();
            let ends = visible.ends_with(['.', '!', '?']);
            words.push(visible);
            if ends {
                return words.join(" ").trim_end_matches('.').to_owned();
            }
        }
    }
    words.join(" ")
}

fn has_type(sentence: &str) -> bool {
    let Some((prefix, _)) = sentence.split_once(':') else { return false };
    let word: String = prefix.chars().take_while(char::is_ascii_alphanumeric).collect();
    TYPES.iter().any(|name| word.eq_ignore_ascii_case(name))
}

/// As ideas are written: a capital letter goes, unless it belongs to a name or an abbreviation.
fn lower(sentence: &str) -> String {
    let mut chars = sentence.chars();
    let Some(first) = chars.next() else { return String::new() };
    let word = sentence.split(' ').next().unwrap_or_default();
    let is_i = word.split(['\'', '\u{2019}', ',']).next() == Some("I");
    if !is_i && word.chars().skip(1).all(|c| c.is_lowercase() || !c.is_alphabetic()) {
        first.to_lowercase().chain(chars).collect()
    } else {
        sentence.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_sentence_speaks() {
        for (text, expected) in [
            ("Retry requests. They time out.", Some("retry requests")),
            ("  Retry\n requests\n\nThey time out.", Some("retry requests")),
            ("HTTP errors are retried", Some("HTTP errors are retried")),
            ("Bump to 1.2 at once", Some("bump to 1.2 at once")),
            ("Why not?", Some("why not?")),
            ("I fixed it", Some("I fixed it")),
            ("I've fixed it", Some("I've fixed it")),
            ("It works", Some("it works")),
            ("fix(net): retry requests", None),
            (" \n", None),
        ] {
            let facts = MessageFacts { description: Some(text.to_owned()), ..MessageFacts::default() };
            assert_eq!(idea(&facts, Kind::FIX).map(|idea| idea.text).as_deref(), expected, "{text:?}");
        }
        assert_eq!(idea(&MessageFacts::default(), Kind::FIX), None);
    }
}
