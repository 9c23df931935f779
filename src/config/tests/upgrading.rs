//! An upgrade loses nothing of a file, whatever it looks like.

use proptest::prelude::*;
use proptest::sample::select;

use crate::config::migrate::{migrate, with_version};

/// A text in TOML, quoted in one of its ways.
fn quoted(text: &'static str) -> impl Strategy<Value = String> {
    select(vec!["\"", "'", "\"\"\"", "'''"]).prop_map(move |quote| format!("{quote}{text}{quote}"))
}

fn provider() -> impl Strategy<Value = String> {
    select(vec!["pi", "claude", "own"]).prop_flat_map(quoted)
}

fn model() -> impl Strategy<Value = String> {
    select(vec!["", "haiku", "x/haiku", "x"]).prop_flat_map(quoted)
}

/// `key = value`, or nothing.
fn maybe(key: &'static str, value: impl Strategy<Value = String>) -> impl Strategy<Value = Vec<String>> {
    prop::option::of(value.prop_map(move |value| format!("{key} = {value}")))
        .prop_map(|line| line.into_iter().collect())
}

fn table(head: &'static str, lines: impl Strategy<Value = Vec<Vec<String>>>) -> impl Strategy<Value = Vec<String>> {
    lines.prop_map(move |lines| std::iter::once(head.to_owned()).chain(lines.concat()).collect())
}

/// Tables in any order, each with some of its lines in any order.
fn tables() -> impl Strategy<Value = Vec<Vec<String>>> {
    let role =
        |head| table(head, (maybe("provider", provider()), maybe("model", model())).prop_map(|(a, b)| vec![b, a]));
    let defaults =
        (maybe("provider", provider()), maybe("model", model()), maybe("verbose", select(vec!["1".to_owned()])));
    let backend = || maybe("default_provider", select(vec!["x", "y-z", ""]).prop_flat_map(quoted));
    let pi =
        (backend(), maybe("default_model", model()), maybe("env", select(vec!["{ A = '# no comment' }".to_owned()])));
    let own = (
        maybe("provider_flag", select(vec!["--backend", ""]).prop_flat_map(quoted)),
        backend(),
        maybe("default_model", model()),
        maybe("command", quoted("own")),
    );
    let list = select(vec!["[\n  'a', # of a list\n  \"#b\",\n]".to_owned(), "[]".to_owned()]);
    (
        table("[defaults]", defaults.prop_map(|(a, b, c)| vec![a, b, c]).prop_shuffle()),
        role("[role.planner]"),
        role("[role.message]"),
        table("[provider.pi]", pi.prop_map(|(a, b, c)| vec![a, b, c]).prop_shuffle()),
        table("[provider.own]", own.prop_map(|(a, b, c, d)| vec![a, b, c, d]).prop_shuffle()),
        table("[generation]", maybe("exclude", list).prop_map(|line| vec![line])),
    )
        .prop_map(|(a, b, c, d, e, f)| vec![a, b, c, d, e, f])
        .prop_shuffle()
}

/// A whole file, in which comments stand wherever one can.
fn file() -> impl Strategy<Value = String> {
    let top = select(vec!["", "\u{feff}", "#:schema x.json\n", "# of the top\n\n"]);
    let version =
        select(vec!["", "config_version = 1\n", "config_version=2 # of the version\n", "config_version = 3\n"]);
    let comments = prop::collection::vec(select(vec!["", "  # behind", "\n# below", "\n", "\t#"]), 40);
    (top, version, tables(), comments, any::<bool>()).prop_map(|(top, version, tables, comments, windows)| {
        let mut text = format!("{top}{version}");
        for (line, comment) in tables.concat().iter().zip(comments.iter().cycle()) {
            text.extend([line.as_str(), comment, "\n"]);
        }
        if windows { text.replace('\n', "\r\n") } else { text }
    })
}

/// What the file is to say afterwards, worked out from what it says, not from its text.
fn expected(text: &str) -> toml::Table {
    let mut root: toml::Table = text.trim_start_matches('\u{feff}').parse().unwrap();
    let name = |table: &toml::Table, key: &str| table.get(key).and_then(|value| value.as_str()).map(str::to_owned);
    root.insert("config_version".to_owned(), 3.into());
    let common = root["defaults"].as_table().and_then(|defaults| name(defaults, "provider"));
    for provider in ["pi", "own"] {
        let manifest = root["provider"][provider].as_table_mut().unwrap();
        let has_backends = match name(manifest, "provider_flag") {
            Some(flag) => !flag.is_empty(),
            None => provider == "pi",
        };
        let Some(backend) = name(manifest, "default_provider").filter(|_| has_backends) else { continue };
        manifest.remove("default_provider");
        let fold = |table: &mut toml::Table, key: &str| {
            let Some(model) = name(table, key) else { return };
            if !model.is_empty() && !backend.is_empty() && !model.starts_with(&format!("{backend}/")) {
                table.insert(key.to_owned(), format!("{backend}/{model}").into());
            }
        };
        fold(manifest, "default_model");
        if common.as_deref() == Some(provider) {
            fold(root["defaults"].as_table_mut().unwrap(), "model");
        }
        for role in ["planner", "message"] {
            let role = root["role"][role].as_table_mut().unwrap();
            if name(role, "provider").or(common.clone()).as_deref() == Some(provider) {
                fold(role, "model");
            }
        }
    }
    root
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn no_setting_and_no_comment_is_lost(text in file()) {
        let new = with_version(&migrate(&text));
        let said: toml::Table = new.trim_start_matches('\u{feff}').parse().unwrap();
        prop_assert_eq!(said, expected(&text), "{}\nbecame\n{}", text, new);
        // Each line is there, in its order: as it was, as a comment, or with another model or version.
        let mut lines = new.lines();
        for old in text.trim_start_matches('\u{feff}').lines() {
            let comment = old.split_once('#').map_or("", |(_, comment)| comment);
            let is_it = |new: &str| {
                let new = new.trim_start_matches('\u{feff}');
                let changed = |key: &str| old.trim_start().starts_with(key) && new.starts_with(key);
                let is_changed = changed("model") || changed("default_model") || changed("config_version");
                new == old || new == format!("# {old}") || (is_changed && new.ends_with(comment))
            };
            prop_assert!(lines.any(is_it), "{:?} is lost of\n{}\nwhich became\n{}", old, text, new);
        }
        prop_assert_eq!(with_version(&migrate(&new)), new, "a second time changes something");
    }
}
