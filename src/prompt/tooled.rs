//! The prompt of a stager with tools: the one commit that it stages with git.

use super::Prompt;
use super::concepts::{Background, Concept, Data, listed};
use super::fit::{Fitted, Limits, PromptError, fit};
use super::template::{self, fill};

/// Everything that one commit is staged by.
#[derive(Debug, Clone, Copy)]
pub struct TooledMaterial<'a> {
    /// The planned commits, in their order.
    pub concepts: &'a [Concept],
    /// The one to be staged, with those of its files that are not staged anyway.
    pub task: &'a Concept,
    /// What the author says about the change (`--context`).
    pub context: Option<&'a str>,
    /// The branch, unless HEAD is detached.
    pub branch: Option<&'a str>,
}

/// Assembles the prompt that has one commit staged.
///
/// # Errors
/// The limits leave no room for the instructions and the planned commits.
pub fn tooled(material: &TooledMaterial<'_>, limits: &Limits) -> Result<Fitted, PromptError> {
    let (concepts, task) = (listed(material.concepts), listed(std::slice::from_ref(material.task)));
    fit(limits, |_| {
        let background = Background { context: material.context, branch: material.branch, scopes: &[] };
        let data = Data::new(background, None).with(template::CONCEPTS, "COMMITS", &concepts).with(
            template::TASK,
            "TASK",
            &task,
        );
        let fence = data.fence(&[]);
        let framing = fill(template::FRAMING, &[("tag", fence.tag())]);
        let system = fill(template::TOOLED_SYSTEM, &[("framing", &framing)]);
        let instruction = fill(template::TOOLED_USER, &[("id", &material.task.id)]);
        Fitted { prompt: Prompt { system, user: data.user(&instruction, &fence) }, notice: None }
    })
}
