use proptest::prelude::*;

use super::*;
use crate::usage;

fn raw() -> Rules {
    Rules { output: Output::Raw, json_field: String::new(), strip_code_fence: true }
}

fn json(field: &str) -> Rules {
    Rules { output: Output::Json, json_field: field.to_owned(), strip_code_fence: true }
}

#[test]
fn fences() {
    let table = [
        ("```\na\n```", Some("a")),
        ("```rust\na\n```", Some("a")),
        ("````\n```\na\n```\n````", Some("```\na\n```")),
        ("```\na\n```\nb\n```\nc", Some("a\n```\nb")),
        ("~~~x\na\n~~~ \nafter", Some("a")),
        ("```\na\n~~~", Some("a\n~~~")),
        ("```\na\n`````", Some("a")),
        ("````\na\n```\nb", Some("a\n```\nb")),
        ("```\nnever closed", Some("never closed")),
        ("```", Some("")),
        ("```inline``` code", None),
        ("``\na\n``", None),
        ("a\n```\nb\n```", None),
        ("", None),
    ];
    for (text, expected) in table {
        assert_eq!(fence::strip(text), expected, "{text:?}");
    }
}

#[test]
fn a_fence_can_be_left_alone() {
    let rules = Rules { strip_code_fence: false, ..raw() };
    assert_eq!(read_text(&rules, "```\na\n```\n").text, "```\na\n```");
}

#[test]
fn fields_of_json() {
    let table = [
        (r#"{"result":"feat: x"}"#, "result", Some("feat: x")),
        (r#"{"a":{"b":{"c":"deep"}}}"#, "a.b.c", Some("deep")),
        (r#"Warning: slow{"result":"a } \" { b"} trailing"#, "result", Some("a } \" { b")),
        ("{broken} then {\"result\":\"x\"}", "result", Some("x")),
        ("{\"type\":\"start\"}\n{\"type\":\"end\",\"text\":\"x\"}\n", "text", Some("x")),
        ("{\"text\":\"first\"}\n{\"text\":\"last\"}\n{\"usage\":1}", "text", Some("last")),
        (r#"[{"type":"system"},{"type":"result","result":"x"}]"#, "result", Some("x")),
        (r#"[{"result":"old"},{"result":"new"},{"result":7}]"#, "result", Some("new")),
        (r#"[{"result":"zero"},{"result":"one"}]"#, "0.result", Some("zero")),
        (r#"{"content":[{"text":"a"},{"text":"b"}]}"#, "content.text", Some("b")),
        (r#"{"content":[{"text":"a"},{"text":"b"}]}"#, "content.0.text", Some("a")),
        (r#"{"0":"key"}"#, "0", Some("key")),
        (r#""just a string""#, "", Some("just a string")),
        (r#"{"result":""}"#, "result", Some("")),
        (r#"{"result":7}"#, "result", None),
        (r#"{"result":null}"#, "result", None),
        (r#"{"other":"x"}"#, "result", None),
        (r#"{"result":"x""#, "result", None),
        (
            r#"{"cost":NaN,"ms":[Infinity,-Infinity,1e400,-1e400],"result":"not NaN, \"Infinity"}"#,
            "result",
            Some("not NaN, \"Infinity"),
        ),
        ("note\n{\"cost\":NaN,\"result\":\"x\"}\n{\"cost\":NaN}", "result", Some("x")),
        (r#"{"result":NaN}"#, "result", None),
        (r#"{"NaN":1,"NaN2":NaN2,"result":"x"}"#, "result", None),
        ("no json at all", "result", None),
        ("", "result", None),
    ];
    for (text, path, expected) in table {
        assert_eq!(find_json(text, path).as_deref(), expected, "{text:?} {path:?}");
    }
}

fn paths() -> UsagePaths {
    let [input, output, cached, cost] = ["usage.in", "usage.out", "usage.cached", "cost"].map(str::to_owned);
    UsagePaths { input, output, cached, cost }
}

#[test]
fn tokens_and_cost_are_read_where_the_manifest_says() {
    let shown = |printed: &str| {
        let Usage { input, output, cached, cost } = usage(&paths(), printed.as_bytes());
        (input, output, cached, cost.map(|cost| cost.to_string()))
    };
    let cost = |text: &str| Some(text.to_owned());
    for (printed, expected) in [
        (r#"{"usage":{"in":12,"out":3,"cached":0},"cost":0.5}"#, (Some(12), Some(3), Some(0), cost("$0.5000"))),
        (r#"{"usage":{"in":12}}"#, (Some(12), None, None, None)),
        ("Hello\n{\"usage\":{\"in\":1}}\n{\"usage\":{\"in\":7}}\n{\"type\":\"end\"}", (Some(7), None, None, None)),
        (r#"[{"cost":1},{"usage":{"out":4}}]"#, (None, Some(4), None, cost("$1.0000"))),
        (r#"{"usage":{"in":-1,"out":"3","cached":1.5},"cost":-0.5}"#, (None, None, None, None)),
        (
            r#"{"usage":{"in":99999999999999999999999,"out":18446744073709551615},"cost":1e300}"#,
            (None, None, None, None),
        ),
        (r#"{"usage":[1,2],"cost":{"usd":1}}"#, (None, None, None, None)),
        // What the model says is text, and no field.
        (r#"{"result":"{\"usage\":{\"in\":5}}"}"#, (None, None, None, None)),
        (r#"{"cost":NaN,"usage":{"in":1e3,"out":2.0,"cached":1e400}}"#, (Some(1000), Some(2), None, None)),
        ("feat: x", (None, None, None, None)),
        ("", (None, None, None, None)),
    ] {
        assert_eq!(shown(printed), expected, "{printed}");
    }
    assert_eq!(usage(&UsagePaths::default(), b"7"), Usage::default());
}

/// As the programs were seen to print, shortened, driven against a mock service.
#[test]
fn what_the_built_in_agents_print_of_usage_is_read() {
    let claude = r#"{"stop_reason":"end_turn","total_cost_usd":0.00007000000000000001,"usage":{"input_tokens":10,"cache_creation_input_tokens":0,"cache_read_input_tokens":4,"output_tokens":5,"output_tokens_details":{"thinking_tokens":0},"iterations":[]},"modelUsage":{"claude-sonnet-5-5":{"inputTokens":10,"costUSD":0.00007000000000000001}},"is_error":false,"result":"feat: greet","type":"result"}"#;
    let qwen = r#"[{"type":"system","subtype":"init"},{"type":"assistant","message":{"content":[{"type":"text","text":"feat: greet"}],"usage":{"input_tokens":1,"output_tokens":1}}},{"type":"result","is_error":false,"result":"feat: greet","usage":{"input_tokens":10,"output_tokens":5,"cache_read_input_tokens":4,"total_tokens":15}}]"#;
    let codex = "{\"type\":\"thread.started\",\"thread_id\":\"t\"}\n{\"type\":\"item.completed\",\"item\":{\"type\":\"agent_message\",\"text\":\"feat: greet\"}}\n\
         {\"type\":\"turn.completed\",\"usage\":{\"input_tokens\":10,\"cached_input_tokens\":4,\"output_tokens\":5,\"reasoning_output_tokens\":0}}\n";
    let opencode = "{\"type\":\"step_start\",\"part\":{\"type\":\"step-start\"}}\n{\"type\":\"text\",\"part\":{\"type\":\"text\",\"text\":\"feat: greet\"}}\n\
         {\"type\":\"step_finish\",\"part\":{\"tokens\":{\"total\":15,\"input\":10,\"output\":5,\"cache\":{\"write\":0,\"read\":4}},\"cost\":0.00002}}\n";
    let registry = crate::provider::Registry::default();
    for (name, printed, cost) in [
        ("claude", claude, Some(0.000_07)),
        ("qwen", qwen, None),
        ("codex", codex, None),
        ("opencode", opencode, Some(0.000_02)),
    ] {
        let manifest = registry.get(name).unwrap().manifest;
        let expected =
            Usage { input: Some(10), output: Some(5), cached: Some(4), cost: cost.and_then(usage::Cost::from_dollars) };
        assert_eq!(usage(&manifest.usage, printed.as_bytes()), expected, "{name}");
        let rules = Rules::new(&manifest, Some(Output::Json), None);
        assert_eq!(
            read_text(&rules, printed),
            Reading { text: "feat: greet".to_owned(), raw_fallback: false },
            "{name}"
        );
    }
}

#[test]
fn what_json_cannot_give_is_taken_as_it_is_and_flagged() {
    let reading = read_text(&json("result"), "```\nfeat: x\n```");
    assert_eq!(reading, Reading { text: "feat: x".to_owned(), raw_fallback: true });
    let reading = read_text(&json("result"), r#"{"other":1}"#);
    assert_eq!(reading, Reading { text: r#"{"other":1}"#.to_owned(), raw_fallback: true });
}

#[test]
fn an_answer_in_json_may_be_fenced_inside_and_outside() {
    let printed = "```json\n{\"result\":\"```\\nfeat: x\\n\\nbody\\n```\"}\n```";
    assert_eq!(
        read_text(&json("result"), printed),
        Reading { text: "feat: x\n\nbody".to_owned(), raw_fallback: false }
    );
}

#[test]
fn line_ends_are_tidied() {
    assert_eq!(tidy_line_ends("a\r\nb\n\n\n\nc\r\n\r\n\r\nd"), "a\nb\n\nc\n\nd");
    assert_eq!(read_text(&raw(), " \r\n a\r\n \r\n").text, "a");
}

#[test]
fn the_configuration_overrides_the_manifest() {
    let manifest = crate::provider::Registry::default().get("claude").unwrap().manifest;
    assert_eq!(Rules::new(&manifest, None, None).output, manifest.output);
    let forced = Rules::new(&manifest, Some(Output::Json), Some(false));
    assert_eq!((forced.output, forced.strip_code_fence), (Output::Json, false));
}

#[test]
fn a_session_is_named_in_the_events_of_the_first_turn() {
    let events = "{\"type\":\"thread.started\",\"thread_id\":\"t-1\"}\n{\"type\":\"turn.completed\"}\n";
    assert_eq!(session_id(events, "thread_id").as_deref(), Some("t-1"));
    assert_eq!(session_id("{\"thread_id\":\"\"}", "thread_id"), None);
    assert_eq!(session_id("hello", "thread_id"), None);
}

proptest! {
    #[test]
    fn reading_never_panics_and_tidies_once(text in "(\\PC|[`~{}\"\\\\\r\n ]|```\n){0,40}", is_json in any::<bool>()) {
        let rules = if is_json { json("result.text") } else { raw() };
        let once = read_text(&rules, &text).text;
        prop_assert!(!once.contains("\r\n") || text.contains("\r\r\n") || is_json);
        prop_assert!(!once.contains("\n\n\n"));
        prop_assert_eq!(once.trim(), &once);
    }

    #[test]
    fn no_output_breaks_the_reading_of_usage(printed in "(\\{|\\}|\\[|\\]|\"usage\":|\"in\":|\"cost\":|,|[-0-9.e]{1,25}|null|\\PC){0,30}") {
        let _ = usage(&paths(), printed.as_bytes());
    }

    #[test]
    fn any_count_comes_back_out_of_json(input in 0..1_000_000_000_000_u64, nested in any::<bool>()) {
        let object = serde_json::json!({ "usage": { "in": input } });
        let printed = if nested { serde_json::json!([{ "other": 1 }, object]) } else { object };
        prop_assert_eq!(usage(&paths(), printed.to_string().as_bytes()).input, Some(input));
    }

    #[test]
    fn any_string_comes_back_out_of_json(answer in "[a-z{}\\[\\]\"\\\\ \n:,]{0,30}", before in "[a-z :]{0,8}", after in "[a-z }]{0,8}") {
        let printed = format!("{before}{}{after}", serde_json::json!({"a": {"b": answer}}));
        prop_assert_eq!(find_json(&printed, "a.b"), Some(answer));
    }
}
