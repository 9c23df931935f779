//! The one process of a provider in a run: who starts it, who may use it, and when it is given up.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::connection::Connection;
use super::fault::Fault;
use super::permission::Guard;
use crate::agent::process::{self, Command, ProcessError, Served};
use crate::agent::{AgentFailure, FailureKind, environment, failure, one_shot};
use crate::program::SearchPath;
use crate::progress::Progress;
use crate::provider::Manifest;
use crate::run::{Cancel, Scratch};

/// How long an agent may take to be ready. Those measured took up to three seconds.
pub(super) const READY: Duration = Duration::from_secs(60);

/// A provider's process, started when it is first needed and ended with this value.
pub struct Host {
    manifest: Manifest,
    program: PathBuf,
    display_argv: Vec<String>,
    repository: PathBuf,
    slot: Mutex<Slot>,
    /// Whether the user knows that it is given up.
    is_said: AtomicBool,
}

#[derive(Default)]
enum Slot {
    #[default]
    Unused,
    Running(Arc<Connection>),
    GivenUp,
}

impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Host")
            .field("provider", &self.manifest.name)
            .field("program", &self.program)
            .finish_non_exhaustive()
    }
}

/// There can be no such process.
#[derive(Debug, thiserror::Error)]
pub enum HostError {
    /// The manifest has no `acp.command`.
    #[error("provider `{0}` has no `acp.command`")]
    NoCommand(String),
    /// Its program is not installed or cannot be executed.
    #[error(transparent)]
    Program(#[from] AgentFailure),
}

impl From<HostError> for AgentFailure {
    fn from(error: HostError) -> Self {
        match error {
            HostError::Program(failure) => failure,
            HostError::NoCommand(ref provider) => Self {
                kind: FailureKind::Missing,
                provider: provider.clone(),
                message: error.to_string(),
                excerpt: String::new(),
                advice: format!("`stagecoach providers show {provider}` prints what is known of it"),
            },
        }
    }
}

/// Finds the program of an argument vector, which gets the model where the manifest says so.
pub(super) fn resolve(
    manifest: &Manifest,
    options: &super::Options,
    mut argv: Vec<String>,
    search: &SearchPath,
) -> Result<(PathBuf, Vec<String>), HostError> {
    let command = argv.first().ok_or_else(|| HostError::NoCommand(manifest.name.clone()))?;
    let program = process::find_program(command, search)
        .map_err(|error| failure::describe_start(&one_shot::subject(manifest, options, ""), &error))?;
    let model = Host::model_argument(manifest, options);
    argv.extend(model.into_iter().flat_map(|model| [manifest.model_flag.clone(), model]));
    Ok((program, argv))
}

impl Host {
    /// Finds the program that `acp.command` names. Nothing is started. `repository` is the top of the working tree: the
    /// process runs outside of it. `model` goes onto the command line where the manifest says so.
    ///
    /// # Errors
    /// See [`HostError`].
    pub fn new(
        manifest: Manifest,
        options: &super::Options,
        repository: &Path,
        search: &SearchPath,
    ) -> Result<Self, HostError> {
        let acp = manifest.acp.as_ref().ok_or_else(|| HostError::NoCommand(manifest.name.clone()))?;
        let argv = acp.command.clone();
        let (program, display_argv) = resolve(&manifest, options, argv, search)?;
        Ok(Self {
            manifest,
            program,
            display_argv,
            repository: repository.to_owned(),
            slot: Mutex::default(),
            is_said: AtomicBool::new(false),
        })
    }

    /// The model, for an agent that takes it on its command line. Two models are two processes then.
    #[must_use]
    pub fn model_argument(manifest: &Manifest, options: &super::Options) -> Option<String> {
        let model = options.model.as_ref().unwrap_or(&manifest.default_model);
        let by_argument = manifest.acp.as_ref().is_some_and(|acp| acp.model_option == super::session::BY_ARGUMENT);
        Some(model.clone()).filter(|model| by_argument && !model.is_empty())
    }

    /// What is known of the provider.
    #[must_use]
    pub const fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    pub(super) fn display_argv(&self) -> &[String] {
        &self.display_argv
    }

    pub(super) fn is_given_up(&self) -> bool {
        matches!(*self.slot(), Slot::GivenUp)
    }

    pub(super) fn is_running(&self) -> bool {
        matches!(&*self.slot(), Slot::Running(connection) if connection.is_alive())
    }

    /// Ends the process for good; `true` for the first who says so.
    pub(super) fn give_up(&self) -> bool {
        *self.slot() = Slot::GivenUp;
        !self.is_said.swap(true, Ordering::SeqCst)
    }

    /// The running process; whoever comes first starts it, to be ready by then, and others wait.
    pub(super) fn connect(
        &self,
        ready: Instant,
        progress: &Arc<dyn Progress>,
        cancel: &Cancel,
    ) -> Result<Arc<Connection>, Fault> {
        let mut slot = self.slot();
        match &*slot {
            Slot::Running(connection) if connection.is_alive() => return Ok(Arc::clone(connection)),
            Slot::GivenUp => return Err(Fault::GivenUp),
            // One that has ended since is started again.
            Slot::Running(_) | Slot::Unused => {}
        }
        let connection = self.start(ready, progress, cancel).inspect_err(|fault| {
            // Whoever waits for it need not try again.
            if fault.is_about_the_protocol() {
                *slot = Slot::GivenUp;
            }
        });
        let connection = Arc::new(connection?);
        *slot = Slot::Running(Arc::clone(&connection));
        Ok(connection)
    }

    fn start(&self, ready: Instant, progress: &Arc<dyn Progress>, cancel: &Cancel) -> Result<Connection, Fault> {
        if cancel.cause().is_some() {
            return Err(Fault::stopped(cancel));
        }
        let scratch = Scratch::outside(&self.repository).map_err(|error| Fault::Start(error.into()))?;
        let (served, pipes) = Served::start(&self.command(scratch.path())).map_err(Fault::Start)?;
        // Where it cannot be noted, only a killed run leaves a process that nobody ends.
        drop(scratch.note_agent(served.id()));
        let connection = Connection::new(served, pipes, scratch, Guard::new(None, Arc::clone(progress)));
        let connection = connection.map_err(|error| Fault::Start(ProcessError::Other(error)))?;
        connection.introduce(ready, cancel)?;
        Ok(connection)
    }

    fn command(&self, working_dir: &Path) -> Command {
        let own = self.manifest.env.iter().map(|(name, value)| (name.clone(), value.into()));
        let ours = [("STAGECOACH".to_owned(), "1".into()), ("PWD".to_owned(), working_dir.into())];
        let unset = environment::REPOSITORY.iter().map(|name| (*name).to_owned());
        Command {
            program: self.program.clone(),
            args: self.display_argv.iter().skip(1).map(Into::into).collect(),
            env_set: own.chain(ours).collect(),
            env_unset: unset.chain(self.manifest.run.unset_env.clone()).collect(),
            stdin: Vec::new(),
            working_dir: working_dir.to_owned(),
            confinement: None,
            timeout: None,
        }
    }

    fn slot(&self) -> MutexGuard<'_, Slot> {
        self.slot.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
