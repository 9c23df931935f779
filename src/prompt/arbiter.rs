//! The prompt of the arbiter: which planned commit takes in what none has claimed.

use crate::payload::Payload;

use super::Prompt;
use super::concepts::{Background, Concept, Correction, Data, listed};
use super::fit::{Fitted, Limits, PromptError, fit};
use super::template::{self, fill};

/// Everything that the arbiter decides by.
#[derive(Debug, Clone, Copy)]
pub struct ArbiterMaterial<'a> {
    /// The planned commits, in their order.
    pub concepts: &'a [Concept],
    /// What is left.
    pub leftover: &'a Payload,
    /// What the author says about the change (`--context`).
    pub context: Option<&'a str>,
    /// The branch, unless HEAD is detached.
    pub branch: Option<&'a str>,
}

/// Assembles the prompt that asks where the rest goes; `correction` is what was wrong with the last answer, where there
/// was one.
///
/// # Errors
/// The limits leave no room for the instructions, the planned commits and the list of changed files.
pub fn arbiter(
    material: &ArbiterMaterial<'_>,
    correction: Option<Correction<'_>>,
    limits: &Limits,
) -> Result<Fitted, PromptError> {
    let concepts = listed(material.concepts);
    fit(limits, |room| {
        let excerpt = material.leftover.excerpt(room);
        let background = Background { context: material.context, branch: material.branch, scopes: &[] };
        let data = Data::new(background, correction).with(template::CONCEPTS, "COMMITS", &concepts).with(
            template::REST,
            "REST",
            &excerpt.text,
        );
        let fence = data.fence(&[]);
        let framing = fill(template::FRAMING, &[("tag", fence.tag())]);
        let system = fill(template::ARBITER_SYSTEM, &[("framing", &framing)]);
        Fitted { prompt: Prompt { system, user: data.user(template::ARBITER_USER, &fence) }, notice: excerpt.notice() }
    })
}
