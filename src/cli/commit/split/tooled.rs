//! Staging with tools: for each concept in turn an agent stages with git in a scratch repository of its own.

use std::cell::Cell;
use std::collections::BTreeSet;

use bstr::ByteSlice;

use crate::agent::{Admission, AgentFailure, FailureKind, Request, ToolCall, Workbench};
use crate::config::Secrets;
use crate::decompose::plan::Plan;
use crate::decompose::{FileState, Ground, StageError, Staging, Tooled, freeze};
use crate::git::{Blobs, Change, ChangedFile, ScratchFile, ScratchRepository};
use crate::payload::{masked, quote};
use crate::progress::Progress;
use crate::prompt::{Concept, Fitted, Limits, TooledMaterial, tooled};
use crate::provider::Manifest;
use crate::role::Role;
use crate::run::Scratch;
use crate::ui::json;

use super::super::super::Failure;
use super::super::super::context::search_path;
use super::super::super::failure::interrupted;
use super::super::Run;
use super::super::land::used;
use super::super::reach::Hands;
use super::super::words::branch;
use super::ways::is_hopeless;
use super::{Setting, stage_failure};

/// A failing stager is tried so often.
const TRIES: usize = 2;

/// A provider that can stage with tools, and its program.
pub(super) struct ToolStager {
    agent: Hands,
    admission: Admission,
    manifest: Manifest,
    used: json::Role,
    /// Whether it is said that the system does not confine it.
    is_said: Cell<bool>,
}

/// A concept to be staged.
struct Task<'a> {
    title: &'a str,
    prompt: Fitted,
    files: &'a [ScratchFile],
}

/// What became of one call.
enum Attempt {
    Staged(Change),
    Failed { why: String, is_hopeless: bool },
}

impl Run<'_> {
    /// The stager's provider, where it can stage with git here; with `or_another`, another installed one that can, with a
    /// notice. Otherwise why not.
    pub(super) fn tool_stager(&self, ground: &Ground, or_another: bool) -> Result<Result<ToolStager, String>, Failure> {
        if let Some(base) = ground.base()
            && self.repository.lacks_objects(base)?
        {
            return Ok(Err("objects of this partial clone are not here".to_owned()));
        }
        let mut role = self.settings.role(Role::Stager).clone();
        let mut manifest = self.provider(&role)?.manifest;
        if !manifest.can_stage() {
            let unable = format!("provider `{}` cannot stage with git", manifest.name);
            let other = self.registry()?.choose_stager(&search_path(), &manifest.name)?;
            // Whoever chose to ask nobody is not made to ask somebody.
            let Some(other) = other.filter(|_| or_another && !manifest.is_offline()) else {
                return Ok(Err(unable));
            };
            manifest = other.manifest;
            self.progress.notice(&format!("{unable}; `{}` does it", manifest.name));
            // A model's name means something to its own provider only.
            role.model = None;
        }
        let single = if manifest.is_acp_alone { None } else { Some(self.one_shot(&manifest, &role)?) };
        let agent = match self.hands(&manifest, &role, single) {
            Ok(agent) => agent,
            Err(failure) => return Ok(Err(failure.message)),
        };
        let admission = self.admission(&manifest, &role)?;
        let used = used(&manifest, &role);
        Ok(Ok(ToolStager { agent, admission, manifest, used, is_said: Cell::new(false) }))
    }

    pub(super) fn stage_with_tools(
        &self,
        setting: &Setting<'_>,
        ground: &Ground,
        plan: &Plan,
        concepts: &[Concept],
        stager: &ToolStager,
        document: &mut json::Document,
    ) -> Result<Staging, Failure> {
        self.progress.detail(&format!("staging: tooled, {} stages with git", stager.manifest.name));
        self.say_what_is_shadowed(Role::Stager);
        document.roles.insert(Role::Stager.name(), stager.used.clone());
        let mut reader = Tooled::new(ground, self.repository);
        let (shown, files) = self.shown_files(ground, &mut reader)?;
        let mut given_up = false;
        for (index, (concept, planned)) in concepts.iter().zip(&plan.concepts).enumerate() {
            let state = reader.state();
            let open = |file: &&usize| shown.contains(file) && *state.of(**file) != FileState::Start;
            let own = planned.files.iter().filter(open).filter_map(|file| ground.file(*file));
            let own: Vec<String> = own.map(|file| quote(file.path())).collect();
            if own.is_empty() {
                reader.add_whole(plan, index).map_err(stage_failure)?;
                continue;
            }
            if given_up {
                reader.add_nothing(index);
                continue;
            }
            let prompt = self.tooled_prompt(setting, concepts, &Concept { files: own, ..concept.clone() }, stager);
            let prompt = match prompt {
                Ok(prompt) => prompt,
                Err(why) => {
                    self.say_left_over(&concept.title, &why);
                    reader.add_nothing(index);
                    continue;
                }
            };
            let task = Task { title: &concept.title, prompt, files: &files };
            match self.stage_concept(&task, ground, &reader, stager)? {
                Attempt::Staged(change) => {
                    reader.add(plan, index, &change).map_err(|error| broken_rules(&concept.title, error))?;
                }
                Attempt::Failed { why, is_hopeless } => {
                    self.say_left_over(&concept.title, &why);
                    reader.add_nothing(index);
                    given_up = is_hopeless;
                }
            }
        }
        Ok(reader.finish(plan))
    }

    fn say_left_over(&self, title: &str, why: &str) {
        self.progress.notice(&format!("\"{title}\" could not be staged, so its share is left over: {why}"));
    }

    /// The files that an agent may see and take lines of, by position and with their contents. All others go whole.
    fn shown_files(
        &self,
        ground: &Ground,
        reader: &mut Tooled<'_>,
    ) -> Result<(BTreeSet<usize>, Vec<ScratchFile>), Failure> {
        let (mut shown, mut files) = (BTreeSet::new(), Vec::new());
        for (index, file) in ground.files().iter().enumerate() {
            if reader.script(index).map_err(stage_failure)?.is_none() {
                continue;
            }
            let content = |side: Option<&crate::git::Side>| side.map(|side| self.repository.read(side.id)).transpose();
            let read = |error: crate::git::BlobError| stage_failure(error.into());
            let (old, new) = (content(file.old_side()).map_err(read)?, content(file.new_side()).map_err(read)?);
            if self.settings.secrets != Secrets::Off && holds_credential(file, old.as_deref(), new.as_deref()) {
                let path = quote(file.path());
                self.progress.detail(&format!("{path} holds what looks like a credential, so it goes whole"));
                reader.keep_whole(index);
                continue;
            }
            shown.insert(index);
            let content = file.new_side().map(|side| side.mode).zip(new);
            files.push(ScratchFile { path: file.path().to_owned(), content });
        }
        Ok((shown, files))
    }

    fn tooled_prompt(
        &self,
        setting: &Setting<'_>,
        concepts: &[Concept],
        task: &Concept,
        stager: &ToolStager,
    ) -> Result<Fitted, String> {
        let limits = Limits { reserved: String::new(), ..self.limits(Some(&stager.manifest)) };
        let (context, branch) = (self.context(), branch(setting.snapshot));
        tooled(&TooledMaterial { concepts, task, context, branch }, &limits).map_err(|error| error.to_string())
    }

    fn stage_concept(
        &self,
        task: &Task<'_>,
        ground: &Ground,
        reader: &Tooled<'_>,
        stager: &ToolStager,
    ) -> Result<Attempt, Failure> {
        let state = reader.state();
        let frozen = freeze(self.repository, ground, &state, &state)?;
        self.repository.store(&frozen)?;
        let mut attempt = Attempt::Failed { why: String::new(), is_hopeless: false };
        for number in 1..=TRIES {
            // Each call begins anew: what an earlier one did to its repository is gone with it.
            let folder = Scratch::outside(&self.repository.paths().work_tree)
                .map_err(|error| Failure::new("scratch", error.to_string(), "", "set TMPDIR to another folder"))?;
            let scratch = self.repository.scratch_repository(folder.path(), frozen.tree, task.files)?;
            attempt = self.attempt(task, ground, &scratch, stager)?;
            if let Err(error) = folder.close() {
                self.progress.detail(&format!("the agent's temporary folder cannot be removed: {error}"));
            }
            match &attempt {
                Attempt::Failed { why, is_hopeless: false } if number < TRIES => {
                    self.progress.detail(&format!("\"{}\" is to be staged once more: {why}", task.title));
                }
                _ => break,
            }
        }
        Ok(attempt)
    }

    fn attempt(
        &self,
        task: &Task<'_>,
        ground: &Ground,
        scratch: &ScratchRepository<'_>,
        stager: &ToolStager,
    ) -> Result<Attempt, Failure> {
        let given = scratch.staged(ground.base())?;
        let bench = Workbench {
            folder: &scratch.writable(),
            work_tree: scratch.work_tree(),
            git_dir: &scratch.git_dir(),
            temporary: &scratch.temporary(),
            variables: scratch.environment(),
            protected: scratch.protected(),
        };
        let request = Request { role: Role::Stager, prompt: &task.prompt.prompt, retry: false, facts: None };
        let before = self.repository.ref_state()?;
        let call = match stager.admission.seat(self.cancel) {
            Ok(_seat) => stager.agent.work(&request, &bench, self.cancel),
            Err(failure) => ToolCall { outcome: Err(failure), is_confined: true },
        };
        if !call.is_confined {
            if !stager.manifest.tooled.sandbox && !stager.is_said.replace(true) {
                self.progress.notice(
                    "this system cannot keep the stager from writing to your repository; your refs are watched",
                );
            }
            if let Some(name) = before.moved_in(&self.repository.ref_state()?) {
                return Err(refs_moved(task.title, &name));
            }
        }
        let failed = |why: String| Attempt::Failed { why, is_hopeless: false };
        let said = match call.outcome {
            Ok(said) => said,
            Err(AgentFailure { kind: FailureKind::Cancelled(cause), .. }) => return Err(interrupted(cause)),
            Err(failure) => {
                return Ok(Attempt::Failed { is_hopeless: is_hopeless(&failure), why: failure.message });
            }
        };
        if scratch.has_moved() {
            return Err(rules("it committed or switched instead of staging", task.title));
        }
        Ok(match scratch.staged(ground.base()) {
            Ok(found) if found == given && !said => failed("it staged nothing and said nothing".to_owned()),
            Ok(found) => Attempt::Staged(found),
            Err(error) => failed(error.to_string()),
        })
    }
}

/// Whether an agent must not see a file: nothing can be masked in a content that has to stay what it is.
fn holds_credential(file: &ChangedFile, old: Option<&[u8]>, new: Option<&[u8]>) -> bool {
    let sides: Vec<&[u8]> = old.into_iter().chain(new).collect();
    [(old, '-'), (new, '+')].into_iter().any(|(content, sign)| {
        let text = content.map(|content| signed(content, sign)).unwrap_or_default();
        masked(text.clone(), file.path(), &sides) != text
    })
}

/// The lines of a content as a diff has them.
fn signed(content: &[u8], sign: char) -> String {
    let mut text = String::with_capacity(content.len() + content.len() / 16);
    for line in content.lines() {
        text.push(sign);
        text.push_str(&line.to_str_lossy());
        text.push('\n');
    }
    text
}

fn broken_rules(title: &str, error: StageError) -> Failure {
    match error {
        StageError::Violation(violation) => rules(&violation.to_string(), title),
        other => stage_failure(other),
    }
}

fn rules(why: &str, title: &str) -> Failure {
    Failure::new(
        "stager",
        format!("the stager did what it may not while it staged \"{title}\"; nothing was committed"),
        why,
        "try again, or another one with --stager-provider, or set [decompose] stager = \"hunks\"",
    )
}

fn refs_moved(title: &str, name: &str) -> Failure {
    Failure::new(
        "refs_moved",
        format!("{name} moved while the stager worked on \"{title}\"; the run committed nothing"),
        "it was the stager, or somebody else meanwhile",
        format!("see `git reflog {name}`, put it right, and run stagecoach again"),
    )
}
