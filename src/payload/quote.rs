//! Paths as git writes them in patches: C-style quotes where a byte is not plain ASCII.

use std::fmt::Write as _;

use bstr::{BStr, BString};

/// The path as `core.quotePath=true` shows it; unchanged when every byte is plain.
#[must_use]
pub fn quote(path: &BStr) -> String {
    quote_prefixed("", path)
}

/// As [`quote`], with `prefix` (`a/`, `b/`) inside the quotes.
#[must_use]
pub(super) fn quote_prefixed(prefix: &str, path: &BStr) -> String {
    if path.iter().all(|byte| is_plain(*byte)) {
        let mut text = String::with_capacity(prefix.len() + path.len());
        text.push_str(prefix);
        text.extend(path.iter().map(|byte| char::from(*byte)));
        return text;
    }
    let mut text = String::with_capacity(prefix.len() + path.len() * 2 + 2);
    text.push('"');
    text.push_str(prefix);
    path.iter().for_each(|byte| push_quoted(&mut text, *byte));
    text.push('"');
    text
}

/// The path that git's quoted form stands for; `None` when the text is no such form.
#[must_use]
pub fn unquote(text: &str) -> Option<BString> {
    let inside = text.strip_prefix('"')?.strip_suffix('"')?;
    let mut bytes = inside.bytes().peekable();
    let mut path = BString::default();
    while let Some(byte) = bytes.next() {
        path.push(match byte {
            b'"' => return None,
            b'\\' => unescape(bytes.next()?, &mut bytes)?,
            _ => byte,
        });
    }
    Some(path)
}

fn unescape(letter: u8, rest: &mut impl Iterator<Item = u8>) -> Option<u8> {
    Some(match letter {
        b'a' => 0x07,
        b'b' => 0x08,
        b't' => b'\t',
        b'n' => b'\n',
        b'v' => 0x0b,
        b'f' => 0x0c,
        b'r' => b'\r',
        b'"' | b'\\' => letter,
        b'0'..=b'3' => {
            let mut value = letter - b'0';
            for _ in 0..2 {
                let digit = rest.next().filter(|digit| matches!(digit, b'0'..=b'7'))?;
                value = value * 8 + (digit - b'0');
            }
            value
        }
        _ => return None,
    })
}

const fn is_plain(byte: u8) -> bool {
    matches!(byte, b' '..=b'~') && byte != b'"' && byte != b'\\'
}

fn push_quoted(text: &mut String, byte: u8) {
    let letter = match byte {
        0x07 => 'a',
        0x08 => 'b',
        b'\t' => 't',
        b'\n' => 'n',
        0x0b => 'v',
        0x0c => 'f',
        b'\r' => 'r',
        b'"' => '"',
        b'\\' => '\\',
        _ if is_plain(byte) => {
            text.push(char::from(byte));
            return;
        }
        _ => {
            // Writing to a string cannot fail.
            let _ = write!(text, "\\{byte:03o}");
            return;
        }
    };
    text.push('\\');
    text.push(letter);
}

#[cfg(test)]
mod tests {
    use bstr::ByteSlice;

    use super::*;

    #[test]
    fn only_odd_bytes_are_quoted() {
        for (path, quoted) in [
            (&b"src/main.rs"[..], "src/main.rs"),
            (b"with space", "with space"),
            (b"tab\there", "\"tab\\there\""),
            (b"quote\"back\\", "\"quote\\\"back\\\\\""),
            ("é".as_bytes(), "\"\\303\\251\""),
            (b"\x01\x7f\xff\n", "\"\\001\\177\\377\\n\""),
        ] {
            assert_eq!(quote(path.as_bstr()), quoted);
            let back = unquote(quoted).unwrap_or_else(|| quoted.into());
            assert_eq!(back, path);
        }
        assert_eq!(quote_prefixed("a/", b"\t".as_bstr()), "\"a/\\t\"");
    }

    #[test]
    fn what_is_no_quoted_form_is_not_read() {
        for text in ["", "plain", "\"", "\"open", "\"a\"b\"", "\"\\\"", "\"\\q\"", "\"\\40\"", "\"\\777\""] {
            assert_eq!(unquote(text), None, "{text}");
        }
    }
}
