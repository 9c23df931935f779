//! Hunks of shared files.

use proptest::prelude::*;
use serde_json::Value;

use super::*;

fn concept(id: &str, title: &str, files: &[&str]) -> Concept {
    Concept {
        id: id.to_owned(),
        title: title.to_owned(),
        description: String::new(),
        files: files.iter().map(|file| (*file).to_owned()).collect(),
    }
}

fn hunk(number: usize, path: &str, context: &str, text: &str) -> NumberedHunk {
    NumberedHunk {
        number,
        path: path.to_owned(),
        header: format!("@@ -{number},0 +{number},1 @@ {context}"),
        text: text.to_owned(),
    }
}

/// The concept of each hunk, in the order of the hunks.
fn asked(concepts: &[Concept], hunks: &[NumberedHunk]) -> Vec<String> {
    let material = StagerMaterial { concepts, hunks, context: None, branch: None };
    let answer: Value = serde_json::from_str(&answer(&material)).unwrap();
    let given = answer["assignments"].as_array().unwrap();
    hunks
        .iter()
        .map(|hunk| {
            let mut found = given.iter().filter(|one| one["hunk"] == hunk.number);
            let concept = found.next().unwrap()["concept"].as_str().unwrap().to_owned();
            assert!(found.next().is_none());
            concept
        })
        .collect()
}

#[test]
fn hunks_go_where_their_names_are_spoken_of() {
    let json_and_table = [
        concept("c1", "feat(output): add print_json", &["src/json.rs", "src/cli.rs"]),
        concept("c2", "feat(output): add print_table", &["src/table.rs", "src/cli.rs"]),
    ];
    let parse = [
        concept("c1", "fix(parser): accept empty lines", &["src/parser.rs"]),
        concept("c2", "refactor(parser): rename advance to step", &["src/parser.rs"]),
    ];
    for (concepts, hunks, expected) in [
        (
            &json_and_table,
            vec![hunk(1, "src/cli.rs", "", "+use json::print_json;\n"), hunk(2, "src/cli.rs", "", "+print_table(x)\n")],
            ["c1", "c2"].as_slice(),
        ),
        // A file's name is as good as a title.
        (
            &json_and_table,
            vec![hunk(4, "src/cli.rs", "", "+mod table;\n"), hunk(7, "src/cli.rs", "", "+mod json;\n")],
            &["c2", "c1"],
        ),
        // What nobody speaks of goes with what shares its names, or with its neighbour.
        (
            &json_and_table,
            vec![
                hunk(1, "src/cli.rs", "", "+let rows = collect_rows(); print_table(rows)\n"),
                hunk(2, "src/cli.rs", "", "+fn collect_rows() {\n"),
                hunk(3, "src/cli.rs", "", "+}\n"),
                hunk(4, "src/cli.rs", "", "+print_json()\n"),
            ],
            &["c2", "c2", "c2", "c1"],
        ),
        (
            &parse,
            vec![
                hunk(1, "src/parser.rs", "fn skip_empty() {", "+    if line.is_empty() {\n"),
                hunk(2, "src/parser.rs", "", "-self.advance();\n+self.step();\n"),
            ],
            &["c1", "c2"],
        ),
    ] {
        assert_eq!(asked(concepts, &hunks), expected, "{hunks:?}");
    }
}

#[test]
fn only_concepts_that_claim_the_file_are_asked() {
    let concepts = [
        concept("c1", "add alpha", &["a.rs"]),
        concept("c2", "add bravo", &["b.rs"]),
        concept("c3", "add gamma", &["b.rs", "c.rs"]),
    ];
    let hunks = [hunk(1, "b.rs", "", "+alpha bravo\n"), hunk(2, "b.rs", "", "+alpha gamma\n")];
    assert_eq!(asked(&concepts, &hunks), ["c2", "c3"]);
}

#[test]
fn no_concept_of_shared_files_stays_empty() {
    let concepts = [concept("c1", "rework parse", &["a.rs"]), concept("c2", "rework parse (2)", &["a.rs"])];
    let hunks = [hunk(1, "a.rs", "", "+x\n"), hunk(2, "a.rs", "", "+y\n"), hunk(3, "a.rs", "", "+z\n")];
    assert_eq!(asked(&concepts, &hunks), ["c1", "c1", "c2"]);
}

#[test]
fn without_concepts_nothing_is_given() {
    let hunks = [hunk(1, "a.rs", "", "+x\n")];
    let material = StagerMaterial { concepts: &[], hunks: &hunks, context: None, branch: None };
    assert_eq!(answer(&material), "{\"assignments\":[]}");
}

proptest! {
    #[test]
    fn every_hunk_has_one_of_its_concepts(
        titles in prop::collection::vec("[a-z_ ]{0,20}|\\PC{0,12}", 1..5),
        claims in prop::collection::vec(prop::collection::vec(0..3_usize, 1..4), 5),
        texts in prop::collection::vec((0..3_usize, "([+-][a-zA-Z_ ]{0,20}\n){0,4}|\\PC{0,30}"), 0..12),
    ) {
        let names = ["a.rs", "b/c.py", "\"\\303\\251\""];
        let concepts: Vec<Concept> = titles
            .iter()
            .zip(&claims)
            .enumerate()
            .map(|(n, (title, files))| {
                concept(&format!("c{}", n + 1), title, &files.iter().map(|file| names[*file]).collect::<Vec<_>>())
            })
            .collect();
        let hunks: Vec<NumberedHunk> =
            texts.iter().enumerate().map(|(n, (file, text))| hunk(n + 1, names[*file], "", text)).collect();
        let found = asked(&concepts, &hunks);
        for (hunk, id) in hunks.iter().zip(&found) {
            let chosen = concepts.iter().find(|concept| concept.id == *id).unwrap();
            let claimed = concepts.iter().any(|concept| concept.files.contains(&hunk.path));
            prop_assert!(!claimed || chosen.files.contains(&hunk.path));
        }
        prop_assert_eq!(&found, &asked(&concepts, &hunks));
    }
}
