//! From a manifest and a prompt to what is run: argument vector, environment and standard input.
//!
//! Pure and without any shell. The order of the arguments is fixed, the payload appears exactly once, and nothing that a
//! user or a repository wrote can become a flag by accident.

mod argv;
mod escape;
mod text;

use std::ffi::OsString;
use std::path::Path;

pub use escape::AtEscape;
pub use text::{Spoken, agree, payload_limit, speak};

use super::schema::{Manifest, Output};
use crate::role::Reasoning;

/// Longest single argument in bytes that the system passes to a program: 128 KiB with its NUL on Linux, and what fits a
/// whole command line elsewhere.
pub const ARGUMENT_LIMIT: usize = if cfg!(windows) { 24_000 } else { 128 * 1024 - 1 };

/// What the agent may do in a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode<'a> {
    /// Read the prompt and answer.
    Bare,
    /// Work on a scratch repository with tools.
    Tooled {
        /// Its working folder.
        repo: &'a Path,
        /// Its git folder.
        git_dir: &'a Path,
    },
}

/// One turn of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn<'a> {
    /// Begins the session of this id. Agents that choose the id themselves ignore it.
    First(&'a str),
    /// Continues it.
    Next(&'a str),
}

/// One call to be rendered.
#[derive(Debug, Clone, Copy)]
pub struct Call<'a> {
    /// What the agent may do.
    pub mode: Mode<'a>,
    /// The model. None: the manifest's default; empty: none is passed, and the agent uses its own.
    pub model: Option<&'a str>,
    /// How hard to think.
    pub reasoning: Reasoning,
    /// The system prompt; may be empty.
    pub system: &'a str,
    /// The payload.
    pub payload: &'a str,
    /// Put the manifest's `retry_instruction` before the payload.
    pub retry: bool,
    /// The turn of a session, for a call that is one.
    pub turn: Option<Turn<'a>>,
    /// How at-signs are written, where all turns of a session must agree. None: as this call's texts need it. Without
    /// `run.escape_at` it has no effect.
    pub escape: Option<&'a AtEscape>,
}

impl<'a> Call<'a> {
    /// A bare call with nothing but the words.
    #[must_use]
    pub fn bare(system: &'a str, payload: &'a str) -> Self {
        Self {
            mode: Mode::Bare,
            model: None,
            reasoning: Reasoning::Off,
            system,
            payload,
            retry: false,
            turn: None,
            escape: None,
        }
    }
}

/// A process to be started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invocation {
    /// The program as the manifest names it, then its arguments.
    pub argv: Vec<OsString>,
    /// The same for people: payload and system prompt as sizes, no control characters.
    pub display_argv: Vec<String>,
    /// Variables to set.
    pub env_set: Vec<(String, String)>,
    /// Variables to remove.
    pub env_unset: Vec<String>,
    /// What to write to standard input; without it, standard input is closed at once.
    pub stdin: Option<Vec<u8>>,
    /// The model that is passed on; empty when none is.
    pub model: String,
    /// What standard output is, where the turn decides that.
    pub output: Option<Output>,
    /// How at-signs were written, so that the answer can be read back.
    pub escape: Option<AtEscape>,
    /// What did not go as asked, for `--verbose`.
    pub notes: Vec<String>,
}

/// A call that cannot be rendered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RenderError {
    /// A model without a backend, for an agent that needs one.
    #[error(
        "the model `{model}` of provider `{provider}` names no backend; write it as `backend/model`, for example `openai/{}`",
        example(model)
    )]
    BareModel {
        /// The provider.
        provider: String,
        /// The model as given.
        model: String,
    },
    /// A model that the agent would take for a flag, or that no argument can carry.
    #[error(
        "`{model}` is not a possible model for provider `{provider}`: it begins with `-` or has control characters"
    )]
    BadModel {
        /// The provider.
        provider: String,
        /// The model, made printable.
        model: String,
    },
    /// Tooled mode is not there.
    #[error("provider `{provider}` cannot stage: its `tooled_flags` are empty; {} can", able.join(", "))]
    CannotStage {
        /// The provider.
        provider: String,
        /// The built-in providers that can.
        able: Vec<String>,
    },
    /// Sessions are not there.
    #[error("provider `{provider}` cannot continue a session (`session_mode` is empty)")]
    NoSession {
        /// The provider.
        provider: String,
    },
    /// A session's id that could be taken for something else.
    #[error("`{id}` is not a possible session of provider `{provider}`")]
    BadSession {
        /// The provider.
        provider: String,
        /// The id, made printable.
        id: String,
    },
    /// The text is longer than the delivery carries.
    #[error("the prompt for provider `{provider}` has {length} bytes and its delivery carries at most {limit}")]
    TooLong {
        /// The provider.
        provider: String,
        /// Bytes of the whole delivered text.
        length: usize,
        /// Most bytes of it, as [`payload_limit`] says.
        limit: usize,
    },
    /// The provider runs no program.
    #[error("provider `{provider}` runs no program")]
    NoProgram {
        /// The provider.
        provider: String,
    },
}

fn example(model: &str) -> String {
    let bare = model.trim_matches('/');
    if bare.is_empty() { "gpt-5.4".to_owned() } else { bare.to_owned() }
}

/// Renders a call.
///
/// # Errors
/// The manifest cannot do what the call asks for, the model or session is unusable, or the text is too long.
pub fn render(manifest: &Manifest, call: &Call<'_>) -> Result<Invocation, RenderError> {
    if manifest.is_offline() {
        return Err(RenderError::NoProgram { provider: manifest.name.clone() });
    }
    let mut notes = Vec::new();
    let delivered = text::deliver(manifest, call, &mut notes)?;
    let built = argv::build(manifest, call, &delivered, &mut notes)?;
    Ok(Invocation {
        argv: built.argv,
        display_argv: built.display,
        env_set: manifest.env.iter().map(|(name, value)| (name.clone(), value.clone())).collect(),
        env_unset: manifest.run.unset_env.clone(),
        stdin: delivered.on_stdin.then(|| delivered.text.into_bytes()),
        model: built.model,
        output: manifest.session.output.filter(|_| matches!(call.turn, Some(Turn::First(_)))),
        escape: delivered.escape,
        notes,
    })
}

#[cfg(test)]
mod golden;
#[cfg(test)]
mod tests;
