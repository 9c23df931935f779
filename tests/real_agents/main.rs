//! The built-in manifests against the real programs, each answered by a mock model service on 127.0.0.1.
//!
//! Opt-in, since it needs npm, python3 and the network and takes minutes the first time:
//!
//! ```sh
//! cargo test --test real_agents -- --ignored --nocapture
//! ```
//!
//! Each test installs today's version of its program into `target/real-agents/` (remove the folder to get newer ones),
//! says which version it runs, stages a change in a scratch repository with a scratch home, and lets stagecoach commit
//! it. What it promises: the commit has the model's message, the model was asked exactly once, without tools where the
//! manifest says that there are none, with the whole change, and without the content of any file but those changed.

#![cfg(unix)]
#![allow(clippy::print_stderr, reason = "the versions and requests are what the test is run to see")]

mod agents;
mod install;
mod mock;
mod process;
mod scratch;

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Result, bail, ensure};

use agents::{Agent, Tools};
use mock::{Mock, Scenario};
use scratch::Scratch;

/// Far more than any agent needs; only a run that hangs gets there.
const LIMIT: Duration = Duration::from_secs(180);

/// How stagecoach puts it when a key was refused.
const REFUSED: &str = "is not logged in, or its key was refused";

/// One agent at a time: some take half a gigabyte, and what is printed stays together.
static TURN: Mutex<()> = Mutex::new(());

macro_rules! real_agents {
    ($($name:ident),+) => {$(
        mod $name {
            #[test]
            #[ignore = "installs the program from npm and runs it"]
            fn writes_the_message_of_a_commit() -> anyhow::Result<()> {
                super::writes_the_message(&super::agents::$name())
            }

            #[test]
            #[ignore = "installs the program from npm and runs it"]
            fn leaves_everything_as_it_was_when_its_key_is_refused() -> anyhow::Result<()> {
                super::refused_key(&super::agents::$name())
            }

            #[test]
            #[ignore = "installs the program from npm and runs it"]
            fn does_not_commit_a_silent_answer() -> anyhow::Result<()> {
                super::silent_answer(&super::agents::$name())
            }
        }
    )+};
}

real_agents!(claude, codex, opencode, pi, qwen, copilot, gemini);

fn writes_the_message(agent: &Agent) -> Result<()> {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let (scratch, mock) = prepare(agent, Scenario::Answer)?;
    let run = scratch.stagecoach(agent, LIMIT)?;
    ensure!(run.status.success(), "{run}");
    let message = scratch.git(&["log", "-1", "--format=%B"])?;
    ensure!(message.trim_end() == mock::MESSAGE, "the commit says: {message}\n{run}");
    ensure!(scratch.git(&["status", "--porcelain"])?.is_empty(), "the change is not wholly committed\n{run}");

    let requests = mock.requests()?;
    eprintln!("  {} model request(s), {:.1} s", requests.len(), run.elapsed.as_secs_f64());
    let [request] = requests.as_slice() else {
        bail!(
            "asked {} times\n{}\n{run}",
            requests.len(),
            requests.iter().map(ToString::to_string).collect::<String>()
        );
    };
    match agent.tools {
        Tools::None => ensure!(request.tools.is_empty(), "tools were offered: {:?}", request.tools),
        Tools::Harmless(allowed) => {
            let strange: Vec<_> = request.tools.iter().filter(|tool| !allowed.contains(&tool.as_str())).collect();
            ensure!(strange.is_empty(), "more tools than known were offered: {strange:?}");
        }
    }
    scratch::check_request(agent, request)?;
    scratch.nothing_survives()
}

fn refused_key(agent: &Agent) -> Result<()> {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let (scratch, _mock) = prepare(agent, Scenario::Refuse)?;
    let before = scratch.state()?;
    let run = scratch.stagecoach(agent, LIMIT)?;
    ensure!(run.status.code() == Some(3), "a refused key is a failure with a rescue\n{run}");
    ensure!(scratch.state()? == before, "the repository changed\n{run}");
    ensure!(run.stderr.contains(REFUSED), "the reason is not told\n{run}");
    scratch.nothing_survives()
}

fn silent_answer(agent: &Agent) -> Result<()> {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let (scratch, mock) = prepare(agent, Scenario::Silent)?;
    let before = scratch.state()?;
    let run = scratch.stagecoach(agent, LIMIT)?;
    ensure!(run.status.code() == Some(3), "a silent answer is a failure with a rescue\n{run}");
    ensure!(scratch.state()? == before, "the repository changed\n{run}");
    ensure!(!mock.requests()?.is_empty(), "the model was not asked\n{run}");
    scratch.nothing_survives()
}

fn prepare(agent: &Agent, scenario: Scenario) -> Result<(Scratch, Mock)> {
    let program = install::program(agent.package, agent.command)?;
    eprintln!("{} {} ({})", agent.provider, program.version, agent.package);
    let scratch = Scratch::new(program)?;
    let mock = Mock::start(scratch.folder())?;
    scratch.point(agent, &mock.base(scenario))?;
    Ok((scratch, mock))
}
