//! One prompt, one process, one answer: joins a manifest, the process that it describes and the reading of its output.

mod conversation;
mod tooled;

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use self::conversation::Conversation;
pub(super) use self::tooled::place;
pub use self::tooled::{ToolCall, Workbench};
use super::failure::{self, Evidence, Patterns, Subject, Verdict};
use super::process::{self, Command, Confinement, Exit, Outcome, ProcessError};
use super::{Agent, AgentFailure, Answer, FailureKind, Request, Session, environment};
use crate::program::SearchPath;
use crate::progress::{CallEnd, CallStart, Progress};
use crate::provider::output::{self, Rules};
use crate::provider::{Call, FailurePatterns, Invocation, Manifest, Mode, Output, RenderError, WorkingDir, render};
use crate::role::Reasoning;
use crate::run::{Cancel, Scratch};
use crate::usage::Usage;

/// How a role wants its provider called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// The model; `None`: the manifest's default; empty: the agent's own.
    pub model: Option<String>,
    /// How hard to think.
    pub reasoning: Reasoning,
    /// How long one call may take.
    pub timeout: Duration,
    /// When the last call must have ended; `None`: each has its whole time-out.
    pub deadline: Option<Instant>,
    /// Overrides what the manifest says of standard output.
    pub output: Option<Output>,
    /// Overrides whether one code fence is unwrapped.
    pub strip_code_fence: Option<bool>,
}

impl Options {
    /// How long a call that starts now may take; `None` when there is no time for one.
    pub(super) fn time_left(&self) -> Option<Duration> {
        let Some(deadline) = self.deadline else { return Some(self.timeout) };
        let left = deadline.checked_duration_since(Instant::now()).filter(|left| !left.is_zero())?;
        Some(left.min(self.timeout))
    }

    /// How long this many calls from now on may take together.
    pub(super) fn time_for(&self, calls: usize) -> Duration {
        let all = self.timeout.saturating_mul(u32::try_from(calls).unwrap_or(u32::MAX));
        self.deadline.map_or(all, |deadline| all.min(deadline.saturating_duration_since(Instant::now())))
    }
}

/// Where a process runs, and what it inherits.
pub(super) struct Place {
    pub(super) working_dir: PathBuf,
    pub(super) env_set: Vec<(String, OsString)>,
    pub(super) env_unset: Vec<String>,
    pub(super) confinement: Option<Confinement>,
}

/// A provider whose program is started anew for every question.
pub struct OneShot {
    manifest: Manifest,
    program: PathBuf,
    options: Options,
    repository: PathBuf,
    progress: Arc<dyn Progress>,
}

impl fmt::Debug for OneShot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OneShot")
            .field("provider", &self.manifest.name)
            .field("program", &self.program)
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

impl OneShot {
    /// Finds the provider's program, once. `repository` is the top of the working tree: calls run outside of it unless
    /// the manifest asks for it.
    ///
    /// # Errors
    /// The program is not installed or cannot be executed; the failure says where to get it.
    pub fn new(
        manifest: Manifest,
        options: Options,
        repository: &Path,
        search: &SearchPath,
        progress: Arc<dyn Progress>,
    ) -> Result<Self, AgentFailure> {
        match process::find_program(&manifest.command, search) {
            Ok(program) => Ok(Self { manifest, program, options, repository: repository.to_owned(), progress }),
            Err(error) => Err(failure::describe_start(&subject(&manifest, &options, ""), &error)),
        }
    }

    fn call<'a>(&'a self, request: &Request<'a>) -> Call<'a> {
        Call {
            mode: Mode::Bare,
            model: self.options.model.as_deref(),
            reasoning: self.options.reasoning,
            system: &request.prompt.system,
            payload: &request.prompt.user,
            retry: request.retry,
            turn: None,
            escape: None,
        }
    }

    /// Runs the process in a working folder of its own.
    fn run(
        &self,
        request: &Request<'_>,
        invocation: &mut Invocation,
        timeout: Duration,
        cancel: &Cancel,
    ) -> Result<Outcome, ProcessError> {
        let scratch = self.scratch()?;
        let outcome = self.run_in(&scratch, request, invocation, timeout, cancel);
        self.close(scratch);
        outcome
    }

    fn out_of_time(&self, invocation: &Invocation) -> AgentFailure {
        let verdict = Verdict { kind: FailureKind::Timeout, hint: None, excerpt: String::new() };
        failure::describe(&subject(&self.manifest, &self.options, &invocation.model), Exit::TimedOut, verdict)
    }

    /// Runs the process, between the two reports of a call.
    fn run_in(
        &self,
        scratch: &Scratch,
        request: &Request<'_>,
        invocation: &mut Invocation,
        timeout: Duration,
        cancel: &Cancel,
    ) -> Result<Outcome, ProcessError> {
        let working_dir = match self.manifest.run.working_dir {
            WorkingDir::Scratch => scratch.path(),
            WorkingDir::Repo => self.repository.as_path(),
        };
        let place = Place {
            working_dir: working_dir.to_owned(),
            env_set: variables(request, working_dir, &invocation.env_set),
            env_unset: environment::REPOSITORY.iter().map(|name| (*name).to_owned()).collect(),
            confinement: None,
        };
        self.run_at(place, scratch, request, invocation, timeout, cancel)
    }

    /// The same in a place; the process is noted beside the scratch folder.
    fn run_at(
        &self,
        place: Place,
        scratch: &Scratch,
        request: &Request<'_>,
        invocation: &mut Invocation,
        timeout: Duration,
        cancel: &Cancel,
    ) -> Result<Outcome, ProcessError> {
        let command = Command {
            program: self.program.clone(),
            args: invocation.argv.drain(..).skip(1).collect(),
            env_set: place.env_set,
            env_unset: place.env_unset.into_iter().chain(invocation.env_unset.clone()).collect(),
            stdin: invocation.stdin.take().unwrap_or_default(),
            working_dir: place.working_dir,
            timeout: Some(timeout),
            confinement: place.confinement,
        };
        let argv: Vec<String> = match self.progress.verbosity() {
            0 => invocation.display_argv.clone(),
            _ => invocation.display_argv.iter().map(|argument| self.shown(argument, 1)).collect(),
        };
        let (system, user) = (self.shown(&request.prompt.system, 2), self.shown(&request.prompt.user, 2));
        self.progress.call_started(&CallStart {
            role: request.role,
            provider: &self.manifest.name,
            model: &invocation.model,
            argv: &argv,
            system_bytes: request.prompt.system.len(),
            payload_bytes: request.prompt.user.len(),
            timeout,
            contents: (&system, &user),
        });
        let outcome = process::run_telling(command, cancel, &|pid| {
            if let Err(error) = scratch.note_agent(pid) {
                self.progress.detail(&format!("the agent's process cannot be noted: {error}"));
            }
        });
        self.report(request, invocation, &outcome);
        outcome
    }

    fn close(&self, scratch: Scratch) {
        if let Err(error) = scratch.close() {
            self.progress.detail(&format!("the agent's temporary folder cannot be removed: {error}"));
        }
    }

    /// A private folder: where the process works, unless the manifest sends it to the repository, and where it is noted.
    fn scratch(&self) -> Result<Scratch, ProcessError> {
        Ok(Scratch::outside(&self.repository)?)
    }

    fn report(&self, request: &Request<'_>, invocation: &Invocation, outcome: &Result<Outcome, ProcessError>) {
        let (exit, elapsed, out, err, contents) = match outcome {
            Ok(outcome) => (
                outcome.exit.to_string(),
                outcome.elapsed,
                outcome.stdout_len,
                outcome.stderr_len,
                (outcome.stdout.as_slice(), outcome.stderr_tail.as_slice()),
            ),
            Err(error) => (error.to_string(), Duration::ZERO, 0, 0, (&[][..], &[][..])),
        };
        let [stdout, stderr] = [contents.0, contents.1].map(|text| self.shown(&String::from_utf8_lossy(text), 2));
        self.progress.call_ended(&CallEnd {
            role: request.role,
            provider: &self.manifest.name,
            exit: &exit,
            elapsed,
            stdout_bytes: usize::try_from(out).unwrap_or(usize::MAX),
            stderr_bytes: usize::try_from(err).unwrap_or(usize::MAX),
            usage: self.usage(invocation, outcome),
            contents: (&stdout, &stderr),
        });
    }

    /// What a call used; `None` where the program was not at work.
    fn usage(&self, invocation: &Invocation, outcome: &Result<Outcome, ProcessError>) -> Option<Usage> {
        match outcome {
            Ok(outcome) if self.output(invocation) == Output::Json => {
                Some(output::usage(&self.manifest.usage, &outcome.stdout))
            }
            Ok(_) | Err(ProcessError::Lost(_)) => Some(Usage::default()),
            Err(_) => None,
        }
    }

    /// What standard output is.
    fn output(&self, invocation: &Invocation) -> Output {
        invocation.output.or(self.options.output).unwrap_or(self.manifest.output)
    }

    /// A text as it is shown from that verbosity on; below it, nothing.
    fn shown(&self, text: &str, from: u8) -> String {
        environment::shown(self.progress.verbosity(), from, text, &self.manifest.env)
    }

    /// Whether the manifest calls this ending a success.
    fn is_success(&self, exit: Exit) -> bool {
        match exit {
            Exit::Code(code) => code == 0 || self.manifest.failures.ok_exit.iter().any(|ok| i32::from(*ok) == code),
            _ => false,
        }
    }

    /// Reads the answer.
    fn judge(&self, request: &Request<'_>, invocation: &Invocation, outcome: &Outcome) -> Result<Answer, AgentFailure> {
        let subject = subject(&self.manifest, &self.options, &invocation.model);
        if !self.is_success(outcome.exit) {
            return Err(self.failed(request, &subject, outcome, outcome.exit));
        }
        let garbled = |exit| {
            let verdict = Verdict { kind: FailureKind::Garbled, hint: None, excerpt: String::new() };
            Err(failure::describe(&subject, exit, verdict))
        };
        if outcome.is_capped() {
            return garbled(Exit::Flooded);
        }
        if self.is_spoiled(request, outcome) {
            return garbled(outcome.exit);
        }
        let rules = Rules::new(&self.manifest, Some(self.output(invocation)), self.options.strip_code_fence);
        let reading = output::read(&rules, invocation, &outcome.stdout);
        if reading.text.is_empty() {
            // An exit code that the manifest calls a success is no other ending than 0.
            return Err(self.failed(request, &subject, outcome, Exit::Code(0)));
        }
        Ok(Answer { text: reading.text, elapsed: outcome.elapsed, raw_fallback: reading.raw_fallback })
    }

    /// Whether a program that ended well says that its answer cannot be used. To find out costs something, so it is only done
    /// where there can be such words.
    fn is_spoiled(&self, request: &Request<'_>, outcome: &Outcome) -> bool {
        let is_named = self.manifest.failures.patterns.iter().any(|(name, _)| kind(name) == Some(FailureKind::Garbled));
        if !is_named || outcome.stderr_tail.is_empty() {
            return false;
        }
        failure::spoiled(&evidence(outcome, outcome.exit, &self.given(request)), &self.patterns())
    }

    fn failed(&self, request: &Request<'_>, subject: &Subject<'_>, outcome: &Outcome, exit: Exit) -> AgentFailure {
        let given = self.given(request);
        let mut verdict = failure::classify(&evidence(outcome, exit, &given), &self.patterns());
        verdict.excerpt = environment::without_secrets(&verdict.excerpt, &self.manifest.env);
        failure::describe(subject, exit, verdict)
    }

    /// What the program may merely repeat.
    fn given<'a>(&'a self, request: &Request<'a>) -> [&'a str; 3] {
        [&request.prompt.system, &request.prompt.user, &self.manifest.retry_instruction]
    }

    fn patterns(&self) -> Patterns {
        patterns(&self.manifest).unwrap_or_else(|mistake| {
            self.progress.detail(&mistake);
            Patterns::default()
        })
    }
}

impl Agent for OneShot {
    fn ask(&self, request: &Request<'_>, cancel: &Cancel) -> Result<Answer, AgentFailure> {
        let mut invocation = render(&self.manifest, &self.call(request)).map_err(|error| self.not_rendered(&error))?;
        for note in &invocation.notes {
            self.progress.detail(note);
        }
        let Some(timeout) = self.options.time_left() else { return Err(self.out_of_time(&invocation)) };
        match self.run(request, &mut invocation, timeout, cancel) {
            Ok(outcome) => self.judge(request, &invocation, &outcome),
            Err(error) => Err(self.not_started(&invocation, &error)),
        }
    }

    fn session<'a>(&'a self, texts: &[&str]) -> Option<Box<dyn Session + 'a>> {
        Some(Box::new(Conversation::new(self, texts)?))
    }
}

impl OneShot {
    fn not_started(&self, invocation: &Invocation, error: &ProcessError) -> AgentFailure {
        failure::describe_start(&subject(&self.manifest, &self.options, &invocation.model), error)
    }

    fn not_rendered(&self, error: &RenderError) -> AgentFailure {
        let kind = match error {
            RenderError::BareModel { .. } | RenderError::BadModel { .. } => FailureKind::Model,
            RenderError::TooLong { .. } => FailureKind::TooLong,
            RenderError::CannotStage { .. }
            | RenderError::NoSession { .. }
            | RenderError::BadSession { .. }
            | RenderError::NoProgram { .. } => FailureKind::Flags,
        };
        let model = self.options.model.as_deref().unwrap_or(&self.manifest.default_model);
        let subject = subject(&self.manifest, &self.options, model);
        let verdict = Verdict { kind, hint: None, excerpt: String::new() };
        AgentFailure { message: error.to_string(), ..failure::describe(&subject, Exit::Code(0), verdict) }
    }
}

/// What the process gets on top of what it inherits. `PWD` is set because some programs believe it.
fn variables(request: &Request<'_>, working_dir: &Path, own: &[(String, String)]) -> Vec<(String, OsString)> {
    let ours = [
        ("STAGECOACH".to_owned(), "1".into()),
        ("STAGECOACH_ROLE".to_owned(), request.role.name().into()),
        ("PWD".to_owned(), working_dir.into()),
    ];
    own.iter().map(|(name, value)| (name.clone(), value.into())).chain(ours).collect()
}

fn evidence<'a>(outcome: &'a Outcome, exit: Exit, given: &'a [&'a str]) -> Evidence<'a> {
    Evidence { exit, stdout: &outcome.stdout, stderr: &outcome.stderr_tail, given }
}

pub(super) fn subject<'a>(manifest: &'a Manifest, options: &Options, model: &'a str) -> Subject<'a> {
    let install = manifest.checks.notes.iter().find(|note| note.starts_with("Install"));
    Subject {
        provider: &manifest.name,
        command: &manifest.command,
        model,
        timeout: options.timeout,
        auth_env: &manifest.checks.auth_env,
        install: install.map_or("", String::as_str),
    }
}

/// What the manifest knows of the program's own complaints.
pub(super) fn patterns(manifest: &Manifest) -> Result<Patterns, String> {
    let compiled = manifest.failures.compile();
    compiled.map(convert).map_err(|error| format!("`failures` of provider `{}` cannot be used: {error}", manifest.name))
}

fn convert(patterns: FailurePatterns) -> Patterns {
    let kinds = patterns.kinds.into_iter().filter_map(|(name, set)| Some((kind(name)?, set)));
    Patterns { where_line: patterns.where_line, kinds: kinds.collect() }
}

/// The kind that a key of a manifest's `failures` table names.
fn kind(name: &str) -> Option<FailureKind> {
    Some(match name {
        "missing" => FailureKind::Missing,
        "auth" => FailureKind::Auth,
        "quota" => FailureKind::Quota,
        "model" => FailureKind::Model,
        "too_long" => FailureKind::TooLong,
        "network" => FailureKind::Network,
        "timeout" => FailureKind::Timeout,
        "blank" => FailureKind::Blank,
        "garbled" => FailureKind::Garbled,
        "flags" => FailureKind::Flags,
        "killed" => FailureKind::Killed,
        "session" => FailureKind::Session,
        "exit" => FailureKind::Exit,
        _ => return None,
    })
}

#[cfg(test)]
#[cfg(unix)]
mod tests;

#[cfg(test)]
mod builtin_tests;
