//! What stages, what is left over, who takes it, and what an agent may not have done.

use std::collections::BTreeMap;

use serde_json::json;

use super::hunks::{Assignment, Sheet};
use super::plan::{Concept, Plan};
use super::testing::{Memory, Tree, difference, ground_of, texts, tree, tree_of};
use super::*;
use crate::git::FileMode;

struct World {
    memory: Memory,
    base: Tree,
    ground: Ground,
}

impl World {
    fn new(base: &[(&str, &str)], start: &[(&str, &str)]) -> Self {
        let memory = Memory::default();
        let (base, start) = (tree(&memory, base), tree(&memory, start));
        let ground = ground_of(&base, &start);
        Self { memory, base, ground }
    }

    fn plan(&self, claims: &[&[&str]]) -> Plan {
        let find = |path: &&str| self.ground.find((*path).into()).unwrap();
        let concept = |(number, paths): (usize, &&[&str])| {
            let mut files: Vec<usize> = paths.iter().map(find).collect();
            files.sort_unstable();
            Concept { title: format!("title {}", number + 1), description: String::new(), files }
        };
        Plan { concepts: claims.iter().enumerate().map(concept).collect(), notes: Vec::new() }
    }

    fn stage(&self, plan: &Plan, owners: &[Option<usize>]) -> Staging {
        let sheet = Sheet::new(&self.ground, plan, &self.memory).unwrap();
        assert_eq!(sheet.len(), owners.len());
        stage(&self.ground, plan, sheet, &Assignment::new(owners.to_vec()), &self.memory).unwrap()
    }

    /// One file's text in each step; `-` where it is not.
    fn column(&self, staging: &Staging, path: &str) -> Vec<String> {
        let trees = staging.steps.iter().map(|step| tree_of(&self.ground, &self.base, &step.state));
        trees.map(|tree| texts(&self.memory, &tree).remove(path).unwrap_or("-".to_owned())).collect()
    }

    fn reconciled(&self, staging: Staging, answer: &str) -> Staging {
        let (target, note) = read_target(answer, &staging);
        let mut staging = reconcile(&self.ground, staging, &target, &self.memory).unwrap();
        staging.notes.extend(note);
        staging
    }
}

fn notes(staging: &Staging) -> Vec<String> {
    staging.notes.iter().map(ToString::to_string).collect()
}

const LONG: &str = "1\n2\n3\n4\n5\n";

#[test]
fn files_that_nobody_shares_need_no_contents() {
    let world = World::new(&[("a", "1"), ("b", "1"), ("c", "1")], &[("a", "2"), ("c", "2"), ("d", "2")]);
    let plan = world.plan(&[&["b", "d"], &["a"]]);
    let sheet = Sheet::new(&world.ground, &plan, &Memory::default()).unwrap();
    assert!(sheet.is_empty());
    let staging = stage(&world.ground, &plan, sheet, &Assignment::default(), &Memory::default()).unwrap();
    assert_eq!(world.column(&staging, "a"), ["1", "2"]);
    assert_eq!(world.column(&staging, "b"), ["-", "-"]);
    assert_eq!(world.column(&staging, "d"), ["2", "2"]);
    let left = leftover(&world.ground, &staging);
    assert_eq!(left.iter().map(|path| path.new.as_ref().unwrap().path.to_string()).collect::<Vec<_>>(), ["c"]);
}

#[test]
fn a_concept_without_hunks_is_skipped_and_said_so() {
    let world = World::new(&[("a", LONG)], &[("a", "one\n2\n3\n4\nfive\n")]);
    let plan = world.plan(&[&["a"], &["a"]]);
    let staging = world.stage(&plan, &[Some(1), Some(1)]);
    assert_eq!(notes(&staging), ["\"title 1\" staged nothing and is skipped"]);
    assert_eq!(staging.steps.iter().map(|step| step.concept).collect::<Vec<_>>(), [Some(1)]);
    assert!(leftover(&world.ground, &staging).is_empty());
}

#[test]
fn what_cannot_be_taken_apart_goes_to_the_first() {
    let world = World::new(&[("a", "1\0\n"), ("b", "1")], &[("a", "2\0\n"), ("b", "2")]);
    let plan = world.plan(&[&["a"], &["a", "b"]]);
    let staging = world.stage(&plan, &[]);
    assert_eq!(world.column(&staging, "a"), ["2\0\n", "2\0\n"]);
    assert_eq!(notes(&staging), ["a goes whole into \"title 1\", though \"title 2\" claims it too"]);
}

#[test]
fn what_is_left_over_goes_where_the_arbiter_says() {
    let world = World::new(
        &[("a", LONG), ("b", "1"), ("c", "1")],
        &[("a", "one\n2\nthree\n4\nfive\n"), ("b", "2"), ("c", "2")],
    );
    let plan = world.plan(&[&["a"], &["a", "b"]]);
    let staged = || world.stage(&plan, &[Some(0), None, Some(1)]);
    let first = world.reconciled(staged(), r#"{"target": "c1"}"#);
    assert_eq!(world.column(&first, "a"), ["one\n2\nthree\n4\n5\n", "one\n2\nthree\n4\nfive\n"]);
    assert_eq!(world.column(&first, "c"), ["2", "2"]);
    let second = world.reconciled(staged(), "It is\n```json\n{\"target\": \"c2\"}\n```");
    assert_eq!(world.column(&second, "a"), ["one\n2\n3\n4\n5\n", "one\n2\nthree\n4\nfive\n"]);
    assert_eq!(world.column(&second, "c"), ["1", "2"]);
    for (answer, note) in [
        (r#"{"target": null}"#, None),
        (r#"{"target": "c3"}"#, Some("what is left over makes a commit of its own: \"c3\" is no commit of this run")),
        (
            r#"{"target": ["c1"]}"#,
            Some("what is left over makes a commit of its own: [\"c1\"] is no commit of this run"),
        ),
        ("c1", Some("what is left over makes a commit of its own: the answer names no target")),
    ] {
        let own = world.reconciled(staged(), answer);
        assert_eq!(own.steps.iter().map(|step| step.concept).collect::<Vec<_>>(), [Some(0), Some(1), None], "{answer}");
        assert_eq!(world.column(&own, "c"), ["1", "1", "2"], "{answer}");
        assert_eq!(notes(&own).last().map(String::as_str), note, "{answer}");
    }
}

#[test]
fn nothing_staged_at_all_is_one_commit() {
    let world = World::new(&[("a", "1")], &[("a", "2")]);
    let staging = world.reconciled(Staging::default(), r#"{"target": "c1"}"#);
    assert_eq!(staging.steps.len(), 1);
    assert_eq!(world.column(&staging, "a"), ["2"]);
}

const BASE: [(&str, &str); 5] =
    [("text", LONG), ("bin", "1\0"), ("from", "same\nsame\n"), ("kept", "k"), ("gone", "x\ny\n")];
const START: [(&str, &str); 5] =
    [("text", "one\ntwo\n3\n4\nfive\n"), ("bin", "2\0"), ("to", "same\nsame\n"), ("kept", "k"), ("new", "p\nq\n")];

/// The tree that an agent staged: the base with some files put or, with `-`, taken away.
fn staged(world: &World, files: &[(&str, &str)]) -> Tree {
    let mut tree = world.base.clone();
    for (path, text) in files {
        if *text == "-" {
            tree.remove(bstr::BStr::new(path));
        } else {
            let id = world.memory.keep(text.as_bytes()).unwrap();
            tree.insert((*path).into(), (FileMode::Regular, id));
        }
    }
    tree
}

fn add(world: &World, trees: &[&[(&str, &str)]]) -> Result<Vec<BTreeMap<String, String>>, String> {
    let plan = world.plan(&[&["text"], &["bin", "text"]]);
    let mut tooled = Tooled::new(&world.ground, &world.memory);
    let mut states = Vec::new();
    for (concept, files) in trees.iter().enumerate() {
        let change = difference(&world.base, &staged(world, files));
        tooled.add(&plan, concept, &change).map_err(|error| error.to_string())?;
        states.push(texts(&world.memory, &tree_of(&world.ground, &world.base, &tooled.state())));
    }
    assert!(tooled.finish(&plan).steps.windows(2).all(|pair| pair[0].state.may_become(&pair[1].state)));
    Ok(states)
}

#[test]
fn an_agent_may_stage_lines_of_the_change() {
    let world = World::new(&BASE, &START);
    let one = ("text", "one\n2\n3\n4\n5\n");
    let states = add(&world, &[&[one], &[("text", "one\ntwo\n3\n4\nfive\n"), ("new", "q\n")]]).unwrap();
    assert_eq!(states[0]["text"], "one\n2\n3\n4\n5\n");
    assert_eq!(states[0]["bin"], "1\0");
    // What only goes whole goes by the plan.
    assert_eq!((states[1]["bin"].as_str(), states[1]["new"].as_str()), ("2\0", "q\n"));
    // Half of a rename is all of it.
    for half in [("from", "-"), ("to", "same\nsame\n")] {
        let states = add(&world, &[&[half]]).unwrap();
        assert!(states[0].contains_key("to") && !states[0].contains_key("from"), "{half:?}");
    }
    assert_eq!(add(&world, &[&[("gone", "y\n")], &[("gone", "-")]]).unwrap()[0]["gone"], "y\n");
}

#[test]
fn an_agent_may_not_stage_anything_else() {
    let world = World::new(&BASE, &START);
    let one = ("text", "one\n2\n3\n4\n5\n");
    for (trees, words) in [
        (&[&[("kept", "K")][..]][..], "kept is not in the change"),
        (&[&[("other", "o")]], "other is not in the change"),
        (&[&[("text", "uno\n2\n3\n4\n5\n")]], "text has content that is not made of lines of the change"),
        (&[&[("text", "-")]], "text is neither as before nor as after the change"),
        (&[&[("bin", "3\0")]], "bin is neither as before nor as after the change"),
        (&[&[("to", "else\n")]], "to has content that is not made of lines of the change"),
        (&[&[one], &[]], "text gives back what an earlier commit took"),
        (&[&[one], &[("text", "1\n2\n3\n4\nfive\n")]], "text gives back what an earlier commit took"),
        (&[&[("text", "one\ntwo\n3\n4\nfive\n")], &[one]], "text gives back what an earlier commit took"),
    ] {
        assert_eq!(add(&world, trees).unwrap_err(), words, "{trees:?}");
    }
}

#[test]
fn a_mode_is_not_the_agents_business() {
    let memory = Memory::default();
    let base = tree(&memory, &[("run", "1\n2\n")]);
    let mut start = tree(&memory, &[("run", "one\n2\n")]);
    start.values_mut().for_each(|entry| entry.0 = FileMode::Executable);
    let ground = ground_of(&base, &start);
    let plan = Plan::default();
    let mut tooled = Tooled::new(&ground, &memory);
    tooled.add(&plan, 0, &difference(&base, &tree(&memory, &[("run", "one\n2\n")]))).unwrap();
    assert!(tooled.state().is_start());
    let exactly = verify(&ground, &memory, &[difference(&base, &tree(&memory, &[("run", "one\n2\n")]))]);
    assert!(matches!(exactly, Err(StageError::Violation(Violation::Neither(_)))), "{exactly:?}");
}

#[test]
fn a_permission_is_what_the_change_makes_it_whatever_the_agent_staged() {
    let memory = Memory::default();
    let with_mode = |files: &[(&str, &str)], mode| {
        let mut tree = tree(&memory, files);
        tree.values_mut().for_each(|entry| entry.0 = mode);
        tree
    };
    let base = with_mode(&[("text", "1\n")], FileMode::Regular);
    let mut start = with_mode(&[("text", "one\n")], FileMode::Regular);
    start.extend(with_mode(&[("tool", "1\n2\n")], FileMode::Executable));
    let ground = ground_of(&base, &start);
    let mut tooled = Tooled::new(&ground, &memory);
    let plan = Plan::default();
    let added = |files: &[(&str, &str)], mode| {
        let mut tree = base.clone();
        tree.extend(with_mode(files, mode));
        difference(&base, &tree)
    };
    tooled.add(&plan, 0, &added(&[("text", "1\n")], FileMode::Executable)).unwrap();
    assert_eq!(tooled.state(), State::base(&ground), "a permission alone is nothing");
    tooled.add(&plan, 0, &added(&[("tool", "1\n")], FileMode::Regular)).unwrap();
    assert_eq!(tree_of(&ground, &base, &tooled.state())[bstr::BStr::new("tool")].0, FileMode::Executable);
    tooled.add(&plan, 0, &added(&[("tool", "1\n2\n")], FileMode::Regular)).unwrap();
    assert_eq!(*tooled.state().of(1), FileState::Start);
}

#[test]
fn a_file_can_be_kept_whole() {
    let world = World::new(&BASE, &START);
    let plan = world.plan(&[&["text"], &["text", "new"]]);
    let text = world.ground.find("text".into()).unwrap();
    let mut tooled = Tooled::new(&world.ground, &world.memory);
    assert!(tooled.script(text).unwrap().is_some());
    tooled.keep_whole(text);
    assert!(tooled.script(text).unwrap().is_none());
    tooled.add_whole(&plan, 0).unwrap();
    tooled.add_whole(&plan, 1).unwrap();
    let staging = tooled.finish(&plan);
    assert_eq!(notes(&staging), ["\"title 2\" staged nothing and is skipped"]);
    assert_eq!(*staging.last(&world.ground).of(text), FileState::Start);
}

#[test]
fn a_failed_agent_leaves_everything_over() {
    let world = World::new(&BASE, &START);
    let plan = world.plan(&[&["text"], &["new"]]);
    let mut tooled = Tooled::new(&world.ground, &world.memory);
    tooled.add_nothing(0);
    tooled.add(&plan, 1, &difference(&world.base, &staged(&world, &[("new", "p\nq\n")]))).unwrap();
    let staging = tooled.finish(&plan);
    assert_eq!(notes(&staging), ["\"title 1\" staged nothing and is skipped"]);
    let staging = world.reconciled(staging, &json!({"target": null}).to_string());
    assert_eq!(staging.steps.iter().map(|step| step.concept).collect::<Vec<_>>(), [Some(1), None]);
}

#[test]
fn half_of_what_goes_together_is_no_tree_of_ours() {
    let world = World::new(&BASE, &START);
    for half in [("from", "-"), ("to", "same\nsame\n")] {
        let torn = verify(&world.ground, &world.memory, &[difference(&world.base, &staged(&world, &[half]))]);
        assert!(matches!(torn, Err(StageError::Violation(Violation::Torn(_)))), "{half:?}: {torn:?}");
    }
}
