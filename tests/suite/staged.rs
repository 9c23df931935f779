//! A staged change becomes a commit, as `git commit` would have made it.

use crate::support::World;

const MESSAGE: &str = "Explain how to start\n\nNewcomers asked for it.";

#[test]
fn what_is_staged_is_committed_with_the_agents_message() {
    let world = World::with_message(MESSAGE);
    world.stage("docs/start.md", "Run it.\n");
    world.write("docs/start.md", "Run it twice.\n");
    world.write("untracked", "stays\n");
    let before = world.head();
    let run = world.run(&[]).succeeds();
    assert_eq!(world.message("HEAD"), format!("{MESSAGE}\n"));
    assert_eq!(world.git(&["rev-parse", "HEAD^"]), before);
    assert_eq!(world.git(&["show", "HEAD:docs/start.md"]), "Run it.");
    let id = world.git(&["rev-parse", "--short=7", "HEAD"]);
    assert_eq!(run.stdout, format!("[{id}] Explain how to start\nA\tdocs/start.md\n"));
    assert_eq!(world.git(&["status", "--porcelain"]), " M docs/start.md\n?? untracked");
    world.git(&["fsck", "--strict"]);
    world.assert_tidy();
}

#[test]
fn the_agent_sees_the_diff_the_files_and_no_index_lines() {
    let world = World::with_message(MESSAGE);
    world.stage("src/lib.rs", "pub fn start() {}\n");
    world.run(&[]).succeeds();
    let prompt = world.prompt();
    for part in
        ["A\t1\t0\tsrc/lib.rs", "diff --git a/src/lib.rs b/src/lib.rs", "+pub fn start() {}", "Describe the goal"]
    {
        assert!(prompt.contains(part), "{part:?} is not in\n{prompt}");
    }
    assert!(!prompt.contains("\nindex "), "{prompt}");
}

/// Everything but the message's words is what git itself writes in the same environment.
#[test]
fn commit_and_reflog_are_what_git_commit_writes() {
    let identities: [&[(&str, &str)]; 6] = [
        &[],
        &[("GIT_AUTHOR_NAME", "Ännie"), ("GIT_AUTHOR_EMAIL", "annie@example.com")],
        &[("GIT_AUTHOR_DATE", "2005-04-07T22:13:13 +0200"), ("GIT_COMMITTER_DATE", "@1112911993 -0730")],
        &[("GIT_COMMITTER_NAME", "  C. O. Mitter. "), ("GIT_COMMITTER_EMAIL", "<c@example.com>")],
        &[("TZ", "Asia/Kathmandu")],
        &[("GIT_REFLOG_ACTION", "deploy")],
    ];
    for identity in identities {
        let mut ours = World::with_message("Same words");
        let mut theirs = World::with_message("Same words");
        for world in [&mut ours, &mut theirs] {
            for (name, value) in identity {
                world.set(name, value);
            }
            world.stage("file", "content\n");
        }
        ours.run(&[]).succeeds();
        theirs.git(&["commit", "-q", "-m", "Same words"]);
        let dated = identity.iter().any(|(name, _)| name.contains("DATE"));
        let comparable = |world: &World| {
            let object = world.git(&["cat-file", "commit", "HEAD"]);
            let logs = ["HEAD", "refs/heads/main"].map(|name| {
                let log = world.read(&format!(".git/logs/{name}"));
                log.lines().last().unwrap().split_once(' ').unwrap().1.split_once(' ').unwrap().1.to_owned()
            });
            let text = format!("{object}\n{}\n{}", logs[0], logs[1]);
            // Ids of parents and times of day differ between two runs; the rest may not.
            let text: Vec<String> = text
                .lines()
                .filter(|line| !line.starts_with("parent "))
                .map(|line| if dated { line.to_owned() } else { without_time(line) })
                .collect();
            text.join("\n")
        };
        assert_eq!(comparable(&ours), comparable(&theirs), "{identity:?}");
    }
}

fn without_time(line: &str) -> String {
    let Some(at) = line.find("> ") else { return line.to_owned() };
    let (who, rest) = line.split_at(at + 2);
    format!("{who}{}", rest.trim_start_matches(|c: char| c.is_ascii_digit()))
}

#[test]
fn every_kind_of_staged_change_is_reported_as_git_names_it() {
    let world = World::with_message("Move things");
    world.commit("Add files", &[("old name", "long enough\nto be found\nagain\n"), ("gone", "x\n"), ("mode", "y\n")]);
    world.git(&["mv", "old name", "new \"name\""]);
    world.git(&["rm", "-q", "gone"]);
    world.git(&["update-index", "--chmod=+x", "mode"]);
    world.stage("tab\there", "z\n");
    let run = world.run(&[]).succeeds();
    let expected = world.git(&["diff-tree", "-r", "-M", "--no-commit-id", "--name-status", "HEAD"]);
    let mut reported: Vec<&str> = run.stdout.lines().skip(1).collect();
    let mut expected: Vec<&str> = expected.lines().collect();
    reported.sort_unstable();
    expected.sort_unstable();
    assert_eq!(reported, expected);
}

#[test]
fn the_first_commit_of_a_repository_is_a_root_commit() {
    let world = World::new();
    world.agent_says("Begin");
    world.stage("a", "x\n");
    let run = world.run(&[]).succeeds();
    assert!(run.stdout.starts_with("[(root-commit) "), "{}", run.stdout);
    assert_eq!(world.git(&["rev-list", "--count", "HEAD"]), "1");
    let log = world.read(".git/logs/refs/heads/main");
    assert!(log.ends_with("\tcommit (initial): Begin\n"), "{log}");
    assert_eq!(world.read(".git/logs/HEAD"), log);
}

#[test]
fn a_detached_head_moves_alone() {
    let world = World::with_message("Try something");
    world.git(&["checkout", "-q", "--detach"]);
    world.stage("a", "x\n");
    let run = world.run(&[]).succeeds();
    assert!(run.stdout.starts_with("[detached HEAD "), "{}", run.stdout);
    assert_eq!(world.git(&["rev-parse", "main"]), world.git(&["rev-parse", "HEAD^"]));
}

#[test]
fn nothing_is_staged_by_intent_to_add_alone() {
    let world = World::with_message("x");
    world.write("new", "x\n");
    world.git(&["add", "-N", "new"]);
    world.run(&["--no-auto-stage"]).fails_with(2).says(&["Nothing staged."]);
}

#[test]
fn a_dry_run_prints_the_message_and_nothing_else() {
    let world = World::with_message(MESSAGE);
    world.stage("a", "x\n");
    let before = world.state();
    let run = world.run(&["--dry-run"]).succeeds();
    assert_eq!(run.stdout, format!("{MESSAGE}\n"));
    assert_eq!(run.stderr, "");
    assert_eq!(world.state(), before);
    world.assert_tidy();
}

#[test]
fn show_prompt_prints_what_would_be_sent_and_asks_nobody() {
    let world = World::with_message(MESSAGE);
    world.agent("touch \"$HOME/asked\"; echo no");
    world.stage("a", "unmistakable\n");
    let before = world.state();
    let run = world.run(&["--show-prompt"]).succeeds();
    assert!(run.stdout.contains("+unmistakable"), "{}", run.stdout);
    assert!(!world.home("asked").exists());
    assert_eq!(world.state(), before);
}

#[test]
fn a_staged_commit_starts_no_git_process() {
    let world = World::with_message(MESSAGE);
    world.stage("a", "x\n");
    // A git that tells on its caller stands first on PATH; the real one is gone.
    let telltale = world.root().join("bin/git");
    let real = std::fs::read_link(&telltale).unwrap();
    std::fs::remove_file(&telltale).unwrap();
    world.script("bin/git", "echo \"$@\" >> \"$HOME/git-was-called\"; exit 1");
    world.run(&[]).succeeds();
    assert!(
        !world.home("git-was-called").exists(),
        "{}",
        std::fs::read_to_string(world.home("git-was-called")).unwrap()
    );
    std::fs::remove_file(&telltale).unwrap();
    std::os::unix::fs::symlink(real, telltale).unwrap();
    assert_eq!(world.message("HEAD"), format!("{MESSAGE}\n"));
}

#[test]
fn quiet_says_nothing_and_json_says_everything() {
    let world = World::with_message(MESSAGE);
    world.stage("a", "x\n");
    let run = world.run(&["-q"]).succeeds();
    assert_eq!((run.stdout.as_str(), run.stderr.as_str()), ("", ""));

    world.stage("b", "one\ntwo\n");
    world.agent_says("Add b");
    let run = world.run(&["--json"]).succeeds();
    let document: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(document["schema"], 1);
    assert_eq!(document["outcome"], "committed");
    assert_eq!(document["commits"][0]["id"], world.head());
    assert_eq!(document["commits"][0]["subject"], "Add b");
    assert_eq!(document["commits"][0]["message"], "Add b\n");
    let file = &document["commits"][0]["files"][0];
    assert_eq!(
        (&file["status"], &file["path"], &file["added"], &file["deleted"]),
        (&"A".into(), &"b".into(), &2.into(), &0.into())
    );
    assert_eq!(document["provider"], "fake");
}

#[test]
fn signoff_and_trailers_follow_gits_rules() {
    let world = World::with_message("Add a\n\nBecause.");
    world.stage("a", "x\n");
    world.run(&["-s", "--trailer", "Reviewed-by: R <r@example.com>"]).succeeds();
    assert_eq!(
        world.message("HEAD"),
        "Add a\n\nBecause.\n\nSigned-off-by: A U Thor <author@example.com>\nReviewed-by: R <r@example.com>\n"
    );
}

#[test]
fn trailers_are_what_gits_configuration_makes_of_them() {
    for settings in [
        &[("trailer.sign.key", "Signed-off-by: ")][..],
        &[("trailer.ifexists", "replace"), ("trailer.where", "start")],
        &[("trailer.separators", ":#"), ("trailer.sign.ifmissing", "doNothing")],
        &[("trailer.sign.cmd", "echo \"by $1\"")],
    ] {
        let world = World::with_message("Add a\n\nBecause.\n\nReviewed-by: R <r@example.com>");
        for (key, value) in settings {
            world.git(&["config", key, value]);
        }
        world.stage("a", "x\n");
        let options = ["-s", "--trailer", "sign=Me <me@example.com>", "--trailer", "Reviewed-by: S <s@example.com>"];
        world.run(&options).succeeds();
        let ours = world.message("HEAD");
        world.git(&["reset", "--soft", "-q", "HEAD~1"]);
        let mut theirs = vec!["commit", "-q", "-m", "Add a\n\nBecause.\n\nReviewed-by: R <r@example.com>"];
        theirs.extend(options);
        world.git(&theirs);
        assert_eq!(ours, world.message("HEAD"), "{settings:?}");
    }
    let world = World::with_message("Add a");
    world.git(&["config", "trailer.sign.key", "Signed-off-by: "]);
    world.stage("a", "x\n");
    let before = world.state();
    world.run(&["--trailer", ": nothing"]).fails_with(1).says(&["empty trailer token", "--help"]);
    assert_eq!(world.state(), before);
}

#[test]
fn excluded_files_are_committed_but_not_shown() {
    let world = World::with_message("Add data");
    world.stage("data/big.csv", "secret-content\n");
    world.stage("code.rs", "fn visible() {}\n");
    world.stage(".stagecoachignore", "data/\n");
    world.run(&["-x", "*.lock"]).succeeds();
    let prompt = world.prompt();
    assert!(!prompt.contains("secret-content") && prompt.contains("data/big.csv"), "{prompt}");
    assert_eq!(world.git(&["show", "HEAD:data/big.csv"]), "secret-content");
}

#[test]
fn a_duplicate_subject_is_asked_for_again() {
    let world = World::with_message("");
    let state = world.root().join("asked");
    world.agent(&format!(
        "cat > /dev/null; if test -e '{0}'; then echo 'Another subject'; else touch '{0}'; echo 'describe  the GOAL'; fi",
        state.display()
    ));
    world.stage("a", "x\n");
    world.run(&[]).succeeds();
    assert_eq!(world.message("HEAD"), "Another subject\n");
}
