//! What well-known credentials look like: a fixed beginning, then so many characters of an alphabet.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

/// The beginning of a credential and what has to follow it.
struct Shape {
    kind: &'static str,
    prefix: &'static str,
    alphabet: Alphabet,
    length: Length,
    /// The prefix is a name, and signs of assignment stand between it and the credential.
    named: bool,
}

#[derive(Clone, Copy)]
enum Alphabet {
    Upper32,
    Alphanumeric,
    Word,
    WordDash,
    WordDashDot,
    Base64,
    Path,
}

#[derive(Clone, Copy)]
enum Length {
    Exactly(usize),
    AtLeast(usize),
}

impl Alphabet {
    const fn has(self, byte: u8) -> bool {
        match self {
            Alphabet::Upper32 => matches!(byte, b'A'..=b'Z' | b'2'..=b'7'),
            Alphabet::Alphanumeric => byte.is_ascii_alphanumeric(),
            Alphabet::Word => byte.is_ascii_alphanumeric() || byte == b'_',
            Alphabet::WordDash => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'),
            Alphabet::WordDashDot => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'),
            Alphabet::Base64 => byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'='),
            Alphabet::Path => byte.is_ascii_alphanumeric() || byte == b'/',
        }
    }
}

const fn shape(kind: &'static str, prefix: &'static str, alphabet: Alphabet, length: Length) -> Shape {
    Shape { kind, prefix, alphabet, length, named: false }
}

const fn named(kind: &'static str, prefix: &'static str, alphabet: Alphabet, length: Length) -> Shape {
    Shape { kind, prefix, alphabet, length, named: true }
}

use Alphabet::{Alphanumeric, Base64, Path, Upper32, Word, WordDash, WordDashDot};
use Length::{AtLeast, Exactly};

const SHAPES: &[Shape] = &[
    shape("aws-access-key", "AKIA", Upper32, Exactly(16)),
    shape("aws-access-key", "ASIA", Upper32, Exactly(16)),
    named("aws-secret-key", "aws_secret_access_key", Base64, Exactly(40)),
    named("aws-secret-key", "AWS_SECRET_ACCESS_KEY", Base64, Exactly(40)),
    named("aws-secret-key", "SecretAccessKey", Base64, Exactly(40)),
    named("aws-secret-key", "secretAccessKey", Base64, Exactly(40)),
    shape("gcp-api-key", "AIza", WordDash, Exactly(35)),
    shape("gcp-oauth-token", "ya29.", WordDash, AtLeast(30)),
    shape("gcp-oauth-secret", "GOCSPX-", WordDash, Exactly(28)),
    shape("azure-storage-key", "AccountKey=", Base64, AtLeast(86)),
    shape("azure-shared-key", "SharedAccessKey=", Base64, AtLeast(43)),
    shape("github-token", "ghp_", Alphanumeric, AtLeast(36)),
    shape("github-token", "gho_", Alphanumeric, AtLeast(36)),
    shape("github-token", "ghu_", Alphanumeric, AtLeast(36)),
    shape("github-token", "ghs_", Alphanumeric, AtLeast(36)),
    shape("github-token", "ghr_", Alphanumeric, AtLeast(36)),
    shape("github-token", "github_pat_", Word, AtLeast(60)),
    shape("gitlab-token", "glpat-", WordDashDot, AtLeast(20)),
    shape("gitlab-token", "gldt-", WordDash, AtLeast(20)),
    shape("gitlab-token", "glrt-", WordDashDot, AtLeast(20)),
    shape("gitlab-token", "glptt-", WordDash, AtLeast(40)),
    shape("gitlab-token", "glcbt-", WordDash, AtLeast(20)),
    shape("slack-token", "xoxb-", WordDash, AtLeast(20)),
    shape("slack-token", "xoxp-", WordDash, AtLeast(20)),
    shape("slack-token", "xoxa-", WordDash, AtLeast(20)),
    shape("slack-token", "xoxr-", WordDash, AtLeast(20)),
    shape("slack-token", "xoxs-", WordDash, AtLeast(20)),
    shape("slack-token", "xoxe-", WordDash, AtLeast(20)),
    shape("slack-token", "xapp-", WordDash, AtLeast(30)),
    shape("slack-webhook", "hooks.slack.com/services/", Path, AtLeast(40)),
    shape("stripe-key", "sk_live_", Alphanumeric, AtLeast(20)),
    shape("stripe-key", "rk_live_", Alphanumeric, AtLeast(20)),
    shape("stripe-webhook-secret", "whsec_", Alphanumeric, AtLeast(32)),
    shape("npm-token", "npm_", Alphanumeric, Exactly(36)),
    shape("pypi-token", "pypi-AgE", WordDash, AtLeast(50)),
    shape("anthropic-key", "sk-ant-", WordDash, AtLeast(32)),
    shape("openai-key", "sk-proj-", WordDash, AtLeast(32)),
    shape("openai-key", "sk-svcacct-", WordDash, AtLeast(32)),
    shape("openai-key", "sk-admin-", WordDash, AtLeast(32)),
    shape("openai-key", "sk-", Alphanumeric, AtLeast(40)),
    shape("hugging-face-token", "hf_", Alphanumeric, Exactly(34)),
    shape("sendgrid-key", "SG.", WordDashDot, Exactly(66)),
    shape("digitalocean-token", "dop_v1_", Alphanumeric, Exactly(64)),
    shape("docker-token", "dckr_pat_", WordDash, AtLeast(27)),
    shape("shopify-token", "shpat_", Alphanumeric, Exactly(32)),
    shape("jwt", "eyJ", WordDashDot, AtLeast(50)),
];

/// Finds the beginnings; `None` only if the table above could not be compiled.
static PREFIXES: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    let prefixes = SHAPES.iter().map(|shape| shape.prefix);
    // A full automaton takes longer to build than most changes take to search.
    let kind = Some(AhoCorasickKind::ContiguousNFA);
    AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).kind(kind).build(prefixes).ok()
});

/// A credential in a text: what to mask of it, and its kind.
pub(super) type Hit = (Range<usize>, &'static str);

/// All credentials of a known shape, in order of appearance.
pub(super) fn find(text: &str) -> Vec<Hit> {
    let Some(prefixes) = PREFIXES.as_ref() else { return Vec::new() };
    let bytes = text.as_bytes();
    prefixes
        .find_iter(bytes)
        .filter_map(|found| {
            let shape = SHAPES.get(found.pattern().as_usize())?;
            let range = if shape.named { value(bytes, found.end())? } else { found.range() };
            matched(bytes, shape, range).map(|range| (range, shape.kind))
        })
        .collect()
}

/// The credential that a text ends with, where the text was cut off and may hold only a part of it.
pub(super) fn find_cut(text: &str) -> Option<Hit> {
    let bytes = text.as_bytes();
    PREFIXES.as_ref()?.find_iter(bytes).find_map(|found| {
        let shape = SHAPES.get(found.pattern().as_usize())?;
        let start = if shape.named { value(bytes, found.end())? } else { found.range() };
        let begins = shape.named || begins_word(bytes, start.start);
        let rest = bytes.get(start.end..)?;
        (begins && rest.iter().all(|byte| shape.alphabet.has(*byte))).then_some((start.start..bytes.len(), shape.kind))
    })
}

/// Where the value of an assignment begins, as an empty range.
fn value(bytes: &[u8], name_end: usize) -> Option<Range<usize>> {
    const MOST_SIGNS: usize = 8;
    let signs = bytes.get(name_end..)?.iter().take_while(|byte| b" \t\"'`:=>,".contains(byte)).count();
    (1..=MOST_SIGNS).contains(&signs).then_some(name_end + signs..name_end + signs)
}

/// Checks what stands around and after a beginning; returns the whole credential.
fn matched(bytes: &[u8], shape: &Shape, start: Range<usize>) -> Option<Range<usize>> {
    if !shape.named && !begins_word(bytes, start.start) {
        return None;
    }
    let rest = bytes.get(start.end..)?;
    let run = rest.get(..rest.iter().take_while(|byte| shape.alphabet.has(**byte)).count())?;
    // A full stop after it ends the sentence.
    let length = run.len() - run.iter().rev().take_while(|byte| **byte == b'.').count();
    let long_enough = match shape.length {
        Exactly(wanted) => length == wanted && !rest.get(wanted).is_some_and(|byte| WordDash.has(*byte)),
        AtLeast(wanted) => length >= wanted,
    };
    let secret = rest.get(..length)?;
    let plausible = if shape.kind == "jwt" { has_three_parts(secret) } else { is_random(secret) };
    (long_enough && plausible).then_some(start.start..start.end + length)
}

/// A credential does not begin in the middle of a word, but it may follow the sign of a line or an escape such as `\n`.
fn begins_word(bytes: &[u8], at: usize) -> bool {
    let before = |distance: usize| at.checked_sub(distance).and_then(|at| bytes.get(at)).copied();
    match before(1) {
        Some(b'-') if matches!(before(2), None | Some(b'\n')) => true,
        Some(b'n' | b't' | b'r') => before(2) == Some(b'\\'),
        Some(byte) => !WordDash.has(byte),
        None => true,
    }
}

/// `header.claims.signature`, the first two JSON in base64.
fn has_three_parts(token: &[u8]) -> bool {
    let parts: Vec<&[u8]> = token.split(|byte| *byte == b'.').collect();
    matches!(parts.as_slice(), [header, claims, signature]
        if header.len() >= 10 && claims.starts_with(b"eyJ") && claims.len() >= 10 && signature.len() >= 10)
}

/// Placeholders (`xxxx…`, `…EXAMPLE`, `your-token-here`) are no secrets: something random has many characters and, at
/// this length, a digit.
pub(super) fn is_random(secret: &[u8]) -> bool {
    let mut seen = [false; 256];
    for byte in secret {
        if let Some(slot) = seen.get_mut(usize::from(*byte)) {
            *slot = true;
        }
    }
    let distinct = seen.iter().filter(|seen| **seen).count();
    distinct >= 8 && secret.iter().any(u8::is_ascii_digit) && !secret.ends_with(b"EXAMPLE")
}
