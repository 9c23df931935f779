//! Credentials are masked before anything leaves the machine: added, removed and context lines alike, since all of them
//! would be sent. Only what has a well-known shape is masked; ordinary hashes, ids and fixtures pass.

use std::ops::Range;

use bstr::{BStr, ByteSlice};

use super::quote::quote;
use super::shapes::{self, Hit};

/// One kind of credential in one file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// The file, quoted as git quotes.
    pub path: String,
    /// What it looks like: `github-token`, `private-key`, `env-secret`, …
    pub kind: &'static str,
}

impl Finding {
    pub(super) fn warning(&self) -> String {
        format!(
            "{}: what looks like a credential ({}) is masked in what the agent sees; the commit itself holds it",
            self.path, self.kind
        )
    }
}

/// `path (kind), path (kind)`
pub(super) fn listed(findings: &[Finding]) -> String {
    findings.iter().map(|finding| format!("{} ({})", finding.path, finding.kind)).collect::<Vec<_>>().join(", ")
}

/// What masking did; `text` is `None` when nothing had to be masked.
pub(super) struct Masked {
    pub(super) text: Option<String>,
    pub(super) findings: Vec<Finding>,
}

/// Masks what looks like a credential in the hunks of a diff, which begin at `body`. `sides` are the whole contents:
/// they tell that a hunk lies inside a key whose first and last line it does not show.
pub(super) fn mask(text: &str, body: usize, path: &BStr, sides: &[&[u8]]) -> Masked {
    let hunks = text.get(body..).unwrap_or_default();
    let mut hits = shapes::find(hunks);
    let holds_key = sides.iter().any(|side| memchr::memmem::find(side, KEY_MARK).is_some());
    if holds_key {
        hits.extend(key_lines(hunks));
    }
    if is_env_file(path) {
        hits.extend(lines(hunks).filter_map(|(start, line)| Some((shift(env_value(line)?, start), "env-secret"))));
    }
    if hits.is_empty() {
        return Masked { text: None, findings: Vec::new() };
    }
    hits.sort_by_key(|(range, _)| (range.start, range.end));
    let mut masked = text.get(..body).unwrap_or_default().to_owned();
    masked.push_str(&replaced(hunks, &hits));
    let mut kinds: Vec<&'static str> = hits.into_iter().map(|(_, kind)| kind).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let path = quote(path);
    Masked {
        text: Some(masked),
        findings: kinds.into_iter().map(|kind| Finding { path: path.clone(), kind }).collect(),
    }
}

/// The text with every hit replaced; a hit that begins within an earlier one goes with it.
fn replaced(text: &str, hits: &[Hit]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for (range, kind) in hits {
        if let Some(before) = text.get(at..range.start) {
            out.push_str(before);
            out.push_str("[redacted:");
            out.push_str(kind);
            out.push(']');
        }
        at = at.max(range.end);
    }
    out.push_str(text.get(at..).unwrap_or_default());
    out
}

/// Lines with the offset at which each begins; without their newline.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.split_inclusive('\n').scan(0, |at, line| {
        let start = *at;
        *at += line.len();
        Some((start, line.trim_end_matches(['\n', '\r'])))
    })
}

const fn shift(range: Range<usize>, by: usize) -> Range<usize> {
    range.start + by..range.end + by
}

const KEY_MARK: &[u8] = b"PRIVATE KEY-----";
const PRIVATE_KEY: &str = "private-key";

/// PEM has 64 characters a line; the last one is shorter.
const SHORTEST_KEY_LINE: usize = 40;

/// Key material, in a file that holds a private key: base64 that is too long and too mixed to be a word, and the shorter
/// line that ends it. The lines before and after, which only say that a key begins and ends, are harmless and stay.
fn key_lines(hunks: &str) -> Vec<Hit> {
    let mut hits = Vec::new();
    let mut after_key = false;
    for (start, line) in lines(hunks) {
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

const fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

/// Upper case, lower case and digits together.
fn is_mixed(line: &str, range: &Range<usize>) -> bool {
    let run = line.as_bytes().get(range.clone()).unwrap_or_default();
    run.iter().any(u8::is_ascii_uppercase)
        && run.iter().any(u8::is_ascii_lowercase)
        && run.iter().any(u8::is_ascii_digit)
}

fn is_env_file(path: &BStr) -> bool {
    let name = path.rsplit_once_str("/").map_or(path, |(_, name)| name.as_bstr());
    name.starts_with(b".env") || name.ends_with(b".env")
}

/// The secret part of a line of a `.env` file: the value of a name that says so, a value too random for anything else, or
/// the password of an address.
fn env_value(line: &str) -> Option<Range<usize>> {
    let (name, assigned) = line.get(1..)?.split_once('=')?;
    let name = name.trim().trim_start_matches("export ").trim();
    if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.')) {
        return None;
    }
    let value = assigned.trim().trim_matches(['"', '\'']);
    let start = line.len() - assigned.len() + assigned.find(value)?;
    match password(value) {
        Some(range) => Some(shift(range, start)),
        None => is_secret(name, value).then_some(start..start + value.len()),
    }
}

/// The password of `scheme://user:password@host`.
fn password(value: &str) -> Option<Range<usize>> {
    let authority = value.find("://")? + 3;
    let rest = value.get(authority..)?;
    let at = rest.get(..rest.find('/').unwrap_or(rest.len()))?.rfind('@')?;
    let colon = rest.get(..at)?.find(':')?;
    (colon + 1 < at && !rest.contains("${")).then_some(authority + colon + 1..authority + at)
}

fn is_secret(name: &str, value: &str) -> bool {
    const NAMES: [&str; 8] = ["SECRET", "TOKEN", "PASSWORD", "PASSWD", "API_KEY", "APIKEY", "PRIVATE", "CREDENTIAL"];
    let name = name.to_ascii_uppercase();
    if value.contains("${") || value.starts_with('<') || value.contains("://") {
        return false;
    }
    if NAMES.iter().any(|part| name.contains(part)) {
        return value.len() >= 12 && shapes::is_random(value.as_bytes());
    }
    value.len() >= 20
        && value.bytes().all(|byte| is_base64(byte) || matches!(byte, b'-' | b'_'))
        && !value.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
        && shapes::is_random(value.as_bytes())
        && entropy(value) >= 4.0
}

/// Shannon entropy in bits a byte.
fn entropy(value: &str) -> f64 {
    let mut counts = [0_u32; 256];
    for byte in value.bytes() {
        if let Some(count) = counts.get_mut(usize::from(byte)) {
            *count += 1;
        }
    }
    let total = f64::from(u32::try_from(value.len()).unwrap_or(u32::MAX));
    counts.iter().filter(|count| **count > 0).map(|count| f64::from(*count) / total).map(|p| -p * p.log2()).sum()
}
