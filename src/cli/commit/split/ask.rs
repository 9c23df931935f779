//! Asking the planner, and what it has in common with stager and arbiter: each gets one more try when it says nothing,
//! and one when its answer cannot be used.

use std::num::NonZeroUsize;

use crate::agent::offline::Facts;
use crate::agent::{AgentFailure, FailureKind, Request};
use crate::decompose::Ground;
use crate::decompose::plan::{self, Count, Verdict};
use crate::payload::Payload;
use crate::progress::Progress;
use crate::prompt::{Correction, Fitted, PlanCount, PlannerMaterial, PromptError, planner};
use crate::role::Role;

use super::super::super::Failure;
use super::super::super::failure::{ERROR, TIMEOUT, interrupted};
use super::super::Run;
use super::super::prepare::Writer;
use super::super::words::{branch, shown_prompt};
use super::Setting;

/// Why a role gave nothing that can be used.
pub(super) enum Unusable {
    Agent(AgentFailure),
    Prompt(PromptError),
    /// Twice there was something wrong with the answer.
    Answer(String),
}

impl Run<'_> {
    pub(super) fn planner_prompt(
        &self,
        setting: &Setting<'_>,
        writer: &Writer,
        payload: &Payload,
        scopes: &[String],
    ) -> Result<String, Failure> {
        let material = self.planner_material(setting, payload, scopes);
        let fitted = planner(&material, None, &self.limits(Some(&writer.manifest)))
            .map_err(|error| planner_failure(Unusable::Prompt(error)))?;
        Ok(shown_prompt(&fitted.prompt))
    }

    pub(super) fn ask_planner(
        &self,
        setting: &Setting<'_>,
        writer: &Writer,
        ground: &Ground,
        payload: &Payload,
        scopes: &[String],
    ) -> Result<Verdict, Unusable> {
        let material = self.planner_material(setting, payload, scopes);
        let count = match self.commits {
            Some(count) => Count::Exactly(count),
            None => Count::UpTo(self.settings.generation.max_commits),
        };
        let limits = self.limits(Some(&writer.manifest));
        self.ask_twice(
            writer,
            Role::Planner,
            Facts::Planner(&material),
            |correction| planner(&material, correction, &limits),
            |answer| plan::read(answer, ground, count),
        )
    }

    fn planner_material<'a>(
        &'a self,
        setting: &'a Setting<'_>,
        payload: &'a Payload,
        scopes: &'a [String],
    ) -> PlannerMaterial<'a> {
        let generation = &self.settings.generation;
        let auto = PlanCount::Auto { max_commits: generation.max_commits };
        PlannerMaterial {
            payload,
            count: self.commits.and_then(NonZeroUsize::new).map_or(auto, PlanCount::Exactly),
            history: setting.history,
            format: generation.format,
            locale: generation.locale.as_deref(),
            context: self.context(),
            branch: branch(setting.snapshot),
            scopes,
            subject_target: generation.subject_target_chars,
        }
    }

    /// Asks, once more where nothing was said, and once more with what was wrong.
    pub(super) fn ask_twice<T, F: std::fmt::Display>(
        &self,
        writer: &Writer,
        role: Role,
        facts: Facts<'_>,
        prompt: impl Fn(Option<Correction<'_>>) -> Result<Fitted, PromptError>,
        read: impl Fn(&str) -> Result<T, F>,
    ) -> Result<T, Unusable> {
        let mut refused: Option<(String, Vec<String>)> = None;
        let (mut after_nothing, mut retried_nothing, mut told) = (false, false, false);
        loop {
            let correction = refused.as_ref().map(|(answer, faults)| Correction { answer, faults });
            let fitted = prompt(correction).map_err(Unusable::Prompt)?;
            if let Some(notice) = fitted.notice.filter(|_| !std::mem::replace(&mut told, true)) {
                self.progress.notice(&notice);
            }
            let retry = std::mem::take(&mut after_nothing);
            let request = Request { role, prompt: &fitted.prompt, retry, facts: Some(facts) };
            let answer = match writer.agent.ask(&request, self.cancel) {
                Ok(answer) => answer,
                Err(failure) if failure.is_nothing() && !std::mem::replace(&mut retried_nothing, true) => {
                    self.progress.detail(&format!("the {role} is asked again: {failure}"));
                    after_nothing = true;
                    continue;
                }
                Err(failure) => return Err(Unusable::Agent(failure)),
            };
            match read(&answer.text) {
                Ok(read) => return Ok(read),
                Err(fault) if refused.is_some() => return Err(Unusable::Answer(fault.to_string())),
                Err(fault) => {
                    self.progress.detail(&format!("the {role}'s answer cannot be used: {fault}"));
                    refused = Some((answer.text, vec![fault.to_string()]));
                }
            }
        }
    }
}

impl Unusable {
    /// Whether the agent works, and there is no answer that is of use all the same.
    pub(super) const fn is_for_want_of_an_answer(&self) -> bool {
        match self {
            Unusable::Agent(failure) => failure.is_nothing(),
            Unusable::Prompt(_) | Unusable::Answer(_) => true,
        }
    }

    pub(super) fn words(&self) -> String {
        match self {
            Unusable::Agent(failure) => failure.message.clone(),
            Unusable::Prompt(error) => error.to_string(),
            Unusable::Answer(fault) => fault.clone(),
        }
    }
}

/// Why there is no plan.
pub(super) fn planner_failure(unusable: Unusable) -> Failure {
    match unusable {
        Unusable::Agent(AgentFailure { kind: FailureKind::Cancelled(cause), .. }) => interrupted(cause),
        Unusable::Agent(failure) => {
            let exit = if failure.kind == FailureKind::Timeout { TIMEOUT } else { ERROR };
            let other_way = if failure.is_nothing() { ", or commit with `stagecoach --single`" } else { "" };
            let failure = Failure::from(failure).exit(exit);
            Failure { hint: format!("{}{other_way}", failure.hint), ..failure }
        }
        Unusable::Prompt(error) => Failure::new(
            "prompt_too_long",
            "the change cannot be planned within the limit",
            error.to_string(),
            "raise `token_limit`, or commit with `stagecoach --single`",
        ),
        Unusable::Answer(fault) => Failure::new(
            "planner",
            "the planner gave no plan that can be used",
            fault,
            "try again, another model with --planner-model, another --commits or --max-commits, or `stagecoach --single`",
        ),
    }
}
