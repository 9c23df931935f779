//! The stager without a model: a hunk goes where the names in it are spoken of.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::prompt::{Concept, NumberedHunk, StagerMaterial};

use super::path;

/// Shorter words say nothing, in bytes.
const SHORTEST: usize = 4;

#[derive(Serialize)]
struct Answer {
    assignments: Vec<Assignment>,
}

#[derive(Serialize)]
struct Assignment {
    hunk: usize,
    concept: String,
}

/// The answer to a question for hunks.
pub(super) fn answer(material: &StagerMaterial<'_>) -> String {
    let concepts = material.concepts;
    let assignments = sorted(concepts, material.hunks)
        .into_iter()
        .zip(material.hunks)
        .filter_map(|(concept, hunk)| {
            Some(Assignment { hunk: hunk.number, concept: concepts.get(concept?)?.id.clone() })
        })
        .collect();
    serde_json::to_string(&Answer { assignments }).unwrap_or_default()
}

/// The concept of each hunk; `None` only where there is no concept at all.
fn sorted(concepts: &[Concept], hunks: &[NumberedHunk]) -> Vec<Option<usize>> {
    let spoken: Vec<BTreeSet<String>> = concepts.iter().map(|concept| spoken_of(concept, hunks)).collect();
    let words: Vec<BTreeSet<String>> = hunks.iter().map(words_of).collect();
    let candidates: Vec<Vec<usize>> = hunks.iter().map(|hunk| candidates(concepts, hunk)).collect();
    let mut found: Vec<Option<usize>> = words
        .iter()
        .zip(&candidates)
        .map(|(words, candidates)| {
            most(candidates, |concept| spoken.get(concept).map_or(0, |spoken| common(spoken, words)))
        })
        .collect();
    // What nobody speaks of goes with the hunks whose names it shares.
    let known = found.clone();
    for ((place, own), candidates) in found.iter_mut().zip(&words).zip(&candidates) {
        if place.is_none() {
            *place = most(candidates, |concept| {
                let theirs = known.iter().zip(&words).filter(|(known, _)| **known == Some(concept));
                theirs.map(|(_, words)| common(words, own)).sum()
            });
        }
    }
    with_neighbours(hunks, &candidates, &mut found);
    none_empty(concepts, hunks, &candidates, &mut found);
    found
}

/// The concepts that claim the hunk's file, or all when none does.
fn candidates(concepts: &[Concept], hunk: &NumberedHunk) -> Vec<usize> {
    let claims = |concept: &Concept| concept.files.contains(&hunk.path);
    let claiming: Vec<usize> =
        concepts.iter().enumerate().filter(|(_, concept)| claims(concept)).map(|(at, _)| at).collect();
    if claiming.is_empty() { (0..concepts.len()).collect() } else { claiming }
}

/// The one that counts most; `None` when none counts or two count the same.
fn most(candidates: &[usize], count: impl Fn(usize) -> usize) -> Option<usize> {
    if let [only] = candidates {
        return Some(*only);
    }
    let counts: Vec<(usize, usize)> = candidates.iter().map(|concept| (count(*concept), *concept)).collect();
    let most = counts.iter().map(|(count, _)| *count).max().filter(|most| *most > 0)?;
    let mut leaders = counts.iter().filter(|(count, _)| *count == most);
    let first = leaders.next()?.1;
    leaders.next().is_none().then_some(first)
}

/// What a concept is about: the words of its title and description, and what its own files are called.
fn spoken_of(concept: &Concept, hunks: &[NumberedHunk]) -> BTreeSet<String> {
    let mut spoken = BTreeSet::new();
    for text in [&concept.title, &concept.description] {
        collect(text, &mut spoken);
    }
    for file in concept.files.iter().filter(|file| !hunks.iter().any(|hunk| hunk.path == **file)) {
        collect(path::stem(file), &mut spoken);
    }
    spoken
}

fn words_of(hunk: &NumberedHunk) -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    collect(hunk.header.rsplit("@@").next().unwrap_or_default(), &mut words);
    hunk.text.lines().for_each(|line| collect(line, &mut words));
    words
}

/// Words as they are written, and the parts they are made of, in lower case: `fetch_all`, `fetch`, `parseLine`, `line`.
fn collect(text: &str, words: &mut BTreeSet<String>) {
    for word in text.split(|char: char| !(char.is_alphanumeric() || char == '_')) {
        let mut part = String::new();
        for char in word.chars() {
            if char == '_' || (char.is_uppercase() && part.chars().last().is_some_and(char::is_lowercase)) {
                keep(&std::mem::take(&mut part), words);
            }
            if char != '_' {
                part.push(char);
            }
        }
        keep(&part, words);
        keep(word, words);
    }
}

fn keep(word: &str, words: &mut BTreeSet<String>) {
    /// Words of languages and of commit messages, which are in everything.
    const COMMON: &str = "self this that with from into when then else true false none null return const static public \
                          private async await import export default function class struct impl enum trait type void \
                          string number feat chore docs test tests refactor build update added adds files file code \
                          support change changes remove removes make makes move adjust extend rework";
    let word = word.to_lowercase();
    if word.len() >= SHORTEST && !COMMON.split_ascii_whitespace().any(|common| common == word) {
        words.insert(word);
    }
}

fn common(one: &BTreeSet<String>, other: &BTreeSet<String>) -> usize {
    one.intersection(other).count()
}

/// Hunks that nothing tells of go where the hunk before them in the file goes, or the one after, or to the first concept.
fn with_neighbours(hunks: &[NumberedHunk], candidates: &[Vec<usize>], found: &mut [Option<usize>]) {
    for backwards in [false, true] {
        let order: Vec<usize> = if backwards { (0..hunks.len()).rev().collect() } else { (0..hunks.len()).collect() };
        let mut last: Option<(&str, usize)> = None;
        for at in order {
            let (Some(hunk), Some(place)) = (hunks.get(at), found.get_mut(at)) else { continue };
            let near = last.filter(|(path, _)| *path == hunk.path).map(|(_, concept)| concept);
            *place = place.or(near);
            last = place.map(|concept| (hunk.path.as_str(), concept));
        }
    }
    for (place, candidates) in found.iter_mut().zip(candidates) {
        *place = place.or_else(|| candidates.first().copied());
    }
}

/// A concept that has nothing but shared files gets a hunk of one that has several.
fn none_empty(concepts: &[Concept], hunks: &[NumberedHunk], candidates: &[Vec<usize>], found: &mut [Option<usize>]) {
    let only_shared = |concept: &Concept| concept.files.iter().all(|file| hunks.iter().any(|hunk| hunk.path == *file));
    let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
    for concept in found.iter().flatten() {
        *counts.entry(*concept).or_default() += 1;
    }
    for (at, _) in concepts.iter().enumerate().filter(|(_, concept)| only_shared(concept)) {
        if counts.contains_key(&at) {
            continue;
        }
        let spare = |owner: &Option<usize>| {
            owner.is_some_and(|owner| {
                let own_files = concepts.get(owner).is_some_and(|concept| !only_shared(concept));
                own_files || counts.get(&owner).is_some_and(|count| *count > 1)
            })
        };
        let open = |place: usize| candidates.get(place).is_some_and(|candidates| candidates.contains(&at));
        let Some(place) = found.iter().enumerate().rposition(|(place, owner)| open(place) && spare(owner)) else {
            continue;
        };
        if let Some(owner) = found.get_mut(place) {
            if let Some(count) = owner.and_then(|owner| counts.get_mut(&owner)) {
                *count -= 1;
            }
            *owner = Some(at);
            counts.insert(at, 1);
        }
    }
}

#[cfg(test)]
#[path = "stager_tests.rs"]
mod tests;
