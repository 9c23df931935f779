//! Private keys in PEM: which lines of a diff are their material.

use std::collections::HashSet;
use std::ops::Range;

use bstr::ByteSlice;

use super::secrets::{context_start, lines, shift};
use super::shapes::Hit;

const KEY_MARK: &[u8] = b"PRIVATE KEY-----";
const PRIVATE_KEY: &str = "private-key";
/// Every line of base64 between the first and the last line of a private key; `None` where there is no key.
pub(super) fn material<'a>(sides: &[&'a [u8]]) -> Option<HashSet<&'a [u8]>> {
    let mut material = None;
    for side in sides.iter().filter(|side| memchr::memmem::find(side, KEY_MARK).is_some()) {
        let material = material.get_or_insert_with(HashSet::new);
        let mut inside = false;
        for line in side.lines() {
            if memchr::memmem::find(line, KEY_MARK).is_some() {
                inside = memchr::memmem::find(line, b"-----BEGIN ").is_some();
            } else if line.trim().iter().all(|byte| is_base64(*byte)) {
                inside.then(|| material.insert(line.trim()));
            } else {
                // An encrypted key has a few lines of another kind before its material.
                inside &= line.contains_str(": ");
            }
        }
    }
    material
}

/// PEM has 64 characters a line; the last one is shorter.
const SHORTEST_KEY_LINE: usize = 40;

/// Key material, in a file that holds a private key: base64 that is too long and too mixed to be a word, and the shorter
/// line that ends it. The lines before and after, which only say that a key begins and ends, are harmless and stay.
pub(super) fn lines_of_keys(hunks: &str, material: &HashSet<&[u8]>) -> Vec<Hit> {
    let mut hits = Vec::new();
    let mut after_key = false;
    for (start, line) in lines(hunks) {
        let enclosing = context_start(line);
        let content = line.get(enclosing + 1..).unwrap_or_default();
        if !content.trim().is_empty() && material.contains(content.trim().as_bytes()) {
            hits.push((shift(enclosing + 1..line.len(), start), PRIVATE_KEY));
            after_key = enclosing == 0;
            continue;
        }
        let found = hits.len();
        hits.extend(
            base64_runs(line, SHORTEST_KEY_LINE)
                .filter(|range| is_mixed(line, range))
                .map(|range| (shift(range, start), PRIVATE_KEY)),
        );
        let is_key = hits.len() > found;
        if !is_key && after_key && is_base64_only(line) {
            hits.push((shift(1..line.len(), start), PRIVATE_KEY));
        }
        after_key = is_key;
    }
    hits
}

fn is_base64_only(line: &str) -> bool {
    let content = line.get(1..).unwrap_or_default().trim();
    !content.is_empty() && content.bytes().all(is_base64)
}

/// Runs of at least `shortest` base64 characters after the sign of a line; an escaped newline ends a run.
fn base64_runs(line: &str, shortest: usize) -> impl Iterator<Item = Range<usize>> + Clone {
    let bytes = line.as_bytes();
    let mut at = 1;
    std::iter::from_fn(move || {
        while at < bytes.len() {
            let start = at;
            while bytes.get(at).is_some_and(|byte| is_base64(*byte)) {
                at += 1;
            }
            let end = at;
            at += 1;
            if bytes.get(end) == Some(&b'\\') {
                at += 1;
            }
            if end - start >= shortest {
                return Some(start..end);
            }
        }
        None
    })
}

pub(super) const fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

/// Upper case, lower case and digits together.
fn is_mixed(line: &str, range: &Range<usize>) -> bool {
    let run = line.as_bytes().get(range.clone()).unwrap_or_default();
    run.iter().any(u8::is_ascii_uppercase)
        && run.iter().any(u8::is_ascii_lowercase)
        && run.iter().any(u8::is_ascii_digit)
}
