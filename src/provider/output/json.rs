//! Finding a field in JSON that a program printed, perhaps with other text around it.
//!
//! A path is dotted. In an object a segment is a key. In an array a segment of digits is an index, from 0; any other
//! segment is looked for in the elements, and the last one that has it counts: programs that print a list of events end
//! with the result. The same holds for a sequence of JSON values, one after the other.

use serde_json::Value;

/// The string at `path` in what was printed, if it can be found. An empty path is the value itself.
///
/// The text is read as one JSON value; failing that, as the brace-balanced part from its first `{` and, when the field is
/// not in it, the further ones after it.
#[must_use]
pub fn find(text: &str, path: &str) -> Option<String> {
    if let Ok(value) = serde_json::from_str::<Value>(text) {
        return string_at(&value, path);
    }
    objects(text).filter_map(|value| string_at(&value, path)).last()
}

/// The numbers at several paths, found in the same way. An empty path has none.
pub(super) fn numbers<const N: usize>(text: &str, paths: [&str; N]) -> [Option<Value>; N] {
    let values = serde_json::from_str(text).map_or_else(|_| objects(text).collect(), |value| vec![value]);
    paths.map(|path| {
        let segments = segments(path);
        if segments.is_empty() {
            return None;
        }
        values.iter().rev().find_map(|value| lookup(value, &segments, Value::is_number)).cloned()
    })
}

/// The id of the session that an agent names in its first turn's output, when it looks like one.
#[must_use]
pub fn session_id(text: &str, path: &str) -> Option<String> {
    find(text.trim(), path).filter(|id| !id.is_empty())
}

fn string_at(value: &Value, path: &str) -> Option<String> {
    lookup(value, &segments(path), Value::is_string)?.as_str().map(str::to_owned)
}

fn segments(path: &str) -> Vec<&str> {
    path.split('.').filter(|segment| !segment.is_empty()).collect()
}

/// The value at a path, if it is of the right kind.
fn lookup<'v>(value: &'v Value, path: &[&str], fits: fn(&Value) -> bool) -> Option<&'v Value> {
    let Some((segment, rest)) = path.split_first() else { return Some(value).filter(|value| fits(value)) };
    match value {
        Value::Object(fields) => lookup(fields.get(*segment)?, rest, fits),
        Value::Array(items) => match segment.parse::<usize>() {
            Ok(index) => lookup(items.get(index)?, rest, fits),
            Err(_) => items.iter().rev().find_map(|item| lookup(item, path, fits)),
        },
        _ => None,
    }
}

/// The brace-balanced parts of a text that are JSON objects, in order.
fn objects(text: &str) -> impl Iterator<Item = Value> {
    let mut rest = text;
    std::iter::from_fn(move || {
        loop {
            let start = rest.find('{')?;
            let from = rest.get(start..)?;
            let length = balanced(from)?;
            let (object, after) = from.split_at_checked(length)?;
            rest = after;
            if let Ok(value) = serde_json::from_str(object) {
                return Some(value);
            }
        }
    })
}

/// The length of the part from the opening brace at the start to the brace that closes it. Braces in strings do not
/// count, nor do quotes behind a backslash.
fn balanced(text: &str) -> Option<usize> {
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'{' if !in_string => depth += 1,
            b'}' if !in_string => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}
