//! What programs write when something is wrong.

use std::sync::LazyLock;

use regex::{Regex, RegexSet};

use crate::agent::FailureKind;

/// What a manifest knows of its program's complaints.
#[derive(Debug, Clone, Default)]
pub struct Patterns {
    /// Only lines that match this count; without it all do.
    pub where_line: Option<Regex>,
    /// Expressions that name a kind, tried in this order.
    pub kinds: Vec<(FailureKind, RegexSet)>,
}

impl Patterns {
    /// The lines that count.
    pub(super) fn count<'a>(&self, lines: &'a [String]) -> Vec<&'a str> {
        let lines = lines.iter().map(String::as_str);
        match &self.where_line {
            Some(line) => lines.filter(|text| line.is_match(text)).collect(),
            None => lines.collect(),
        }
    }

    /// Whether an expression of this kind matches a line.
    pub(super) fn names(&self, kind: FailureKind, lines: &[&str]) -> bool {
        let mut sets = self.kinds.iter().filter(|(own, _)| *own == kind).map(|(_, set)| set);
        sets.any(|set| lines.iter().any(|line| set.is_match(line)))
    }

    /// What the manifest's expressions say: the last line that any of them matches decides, for what was written before
    /// was tried again.
    pub(super) fn own(&self, lines: &[&str]) -> Option<FailureKind> {
        lines
            .iter()
            .rev()
            .find_map(|line| self.kinds.iter().find_map(|(kind, set)| set.is_match(line).then_some(*kind)))
    }
}

/// What services, command-line parsers and network libraries commonly write. The last line that says anything decides.
pub(super) fn common(lines: &[&str]) -> Option<FailureKind> {
    lines.iter().rev().find_map(|line| {
        let mut kinds = COMMON_KINDS.iter().zip(COMMON.iter());
        kinds.find_map(|(kind, set)| set.as_ref().filter(|set| set.is_match(line)).map(|_| *kind))
    })
}

/// Whether a line says that a session is not there. Only asked of a further turn: elsewhere such words mean other things.
pub(super) fn forgotten(lines: &[&str]) -> bool {
    FORGOTTEN.as_ref().is_some_and(|set| lines.iter().any(|line| set.is_match(line)))
}

const FORGOTTEN_TEXTS: [&str; 2] = [
    r"\b(no|unknown|invalid|missing|find|resume|load|open)\b.{0,60}\b(session|conversation|thread|rollout)\b",
    r"\b(session|conversation|thread|rollout)\b.{0,100}\b(not (be )?found|not exist|no longer exists?|unknown|invalid|not known)\b",
];

static FORGOTTEN: LazyLock<Option<RegexSet>> =
    LazyLock::new(|| regex::RegexSetBuilder::new(FORGOTTEN_TEXTS).case_insensitive(true).build().ok());

/// In the order in which they are tried on a line: "quota exceeded for model" is about the quota.
const COMMON_KINDS: [FailureKind; 6] = [
    FailureKind::Flags,
    FailureKind::TooLong,
    FailureKind::Auth,
    FailureKind::Quota,
    FailureKind::Model,
    FailureKind::Network,
];

const COMMON_TEXTS: [&[&str]; 6] = [
    &[r"unknown (option|flag|argument|command)", r"unrecogni[sz]ed (option|argument|flag)", r"unexpected argument"],
    &[
        r"(prompt|input|request|message) (is|was) too (long|large)",
        r"context.?(length|window).{0,40}(exceed|limit|full)|exceed.{0,40}context.?(length|window)",
        r"maximum context",
        r"too many (input )?tokens|maximum number of tokens",
        r"\b413\b|payload too large|request entity too large",
    ],
    &[
        r"\b40[13]\b.{0,40}(unauthori[sz]ed|forbidden|auth)|(unauthori[sz]ed|forbidden|auth|api error).{0,40}\b40[13]\b",
        r"status.{0,10}\b401\b|\b401\b status|^\W*401\b",
        r"not (logged|signed) in|please (log|sign) ?in|log ?in required|login required|session (has )?expired",
        r"unauthenticated|authentication.{0,20}(failed|error|required)|authentication_error",
        r"(invalid|incorrect|missing|no|expired).{0,20}(api.?key|access token|credentials)",
    ],
    &[
        r"too many requests|rate.?limit",
        r"\b429\b.{0,40}(error|quota|limit|exhaust)|(error|status|http|code).{0,20}\b429\b|^\W*429\b",
        r"(quota|usage limit|credit|budget|spending).{0,40}(exceed|exhaust|reach|limit|low|insufficient)",
        r"(exceed|exhaust|reach|insufficient).{0,40}(quota|usage limit|credit|budget|balance)|resource_exhausted",
        r"\b402\b.{0,20}payment|payment required",
    ],
    &[
        r"model.{0,60}(not found|not exist|not available|not supported|unknown|invalid|no access|not have access)",
        r"(unknown|invalid|no such|unsupported) model|model_not_found|modelnotfound",
    ],
    &[
        r"econnrefused|econnreset|enotfound|etimedout|eai_again|enetunreach|epipe",
        r"connection (error|refused|reset|closed|timed out|aborted)|(cannot|could not|failed to|unable to) connect",
        r"fetch failed|network (error|is unreachable)|socket hang up|stream disconnected",
        r"(no such host|name resolution|getaddrinfo|dns)",
        r"\b50[0234]\b.{0,40}(error|gateway|unavailable|timeout)|(error|status).{0,20}\b5\d\d\b|^\W*5\d\d\b",
        r"internal server error|bad gateway|service unavailable|overloaded",
    ],
];

/// Compiled at the first failure of a run: a run that goes well never pays for it. The expressions are constants, so one
/// that does not compile is seen by the tests.
static COMMON: LazyLock<Vec<Option<RegexSet>>> = LazyLock::new(|| {
    let compile = |texts: &&[&str]| regex::RegexSetBuilder::new(*texts).case_insensitive(true).build().ok();
    COMMON_TEXTS.iter().map(compile).collect()
});

/// Keys and tokens as services shape them: programs quote them in their complaints.
static SECRET: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?x)
        \b(?: sk|pk|rk|xai|gsk|key|ghp|gho|ghu|ghs|ghr|glpat|github_pat|hf ) [-_] [A-Za-z0-9_*-]{8,}
        | \b AIza [A-Za-z0-9_-]{20,}
        | \b eyJ [A-Za-z0-9_-]{10,} \. [A-Za-z0-9_.-]{10,}
        | (?i: \b bearer \s+ ) [A-Za-z0-9_.~+/=-]{12,}",
    )
    .ok()
});

/// Replaces what looks like a key.
pub(super) fn mask_secrets(line: &str) -> String {
    match &*SECRET {
        Some(secret) => secret.replace_all(line, "[redacted]").into_owned(),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_expressions_compile() {
        assert!(COMMON.iter().all(Option::is_some));
        assert!(SECRET.is_some() && FORGOTTEN.is_some());
    }

    #[test]
    fn a_lost_session_is_understood_in_many_words() {
        for line in [
            "No conversation found with session ID: 1b4e28ba",
            "Error: Session not found: ses_123",
            "Error: thread/resume: no rollout found for thread id 0199",
            "Error resuming session: Invalid session identifier \"x\".",
            "Session 1b4e28ba does not exist",
            "unknown session",
            "Failed to load conversation 12",
        ] {
            assert!(forgotten(&[line]), "{line}");
        }
        for line in ["session expired, please log in", "rate limit of this session", "cannot find the file", ""] {
            assert!(!forgotten(&[line]), "{line}");
        }
    }

    #[test]
    fn keys_are_masked_and_words_are_not() {
        for (line, expected) in [
            ("Incorrect API key provided: sk-proj-abcdefgh12345678.", "Incorrect API key provided: [redacted]."),
            ("key sk-ant-****************wxyz is wrong", "key [redacted] is wrong"),
            ("Authorization: Bearer abcdefghijklmnop", "Authorization: [redacted]"),
            ("AIzaSyA1234567890abcdefghijk rejected", "[redacted] rejected"),
            ("risk-averse task-runner of the sk-learn key", "risk-averse task-runner of the sk-learn key"),
        ] {
            assert_eq!(mask_secrets(line), expected);
        }
    }
}
