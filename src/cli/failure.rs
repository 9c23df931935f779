//! One table from everything that can go wrong to what failed, why, what to do next, and the exit code.

use std::fmt::Write as _;

use crate::agent::{AgentFailure, FailureKind};
use crate::commit::{FreezeError, PublishError, Rescue};
use crate::config::{ConfigError, Place};
use crate::git::{Change, GitError, Head};
use crate::payload::PayloadError;
use crate::provider::{LayerError, RegistryError};
use crate::run::Cause;
use crate::ui::json;
use crate::untrusted::stripped;

use super::hooks::named;

/// An error with nothing to rescue.
pub(super) const ERROR: u8 = 1;
/// There is nothing to commit.
pub(super) const NOTHING: u8 = 2;
/// Something was frozen and could not be committed.
pub(super) const RESCUE: u8 = 3;
/// Another run holds the repository's lock.
pub(super) const BUSY: u8 = 5;
/// As [`RESCUE`], because the agent ran out of time.
pub(super) const TIMEOUT: u8 = 124;

/// A failed run, ready to be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The exit code.
    pub exit: u8,
    /// A stable word for the JSON document.
    pub code: &'static str,
    /// What failed, one sentence.
    pub what: String,
    /// Why: the words of whoever refused, possibly several lines; may be empty.
    pub why: String,
    /// What to do next.
    pub hint: String,
    /// What was frozen.
    pub rescue: Option<Box<RescueNote>>,
}

/// A rescue and the recipe that fits how the run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RescueNote {
    /// What was frozen.
    pub rescue: Rescue,
    /// The command that finishes it, where the run is recorded.
    pub command: Option<&'static str>,
    /// Shell commands that finish it.
    pub recipe: Option<String>,
}

/// How many paths an error names.
const NAMED: usize = 10;

/// Finishes a rescue where it was frozen.
const FINISH: &str = "stagecoach rescue commit";
/// Finishes one commit that has no message yet.
const FINISH_WITH_MESSAGE: &str = "stagecoach rescue commit -m 'Describe the change here'";
/// Finishes several of which one has neither message nor title.
const FINISH_BY_EDITOR: &str = "stagecoach rescue commit --edit";
/// The same where HEAD moved.
const FINISH_ONTO_HEAD: &str = "stagecoach rescue commit --onto-head";
const FINISH_ONTO_HEAD_WITH_MESSAGE: &str = "stagecoach rescue commit --onto-head -m 'Describe the change here'";
const FINISH_ONTO_HEAD_BY_EDITOR: &str = "stagecoach rescue commit --onto-head --edit";

/// The command that works as it stands: the first where all words are there, the second for one commit without any.
fn command(rescue: &Rescue, [finish, with_message, by_editor]: [&'static str; 3]) -> &'static str {
    match rescue.left() {
        _ if rescue.has_words() => finish,
        1 => with_message,
        _ => by_editor,
    }
}

impl Failure {
    /// An error with nothing to rescue.
    #[must_use]
    pub fn new(code: &'static str, what: impl Into<String>, why: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { exit: ERROR, code, what: what.into(), why: why.into(), hint: hint.into(), rescue: None }
    }

    /// The same with another exit code.
    #[must_use]
    pub const fn exit(mut self, exit: u8) -> Self {
        self.exit = exit;
        self
    }

    /// The same failure with what is needed to finish by hand.
    #[must_use]
    pub fn with_rescue(mut self, rescue: Rescue) -> Self {
        self.rescue = Some(Box::new(RescueNote::waiting(rescue)));
        self
    }

    /// Three parts as text for a terminal, with what is to be rescued below them.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = format!("error: {}\n", self.what);
        let mut part = |label: &str, content: &str| {
            for (number, line) in content.lines().enumerate() {
                let label = if number == 0 { label } else { "" };
                // Writing to a String cannot fail.
                let _ = writeln!(text, "{label:>7}{} {line}", if label.is_empty() { " " } else { ":" });
            }
        };
        part("cause", &self.why);
        part("hint", &self.hint);
        if let Some(note) = &self.rescue {
            text.push_str(&note.text());
        }
        stripped(&text)
    }

    /// The same for the JSON document.
    #[must_use]
    pub fn json(&self) -> json::Error {
        let message = if self.why.is_empty() { self.what.clone() } else { format!("{}\n{}", self.what, self.why) };
        json::Error {
            exit: self.exit,
            code: self.code.to_owned(),
            message,
            hint: self.hint.clone(),
            rescue: self.rescue.as_deref().map(RescueNote::json),
        }
    }
}

impl RescueNote {
    /// HEAD is where the commit belongs.
    #[must_use]
    pub fn waiting(rescue: Rescue) -> Self {
        let command = command(&rescue, [FINISH, FINISH_WITH_MESSAGE, FINISH_BY_EDITOR]);
        Self { command: rescue.is_kept.then_some(command), recipe: rescue.recipe(), rescue }
    }

    /// HEAD is elsewhere.
    #[must_use]
    pub fn moved(rescue: Rescue, found: &Head) -> Self {
        let recipe = rescue.recipe_onto(found);
        let command = command(&rescue, [FINISH_ONTO_HEAD, FINISH_ONTO_HEAD_WITH_MESSAGE, FINISH_ONTO_HEAD_BY_EDITOR]);
        Self { command: rescue.is_kept.then_some(command), recipe, rescue }
    }

    /// What to know and to do, as text.
    #[must_use]
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        if let Some(tree) = self.rescue.tree() {
            let _ = writeln!(text, "\nNothing is lost. The frozen tree is {tree}");
        }
        if let Some(problem) = &self.rescue.problem {
            let _ = writeln!(text, "It is not recorded ({problem}), so finish it before `git gc` clears it away.");
        }
        if let Some((message, file)) = self.rescue.candidate() {
            let kept = file.map(|file| format!(" (kept in {})", file.display())).unwrap_or_default();
            let _ = writeln!(text, "The message so far{kept}:\n");
            indent(message, &mut text);
        }
        text.push_str(&self.ways_on());
        text
    }

    /// The command, then the recipe.
    #[must_use]
    pub(super) fn ways_on(&self) -> String {
        let mut text = String::new();
        if let Some(command) = self.command {
            let _ = writeln!(text, "\nTo finish it:\n\n    {command}");
        }
        if let Some(recipe) = &self.recipe {
            text.push_str("\nOr by hand:\n\n");
            indent(recipe, &mut text);
        }
        text
    }

    fn json(&self) -> json::Rescue {
        json::Rescue {
            run: self.rescue.is_kept.then(|| self.rescue.record.run.clone()),
            tree: self.rescue.tree().map(|tree| tree.to_string()).unwrap_or_default(),
            parents: self.rescue.parents().iter().map(ToString::to_string).collect(),
            message: self.rescue.candidate().map(|(message, _)| message.to_owned()),
            command: self.command.map(str::to_owned),
            recipe: self.recipe.clone(),
        }
    }
}

impl From<GitError> for Failure {
    fn from(error: GitError) -> Self {
        match error {
            GitError::NotARepository => Failure::new(
                "not_a_repository",
                "not a git repository (or any of the parent directories)",
                "",
                "go to a repository, or make one here with `git init`",
            ),
            GitError::Bare => Failure::new(
                "bare_repository",
                "there is no work tree to commit from",
                "the repository is bare",
                "run stagecoach in a clone or a linked worktree (`git worktree add`)",
            ),
            GitError::UnsafeOwner(path) => Failure::new(
                "unsafe_owner",
                "git refuses this repository",
                format!("it is owned by somebody else: {path}"),
                "if you trust it: git config --global --add safe.directory <its path>",
            ),
            GitError::Unsupported { what, instead } => Failure::new(
                "unsupported",
                "this repository needs something that stagecoach does not do yet",
                what,
                format!("commit with: {instead}"),
            ),
            GitError::Unmerged(paths) => Failure::new(
                "unmerged",
                format!("{} unmerged", if paths.len() == 1 { "a path is" } else { "some paths are" }),
                named(&paths),
                "resolve the conflicts, `git add` the files, then run stagecoach again",
            ),
            GitError::InProgress { operation, next } => Failure::new(
                "in_progress",
                format!("{operation} is in progress"),
                "it keeps authorship that a new commit would lose",
                format!("go on with: {next}"),
            ),
            GitError::Identity(text) => Failure::new(
                "identity",
                "git does not know who commits",
                text,
                "set user.name and user.email with `git config --global`",
            ),
            GitError::RefLocked(_) => Failure::new(
                "locked",
                error.to_string(),
                "another git command is running, or one was killed",
                "wait for it; if there is none, remove the lock file that `git commit` names",
            ),
            GitError::RefHook(ref text) => {
                let why = text.clone();
                Failure::new("hook", error.to_string(), why, "see what the hook wants, and finish as below")
            }
            GitError::IndexLocked(_) => Failure::new(
                "locked",
                error.to_string(),
                "another git command is running, or one was killed",
                "wait for it; if there is none, remove that file",
            ),
            GitError::NoGitProgram => Failure::new(
                "no_git",
                error.to_string(),
                "this needs the git program",
                "install git, or put it on PATH",
            ),
            GitError::Setting { key: "commit.cleanup", .. } => Failure::new(
                "git_config",
                "git's configuration is wrong",
                error.to_string(),
                "set commit.cleanup to strip, whitespace, verbatim, scissors or default",
            ),
            GitError::Config(_) | GitError::Setting { .. } => Failure::new(
                "git_config",
                "git's configuration is wrong",
                error.to_string(),
                "set the value with `git config`",
            ),
            GitError::Program { command, text } => {
                let hint = hint_of_the_system(&text).unwrap_or("what git says above names the way on");
                Failure::new("git_failed", format!("{command} failed"), text, hint)
            }
            other => {
                let why = other.to_string();
                let hint = hint_of_the_system(&why).unwrap_or("see `git fsck`");
                Failure::new("git", "the repository could not be read or written", why, hint)
            }
        }
    }
}

/// What to do where the operating system refused, whoever repeats its words; nothing is broken then.
fn hint_of_the_system(text: &str) -> Option<&'static str> {
    let says = |words: &[&str]| words.iter().any(|word| text.contains(word));
    if says(&["Permission denied", "insufficient permission"]) {
        Some("see who may write to the git folder and its objects")
    } else if says(&["Read-only file system"]) {
        Some("make the file system writable, or work in a clone elsewhere")
    } else if says(&["No space left on device", "Disk quota exceeded", "File too large", "ut of diskspace"]) {
        Some("make room on the disk, then run stagecoach again")
    } else if says(&["Resource temporarily unavailable", "Cannot allocate memory", "Too many open files"]) {
        Some("end other programs, or raise the limits that `ulimit -a` shows, then run stagecoach again")
    } else {
        None
    }
}

impl From<FreezeError> for Failure {
    fn from(error: FreezeError) -> Self {
        match error {
            FreezeError::NothingToCommit { ref left_out, outside_sparse_checkout } => {
                let mut why: Vec<String> = left_out
                    .iter()
                    .map(|file| {
                        format!("{} {}, so it was left out", crate::payload::quote(file.path.as_ref()), file.why)
                    })
                    .collect();
                let hint = match (left_out.is_empty(), outside_sparse_checkout) {
                    (false, _) => "to take them in: stagecoach -a",
                    (true, true) => "to take them in: git sparse-checkout add, or git add --sparse",
                    (true, false) => "change something first",
                };
                if outside_sparse_checkout {
                    why.push("untracked files outside of the sparse checkout are left out".to_owned());
                }
                Failure::new("nothing_to_commit", error.to_string(), why.join("\n"), hint).exit(NOTHING)
            }
            FreezeError::NothingStaged => Failure::new(
                "nothing_staged",
                error.to_string(),
                "there are changes, but none is staged",
                "stage what you want with `git add`, or take all with `stagecoach -a`",
            )
            .exit(NOTHING),
            FreezeError::Git(error) => error.into(),
        }
    }
}

impl From<ConfigError> for Failure {
    fn from(error: ConfigError) -> Self {
        let hint = as_hint(&error.hint());
        // What was just typed is no configuration to whoever typed it.
        if let ConfigError::InvalidValue { place: Place::Flag(flag), problem, .. } = &error {
            let what = format!("{flag} has a value that cannot be used");
            return Failure::new("configuration", what, problem.to_string(), hint);
        }
        Failure::new("configuration", "the configuration is wrong", error.to_string(), hint)
    }
}

impl From<LayerError> for Failure {
    fn from(error: LayerError) -> Self {
        Failure::new("configuration", "a provider's definition is wrong", error.to_string(), "see docs/providers.md")
    }
}

impl From<RegistryError> for Failure {
    fn from(error: RegistryError) -> Self {
        match error {
            RegistryError::Unknown(unknown) => Failure::new(
                "unknown_provider",
                format!("there is no provider `{}`", unknown.name),
                format!("known are {}", unknown.known.join(", ")),
                match unknown.nearest {
                    Some(name) => format!("did you mean {name}?"),
                    None => "define it as [provider.<name>] in the configuration".to_owned(),
                },
            ),
            RegistryError::Layer(error) => error.into(),
        }
    }
}

impl From<PayloadError> for Failure {
    fn from(error: PayloadError) -> Self {
        let hint = match error {
            PayloadError::Credentials(_) => "take the credentials out, or set [security] secrets = \"redact\"",
            _ => "see `git fsck`",
        };
        Failure::new("payload", "the change cannot be shown to an agent", error.to_string(), hint)
    }
}

impl From<AgentFailure> for Failure {
    fn from(failure: AgentFailure) -> Self {
        let (exit, code) = match failure.kind {
            FailureKind::Timeout => (TIMEOUT, "agent_timeout"),
            FailureKind::Missing => (RESCUE, "agent_missing"),
            FailureKind::Auth => (RESCUE, "agent_auth"),
            FailureKind::Quota => (RESCUE, "agent_quota"),
            FailureKind::Model => (RESCUE, "agent_model"),
            FailureKind::TooLong => (RESCUE, "agent_too_long"),
            FailureKind::Network => (RESCUE, "agent_network"),
            FailureKind::Blank => (RESCUE, "agent_blank"),
            FailureKind::Garbled => (RESCUE, "agent_garbled"),
            FailureKind::Flags => (RESCUE, "agent_flags"),
            FailureKind::Killed => (RESCUE, "agent_killed"),
            FailureKind::Session => (RESCUE, "agent_session"),
            FailureKind::Exit => (RESCUE, "agent_exit"),
            FailureKind::NoSeat => (RESCUE, "no_seat"),
            FailureKind::Cancelled(_) => (RESCUE, "interrupted"),
        };
        Failure::new(code, failure.message, failure.excerpt, failure.advice).exit(exit)
    }
}

pub(super) fn indent(content: &str, text: &mut String) {
    for line in content.lines() {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "    {line}");
    }
}

/// A sentence in the form that hints have: no capital at the beginning, no full stop.
#[must_use]
pub(super) fn as_hint(sentence: &str) -> String {
    let mut chars = sentence.trim_end_matches('.').chars();
    match (chars.next(), chars.clone().next()) {
        (Some(first), Some(second)) if second.is_lowercase() => first.to_lowercase().chain(chars).collect(),
        (Some(first), _) => std::iter::once(first).chain(chars).collect(),
        (None, _) => String::new(),
    }
}

/// Something is staged where the index must be HEAD's.
#[must_use]
pub(super) fn staged(what: &str, change: &Change) -> Failure {
    let mut paths: Vec<String> =
        change.files().iter().take(NAMED).map(|file| crate::payload::quote(file.path())).collect();
    let more = change.files().len().saturating_sub(NAMED);
    if more > 0 {
        paths.push(format!("and {more} more"));
    }
    let hint = "unstage it with `git reset`, or commit it with `stagecoach --single`";
    Failure::new("staged", what, paths.join("\n"), hint)
}

/// A publication that did not happen, with what was frozen.
#[must_use]
pub(super) fn of_publish(error: PublishError, rescue: Rescue) -> Failure {
    match error {
        PublishError::HeadMoved { moved, by_hook, .. } => {
            let (what, hint) = if by_hook {
                (
                    "the hook post-commit of the commit before moved HEAD; nothing was overwritten",
                    "finish the rest as below, and see that the hook makes and amends no commit in runs of several",
                )
            } else {
                (
                    "HEAD moved while the message was written; nothing was overwritten",
                    "run stagecoach again for what is staged now, or finish the frozen commit as below",
                )
            };
            let why = format!("it was {} and is {}", moved.frozen, moved.found);
            let failure = Failure::new("head_moved", what, why, hint);
            Failure { rescue: Some(Box::new(RescueNote::moved(rescue, &moved.found))), ..failure }
        }
        PublishError::MergeChanged { head } => {
            let failure = Failure::new(
                "merge_changed",
                "the merge in progress is not the one that was frozen; nothing was committed",
                format!("HEAD is {head}"),
                "run stagecoach again",
            );
            Failure { rescue: Some(Box::new(RescueNote { rescue, command: None, recipe: None })), ..failure }
        }
        error @ PublishError::Unsigned(_) => unsigned(&error).with_rescue(rescue),
        PublishError::Interrupted(cause) => interrupted(cause).exit(RESCUE).with_rescue(rescue),
        PublishError::Git(error) => Failure::from(error).exit(RESCUE).with_rescue(rescue),
    }
}

/// A commit that could not be signed.
#[must_use]
pub(super) fn unsigned(error: &PublishError) -> Failure {
    let why = match error {
        PublishError::Unsigned(why) => why.clone(),
        other => other.to_string(),
    };
    let hint = "see that `git commit` can sign here (user.signingKey, gpg.format, GPG_TTY), then finish as below";
    Failure::new("unsigned", "the commit could not be signed", why, hint).exit(RESCUE)
}

/// A run that was told to stop. Before there is a snapshot the exit code is that of the signal.
#[must_use]
pub(super) fn interrupted(cause: Cause) -> Failure {
    let what = match cause {
        Cause::Interrupt => "interrupted",
        Cause::Terminate => "terminated",
        Cause::Hangup => "hung up: the terminal is gone",
        Cause::LauncherGone => "terminated: the program that started stagecoach is gone",
    };
    let exit = u8::try_from(128 + cause.signal()).unwrap_or(ERROR);
    Failure::new("interrupted", what, "", "run stagecoach again").exit(exit)
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;

    #[test]
    fn where_the_system_refuses_nobody_is_sent_to_look_for_broken_objects() {
        let errno = |number| std::io::Error::from_raw_os_error(number).to_string();
        // EACCES, EROFS, ENOSPC, EAGAIN, ENOMEM, EMFILE; and git's own words.
        let refusals = [13, 30, 28, 11, 12, 24].map(errno);
        for text in refusals.iter().map(String::as_str).chain(["error: Out of diskspace"]) {
            assert!(hint_of_the_system(text).is_some(), "{text}");
        }
        assert_eq!(hint_of_the_system("object 12ab is corrupt"), None);
    }
}
