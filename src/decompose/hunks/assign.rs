//! The stager's answer: which concept gets which hunk.

use serde_json::{Map, Value};

use super::super::{Ground, Note, concept_index, json};
use super::Sheet;

/// Which concept gets each hunk.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Assignment {
    concepts: Vec<Option<usize>>,
    notes: Vec<Note>,
}

/// An answer that gives no hunk to anybody.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AssignmentFault {
    /// There is no JSON object with assignments in it.
    #[error(
        "The answer holds no JSON object of the form \
         {{\"assignments\": [{{\"hunk\": 1, \"concept\": \"c1\"}}]}}."
    )]
    NoJson,
    /// None of the hunks shown was given to one of the concepts shown.
    #[error("The answer gives none of the numbered hunks to one of the concepts.")]
    Nothing,
}

impl Assignment {
    /// Reads a list `assignments` of `hunk` and `concept`, or a map of hunk to concept, wherever it is in the answer.
    ///
    /// # Errors
    /// Nothing in it can be used; the words are for the agent's next try.
    pub fn read(answer: &str, ground: &Ground, sheet: &Sheet, concepts: usize) -> Result<Self, AssignmentFault> {
        let given = pairs(answer).ok_or(AssignmentFault::NoJson)?;
        let mut assignment = Self { concepts: vec![None; sheet.len()], notes: Vec::new() };
        for (hunk, concept) in given {
            assignment.give(&hunk, &concept, concepts);
        }
        if assignment.concepts.iter().all(Option::is_none) {
            return Err(AssignmentFault::Nothing);
        }
        assignment.note_left_over(ground, sheet);
        Ok(assignment)
    }

    /// From the concept of each hunk, in the order of their numbers.
    #[must_use]
    pub const fn new(concepts: Vec<Option<usize>>) -> Self {
        Self { concepts, notes: Vec::new() }
    }

    /// The concept that gets a hunk.
    #[must_use]
    pub fn concept_of(&self, number: usize) -> Option<usize> {
        number.checked_sub(1).and_then(|index| self.concepts.get(index).copied().flatten())
    }

    /// What was not taken as it was said.
    #[must_use]
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    fn give(&mut self, hunk: &Value, concept: &Value, concepts: usize) {
        let number = number(hunk);
        let Some((number, slot)) =
            number.and_then(|number| Some((number, self.concepts.get_mut(number.checked_sub(1)?)?)))
        else {
            self.notes.push(Note::UnknownHunk(shown(hunk)));
            return;
        };
        match (concept_index(concept, concepts), *slot) {
            (Some(concept), None) => *slot = Some(concept),
            (Some(concept), Some(kept)) if concept != kept => self.notes.push(Note::HunkTwice { number, kept }),
            (Some(_), Some(_)) => {}
            (None, _) if concept.is_null() => {}
            (None, _) => self.notes.push(Note::UnknownConcept { number, concept: shown(concept) }),
        }
    }

    fn note_left_over(&mut self, ground: &Ground, sheet: &Sheet) {
        for (index, concept) in self.concepts.iter().enumerate() {
            if concept.is_none()
                && let Some(file) = sheet.file_of(index + 1)
            {
                self.notes.push(Note::LeftOver { number: index + 1, path: ground.name(file) });
            }
        }
    }
}

/// Hunks and concepts in the order of the answer.
fn pairs(answer: &str) -> Option<Vec<(Value, Value)>> {
    let mut fields = json::find(answer, |fields| given(fields).is_some())?;
    let key = given(&fields)?;
    match fields.remove(key)? {
        Value::Array(items) => {
            let pair = |item: Value| match item {
                Value::Object(mut fields) => Some((fields.remove("hunk")?, fields.remove("concept")?)),
                _ => None,
            };
            Some(items.into_iter().filter_map(pair).collect())
        }
        Value::Object(map) => Some(map.into_iter().map(|(hunk, concept)| (Value::String(hunk), concept)).collect()),
        _ => None,
    }
}

/// The field that holds the assignments.
fn given(fields: &Map<String, Value>) -> Option<&'static str> {
    ["assignments", "hunks"]
        .into_iter()
        .find(|key| fields.get(*key).is_some_and(|value| value.is_array() || value.is_object()))
}

/// `3`, `"3"` and `"#3"` are hunk 3.
fn number(hunk: &Value) -> Option<usize> {
    match hunk {
        Value::Number(number) => usize::try_from(number.as_u64()?).ok(),
        Value::String(text) => text.trim().trim_start_matches('#').parse().ok(),
        _ => None,
    }
}

fn shown(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
