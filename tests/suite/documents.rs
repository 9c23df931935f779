//! What `--json` prints is what `docs/json.schema.json` says, with no field that it does not name.

use serde_json::{Value, json};

use crate::support::{World, plan};

fn schema() -> Value {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/json.schema.json");
    let mut schema: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    close(&mut schema);
    schema
}

/// A reader has to expect new fields; we must not forget to document them.
fn close(schema: &mut Value) {
    if let Value::Object(object) = schema {
        if object.contains_key("properties") {
            object.entry("additionalProperties").or_insert(json!(false));
        }
        object.values_mut().for_each(close);
    } else if let Value::Array(items) = schema {
        items.iter_mut().for_each(close);
    }
}

#[track_caller]
fn faults(name: &str, document: &Value) -> Vec<String> {
    let schema = schema();
    let one = json!({ "$ref": format!("#/$defs/{name}"), "$defs": schema["$defs"] });
    let validator = jsonschema::validator_for(&one).unwrap();
    validator.iter_errors(document).map(|error| format!("{}: {error}", error.instance_path())).collect()
}

#[track_caller]
fn holds(world: &World, name: &str, arguments: &[&str]) -> Value {
    let run = world.run(arguments);
    let document: Value = serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {run:#?}"));
    let faults = faults(name, &document);
    assert!(faults.is_empty(), "{arguments:?}: {faults:#?}\n{document:#}");
    document
}

fn divides(world: &World) {
    world.write("a.txt", "a\n");
    world.write("b.txt", "b\n");
    std::fs::write(world.root().join("plan"), plan(&[("Add a", &["a.txt"]), ("Add b", &["b.txt"])]).to_string())
        .unwrap();
    world.agent(&format!(
        "if test \"$STAGECOACH_ROLE\" = planner; then cat > /dev/null; cat '{}'; exit; fi\n\
         if grep -q '+a'; then echo 'Add the letter a'; else echo 'Add the letter b'; fi",
        world.root().join("plan").display()
    ));
}

#[test]
fn a_run_prints_what_is_documented_however_it_ends() {
    let world = World::with_message("Rename and drop");
    holds(&world, "run", &["--json"]); // nothing to commit
    world.commit("Add files", &[("old", "1\n2\n3\n4\n5\n"), ("gone", "x\n")]);
    world.git(&["mv", "old", "new"]);
    world.git(&["rm", "-q", "gone"]);
    world.stage("binary", b"a\0b");
    let document = holds(&world, "run", &["--json", "--dry-run"]);
    assert_eq!(document["outcome"], "dry_run");
    let document = holds(&world, "run", &["--json"]);
    assert_eq!(
        (&document["outcome"], &document["commits"][0]["files"][1]["status"]),
        (&json!("committed"), &json!("D"))
    );
    world.agent("cat > /dev/null; exit 4");
    world.stage("a", "x\n");
    let document = holds(&world, "run", &["--json"]);
    assert!(document["error"]["rescue"]["tree"].is_string());
    holds(&world, "rescues", &["rescue", "list", "--json"]);
    holds(&world, "run", &["--json", "--provider", "nobody"]);
}

/// As `docs/json.md` says.
#[test]
fn an_error_is_in_the_document_alone_and_a_notice_in_both_places() {
    let world = World::with_message("Add a");
    world.stage("a", "x\n");
    let run = world.run(&["--json", "--provider", "nobody"]).fails_with(1);
    assert!(run.stdout.contains("no provider `nobody`"), "{run:#?}");
    assert_eq!(run.stderr, "");
    assert_eq!(world.run(&["--json", "--nonsense"]).fails_with(1).stdout, "");
    world.git(&["config", "stagecoach.nonsense", "1"]);
    let run = world.run(&["--json"]).succeeds().says(&["git config stagecoach.nonsense (local) is not known"]);
    let document: Value = serde_json::from_str(&run.stdout).unwrap();
    assert!(document["warnings"][0].as_str().unwrap().contains("stagecoach.nonsense"), "{document:#}");
}

#[test]
fn a_decomposition_prints_the_same_document() {
    let world = World::with_message("");
    divides(&world);
    assert_eq!(holds(&world, "run", &["--json", "--dry-run"])["commits"].as_array().unwrap().len(), 2);
    let document = holds(&world, "run", &["--json"]);
    assert!(document["roles"]["planner"].is_object() && document["roles"]["message"].is_object());
}

#[test]
fn every_command_that_has_the_option_prints_what_is_documented() {
    let world = World::with_message("Add a");
    holds(&world, "lock", &["lock", "status", "--json"]);
    holds(&world, "rescues", &["rescue", "list", "--json"]);
    holds(&world, "providers", &["providers", "list", "--json"]);
    for name in ["claude", "codex", "offline", "fake"] {
        holds(&world, "provider", &["providers", "show", name, "--json"]);
    }
    holds(&world, "reports", &["providers", "test", "--json"]);
    holds(&world, "reports", &["doctor", "--json"]);
    holds(&world, "models", &["models", "--json"]);
    holds(&world, "models", &["models", "--all", "--json"]);
    holds(&world, "settings", &["config", "show", "--json"]);
}

#[test]
fn what_the_agents_used_is_documented_as_well() {
    let world = World::with_message("");
    world.agent_with(
        "cat > /dev/null; echo '{\"result\":\"Add the letter a\",\"in\":7,\"cost\":0.5}'",
        "output = 'json'\njson_field = 'result'\nusage = { input = 'in', cost = 'cost' }\n",
    );
    world.stage("a.txt", "a\n");
    let document = holds(&world, "run", &["--json"]);
    assert_eq!(document["usage"]["roles"]["message"]["input_tokens"], 7);
}

/// The command line has no `--json` that the tests above leave out.
#[test]
fn no_command_is_left_out() {
    let man = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/man")).unwrap();
    let mut with_json: Vec<String> = man
        .map(|page| page.unwrap().path())
        .filter(|page| std::fs::read_to_string(page).unwrap().contains("\\-\\-json"))
        .map(|page| page.file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    with_json.sort();
    let known = [
        "stagecoach",
        "stagecoach-config-show",
        "stagecoach-doctor",
        "stagecoach-lock-status",
        "stagecoach-models",
        "stagecoach-providers-list",
        "stagecoach-providers-show",
        "stagecoach-providers-test",
        "stagecoach-rescue-list",
    ];
    let examples = |page: &String| !known.contains(&page.as_str());
    assert!(!with_json.iter().any(examples), "{with_json:?}");
}

#[test]
fn the_schema_refuses_what_it_does_not_know() {
    assert!(!faults("status", &json!("good")).is_empty());
    let document = json!({ "schema": 1, "path": null, "holder": null, "more": 1 });
    assert_eq!(faults("lock", &document).len(), 1);
}

#[test]
fn versions_are_listed_where_programs_tell_them() {
    let world = World::new();
    let program = world.script("acme", "echo acme 4.5.6");
    world.config(&format!(
        "config_version = 3\n[provider.acme]\ncommand = {program:?}\nchecks.version = [{program:?}, '--version']\n"
    ));
    let document = holds(&world, "providers", &["providers", "list", "--json"]);
    let row = document["providers"].as_array().unwrap().iter().find(|row| row["name"] == "acme").unwrap();
    assert_eq!(row["version"], "4.5.6");
    assert!(world.run(&["providers", "list"]).succeeds().stdout.contains("acme      installed 4.5.6"));
}
