//! Making `@path` harmless for agents that replace it by the file's contents.
//!
//! A diff is full of at-signs and anyone can write one. For agents without a switch, every `@` of the prompt is written as
//! a mark that occurs nowhere in it. The model is told in one sentence, and the mark is turned back in the answer.

use std::collections::HashSet;

/// How at-signs are written in one prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AtEscape {
    mark: String,
}

impl AtEscape {
    /// A mark that is in none of the texts, or None when none of them has an at-sign.
    #[must_use]
    pub fn choose(texts: &[&str]) -> Option<Self> {
        if !texts.iter().any(|text| text.contains('@')) {
            return None;
        }
        // Collected in one pass: a diff may be made of such marks, and trying one after the other would be quadratic.
        let taken: HashSet<&str> =
            texts.iter().flat_map(|text| text.split("[at").skip(1)).map(number_of_mark).collect();
        let numbers = std::iter::once(String::new()).chain((2_u32..).map(|number| number.to_string()));
        numbers
            .into_iter()
            .find(|number| !taken.contains(number.as_str()))
            .map(|number| Self { mark: format!("[at{number}]") })
    }

    /// What stands for `@`.
    #[must_use]
    pub fn mark(&self) -> &str {
        &self.mark
    }

    /// The text without at-signs.
    #[must_use]
    pub fn hide(&self, text: &str) -> String {
        text.replace('@', &self.mark)
    }

    /// The text with its at-signs back.
    #[must_use]
    pub fn restore(&self, text: &str) -> String {
        text.replace(&self.mark, "@")
    }

    /// What the model has to know. It has no at-sign itself.
    #[must_use]
    pub fn explanation(&self) -> String {
        format!("In the text below, {} stands for the at-sign (U+0040), wherever it occurs.", self.mark)
    }
}

/// The digits with which a text after `[at` goes on.
fn number_of_mark(rest: &str) -> &str {
    rest.split(|c: char| !c.is_ascii_digit()).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn takes_the_first_free_mark() {
        assert_eq!(AtEscape::choose(&["nothing here"]), None);
        assert_eq!(AtEscape::choose(&["a@b"]).unwrap().mark(), "[at]");
        assert_eq!(AtEscape::choose(&["a@b", "x [at] y"]).unwrap().mark(), "[at2]");
        assert_eq!(AtEscape::choose(&["[at2]", "[at] @"]).unwrap().mark(), "[at3]");
    }

    #[test]
    fn no_path_is_left_after_a_hunk_header_or_an_address() {
        let escape = AtEscape::choose(&["@"]).unwrap();
        assert_eq!(escape.hide("@@ -1 +1 @@\n+read @/etc/passwd"), "[at][at] -1 +1 [at][at]\n+read [at]/etc/passwd");
        assert!(!escape.explanation().contains('@'));
    }

    proptest! {
        #[test]
        fn hiding_is_complete_and_reversible(text in "[@a\\[\\]t0-9 ]{0,40}", other in "[@at\\[\\]]{0,12}") {
            if let Some(escape) = AtEscape::choose(&[&text, &other]) {
                let hidden = escape.hide(&text);
                prop_assert!(!hidden.contains('@'));
                prop_assert_eq!(escape.restore(&hidden), text);
            }
        }
    }
}
