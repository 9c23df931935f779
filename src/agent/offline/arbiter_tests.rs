//! Where the rest goes.

use super::*;
use crate::payload::samples::Store;

fn concept(id: &str, files: &[&str]) -> Concept {
    Concept { id: id.to_owned(), files: files.iter().map(|file| (*file).to_owned()).collect(), ..Concept::default() }
}

fn asked(rest: &[&str]) -> Option<String> {
    let concepts = [
        concept("c1", &["src/net/client.rs", "src/net/mod.rs"]),
        concept("c2", &["src/parser.rs", "tests/parser.rs"]),
        concept("c3", &["README.md", "\"docs/\\303\\251.md\""]),
    ];
    let leftover = rest.iter().fold(Store::default(), |store, path| store.added(path, "x\n")).payload();
    let material = ArbiterMaterial { concepts: &concepts, leftover: &leftover, context: None, branch: None };
    let answer: serde_json::Value = serde_json::from_str(&answer(&material)).unwrap();
    assert_eq!(answer.as_object().unwrap().len(), 1);
    answer["target"].as_str().map(str::to_owned)
}

#[test]
fn the_rest_goes_where_its_files_have_their_nearest() {
    for (rest, expected) in [
        (&["src/parser.rs"][..], Some("c2")),
        (&["docs/é.md"], Some("c3")),
        (&["src/net/server.rs"], Some("c1")),
        (&["src/net/server.rs", "src/net/mod.rs"], Some("c1")),
        (&["benches/parser.rs"], Some("c2")),
        (&["tests/client.rs"], Some("c1")),
        // Files of two concepts, or of none, are a commit of their own.
        (&["src/net/server.rs", "README.md"], None),
        (&["Makefile"], None),
        (&["Makefile", "src/parser.rs"], None),
        (&["LICENSE"], None),
        (&["src/mod.rs"], None),
    ] {
        assert_eq!(asked(rest).as_deref(), expected, "{rest:?}");
    }
}

#[test]
fn without_concepts_there_is_no_target() {
    let leftover = Store::default().added("a", "x\n").payload();
    let material = ArbiterMaterial { concepts: &[], leftover: &leftover, context: None, branch: None };
    assert_eq!(answer(&material), "{\"target\":null}");
}
