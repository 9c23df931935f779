//! What the prompts of planner, stager and arbiter have in common: planned commits, the author's word, a refused answer.

use std::fmt::Write as _;

use crate::payload::Fence;

use super::template;
use super::text::{Blocks, bounded, one_line, short_line};

/// The most files that are listed for one planned commit.
const MOST_FILES: usize = 100;

/// The most that is told of what a planned commit is about, in characters.
pub(super) const MOST_DESCRIPTION: usize = 600;

/// One planned commit.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Concept {
    /// `c1`, `c2`, … in the order of the commits.
    pub id: String,
    /// Its subject.
    pub title: String,
    /// What it is about; may be empty.
    pub description: String,
    /// Its files, quoted as git quotes them.
    pub files: Vec<String>,
}

/// Why a role is asked once more: its last answer, and what was wrong with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Correction<'a> {
    /// The answer that could not be used.
    pub answer: &'a str,
    /// What is wrong with it, one sentence each. They are shown as ours: names taken from the answer or from the
    /// repository belong between quotation marks, and are to be short.
    pub faults: &'a [String],
}

/// What the author and the repository say besides the change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Background<'a> {
    pub(super) context: Option<&'a str>,
    pub(super) branch: Option<&'a str>,
    pub(super) scopes: &'a [String],
}

impl Background<'_> {
    /// What helps to understand the change and comes from the repository.
    fn lines(&self) -> String {
        let mut text = String::new();
        if let Some(branch) = self.branch {
            let _ = writeln!(text, "Branch: {}", short_line(branch));
        }
        if !self.scopes.is_empty() {
            let scopes: Vec<String> = self.scopes.iter().map(|scope| short_line(scope)).collect();
            let _ = writeln!(text, "Scopes used before for these paths: {}", scopes.join(", "));
        }
        text
    }
}

/// The planned commits as the models see them.
pub(super) fn listed(concepts: &[Concept]) -> String {
    let mut text = String::new();
    for concept in concepts {
        let _ = writeln!(text, "{}: {}", short_line(&concept.id), short_line(&concept.title));
        let description = one_line(&concept.description, MOST_DESCRIPTION);
        if !description.is_empty() {
            let _ = writeln!(text, "    {description}");
        }
        for file in concept.files.iter().take(MOST_FILES) {
            let _ = writeln!(text, "    - {}", without_breaks(file));
        }
        match concept.files.len().saturating_sub(MOST_FILES) {
            0 => {}
            more => {
                let _ = writeln!(text, "    - [and {more} more]");
            }
        }
    }
    text
}

/// A quoted path has no line breaks; one that somebody forgot to quote must not look like two.
pub(super) fn without_breaks(path: &str) -> String {
    path.chars().filter(|c| !c.is_control()).collect()
}

/// The data of a user prompt: everything that is not ours, each text once.
pub(super) struct Data<'a> {
    background: Background<'a>,
    repository: String,
    correction: Option<Correction<'a>>,
    answer: String,
    blocks: Vec<(&'static str, &'static str, &'a str)>,
}

impl<'a> Data<'a> {
    pub(super) fn new(background: Background<'a>, correction: Option<Correction<'a>>) -> Self {
        Self {
            background,
            repository: background.lines(),
            correction,
            answer: correction.map(|correction| bounded(correction.answer)).unwrap_or_default(),
            blocks: Vec::new(),
        }
    }

    /// Adds a block after those that every role has: the line before it, the name in its markers, the data.
    pub(super) fn with(mut self, lead: &'static str, name: &'static str, text: &'a str) -> Self {
        self.blocks.push((lead, name, text));
        self
    }

    /// Markers that occur in none of it, nor in `others`.
    pub(super) fn fence(&self, others: &[&str]) -> Fence {
        let faults = self.correction.iter().flat_map(|correction| correction.faults).map(String::as_str);
        let blocks = self.blocks.iter().map(|(_, _, text)| *text);
        let own = [self.background.context.unwrap_or_default(), &self.repository, &self.answer];
        let all: Vec<&str> = own.into_iter().chain(faults).chain(blocks).chain(others.iter().copied()).collect();
        Fence::around(&all)
    }

    /// The instruction and all data, each between its markers.
    pub(super) fn user(&self, instruction: &str, fence: &Fence) -> String {
        let mut user = Blocks::new(instruction, fence);
        if let Some(context) = self.background.context.map(str::trim).filter(|context| !context.is_empty()) {
            user.add(template::AUTHOR, "AUTHOR", context);
        }
        if !self.repository.is_empty() {
            user.add(template::BACKGROUND, "BACKGROUND", &self.repository);
        }
        if let Some(correction) = self.correction {
            let faults: Vec<String> = correction.faults.iter().map(|fault| one_line(fault, MOST_DESCRIPTION)).collect();
            user.add(&format!("{}- {}\n", template::FAULT, faults.join("\n- ")), "LAST ANSWER", &self.answer);
        }
        for (lead, name, text) in &self.blocks {
            user.add(lead, name, text);
        }
        user.into_text()
    }
}
