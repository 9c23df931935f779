//! Trailers as git's configuration wants them.

use super::program::Finished;
use super::{Config, GitError, Program};

/// Some trailers, and the git program that adds them as its configuration (`trailer.*`) says.
#[derive(Debug, Clone)]
pub struct TrailerProgram {
    program: Program,
    arguments: Vec<String>,
}

impl TrailerProgram {
    /// Whether anything is configured; if not, git's rules are simple enough to need no program.
    #[must_use]
    pub fn is_configured(config: &Config) -> bool {
        config.entries().iter().any(|entry| entry.key.starts_with("trailer."))
    }

    /// What `git commit --trailer <text>…` runs. What a text means is the configuration's business.
    #[must_use]
    pub fn new(program: Program, texts: &[String]) -> Self {
        let mut arguments = vec!["interpret-trailers".to_owned(), "--no-divider".to_owned()];
        arguments.extend(texts.iter().map(|text| format!("--trailer={text}")));
        Self { program, arguments }
    }

    /// Has git try them on some message. It leaves out what it cannot read, and only mentions it.
    ///
    /// # Errors
    /// As [`Self::add`], and when git says anything at all.
    pub fn check(&self) -> Result<(), GitError> {
        let finished = self.run("Subject\n")?;
        if finished.success && finished.stderr.is_empty() { Ok(()) } else { Err(refusal(&finished)) }
    }

    /// Adds them to a message of whole lines.
    ///
    /// # Errors
    /// git cannot be started, or its own words when it refuses them.
    pub fn add(&self, message: &str) -> Result<String, GitError> {
        let finished = self.run(message)?;
        if !finished.success {
            return Err(refusal(&finished));
        }
        String::from_utf8(finished.stdout).map_err(|error| GitError::Program {
            command: "git interpret-trailers".to_owned(),
            text: format!("what it prints is not UTF-8: {error}"),
        })
    }

    fn run(&self, message: &str) -> Result<Finished, GitError> {
        let arguments: Vec<&str> = self.arguments.iter().map(String::as_str).collect();
        self.program.try_run(&arguments, Some(message.as_bytes()), |_| {})
    }
}

fn refusal(finished: &Finished) -> GitError {
    Program::failure(&["interpret-trailers"], finished)
}
