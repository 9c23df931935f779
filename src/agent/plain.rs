//! Untrusted bytes as text that may be shown: no escapes, no control characters, nothing invisible.

/// Decodes and splits into lines at `\n` and `\r`, each without escapes, control and invisible characters and without
/// white space at the end, and cut after `width` characters. Empty lines are left out.
pub(crate) fn lines(bytes: &[u8], width: usize) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes);
    text.split(['\n', '\r']).map(|line| clean_line(line, width)).filter(|line| !line.is_empty()).collect()
}

fn clean_line(line: &str, width: usize) -> String {
    let mut clean = String::with_capacity(line.len().min(width));
    let mut room = width;
    let mut rest = line.chars();
    while let Some(char) = rest.next() {
        if char == '\x1b' {
            skip_escape(&mut rest);
        } else if let Some(char) = visible(char) {
            if room == 0 {
                clean.push('…');
                break;
            }
            room -= 1;
            clean.push(char);
        }
    }
    clean.truncate(clean.trim_end().len());
    clean
}

/// The character to show, if any.
pub(crate) fn visible(char: char) -> Option<char> {
    match char {
        '\t' | '\u{a0}' | '\u{2028}' | '\u{2029}' => Some(' '),
        _ if char.is_control() || is_invisible(char) => None,
        _ => Some(char),
    }
}

/// Zero-width and direction-changing characters, and those that only tag others.
fn is_invisible(char: char) -> bool {
    matches!(
        char,
        '\u{ad}'
            | '\u{61c}'
            | '\u{180e}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}'
    )
}

/// Skips the rest of an escape sequence after ESC: CSI up to its final byte, strings (OSC, DCS, …) up to their end or
/// that of the line, anything else with its intermediate bytes.
fn skip_escape(rest: &mut std::str::Chars<'_>) {
    match rest.next() {
        Some('[') => {
            rest.find(|char| ('\x40'..='\x7e').contains(char));
        }
        Some(']' | 'P' | 'X' | '^' | '_') => {
            while let Some(char) = rest.next() {
                if char == '\x07' || char == '\u{9c}' {
                    break;
                }
                if char == '\x1b' {
                    rest.next();
                    break;
                }
            }
        }
        Some(char) if ('\x20'..='\x2f').contains(&char) => {
            rest.find(|char| !('\x20'..='\x2f').contains(char));
        }
        Some(_) | None => {}
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_cannot_be_seen_goes() {
        for (raw, expected) in [
            ("\x1b[31merror\x1b[0m: no\x07", "error: no"),
            ("\x1b]0;title\x07after", "after"),
            ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
            ("\x1b(Bplain", "plain"),
            ("\x1b[", ""),
            ("a\tb\u{200b}\u{202e}c\u{feff} \t", "a bc"),
            ("nul\0\u{9b}31m", "nul31m"),
        ] {
            assert_eq!(lines(raw.as_bytes(), 100).join("|"), expected, "{raw:?}");
        }
    }

    #[test]
    fn lines_are_split_and_bounded() {
        assert_eq!(lines(b"one\r\ntwo\rthree\n\n \nlonger than ten", 10), ["one", "two", "three", "longer tha…"]);
        assert_eq!(lines(b"bad \xff byte", 100), ["bad \u{fffd} byte"]);
    }

    proptest! {
        #[test]
        fn nothing_invisible_survives(bytes in prop::collection::vec(any::<u8>(), 0..300), width in 0usize..50) {
            for line in lines(&bytes, width) {
                prop_assert!(line.chars().count() <= width + 1);
                prop_assert!(line.chars().all(|char| visible(char) == Some(char)), "{:?}", line);
            }
        }
    }
}
