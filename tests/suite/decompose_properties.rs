//! Random trees and plans: whatever the agents say, every change lands once, and the tip is what git would have added.

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};

use crate::support::{Roles, World, say};

const NAMES: [&str; 12] =
    ["a", "a/b", "a/b/c", "b.txt", "dir/one", "dir/two", "dir/sub/three", "tab\there", "quo\"te", "-dash", "é", "z z"];

#[derive(Debug, Clone, PartialEq, Eq)]
enum Kind {
    Regular(Vec<u8>),
    Executable(Vec<u8>),
    Link(String),
}

type Tree = BTreeMap<&'static str, Kind>;

fn kind() -> impl Strategy<Value = Kind> {
    let text = || proptest::collection::vec("[a-e]\n", 0..9).prop_map(|lines| lines.concat().into_bytes());
    prop_oneof![
        6 => text().prop_map(Kind::Regular),
        1 => text().prop_map(Kind::Executable),
        1 => "[ab]{1,3}".prop_map(Kind::Link),
        1 => "[ab]\\x00[ab]".prop_map(|bytes| Kind::Regular(bytes.into_bytes())),
        1 => "[a-c]\n[a-c]".prop_map(|text| Kind::Regular(text.into_bytes())),
    ]
}

/// Files of which none is where another one needs a folder.
fn tree() -> impl Strategy<Value = Tree> {
    proptest::collection::vec((0..NAMES.len(), kind()), 0..9).prop_map(|files| {
        let mut tree = Tree::new();
        for (name, kind) in files {
            let name = NAMES[name];
            let below = |one: &str, other: &str| one.starts_with(&format!("{other}/"));
            if !tree.keys().any(|other| below(other, name) || below(name, other)) {
                tree.insert(name, kind);
            }
        }
        tree
    })
}

/// What the agents say.
#[derive(Debug, Clone)]
struct Words {
    /// For each commit the names of its files, some of which may not have changed.
    commits: Vec<Vec<usize>>,
    /// For each hunk a concept; 9 is none.
    hunks: Vec<usize>,
    target: usize,
}

fn words() -> impl Strategy<Value = Words> {
    let commits = proptest::collection::vec(proptest::collection::vec(0..NAMES.len(), 1..6), 1..5);
    let hunks = proptest::collection::vec(1..6_usize, 0..12);
    (commits, hunks, 0..5_usize).prop_map(|(commits, hunks, target)| Words { commits, hunks, target })
}

fn put(world: &World, tree: &Tree) {
    for entry in std::fs::read_dir(world.repository()).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.file_name().is_some_and(|name| name != ".git") {
            let is_folder = entry.symlink_metadata().unwrap().is_dir();
            if is_folder { std::fs::remove_dir_all(entry) } else { std::fs::remove_file(entry) }.unwrap();
        }
    }
    for (name, kind) in tree {
        let path = world.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        match kind {
            Kind::Regular(bytes) => std::fs::write(path, bytes).unwrap(),
            Kind::Executable(bytes) => {
                std::fs::write(&path, bytes).unwrap();
                std::fs::set_permissions(path, PermissionsExt::from_mode(0o755)).unwrap();
            }
            Kind::Link(target) => symlink(Path::new(target), path).unwrap(),
        }
    }
}

fn agent(world: &World, words: &Words) {
    let commit = |(index, files): (usize, &Vec<usize>)| json!({ "title": format!("Part {index}"), "files": files.iter().map(|file| NAMES[*file]).collect::<Vec<_>>() });
    let commits: Vec<Value> = words.commits.iter().enumerate().map(commit).collect();
    let hunks: BTreeMap<String, String> = words
        .hunks
        .iter()
        .enumerate()
        .map(|(index, concept)| ((index + 1).to_string(), format!("c{concept}")))
        .collect();
    let target = if words.target == 0 { Value::Null } else { json!(format!("c{}", words.target)) };
    Roles::planner(&say(&json!({ "commits": commits })))
        .stager(&say(&json!({ "assignments": hunks })))
        .arbiter(&say(&json!({ "target": target })))
        .message("echo \"feat: change $(git hash-object --stdin < \"$prompt\") $$\"")
        .install(world);
}

/// Every line that a commit adds or takes away, with its file; what is binary or no file counts as one line.
fn lines(world: &World, from: &str, to: &str) -> BTreeMap<String, i64> {
    let diff = world.git(&["diff-tree", "-r", "-p", "-U0", "--no-renames", "--full-index", from, to]);
    let (mut lines, mut file) = (BTreeMap::new(), String::new());
    for line in diff.lines() {
        if line.starts_with("diff --git") {
            file = line.to_owned();
        } else if let Some(sign @ ('+' | '-')) =
            line.chars().next().filter(|_| !line.starts_with("+++ ") && !line.starts_with("--- "))
        {
            *lines.entry(format!("{file}{}", &line[1..])).or_default() += if sign == '+' { 1 } else { -1 };
        }
    }
    lines.retain(|_, count| *count != 0);
    lines
}

fn check(base: &Tree, start: &Tree, words: &Words) {
    let world = World::new();
    put(&world, base);
    world.git(&["add", "-A"]);
    world.git(&["commit", "-q", "--allow-empty", "-m", "Base"]);
    put(&world, start);
    let (before, tree) = (world.head(), world.whole_tree());
    agent(&world, words);
    let run = world.run(&["--max-commits", "9"]);
    match run.code {
        0 => {}
        2 => return assert_eq!(tree, world.git(&["rev-parse", "HEAD^{tree}"]), "{run:#?}"),
        // No commit of the plan has anything that changed.
        1 => {
            assert!(run.stderr.contains("No commit of the answer names a path"), "{run:#?}");
            assert_eq!((world.head(), world.whole_tree()), (before.clone(), tree.clone()));
            world.run(&["--single"]).succeeds();
            return world.assert_whole(&tree, &before);
        }
        _ => panic!("{run:#?}"),
    }
    world.assert_whole(&tree, &before);
    let commits = world.git(&["rev-list", "--reverse", &format!("{before}..HEAD")]);
    let (mut last, mut sum) = (before.clone(), BTreeMap::new());
    for commit in commits.lines() {
        for (line, count) in lines(&world, &last, commit) {
            *sum.entry(line).or_insert(0) += count;
        }
        last = commit.to_owned();
    }
    sum.retain(|_, count: &mut i64| *count != 0);
    assert_eq!(sum, lines(&world, &before, "HEAD"));
    let touched: BTreeSet<String> = world.files_since(&before).into_iter().flatten().collect();
    let whole = world.git(&["diff-tree", "-r", "--no-renames", "--name-only", &before, "HEAD"]);
    assert_eq!(touched, whole.lines().map(str::to_owned).collect());
    world.run(&["undo"]).succeeds();
    assert_eq!((world.head(), world.whole_tree()), (before, tree));
}

/// `PROPTEST_CASES` asks for more.
#[test]
fn every_change_lands_once_whatever_the_agents_say() {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(36);
    let mut runner = TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() });
    let result = runner.run(&(tree(), tree(), words()), |(base, start, words)| {
        check(&base, &start, &words);
        Ok(())
    });
    result.unwrap_or_else(|error| panic!("{error}"));
}
