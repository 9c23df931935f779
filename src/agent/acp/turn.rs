//! The text of one turn: what the agent says to us, without its thoughts and its own notices.

use agent_client_protocol_schema::v1::{ContentBlock, ContentChunk, SessionUpdate};
use serde_json::Value;

use crate::usage::{self, Cost, Usage};

/// No answer is longer, in bytes.
const LONGEST: usize = 8 * 1024 * 1024;

/// How the messages of an agent about itself begin, where it does not mark them: codex-acp, copilot.
const NOTICES: [&str; 2] = ["Warning: ", "Info: "];
/// How the whole answer begins that is no answer, but the service's error: copilot, claude-agent.
const ERRORS: [&str; 3] = ["Error: ", "API Error: ", "API Error "];
/// How an error begins and a notice ends that copilot sends as one piece of the text, without a mark or an id: after the
/// error comes nothing, after the notice the answer from its start.
const TOLD: &str = ERRORS[0];
const AGAIN: &str = "Retrying...";

/// What has come so far.
#[derive(Debug, Default)]
pub(super) struct Turn {
    messages: Vec<Message>,
    length: usize,
    cost: Option<Cost>,
    /// How many messages there were when the agent marked the turn as failed.
    failed_after: Option<usize>,
    /// The last piece of text, where it begins like an error.
    told: Option<String>,
}

#[derive(Debug)]
struct Message {
    id: Option<String>,
    text: String,
}

/// What a turn has said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Said {
    /// An answer; not empty.
    Text(String),
    /// The error of a service, as text.
    Error(String),
    /// Nothing that can be seen.
    Nothing,
}

impl Turn {
    /// Takes in what the agent tells. Whatever is no text of an answer is passed over.
    pub(super) fn take(&mut self, update: Value) {
        if is_marked(&update) {
            return;
        }
        if let Some(cost) = cost_of(&update) {
            self.cost = Some(cost);
        }
        match state_of(&update) {
            Some("systemError") => self.failed_after = Some(self.messages.len()),
            Some("active") => self.failed_after = None,
            _ if is_tried_again(&update) => self.messages.clear(),
            _ => {}
        }
        let Some(SessionUpdate::AgentMessageChunk(ContentChunk { content, message_id, .. })) =
            super::connection::known(update)
        else {
            return;
        };
        let ContentBlock::Text(text) = content else { return };
        self.length = self.length.saturating_add(text.text.len());
        if self.length > LONGEST {
            return;
        }
        let id = message_id.map(|id| id.0.to_string());
        self.told = Some(&text.text).filter(|text| id.is_none() && text.starts_with(TOLD)).cloned();
        if id.is_none() && begins_anew(&text.text) {
            self.messages.clear();
            return;
        }
        // Why a turn failed is a message of its own.
        let is_reason = self.failed_after == Some(self.messages.len());
        match self.messages.last_mut() {
            Some(last) if last.id == id && !is_reason && !(id.is_none() && is_notice(&last.text)) => {
                last.text.push_str(&text.text);
            }
            _ => self.messages.push(Message { id, text: text.text }),
        }
    }

    /// Whether there was more than any answer has.
    pub(super) const fn is_flooded(&self) -> bool {
        self.length > LONGEST
    }

    /// What the session has cost until now, if that was told.
    pub(super) const fn cost(&self) -> Option<Cost> {
        self.cost
    }

    /// What it comes to. `is_counted` says whether the agent has told what the turn used: copilot does for an answer only.
    pub(super) fn said(mut self, is_counted: bool) -> Said {
        if let Some(answered) = self.failed_after {
            return Said::Error(self.reason(answered));
        }
        if let Some(told) = self.told.filter(|_| !is_counted) {
            return Said::Error(told.trim().to_owned());
        }
        let messages = self.messages.into_iter().map(|message| message.text).filter(|text| !is_notice(text));
        let text = messages.collect::<String>();
        let trimmed = text.trim();
        if trimmed.is_empty() {
            Said::Nothing
        } else if ERRORS.iter().any(|error| trimmed.starts_with(error)) {
            Said::Error(trimmed.to_owned())
        } else {
            Said::Text(text)
        }
    }

    /// Why the turn failed: what was said after the mark, else what was said at all.
    fn reason(&mut self, answered: usize) -> String {
        let after = self.messages.split_off(answered.min(self.messages.len()));
        let joined = |messages: &[Message]| messages.iter().map(|message| message.text.as_str()).collect::<String>();
        let texts = [joined(&after), joined(&self.messages), "the turn failed without a reason".to_owned()];
        texts.iter().map(|text| text.trim()).find(|text| !text.is_empty()).unwrap_or_default().to_owned()
    }
}

/// What codex-acp says of the state of its session. It ends a turn that failed like any other, with the reason as text.
fn state_of(update: &Value) -> Option<&str> {
    update.pointer("/_meta/codex/threadStatus/type")?.as_str()
}

/// Whether codex-acp says that an answer broke off: it comes again from its start, under the same id.
fn is_tried_again(update: &Value) -> bool {
    update.pointer("/_meta/codex/error/willRetry") == Some(&Value::Bool(true))
}

/// The cost of a session until now. Other currencies than dollars cannot be added up, so they are not reported.
fn cost_of(update: &Value) -> Option<Cost> {
    if update.get("sessionUpdate")? != "usage_update" {
        return None;
    }
    let cost = update.get("cost")?;
    if cost.get("currency")? == "USD" { usage::cost(cost.get("amount")?) } else { None }
}

/// The tokens in the answer to a prompt; by the protocol, those of this turn.
pub(super) fn tokens_of(answer: &Value) -> Usage {
    let tokens = |key| answer.get("usage")?.get(key).and_then(usage::tokens);
    let (input, output, cached) = (tokens("inputTokens"), tokens("outputTokens"), tokens("cachedReadTokens"));
    Usage { input, output, cached, cost: None }
}

/// claude-agent marks what it says of itself.
fn is_marked(update: &Value) -> bool {
    fn has_mark(meta: &Value) -> bool {
        match meta {
            Value::Object(entries) => {
                entries.get("kind").is_some_and(|kind| kind == "informational") || entries.values().any(has_mark)
            }
            _ => false,
        }
    }
    update.get("_meta").is_some_and(has_mark) || update.pointer("/content/_meta").is_some_and(has_mark)
}

/// A message of one paragraph that begins like a notice. A commit message that did would be of an unusual style.
fn is_notice(text: &str) -> bool {
    let text = text.trim();
    NOTICES.iter().any(|notice| text.starts_with(notice)) && !text.contains("\n\n")
}

/// Whether the answer was cut off and is being written once more.
fn begins_anew(text: &str) -> bool {
    is_notice(text) && text.trim_end().ends_with(AGAIN)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn said(updates: &[Value]) -> Said {
        said_and(false, updates)
    }

    fn said_and(is_counted: bool, updates: &[Value]) -> Said {
        let mut turn = Turn::default();
        updates.iter().for_each(|update| turn.take(update.clone()));
        turn.said(is_counted)
    }

    fn chunk(text: &str) -> Value {
        json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}})
    }

    fn text(text: &str) -> Said {
        Said::Text(text.to_owned())
    }

    #[test]
    fn chunks_make_one_text_and_nothing_else_counts() {
        let thought = json!({"sessionUpdate": "agent_thought_chunk", "content": {"type": "text", "text": "hm"}});
        let user = json!({"sessionUpdate": "user_message_chunk", "content": {"type": "text", "text": "diff"}});
        let image =
            json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "image", "data": "", "mimeType": "x"}});
        let new = json!({"sessionUpdate": "from_the_future", "x": 1});
        let updates = [user, thought, chunk("Add "), image, new, json!(7), chunk("a\n\nBecause."), chunk("")];
        assert_eq!(said(&updates), text("Add a\n\nBecause."));
        assert_eq!(said(&[]), Said::Nothing);
        assert_eq!(said(&[chunk(" \n")]), Said::Nothing);
    }

    #[test]
    fn notices_are_left_out_however_they_come() {
        let mut marked = chunk("You have used 80 % of your plan.");
        marked["_meta"] = json!({"claudeCode": {"kind": "informational"}});
        let mut inside = chunk("Update available");
        inside["content"]["_meta"] = json!({"kind": "informational"});
        let mut own = chunk("Warning: the model is not known.");
        own["messageId"] = json!("1");
        let mut answer = chunk("Add a");
        answer["messageId"] = json!("2");
        assert_eq!(said(&[marked, own, inside, answer]), text("Add a"));
        assert_eq!(said(&[chunk("Warning: no metadata."), chunk("Add a")]), text("Add a"));
        let infos = ["Info: Disabled tools: bash", "Info: Request failed. Retrying…"].map(chunk);
        assert_eq!(said(&[&infos[..], &[chunk("Add "), chunk("a")]].concat()), text("Add a"));
        assert_eq!(said(&[&infos[..], &[chunk("Error: 401")]].concat()), Said::Error("Error: 401".to_owned()));
        assert_eq!(said(&[chunk("Warn "), chunk("of bad input")]), text("Warn of bad input"));
    }

    #[test]
    fn an_error_told_as_text_is_one() {
        assert_eq!(said(&[chunk("Error: 401 no")]), Said::Error("Error: 401 no".to_owned()));
        assert_eq!(said(&[chunk("API Error: 529 {\"x\":1}")]), Said::Error("API Error: 529 {\"x\":1}".to_owned()));
        assert_eq!(said(&[chunk("Errors are told")]), text("Errors are told"));
    }

    /// As copilot was seen to send it when the service's answer breaks off.
    #[test]
    fn what_a_broken_answer_leaves_is_no_part_of_the_next_and_the_error_behind_it_no_text() {
        let info = chunk("Info: Disabled tools: bash, view");
        let half = [chunk("feat: add gr"), chunk("eeting\n\nPrin")];
        let again = chunk("Info: Response was interrupted due to a server error. Retrying...");
        let error = "Error: Failed to get response from the AI model; retried 5 times (total retry wait time: 5.00 seconds) \
                     Last error: Failed native model HTTP request: error decoding response body";
        let begun = [&[info][..], &half, &[again], &half].concat();
        let ended = |text: &str| [&begun[..], &[chunk(text)]].concat();
        assert_eq!(said(&ended(error)), Said::Error(error.to_owned()));
        assert_eq!(said_and(true, &ended("t it.")), text("feat: add greeting\n\nPrint it."));
        assert_eq!(said(&ended("t it.")), text("feat: add greeting\n\nPrint it."));
        // A message may have such a line.
        let quoted = [chunk("fix: name the file\n\nIt was only "), chunk("Error: not found")];
        assert_eq!(said_and(true, &quoted), text("fix: name the file\n\nIt was only Error: not found"));
        let quoted = [&quoted[..], &[chunk(" before.")]].concat();
        assert_eq!(said(&quoted), text("fix: name the file\n\nIt was only Error: not found before."));
        let retried = [chunk("feat: retry\n\nIt prints "), chunk("Retrying...")];
        assert_eq!(said(&retried), text("feat: retry\n\nIt prints Retrying..."));
    }

    #[test]
    fn a_turn_that_is_marked_as_failed_is_an_error_whatever_it_says() {
        let state = |state: &str| json!({"sessionUpdate": "session_info_update", "_meta": {"codex": {"threadStatus": {"type": state}}}});
        let mut begun = chunk("feat: add");
        begun["messageId"] = json!("msg_1");
        let why = chunk("exceeded retry limit, last status: 429 Too Many Requests\n\n");
        let error = |text: &str| Said::Error(text.to_owned());
        let reason = "exceeded retry limit, last status: 429 Too Many Requests";
        assert_eq!(said(&[state("active"), state("systemError"), why.clone()]), error(reason));
        assert_eq!(said(&[state("active"), begun.clone(), state("systemError"), why.clone()]), error(reason));
        assert_eq!(said(&[state("active"), chunk("feat: add"), state("systemError"), why.clone()]), error(reason));
        assert_eq!(said(&[why, state("systemError")]), error(reason));
        assert_eq!(said(&[state("systemError")]), error("the turn failed without a reason"));
        // The mark of an earlier turn, or of a try that was repeated.
        assert_eq!(said(&[state("systemError"), state("active"), begun.clone(), state("idle")]), text("feat: add"));
        assert_eq!(said(&[state("active"), begun, state("idle")]), text("feat: add"));
    }

    /// As codex-acp was seen to send it when the service's answer breaks off.
    #[test]
    fn an_answer_that_is_tried_again_begins_anew() {
        let error = |again: bool| {
            let error = json!({"message": "Reconnecting... 1/5", "additionalDetails": "stream disconnected", "willRetry": again});
            json!({"sessionUpdate": "session_info_update", "_meta": {"codex": {"error": error}}})
        };
        let piece = |text: &str| {
            let mut piece = chunk(text);
            piece["messageId"] = json!("msg_1");
            piece
        };
        let broken = [piece("feat: add gr"), piece("eeting\n\nPrin"), error(true)];
        let whole = [piece("feat: add gr"), piece("eeting")];
        assert_eq!(said(&[&broken[..], &whole].concat()), text("feat: add greeting"));
        assert_eq!(said(&[&whole[..], &[error(false)]].concat()), text("feat: add greeting"));
    }

    #[test]
    fn memory_is_bounded() {
        let mut turn = Turn::default();
        let large = "x".repeat(LONGEST / 2);
        (0..4).for_each(|_| turn.take(chunk(&large)));
        assert!(turn.is_flooded() && turn.messages.iter().map(|message| message.text.len()).sum::<usize>() <= LONGEST);
    }
}
