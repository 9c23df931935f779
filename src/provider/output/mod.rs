//! Reading what an agent printed, in five steps: trim, unwrap a fence, find the answer, tidy line ends, trim again.
//!
//! Each step is a function of its own. Nothing is judged or cleaned here; an answer may be a message, a plan or anything
//! else that was asked for.

mod fence;
mod json;

use super::render::Invocation;
use super::schema::{Manifest, Output, UsagePaths};
use crate::usage::{self, Usage};

pub(super) use fence::fenced_lines;
pub use fence::strip as strip_fence;
pub(super) use json::balanced;
pub use json::{find as find_json, session_id};

/// How a provider's output is read: what its manifest says, unless the configuration overrides it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rules {
    /// What standard output is.
    pub output: Output,
    /// Dotted path of the answer in JSON.
    pub json_field: String,
    /// Unwrap one code fence.
    pub strip_code_fence: bool,
}

impl Rules {
    /// The manifest's rules, with the configuration's overrides where they are set.
    #[must_use]
    pub fn new(manifest: &Manifest, output: Option<Output>, strip_code_fence: Option<bool>) -> Self {
        Self {
            output: output.unwrap_or(manifest.output),
            json_field: manifest.json_field.clone(),
            strip_code_fence: strip_code_fence.unwrap_or(manifest.strip_code_fence),
        }
    }
}

/// What was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    /// The answer; empty means that there is none.
    pub text: String,
    /// JSON was expected and the field not found, so the text is the output as it was.
    pub raw_fallback: bool,
}

/// Reads an agent's standard output. Invalid UTF-8 is replaced, and at-signs that the call had escaped come back.
#[must_use]
pub fn read(rules: &Rules, invocation: &Invocation, stdout: &[u8]) -> Reading {
    let mut reading = read_text(rules, &String::from_utf8_lossy(stdout));
    if let Some(escape) = &invocation.escape {
        reading.text = escape.restore(&reading.text);
    }
    reading
}

/// The five steps.
#[must_use]
pub fn read_text(rules: &Rules, printed: &str) -> Reading {
    let trimmed = printed.trim();
    let unfenced = unwrap_fence(rules, trimmed);
    let found = match rules.output {
        Output::Raw => None,
        Output::Json => json::find(unfenced, &rules.json_field),
    };
    let raw_fallback = rules.output == Output::Json && found.is_none();
    // A model fences its answer whether or not its program then wraps it in JSON.
    let answer = found.as_deref().map_or(unfenced, |answer| unwrap_fence(rules, answer.trim()));
    Reading { text: tidy_line_ends(answer).trim().to_owned(), raw_fallback }
}

/// What a call used, as far as its JSON output says so.
#[must_use]
pub fn usage(paths: &UsagePaths, stdout: &[u8]) -> Usage {
    if *paths == UsagePaths::default() {
        return Usage::default();
    }
    let printed = String::from_utf8_lossy(stdout);
    let UsagePaths { input, output, cached, cost } = paths;
    let [input, output, cached, cost] = json::numbers(printed.trim(), [input, output, cached, cost]);
    let [input, output, cached] = [input, output, cached].map(|number| number.as_ref().and_then(usage::tokens));
    Usage { input, output, cached, cost: cost.as_ref().and_then(usage::cost) }
}

fn unwrap_fence<'t>(rules: &Rules, text: &'t str) -> &'t str {
    if rules.strip_code_fence { fence::strip(text).unwrap_or(text) } else { text }
}

/// `\r\n` becomes `\n`, and three or more newlines in a row become two.
#[must_use]
pub fn tidy_line_ends(text: &str) -> String {
    let mut tidy = String::with_capacity(text.len());
    let mut newlines = 0;
    for c in text.replace("\r\n", "\n").chars() {
        newlines = if c == '\n' { newlines + 1 } else { 0 };
        if newlines <= 2 {
            tidy.push(c);
        }
    }
    tidy
}

#[cfg(test)]
mod tests;
