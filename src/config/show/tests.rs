use super::{show, show_json};
use crate::config::tests::support::World;

fn world() -> World {
    World::new()
        .global(
            "config_version = 3
[defaults]
provider = 'claude'
[role.message]
model = 'haiku'
[generation]
exclude = ['*.lock']
template = \"$msg\\n\\nRefs: #1\"
[provider.claude]
default_model = 'opus'
bare_flags = ['-p', \"a \\\"b\\\"\"]
[provider.claude.env]
ANTHROPIC_API_KEY = 'sk-secret-1'
FOO = 'bar'
[provider.'my agent']
command = 'x'
env = { GITHUB_TOKEN = 'sk-secret-2', db_password = 'sk-secret-3' }
",
        )
        .repository("config_version = 3\nprovider.claude.default_model = 'sonnet'\ngeneration.exclude = ['x']")
        .trusting()
        .git("stagecoach.format", "plain")
        .variable("STAGECOACH_PLANNER_TIMEOUT", "90")
        .flag("defaults.reasoning", "high")
}

fn shown(world: &World, origins: bool) -> String {
    show(&world.loaded(), origins).replace(&format!("{}/", world.path("config").parent().unwrap().display()), "")
}

#[test]
fn the_effective_values_with_their_origins() {
    let text = shown(&world(), true);
    for line in [
        "provider = \"claude\"  # global file config/config.toml:3",
        "model = \"haiku\"  # global file config/config.toml:5",
        "reasoning = \"high\"  # command line --reasoning",
        "reasoning = \"high\"  # command line --reasoning (defaults.reasoning)",
        "timeout = \"120s\"  # built-in default",
        "timeout = \"120s\"  # built-in default (defaults.timeout)",
        "timeout = \"90s\"  # environment STAGECOACH_PLANNER_TIMEOUT",
        "format = \"plain\"  # git config stagecoach.format (file:.git/config)",
        "exclude = [\"*.lock\", \"x\"]  # global file config/config.toml:7 + repository file repository/.stagecoach.toml:3",
        "# output is not set",
        "default_model = \"sonnet\"  # repository file repository/.stagecoach.toml:2",
        "bare_flags = [\"-p\", 'a \"b\"']  # global file config/config.toml:11",
        "env.FOO = \"bar\"  # global file config/config.toml:14",
        "[provider.\"my agent\"]",
    ] {
        assert!(text.lines().any(|shown| shown == line), "{line}\n---\n{text}");
    }
    assert_eq!(text.matches("\n[generation]\n").count(), 1);
}

#[test]
fn without_origins_there_are_no_comments_on_values() {
    let text = shown(&world(), false);
    assert!(
        text.starts_with("config_version = 3\n\n[defaults]\nprovider = \"claude\"\n# model is not set\n"),
        "{text}"
    );
    assert!(!text.contains("  #"), "{text}");
}

#[test]
fn credentials_are_masked() {
    let loaded = world().loaded();
    for text in [show(&loaded, false), show(&loaded, true), show_json(&loaded).to_string()] {
        assert!(!text.contains("sk-secret"), "{text}");
        assert_eq!(text.matches("[masked]").count(), 3, "{text}");
    }
}

#[test]
fn what_is_shown_is_configuration() {
    let world = world();
    let loaded = world.loaded();
    let again = World::new().explicit(show(&loaded, true)).loaded();
    assert_eq!(again.settings, loaded.settings);
    assert!(again.warnings.is_empty());
    assert_eq!(again.provider_layers[0].providers(), ["claude", "my agent"]);
}

#[test]
fn the_json_document() {
    let world = world().variable("STAGECOACH_MODLE", "x");
    let json = show_json(&world.loaded());
    assert_eq!(json["schema"], 1);
    let model = &json["settings"]["role.message.model"];
    assert_eq!(model["value"], "haiku");
    assert_eq!(model["inherited_from"], serde_json::Value::Null);
    assert_eq!(model["origins"][0]["layer"], "global-file");
    assert_eq!(model["origins"][0]["file"], world.global_path().to_str().unwrap());
    assert_eq!((&model["origins"][0]["line"], &model["origins"][0]["column"]), (&5.into(), &1.into()));
    let timeout = &json["settings"]["role.stager.timeout"];
    assert_eq!((&timeout["value"], &timeout["inherited_from"]), (&"120s".into(), &"defaults.timeout".into()));
    assert_eq!(json["settings"]["generation.exclude"]["value"], serde_json::json!(["*.lock", "x"]));
    assert_eq!(json["settings"]["generation.output"]["value"], serde_json::Value::Null);
    assert_eq!(json["settings"]["generation.format"]["origins"][0]["key"], "stagecoach.format");
    assert_eq!(json["settings"]["defaults.reasoning"]["origins"][0]["flag"], "--reasoning");
    assert_eq!(json["settings"]["role.planner.timeout"]["origins"][0]["variable"], "STAGECOACH_PLANNER_TIMEOUT");
    assert_eq!(json["providers"]["claude"]["default_model"]["value"], "sonnet");
    assert_eq!(json["providers"]["claude"]["env.FOO"]["value"], "bar");
    assert!(json["warnings"][0].as_str().unwrap().contains("STAGECOACH_MODLE"));
}

#[test]
fn odd_values_of_providers_are_shown_as_toml() {
    let text = "config_version = 3
provider.x.a = 1979-05-27
provider.x.b = 1.5
provider.x.c = [{ d = 0x10, \"e f\" = true }]
provider.x.big = 99999999999999999999
";
    let loaded = World::new().global(text).loaded();
    let shown = show(&loaded, false);
    let parsed: toml::Table = toml::from_str(&shown).unwrap();
    let x = &parsed["provider"]["x"];
    assert_eq!(x["a"].to_string(), "1979-05-27");
    assert_eq!(x["b"].as_float(), Some(1.5));
    assert_eq!(x["c"][0]["d"].as_integer(), Some(16));
    assert_eq!(x["c"][0]["e f"].as_bool(), Some(true));
    assert_eq!(x["big"].as_str(), Some("99999999999999999999"));
}
