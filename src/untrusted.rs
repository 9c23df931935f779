//! Text that nobody vouches for – file names, what agents and hooks print, configuration of a repository – made fit to be
//! shown or kept.
//!
//! [`stripped`] takes away what is not seen or makes a terminal do something; [`lines`] does so for raw output;
//! [`printable`] shows such characters escaped, for messages that must say what is there.
//!
//! Joiners and variation selectors are kept where they are part of what is seen: in emoji, and in the scripts that are
//! not written without them.

/// What the names of variables that hold credentials have in them.
pub const SECRET_WORDS: [&str; 8] = ["KEY", "TOKEN", "SECRET", "PASS", "CREDENTIAL", "AUTH", "COOKIE", "PRIVATE"];

/// Whether a variable's name looks like that of a secret, so that its value must not be printed.
#[must_use]
pub fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    SECRET_WORDS.iter().any(|word| name.contains(word))
}

/// The text without terminal escapes, control characters, zero-width and bidirectional characters. Every kind of line end
/// becomes a newline; tabs stay.
#[must_use]
pub fn stripped(text: &str) -> String {
    seen(&without_escapes(&with_short_controls(text)))
}

/// Writes the one-character forms of the introducers as the escape sequences that they stand for.
fn with_short_controls(text: &str) -> String {
    let mut long = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\u{90}' => long.push_str("\u{1b}P"),
            '\u{98}' => long.push_str("\u{1b}X"),
            '\u{9B}' => long.push_str("\u{1b}["),
            '\u{9C}' => long.push_str("\u{1b}\\"),
            '\u{9D}' => long.push_str("\u{1b}]"),
            '\u{9E}' => long.push_str("\u{1b}^"),
            '\u{9F}' => long.push_str("\u{1b}_"),
            c => long.push(c),
        }
    }
    long
}

/// The text without escape sequences. A sequence that takes a string ends at its terminator or at the end of the line, so
/// that one that is never ended cannot swallow a message.
fn without_escapes(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\u{1b}') {
        plain.push_str(before);
        rest = match after.chars().next() {
            Some('[') => after_csi(after),
            Some(']' | 'P' | 'X' | '^' | '_') => after_string(after),
            _ => after_short(after),
        };
    }
    plain.push_str(rest);
    plain
}

/// Behind `[`, parameters, intermediates and one final character.
fn after_csi(after: &str) -> &str {
    let rest = after.strip_prefix('[').unwrap_or(after);
    let rest = rest.trim_start_matches(|c| matches!(c, '\u{30}'..='\u{3F}'));
    let rest = rest.trim_start_matches(|c| matches!(c, '\u{20}'..='\u{2F}'));
    rest.strip_prefix(|c| matches!(c, '\u{40}'..='\u{7E}')).unwrap_or(rest)
}

/// Behind the terminator (BEL or `ESC \`), or at the end of the line.
fn after_string(after: &str) -> &str {
    let Some(end) = after.find(['\u{7}', '\u{1b}', '\n']) else { return "" };
    let rest = after.get(end..).unwrap_or_default();
    rest.strip_prefix('\u{7}').or_else(|| rest.strip_prefix("\u{1b}\\")).unwrap_or(rest)
}

/// Behind intermediates and one final character, if they are what follows.
fn after_short(after: &str) -> &str {
    let rest = after.trim_start_matches(|c| matches!(c, '\u{20}'..='\u{2F}'));
    rest.strip_prefix(|c| matches!(c, '\u{30}'..='\u{7E}')).unwrap_or(after)
}

/// The text with what is seen only.
fn seen(text: &str) -> String {
    let lines = text.replace("\r\n", "\n").replace(['\r', '\u{B}', '\u{C}', '\u{85}', '\u{2028}', '\u{2029}'], "\n");
    let mut kept = String::with_capacity(lines.len());
    let mut previous = None;
    let mut rest = lines.chars().filter(|c| !is_unseen(*c)).peekable();
    while let Some(c) = rest.next() {
        if keeps(previous, c, rest.peek().copied()) {
            kept.push(c);
            previous = Some(c);
        }
    }
    kept
}

/// Whether a character is never part of what is seen.
fn is_unseen(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        '\u{AD}'
        | '\u{61C}'
        | '\u{115F}'
        | '\u{1160}'
        | '\u{180E}'
        | '\u{200B}'
        | '\u{200E}'
        | '\u{200F}'
        | '\u{202A}'..='\u{202E}'
        | '\u{2060}'..='\u{206F}'
        | '\u{3164}'
        | '\u{FEFF}'
        | '\u{FFA0}'
        | '\u{FFF9}'..='\u{FFFB}'
        | '\u{1D173}'..='\u{1D17A}'
        | '\u{E0001}' => true,
        c => c.is_control(),
    }
}

/// Whether a character that is seen only together with its neighbours is kept. `next` is never one that is left out for
/// its own neighbours' sake, or the answer is no: so the outcome does not change when the text is cleaned again.
fn keeps(previous: Option<char>, c: char, next: Option<char>) -> bool {
    match c {
        '\u{200C}' => previous.is_some_and(is_joining_script) && next.is_some_and(is_joining_script),
        '\u{200D}' => {
            (previous.is_some_and(is_joining_script) && next.is_some_and(is_joining_script))
                || (previous.is_some_and(ends_emoji) && next.is_some_and(is_emoji))
        }
        '\u{FE00}'..='\u{FE0F}' => previous.is_some_and(|base| !base.is_whitespace() && !is_selector(base)),
        '\u{E0100}'..='\u{E01EF}' => previous.is_some_and(is_ideograph),
        '\u{E0020}'..='\u{E007F}' => previous.is_some_and(|base| base == '\u{1F3F4}' || is_tag(base)),
        _ => true,
    }
}

fn is_selector(c: char) -> bool {
    matches!(c, '\u{FE00}'..='\u{FE0F}' | '\u{E0100}'..='\u{E01EF}')
}

fn is_tag(c: char) -> bool {
    matches!(c, '\u{E0020}'..='\u{E007F}')
}

fn is_emoji(c: char) -> bool {
    matches!(c,
        '\u{A9}' | '\u{AE}' | '\u{2190}'..='\u{21FF}' | '\u{2300}'..='\u{23FF}' | '\u{2460}'..='\u{24FF}'
        | '\u{25A0}'..='\u{27BF}' | '\u{2900}'..='\u{297F}' | '\u{2B00}'..='\u{2BFF}' | '\u{1F000}'..='\u{1FAFF}')
}

fn ends_emoji(c: char) -> bool {
    is_emoji(c) || c == '\u{FE0F}' || is_tag(c)
}

fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}')
}

/// Arabic, the scripts of India and its neighbours, Myanmar, Khmer and Mongolian need joiners to be written rightly.
fn is_joining_script(c: char) -> bool {
    matches!(c,
        '\u{600}'..='\u{8FF}' | '\u{900}'..='\u{DFF}' | '\u{1000}'..='\u{109F}' | '\u{1780}'..='\u{18AF}'
        | '\u{FB50}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFC}')
}

/// Decodes output and splits it into lines, each [`stripped`], without white space at the end, and cut after `width`
/// characters. Empty lines are left out.
#[must_use]
pub fn lines(bytes: &[u8], width: usize) -> Vec<String> {
    let text = stripped(&String::from_utf8_lossy(bytes));
    text.lines().map(|line| shortened(line.trim_end(), width)).filter(|line| !line.is_empty()).collect()
}

fn shortened(line: &str, width: usize) -> String {
    match line.char_indices().nth(width) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line.to_owned(),
    }
}

/// The text with everything escaped that could steer a terminal or turn its direction: what comes from a file, a
/// variable or a path is quoted in messages only through this.
#[must_use]
pub fn printable(text: &str) -> String {
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

/// JSON text in which no character of a string can steer a terminal: each is written as an escape that means the same.
#[must_use]
pub fn escaped_json(text: &str) -> String {
    use std::fmt::Write as _;

    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        // Line ends are only between tokens; in strings they are escaped already.
        if steers(character) && character != '\n' {
            // Writing to a String cannot fail, and no such character needs more than four digits.
            let _ = write!(safe, "\\u{:04x}", u32::from(character));
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
#[must_use]
pub fn steers(character: char) -> bool {
    character.is_control() || matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn secrets_are_known_by_their_names() {
        for name in [
            "ANTHROPIC_API_KEY",
            "gh_token",
            "MY_SECRET",
            "DB_PASS",
            "SSH_PASSPHRASE",
            "PRIVATE_PEM",
            "AUTH",
            "SESSION_COOKIE",
        ] {
            assert!(is_secret_name(name), "{name}");
        }
        for name in ["LANG", "CLAUDE_CODE_DISABLE_ATTACHMENTS", "OPENCODE_CONFIG_CONTENT", "GEMINI_CLI_NO_RELAUNCH"] {
            assert!(!is_secret_name(name), "{name}");
        }
    }

    #[test]
    fn json_means_the_same_without_what_steers() {
        let value = serde_json::json!({ "a\u{9b}": ["\u{7f}\u{202e}\u{1b}\n\t\u{2066}", "👩\u{200d}💻", "\\"] });
        let text = escaped_json(&serde_json::to_string_pretty(&value).unwrap());
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), value);
        assert!(text.contains("\\u009b") && !text.contains(|c: char| steers(c) && c != '\n'), "{text}");
    }

    #[test]
    fn escapes_go_and_their_text_stays() {
        let table = [
            ("\u{1b}[1;32mfeat: x\u{1b}[0m", "feat: x"),
            ("\u{1b}]0;title\u{7}feat: x", "feat: x"),
            ("\u{1b}]8;;https://example.org\u{1b}\\link\u{1b}]8;;\u{1b}\\", "link"),
            ("\u{1b}Pq#0;2;0\u{1b}\\feat", "feat"),
            ("\u{9b}31mred\u{9b}0m", "red"),
            ("\u{9d}0;t\u{9c}x", "x"),
            ("\u{1b}(Bplain", "plain"),
            ("\u{1b}=\u{1b}>x\u{1b}c", "x"),
            ("\u{1b}]never ended\nfeat: x", "\nfeat: x"),
            ("\u{1b}[31", ""),
            ("\u{1b}\u{1b}[0m[1mx", "[1mx"),
            ("\u{1b}é", "é"),
            ("x\u{1b}", "x"),
        ];
        for (given, expected) in table {
            assert_eq!(stripped(given), expected, "{given:?}");
        }
    }

    #[test]
    fn what_is_not_seen_goes_and_what_it_is_part_of_stays() {
        let same = [
            "👩‍💻 add pairing mode",
            "🏳️‍🌈 rainbow",
            "❤️‍🔥 love",
            "👨‍👩‍👧‍👦 family",
            "🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F} flag",
            "می‌خواهم",
            "ශ්‍රී",
            "葛\u{E0100}城",
            "1\u{FE0F}\u{20E3} one",
            "tab\tand\nnewline",
        ];
        for text in same {
            assert_eq!(stripped(text), text);
        }
        let table = [
            ("fix\u{200b}: x", "fix: x"),
            ("\u{feff}fix", "fix"),
            ("pass\u{202e}drow\u{202c}", "passdrow"),
            ("a\u{2066}b\u{2069}c\u{200e}\u{200f}\u{61c}", "abc"),
            ("a\u{200d}b", "ab"),
            ("a\u{200c}b", "ab"),
            ("👩\u{200d} x", "👩 x"),
            ("👩\u{200d}\u{200d}💻", "👩\u{200d}💻"),
            ("x\u{fe0f}\u{fe0f}\u{fe0f}", "x\u{fe0f}"),
            ("x\u{e0041}\u{e0042}", "x"),
            ("a\u{e0100}", "a"),
            ("bell\u{7} back\u{8} nul\0 del\u{7f} c1\u{84}", "bell back nul del c1"),
            ("a\r\nb\rc\u{85}d\u{2028}e\u{b}f\u{c}g", "a\nb\nc\nd\ne\nf\ng"),
            ("soft\u{ad}hyphen word\u{2060}joiner", "softhyphen wordjoiner"),
        ];
        for (given, expected) in table {
            assert_eq!(stripped(given), expected, "{given:?}");
        }
    }

    #[test]
    fn nothing_that_steers_a_terminal_is_printed() {
        assert_eq!(printable("plain ü 漢"), "plain ü 漢");
        assert_eq!(printable("\u{1b}[31m\n\u{9b}\u{202e}"), "\\u{1b}[31m\\u{a}\\u{9b}\\u{202e}");
    }

    #[test]
    fn raw_output_becomes_bounded_lines() {
        assert_eq!(lines(b"one\r\ntwo\rthree\n\n \nlonger than ten", 10), ["one", "two", "three", "longer tha…"]);
        assert_eq!(lines(b"bad \xff byte\x1b[31m \t", 100), ["bad \u{fffd} byte"]);
    }

    proptest! {
        #[test]
        fn nothing_invisible_survives(bytes in prop::collection::vec(any::<u8>(), 0..300), width in 0usize..50) {
            for line in lines(&bytes, width) {
                prop_assert!(line.chars().count() <= width + 1);
                prop_assert!(line.chars().all(|char| char == '\t' || !char.is_control()), "{:?}", line);
            }
        }
    }
}
