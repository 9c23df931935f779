//! A plan against the change: every claim is a file of it, and files that go together stay together.

use std::collections::{BTreeMap, BTreeSet};

use super::super::{Ground, Note};
use super::answer::{self, Answer, Commit};
use super::names::resolve;
use super::{Concept, Plan, PlanFault, Verdict};

/// How many commits there shall be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Count {
    /// As many as make sense, up to a number.
    UpTo(usize),
    /// Exactly so many.
    Exactly(usize),
}

/// Reads the planner's answer and checks it against the change.
///
/// # Errors
/// The plan cannot be used; the words are for the planner's next try.
pub fn read(answer: &str, ground: &Ground, count: Count) -> Result<Verdict, PlanFault> {
    let Answer { count: announced, single, message, commits } = answer::read(answer)?;
    if single && commits.len() < 2 && matches!(count, Count::UpTo(_) | Count::Exactly(1)) {
        return Ok(Verdict::Single { message });
    }
    let mut notes = Vec::new();
    let listed = commits.len();
    if single {
        notes.push(Note::NotSingle { listed });
    } else if let Some(announced) = announced.filter(|announced| usize::try_from(*announced) != Ok(listed)) {
        notes.push(Note::Miscounted { announced, listed });
    }
    let mut concepts: Vec<Claims> = commits.into_iter().map(|commit| claim(ground, commit, &mut notes)).collect();
    settle(ground, &mut concepts, &mut notes);
    let plan = finish(concepts, notes);
    accept(plan, count)
}

fn accept(plan: Plan, count: Count) -> Result<Verdict, PlanFault> {
    match (count, plan.concepts.len()) {
        (Count::Exactly(wanted), found) if found != wanted => Err(PlanFault::Count { wanted, found }),
        (_, 0) => Err(PlanFault::Empty),
        (Count::UpTo(most), found) if found > most => Err(PlanFault::TooMany { most, found }),
        _ => Ok(Verdict::Commits(plan)),
    }
}

struct Claims {
    title: String,
    description: String,
    files: BTreeSet<usize>,
}

/// Turns names into files, and files into whole units.
fn claim(ground: &Ground, commit: Commit, notes: &mut Vec<Note>) -> Claims {
    let mut files = BTreeSet::new();
    for name in commit.files {
        let found = resolve(ground, &name);
        if found.is_empty() {
            notes.push(Note::UnknownPath { title: commit.title.clone(), path: name });
        }
        files.extend(found.into_iter().flat_map(|file| ground.units().mates(file).iter().copied()));
    }
    Claims { title: commit.title, description: commit.description, files }
}

/// Leaves each file that can only go whole to the concept that claims it first.
fn settle(ground: &Ground, concepts: &mut [Claims], notes: &mut Vec<Note>) {
    let mut owners: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (index, concept) in concepts.iter().enumerate() {
        for file in &concept.files {
            owners.entry(*file).or_default().push(index);
        }
    }
    for (file, owners) in owners {
        let Some((first, others)) = owners.split_first().filter(|(_, others)| !others.is_empty()) else { continue };
        if ground.may_split(file) {
            notes.push(Note::Shared { path: ground.name(file), count: owners.len() });
            continue;
        }
        let kept = concepts.get(*first).map(|concept| concept.title.clone()).unwrap_or_default();
        for other in others {
            let Some(concept) = concepts.get_mut(*other) else { continue };
            concept.files.remove(&file);
            let also = concept.title.clone();
            notes.push(Note::ClaimedTwice { path: ground.name(file), kept: kept.clone(), also });
        }
    }
}

/// Drops what has no file.
fn finish(claims: Vec<Claims>, mut notes: Vec<Note>) -> Plan {
    let mut concepts = Vec::with_capacity(claims.len());
    for Claims { title, description, files } in claims {
        if files.is_empty() {
            notes.push(Note::Dropped { title });
        } else {
            concepts.push(Concept { title, description, files: files.into_iter().collect() });
        }
    }
    Plan { concepts, notes }
}
