use super::support::{World, plain, samples};
use crate::config::options::{Key, TABLE};
use crate::config::{Layer, Place, Settings, Value};

const LAYERS: [Layer; 6] = [
    Layer::GlobalFile,
    Layer::RepositoryFile,
    Layer::ExplicitFile,
    Layer::GitConfig,
    Layer::Environment,
    Layer::CommandLine,
];

#[test]
fn without_any_layer_the_defaults_hold() {
    let loaded = World::new().loaded();
    assert_eq!(loaded.settings, Settings::default());
    assert!(loaded.warnings.is_empty());
    assert!(loaded.origins.iter().all(|effective| effective.layer() == Layer::Default));
}

#[test]
fn every_default_is_one_that_could_be_set() {
    for key in Key::all() {
        let Some(value) = key.default_value() else { continue };
        let loaded = World::new().set(Layer::GlobalFile, key, value).unwrap().loaded();
        assert_eq!(loaded.origins.get(&key.path()).unwrap().value.as_ref(), Some(value), "{key:?}");
        assert_eq!(loaded.settings, Settings::default(), "{key:?}");
    }
}

#[test]
fn every_key_is_read_from_every_layer_that_it_has() {
    for key in Key::all() {
        for layer in LAYERS {
            for value in samples(key) {
                // git and the shell cannot say a list of one item otherwise than by that item.
                let Some(world) = World::new().set(layer, key, &value) else { continue };
                if layer == Layer::Environment && plain(&value).is_empty() {
                    continue;
                }
                let loaded = world.loaded();
                let effective = loaded.origins.get(&key.path()).unwrap();
                assert_eq!(effective.value.as_ref(), Some(&value), "{key:?} from {layer}");
                assert_eq!(effective.layer(), layer, "{key:?}");
                assert_eq!(effective.inherited_from, None, "{key:?}");
                assert!(loaded.warnings.is_empty(), "{:?}", loaded.warnings);
                let mut expected = Settings::default();
                if key.path() == "defaults.timeout" && layer < Layer::Environment {
                    let planner = expected.roles.planner.timeout;
                    key.store(&mut expected, &value);
                    expected.roles.planner.timeout = planner;
                } else {
                    key.store(&mut expected, &value);
                }
                assert_eq!(loaded.settings, expected, "{key:?} from {layer}");
            }
        }
    }
}

#[test]
fn of_two_layers_the_higher_wins_and_only_exclude_adds_up() {
    for key in Key::all() {
        let samples = samples(key);
        let [low, high, ..] = samples.as_slice() else {
            let only = samples.first().unwrap();
            check_pair(key, key.default_value().unwrap(), only);
            continue;
        };
        check_pair(key, low, high);
    }
}

fn check_pair(key: Key, low: &Value, high: &Value) {
    for (index, lower) in LAYERS.into_iter().enumerate() {
        for higher in LAYERS.into_iter().skip(index + 1) {
            // A file that is named replaces the others, which is another test.
            if higher == Layer::ExplicitFile {
                continue;
            }
            let Some(world) = World::new().set(lower, key, low).and_then(|world| world.set(higher, key, high)) else {
                continue;
            };
            let loaded = world.loaded();
            let effective = loaded.origins.get(&key.path()).unwrap();
            let layers: Vec<_> = effective.origins.iter().map(|origin| origin.layer).collect();
            if key.path() == "generation.exclude" {
                let both = Value::List(vec!["one".to_owned(), "two".to_owned()]);
                assert_eq!((effective.value.as_ref(), layers), (Some(&both), vec![lower, higher]));
            } else {
                assert_eq!((effective.value.as_ref(), layers), (Some(high), vec![higher]), "{key:?} {lower} {higher}");
            }
        }
    }
}

#[test]
fn a_named_file_replaces_the_users_and_the_repositorys() {
    let world = World::new()
        .global("config_version = 3\ndefaults.model = 'global'\ngeneration.locale = 'de'")
        .repository("this is not TOML")
        .explicit("config_version = 3\ndefaults.model = 'explicit'");
    let loaded = world.loaded();
    assert_eq!(loaded.settings.roles.message.model.as_deref(), Some("explicit"));
    assert_eq!(loaded.settings.generation.locale, None);
    let origin = loaded.origins.get("defaults.model").unwrap().origins.first().unwrap().clone();
    assert_eq!(origin.place, Some(Place::File { path: world.path("explicit.toml"), line: 2, column: 10 }));
}

#[test]
fn the_variable_names_a_file_too_and_the_flag_is_stronger() {
    let world = World::new().variable("STAGECOACH_CONFIG", "other.toml");
    std::fs::write(world.path("other.toml"), "config_version = 3\ngeneration.locale = 'fr'").unwrap();
    assert_eq!(world.loaded().settings.generation.locale.as_deref(), Some("fr"));
    let world = world.explicit("config_version = 3\ngeneration.locale = 'it'");
    assert_eq!(world.loaded().settings.generation.locale.as_deref(), Some("it"));
}

#[cfg(unix)]
#[test]
fn the_null_device_is_no_configuration() {
    let world = World::new().global("broken").config_flag("/dev/null");
    assert_eq!(world.loaded().settings, Settings::default());
}

#[test]
fn false_zero_and_the_empty_text_count_as_set() {
    let world = World::new()
        .global(
            "config_version = 3
             [defaults]
             model = 'sonnet'
             provider = 'claude'
             verbose = 2
             [generation]
             max_diff_bytes = 10
             strip_code_fence = true
             locale = 'de'
             template = '$msg'
             binary_extensions = ['xyz']",
        )
        .repository(
            "config_version = 3
             [defaults]
             model = ''
             provider = ''
             verbose = 0
             auto_stage_all = false
             [generation]
             max_diff_bytes = 0
             strip_code_fence = false
             locale = ''
             template = ''
             binary_extensions = []",
        )
        .trusting();
    let settings = world.loaded().settings;
    assert_eq!((&settings.roles.message.model, &settings.roles.message.provider), (&None, &None));
    assert_eq!((settings.verbose, settings.auto_stage_all), (0, false));
    assert_eq!((settings.generation.max_diff_bytes, settings.generation.strip_code_fence), (0, Some(false)));
    assert_eq!((&settings.generation.locale, &settings.generation.template), (&None, &None));
    assert!(settings.generation.binary_extensions.is_empty());
}

#[test]
fn lists_from_the_command_line_add_up_over_files() {
    let world = World::new()
        .global("config_version = 3\ngeneration.exclude = ['a', 'b']\ngeneration.binary_extensions = ['.PSD', 'x']")
        .repository("config_version = 3\ngeneration.exclude = ['c']")
        .flag("generation.exclude", "d")
        .flag("generation.exclude", "e");
    let generation = world.loaded().settings.generation;
    assert_eq!(generation.exclude, ["a", "b", "c", "d", "e"]);
    assert_eq!(generation.binary_extensions, ["psd", "x"]);
}

#[test]
fn variables_spell_booleans_in_these_ways_only() {
    for (text, expected) in [
        ("true", Some(true)),
        ("1", Some(true)),
        ("yes", Some(true)),
        ("ON", Some(true)),
        ("false", Some(false)),
        ("0", Some(false)),
        ("No", Some(false)),
        ("off", Some(false)),
        ("2", None),
        ("maybe", None),
        (" ", None),
    ] {
        let world = World::new().variable("STAGECOACH_AUTO_STAGE_ALL", text);
        match expected {
            Some(on) => assert_eq!(world.loaded().settings.auto_stage_all, on, "{text}"),
            None => assert!(world.error().0.contains("STAGECOACH_AUTO_STAGE_ALL"), "{text}"),
        }
    }
}

#[test]
fn verbosity_is_a_number_or_a_boolean() {
    for (text, level) in [("0", 0), ("1", 1), ("2", 2), ("true", 1), ("false", 0), ("yes", 1)] {
        assert_eq!(World::new().variable("STAGECOACH_VERBOSE", text).loaded().settings.verbose, level, "{text}");
    }
    for (text, level) in [("0", 0), ("2", 2), ("true", 1), ("false", 0)] {
        let world = World::new().global(format!("config_version = 3\ndefaults.verbose = {text}"));
        assert_eq!(world.loaded().settings.verbose, level, "{text}");
    }
    assert!(World::new().variable("STAGECOACH_VERBOSE", "3").error().0.contains("out of range"));
}

#[test]
fn an_empty_variable_counts_as_unset() {
    for declaration in &TABLE {
        let Some(name) = declaration.variable else { continue };
        let loaded = World::new().variable(format!("STAGECOACH_{name}"), "").loaded();
        assert_eq!(loaded.settings, Settings::default(), "{name}");
    }
    let world = World::new().variable("STAGECOACH_CONFIG", "").variable("STAGECOACH_TRUST_REPO_CONFIG", "");
    assert_eq!(world.loaded().settings, Settings::default());
}

#[cfg(unix)]
#[test]
fn a_variable_that_is_no_text_is_an_error_only_where_it_matters() {
    use std::os::unix::ffi::OsStringExt as _;

    let world = World::new().variable("STAGECOACH_MODEL", std::ffi::OsString::from_vec(vec![b'a', 0xff]));
    let (error, hint) = world.error();
    assert_eq!(error, "the environment variable STAGECOACH_MODEL is not UTF-8 text");
    assert_eq!(hint, "Set it to UTF-8 text, or unset it.");
    World::new().variable("EDITOR", std::ffi::OsString::from_vec(vec![0xff])).loaded();
}

#[test]
fn variables_of_others_are_not_even_kept() {
    let world = World::new().variable("OPENAI_API_KEY", "sk-secret").variable("STAGECOACH_MODEL", "opus");
    let sources = format!("{:?}", world.sources());
    assert!(sources.contains("STAGECOACH_MODEL") && !sources.contains("sk-secret"), "{sources}");
}

#[test]
fn unknown_variables_are_warnings_with_the_nearest_name() {
    let world = World::new()
        .variable("STAGECOACH_MODLE", "x")
        .variable("STAGECOACH_QQQQQQQQQQQQQQQQQ", "x")
        .variable("STAGECOACH_NO_COLOR", "1")
        .variable("STAGECOACH", "1")
        .variable("STAGECOACH_ROLE", "message")
        .variable("STAGECOACHMODEL", "x");
    assert_eq!(
        world.warnings(),
        [
            "the environment variable STAGECOACH_MODLE is not known and ignored; did you mean STAGECOACH_MODEL?",
            "the environment variable STAGECOACH_QQQQQQQQQQQQQQQQQ is not known and ignored",
        ]
    );
}

#[test]
fn git_configuration_is_read_as_git_reads_it() {
    for (value, expected) in [
        (None, Some(true)),
        (Some("true"), Some(true)),
        (Some("YES"), Some(true)),
        (Some("on"), Some(true)),
        (Some("1"), Some(true)),
        (Some("-7"), Some(true)),
        (Some("1k"), Some(true)),
        (Some("false"), Some(false)),
        (Some("no"), Some(false)),
        (Some("off"), Some(false)),
        (Some("0"), Some(false)),
        (Some(""), Some(false)),
        (Some("perhaps"), None),
    ] {
        let world = World::new().git_entry("stagecoach.autostageall", value);
        match expected {
            Some(on) => assert_eq!(world.loaded().settings.auto_stage_all, on, "{value:?}"),
            None => assert!(world.error().0.contains("git config stagecoach.autostageall (file:.git/config)")),
        }
    }
}

#[test]
fn git_numbers_have_units() {
    for (value, tokens) in [("200k", 204_800), ("200000", 200_000), ("1M", 1_048_576)] {
        let loaded = World::new().git("stagecoach.tokenLimit", value).loaded();
        assert_eq!(loaded.settings.generation.token_limit, tokens, "{value}");
    }
    for value in ["k", "5G", "-1", "9999999999999999999999"] {
        World::new().git("stagecoach.tokenLimit", value).error();
    }
    // Elsewhere a unit is a mistake.
    assert!(World::new().flag("generation.token_limit", "2k").error().0.contains("`2k` is not a whole number"));
}

#[test]
fn the_case_of_a_git_key_matters_in_the_role_only() {
    for key in ["stagecoach.role.message.model", "STAGECOACH.role.message.MODEL"] {
        let loaded = World::new().git(key, "opus").loaded();
        assert_eq!(loaded.settings.roles.message.model.as_deref(), Some("opus"), "{key}");
    }
    let world = World::new()
        .git("stagecoach.role.Message.model", "opus")
        .git("stagecoach.unknown", "true")
        .git("user.name", "x")
        .git("stagecoachx.model", "x");
    assert_eq!(
        world.warnings(),
        [
            "git config stagecoach.role.Message.model (file:.git/config) is not known and ignored; \
             did you mean stagecoach.role.message.model?",
            "git config stagecoach.unknown (file:.git/config) is not known and ignored",
        ]
    );
    assert_eq!(world.loaded().settings, Settings::default());
}

#[test]
fn of_two_git_values_the_last_wins() {
    let world = World::new().git("stagecoach.model", "first").git("Stagecoach.Model", "last");
    assert_eq!(world.loaded().settings.roles.message.model.as_deref(), Some("last"));
}

#[test]
fn a_git_key_without_a_value_is_no_text() {
    let (error, _) = World::new().git_entry("stagecoach.model", None).error();
    assert!(error.ends_with("invalid value for `defaults.model`: the key has no value; expected text"), "{error}");
}
