//! What failed and killed runs leave: found, shown, finished, dropped.

use crate::support::{World, killed_while_the_agent_thinks, paste, records, while_the_agent_thinks};

/// A world in which a staged file waits for a rescue with a message.
fn staged_failure() -> World {
    let world = World::with_message("");
    world.stage("a", "frozen\n");
    fail(&world, &[]);
    world
}

/// A run that has its message and cannot publish it.
fn fail(world: &World, arguments: &[&str]) {
    while_the_agent_thinks(world, arguments, |world| {
        std::fs::write(world.path(".git/refs/heads/main.lock"), "").unwrap();
    })
    .fails_with(3)
    .says(&["Write it down", "stagecoach rescue commit", "git commit-tree"]);
    std::fs::remove_file(world.path(".git/refs/heads/main.lock")).unwrap();
}

fn tidy_and_sound(world: &World) {
    assert_eq!(records(world), Vec::<std::path::PathBuf>::new());
    assert_eq!(world.git(&["for-each-ref", "refs/stagecoach"]), "");
    assert!(world.git(&["status", "--porcelain=v2"]).lines().all(|line| !line.starts_with('u')));
    world.git(&["fsck", "--strict"]);
    world.assert_tidy();
}

fn gc(world: &World) {
    world.git(&["reflog", "expire", "--expire=now", "--expire-unreachable=now", "--all"]);
    world.git(&["gc", "-q", "--prune=now"]);
}

#[test]
fn a_failed_run_is_listed_shown_and_committed() {
    let world = staged_failure();
    let list = world.run(&["rescue"]).succeeds();
    assert!(list.stdout.contains(" ago  main  1 file  Write it down\n"), "{}", list.stdout);
    let run = list.stdout.split(' ').next().unwrap().to_owned();
    let show = world.run(&["rescue", "show", &run[..4]]).succeeds();
    for text in ["Write it down", "A\ta\n", "HEAD is where it belongs", "stagecoach rescue commit", "git update-ref"] {
        assert!(show.stdout.contains(text), "{text} in {}", show.stdout);
    }
    let before = world.head();
    let commit = world.run(&["rescue", "commit"]).succeeds();
    assert!(commit.stdout.ends_with("] Write it down\nA\ta\n"), "{}", commit.stdout);
    assert_eq!((world.message("HEAD"), world.git(&["rev-parse", "HEAD^"])), ("Write it down\n".to_owned(), before));
    assert_eq!(world.git(&["reflog", "-1", "--format=%gs"]), "commit: Write it down");
    assert_eq!(world.git(&["status", "--porcelain"]), "");
    tidy_and_sound(&world);
    world.run(&["rescue", "commit"]).fails_with(1).says(&["nothing to rescue"]);
}

#[test]
fn the_list_as_json() {
    let world = staged_failure();
    let json: serde_json::Value =
        serde_json::from_str(&world.run(&["rescue", "list", "--json"]).succeeds().stdout).unwrap();
    let rescue = &json["rescues"][0];
    assert_eq!(json["schema"], 1);
    assert_eq!(rescue["branch"], "refs/heads/main");
    assert_eq!(rescue["parent"], world.head());
    assert_eq!(rescue["state"], "waiting");
    assert_eq!(rescue["source"], "index");
    assert_eq!(rescue["commits"][0]["message"], "Write it down\n");
    assert_eq!(rescue["commits"][0]["files"][0], serde_json::json!({ "status": "A", "path": "a" }));
    world.run(&["rescue", "drop"]).succeeds();
    let json = world.run(&["rescue", "list", "--json"]).succeeds().stdout;
    assert_eq!(serde_json::from_str::<serde_json::Value>(&json).unwrap()["rescues"], serde_json::json!([]));
}

#[test]
fn another_message_can_be_given_and_must_be_where_there_is_none() {
    let world = World::with_message("");
    world.agent("cat > /dev/null; exit 9");
    world.stage("a", "frozen\n");
    world.run(&[]).fails_with(3).says(&["stagecoach rescue commit -m"]);
    world.run(&["rescue", "commit"]).fails_with(1).says(&["-m"]);
    world.run(&["rescue", "commit", "-m", " \n"]).fails_with(1).says(&["empty"]);
    assert_eq!(world.message("HEAD"), "Describe the goal\n");
    world.run(&["rescue", "commit", "-m", "By hand\n\n\n\nand why  "]).succeeds();
    assert_eq!(world.message("HEAD"), "By hand\n\nand why\n");
    tidy_and_sound(&world);
}

#[test]
fn a_staged_rescue_commits_what_was_frozen_and_leaves_later_staging() {
    let world = staged_failure();
    world.stage("a", "later\n");
    world.stage("b", "later\n");
    world.run(&["rescue", "commit"]).succeeds();
    assert_eq!(world.git(&["show", "HEAD:a"]), "frozen");
    assert_eq!(world.git(&["status", "--porcelain"]), "M  a\nA  b");
}

#[test]
fn what_was_unstaged_meanwhile_is_no_reversal() {
    let world = staged_failure();
    world.git(&["reset", "-q"]);
    world.run(&["rescue", "commit"]).succeeds();
    assert_eq!(world.git(&["status", "--porcelain"]), "");
}

#[test]
fn a_working_tree_rescue_brings_the_index_along_and_keeps_what_was_staged() {
    let world = World::with_message("");
    world.commit("Files", &[("edited", "1\n"), ("staged", "1\n"), ("gone", "1\n")]);
    for path in ["edited", "staged", "new/file"] {
        world.write(path, "2\n");
    }
    std::fs::remove_file(world.path("gone")).unwrap();
    fail(&world, &[]);
    world.write("edited", "3\n");
    world.stage("staged", "3\n");
    world.stage("extra", "3\n");
    world.run(&["rescue", "commit"]).succeeds();
    assert_eq!(world.git(&["show", "HEAD:edited", "HEAD:staged", "HEAD:new/file"]), "2\n2\n2");
    assert_eq!(world.git(&["status", "--porcelain"]), " M edited\nA  extra\nM  staged");
    // Stat data is fresh: nothing has to be read again.
    assert_eq!(world.git(&["diff-files", "--name-only"]), "edited");
    tidy_and_sound(&world);
}

#[test]
fn a_file_staged_where_the_commit_has_a_folder_stays() {
    let world = World::with_message("");
    world.write("place/inside", "2\n");
    world.write("other", "2\n");
    fail(&world, &[]);
    std::fs::remove_dir_all(world.path("place")).unwrap();
    world.stage("place", "a file now\n");
    world.run(&["rescue", "commit"]).succeeds();
    assert_eq!(world.git(&["show", "HEAD:place/inside"]), "2");
    assert_eq!(world.git(&["status", "--porcelain"]), "A  place\nD  place/inside");
}

#[test]
fn a_root_commit_is_rescued_too() {
    let world = World::new();
    world.write("a", "first\n");
    fail(&world, &[]);
    let run = world.run(&["rescue", "commit"]).succeeds();
    assert!(run.stdout.starts_with("[(root-commit) "), "{}", run.stdout);
    assert_eq!(world.git(&["rev-list", "--count", "HEAD"]), "1");
    assert_eq!(world.git(&["status", "--porcelain"]), "");
    tidy_and_sound(&world);
}

#[test]
fn a_detached_head_is_rescued_where_it_is() {
    let world = World::with_message("");
    world.git(&["switch", "-q", "--detach"]);
    world.stage("a", "frozen\n");
    while_the_agent_thinks(&world, &[], |world| std::fs::write(world.path(".git/HEAD.lock"), "").unwrap())
        .fails_with(3);
    std::fs::remove_file(world.path(".git/HEAD.lock")).unwrap();
    world.run(&["rescue", "commit"]).succeeds();
    assert_eq!(world.message("HEAD"), "Write it down\n");
    assert_eq!(world.message("main"), "Describe the goal\n");
}

#[test]
fn a_merge_is_rescued_with_all_its_parents() {
    let world = World::with_message("");
    world.git(&["switch", "-q", "-c", "side"]);
    world.commit("Side", &[("side", "x\n")]);
    world.git(&["switch", "-q", "main"]);
    world.commit("Main", &[("main", "x\n")]);
    world.git(&["merge", "-q", "--no-commit", "side"]);
    std::fs::write(world.path(".git/HEAD.lock"), "").unwrap();
    world.run(&[]).fails_with(3);
    std::fs::remove_file(world.path(".git/HEAD.lock")).unwrap();
    let heads = std::fs::read(world.path(".git/MERGE_HEAD")).unwrap();
    std::fs::remove_file(world.path(".git/MERGE_HEAD")).unwrap();
    world.run(&["rescue", "commit"]).fails_with(1).says(&["merge"]);
    std::fs::write(world.path(".git/MERGE_HEAD"), heads).unwrap();
    world.run(&["rescue", "commit"]).succeeds();
    assert_eq!(world.git(&["log", "-1", "--format=%P"]).split(' ').count(), 2);
    assert!(!world.path(".git/MERGE_HEAD").exists());
    world.run(&["undo"]).fails_with(1).says(&["merge", "git revert -m 1"]);
}

#[test]
fn a_moved_head_gets_the_change_merged_on_top_when_asked_for() {
    let world = World::with_message("");
    world.write("README.md", "frozen\n");
    world.write("b", "frozen\n");
    fail(&world, &[]);
    world.git(&["stash", "-q", "-u"]);
    let theirs = world.commit("Somebody else", &[("c", "theirs\n")]);
    world.run(&["rescue", "commit"]).fails_with(1).says(&["main at", "--onto-head"]);
    assert_eq!(world.head(), theirs);
    let show = world.run(&["rescue", "show"]).succeeds().stdout;
    assert!(show.contains("HEAD moved") && show.contains("git merge-tree"), "{show}");
    world.run(&["rescue", "commit", "--onto-head"]).succeeds();
    assert_eq!(world.git(&["rev-parse", "HEAD^"]), theirs);
    assert_eq!(world.git(&["show", "HEAD:README.md", "HEAD:b", "HEAD:c"]), "frozen\nfrozen\ntheirs");
    // The index follows; the working tree is what the stash left of it.
    assert_eq!(world.git(&["diff", "--cached", "--name-only"]), "");
    tidy_and_sound(&world);
}

#[test]
fn another_branch_gets_nothing_unless_asked_for() {
    let world = staged_failure();
    let main = world.head();
    world.git(&["switch", "-q", "-c", "other"]);
    world.run(&["rescue", "commit"]).fails_with(1).says(&["onto main at", "HEAD is other at"]);
    assert_eq!(world.git(&["rev-parse", "main", "other"]), format!("{main}\n{main}"));
    world.run(&["rescue", "commit", "--onto-head"]).succeeds();
    assert_eq!(world.git(&["rev-parse", "main", "other^"]), format!("{main}\n{main}"));
    assert_eq!(world.git(&["status", "--porcelain"]), "");
}

/// Only changes go onto another HEAD: here to files that are not there.
#[test]
fn a_branch_without_a_commit_gets_no_more_than_the_change() {
    let world = World::with_message("");
    world.stage("README.md", "mine\n");
    world.stage("new", "mine\n");
    fail(&world, &[]);
    world.git(&["reset", "-q", "--hard"]);
    world.git(&["switch", "-q", "--orphan", "empty"]);
    let before = world.state();
    world.run(&["rescue", "commit", "--onto-head"]).fails_with(3).says(&["README.md"]);
    assert_eq!(world.state(), before);
    world.git(&["switch", "-q", "main"]);
    let run = records(&world)[0].file_stem().unwrap().to_str().unwrap().to_owned();
    world.run(&["rescue", "drop", &run]).succeeds();

    world.stage("new", "mine\n");
    fail(&world, &[]);
    world.git(&["reset", "-q", "--hard"]);
    world.git(&["switch", "-q", "--orphan", "empty"]);
    world.run(&["rescue", "commit", "--onto-head"]).succeeds();
    assert_eq!(world.git(&["ls-tree", "-r", "--name-only", "empty"]), "new");
}

#[test]
fn an_empty_name_is_no_rescue() {
    let world = staged_failure();
    for command in ["show", "commit", "drop"] {
        world.run(&["rescue", command, ""]).fails_with(1).says(&["there is no rescue"]);
    }
    assert_eq!(records(&world).len(), 1);
}

#[test]
fn a_conflict_with_the_new_head_names_the_paths_and_changes_nothing() {
    let world = World::with_message("");
    world.stage("README.md", "mine\n");
    world.stage("b", "mine\n");
    fail(&world, &[]);
    world.git(&["reset", "-q", "--hard"]);
    world.commit("Somebody else", &[("README.md", "theirs\n")]);
    let before = world.state();
    let run = world.run(&["rescue", "commit", "--onto-head"]).fails_with(3).says(&["README.md", "git switch -c"]);
    assert!(!run.stderr.contains("cause: b"), "{}", run.stderr);
    assert_eq!(world.state(), before);
    assert_eq!(records(&world).len(), 1);
    // The way that the hint names.
    world.git(&["switch", "-q", "-c", "rescued", "HEAD^"]);
    world.run(&["rescue", "commit", "--onto-head"]).succeeds();
    assert_eq!(world.git(&["show", "rescued:README.md", "rescued:b"]), "mine\nmine");
    tidy_and_sound(&world);
}

#[test]
fn a_change_that_is_there_already_needs_no_commit() {
    let world = staged_failure();
    world.git(&["commit", "-q", "-m", "I was faster"]);
    world.run(&["rescue", "commit"]).succeeds().says(&["exactly this"]);
    assert_eq!(world.message("HEAD"), "I was faster\n");
    tidy_and_sound(&world);

    let world = staged_failure();
    world.stage("b", "more\n");
    world.git(&["commit", "-q", "-m", "I did more"]);
    world.run(&["rescue", "commit", "--onto-head"]).succeeds().says(&["nothing on top"]);
    assert_eq!(world.message("HEAD"), "I did more\n");
    tidy_and_sound(&world);
}

#[test]
fn a_run_killed_while_the_agent_thinks_is_found_and_finished_even_after_gc() {
    let world = World::with_message("");
    world.write("README.md", "frozen\n");
    world.write("new", "frozen\n");
    let before = world.state();
    killed_while_the_agent_thinks(&world, &[]);
    assert_eq!(world.state(), before);
    world.git(&["stash", "-q", "-u"]);
    world.git(&["stash", "drop", "-q"]);
    gc(&world);
    let list = world.run(&["rescue", "list"]).succeeds();
    assert!(list.stdout.contains("2 files  (no message)"), "{}", list.stdout);
    world.run(&["rescue", "commit", "-m", "Saved"]).succeeds();
    assert_eq!(world.git(&["show", "HEAD:README.md", "HEAD:new"]), "frozen\nfrozen");
    tidy_and_sound(&world);
}

#[test]
fn a_staged_run_that_was_killed_is_found_too() {
    let world = World::with_message("");
    world.stage("a", "frozen\n");
    killed_while_the_agent_thinks(&world, &[]);
    world.git(&["reset", "-q", "--hard"]);
    gc(&world);
    world.run(&["rescue", "commit", "-m", "Saved"]).succeeds();
    assert_eq!(world.git(&["show", "HEAD:a"]), "frozen");
    tidy_and_sound(&world);
}

#[test]
fn two_worktrees_have_their_own_rescues_and_gc_in_one_keeps_those_of_the_other() {
    let world = World::with_message("");
    world.git(&["worktree", "add", "-q", "linked", "-b", "side"]);
    let linked = world.path("linked");
    let linked = linked.to_str().unwrap();
    world.write("linked/only-there", "frozen\n");
    killed_while_the_agent_thinks(&world, &["-C", linked]);
    std::fs::remove_file(world.path("linked/only-there")).unwrap();
    gc(&world);
    world.run(&["rescue"]).succeeds().says(&["nothing to rescue"]);
    world.run(&["rescue", "commit", "-m", "Saved", "-C", linked]).succeeds();
    assert_eq!(world.git(&["show", "side:only-there"]), "frozen");
    assert_eq!(world.message("main"), "Describe the goal\n");
    tidy_and_sound(&world);
}

#[test]
fn the_ref_that_keeps_a_rescue_is_neither_branch_nor_tag_nor_pushed_nor_shown() {
    let world = staged_failure();
    assert_eq!(world.git(&["for-each-ref", "--format=%(objecttype)", "refs/stagecoach"]), "tree");
    assert_eq!(world.git(&["for-each-ref", "refs/tags"]), "");
    assert_eq!(world.git(&["log", "--all", "--format=%s"]), "Describe the goal\nStart the project");
    world.git(&["init", "-q", "--bare", "../remote.git"]);
    world.git(&["push", "-q", "--all", "../remote.git"]);
    assert!(!world.git(&["ls-remote", "../remote.git"]).contains("stagecoach"));
    world.git(&["fsck", "--strict"]);
}

/// A record as it was written last.
fn last_line(record: &std::path::Path) -> serde_json::Value {
    serde_json::from_str(std::fs::read_to_string(record).unwrap().lines().last().unwrap()).unwrap()
}

/// The record as the run left it that was killed after it had moved the branch.
fn noted_as_landed(world: &World) {
    let [record] = records(world).try_into().unwrap();
    let mut json = last_line(&record);
    let tree = json["steps"][0]["tree"].as_str().unwrap().to_owned();
    let commit = world.git(&["commit-tree", &tree, "-p", "HEAD", "-m", "Landed"]);
    json["steps"][0]["message"] = "Landed\n".into();
    json["steps"][0]["commit"] = commit.clone().into();
    std::fs::write(record, json.to_string()).unwrap();
    world.git(&["update-ref", "refs/heads/main", &commit]);
}

#[test]
fn killed_between_branch_and_index_only_the_index_is_brought_along() {
    let world = World::with_message("");
    world.write("README.md", "frozen\n");
    world.write("new", "frozen\n");
    killed_while_the_agent_thinks(&world, &[]);
    noted_as_landed(&world);
    let list = world.run(&["rescue"]).succeeds();
    assert!(list.stdout.contains("(all committed)"), "{}", list.stdout);
    let tip = world.head();
    world.run(&["rescue", "commit"]).succeeds().says(&["index"]);
    assert_eq!(world.head(), tip);
    assert_eq!(world.git(&["status", "--porcelain"]), "");
    tidy_and_sound(&world);
    world.run(&["undo"]).succeeds();
    assert_eq!(world.git(&["status", "--porcelain"]), " M README.md\n?? new");
}

#[test]
fn killed_after_a_staged_commit_had_landed_nothing_is_left_to_do() {
    let world = World::with_message("");
    world.stage("a", "frozen\n");
    killed_while_the_agent_thinks(&world, &[]);
    noted_as_landed(&world);
    world.run(&["rescue"]).succeeds().says(&["nothing to rescue"]);
    tidy_and_sound(&world);
    world.run(&["undo"]).succeeds();
    assert_eq!(world.git(&["status", "--porcelain"]), "A  a");
}

/// A record of three commits, the first of which has landed.
fn interrupted_decomposition(world: &World) -> Vec<String> {
    killed_while_the_agent_thinks(world, &[]);
    let [record] = records(world).try_into().unwrap();
    let mut json = last_line(&record);
    let last = json["steps"][0]["tree"].as_str().unwrap().to_owned();
    let mut trees = Vec::new();
    for kept in [1, 2] {
        let listing = world.git(&["ls-tree", &last]);
        let lines: Vec<&str> = listing
            .lines()
            .filter(|line| line.ends_with("README.md") || (1..=kept).any(|n| line.ends_with(&format!("part{n}"))))
            .collect();
        let mut child = world
            .program("git")
            .args(["mktree"])
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), (lines.join("\n") + "\n").as_bytes()).unwrap();
        trees.push(String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap().trim().to_owned());
    }
    trees.push(last);
    let first = world.git(&["commit-tree", &trees[0], "-p", "HEAD", "-m", "Part one"]);
    json["steps"] = serde_json::json!([
        { "title": "First", "tree": trees[0], "message": "Part one\n", "commit": first },
        { "title": "Second", "tree": trees[1], "message": "Part two\n" },
        { "title": "The third part", "tree": trees[2] },
    ]);
    std::fs::write(record, json.to_string()).unwrap();
    world.git(&["update-ref", "refs/heads/main", &first]);
    world.git(&["reset", "-q"]);
    trees
}

#[test]
fn the_rest_of_several_commits_is_finished_in_order() {
    let world = World::with_message("");
    (1..=3).for_each(|n| world.write(&format!("part{n}"), "x\n"));
    let trees = interrupted_decomposition(&world);
    let list = world.run(&["rescue"]).succeeds();
    assert!(list.stdout.contains("2 files  Part two (and 1 more)"), "{}", list.stdout);
    let show = world.run(&["rescue", "show"]).succeeds().stdout;
    assert!(show.contains("A\tpart2\n") && show.contains("A\tpart3\n") && !show.contains("A\tpart1\n"), "{show}");
    world.run(&["rescue", "commit", "-m", "One for two"]).fails_with(1).says(&["2 commits"]);
    world.run(&["rescue", "commit"]).succeeds();
    assert_eq!(world.git(&["log", "-3", "--format=%s"]), "The third part\nPart two\nPart one");
    assert_eq!(world.git(&["log", "-3", "--format=%T", "--reverse"]), trees.join("\n"));
    assert_eq!(world.git(&["status", "--porcelain"]), "");
    tidy_and_sound(&world);
    world.run(&["undo"]).succeeds();
    assert_eq!(world.message("HEAD"), "Describe the goal\n");
    assert_eq!(world.git(&["status", "--porcelain"]), "?? part1\n?? part2\n?? part3");
}

#[test]
fn the_rest_of_several_commits_goes_onto_a_moved_head() {
    let world = World::with_message("");
    (1..=3).for_each(|n| world.write(&format!("part{n}"), "x\n"));
    interrupted_decomposition(&world);
    world.commit("Somebody else", &[("c", "theirs\n"), ("part2", "x\n")]);
    world.run(&["rescue", "commit"]).fails_with(1);
    world.run(&["rescue", "commit", "--onto-head"]).succeeds().says(&["1 commit would change nothing"]);
    assert_eq!(world.git(&["log", "-3", "--format=%s"]), "The third part\nSomebody else\nPart one");
    assert_eq!(world.git(&["status", "--porcelain"]), "");
    tidy_and_sound(&world);
}

#[test]
fn dropping_forgets_record_message_and_ref() {
    let world = staged_failure();
    let before = world.state();
    world.run(&["rescue", "drop", "nonsense"]).fails_with(1).says(&["nonsense"]);
    assert!(world.run(&["rescue", "drop"]).succeeds().stdout.starts_with("dropped "));
    assert_eq!(world.state(), before);
    tidy_and_sound(&world);
    let left: Vec<_> = std::fs::read_dir(world.path(".git/stagecoach/rescue")).unwrap().collect();
    assert!(left.is_empty(), "{left:?}");
    world.run(&["rescue", "drop"]).fails_with(1);
    world.run(&["rescue", "drop", "--all"]).succeeds();
}

#[test]
fn records_expire_after_two_weeks_with_the_next_run() {
    let world = staged_failure();
    let [record] = records(&world).try_into().unwrap();
    let mut json = last_line(&record);
    let created = json["created"].as_u64().unwrap();
    world.agent_says("Commit something else");
    for (days, left) in [(13, 1), (15, 0)] {
        json["created"] = (created - days * 24 * 60 * 60).into();
        std::fs::write(&record, json.to_string()).unwrap();
        world.stage("a", format!("{days}\n"));
        world.agent_says(&format!("Commit {days}"));
        world.run(&[]).succeeds();
        assert_eq!(records(&world).len(), left, "after {days} days");
    }
    tidy_and_sound(&world);
    // A ref whose worktree is gone expires by its name.
    world.git(&["update-ref", "refs/stagecoach/rescue/5f000000-1", "HEAD^{tree}"]);
    world.git(&["pack-refs", "--all"]);
    world.run(&["rescue"]).succeeds();
    world.stage("a", "again\n");
    world.agent_says("Commit again");
    fail(&world, &[]);
    world.run(&["rescue", "drop"]).succeeds();
    assert_eq!(world.git(&["for-each-ref", "refs/stagecoach"]), "");
}

#[test]
fn a_lock_and_a_folder_of_a_killed_run_are_swept_and_those_of_others_are_not() {
    let world = World::with_message("Change it");
    world.write("README.md", "changed\n");
    killed_while_the_agent_thinks(&world, &[]);
    let folders = || {
        let names = std::fs::read_dir(world.path(".git")).unwrap().map(|entry| entry.unwrap().file_name());
        names.filter(|name| name.to_string_lossy().starts_with("stagecoach-")).count()
    };
    assert_eq!(folders(), 1);
    world.run(&["rescue", "drop"]).succeeds();
    assert_eq!(folders(), 0);
    let foreign = world.path(".git/index.lock");
    std::fs::write(&foreign, "stagecoach 1 1 - - - 1\n").unwrap();
    world.agent_says("Change it");
    world.run(&[]).fails_with(3).says(&["index.lock"]);
    assert!(foreign.exists());
}

#[test]
fn locks_over_which_runs_were_killed_before_they_had_a_record_go_with_the_next_run() {
    let world = World::with_message("Change it");
    world.stage("a", "x\n");
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
    let lock = |folder: &str, began: u64| {
        let path = world.path(&format!(".git/refs/stagecoach/{folder}/{began:x}-1.lock"));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, "").unwrap();
        path
    };
    let old = [lock("rescue", now - 60), lock("plan", now - 60)];
    // Somebody may be at it this very moment.
    let young = lock("rescue", now + 60);
    let recorded = lock("rescue", now - 61);
    let record = world.path(".git/stagecoach/rescue").join(recorded.with_extension("json").file_name().unwrap());
    std::fs::create_dir_all(record.parent().unwrap()).unwrap();
    std::fs::write(&record, "").unwrap();
    world.run(&[]).succeeds();
    assert!(old.iter().all(|lock| !lock.exists()));
    assert!(young.exists() && recorded.exists());
}

#[test]
fn a_folder_that_cannot_be_written_stops_no_commit() {
    let world = World::with_message("Commit all the same");
    std::fs::write(world.path(".git/stagecoach"), "in the way").unwrap();
    world.stage("a", "x\n");
    world.run(&[]).succeeds().says(&["could not be recorded"]);
    assert_eq!(world.message("HEAD"), "Commit all the same\n");
    world.stage("a", "y\n");
    world.agent("cat > /dev/null; exit 1");
    let run = world.run(&[]).fails_with(3).says(&["not recorded", "git commit-tree"]);
    assert!(!run.stderr.contains("stagecoach rescue commit"), "{}", run.stderr);
}

/// Kills runs at any moment: HEAD is at the start or at the commit, and either way the work can be finished.
#[test]
fn killed_at_any_moment_nothing_is_lost() {
    let world = World::with_message("Change it");
    let took = {
        let start = std::time::Instant::now();
        world.write("README.md", "warm up\n");
        world.run(&[]).succeeds();
        start.elapsed()
    };
    let rounds = 24;
    for round in 0..rounds {
        let content = format!("round {round}\n");
        world.agent_says(&format!("Change it for round {round}"));
        world.write("README.md", &content);
        world.write(&format!("new{round}"), &content);
        let before = world.head();
        let mut child = world
            .stagecoach(&["-q"])
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(took * round / rounds);
        child.kill().unwrap();
        child.wait().unwrap();
        // Killed while it held the lock of a ref, a program leaves it, as git does: it does not say whose it was.
        for lock in ["HEAD.lock", "refs/heads/main.lock"] {
            let _ = std::fs::remove_file(world.path(".git").join(lock));
        }
        let noted = records(&world).len();
        let landed = world.head() != before;
        if landed {
            assert_eq!(world.git(&["rev-parse", "HEAD^"]), before);
        }
        let mut finished = None;
        if noted == 1 {
            let run = world.run(&["rescue", "commit", "-m", "Saved"]);
            finished = Some(run.clone());
            // A record of which not a whole line was written is none.
            assert!(run.code == 0 || run.stderr.contains("nothing to rescue"), "{run:#?}");
        }
        if world.head() == before {
            world.run(&[]).succeeds();
        }
        assert_eq!(world.git(&["rev-parse", "HEAD^"]), before, "round {round}");
        assert_eq!(
            world.git(&["show", "HEAD:README.md", &format!("HEAD:new{round}")]),
            format!("{content}{content}").trim_end()
        );
        assert_eq!(
            world.git(&["status", "--porcelain"]),
            "",
            "round {round}: noted {noted}, landed {landed}, {finished:#?}"
        );
        world.git(&["fsck", "--strict"]);
        // A run that was started anew leaves the record of the killed one; the next round is to find its own only.
        for record in records(&world) {
            if std::fs::metadata(&record).is_ok_and(|file| file.len() > 0) {
                world.run(&["rescue", "drop", record.file_stem().unwrap().to_str().unwrap()]).succeeds();
            } else {
                // Killed when it had created the file and written nothing.
                std::fs::remove_file(record).unwrap();
            }
        }
    }
}

#[test]
fn what_a_killed_run_left_in_the_temporary_folder_goes_with_the_next() {
    let world = World::with_message("feat: write it down");
    world.stage("a", "1\n");
    killed_while_the_agent_thinks(&world, &[]);
    let left = || std::fs::read_dir(world.root().join("tmp")).unwrap().count();
    assert_eq!(left(), 1);
    // Another program's folder of that kind is nobody's business.
    std::fs::create_dir(world.root().join("tmp/stagecoach-other")).unwrap();
    world.agent_says("feat: write it down");
    world.run(&["-v"]).succeeds().says(&["a killed run had left"]);
    assert_eq!(left(), 1);
}

#[test]
fn the_recipe_for_a_shell_says_which_encoding_the_message_is_in() {
    let world = World::with_message("Größe prüfen");
    world.git(&["config", "i18n.commitEncoding", "ISO-8859-1"]);
    world.stage("a", "a\n");
    let lock = world.path(".git/refs/heads/main.lock");
    std::fs::write(&lock, "").unwrap();
    let run = world.run(&[]).fails_with(3);
    std::fs::remove_file(lock).unwrap();
    paste(&world, &run);
    assert_eq!(world.git(&["log", "-1", "--format=%s", "--encoding=UTF-8"]), "Größe prüfen");
}

#[test]
fn a_mistake_in_the_configuration_keeps_nobody_from_the_rescue() {
    let world = staged_failure();
    world.config("config_version = 3\n[generation]\nhook_timeout = 'soon'\nno_verify = true\n");
    world.hook("pre-commit", "exit 1");
    world.write(".stagecoach.toml", "config_version = ");
    assert!(world.run(&["rescue", "list"]).succeeds().stdout.contains("Write it down"));
    assert!(world.run(&["rescue", "show"]).succeeds().stdout.contains("Write it down"));
    let run = world.run(&["rescue", "commit"]).succeeds();
    run.says(&[
        "note: ",
        "config.toml:3:1: invalid value for `generation.hook_timeout`",
        ".stagecoach.toml:1:",
        "without it",
    ]);
    assert_eq!(world.message("HEAD"), "Write it down\n", "what can be read, here no_verify, still counts");
    world.run(&["rescue", "drop"]).fails_with(1).says(&["nothing to rescue"]);
}
