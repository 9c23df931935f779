//! `--work-description`: the author's words first, and only those diffs that the agent asks for.

use std::process::Stdio;

use crate::support::World;

const SESSIONS: &str =
    "session_mode = \"append\"\nsession = { first = [\"--start\", \"{id}\"], next = [\"--go-on\", \"{id}\"] }\n";

/// An agent that writes down each call and then does what the script says.
fn agent(world: &World, script: &str, manifest: &str) {
    let record = format!(
        "R='{}'\nn=$(($(cat \"$R/n\" 2>/dev/null || echo 0) + 1)); echo $n > \"$R/n\"\n\
         echo \"$*\" > \"$R/args$n\"; cat > \"$R/in$n\"\n{script}",
        world.root().display()
    );
    world.agent_with(&record, manifest);
}

/// Reads one file, then another, then knows enough.
const READS: &str =
    "case $n in 1) echo 'READ src/a.rs' ;; 2) echo '- read `b.txt`, nowhere.txt' ;; *) echo 'Count from two' ;; esac";

fn world(script: &str, manifest: &str) -> World {
    let world = World::with_message("");
    agent(&world, script, manifest);
    world.stage("src/a.rs", "let n = 2;\n");
    world.stage("b.txt", "told elsewhere\n");
    world
}

fn calls(world: &World, what: &str) -> Vec<String> {
    let read = |n: usize| std::fs::read_to_string(world.root().join(format!("{what}{n}"))).ok();
    (1..).map_while(read).collect()
}

#[test]
fn the_agent_reads_what_it_asks_for_in_one_session() {
    let world = world(READS, SESSIONS);
    world.run(&["--work-description", "Counting begins at two."]).succeeds();
    assert_eq!(world.message("HEAD"), "Count from two\n");
    let (args, sent) = (calls(&world, "args"), calls(&world, "in"));
    assert_eq!(sent.len(), 3);
    assert!(args[0].starts_with("--start") && args[1].starts_with("--go-on") && args[2].starts_with("--go-on"));
    assert!(sent[0].contains("Counting begins at two.") && sent[0].contains("\nA\t1\t0\tsrc/a.rs\n"));
    assert!(!sent[0].contains("let n = 2;") && sent[0].contains("up to 5 times"));
    assert!(
        sent[1].contains("+let n = 2;") && !sent[1].contains("told elsewhere") && !sent[1].contains("Counting begins")
    );
    assert!(sent[2].contains("+told elsewhere") && sent[2].contains("[nowhere.txt is not in this change]"));
    world.assert_tidy();
}

#[test]
fn without_sessions_each_call_carries_what_was_said() {
    let world = world(READS, "");
    world.run(&["--work-description", "Counting begins at two."]).succeeds();
    let sent = calls(&world, "in");
    assert_eq!((sent.len(), world.message("HEAD").as_str()), (3, "Count from two\n"));
    for text in ["Counting begins at two.", "+let n = 2;", "+told elsewhere", "up to 3 times"] {
        assert!(sent[2].contains(text), "{text} in {}", sent[2]);
    }
}

#[test]
fn a_large_diff_comes_in_parts() {
    let world = world("case $n in 3) echo 'Add data' ;; *) echo 'READ data.rs' ;; esac", SESSIONS);
    world.stage("data.rs", (0..3000).map(|n| format!("let value_{n} = compute({n});\n")).collect::<String>());
    world.run(&["--work-description", "Data."]).succeeds();
    let sent = calls(&world, "in");
    assert!(
        sent[1].contains("value_1 ") && sent[1].contains("part 1 of ") && sent[1].contains("READ again for the next")
    );
    assert!(!sent[2].contains("value_1 ") && sent[2].contains("part 2 of "), "{}", sent[2]);
}

#[test]
fn reading_that_never_ends_is_ended() {
    for manifest in [SESSIONS, ""] {
        let world = world("echo 'READ src/a.rs'", &format!("{manifest}[generation]\nwork_desc_read_rounds = 2\n"));
        let before = world.state();
        world.run(&["--work-description", "Counting."]).fails_with(3).says(&["git commit-tree"]);
        assert_eq!(world.state(), before);
        // The description, two rounds, and once more when it was told to stop.
        let sent = calls(&world, "in");
        assert_eq!(sent.len(), 4);
        assert!(sent[2].trim_end().ends_with("READ is not answered any more."), "{}", sent[2]);
        world.assert_tidy();
    }
}

#[test]
fn a_forgotten_session_goes_on_with_all_that_was_said() {
    let script = "case $n in 1) echo 'READ src/a.rs' ;; 2) echo 'No conversation found with session ID' ; exit 1 ;; \
        *) echo 'Count from two' ;; esac";
    let world = world(script, SESSIONS);
    world.run(&["--work-description", "Counting begins at two."]).succeeds();
    let (args, sent) = (calls(&world, "args"), calls(&world, "in"));
    assert!(args[2].starts_with("--start") && args[2] != args[0], "{args:?}");
    assert!(sent[2].contains("Counting begins at two.") && sent[2].contains("+let n = 2;"));
}

#[test]
fn a_failing_round_is_a_rescue() {
    let world = world("case $n in 1) echo 'READ src/a.rs' ;; *) echo 'out of luck' >&2; exit 9 ;; esac", SESSIONS);
    let before = world.state();
    world.run(&["--work-description", "Counting."]).fails_with(3).says(&["exit 9", "out of luck", "git commit-tree"]);
    assert_eq!(world.state(), before);
    assert_eq!(calls(&world, "in").len(), 2);
    world.assert_tidy();
}

#[test]
fn the_description_comes_from_file_option_or_variable() {
    let mut world = world("echo 'Count from two'", "");
    world.set("STAGECOACH_WORK_DESCRIPTION", "said by the variable");
    let file = world.root().join("description");
    std::fs::write(&file, "said in the file\n").unwrap();
    let file = file.to_str().unwrap();
    let said = |world: &World, arguments: &[&str]| {
        let arguments: Vec<&str> = ["--dry-run"].iter().chain(arguments).copied().collect();
        let run = world.run(&arguments).succeeds();
        assert!(!run.stderr.contains("STAGECOACH_WORK_DESCRIPTION"), "{}", run.stderr);
        calls(world, "in").last().unwrap().clone()
    };
    assert!(said(&world, &[]).contains("said by the variable"));
    assert!(said(&world, &["--work-description", "said as an option"]).contains("said as an option"));
    let sent = said(&world, &["--work-description", "said as an option", "--work-description-file", file]);
    assert!(sent.contains("said in the file") && !sent.contains("said as an option"));
    assert!(said(&world, &["--work-description", ""]).contains("+let n = 2;"));
    world.set("STAGECOACH_WORK_DESCRIPTION", "");
    assert!(said(&world, &[]).contains("+let n = 2;"));
}

#[test]
fn the_description_may_come_from_standard_input() {
    let world = world("echo 'Count from two'", "");
    let mut command = world.stagecoach(&["--dry-run", "--work-description-file", "-"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), b"said on standard input").unwrap();
    assert!(child.wait_with_output().unwrap().status.success());
    assert!(calls(&world, "in")[0].contains("said on standard input"));
}

#[test]
fn a_file_that_cannot_be_read_is_an_error_before_anything_is_frozen() {
    let world = world("echo 'Count from two'", "");
    let empty = world.root().join("empty");
    std::fs::write(&empty, " \n").unwrap();
    let large = world.root().join("large");
    std::fs::write(&large, "word ".repeat(100_000)).unwrap();
    let before = world.state();
    for (file, says) in
        [("/no/such/file", "/no/such/file"), (empty.to_str().unwrap(), "is empty"), (large.to_str().unwrap(), "262144")]
    {
        let arguments = ["--work-description", "never mind", "--work-description-file", file];
        world.run(&arguments).fails_with(1).says(&["the work description cannot be read", says, "hint: "]);
    }
    assert_eq!(world.state(), before);
    assert_eq!(calls(&world, "in").len(), 0);
}

#[test]
fn with_nothing_staged_the_working_tree_is_one_commit_whatever_is_set() {
    for arguments in [&["--no-auto-stage"][..], &[]] {
        let world = World::with_message("Count from two");
        world.write("src/a.rs", "let n = 2;\n");
        world.write("b.txt", "x\n");
        let arguments: Vec<&str> = ["--work-description", "Counting."].iter().chain(arguments).copied().collect();
        world.run(&arguments).succeeds();
        assert_eq!(world.git(&["log", "--oneline", "HEAD~1..HEAD"]).lines().count(), 1);
        assert_eq!(world.git(&["status", "--porcelain"]), "");
    }
    let world = World::with_message("Count from two");
    world.write("b.txt", "x\n");
    world.git(&["config", "stagecoach.autoStageAll", "false"]);
    world.run(&[]).fails_with(2);
    world.run(&["--work-description", "Counting."]).succeeds();
}

#[test]
fn what_is_staged_is_committed_alone() {
    let world = world("echo 'Count from two'", "");
    world.write("untracked", "x\n");
    world.run(&["--work-description", "Counting."]).succeeds();
    assert_eq!(world.git(&["status", "--porcelain"]), "?? untracked");
}

#[test]
fn the_prompt_that_is_shown_is_the_first_turn() {
    let world = world("echo 'Count from two'", SESSIONS);
    let shown = world.run(&["--show-prompt", "--work-description", "Counting begins at two."]).succeeds().stdout;
    assert!(shown.contains("Counting begins at two.") && shown.contains("READ") && !shown.contains("let n = 2;"));
    assert_eq!(calls(&world, "in").len(), 0);
}

#[test]
fn the_offline_writer_takes_the_author_s_first_sentence() {
    let world = world("", "");
    world.run(&["--provider", "offline", "--work-description", "Count from two. The standard says so."]).succeeds();
    assert_eq!(world.message("HEAD"), "Count from two\n");
}

#[test]
fn several_turns_are_not_tried_for_described_work() {
    let world = world("exit 0", &format!("{SESSIONS}[generation]\nmulti_turn_chunk_tokens = 1000\n"));
    world.stage("data.rs", "let value = compute(argument);\n".repeat(400));
    world.run(&["--work-description", "Data."]).fails_with(3);
    assert_eq!(calls(&world, "in").len(), 2);
}
