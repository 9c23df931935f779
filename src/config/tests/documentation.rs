//! `docs/configuration.md` says what the code does.

use super::support::World;
use crate::config::options::{Key, OTHER_VARIABLES};
use crate::config::{ConfigError, Settings, Warning, reference};
use crate::role::Role;

const DOCUMENT: &str = include_str!("../../../docs/configuration.md");

/// The text between `<!-- begin NAME -->` and `<!-- end -->`.
fn section(name: &str) -> &'static str {
    let begin = format!("<!-- begin {name} -->\n");
    let (_, rest) = DOCUMENT.split_once(&begin).unwrap_or_else(|| panic!("`{begin}` is missing"));
    rest.split_once("<!-- end -->").unwrap().0
}

fn fenced(language: &str, name: &str) -> &'static str {
    section(name).trim().strip_prefix(&format!("```{language}\n")).unwrap().strip_suffix("```").unwrap()
}

#[test]
fn the_tables_are_those_of_the_code() {
    for (name, expected) in [
        ("options", reference::options()),
        ("role options", reference::role_options()),
        ("other variables", reference::other_variables()),
    ] {
        let found = section(name);
        assert!(found == expected, "the table of {name} should be:\n\n{expected}");
    }
}

#[test]
fn the_example_is_configuration_and_shows_every_section() {
    let loaded = World::new().global(fenced("toml", "example")).loaded();
    assert!(loaded.warnings.is_empty(), "{:?}", loaded.warnings);
    assert_eq!(loaded.settings.role(Role::Message).model.as_deref(), Some("haiku"));
    assert_eq!(loaded.settings.role(Role::Planner).model.as_deref(), Some("sonnet"));
    assert_eq!(loaded.provider_layers[0].providers(), ["myagent"]);
    for key in Key::all().filter(|key| key.role().is_none()) {
        let section = key.section();
        assert!(fenced("toml", "example").contains(&format!("[{section}]")), "{section}");
    }
}

#[test]
fn the_example_with_all_keys_has_all_defaults() {
    let text = fenced("toml", "defaults");
    let loaded = World::new().global(text).loaded();
    assert_eq!(loaded.settings, Settings::default());
    for key in Key::all().filter(|key| key.role().is_none()) {
        let table = text.split(&format!("[{}]\n", key.section())).nth(1).unwrap();
        let table = table.split("\n[").next().unwrap();
        let names = |line: &str| line.trim_start_matches("# ").split(" =").next() == Some(key.field());
        assert!(table.lines().any(names), "{key:?}");
    }
}

#[test]
fn the_git_example_is_read() {
    let mut world = World::new();
    let text = fenced("sh", "git");
    for line in text.lines() {
        let mut words = line.strip_prefix("git config ").unwrap().split(' ').filter(|word| !word.starts_with("--"));
        world = world.git(words.next().unwrap(), words.next().unwrap());
    }
    assert!(text.lines().count() >= 3);
    assert!(world.loaded().warnings.is_empty());
}

#[test]
fn the_messages_that_are_quoted_are_real() {
    let quoted = fenced("text", "error");
    let error: ConfigError = World::new().global("\n[generation]\nfromat = 'plain'\n").load().unwrap_err();
    let (place, message) = quoted.trim_end().split_once('\n').unwrap();
    assert!(error.to_string().ends_with(place.rsplit_once('/').unwrap().1), "{error}");
    assert_eq!(error.hint(), message);

    let notice = fenced("text", "notice").trim_end();
    let path = notice.split(" is not trusted").next().unwrap().into();
    let keys = vec!["defaults.provider".to_owned(), "provider.myagent".to_owned()];
    assert_eq!(Warning::Untrusted { path, keys }.to_string(), notice);
}

#[test]
fn every_word_of_a_secret_is_named() {
    for word in crate::untrusted::SECRET_WORDS {
        assert!(DOCUMENT.contains(&format!("`{word}`")), "{word}");
    }
}

#[test]
fn every_variable_is_named() {
    for name in Key::all().filter_map(Key::variable).chain(OTHER_VARIABLES.map(|(name, _)| name.to_owned())) {
        assert!(DOCUMENT.contains(&format!("`{name}`")), "{name}");
    }
}
