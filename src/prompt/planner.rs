//! The prompt of the planner: which commits a change becomes.

use std::num::NonZeroUsize;

use crate::config::Format;
use crate::git::LogEntry;
use crate::payload::{Excerpt, Payload};

use super::Prompt;
use super::concepts::{Background, Correction, Data};
use super::fit::{Fitted, Limits, PromptError, fit};
use super::message::{MAX_SUBJECT, Material};
use super::style::HouseStyle;
use super::template::{self, fill};
use super::text::locale_name;

/// Everything that a plan is made from.
#[derive(Debug, Clone)]
pub struct PlannerMaterial<'a> {
    /// The change.
    pub payload: &'a Payload,
    /// How many commits.
    pub count: PlanCount,
    /// The latest commits, newest first; 50 or so, merges and all.
    pub history: &'a [LogEntry],
    /// The shape of titles asked for.
    pub format: Format,
    /// The language asked for.
    pub locale: Option<&'a str>,
    /// What the author says about the change (`--context`).
    pub context: Option<&'a str>,
    /// The branch, unless HEAD is detached.
    pub branch: Option<&'a str>,
    /// Scopes that history used for the touched paths, the most used first.
    pub scopes: &'a [String],
    /// The length of title to aim at, in characters.
    pub subject_target: usize,
}

impl PlannerMaterial<'_> {
    /// The same for the writer of a message: of everything but the count.
    #[must_use]
    pub fn as_message(&self) -> Material<'_> {
        Material {
            payload: self.payload,
            history: self.history,
            format: self.format,
            locale: self.locale,
            context: self.context,
            branch: self.branch,
            scopes: self.scopes,
            prepared: None,
            planned: None,
            subject_target: self.subject_target,
        }
    }
}

/// How many commits a plan is to have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PlanCount {
    /// As many as there are purposes, and never more than `max_commits`.
    Auto {
        /// The most that are accepted.
        max_commits: usize,
    },
    /// So many and no other number.
    Exactly(NonZeroUsize),
}

impl PlanCount {
    /// The number of commits to aim at when the planner decides: half of those that are accepted.
    #[must_use]
    pub const fn soft_target(max_commits: usize) -> usize {
        match max_commits / 2 {
            0 => 1,
            half => half,
        }
    }
}

/// Assembles the prompt for a plan; `correction` is what was wrong with the last answer, where there was one.
///
/// # Errors
/// The limits leave no room for the instructions and the list of changed files.
pub fn planner(
    material: &PlannerMaterial<'_>,
    correction: Option<Correction<'_>>,
    limits: &Limits,
) -> Result<Fitted, PromptError> {
    let style = HouseStyle::resolve(material.format, material.history);
    fit(limits, |room| {
        let excerpt = material.payload.excerpt(room);
        Fitted { prompt: assemble(material, correction, &style, &excerpt), notice: excerpt.notice() }
    })
}

fn assemble(
    material: &PlannerMaterial<'_>,
    correction: Option<Correction<'_>>,
    style: &HouseStyle,
    excerpt: &Excerpt,
) -> Prompt {
    let background = Background { context: material.context, branch: material.branch, scopes: material.scopes };
    let data = Data::new(background, correction).with(template::CHANGE, "CHANGE", &excerpt.text);
    let others: Vec<&str> = style.examples.iter().map(String::as_str).chain(material.locale).collect();
    let fence = data.fence(&others);
    Prompt { system: system(material, style, fence.tag()), user: data.user(template::PLANNER_USER, &fence) }
}

fn system(material: &PlannerMaterial<'_>, style: &HouseStyle, tag: &str) -> String {
    let locale = material.locale.map(|locale| fill(template::LOCALE, &[("locale", &locale_name(locale))]));
    let (rules, single_form) = match material.count {
        PlanCount::Auto { max_commits } => {
            let (soft, most) = (PlanCount::soft_target(max_commits).to_string(), max_commits.to_string());
            // Rules of their own, one step further in.
            let body = style.body_rule().replace("- ", "  - ");
            let values = [("soft", soft.as_str()), ("most_commits", &most), ("body", &body)];
            (fill(template::PLANNER_AUTO, &values), template::PLANNER_SINGLE_FORM)
        }
        PlanCount::Exactly(count) => (fill(template::PLANNER_FORCED, &[("count", &count.to_string())]), ""),
    };
    fill(
        template::PLANNER_SYSTEM,
        &[
            ("rules", &rules),
            ("single_form", single_form),
            ("target", &material.subject_target.to_string()),
            ("most", &MAX_SUBJECT.to_string()),
            ("locale", locale.as_deref().unwrap_or_default()),
            ("style", &style.block(&format!("------ {tag}"))),
            ("framing", &fill(template::FRAMING, &[("tag", tag)])),
        ],
    )
}
