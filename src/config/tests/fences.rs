//! What a repository's file that nobody trusts can do: shape messages, and nothing else. Every key of the option table is
//! tried, so that a new one is covered as soon as it exists.

use super::support::{World, file_with, samples};
use crate::config::options::{Key, Untrusted};
use crate::config::{Layer, Settings, Value};

/// The keys that are allowed, written down once more: whoever adds one has to think here too.
const ALLOWED: [&str; 7] = [
    "generation.diff_context",
    "generation.exclude",
    "generation.format",
    "generation.locale",
    "generation.max_commits",
    "generation.subject_target_chars",
    "generation.template",
];
const ALLOWED_DOWNWARDS: [&str; 3] = ["generation.max_diff_bytes", "generation.max_md_lines", "generation.token_limit"];

#[test]
fn the_table_allows_these_keys_and_no_others() {
    let with = |wanted: fn(Untrusted) -> bool| {
        let mut paths: Vec<_> = Key::all().filter(|key| wanted(key.declaration().untrusted)).map(Key::path).collect();
        paths.sort();
        paths
    };
    assert_eq!(with(|untrusted| untrusted == Untrusted::Allowed), ALLOWED);
    assert_eq!(with(|untrusted| !matches!(untrusted, Untrusted::Allowed | Untrusted::Ignored)), ALLOWED_DOWNWARDS);
}

#[test]
fn every_other_key_is_without_effect() {
    for key in Key::all() {
        let path = key.path();
        for value in samples(key) {
            let world = World::new().repository(file_with(key, &value));
            let loaded = world.loaded();
            let effective = loaded.origins.get(&path).unwrap();
            if ALLOWED.contains(&path.as_str()) {
                assert_eq!((effective.value.as_ref(), effective.layer()), (Some(&value), Layer::RepositoryFile));
                assert!(loaded.warnings.is_empty(), "{path}");
            } else if !ALLOWED_DOWNWARDS.contains(&path.as_str()) {
                assert_eq!(loaded.settings, Settings::default(), "{path} = {value}");
                assert_eq!(effective.layer(), Layer::Default, "{path}");
                assert_eq!(
                    world.warnings(),
                    [format!(
                        "repository/.stagecoach.toml is not trusted; ignored: {path}. \
                         Read the file, then run `stagecoach trust` to let it set them"
                    )]
                );
                // Not even a wrong value of it is looked at.
                let text = format!("config_version = 3\n[{}]\n{} = 1979-05-27", key.section(), key.field());
                assert_eq!(World::new().repository(text).loaded().settings, Settings::default());
            }
            // Trusted for this run, it counts.
            assert_eq!(
                world.trusting().loaded().origins.get(&path).unwrap().layer(),
                Layer::RepositoryFile,
                "{path} = {value}"
            );
        }
    }
}

#[test]
fn an_allowed_key_does_not_beat_what_is_above_the_repository() {
    let world = World::new().repository("config_version = 3\ngeneration.locale = 'de'").git("stagecoach.locale", "fr");
    assert_eq!(world.loaded().settings.generation.locale.as_deref(), Some("fr"));
}

#[test]
fn caps_can_only_be_lowered() {
    // user's file, repository's file, whether it counts
    let table = [
        ("", "max_diff_bytes = 299999", true),
        ("", "max_diff_bytes = 300000", true),
        ("", "max_diff_bytes = 0", true),
        ("", "max_diff_bytes = 300001", false),
        ("max_diff_bytes = 1000", "max_diff_bytes = 1001", false),
        ("max_diff_bytes = 1000000", "max_diff_bytes = 999999", true),
        ("", "max_md_lines = 100", true),
        ("", "max_md_lines = 101", false),
        // A limit in tokens takes the place of the cap in bytes.
        ("", "token_limit = 75000", true),
        ("", "token_limit = 75001", false),
        ("", "token_limit = 0", true),
        ("max_diff_bytes = 1000", "token_limit = 251", false),
        ("token_limit = 100000", "token_limit = 100000", true),
        ("token_limit = 100000", "token_limit = 100001", false),
        ("token_limit = 100000", "token_limit = 0", false),
        ("token_limit = 10", "max_diff_bytes = 400000", false),
    ];
    for (global, repository, counts) in table {
        let file = |line: &str| format!("config_version = 3\n[generation]\n{line}\n");
        let world = World::new().global(file(global)).repository(file(repository));
        let path = format!("generation.{}", repository.split(' ').next().unwrap());
        let layer = world.loaded().origins.get(&path).unwrap().layer();
        assert_eq!(layer == Layer::RepositoryFile, counts, "{global} / {repository}");
        assert_eq!(world.warnings().is_empty(), counts, "{global} / {repository}");
    }
}

#[test]
fn two_caps_of_one_file_cannot_lift_each_other() {
    let world = World::new()
        .repository("config_version = 3\n[generation]\nmax_diff_bytes = 10\ntoken_limit = 75000\nmax_md_lines = 5");
    let generation = world.loaded().settings.generation;
    assert_eq!((generation.max_diff_bytes, generation.token_limit, generation.max_md_lines), (10, 75_000, 5));
}

const PROVIDERS: &str = "config_version = 3
[generation]
locale = 'de'
[provider.claude]
command = '/tmp/evil'
[provider.mine.env]
A = 'b'
";

#[test]
fn providers_of_an_untrusted_file_do_not_exist() {
    let world = World::new().repository(PROVIDERS);
    let loaded = world.loaded();
    assert!(loaded.provider_layers.is_empty());
    assert_eq!(loaded.settings.generation.locale.as_deref(), Some("de"));
    let [warning] = world.warnings().try_into().unwrap();
    assert!(warning.contains("ignored: provider.claude, provider.mine. "), "{warning}");
    assert_eq!(world.trusting().loaded().provider_layers.len(), 1);
}

#[test]
fn one_notice_names_all_keys() {
    let world = World::new()
        .repository("config_version = 3\nsecurity.secrets = 'off'\ndefaults.provider = 'x'\nprovider.y = {}");
    let [warning] = world.warnings().try_into().unwrap();
    assert!(warning.contains("ignored: security.secrets, defaults.provider, provider.y. "), "{warning}");
}

#[test]
fn trust_holds_for_this_very_content() {
    let world = World::new().repository(PROVIDERS);
    world.store().trust(&world.repository_path()).unwrap();
    let loaded = world.loaded();
    assert!(loaded.warnings.is_empty());
    let layer = &loaded.provider_layers[0];
    assert_eq!(layer.providers(), ["claude", "mine"]);
    assert_eq!(layer.layer(), Layer::RepositoryFile);
    assert_eq!(layer.text(), PROVIDERS);

    let world = world.repository(format!("{PROVIDERS}\n"));
    assert!(world.loaded().provider_layers.is_empty(), "one more byte");
    assert_eq!(world.warnings().len(), 1);
    let world = world.repository(PROVIDERS);
    assert_eq!(world.loaded().provider_layers.len(), 1, "as it was");
    assert!(world.store().revoke(&world.repository_path()).unwrap());
    assert!(world.loaded().provider_layers.is_empty(), "revoked");
}

#[test]
fn the_same_content_elsewhere_is_not_trusted() {
    let world = World::new().repository(PROVIDERS);
    world.store().trust(&world.repository_path()).unwrap();
    let mut sources = world.sources();
    let other = world.path("other");
    std::fs::create_dir(&other).unwrap();
    std::fs::copy(world.repository_path(), other.join(".stagecoach.toml")).unwrap();
    sources.worktree_root = Some(other);
    assert!(crate::config::load(&sources).unwrap().provider_layers.is_empty());
    // Through a link to the trusted folder it is the same file.
    std::os::unix::fs::symlink(world.path("repository"), world.path("link")).unwrap();
    sources.worktree_root = Some(world.path("link"));
    assert_eq!(crate::config::load(&sources).unwrap().provider_layers.len(), 1);
}

#[test]
fn a_variable_trusts_for_one_run_and_records_nothing() {
    let world = World::new().repository(PROVIDERS).trusting();
    assert_eq!(world.loaded().provider_layers.len(), 1);
    assert_eq!(world.store().list().unwrap(), []);
    let world = World::new().repository(PROVIDERS).variable("STAGECOACH_TRUST_REPO_CONFIG", "0");
    assert!(world.loaded().provider_layers.is_empty());
}

#[test]
fn the_users_own_files_need_no_trust() {
    let loaded = World::new().global(PROVIDERS).loaded();
    assert_eq!((loaded.provider_layers.len(), loaded.warnings.len()), (1, 0));
    let loaded = World::new().explicit(PROVIDERS).loaded();
    assert_eq!((loaded.provider_layers.len(), loaded.warnings.len()), (1, 0));
}

#[test]
fn a_broken_file_stops_the_run_trusted_or_not() {
    for (text, expected) in [
        ("[defaults", "TOML syntax error"),
        ("generation.fromat = 'x'", "unknown key `generation.fromat`"),
        ("generation.format = 'x'", "invalid value for `generation.format`"),
        ("defaults = 'x'", "invalid value for `defaults`: expected a table"),
        ("provider = 'x'", "invalid value for `provider`: expected a table"),
        ("generation.max_diff_bytes = 'x'", "invalid value for `generation.max_diff_bytes`"),
    ] {
        for world in [World::new(), World::new().trusting()] {
            let (error, _) = world.repository(text).error();
            assert!(error.contains(expected), "{error}");
            assert!(error.starts_with("repository/.stagecoach.toml:1:"), "{error}");
        }
    }
}

#[test]
fn a_state_folder_that_others_can_write_to_trusts_nothing() {
    use std::os::unix::fs::PermissionsExt as _;

    let world = World::new().repository(PROVIDERS);
    world.store().trust(&world.repository_path()).unwrap();
    let folder = world.path("state/stagecoach");
    std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o777)).unwrap();
    let (error, hint) = world.error();
    assert_eq!(error, "state/stagecoach is not safe to keep trust in: others may write to it");
    assert!(hint.starts_with("Make state/stagecoach yours"), "{hint}");
    // A file that sets only what is allowed does not depend on it.
    let world = world.repository("config_version = 3\ngeneration.locale = 'de'");
    assert_eq!(world.loaded().settings.generation.locale.as_deref(), Some("de"));
}

#[test]
fn the_error_of_a_providers_table_has_its_place() {
    let world = World::new().global(PROVIDERS);
    let loaded = world.loaded();
    let layer = &loaded.provider_layers[0];
    let at = PROVIDERS.find("'/tmp").unwrap();
    let error = layer.error(Some(at..at + 3), "no such \u{1b}[1mprogram", "Install it.");
    assert_eq!(
        error.to_string().replace(&format!("{}/", world.path("config").display()), ""),
        "config.toml:5:11: no such \\u{1b}[1mprogram"
    );
    assert_eq!(error.hint(), "Install it.");
    assert_eq!(layer.label(), format!("global file {}", world.global_path().display()));
}

#[test]
fn values_that_could_steer_a_terminal_are_refused_from_anybody() {
    for value in ["\\u001b[2J $msg", "$msg \\u202e", "a\\u0000$msg"] {
        let (error, _) = World::new().repository(format!("generation.template = \"{value}\"")).error();
        assert!(error.ends_with("it contains control characters"), "{error}");
    }
    let world = World::new().repository("generation.template = \"\"\"👩\u{200d}💻 $msg\n\n\tend\"\"\"");
    assert!(world.loaded().settings.generation.template.is_some());
    assert!(World::new().repository(format!("generation.locale = '{}'", "x".repeat(101))).load().is_err());
    assert_eq!(samples(Key::find("generation.locale").unwrap()).first(), Some(&Value::Text("one $msg".to_owned())));
}
