//! A stager over the protocol: each task is a process of its own, which works on a scratch repository, and a session whose
//! requests for leave are decided here.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use super::connection::Connection;
use super::fault::Fault;
use super::host::{self, HostError, READY};
use super::permission::{Guard, Places};
use super::session::{self, Opened};
use super::{Options, Reported, call};
use crate::agent::one_shot::{OneShot, ToolCall, Workbench, place};
use crate::agent::process::{Command, ProcessError, Served};
use crate::agent::{AgentFailure, Request};
use crate::program::SearchPath;
use crate::progress::Progress;
use crate::prompt::Prompt;
use crate::provider::{Acp as Table, Manifest, speak};
use crate::role::Role;
use crate::run::{Cancel, Scratch};

/// A provider that stages over the protocol.
pub struct Worker {
    manifest: Manifest,
    options: Options,
    program: PathBuf,
    argv: Vec<String>,
    repository: PathBuf,
    /// How to have it staged where the protocol does not work.
    otherwise: Option<OneShot>,
    is_given_up: AtomicBool,
    progress: Arc<dyn Progress>,
}

impl std::fmt::Debug for Worker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Worker")
            .field("provider", &self.manifest.name)
            .field("argv", &self.argv)
            .finish_non_exhaustive()
    }
}

impl Worker {
    /// Finds the program that `acp.tooled_command`, or else `acp.command`, names. `repository` is the top of the user's
    /// working tree.
    ///
    /// # Errors
    /// See [`HostError`].
    pub fn new(
        manifest: Manifest,
        options: Options,
        repository: &Path,
        search: &SearchPath,
        progress: Arc<dyn Progress>,
    ) -> Result<Self, HostError> {
        let argv = match &manifest.acp {
            Some(acp) if !acp.tooled_command.is_empty() => acp.tooled_command.clone(),
            Some(acp) => acp.command.clone(),
            None => Vec::new(),
        };
        let (program, argv) = host::resolve(&manifest, &options, argv, search)?;
        let (repository, is_given_up) = (repository.to_owned(), AtomicBool::new(false));
        Ok(Self { manifest, options, program, argv, repository, otherwise: None, is_given_up, progress })
    }

    /// The same, with another way to have it staged where the protocol does not work.
    #[must_use]
    pub fn or_by(self, single: OneShot) -> Self {
        Self { otherwise: Some(single), ..self }
    }

    /// Lets the agent work on a scratch repository, over the protocol or, where that does not work, by a single call.
    #[must_use]
    pub fn work(&self, request: &Request<'_>, bench: &Workbench<'_>, cancel: &Cancel) -> ToolCall {
        let single = |was_confined: bool, otherwise: &OneShot| {
            let call = otherwise.work(request, bench, cancel);
            ToolCall { is_confined: call.is_confined && was_confined, ..call }
        };
        if let Some(otherwise) = self.otherwise.as_ref().filter(|_| self.is_given_up.load(Ordering::SeqCst)) {
            return single(true, otherwise);
        }
        // What never ran has written nothing.
        let mut is_confined = true;
        match (self.attempt(request, bench, cancel, &mut is_confined), &self.otherwise) {
            (Ok(()), _) => ToolCall { outcome: Ok(true), is_confined },
            (Err(Fault::Silent { .. }), _) => ToolCall { outcome: Ok(false), is_confined },
            (Err(fault), Some(otherwise)) if fault.is_about_the_protocol() => {
                if !self.is_given_up.swap(true, Ordering::SeqCst) {
                    self.reported().give_up("stages by single calls, because it cannot over ACP", &fault);
                }
                single(is_confined, otherwise)
            }
            (Err(fault), _) => ToolCall { outcome: Err(self.failure(&fault)), is_confined },
        }
    }

    fn attempt(
        &self,
        request: &Request<'_>,
        bench: &Workbench<'_>,
        cancel: &Cancel,
        is_confined: &mut bool,
    ) -> Result<(), Fault> {
        let started = Instant::now();
        let deadline = started + self.options.time_left().unwrap_or_default();
        let connection = Arc::new(self.start(request, bench, cancel, is_confined)?);
        // Whatever comes of it, nothing of the process is left when the repository is looked at.
        let result = self.stage(&connection, request, bench, (started, deadline), cancel);
        connection.finish(matches!(result, Err(Fault::Stopped(_)) if cancel.is_urgent()));
        result
    }

    /// Starts the agent as for work on a bench, opens a session in its mode and ends it; no model is asked.
    #[must_use]
    pub fn rehearse(&self, bench: &Workbench<'_>, cancel: &Cancel) -> ToolCall {
        let prompt = Prompt { system: String::new(), user: String::new() };
        let request = Request { role: Role::Stager, prompt: &prompt, retry: false, facts: None };
        let deadline = Instant::now() + self.options.time_left().unwrap_or_default();
        let mut is_confined = true;
        let started = self.start(&request, bench, cancel, &mut is_confined).map(Arc::new);
        let ready = started.and_then(|connection| {
            let opened = connection
                .introduce(deadline, cancel)
                .and_then(|()| self.open(&connection, bench, deadline, cancel))
                .map(Opened::close);
            connection.finish(false);
            opened
        });
        ToolCall { outcome: ready.map(|()| true).map_err(|fault| self.failure(&fault)), is_confined }
    }

    fn start(
        &self,
        request: &Request<'_>,
        bench: &Workbench<'_>,
        cancel: &Cancel,
        is_confined: &mut bool,
    ) -> Result<Connection, Fault> {
        if cancel.cause().is_some() {
            return Err(Fault::stopped(cancel));
        }
        let other = |error| Fault::Start(ProcessError::Other(error));
        let places = Places::new(bench.work_tree, bench.temporary).map_err(other)?;
        let scratch = Scratch::outside(&self.repository).map_err(|error| Fault::Start(error.into()))?;
        let (served, pipes) = Served::start(&self.command(request, bench)).map_err(Fault::Start)?;
        *is_confined = served.is_confined();
        if let Err(error) = scratch.note_agent(served.id()) {
            self.progress.detail(&format!("the agent's process cannot be noted: {error}"));
        }
        let guard = Guard::new(Some(places), Arc::clone(&self.progress));
        Connection::new(served, pipes, scratch, guard).map_err(other)
    }

    fn command(&self, request: &Request<'_>, bench: &Workbench<'_>) -> Command {
        let own: Vec<_> = self.manifest.env.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
        let place = place(request, bench, &own, self.manifest.tooled.sandbox);
        Command {
            program: self.program.clone(),
            args: self.argv.iter().skip(1).map(Into::into).collect(),
            env_set: place.env_set,
            env_unset: place.env_unset.into_iter().chain(self.manifest.run.unset_env.clone()).collect(),
            stdin: Vec::new(),
            working_dir: place.working_dir,
            confinement: place.confinement,
            timeout: None,
        }
    }

    fn stage(
        &self,
        connection: &Arc<Connection>,
        request: &Request<'_>,
        bench: &Workbench<'_>,
        (started, deadline): (Instant, Instant),
        cancel: &Cancel,
    ) -> Result<(), Fault> {
        connection.introduce(deadline.min(started + READY), cancel)?;
        let opened = self.open(connection, bench, deadline, cancel)?;
        opened.notes.iter().for_each(|note| self.progress.detail(note));
        let spoken = speak(&self.manifest, &call(request));
        let said = self.reported().prompt(&opened, request, &spoken, (started, deadline), cancel);
        opened.close();
        said.map(drop)
    }

    /// Opens a session that works on a bench.
    fn open(
        &self,
        connection: &Arc<Connection>,
        bench: &Workbench<'_>,
        deadline: Instant,
        cancel: &Cancel,
    ) -> Result<Opened, Fault> {
        let table = self.manifest.acp.clone().unwrap_or_default();
        let Table { tooled_mode, tooled_meta, .. } = table;
        let place = session::Place { folder: bench.work_tree, mode: tooled_mode.as_deref(), meta: tooled_meta };
        Opened::at(Arc::clone(connection), &place, &self.manifest, &self.options, (deadline, cancel))
    }

    fn reported(&self) -> Reported<'_> {
        Reported { manifest: &self.manifest, options: &self.options, argv: &self.argv, progress: &*self.progress }
    }

    fn failure(&self, fault: &Fault) -> AgentFailure {
        self.reported().failure(fault, self.options.model.as_ref().unwrap_or(&self.manifest.default_model))
    }
}
