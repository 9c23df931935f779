//! Finding a field in JSON that a program printed, perhaps with other text around it.
//!
//! A path is dotted. In an object a segment is a key. In an array a segment of digits is an index, from 0; any other
//! segment is looked for in the elements, and the last one that has it counts: programs that print a list of events end
//! with the result. The same holds for a sequence of JSON values, one after the other.
//!
//! Numbers that JSON has not, such as the `NaN` of many libraries, count as `null`: a cost that nobody can know must not
//! take the answer along.

use serde_json::Value;

/// The string at `path` in what was printed, if it can be found. An empty path is the value itself.
///
/// The text is read as one JSON value; failing that, as the brace-balanced part from its first `{` and, when the field is
/// not in it, the further ones after it.
#[must_use]
pub fn find(text: &str, path: &str) -> Option<String> {
    if let Some(value) = parse(text) {
        return string_at(&value, path);
    }
    objects(text).filter_map(|value| string_at(&value, path)).last()
}

/// The numbers at several paths, found in the same way. An empty path has none.
pub(super) fn numbers<const N: usize>(text: &str, paths: [&str; N]) -> [Option<Value>; N] {
    let values = parse(text).map_or_else(|| objects(text).collect(), |value| vec![value]);
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
            if let Some(value) = parse(object) {
                return Some(value);
            }
        }
    })
}

fn parse(text: &str) -> Option<Value> {
    serde_json::from_str(text).or_else(|_| serde_json::from_str(&with_finite_numbers(text))).ok()
}

/// The text with `null` for whatever stands outside of strings and is no finite number: `NaN`, `-Infinity`, `1e400`.
fn with_finite_numbers(text: &str) -> String {
    let mut finite = String::with_capacity(text.len());
    let mut word = String::new();
    let mut within = Within::default();
    for c in text.chars() {
        if !within.string && (c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.')) {
            word.push(c);
            continue;
        }
        end_word(&mut word, &mut finite);
        within.pass(c);
        finite.push(c);
    }
    end_word(&mut word, &mut finite);
    finite
}

fn end_word(word: &mut String, text: &mut String) {
    let is_finite = word.parse::<f64>().map_or(true, f64::is_finite);
    text.push_str(if is_finite { word } else { "null" });
    word.clear();
}

/// What a place in JSON is within.
#[derive(Default)]
struct Within {
    string: bool,
    escape: bool,
}

impl Within {
    fn pass(&mut self, c: char) {
        match c {
            _ if self.escape => self.escape = false,
            '\\' if self.string => self.escape = true,
            '"' => self.string = !self.string,
            _ => {}
        }
    }
}

/// The length of the part from the opening brace at the start to the brace that closes it. Braces in strings do not
/// count, nor do quotes behind a backslash.
pub(in crate::provider) fn balanced(text: &str) -> Option<usize> {
    let (mut depth, mut within) = (0_usize, Within::default());
    for (at, c) in text.char_indices() {
        match c {
            '{' if !within.string => depth += 1,
            '}' if !within.string => depth = depth.saturating_sub(1),
            _ => within.pass(c),
        }
        if depth == 0 {
            return Some(at + c.len_utf8());
        }
    }
    None
}
