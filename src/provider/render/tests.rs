use std::collections::BTreeMap;
use std::ffi::OsString;

use proptest::prelude::*;

use super::*;
use crate::provider::schema::Delivery;
use crate::provider::{Layer, Registry};

fn manifest(fields: &str) -> Manifest {
    let source = format!("[provider.own]\ncommand = 'own'\n{fields}");
    Registry::new(vec![Layer::parse("test", &source).unwrap()]).unwrap().get("own").unwrap().manifest
}

/// Every part of a command line, each recognisable.
const FULL: &str = "subcommand = ['sub']\nmodel_flag = '--model'\nprovider_flag = '--provider'\n\
    system_prompt_flag = '--system'\nbare_flags = ['--bare', '--ephemeral']\n\
    tooled_flags = ['--tooled', '--root={repo}', 'list=[\"{git_dir}\"]', '--ephemeral']\n\
    print_flag = '--print'\nprompt_delivery = 'flag'\nprompt_flag = '--prompt'\nsession_mode = 'append'\n\
    reasoning_levels = { low = ['--think', 'low'] }\n\
    session = { first = ['--start', '{id}'], next = ['--resume={id}'], drop = ['--ephemeral'], subcommand_next = ['sub', 'again'] }\n\
    tooled.repo_dir_flag = '--dir'\nenv = { A = '1' }\nrun.unset_env = ['B']";

fn call<'a>() -> Call<'a> {
    Call { model: Some("backend/vendor/model"), reasoning: Reasoning::Low, ..Call::bare("SYSTEM", "PAYLOAD") }
}

fn argv(manifest: &Manifest, call: &Call<'_>) -> String {
    let invocation = render(manifest, call).unwrap();
    invocation.argv.iter().map(|token| token.to_str().unwrap()).collect::<Vec<_>>().join(" ")
}

#[test]
fn pieces_stand_in_their_order() {
    let own = manifest(FULL);
    assert_eq!(
        argv(&own, &call()),
        "own sub --provider backend --model vendor/model --think low --system SYSTEM --bare --ephemeral --print --prompt PAYLOAD"
    );
    let tooled = Mode::Tooled { repo: Path::new("/r"), git_dir: Path::new("/g \"x\"") };
    assert_eq!(
        argv(&own, &Call { mode: tooled, ..call() }),
        "own sub --provider backend --model vendor/model --think low --system SYSTEM --tooled --root=/r \
         list=[\"/g \\\"x\\\"\"] --ephemeral --dir /r --print --prompt PAYLOAD"
    );
    assert_eq!(
        argv(&own, &Call { turn: Some(Turn::First("i-1")), ..call() }),
        "own sub --provider backend --model vendor/model --think low --system SYSTEM --bare --start i-1 --print --prompt PAYLOAD"
    );
    assert_eq!(
        argv(&own, &Call { turn: Some(Turn::Next("i-1")), system: "", ..call() }),
        "own sub again --provider backend --model vendor/model --think low --bare --resume=i-1 --print --prompt PAYLOAD"
    );
    let invocation = render(&own, &call()).unwrap();
    assert_eq!(invocation.env_set, [("A".to_owned(), "1".to_owned())]);
    assert_eq!(invocation.env_unset, ["B"]);
    assert_eq!((invocation.stdin, invocation.model.as_str()), (None, "backend/vendor/model"));
}

#[test]
fn people_see_sizes_and_no_control_characters() {
    let own = Manifest { bare_flags: vec!["--x\u{1b}[31m".to_owned()], ..manifest(FULL) };
    assert_eq!(
        render(&own, &Call { system: "four", payload: "seven\u{1b}!", ..call() }).unwrap().display_argv.join(" "),
        "own sub --provider backend --model vendor/model --think low --system <system prompt: 4 bytes> --x\\u{1b}[31m \
         --print --prompt <payload: 7 bytes>"
    );
}

#[test]
fn without_a_flag_the_system_prompt_precedes_the_payload() {
    let own = manifest("");
    let stdin = |call: &Call<'_>| String::from_utf8(render(&own, call).unwrap().stdin.unwrap()).unwrap();
    assert_eq!(stdin(&Call::bare("SYSTEM", "PAYLOAD")), "SYSTEM\n\nPAYLOAD");
    assert_eq!(stdin(&Call::bare("", "PAYLOAD")), "PAYLOAD");
    let retry = Call { retry: true, ..Call::bare("SYSTEM", "PAYLOAD") };
    assert_eq!(stdin(&retry), format!("SYSTEM\n\n{}\n\nPAYLOAD", own.retry_instruction));
}

#[test]
fn models() {
    let multi = manifest(FULL);
    for bare in ["gpt-5.4", "/gpt-5.4", "openai/", "/"] {
        let error = render(&multi, &Call { model: Some(bare), ..call() }).unwrap_err();
        assert!(matches!(error, RenderError::BareModel { .. }), "{bare}");
        assert!(error.to_string().contains("write it as `backend/model`, for example `openai/"), "{error}");
    }
    for hostile in ["--yolo/x", "openai/--yolo", "openai/a\nb"] {
        assert!(
            matches!(render(&multi, &Call { model: Some(hostile), ..call() }), Err(RenderError::BadModel { .. })),
            "{hostile}"
        );
    }
    let single = manifest("model_flag = '-m'\ndefault_model = 'small'");
    assert!(matches!(render(&single, &Call { model: Some("--yolo"), ..call() }), Err(RenderError::BadModel { .. })));
    assert_eq!(argv(&single, &Call { model: None, ..call() }), "own -m small");
    assert_eq!(argv(&single, &Call { model: Some(""), ..call() }), "own");
    assert_eq!(argv(&single, &Call { model: Some("vendor/Large (High)"), ..call() }), "own -m vendor/Large (High)");

    let none = render(&manifest(""), &Call { model: Some("x"), reasoning: Reasoning::Off, ..call() }).unwrap();
    assert_eq!(none.notes, ["provider `own` takes no model, so `x` is not passed on"]);
    assert_eq!((none.argv, none.model.as_str()), (vec![OsString::from("own")], ""));
}

#[test]
fn a_level_that_is_not_listed_is_skipped_with_a_note() {
    let own = manifest(FULL);
    let high = render(&own, &Call { reasoning: Reasoning::High, ..call() }).unwrap();
    assert!(!high.argv.iter().any(|token| token == "--think"));
    assert_eq!(high.notes, ["provider `own` has no reasoning level `high`; it is skipped"]);
    assert!(render(&own, &Call { reasoning: Reasoning::Off, ..call() }).unwrap().notes.is_empty());
}

#[test]
fn what_a_provider_cannot_do_is_an_error() {
    let own = manifest("");
    let tooled = Mode::Tooled { repo: Path::new("/r"), git_dir: Path::new("/g") };
    let error = render(&own, &Call { mode: tooled, ..Call::bare("", "x") }).unwrap_err().to_string();
    assert!(
        error.starts_with("provider `own` cannot stage: its `tooled_flags` are empty; pi, opencode, cursor"),
        "{error}"
    );
    let session = Call { turn: Some(Turn::First("i")), ..Call::bare("", "x") };
    assert_eq!(render(&own, &session).unwrap_err(), RenderError::NoSession { provider: "own".to_owned() });
    let offline = Registry::default().get("offline").unwrap().manifest;
    assert!(matches!(render(&offline, &Call::bare("", "x")), Err(RenderError::NoProgram { .. })));
}

#[test]
fn a_session_cannot_smuggle_anything_in() {
    let own = manifest(FULL);
    for id in ["", "--resume", "a b", "../x", "a\n", "$(id)", &"x".repeat(201)] {
        for turn in [Turn::First(id), Turn::Next(id)] {
            assert!(
                matches!(render(&own, &Call { turn: Some(turn), ..call() }), Err(RenderError::BadSession { .. })),
                "{id:?}"
            );
        }
    }
    let chosen_by_agent =
        manifest("session_mode = 'append'\nsession = { first = ['--json'], next = ['resume', '{id}'] }");
    assert_eq!(argv(&chosen_by_agent, &Call { turn: Some(Turn::First("")), ..Call::bare("", "x") }), "own --json");
}

#[test]
fn dropped_flags_go_with_their_values() {
    let own = manifest(
        "bare_flags = ['--plan', 'false', '--record', 'false', '--x']\nsession_mode = 'append'\nsession.drop = ['--record', 'false']",
    );
    assert_eq!(argv(&own, &Call::bare("", "x")), "own --plan false --record false --x");
    assert_eq!(argv(&own, &Call { turn: Some(Turn::Next("i")), ..Call::bare("", "x") }), "own --plan false --x");
}

#[test]
fn what_an_argument_cannot_carry() {
    let long = "x".repeat(ARGUMENT_LIMIT + 1);
    let positional = manifest("prompt_delivery = 'positional'");
    assert_eq!(
        render(&positional, &Call::bare("", &long)),
        Err(RenderError::TooLong { provider: "own".to_owned(), length: ARGUMENT_LIMIT + 1, limit: ARGUMENT_LIMIT })
    );
    assert!(render(&positional, &Call::bare("", long.get(1..).unwrap())).is_ok());

    let fallback =
        manifest("prompt_delivery = 'flag'\nprompt_flag = '--prompt'\nprint_flag = '-p'\nrun.stdin_fallback = true");
    let invocation = render(&fallback, &Call::bare("", &long)).unwrap();
    assert_eq!(invocation.argv, ["own", "-p"]);
    assert_eq!(invocation.stdin.unwrap(), long.as_bytes());
    assert_eq!(invocation.notes.len(), 1);

    let flagged = manifest("system_prompt_flag = '--system'");
    let invocation = render(&flagged, &Call::bare(&long, "PAYLOAD")).unwrap();
    assert_eq!(invocation.argv, ["own"]);
    assert_eq!(invocation.stdin.unwrap(), format!("{long}\n\nPAYLOAD").into_bytes());
    assert_eq!(invocation.notes.len(), 1);
}

#[test]
fn limits_of_deliveries() {
    let limit = |fields: &str| payload_limit(&manifest(fields));
    assert_eq!(limit(""), None);
    assert_eq!(limit("run.max_payload_bytes = 1000"), Some(1000));
    assert_eq!(limit("prompt_delivery = 'positional'"), Some(ARGUMENT_LIMIT));
    assert_eq!(limit("prompt_delivery = 'positional'\nrun.max_payload_bytes = 1000"), Some(1000));
    assert_eq!(limit("prompt_delivery = 'positional'\nrun.max_payload_bytes = 99999999"), Some(ARGUMENT_LIMIT));
    assert_eq!(limit("prompt_delivery = 'positional'\nrun.stdin_fallback = true"), None);
    let small = manifest("run.max_payload_bytes = 10");
    assert!(render(&small, &Call::bare("", "0123456789")).is_ok());
    assert!(matches!(
        render(&small, &Call::bare("s", "0123456789")),
        Err(RenderError::TooLong { length: 13, limit: 10, .. })
    ));
}

#[test]
fn an_argument_is_never_a_flag_and_has_no_nul() {
    let positional = manifest("prompt_delivery = 'positional'");
    let invocation = render(&positional, &Call::bare("", "--help\0me")).unwrap();
    assert_eq!(invocation.argv, ["own", "\n--help\u{fffd}me"]);
    assert_eq!(invocation.notes.len(), 1);
    let stdin = render(&manifest(""), &Call::bare("", "--help\0me")).unwrap();
    assert_eq!(stdin.stdin.unwrap(), b"--help\0me");
}

#[test]
fn at_signs_are_hidden_where_they_name_files_and_come_back() {
    let own = manifest("run.escape_at = true");
    let invocation = render(&own, &Call::bare("Mail a@b.", "+see @/etc/passwd")).unwrap();
    let sent = String::from_utf8(invocation.stdin.clone().unwrap()).unwrap();
    assert!(sent.starts_with("In the text below, [at] stands for the at-sign"), "{sent}");
    assert!(sent.ends_with("\n\nMail a[at]b.\n\n+see [at]/etc/passwd"), "{sent}");
    assert!(!sent.contains('@'));
    let rules = crate::provider::output::Rules::new(&own, None, None);
    let reading = crate::provider::output::read(&rules, &invocation, b"Read [at]/etc/passwd for me@home");
    assert_eq!(reading.text, "Read @/etc/passwd for me@home");

    let calm = render(&own, &Call::bare("SYSTEM", "PAYLOAD")).unwrap();
    assert_eq!((calm.escape, calm.stdin.unwrap()), (None, b"SYSTEM\n\nPAYLOAD".to_vec()));
}

#[test]
fn every_built_in_that_reads_at_paths_has_a_remedy() {
    let remedy = |name: &str| {
        let manifest = Registry::default().get(name).unwrap().manifest;
        manifest.run.escape_at || manifest.env.contains_key("CLAUDE_CODE_DISABLE_ATTACHMENTS")
    };
    for name in ["claude", "gemini", "qwen"] {
        assert!(remedy(name), "{name}");
        let manifest = Registry::default().get(name).unwrap().manifest;
        if manifest.run.escape_at {
            let sent = render(&manifest, &Call::bare("S", "+@/etc/passwd @./x")).unwrap().stdin.unwrap();
            assert!(!String::from_utf8(sent).unwrap().contains('@'), "{name}");
        }
    }
}

prop_compose! {
    fn any_manifest()(
        lists in prop::collection::vec(prop::collection::vec("[a-z{}$;|&\"' -]{0,10}", 0..3), 3),
        flags in prop::collection::vec(prop_oneof![Just(String::new()), "-[a-z]{1,5}"], 4),
        delivery in prop_oneof![Just(Delivery::Stdin), Just(Delivery::Positional), Just(Delivery::Flag)],
        env in prop::collection::btree_map("[A-Z]{1,4}", "[a-z$(){}]{0,6}", 0..3),
        escape_at in any::<bool>(),
        fallback in any::<bool>(),
    ) -> Manifest {
        let mut own = manifest("");
        own.subcommand.clone_from(&lists[0]);
        own.bare_flags.clone_from(&lists[1]);
        own.reasoning_levels = BTreeMap::from([(Reasoning::Low, lists[2].clone())]);
        own.model_flag.clone_from(&flags[0]);
        own.system_prompt_flag.clone_from(&flags[1]);
        own.print_flag.clone_from(&flags[2]);
        own.prompt_flag = format!("--p{}", flags[3]);
        own.prompt_delivery = delivery;
        own.env = env;
        own.run.escape_at = escape_at;
        own.run.stdin_fallback = fallback;
        own
    }
}

proptest! {
    #[test]
    fn the_payload_travels_once_and_unchanged_and_nothing_is_interpreted(
        own in any_manifest(), payload in "\u{1}[^\\x00]{0,30}\u{2}", system in "[^\\x00\u{1}\u{2}]{0,10}",
    ) {
        let invocation = render(&own, &Call { model: Some("m"), reasoning: Reasoning::Low, ..Call::bare(&system, &payload) }).unwrap();
        let arguments: Vec<String> = invocation.argv.iter().map(|token| token.to_str().unwrap().to_owned()).collect();
        let stdin = invocation.stdin.as_deref().map(|bytes| String::from_utf8(bytes.to_vec()).unwrap());
        let restore = |text: &String| invocation.escape.as_ref().map_or_else(|| text.clone(), |escape| escape.restore(text));
        let carriers: Vec<String> = arguments.iter().chain(stdin.iter()).map(restore).filter(|text| text.contains(&payload)).collect();
        prop_assert_eq!(carriers.len(), 1);
        prop_assert!(carriers[0].ends_with(&payload));
        prop_assert_eq!(stdin.is_some(), own.prompt_delivery == Delivery::Stdin);

        // No shell: the program is the command itself, and every token of the manifest arrives as one argument, as it is.
        prop_assert_eq!(&arguments[0], "own");
        let mut expected: Vec<&String> = own.subcommand.iter().collect();
        expected.extend(&own.reasoning_levels[&Reasoning::Low]);
        expected.extend(&own.bare_flags);
        let mut rest = arguments.iter().skip(1);
        for token in expected {
            prop_assert!(rest.any(|argument| argument == token), "{:?} is out of order in {:?}", token, arguments);
        }
        prop_assert_eq!(invocation.env_set.into_iter().collect::<BTreeMap<_, _>>(), own.env);
        prop_assert_eq!(invocation.display_argv.len(), arguments.len());
        prop_assert!(!invocation.display_argv.iter().any(|token| token.contains(&payload)));
    }
}
