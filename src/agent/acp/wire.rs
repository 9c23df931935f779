//! Lines of JSON in both directions, each on a thread of its own, with bounded memory.

use std::io::{BufRead, BufReader, Read, Write};
use std::sync::mpsc::{self, Sender};
use std::thread;

use agent_client_protocol_schema::v1::RequestId;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::run::detached;

/// No message is longer, in bytes.
pub(super) const LONGEST: usize = 16 * 1024 * 1024;

/// What the agent sent.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Incoming {
    /// The answer to a request of ours.
    Reply(i64, Result<Value, RpcError>),
    /// A request of the agent.
    Request { id: RequestId, method: String, params: Value },
    /// Something it tells.
    Notification { method: String, params: Value },
}

/// A request that was refused.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(super) struct RpcError {
    #[serde(default)]
    pub(super) code: i64,
    #[serde(default)]
    pub(super) message: String,
    #[serde(default)]
    pub(super) data: Value,
}

/// Why reading has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// The agent has closed its output.
    Closed,
    /// It sent a message of more than [`LONGEST`] bytes.
    Flooded,
}

/// A message as it comes; every field may be missing.
#[derive(Deserialize)]
struct Raw {
    id: Option<RequestId>,
    method: Option<String>,
    #[serde(default)]
    params: Value,
    #[serde(default, deserialize_with = "present")]
    result: Option<Value>,
    error: Option<RpcError>,
}

/// A result may be `null` and still be one.
fn present<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

/// Reads one line; `None` where it is no message. Agents print banners and warnings to standard output, too.
pub(super) fn parse(line: &[u8]) -> Option<Incoming> {
    let raw: Raw = serde_json::from_slice(line).ok()?;
    match raw {
        Raw { id: Some(id), method: Some(method), params, .. } => Some(Incoming::Request { id, method, params }),
        Raw { id: None, method: Some(method), params, .. } => Some(Incoming::Notification { method, params }),
        Raw { id: Some(RequestId::Number(id)), error: Some(error), .. } => Some(Incoming::Reply(id, Err(error))),
        Raw { id: Some(RequestId::Number(id)), result: Some(result), .. } => Some(Incoming::Reply(id, Ok(result))),
        _ => None,
    }
}

/// A request of ours.
pub(super) fn request(id: i64, method: &str, params: &impl Serialize) -> Vec<u8> {
    line(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
}

/// Something we tell.
pub(super) fn notification(method: &str, params: &impl Serialize) -> Vec<u8> {
    line(&json!({"jsonrpc": "2.0", "method": method, "params": params}))
}

/// Our answer to a request of the agent.
pub(super) fn reply(id: &RequestId, result: &impl Serialize) -> Vec<u8> {
    line(&json!({"jsonrpc": "2.0", "id": id, "result": result}))
}

/// Our answer to a request that we do not know.
pub(super) fn unknown_method(id: &RequestId, method: &str) -> Vec<u8> {
    line(
        &json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32601, "message": format!("Method not found: {method}")}}),
    )
}

fn line(message: &Value) -> Vec<u8> {
    let mut line = message.to_string().into_bytes();
    line.push(b'\n');
    line
}

/// Writes lines in order, on a thread that ends with the last sender or when the agent reads no more. Then the agent's
/// standard input is closed.
pub(super) fn write(mut input: impl Write + Send + 'static) -> std::io::Result<Sender<Vec<u8>>> {
    let (sender, lines) = mpsc::channel::<Vec<u8>>();
    detached("acp-in", move || {
        for line in lines {
            // An agent that reads no more has ended, or will be ended when its time is over.
            if input.write_all(&line).and_then(|()| input.flush()).is_err() {
                return;
            }
        }
    })?;
    Ok(sender)
}

/// Reads messages until there are no more, on a thread, and then says why.
pub(super) fn read(
    output: impl Read + Send + 'static,
    mut arrived: impl FnMut(Incoming) + Send + 'static,
    ended: impl FnOnce(End) + Send + 'static,
) -> std::io::Result<()> {
    // Not on a small stack: messages are trees.
    thread::Builder::new().name("acp-out".to_owned()).spawn(move || {
        let mut output = BufReader::with_capacity(64 * 1024, output);
        let mut line = Vec::new();
        let end = loop {
            line.clear();
            match (&mut output).take(LONGEST as u64 + 1).read_until(b'\n', &mut line) {
                Ok(0) | Err(_) => break End::Closed,
                Ok(length) if length > LONGEST => break End::Flooded,
                Ok(_) => drop(parse(&line).map(&mut arrived)),
            }
        };
        ended(end);
    })?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_told_apart_and_rubbish_is_none() {
        let reply = |text: &str| parse(text.as_bytes());
        assert_eq!(reply(r#"{"id":1,"result":null}"#), Some(Incoming::Reply(1, Ok(Value::Null))));
        assert!(matches!(reply(r#"{"id":1,"error":{"code":-32000,"message":"x"}}"#), Some(Incoming::Reply(1, Err(_)))));
        assert!(matches!(reply(r#"{"id":"a","method":"m","more":1}"#), Some(Incoming::Request { .. })));
        assert!(matches!(reply(r#"{"method":"m","params":{}}"#), Some(Incoming::Notification { .. })));
        for rubbish in ["", "Welcome!", "[]", "{}", r#"{"id":1}"#, r#"{"id":"a","result":1}"#, "\u{1b}[2J"] {
            assert_eq!(reply(rubbish), None, "{rubbish}");
        }
    }

    #[test]
    fn a_message_without_end_ends_the_reading() {
        let (tell, end) = mpsc::channel();
        read(
            std::io::repeat(b'x'),
            |_| {},
            move |why| {
                let _ = tell.send(why);
            },
        )
        .unwrap();
        assert_eq!(end.recv().unwrap(), End::Flooded);
    }
}
