use proptest::prelude::*;

use super::*;
use crate::config::tests::support::{World, samples};
use crate::config::{Settings, show};

fn agents() -> Vec<Agent> {
    let models = |prefix: &str| Role::ALL.iter().map(|role| (*role, format!("{prefix}{role}-model"))).collect();
    let agent = |name: &str, prefix: &str| Agent { name: name.to_owned(), models: models(prefix), ..Agent::default() };
    vec![
        Agent { needs_backend: true, lacks_backend: true, ..agent("pi", "") },
        Agent { needs_backend: true, ..agent("opencode", "openai/") },
        Agent { installed: true, ..agent("codex", "") },
        Agent { installed: true, ..agent("claude", "") },
        Agent { name: "qwen".to_owned(), ..Agent::default() },
    ]
}

fn choice(agents: &[Agent], name: &str) -> Choice {
    let models = agents.iter().find(|agent| agent.name == name).map(Agent::ready_models).unwrap_or_default();
    Choice { provider: name.to_owned(), models }
}

fn rendered(old: &str, provider: Option<&str>) -> String {
    let agents = agents();
    let wish = Wish { agents: &agents, choice: provider.map(|name| choice(&agents, name)) };
    render(old, &wish).unwrap_or_else(|| panic!("cannot be renewed:\n{old}"))
}

#[test]
fn a_new_file_sets_provider_reasoning_and_models() {
    let text = rendered("", Some("codex"));
    let loaded = World::new().global(&text).loaded();
    assert!(loaded.warnings.is_empty(), "{:?}", loaded.warnings);
    for role in Role::ALL {
        let settings = loaded.settings.role(role);
        assert_eq!(settings.provider.as_deref(), Some("codex"));
        assert_eq!(settings.model, Some(format!("{role}-model")));
    }
    assert_eq!(loaded.settings.generation, Settings::default().generation);
    assert!(text.contains("\nreasoning = \"off\"\n"), "{text}");
    assert!(
        text.contains("# claude is installed, too. For it, set:\n#   [defaults] provider = \"claude\"\n"),
        "{text}"
    );
    assert!(!text.contains("# codex is installed"), "{text}");
}

#[test]
fn an_agent_with_backends_gets_advice_and_no_model() {
    for (name, suggestion) in [("pi", "<backend>/message-model"), ("opencode", "openai/message-model")] {
        let text = rendered("", Some(name));
        assert!(text.contains(&format!("# `stagecoach models {name}` lists them.")), "{text}");
        assert!(text.contains(&format!("# model = \"{suggestion}\"\n")), "{text}");
        assert_eq!(World::new().global(&text).loaded().settings.role(Role::Message).model, None);
    }
}

#[test]
fn a_template_sets_nothing() {
    let text = rendered("", None);
    for line in text.lines() {
        assert!(line.is_empty() || line.starts_with('#'), "{line}");
    }
    for key in Key::all() {
        assert!(text.contains(&format!("# {} = ", key.field())), "{key:?}\n{text}");
        assert!(text.contains(&format!("# [{}]\n", key.section())), "{key:?}\n{text}");
    }
}

#[test]
fn taking_the_mark_away_from_every_key_gives_the_defaults() {
    // What is unset by default has an empty text there, or the first name of an enumeration.
    let examples = ["output", "strip_code_fence"];
    let set = |line: &str| {
        let bare = line.strip_prefix("# ")?;
        let is_key = bare.split(" = ").next().is_some_and(|name| Key::all().any(|key| key.field() == name));
        (bare.starts_with('[')
            || bare.starts_with("config_version")
            || is_key && !examples.iter().any(|name| bare.starts_with(name)))
        .then(|| bare.to_owned())
    };
    let text: Vec<String> =
        rendered("", None).lines().map(|line| set(line).unwrap_or_else(|| line.to_owned())).collect();
    let loaded = World::new().global(text.join("\n")).loaded();
    assert_eq!(loaded.settings, Settings::default());
}

#[test]
fn what_is_set_stays_and_remarks_are_renewed() {
    let old = "#:schema ./schema.json\n# mine\n[generation] # about words\n# ticket numbers\nformat = 'plain' # short\n\
               exclude = [\n  # pictures\n  'a',\n]\n\n# my agents\n[provider.mine]\ncommand = 'x'";
    let text = rendered(old, Some("claude"));
    for kept in old.lines() {
        assert!(text.lines().any(|line| line == kept), "{kept} is gone:\n{text}");
    }
    assert!(text.starts_with("#:schema ./schema.json\n# Settings of stagecoach."), "{text}");
    assert!(text.contains("# shape of messages; `auto` follows the history (auto,"), "{text}");
    assert!(text.contains("\nprovider = \"claude\"\n"), "{text}");
    assert_eq!(text.matches("[generation]").count(), 1, "{text}");
    assert_eq!(rendered(&text, Some("claude")), text);
}

#[test]
fn what_is_said_about_agents_is_not_added_to() {
    for old in ["[defaults]\nprovider = 'codex'\n", "[role.message]\nmodel = 'x'\n", "defaults.model = 'x'\n"] {
        let before = World::new().global(format!("config_version = 3\n{old}")).loaded().settings;
        let text = rendered(old, Some("claude"));
        assert_eq!(World::new().global(&text).loaded().settings, before, "{text}");
    }
}

#[test]
fn tables_in_other_forms_are_left_as_they_are() {
    for old in [
        "defaults = { provider = 'codex', model = 'x' }\n",
        "role = { planner = { model = 'x' } }\n",
        "defaults.provider = 'codex'\nrole.planner.model = 'x'\n",
        "[role]\nplanner.model = 'x'\n",
        "[ role . \"planner\" ]\nmodel = '''x'''\n",
    ] {
        let text = rendered(old, Some("claude"));
        let settings = World::new().global(&text).loaded().settings;
        assert_eq!(settings, World::new().global(old).loaded().settings, "{text}");
        assert_eq!(rendered(&text, Some("claude")), text);
    }
}

#[test]
fn no_toml_is_nothing_to_renew() {
    let agents = agents();
    assert_eq!(render("[broken", &Wish { agents: &agents, choice: None }), None);
}

/// Lines of a file as people write them.
fn any_line() -> impl Strategy<Value = String> {
    let entry = (prop::sample::select(Key::all().collect::<Vec<_>>()), any::<bool>()).prop_flat_map(|(key, dotted)| {
        let values: Vec<String> = samples(key).iter().map(ToString::to_string).collect();
        let name = if dotted { key.path() } else { key.field().to_owned() };
        (prop::sample::select(values), prop::sample::select(vec!["", "  # why", " #x"]))
            .prop_map(move |(value, remark)| format!("{name} = {value}{remark}"))
    });
    let others = vec![
        "",
        "",
        "# a remark",
        "#",
        "  # set apart",
        "# timeout = \"90s\"",
        "exclude = [\n  'a', # one\n\n  # [defaults]\n  'b']",
        "template = \"\"\"\n# $msg\n\n[role.planner]\n\"\"\"",
        "[provider.mine]",
        "command = 'x'",
        "env = { A = '1' }",
        "#:schema x",
        "config_version = 2",
    ];
    prop_oneof![
        3 => entry,
        3 => prop::sample::select(remarks::sections()).prop_map(|section| format!("[{section}]")),
        4 => prop::sample::select(others).prop_map(str::to_owned),
        1 => prop::sample::select(remarks::all(&agents()).into_iter().collect::<Vec<_>>()),
    ]
}

fn comments(text: &str) -> Vec<String> {
    let ours = remarks::all(&agents());
    let lines = lines(text.trim_start_matches(BYTE_ORDER_MARK)).unwrap();
    let own = |line: &&Line| line.kind == Kind::Comment && !ours.contains(&line.text);
    lines.iter().filter(own).map(|line| line.text.clone()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn nothing_of_the_users_is_lost(
        lines in prop::collection::vec(any_line(), 0..14),
        newline in prop::sample::select(vec!["\n", "\r\n"]),
        mark in prop::sample::select(vec!["", "\u{feff}"]),
        provider in prop::sample::select(vec![None, Some("codex"), Some("pi"), Some("offline")]),
    ) {
        // Lines that do not fit the ones before are left out, so that most files are valid.
        let mut old = mark.to_owned();
        for line in lines {
            let longer = format!("{old}{}{newline}", line.replace('\n', newline));
            if toml::from_str::<toml::Table>(&longer).is_ok() {
                old = longer;
            }
        }
        let new = rendered(&old, provider);
        // Settings: each value of the old file, and nothing but agents and the version beside them.
        prop_assert!(is_kept(&old, &new));
        let value = |text: &str| toml::from_str::<toml::Table>(text).unwrap();
        let (before, after) = (value(&old), value(&new));
        for key in Key::all().filter(|key| !matches!(key.field(), "provider" | "model" | "reasoning")) {
            let at = |table: &toml::Table| {
                let mut found = toml::Value::Table(table.clone());
                for part in key.path().split('.') {
                    found = found.get(part)?.clone();
                }
                Some(found)
            };
            prop_assert_eq!(at(&before), at(&after));
        }
        // Remarks: every one of the user's, in order.
        prop_assert_eq!(comments(&old), comments(&new));
        // Entries with what is on their lines.
        for line in super::lines::lines(old.trim_start_matches(BYTE_ORDER_MARK)).unwrap().iter().filter(|line| matches!(line.kind, Kind::Entry(_))) {
            prop_assert!(new.contains(&line.text), "{:?}", line.text);
        }
        prop_assert_eq!(new.starts_with('\u{feff}'), old.starts_with('\u{feff}'));
        prop_assert_eq!(rendered(&new, provider), new);
    }

    #[test]
    fn what_config_show_prints_can_be_renewed(lines in prop::collection::vec(any_line(), 0..8)) {
        let Ok(loaded) = World::new().global(lines.join("\n")).load() else { return Ok(()) };
        let shown = show(&loaded, true);
        let again = World::new().explicit(rendered(&shown, None)).loaded();
        prop_assert_eq!(again.settings, loaded.settings);
    }
}
