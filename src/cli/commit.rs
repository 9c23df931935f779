//! The default action: freeze → payload → prompt → agent → judge → publish → report.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use crate::agent::offline::Offline;
use crate::agent::{Agent, FailureKind, OneShot, Options as AgentOptions};
use crate::commit::{PublishError, Rescue, Snapshot, Staging, freeze, publish, scopes};
use crate::config::{Flag, Loaded, OutputMode, RoleSettings, Settings};
use crate::git::{HeadTarget, Identities, LogEntry, Operation, Repository};
use crate::message::{DUPLICATE_WINDOW, Message, Rules, Template, Trailer, WriteError, WriteFailure, Written, write};
use crate::payload::{self, Excludes, Payload};
use crate::progress::Progress;
use crate::prompt::{self, Again, Limits, Material};
use crate::provider::{Call, Choice, Manifest, Output, Provider, payload_limit, render};
use crate::role::Role;
use crate::run::{Cancel, Signals};
use crate::ui::{Landed, Terminal, commit_report, json};

use super::args::{CommitArgs, GlobalArgs};
use super::context::{Context, registry, search_path};
use super::failure::{ERROR, NOTHING, Failure, RESCUE, interrupted, of_publish};
use super::{json_to_stdout, stderr_draws, to_stdout};

/// The file in the working tree that lists what agents need not see.
const IGNORE_FILE: &str = ".stagecoachignore";

/// Makes a commit, or shows what it would be.
pub(super) fn run(args: &CommitArgs, global: &GlobalArgs) -> Result<(), Failure> {
    let started = Instant::now();
    let mut document = json::Document::new(json::Outcome::Failed);
    let result = attempt(args, global, &mut document);
    if args.json {
        document.took(started.elapsed());
        document.error = result.as_ref().err().map(Failure::json);
        json_to_stdout(&document)?;
    }
    result
}

fn attempt(args: &CommitArgs, global: &GlobalArgs, document: &mut json::Document) -> Result<(), Failure> {
    let cancel = Cancel::new();
    let _signals = Signals::install(cancel.clone())
        .map_err(|error| Failure::new("system", "signals cannot be taken over", error.to_string(), "try again"))?;
    let flags = args.settings().into_iter().map(|(key, text, name)| Flag { key: key.to_owned(), text, name: name.to_owned() });
    let context = Context::in_repository(global, flags.collect())?;
    let loaded = context.load()?;
    let verbosity = u8::try_from(loaded.settings.verbose).unwrap_or(2);
    let progress = Arc::new(Terminal::new(args.quiet, verbosity, stderr_draws()));
    let Some(repository) = context.repository else { return Err(crate::git::GitError::NotARepository.into()) };
    let run = Run { args, settings: &loaded.settings, repository: &repository, progress: &progress, cancel: &cancel };
    let result = run.commit(&loaded, document);
    document.warnings = progress.warnings();
    result
}

/// What every step of a run needs to see.
struct Run<'a> {
    args: &'a CommitArgs,
    settings: &'a Settings,
    repository: &'a Repository,
    progress: &'a Arc<Terminal>,
    cancel: &'a Cancel,
}

/// Where the words come from.
struct Writer {
    agent: Box<dyn Agent>,
    manifest: Manifest,
}

/// How a message is made, read from options and settings before anything is frozen.
struct Wishes {
    template: Option<Template>,
    trailers: Vec<Trailer>,
    excludes: Excludes,
    limits: Limits,
}

impl Run<'_> {
    fn commit(&self, loaded: &Loaded, document: &mut json::Document) -> Result<(), Failure> {
        self.say_what_the_configuration_says(loaded);
        self.repository.operation()?;
        let dry = self.args.dry_run || self.args.show_prompt;
        let identities = if dry { None } else { Some(self.ready_to_commit()?) };
        let writer = self.writer(loaded)?;
        let wishes = self.wishes(&writer.manifest)?;
        self.stop_when_asked()?;
        let snapshot = freeze(self.repository, self.staging()).map_err(|error| self.unless_interrupted(error.into()))?;
        self.say_what_was_frozen(&snapshot);

        let prepared = match snapshot.operation() {
            Operation::Merge(merge) => prepared_message(&merge.message),
            Operation::None | Operation::Squash(_) => None,
        };
        let outcome = match prepared {
            Some(message) => self.repository.store(snapshot.frozen()).map_err(Failure::from).map(|()| Words::Given(message)),
            None => self.words(&snapshot, &writer, &wishes, document),
        };
        let words = outcome.map_err(|failure| if dry { of_dry_run(failure) } else { failure })?;
        match (words, identities) {
            (Words::Prompt(text), _) => {
                document.outcome = json::Outcome::DryRun;
                if self.args.json { Ok(()) } else { to_stdout(&text) }
            }
            (Words::Given(message), Some(identities)) => self.publish(&snapshot, &message, &identities, document),
            (Words::Given(message), None) => {
                document.outcome = json::Outcome::DryRun;
                self.describe(document, None, &snapshot, &message);
                if self.args.json { Ok(()) } else { to_stdout(message.as_str()) }
            }
        }
    }

    // ---- before the freeze

    fn say_what_the_configuration_says(&self, loaded: &Loaded) {
        for warning in &loaded.warnings {
            self.progress.notice(&warning.to_string());
        }
        for shadowed in loaded.origins.shadowed(&[Role::Message]) {
            self.progress.notice(&shadowed.to_string());
        }
        self.progress.detail(&format!("repository: {}", self.repository.backend()));
    }

    /// Refuses what cannot be committed here, and finds out who commits.
    fn ready_to_commit(&self) -> Result<Identities, Failure> {
        self.repository.refuse_unsupported_commit()?;
        Ok(self.repository.identities()?)
    }

    fn staging(&self) -> Staging {
        match (self.args.all, self.settings.auto_stage_all) {
            (true, _) => Staging::Everything,
            (false, true) => Staging::Auto,
            (false, false) if self.args.single => Staging::Auto,
            (false, false) => Staging::StagedOnly,
        }
    }

    /// Finds the provider of the message role and its program.
    fn writer(&self, loaded: &Loaded) -> Result<Writer, Failure> {
        let role = self.settings.role(Role::Message);
        let provider = self.provider(loaded, role)?;
        let manifest = provider.manifest;
        if manifest.is_offline() {
            return Ok(Writer { agent: Box::new(Offline), manifest });
        }
        let call = Call { model: role.model.as_deref(), reasoning: role.reasoning, ..Call::bare("", "") };
        render(&manifest, &call).map_err(|error| {
            let hint = format!("`stagecoach models {}` lists what there is", manifest.name);
            Failure::new("model", "the provider cannot be called like this", error.to_string(), hint)
        })?;
        let generation = &self.settings.generation;
        let options = AgentOptions {
            model: role.model.clone(),
            reasoning: role.reasoning,
            timeout: role.timeout,
            output: generation.output.map(|mode| match mode {
                OutputMode::Raw => Output::Raw,
                OutputMode::Json => Output::Json,
            }),
            strip_code_fence: generation.strip_code_fence,
        };
        let progress: Arc<dyn Progress> = self.progress.clone();
        let top = &self.repository.paths().work_tree;
        let agent = OneShot::new(manifest.clone(), options, top, &search_path(), progress)
            .map_err(|failure| Failure::from(failure).exit(ERROR))?;
        Ok(Writer { agent: Box::new(agent), manifest })
    }

    fn provider(&self, loaded: &Loaded, role: &RoleSettings) -> Result<Provider, Failure> {
        let registry = registry(loaded)?;
        if let Some(name) = &role.provider {
            return Ok(registry.get(name)?);
        }
        match registry.choose(&search_path())? {
            Choice::Installed { provider, .. } => Ok(*provider),
            Choice::Offline(provider) => {
                self.progress.notice(
                    "no coding agent is installed, so the built-in offline writer is used (`stagecoach providers list`)",
                );
                Ok(*provider)
            }
        }
    }

    fn wishes(&self, manifest: &Manifest) -> Result<Wishes, Failure> {
        let generation = &self.settings.generation;
        let usage = |error: &dyn std::fmt::Display| {
            Failure::new("usage", "an option cannot be used as it is", error.to_string(), "see `stagecoach --help`")
        };
        let template = generation.template.as_deref().map(Template::new).transpose().map_err(|error| usage(&error))?;
        let trailers = self.args.trailer.iter().map(|text| Trailer::parse(text)).collect::<Result<_, _>>();
        let ignored = read_ignore_file(&self.repository.paths().work_tree)?;
        let excludes = Excludes::new(&generation.exclude, ignored.as_deref()).map_err(|error| usage(&error))?;
        let limits = Limits {
            token_limit: generation.token_limit,
            max_diff_bytes: generation.max_diff_bytes,
            max_md_lines: generation.max_md_lines,
            max_prompt_bytes: payload_limit(manifest),
            reserved: manifest.retry_instruction.clone(),
        };
        Ok(Wishes { template, trailers: trailers.map_err(|error| usage(&error))?, excludes, limits })
    }

    fn stop_when_asked(&self) -> Result<(), Failure> {
        self.cancel.cause().map_or(Ok(()), |cause| Err(interrupted(cause)))
    }

    /// A git program that the same signal has ended reports an error that is none.
    fn unless_interrupted(&self, failure: Failure) -> Failure {
        self.cancel.cause().map_or(failure, interrupted)
    }

    // ---- from the snapshot to a message

    fn say_what_was_frozen(&self, snapshot: &Snapshot) {
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
    fn words(
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
            return show_prompt(&material, &wishes.limits).map(Words::Prompt);
        }
        self.note_role(document, &writer.manifest);
        let sign_off = match self.args.signoff {
            true => Some(self.repository.identities()?.committer_name_and_email()),
            false => None,
        };
        let rules = Rules {
            limits: wishes.limits.clone(),
            template: wishes.template.as_ref(),
            taken: &[],
            max_duplicate_retries: self.settings.generation.max_duplicate_retries,
            sign_off: sign_off.as_deref(),
            trailers: &wishes.trailers,
            refusal: None,
        };
        let dry = self.args.dry_run;
        let (written, stored) = std::thread::scope(|scope| {
            let agent = scope.spawn(|| write(writer.agent.as_ref(), &material, &rules, self.cancel, self.progress.as_ref()));
            let stored = if dry { Ok(()) } else { self.repository.store(snapshot.frozen()) };
            (agent.join(), stored)
        });
        let written = written.map_err(|_| Failure::new("bug", "writing the message failed", "", "this is a bug"))?;
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

    fn payload(&self, snapshot: &Snapshot, wishes: &Wishes) -> Result<Payload, Failure> {
        let generation = &self.settings.generation;
        let options = payload::Options {
            context: u32::try_from(generation.diff_context).unwrap_or(1),
            excludes: wishes.excludes.clone(),
            binary_extensions: generation.binary_extensions.clone(),
            secrets: self.settings.secrets,
            file_cap: wishes.limits.file_cap(),
            submodule_log: std::collections::HashMap::new(),
        };
        let payload = payload::build(snapshot.change(), self.repository, &options)?;
        payload.warnings().iter().for_each(|warning| self.progress.notice(warning));
        payload.notices().iter().for_each(|notice| self.progress.detail(notice));
        Ok(payload)
    }

    fn material<'b>(
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

    fn accept(&self, written: &Written, document: &mut json::Document) {
        document.retries = written.retries;
        written.notes.iter().for_each(|note| self.progress.notice(note));
    }

    fn not_written(&self, snapshot: &Snapshot, failure: WriteFailure) -> Failure {
        let candidate = failure.candidate.as_ref().map(Message::as_str);
        let why = failure.error.to_string();
        let explained = match failure.error {
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

    fn provider_name(&self) -> &str {
        self.settings.role(Role::Message).provider.as_deref().unwrap_or("the agent")
    }

    /// Keeps what was frozen; where that fails too, both failures are told.
    fn rescue(&self, snapshot: &Snapshot, candidate: Option<&str>, failure: Failure) -> Failure {
        match Rescue::keep(self.repository, snapshot, candidate) {
            Ok(rescue) => failure.with_rescue(rescue),
            Err(error) => {
                let why = format!("{}\nand the frozen tree could not be kept: {error}", failure.why);
                Failure { why, ..failure }
            }
        }
    }

    // ---- from the message to a commit

    fn publish(
        &self,
        snapshot: &Snapshot,
        message: &Message,
        identities: &Identities,
        document: &mut json::Document,
    ) -> Result<(), Failure> {
        if let Some(cause) = self.cancel.cause() {
            return Err(self.rescue(snapshot, Some(message.as_str()), interrupted(cause).exit(RESCUE)));
        }
        let action = std::env::var("GIT_REFLOG_ACTION").ok().filter(|action| !action.is_empty());
        let published = match publish(self.repository, snapshot, message.as_str(), identities, action.as_deref()) {
            Ok(published) => published,
            Err(PublishError::HeadMoved { moved, same_tree: true }) => {
                self.progress.notice(&format!("somebody else already committed exactly this: {}", moved.found));
                document.outcome = json::Outcome::AlreadyCommitted;
                return Ok(());
            }
            Err(error) => {
                return Err(match Rescue::keep(self.repository, snapshot, Some(message.as_str())) {
                    Ok(rescue) => of_publish(error, rescue),
                    Err(second) => Failure::new("git", error.to_string(), second.to_string(), "see `git fsck`").exit(RESCUE),
                });
            }
        };
        for problem in &published.afterwards {
            self.progress.notice(&format!("the commit is made, but: {problem}"));
        }
        document.outcome = json::Outcome::Committed;
        self.describe(document, Some(published.id.to_string()), snapshot, message);
        if self.args.json || self.args.quiet {
            return Ok(());
        }
        let subject = message.subject();
        let change = snapshot.change();
        to_stdout(&commit_report(&Landed { id: published.id, head: snapshot.head(), subject: &subject, change }))
    }

    // ---- the JSON document

    fn note_role(&self, document: &mut json::Document, manifest: &Manifest) {
        let role = self.settings.role(Role::Message);
        let model = role.model.clone().or_else(|| Some(manifest.default_model.clone())).filter(|model| !model.is_empty());
        document.provider = Some(manifest.name.clone());
        document.model.clone_from(&model);
        let used = json::Role { provider: manifest.name.clone(), model, reasoning: role.reasoning.name() };
        document.roles.insert(Role::Message.name(), used);
    }

    fn note_counts(&self, document: &mut json::Document, payload: &Payload, snapshot: &Snapshot) {
        let files = payload.files().iter().zip(snapshot.change().files()).map(|(patch, file)| {
            let (added, deleted) = match patch.counts {
                payload::Counts::Lines { added, deleted } => (Some(added), Some(deleted)),
                payload::Counts::Binary | payload::Counts::Unknown => (None, None),
            };
            let old_path = patch.old_path.clone();
            json::File { status: file.status().letter(), path: patch.path.clone(), old_path, added, deleted }
        });
        if self.args.json {
            let files = files.collect();
            document.commits = vec![json::Commit { id: None, subject: String::new(), message: String::new(), files }];
        }
    }

    fn describe(&self, document: &mut json::Document, id: Option<String>, snapshot: &Snapshot, message: &Message) {
        let counted = document.commits.pop().map(|commit| commit.files);
        let files = counted.unwrap_or_else(|| {
            let plain = |file: &crate::git::ChangedFile| json::File {
                status: file.status().letter(),
                path: file.path().to_string(),
                old_path: None,
                added: None,
                deleted: None,
            };
            snapshot.change().files().iter().map(plain).collect()
        });
        let message_text = message.as_str().to_owned();
        document.commits.push(json::Commit { id, subject: message.subject(), message: message_text, files });
    }
}

/// What the middle of a run yields.
enum Words {
    /// A message to commit or to show.
    Given(Message),
    /// `--show-prompt`: what would be sent.
    Prompt(String),
}

/// git's prepared message without its comment lines; `None` where nothing is left of it.
fn prepared_message(text: &str) -> Option<Message> {
    let kept: String = text.lines().filter(|line| !line.starts_with('#')).map(|line| format!("{line}\n")).collect();
    Message::new(&kept).ok()
}

fn show_prompt(material: &Material<'_>, limits: &Limits) -> Result<String, Failure> {
    let fitted = prompt::message(material, &Again::default(), limits).map_err(|error| {
        Failure::new("prompt_too_long", "there is no room for a prompt", error.to_string(), "raise `token_limit`")
    })?;
    Ok(format!("--- system prompt\n{}\n--- payload\n{}\n", fitted.prompt.system, fitted.prompt.user))
}

fn of_dry_run(failure: Failure) -> Failure {
    let exit = if failure.exit == NOTHING { NOTHING } else { ERROR };
    Failure { exit, rescue: None, ..failure }
}

fn read_ignore_file(top: &Path) -> Result<Option<String>, Failure> {
    let path = top.join(IGNORE_FILE);
    match std::fs::read(&path) {
        Ok(content) => Ok(Some(String::from_utf8_lossy(&content).into_owned())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => {
            let what = format!("{} cannot be read", path.display());
            Err(Failure::new("ignore_file", what, error.to_string(), "correct or remove the file"))
        }
    }
}
