//! What people do in the repository while the agents of a decomposition think: nothing of it is swept in, nothing lost.

use serde_json::json;

use crate::decompose::{NAME_THE_FIRST_LINE, numbered};
use crate::support::{Roles, Run, WAIT, World, plan, records, say, while_asked};

/// A change that needs all four roles; `script` makes of a role's name and its answer what the role does.
pub fn four_roles(script: impl Fn(&str, String) -> String) -> World {
    let world = World::with_message("");
    world.commit(
        "Add files",
        &[("shared", &numbered(&[])), ("other", "1\n"), ("forgotten", "1\n"), ("quiet", "1\n"), ("gone", "1\n")],
    );
    world.write("shared", numbered(&[(3, "early"), (15, "late")]));
    world.write("other", "beside\n");
    world.write("forgotten", "forgotten\n");
    world.write("new", "added\n");
    let divided = say(&plan(&[("One", &["shared", "other"]), ("Two", &["shared", "new"])]));
    Roles::planner(&script("planner", divided))
        .stager(&script("stager", say(&json!({ "assignments": { "1": "c1", "2": "c2" } }))))
        .arbiter(&script("arbiter", say(&json!({ "target": null }))))
        .message(&script("message", NAME_THE_FIRST_LINE.to_owned()))
        .install(&world);
    world
}

/// The same, where one of them is asked to wait.
fn waiting_in(role: &str) -> World {
    four_roles(|name, answer| if name == role { format!("{WAIT}\n{answer}") } else { answer })
}

pub const ROLES: [&str; 4] = ["planner", "stager", "arbiter", "message"];

pub const SUBJECTS: [&str; 3] = ["feat: say beside", "feat: say added", "feat: say forgotten"];

#[test]
fn the_index_knows_every_file_afterwards() {
    let world = four_roles(|_, answer| answer);
    // Older than the index: of files written in the same tick, nobody knows.
    let time = std::time::SystemTime::now() - std::time::Duration::from_secs(60);
    for name in ["shared", "other", "forgotten", "new"] {
        std::fs::File::options().write(true).open(world.path(name)).unwrap().set_modified(time).unwrap();
    }
    world.run(&[]).succeeds();
    assert_eq!(world.git(&["diff-files"]), "", "git would have to read these again");
    assert_eq!(world.git(&["status", "--porcelain"]), "");
}

#[test]
fn later_edits_new_files_and_deletions_are_in_no_commit_and_still_there() {
    for role in ROLES {
        let world = waiting_in(role);
        let (base, tree) = (world.head(), world.whole_tree());
        while_asked(&world, &[], |world| {
            world.write("shared", numbered(&[(3, "EARLY"), (15, "late"), (20, "end")]));
            world.write("brand", "new\n");
            std::fs::remove_file(world.path("new")).unwrap();
            std::fs::remove_file(world.path("gone")).unwrap();
            world.write("quiet", "2\n");
        })
        .succeeds();
        assert_eq!(world.git(&["rev-parse", "HEAD^{tree}"]), tree, "{role}");
        assert_eq!(world.subjects_since(&base), SUBJECTS, "{role}");
        assert_eq!(world.git(&["status", "--porcelain"]), " D gone\n D new\n M quiet\n M shared\n?? brand", "{role}");
        assert_eq!(world.read("shared"), numbered(&[(3, "EARLY"), (15, "late"), (20, "end")]));
        world.git(&["fsck", "--strict", "--no-dangling"]);
    }
}

#[test]
fn what_is_staged_meanwhile_stays_staged() {
    for role in ROLES {
        let world = waiting_in(role);
        let (base, tree) = (world.head(), world.whole_tree());
        while_asked(&world, &[], |world| {
            world.stage("other", "staged later\n");
            world.stage("brand", "new\n");
            world.git(&["rm", "-q", "gone"]);
        })
        .succeeds();
        assert_eq!(world.git(&["rev-parse", "HEAD^{tree}"]), tree, "{role}");
        assert_eq!(world.subjects_since(&base), SUBJECTS, "{role}");
        assert_eq!(world.git(&["status", "--porcelain"]), "A  brand\nD  gone\nM  other", "{role}");
        assert_eq!(world.git(&["show", ":other"]), "staged later");
    }
}

#[test]
fn staging_everything_meanwhile_is_as_good_as_staging_nothing() {
    for role in ROLES {
        let world = waiting_in(role);
        let (base, tree) = (world.head(), world.whole_tree());
        while_asked(&world, &[], |world| {
            world.git(&["add", "-A"]);
        })
        .succeeds();
        assert_eq!(world.subjects_since(&base), SUBJECTS, "{role}");
        world.assert_whole(&tree, &base);
    }
}

/// Nothing was published on top of somebody else's commit, and the frozen commits can still be put there.
fn assert_moved(world: &World, run: Run, theirs: &str, role: &str) {
    let run = run.fails_with(1).says(&["HEAD moved", "--onto-head"]);
    assert_eq!(world.head(), theirs, "{role}: {run:#?}");
    assert_eq!(records(world).len(), 1, "{role}");
}

#[test]
fn a_commit_made_meanwhile_is_not_buried() {
    for role in ROLES {
        let world = waiting_in(role);
        let mut theirs = String::new();
        let run = while_asked(&world, &[], |world| {
            theirs = world.commit("Mine", &[("quiet", "2\n")]);
        });
        assert_moved(&world, run, &theirs, role);
        assert_eq!(world.git(&["status", "--porcelain"]), " M forgotten\n M other\n M shared\n?? new", "{role}");
        world.run(&["rescue", "commit", "--onto-head"]).succeeds();
        assert_eq!(world.subjects_since(&theirs).len(), 3, "{role}");
        assert_eq!(world.git(&["status", "--porcelain"]), "", "{role}");
        assert_eq!(world.read("quiet"), "2\n");
        world.assert_tidy();
    }
}

#[test]
fn a_commit_of_everything_made_meanwhile_is_recognised() {
    for role in ROLES {
        let world = waiting_in(role);
        let tree = world.whole_tree();
        let run = while_asked(&world, &[], |world| {
            world.git(&["add", "-A"]);
            world.git(&["commit", "-q", "-m", "Mine"]);
        });
        run.succeeds().says(&["already committed exactly this"]);
        assert_eq!(world.message("HEAD"), "Mine\n", "{role}");
        assert_eq!(world.git(&["rev-parse", "HEAD^{tree}"]), tree);
        assert_eq!(world.git(&["status", "--porcelain"]), "");
        assert_eq!(records(&world), Vec::<std::path::PathBuf>::new(), "{role}");
        assert_eq!(world.git(&["for-each-ref", "refs/stagecoach"]), "");
        world.assert_tidy();
    }
}

#[test]
fn another_branch_gets_nothing() {
    for role in ROLES {
        let world = waiting_in(role);
        let base = world.head();
        let run = while_asked(&world, &[], |world| {
            world.git(&["switch", "-q", "-c", "elsewhere"]);
        });
        assert_moved(&world, run, &base, role);
        assert_eq!(world.git(&["rev-parse", "main"]), base);
        world.git(&["switch", "-q", "main"]);
        world.run(&["rescue", "commit"]).succeeds();
        assert_eq!(world.subjects_since(&base).len(), 3, "{role}");
        assert_eq!(world.git(&["status", "--porcelain"]), "", "{role}");
    }
}

#[test]
fn a_commit_made_between_two_of_the_run_stops_the_run() {
    let world = waiting_in("nobody");
    let base = world.head();
    // The second message waits until the first commit has landed, its index included.
    Roles::plan(&[("One", &["shared", "other"]), ("Two", &["forgotten", "new"])])
        .message(&format!(
            "if grep -q '\tnew$' \"$prompt\"; then\n\
             while [ $(git -C $root/repo rev-list --count HEAD) -lt 4 ]; do sleep 0.01; done\n\
             until git -C $root/repo diff --cached --quiet; do sleep 0.01; done\n{WAIT}\nfi\n{NAME_THE_FIRST_LINE}"
        ))
        .install(&world);
    let mut theirs = String::new();
    let run = while_asked(&world, &[], |world| {
        assert_eq!(world.git(&["status", "--porcelain"]), " M forgotten\n?? new");
        theirs = world.commit("Mine", &[("quiet", "2\n")]);
    });
    assert_moved(&world, run, &theirs, "message");
    let subjects = world.subjects_since(&base);
    assert_eq!((subjects.len(), subjects[1].as_str()), (2, "Mine"));
    world.run(&["rescue", "commit", "--onto-head"]).succeeds();
    assert_eq!(world.files_since(&theirs), [["forgotten", "new"]]);
    assert_eq!(world.git(&["status", "--porcelain"]), "");
}

#[test]
fn a_lock_on_the_index_that_goes_away_in_time_does_no_harm_and_one_that_stays_is_a_rescue() {
    let world = waiting_in("message");
    let (base, tree) = (world.head(), world.whole_tree());
    let lock = world.path(".git/index.lock");
    while_asked(&world, &[], |_| std::fs::write(&lock, "").unwrap()).fails_with(3).says(&["index.lock"]);
    assert_eq!(world.head(), base);
    std::fs::remove_file(&lock).unwrap();
    world.run(&["rescue", "commit"]).succeeds();
    world.assert_whole(&tree, &base);
}

/// Two commits of which the second one's message waits until the first has landed.
fn waiting_between() -> World {
    let world = waiting_in("nobody");
    Roles::plan(&[("One", &["shared", "other"]), ("Two", &["forgotten", "new"])])
        .message(&format!(
            "if grep -q '\tnew$' \"$prompt\"; then\n\
             while [ $(git -C $root/repo rev-list --count HEAD) -lt 4 ] || test -e $root/repo/.git/index.lock; do\n\
             sleep 0.01; done\n{WAIT}\nfi\n{NAME_THE_FIRST_LINE}"
        ))
        .install(&world);
    world
}

#[test]
fn what_happens_between_two_publications_is_in_no_commit_and_still_there() {
    type Edit = (&'static str, fn(&World));
    let edits: [Edit; 3] = [
        (" M forgotten\n?? brand", |world| {
            world.write("forgotten", "later\n");
            world.write("brand", "new\n");
        }),
        ("M  forgotten\nA  brand", |world| {
            world.stage("forgotten", "later\n");
            world.stage("brand", "new\n");
        }),
        (" D new\n M shared", |world| {
            std::fs::remove_file(world.path("new")).unwrap();
            world.write("shared", "later\n");
        }),
    ];
    for (status, edit) in edits {
        let world = waiting_between();
        let (base, tree) = (world.head(), world.whole_tree());
        while_asked(&world, &[], |world| {
            assert_eq!(world.subjects_since(&base), ["feat: say beside"]);
            edit(world);
        })
        .succeeds();
        assert_eq!(world.git(&["rev-parse", "HEAD^{tree}"]), tree);
        assert_eq!(world.files_since(&base), [["other", "shared"], ["forgotten", "new"]]);
        let mut lines: Vec<String> = world.git(&["status", "--porcelain"]).lines().map(str::to_owned).collect();
        let mut expected: Vec<String> = status.lines().map(str::to_owned).collect();
        lines.sort();
        expected.sort();
        assert_eq!(lines, expected);
        world.git(&["fsck", "--strict", "--no-dangling"]);
    }
}

#[test]
fn a_branch_switched_between_two_publications_stops_the_run() {
    let world = waiting_between();
    let (base, tree) = (world.head(), world.whole_tree());
    let run = while_asked(&world, &[], |world| {
        world.git(&["switch", "-q", "-c", "elsewhere"]);
    });
    let first = world.git(&["rev-parse", "main"]);
    assert_moved(&world, run, &first, "message");
    assert_eq!(world.subjects_since(&base), ["feat: say beside"]);
    assert_eq!(world.git(&["status", "--porcelain"]), " M forgotten\n?? new");
    world.git(&["switch", "-q", "main"]);
    world.run(&["rescue", "commit"]).succeeds();
    world.assert_whole(&tree, &base);
    assert_eq!(world.git(&["rev-parse", "elsewhere"]), first);
}

#[test]
fn an_editor_that_changes_the_repository_between_two_publications_changes_no_commit() {
    let mut world = waiting_in("nobody");
    let (base, tree) = (world.head(), world.whole_tree());
    Roles::plan(&[("One", &["shared", "other"]), ("Two", &["forgotten", "new"])])
        .message(NAME_THE_FIRST_LINE)
        .install(&world);
    let editor = world.script(
        "editor",
        "grep -q beside \"$1\" && exit\necho later > forgotten; echo x > brand; unset GIT_INDEX_FILE; git add brand; rm gone",
    );
    world.set("GIT_EDITOR", &editor);
    world.run(&["--edit"]).succeeds();
    assert_eq!(world.git(&["rev-parse", "HEAD^{tree}"]), tree);
    assert_eq!(world.files_since(&base), [["other", "shared"], ["forgotten", "new"]]);
    assert_eq!(world.git(&["status", "--porcelain"]), "A  brand\n M forgotten\n D gone");
}
