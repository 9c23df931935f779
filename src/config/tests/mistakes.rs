use super::support::{World, file_with, samples};
use crate::config::options::Key;
use crate::config::{Layer, Value};

/// Text of a file, what is said of it, and what to do next.
const MISTAKES: [(&str, &str, &str); 32] = [
    (
        "[generation]\nfromat = 'auto'",
        "config/config.toml:2:1: unknown key `generation.fromat`",
        "Did you mean `generation.format`?",
    ),
    (
        "\"defaults.model\" = 'x'",
        "config/config.toml:1:1: unknown key `\"defaults.model\"`",
        "Remove the key, or check its spelling.",
    ),
    (
        "[role.'planner.model']",
        "config/config.toml:1:7: unknown key `role.\"planner.model\"`",
        "Remove the key, or check its spelling.",
    ),
    (
        "[generation]\nsecrets = 'off'",
        "config/config.toml:2:1: unknown key `generation.secrets`",
        "Did you mean `security.secrets`?",
    ),
    (
        "[generation]\nunknown = true",
        "config/config.toml:2:1: unknown key `generation.unknown`",
        "Remove the key, or check its spelling.",
    ),
    (
        "[generation]\nstager = 'hunks'",
        "config/config.toml:2:1: unknown key `generation.stager`",
        "Did you mean `decompose.stager`?",
    ),
    (
        "decompose.stager = 'tools'",
        "config/config.toml:1:11: invalid value for `decompose.stager`: `tools` is not one of auto, hunks or tooled",
        "Did you mean `tooled`?",
    ),
    ("[defualts]", "config/config.toml:1:2: unknown key `defualts`", "Did you mean `defaults`?"),
    ("timeout = 5", "config/config.toml:1:1: unknown key `timeout`", "Did you mean `defaults.timeout`?"),
    ("[role.planer]\nmodel = 'x'", "config/config.toml:1:7: unknown key `role.planer`", "Did you mean `role.planner`?"),
    ("zzzzzzz = 1", "config/config.toml:1:1: unknown key `zzzzzzz`", "Remove the key, or check its spelling."),
    ("[\"\\u001b[2J\"]", "config/config.toml:1:2: unknown key `\\u{1b}[2J`", "Remove the key, or check its spelling."),
    (
        "[generation]\n  diff_context = 'three'",
        "config/config.toml:2:3: invalid value for `generation.diff_context`: \
             expected a whole number from 0 to 3, found a string",
        "Set it to a whole number from 0 to 3.",
    ),
    (
        "generation = { diff_context = 4 }",
        "config/config.toml:1:16: invalid value for `generation.diff_context`: \
             4 is out of range; expected a whole number from 0 to 3",
        "Set it to a whole number from 0 to 3.",
    ),
    (
        "generation.diff_context = -1",
        "config/config.toml:1:12: invalid value for `generation.diff_context`: \
             -1 is out of range; expected a whole number from 0 to 3",
        "Set it to a whole number from 0 to 3.",
    ),
    (
        "generation.diff_context = 99999999999999999999999",
        "config/config.toml:1:12: invalid value for `generation.diff_context`: \
             99999999999999999999999 is out of range; expected a whole number from 0 to 3",
        "Set it to a whole number from 0 to 3.",
    ),
    (
        "defaults.reasoning = 'hgih'",
        "config/config.toml:1:10: invalid value for `defaults.reasoning`: \
             `hgih` is not one of off, low, medium or high",
        "Did you mean `high`?",
    ),
    (
        "defaults.reasoning = 'extreme'",
        "config/config.toml:1:10: invalid value for `defaults.reasoning`: \
             `extreme` is not one of off, low, medium or high",
        "Use off, low, medium or high.",
    ),
    (
        "defaults.timeout = '2 minutes'",
        "config/config.toml:1:10: invalid value for `defaults.timeout`: \
             `2 minutes`: a duration is written as `90`, `90s`, `8m` or `1h30m`",
        "Correct the value, or remove it.",
    ),
    (
        "defaults.timeout = 0",
        "config/config.toml:1:10: invalid value for `defaults.timeout`: \
             0s is out of range; expected a duration from 1s to 24h",
        "Set it to a duration from 1s to 24h.",
    ),
    (
        "defaults.timeout = -5",
        "config/config.toml:1:10: invalid value for `defaults.timeout`: \
             -5 is out of range; expected a duration from 1s to 24h",
        "Set it to a duration from 1s to 24h.",
    ),
    (
        "defaults.auto_stage_all = 1",
        "config/config.toml:1:10: invalid value for `defaults.auto_stage_all`: \
             expected true or false, found an integer",
        "Set it to true or false.",
    ),
    (
        "generation.exclude = 'x'",
        "config/config.toml:1:12: invalid value for `generation.exclude`: expected a list of texts, found a string",
        "Set it to a list of texts.",
    ),
    (
        "generation.exclude = ['x', 3]",
        "config/config.toml:1:12: invalid value for `generation.exclude`: \
             expected a list of texts, found an integer",
        "Set it to a list of texts.",
    ),
    (
        "generation.template = 'message'",
        "config/config.toml:1:12: invalid value for `generation.template`: \
             `message`: a template needs `$msg`, which stands for the message",
        "Correct the value, or remove it.",
    ),
    (
        "role.stager.model = '--danger'",
        "config/config.toml:1:13: invalid value for `role.stager.model`: \
             `--danger`: a model cannot begin with `-`",
        "Correct the value, or remove it.",
    ),
    (
        "defaults.model = \"a\\u001b[31m\"",
        "config/config.toml:1:10: invalid value for `defaults.model`: \
             `a\\u{1b}[31m`: it contains control characters",
        "Correct the value, or remove it.",
    ),
    (
        "defaults = 3",
        "config/config.toml:1:1: invalid value for `defaults`: expected a table, found an integer",
        "Set it to a table.",
    ),
    (
        "[[role]]",
        "config/config.toml:1:3: invalid value for `role`: expected a table, found an array",
        "Set it to a table.",
    ),
    (
        "provider.claude = 'sonnet'",
        "config/config.toml:1:10: invalid value for `provider.claude`: expected a table, found a string",
        "Set it to a table.",
    ),
    (
        "config_version = 'three'",
        "config/config.toml:1:1: invalid value for `config_version`: \
             expected a whole number from 1, at present 3, found a string",
        "Set it to a whole number from 1, at present 3.",
    ),
    (
        "config_version = 0",
        "config/config.toml:1:1: invalid value for `config_version`: \
             0 is out of range; expected a whole number from 1, at present 3",
        "Set it to a whole number from 1, at present 3.",
    ),
];

#[test]
fn a_mistake_in_a_file_says_where_what_and_what_next() {
    for (text, expected, hint) in MISTAKES {
        assert_eq!(World::new().global(text).error(), (expected.to_owned(), hint.to_owned()), "{text}");
    }
}

#[test]
fn a_syntax_error_has_a_place_too() {
    for (text, start) in [
        ("a = \n", "config/config.toml:1:5: TOML syntax error: no value after `=`"),
        ("a = # later\nb = 1\n", "config/config.toml:1:5: TOML syntax error: no value after `=`"),
        ("a =", "config/config.toml:1:4: TOML syntax error: no value after `=`"),
        ("a = b\n", "config/config.toml:1:5: TOML syntax error: string values must be quoted"),
        ("[defaults]\nmodel = 'x\n", "config/config.toml:2:"),
        ("[defaults]\n[defaults]\n", "config/config.toml:2:"),
        ("x = 1\nx = 2\n", "config/config.toml:2:1: TOML syntax error: "),
        ("\u{1b}", "config/config.toml:1:2: TOML syntax error: "),
    ] {
        let (error, hint) = World::new().global(text).error();
        assert!(error.starts_with(start), "{text:?}: {error}");
        assert!(!error.contains(|c: char| c.is_control()), "{error:?}");
        assert!(hint.starts_with("Correct the line"), "{hint}");
    }
}

#[test]
fn of_several_mistakes_the_first_in_the_file_is_told() {
    let text = "zz = 1\naa = 2\n";
    assert!(World::new().global(text).error().0.contains(":1:1: unknown key `zz`"));
    let text = "[generation]\ndiff_context = 9\n[defaults]\nreasoning = 'x'\n";
    assert!(World::new().global(text).error().0.contains(":2:1: "));
}

#[test]
fn a_mistake_elsewhere_names_the_variable_the_flag_or_the_git_key() {
    let cases = [
        (
            World::new().variable("STAGECOACH_TIMEOUT", "soon"),
            "the environment variable STAGECOACH_TIMEOUT: invalid value for `defaults.timeout`: `soon`: ",
        ),
        (
            World::new().flag("defaults.reasoning", "max"),
            "--reasoning: invalid value for `defaults.reasoning`: `max` is not one of off, low, medium or high",
        ),
        (
            World::new().flag("role.planner.timeout", "0"),
            "--planner-timeout: invalid value for `role.planner.timeout`: 0s is out of range",
        ),
        (
            World::new().git("stagecoach.diffContext", "4"),
            "git config stagecoach.diffContext (file:.git/config): invalid value for `generation.diff_context`: ",
        ),
        (
            World::new().variable("STAGECOACH_TRUST_REPO_CONFIG", "perhaps"),
            "the environment variable STAGECOACH_TRUST_REPO_CONFIG: invalid value for",
        ),
        (World::new().flag("defaults.modle", "x"), "--flag: unknown key `defaults.modle`"),
    ];
    for (world, start) in cases {
        let (error, _) = world.error();
        assert!(error.starts_with(start), "{error}");
    }
}

/// A value of the wrong type is an error for every key, and says what is expected.
#[test]
fn every_key_refuses_another_type() {
    for key in Key::all() {
        for wrong in ["1979-05-27", "{ a = 1 }", "1.5"] {
            let text = format!("[{}]\n{} = {wrong}", key.section(), key.field());
            let (error, _) = World::new().global(text).error();
            let start =
                format!("config/config.toml:2:1: invalid value for `{}`: expected {}", key.path(), key.expects());
            assert!(error.starts_with(&start), "{error}");
        }
    }
}

#[test]
fn a_wrong_value_is_an_error_also_where_a_higher_layer_sets_it() {
    for key in Key::all() {
        let Some(good) = samples(key).into_iter().find(|value| key.flag().is_some() && *value != Value::Switch(true))
        else {
            continue;
        };
        let world = World::new().set(Layer::CommandLine, key, &good).unwrap();
        let text = format!("[{}]\n{} = 1979-05-27", key.section(), key.field());
        world.global(text).error();
    }
}

#[test]
fn files_of_other_versions() {
    let file = |head: &str, rest: &str| World::new().global(format!("{head}\n{rest}"));
    let none: [&str; 0] = [];
    assert_eq!(file("config_version = 3", "defaults.model = 'x'").warnings(), none);
    // Nothing that is active: silence.
    assert_eq!(file("", "# defaults.model = 'x'").warnings(), none);
    assert_eq!(file("config_version = 1", "").warnings(), none);
    assert_eq!(file("", "[defaults]\n[role.planner]").warnings(), none);
    assert_eq!(
        file("config_version = 2", "defaults.model = 'x'").warnings(),
        ["config/config.toml has config_version 2; the present one is 3: `stagecoach config upgrade` sets it"]
    );
    assert_eq!(
        file("", "[provider.x]\ncommand = 'x'").warnings(),
        ["config/config.toml has no config_version; the present one is 3: `stagecoach config upgrade` sets it"]
    );
}

#[test]
fn of_a_newer_file_what_is_understood_counts() {
    let world = World::new().global(
        "config_version = 4
         [defaults]
         model = 'x'
         reasoning = 'galactic'
         telepathy = true
         [new]
         a = 1",
    );
    assert_eq!(
        world.warnings(),
        [
            "config/config.toml has config_version 4, newer than this program's 3; \
             upgrade stagecoach – going on with what is understood",
            "config/config.toml:5:10: unknown key `defaults.telepathy` – ignored",
            "config/config.toml:6:11: unknown key `new` – ignored",
            "config/config.toml:4:10: invalid value for `defaults.reasoning`: \
             `galactic` is not one of off, low, medium or high – ignored",
        ]
    );
    assert_eq!(world.loaded().settings.roles.message.model.as_deref(), Some("x"));
}

#[test]
fn of_many_unknown_keys_the_first_are_told() {
    let keys: String = (0..60_000).rev().map(|number| format!("odd{number} = 1\n")).collect();
    let warnings = World::new().global(format!("config_version = 4\n{keys}")).warnings();
    assert_eq!(warnings.len(), 51);
    assert!(warnings[1].contains("config.toml:2:1: unknown key `odd59999`"), "{}", warnings[1]);
    assert!(warnings[50].contains("config.toml:51:1: unknown key `odd59950`"), "{}", warnings[50]);
}

#[test]
fn line_ends_and_a_byte_order_mark_do_not_matter() {
    let key = Key::find("generation.locale").unwrap();
    let text = file_with(key, &Value::Text("de".to_owned()));
    for text in [text.replace('\n', "\r\n"), format!("\u{feff}{text}")] {
        assert_eq!(World::new().global(text).loaded().settings.generation.locale.as_deref(), Some("de"));
    }
}

#[test]
fn where_mistakes_stop_nothing_only_what_is_wrong_is_left_out() {
    let global =
        "config_version = 3\nunknown = 1\n[generation]\nno_verify = true\nhook_timeout = 'soon'\nmax_commits = 5";
    let world = World::new()
        .global(global)
        .repository("config_version = 3\n[generation\nlocale = 'de'")
        .git("stagecoach.noParentWatchdog", "perhaps")
        .git("stagecoach.locale", "fr")
        .variable("STAGECOACH_NO_VERIFY", "maybe")
        .variable("STAGECOACH_TRUST_REPO_CONFIG", "who knows");
    assert!(world.load().is_err());
    let (loaded, mistakes) = world.load_despite_mistakes();
    let generation = &loaded.settings.generation;
    assert!(generation.no_verify, "the file's value, not the variable's");
    assert_eq!(generation.hook_timeout, World::new().loaded().settings.generation.hook_timeout);
    assert_eq!((generation.max_commits, generation.locale.as_deref()), (5, Some("fr")));
    let told = [
        "STAGECOACH_TRUST_REPO_CONFIG",
        "config/config.toml:2:1: unknown key `unknown`",
        "config/config.toml:5:1: invalid value for `generation.hook_timeout`",
        "repository/.stagecoach.toml:2:",
        "stagecoach.noParentWatchdog",
        "STAGECOACH_NO_VERIFY",
    ];
    assert_eq!(mistakes.len(), told.len(), "{mistakes:?}");
    for (mistake, told) in mistakes.iter().zip(told) {
        assert!(mistake.contains(told), "{mistake}");
    }
}

#[test]
fn where_mistakes_stop_nothing_nobody_gains_trust() {
    let world = World::new()
        .repository("config_version = 3\n[generation]\nno_verify = true\nbroken = 1\n[provider.own]\ncommand = 'own'")
        .variable("STAGECOACH_TRUST_REPO_CONFIG", "who knows");
    let (loaded, mistakes) = world.load_despite_mistakes();
    assert!(!loaded.settings.generation.no_verify);
    assert!(loaded.provider_layers.is_empty());
    assert_eq!(mistakes.len(), 2, "{mistakes:?}");
}
