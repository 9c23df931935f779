//! What agents are not to see stays unseen by every role of a decomposition.

use crate::decompose::{NAME_THE_FIRST_LINE, numbered};
use crate::support::{Roles, World};

const ROLES: [&str; 4] = ["planner", "stager", "arbiter", "message"];

fn prompts(world: &World) -> Vec<String> {
    ROLES.iter().flat_map(|role| world.prompts_of(role)).collect()
}

/// Characters that a credential could have.
fn random(seed: usize, length: usize) -> String {
    let alphabet: Vec<char> = "a1B2c3D4e5F6g7H8i9J0kLmNoPqRsTuVwXyZ".chars().collect();
    (0..length).map(|at| alphabet[(seed * 7 + at * (seed + 5)) % alphabet.len()]).collect()
}

/// A private key of four lines.
fn key(seed: usize) -> Vec<String> {
    let marks = ["BEGIN", "END"].map(|word| format!("-----{word} {}-----", "PRIVATE KEY"));
    let lines = [random(seed, 64), random(seed + 1, 64), random(seed + 2, 64), random(seed, 6)];
    [&marks[..1], &lines[..], &marks[1..]].concat()
}

#[test]
fn credentials_in_a_shared_file_are_masked_for_every_role() {
    let world = World::with_message("");
    let (old, new) = (key(1), key(2));
    let file = |key: &[String], early: &str, late: &str| {
        format!("{early}\n{}\nbetween\nthe\nkey\nand\nthe\nend\n{late}\n", key.join("\n"))
    };
    // In the second file nothing but the short last line of the key changes: a hunk that shows nothing else of it.
    let tail = [&old[..4], &["Zz9".to_owned()], &old[5..]].concat();
    let folder = "d\u{e9}p\u{f4}t";
    let token = random(3, 24);
    let env = |early: &str, token: &str| format!("EARLY={early}\n\n\n\n\nAPI_TOKEN={token}\n\n\n\nLATE=1\n");
    world.commit(
        "Add keys",
        &[
            ("config", &file(&old, "one", "two")),
            ("tail", &file(&old, "one", "two")),
            (&format!("{folder}/.env"), &env("1", &random(4, 24))),
        ],
    );
    world.write("config", file(&new, "eins", "zwei"));
    world.write("tail", file(&tail, "eins", "zwei"));
    world.write(&format!("{folder}/.env"), env("2", &token));
    let (base, tree) = (world.head(), world.whole_tree());
    Roles::plan(&[("One", &["config", "tail", folder]), ("Two", &["config", "tail", folder])])
        .sorts(&["c1", "c2", "c2", "c1", "c2", "c1", "c2", "c1", "c2"])
        .message("echo \"feat: say $(cksum < $prompt | tr -d ' ')\"")
        .install(&world);
    std::os::unix::fs::symlink("/usr/bin/cksum", world.root().join("bin/cksum")).unwrap();
    world.run(&["-v"]).succeeds();
    assert_eq!(world.subjects_since(&base).len(), 2);
    let stager = world.prompts_of("stager").remove(0);
    for text in ["+eins", "+zwei", "[redacted:private-key]", "API_TOKEN=[redacted:env-secret]"] {
        assert!(stager.contains(text), "{text} in {stager}");
    }
    let secrets: Vec<&str> = old[1..5].iter().chain(&new[1..5]).map(String::as_str).chain(["Zz9", &token]).collect();
    for prompt in prompts(&world) {
        for secret in &secrets {
            assert!(!prompt.contains(secret), "{secret} in {prompt}");
        }
    }
    world.assert_whole(&tree, &base);
}

#[test]
fn files_that_agents_do_not_see_are_not_shown_to_the_stager_either() {
    let hidden: [(&str, &[&str], &str); 8] = [
        ("Cargo.lock", &[], ""),
        ("notes/plan.txt", &["--exclude", "notes/"], ""),
        ("notes/ignored.txt", &[], "ignored.txt\n"),
        ("vendor/code.c", &[], ""),
        ("made.gen", &[], ""),
        ("app.min.js", &[], ""),
        ("page.snap", &[], ""),
        ("data.special", &[], ""),
    ];
    for (path, arguments, ignored) in hidden {
        let world = World::with_message("");
        world.commit(
            "Add files",
            &[
                (path, &numbered(&[])),
                ("seen", &numbered(&[])),
                (".gitattributes", "*.gen linguist-generated\n*.special -diff\n"),
                (".stagecoachignore", ignored),
            ],
        );
        world.write(path, numbered(&[(3, "hidden early"), (15, "hidden late")]));
        world.write("seen", numbered(&[(3, "early"), (15, "late")]));
        let (base, tree) = (world.head(), world.whole_tree());
        Roles::plan(&[("One", &[path, "seen"]), ("Two", &["seen", path])])
            .sorts(&["c1", "c2"])
            .message(NAME_THE_FIRST_LINE)
            .install(&world);
        let said = format!("{path} goes whole into \"One\", though \"Two\" claims it too");
        world.run(&[&["-v"], arguments].concat()).succeeds().says(&[&said]);
        let mut first = vec!["seen".to_owned(), path.to_owned()];
        first.sort();
        assert_eq!(world.files_since(&base), [first, vec!["seen".to_owned()]], "{path}");
        assert_eq!(world.calls_of("stager"), 1);
        for prompt in prompts(&world) {
            assert!(!prompt.contains("hidden"), "{path} in {prompt}");
        }
        world.assert_whole(&tree, &base);
        // Where nothing else is shared, nobody need be asked.
        world.write(path, numbered(&[(4, "hidden early"), (16, "hidden late")]));
        world.write("seen", "whole\n");
        Roles::plan(&[("One", &[path]), ("Two", &["seen", path])]).install(&world);
        world.run(arguments).succeeds();
        assert_eq!(world.calls_of("stager"), 1, "{path}");
    }
}
