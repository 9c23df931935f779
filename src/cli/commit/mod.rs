//! The default action: freeze → payload → prompt → agent → judge → edit → publish → report → push.

mod description;
mod edit;
mod land;
mod prepare;
mod push;
mod words;

use std::sync::Arc;
use std::time::Instant;

use crate::commit::{Journal, Snapshot, freeze, tidy};
use crate::config::{Flag, Loaded, Settings};
use crate::git::{GitError, Repository};
use crate::progress::Progress;
use crate::run::{Cancel, Signals};
use crate::ui::{Terminal, json};

use super::args::{CommitArgs, GlobalArgs};
use super::context::Context;
use super::failure::{ERROR, Failure, NOTHING};
use super::{json_to_stdout, stderr_draws, to_stdout};
use words::Words;

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
    let flags =
        args.settings().into_iter().map(|(key, text, name)| Flag { key: key.to_owned(), text, name: name.to_owned() });
    let context = Context::in_repository(global, flags.collect())?;
    let loaded = context.load()?;
    let verbosity = u8::try_from(loaded.settings.verbose).unwrap_or(2);
    let progress = Arc::new(Terminal::new(args.quiet, verbosity, stderr_draws()));
    let Some(repository) = context.repository else { return Err(GitError::NotARepository.into()) };
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

impl Run<'_> {
    fn commit(&self, loaded: &Loaded, document: &mut json::Document) -> Result<(), Failure> {
        self.say_what_the_configuration_says(loaded);
        let asks = self.asks_an_agent(&self.repository.operation()?);
        let dry = self.args.dry_run || self.args.show_prompt;
        let identities = if dry { None } else { Some(self.ready_to_commit()?) };
        let editor = self.editor()?;
        let writer = if asks { Some(self.writer(loaded)?) } else { None };
        let wishes = self.wishes(writer.as_ref().map(|writer| &writer.manifest))?;
        self.stop_when_asked()?;
        let snapshot =
            freeze(self.repository, self.staging(&wishes)).map_err(|error| self.unless_interrupted(error.into()))?;
        self.say_what_was_frozen(&snapshot);

        let mut journal = None;
        let outcome = match &writer {
            Some(writer) => self.words(&snapshot, writer, &wishes, &mut journal, document),
            None => self.prepared(&snapshot, &wishes, &mut journal),
        };
        let words = outcome.map_err(|failure| if dry { of_dry_run(failure) } else { failure })?;
        match (words, identities.zip(journal)) {
            (Words::Prompt(text), _) => {
                document.outcome = json::Outcome::DryRun;
                if self.args.json { Ok(()) } else { to_stdout(&text) }
            }
            (Words::Given(message), Some((identities, journal))) => {
                let (message, journal) = match editor {
                    Some(editor) => self.edit(&editor, &snapshot, journal, &message)?,
                    None => (message, journal),
                };
                self.publish(&snapshot, journal, &message, &identities, document)?;
                self.push(document)
            }
            (Words::Given(message), None) => {
                document.outcome = json::Outcome::DryRun;
                document.commits = vec![land::describe(document, None, &snapshot, &message)];
                if self.args.json { Ok(()) } else { to_stdout(message.as_str()) }
            }
        }
    }

    /// Stores the frozen tree and notes it, so that it can be rescued from here on. `None` for a dry run.
    fn begin(&self, snapshot: &Snapshot) -> Result<Option<Journal<'_>>, Failure> {
        if self.args.dry_run {
            return Ok(None);
        }
        match tidy(self.repository) {
            Ok(swept) => {
                for path in swept {
                    self.progress.detail(&format!("a killed run had left {}; it is gone", path.display()));
                }
            }
            Err(error) => self.progress.notice(&format!("what earlier runs left cannot be cleared up: {error}")),
        }
        self.repository.store(snapshot.frozen())?;
        Ok(Some(Journal::begin(self.repository, snapshot)))
    }
}

fn of_dry_run(failure: Failure) -> Failure {
    let exit = if failure.exit == NOTHING { NOTHING } else { ERROR };
    Failure { exit, rescue: None, ..failure }
}
