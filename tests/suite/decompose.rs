//! A dirty tree becomes several commits: how the change is divided, staged, reconciled, written and shown.

use serde_json::{Value, json};

use crate::support::{Roles, Run, World, plan, say};

/// Three changed files and two new ones on top of two commits.
pub fn dirty() -> World {
    let world = World::with_message("");
    world.commit("Add files", &[("a", "a\n"), ("b", "b\n"), ("c", "c\n")]);
    for path in ["a", "b", "c", "new/d", "new/e"] {
        world.write(path, format!("{path} changed\n"));
    }
    world
}

/// A file of twenty numbered lines with some replaced.
pub fn numbered(replaced: &[(usize, &str)]) -> String {
    let line =
        |number| replaced.iter().find(|(n, _)| *n == number).map_or(format!("line {number}"), |(_, t)| t.to_string());
    (1..=20).map(|number| line(number) + "\n").collect()
}

/// Names the first line that is added.
pub const NAME_THE_FIRST_LINE: &str =
    "line=$(sed -n 's/^+\\([a-z].*\\)/\\1/p' \"$prompt\" | head -n 1); echo \"feat: say $line\"";

/// A file whose lines 3 and 15 changed, and another one.
fn shared() -> World {
    let world = World::with_message("");
    world.commit("Add files", &[("shared", &numbered(&[])), ("other", "1\n")]);
    world.write("shared", numbered(&[(3, "early"), (15, "late")]));
    world.write("other", "beside\n");
    world
}

fn document(run: &Run) -> Value {
    serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {run:#?}"))
}

#[test]
fn disjoint_commits_land_in_the_order_of_the_plan() {
    let world = dirty();
    let (base, tree) = (world.head(), world.whole_tree());
    Roles::plan(&[("Second", &["new"]), ("First", &["b", "a"]), ("Third", &["c"])]).install(&world);
    let run = world.run(&[]).succeeds();
    assert_eq!(world.files_since(&base), [vec!["new/d", "new/e"], vec!["a", "b"], vec!["c"]]);
    assert_eq!(world.subjects_since(&base), ["feat: change new/d", "feat: change a", "feat: change c"]);
    let heads: Vec<&str> = run.stdout.lines().filter(|line| line.starts_with('[')).collect();
    assert_eq!(heads.len(), 3, "{}", run.stdout);
    assert!(heads[0].ends_with("] feat: change new/d"), "{}", run.stdout);
    assert!(run.stdout.ends_with("] feat: change c\nM\tc\n"), "{}", run.stdout);
    assert_eq!(
        world.git(&["reflog", "-3", "--format=%gs"]),
        "commit: feat: change c\ncommit: feat: change a\ncommit: feat: change new/d"
    );
    assert_eq!((world.calls_of("planner"), world.calls_of("message"), world.calls().len()), (1, 3, 4));
    world.assert_whole(&tree, &base);
    world.run(&["undo"]).succeeds();
    assert_eq!(world.head(), base);
    assert_eq!(world.whole_tree(), tree);
}

#[test]
fn each_message_is_written_from_its_own_commit() {
    let world = dirty();
    Roles::plan(&[("One", &["a"]), ("Two", &["b", "c", "new"])]).install(&world);
    world.run(&["--context", "it is urgent"]).succeeds();
    let prompts = world.prompts_of("message");
    assert_eq!(prompts.len(), 2);
    let about = |text: &str| prompts.iter().filter(|prompt| prompt.contains(text)).count();
    assert_eq!((about("+a changed"), about("+b changed"), about("+new/d changed")), (1, 1, 1));
    assert_eq!(about("it is urgent"), 2);
    let planner = world.prompts_of("planner").remove(0);
    for text in ["it is urgent", "a changed", "new/e changed", "Branch: main"] {
        assert!(planner.contains(text), "{text} in {planner}");
    }
}

#[test]
fn the_writer_of_a_message_is_told_what_the_plan_says_of_the_commit() {
    let world = dirty();
    let mut commits = plan(&[("Mend a", &["a"]), ("Mend b", &["b"])]);
    commits["commits"][0]["description"] = "Because of the weather.".into();
    Roles::planner(&say(&commits)).arbiter(&say(&json!({ "target": null }))).install(&world);
    world.run(&[]).succeeds();
    let prompts = world.prompts_of("message");
    let of = |file: &str| prompts.iter().find(|prompt| prompt.contains(&format!("+{file} changed"))).unwrap();
    assert!(of("a").contains("The plan calls it: Mend a\nThe plan says of it: Because of the weather.\n"));
    assert!(of("b").contains("The plan calls it: Mend b\n") && !of("b").contains("weather"));
    assert!(!of("c").contains("The plan"), "nothing is said of what is left over");
}

#[test]
fn the_hunks_of_a_shared_file_come_with_their_commits() {
    let world = shared();
    let (base, tree) = (world.head(), world.whole_tree());
    Roles::plan(&[("Late", &["shared"]), ("Early", &["shared", "other"])])
        .sorts(&["c2", "c1"])
        .message(NAME_THE_FIRST_LINE)
        .install(&world);
    world.run(&[]).succeeds();
    assert_eq!(world.subjects_since(&base), ["feat: say late", "feat: say beside"]);
    assert_eq!(world.git(&["show", "HEAD^:shared"]) + "\n", numbered(&[(15, "late")]));
    assert_eq!(world.files_since(&base), [vec!["shared"], vec!["other", "shared"]]);
    let prompt = world.prompts_of("stager").remove(0);
    for text in ["hunk 1:", "hunk 2:", "+early", "+late", "c1: Late", "c2: Early"] {
        assert!(prompt.contains(text), "{text} in {prompt}");
    }
    assert!(!prompt.contains("beside"), "{prompt}");
    world.assert_whole(&tree, &base);
}

#[test]
fn a_hunk_that_nobody_got_goes_where_the_arbiter_says() {
    let world = shared();
    let (base, tree) = (world.head(), world.whole_tree());
    Roles::plan(&[("One", &["shared"]), ("Two", &["shared", "other"])])
        .stager(&say(&json!({ "assignments": [{ "hunk": 1, "concept": "c1" }, { "hunk": 7, "concept": "c2" }] })))
        .arbiter(&say(&json!({ "target": "c1" })))
        .message(NAME_THE_FIRST_LINE)
        .install(&world);
    world.run(&[]).succeeds().says(&["7"]);
    assert_eq!(world.files_since(&base), [["shared"], ["other"]]);
    let arbiter = world.prompts_of("arbiter").remove(0);
    assert!(arbiter.contains("+late") && !arbiter.contains("+early"), "{arbiter}");
    world.assert_whole(&tree, &base);
}

#[test]
fn what_the_plan_forgot_goes_to_a_target_or_to_a_commit_of_its_own() {
    for (answer, files) in [
        (json!({ "target": "c1" }), vec![vec!["a", "c", "new/d", "new/e"], vec!["b"]]),
        (json!({ "target": "c2" }), vec![vec!["a"], vec!["b", "c", "new/d", "new/e"]]),
        (json!({ "target": null }), vec![vec!["a"], vec!["b"], vec!["c", "new/d", "new/e"]]),
        (json!({ "target": "c9" }), vec![vec!["a"], vec!["b"], vec!["c", "new/d", "new/e"]]),
    ] {
        let world = dirty();
        let (base, tree) = (world.head(), world.whole_tree());
        Roles::plan(&[("One", &["a"]), ("Two", &["b"])]).arbiter(&say(&answer)).install(&world);
        world.run(&[]).succeeds();
        assert_eq!(world.files_since(&base), files, "{answer}");
        world.assert_whole(&tree, &base);
    }
}

#[test]
fn a_single_commit_takes_the_planners_message_when_it_is_good() {
    let world = dirty();
    let (base, tree) = (world.head(), world.whole_tree());
    Roles::planner(&say(&json!({ "single": true, "commits": [], "message": "feat: do it all\n\nBecause." })))
        .install(&world);
    world.run(&[]).succeeds();
    assert_eq!(world.message("HEAD"), "feat: do it all\n\nBecause.\n");
    assert_eq!(world.calls(), ["planner"]);
    world.assert_whole(&tree, &base);
}

#[test]
fn a_single_commit_without_a_usable_message_has_one_written() {
    let long = "x".repeat(101);
    for message in ["", "Add files", "  \n", long.as_str()] {
        let world = dirty();
        let (base, tree) = (world.head(), world.whole_tree());
        Roles::planner(&say(&json!({ "single": true, "message": message }))).install(&world);
        world.run(&[]).succeeds();
        assert_eq!(world.subjects_since(&base), ["feat: change a"], "{message:?}");
        assert_eq!(world.calls(), ["planner", "message"], "{message:?}");
        world.assert_whole(&tree, &base);
    }
}

#[test]
fn signing_off_and_trailers_are_on_every_commit_however_it_was_written() {
    let options = ["--signoff", "--trailer", "Ref: 7"];
    let world = dirty();
    let base = world.head();
    Roles::plan(&[("One", &["a"]), ("Two", &["b", "c", "new"])]).install(&world);
    world.run(&options).succeeds();
    for revision in ["HEAD", "HEAD^"] {
        let message = world.message(revision);
        assert!(message.ends_with("\n\nSigned-off-by: A U Thor <author@example.com>\nRef: 7\n"), "{message}");
    }
    world.git(&["reset", "-q", &base]);
    Roles::planner(&say(&json!({ "single": true, "message": "feat: do it all" }))).install(&world);
    world.run(&options).succeeds();
    assert_eq!(world.message("HEAD"), "feat: do it all\n\nSigned-off-by: A U Thor <author@example.com>\nRef: 7\n");
}

#[test]
fn a_forced_number_is_kept_to() {
    let world = dirty();
    let (base, tree) = (world.head(), world.whole_tree());
    Roles::plan(&[("One", &["a"]), ("Two", &["b", "c"]), ("Three", &["new"])]).install(&world);
    world.run(&["--commits", "3", "--max-commits", "2"]).succeeds();
    assert_eq!(world.subjects_since(&base).len(), 3);
    assert!(world.prompts_of("planner")[0].contains("exactly 3"), "{:?}", world.prompts_of("planner"));
    world.assert_whole(&tree, &base);
}

#[test]
fn one_changed_file_can_be_forced_into_two_commits() {
    let world = World::with_message("");
    world.commit("Add files", &[("shared", &numbered(&[]))]);
    world.write("shared", numbered(&[(3, "early"), (15, "late")]));
    let (base, tree) = (world.head(), world.whole_tree());
    Roles::plan(&[("One", &["shared"]), ("Two", &["shared"])])
        .sorts(&["c1", "c2"])
        .message(NAME_THE_FIRST_LINE)
        .install(&world);
    world.run(&["--commits", "2"]).succeeds();
    assert_eq!(world.subjects_since(&base), ["feat: say early", "feat: say late"]);
    world.assert_whole(&tree, &base);
}

#[test]
fn the_variable_forces_a_number_and_says_when_it_cannot() {
    let mut world = dirty();
    world.set("STAGECOACH_COMMITS", "2");
    let base = world.head();
    Roles::plan(&[("One", &["a", "b", "c"]), ("Two", &["new"])]).install(&world);
    world.run(&[]).succeeds();
    assert_eq!(world.subjects_since(&base).len(), 2);
    assert!(world.prompts_of("planner")[0].contains("exactly 2"));
    world.stage("c", "staged\n");
    world.write("b", "not staged\n");
    world.run(&[]).succeeds().says(&["STAGECOACH_COMMITS has no effect"]);
    assert_eq!(world.git(&["status", "--porcelain"]), " M b");
}

#[test]
fn one_commit_is_made_where_one_is_wanted_or_enough() {
    for option in [&["--single"][..], &["--no-decompose"], &["--commits", "1"], &["-a"]] {
        let world = dirty();
        let (base, tree) = (world.head(), world.whole_tree());
        Roles::planner("exit 9").install(&world);
        world.run(option).succeeds();
        assert_eq!((world.subjects_since(&base).len(), world.calls()), (1, vec!["message".to_owned()]), "{option:?}");
        world.assert_whole(&tree, &base);
    }
    let world = World::with_message("");
    world.write("README.md", "changed\n");
    Roles::planner("exit 9").install(&world);
    world.run(&[]).succeeds();
    assert_eq!(world.calls(), ["message"]);
}

#[test]
fn a_staged_change_is_one_commit_and_refuses_a_number() {
    let world = dirty();
    world.git(&["add", "b"]);
    let base = world.head();
    Roles::planner("exit 9").install(&world);
    let before = world.state();
    world.run(&["--commits", "3"]).fails_with(1).says(&["b", "git reset"]);
    assert_eq!(world.state(), before);
    world.run(&[]).succeeds();
    assert_eq!((world.files_since(&base), world.calls()), (vec![vec!["b".to_owned()]], vec!["message".to_owned()]));
}

#[test]
fn a_dry_run_shows_the_plan_and_moves_nothing() {
    let world = dirty();
    Roles::plan(&[("One", &["a", "b"]), ("Two", &["c", "new"])]).install(&world);
    let before = world.state();
    let run = world.run(&["--dry-run"]).succeeds();
    assert_eq!(
        run.stdout,
        "# commit 1 of 2\nfeat: change a\n\nM\ta\nM\tb\n\n# commit 2 of 2\nfeat: change c\n\nM\tc\nA\tnew/d\nA\tnew/e\n"
    );
    let json = document(&world.run(&["--dry-run", "--json"]).succeeds());
    assert_eq!(json["outcome"], "dry_run");
    assert_eq!(json["commits"][1]["message"], "feat: change c\n");
    assert_eq!(json["commits"][1]["files"][1], json!({ "status": "A", "path": "new/d", "added": 1, "deleted": 0 }));
    assert!(json["commits"][0].get("id").is_none_or(Value::is_null), "{json}");
    assert_eq!(world.state(), before);
    world.assert_tidy();
    assert_eq!(world.git(&["for-each-ref", "refs/stagecoach"]), "");
    Roles::planner("exit 9").install(&world);
    world.run(&["--dry-run"]).fails_with(1);
    Roles::plan(&[("One", &["a"]), ("Two", &["b", "c", "new"])]).message("exit 9").install(&world);
    world.run(&["--dry-run"]).fails_with(1);
    assert_eq!(world.state(), before);
}

#[test]
fn the_document_lists_all_commits_and_roles() {
    let world = shared();
    Roles::plan(&[("One", &["shared"]), ("Two", &["shared"])])
        .sorts(&["c1", "c2"])
        .arbiter(&say(&json!({ "target": null })))
        .message(NAME_THE_FIRST_LINE)
        .install(&world);
    let json = document(&world.run(&["--json"]).succeeds());
    assert_eq!(json["outcome"], "committed");
    let commits = json["commits"].as_array().unwrap();
    assert_eq!(commits.len(), 3);
    assert_eq!(commits[2]["id"], world.head());
    assert_eq!(commits[0]["id"], world.git(&["rev-parse", "HEAD~2"]));
    assert_eq!(commits[1]["subject"], "feat: say late");
    assert_eq!(commits[1]["files"][0], json!({ "status": "M", "path": "shared", "added": 1, "deleted": 1 }));
    let roles: Vec<&String> = json["roles"].as_object().unwrap().keys().collect();
    assert_eq!(roles, ["arbiter", "message", "planner", "stager"]);
    assert!(json.get("error").is_none_or(Value::is_null), "{json}");
}

#[test]
fn quiet_says_nothing() {
    let world = dirty();
    Roles::plan(&[("One", &["a", "b"]), ("Two", &["c", "new"])]).install(&world);
    let run = world.run(&["-q"]).succeeds();
    assert_eq!((run.stdout, run.stderr), (String::new(), String::new()));
}

#[test]
fn the_editor_gates_each_commit() {
    let mut world = dirty();
    let (base, tree) = (world.head(), world.whole_tree());
    // What HEAD is when each editor opens shows that the earlier commits have landed by then.
    let editor = world.script(
        "editor",
        &format!("git log -1 --format=%s >> '{0}/seen'; sed -i 's/change/edit/' \"$1\"", world.root().display()),
    );
    world.set("GIT_EDITOR", &editor);
    Roles::plan(&[("One", &["a", "b"]), ("Two", &["c"]), ("Three", &["new"])]).install(&world);
    world.run(&["--edit"]).succeeds();
    assert_eq!(world.subjects_since(&base), ["feat: edit a", "feat: edit c", "feat: edit new/d"]);
    let seen = std::fs::read_to_string(world.root().join("seen")).unwrap();
    assert_eq!(seen, "Add files\nfeat: edit a\nfeat: edit c\n");
    world.assert_whole(&tree, &base);
}

#[test]
fn an_emptied_message_stops_there_and_the_rest_waits() {
    let mut world = dirty();
    let (base, tree) = (world.head(), world.whole_tree());
    let editor = world.script("editor", "grep -q 'change c' \"$1\" && : > \"$1\"; :");
    world.set("GIT_EDITOR", &editor);
    Roles::plan(&[("One", &["a", "b"]), ("Two", &["c"]), ("Three", &["new"])]).install(&world);
    world.run(&["--edit"]).fails_with(1);
    assert_eq!(world.subjects_since(&base), ["feat: change a"]);
    assert_eq!(world.git(&["status", "--porcelain"]), " M c\n?? new/");
    world.run(&["rescue", "commit"]).succeeds();
    assert_eq!(world.subjects_since(&base), ["feat: change a", "feat: change c", "feat: change new/d"]);
    world.assert_whole(&tree, &base);
}

#[test]
fn all_commits_are_pushed_at_once() {
    let world = dirty();
    let remote = world.root().join("remote.git");
    world.git(&["init", "-q", "--bare", remote.to_str().unwrap()]);
    world.git(&["remote", "add", "origin", remote.to_str().unwrap()]);
    world.git(&["push", "-q", "-u", "origin", "main"]);
    let hook = remote.join("hooks/post-receive");
    std::fs::create_dir_all(hook.parent().unwrap()).unwrap();
    std::fs::rename(world.script("hook", &format!("echo push >> '{}/pushes'", world.root().display())), &hook).unwrap();
    Roles::plan(&[("One", &["a", "b"]), ("Two", &["c", "new"])]).install(&world);
    world.run(&["--push"]).succeeds();
    assert_eq!(world.git(&["--git-dir", remote.to_str().unwrap(), "rev-parse", "main"]), world.head());
    assert_eq!(std::fs::read_to_string(world.root().join("pushes")).unwrap(), "push\n");
}

#[test]
fn a_subject_is_used_once_in_a_run() {
    let world = dirty();
    let base = world.head();
    // Everybody writes the same, until told that it is taken.
    Roles::plan(&[("One", &["a"]), ("Two", &["b"]), ("Three", &["c", "new"])])
        .message(
            "if grep -q 'feat: work on it again' \"$prompt\"; then echo 'feat: work on it for good'\n\
             elif grep -q 'feat: work on it' \"$prompt\"; then echo 'feat: work on it again'\n\
             else echo 'feat: work on it'; fi",
        )
        .install(&world);
    world.run(&[]).succeeds();
    assert_eq!(
        world.subjects_since(&base),
        ["feat: work on it", "feat: work on it again", "feat: work on it for good"]
    );
}

#[test]
fn roles_have_their_own_providers() {
    let world = shared();
    let (base, tree) = (world.head(), world.whole_tree());
    let agent = |name: &str, answer: &str| {
        let script =
            format!("cat > /dev/null; echo {name} $STAGECOACH_ROLE >> '{}/who'\n{answer}", world.root().display());
        format!("[provider.{name}]\ncommand = {:?}\n", world.script(name, &script))
    };
    let planner = agent("thinker", &say(&plan(&[("One", &["shared"]), ("Two", &["shared"])])));
    let stager = agent("sorter", &say(&json!({ "assignments": { "1": "c1", "2": "c2" } })));
    let arbiter = agent("judge", &say(&json!({ "target": "c2" })));
    let settings = format!(
        "{planner}{stager}{arbiter}[role.planner]\nprovider = \"thinker\"\n[role.stager]\nprovider = \"sorter\"\n\
         [role.arbiter]\nprovider = \"ghost\"\n"
    );
    Roles::planner("exit 9").message(NAME_THE_FIRST_LINE).settings(&settings).install(&world);
    let json = document(&world.run(&["--json", "--arbiter-provider", "judge"]).succeeds());
    assert_eq!(
        std::fs::read_to_string(world.root().join("who")).unwrap(),
        "thinker planner\nsorter stager\njudge arbiter\n"
    );
    assert_eq!(json["roles"]["planner"]["provider"], "thinker");
    assert_eq!(json["roles"]["message"]["provider"], "fake");
    assert_eq!(json["provider"], "fake");
    world.assert_whole(&tree, &base);
}

/// Many files, one commit each.
fn many(count: usize) -> (World, Vec<String>) {
    let world = World::with_message("");
    let names: Vec<String> = (0..count).map(|n| format!("file{n}")).collect();
    names.iter().for_each(|name| world.write(name, name));
    std::fs::create_dir(world.root().join("in")).unwrap();
    (world, names)
}

fn one_each(names: &[String]) -> Roles {
    let commits: Vec<Value> = names.iter().map(|name| json!({ "title": name, "files": [name] })).collect();
    Roles::planner(&say(&json!({ "commits": commits })))
}

/// Counts how many are at it, and stays a moment.
const COUNTED: &str = "mkdir $root/in/$$; ls $root/in | wc -l >> $root/at-once; sleep 0.05; rm -r $root/in/$$";

fn most_at_once(world: &World) -> usize {
    let counts = std::fs::read_to_string(world.root().join("at-once")).unwrap();
    counts.lines().map(|line| line.trim().parse().unwrap()).max().unwrap()
}

#[test]
fn never_more_calls_at_once_than_allowed() {
    for most in [1, 3] {
        let (world, names) = many(8);
        one_each(&names)
            .before_message(COUNTED)
            .settings(&format!("[generation]\nmax_parallel = {most}\n"))
            .install(&world);
        world.run(&["--max-commits", "8"]).succeeds();
        assert_eq!(world.calls_of("message"), 8);
        assert!(most_at_once(&world) <= most, "{} at once", most_at_once(&world));
    }
}

#[test]
fn asking_again_for_a_taken_subject_counts_as_a_call() {
    let (world, names) = many(6);
    // The second commit repeats the first one's subject and is asked for again while the others are written.
    one_each(&names)
        .message(&format!(
            "{COUNTED}; if grep -q '\tfile1$' \"$prompt\" && ! grep -q 'feat: change file0' \"$prompt\"; then echo 'feat: change file0'\n\
             else echo \"feat: change $(sed -n 's/^A.*\tfile/file/p' \"$prompt\")\"; fi"
        ))
        .settings("[generation]\nmax_parallel = 1\n")
        .install(&world);
    world.run(&[]).succeeds();
    assert_eq!(world.calls_of("message"), 7);
    assert_eq!(most_at_once(&world), 1);
}

#[test]
fn disjoint_commits_have_all_messages_written_at_once() {
    let (world, names) = many(4);
    // Everybody waits for all the others: one after the other, they would wait for ever.
    one_each(&names)
        .before_message(
            "touch $root/in/$$; n=0\n\
             while [ $(ls $root/in | wc -l) -lt 4 ]; do n=$((n+1)); [ $n -lt 3000 ] || exit 9; sleep 0.01; done",
        )
        .settings("[generation]\nmax_parallel = 4\n")
        .install(&world);
    world.run(&[]).succeeds();
    assert_eq!(world.calls(), ["planner", "message", "message", "message", "message"]);
}

#[test]
fn the_prompt_of_the_planner_can_be_looked_at() {
    let world = dirty();
    Roles::planner("exit 9").install(&world);
    let before = world.state();
    let run = world.run(&["--show-prompt"]).succeeds();
    assert!(run.stdout.contains("\"commits\"") && run.stdout.contains("+a changed"), "{}", run.stdout);
    assert_eq!((world.calls().len(), world.state()), (0, before));
}
