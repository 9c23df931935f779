//! Markers around text that must not be taken for instructions: a pair that occurs nowhere in that text.

/// The two markers of a piece of data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fence {
    tag: String,
}

impl Fence {
    /// Chooses markers of which neither text has the tag. The same texts give the same markers.
    #[must_use]
    pub fn around(texts: &[&str]) -> Self {
        Self::from_number(texts.iter().fold(FNV_OFFSET, |sum, text| hash(sum, text)), texts)
    }

    fn from_number(mut number: u64, texts: &[&str]) -> Self {
        loop {
            let tag = format!("{:08x}", number & 0xffff_ffff);
            if !texts.iter().any(|text| text.contains(&tag)) {
                return Self { tag };
            }
            number = number.wrapping_add(FNV_PRIME);
        }
    }

    /// The line before the data.
    #[must_use]
    pub fn open(&self, name: &str) -> String {
        format!("<<<<<< BEGIN {name} {}", self.tag)
    }

    /// The line after the data.
    #[must_use]
    pub fn close(&self, name: &str) -> String {
        format!(">>>>>> END {name} {}", self.tag)
    }

    /// The word that makes these markers unlike any text between them.
    #[must_use]
    pub fn tag(&self) -> &str {
        &self.tag
    }

    /// The text between its markers, each on a line of its own.
    #[must_use]
    pub fn wrap(&self, name: &str, text: &str) -> String {
        let newline = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
        format!("{}\n{text}{newline}{}\n", self.open(name), self.close(name))
    }
}

const FNV_OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const FNV_PRIME: u64 = 0x0100_0000_01b3;

/// Eight bytes at a time; spread is all that is wanted of it, not secrecy.
fn hash(start: u64, text: &str) -> u64 {
    let mix = |sum: u64, word: u64| (sum ^ word).wrapping_mul(FNV_PRIME).rotate_left(23);
    let mut chunks = text.as_bytes().chunks_exact(8);
    let sum = chunks.by_ref().fold(start, |sum, chunk| {
        let mut word = [0; 8];
        word.iter_mut().zip(chunk).for_each(|(to, from)| *to = *from);
        mix(sum, u64::from_le_bytes(word))
    });
    chunks.remainder().iter().fold(mix(sum, 1), |sum, byte| mix(sum, u64::from(*byte)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_tag_that_occurs_in_the_text_is_not_taken() {
        assert_eq!(Fence::from_number(0xab, &["plain"]).tag(), "000000ab");
        let fence = Fence::from_number(0xab, &["plain", "x000000aby 0000025e"]);
        assert_eq!(fence.tag(), "00000411");
    }

    proptest! {
        #[test]
        fn the_tag_is_nowhere_in_the_text(texts in prop::collection::vec("[0-9a-f\n]{0,400}", 0..4)) {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let fence = Fence::around(&texts);
            prop_assert!(texts.iter().all(|text| !text.contains(fence.tag())));
            prop_assert_eq!(Fence::around(&texts), fence);
        }

        #[test]
        fn wrapped_text_is_whole_lines(text in "\\PC{0,80}") {
            let fence = Fence::around(&[text.as_str()]);
            let wrapped = fence.wrap("DIFF", &text);
            let lines: Vec<&str> = wrapped.lines().collect();
            let (open, close) = (fence.open("DIFF"), fence.close("DIFF"));
            prop_assert_eq!(lines.first().copied(), Some(open.as_str()));
            prop_assert_eq!(lines.last().copied(), Some(close.as_str()));
        }
    }
}
