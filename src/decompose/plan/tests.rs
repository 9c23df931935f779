//! Plans as agents write them, against a change.

use serde_json::{Value, json};

use super::super::testing::{Memory, ground};
use super::super::{Ground, Note};
use super::*;

fn sample() -> Ground {
    let memory = Memory::default();
    ground(
        &memory,
        &[("src/a.rs", "1"), ("src/b.rs", "1"), ("old name", "same"), ("gone", "1"), ("thing", "1"), ("é", "1")],
        &[
            ("src/a.rs", "2"),
            ("src/b.rs", "2"),
            ("new name", "same"),
            ("thing/part", "2"),
            ("thing/other", "3"),
            ("é", "2"),
            ("tab\there", "2"),
        ],
    )
}

fn paths(ground: &Ground, plan: &Plan) -> Vec<Vec<String>> {
    let path = |file: &usize| ground.file(*file).unwrap().path().to_string();
    plan.concepts.iter().map(|concept| concept.files.iter().map(path).collect()).collect()
}

fn commits(ground: &Ground, answer: &Value, count: Count) -> Plan {
    match read(&answer.to_string(), ground, count).unwrap() {
        Verdict::Commits(plan) => plan,
        Verdict::Single { .. } => panic!("single"),
    }
}

/// The files of a plan that claims these names.
fn claimed(name: &str) -> Vec<String> {
    let ground = sample();
    let answer = json!({"commits": [{"title": "t", "files": [name, "gone"]}]});
    let mut files = paths(&ground, &commits(&ground, &answer, Count::UpTo(5))).remove(0);
    files.retain(|path| path != "gone");
    files
}

#[test]
fn names_are_paths_in_every_form_and_never_patterns() {
    for (name, files) in [
        ("src/a.rs", &["src/a.rs"][..]),
        ("old name", &["new name"]),
        ("new name", &["new name"]),
        ("old name => new name", &["new name"]),
        ("src", &["src/a.rs", "src/b.rs"]),
        ("src/", &["src/a.rs", "src/b.rs"]),
        ("é", &["é"]),
        ("\"\\303\\251\"", &["é"]),
        ("\"tab\\there\"", &["tab\there"]),
        ("thing", &["thing", "thing/other", "thing/part"]),
        ("thing/part", &["thing", "thing/other", "thing/part"]),
        ("src/*.rs", &[]),
        ("sr", &[]),
        ("", &[]),
        ("/", &[]),
        (".", &[]),
        ("src/a.rs => src/b.rs", &[]),
        ("SRC/A.RS", &[]),
    ] {
        assert_eq!(claimed(name), files, "{name:?}");
    }
}

#[test]
fn a_plan_is_found_in_what_agents_write() {
    let ground = sample();
    for answer in [
        "```json\n{\"count\": 1, \"single\": false, \"commits\": [{\"title\": \" A\\n b \", \"description\": \"d\", \"files\": [\"src\"]}]}\n```",
        "I looked at {it}. {\"commits\": [{\"title\": \"A b\", \"description\": \"d\", \"files\": [\"src\",],},]} Done!",
        "{\"commits\": [{\"title\": \"A b\", \"description\": \"d\", \"files\": \"src\"}]} // one",
        "{\"plan\": {\"commits\": [{\"title\": \"A b\", \"description\": \"d\", \"files\": [\"src/a.rs\", \"src/b.rs\"]}]}}",
    ] {
        let Verdict::Commits(plan) = read(answer, &ground, Count::UpTo(5)).unwrap() else { panic!("{answer}") };
        assert_eq!((plan.concepts[0].title.as_str(), plan.concepts[0].description.as_str()), ("A b", "d"), "{answer}");
        assert_eq!(paths(&ground, &plan), [["src/a.rs", "src/b.rs"]], "{answer}");
    }
}

#[test]
fn a_single_commit_may_bring_its_message() {
    let ground = sample();
    let single = |answer: Value, count| read(&answer.to_string(), &ground, count);
    let message = |text: &str| Ok(Verdict::Single { message: Some(text.to_owned()) });
    assert_eq!(single(json!({"single": true, "message": " Add it \n"}), Count::UpTo(5)), message("Add it"));
    assert_eq!(single(json!({"single": true, "commits": []}), Count::UpTo(5)), Ok(Verdict::Single { message: None }));
    assert_eq!(single(json!({"single": true, "message": "m"}), Count::Exactly(1)), message("m"));
    assert_eq!(
        single(json!({"single": true, "message": "m"}), Count::Exactly(2)),
        Err(PlanFault::Count { wanted: 2, found: 0 })
    );
    let both =
        json!({"single": true, "commits": [{"title": "a", "files": ["src"]}, {"title": "b", "files": ["gone"]}]});
    let plan = commits(&ground, &both, Count::UpTo(5));
    assert_eq!((plan.concepts.len(), plan.notes), (2, vec![Note::NotSingle { listed: 2 }]));
}

#[test]
fn claims_are_settled_with_notes() {
    let ground = sample();
    let answer = json!({"count": 4, "commits": [
        {"title": "one", "files": ["src/a.rs", "thing/part", "nowhere"]},
        {"title": "two", "files": ["src/a.rs", "thing/other", "old name"]},
        {"title": "three", "files": ["new name", "made/up"]},
    ]});
    let plan = commits(&ground, &answer, Count::UpTo(5));
    assert_eq!(
        paths(&ground, &plan),
        [vec!["src/a.rs", "thing", "thing/other", "thing/part"], vec!["new name", "src/a.rs"]]
    );
    let notes: Vec<String> = plan.notes.iter().map(ToString::to_string).collect();
    assert_eq!(
        notes,
        [
            "the plan announces 4 commits and lists 3",
            "the plan names \"nowhere\" for \"one\", which is not in the change",
            "the plan names \"made/up\" for \"three\", which is not in the change",
            "new name goes whole into \"two\", though \"three\" claims it too",
            "src/a.rs is shared by 2 commits",
            "thing goes whole into \"one\", though \"two\" claims it too",
            "thing/other goes whole into \"one\", though \"two\" claims it too",
            "thing/part goes whole into \"one\", though \"two\" claims it too",
            "\"three\" names no path of the change and is dropped",
        ]
    );
    assert_eq!(plan.shared(), [ground.find("src/a.rs".into()).unwrap()]);
}

#[test]
fn what_cannot_be_used_says_why() {
    let ground = sample();
    let fault = |answer: &str, count| read(answer, &ground, count).unwrap_err().to_string();
    let auto = Count::UpTo(2);
    assert_eq!(fault("I will not.", auto), "The answer holds no JSON object with a list \"commits\".");
    for (answer, words) in [
        (json!({"commits": 3}), "\"commits\" is not a list"),
        (json!({"commits": ["a"]}), "commit 1 is not an object"),
        (json!({"commits": [{"files": ["gone"]}]}), "commit 1 has no \"title\""),
        (json!({"commits": [{"title": " ", "files": ["gone"]}]}), "commit 1 has no \"title\""),
        (json!({"commits": [{"title": "a"}]}), "commit 1 has no list \"files\""),
        (
            json!({"commits": [{"title": "a", "files": [1]}]}),
            "commit 1 has something in \"files\" that is not a string",
        ),
    ] {
        assert!(fault(&answer.to_string(), auto).contains(words), "{answer}");
    }
    let commits = |names: &[&str]| {
        let list: Vec<Value> = names.iter().map(|name| json!({"title": name, "files": [name]})).collect();
        json!({ "commits": list }).to_string()
    };
    assert_eq!(fault(&commits(&[]), auto), "No commit of the answer names a path of the change.");
    assert_eq!(fault(&commits(&["x"]), auto), "No commit of the answer names a path of the change.");
    let three = commits(&["gone", "src/a.rs", "é"]);
    assert_eq!(fault(&three, auto), "At most 2 commits are wanted; the answer has 3.");
    assert!(fault(&three, Count::Exactly(4)).starts_with("Exactly 4 commits are wanted"));
    assert!(fault(&commits(&["gone", "gone"]), Count::Exactly(2)).ends_with("the answer has 1."));
    assert!(read(&three, &ground, Count::Exactly(3)).is_ok());
}
