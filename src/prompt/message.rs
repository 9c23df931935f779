//! The prompt of the message role.

use std::fmt::Write as _;

use crate::config::Format;
use crate::git::LogEntry;
use crate::payload::{Excerpt, Fence, Payload};

use super::Prompt;
use super::concepts::MOST_DESCRIPTION;
use super::fit::{Fitted, Limits, PromptError, fit};
use super::style::HouseStyle;
use super::template::{self, fill};
use super::text::{Blocks, bounded, locale_name, one_line, short_line};

/// The longest subject that is accepted, in characters.
pub const MAX_SUBJECT: usize = 100;

/// Everything that one message is written from.
#[derive(Debug, Clone)]
pub struct Material<'a> {
    /// The change.
    pub payload: &'a Payload,
    /// The latest commits, newest first; 50 or so, merges and all.
    pub history: &'a [LogEntry],
    /// The shape asked for.
    pub format: Format,
    /// The language asked for.
    pub locale: Option<&'a str>,
    /// What the author says about the change (`--context`).
    pub context: Option<&'a str>,
    /// The branch, unless HEAD is detached.
    pub branch: Option<&'a str>,
    /// Scopes that history used for the touched paths, the most used first.
    pub scopes: &'a [String],
    /// What git prepared after `merge --squash`.
    pub prepared: Option<&'a str>,
    /// What a plan says of the commit, when the change is one of several.
    pub planned: Option<Planned<'a>>,
    /// The length of subject to aim at, in characters.
    pub subject_target: usize,
}

/// A commit as a planner sees it. It knows the whole change, and may be wrong about a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Planned<'a> {
    /// What it is for, in one line.
    pub title: &'a str,
    /// The same at more length; may be empty.
    pub description: &'a str,
}

/// Why the model is asked once more.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Again {
    /// Subjects that were used before and offered again.
    pub taken: Vec<String>,
    /// The last answer that was refused for its faults or by a hook.
    pub previous: Option<String>,
    /// What is wrong with it, one sentence each.
    pub faults: Vec<String>,
    /// What a `commit-msg` hook said about it.
    pub hook_output: Option<String>,
}

/// Assembles the prompt for one message.
///
/// # Errors
/// The limits leave no room for the instructions and the list of changed files.
pub fn message(material: &Material<'_>, again: &Again, limits: &Limits) -> Result<Fitted, PromptError> {
    let style = HouseStyle::resolve(material.format, material.history);
    fit(limits, |room| {
        let excerpt = material.payload.excerpt(room);
        Fitted { prompt: assemble(material, again, &style, &excerpt), notice: excerpt.notice() }
    })
}

fn assemble(material: &Material<'_>, again: &Again, style: &HouseStyle, excerpt: &Excerpt) -> Prompt {
    let background = background(material);
    let fence = Fence::around(&data(material, again, style, &[&excerpt.text, &background]));
    Prompt { system: system(material, style, &fence, ""), user: user(material, again, excerpt, &background, &fence) }
}

/// All texts that are not ours, `more` among them.
pub(super) fn data<'a>(
    material: &Material<'a>,
    again: &'a Again,
    style: &'a HouseStyle,
    more: &[&'a str],
) -> Vec<&'a str> {
    let options = [material.context, material.locale, again.previous.as_deref(), again.hook_output.as_deref()];
    let lists = style.examples.iter().chain(&again.taken).chain(&again.faults).map(String::as_str);
    more.iter().copied().chain(options.into_iter().flatten()).chain(lists).collect()
}

/// The system prompt; `course` says how a conversation goes that is more than one question and its answer.
pub(super) fn system(material: &Material<'_>, style: &HouseStyle, fence: &Fence, course: &str) -> String {
    let locale = material.locale.map(|locale| fill(template::LOCALE, &[("locale", &locale_name(locale))]));
    fill(
        template::MESSAGE_SYSTEM,
        &[
            ("body", style.body_rule()),
            ("target", &material.subject_target.to_string()),
            ("most", &MAX_SUBJECT.to_string()),
            ("locale", locale.as_deref().unwrap_or_default()),
            ("course", course),
            ("style", &style.block(&format!("------ {}", fence.tag()))),
            ("tag", fence.tag()),
        ],
    )
}

fn user(material: &Material<'_>, again: &Again, excerpt: &Excerpt, background: &str, fence: &Fence) -> String {
    let mut user = Blocks::new(template::MESSAGE_USER, fence);
    add_context(&mut user, material, background);
    add_again(&mut user, again);
    user.add(template::CHANGE, "CHANGE", &excerpt.text);
    user.into_text()
}

/// What is known besides the change.
pub(super) fn add_context(user: &mut Blocks<'_>, material: &Material<'_>, background: &str) {
    if let Some(context) = material.context.filter(|context| !context.trim().is_empty()) {
        user.add(template::AUTHOR, "AUTHOR", context.trim());
    }
    if !background.is_empty() {
        user.add(template::BACKGROUND, "BACKGROUND", background);
    }
}

/// What was wrong before.
pub(super) fn add_again(user: &mut Blocks<'_>, again: &Again) {
    if !again.taken.is_empty() {
        let taken: Vec<String> = again.taken.iter().map(|subject| short_line(subject)).collect();
        user.add(template::TAKEN, "TAKEN", &taken.join("\n"));
    }
    if let Some(previous) = again.previous.as_deref().map(bounded) {
        if !again.faults.is_empty() {
            user.add(&format!("{}- {}\n", template::FAULT, again.faults.join("\n- ")), "LAST ANSWER", &previous);
        } else if again.hook_output.is_some() {
            user.add("Your last message:\n", "LAST ANSWER", &previous);
        }
    }
    if let Some(output) = &again.hook_output {
        user.add(template::HOOK, "HOOK", &bounded(output));
    }
}

/// The same without the markers' tag, where these are fixed before anybody knows what an agent or a hook will say.
pub(super) fn without_tag(again: &Again, fence: &Fence) -> Again {
    let clean = |text: &String| text.replace(fence.tag(), "");
    Again {
        taken: again.taken.iter().map(clean).collect(),
        previous: again.previous.as_ref().map(clean),
        faults: again.faults.iter().map(clean).collect(),
        hook_output: again.hook_output.as_ref().map(clean),
    }
}

/// What helps to understand the change and comes from the repository.
pub(super) fn background(material: &Material<'_>) -> String {
    let mut text = String::new();
    if let Some(branch) = material.branch {
        let _ = writeln!(text, "Branch: {}", short_line(branch));
    }
    if !material.scopes.is_empty() {
        let scopes: Vec<String> = material.scopes.iter().map(|scope| short_line(scope)).collect();
        let _ = writeln!(text, "Scopes used before for these paths: {}", scopes.join(", "));
    }
    if let Some(Planned { title, description }) = material.planned {
        let _ = writeln!(text, "This is one commit of several. The plan calls it: {}", short_line(title));
        let description = one_line(description, MOST_DESCRIPTION);
        if !description.is_empty() {
            let _ = writeln!(text, "The plan says of it: {description}");
        }
    }
    if let Some(prepared) = material.prepared.map(bounded).filter(|prepared| !prepared.is_empty()) {
        let _ = writeln!(text, "Messages of the commits that are squashed into this one:\n{prepared}");
    }
    text
}
