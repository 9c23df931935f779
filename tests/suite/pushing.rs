//! `--push`: what has landed goes to the remote, and a failure leaves the commit.

use crate::support::{Run, World};

/// A repository whose branch follows one in the bare repository `remote.git`, with something staged.
fn with_remote() -> World {
    let world = World::with_message("Add a");
    let remote = remote(&world);
    world.git(&["init", "-q", "--bare", &remote]);
    world.git(&["remote", "add", "origin", &remote]);
    world.git(&["push", "-q", "-u", "origin", "main"]);
    world.stage("a", "x\n");
    world
}

fn remote(world: &World) -> String {
    world.root().join("remote.git").to_str().unwrap().to_owned()
}

fn there(world: &World) -> String {
    world.git(&["--git-dir", &remote(world), "rev-parse", "main"])
}

/// Somebody else pushes first, so that a push is refused.
fn overtaken() -> World {
    let world = with_remote();
    let tree = world.git(&["rev-parse", "HEAD^{tree}"]);
    let theirs = world.git(&["commit-tree", &tree, "-p", "HEAD", "-m", "Theirs"]);
    world.git(&["push", "-q", "origin", &format!("{theirs}:refs/heads/main")]);
    world
}

fn document(run: &Run) -> serde_json::Value {
    serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {run:#?}"))
}

#[test]
fn a_new_commit_is_pushed_and_git_talks_on_standard_error() {
    let world = with_remote();
    let run = world.run(&["--push"]).succeeds().says(&["main -> main"]);
    assert_eq!(there(&world), world.head());
    assert!(run.stdout.ends_with("] Add a\nA\ta\n"), "{}", run.stdout);
}

#[test]
fn nothing_is_pushed_unless_it_is_wanted() {
    let world = with_remote();
    let before = there(&world);
    world.run(&[]).succeeds();
    assert_eq!(there(&world), before);
}

#[test]
fn the_setting_does_the_same_in_every_layer_that_may() {
    let environment = |world: &mut World| {
        world.set("STAGECOACH_PUSH", "yes");
    };
    let git = |world: &mut World| {
        world.git(&["config", "stagecoach.push", "on"]);
    };
    let file = |world: &mut World| {
        let path = world.home(".config/stagecoach/config.toml");
        let text = std::fs::read_to_string(&path).unwrap();
        world.config(&format!("{text}\n[generation]\npush = true\n"));
    };
    let layers: [&dyn Fn(&mut World); 3] = [&environment, &git, &file];
    for (number, set) in layers.into_iter().enumerate() {
        let mut world = with_remote();
        set(&mut world);
        world.run(&[]).succeeds();
        assert_eq!(there(&world), world.head(), "layer {number}");
        // And a higher layer takes it back.
        world.set("STAGECOACH_PUSH", "0").stage("b", "x\n");
        world.agent_says("Add b");
        world.run(&[]).succeeds();
        assert_ne!(there(&world), world.head(), "layer {number}");
    }
}

#[test]
fn an_untrusted_repository_cannot_have_anything_pushed() {
    let world = with_remote();
    let before = there(&world);
    world.stage(".stagecoach.toml", "[generation]\npush = true\n");
    world.run(&[]).succeeds().says(&["not trusted", "generation.push"]);
    assert_eq!(there(&world), before);
}

#[test]
fn a_dry_run_pushes_nothing() {
    let world = with_remote();
    let before = there(&world);
    world.commit("Not yet pushed", &[]);
    world.stage("b", "x\n");
    for dry in ["--dry-run", "--show-prompt"] {
        world.run(&["--push", dry]).succeeds();
        assert_eq!(there(&world), before, "{dry}");
    }
}

#[test]
fn a_refused_push_leaves_the_commit_and_says_so_in_three_parts() {
    let world = overtaken();
    let before = there(&world);
    let run = world.run(&["--push"]).fails_with(1).says(&[
        "[rejected]",
        "error: `git push` failed; the commit is made and stays",
        "cause: ",
        "hint: ",
        "git push",
    ]);
    assert!(run.stdout.contains("] Add a\n"), "{}", run.stdout);
    assert_eq!((world.message("HEAD").as_str(), there(&world)), ("Add a\n", before));
    assert_eq!(world.git(&["status", "--porcelain"]), "");
}

#[test]
fn without_a_remote_gits_own_words_are_shown() {
    let world = World::with_message("Add a");
    world.stage("a", "x\n");
    world.run(&["--push"]).fails_with(1).says(&["No configured push destination"]);
    assert_eq!(world.message("HEAD"), "Add a\n");
}

#[test]
fn the_document_says_whether_it_was_pushed() {
    let world = with_remote();
    let run = world.run(&["--push", "--json"]).succeeds().says(&["main -> main"]);
    assert_eq!((&document(&run)["pushed"], &document(&run)["outcome"]), (&true.into(), &"committed".into()));

    world.stage("b", "x\n");
    world.agent_says("Add b");
    assert_eq!(document(&world.run(&["--json"]).succeeds())["pushed"], false);

    let world = overtaken();
    let document = document(&world.run(&["--push", "--json"]).fails_with(1).says(&["[rejected]"]));
    assert_eq!((&document["pushed"], &document["outcome"]), (&false.into(), &"committed".into()));
    assert_eq!(document["commits"][0]["id"], world.head());
    assert_eq!(document["error"]["code"], "push_failed");
    assert!(document["error"]["message"].as_str().unwrap().contains("[rejected]"), "{document}");
}

#[test]
fn quiet_is_quiet_but_for_errors() {
    let world = with_remote();
    let run = world.run(&["--push", "--quiet"]).succeeds();
    assert_eq!((run.stdout.as_str(), run.stderr.as_str()), ("", ""));
    assert_eq!(there(&world), world.head());
    overtaken().run(&["--push", "--quiet"]).fails_with(1).says(&["[rejected]", "error: "]);
}

#[test]
fn a_failed_run_pushes_nothing() {
    let world = with_remote();
    let before = there(&world);
    world.commit("Not yet pushed", &[]);
    world.agent("exit 1");
    world.stage("b", "x\n");
    world.run(&["--push"]).fails_with(3);
    assert_eq!(there(&world), before);
}

#[test]
fn a_commit_of_somebody_else_is_not_pushed() {
    let world = with_remote();
    let before = there(&world);
    let run = crate::support::while_the_agent_thinks(&world, &["--push"], |world| {
        world.git(&["commit", "-q", "-m", "I was faster"]);
    });
    run.succeeds().says(&["already", "nothing was pushed"]);
    assert_eq!(there(&world), before);
}

#[test]
fn it_works_from_a_folder_below_and_with_the_commit_edited() {
    let mut world = with_remote();
    std::fs::create_dir(world.path("below")).unwrap();
    let editor = world.script("editor", "echo Edited > \"$1\"");
    world.set("GIT_EDITOR", &editor);
    world.run(&["-C", "below", "--edit", "--push"]).succeeds();
    assert_eq!(there(&world), world.head());
    assert_eq!(world.message("HEAD"), "Edited\n");
}

#[test]
fn a_push_that_is_interrupted_leaves_the_commit() {
    let world = with_remote();
    let hook = world.path(".git/hooks/pre-push");
    std::fs::create_dir_all(hook.parent().unwrap()).unwrap();
    std::fs::copy(world.script("hook", "touch \"$HOME/pushing\"; exec sleep 60"), &hook).unwrap();
    let mut command = world.stagecoach(&["--push"]);
    let child = command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null()).spawn().unwrap();
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(60);
    while !world.home("pushing").exists() {
        assert!(std::time::Instant::now() < deadline, "nothing was pushed");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let kill = format!("kill -TERM {}", child.id());
    assert!(world.program("sh").args(["-c", &kill]).status().unwrap().success());
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(1));
    assert_eq!(world.message("HEAD"), "Add a\n");
}
