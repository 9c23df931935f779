//! A change that is too large for one call goes to the agent in several turns of one session.

use std::collections::BTreeSet;

use crate::support::{Run, World};

/// Settings of the test provider's sessions; parts are small, so that small changes have several.
const SESSIONS: &str = "session_mode = \"append\"\nsession = { first = [\"--start\", \"{id}\"], next = [\"--go-on\", \"{id}\"] }\n\
    [generation]\nmulti_turn_chunk_tokens = 1000\n";

/// What the agent does once the call is written down: nothing outside of a session, else OK to every part.
const ANSWERS: &str = "case \"$1\" in --*) ;; *) exit 0 ;; esac\n\
    if grep -q 'That was the last part' \"$R/in$n\"; then echo 'Compute values'; else echo OK; fi";

/// A world with a large staged change and an agent that writes down each call.
fn world(script: &str, manifest: &str) -> World {
    let world = World::with_message("");
    agent(&world, script, manifest);
    let lines: String = (0..200).map(|n| format!("let value_{n} = compute({n});\n")).collect();
    world.stage("src/a.rs", lines);
    world
}

fn agent(world: &World, script: &str, manifest: &str) {
    let root = world.root();
    let record = format!(
        "R='{}'\nn=$(($(cat \"$R/n\" 2>/dev/null || echo 0) + 1)); echo $n > \"$R/n\"\n\
         echo \"$*\" > \"$R/args$n\"; pwd > \"$R/pwd$n\"; cat > \"$R/in$n\"\n{script}",
        root.display()
    );
    world.agent_with(&record, manifest);
}

/// What was written down of each call, from the first on.
fn calls(world: &World, what: &str) -> Vec<String> {
    let read = |n: usize| std::fs::read_to_string(world.root().join(format!("{what}{n}"))).ok();
    (1..).map_while(read).collect()
}

/// The session of each call; empty for one without.
fn sessions(world: &World) -> Vec<String> {
    calls(world, "args").iter().map(|args| args.split_whitespace().nth(1).unwrap_or_default().to_owned()).collect()
}

#[track_caller]
fn assert_nothing_changed(world: &World, code: i32) -> Run {
    let before = world.state();
    let run = world.run(&[]).fails_with(code);
    assert_eq!(world.state(), before);
    world.assert_tidy();
    run
}

#[test]
fn the_whole_change_arrives_and_the_last_answer_is_the_message() {
    let world = world(ANSWERS, SESSIONS);
    let run = world.run(&[]).succeeds();
    assert_eq!(world.message("HEAD"), "Compute values\n");
    let (args, sent) = (calls(&world, "args"), calls(&world, "in"));
    let turns = args.len() - 2;
    assert!(turns > 3, "{args:?}");
    assert_eq!((args[0].trim(), args[1].trim()), ("", ""));
    assert!(args[2].starts_with("--start ") && args[3..].iter().all(|args| args.starts_with("--go-on ")), "{args:?}");
    for n in 0..200 {
        let line = format!("\n+let value_{n} = compute({n});\n");
        assert_eq!(sent[2..].iter().filter(|sent| sent.contains(&line)).count(), 1, "{line}");
    }
    // The session has the system prompt from its first turn.
    assert!(
        sent[2].starts_with("You write git commit messages.") && !sent[3].contains("You write git commit messages.")
    );
    assert!(sent[3].starts_with(&format!("Part 2 of {}.", turns - 1)), "{}", sent[3]);
    run.says(&[&format!("{} parts: {turns} turns of one session", turns - 1), " at most"]);
    let used: BTreeSet<String> = sessions(&world)[2..].iter().cloned().collect();
    assert_eq!(used.len(), 1);
    assert_eq!(used.first().unwrap().len(), 36);
    let folders: BTreeSet<String> = calls(&world, "pwd")[2..].iter().cloned().collect();
    assert_eq!(folders.len(), 1, "{folders:?}");
    world.assert_tidy();
}

/// In the hook, all calls together have the time of one.
#[test]
fn the_hook_does_the_same_and_tells_the_time_that_it_has() {
    let world = world(ANSWERS, SESSIONS);
    world.write(".git/MSG", "\n# On branch main\n");
    let run = world.run(&["hook", "exec", "--strict", ".git/MSG"]).succeeds();
    assert_eq!(world.read(".git/MSG"), "Compute values\n\n# On branch main\n");
    let turns = calls(&world, "args").len() - 2;
    assert!(turns > 3);
    let (_, told) = run.stderr.split_once(&format!("{turns} turns of one session, ")).unwrap();
    let seconds: u64 = told.split_once("s at most").unwrap().0.parse().unwrap();
    assert!(seconds <= 120, "{}", run.stderr);
    world.assert_tidy();
}

#[test]
fn a_dry_run_does_the_same_and_commits_nothing() {
    let world = world(ANSWERS, SESSIONS);
    let before = world.state();
    assert_eq!(world.run(&["--dry-run"]).succeeds().stdout, "Compute values\n");
    assert_eq!(world.state(), before);
    assert!(calls(&world, "in").len() > 4);
    world.assert_tidy();
}

/// A large change and a small one, each to be a commit; the large one's message only comes in several turns.
fn divided(settings: &str) -> World {
    let world = World::with_message("");
    let plan = crate::support::say(&crate::support::plan(&[("Large", &["src"]), ("Small", &["small"])]));
    let role = format!("if [ $STAGECOACH_ROLE = planner ]; then {plan}\nexit; fi\n");
    let small = "if grep -q '+little' \"$R/in$n\"; then echo 'Say little'; exit; fi\n";
    agent(&world, &format!("{role}{small}{ANSWERS}"), &format!("{SESSIONS}max_parallel = 1\n{settings}"));
    world.write("src/a.rs", (0..200).map(|n| format!("let value_{n} = compute({n});\n")).collect::<String>());
    world.write("small", "little\n");
    world
}

#[test]
fn a_large_commit_of_several_is_sent_in_turns_too() {
    // Also where less was shown before than there is: the change is read again.
    for settings in ["", "max_diff_bytes = 2000\n"] {
        let world = divided(settings);
        let (base, tree) = (world.head(), world.whole_tree());
        world.run(&[]).succeeds().says(&["turns of one session"]);
        assert_eq!(world.subjects_since(&base), ["Compute values", "Say little"]);
        let sent = calls(&world, "in");
        let parts = &sent[3..sent.len() - 1];
        assert!(parts.concat().contains("\n+let value_199 = compute(199);\n"), "{settings}");
        assert!(parts.iter().all(|part| !part.contains("+little")), "only the commit's own change is sent");
        world.assert_whole(&tree, &base);
    }
    let world = divided("");
    assert!(world.run(&["plan"]).succeeds().stdout.contains("Compute values"));
    assert!(world.run(&["--dry-run"]).succeeds().stdout.contains("Compute values"));
    let world = divided("multi_turn_fallback = false\n");
    world.run(&[]).fails_with(3);
}

#[test]
fn more_than_one_call_is_ever_shown_is_sent_whole() {
    let world = World::with_message("");
    agent(&world, ANSWERS, &SESSIONS.replace("1000", "60000"));
    let lines: String = (0..16_000).map(|n| format!("let value_{n} = compute({n});\n")).collect();
    assert!(lines.len() > 400_000);
    world.stage("src/a.rs", lines);
    world.run(&[]).succeeds();
    let sent = calls(&world, "in");
    assert!(!sent[0].contains("value_15999") && sent[2..].concat().contains("\n+let value_15999 = compute(15999);\n"));
}

#[test]
fn a_forgotten_session_is_begun_anew_once() {
    let forget = "if [ $n -eq 4 ]; then echo 'Error: session not found' >&2; exit 1; fi\n";
    let good = world(&format!("{forget}{ANSWERS}"), SESSIONS);
    good.run(&[]).succeeds().says(&["does not know the session any more", "once more"]);
    assert_eq!(good.message("HEAD"), "Compute values\n");
    let used = sessions(&good);
    assert_eq!(used[2], used[3]);
    assert_ne!(used[3], used[4]);
    let args = calls(&good, "args");
    assert!(
        args[2].starts_with("--start") && args[4].starts_with("--start") && args[5].starts_with("--go-on"),
        "{args:?}"
    );

    let always = "case \"$1\" in --go-on) echo 'Error: session not found' >&2; exit 1 ;; esac\n";
    let bad = world(&format!("{always}{ANSWERS}"), SESSIONS);
    assert_nothing_changed(&bad, 3).says(&["does not know the session any more", "git commit-tree"]);
    assert_eq!(calls(&bad, "in").len(), 2 + 2 + 2);
}

#[test]
fn a_turn_that_fails_ends_the_attempt() {
    let broken = world(&format!("if [ $n -eq 4 ]; then echo 'out of luck' >&2; exit 7; fi\n{ANSWERS}"), SESSIONS);
    assert_nothing_changed(&broken, 3).says(&["exit 7", "out of luck", "git commit-tree"]);
    assert_eq!(calls(&broken, "in").len(), 4);

    let silent = world(&format!("if [ $n -eq 4 ]; then exit 0; fi\n{ANSWERS}"), SESSIONS);
    assert_nothing_changed(&silent, 3);
    assert_eq!(calls(&silent, "in").len(), 4);
}

#[test]
fn every_turn_has_its_own_time_out() {
    let world = world(&format!("if [ $n -eq 5 ]; then sleep 600; fi\n{ANSWERS}"), SESSIONS);
    world.run(&["--timeout", "2"]).fails_with(124).says(&["2 s"]);
    assert_eq!(calls(&world, "in").len(), 5);
    world.assert_tidy();
}

#[test]
fn it_is_left_alone_without_sessions_without_need_and_when_it_is_not_wanted() {
    for manifest in [
        "[generation]\nmulti_turn_chunk_tokens = 1000\n".to_owned(),
        SESSIONS.replace("1000", "100000"),
        format!("{SESSIONS}multi_turn_fallback = false\n"),
    ] {
        let world = world(ANSWERS, &manifest);
        assert_nothing_changed(&world, 3);
        assert_eq!(calls(&world, "in").len(), 2, "{manifest}");
    }
}

#[test]
fn a_program_that_chooses_the_session_itself_is_continued() {
    let script = "case \"$1\" in --json) echo '{\"thread\":\"th_42\"}'; exit 0 ;; resume) ;; *) exit 0 ;; esac\n\
        if grep -q 'That was the last part' \"$R/in$n\"; then echo 'Compute values'; else echo OK; fi";
    let manifest = "session_mode = \"append\"\nsession = { first = [\"--json\"], next = [\"resume\", \"{id}\"], \
        id_from = \"thread\", output = \"json\" }\n[generation]\nmulti_turn_chunk_tokens = 1000\n";
    let good = world(script, manifest);
    good.run(&[]).succeeds();
    assert_eq!(good.message("HEAD"), "Compute values\n");
    let args = calls(&good, "args");
    assert_eq!(args[2], "--json\n");
    assert!(args[3..].iter().all(|args| args == "resume th_42\n"), "{args:?}");

    let nameless = world(&script.replace("thread\\\"", "other\\\"").replace("{\"thread\"", "{\"other\""), manifest);
    assert_nothing_changed(&nameless, 3).says(&["named no session"]);
    assert_eq!(calls(&nameless, "in").len(), 3);
}

#[test]
fn at_signs_are_written_alike_in_all_turns() {
    let world = world(ANSWERS, &format!("run = {{ escape_at = true }}\n{SESSIONS}"));
    // The usual mark occurs in one file only, so a turn with the other would choose it by itself.
    world.stage("a.txt", "mail me@example.org, read @/etc/passwd\n".repeat(60));
    world.stage("z.txt", "an odd [at] in the text\n".repeat(60));
    world.run(&[]).succeeds();
    let sent = calls(&world, "in");
    assert!(sent.iter().all(|sent| !sent.contains('@')));
    let turns = &sent[2..];
    assert!(turns.iter().any(|turn| turn.contains("read [at2]/etc/passwd")));
    assert!(turns.iter().all(|turn| turn.contains("[at2] stands for the at-sign")), "{turns:#?}");
}
