//! The default action: freeze → payload → prompt → agent → judge → edit → publish → report → push.

mod description;
mod edit;
mod fallback;
mod hooked;
mod land;
mod planned;
mod prepare;
mod push;
mod reach;
mod single;
mod split;
mod turn;
mod unwritten;
mod words;

use std::cell::OnceCell;
use std::io::IsTerminal;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use crate::agent::Standing;
use crate::commit::{Hooks, Journal, Snapshot, Tidied, Told, freeze, tidy};
use crate::config::options::COMMITS_VARIABLE;
use crate::config::{Environment, Flag, Loaded, Settings, is_first_run};
use crate::git::{GitError, Repository};
use crate::progress::Progress;
use crate::provider::Registry;
use crate::run::Cancel;
use crate::ui::{Terminal, json, usage_line};
use crate::untrusted::stripped;

use super::args::{CommitArgs, GlobalArgs};
use super::context::Context;
use super::exclusive::Held;
use super::failure::{ERROR, Failure, NOTHING, RESCUE, TIMEOUT, staged};
use super::{json_to_stdout, launcher, stderr_shows, stoppable, to_stderr, to_stdout};
use reach::Hosts;
use single::Tools;
use split::{Division, Setting};

pub(super) use edit::of_edit;
pub(super) use hooked::message_for;
pub(super) use planned::plan;

/// Makes a commit, or shows what it would be.
pub(super) fn run(args: &CommitArgs, global: &GlobalArgs) -> Result<(), Failure> {
    let started = Instant::now();
    let mut document = json::Document::new(json::Outcome::Failed);
    let result = attempt(args, global, &mut document);
    if args.json {
        document.took(started.elapsed());
        document.error = result.as_ref().err().map(Failure::json);
        if document.error.is_some() {
            // What was only noted on the way is no commit.
            document.commits.retain(|commit| commit.id.is_some());
        }
        if let Err(unwritten) = json_to_stdout(&document) {
            // What the document would have told of a failure is told in words.
            std::iter::once(&unwritten).chain(result.as_ref().err()).for_each(|failure| to_stderr(&failure.text()));
            return result.and(Err(unwritten));
        }
    }
    result
}

fn attempt(args: &CommitArgs, global: &GlobalArgs, document: &mut json::Document) -> Result<(), Failure> {
    with_run(args, global, |run| {
        let result = run.commit(document);
        run.note_substitutes(document);
        document.warnings = run.progress.warnings();
        document.used(&run.progress.usage());
        run.tell_usage();
        result
    })
}

/// Opens the repository of the current folder and hands on what every step of a run needs.
fn with_run<T>(
    args: &CommitArgs,
    global: &GlobalArgs,
    act: impl FnOnce(&Run<'_>) -> Result<T, Failure>,
) -> Result<T, Failure> {
    with_repository(Repository::open()?, args, global, |run| act(&run))
}

/// Reads the configuration of a repository and hands on what every step of a run needs.
fn with_repository<T>(
    repository: Repository,
    args: &CommitArgs,
    global: &GlobalArgs,
    act: impl FnOnce(Run<'_>) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let (cancel, _signals) = stoppable()?;
    let flags =
        args.settings().into_iter().map(|(key, text, name)| Flag { key: key.to_owned(), text, name: name.to_owned() });
    let context = Context::of(repository, global, flags.collect())?;
    let loaded = context.load()?;
    let _launcher = launcher::watch(&loaded.settings, &cancel)?;
    let verbosity = u8::try_from(loaded.settings.verbose).unwrap_or(2);
    let progress = Arc::new(Terminal::new(args.loudness.quiet, verbosity, stderr_shows()));
    let Some(repository) = context.repository else { return Err(GitError::NotARepository.into()) };
    let (registry, hosts, lock) = (OnceCell::new(), Hosts::default(), Mutex::default());
    act(Run {
        args,
        loaded: &loaded,
        settings: &loaded.settings,
        registry: &registry,
        repository: &repository,
        progress: &progress,
        cancel: &cancel,
        environment: &context.sources.environment,
        lock: &lock,
        commits: wanted_commits(args)?,
        deadline: None,
        standing: Arc::default(),
        hosts: &hosts,
    })
}

const NO_CONFIGURATION: &str =
    "there is no configuration yet, so the defaults apply; `stagecoach config init` writes one";

/// What every step of a run needs to see.
struct Run<'a> {
    args: &'a CommitArgs,
    loaded: &'a Loaded,
    settings: &'a Settings,
    /// The providers, once they are asked for.
    registry: &'a OnceCell<Registry>,
    repository: &'a Repository,
    progress: &'a Arc<Terminal>,
    cancel: &'a Cancel,
    environment: &'a Environment,
    /// The run lock, while this run has it.
    lock: &'a Mutex<Held>,
    /// How many commits the working tree is to become; `None` leaves it to the planner.
    commits: Option<usize>,
    /// When the last call of an agent must have ended; `None`: each has its whole time-out.
    deadline: Option<Instant>,
    /// What is known of providers by now.
    standing: Arc<Standing>,
    /// Agents that answer several questions; they end with the run.
    hosts: &'a Hosts,
}

impl<'a> Run<'a> {
    /// The same run, stopped by another token.
    fn with_cancel<'b>(&self, cancel: &'b Cancel) -> Run<'b>
    where
        'a: 'b,
    {
        let run: &Run<'b> = self;
        Run { cancel, standing: Arc::clone(&run.standing), ..*run }
    }

    /// The hooks of the repository; what they print goes to standard error beside the spinner.
    fn hooks(&self) -> Result<Hooks<'a>, Failure> {
        let (prints, tells) = (Arc::clone(self.progress), Arc::clone(self.progress));
        let quiet = self.args.loudness.quiet;
        let waits = super::hooks::waits(move |text| {
            if !quiet {
                tells.pass_on(text.as_bytes());
            }
        });
        let told = Told { echo: Arc::new(move |output| prints.pass_on(output)), waits };
        Ok(Hooks::find(self.repository, super::hooks::options(self.settings), told)?)
    }

    fn commit(&self, document: &mut json::Document) -> Result<(), Failure> {
        self.welcome();
        self.say_what_the_configuration_says();
        let asks = self.asks_an_agent(&self.repository.operation()?);
        let dry = self.is_dry();
        let identities = if dry { None } else { Some(self.repository.identities()?) };
        let hooks = self.hooks()?;
        let editor = self.editor()?;
        let writer = if asks { Some(self.message_writer()?) } else { None };
        let wishes = self.wishes(writer.as_ref().map(|writer| &writer.manifest))?;
        self.stop_when_asked()?;
        if !dry {
            if let Some(holder) = self.take_turn(&wishes)? {
                self.left_to(&holder, document);
                return Ok(());
            }
            self.sweep_locks();
            // Before the freeze: after a kill the index may stage the reverse of what landed.
            self.tidy_up()?;
        }
        let snapshot =
            freeze(self.repository, self.staging(&wishes)).map_err(|error| self.unless_interrupted(error.into()))?;
        self.say_tree(&snapshot);
        self.say_what_was_frozen(&snapshot);
        self.refuse_count(&snapshot)?;
        if wishes.description.is_some() && self.commits.is_some_and(|count| count > 1) {
            self.progress.notice("described work becomes one commit, whatever number was asked for");
        }

        let (mut given, mut journal) = (None, None);
        if let Some(writer) = writer.as_ref().filter(|_| self.divides(&snapshot, &wishes)) {
            let history = self.history(&snapshot)?;
            let setting = Setting { snapshot: &snapshot, wishes: &wishes, history: &history };
            let begin = || self.begin(&snapshot).map(|begun| journal = begun);
            let divided = self.divide(&setting, begin, document);
            match divided.map_err(|failure| unfinished(failure, journal.take(), dry))? {
                Division::Several(parts) => {
                    let publishing = identities.as_ref().zip(journal);
                    let done = self.carry_out(&setting, writer, &hooks, &parts.steps, publishing, document);
                    return done.map_err(|failure| if dry { of_dry_run(failure) } else { failure });
                }
                Division::Unplanned(failure) => {
                    let unnoted = journal.and_then(Journal::discard);
                    self.say_what_was_not_noted(unnoted);
                    return Err(*failure);
                }
                Division::Prompt(text) => return self.show(&text, document),
                Division::One(Some(text)) => {
                    let judged = self.judged(&setting, &text);
                    given = judged.map_err(|failure| unfinished(failure, journal.take(), dry))?;
                }
                Division::One(None) => {}
            }
        }
        let (writer, identities, editor) = (writer.as_ref(), identities.as_ref(), editor.as_ref());
        let tools = Tools { writer, wishes: &wishes, identities, editor, hooks: &hooks };
        self.one_commit((snapshot, journal), given, &tools, document)
    }

    /// On the first run of a machine without configuration, says how to come by one.
    fn welcome(&self) {
        if self.args.loudness.quiet || self.args.json {
            return;
        }
        match is_first_run(self.environment, self.loaded) {
            Ok(true) => self.progress.notice(NO_CONFIGURATION),
            Ok(false) => {}
            Err(error) => self.progress.detail(&format!("whether this is the first run cannot be noted: {error}")),
        }
    }

    /// What the agents used, for who wants to know.
    fn tell_usage(&self) {
        let total = self.progress.usage().total();
        if self.args.usage || (self.progress.verbosity() > 0 && !total.is_empty()) {
            to_stderr(&usage_line(&total));
        }
    }

    /// The result of a dry run.
    fn show(&self, text: &str, document: &mut json::Document) -> Result<(), Failure> {
        document.outcome = json::Outcome::DryRun;
        if self.args.json {
            return Ok(());
        }
        // A diff may hold what a terminal would act on; a pipe gets it as it is.
        if std::io::stdout().is_terminal() { to_stdout(&stripped(text)) } else { to_stdout(text) }
    }

    /// A number of commits says nothing of what is staged, which is one commit.
    fn refuse_count(&self, snapshot: &Snapshot) -> Result<(), Failure> {
        if snapshot.working_tree().is_some() {
            return Ok(());
        }
        if self.args.commits.is_some_and(|count| count > 0) {
            return Err(staged("--commits divides the working tree, and something is staged", snapshot.change()));
        }
        if self.commits.is_some() {
            self.progress.notice("something is staged, so STAGECOACH_COMMITS has no effect");
        }
        Ok(())
    }

    /// Whether nothing is to be committed.
    const fn is_dry(&self) -> bool {
        self.args.dry_run || self.args.show_prompt
    }

    /// Stores the frozen tree and notes it, so that it can be rescued from here on. `None` for a dry run.
    fn begin(&self, snapshot: &Snapshot) -> Result<Option<Journal<'a>>, Failure> {
        if self.is_dry() {
            return Ok(None);
        }
        self.repository.store(snapshot.frozen())?;
        Ok(Some(Journal::begin(self.repository, snapshot)))
    }

    /// Clears up what killed runs left.
    fn tidy_up(&self) -> Result<(), Failure> {
        let Tidied { swept, problem } = tidy(self.repository)?;
        swept.iter().for_each(|path| self.progress.detail(&left(path)));
        if let Some(problem) = problem {
            self.progress.notice(&not_cleared(&problem));
        }
        Ok(())
    }
}

/// What is told of something that waits for the next run.
pub(super) fn not_cleared(problem: &GitError) -> String {
    format!("what earlier runs left cannot be cleared up: {problem}")
}

/// What is told of something that was cleared up.
fn left(path: &Path) -> String {
    format!("a killed run had left {}; it is gone", path.display())
}

/// The number of commits asked for by the flag, else by the variable; 0 leaves it to the planner.
fn wanted_commits(args: &CommitArgs) -> Result<Option<usize>, Failure> {
    let variable = || std::env::var(COMMITS_VARIABLE).ok().filter(|text| !text.is_empty());
    let count = match (args.commits, variable()) {
        (Some(count), _) => count,
        (None, Some(text)) => text.parse().map_err(|_| {
            let what = format!("{COMMITS_VARIABLE} is not a number");
            Failure::new("configuration", what, format!("it says `{text}`"), "give it a number, or unset it")
        })?,
        (None, None) => 0,
    };
    Ok(Some(count).filter(|count| *count > 0))
}

/// A failure after the freeze. Where the run is noted already it is a rescue, whatever failed.
fn unfinished(failure: Failure, journal: Option<Journal<'_>>, dry: bool) -> Failure {
    match journal {
        _ if dry => of_dry_run(failure),
        Some(journal) => {
            let exit = if failure.exit == TIMEOUT { TIMEOUT } else { RESCUE };
            unwritten::rescue(journal, None, failure.exit(exit))
        }
        None => failure,
    }
}

fn of_dry_run(failure: Failure) -> Failure {
    let exit = if failure.exit == NOTHING { NOTHING } else { ERROR };
    Failure { exit, rescue: None, ..failure }
}
