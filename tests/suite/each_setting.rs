//! Every setting does what the documentation says, and can be set wherever it says.

use serde_json::{Value, json};

use crate::decompose::numbered;
use crate::support::{Roles, World, say};

const CONFIGURATION: &str = include_str!("../../docs/configuration.md");

/// A setting as the documentation has it; a place that cannot set it is empty.
struct Row<'a> {
    key: &'a str,
    takes: &'a str,
    variable: &'a str,
    git: &'a str,
}

fn rows() -> Vec<Row<'static>> {
    let table = |name: &str| {
        let (_, rest) = CONFIGURATION.split_once(&format!("<!-- begin {name} -->\n")).unwrap();
        rest.split_once("<!-- end -->").unwrap().0.lines().skip(2)
    };
    let code = |cell: &'static str| cell.trim().trim_matches('`').trim_start_matches('–');
    let cells = |line: &'static str| line.split('|').map(code).collect::<Vec<&str>>();
    let general: Vec<Row<'_>> = table("options")
        .map(cells)
        .map(|cells| Row { key: cells[1], takes: cells[2], variable: cells[4], git: cells[5] })
        .collect();
    let takes = |key: &str| {
        let field = key.rsplit('.').next().unwrap();
        general.iter().find(|row| row.key == format!("defaults.{field}")).unwrap().takes
    };
    let of_roles = table("role options").map(cells).map(|cells| Row {
        key: cells[1],
        takes: takes(cells[1]),
        variable: cells[3],
        git: cells[4],
    });
    let of_roles: Vec<Row<'_>> = of_roles.collect();
    general.into_iter().chain(of_roles).collect()
}

/// A value that is no default: as text, in TOML, and as it is shown.
fn sample(row: &Row<'_>) -> (String, String, Value) {
    let text = |text: &str| (text.to_owned(), format!("{text:?}"), json!(text));
    let bare = |text: &str| (text.to_owned(), text.to_owned(), serde_json::from_str(text).unwrap());
    match row.takes {
        "text" if row.key.ends_with("template") => text("ABC-1 $msg"),
        "text" => text("codex"),
        "true or false" if row.key.ends_with("auto_stage_all") || row.key.ends_with("multi_turn_fallback") => {
            bare("false")
        }
        "true or false" => bare("true"),
        "a list of texts" => ("codex".to_owned(), "[\"codex\"]".to_owned(), json!(["codex"])),
        takes if takes.starts_with("a duration") => text("77s"),
        takes if takes.starts_with("a whole number from 0 to 3") => bare("3"),
        takes if takes.starts_with("a whole number from 0 to 2") && !takes.contains("20") => bare("2"),
        takes if takes.starts_with("a whole number from 1000") => bare("1001"),
        takes if takes.starts_with("a whole number") => bare("20"),
        // The last of some words.
        takes => text(takes.rsplit([' ', ',']).next().unwrap()),
    }
}

#[track_caller]
fn assert_shown(world: &World, key: &str, expected: &Value, layer: &str) {
    let run = world.run(&["config", "show", "--json"]).succeeds();
    let document: Value = serde_json::from_str(&run.stdout).unwrap();
    let shown = &document["settings"][key];
    assert_eq!(&shown["value"], expected, "{key} by {layer}: {run:#?}");
    assert_eq!(shown["origins"][0]["layer"], layer, "{key}: {shown:#}");
}

#[test]
fn each_is_set_by_a_file_by_git_and_by_its_variable() {
    let rows = rows();
    assert!(rows.len() > 40, "{}", rows.len());
    let mut world = World::new();
    for row in &rows {
        let (text, toml, expected) = sample(row);
        let (section, field) = row.key.rsplit_once('.').unwrap();
        world.config(&format!("config_version = 3\n[{section}]\n{field} = {toml}\n"));
        assert_shown(&world, row.key, &expected, "global-file");
        world.config("config_version = 3\n");
        if !row.git.is_empty() {
            world.git(&["config", row.git, &text]);
            assert_shown(&world, row.key, &expected, "git-config");
            world.git(&["config", "--unset", row.git]);
        }
        if !row.variable.is_empty() {
            world.set(row.variable, &text);
            assert_shown(&world, row.key, &expected, "environment");
            world.unset(row.variable);
        }
    }
}

/// A tree for which all four roles are asked; their arguments are in the files `args.<role>`.
fn four_roles(manifest: &str) -> World {
    let world = World::new();
    world.commit("base", &[("shared", &numbered(&[])), ("rest", "1\n")]);
    world.write("shared", numbered(&[(3, "early"), (15, "late")]));
    world.write("rest", "2\n");
    let noted = "echo \"$*\" >> $root/args.$STAGECOACH_ROLE\n";
    let plan = say(&crate::support::plan(&[("One", &["shared"]), ("Two", &["shared"])]));
    let sorted = say(&json!({ "assignments": [{ "hunk": 1, "concept": "c1" }, { "hunk": 2, "concept": "c2" }] }));
    Roles::planner(&format!("{noted}{plan}"))
        .stager(&format!("{noted}{sorted}"))
        .arbiter(&format!("{noted}{}", say(&json!({ "target": "c1" }))))
        .message(&format!("{noted}sed -n 's/^+\\([a-z].*\\)/feat: say \\1/p' \"$prompt\" | head -n 1"))
        .manifest(manifest)
        .install(&world);
    world
}

#[test]
fn each_role_is_asked_by_the_provider_the_model_and_the_level_of_its_options() {
    let manifest = "model_flag = '--model'\nreasoning_levels = { high = ['--hard'] }\n";
    for role in ["planner", "stager", "message", "arbiter"] {
        let world = four_roles(manifest);
        let (model, reasoning) = (format!("--{role}-model"), format!("--{role}-reasoning"));
        world.run(&[&model, "special", &reasoning, "high"]).succeeds();
        for asked in ["planner", "stager", "message", "arbiter"] {
            let args = std::fs::read_to_string(world.root().join(format!("args.{asked}"))).unwrap_or_default();
            let expected = if asked == role { "--model special --hard" } else { "" };
            assert!(!args.is_empty() && args.lines().all(|line| line.trim() == expected), "{role}, {asked}: {args}");
        }
        let world = four_roles("");
        let provider = format!("--{role}-provider");
        // One that is not there is missed by the role it is for, and by no other.
        let run = world.run(&[&provider, "codex", "--dry-run"]);
        assert!(run.stderr.contains("codex"), "{role}: {run:#?}");
        assert!(!world.root().join(format!("args.{role}")).exists(), "{role} asked another provider");
    }
}

/// A world with a large staged change, whose prompt is shown under some settings.
fn prompt_with(settings: &str, arguments: &[&str]) -> String {
    let world = World::with_message("Add data");
    world.config(&format!("config_version = 3\n[defaults]\nprovider = 'offline'\n[generation]\n{settings}\n"));
    world.stage("data.rows", (0..200).map(|n| format!("row {n}\n")).collect::<String>());
    world.stage("notes.md", (0..200).map(|n| format!("note {n}\n")).collect::<String>());
    world.run(&[&["--show-prompt"], arguments].concat()).succeeds().stdout
}

#[test]
fn what_the_agent_sees_is_bounded_as_set() {
    let whole = prompt_with("", &[]);
    assert!(whole.contains("+row 199\n") && whole.contains("+note 50\n") && !whole.contains("+note 150\n"));
    let all = prompt_with("max_md_lines = 300", &[]);
    assert!(all.contains("+note 150\n"));
    let few = prompt_with("max_md_lines = 10", &[]);
    assert!(few.contains("+note 3\n") && !few.contains("+note 20\n") && few.contains("+row 199\n"));
    let limited = prompt_with("token_limit = 1500", &[]);
    assert!(!limited.contains("+row 199\n") && limited.contains("data.rows"), "{}", limited.len());
    assert!(!prompt_with("max_diff_bytes = 600", &[]).contains("+row 199\n"));
    let binary = prompt_with("binary_extensions = ['rows']", &[]);
    assert!(binary.contains("[binary] data.rows") && !binary.contains("+row"), "{binary}");
}

#[test]
fn what_the_agent_is_told_of_the_message_is_as_set() {
    assert!(prompt_with("", &["--locale", "Brazilian Portuguese"]).contains("in this language: Brazilian Portuguese."));
    assert!(!prompt_with("", &[]).contains("in this language"));
    assert!(prompt_with("subject_target_chars = 72", &[]).contains("within about 72 characters"));
}

#[test]
fn a_used_subject_is_asked_anew_as_often_as_set() {
    for (settings, calls) in [("max_duplicate_retries = 0", 1), ("max_duplicate_retries = 2", 3)] {
        let world = World::with_message("");
        Roles::planner("")
            .message("echo 'Describe the goal'")
            .settings(&format!("[generation]\n{settings}"))
            .install(&world);
        world.stage("a", "x\n");
        world.run(&[]).fails_with(3).says(&["wrote no new subject"]);
        assert_eq!(world.calls_of("message"), calls, "{settings}");
    }
}

#[test]
fn a_fence_around_an_answer_stays_where_that_is_set() {
    let message = |manifest: &str, settings: &str| {
        let world = World::with_message("");
        let answer = "printf '```text\\nAdd a\\n\\nBecause.\\n```\\n'";
        let settings = format!("[generation]\n{settings}");
        Roles::planner("").message(answer).manifest(manifest).settings(&settings).install(&world);
        world.stage("a", "x\n");
        world.run(&["--dry-run"]).stdout
    };
    let (bare, fenced) = ("Add a\n\nBecause.\n", "```text\n\nAdd a\n\nBecause.\n```\n");
    assert_eq!(message("", ""), bare);
    assert_eq!(message("strip_code_fence = false", "strip_code_fence = true"), bare);
    assert_eq!(message("", "strip_code_fence = false"), fenced);
}

#[test]
fn nothing_staged_is_the_end_where_nothing_is_to_be_staged() {
    let mut world = World::with_message("Add a");
    world.write("a", "x\n");
    world.git(&["config", "stagecoach.autoStageAll", "false"]);
    world.run(&[]).fails_with(2).says(&["Nothing staged."]);
    world.set("STAGECOACH_AUTO_STAGE_ALL", "true");
    world.run(&["--single"]).succeeds();
}

#[test]
fn a_credential_ends_the_run_where_that_is_set() {
    let token = format!("ghp_{}", "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5");
    for (secrets, code) in [("abort", 1), ("redact", 0), ("off", 0)] {
        let world = World::with_message("Add a");
        let program = world.root().join("fake-agent");
        world.config(&format!(
            "config_version = 3\n[defaults]\nprovider = 'fake'\n[provider.fake]\ncommand = {program:?}\n\
             [security]\nsecrets = {secrets:?}\n"
        ));
        world.stage("a", format!("token = \"{token}\"\n"));
        let before = world.state();
        let run = world.run(&[]).fails_with(code);
        if code == 1 {
            run.says(&["a"]);
            assert_eq!(world.state(), before);
            assert!(!world.root().join("prompt").exists(), "an agent was asked");
        } else {
            assert_eq!(world.prompt().contains(&token), secrets == "off", "{secrets}");
        }
    }
}

#[test]
fn trust_is_given_for_one_run_and_taken_back() {
    let mut world = World::with_message("Add a");
    world.write(".stagecoach.toml", "config_version = 3\n[defaults]\nprovider = 'codex'\n");
    let provider = |world: &World| {
        let document: Value =
            serde_json::from_str(&world.run(&["config", "show", "--json"]).succeeds().stdout).unwrap();
        document["settings"]["defaults.provider"]["value"].clone()
    };
    assert_eq!(provider(&world), "fake");
    world.set("STAGECOACH_TRUST_REPO_CONFIG", "1");
    assert_eq!(provider(&world), "codex");
    world.unset("STAGECOACH_TRUST_REPO_CONFIG");
    world.run(&["trust"]).succeeds();
    assert_eq!(provider(&world), "codex");
    world.run(&["trust", "--revoke"]).succeeds();
    assert_eq!(provider(&world), "fake");
}

#[test]
fn the_manual_is_written_into_a_folder() {
    let world = World::new();
    let folder = world.root().join("manual");
    world.run(&["man", "--dir", folder.to_str().unwrap()]).succeeds();
    for page in ["stagecoach.1", "stagecoach-rescue-commit.1", "stagecoach-config.5", "stagecoach-providers.5"] {
        assert!(std::fs::read_to_string(folder.join(page)).unwrap().contains(".TH"), "{page}");
    }
}
