//! How many tokens a text will be, without a vocabulary.
//!
//! Tokenizers split a text into words, numbers, punctuation and white space before they look anything up, and what they
//! need for such a piece depends on little: how long it is, whether its letters are common ones, which script it is in.
//! So the estimate walks over the text once and adds a weight for each piece. The weights were fitted to a public
//! vocabulary (`o200k_base`) on diffs, code in many languages and prose in many scripts so that the estimate is rarely
//! below the true count and rarely more than a third above it; the tests hold it to that.

/// Weights in hundredths of a token.
mod weight {
    /// A run of Latin letters.
    pub(super) const WORD: u64 = 107;
    /// Each letter of a word beyond the fourth.
    pub(super) const LONG: u64 = 4;
    /// A letter that is rare in English: names, abbreviations, other languages, base64.
    pub(super) const RARE: u64 = 112;
    /// An upper-case letter after a lower-case one.
    pub(super) const CAMEL: u64 = 133;
    /// An upper-case letter after another.
    pub(super) const CAPS: u64 = 12;
    /// Up to three digits.
    pub(super) const DIGITS: u64 = 120;
    /// One mark of punctuation alone.
    pub(super) const MARK: u64 = 49;
    /// Two different marks together.
    pub(super) const MARKS: u64 = 73;
    /// Each different mark after that.
    pub(super) const MORE_MARKS: u64 = 55;
    /// A mark that repeats the one before it.
    pub(super) const REPEATED: u64 = 32;
    /// What marks cost more after a digit, which they cannot join.
    pub(super) const AFTER_DIGITS: u64 = 109;
    /// Ends of lines after a letter or a space.
    pub(super) const LINES: u64 = 198;
    /// Ends of lines after punctuation, which they join.
    pub(super) const JOINED_LINES: u64 = 58;
    /// One tab, which mostly goes with the word after it.
    pub(super) const TAB: u64 = 19;
    /// More than one space or tab.
    pub(super) const SPACES: u64 = 136;
    pub(super) const ACCENTED: u64 = 65;
    pub(super) const GREEK: u64 = 48;
    pub(super) const CYRILLIC: u64 = 38;
    pub(super) const HEBREW_ARABIC: u64 = 40;
    pub(super) const HAN: u64 = 86;
    pub(super) const KANA: u64 = 66;
    pub(super) const HANGUL: u64 = 82;
    /// From Devanagari to Thai.
    pub(super) const INDIC_THAI: u64 = 42;
    /// Letters of scripts that vocabularies hold little of.
    pub(super) const OTHER_SCRIPT: u64 = 150;
    pub(super) const EMOJI: u64 = 207;
    pub(super) const SYMBOL: u64 = 172;
}

/// About how many tokens the text is. Linear in its length, without allocation.
#[must_use]
pub fn estimate(text: &str) -> usize {
    let mut sum = 0_u64;
    let mut previous = Piece::Spaces;
    let mut rest = text.as_bytes();
    while let Some(first) = rest.first() {
        let piece = Piece::of(*first);
        let (cost, length) = if piece == Piece::Foreign {
            foreign(rest)
        } else {
            let length = rest.iter().take_while(|byte| Piece::of(**byte) == piece).count();
            (piece.cost(rest.get(..length).unwrap_or_default(), previous), length)
        };
        sum += cost;
        previous = piece;
        rest = rest.get(length..).unwrap_or_default();
    }
    usize::try_from(sum.div_ceil(100)).unwrap_or(usize::MAX)
}

/// What a tokenizer does not split further before it looks it up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Piece {
    Word,
    Digits,
    Marks,
    Spaces,
    Lines,
    /// A character that is not ASCII.
    Foreign,
}

impl Piece {
    const fn of(byte: u8) -> Self {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' => Piece::Word,
            b'0'..=b'9' => Piece::Digits,
            b' ' | b'\t' => Piece::Spaces,
            b'\n' | b'\r' => Piece::Lines,
            0x80.. => Piece::Foreign,
            _ => Piece::Marks,
        }
    }

    fn cost(self, run: &[u8], previous: Piece) -> u64 {
        match self {
            Piece::Word => word(run, previous),
            Piece::Digits => weight::DIGITS * count(run.len().div_ceil(3)),
            Piece::Marks if previous == Piece::Digits => marks(run) + weight::AFTER_DIGITS,
            Piece::Marks => marks(run),
            // A lone space goes with the word after it.
            Piece::Spaces if run == b" " => 0,
            Piece::Spaces if run == b"\t" => weight::TAB,
            Piece::Spaces => weight::SPACES,
            Piece::Lines if previous == Piece::Marks => weight::JOINED_LINES,
            Piece::Lines => weight::LINES,
            Piece::Foreign => 0,
        }
    }
}

fn count(items: usize) -> u64 {
    u64::try_from(items).unwrap_or(u64::MAX)
}

/// What comes after an accented letter goes on with its word.
fn word(run: &[u8], previous: Piece) -> u64 {
    let start = if previous == Piece::Foreign { 0 } else { weight::WORD };
    let long = weight::LONG * count(run.len().saturating_sub(4));
    let rare = weight::RARE * count(run.iter().filter(|byte| b"jkqwxzJKQWXZ".contains(byte)).count());
    let mut before = None;
    let case = run.iter().fold(0, |sum, byte| {
        let upper = byte.is_ascii_uppercase();
        match before.replace(upper) {
            Some(true) if upper => sum + weight::CAPS,
            Some(false) if upper => sum + weight::CAMEL,
            _ => sum,
        }
    });
    start + long + rare + case
}

fn marks(run: &[u8]) -> u64 {
    let repeated = run.iter().zip(run.iter().skip(1)).filter(|(a, b)| a == b).count();
    let different = match run.len() - repeated {
        1 => weight::MARK,
        more => weight::MARKS + weight::MORE_MARKS * count(more.saturating_sub(2)),
    };
    different + weight::REPEATED * count(repeated)
}

/// The cost of one character that is not ASCII, and its length in bytes.
fn foreign(rest: &[u8]) -> (u64, usize) {
    let (character, length) = bstr::decode_utf8(rest);
    let cost = match character.map_or(0xfffd, u32::from) {
        0xd7 | 0xf7 => weight::SYMBOL,
        0xc0..=0x24f | 0x1e00..=0x1eff => weight::ACCENTED,
        0x370..=0x3ff | 0x1f00..=0x1fff => weight::GREEK,
        0x400..=0x52f => weight::CYRILLIC,
        0x590..=0x77f => weight::HEBREW_ARABIC,
        0x900..=0xe7f => weight::INDIC_THAI,
        0x3040..=0x30ff => weight::KANA,
        0x3400..=0x9fff | 0xf900..=0xfaff | 0x2_0000..=0x3_ffff => weight::HAN,
        0xac00..=0xd7af => weight::HANGUL,
        0x780..=0x1dff | 0xa000..=0xabff => weight::OTHER_SCRIPT,
        0x1_0000.. => weight::EMOJI,
        _ => weight::SYMBOL,
    };
    (cost, length.max(1))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use proptest::prelude::*;

    use super::*;

    /// A text, and what the vocabulary and we make of it.
    struct Case {
        name: String,
        ratio: f64,
    }

    #[expect(clippy::cast_precision_loss, reason = "counts of tokens are small")]
    fn case(name: String, text: &str) -> Case {
        let exact = tiktoken_rs::o200k_base_singleton().encode_ordinary(text).len();
        Case { name, ratio: estimate(text) as f64 / exact as f64 }
    }

    /// Each file of the corpus, whole and in halves.
    fn cases() -> Vec<Case> {
        let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
        let mut names: Vec<_> = fs::read_dir(corpus).unwrap().map(|entry| entry.unwrap().path()).collect();
        names.sort();
        let mut cases = Vec::new();
        for path in names {
            let text = fs::read_to_string(&path).unwrap();
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            let middle = (0..=text.len() / 2).rev().find(|at| text.is_char_boundary(*at)).unwrap();
            let (first, second) = text.split_at(middle);
            cases.push(case(format!("{name}, first half"), first));
            cases.push(case(format!("{name}, second half"), second));
            cases.push(case(name, &text));
        }
        cases
    }

    #[test]
    fn the_estimate_is_seldom_below_the_truth_and_seldom_a_third_above_it() {
        let cases = cases();
        assert!(cases.len() >= 100);
        let outside = |wrong: &dyn Fn(f64) -> bool| -> Vec<String> {
            let wrong = cases.iter().filter(|case| wrong(case.ratio));
            wrong.map(|case| format!("{}: {:.2}", case.name, case.ratio)).collect()
        };
        let (below, above) = (outside(&|ratio| ratio < 1.0), outside(&|ratio| ratio > 4.0 / 3.0));
        assert!(below.len() * 20 <= cases.len(), "too low in {} of {}: {below:#?}", below.len(), cases.len());
        assert!(above.len() * 20 <= cases.len(), "too high in {} of {}: {above:#?}", above.len(), cases.len());
        assert_eq!(outside(&|ratio| !(0.8..1.6).contains(&ratio)), [""; 0]);
    }

    #[test]
    fn nothing_is_no_token() {
        assert_eq!(estimate(""), 0);
        assert_eq!(estimate(" "), 0);
        assert_eq!(estimate("cat"), 2);
    }

    proptest! {
        #[test]
        fn parts_are_together_not_far_below_the_whole(a in "\\PC{0,80}", b in "\\PC{0,80}") {
            // Cuts are made by line, so what counts is that the sum of the parts does not fall behind.
            let (a, b) = (format!("{a}\n"), format!("{b}\n"));
            let whole = format!("{a}{b}");
            prop_assert!(estimate(&whole) <= estimate(&a) + estimate(&b) + 3);
        }
    }
}
