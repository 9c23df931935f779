//! Agents that do not keep to their task and write into the repository: what they do is in no commit, and undoes none.

use crate::decompose_meanwhile::{ROLES, SUBJECTS, four_roles};
use crate::support::{World, records};

/// A world whose agent does something to the repository, once, in one of its roles, and then answers.
fn hostile(role: &str, deed: &str) -> World {
    four_roles(|name, answer| {
        if name == role {
            format!("if mkdir $root/done 2>/dev/null; then cd $root/repo\n{deed}\ncd /\nfi\n{answer}")
        } else {
            answer
        }
    })
}

#[test]
fn what_an_agent_does_to_files_refs_and_settings_is_in_no_commit() {
    for deed in [
        "echo evil > shared; echo evil > extra; rm new gone; mkdir folder; echo evil > folder/x",
        "git branch theirs; git tag mark; git update-ref refs/heads/deep/er HEAD; git update-ref refs/stagecoach/x HEAD",
        "git config user.name Evil; git config user.email evil@example.com; git config core.autocrlf true",
        "echo '*' > .gitignore; echo '* text eol=crlf -diff' > .gitattributes; echo '*' > .git/info/exclude",
        "rm -rf .git/stagecoach",
    ] {
        for role in ROLES {
            let world = hostile(role, deed);
            let (base, tree) = (world.head(), world.whole_tree());
            world.run(&[]).succeeds();
            assert!(world.root().join("done").exists(), "{role}: {deed}");
            assert_eq!(world.git(&["rev-parse", "HEAD^{tree}"]), tree, "{role}: {deed}");
            assert_eq!(world.subjects_since(&base), SUBJECTS, "{role}: {deed}");
            assert_eq!(
                world.git(&["log", "--format=%an %cn", "-3"]),
                ["A U Thor A U Thor"; 3].join("\n"),
                "{role}: {deed}"
            );
            assert_eq!(world.git(&["symbolic-ref", "HEAD"]), "refs/heads/main");
            world.git(&["fsck", "--strict", "--no-dangling"]);
        }
    }
}

#[test]
fn an_agent_that_prunes_the_repository_prunes_nothing_of_the_run() {
    for role in ROLES {
        let world = hostile(role, "git gc -q --prune=now; git prune --expire=now; git repack -q -a -d");
        let (base, tree) = (world.head(), world.whole_tree());
        // One message after the other: between a commit's object and its branch, such a prune takes the commit from any git.
        world.git(&["config", "stagecoach.maxParallel", "1"]);
        let run = world.run(&[]);
        assert!(world.root().join("done").exists(), "{role}");
        if role == "arbiter" && run.code == 3 {
            // What the stager made of shared files belongs to no tree yet; the snapshot is kept.
            world.run(&["rescue", "commit", "-m", "All of it"]).succeeds();
        } else {
            run.succeeds();
            assert_eq!(world.subjects_since(&base), SUBJECTS, "{role}");
        }
        world.assert_whole(&tree, &base);
    }
}

#[test]
fn what_an_agent_does_to_the_index_stays_there_and_is_in_no_commit() {
    for (deed, status) in [
        ("echo evil > extra; git add extra; git rm -q --cached quiet", "A  extra\nD  quiet\n?? quiet"),
        ("echo evil > other; git add other", "M  other"),
        ("git update-index --add --cacheinfo 100644,$(echo evil | git hash-object -w --stdin),evil", "AD evil"),
        ("git update-index --assume-unchanged quiet", ""),
    ] {
        for role in ROLES {
            // The run may hold the lock of the index just then, for the commit before.
            let deed = format!("git() {{ until command git \"$@\"; do sleep 0.01; done; }}\n{deed}");
            let world = hostile(role, &deed);
            let (base, tree) = (world.head(), world.whole_tree());
            world.run(&[]).succeeds();
            assert_eq!(world.git(&["rev-parse", "HEAD^{tree}"]), tree, "{role}: {deed}");
            assert_eq!(world.subjects_since(&base), SUBJECTS, "{role}: {deed}");
            assert_eq!(world.git(&["status", "--porcelain"]), status, "{role}: {deed}");
            world.git(&["fsck", "--strict", "--no-dangling"]);
        }
    }
}

#[test]
fn a_branch_that_an_agent_moves_stops_the_run_and_nothing_is_lost() {
    let commit = "c=$(git commit-tree HEAD^{tree} -p HEAD -m Evil); until git update-ref HEAD $c; do sleep 0.01; \
                  c=$(git commit-tree HEAD^{tree} -p HEAD -m Evil); done";
    let orphan = "git update-ref refs/heads/main $(git commit-tree HEAD^{tree} -m Evil)";
    for deed in [commit, orphan, "git symbolic-ref HEAD refs/heads/evil", "git update-ref -d refs/heads/main"] {
        for role in ROLES {
            let world = hostile(role, deed);
            let (base, tree) = (world.head(), world.whole_tree());
            let run = world.run(&[]).fails_with(1).says(&["HEAD moved"]);
            assert_eq!(records(&world).len(), 1, "{role}: {deed}: {run:#?}");
            assert_eq!(world.whole_tree(), tree, "the working tree is as it was: {role}: {deed}");
            match deed {
                _ if deed == commit => assert_eq!(world.message("HEAD"), "Evil\n", "{role}: {run:#?}"),
                _ if deed == orphan => {
                    assert_eq!(world.git(&["log", "--format=%s"]), "Evil", "{role}: {run:#?}");
                }
                _ => assert!(!world.try_git(&["rev-parse", "-q", "--verify", "HEAD"]).status.success(), "{role}"),
            }
            // What was made before is still there; going back, the rest follows.
            let json: serde_json::Value =
                serde_json::from_str(&world.run(&["rescue", "list", "--json"]).succeeds().stdout).unwrap();
            let rescue = &json["rescues"][0];
            let landed = usize::try_from(rescue["landed"].as_u64().unwrap()).unwrap();
            world.git(&["symbolic-ref", "HEAD", "refs/heads/main"]);
            if landed == 0 {
                world.git(&["update-ref", "refs/heads/main", &base]);
                world.run(&["rescue", "commit"]).succeeds();
                assert_eq!(world.git(&["rev-parse", "HEAD^{tree}"]), tree, "{role}: {deed}");
            }
        }
    }
}
