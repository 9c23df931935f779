//! One dirty tree, several commits: plan → stage → reconcile → write → publish.
//!
//! Everything before the first publication happens on frozen trees. The planner divides, the stager sorts the hunks of
//! shared files, the arbiter places what is left over; then every message is written, several at once, and the commits
//! are published in order as their messages come.

mod ask;
mod draft;
mod land;
mod seats;
mod shown;
mod sort;
mod tooled;
mod ways;

use crate::commit::{Hooks, Journal, Snapshot};
use crate::decompose::plan::{Concept, Verdict};
use crate::decompose::{Ground, Staging, freeze_all};
use crate::git::{Frozen, Identities, LogEntry};
use crate::message::Message;
use crate::payload::Payload;
use crate::progress::Progress;
use crate::prompt::Planned;
use crate::role::Role;
use crate::ui::json;

use super::super::Failure;
use super::super::failure::ERROR;
use super::Run;
use super::prepare::{Wishes, Writer};
use ask::planner_failure;

/// What the planner made of a change.
pub(super) enum Division {
    /// It is one commit, perhaps with a message that still has to be judged.
    One(Option<String>),
    /// It is several.
    Several(Box<Parts>),
    /// There is no plan that can be used, and so nothing that could be finished without one.
    Unplanned(Box<Failure>),
    /// `--show-prompt`: what the planner would be sent.
    Prompt(String),
}

/// A change taken apart.
pub(super) struct Parts {
    /// The change.
    pub(super) ground: Ground,
    /// What each commit has of it.
    pub(super) staging: Staging,
    /// The commits, in the same order.
    pub(super) steps: Vec<Step>,
}

/// One commit to be made.
pub(super) struct Step {
    /// What the plan says of it; `None` for what is left over, and for a change that is not divided.
    concept: Option<Concept>,
    /// Its tree, and what it changes against the one before.
    pub(super) frozen: Frozen,
    /// What the message role is shown of it.
    pub(super) payload: Payload,
    /// Scopes that history used for its files.
    pub(super) scopes: Vec<String>,
}

impl Step {
    /// What it is called.
    pub(super) fn title(&self) -> &str {
        self.concept.as_ref().map_or("what is left over", |concept| &concept.title)
    }

    fn planned(&self) -> Option<Planned<'_>> {
        self.concept.as_ref().map(|Concept { title, description, .. }| Planned { title, description })
    }
}

/// What all roles of a decomposition are told besides the change.
pub(super) struct Setting<'a> {
    pub(super) snapshot: &'a Snapshot,
    pub(super) wishes: &'a Wishes,
    pub(super) history: &'a [LogEntry],
}

impl Run<'_> {
    /// Whether a frozen working tree is to become several commits.
    pub(super) fn divides(&self, snapshot: &Snapshot, wishes: &Wishes) -> bool {
        let one = self.args.all || self.args.single || self.commits == Some(1) || wishes.description.is_some();
        let several = self.commits.is_some() || snapshot.change().files().len() > 1;
        snapshot.working_tree().is_some() && !one && several
    }

    /// Has the change divided and the trees of all commits made. Nothing is written but objects, and what `begin` notes
    /// before an agent is asked.
    pub(super) fn divide(
        &self,
        setting: &Setting<'_>,
        begin: impl FnOnce() -> Result<(), Failure>,
        document: &mut json::Document,
    ) -> Result<Division, Failure> {
        let snapshot = setting.snapshot;
        let payload = self.payload_of(snapshot.change(), setting.wishes)?;
        let planner = self.writer(Role::Planner)?;
        let scopes = crate::commit::scopes(self.repository, snapshot.change(), setting.history)?;
        if self.args.show_prompt {
            return self.planner_prompt(setting, &planner, &payload, &scopes).map(Division::Prompt);
        }
        self.check_later_roles()?;
        let unseen = payload.files().iter().enumerate().filter(|(_, file)| file.noise.is_some());
        let ground = self.ground(snapshot)?.hiding(unseen.map(|(index, _)| index));
        begin()?;
        self.say_what_is_shadowed(Role::Planner);
        self.note_role(document, Role::Planner, &planner.manifest);
        let plan = match self.ask_planner(setting, &planner, &ground, &payload, &scopes) {
            Ok(Verdict::Single { message }) => return Ok(Division::One(message)),
            Ok(Verdict::Commits(plan)) => plan,
            Err(unusable) if unusable.is_for_want_of_an_answer() => {
                return Ok(Division::Unplanned(Box::new(planner_failure(unusable))));
            }
            Err(unusable) => return Err(planner_failure(unusable)),
        };
        for note in &plan.notes {
            self.progress.detail(&note.to_string());
        }
        let staging = self.stage(setting, &ground, &plan, document)?;
        for note in &staging.notes {
            self.progress.notice(&note.to_string());
        }
        let steps = self.steps(setting, &ground, &staging, &plan.concepts)?;
        Ok(Division::Several(Box::new(Parts { ground, staging, steps })))
    }

    /// Refuses to begin where a role that may have to be asked after the planner has nobody to ask.
    fn check_later_roles(&self) -> Result<(), Failure> {
        let asks = |role| (&self.settings.role(role).provider, &self.settings.role(role).model);
        let mut checked = vec![asks(Role::Planner)];
        for role in [Role::Stager, Role::Arbiter] {
            if checked.contains(&asks(role)) {
                continue;
            }
            checked.push(asks(role));
            self.writer(role).map_err(|failure| Failure {
                what: format!("{}, and the {role} may have to be asked", failure.what),
                ..failure
            })?;
        }
        Ok(())
    }

    /// The whole change as one commit.
    pub(super) fn undivided(&self, setting: &Setting<'_>) -> Result<Parts, Failure> {
        let ground = self.ground(setting.snapshot)?;
        let staging = Staging::whole(&ground);
        let steps = self.steps(setting, &ground, &staging, &[])?;
        Ok(Parts { ground, staging, steps })
    }

    fn ground(&self, snapshot: &Snapshot) -> Result<Ground, Failure> {
        let base = self.repository.tree_at(snapshot.head().commit)?;
        Ok(Ground::new(base, snapshot.tree(), snapshot.change().clone()))
    }

    /// The commits with what their messages are written from.
    fn steps(
        &self,
        setting: &Setting<'_>,
        ground: &Ground,
        staging: &Staging,
        concepts: &[Concept],
    ) -> Result<Vec<Step>, Failure> {
        let trees = freeze_all(self.repository, ground, staging).map_err(stage_failure)?;
        let made = trees.into_iter().zip(&staging.steps).map(|(frozen, step)| {
            // The objects first: whatever fails later, the trees can be rescued.
            self.repository.store(&frozen)?;
            let payload = self.payload_of(&frozen.change, setting.wishes)?;
            let scopes = crate::commit::scopes(self.repository, &frozen.change, setting.history)?;
            let concept = step.concept.and_then(|concept| concepts.get(concept)).cloned();
            Ok(Step { concept, frozen, payload, scopes })
        });
        made.collect()
    }

    /// Writes all messages and publishes the commits in order, or shows them in a dry run.
    pub(super) fn carry_out(
        &self,
        setting: &Setting<'_>,
        writer: &Writer,
        hooks: &Hooks<'_>,
        steps: &[Step],
        publishing: Option<(&Identities, Journal<'_>)>,
        document: &mut json::Document,
    ) -> Result<(), Failure> {
        self.note_role(document, Role::Message, &writer.manifest);
        match publishing {
            Some(publishing) => self.publish_all(setting, writer, hooks, steps, publishing, document),
            None => self.show_all(setting, writer, hooks, steps, document),
        }
    }

    /// A planner's message for a single commit, when it stands up to what is asked of any other.
    pub(super) fn judged(&self, setting: &Setting<'_>, text: &str) -> Result<Option<Message>, Failure> {
        let style = crate::prompt::HouseStyle::resolve(self.settings.generation.format, setting.history);
        let clean = crate::provider::clean(text);
        let full = setting.wishes.template.as_ref().map_or_else(|| clean.clone(), |template| template.apply(&clean));
        let Ok(message) = Message::new(&full) else { return Ok(None) };
        let subject = message.subject();
        let fine = !clean.is_empty()
            && crate::message::faults(&clean, &subject, style.form, style.body).is_empty()
            && !crate::message::Subjects::taken(setting.history, &[]).contains(&subject);
        let sign_off = self.sign_off()?;
        let rules = self.rules(setting.wishes, sign_off.as_deref());
        Ok(fine.then(|| crate::message::completed(&message, &rules)).transpose()?)
    }
}

/// Trees that cannot be made.
#[allow(clippy::needless_pass_by_value, reason = "it is what `map_err` hands over")]
pub(super) fn stage_failure(error: crate::decompose::StageError) -> Failure {
    Failure::new(
        "stage",
        "the commits cannot be made as planned",
        error.to_string(),
        "commit with `stagecoach --single`",
    )
    .exit(ERROR)
}
