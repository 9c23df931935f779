//! The JSON of a plan, before it is checked against the change.

use serde_json::{Map, Value};

use super::super::json;
use super::PlanFault;

/// A plan as the planner wrote it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) count: Option<u64>,
    pub(super) single: bool,
    pub(super) message: Option<String>,
    pub(super) commits: Vec<Commit>,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Commit {
    pub(super) title: String,
    pub(super) description: String,
    pub(super) files: Vec<String>,
}

/// Finds the plan in an answer.
pub(super) fn read(answer: &str) -> Result<Answer, PlanFault> {
    let fields = json::find(answer, |fields| fields.contains_key("commits") || fields.contains_key("single"))
        .ok_or(PlanFault::NoJson)?;
    let commits = match fields.get("commits") {
        Some(Value::Array(items)) => {
            items.iter().enumerate().map(|(index, item)| commit(index + 1, item)).collect::<Result<_, _>>()?
        }
        Some(Value::Null) | None => Vec::new(),
        Some(_) => return Err(PlanFault::Shape("\"commits\" is not a list".to_owned())),
    };
    Ok(Answer {
        count: fields.get("count").and_then(Value::as_u64),
        single: fields.get("single").and_then(Value::as_bool).unwrap_or(false),
        message: text(&fields, "message"),
        commits,
    })
}

fn commit(number: usize, item: &Value) -> Result<Commit, PlanFault> {
    let wrong = |what: &str| PlanFault::Shape(format!("commit {number} {what}"));
    let fields = item.as_object().ok_or_else(|| wrong("is not an object"))?;
    let title = text(fields, "title").ok_or_else(|| wrong("has no \"title\""))?;
    let files = match fields.get("files") {
        Some(Value::Array(files)) => files
            .iter()
            .map(|file| file.as_str().map(str::to_owned))
            .collect::<Option<_>>()
            .ok_or_else(|| wrong("has something in \"files\" that is not a string"))?,
        Some(Value::String(file)) => vec![file.clone()],
        _ => return Err(wrong("has no list \"files\"")),
    };
    Ok(Commit {
        title: title.split_whitespace().collect::<Vec<_>>().join(" "),
        description: text(fields, "description").unwrap_or_default(),
        files,
    })
}

/// A field that holds more than white space.
fn text(fields: &Map<String, Value>, key: &str) -> Option<String> {
    fields.get(key)?.as_str().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
}
