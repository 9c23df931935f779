//! Finding the JSON object in what an agent answered: in a fence, in prose, with comments and stray commas.

use jsonc_parser::{ParseOptions, parse_to_serde_value};
use serde_json::{Map, Value};

/// Deeper nesting is no answer.
const MAX_DEPTH: usize = 64;
/// An answer is looked through from so many opening braces.
const MAX_STARTS: usize = 400;

/// The last object in the text that is such as wanted; objects around it count as well as it.
pub(super) fn find(text: &str, wanted: impl Fn(&Map<String, Value>) -> bool) -> Option<Map<String, Value>> {
    let mut found = None;
    let mut from = 0;
    for _ in 0..MAX_STARTS {
        let Some(start) = text.get(from..).and_then(|rest| rest.find('{')).map(|at| from + at) else { break };
        from = start + 1;
        let Some(object) = text.get(start..).and_then(balanced) else { continue };
        let Some(Value::Object(fields)) = parse(object) else { continue };
        if wanted(&fields) {
            found = Some(fields);
            from = start + object.len();
        }
    }
    found
}

/// As JSON, else with comments, trailing and missing commas and the like.
fn parse(text: &str) -> Option<Value> {
    let strict = serde_json::from_str(text).ok();
    strict.or_else(|| parse_to_serde_value(text, &ParseOptions::default()).ok())
}

/// The part from the opening brace at the start to the brace that closes it. Braces in strings do not count.
fn balanced(text: &str) -> Option<&str> {
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'{' | b'[' if !in_string => {
                depth += 1;
                if depth > MAX_DEPTH {
                    return None;
                }
            }
            b'}' | b']' if !in_string => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return text.get(..=at);
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn with_a(text: &str) -> Option<Value> {
        find(text, |fields| fields.contains_key("a")).map(Value::Object)
    }

    #[test]
    fn an_object_is_found_wherever_it_is() {
        for text in [
            r#"{"a": 1}"#,
            "Here you are:\n```json\n{\"a\": 1,}\n```\nDone.",
            "{\"a\": 1 // one\n}",
            "{ /* first */ \"a\": 1, }",
            "{'a': 1}",
            "{a: 1}",
            "Use {braces} like {\"b\": {}}: {\"a\": 1}",
            "{\"plan\": {\"a\": 1}}",
            "not { closed, but {\"a\": 1}",
            "first {\"a\": 2}, no: {\"a\": 1}",
        ] {
            assert_eq!(with_a(text), Some(json!({"a": 1})), "{text}");
        }
    }

    #[test]
    fn what_is_no_object_is_not_found() {
        for text in ["", "{", "}{", "{\"b\": 1}", "[1, 2]", "{\"a\": ", "{\"a\" 1 2}]"] {
            assert_eq!(with_a(text), None, "{text}");
        }
        let deep = format!("{}{}", "{\"a\":".repeat(5000), "}".repeat(5000));
        assert_eq!(with_a(&deep), None);
    }

    proptest! {
        #[test]
        fn any_value_comes_back_out_of_prose(
            value in "[a-z{}\\[\\]\"\\\\ \n:,]{0,30}",
            before in "[a-z :,.]{0,12}",
            after in "[a-z }:,.\"]{0,12}",
        ) {
            let text = format!("{before}{}{after}", json!({"a": value}));
            prop_assert_eq!(with_a(&text), Some(json!({"a": value})));
        }

        #[test]
        fn no_text_makes_it_panic(text in "[{}\\[\\]\",:a/*'\n é]{0,60}") {
            let _ = with_a(&text);
        }
    }
}
