//! `stagecoach plan` and `apply`: a decomposition as a file; and `demo`, the whole of it in a throw-away repository.

use serde_json::{Value, json};

use crate::support::{Run, World};

/// A tree with two purposes that share a file, no agent but the offline writer, and a plan beside the repository.
fn dirty() -> World {
    let world = World::new();
    world.commit("feat: count", &[("src/count.rs", &numbered(30)), ("README.md", "# Counting\n")]);
    world.commit("docs: name it", &[("README.md", "# Counting\n\nBy ones.\n")]);
    world.config("config_version = 3\n[defaults]\nprovider = \"offline\"\n");
    world.write("src/count.rs", numbered(30).replace("line 3\n", "line three\n").replace("line 25\n", "line 25b\n"));
    world.write("README.md", "# Counting\n\nBy ones and twos.\n");
    world.write("added.txt", "new\n");
    world
}

fn numbered(lines: usize) -> String {
    (1..=lines).map(|line| format!("line {line}\n")).collect()
}

fn plan_of(world: &World) -> Value {
    let text = world.run(&["plan"]).succeeds().stdout;
    serde_json::from_str(&text).unwrap()
}

fn file(world: &World) -> String {
    world.root().join("plan.json").to_str().unwrap().to_owned()
}

/// Writes a plan with other commits over the one that was made, and returns where it is.
fn planned(world: &World, commits: &Value, leftover: &Value) -> String {
    let mut plan = plan_of(world);
    plan["commits"] = commits.clone();
    plan["leftover"] = leftover.clone();
    std::fs::write(file(world), plan.to_string()).unwrap();
    file(world)
}

/// The hunks of the shared file, as a plan names them: made by dividing it in a plan of our own.
fn hunks(world: &World) -> [Value; 2] {
    let hunk = |base: &str, text: &str| {
        let digest = <sha2::Sha256 as sha2::Digest>::digest(text);
        let hash: String = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        json!({"file": "src/count.rs", "base": base, "hash": hash})
    };
    assert!(world.read("src/count.rs").contains("line three"));
    [hunk("3", "-line 3\n+line three\n"), hunk("25", "-line 25\n+line 25b\n")]
}

fn subjects(world: &World) -> Vec<String> {
    world.git(&["log", "--format=%s", "-3"]).lines().map(str::to_owned).collect()
}

#[test]
fn a_plan_moves_nothing_and_is_carried_out_without_an_agent() {
    let world = dirty();
    let before = world.state();
    let run = world.run(&["plan", "-o", &file(&world)]).succeeds();
    assert_eq!((run.stdout.as_str(), world.state()), ("", before));
    let plan: Value = serde_json::from_str(&std::fs::read_to_string(file(&world)).unwrap()).unwrap();
    assert_eq!(plan["parent"], world.head());
    let commits = plan["commits"].as_array().unwrap();
    assert!(commits.len() > 1, "{plan:#}");
    let start = plan["start"].as_str().unwrap();

    // Whoever carries it out needs no agent, and sees no later edit.
    world.agent("exit 9");
    world.write("README.md", "edited since\n");
    world.write("later", "since\n");
    let shown = world.run(&["apply", &file(&world), "--dry-run"]).succeeds();
    assert!(shown.stdout.starts_with(&format!("# commit 1 of {}\n", commits.len())), "{}", shown.stdout);
    assert_eq!(world.head(), plan["parent"].as_str().unwrap());
    let run = world.run(&["apply", &file(&world)]).succeeds();
    assert_eq!(run.stdout.lines().filter(|line| line.starts_with('[')).count(), commits.len());
    assert_eq!(world.git(&["rev-parse", "HEAD^{tree}"]), start);
    let range = format!("{}..", plan["parent"].as_str().unwrap());
    let made: Vec<String> =
        world.git(&["log", "--reverse", "--format=%s", &range]).lines().map(str::to_owned).collect();
    let wanted: Vec<&str> = commits.iter().map(|commit| commit["message"].as_str().unwrap().trim_end()).collect();
    assert_eq!(made, wanted);
    assert_eq!(world.git(&["status", "--porcelain"]), " M README.md\n?? later");
    assert_eq!(world.read("README.md"), "edited since\n");
    world.git(&["fsck", "--strict"]);
    world.assert_tidy();
}

#[test]
fn a_dash_is_a_pipe_and_a_byte_order_mark_no_part_of_a_plan() {
    let world = dirty();
    let plan = world.run(&["plan", "-o", "-"]).succeeds().stdout;
    assert!(!world.path("-").exists());
    assert_eq!(serde_json::from_str::<Value>(&plan).unwrap()["parent"], world.head());
    std::fs::write(file(&world), format!("\u{feff}{plan}")).unwrap();
    let mut apply = world.stagecoach(&["apply", "-"]);
    apply.stdin(std::fs::File::open(world.root()).unwrap());
    Run::of(apply.output().unwrap()).fails_with(1).says(&["standard input cannot be read"]);
    apply.stdin(std::fs::File::open(file(&world)).unwrap());
    Run::of(apply.output().unwrap()).succeeds();
    assert_eq!(world.git(&["status", "--porcelain"]), "");
}

#[test]
fn people_split_reword_reorder_and_leave_out_and_undo_takes_it_back() {
    let world = dirty();
    let [first, second] = hunks(&world);
    let path = planned(
        &world,
        &json!([
            {"title": "a", "message": "Say three\n\nBecause.", "hunks": [first], "files": ["added.txt"]},
            {"title": "b", "message": "# not a comment", "files": ["README.md"]},
        ]),
        &json!({"hunks": [second]}),
    );
    let start = world.head();
    let shown = world.run(&["apply", &path, "--dry-run"]).succeeds();
    assert!(shown.stdout.ends_with("# not committed\nM\tsrc/count.rs\n"), "{}", shown.stdout);
    let run = world.run(&["apply", &path]).succeeds();
    assert!(run.stdout.contains("Say three\nA\tadded.txt\nM\tsrc/count.rs\n"), "{}", run.stdout);
    assert_eq!(world.message("HEAD^"), "Say three\n\nBecause.\n");
    assert_eq!(world.message("HEAD"), "# not a comment\n");
    let committed = numbered(30).replace("line 3\n", "line three\n");
    assert_eq!(world.git(&["show", "HEAD:src/count.rs"]) + "\n", committed);
    assert!(world.read("src/count.rs").contains("line 25b"));
    assert_eq!(world.git(&["status", "--porcelain"]), " M src/count.rs");
    assert_eq!(world.git(&["diff", "--numstat"]), "1\t1\tsrc/count.rs");

    world.run(&["undo"]).succeeds();
    assert_eq!(world.head(), start);
    assert_eq!(world.git(&["status", "--porcelain"]), " M README.md\n M src/count.rs\n?? added.txt");
    world.run(&["apply", &path]).succeeds();
    assert_eq!(world.git(&["status", "--porcelain"]), " M src/count.rs");
}

#[test]
fn a_plan_that_does_not_fit_says_why_and_changes_nothing() {
    let world = dirty();
    let [first, _] = hunks(&world);
    let all = json!({"title": "a", "message": "m", "files": ["README.md", "added.txt", "src/count.rs"]});
    for (commits, leftover, words) in [
        (
            json!([{"title": "a", "message": "m", "files": ["README.md", "added.txt"]}]),
            json!({}),
            "src/count.rs is in no commit",
        ),
        (
            json!([{"title": "a", "message": "m", "files": ["README.md", "added.txt"], "hunks": [first]}]),
            json!({}),
            "the hunk 25 of src/count.rs is in no commit",
        ),
        (json!([all, {"title": "b", "message": "m", "files": ["added.txt"]}]), json!({}), "earlier place has already"),
        (json!([all]), json!({"files": ["other"]}), "\"leftover\" names other, which is not in the change"),
        (
            json!([{"title": "a", "message": " ", "files": ["added.txt"]}]),
            json!({}),
            "commit 1 \"a\" of the plan has no message",
        ),
        (json!([]), json!({}), "the plan has no commit"),
    ] {
        let path = planned(&world, &commits, &leftover);
        let before = world.state();
        world.run(&["apply", &path]).fails_with(1).says(&[words, "hint"]);
        assert_eq!(world.state(), before, "{words}");
    }
    for (text, words) in [
        ("", "cannot be read"),
        ("{\"version\": 9}", "version 9"),
        ("[]", "no plan"),
        ("{\"version\": 1, \"parent\": null, \"start\": \"\", \"commits\": [7]}", "expected a commit"),
    ] {
        std::fs::write(file(&world), text).unwrap();
        world.run(&["apply", &file(&world)]).fails_with(1).says(&[words]);
    }
    world.run(&["apply", "nowhere.json"]).fails_with(1).says(&["nowhere.json"]);
    assert!(crate::support::records(&world).is_empty());
}

#[test]
fn a_head_or_an_index_that_is_another_is_refused() {
    let world = dirty();
    let path = file(&world);
    world.run(&["plan", "-o", &path]).succeeds();
    world.stage("staged file", "x\n");
    let before = world.state();
    world.run(&["apply", &path]).fails_with(1).says(&["staged file", "git reset"]);
    world.run(&["plan"]).fails_with(1).says(&["staged file", "git reset", "--single"]);
    assert_eq!(world.state(), before);
    world.git(&["reset", "-q"]);

    let other = world.commit("Something else", &[("else", "x\n")]);
    let before = world.state();
    let parent = world.git(&["rev-parse", "HEAD^"]);
    world.run(&["apply", &path]).fails_with(1).says(&[&parent[..10], &other[..10], "does not know"]);
    assert_eq!(world.state(), before);
}

#[test]
fn the_trees_of_a_plan_survive_gc_for_two_weeks_and_are_no_rescue() {
    let world = dirty();
    let path = file(&world);
    world.run(&["plan", "-o", &path]).succeeds();
    let plan: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    world.run(&["rescue", "list"]).succeeds().says(&["nothing to rescue"]);
    world.git(&["gc", "-q", "--prune=now"]);
    world.git(&["cat-file", "-e", plan["start"].as_str().unwrap()]);
    let kept = || world.git(&["for-each-ref", "--format=%(refname)", "refs/stagecoach/plan"]);
    let name = kept();
    assert_eq!(name.lines().count(), 1);

    // The same ref as a plan of long ago would have left it goes with the next plan.
    world.git(&["update-ref", "refs/stagecoach/plan/50000000-1", &name]);
    world.run(&["plan", "--force", "-o", &path]).succeeds();
    assert!(!kept().contains("50000000"), "{}", kept());
    for name in kept().lines() {
        world.git(&["update-ref", "-d", name]);
    }
    world.git(&["gc", "-q", "--prune=now"]);
    world.run(&["apply", &path]).fails_with(1).says(&["two weeks"]);
}

#[test]
fn a_file_that_is_there_stays_unless_it_is_to_be_replaced() {
    let world = dirty();
    let path = file(&world);
    std::fs::write(&path, "mine").unwrap();
    world.run(&["plan", "-o", &path]).fails_with(1).says(&["is there already", "--force"]);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "mine");
    world.run(&["plan", "-o", &path, "-f"]).succeeds();
    assert!(std::fs::read_to_string(&path).unwrap().starts_with("{\n  \"version\""));
    world.run(&["plan", "-f"]).fails_with(1);
    world.run(&["plan", "-o", "no/such/folder/p"]).fails_with(1).says(&["is no folder"]);

    // In the working tree, a file that is already there would be a part of the change.
    world.write("p.json", "");
    world.run(&["plan", "-o", "p.json", "--force"]).fails_with(1).says(&["p.json", "-o ../plan.json"]);
    let mut run = world.stagecoach(&["plan"]);
    run.stdout(std::fs::File::create(world.path("p.json")).unwrap());
    assert_eq!(run.output().unwrap().status.code(), Some(1));
    std::fs::remove_file(world.path("p.json")).unwrap();
    world.run(&["plan", "-o", "p.json"]).succeeds();
    world.run(&["apply", "p.json"]).succeeds();
    assert_eq!(world.git(&["status", "--porcelain"]), "?? p.json");
}

#[test]
fn one_path_is_a_plan_of_one_commit_and_nothing_is_none() {
    let world = World::with_message("Rename the project");
    world.run(&["plan"]).fails_with(2).says(&["Nothing to commit."]);
    world.write("README.md", "# Other\n");
    let plan = plan_of(&world);
    assert_eq!(plan["commits"].as_array().unwrap().len(), 1);
    assert_eq!(plan["commits"][0]["message"], "Rename the project\n");
    let run = world.run(&["plan", "--signoff", "--trailer", "Ref: 1"]).succeeds();
    assert!(run.stdout.contains("Signed-off-by: A U Thor <author@example.com>\\nRef: 1\\n"), "{}", run.stdout);
    world.agent("cat > /dev/null; exit 3");
    let before = world.state();
    world.run(&["plan"]).fails_with(1);
    assert_eq!(world.state(), before);
    assert!(crate::support::records(&world).is_empty());
}

#[test]
fn an_unborn_branch_gets_its_first_commits_from_a_plan() {
    let world = World::new();
    world.config("config_version = 3\n[defaults]\nprovider = \"offline\"\n");
    world.write("README.md", "# Hello\n");
    world.write("src/main.py", "print('hello')\n");
    world.run(&["plan", "--commits", "2", "-o", &file(&world)]).succeeds();
    let run = world.run(&["apply", &file(&world)]).succeeds();
    assert!(run.stdout.starts_with("[(root-commit) "), "{}", run.stdout);
    assert_eq!(subjects(&world).len(), 2);
    assert_eq!(world.git(&["status", "--porcelain"]), "");
    world.run(&["undo"]).succeeds();
    assert_eq!(world.git(&["status", "--porcelain", "-uall"]), "?? README.md\n?? src/main.py");
    world.run(&["apply", &file(&world)]).succeeds();
}

#[test]
fn an_index_that_is_locked_is_a_rescue_of_the_whole_plan() {
    let world = dirty();
    world.run(&["plan", "-o", &file(&world)]).succeeds();
    let start = world.head();
    std::fs::write(world.path(".git/index.lock"), "").unwrap();
    world.run(&["apply", &file(&world)]).fails_with(3).says(&["index.lock", "stagecoach rescue commit"]);
    assert_eq!(world.head(), start);
    std::fs::remove_file(world.path(".git/index.lock")).unwrap();
    world.run(&["rescue", "commit"]).succeeds();
    assert_eq!(world.git(&["status", "--porcelain"]), "");
    world.assert_tidy();
}

#[test]
fn a_kill_leaves_a_rescue_with_all_messages() {
    let world = dirty();
    world.run(&["plan", "-o", &file(&world)]).succeeds();
    let start = world.head();
    // Whoever holds the lock gives us time.
    std::fs::write(world.path(".git/index.lock"), "").unwrap();
    let mut child = world.stagecoach(&["apply", &file(&world)]).stderr(std::process::Stdio::null()).spawn().unwrap();
    while !crate::support::records(&world).iter().any(|record| record.metadata().is_ok_and(|file| file.len() > 0)) {
        assert!(child.try_wait().unwrap().is_none_or(|status| status.code() == Some(3)));
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    std::fs::remove_file(world.path(".git/index.lock")).unwrap();
    assert_eq!(world.head(), start);
    let plan: Value = serde_json::from_str(&std::fs::read_to_string(file(&world)).unwrap()).unwrap();
    let subject = plan["commits"][0]["message"].as_str().unwrap().trim_end();
    assert!(world.run(&["rescue", "list"]).succeeds().stdout.contains(subject));
    world.run(&["rescue", "commit"]).succeeds();
    assert_eq!(world.git(&["status", "--porcelain"]), "");
    assert_eq!(world.git(&["rev-parse", "HEAD^{tree}"]), plan["start"].as_str().unwrap());
    world.run(&["undo"]).succeeds();
    assert_eq!(world.head(), start);
    world.git(&["fsck", "--strict"]);
}

#[test]
fn a_merge_in_progress_is_no_ground_for_a_plan() {
    let world = dirty();
    world.run(&["plan", "-o", &file(&world)]).succeeds();
    world.git(&["stash", "-q", "-u"]);
    world.git(&["switch", "-q", "-c", "side", "HEAD^"]);
    world.commit("On the side", &[("side", "x\n")]);
    world.git(&["switch", "-q", "main"]);
    world.git(&["merge", "-q", "--no-commit", "--no-ff", "side"]);
    let before = world.state();
    world.run(&["plan"]).fails_with(1).says(&["a merge is in progress", "git commit"]);
    world.run(&["apply", &file(&world)]).fails_with(1).says(&["a merge is in progress"]);
    assert_eq!(world.state(), before);
}

#[test]
fn the_demonstration_runs_anywhere_and_touches_nothing() {
    let mut world = dirty();
    std::fs::remove_file(world.home("gitconfig")).unwrap();
    world.config("this is no TOML");
    let hook = world.script("hook", "exit 1");
    for (variable, value) in [
        ("GIT_DIR", "/nowhere"),
        ("GIT_INDEX_FILE", "/nowhere/index"),
        ("STAGECOACH_PROVIDER", "missing"),
        ("STAGECOACH_COMMITS", "1"),
        ("GIT_EDITOR", hook.as_str()),
        ("GIT_CONFIG_COUNT", "1"),
        ("GIT_CONFIG_KEY_0", "commit.gpgSign"),
        ("GIT_CONFIG_VALUE_0", "true"),
    ] {
        world.set(variable, value);
    }
    let mut outside = world.stagecoach(&["demo"]);
    let run = crate::support::Run::of(outside.current_dir(world.home("")).output().unwrap()).succeeds();
    let commits = run.stdout.lines().filter(|line| line.starts_with('[')).count();
    assert_eq!(commits, 6, "{}", run.stdout);
    let shown = run.stdout.split_once("$ git log --stat\n").unwrap().1;
    assert_eq!(shown.matches("src/main.rs").count(), 3, "the shared file is divided:\n{shown}");
    assert!(shown.contains("src/{util.rs => words.rs}"), "{shown}");
    assert!(shown.contains("$ git status --short\n\nNothing is left to commit"), "{shown}");
    assert!(!run.stdout.contains('\u{1b}'), "no colour in a pipe");
    assert!(std::fs::read_dir(world.root().join("tmp")).unwrap().next().is_none());
    world.run(&["demo"]).succeeds();
}
