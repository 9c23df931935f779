//! Seats: what single providers have of their own.

use std::time::Duration;

use super::support::World;
use crate::config::{Effective, Layer, Scope, json_schema, show};

const FILE: &str = "config_version = 3
[admission]
max_active = 4
min_spacing = '1s'
[admission.codex]
max_active = 2
scope = 'work'
[admission.'my.agent']
max_starts = 1
scope = 'provider'
";

#[test]
fn a_provider_has_its_own_and_else_what_all_have() {
    let settings = World::new().global(FILE).loaded().settings.admission;
    let of = |name: &str| {
        let seats = settings.of(name);
        (seats.max_active, seats.max_starts, seats.min_spacing.as_secs(), seats.scope.clone())
    };
    assert_eq!(of("codex"), (2, 8, 1, Scope::Account("work".to_owned())));
    assert_eq!(of("my.agent"), (4, 1, 1, Scope::Provider));
    assert_eq!(of("claude"), (4, 8, 1, Scope::Provider));
    // Its own default stays until its own table says otherwise.
    assert_eq!(of("agy"), (4, 8, 2, Scope::Provider));
    let own = World::new().global("config_version = 3\nadmission.agy.min_spacing = '5s'").loaded();
    assert_eq!(own.settings.admission.of("agy").min_spacing, Duration::from_secs(5));
}

#[test]
fn tables_of_several_files_are_laid_over_each_other() {
    let repository = "config_version = 3\n[admission.codex]\nmax_active = 3\nmin_spacing = '7s'";
    let world = World::new().global(FILE).repository(repository);
    let trusting = world.trusting().loaded();
    let codex = trusting.settings.admission.of("codex");
    assert_eq!((codex.max_active, codex.min_spacing.as_secs()), (3, 7));
    assert_eq!(codex.scope, Scope::Account("work".to_owned()));
    let layer = |path: &str| trusting.origins.get(path).map(Effective::layer);
    assert_eq!(layer("admission.codex.max_active"), Some(Layer::RepositoryFile));
    assert_eq!(layer("admission.codex.scope"), Some(Layer::GlobalFile));
    assert_eq!(layer("admission.codex.max_starts"), Some(Layer::Default));
    assert_eq!(layer("admission.\"my.agent\".max_starts"), Some(Layer::GlobalFile));
}

#[test]
fn a_repository_that_nobody_trusts_sets_none() {
    let world = World::new().repository("config_version = 3\n[admission.codex]\nmax_active = 1000");
    assert_eq!(world.loaded().settings.admission.of("codex").max_active, 8);
    assert!(world.warnings()[0].contains("ignored: admission.codex.max_active."), "{:?}", world.warnings());
}

#[test]
fn what_is_shown_is_configuration_that_says_the_same() {
    let loaded = World::new().global(FILE).loaded();
    let shown = show(&loaded, true);
    assert!(shown.contains("[admission.\"my.agent\"]\n") && shown.contains("max_starts = 1  #"), "{shown}");
    assert_eq!(World::new().global(shown).loaded().settings, loaded.settings);
}

#[test]
fn mistakes_are_told_with_their_place() {
    for (text, place, hint) in [
        ("[admission.codex]\nmax_activ = 2", "config.toml:2:1", "admission.codex.max_active"),
        ("[admission.codex]\nmax_active = 0", "config.toml:2:1", "a whole number from 1 to 1000"),
        ("[admission.codex]\nmin_spacing = '2h'", "config.toml:2:1", "a duration from 0s to 1h"),
        ("[admission]\ncodex = 2", "config.toml:2:1", ""),
        ("[admission]\nmax_spacing = '2s'", "config.toml:2:1", "admission.min_spacing"),
        ("[admission.codex.more]\nmax_active = 2", "config.toml:1:18", ""),
    ] {
        let (error, help) = World::new().global(text).error();
        assert!(error.contains(place) && format!("{error} {help}").contains(hint), "{text}: {error} / {help}");
    }
}

#[test]
fn the_schema_takes_what_configuration_takes() {
    let validator = jsonschema::validator_for(&json_schema(&serde_json::json!({}))).unwrap();
    let document = |text: &str| serde_json::to_value(toml::from_str::<toml::Table>(text).unwrap()).unwrap();
    assert!(validator.is_valid(&document(FILE)));
    for wrong in ["[admission.codex]\nmax_activ = 2", "[admission.codex]\nmax_active = 0", "[admission]\ncodex = 2"] {
        assert!(!validator.is_valid(&document(wrong)), "{wrong}");
    }
}
