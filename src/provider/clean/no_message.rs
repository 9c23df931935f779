//! Answers that are no messages: apologies, refusals, questions back, and error texts of agents.
//!
//! A commit may well begin with "Sorry" or "Error:". So an opening alone never decides; it takes a first person who
//! cannot, or a phrase that only programs use.

use serde_json::Value;

use super::super::output::balanced;
use super::wrapping::is_preamble;

/// First persons who cannot; what follows has to be one of [`DEEDS`], or of [`PERCEPTIONS`] with an object.
const UNABLE: [&str; 14] = [
    "i can't ",
    "i cannot ",
    "i can not ",
    "i'm unable to ",
    "i am unable to ",
    "i'm not able to ",
    "i am not able to ",
    "i couldn't ",
    "i could not ",
    "i won't ",
    "i don't see ",
    "i do not see ",
    "i don't have ",
    "i do not have ",
];

const DEEDS: [&str; 15] = [
    "help",
    "assist",
    "generate",
    "create a",
    "write",
    "produce",
    "provide",
    "determine",
    "comply",
    "fulfill",
    "complete this",
    "continue",
    "do that",
    "do this",
    "execute",
];

const PERCEPTIONS: [&str; 14] = [
    "see",
    "access",
    "view",
    "read",
    "find",
    "identify",
    "any ",
    "a diff",
    "the diff",
    "the changes",
    "enough",
    "commit",
    "process",
    "complete",
];

const OBJECTS: [&str; 8] = ["diff", "change", "file", "repository", "context", "information", "request", "commit"];

/// Openings that say sorry; the first line has to say what for, by one of [`REGRETS`].
const SORRY: [&str; 12] = [
    "i'm sorry",
    "i am sorry",
    "sorry",
    "i apologize",
    "i apologise",
    "my apologies",
    "apologies",
    "unfortunately",
    "it looks like",
    "it seems",
    "it appears",
    "as an ai",
];

const REGRETS: [&str; 22] = [
    "i can't",
    "i cannot",
    "i can not",
    "i'm unable",
    "i am unable",
    "unable to help",
    "unable to assist",
    "unable to generate",
    "unable to write",
    "i'm not able",
    "i am not able",
    "i couldn't",
    "i could not",
    "i don't",
    "i do not",
    "i won't",
    "can't help with",
    "can't assist with",
    "please provide",
    "please share",
    "you haven't",
    "wasn't provided",
];

/// What a first person is sorry for, and what looks like it is not there.
const LACKS: [&str; 12] = [
    "is empty",
    "be empty",
    "no diff",
    "no changes",
    "there is no",
    "there are no",
    "didn't receive",
    "did not receive",
    "don't see",
    "not enough",
    "isn't enough",
    "wasn't any",
];

/// Requests for what should have been there.
const REQUESTS: [&str; 10] = [
    "please provide the",
    "please provide a",
    "please share the",
    "please paste the",
    "could you please provide",
    "could you provide",
    "could you share",
    "can you provide",
    "can you share",
    "i need to see the",
];

/// Statements that there is nothing to write about.
const NOTHING: [&str; 8] = [
    "there are no changes to commit",
    "there are no staged changes",
    "there is no diff",
    "no diff was provided",
    "no changes were provided",
    "the provided diff is empty",
    "the diff you provided is empty",
    "the diff appears to be empty",
];

/// The same in other languages.
const FOREIGN: [&str; 15] = [
    "es tut mir leid, ",
    "tut mir leid, ",
    "entschuldigung, aber ich",
    "lo siento, ",
    "je suis désolé",
    "désolé, je",
    "mi dispiace, ",
    "desculpe, ",
    "извините, ",
    "к сожалению, я",
    "抱歉，",
    "很抱歉",
    "对不起，",
    "申し訳",
    "죄송합니다",
];

/// What agents print instead of an answer, as the beginning of the only line.
const ERROR_LINES: [&str; 33] = [
    "5-hour limit reached",
    "weekly limit reached",
    "request failed with status code 429",
    "request failed with status code 500",
    "there was an error processing your request",
    "something went wrong",
    "an error occurred while processing your request",
    "no changes to commit",
    "no changes detected",
    "nothing to commit",
    "no diff provided",
    "api error",
    "not logged in",
    "prompt is too long",
    "invalid api key",
    "credit balance is too low",
    "claude ai usage limit reached",
    "claude usage limit reached",
    "usage limit reached",
    "you've hit your usage limit",
    "you've hit your limit",
    "you have hit your usage limit",
    "execution error",
    "please run /login",
    "oauth token has expired",
    "request timed out",
    "stream disconnected before completion",
    "no response from model",
    "(no content)",
    "[no content]",
    "[api error",
    "rate limit exceeded",
    "insufficient credits",
];

/// What programs print for a value that is not there.
const NO_VALUES: [&str; 6] = ["null", "undefined", "None", "NaN", "nil", "[object Object]"];

/// What makes a line that begins with "Error:" a program's.
const ERROR_PHRASES: [&str; 33] = [
    "rate limit exceeded",
    "rate limit reached",
    "rate_limit_error",
    "rate_limit_exceeded",
    "quota exceeded",
    "insufficient_quota",
    "invalid api key",
    "incorrect api key provided",
    "invalid_api_key",
    "no api key found",
    "api key not valid",
    "authentication_error",
    "authentication failed",
    "authentication required",
    "unauthorized",
    "context_length_exceeded",
    "prompt is too long",
    "overloaded_error",
    "overloaded",
    "econnrefused",
    "enotfound",
    "etimedout",
    "econnreset",
    "fetch failed",
    "socket hang up",
    "model_not_found",
    "model not found",
    "not logged in",
    "unknown option",
    "connection error",
    "internal server error",
    "too many requests",
    "service unavailable",
];

/// Whether a trimmed text is no message.
pub(super) fn is_none(text: &str) -> bool {
    let line = text.lines().next().unwrap_or_default().trim();
    let first = line.replace('’', "'").to_lowercase();
    let only_line = text.trim().lines().filter(|line| !line.trim().is_empty()).count() <= 1;
    let nothing_behind = only_line && (is_error_line(&first) || is_preamble(&first));
    nothing_behind || NO_VALUES.contains(&text.trim()) || is_refusal(&first) || is_json(text)
}

fn is_refusal(first: &str) -> bool {
    let begins = |openings: &[&str]| openings.iter().any(|opening| first.starts_with(opening));
    let says = |phrases: &[&str]| phrases.iter().any(|phrase| first.contains(phrase));
    let unable = UNABLE.iter().find_map(|opening| first.strip_prefix(opening));
    let cannot = |deeds: &[&str]| unable.is_some_and(|rest| deeds.iter().any(|deed| rest.starts_with(deed)));
    cannot(&DEEDS)
        || (cannot(&PERCEPTIONS) && says(&OBJECTS))
        || (begins(&SORRY) && says(&REGRETS))
        || (begins(&REQUESTS) && says(&["diff", "change", "code", "patch", "file"]))
        || (begins(&["i'm sorry", "i am sorry", "i apologi", "it looks like", "it seems", "it appears"])
            && says(&LACKS))
        || begins(&NOTHING)
        || begins(&FOREIGN)
}

fn is_error_line(line: &str) -> bool {
    let ends =
        |rest: &str| rest.is_empty() || rest.trim_start().starts_with(['.', '·', '∙', '•', '|', '(', '!', ']', '{']);
    let direct = ERROR_LINES.iter().filter_map(|opening| line.strip_prefix(opening));
    let mut api = ["api error: ", "[api error: "].iter().filter_map(|opening| line.strip_prefix(opening));
    direct.into_iter().any(ends) || api.any(is_program_error) || is_status(line) || {
        let prefixes = ["error: ", "fatal: ", "fatal error: ", "error - ", "⚠ error: ", "❌ error: "];
        prefixes.iter().filter_map(|prefix| line.strip_prefix(prefix)).any(is_program_error)
    }
}

/// Whether the text behind "Error:" is a program's: a status, JSON, or a phrase that ends there.
fn is_program_error(rest: &str) -> bool {
    let phrase_ends = |phrase: &&str| {
        rest.split(phrase).skip(1).any(|after| {
            let capitals = phrase.starts_with('e') && !phrase.contains(' ');
            after.is_empty()
                || after.starts_with(['.', ':', '(', '{', '!', '"', '\''])
                || (capitals && after.starts_with(' '))
        })
    };
    is_status(rest) || rest.starts_with('{') || ERROR_PHRASES.iter().any(phrase_ends)
}

/// A line such as `429 {"error": …}`, `401: {…}` or `503 Service Unavailable`.
fn is_status(line: &str) -> bool {
    const REASONS: [&str; 10] = [
        "bad request",
        "unauthorized",
        "payment required",
        "forbidden",
        "not found",
        "too many requests",
        "internal server error",
        "bad gateway",
        "service unavailable",
        "gateway timeout",
    ];
    let Some((code, rest)) = line.split_at_checked(3) else { return false };
    let Ok(400..=599) = code.parse::<u16>() else { return false };
    let rest = rest.trim_start_matches([':', ' ']);
    rest.starts_with('{') || REASONS.contains(&rest.trim_end_matches('.'))
}

/// JSON objects or lists, one or several in a row: what a program printed, whether it reports an error or holds an answer
/// that was not found in it.
fn is_json(text: &str) -> bool {
    if !text.starts_with(['{', '[']) {
        return false;
    }
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    values.all(|value| value.is_ok_and(|value| value.is_object() || value.is_array())) || is_nearly_json(text)
}

/// Objects in a row that no parser takes, for one is cut off or has a value that JSON has not.
fn is_nearly_json(text: &str) -> bool {
    let between = |c: char| c.is_whitespace() || matches!(c, '[' | ']' | ',');
    let mut rest = text.trim_start_matches(between);
    let mut found = false;
    while !rest.is_empty() {
        if !begins_with_a_key(rest) {
            return false;
        }
        found = true;
        let length = balanced(rest).unwrap_or(rest.len());
        rest = rest.get(length..).unwrap_or_default().trim_start_matches(between);
    }
    found
}

/// Whether a text begins like `{"type":`, or as Python prints that.
fn begins_with_a_key(text: &str) -> bool {
    let Some(key) = text.strip_prefix('{').map(str::trim_start) else { return false };
    let ends = ['"', '\''].iter().find_map(|quote| key.strip_prefix(*quote)?.split_once(*quote));
    ends.is_some_and(|(key, rest)| !key.contains('\n') && rest.trim_start().starts_with(':'))
}
