//! `[defaults] fallback`: who is asked when the chosen provider fails for a reason of its own.

use crate::support::{Run, World, plan};

/// A repository with something staged and two scripted providers, `first` (the default) and `second`.
fn world(first: &str, second: &str) -> World {
    let world = World::with_message("");
    world.stage("a", "x\n");
    chain(&world, first, second, r#"["second"]"#);
    world
}

fn chain(world: &World, first: &str, second: &str, fallback: &str) {
    let counting = |name: &str, script: &str| {
        let log = world.root().join("asked");
        world.script(name, &format!("echo \"{name} $STAGECOACH_ROLE $*\" >> '{}'\n{script}", log.display()))
    };
    let (first, second) = (counting("first", first), counting("second", second));
    world.config(&format!(
        "config_version = 3\n[defaults]\nprovider = 'first'\nfallback = {fallback}\n\
         [provider.first]\ncommand = {first:?}\nmodel_flag = '-m'\ndefault_model = 'one'\n\
         [provider.second]\ncommand = {second:?}\nmodel_flag = '-m'\ndefault_model = 'two'\n"
    ));
}

fn asked(world: &World) -> Vec<String> {
    let text = std::fs::read_to_string(world.root().join("asked")).unwrap_or_default();
    text.lines().map(|line| line.trim().to_owned()).collect()
}

const SECOND: &str = "cat > /dev/null; echo 'Add the letter'";

#[test]
fn each_reason_of_its_own_leads_to_the_next_provider_and_is_told() {
    for (script, why) in [
        ("cat > /dev/null; echo 'Not logged in' >&2; exit 1", "first is not logged in"),
        ("cat > /dev/null; echo 'Error: 429 Too Many Requests' >&2; exit 1", "first has reached a rate limit"),
        ("cat > /dev/null; echo 'unknown model' >&2; exit 1", "first cannot use the model `one`"),
        ("cat > /dev/null; echo 'Prompt is too long' >&2; exit 1", "the prompt is too long for first"),
        ("cat > /dev/null; echo 'ECONNREFUSED' >&2; exit 1", "first cannot reach its service"),
        ("cat > /dev/null; echo 'unknown option -m' >&2; exit 1", "first does not know an option"),
        ("cat > /dev/null; exit 9", "first failed (exit 9)"),
        ("cat > /dev/null; kill -9 $$", "first was killed"),
        ("cat > /dev/null; sleep 30", "first did not answer within 1 s"),
    ] {
        let world = world(script, SECOND);
        let timeout = world.home(".config/stagecoach/config.toml");
        let text = std::fs::read_to_string(&timeout).unwrap();
        if script.contains("sleep") {
            std::fs::write(&timeout, text.replace("[defaults]\n", "[defaults]\ntimeout = '1s'\n")).unwrap();
        }
        let run = world.run(&["--json"]).succeeds().says(&[why, "; second is asked instead"]);
        assert_eq!(world.message("HEAD"), "Add the letter\n");
        assert_eq!(asked(&world), ["first message -m one", "second message -m two"], "{why}");
        let document: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!((document["provider"].as_str(), document["model"].as_str()), (Some("second"), Some("two")));
        assert_eq!(document["roles"]["message"]["provider"], "second");
        assert!(document["warnings"][0].as_str().unwrap().contains(why), "{document}");
    }
}

#[test]
fn a_blank_answer_is_asked_for_again_before_another_provider_is() {
    let world = world("cat > /dev/null", SECOND);
    world.run(&[]).succeeds().says(&["first ended well but gave no answer; second is asked instead"]);
    let expected = ["first message -m one", "first message -m one", "second message -m two"];
    assert_eq!(asked(&world), expected);
    assert_eq!(world.message("HEAD"), "Add the letter\n");
}

#[test]
fn several_turns_come_before_another_provider() {
    let world = world("cat > /dev/null", "cat > /dev/null; echo 'Add many lines'");
    let path = world.home(".config/stagecoach/config.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    let sessions = "default_model = 'one'\nsession_mode = 'append'\nsession.first = ['--new', '{id}']\nsession.next = ['--on', '{id}']\n";
    let text = text.replace("default_model = 'one'\n", sessions);
    std::fs::write(&path, format!("{text}[generation]\nmulti_turn_chunk_tokens = 1000\n")).unwrap();
    world.stage("many", (0..2000).map(|line| format!("line {line}\n")).collect::<String>());
    world.run(&[]).succeeds().says(&["the whole change is sent in", "second is asked instead"]);
    let asked = asked(&world);
    assert!(asked.iter().any(|line| line.contains("--new")), "{asked:?}");
    assert_eq!(asked.last().map(String::as_str), Some("second message -m two"));
    assert_eq!(world.message("HEAD"), "Add many lines\n");
}

#[test]
fn text_that_is_no_message_is_no_reason() {
    let world = world("cat > /dev/null; echo \"I'm sorry, but I cannot help with that.\"", SECOND);
    world.run(&[]).fails_with(3).says(&["first gave no commit message"]);
    assert!(asked(&world).iter().all(|line| line.starts_with("first ")), "{:?}", asked(&world));
}

#[test]
fn when_all_fail_the_last_failure_is_told_and_the_rescue_is_there() {
    let world = world("cat > /dev/null; echo 401 Unauthorized >&2; exit 1", "cat > /dev/null; exit 4");
    let before = world.head();
    let run = world.run(&[]).fails_with(3);
    run.says(&["first is not logged in", "error: second failed (exit 4)", "stagecoach rescue commit"]);
    assert_eq!(world.head(), before);
}

#[test]
fn a_program_that_is_missing_is_replaced_before_anything_is_frozen() {
    let world = world("exit 1", SECOND);
    let path = world.home(".config/stagecoach/config.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    let first = world.root().join("first");
    let missing = text.replace(&format!("command = {first:?}"), "command = '/nowhere/agent'");
    std::fs::write(&path, &missing).unwrap();
    world.run(&["--dry-run"]).succeeds().says(&["/nowhere/agent", "; second is asked instead"]);

    // Where nobody of all is there, the chosen one is named.
    std::fs::write(&path, missing.replace("fallback = [\"second\"]", "fallback = [\"codex\", \"pi\"]")).unwrap();
    let before = world.state();
    world.run(&[]).fails_with(1).says(&["error: ", "/nowhere/agent", "hint: "]);
    assert_eq!(world.state(), before);

    // One of `fallback` that is missing is no obstacle.
    std::fs::write(&path, missing.replace("fallback = [\"second\"]", "fallback = [\"codex\", \"second\"]")).unwrap();
    world.run(&[]).succeeds();
    assert_eq!(world.message("HEAD"), "Add the letter\n");
}

#[test]
fn unknown_names_are_told_before_an_agent_is_asked() {
    let world = world(SECOND, SECOND);
    chain(&world, SECOND, SECOND, "['secnod']");
    world.run(&[]).fails_with(1).says(&["no provider `secnod`, which `fallback` names", "did you mean second?"]);
    chain(&world, SECOND, SECOND, "'second'");
    world.run(&[]).fails_with(1).says(&["defaults.fallback", "a list"]);
    assert!(asked(&world).is_empty());
}

#[test]
fn offline_is_a_last_resort_in_hook_mode_and_without_time_too() {
    let world = world("cat > /dev/null; sleep 30", SECOND);
    let path = world.home(".config/stagecoach/config.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replace("[\"second\"]", "[\"second\", \"offline\"]")).unwrap();
    world.write(".git/MESSAGE", "");
    let mut command = world.stagecoach(&["hook", "exec", "--strict", ".git/MESSAGE"]);
    let run = Run::of(command.env("STAGECOACH_TIMEOUT", "1s").output().unwrap());
    run.succeeds().says(&["first did not answer within 1 s", "offline is asked instead"]);
    assert!(!world.read(".git/MESSAGE").is_empty());
    // There was no time left for the second one.
    assert_eq!(asked(&world), ["first message -m one"]);
}

#[test]
fn all_roles_of_a_decomposition_go_on_with_the_next_provider() {
    let world = World::with_message("");
    world.write("a.txt", "a\n");
    world.write("b.txt", "b\n");
    let plan = plan(&[("Add a", &["a.txt"]), ("Add b", &["b.txt"])]);
    std::fs::write(world.root().join("plan"), plan.to_string()).unwrap();
    let second = format!(
        "if test \"$STAGECOACH_ROLE\" = planner; then cat > /dev/null; cat '{}'; exit; fi\n\
         if grep -q '+a'; then echo 'Add the letter a'; else echo 'Add the letter b'; fi",
        world.root().join("plan").display()
    );
    chain(&world, "cat > /dev/null; echo 401 Unauthorized >&2; exit 1", &second, "['second']");
    let run = world.run(&["--json"]).succeeds();
    assert_eq!(world.git(&["log", "--format=%s", "-2"]), "Add the letter b\nAdd the letter a");
    // What is known of a provider holds for all roles.
    let asked = asked(&world);
    assert_eq!(asked.iter().filter(|line| line.starts_with("first")).count(), 1, "{asked:?}");
    let document: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(document["roles"]["planner"]["provider"], "second");
    assert_eq!(document["roles"]["message"]["provider"], "second");
}

#[test]
fn a_repository_that_nobody_trusts_has_no_say() {
    let world = world("cat > /dev/null; exit 4", SECOND);
    chain(&world, "cat > /dev/null; exit 4", SECOND, "[]");
    world.write(".stagecoach.toml", "config_version = 3\n[defaults]\nfallback = ['second']\n");
    world.run(&[]).fails_with(3).says(&["defaults.fallback"]);
    assert_eq!(asked(&world), ["first message -m one"]);
}
