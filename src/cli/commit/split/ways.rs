//! The three ways to make the trees of a plan, and which of them a run takes.

use crate::agent::{AgentFailure, FailureKind};
use crate::config::Stager;
use crate::decompose::hunks::{Assignment, Sheet};
use crate::decompose::plan::Plan;
use crate::decompose::{Ground, Staging, stage};
use crate::progress::Progress;
use crate::prompt::Concept;
use crate::ui::json;

use super::super::super::Failure;
use super::super::Run;
use super::ask::Unusable;
use super::{Setting, stage_failure};

impl Run<'_> {
    /// Has the concepts staged: without an agent where no file is shared, else by hunks or by an agent with tools, as the
    /// settings say. A stager that gives nothing usable stops nothing: its share is left over.
    pub(super) fn staged(
        &self,
        setting: &Setting<'_>,
        ground: &Ground,
        plan: &Plan,
        concepts: &[Concept],
        document: &mut json::Document,
    ) -> Result<Staging, Failure> {
        if self.settings.stager == Stager::Tooled {
            match self.tool_stager(ground, true)? {
                Ok(stager) => return self.stage_with_tools(setting, ground, plan, concepts, &stager, document),
                Err(why) => self.progress.notice(&format!("{why}, so hunks are sorted instead")),
            }
        }
        let sheet = Sheet::new(ground, plan, self.repository).map_err(stage_failure)?;
        let by_hunks =
            |sheet, assignment| stage(ground, plan, sheet, &assignment, self.repository).map_err(stage_failure);
        if sheet.is_empty() {
            self.progress.detail("staging: disjoint, no file is shared by two commits");
            return by_hunks(sheet, Assignment::default());
        }
        self.progress.detail("staging: hunks, those of shared files are sorted one by one");
        let unusable = match self.ask_stager(setting, ground, plan, &sheet, concepts, document)? {
            Ok(assignment) => return by_hunks(sheet, assignment),
            Err(unusable) => unusable,
        };
        let why = unusable.words();
        if self.settings.stager == Stager::Auto
            && !unusable.will_be_so_again()
            && let Ok(stager) = self.tool_stager(ground, false)?
        {
            self.progress
                .notice(&format!("the hunks of shared files could not be sorted, so they are staged with git: {why}"));
            return self.stage_with_tools(setting, ground, plan, concepts, &stager, document);
        }
        self.progress.notice(&format!("the hunks of shared files could not be sorted, so they go together: {why}"));
        let nobody = Assignment::new(vec![None; sheet.len()]);
        by_hunks(sheet, nobody)
    }
}

impl Unusable {
    fn will_be_so_again(&self) -> bool {
        matches!(self, Unusable::Agent(failure) if is_hopeless(failure))
    }
}

/// Whether the provider will fail whatever it is asked.
pub(super) const fn is_hopeless(failure: &AgentFailure) -> bool {
    matches!(
        failure.kind,
        FailureKind::Missing
            | FailureKind::Auth
            | FailureKind::Quota
            | FailureKind::Model
            | FailureKind::Network
            | FailureKind::NoSeat
    )
}
