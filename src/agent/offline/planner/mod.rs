//! The planner without a model: files that belong together become one commit.
//!
//! First whole files find their purpose: a manifest with its lock file, CI, documents, moves ([`purposes`]). Code falls
//! into features by its folders and by the names that files share ([`features`]); tests, fixtures, assets and generated
//! files join what they belong to ([`company`]). Then the number of groups is brought to what is wanted ([`number`]),
//! and they are put in an order in which each builds on those before it ([`order`]).

mod company;
mod features;
mod graph;
mod number;
mod order;
mod purposes;
mod reading;
#[cfg(test)]
mod tests;
mod wiring;

use serde::Serialize;

use super::body::body;
use super::facts::{FileFacts, FileStatus, MessageFacts};
use super::gather;
use super::path;
use super::writer;
use crate::prompt::{PlanCount, PlannerMaterial};

use reading::{Reading, read};

/// What becomes one commit.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Group {
    class: Class,
    /// Indices of files, ascending.
    files: Vec<usize>,
}

/// What a group is for, in the order of the commits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Class {
    Ignore,
    Submodule,
    Vendored,
    Dependencies,
    Build,
    Config,
    Style,
    Assets,
    Move,
    Source,
    Generated,
    /// Dependencies that nothing needs any more: the code has to let go of them first.
    Unneeded,
    Tests,
    Ci,
    Docs,
    License,
    Release,
}

/// A plan, as an agent would write it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Plan {
    count: usize,
    single: bool,
    commits: Vec<Commit>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Commit {
    title: String,
    description: String,
    files: Vec<String>,
}

/// The answer to a question for a plan.
pub(super) fn answer(material: &PlannerMaterial<'_>) -> String {
    let plan = plan(&gather::planned(material), material.count);
    serde_json::to_string(&plan).unwrap_or_default()
}

fn plan(change: &MessageFacts, count: PlanCount) -> Plan {
    let files = read(&change.files);
    let groups = order::sorted(&files, divide(&files, count));
    let shared = wiring::shared(&files, &groups);
    let mut commits = titled(change, &groups, &shared.concat());
    for (commit, shared) in commits.iter_mut().zip(shared) {
        commit.files.extend(shared.into_iter().filter_map(|file| change.files.get(file)).map(named));
    }
    let single = commits.len() == 1;
    Plan { count: commits.len(), single, commits, message: single.then(|| writer::write(change)) }
}

/// The groups of a change, as many as are wanted.
fn divide(files: &[Reading<'_>], count: PlanCount) -> Vec<Group> {
    let groups = number::united(files, company::joined(files, purposes::groups(files)));
    match count {
        PlanCount::Auto { max_commits } => number::at_most(files, groups, max_commits),
        PlanCount::Exactly(count) => number::exactly(files, groups, count.get()),
    }
}

/// Gives each group its title, no two the same. Shared files tell nothing of a group that has others.
fn titled(change: &MessageFacts, groups: &[Group], shared: &[usize]) -> Vec<Commit> {
    let mut said = change.rejected.clone();
    groups
        .iter()
        .map(|group| {
            let files = group.files.iter().filter_map(|file| change.files.get(*file)).map(named);
            let own: Vec<usize> = group.files.iter().copied().filter(|file| !shared.contains(file)).collect();
            let telling = if own.is_empty() { &group.files } else { &own };
            let telling = telling.iter().filter_map(|file| change.files.get(*file)).cloned();
            let mut facts = MessageFacts { files: telling.collect(), ..without_files(change) };
            // A scope that history used for other files of the change is none of this group's.
            let whole = facts.files.len() == change.files.len();
            facts.scopes.retain(|scope| whole || facts.files.iter().any(|file| is_in(scope, &file.path)));
            facts.rejected.clone_from(&said);
            let description = body(&facts);
            if group.class == Class::Move {
                // The edits that it made necessary say less than the move.
                facts.files.retain(|file| file.status == FileStatus::Renamed);
            }
            let title = writer::write(&facts).lines().next().unwrap_or_default().to_owned();
            said.push(title.clone());
            Commit { title, description, files: files.collect() }
        })
        .collect()
}

fn named(file: &FileFacts) -> String {
    file.quoted.clone().unwrap_or_else(|| file.path.clone())
}

fn without_files(change: &MessageFacts) -> MessageFacts {
    MessageFacts {
        files: Vec::new(),
        history: change.history.clone(),
        scopes: change.scopes.clone(),
        description: None,
        format: change.format,
        body: false,
        locale: change.locale.clone(),
        rejected: Vec::new(),
        subject_limit: change.subject_limit,
    }
}

/// Whether a folder of the path, or the file's own stem, is called like the scope.
fn is_in(scope: &str, file: &str) -> bool {
    path::folder(file).split('/').chain([path::stem(file)]).any(|part| part.eq_ignore_ascii_case(scope))
}
