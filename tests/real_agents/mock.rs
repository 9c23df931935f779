//! The mock model service, as a child that ends with its owner.

use std::fmt;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};

use anyhow::{Context as _, Result};
use serde::Deserialize;

/// What the service answers: accepted at once in a repository without habits.
pub(crate) const MESSAGE: &str =
    "feat: greet whoever starts the program\n\nThe greeting is printed before anything else.";

/// How the service behaves.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Scenario {
    /// It answers [`MESSAGE`].
    Answer,
    /// It refuses the key.
    Refuse,
    /// It answers without any text.
    Silent,
}

/// One model request, as the service saw it.
#[derive(Debug, Deserialize)]
pub(crate) struct Request {
    /// The names of the tools that the model may use.
    pub(crate) tools: Vec<String>,
    /// What the user says.
    pub(crate) users: Vec<String>,
    /// The request as it was sent.
    pub(crate) body: String,
}

impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "tools: {:?}", self.tools)?;
        self.users.iter().try_for_each(|said| writeln!(f, "--- user\n{said}"))
    }
}

/// A running service.
#[derive(Debug)]
pub(crate) struct Mock {
    child: Child,
    /// Closed with us, which ends the service also when the test is killed.
    input: Option<ChildStdin>,
    port: u16,
    log: PathBuf,
}

impl Mock {
    /// Starts the service on a free port; its log is kept in `folder`.
    ///
    /// # Errors
    /// Python does not run.
    pub(crate) fn start(folder: &Path) -> Result<Self> {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/real_agents/mock_model.py");
        let log = folder.join("requests");
        let mut command = Command::new("python3");
        command.arg("-B").arg(script).arg(&log).arg(MESSAGE).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().context("starting python3")?;
        let input = child.stdin.take();
        let mut line = String::new();
        BufReader::new(child.stdout.take().context("no output")?).read_line(&mut line)?;
        let port = line.trim().parse().with_context(|| format!("the service said `{line}`"))?;
        Ok(Self { child, input, port, log })
    }

    /// Where an agent finds the service.
    pub(crate) fn base(&self, scenario: Scenario) -> String {
        let behaviour = match scenario {
            Scenario::Answer => "answer",
            Scenario::Refuse => "refuse",
            Scenario::Silent => "silent",
        };
        format!("http://127.0.0.1:{}/{behaviour}", self.port)
    }

    /// The model requests so far.
    ///
    /// # Errors
    /// The log cannot be read.
    pub(crate) fn requests(&self) -> Result<Vec<Request>> {
        if !self.log.exists() {
            return Ok(Vec::new());
        }
        let log = fs::read_to_string(&self.log)?;
        log.lines().map(|line| serde_json::from_str(line).context("reading the log")).collect()
    }
}

impl Drop for Mock {
    fn drop(&mut self) {
        drop(self.input.take());
        let _ = self.child.wait();
    }
}
