//! Tokens and cost that agents report: added up by role and by run, told as partial where they are, and never made up.

use serde_json::{Value, json};

use crate::support::{Roles, Run, World, plan, say};

/// Where the scripted agent reports what it used.
const MANIFEST: &str = "output = 'json'\njson_field = 'result'\n\
    usage = { input = 'tokens.in', output = 'tokens.out', cached = 'tokens.cached', cost = 'cost' }\n";

/// A message about the first file, and what it took.
fn message(report: &str) -> String {
    format!(
        "file=$(sed -n 's/^[AMDRT]\t[-0-9?]*\t[-0-9?]*\t//p' \"$prompt\" | head -n 1)\n\
         printf '{{\"result\":\"feat: change %s\"{report}}}\\n' \"$file\""
    )
}

fn planner(report: &Value) -> String {
    let answer = plan(&[("A", &["a"]), ("B", &["b"]), ("C", &["c"])]).to_string();
    let mut answer = json!({ "result": answer });
    answer.as_object_mut().unwrap().extend(report.as_object().unwrap().clone());
    say(&answer)
}

/// Three changed files.
fn world() -> World {
    let world = World::new();
    world.commit("Base", &[("a", "1\n"), ("b", "1\n"), ("c", "1\n")]);
    for name in ["a", "b", "c"] {
        world.write(name, "2\n");
    }
    world
}

fn document(run: &Run) -> Value {
    serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {run:#?}"))
}

/// The lines about usage on standard error.
fn line(run: &Run) -> Vec<&str> {
    run.stderr.lines().filter(|line| line.starts_with("usage: ")).collect()
}

#[test]
fn all_calls_of_a_run_are_added_up() {
    let world = world();
    Roles::planner(&planner(&json!({ "tokens": { "in": 100, "out": 10, "cached": 50 }, "cost": 0.1 })))
        .message(&message(r#","tokens":{"in":20,"out":2,"cached":0},"cost":0.2"#))
        .manifest(MANIFEST)
        .install(&world);
    let run = world.run(&["--json", "--usage"]).succeeds();
    let messages = json!({
        "calls": 3, "input_tokens": 60, "output_tokens": 6, "cached_tokens": 0, "cost_usd": 0.6, "partial": []
    });
    let planner = json!({
        "calls": 1, "input_tokens": 100, "output_tokens": 10, "cached_tokens": 50, "cost_usd": 0.1, "partial": []
    });
    let expected = json!({
        "calls": 4, "input_tokens": 160, "output_tokens": 16, "cached_tokens": 50, "cost_usd": 0.7, "partial": [],
        "roles": { "planner": planner, "message": messages }
    });
    assert_eq!(document(&run)["usage"], expected);
    assert_eq!(line(&run), ["usage: 4 calls, 160 tokens in, 16 tokens out, 50 tokens cached, $0.7000"]);
}

#[test]
fn answers_that_are_not_taken_are_paid_for_as_well() {
    let world = world();
    let script = "if test -e $root/second; then result='feat: change it'; else result=; touch $root/second; fi\n\
                  printf '{\"result\":\"%s\",\"tokens\":{\"in\":20,\"out\":2}}\\n' \"$result\"";
    Roles::planner("").message(script).manifest(MANIFEST).install(&world);
    let run = world.run(&["--single", "--usage"]).succeeds();
    assert_eq!(line(&run), ["usage: 2 calls, 40 tokens in, 4 tokens out"]);
    assert!(run.stdout.starts_with('['), "{run:#?}");
}

#[test]
fn a_failed_run_tells_what_it_used() {
    let world = world();
    let script = "echo '{\"result\":\"overloaded\",\"tokens\":{\"in\":20}}'; exit 1";
    Roles::planner("").message(script).manifest(MANIFEST).install(&world);
    let run = world.run(&["--single", "--json", "--usage"]).fails_with(3);
    assert_eq!(document(&run)["usage"]["input_tokens"], 20);
    assert_eq!(line(&run), ["usage: 1 call, 20 tokens in"]);
}

#[test]
fn what_only_some_calls_report_is_told_as_partial() {
    let world = world();
    Roles::planner(&planner(&json!({ "tokens": { "in": 100, "out": 10 } })))
        .message(&message(r#","tokens":{"in":20}"#))
        .manifest(MANIFEST)
        .install(&world);
    let run = world.run(&["--json", "--usage", "--dry-run"]).succeeds();
    let usage = &document(&run)["usage"];
    assert_eq!(usage["partial"], json!(["output_tokens"]));
    assert_eq!((&usage["output_tokens"], &usage["cost_usd"]), (&json!(10), &Value::Null));
    assert_eq!(usage["roles"]["message"]["output_tokens"], Value::Null);
    assert_eq!(line(&run), ["usage: 4 calls, 160 tokens in, at least 10 tokens out"]);
}

#[test]
fn numbers_that_cannot_be_are_none() {
    for report in [
        r#","tokens":{"in":-20,"out":1.5,"cached":"7"},"cost":-1"#,
        r#","tokens":{"in":99999999999999999999,"out":18446744073709551615},"cost":1e200"#,
        r#","tokens":[1,2,3],"cost":{"usd":1}"#,
        "",
    ] {
        let world = world();
        Roles::planner("").message(&message(report)).manifest(MANIFEST).install(&world);
        let run = world.run(&["--single", "--json", "--usage"]).succeeds();
        assert_eq!(document(&run)["usage"], Value::Null, "{report}");
        assert_eq!(line(&run), ["usage: 1 call, which reported neither tokens nor cost"]);
        assert_eq!(document(&run)["commits"][0]["subject"], "feat: change a");
    }
}

#[test]
fn the_line_comes_where_it_is_asked_for() {
    let world = world();
    Roles::planner("").message(&message(r#","tokens":{"in":20}"#)).manifest(MANIFEST).install(&world);
    assert_eq!(line(&world.run(&["--single", "--dry-run"]).succeeds()), [""; 0]);
    let quiet = world.run(&["--single", "--dry-run", "-q", "--usage"]).succeeds();
    assert_eq!((quiet.stderr.as_str(), quiet.stdout.as_str()), ("usage: 1 call, 20 tokens in\n", "feat: change a\n"));
    let verbose = world.run(&["--single", "--dry-run", "-v"]).succeeds();
    assert_eq!(line(&verbose), ["usage: 1 call, 20 tokens in"]);
    assert!(verbose.stderr.contains("\n  fake: used 20 tokens in\n"), "{verbose:#?}");
    let prompt = world.run(&["--single", "--show-prompt", "--usage"]).succeeds();
    assert_eq!(line(&prompt), ["usage: no agent was asked"]);
    let offline = world.run(&["--single", "--dry-run", "--usage", "--provider", "offline"]).succeeds();
    assert_eq!(line(&offline), ["usage: no agent was asked"]);
}

#[test]
fn a_plan_tells_what_it_took() {
    let world = world();
    Roles::planner(&planner(&json!({ "cost": 0.5 })))
        .message(&message(r#","cost":0.25"#))
        .manifest(MANIFEST)
        .install(&world);
    let run = world.run(&["plan", "--usage"]).succeeds();
    assert_eq!(line(&run), ["usage: 4 calls, $1.2500"]);
    assert_eq!(document(&run)["commits"].as_array().unwrap().len(), 3);
}

#[test]
fn a_provider_that_was_asked_in_vain_counts_too() {
    let world = world();
    let script = "if test \"$0\" = \"$root/other\"; then exit; fi\n\
                  echo '{\"tokens\":{\"in\":5}}'; echo 'invalid api key' >&2; exit 1";
    Roles::planner("").message(script).manifest(MANIFEST).install(&world);
    let other = world.script("other-agent", "cat > /dev/null; echo '{\"result\":\"feat: change a\",\"in\":20}'");
    let config = std::fs::read_to_string(world.home(".config/stagecoach/config.toml")).unwrap();
    world.config(&config.replace(
        "[provider.fake]",
        &format!(
            "fallback = ['other']\n[provider.other]\ncommand = {other:?}\noutput = 'json'\njson_field = 'result'\n\
         usage.input = 'in'\n[provider.fake]"
        ),
    ));
    let run = world.run(&["--single", "--usage"]).succeeds();
    assert_eq!(line(&run), ["usage: 2 calls, 25 tokens in"]);
}
