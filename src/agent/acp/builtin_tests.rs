//! The errors of a service as the built-in agents pass them on over the protocol, driven against a mock service, and what
//! is made of them.

use super::fault::{Fault, Phase};
use crate::agent::FailureKind::{self, Auth, Blank, Model, Network, Quota, TooLong};
use crate::agent::testing;
use crate::provider::Registry;

/// Provider, the message of the refused prompt, what it is.
const REFUSED: [(&str, &str, FailureKind); 19] = [
    ("opencode", "Internal error: invalid x-api-key", Auth),
    ("opencode", "Internal error: Your account does not have access to this model", Model),
    ("opencode", "Internal error: model: no-such-model not found", Model),
    ("opencode", "Internal error: This request would exceed your rate limit.", Quota),
    (
        "opencode",
        "Internal error: Session too large to compact - context exceeds model limit even after stripping media",
        TooLong,
    ),
    ("opencode", "Internal error: Connection reset by server", Network),
    ("qwen", "Internal error: 401 invalid x-api-key", Auth),
    ("qwen", "Internal error: 403 Your account does not have access to this model", Auth),
    ("qwen", "Internal error: 404 model: no-such-model not found", Model),
    ("qwen", "Internal error: 400 prompt is too long: 260000 tokens > 200000 maximum", TooLong),
    ("qwen", "Internal error: terminated", Network),
    ("qwen", "Internal error: Model stream ended with empty response text.", Blank),
    ("gemini", r#"{"error":{"code":401,"message":"invalid x-api-key","status":"UNAUTHENTICATED"}}"#, Auth),
    ("gemini", "You have exhausted your daily quota on this model.", Quota),
    ("gemini", "terminated", Network),
    ("claude", "Authentication required", Auth),
    ("claude", "Internal error: API Error: Request rejected (429) · This request would exceed your rate limit.", Quota),
    ("codex", "Authentication required", Auth),
    ("codex", "Internal error: Quota exceeded. Check your plan and billing details.", Quota),
];

/// Provider, what it says instead of an answer, what it is.
const TOLD: [(&str, &str, FailureKind); 9] = [
    ("copilot", "Error: Authentication failed with provider at http://127.0.0.1/v1 (HTTP 401).", Auth),
    ("copilot", "Error: Model 'mock-model' not found on provider at http://127.0.0.1/v1 (HTTP 404).", Model),
    (
        "copilot",
        "Error: The provider rejected the prompt as too long, but automatic recovery could not reduce it.",
        TooLong,
    ),
    ("copilot", "Error: No response was returned. Send your message again to retry.", Blank),
    ("copilot", "Error: Failed to get response from the AI model; retried 5 times Last error: 529 Overloaded", Network),
    ("codex", "exceeded retry limit, last status: 429 Too Many Requests", Quota),
    ("codex", "unexpected status 403 Forbidden: Your account does not have access to this model", Auth),
    ("codex", "We’re currently experiencing high demand, which may cause temporary errors.", Network),
    ("codex", "model: no-such-model not found", Model),
];

/// Some log the refusal as an object of several lines before it.
const LOG: &[u8] = b"Error handling request {\n  method: 'session/prompt',\n} {\n  code: -32603,\n}\n";

#[test]
fn the_errors_of_a_service_are_understood() {
    let registry = Registry::new(Vec::new()).unwrap();
    let refused = REFUSED.map(|(provider, message, kind)| {
        let (code, message) = (-32603, message.to_owned());
        (provider, Fault::Refused { phase: Phase::Turn, code, message, stderr: LOG.to_vec() }, kind)
    });
    let told =
        TOLD.map(|(provider, text, kind)| (provider, Fault::Told { text: text.to_owned(), stderr: Vec::new() }, kind));
    for (provider, fault, kind) in refused.into_iter().chain(told) {
        let manifest = registry.get(provider).unwrap().manifest;
        let (failure, mistake) = fault.describe(&manifest, &testing::options(), "");
        assert_eq!((failure.kind, mistake), (kind, None), "{fault:?}");
        assert_eq!(failure.excerpt, "", "{fault:?} is told once");
    }
}
