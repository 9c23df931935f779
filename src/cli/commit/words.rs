//! From the snapshot to a message.

use std::collections::HashMap;

use crate::agent::{Agent, FailureKind};
use crate::commit::{Rescue, Snapshot, scopes};
use crate::git::{HeadTarget, LogEntry, Operation};
use crate::message::{
    DUPLICATE_WINDOW, Message, Rules, Turns, Work, WriteError, WriteFailure, Written, write, write_by_reading,
    write_in_turns,
};
use crate::payload::{self, Payload};
use crate::progress::Progress;
use crate::prompt::{self, Again, Material, Reading};
use crate::role::Role;
use crate::ui::json;

use super::super::Failure;
use super::super::failure::{RESCUE, interrupted};
use super::Run;
use super::prepare::{Wishes, Writer};

/// What the middle of a run yields.
pub(super) enum Words {
    /// A message to commit or to show.
    Given(Message),
    /// `--show-prompt`: what would be sent.
    Prompt(String),
}

impl Run<'_> {
    pub(super) fn say_what_was_frozen(&self, snapshot: &Snapshot) {
        for file in snapshot.left_out() {
            let path = payload::quote(file.path.as_ref());
            self.progress.notice(&format!("{path} {}, so it is left out (`-a` or `git add` takes it in)", file.why));
        }
        if snapshot.working_tree().is_some_and(|tree| tree.outside_sparse_checkout) {
            self.progress.notice("untracked files outside of the sparse checkout are left out");
        }
        if self.args.all && matches!(snapshot.operation(), Operation::Merge(_)) {
            self.progress.notice("a merge is concluded with what is staged; --all has no effect on it");
        }
        self.progress.detail(&format!("frozen: tree {} of {}", snapshot.tree(), snapshot.head()));
    }

    /// Has the message written, and meanwhile stores the frozen tree.
    pub(super) fn words(
        &self,
        snapshot: &Snapshot,
        writer: &Writer,
        wishes: &Wishes,
        document: &mut json::Document,
    ) -> Result<Words, Failure> {
        let payload = self.payload(snapshot, wishes)?;
        let history = match snapshot.head().commit {
            Some(commit) => self.repository.log(commit, DUPLICATE_WINDOW)?,
            None => Vec::new(),
        };
        let scopes = scopes(self.repository, snapshot.change(), &history)?;
        let material = self.material(snapshot, &payload, &history, &scopes);
        self.note_counts(document, &payload, snapshot);
        if self.args.show_prompt {
            return self.show_prompt(&material, wishes).map(Words::Prompt);
        }
        self.note_role(document, &writer.manifest);
        let sign_off =
            if self.args.signoff { Some(self.repository.identities()?.committer_name_and_email()) } else { None };
        let rules = Rules {
            limits: wishes.limits.clone(),
            template: wishes.template.as_ref(),
            taken: &[],
            max_duplicate_retries: self.settings.generation.max_duplicate_retries,
            sign_off: sign_off.as_deref(),
            trailers: &wishes.trailers,
            refusal: None,
        };
        let (asked, cancel, progress) = (writer.agent.as_ref(), self.cancel, self.progress.as_ref());
        let rounds = self.settings.generation.work_desc_read_rounds;
        let work = wishes.description.as_deref().map(|description| Work { description, rounds });
        let dry = self.args.dry_run;
        let (written, stored) = std::thread::scope(|scope| {
            let agent = scope.spawn(|| match work {
                Some(work) => write_by_reading(asked, &material, &rules, work, cancel, progress),
                None => write(asked, &material, &rules, cancel, progress),
            });
            let stored = if dry { Ok(()) } else { self.repository.store(snapshot.frozen()) };
            (agent.join(), stored)
        });
        let written = written.map_err(|_| Failure::new("bug", "writing the message failed", "", "this is a bug"))?;
        let written =
            written.or_else(|failure| self.write_in_turns(asked, &material, &rules, (snapshot, wishes), failure));
        match written {
            Ok(written) => {
                stored?;
                self.accept(&written, document);
                Ok(Words::Given(written.message))
            }
            Err(failure) => {
                document.retries = failure.retries;
                Err(self.not_written(snapshot, failure))
            }
        }
    }

    /// A second way for a large change of which nothing came.
    fn write_in_turns(
        &self,
        agent: &dyn Agent,
        material: &Material<'_>,
        rules: &Rules<'_>,
        (snapshot, wishes): (&Snapshot, &Wishes),
        failure: WriteFailure,
    ) -> Result<Written, WriteFailure> {
        let generation = &self.settings.generation;
        if !generation.multi_turn_fallback || wishes.description.is_some() {
            return Err(failure);
        }
        let whole = || {
            let options = self.payload_options(wishes, usize::MAX);
            payload::build(snapshot.change(), self.repository, &options)
        };
        let turns = Turns { chunk_tokens: generation.multi_turn_chunk_tokens, whole: &whole };
        write_in_turns(agent, material, rules, &turns, failure, self.cancel, self.progress.as_ref())
    }

    fn payload_options(&self, wishes: &Wishes, file_cap: usize) -> payload::Options {
        let generation = &self.settings.generation;
        payload::Options {
            context: u32::try_from(generation.diff_context).unwrap_or(1),
            excludes: wishes.excludes.clone(),
            binary_extensions: generation.binary_extensions.clone(),
            secrets: self.settings.secrets,
            file_cap,
            submodule_log: HashMap::new(),
        }
    }

    pub(super) fn payload(&self, snapshot: &Snapshot, wishes: &Wishes) -> Result<Payload, Failure> {
        // Where diffs are read one by one, each may be read whole.
        let file_cap = if wishes.description.is_some() { usize::MAX } else { wishes.limits.file_cap() };
        let payload = payload::build(snapshot.change(), self.repository, &self.payload_options(wishes, file_cap))?;
        payload.warnings().iter().for_each(|warning| self.progress.notice(warning));
        payload.notices().iter().for_each(|notice| self.progress.detail(notice));
        Ok(payload)
    }

    pub(super) fn material<'b>(
        &'b self,
        snapshot: &'b Snapshot,
        payload: &'b Payload,
        history: &'b [LogEntry],
        scopes: &'b [String],
    ) -> Material<'b> {
        let generation = &self.settings.generation;
        let head = snapshot.head();
        Material {
            payload,
            history,
            format: generation.format,
            locale: generation.locale.as_deref(),
            context: self.args.context.as_deref().filter(|text| !text.trim().is_empty()),
            branch: matches!(head.target, HeadTarget::Branch(_)).then(|| head.branch()),
            scopes,
            prepared: match snapshot.operation() {
                Operation::Squash(message) => Some(message),
                Operation::None | Operation::Merge(_) => None,
            },
            subject_target: generation.subject_target_chars,
        }
    }

    pub(super) fn accept(&self, written: &Written, document: &mut json::Document) {
        document.retries = written.retries;
        written.notes.iter().for_each(|note| self.progress.notice(note));
    }

    pub(super) fn not_written(&self, snapshot: &Snapshot, failure: WriteFailure) -> Failure {
        let candidate = failure.candidate.as_ref().map(Message::as_str);
        let why = failure.error.to_string();
        let explained = match *failure.error {
            WriteError::Agent(failure) => match failure.kind {
                FailureKind::Cancelled(cause) => interrupted(cause).exit(RESCUE),
                _ => failure.into(),
            },
            WriteError::NoMessage => Failure::new(
                "agent_garbled",
                format!("{} gave no commit message", self.provider_name()),
                why,
                "try again, or another model with --model or another provider with --provider",
            )
            .exit(RESCUE),
            WriteError::Duplicate(_) => Failure::new(
                "duplicate",
                format!("{} wrote no new subject", self.provider_name()),
                why,
                "say what is different with --context, or use the message below",
            )
            .exit(RESCUE),
            WriteError::Prompt(error) => Failure::new(
                "prompt_too_long",
                "the change cannot be described within the limit",
                error.to_string(),
                "raise `token_limit`, or commit fewer files at once",
            )
            .exit(RESCUE),
        };
        if self.args.dry_run { explained } else { self.rescue(snapshot, candidate, explained) }
    }

    /// What the first call would send.
    fn show_prompt(&self, material: &Material<'_>, wishes: &Wishes) -> Result<String, Failure> {
        let rounds = self.settings.generation.work_desc_read_rounds;
        let prompt = match &wishes.description {
            Some(description) => Reading::new(material, description, &wishes.limits, rounds)
                .and_then(|reading| reading.whole(&[], &Again::default(), rounds)),
            None => prompt::message(material, &Again::default(), &wishes.limits).map(|fitted| fitted.prompt),
        };
        let prompt = prompt.map_err(|error| {
            Failure::new("prompt_too_long", "there is no room for a prompt", error.to_string(), "raise `token_limit`")
        })?;
        Ok(format!("--- system prompt\n{}\n--- payload\n{}\n", prompt.system, prompt.user))
    }

    pub(super) fn provider_name(&self) -> &str {
        self.settings.role(Role::Message).provider.as_deref().unwrap_or("the agent")
    }

    /// Keeps what was frozen; where that fails too, both failures are told.
    pub(super) fn rescue(&self, snapshot: &Snapshot, candidate: Option<&str>, failure: Failure) -> Failure {
        match Rescue::keep(self.repository, snapshot, candidate) {
            Ok(rescue) => failure.with_rescue(rescue),
            Err(error) => {
                let why = format!("{}\nand the frozen tree could not be kept: {error}", failure.why);
                Failure { why, ..failure }
            }
        }
    }
}

/// git's prepared message without its comment lines; `None` where nothing is left of it.
pub(super) fn prepared_message(text: &str) -> Option<Message> {
    let kept: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
    Message::new(&kept.join("\n")).ok()
}
