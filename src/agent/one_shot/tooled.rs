//! Calls in which the agent works with tools: on a scratch repository, with no way to another one.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::{OneShot, Place, variables};
use crate::agent::process::{Confinement, ProcessError, devices};
use crate::agent::{AgentFailure, Request};
use crate::provider::{Call, Mode, render};
use crate::run::Cancel;

/// Files and folders below the home folder that are nobody's state: what runs at the next login, keys, git's settings and
/// our own, among them what repositories are trusted.
const NO_STATE: [&str; 22] = [
    ".bash_login",
    ".bash_logout",
    ".bash_profile",
    ".bashrc",
    ".config/autostart",
    ".config/fish",
    ".config/git",
    ".config/stagecoach",
    ".config/systemd",
    ".git-credentials",
    ".gitconfig",
    ".gnupg",
    ".local/bin",
    ".local/state/stagecoach",
    ".netrc",
    ".profile",
    ".ssh",
    ".zlogin",
    ".zlogout",
    ".zprofile",
    ".zshenv",
    ".zshrc",
];

/// Variables that name folders in which programs keep their state.
const STATE: [&str; 5] = ["XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR"];

/// Those in which stagecoach keeps its settings and what is trusted.
const OUR_OWN: [&str; 2] = ["XDG_CONFIG_HOME", "XDG_STATE_HOME"];

/// What an agent works on.
#[derive(Debug, Clone)]
pub struct Workbench<'a> {
    /// The folder that everything of it lies in.
    pub folder: &'a Path,
    /// The top of the working tree.
    pub work_tree: &'a Path,
    /// The git folder.
    pub git_dir: &'a Path,
    /// A folder for temporary files.
    pub temporary: &'a Path,
    /// The variables that name the repository to git; all others that begin with `GIT_` are removed.
    pub variables: Vec<(String, OsString)>,
    /// The folders of the user's repository, which must not be written to.
    pub protected: Vec<PathBuf>,
}

impl Workbench<'_> {
    /// Where an agent may write that works on this.
    #[must_use]
    pub fn confinement(&self) -> Confinement {
        confinement(self, &|name| std::env::var_os(name))
    }
}

/// How a call with tools went.
#[derive(Debug)]
pub struct ToolCall {
    /// Whether it went well, and whether the agent said anything.
    pub outcome: Result<bool, AgentFailure>,
    /// Whether the system kept the agent from writing to the user's repository.
    pub is_confined: bool,
}

impl OneShot {
    /// Lets the agent work on a scratch repository. It may write there and to its own files below the home folder, unless
    /// it sees to that itself.
    #[must_use]
    pub fn work(&self, request: &Request<'_>, bench: &Workbench<'_>, cancel: &Cancel) -> ToolCall {
        let mode = Mode::Tooled { repo: bench.work_tree, git_dir: bench.git_dir };
        let mut invocation = match render(&self.manifest, &Call { mode, ..self.call(request) }) {
            Ok(invocation) => invocation,
            Err(error) => return ToolCall { outcome: Err(self.not_rendered(&error)), is_confined: true },
        };
        for note in &invocation.notes {
            self.progress.detail(note);
        }
        let Some(timeout) = self.options.time_left() else {
            return ToolCall { outcome: Err(self.out_of_time(&invocation)), is_confined: true };
        };
        let place = place(request, bench, &invocation.env_set, self.manifest.tooled.sandbox);
        let outcome = self.scratch().and_then(|scratch| {
            let outcome = self.run_at(place, &scratch, request, &mut invocation, timeout, cancel);
            self.close(scratch);
            outcome
        });
        match outcome {
            Ok(outcome) => {
                let well = self.is_success(outcome.exit);
                let subject = super::subject(&self.manifest, &self.options, &invocation.model);
                let said = || outcome.stdout.iter().any(|byte| !byte.is_ascii_whitespace());
                let result =
                    if well { Ok(said()) } else { Err(self.failed(request, &subject, &outcome, outcome.exit)) };
                ToolCall { outcome: result, is_confined: outcome.is_confined }
            }
            Err(error) => {
                // One whose end is not known did run.
                let is_confined = !matches!(error, ProcessError::Lost(_));
                ToolCall { outcome: Err(self.not_started(&invocation, &error)), is_confined }
            }
        }
    }
}

/// Where an agent works on a bench, and what it inherits there.
pub(in crate::agent) fn place(
    request: &Request<'_>,
    bench: &Workbench<'_>,
    own: &[(String, String)],
    confines_itself: bool,
) -> Place {
    let inherited = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    let is_gits = |name: &String| name.starts_with("GIT_");
    let own: Vec<(String, String)> = own.iter().filter(|(name, _)| !is_gits(name)).cloned().collect();
    let mut env_set = variables(request, bench.work_tree, &own);
    env_set.push(("OLDPWD".to_owned(), bench.work_tree.into()));
    env_set.extend(["TMPDIR", "TMP", "TEMP"].map(|name| (name.to_owned(), bench.temporary.into())));
    env_set.extend(bench.variables.iter().cloned());
    Place {
        working_dir: bench.work_tree.to_owned(),
        env_set,
        env_unset: inherited.filter(is_gits).collect(),
        confinement: (!confines_itself).then(|| bench.confinement()),
    }
}

/// The scratch repository, devices, and what agents keep below the home folder, where none of them can work without.
fn confinement(bench: &Workbench<'_>, variable: &dyn Fn(&str) -> Option<OsString>) -> Confinement {
    let folder = |name: &str| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let mut writable = vec![bench.folder.to_owned()];
    writable.extend(devices());
    writable.extend(STATE.iter().filter_map(|name| folder(name)));
    let mut protected = bench.protected.clone();
    protected.extend(OUR_OWN.iter().filter_map(|name| Some(folder(name)?.join("stagecoach"))));
    if let Some(home) = folder("HOME") {
        let entries = std::fs::read_dir(&home).into_iter().flatten().flatten();
        let hidden = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with('.'));
        writable.extend(hidden.map(|entry| entry.path()));
        protected.extend(NO_STATE.iter().map(|name| home.join(name)));
    }
    Confinement { writable, protected }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_entries_of_home_are_the_agents_own_but_for_keys_and_what_runs_by_itself() {
        let root = tempfile::tempdir().unwrap();
        let path = |name: &str| root.path().join(name);
        for folder in ["home/.agent", "home/work", "home/.ssh", "state"] {
            std::fs::create_dir_all(path(folder)).unwrap();
        }
        let bench = Workbench {
            folder: &path("scratch"),
            work_tree: &path("scratch/repository"),
            git_dir: &path("scratch/repository/.git"),
            temporary: &path("scratch/tmp"),
            variables: Vec::new(),
            protected: vec![path("home/work")],
        };
        let variables = |name: &str| match name {
            "HOME" => Some(path("home").into()),
            "XDG_STATE_HOME" => Some(path("state").into()),
            "XDG_CACHE_HOME" => Some("relative".into()),
            _ => None,
        };
        let found = confinement(&bench, &variables);
        for name in ["scratch", "home/.agent", "home/.ssh", "state"] {
            assert!(found.writable.contains(&path(name)), "{name}");
        }
        assert!(!found.writable.iter().any(|path| path.ends_with("work") || path.ends_with("relative")));
        for name in ["home/work", "home/.ssh", "home/.bashrc", "home/.local/state/stagecoach", "state/stagecoach"] {
            assert!(found.protected.contains(&path(name)), "{name}");
        }
    }
}
