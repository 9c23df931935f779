//! What the documentation shows is what the program takes and does.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::decompose::numbered;
use crate::support::{Roles, World, say};

fn pages() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut pages: Vec<PathBuf> =
        std::fs::read_dir(root.join("docs")).unwrap().map(|entry| entry.unwrap().path()).collect();
    pages.retain(|page| page.extension().is_some_and(|extension| extension == "md"));
    pages.push(root.join("README.md"));
    pages.sort();
    pages
}

/// The fenced blocks of a language.
fn blocks(page: &Path, language: &str) -> Vec<String> {
    let text = std::fs::read_to_string(page).unwrap();
    let (mut blocks, mut open): (Vec<String>, Option<String>) = (Vec::new(), None);
    for line in text.lines() {
        match (&mut open, line.trim_start()) {
            (Some(_), "```") => blocks.extend(open.take()),
            (Some(block), _) => *block += &format!("{line}\n"),
            (None, fence) if fence == format!("```{language}") => open = Some(String::new()),
            (None, _) => {}
        }
    }
    blocks
}

#[test]
fn every_shown_configuration_is_taken_without_a_word() {
    let mut count = 0;
    for page in pages() {
        for block in blocks(&page, "toml") {
            let world = World::new();
            let version = if block.contains("config_version") { "" } else { "config_version = 3\n" };
            world.config(&format!("{version}{block}"));
            let run = world.run(&["config", "show"]).succeeds();
            assert_eq!(run.stderr, "", "{}:\n{block}", page.display());
            count += 1;
        }
    }
    assert!(count > 10, "{count}");
}

#[test]
fn the_examples_of_the_manual_are_taken_without_a_word() {
    for page in ["man/stagecoach-config.5", "man/stagecoach-providers.5"] {
        let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(page)).unwrap();
        let (_, rest) = text.split_once("\n.nf\n").unwrap();
        let example = rest.split_once("\n.fi\n").unwrap().0.replace("\\-", "-");
        let world = World::new();
        world.config(&example);
        assert_eq!(world.run(&["config", "show"]).succeeds().stderr, "", "{page}:\n{example}");
    }
}

/// The only JSON of a page that has a key.
fn shown_json(page: &str, key: &str) -> Value {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join(page);
    let all = blocks(&page, "json").into_iter().map(|block| serde_json::from_str::<Value>(&block).unwrap());
    let mut found: Vec<Value> = all.filter(|value| value.get(key).is_some()).collect();
    assert_eq!(found.len(), 1, "{key}");
    found.remove(0)
}

#[test]
fn the_shown_answer_of_a_planner_makes_its_commits() {
    let plan = shown_json("docs/how-it-works.md", "count");
    let world = World::new();
    world.commit("base", &[("README", "x\n")]);
    let commits = plan["commits"].as_array().unwrap();
    let files = |commit: &Value| -> Vec<String> {
        commit["files"].as_array().unwrap().iter().map(|file| file.as_str().unwrap().to_owned()).collect()
    };
    commits.iter().flat_map(files).for_each(|file| world.write(&file, "new\n"));
    Roles::planner(&say(&plan)).install(&world);
    let base = world.head();
    world.run(&[]).succeeds();
    assert_eq!(world.files_since(&base), commits.iter().map(files).collect::<Vec<_>>());
}

#[test]
fn the_shown_answers_of_stager_and_arbiter_are_carried_out() {
    let (sorted, target) =
        (shown_json("docs/how-it-works.md", "assignments"), shown_json("docs/how-it-works.md", "target"));
    let world = World::new();
    world.commit("base", &[("shared", &numbered(&[])), ("rest", "1\n")]);
    world.write("shared", numbered(&[(3, "early"), (15, "late")]));
    world.write("rest", "2\n");
    Roles::plan(&[("One", &["shared"]), ("Two", &["shared"])])
        .stager(&say(&sorted))
        .arbiter(&say(&target))
        .message("sed -n 's/^+\\([a-z].*\\)/feat: say \\1/p' \"$prompt\" | head -n 1")
        .install(&world);
    let base = world.head();
    world.run(&[]).succeeds();
    assert_eq!(world.files_since(&base), [&["rest", "shared"][..], &["shared"]]);
    assert_eq!(world.subjects_since(&base)[1], "feat: say late");
}
