//! HEAD read and moved by compare-and-swap.

use std::io::Write;
use std::process::Stdio;

use super::super::testing::Scratch;
use super::super::{GitError, Head, HeadTarget, Ident, Reflog};
use super::{FORMATS, backends, backends_in};

fn reflog() -> Reflog {
    let committer = Ident { name: "C O Mitter".into(), email: "c@example.com".into(), seconds: 7, offset_minutes: -90 };
    Reflog { committer, message: "commit: It's \"x\"".into() }
}

/// The last line of a reflog, without ids.
fn last_entry(scratch: &Scratch, folder: &str, name: &str) -> String {
    scratch.git(&["-C", folder, "reflog", "show", "-1", "--date=raw", "--format=%gd %gn %ge %gs", name])
}

#[test]
fn head_and_branch_move_together_and_both_logs_say_so() {
    for format in FORMATS {
        let scratch = Scratch::of(format);
        let (first, second) = (scratch.commit_all("first"), scratch.commit_all("second"));
        scratch.git(&["worktree", "add", "-q", "-b", "it/has/slashes", "../linked", &first]);
        for folder in [".", "../linked"] {
            for backend in backends_in(&scratch, &scratch.path().join(folder)) {
                scratch.git(&["-C", folder, "reset", "-q", "--soft", &first]);
                let head = backend.head().unwrap();
                let branch = scratch.git(&["-C", folder, "symbolic-ref", "HEAD"]);
                assert_eq!(head.target, HeadTarget::Branch(branch.clone()));
                assert_eq!(head.commit, Some(first.parse().unwrap()));
                backend.move_head(&head, second.parse().unwrap(), &reflog()).unwrap();
                assert_eq!(scratch.git(&["-C", folder, "symbolic-ref", "HEAD"]), branch);
                for name in ["HEAD", branch.as_str()] {
                    assert_eq!(scratch.git(&["-C", folder, "rev-parse", name]), second);
                    let entry = last_entry(&scratch, folder, name);
                    assert!(
                        entry.ends_with("@{7 -0130} C O Mitter c@example.com commit: It's \"x\""),
                        "{} {format:?} {name}: {entry}",
                        backend.name()
                    );
                }
            }
        }
        scratch.git(&["refs", "verify"]);
    }
}

#[test]
fn a_head_that_moved_is_not_overwritten() {
    for format in FORMATS {
        let scratch = Scratch::of(format);
        let (first, second) = (scratch.commit_all("first"), scratch.commit_all("second"));
        for backend in backends(&scratch) {
            scratch.git(&["checkout", "-q", "-B", "main", &second]);
            let frozen = backend.head().unwrap();
            let refused = |reason: &str| match backend.move_head(&frozen, first.parse().unwrap(), &reflog()) {
                Err(GitError::HeadMoved(moved)) => {
                    assert_eq!(moved.frozen, frozen, "{reason}");
                    assert_eq!(moved.found, backend.head().unwrap(), "{reason}");
                }
                other => panic!("{reason}: {other:?}"),
            };
            scratch.git(&["switch", "-q", "-C", "other"]);
            refused("another branch with the same commit");
            assert_eq!(scratch.git(&["rev-parse", "main", "other"]), format!("{second}\n{second}"));
            scratch.git(&["switch", "-q", "--detach", "main"]);
            refused("detached at the same commit");
            scratch.git(&["switch", "-q", "main"]);
            scratch.git(&["commit", "-q", "--allow-empty", "-m", "third"]);
            refused("another commit on the same branch");
            for lock in ["HEAD.lock", "refs/heads/main.lock"] {
                assert!(!scratch.path().join(".git").join(lock).exists(), "{lock}");
            }
            scratch.git(&["switch", "-q", "--orphan", "unborn"]);
            refused("a branch that is not born yet");
            // Nothing is left locked.
            scratch.git(&["switch", "-q", "main"]);
            scratch.git(&["update-ref", "refs/heads/main", &first]);
            assert_eq!(scratch.git(&["rev-parse", "other"]), second);
        }
    }
}

#[test]
fn unborn_branches_are_born_once_and_detached_heads_stay_detached() {
    for format in FORMATS {
        let scratch = Scratch::of(format);
        let tree = scratch.git(&["write-tree"]);
        let commit = |message: &str| scratch.git(&["commit-tree", &tree, "-m", message]);
        let (first, second) = (commit("first"), commit("second"));
        for backend in backends(&scratch) {
            let branch = format!("refs/heads/{}", backend.name());
            scratch.git(&["symbolic-ref", "HEAD", &branch]);
            // A longer name that begins alike is another branch.
            scratch.git(&["update-ref", &format!("{branch}2"), &second]);
            let unborn = backend.head().unwrap();
            assert_eq!(unborn, Head { target: HeadTarget::Branch(branch.clone()), commit: None });
            backend.move_head(&unborn, first.parse().unwrap(), &reflog()).unwrap();
            assert_eq!(scratch.git(&["rev-parse", &branch]), first);
            let again = backend.move_head(&unborn, second.parse().unwrap(), &reflog());
            assert!(matches!(again, Err(GitError::HeadMoved(_))), "{again:?}");

            scratch.git(&["checkout", "-q", "--detach", &branch]);
            let detached = backend.head().unwrap();
            assert_eq!(detached.target, HeadTarget::Detached);
            backend.move_head(&detached, second.parse().unwrap(), &reflog()).unwrap();
            assert_eq!(scratch.git(&["rev-parse", "HEAD", &branch]), format!("{second}\n{first}"));
            assert!(last_entry(&scratch, ".", "HEAD").ends_with("commit: It's \"x\""));
            assert!(!scratch.command(&["symbolic-ref", "-q", "HEAD"]).output().unwrap().status.success());
        }
    }
}

#[test]
fn symbolic_branches_are_followed_to_the_end() {
    for format in FORMATS {
        let scratch = Scratch::of(format);
        let (first, second) = (scratch.commit_all("first"), scratch.commit_all("second"));
        scratch.git(&["symbolic-ref", "refs/heads/alias", "refs/heads/main"]);
        scratch.git(&["symbolic-ref", "HEAD", "refs/heads/alias"]);
        for backend in backends(&scratch) {
            scratch.git(&["update-ref", "refs/heads/main", &first]);
            let head = backend.head().unwrap();
            assert_eq!(head.ref_to_move(), "refs/heads/main");
            backend.move_head(&head, second.parse().unwrap(), &reflog()).unwrap();
            assert_eq!(scratch.git(&["rev-parse", "main"]), second);
            assert_eq!(scratch.git(&["symbolic-ref", "--no-recurse", "HEAD"]), "refs/heads/alias");
        }
    }
}

#[test]
fn a_lock_held_by_somebody_is_an_error_that_names_the_ref() {
    for (format, locks) in [
        (FORMATS[0], &[("HEAD.lock", "HEAD"), ("refs/heads/main.lock", "refs/heads/main")][..]),
        (FORMATS[2], &[("reftable/tables.list.lock", "refs/heads/main")]),
    ] {
        let scratch = Scratch::of(format);
        let first = scratch.commit_all("first");
        for backend in backends(&scratch) {
            let head = backend.head().unwrap();
            for (lock, name) in locks {
                let path = scratch.path().join(".git").join(lock);
                std::fs::write(&path, "").unwrap();
                match backend.move_head(&head, first.parse().unwrap(), &reflog()) {
                    Err(GitError::RefLocked(locked)) => assert_eq!(locked, *name),
                    other => panic!("{}: {other:?}", backend.name()),
                }
                assert!(path.exists(), "somebody else's lock was removed");
                std::fs::remove_file(path).unwrap();
            }
        }
    }
}

/// What [`super::plumbing::refs`] builds on: from `prepare` to `commit`, nobody moves HEAD or its branch.
#[test]
fn a_prepared_transaction_holds_head_and_its_branch() {
    for format in FORMATS {
        let scratch = Scratch::of(format);
        let (first, second) = (scratch.commit_all("first"), scratch.commit_all("second"));
        scratch.git(&["branch", "other"]);
        scratch.git(&["worktree", "add", "-q", "-b", "there", "../linked"]);
        for (folder, branch) in [(".", "main"), ("../linked", "there")] {
            let mut git = scratch.command(&["-C", folder, "update-ref", "-z", "--stdin"]);
            let mut git = git.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
            let mut stdin = git.stdin.take().unwrap();
            let mut answers = std::io::BufRead::lines(std::io::BufReader::new(git.stdout.take().unwrap()));
            write!(stdin, "start\0update HEAD\0{first}\0{second}\0prepare\0").unwrap();
            assert_eq!(answers.next().unwrap().unwrap(), "start: ok");
            assert_eq!(answers.next().unwrap().unwrap(), "prepare: ok");
            let attempts: [&[&str]; 3] = [
                &["symbolic-ref", "HEAD", "refs/heads/other"],
                &["update-ref", "--no-deref", "HEAD", &second],
                &["update-ref", &format!("refs/heads/{branch}"), &first],
            ];
            for attempt in attempts {
                let attempt: Vec<&str> = ["-C", folder].iter().chain(attempt).copied().collect();
                let output = scratch.command(&attempt).output().unwrap();
                assert!(!output.status.success(), "{format:?} {attempt:?}");
            }
            assert_eq!(scratch.git(&["-C", folder, "symbolic-ref", "HEAD"]), format!("refs/heads/{branch}"));
            // Without its input it undoes everything.
            drop(stdin);
            git.wait().unwrap();
            assert_eq!(scratch.git(&["-C", folder, "rev-parse", "HEAD"]), second);
            scratch.git(&["-C", folder, "symbolic-ref", "HEAD", "refs/heads/other"]);
            scratch.git(&["-C", folder, "symbolic-ref", "HEAD", &format!("refs/heads/{branch}")]);
        }
    }
}
