//! The arbiter without a model: the rest goes where its files have their nearest.

use serde::Serialize;

use crate::prompt::{ArbiterMaterial, Concept};

use super::facts::FileFacts;
use super::gather::{files, quoted_path};
use super::ideas::tested;
use super::path;

/// Files that are no nearer than this have nothing to do with each other.
const NEAR: usize = 3;

#[derive(Serialize)]
struct Answer<'a> {
    target: Option<&'a str>,
}

/// The answer to the question where the rest goes.
pub(super) fn answer(material: &ArbiterMaterial<'_>) -> String {
    let quoted: Vec<String> = material.leftover.files().iter().map(quoted_path).collect();
    let target = target(material.concepts, &files(material.leftover), &quoted);
    serde_json::to_string(&Answer { target }).unwrap_or_default()
}

/// The concept that is near to every file of the rest and nearest to all of them together.
fn target<'a>(concepts: &'a [Concept], rest: &[FileFacts], quoted: &[String]) -> Option<&'a str> {
    let mut best: Option<(usize, &Concept)> = None;
    for concept in concepts {
        let each = rest.iter().zip(quoted).map(|(file, quoted)| nearness(concept, file, quoted));
        let all: Option<usize> = each.map(|near| (near >= NEAR).then_some(near)).sum();
        if let Some(all) = all.filter(|all| *all > 0)
            && best.is_none_or(|(known, _)| all > known)
        {
            best = Some((all, concept));
        }
    }
    best.map(|(_, concept)| concept.id.as_str())
}

/// How near the nearest file of the concept is.
fn nearness(concept: &Concept, file: &FileFacts, quoted: &str) -> usize {
    let near = |other: &String| {
        let other_path = other.trim_matches('"');
        if other == quoted || other_path == file.path || Some(other_path) == file.old_path.as_deref() {
            return 10;
        }
        let same_subject = tested(other_path).eq_ignore_ascii_case(&tested(&file.path));
        let (one, two) = (path::folder(other_path), path::folder(&file.path));
        let in_folder = usize::from(one == two && path::is_telling(path::name(one))) * NEAR;
        let nameless = path::is_nameless(&file.path);
        in_folder + usize::from(same_subject && !nameless) * 6
    };
    concept.files.iter().map(near).max().unwrap_or(0)
}

#[cfg(test)]
#[path = "arbiter_tests.rs"]
mod tests;
