//! The record itself: plain values, readable by this and by later versions.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::git::{GitError, Head, HeadTarget, ObjectId, Operation, Repository};
use crate::process::{Process, seconds_since_1970};

use super::super::{Snapshot, Source};

/// The version of the record's shape.
const SCHEMA: u32 = 1;
/// How long a record and its trees are kept.
pub(super) const EXPIRY: Duration = Duration::from_secs(14 * 24 * 60 * 60);

/// One run: where it began and which commits it makes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    schema: u32,
    /// Its name: when it began and which process it was, both hexadecimal.
    pub run: String,
    /// Seconds since 1970.
    pub created: u64,
    /// Who works on it; absent when the run has ended by itself.
    process: Option<Process>,
    /// The branch in full; absent for a detached HEAD.
    pub branch: Option<String>,
    /// The commit HEAD named at the freeze; absent on an unborn branch.
    pub parent: Option<ObjectId>,
    /// The other parents of the first commit, when it concludes a merge.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub merged: Vec<ObjectId>,
    /// Where the content came from.
    pub source: Source,
    /// The commits, in order.
    pub steps: Vec<Step>,
}

/// One commit, made or still to be made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// What a plan calls it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Its tree.
    pub tree: ObjectId,
    /// Its message, once there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The commit's object, once it is written; the branch tells whether it has landed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<ObjectId>,
}

impl Step {
    /// A commit to be made of a tree.
    #[must_use]
    pub const fn new(tree: ObjectId) -> Self {
        Self { title: None, tree, message: None, commit: None }
    }

    /// A commit to be made of a tree, as a plan calls it.
    #[must_use]
    pub fn titled(tree: ObjectId, title: &str) -> Self {
        Self { title: Some(title.to_owned()), ..Self::new(tree) }
    }

    /// The first line of its message, or its title.
    #[must_use]
    pub fn subject(&self) -> Option<&str> {
        let message = self.message.as_deref().and_then(|message| message.lines().next());
        message.or(self.title.as_deref())
    }
}

impl Record {
    pub(super) fn new(snapshot: &Snapshot, steps: Vec<Step>) -> Self {
        let merged = match snapshot.operation() {
            Operation::Merge(merge) => merge.heads.clone(),
            Operation::None | Operation::Squash(_) => Vec::new(),
        };
        Self { merged, ..Self::on(snapshot.head(), snapshot.source(), steps) }
    }

    /// A run that begins at `head`.
    pub(super) fn on(head: &Head, source: Source, steps: Vec<Step>) -> Self {
        let (created, run) = new_run();
        Self {
            schema: SCHEMA,
            run,
            created,
            process: Some(Process::current().clone()),
            branch: branch_of(head),
            parent: head.commit,
            merged: Vec::new(),
            source,
            steps,
        }
    }

    /// HEAD as it was at the freeze.
    #[must_use]
    pub fn head(&self) -> Head {
        let target = self.branch.clone().map_or(HeadTarget::Detached, HeadTarget::Branch);
        Head { target, commit: self.parent }
    }

    /// What the commit of a step stands on: the first parent.
    #[must_use]
    pub fn parent_of(&self, step: usize) -> Option<ObjectId> {
        match step.checked_sub(1) {
            None => self.parent,
            Some(before) => self.steps.get(before).and_then(|step| step.commit),
        }
    }

    /// The tree that a step changes; `None`: the empty one.
    ///
    /// # Errors
    /// The commit at the beginning cannot be read.
    pub fn tree_before(&self, step: usize, repository: &Repository) -> Result<Option<ObjectId>, GitError> {
        match step.checked_sub(1).and_then(|before| self.steps.get(before)) {
            Some(before) => Ok(Some(before.tree)),
            None => repository.tree_at(self.parent),
        }
    }

    /// All parents of the commit of a step.
    #[must_use]
    pub fn parents_of(&self, step: usize) -> Vec<ObjectId> {
        let mut parents: Vec<ObjectId> = self.parent_of(step).into_iter().collect();
        if step == 0 {
            parents.extend(&self.merged);
        }
        parents
    }

    /// Whether its run may still be at work on it.
    #[must_use]
    pub fn is_live(&self) -> bool {
        self.process.as_ref().is_some_and(|process| !process.is_gone())
    }

    /// Whether its run ended without a word.
    #[must_use]
    pub fn was_killed(&self) -> bool {
        self.process.is_some() && !self.is_live()
    }

    /// How long ago the run began.
    #[must_use]
    pub fn age(&self) -> Duration {
        Duration::from_secs(seconds_since_1970().saturating_sub(self.created))
    }

    /// Whether it is too old to be kept.
    #[must_use]
    pub fn is_expired(&self) -> bool {
        self.age() > EXPIRY
    }

    /// The run goes on from another HEAD with other steps.
    pub(in super::super) fn move_to(&mut self, head: &Head, steps: Vec<Step>) {
        self.branch = branch_of(head);
        self.parent = head.commit;
        self.merged.clear();
        self.steps = steps;
    }

    pub(super) fn take_over(&mut self) {
        self.process = Some(Process::current().clone());
    }

    pub(super) fn release(&mut self) {
        self.process = None;
    }
}

fn branch_of(head: &Head) -> Option<String> {
    match &head.target {
        HeadTarget::Branch(name) => Some(name.clone()),
        HeadTarget::Detached => None,
    }
}

/// Now, and the name of a run that begins now.
pub(super) fn new_run() -> (u64, String) {
    let created = seconds_since_1970();
    (created, format!("{created:x}-{:x}", Process::current().pid()))
}

/// Whether the name of a run says that it began longer ago.
pub(super) fn is_older_name(run: &str, than: Duration) -> bool {
    let began = run.split('-').next().and_then(|began| u64::from_str_radix(began, 16).ok());
    began.is_none_or(|began| seconds_since_1970().saturating_sub(began) > than.as_secs())
}
