//! Whether a provider can stage with tools where a run has it do that: confined to a scratch repository.

use std::path::PathBuf;
use std::sync::Arc;

use crate::agent::process::Exit;
use crate::agent::{Options, Workbench, Worker};
use crate::progress::Silent;
use crate::provider::Manifest;
use crate::role::Reasoning;
use crate::run::Scratch;
use crate::untrusted;

use super::super::side_call::{self, Place};
use super::provider::{Setting, TIMEOUT};
use super::{Check, Level};

const CONFINED: &str = "it may write only to its temporary folder and to its own state below your home folder; else set \
                        [decompose] stager = \"hunks\"";
const INSTEAD: &str = "mend it, or set [decompose] stager = \"hunks\"";

/// What is found of a provider as a stager. `earlier`: what was found without confinement; what fails anyway is not tried
/// again.
pub(super) fn checks(manifest: &Manifest, setting: &Setting<'_>, earlier: &[Check]) -> Vec<Check> {
    let can = Check::info("stager", describe(manifest));
    let works = |code: &str| earlier.iter().any(|check| check.code == code && check.level == Level::Info);
    let over_acp = manifest.stages_over_acp() && works("acp") && works("acp_modes");
    let by_calls = !manifest.is_acp_alone && !manifest.tooled.sandbox && works("version");
    if !manifest.can_stage() || !(over_acp || by_calls) {
        return vec![can];
    }
    let bench = match Bench::new() {
        Ok(bench) => bench,
        Err(error) => return vec![can, Check::warn("stager", "it could not be tried").detail(error)],
    };
    let tried = if over_acp { start(manifest, setting, &bench) } else { None };
    let tried = tried.or_else(|| by_calls.then(|| version(manifest, setting, &bench)).flatten());
    std::iter::once(can).chain(tried).collect()
}

fn describe(manifest: &Manifest) -> &'static str {
    match manifest {
        _ if !manifest.can_stage() => "cannot stage with tools; the hunks are sorted without them",
        _ if manifest.stages_over_acp() => "can stage with tools, and asks for leave over ACP where that can be used",
        Manifest { tooled, .. } if tooled.scoped => "can stage with tools, confined by its own flags",
        _ => "can stage with tools; its flags alone do not confine it to staging",
    }
}

/// The folders of a run's scratch repository.
struct Bench {
    scratch: Scratch,
    work_tree: PathBuf,
    git_dir: PathBuf,
    temporary: PathBuf,
}

impl Bench {
    fn new() -> Result<Self, String> {
        let scratch = Scratch::new().map_err(|error| error.to_string())?;
        let work_tree = scratch.path().join("repository");
        let (git_dir, temporary) = (work_tree.join(".git"), scratch.path().join("tmp"));
        for folder in [&work_tree, &git_dir, &temporary] {
            std::fs::create_dir(folder).map_err(|error| error.to_string())?;
        }
        Ok(Self { scratch, work_tree, git_dir, temporary })
    }

    fn workbench(&self, setting: &Setting<'_>) -> Workbench<'_> {
        Workbench {
            folder: self.scratch.path(),
            work_tree: &self.work_tree,
            git_dir: &self.git_dir,
            temporary: &self.temporary,
            variables: Vec::new(),
            protected: setting.protected.clone(),
        }
    }
}

/// Starts the agent over the protocol.
fn start(manifest: &Manifest, setting: &Setting<'_>, bench: &Bench) -> Option<Check> {
    let options = Options {
        model: Some(String::new()),
        reasoning: Reasoning::Off,
        timeout: TIMEOUT,
        deadline: None,
        output: None,
        strip_code_fence: None,
    };
    let here = std::env::current_dir().unwrap_or_default();
    let worker = Worker::new(manifest.clone(), options, &here, &setting.path, Arc::new(Silent)).ok()?;
    let rehearsal = worker.rehearse(&bench.workbench(setting), setting.cancel);
    Some(match rehearsal.outcome {
        Ok(_) => starts(manifest, rehearsal.is_confined),
        Err(failure) => fails(&failure.message, &failure.excerpt, rehearsal.is_confined),
    })
}

/// Has the program tell its version, which it does without confinement.
fn version(manifest: &Manifest, setting: &Setting<'_>, bench: &Bench) -> Option<Check> {
    let place = Place {
        folder: &bench.work_tree,
        temporary: Some(&bench.temporary),
        confinement: Some(bench.workbench(setting).confinement()),
    };
    let command = &manifest.checks.version;
    let outcome = side_call::run_in(place, manifest, command, (TIMEOUT, setting.cancel)).ok()?;
    Some(if outcome.exit == Exit::Code(0) {
        starts(manifest, outcome.is_confined)
    } else {
        let said = untrusted::lines(&outcome.stderr_tail, super::provider::MAX_LINE).join("\n");
        fails(&format!("`{}`: {}", command.join(" "), outcome.exit), &said, outcome.is_confined)
    })
}

fn starts(manifest: &Manifest, is_confined: bool) -> Check {
    Check::info(
        "confined",
        match is_confined {
            true => "starts as a stager, kept from writing to your repository",
            false if manifest.tooled.sandbox => "starts as a stager, which confines itself",
            false => "starts as a stager; this system cannot keep it from writing to your repository",
        },
    )
}

fn fails(why: &str, said: &str, is_confined: bool) -> Check {
    let (when, hint) = if is_confined {
        ("as a stager, kept from writing to your repository, it fails", CONFINED)
    } else {
        ("as a stager it fails", INSTEAD)
    };
    Check::warn("confined", format!("{when}: {why}")).detail(said).hint(hint)
}
