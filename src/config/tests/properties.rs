use std::collections::BTreeSet;

use proptest::prelude::*;

use super::support::{World, has_layer, plain, samples};
use crate::config::options::Key;
use crate::config::{Layer, Settings, show};

const LAYERS: [Layer; 5] =
    [Layer::GlobalFile, Layer::RepositoryFile, Layer::GitConfig, Layer::Environment, Layer::CommandLine];

fn any_key() -> impl Strategy<Value = Key> {
    prop::sample::select(Key::all().collect::<Vec<_>>())
}

/// Fragments that meet in real files, right and wrong.
fn any_line() -> impl Strategy<Value = String> {
    let key = any_key().prop_flat_map(|key| {
        let values: Vec<_> = samples(key).iter().map(ToString::to_string).collect();
        (Just(key.path()), prop::sample::select(values))
    });
    prop_oneof![
        4 => key.prop_map(|(path, value)| format!("{path} = {value}")),
        1 => "[a-z.\\[\\]\"'=#{} 0-9\\n\u{1b}é]{0,30}",
        1 => any_key().prop_map(|key| format!("[{}]", key.section())),
        1 => prop::sample::select(vec!["[provider.x]", "config_version = 9", "provider.y.env.A = 1", "role = []"])
            .prop_map(str::to_owned),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn the_highest_layer_that_sets_a_key_wins(
        key in any_key(),
        chosen in prop::collection::vec((0usize..5, 0usize..10), 1..5),
    ) {
        let samples = samples(key);
        let mut expected = None;
        let mut set = BTreeSet::new();
        let mut world = World::new();
        for (layer, index) in chosen {
            let (layer, value) = (LAYERS[layer], &samples[index % samples.len()]);
            // An empty variable is unset. Within a layer the order decides, which is tested elsewhere.
            let is_unset = layer == Layer::Environment && plain(value).is_empty();
            if is_unset || !has_layer(key, layer) || !set.insert(layer) {
                continue;
            }
            world = world.set(layer, key, value).unwrap();
            if expected.as_ref().is_none_or(|(highest, _)| *highest < layer) {
                expected = Some((layer, value.clone()));
            }
        }
        let Some((layer, value)) = expected else { return Ok(()) };
        let loaded = world.loaded();
        let effective = loaded.origins.get(&key.path()).unwrap();
        prop_assert_eq!(effective.layer(), layer);
        if !key.adds_up() {
            prop_assert_eq!(effective.value.as_ref(), Some(&value));
        }
    }

    #[test]
    fn no_file_makes_loading_panic(lines in prop::collection::vec(any_line(), 0..8), trusted in any::<bool>()) {
        let text = lines.join("\n");
        let world = World::new().global(&text).repository(&text);
        let world = if trusted { world.trusting() } else { world };
        match world.load() {
            Ok(loaded) => drop((show(&loaded, true), loaded)),
            Err(error) => {
                let text = format!("{error} {}", error.hint());
                prop_assert!(!text.contains(char::is_control), "{:?}", text);
            }
        }
    }

    #[test]
    fn no_bytes_make_loading_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = World::new().global(bytes).load();
    }

    #[test]
    fn nothing_an_untrusted_file_says_changes_more_than_messages(
        lines in prop::collection::vec(any_line(), 0..8),
    ) {
        let world = World::new().repository(lines.join("\n"));
        let Ok(loaded) = world.load() else { return Ok(()) };
        let default = Settings::default();
        prop_assert_eq!(&loaded.settings.roles, &default.roles);
        prop_assert_eq!(loaded.settings.secrets, default.secrets);
        prop_assert_eq!(loaded.settings.auto_stage_all, default.auto_stage_all);
        prop_assert_eq!(loaded.settings.verbose, default.verbose);
        prop_assert_eq!(loaded.settings.generation.output, default.generation.output);
        prop_assert!(loaded.settings.generation.max_diff_bytes <= default.generation.max_diff_bytes);
        prop_assert!(loaded.provider_layers.is_empty());
    }

    #[test]
    fn what_is_shown_gives_the_same_settings(lines in prop::collection::vec(any_line(), 0..8), origins in any::<bool>()) {
        let Ok(loaded) = World::new().global(lines.join("\n")).load() else { return Ok(()) };
        let again = World::new().explicit(show(&loaded, origins)).loaded();
        prop_assert_eq!(again.settings, loaded.settings);
    }
}
