//! Agents that fail in the middle of a decomposition: what stands, what waits, and what is said.

use serde_json::{Value, json};

use crate::decompose::{NAME_THE_FIRST_LINE, dirty, numbered};
use crate::support::{Roles, Run, World, paste, plan, records, say};

/// Two answers, the first time one, then the other.
fn first_then(first: &str, then: &str) -> String {
    format!("if mkdir $root/once 2>/dev/null; then\n{first}\nelse\n{then}\nfi")
}

#[test]
fn a_plan_that_cannot_be_used_is_asked_for_once_more() {
    let good = say(&plan(&[("One", &["a"]), ("Two", &["b", "c", "new"])]));
    let too_many: Vec<Value> =
        ["a", "b", "c", "new/d", "new/e"].iter().map(|name| json!({ "title": name, "files": [name] })).collect();
    for (bad, fault) in [
        ("echo 'I am sorry'".to_owned(), "no JSON object"),
        (say(&json!({ "commits": [{ "title": "x", "files": ["made/up"] }] })), "names a path"),
        (say(&json!({ "commits": too_many })), "At most 4 commits"),
        (say(&json!({ "commits": [{ "files": ["a"] }] })), "title"),
    ] {
        let world = dirty();
        let (base, tree) = (world.head(), world.whole_tree());
        Roles::planner(&first_then(&bad, &good)).install(&world);
        world.run(&["--max-commits", "4"]).succeeds();
        assert_eq!((world.calls_of("planner"), world.files_since(&base).len()), (2, 2), "{fault}");
        assert!(world.prompts_of("planner").iter().any(|prompt| prompt.contains(fault)), "{fault}");
        world.assert_whole(&tree, &base);
    }
}

#[test]
fn a_planner_that_never_gives_a_plan_stops_the_run_and_nothing_has_moved() {
    let three = say(&plan(&[("One", &["a"]), ("Two", &["b"]), ("Three", &["c", "new"])]));
    for (script, arguments, code, words) in [
        ("echo nonsense", &[][..], 1, &["no JSON object", "--planner-model", "--single"][..]),
        ("exit 0", &[], 1, &["gave no answer", "--single"]),
        (&three, &["--commits", "2"], 1, &["Exactly 2 commits", "--single"]),
        (&three, &["--max-commits", "2"], 1, &["At most 2 commits", "--max-commits", "--single"]),
        ("echo broken >&2; exit 7", &[], 3, &["broken"]),
        ("kill -9 $$", &[], 3, &[]),
        ("sleep 60", &["--planner-timeout", "1s"], 124, &["did not answer within 1 s"]),
        (&three, &["--planner-provider", "ghost"], 1, &["ghost"]),
    ] {
        let world = dirty();
        let (base, tree) = (world.head(), world.whole_tree());
        Roles::planner(script).install(&world);
        let before = world.state();
        let run = world.run(arguments).fails_with(code).says(words);
        assert_eq!(world.state(), before, "{script}");
        assert_eq!(world.calls_of("message"), 0, "{script}");
        world.assert_tidy();
        if code == 1 {
            // There is nothing to finish: the same can be done again, or another way.
            assert_eq!(records(&world), Vec::<std::path::PathBuf>::new(), "{script}");
            assert_eq!(world.git(&["for-each-ref", "refs/stagecoach/"]), "", "{script}");
            assert!(!run.stderr.contains("rescue"), "{run:#?}");
            world.run(&["--single"]).succeeds();
            world.assert_whole(&tree, &base);
            continue;
        }
        finish_as_printed(&world, &run);
        assert_eq!(world.subjects_since(&base), ["Describe the change here"], "{script}");
        world.assert_whole(&tree, &base);
    }
}

/// Runs the command that a failed run printed.
#[track_caller]
fn finish_as_printed(world: &World, run: &Run) {
    let mut lines = run.stderr.lines().map(str::trim).skip_while(|line| *line != "To finish it:");
    let command = lines.nth(2).unwrap_or_else(|| panic!("{run:#?}")).to_owned();
    let command = command.strip_prefix("stagecoach ").unwrap_or_else(|| panic!("{command}"));
    let output = world.program("sh").args(["-c", &format!("{} {command}", env!("CARGO_BIN_EXE_stagecoach"))]).output();
    Run::of(output.unwrap()).succeeds();
}

#[test]
fn a_planner_whose_program_is_missing_is_named() {
    let world = dirty();
    Roles::planner("exit 9")
        .settings("[provider.gone]\ncommand = \"/nowhere/gone\"\n[role.planner]\nprovider = \"gone\"\n")
        .install(&world);
    let before = world.state();
    world.run(&[]).fails_with(1).says(&["gone"]);
    assert_eq!(world.state(), before);
}

#[test]
fn invented_paths_are_dropped_and_said_with_verbose() {
    let world = dirty();
    let (base, tree) = (world.head(), world.whole_tree());
    Roles::plan(&[
        ("One", &["a", "../etc/passwd", "no*", "ne"]),
        ("Ghost", &["src/ghost.rs"]),
        ("Two", &["b", "c", "new/"]),
    ])
    .install(&world);
    world.run(&["--verbose"]).succeeds().says(&["../etc/passwd", "no*", "\"Ghost\" names no path of the change"]);
    assert_eq!(world.files_since(&base), [vec!["a"], vec!["b", "c", "new/d", "new/e"]]);
    world.assert_whole(&tree, &base);
}

fn shared() -> World {
    let world = World::with_message("");
    world.commit("Add files", &[("shared", &numbered(&[])), ("other", "1\n")]);
    world.write("shared", numbered(&[(3, "early"), (15, "late")]));
    world.write("other", "beside\n");
    world
}

#[test]
fn a_stager_that_cannot_be_used_loses_nothing_and_is_said() {
    for stager in
        ["echo garbage", "echo '{\"assignments\": [{\"hunk\": 9, \"concept\": \"c1\"}]}'", "exit 5", "sleep 60"]
    {
        let world = shared();
        let (base, tree) = (world.head(), world.whole_tree());
        Roles::plan(&[("One", &["shared", "other"]), ("Two", &["shared"])])
            .stager(stager)
            .arbiter(&say(&json!({ "target": null })))
            .message(NAME_THE_FIRST_LINE)
            .install(&world);
        world.run(&["--stager-timeout", "1s"]).succeeds().says(&["could not be sorted", "\"Two\""]);
        assert_eq!(world.files_since(&base), [["other"], ["shared"]], "{stager}");
        world.assert_whole(&tree, &base);
    }
}

#[test]
fn a_stager_may_be_wrong_once() {
    let world = shared();
    let (base, tree) = (world.head(), world.whole_tree());
    let good = say(&json!({ "assignments": { "1": "c1", "2": "c2" } }));
    Roles::plan(&[("One", &["shared", "other"]), ("Two", &["shared"])])
        .stager(&first_then("echo garbage", &good))
        .message(NAME_THE_FIRST_LINE)
        .install(&world);
    world.run(&[]).succeeds();
    assert_eq!(world.files_since(&base), [vec!["other", "shared"], vec!["shared"]]);
    world.assert_whole(&tree, &base);
}

#[test]
fn an_arbiter_that_cannot_be_used_means_a_commit_of_its_own() {
    for arbiter in ["echo 'Hm.'", "exit 5", "sleep 60", "echo '{\"target\": [1]}'"] {
        let world = dirty();
        let (base, tree) = (world.head(), world.whole_tree());
        Roles::plan(&[("One", &["a"]), ("Two", &["b", "c"])]).arbiter(arbiter).install(&world);
        world.run(&["--arbiter-timeout", "1s"]).succeeds().says(&["commit of its own"]);
        assert_eq!(world.files_since(&base), [vec!["a"], vec!["b", "c"], vec!["new/d", "new/e"]], "{arbiter}");
        world.assert_whole(&tree, &base);
    }
}

#[test]
fn a_role_that_says_nothing_is_asked_again_with_the_instruction_first() {
    let plans = say(&plan(&[("One", &["shared", "other"]), ("Two", &["shared"])]));
    let sorts = say(&json!({ "assignments": { "1": "c1", "2": "c2" } }));
    let places = say(&json!({ "target": "c2" }));
    for silent in ["planner", "stager", "arbiter"] {
        let world = shared();
        world.write("forgotten", "x\n");
        let (base, tree) = (world.head(), world.whole_tree());
        let script = |role: &str, answer: &str| {
            if role == silent { first_then("echo '  '", answer) } else { answer.to_owned() }
        };
        Roles::planner(&script("planner", &plans))
            .stager(&script("stager", &sorts))
            .arbiter(&script("arbiter", &places))
            .message(NAME_THE_FIRST_LINE)
            .manifest("retry_instruction = \"Say something this time.\"\n")
            .install(&world);
        world.run(&["-v"]).succeeds().says(&[&format!("the {silent} is asked again")]);
        assert_eq!(world.files_since(&base), [vec!["other", "shared"], vec!["forgotten", "shared"]], "{silent}");
        let prompts = world.prompts_of(silent);
        let again: Vec<bool> = prompts.iter().map(|prompt| prompt.contains("Say something this time.")).collect();
        assert_eq!(again, [false, true], "{silent}");
        assert_eq!(world.calls().len(), 6, "{silent}");
        world.assert_whole(&tree, &base);
    }
}

#[test]
fn a_role_that_only_says_nothing_is_asked_twice_and_no_more() {
    let world = dirty();
    Roles::planner("exit 0").install(&world);
    world.run(&[]).fails_with(1).says(&["gave no answer"]);
    assert_eq!(world.calls(), ["planner", "planner"]);
    let world = shared();
    Roles::plan(&[("One", &["shared", "other"]), ("Two", &["shared"])])
        .stager("exit 0")
        .arbiter("exit 0")
        .message(NAME_THE_FIRST_LINE)
        .install(&world);
    world.run(&[]).succeeds().says(&["could not be sorted", "commit of its own"]);
    assert_eq!((world.calls_of("stager"), world.calls_of("arbiter")), (2, 2));
}

#[test]
fn a_forced_number_is_kept_to_whatever_is_left_over() {
    for (arbiter, last) in
        [("echo '{\"target\": null}'", true), ("exit 5", true), ("echo '{\"target\": \"c1\"}'", false)]
    {
        for arguments in [&["--commits", "2"][..], &["--max-commits", "2"]] {
            let world = dirty();
            let (base, tree) = (world.head(), world.whole_tree());
            Roles::plan(&[("One", &["a"]), ("Two", &["b", "c"])]).arbiter(arbiter).install(&world);
            let run = world.run(arguments).succeeds();
            let said = run.stderr.contains("goes into the last one, \"Two\", so that there are no more than 2");
            assert_eq!(said, last, "{run:#?}");
            assert!(!run.stderr.contains("of its own"), "{run:#?}");
            let files = world.files_since(&base);
            assert_eq!((files.len(), files[1].len()), (2, if last { 4 } else { 2 }), "{arbiter} {arguments:?}");
            world.assert_whole(&tree, &base);
        }
    }
}

#[test]
fn a_forced_number_is_an_error_when_a_commit_stays_empty_after_the_retry() {
    let all_to_one = say(&json!({ "assignments": { "1": "c1", "2": "c1" } }));
    let good = say(&json!({ "assignments": { "1": "c1", "2": "c2" } }));
    let planned = Roles::plan(&[("One", &["shared", "other"]), ("Two", &["shared"])]);
    let planned = planned.message(NAME_THE_FIRST_LINE).arbiter("echo '{\"target\": null}'");
    let planned = planned.stager(&all_to_one);
    let world = shared();
    planned.install(&world);
    let before = world.state();
    world.run(&["--commits", "2"]).fails_with(3).says(&[
        "not divided into 2 commits",
        "\"Two\" staged nothing",
        "--single",
    ]);
    assert_eq!((world.state(), world.calls_of("stager"), world.calls_of("message")), (before, 2, 0));
    assert!(world.prompts_of("stager")[1].contains("No hunk is given to c2"), "{:#?}", world.prompts_of("stager"));

    // Where the number is the planner's, an empty commit is only skipped.
    let base = world.head();
    world.run(&[]).succeeds().says(&["\"Two\" staged nothing"]);
    assert_eq!(world.files_since(&base).len(), 1);

    let world = shared();
    let (base, tree) = (world.head(), world.whole_tree());
    planned.stager(&first_then(&all_to_one, &good)).install(&world);
    world.run(&["--commits", "2"]).succeeds();
    assert_eq!(world.files_since(&base).len(), 2);
    world.assert_whole(&tree, &base);
}

#[test]
fn what_a_role_is_not_shown_whole_is_said() {
    let world = dirty();
    for path in ["a", "b"] {
        world.write(path, (0..2_000).map(|number| format!("{path} {number}\n")).collect::<String>());
    }
    Roles::plan(&[("One", &["a"]), ("Two", &["b", "c", "new"])])
        .settings("[generation]\nmax_diff_bytes = 4000\n")
        .install(&world);
    world.run(&["--dry-run"]).succeeds().says(&["note: the diff is too large to be shown whole: 2 files cut"]);
    let world = shared();
    let long = |word: &str| numbered(&[(3, &vec![word; 3_000].join("\n")), (15, "late")]);
    world.write("shared", long("early"));
    Roles::plan(&[("One", &["shared", "other"]), ("Two", &["shared"])])
        .sorts(&["c1", "c2"])
        .message(NAME_THE_FIRST_LINE)
        .settings("[generation]\nmax_diff_bytes = 4000\n")
        .install(&world);
    world.run(&["--dry-run"]).succeeds().says(&["note: the hunks are too large to be shown whole: 1 cut"]);
}

#[test]
fn the_way_of_staging_is_said_with_verbose() {
    let world = shared();
    Roles::plan(&[("One", &["shared"]), ("Two", &["other"])]).message(NAME_THE_FIRST_LINE).install(&world);
    world.run(&["-v", "--dry-run"]).succeeds().says(&["staging: disjoint"]);
    Roles::plan(&[("One", &["shared"]), ("Two", &["shared", "other"])])
        .sorts(&["c1", "c2"])
        .message(NAME_THE_FIRST_LINE)
        .install(&world);
    let run = world.run(&["-v", "--dry-run"]).succeeds().says(&["staging: hunks"]);
    assert!(!run.stderr.contains("disjoint"), "{run:#?}");
    assert!(!world.run(&["--dry-run"]).succeeds().stderr.contains("staging"));
}

/// Four commits, one file each; the message agent fails for one of them, after all others have their messages.
fn fails_for(file: &str, how: &str) -> (World, String, String) {
    let world = dirty();
    std::fs::remove_dir_all(world.path("new")).unwrap();
    world.write("d", "d changed\n");
    let (base, tree) = (world.head(), world.whole_tree());
    std::fs::create_dir(world.root().join("done")).unwrap();
    Roles::plan(&[("First", &["a"]), ("Second", &["b"]), ("Third", &["c"]), ("Fourth", &["d"])])
        .message(&format!(
            "file=$(sed -n 's/^[AM]\t.*\t//p' \"$prompt\")\n\
             if [ $file = {file} ]; then while [ $(ls $root/done | wc -l) -lt 3 ]; do sleep 0.01; done; sleep 0.1; {how}; fi\n\
             touch $root/done/$file; echo \"feat: change $file\""
        ))
        .settings("[generation]\nmax_parallel = 4\n")
        .install(&world);
    (world, base, tree)
}

#[test]
fn a_message_that_fails_leaves_the_earlier_commits_and_a_rescue_of_the_rest() {
    for (file, landed) in [("a", 0), ("b", 1), ("c", 2), ("d", 3)] {
        let (world, base, tree) = fails_for(file, "echo broken >&2; exit 9");
        let bytes = world.whole_tree();
        let run = world.run(&[]).fails_with(3).says(&["broken", "stagecoach rescue commit", "git commit-tree"]);
        let all = ["feat: change a", "feat: change b", "feat: change c", "feat: change d"];
        assert_eq!(world.subjects_since(&base), all[..landed], "{file}");
        // Nothing is staged, nothing lost.
        assert_eq!(world.git(&["diff", "--cached", "--name-only"]), "", "{file}");
        assert_eq!(world.whole_tree(), bytes, "{file}");
        let json: Value = serde_json::from_str(&world.run(&["rescue", "list", "--json"]).succeeds().stdout).unwrap();
        let commits = json["rescues"][0]["commits"].as_array().unwrap();
        let messages: Vec<&Value> = commits.iter().map(|commit| &commit["message"]).collect();
        assert_eq!(messages.len(), 4 - landed, "{json}");
        assert!(messages[0].is_null(), "{json}");
        let later: Vec<Value> = all[landed + 1..].iter().map(|subject| json!(format!("{subject}\n"))).collect();
        assert_eq!(messages[1..], later.iter().collect::<Vec<_>>(), "{json}");
        finish_as_printed(&world, &run);
        let title = ["First", "Second", "Third", "Fourth"][landed];
        let mut subjects = all.to_vec();
        subjects[landed] = title;
        assert_eq!(world.subjects_since(&base), subjects);
        world.assert_whole(&tree, &base);
        world.run(&["undo"]).succeeds();
        assert_eq!(world.head(), base);
    }
}

#[test]
fn a_message_that_takes_too_long_is_a_rescue_of_its_own_kind() {
    let (world, base, tree) = fails_for("b", "sleep 60");
    world.run(&["--message-timeout", "2s"]).fails_with(124).says(&["stagecoach rescue commit"]);
    assert_eq!(world.subjects_since(&base), ["feat: change a"]);
    world.run(&["rescue", "commit"]).succeeds();
    world.assert_whole(&tree, &base);
}

#[test]
fn messages_that_are_being_written_when_another_fails_are_kept() {
    let (world, base, tree) = fails_for("a", "exit 9");
    // The others come only after the first has failed.
    Roles::plan(&[("First", &["a"]), ("Second", &["b"]), ("Third", &["c"]), ("Fourth", &["d"])])
        .message(
            "file=$(sed -n 's/^[AM]\t.*\t//p' \"$prompt\")\n\
             if [ $file = a ]; then touch $root/failed; exit 9; fi\n\
             while ! test -e $root/failed; do sleep 0.01; done; sleep 0.3; echo \"feat: change $file\"",
        )
        .settings("[generation]\nmax_parallel = 4\n")
        .install(&world);
    world.run(&[]).fails_with(3);
    world.run(&["rescue", "commit"]).succeeds();
    assert_eq!(world.subjects_since(&base), ["First", "feat: change b", "feat: change c", "feat: change d"]);
    world.assert_whole(&tree, &base);
}

#[test]
fn the_recipe_finishes_without_stagecoach() {
    let (world, base, tree) = fails_for("c", "exit 9");
    let run = world.run(&[]).fails_with(3);
    paste(&world, &run);
    assert_eq!(world.git(&["rev-parse", "HEAD^{tree}"]), tree);
    assert_eq!(world.subjects_since(&base)[..2], ["feat: change a", "feat: change b"]);
    assert_eq!(world.git(&["status", "--porcelain"]), "");
}

#[test]
fn the_recipe_leaves_alone_what_was_staged_meanwhile() {
    let odd = ["*", ":(glob)x", "-q", "line\nbreak", "\"quoted\"", "d\u{e9}p\u{f4}t/x", "folder"];
    let world = World::with_message("");
    world.commit("Add files", &[("gone", "1\n"), ("moves", "a long line that is found again\n"), ("folder/x", "1\n")]);
    std::fs::remove_dir_all(world.path("folder")).unwrap();
    std::fs::remove_file(world.path("gone")).unwrap();
    std::fs::rename(world.path("moves"), world.path("moved")).unwrap();
    odd.iter().for_each(|path| world.write(path, "new\n"));
    let tree = world.whole_tree();
    Roles::plan(&[("One", &["gone", "moves"]), ("Two", &[])])
        .arbiter(&say(&json!({ "target": null })))
        .message("exit 9")
        .install(&world);
    let run = world.run(&[]).fails_with(3);
    for path in ["README.md", "other", "*other", "xx"] {
        world.stage(&format!(":(top)/{path}")[7..], "staged meanwhile\n");
    }
    let staged = world.git(&["ls-files", "--stage", "README.md", "other", ":(literal)*other", "xx"]);
    paste(&world, &run);
    assert_eq!(world.git(&["rev-parse", "HEAD^{tree}"]), tree);
    assert_eq!(world.git(&["ls-files", "--stage", "README.md", "other", ":(literal)*other", "xx"]), staged);
    assert_eq!(world.git(&["diff", "--cached", "--name-only"]), "*other\nREADME.md\nother\nxx");
    assert_eq!(world.git(&["diff", "--name-only"]), "");
    assert_eq!(world.git(&["ls-files", "--others"]), "");
}

#[test]
fn a_failed_run_says_in_its_document_what_landed_and_what_waits() {
    let (world, base, _) = fails_for("c", "exit 9");
    let run = world.run(&["--json"]).fails_with(3);
    let json: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(json["outcome"], "failed");
    let landed: Vec<&Value> = json["commits"].as_array().unwrap().iter().map(|commit| &commit["subject"]).collect();
    assert_eq!(
        landed,
        world.subjects_since(&base).iter().map(|s| json!(s)).collect::<Vec<_>>().iter().collect::<Vec<_>>()
    );
    assert!(!json["error"]["rescue"].is_null(), "{json}");
}

#[test]
fn an_interrupt_while_messages_are_written_is_a_rescue() {
    let landed = "[ \"$(git -C $root/repo log -1 --format=%s)\" = 'feat: change b' ]";
    let (world, base, tree) =
        fails_for("c", &format!("while ! {landed}; do sleep 0.01; done; kill -INT $PPID; sleep 60"));
    world.run(&[]).fails_with(3).says(&["interrupted", "stagecoach rescue commit"]);
    assert_eq!(world.subjects_since(&base), ["feat: change a", "feat: change b"]);
    world.run(&["rescue", "commit"]).succeeds();
    world.assert_whole(&tree, &base);
}

#[test]
fn an_interrupt_before_anything_is_written_leaves_everything() {
    for role in ["planner", "stager", "arbiter"] {
        let world = shared();
        world.write("forgotten", "x\n");
        let stop = "kill -INT $PPID; sleep 60";
        let good = |name: &str, answer: String| if name == role { stop.to_owned() } else { answer };
        let planner = good("planner", say(&plan(&[("One", &["shared", "other"]), ("Two", &["shared"])])));
        let stager = good("stager", say(&json!({ "assignments": { "1": "c1", "2": "c2" } })));
        Roles::planner(&planner).stager(&stager).arbiter(&good("arbiter", String::new())).install(&world);
        let before = world.state();
        let (base, tree) = (world.head(), world.whole_tree());
        world.run(&["--dry-run"]).fails_with(1).says(&["interrupted"]);
        assert_eq!(records(&world), Vec::<std::path::PathBuf>::new(), "a dry run keeps none");
        let run = world.run(&[]).fails_with(3).says(&["interrupted"]);
        assert_eq!(world.state(), before, "{role}");
        assert_eq!(world.calls_of("message"), 0);
        world.assert_tidy();
        let list: Value = serde_json::from_str(&world.run(&["rescue", "list", "--json"]).stdout).unwrap();
        assert_eq!(list["rescues"][0]["commits"][0]["tree"], json!(tree), "the whole snapshot is held: {list}");
        // What is lost from the working tree by now is not lost either.
        std::fs::remove_file(world.path("forgotten")).unwrap();
        finish_as_printed(&world, &run);
        assert_eq!(world.git(&["rev-parse", "HEAD^{tree}"]), tree);
        assert_eq!(world.subjects_since(&base).len(), 1);
        assert_eq!(world.git(&["status", "--porcelain"]), " D forgotten");
    }
}
