use proptest::prelude::*;

use super::*;

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
        ("no json at all", "result", None),
        ("", "result", None),
    ];
    for (text, path, expected) in table {
        assert_eq!(find_json(text, path).as_deref(), expected, "{text:?} {path:?}");
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
    fn any_string_comes_back_out_of_json(answer in "[a-z{}\\[\\]\"\\\\ \n:,]{0,30}", before in "[a-z :]{0,8}", after in "[a-z }]{0,8}") {
        let printed = format!("{before}{}{after}", serde_json::json!({"a": {"b": answer}}));
        prop_assert_eq!(find_json(&printed, "a.b"), Some(answer));
    }
}
