//! From a plan to the content of each commit: the stager sorts the hunks of shared files, the arbiter places the rest.

use crate::agent::offline::Facts;
use crate::agent::{AgentFailure, FailureKind};
use crate::decompose::hunks::{Assignment, Sheet};
use crate::decompose::plan::{self, Plan};
use crate::decompose::{
    Ground, Note, Staging, State, Target, concept_id, emptied, freeze, leftover, read_target, reconcile,
};
use crate::progress::Progress;
use crate::prompt::{ArbiterMaterial, Concept, StagerMaterial, arbiter, stager};
use crate::role::Role;
use crate::ui::json;

use super::super::super::Failure;
use super::super::super::failure::interrupted;
use super::super::Run;
use super::super::words::branch;
use super::ask::Unusable;
use super::shown::shown;
use super::{Setting, stage_failure};

impl Run<'_> {
    /// Has the concepts staged and gives what is left over a place. A stager or an arbiter that fails stops
    /// nothing, unless so many commits were asked for: its share is left over, or a commit of its own.
    pub(super) fn stage(
        &self,
        setting: &Setting<'_>,
        ground: &Ground,
        plan: &Plan,
        document: &mut json::Document,
    ) -> Result<Staging, Failure> {
        let concepts = concepts(ground, plan);
        let staging = self.staged(setting, ground, plan, &concepts, document)?;
        if let Some(wanted) = self.commits.filter(|wanted| *wanted != staging.steps.len()) {
            return Err(not_so_many(wanted, &staging));
        }
        if leftover(ground, &staging).is_empty() {
            return Ok(staging);
        }
        let (target, why) = self.ask_arbiter(setting, ground, &staging, &concepts, document)?;
        let target = self.within_the_number(target, why, plan, &staging);
        reconcile(ground, staging, &target, self.repository).map_err(stage_failure)
    }

    /// Has the hunks of shared files sorted, or says why that came to nothing.
    pub(super) fn ask_stager(
        &self,
        setting: &Setting<'_>,
        ground: &Ground,
        plan: &Plan,
        sheet: &Sheet,
        concepts: &[Concept],
        document: &mut json::Document,
    ) -> Result<Result<Assignment, Unusable>, Failure> {
        let writer = self.writer(Role::Stager)?;
        self.say_what_is_shadowed(Role::Stager);
        self.note_role(document, Role::Stager, &writer.manifest);
        let hunks = shown(sheet, ground, self.settings.secrets);
        let (context, branch) = (self.context(), branch(setting.snapshot));
        let material = StagerMaterial { concepts, hunks: &hunks, context, branch };
        let limits = self.limits(Some(&writer.manifest));
        let asked = self.ask_twice(
            &writer,
            Role::Stager,
            Facts::Stager(&material),
            |correction| stager(&material, correction, &limits),
            |answer| {
                let assignment =
                    Assignment::read(answer, ground, sheet, concepts.len()).map_err(|fault| fault.to_string())?;
                let empty = if self.commits.is_some() { emptied(plan, sheet, &assignment) } else { Vec::new() };
                if empty.is_empty() { Ok(assignment) } else { Err(no_hunk_for(&empty)) }
            },
        );
        match asked {
            Err(Unusable::Agent(AgentFailure { kind: FailureKind::Cancelled(cause), .. })) => Err(interrupted(cause)),
            asked => Ok(asked),
        }
    }

    /// Where the rest goes, and why, where that is not what the arbiter said.
    fn ask_arbiter(
        &self,
        setting: &Setting<'_>,
        ground: &Ground,
        staging: &Staging,
        concepts: &[Concept],
        document: &mut json::Document,
    ) -> Result<(Target, Option<String>), Failure> {
        let writer = self.writer(Role::Arbiter)?;
        self.say_what_is_shadowed(Role::Arbiter);
        self.note_role(document, Role::Arbiter, &writer.manifest);
        let rest = freeze(self.repository, ground, &staging.last(ground), &State::start(ground))?;
        let payload = self.payload_of(&rest.change, setting.wishes)?;
        let (context, branch) = (self.context(), branch(setting.snapshot));
        let material = ArbiterMaterial { concepts, leftover: &payload, context, branch };
        let limits = self.limits(Some(&writer.manifest));
        let asked = self.ask_twice(
            &writer,
            Role::Arbiter,
            Facts::Arbiter(&material),
            |correction| arbiter(&material, correction, &limits),
            |answer| Ok::<_, std::convert::Infallible>(read_target(answer, staging)),
        );
        match asked {
            Ok((target, Some(Note::OwnCommit { why }))) => Ok((target, Some(why))),
            Ok((target, _)) => Ok((target, None)),
            Err(Unusable::Agent(AgentFailure { kind: FailureKind::Cancelled(cause), .. })) => Err(interrupted(cause)),
            Err(unusable) => Ok((Target::Own, Some(unusable.words()))),
        }
    }

    /// Where there may be no further commit, the last one takes in what would be one.
    fn within_the_number(&self, target: Target, why: Option<String>, plan: &Plan, staging: &Staging) -> Target {
        let most = self.commits.unwrap_or(self.settings.generation.max_commits);
        let last = staging.steps.last().and_then(|step| step.concept).filter(|_| staging.steps.len() >= most);
        if let (Target::Own, Some(last)) = (&target, last) {
            let title = plan.concepts.get(last).map(|concept| concept.title.as_str()).unwrap_or_default();
            self.progress.notice(&format!(
                "what no commit claimed goes into the last one, \"{title}\", so that there are no more than {most}"
            ));
            return Target::Concept(last);
        }
        if let Some(why) = why {
            self.progress.notice(&format!("what no commit claimed becomes a commit of its own: {why}"));
        }
        target
    }
}

/// The planned commits as the other roles are told of them.
fn concepts(ground: &Ground, plan: &Plan) -> Vec<Concept> {
    let path = |file: &usize| ground.file(*file).map(|file| crate::payload::quote(file.path()));
    let concept = |(index, concept): (usize, &plan::Concept)| Concept {
        id: concept_id(index),
        title: concept.title.clone(),
        description: concept.description.clone(),
        files: concept.files.iter().filter_map(path).collect(),
    };
    plan.concepts.iter().enumerate().map(concept).collect()
}

/// For the stager's next try.
fn no_hunk_for(empty: &[usize]) -> String {
    let ids: Vec<String> = empty.iter().map(|concept| concept_id(*concept)).collect();
    format!("No hunk is given to {}; every commit must have at least one, since so many are wanted.", ids.join(", "))
}

/// A forced number of commits that did not come about.
fn not_so_many(wanted: usize, staging: &Staging) -> Failure {
    let why: Vec<String> = staging.notes.iter().map(ToString::to_string).collect();
    Failure::new(
        "stager",
        format!("the change was not divided into {wanted} commits with content, but into {}", staging.steps.len()),
        why.join("\n"),
        "try again, or another number with --commits, or commit with `stagecoach --single`",
    )
}
