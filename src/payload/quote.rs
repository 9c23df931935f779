//! Paths as git writes them in patches: C-style quotes where a byte is not plain ASCII.

use std::fmt::Write as _;

use bstr::BStr;

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
        }
        assert_eq!(quote_prefixed("a/", b"\t".as_bstr()), "\"a/\\t\"");
    }
}
