//! Stagers with tools that fail, break the rules, or look for a way out of their repository.

use serde_json::json;

use crate::support::{records, say};
use crate::tooled::{EARLY, good, log, roles, shared, tasks};

#[test]
fn what_a_stager_may_not_do_stops_the_run_before_anything_has_moved() {
    let who = "-c user.name=x -c user.email=x";
    for (script, words) in [
        (format!("git add -A; git {who} commit -qm x"), "it committed or switched"),
        ("git checkout -q -b elsewhere; git add -A".to_owned(), "it committed or switched"),
        ("echo mine >> shared; git add shared".to_owned(), "shared has content that is not made of lines of the change"),
        ("echo x > invented; git add invented".to_owned(), "invented is not in the change"),
        ("git update-index --force-remove same".to_owned(), "same is not in the change"),
        ("mkdir n; git init -q n; git add -f . 2>/dev/null; git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),n".to_owned(), "n is not in the change"),
        ("id=$(printf 'line 3\\n' | git hash-object -w --stdin); git update-index --cacheinfo 100644,$id,other".to_owned(), "other has content"),
        ("id=$(printf shared | git hash-object -w --stdin); git update-index --cacheinfo 120000,$id,other".to_owned(), "other is neither as before nor as after"),
        (format!("if [ $task = c1 ]; then {EARLY}\nelse git reset -q HEAD~ -- 2>/dev/null; git update-index --cacheinfo 100644,$(git hash-object -w $HOME/.tool/old),shared; fi"), "shared gives back"),
    ] {
        let world = shared();
        std::fs::write(world.home(".tool/old"), crate::decompose::numbered(&[])).unwrap();
        roles(&world, &script).install(&world);
        let before = world.state();
        let run = world.run(&[]).fails_with(3).says(&[words, "nothing was committed", "--stager-provider"]);
        assert!(run.stderr.contains("\"One\"") || run.stderr.contains("\"Two\""), "{run:#?}");
        assert_eq!(world.state(), before, "{script}");
        assert_eq!(world.calls_of("message"), 0, "{script}");
        assert_eq!(records(&world).len(), 1, "{script}");
        world.git(&["fsck", "--strict", "--no-dangling"]);
        world.assert_tidy();
    }
}

#[test]
fn a_stager_that_fails_is_tried_once_more_from_the_beginning() {
    for how in [
        "exit 7",
        "kill -9 $$",
        "sleep 60",
        "rm .git/index; mkfifo .git/index; exit 0",
        "rm .git/index; ln -s /etc/passwd .git/index; exit 0",
        "printf junk > .git/index",
    ] {
        let world = shared();
        let (base, tree) = (world.head(), world.whole_tree());
        // What the failing call did to its repository must not matter to the next.
        let script =
            format!("if mkdir $log/once 2>/dev/null; then git update-index --force-remove same; {how}; fi\n{}", good());
        roles(&world, &script).install(&world);
        world.run(&["--stager-timeout", "2s", "-v"]).succeeds().says(&["\"One\" is to be staged once more"]);
        assert_eq!(tasks(&world), "c1 c1 c2", "{how}");
        assert_eq!(world.files_since(&base), [vec!["shared"], vec!["other", "shared"]], "{how}");
        world.assert_whole(&tree, &base);
    }
}

#[test]
fn a_concept_whose_stager_fails_twice_counts_as_empty() {
    let world = shared();
    let (base, tree) = (world.head(), world.whole_tree());
    roles(&world, &format!("[ $task != c1 ] || exit 7\n{EARLY}"))
        .arbiter(&say(&json!({ "target": null })))
        .install(&world);
    world.run(&[]).succeeds().says(&["\"One\" could not be staged", "\"One\" staged nothing and is skipped"]);
    assert_eq!(tasks(&world), "c1 c1 c2");
    assert_eq!(world.files_since(&base), [vec!["shared"], vec!["other", "shared"]]);
    world.assert_whole(&tree, &base);
}

#[test]
fn a_provider_that_refuses_everybody_is_not_asked_for_every_concept() {
    let world = shared();
    let (base, tree) = (world.head(), world.whole_tree());
    roles(&world, "echo 'Error: 401 Unauthorized' >&2; exit 1")
        .arbiter(&say(&json!({ "target": null })))
        .install(&world);
    world.run(&[]).succeeds().says(&["\"One\" could not be staged"]);
    assert_eq!((tasks(&world).as_str(), world.subjects_since(&base).len()), ("c1", 1));
    world.assert_whole(&tree, &base);
}

#[test]
fn a_stager_that_says_nothing_and_does_nothing_has_failed() {
    let world = shared();
    let (base, tree) = (world.head(), world.whole_tree());
    roles(&world, &format!("[ $task = c1 ] && exit 0\n{}", good()))
        .arbiter(&say(&json!({ "target": null })))
        .install(&world);
    world.run(&[]).succeeds().says(&["it staged nothing and said nothing"]);
    assert_eq!(tasks(&world), "c1 c1 c2");
    world.assert_whole(&tree, &base);
}

/// Writes to the user's repository by its path, and goes on as if nothing had happened.
fn intruder() -> String {
    format!(
        "if [ $task = c1 ]; then {{\nuser=$(sed -n 's|/objects$||p' .git/objects/info/alternates)\n\
         git --git-dir=$user update-ref refs/heads/evil $(GIT_DIR=$user git rev-parse HEAD)\n\
         echo x > $user/../intruder; rm -f $user/../same; echo x > $user/hooks/pre-commit; mkdir $user/../folder\n\
         mv $user/index $user/index.moved; }} 2>/dev/null; fi\n{}",
        good()
    )
}

/// Whether the system keeps a process to its folders.
fn system_confines() -> bool {
    use landlock::{AccessFs, Ruleset, RulesetAttr, RulesetStatus};
    let restrict = || {
        let rules = Ruleset::default().handle_access(AccessFs::Truncate).ok()?.create().ok()?;
        Some(rules.restrict_self().ok()?.ruleset == RulesetStatus::FullyEnforced)
    };
    std::thread::spawn(restrict).join().unwrap().unwrap_or(false)
}

#[test]
fn the_users_repository_cannot_be_written_to() {
    if !system_confines() {
        return;
    }
    let world = shared();
    let (base, tree, refs) = (world.head(), world.whole_tree(), world.git(&["for-each-ref"]).lines().count());
    roles(&world, &intruder()).install(&world);
    let run = world.run(&[]).succeeds();
    assert!(!run.stderr.contains("watched"), "{run:#?}");
    assert_eq!(world.git(&["for-each-ref"]).lines().count(), refs);
    for name in ["intruder", "folder", ".git/hooks/pre-commit", ".git/index.moved"] {
        assert!(!world.path(name).exists(), "{name}");
    }
    world.assert_whole(&tree, &base);
}

#[cfg(target_os = "linux")]
#[test]
fn where_the_system_keeps_nobody_back_a_moved_ref_stops_the_run() {
    use landlock::{AccessFs, PathBeneath, PathFd, Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetStatus};
    let world = shared();
    let base = world.head();
    roles(&world, &intruder()).install(&world);
    // A system that can take no more rules: 16 sets of them are the most.
    let run = std::thread::scope(|scope| {
        let inside = scope.spawn(|| {
            // Files may still be renamed, which every set of rules forbids that does not allow it.
            let everywhere = || PathBeneath::new(PathFd::new("/").unwrap(), AccessFs::Refer);
            let one_more = || {
                let rules = Ruleset::default().handle_access(AccessFs::MakeBlock | AccessFs::Refer)?.create()?;
                rules.add_rule(everywhere())?.restrict_self()
            };
            while one_more().is_ok_and(|status| status.ruleset == RulesetStatus::FullyEnforced) {}
            world.run(&[])
        });
        inside.join().unwrap()
    });
    run.fails_with(3).says(&[
        "this system cannot keep the stager from writing to your repository",
        "refs/heads/evil moved while the stager worked on \"One\"",
        "git reflog refs/heads/evil",
    ]);
    assert_eq!((world.head(), tasks(&world).as_str()), (base, "c1"));
    assert_eq!(world.calls_of("message"), 0);
}

#[test]
fn an_agent_with_a_sandbox_of_its_own_is_left_to_it_and_watched() {
    let world = shared();
    let base = world.head();
    roles(&world, &intruder()).settings("[provider.tool.tooled]\nsandbox = true\n").install(&world);
    let run = world.run(&[]).fails_with(3).says(&["refs/heads/evil moved while the stager worked on \"One\""]);
    assert!(!run.stderr.contains("this system cannot"), "{run:#?}");
    assert_eq!((world.head(), tasks(&world).as_str()), (base, "c1"));
}

#[test]
fn nothing_of_an_agent_is_left_behind() {
    let world = shared();
    let (base, tree) = (world.head(), world.whole_tree());
    let script = format!(
        "(sleep 90; git add -A) > /dev/null 2>&1 & echo $! >> $log/pids; sleep 90 & echo $! >> $log/pids\n\
         mkdir -p deep/er; echo x > deep/er/file; chmod 500 deep/er; echo x > $TMPDIR/file\n{}",
        good().replace("git add -A", "git add shared other")
    );
    roles(&world, &script).install(&world);
    world.run(&[]).succeeds();
    for pid in log(&world, "pids").lines() {
        let runs = || std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| !stat.contains(") Z "));
        assert!(!runs(), "process {pid} is left");
    }
    world.assert_whole(&tree, &base);
}

#[test]
fn a_run_that_is_stopped_or_killed_meanwhile_has_changed_nothing() {
    let world = shared();
    let (base, tree) = (world.head(), world.whole_tree());
    roles(&world, "kill -INT $PPID; sleep 60").install(&world);
    let before = world.state();
    assert_eq!(world.run(&[]).says(&["interrupted"]).code, 3);
    assert_eq!(world.state(), before);
    world.assert_tidy();
    world.run(&["rescue", "drop", "--all"]).succeeds();
    roles(&world, "kill -KILL $PPID; sleep 1").install(&world);
    assert_eq!(world.run(&[]).code, -9);
    assert_eq!(world.state(), before);
    world.run(&["rescue", "drop", "--all"]).succeeds();
    roles(&world, &good()).install(&world);
    world.run(&[]).succeeds();
    world.assert_whole(&tree, &base);
}
