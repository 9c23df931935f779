//! From an answer to a message: everything is taken away that an agent adds of its own, and nothing else is changed.
//!
//! The text comes from a program that read untrusted input, so nothing in it is believed: what could steer a terminal or
//! deceive a reader goes first. Then what a chatty model wraps around a message is peeled off, layer by layer, until
//! nothing changes any more. Hence cleaning twice is the same as cleaning once.

mod attribution;
mod no_message;
mod wrapping;

use std::borrow::Cow;

/// A text longer than this is no commit message, in bytes after cleaning.
pub const MAX_MESSAGE_BYTES: usize = 64 * 1024;

/// A text that is still longer than this behind its reasoning is not searched for a message, in bytes.
const MAX_ANSWER_BYTES: usize = 4 * MAX_MESSAGE_BYTES;

/// How many layers are peeled off before a text is taken for garbage.
const MAX_LAYERS: usize = 24;

/// The message in an answer, without a newline at its end; empty when there is none.
///
/// The result has no control characters but newlines and tabs, one subject line, and a blank line between it and a body.
/// An apology, a refusal and an agent's own error text are no messages.
#[must_use]
pub fn clean(answer: &str) -> String {
    // Only around what is known to be wrapped in something is a fence a wrapper too; else it belongs to the message.
    let mut wrapped = false;
    let mut text = answer.to_owned();
    for _ in 0..MAX_LAYERS {
        let next = pass(&text, &mut wrapped);
        if next == text {
            return if next.len() > MAX_MESSAGE_BYTES { String::new() } else { next };
        }
        text = next;
    }
    String::new()
}

/// One layer off.
fn pass(text: &str, wrapped: &mut bool) -> String {
    let visible = crate::untrusted::stripped(text);
    *wrapped |= visible != text;
    let peeled = wrapping::peel(visible.trim(), wrapped);
    if peeled.len() > MAX_ANSWER_BYTES {
        return String::new();
    }
    let own = attribution::without(peeled);
    if no_message::is_none(own.trim()) {
        return String::new();
    }
    layout(own.trim())
}

/// Subject, blank line, body; no white space at line ends and no more than one blank line at a time.
fn layout(text: &str) -> String {
    let mut lines = text.lines().map(str::trim_end);
    let mut tidy = lines.next().unwrap_or_default().to_owned();
    let mut blank = true;
    for line in lines {
        if line.is_empty() {
            blank = true;
            continue;
        }
        // After the subject, `blank` is still true, so that the blank line is there even if the answer has none.
        tidy.push_str(if blank { "\n\n" } else { "\n" });
        tidy.push_str(line);
        blank = false;
    }
    tidy
}

/// A text without the lines that `drop` names, which gets each line's index too.
fn without_lines(text: &str, mut drop: impl FnMut(usize, &str) -> bool) -> Cow<'_, str> {
    let mut dropped = false;
    let kept: Vec<&str> = text
        .split('\n')
        .enumerate()
        .filter(|(index, line)| {
            let keep = !drop(*index, line);
            dropped |= !keep;
            keep
        })
        .map(|(_, line)| line)
        .collect();
    if dropped { Cow::Owned(kept.join("\n")) } else { Cow::Borrowed(text) }
}

#[cfg(test)]
mod answers;
#[cfg(test)]
mod messages;
#[cfg(test)]
mod properties;
