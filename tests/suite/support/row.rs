//! One row of the matrix: a kind of repository, in which stagecoach has to do exactly what git does.
//!
//! Two equal worlds are made. In one stagecoach commits, in the other git. With the dates fixed, equal commits have equal
//! ids, so that trees, parents, identities, messages and encodings are all compared at once.

use super::{Roles, World};

const MESSAGE: &str = "Change what has to be changed";

/// What both worlds are and what is to be committed.
pub struct Row {
    prepare: fn(&mut World),
    change: fn(&World),
    first: &'static [&'static str],
    backend: &'static str,
}

/// An empty repository made with these words for `git init`, in place of the world's.
pub fn fresh(world: &World, format: &[&str]) {
    std::fs::remove_dir_all(world.path(".git")).unwrap();
    let init: Vec<&str> = ["init", "-q", "-b", "main"].iter().chain(format).copied().collect();
    world.git(&init);
}

/// Files and two commits.
fn history(world: &World) {
    world.commit("Start the project", &[("README.md", "# Project\n"), ("src/gone", "of no use\n")]);
    world.commit("Go on", &[("src/changed", "one\ntwo\nthree\n"), ("deep/er/kept", "kept\n")]);
}

/// A changed, a removed, and a new file.
fn change(world: &World) {
    world.write("src/changed", "one\nTWO\nthree\nfour\n");
    std::fs::remove_file(world.path("src/gone")).unwrap();
    world.write("new folder/new file", "new\n");
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Staged,
    WorkingTree,
    Divided,
}

impl Row {
    /// A repository with two commits, and a change of three files.
    pub fn new() -> Self {
        Self { prepare: |world| history(world), change, first: &["src/changed"], backend: "libgit2" }
    }

    /// Makes the repository. [`Row::history`] is at hand.
    pub fn prepare(mut self, prepare: fn(&mut World)) -> Self {
        self.prepare = prepare;
        self
    }

    /// Makes the change. `first` are the paths that go into the first commit where it is divided into two.
    pub fn change(mut self, first: &'static [&'static str], change: fn(&World)) -> Self {
        self.change = change;
        self.first = first;
        self
    }

    /// The repository is reached by running git.
    pub fn by_program(mut self) -> Self {
        self.backend = "program";
        self
    }

    pub fn history(world: &World) {
        history(world);
    }

    /// Commits what is staged, then the working tree as one commit, then divided into two.
    #[track_caller]
    pub fn check(self) {
        self.check_staged();
        self.check_unstaged();
    }

    #[track_caller]
    pub fn check_staged(&self) {
        self.check_way(Way::Staged);
    }

    #[track_caller]
    pub fn check_unstaged(&self) {
        self.check_way(Way::WorkingTree);
        if !self.first.is_empty() {
            self.check_way(Way::Divided);
        }
    }

    fn world(&self) -> World {
        let mut world = World::new();
        world.set("GIT_AUTHOR_DATE", "1700000000 +0130").set("GIT_COMMITTER_DATE", "1700000001 -0200");
        (self.prepare)(&mut world);
        (self.change)(&world);
        world
    }

    #[track_caller]
    fn check_way(&self, way: Way) {
        let (ours, gits) = (self.world(), self.world());
        match way {
            Way::Staged | Way::WorkingTree => ours.agent_says(MESSAGE),
            // What the plan does not name becomes a commit of its own.
            Way::Divided => Roles::plan(&[("Begin", self.first)]).arbiter("echo '{\"target\": null}'").install(&ours),
        }
        if way == Way::Staged {
            ours.git(&["add", "-A"]);
        }
        let arguments: &[&str] = if way == Way::WorkingTree { &["--single", "--verbose"] } else { &["--verbose"] };
        let run = ours.run(arguments);
        assert_eq!(run.code, 0, "{way:?}: {run:#?}");
        assert!(run.stderr.contains(&format!("repository: {}", self.backend)), "{way:?}: {}", run.stderr);
        if way == Way::Divided {
            let add: Vec<&str> = ["--literal-pathspecs", "add", "-A", "--"].iter().chain(self.first).copied().collect();
            gits.git(&add);
            gits.git(&["commit", "-q", "-m", &ours.message("HEAD~")]);
        }
        gits.git(&["add", "-A"]);
        gits.git(&["commit", "-q", "-m", &ours.message("HEAD")]);
        for ((what, found), (_, expected)) in outcome(&ours).into_iter().zip(outcome(&gits)) {
            assert_eq!(found, expected, "{what}, {way:?}, stagecoach on the left: {run:#?}");
        }
        ours.git(&["fsck", "--strict", "--no-dangling"]);
        ours.assert_tidy();
    }
}

/// All that there is to see of a repository after a commit.
fn outcome(world: &World) -> Vec<(&'static str, String)> {
    let lines = |arguments: &[&str]| {
        let output = world.try_git(arguments);
        let said = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).replace('\0', "\n"));
        // Each world has a place of its own.
        said.concat().replace(world.root().to_str().unwrap(), "<world>")
    };
    let branch = lines(&["symbolic-ref", "-q", "HEAD"]);
    let reflog = |name: &str| lines(&["reflog", "show", "--date=raw", "--format=%H %gd %gn %ge %gs", name, "--"]);
    vec![
        ("commits", lines(&["log", "--format=raw", "--raw", "-r", "--no-abbrev", "--no-renames", "-n", "4"])),
        ("reflog of HEAD", reflog("HEAD")),
        ("reflog of the branch", reflog(if branch.is_empty() { "HEAD" } else { branch.trim() })),
        // Without a refresh, which `git status` would do.
        ("files that seem changed", lines(&["diff-files", "--name-status"])),
        ("index", lines(&["ls-files", "--stage", "-t", "-z"])),
        ("whole folders in the index", lines(&["ls-files", "--stage", "--sparse", "-t", "-z"])),
        ("status", lines(&["status", "--porcelain=v2", "--branch", "--untracked-files=all"])),
        ("branch", branch),
    ]
}
