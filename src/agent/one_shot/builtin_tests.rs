//! What the built-in agents write when they fail, and what is made of it. The lines have the form in which the programs
//! were seen to write, driven against a mock service; those of cursor and agy follow their documentation.

use crate::agent::FailureKind::{self, Auth, Blank, Exit as Other, Flags, Model, Network, Quota, TooLong};
use crate::agent::failure::{Evidence, classify};
use crate::agent::process::Exit;
use crate::provider::Registry;

use super::convert;

/// Provider, exit code, standard output, standard error, what it is.
type Case = (&'static str, i32, &'static str, &'static str, FailureKind);

const CASES: [Case; 42] = [
    ("claude", 1, "Not logged in · Please run /login\n", "", Auth),
    ("claude", 1, "Failed to authenticate. API Error: 401 Invalid authentication credentials\n", "", Auth),
    ("claude", 1, "API Error: Request rejected (429) · this may be a temporary capacity issue\n", "", Quota),
    ("claude", 1, "API Error: 500 Internal server error\n", "", Network),
    ("claude", 1, "Prompt is too long\n", "", TooLong),
    ("claude", 0, "\n", "", Blank),
    ("claude", 1, "", "error: unknown option '--tools'\n", Flags),
    ("codex", 1, "", "user\ndiff says 429 and rate limit\nERROR: unexpected status 401 Unauthorized: no\n", Auth),
    ("codex", 1, "", "ERROR: exceeded retry limit, last status: 429 Too Many Requests\n", Quota),
    ("codex", 1, "", "ERROR: Codex ran out of room in the model's context window.\n", TooLong),
    ("codex", 1, "", "ERROR: stream disconnected before completion: closed\n", Network),
    // In a session's first turn.
    ("codex", 1, CODEX_EVENTS, "Reading prompt from stdin...\n", Quota),
    ("codex", 2, "", "error: unexpected argument '--ephemeral' found\n", Flags),
    ("codex", 1, "", "user\n+ 401 Unauthorized\n+ Rate limit\nmcp: ready\n", Other),
    ("codex", 0, "", "user\n+ 401 Unauthorized\n", Blank),
    ("opencode", 1, "", "\u{1b}[91mError: \u{1b}[0mInvalid API key\n", Auth),
    ("opencode", 1, "", "Error: Prompt is too long for this model\n", TooLong),
    ("opencode", 1, "", "Error: Internal server error\n", Network),
    ("opencode", 0, "", "> build · gpt\n", Blank),
    ("pi", 1, "", "401: {\"error\":{\"message\":\"bad key\"}}\n", Auth),
    ("pi", 1, "", "429: {\"error\":{\"message\":\"slow down\"}}\n", Quota),
    ("pi", 1, "", "500: {\"error\":{\"message\":\"oops\"}}\n", Network),
    // Too long a context is nothing at all: exit 0 and both outputs empty.
    ("pi", 0, "", "", Blank),
    ("pi", 1, "", "Error: Unknown option: --no-mcp\n", Flags),
    ("gemini", 41, "", "Please set an Auth method in your settings.json\n", Auth),
    (
        "gemini",
        1,
        "",
        "Error when talking to Gemini API [{\"error\":{\"code\":400,\"message\":\"API key not valid.\"}}]\n",
        Auth,
    ),
    ("gemini", 1, "", "Attempt 10 failed with status 429. TerminalQuotaError: \"code\":429\n", Quota),
    ("gemini", 1, "half an ans", "Error when talking to Gemini API fetch failed\n", Network),
    (
        "gemini",
        1,
        "",
        "Error when talking to Gemini API Full report available at: /tmp/gemini-client-error.json TypeError: terminated\n",
        Network,
    ),
    ("gemini", 1, "", "Error when talking to Gemini API Please tell why it was terminated: nobody knows\n", Other),
    ("qwen", 1, "", "[API Error: 401 Incorrect API key]\n", Auth),
    ("qwen", 1, "", "[API Error: 429 Too many]\n", Quota),
    ("qwen", 1, "", "[API Error: terminated (cause: UND_ERR_SOCKET: other side closed)]\n", Network),
    ("qwen", 1, "", "[API Error: Model stream ended with empty response text.]\n", Blank),
    ("qwen", 1, "", "[API Error: Connection error.]\n", Network),
    ("copilot", 1, "", "Error: No authentication information found.\n", Auth),
    ("copilot", 1, "half half", "Last error: 500 oops\n", Network),
    ("copilot", 1, "", "Model 'gpt-9' not found on provider at http://127.0.0.1/v1 (HTTP 404).\n", Model),
    ("copilot", 1, "", "No response was returned.\n", Blank),
    ("cursor", 1, "", "Error: Authentication required. Please run 'agent login' first\n", Auth),
    ("cursor", 1, "", "Cannot use this model: gpt-9\n", Model),
    ("agy", 1, "", "rpc error: code = RESOURCE_EXHAUSTED\n", Quota),
];

const CODEX_EVENTS: &str = r#"{"type":"thread.started","thread_id":"01a22fcf"}
{"type":"item.completed","item":{"type":"agent_message","text":"401 Unauthorized"}}
{"type":"error","message":"exceeded retry limit, last status: 429 Too Many Requests"}
{"type":"turn.failed","error":{"message":"exceeded retry limit, last status: 429 Too Many Requests"}}
"#;

#[test]
fn an_event_that_tells_why_a_turn_failed_is_what_is_quoted() {
    let manifest = Registry::new(Vec::new()).unwrap().get("codex").unwrap().manifest;
    let (stdout, stderr) = (CODEX_EVENTS.as_bytes(), b"Reading prompt from stdin...\n");
    let verdict = classify(
        &Evidence { exit: Exit::Code(1), stdout, stderr, given: &[] },
        &convert(manifest.failures.compile().unwrap()),
    );
    assert_eq!(Some(verdict.excerpt.as_str()), CODEX_EVENTS.lines().last());
}

#[test]
fn what_the_built_in_agents_write_is_understood() {
    let registry = Registry::new(Vec::new()).unwrap();
    for (provider, code, stdout, stderr, expected) in CASES {
        let manifest = registry.get(provider).unwrap().manifest;
        let given = ["diff says 429 and rate limit\n+ 401 Unauthorized\n+ Rate limit"];
        let evidence =
            Evidence { exit: Exit::Code(code), stdout: stdout.as_bytes(), stderr: stderr.as_bytes(), given: &given };
        let verdict = classify(&evidence, &convert(manifest.failures.compile().unwrap()));
        assert_eq!(verdict.kind, expected, "{provider}: {stdout}{stderr}");
    }
}

/// Every built-in agent has its share of the table.
#[test]
fn no_built_in_agent_is_left_out() {
    let registry = Registry::new(Vec::new()).unwrap();
    for name in registry.names().iter().filter(|name| *name != "offline") {
        assert!(CASES.iter().any(|(provider, ..)| provider == name), "{name}");
    }
}
