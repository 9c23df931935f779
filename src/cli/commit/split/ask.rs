//! Asking planner, stager and arbiter: each gets one more try when its answer cannot be used.

use std::num::NonZeroUsize;

use crate::agent::offline::Facts;
use crate::agent::{AgentFailure, FailureKind, Request};
use crate::decompose::hunks::{Assignment, Sheet};
use crate::decompose::plan::{self, Count, Plan, Verdict};
use crate::decompose::{Ground, Staging, Target, leftover, read_target, reconcile, stage};
use crate::payload::Payload;
use crate::progress::Progress;
use crate::prompt::{
    ArbiterMaterial, Concept, Correction, Fitted, Limits, PlanCount, PlannerMaterial, PromptError, StagerMaterial,
    arbiter, planner, stager,
};
use crate::role::Role;
use crate::ui::json;

use super::super::super::Failure;
use super::super::super::failure::{ERROR, TIMEOUT, interrupted};
use super::super::Run;
use super::super::prepare::Writer;
use super::super::words::branch;
use super::shown::shown;
use super::{Setting, stage_failure};

/// Why a role gave nothing that can be used.
enum Unusable {
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
        let fitted = planner(&material, None, &self.limits_of(writer))
            .map_err(|error| planner_failure(Unusable::Prompt(error)))?;
        Ok(format!("--- system prompt\n{}\n--- payload\n{}\n", fitted.prompt.system, fitted.prompt.user))
    }

    pub(super) fn ask_planner(
        &self,
        setting: &Setting<'_>,
        writer: &Writer,
        ground: &Ground,
        payload: &Payload,
        scopes: &[String],
    ) -> Result<Verdict, Failure> {
        let material = self.planner_material(setting, payload, scopes);
        let count = match self.commits {
            Some(count) => Count::Exactly(count),
            None => Count::UpTo(self.settings.generation.max_commits),
        };
        let limits = self.limits_of(writer);
        self.ask_twice(
            writer,
            Role::Planner,
            Facts::Planner(&material),
            |correction| planner(&material, correction, &limits),
            |answer| plan::read(answer, ground, count),
        )
        .map_err(planner_failure)
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

    /// Sorts the hunks of shared files and gives what is left over a place. A stager or an arbiter that fails stops
    /// nothing: its share is left over, or a commit of its own.
    pub(super) fn stage(
        &self,
        setting: &Setting<'_>,
        ground: &Ground,
        plan: &Plan,
        document: &mut json::Document,
    ) -> Result<Staging, Failure> {
        let concepts = concepts(ground, plan);
        let sheet = Sheet::new(ground, plan, self.repository).map_err(stage_failure)?;
        let assignment = if sheet.is_empty() {
            Assignment::default()
        } else {
            self.ask_stager(setting, ground, &sheet, &concepts, document)?
        };
        let staging = stage(ground, plan, sheet, &assignment, self.repository).map_err(stage_failure)?;
        if leftover(ground, &staging).is_empty() {
            return Ok(staging);
        }
        let target = self.ask_arbiter(setting, ground, &staging, &concepts, document)?;
        reconcile(ground, staging, &target, self.repository).map_err(stage_failure)
    }

    fn ask_stager(
        &self,
        setting: &Setting<'_>,
        ground: &Ground,
        sheet: &Sheet,
        concepts: &[Concept],
        document: &mut json::Document,
    ) -> Result<Assignment, Failure> {
        let writer = self.writer(setting.loaded, Role::Stager)?;
        self.note_role(document, Role::Stager, &writer.manifest);
        let hunks = shown(sheet, ground, self.settings.secrets);
        let (context, branch) = (self.context(), branch(setting.snapshot));
        let material = StagerMaterial { concepts, hunks: &hunks, context, branch };
        let limits = self.limits_of(&writer);
        let asked = self.ask_twice(
            &writer,
            Role::Stager,
            Facts::Stager(&material),
            |correction| stager(&material, correction, &limits),
            |answer| Assignment::read(answer, ground, sheet, concepts.len()),
        );
        match asked {
            Ok(assignment) => Ok(assignment),
            Err(Unusable::Agent(AgentFailure { kind: FailureKind::Cancelled(cause), .. })) => Err(interrupted(cause)),
            Err(unusable) => {
                let why = unusable.words();
                self.progress
                    .notice(&format!("the hunks of shared files could not be sorted, so they go together: {why}"));
                Ok(Assignment::new(vec![None; sheet.len()]))
            }
        }
    }

    fn ask_arbiter(
        &self,
        setting: &Setting<'_>,
        ground: &Ground,
        staging: &Staging,
        concepts: &[Concept],
        document: &mut json::Document,
    ) -> Result<Target, Failure> {
        let writer = self.writer(setting.loaded, Role::Arbiter)?;
        self.note_role(document, Role::Arbiter, &writer.manifest);
        let start = crate::decompose::State::start(ground);
        let rest = crate::decompose::freeze(self.repository, ground, &staging.last(ground), &start)?;
        let payload = self.payload_of(&rest.change, setting.wishes)?;
        let (context, branch) = (self.context(), branch(setting.snapshot));
        let material = ArbiterMaterial { concepts, leftover: &payload, context, branch };
        let limits = self.limits_of(&writer);
        let asked = self.ask_twice(
            &writer,
            Role::Arbiter,
            Facts::Arbiter(&material),
            |correction| arbiter(&material, correction, &limits),
            |answer| Ok::<_, std::convert::Infallible>(read_target(answer, staging)),
        );
        match asked {
            Ok((target, note)) => {
                note.iter().for_each(|note| self.progress.notice(&note.to_string()));
                Ok(target)
            }
            Err(Unusable::Agent(AgentFailure { kind: FailureKind::Cancelled(cause), .. })) => Err(interrupted(cause)),
            Err(unusable) => {
                let why = unusable.words();
                self.progress.notice(&format!("what no commit claimed becomes a commit of its own: {why}"));
                Ok(Target::Own)
            }
        }
    }

    /// Asks, and asks once more with what was wrong.
    fn ask_twice<T, F: std::fmt::Display>(
        &self,
        writer: &Writer,
        role: Role,
        facts: Facts<'_>,
        prompt: impl Fn(Option<Correction<'_>>) -> Result<Fitted, PromptError>,
        read: impl Fn(&str) -> Result<T, F>,
    ) -> Result<T, Unusable> {
        let mut refused: Option<(String, Vec<String>)> = None;
        loop {
            let correction = refused.as_ref().map(|(answer, faults)| Correction { answer, faults });
            let fitted = prompt(correction).map_err(Unusable::Prompt)?;
            fitted.notice.iter().for_each(|notice| self.progress.detail(notice));
            let request = Request { role, prompt: &fitted.prompt, retry: false, facts: Some(facts) };
            let answer = writer.agent.ask(&request, self.cancel).map_err(Unusable::Agent)?;
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

    fn limits_of(&self, writer: &Writer) -> Limits {
        Limits { reserved: String::new(), ..self.limits(Some(&writer.manifest)) }
    }
}

impl Unusable {
    fn words(&self) -> String {
        match self {
            Unusable::Agent(failure) => failure.message.clone(),
            Unusable::Prompt(error) => error.to_string(),
            Unusable::Answer(fault) => fault.clone(),
        }
    }
}

/// Without a plan there is nothing to rescue: everything is still in the working tree.
fn planner_failure(unusable: Unusable) -> Failure {
    match unusable {
        Unusable::Agent(AgentFailure { kind: FailureKind::Cancelled(cause), .. }) => interrupted(cause),
        Unusable::Agent(failure) => {
            let exit = if failure.kind == FailureKind::Timeout { TIMEOUT } else { ERROR };
            Failure::from(failure).exit(exit)
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
            "try again, or another model with --planner-model, or commit with `stagecoach --single`",
        ),
    }
}

/// The planned commits as the other roles are told of them.
fn concepts(ground: &Ground, plan: &Plan) -> Vec<Concept> {
    let path = |file: &usize| ground.file(*file).map(|file| crate::payload::quote(file.path()));
    let concept = |(index, concept): (usize, &plan::Concept)| Concept {
        id: format!("c{}", index + 1),
        title: concept.title.clone(),
        description: concept.description.clone(),
        files: concept.files.iter().filter_map(path).collect(),
    };
    plan.concepts.iter().enumerate().map(concept).collect()
}
