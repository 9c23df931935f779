//! Where a process and all that it starts may write.
//!
//! Linux has Landlock for that: a thread gives up rights for good, and what it starts inherits that. So the process is
//! started by a thread of its own that has given them up, and the rest of the program keeps its rights. That needs no
//! code between fork and exec, and no second program. Reading stays free everywhere.

use std::io;
use std::path::{Path, PathBuf};

use super::group::Group;

/// Where a process may write: in `writable` and below, but in no folder of `protected`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Confinement {
    /// Files and folders; those that are not there are passed over.
    pub writable: Vec<PathBuf>,
    /// Folders and files that stay out of reach, also where they lie within a writable folder. Then what lies beside them
    /// can be changed, but nothing new can be made there.
    pub protected: Vec<PathBuf>,
}

impl Confinement {
    /// The folders and files to be opened up, with no protected one in, below or above any of them.
    fn open(&self) -> Vec<PathBuf> {
        let protected: Vec<PathBuf> = self.protected.iter().filter_map(|path| resolved(path)).collect();
        let mut open = Vec::new();
        for path in &self.writable {
            // What a link means counts, since that is what would be opened.
            if let Ok(path) = path.canonicalize() {
                around(path, &protected, &mut open);
            }
        }
        open
    }
}

/// A path without links; its last part need not be there.
fn resolved(path: &Path) -> Option<PathBuf> {
    path.canonicalize().ok().or_else(|| Some(path.parent()?.canonicalize().ok()?.join(path.file_name()?)))
}

/// A path, or what lies in it beside the protected ones.
fn around(path: PathBuf, protected: &[PathBuf], open: &mut Vec<PathBuf>) {
    if protected.iter().any(|protected| path.starts_with(protected)) {
        return;
    }
    if !protected.iter().any(|protected| protected.starts_with(&path)) {
        open.push(path);
        return;
    }
    for entry in std::fs::read_dir(path).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| !kind.is_symlink()) {
            around(entry.path(), protected, open);
        }
    }
}

/// Starts a process that can write nowhere else, and says whether the system sees to that.
pub(super) fn spawn(
    confinement: &Confinement,
    start: impl FnOnce() -> io::Result<Group> + Send,
) -> io::Result<(Group, bool)> {
    let open = confinement.open();
    std::thread::scope(|scope| {
        let starter = std::thread::Builder::new().name("confined start".to_owned()).spawn_scoped(scope, || {
            let is_confined = restrict(&open);
            start().map(|group| (group, is_confined))
        })?;
        starter.join().unwrap_or_else(|_| Err(io::Error::other("the thread that starts it panicked")))
    })
}

/// Gives up all other rights to write, for this thread and for good. `false` where the system cannot keep all of that.
#[cfg(target_os = "linux")]
fn restrict(open: &[PathBuf]) -> bool {
    use landlock::{
        ABI, AccessFs, PathBeneath, PathFd, RulesetAttr as _, RulesetCreatedAttr as _, RulesetError, RulesetStatus,
    };

    /// The first version that also knows of files that are cut by name.
    const KNOWN: ABI = ABI::V3;

    let restrict = || -> Result<RulesetStatus, RulesetError> {
        let writing = AccessFs::from_write(KNOWN);
        let mut rules = landlock::Ruleset::default().handle_access(writing)?.create()?;
        for path in open {
            // One that cannot be opened stays closed.
            let Ok(opened) = PathFd::new(path) else { continue };
            let rights = if path.is_dir() { writing } else { writing & AccessFs::from_file(KNOWN) };
            rules = rules.add_rule(PathBeneath::new(opened, rights))?;
        }
        Ok(rules.restrict_self()?.ruleset)
    };
    matches!(restrict(), Ok(RulesetStatus::FullyEnforced))
}

#[cfg(not(target_os = "linux"))]
fn restrict(_open: &[PathBuf]) -> bool {
    false
}

/// The files and folders of devices that any program may want to write to.
#[must_use]
pub fn devices() -> Vec<PathBuf> {
    ["null", "zero", "full", "random", "urandom", "tty", "ptmx", "pts", "shm"]
        .iter()
        .map(|name| Path::new("/dev").join(name))
        .collect()
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn what_lies_beside_a_protected_folder_is_open_and_the_folder_is_not() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        let path = |name: &str| root.join(name);
        for folder in ["home/.agent/state", "home/src/project/.git", "home/src/other", "away"] {
            fs::create_dir_all(path(folder)).unwrap();
        }
        std::os::unix::fs::symlink(path("home"), path("home/src/loop")).unwrap();
        std::os::unix::fs::symlink(path("home/src/project"), path("link")).unwrap();
        let open = |writable: &[&str]| {
            let confinement = Confinement {
                writable: writable.iter().map(|name| path(name)).collect(),
                protected: vec![path("home/src/project"), path("home/.agent/gone"), path("gone/deep")],
            };
            let mut open = confinement.open();
            open.sort();
            open
        };
        assert_eq!(open(&["away"]), [path("away")]);
        assert_eq!(open(&["home"]), [path("home/.agent/state"), path("home/src/other")]);
        assert_eq!(open(&["home/src/project/.git", "link", "gone", "home/src/project"]), Vec::<PathBuf>::new());
    }

    /// Runs a script that may write to `open` only, and says whether it was kept to that.
    #[cfg(target_os = "linux")]
    fn run_confined(folder: &Path, script: &str) -> bool {
        let path = |name: &str| folder.join(name);
        for name in ["open", "open/inner", "shut"] {
            fs::create_dir(path(name)).unwrap();
        }
        fs::write(path("shut/kept"), "x").unwrap();
        let command = super::super::Command {
            program: "/bin/sh".into(),
            args: vec!["-c".into(), script.into()],
            env_set: Vec::new(),
            env_unset: Vec::new(),
            stdin: Vec::new(),
            working_dir: folder.to_owned(),
            timeout: None,
            confinement: Some(Confinement {
                writable: [path("open")].into_iter().chain(devices()).collect(),
                protected: vec![path("shut"), path("open/inner")],
            }),
        };
        let outcome = super::super::run(command, &crate::run::Cancel::new()).unwrap();
        assert_eq!(outcome.stdout, b"started\n");
        outcome.is_confined
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_confined_process_writes_only_where_it_may_and_we_write_everywhere() {
        let folder = tempfile::tempdir().unwrap();
        let script = "echo started; echo 1 > /dev/null; echo 1 > open/new; mkdir open/inner/folder; echo 1 > shut/new; rm shut/kept
            (setsid sh -c 'echo 1 > shut/later')";
        let is_confined = run_confined(folder.path(), script);
        let there = |name: &str| folder.path().join(name).exists();
        // Without Landlock in the kernel nothing is kept, and that is said.
        for (name, would_be) in
            [("shut/new", true), ("shut/later", true), ("shut/kept", false), ("open/inner/folder", true)]
        {
            assert_eq!(there(name), would_be != is_confined, "{name}, confined: {is_confined}");
        }
        // A folder with a protected one in it takes nothing new.
        assert_eq!(there("open/new"), !is_confined);
        fs::write(folder.path().join("shut/ours"), "x").unwrap();
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_system_that_takes_no_more_rules_is_no_obstacle_and_is_told() {
        use landlock::{AccessFs, RulesetAttr as _};
        std::thread::spawn(|| {
            // The kernel stacks at most 16 sets of rules.
            while landlock::Ruleset::default()
                .handle_access(AccessFs::MakeBlock)
                .and_then(landlock::Ruleset::create)
                .and_then(landlock::RulesetCreated::restrict_self)
                .is_ok_and(|status| status.ruleset == landlock::RulesetStatus::FullyEnforced)
            {}
            let folder = tempfile::tempdir().unwrap();
            assert!(!run_confined(folder.path(), "echo started; echo 1 > shut/new"));
            assert!(folder.path().join("shut/new").exists());
        })
        .join()
        .unwrap();
    }
}
