//! The delivered text: what goes to the agent in one piece, and by which way.

use super::{ARGUMENT_LIMIT, AtEscape, Call, RenderError};
use crate::provider::schema::{Delivery, Manifest};

/// The text of a call and its way.
#[derive(Debug)]
pub(super) struct Delivered {
    /// The payload with everything that precedes it.
    pub(super) text: String,
    /// Standard input carries it, else an argument does.
    pub(super) on_stdin: bool,
    /// The system prompt for its flag; None when the text begins with it, or there is none.
    pub(super) system: Option<String>,
    /// How at-signs are written in `text`.
    pub(super) escape: Option<AtEscape>,
}

/// Most bytes of delivered text that a call of this provider carries; None when there is no limit.
///
/// The delivered text is the payload with what precedes it: the system prompt where the agent has no flag for it, the
/// retry instruction, and, where at-signs are escaped, one sentence and longer at-signs. When it is too long,
/// [`RenderError::TooLong`] says by how much.
#[must_use]
pub fn payload_limit(manifest: &Manifest) -> Option<usize> {
    let stated = manifest.run.max_payload_bytes;
    match manifest.prompt_delivery {
        Delivery::Stdin => stated,
        Delivery::Positional | Delivery::Flag if manifest.run.stdin_fallback => None,
        Delivery::Positional | Delivery::Flag => Some(argument_limit(manifest)),
    }
}

fn argument_limit(manifest: &Manifest) -> usize {
    manifest.run.max_payload_bytes.unwrap_or(ARGUMENT_LIMIT).min(ARGUMENT_LIMIT)
}

/// What is said in one turn of a conversation that needs no process for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spoken {
    /// The payload with everything that precedes it.
    pub text: String,
    /// How at-signs are written in it.
    pub escape: Option<AtEscape>,
}

/// The text of a call for a channel that carries any text: the system prompt, which has no other way, the retry
/// instruction and the payload.
#[must_use]
pub fn speak(manifest: &Manifest, call: &Call<'_>) -> Spoken {
    let (text, escape) = compose(manifest, call, call.system);
    Spoken { text, escape }
}

/// How at-signs are written in all turns of a conversation that has these texts.
#[must_use]
pub fn agree(manifest: &Manifest, texts: &[&str]) -> Option<AtEscape> {
    let mut all = texts.to_vec();
    all.push(&manifest.retry_instruction);
    // Later turns may repeat what a model wrote, so there is a mark even if nothing has an at-sign yet.
    all.push("@");
    if manifest.run.escape_at { AtEscape::choose(&all) } else { None }
}

/// What precedes the payload, and the payload, with at-signs as they may be written.
fn compose(manifest: &Manifest, call: &Call<'_>, preceding: &str) -> (String, Option<AtEscape>) {
    let retry = if call.retry { manifest.retry_instruction.as_str() } else { "" };
    let parts: Vec<&str> = [preceding, retry, call.payload].into_iter().filter(|part| !part.is_empty()).collect();
    let text = parts.join("\n\n");
    let escape = match call.escape {
        _ if !manifest.run.escape_at => None,
        Some(agreed) => Some(agreed.clone()),
        None => AtEscape::choose(&[call.system, retry, call.payload]),
    };
    match escape {
        Some(escape) => (format!("{}\n\n{}", escape.explanation(), escape.hide(&text)), Some(escape)),
        None => (text, None),
    }
}

/// Puts the text together and chooses its way.
pub(super) fn deliver(manifest: &Manifest, call: &Call<'_>, notes: &mut Vec<String>) -> Result<Delivered, RenderError> {
    let system = system_argument(manifest, call.system, notes);
    let preceding = if system.is_some() { "" } else { call.system };
    let (text, escape) = compose(manifest, call, preceding);
    let (text, on_stdin) = choose_way(manifest, text, notes)?;
    Ok(Delivered { text, on_stdin, system, escape })
}

/// The system prompt as an argument, where the agent has a flag for it and it is short enough for one.
fn system_argument(manifest: &Manifest, system: &str, notes: &mut Vec<String>) -> Option<String> {
    if manifest.system_prompt_flag.is_empty() || system.is_empty() {
        return None;
    }
    if system.len() > ARGUMENT_LIMIT {
        notes.push(format!(
            "the system prompt ({} bytes) is too long for an argument and precedes the payload instead",
            system.len()
        ));
        return None;
    }
    Some(without_nul(system.to_owned(), notes))
}

fn choose_way(manifest: &Manifest, text: String, notes: &mut Vec<String>) -> Result<(String, bool), RenderError> {
    let too_long = |length, limit| RenderError::TooLong { provider: manifest.name.clone(), length, limit };
    if manifest.prompt_delivery == Delivery::Stdin {
        return match manifest.run.max_payload_bytes {
            Some(limit) if text.len() > limit => Err(too_long(text.len(), limit)),
            _ => Ok((text, true)),
        };
    }
    let limit = argument_limit(manifest);
    let argument = as_argument(manifest.prompt_delivery, text, notes);
    if argument.len() <= limit {
        return Ok((argument, false));
    }
    if !manifest.run.stdin_fallback {
        return Err(too_long(argument.len(), limit));
    }
    notes.push(format!("the prompt ({} bytes) is too long for an argument and goes by standard input", argument.len()));
    Ok((argument, true))
}

/// The text as an argument that can be passed and is not taken for a flag.
fn as_argument(delivery: Delivery, text: String, notes: &mut Vec<String>) -> String {
    let text = without_nul(text, notes);
    if delivery == Delivery::Positional && text.starts_with('-') { format!("\n{text}") } else { text }
}

fn without_nul(text: String, notes: &mut Vec<String>) -> String {
    if !text.contains('\0') {
        return text;
    }
    notes.push("NUL characters, which no argument can carry, were replaced by U+FFFD".to_owned());
    text.replace('\0', "\u{FFFD}")
}
