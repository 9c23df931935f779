//! `stagecoach rescue commit --edit`: each message through the editor, and a stop there leaves the rest.

use crate::support::{Roles, World};

/// A run of three commits that an agent failed before any message: `First`, `Second` and `Third`.
fn several_without_messages(world: &World) -> (String, String) {
    world.commit("Add files", &[("a", "1\n"), ("b", "1\n"), ("c", "1\n")]);
    for path in ["a", "b", "c"] {
        world.write(path, "2\n");
    }
    let (base, tree) = (world.head(), world.whole_tree());
    Roles::plan(&[("First", &["a"]), ("Second", &["b"]), ("Third", &["c"])]).message("exit 9").install(world);
    world.run(&[]).fails_with(3);
    (base, tree)
}

#[test]
fn each_message_of_a_rescue_goes_through_the_editor() {
    let mut world = World::with_message("");
    let (base, tree) = several_without_messages(&world);
    // What HEAD is when each editor opens shows that the earlier commits have landed by then.
    let editor = world.script(
        "editor",
        &format!(
            "git log -1 --format=%s >> '{0}/seen'; cat \"$1\" >> '{0}/texts'; sed -i '1s/$/ edited/' \"$1\"",
            world.root().display()
        ),
    );
    world.set("GIT_EDITOR", &editor);
    let run = world.run(&["rescue", "commit", "--edit"]).succeeds();
    assert_eq!(world.subjects_since(&base), ["First edited", "Second edited", "Third edited"]);
    assert_eq!(std::fs::read_to_string(world.root().join("seen")).unwrap(), "Add files\nFirst edited\nSecond edited\n");
    let texts = std::fs::read_to_string(world.root().join("texts")).unwrap();
    for text in ["# On branch main", "#\tmodified:   a", "#\tmodified:   c"] {
        assert!(texts.contains(text), "{texts}");
    }
    assert_eq!(run.stdout.matches("edited").count(), 3, "{run:#?}");
    world.assert_whole(&tree, &base);
}

#[test]
fn a_rescue_stops_where_the_editor_does_and_goes_on_from_there() {
    for (ends, code, said) in [
        (": > \"$1\"", 1, "emptied by the editor"),
        ("echo 'Half done' > \"$1\"; exit 4", 3, "problem with the editor"),
        ("echo 'Half done' > \"$1\"; kill -TERM $PPID; sleep 30", 143, "terminated"),
    ] {
        let mut world = World::with_message("");
        let (base, tree) = several_without_messages(&world);
        let editor = world.script("editor", &format!("if grep -q Second \"$1\"; then {ends}; fi"));
        world.set("GIT_EDITOR", &editor);
        world.run(&["rescue", "commit", "--edit"]).fails_with(code).says(&[said]);
        assert_eq!(world.subjects_since(&base), ["First"], "{ends}");
        assert_eq!(world.git(&["status", "--porcelain"]), " M b\n M c", "{ends}");
        world.assert_tidy();
        world.run(&["rescue", "commit"]).succeeds();
        let second = if ends.contains("Half") { "Half done" } else { "Second" };
        assert_eq!(world.subjects_since(&base), ["First", second, "Third"], "{ends}");
        world.assert_whole(&tree, &base);
    }
}

#[test]
fn a_message_that_is_missing_is_written_in_the_editor() {
    let mut world = World::with_message("");
    world.stage("a", "1\n");
    let base = world.head();
    world.agent("exit 9");
    world.run(&[]).fails_with(3);
    let editor = world.script("editor", "grep -v '^#' \"$1\" | grep -q . && exit 7; sed -i '1iWritten by hand' \"$1\"");
    world.set("GIT_EDITOR", ":");
    world.run(&["rescue", "commit", "--edit"]).fails_with(1).says(&["emptied"]);
    world.set("GIT_EDITOR", "touch");
    world.run(&["rescue", "commit", "--edit"]).fails_with(1).says(&["emptied"]);
    assert_eq!(world.head(), base);
    world.set("GIT_EDITOR", &editor);
    world.run(&["rescue", "commit", "--edit"]).succeeds();
    assert_eq!(world.message("HEAD"), "Written by hand\n");
    // With -m it is what the editor begins with.
    world.stage("a", "2\n");
    world.run(&[]).fails_with(3);
    world.set("GIT_EDITOR", "sed -i s/begun/ended/");
    world.run(&["rescue", "commit", "-m", "As begun", "--edit"]).succeeds();
    assert_eq!(world.message("HEAD"), "As ended\n");
}
