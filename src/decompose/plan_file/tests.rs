//! Plans written, edited as people would, and read again.

use serde_json::{Value, json};

use super::super::hunks::{Assignment, Sheet};
use super::super::plan::{Concept, Plan};
use super::super::testing::{Memory, ground, texts, tree, tree_of};
use super::super::{Ground, Staging, stage};
use super::*;
use crate::git::Change;

const BASE: [(&str, &str); 3] = [("both", "1\n2\n3\n4\n5\n"), ("moved", "same\n"), ("kept", "k\n")];
const START: [(&str, &str); 4] =
    [("both", "one\n2\nthree\n4\n5\n6\n"), ("there", "same\n"), ("kept", "k\n"), ("new", "n\n")];

fn sample() -> (Ground, Memory, Value) {
    let memory = Memory::default();
    let ground = ground(&memory, &BASE, &START);
    let concept = |title: &str, files: &[usize]| Concept {
        title: title.to_owned(),
        description: String::new(),
        files: files.to_vec(),
    };
    let plan = Plan { concepts: vec![concept("First", &[0, 1]), concept("Second", &[0, 2])], notes: Vec::new() };
    let sheet = Sheet::new(&ground, &plan, &memory).unwrap();
    let assignment = Assignment::new(vec![Some(0), Some(1), Some(1)]);
    let staging = stage(&ground, &plan, sheet, &assignment, &memory).unwrap();
    let words = ["First", "Second"].map(|title| Words { title: title.to_owned(), message: format!("{title} thing\n") });
    let parent = "1234567890123456789012345678901234567890".parse().unwrap();
    let trees = [ground.start(), ground.start()];
    let plan = PlanFile::new(&ground, Some(parent), &staging, &words, &trees);
    let value = serde_json::from_str(&plan.to_json().unwrap()).unwrap();
    (ground, memory, value)
}

fn restage(edit: impl FnOnce(&mut Value)) -> Result<Vec<std::collections::BTreeMap<String, String>>, PlanFileError> {
    let (ground, memory, mut value) = sample();
    edit(&mut value);
    let plan = PlanFile::parse(&value.to_string())?;
    let no_trees = |_| Ok(Change::default());
    let Staging { steps, .. } = plan.restage(&ground, &memory, &no_trees)?;
    let base = tree(&memory, &BASE);
    Ok(steps.iter().map(|step| texts(&memory, &tree_of(&ground, &base, &step.state))).collect())
}

fn fault(edit: impl FnOnce(&mut Value)) -> String {
    restage(edit).unwrap_err().to_string()
}

fn items<'v>(value: &'v mut Value, commit: usize, key: &str) -> &'v mut Vec<Value> {
    value["commits"][commit][key].as_array_mut().unwrap()
}

#[test]
fn the_form_is_plain() {
    let (ground, _, value) = sample();
    let hash = |hunk: &Value| hunk["hash"].as_str().unwrap().len();
    assert!(value["commits"][1]["hunks"].as_array().unwrap().iter().all(|hunk| hash(hunk) == 16));
    let first = value["commits"][0]["hunks"][0]["hash"].clone();
    let second = [0, 1].map(|hunk| value["commits"][1]["hunks"][hunk]["hash"].clone());
    assert_eq!(
        value,
        json!({
            "version": 1,
            "parent": "1234567890123456789012345678901234567890",
            "start": ground.start().to_string(),
            "commits": [
                {
                    "title": "First",
                    "message": "First thing\n",
                    "files": ["new"],
                    "hunks": [{"file": "both", "base": "1", "hash": first}],
                },
                {
                    "title": "Second",
                    "message": "Second thing\n",
                    "files": ["there"],
                    "hunks": [
                        {"file": "both", "base": "3", "hash": second[0]},
                        {"file": "both", "base": "5,0", "hash": second[1]},
                    ],
                },
            ],
        })
    );
}

#[test]
fn people_may_reorder_split_and_leave_out() {
    let steps = restage(|plan| plan["commits"].as_array_mut().unwrap().swap(0, 1)).unwrap();
    assert_eq!(steps[0]["both"], "1\n2\nthree\n4\n5\n6\n");
    assert!(steps[0].contains_key("there") && !steps[0].contains_key("new"));
    let split = restage(|plan| {
        let hunk = items(plan, 1, "hunks").remove(0);
        let commit = json!({"title": "Third", "message": "m", "hunks": [hunk]});
        plan["commits"].as_array_mut().unwrap().push(commit);
    });
    let both: Vec<String> = split.unwrap().iter().map(|step| step["both"].clone()).collect();
    assert_eq!(both, ["one\n2\n3\n4\n5\n", "one\n2\n3\n4\n5\n6\n", "one\n2\nthree\n4\n5\n6\n"]);
    let left = restage(|plan| {
        let hunk = items(plan, 1, "hunks").remove(0);
        let file = items(plan, 0, "files").remove(0);
        plan["leftover"] = json!({"files": [file], "hunks": [hunk]});
    });
    let last = left.unwrap().pop().unwrap();
    assert_eq!(last["both"], "one\n2\n3\n4\n5\n6\n");
    assert!(!last.contains_key("new"));
    // The older name means the rename, and a whole file may stand for all of its hunks.
    let whole = restage(|plan| {
        plan["commits"] = json!([{"title": "All", "message": "m", "files": ["both", "new", "moved"]}]);
    });
    assert_eq!(whole.unwrap()[0]["both"], "one\n2\nthree\n4\n5\n6\n");
}

#[test]
fn what_no_longer_fits_is_named() {
    let first = |plan: &mut Value| items(plan, 0, "hunks")[0].clone();
    for (words, found) in [
        (
            "\"leftover\" names the hunk 1 of both, which an earlier place has already",
            fault(|plan| plan["leftover"] = json!({"hunks": [first(plan)]})),
        ),
        (
            "commit 2 \"Second\" names the hunk 1 of both, which an earlier place has already",
            fault(|plan| {
                let hunk = first(plan);
                items(plan, 1, "hunks").push(hunk);
            }),
        ),
        (
            "commit 2 \"Second\" names both, which an earlier place has already",
            fault(|plan| items(plan, 1, "files").push(json!("both"))),
        ),
        (
            "the hunk 3 of both is in no commit, nor in \"leftover\"",
            fault(|plan| drop(items(plan, 1, "hunks").remove(0))),
        ),
        ("there is in no commit, nor in \"leftover\"", fault(|plan| drop(items(plan, 1, "files").remove(0)))),
        (
            "commit 1 \"First\" names src, which is not in the change",
            fault(|plan| items(plan, 0, "files").push(json!("src"))),
        ),
        (
            "commit 1 \"First\" names a hunk 2,7 of both, which it does not have",
            fault(|plan| items(plan, 0, "hunks")[0]["base"] = json!("2,7")),
        ),
        (
            "the hunk 1 of both in commit 1 \"First\" has another text now",
            fault(|plan| items(plan, 0, "hunks")[0]["hash"] = json!("0123456789abcdef")),
        ),
        (
            "commit 3 \"More\" changes nothing",
            fault(|plan| plan["commits"].as_array_mut().unwrap().push(json!({"title": "More", "message": "m"}))),
        ),
        ("the plan has no commit", fault(|plan| plan["commits"] = json!([]))),
        ("the plan has version 2; this stagecoach reads version 1", fault(|plan| plan["version"] = json!(2))),
        ("x is not an object id", fault(|plan| plan["start"] = json!("x"))),
        (
            "either every commit carries a tree or none; commit 2 \"Second\" is the odd one",
            fault(|plan| {
                let tree = plan["start"].clone();
                plan["commits"][0]["tree"] = tree;
                plan["commits"][0]["files"] = json!([]);
                plan["commits"][0]["hunks"] = json!([]);
            }),
        ),
    ] {
        assert!(found.starts_with(words) || words.starts_with("either"), "{words}: {found}");
    }
    assert!(fault(|plan| plan["more"] = json!(1)).contains("unknown field `more`"));
    assert!(fault(|plan| plan["start"] = json!("0".repeat(40))).starts_with("the plan is about the tree 000"));
}
