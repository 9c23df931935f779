//! From the snapshot to a message.

use std::collections::HashMap;
use std::thread::{Builder, ScopedJoinHandle};

use crate::agent::Agent;
use crate::commit::{Journal, Snapshot, cleanup_setting, comment_setting, scopes};
use crate::config::{Format, Style};
use crate::git::{Change, HeadTarget, LogEntry, Operation, Repository};
use crate::message::{
    DUPLICATE_WINDOW, Message, Prepared, Refusal, Rules, Turns, Work, WriteFailure, Written, trailers, write,
    write_by_reading, write_in_turns,
};
use crate::payload::{self, Payload};
use crate::progress::Progress;
use crate::prompt::{self, Again, Material, Prompt, Reading};
use crate::role::Role;
use crate::run::Cancel;
use crate::ui::json;

use super::super::Failure;
use super::Run;
use super::prepare::{Wishes, Writer};
use super::unwritten::explain_unwritten;

/// What the middle of a run yields.
pub(super) enum Words {
    /// A message to commit or to show.
    Given(Message),
    /// `--show-prompt`: what would be sent.
    Prompt(String),
}

/// How a change is read again with nothing cut, and sent in several turns.
pub(super) struct Whole {
    options: payload::Options,
    chunk_tokens: usize,
}

impl Whole {
    /// What to do after a single call has failed; see [`write_in_turns`].
    fn write(
        &self,
        agent: &dyn Agent,
        material: &Material<'_>,
        rules: &Rules<'_>,
        (change, failure): (&Change, WriteFailure),
        (cancel, progress): (&Cancel, &dyn Progress),
    ) -> Result<Written, WriteFailure> {
        // Several messages may be written at once, and a repository belongs to one thread.
        let whole = || {
            let repository = Repository::open()?;
            let options = payload::Options { submodule_log: repository.submodule_log(change), ..self.options.clone() };
            Ok(payload::build(change, &repository, &options)?)
        };
        let turns = Turns { chunk_tokens: self.chunk_tokens, whole: &whole };
        write_in_turns(agent, material, rules, &turns, failure, cancel, progress)
    }
}

/// Has a message written in a single call; where nothing comes of that and there is a second way, in several turns.
pub(super) fn at_once_or_in_turns(
    whole: Option<&Whole>,
    agent: &dyn Agent,
    material: &Material<'_>,
    rules: &Rules<'_>,
    change: &Change,
    (cancel, progress): (&Cancel, &dyn Progress),
) -> Result<Written, WriteFailure> {
    write(agent, material, rules, cancel, progress).or_else(|failure| match whole {
        Some(whole) => whole.write(agent, material, rules, (change, failure), (cancel, progress)),
        None => Err(failure),
    })
}

impl<'a> Run<'a> {
    pub(super) fn say_what_was_frozen(&self, snapshot: &Snapshot) {
        for file in snapshot.left_out() {
            let path = payload::quote(file.path.as_ref());
            self.progress.notice(&format!("{path} {}, so it is left out (`-a` or `git add` takes it in)", file.why));
        }
        if snapshot.working_tree().is_some_and(|tree| tree.outside_sparse_checkout) {
            self.progress.notice("untracked files outside of the sparse checkout are left out");
        }
        for path in snapshot.working_tree().map_or(&[][..], |tree| &tree.embedded) {
            self.progress.notice(&format!(
                "{path} is a repository of its own: only the id of its commit is committed, and none of its files \
                 (`git submodule add` makes it a submodule)"
            ));
        }
        if self.args.all && matches!(snapshot.operation(), Operation::Merge(_)) {
            self.progress.notice("a merge is concluded with what is staged; --all has no effect on it");
        }
        self.progress.detail(&format!("frozen: tree {} of {}", snapshot.tree(), snapshot.head()));
    }

    /// git prepares the message of a merge, and an invented one would be worse; only a body is asked for, and only where
    /// one is demanded.
    pub(super) fn asks_an_agent(&self, operation: &Operation) -> bool {
        match operation {
            Operation::Merge(merge) => {
                self.settings.generation.format.body || prepared_message(self.repository, &merge.message).is_none()
            }
            Operation::None | Operation::Squash(_) => true,
        }
    }

    /// What git prepared for the merge that the commit concludes.
    fn merge_message(&self, snapshot: &Snapshot) -> Option<Message> {
        match snapshot.operation() {
            Operation::Merge(merge) => prepared_message(self.repository, &merge.message),
            Operation::None | Operation::Squash(_) => None,
        }
    }

    /// The message that git prepared, with the trailers that are wished for.
    pub(super) fn prepared(
        &self,
        snapshot: &Snapshot,
        wishes: &Wishes,
        journal: &mut Option<Journal<'a>>,
    ) -> Result<Words, Failure> {
        if wishes.description.is_some() {
            self.progress.notice("the merge keeps the message that git prepared; the work description has no effect");
        }
        let mut text = self.merge_message(snapshot).map(|message| message.as_str().to_owned()).unwrap_or_default();
        if let Some(identity) = self.sign_off()? {
            text = trailers::sign_off(&text, &identity);
        }
        let message = Message::new(&wishes.trailers.add(&text)?).map_err(|error| {
            Failure::new(
                "merge_message",
                "the merge has no message",
                error.to_string(),
                "conclude it with `git commit`",
            )
        })?;
        *journal = self.begin(snapshot)?;
        Ok(Words::Given(message))
    }

    pub(super) fn sign_off(&self) -> Result<Option<String>, Failure> {
        if !self.args.message.signoff {
            return Ok(None);
        }
        let identity = self.repository.identities()?.committer_name_and_email();
        Ok(Some(self.repository.decoded(&identity)?))
    }

    /// Has the message written, and meanwhile stores and notes the frozen tree.
    pub(super) fn words(
        &self,
        snapshot: &Snapshot,
        writer: &Writer,
        wishes: &Wishes,
        journal: &mut Option<Journal<'a>>,
        document: &mut json::Document,
    ) -> Result<Words, Failure> {
        let payload = self.payload_of(snapshot.change(), wishes)?;
        let history = self.history(snapshot)?;
        let scopes = scopes(self.repository, snapshot.change(), &history)?;
        let material = self.material(snapshot, &payload, &history, &scopes);
        self.note_counts(document, &payload, snapshot);
        if self.args.show_prompt {
            return self.show_prompt(&material, wishes).map(Words::Prompt);
        }
        self.note_role(document, Role::Message, &writer.manifest);
        let sign_off = self.sign_off()?;
        let rules = self.rules(wishes, sign_off.as_deref());
        let (asked, cancel, progress) = (writer.agent.as_ref(), self.cancel, self.progress.as_ref());
        let rounds = self.settings.generation.work_desc_read_rounds;
        let work = wishes.description.as_deref().map(|description| Work { description, rounds });
        let (whole, change) = (self.whole(wishes), snapshot.change());
        let ask = || match work {
            Some(work) => write_by_reading(asked, &material, &rules, work, cancel, progress),
            None => at_once_or_in_turns(whole.as_ref(), asked, &material, &rules, change, (cancel, progress)),
        };
        let (written, begun) = std::thread::scope(|scope| {
            let agent = Builder::new().spawn_scoped(scope, ask);
            let begun = journal.take().map_or_else(|| self.begin(snapshot), |begun| Ok(Some(begun)));
            // Without a thread one comes after the other.
            (agent.map_or_else(|_| Ok(ask()), ScopedJoinHandle::join), begun)
        });
        let written = written.map_err(|_| Failure::new("bug", "writing the message failed", "", "this is a bug"))?;
        match written {
            Ok(written) => {
                *journal = begun?;
                self.accept(&written, document);
                Ok(Words::Given(match self.merge_message(snapshot) {
                    Some(prepared) => with_body(prepared, &written.message),
                    None => written.message,
                }))
            }
            Err(failure) => {
                document.retries = failure.retries;
                Err(self.not_written(begun, failure))
            }
        }
    }

    /// Has the message written again after `commit-msg` refused it.
    pub(super) fn written_again(
        &self,
        snapshot: &Snapshot,
        writer: &Writer,
        wishes: &Wishes,
        refusal: Refusal<'_>,
        document: &mut json::Document,
    ) -> Result<Message, Failure> {
        let payload = self.payload_of(snapshot.change(), wishes)?;
        let history = self.history(snapshot)?;
        let scopes = scopes(self.repository, snapshot.change(), &history)?;
        let material = self.material(snapshot, &payload, &history, &scopes);
        let written = self.write_again((&material, snapshot.change()), writer, wishes, &[], refusal)?;
        document.retries += 1 + written.retries;
        Ok(match self.merge_message(snapshot) {
            Some(prepared) => with_body(prepared, &written.message),
            None => written.message,
        })
    }

    /// Asks for a message that the hook takes, and tells what is to be said of it.
    pub(super) fn write_again(
        &self,
        (material, change): (&Material<'_>, &Change),
        writer: &Writer,
        wishes: &Wishes,
        taken: &[String],
        refusal: Refusal<'_>,
    ) -> Result<Written, Failure> {
        self.progress.notice("the hook commit-msg refused the message; asking for another");
        let sign_off = self.sign_off()?;
        let rules = Rules { taken, refusal: Some(refusal), ..self.rules(wishes, sign_off.as_deref()) };
        let (agent, cancel, progress) = (writer.agent.as_ref(), self.cancel, self.progress.as_ref());
        let whole = self.whole(wishes);
        let written = at_once_or_in_turns(whole.as_ref(), agent, material, &rules, change, (cancel, progress))
            .map_err(|failure| explain_unwritten(failure, &self.provider_name()))?;
        written.notes.iter().for_each(|note| self.progress.notice(note));
        Ok(written)
    }

    /// A second way for large changes of which nothing comes, where there is one.
    pub(super) fn whole(&self, wishes: &Wishes) -> Option<Whole> {
        let generation = &self.settings.generation;
        (generation.multi_turn_fallback && wishes.description.is_none()).then(|| Whole {
            options: self.payload_options(wishes, usize::MAX),
            chunk_tokens: generation.multi_turn_chunk_tokens,
        })
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

    pub(super) fn payload_of(&self, change: &Change, wishes: &Wishes) -> Result<Payload, Failure> {
        // Where diffs are read one by one, each may be read whole.
        let file_cap = if wishes.description.is_some() { usize::MAX } else { wishes.limits.file_cap() };
        let submodule_log = self.repository.submodule_log(change);
        let options = payload::Options { submodule_log, ..self.payload_options(wishes, file_cap) };
        let payload = payload::build(change, self.repository, &options)?;
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
        Material {
            payload,
            history,
            format: match self.merge_message(snapshot) {
                Some(_) => Format { style: Style::Plain, body: true },
                None => generation.format,
            },
            locale: generation.locale.as_deref(),
            context: self.context(),
            branch: branch(snapshot),
            scopes,
            prepared: match snapshot.operation() {
                Operation::Squash(message) => Some(message),
                Operation::None | Operation::Merge(_) => None,
            },
            planned: None,
            subject_target: generation.subject_target_chars,
        }
    }

    /// What the author says about the change.
    pub(super) fn context(&self) -> Option<&str> {
        self.args.message.context.as_deref().filter(|text| !text.trim().is_empty())
    }

    /// The latest commits, for style and duplicates.
    pub(super) fn history(&self, snapshot: &Snapshot) -> Result<Vec<LogEntry>, Failure> {
        match snapshot.head().commit {
            Some(commit) => Ok(self.repository.log(commit, DUPLICATE_WINDOW)?),
            None => Ok(Vec::new()),
        }
    }

    /// What a message has to keep to.
    pub(super) fn rules<'b>(&self, wishes: &'b Wishes, sign_off: Option<&'b str>) -> Rules<'b> {
        Rules {
            limits: wishes.limits.clone(),
            template: wishes.template.as_ref(),
            taken: &[],
            max_duplicate_retries: self.settings.generation.max_duplicate_retries,
            sign_off,
            trailers: &wishes.trailers,
            refusal: None,
        }
    }

    pub(super) fn accept(&self, written: &Written, document: &mut json::Document) {
        document.retries = written.retries;
        written.notes.iter().for_each(|note| self.progress.notice(note));
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
        Ok(shown_prompt(&prompt))
    }
}

/// A prompt for `--show-prompt`.
pub(super) fn shown_prompt(prompt: &Prompt) -> String {
    format!("--- system prompt\n{}\n--- payload\n{}\n", prompt.system, prompt.user)
}

/// The branch, unless HEAD is detached.
pub(super) fn branch(snapshot: &Snapshot) -> Option<&str> {
    let head = snapshot.head();
    matches!(head.target, HeadTarget::Branch(_)).then(|| head.branch())
}

/// git's prepared message without its comments; `None` where nothing is left of it.
fn prepared_message(repository: &Repository, text: &str) -> Option<Message> {
    let (cleanup, comment) = (cleanup_setting(repository.config()), comment_setting(repository.config()));
    Message::new(&Prepared::new(text.as_bytes(), cleanup, comment.as_deref()).text()).ok()
}

/// The prepared message kept whole, followed by the body of the written one.
fn with_body(prepared: Message, written: &Message) -> Message {
    Message::new(&format!("{prepared}\n{}", written.body())).unwrap_or(prepared)
}
