//! Holds the documentation to the code. With `UPDATE_DOCS=1` in the environment, the tables are written anew.

use super::fields::{EXTENDS, FIELDS, Field, SUB_TABLES};
use super::render::{Call, render};
use super::schema::{Delivery, Manifest, SessionMode};
use super::{Layer, Registry, builtin};
use crate::role::{Reasoning, Role};

const PROVIDERS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/providers.md");
const ADDING: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/adding-a-provider.md");

fn code(text: &str) -> String {
    if text.is_empty() { "–".to_owned() } else { format!("`{}`", text.replace('|', "\\|")) }
}

/// Tokens as one would type them.
fn tokens(tokens: &[String]) -> String {
    let quoted = |token: &String| {
        let plain = !token.is_empty() && !token.contains([' ', '"', '\'', '(', '*', '{']);
        if plain { token.clone() } else { format!("'{token}'") }
    };
    code(&tokens.iter().map(quoted).collect::<Vec<_>>().join(" "))
}

fn row(name: &str, field: &Field) -> String {
    format!("| `{name}` | {} | {} | {} |", field.kind.describe(), field.default, field.meaning)
}

fn fields() -> String {
    let rows = FIELDS.iter().enumerate().map(|(i, field)| format!("| {} {}", i + 1, row(field.name, field)));
    let head = "| # | field | type | default | meaning |\n|---|---|---|---|---|\n";
    head.to_owned() + &rows.collect::<Vec<_>>().join("\n")
}

fn sub_tables() -> String {
    let rows = SUB_TABLES
        .iter()
        .flat_map(|table| table.keys.iter().map(|key| row(&format!("{}.{}", table.name, key.name), key)));
    let head = "| key | type | default | meaning |\n|---|---|---|---|\n";
    let rows = std::iter::once(row(EXTENDS.name, &EXTENDS)).chain(rows);
    head.to_owned() + &rows.collect::<Vec<_>>().join("\n")
}

fn built_in(manifest: &Manifest) -> String {
    let experimental = if manifest.experimental { " (experimental)" } else { "" };
    let command: Vec<String> = std::iter::once(&manifest.command).chain(&manifest.subcommand).cloned().collect();
    let delivery = match manifest.prompt_delivery {
        Delivery::Stdin => "stdin",
        Delivery::Positional => "positional",
        Delivery::Flag => "flag",
    };
    let backend = if manifest.provider_flag.is_empty() {
        String::new()
    } else {
        format!(", backend by `{}`", manifest.provider_flag)
    };
    let system = if manifest.system_prompt_flag.is_empty() {
        "before the payload".to_owned()
    } else {
        code(&manifest.system_prompt_flag)
    };
    let scoped = if manifest.tooled.scoped { " (scoped)" } else { "" };
    let levels: Vec<String> =
        manifest.reasoning_levels.iter().map(|(level, list)| format!("{level}: {}", tokens(list))).collect();
    let levels = if levels.is_empty() { "–".to_owned() } else { levels.join(", ") };
    let session = if manifest.session_mode == SessionMode::Append { "yes" } else { "–" };
    [
        format!("### {}{experimental}\n", manifest.name),
        "| | |\n|---|---|".to_owned(),
        format!("| command | {} |", tokens(&command)),
        format!("| delivery, print flag | {delivery}, {} |", code(&manifest.print_flag)),
        format!(
            "| model flag, default model | {}{backend}, {} |",
            code(&manifest.model_flag),
            code(&manifest.default_model)
        ),
        format!("| system prompt | {system} |"),
        format!("| bare | {} |", tokens(&manifest.bare_flags)),
        format!("| tooled | {}{scoped} |", tokens(&manifest.tooled_flags)),
        format!("| list of models | {} |", tokens(&manifest.list_models_command)),
        format!("| reasoning | {levels} |"),
        format!("| sessions | {session} |"),
    ]
    .join("\n")
}

fn manifests() -> Vec<Manifest> {
    let registry = Registry::default();
    builtin::agents().map(|name| registry.get(name).unwrap().manifest).collect()
}

fn built_ins() -> String {
    manifests().iter().map(built_in).collect::<Vec<_>>().join("\n\n")
}

fn models() -> String {
    let rows = manifests().into_iter().filter(|manifest| !manifest.models.by_role.is_empty()).map(|manifest| {
        let model = |role| code(manifest.models.by_role.get(role).map_or("", String::as_str));
        let models: Vec<String> = Role::ALL.iter().map(model).collect();
        let verified = manifest.models.verified.as_deref().unwrap_or("–");
        format!("| {} | {} | {verified} |", manifest.name, models.join(" | "))
    });
    let head = "| provider | planner | stager | message | arbiter | last checked |\n|---|---|---|---|---|---|\n";
    head.to_owned() + &rows.collect::<Vec<_>>().join("\n")
}

/// The text with the part between the markers of that name replaced.
fn with_part(text: &str, name: &str, part: &str) -> String {
    let (begin, end) = (format!("<!-- begin {name} -->"), format!("<!-- end {name} -->"));
    let (before, rest) = text.split_once(&begin).unwrap_or_else(|| panic!("no `{begin}`"));
    let (_, after) = rest.split_once(&end).unwrap_or_else(|| panic!("no `{end}`"));
    format!("{before}{begin}\n{part}\n{end}{after}")
}

#[test]
fn the_tables_say_what_the_code_says() {
    let text = std::fs::read_to_string(PROVIDERS).unwrap();
    let parts = [("fields", fields()), ("sub-tables", sub_tables()), ("built-ins", built_ins()), ("models", models())];
    let expected = parts.iter().fold(text.clone(), |text, (name, part)| with_part(&text, name, part));
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(PROVIDERS, &expected).unwrap();
    } else {
        assert!(text == expected, "docs/providers.md is out of date; run the tests with UPDATE_DOCS=1");
    }
}

#[test]
fn the_order_of_detection_is_documented_as_it_is() {
    let text = std::fs::read_to_string(PROVIDERS).unwrap().replace('\n', " ");
    let order = builtin::agents().collect::<Vec<_>>().join(", ");
    assert!(text.contains(&format!("in this order: {order}.")), "{order}");
}

#[test]
fn the_examples_are_manifests_and_render_as_they_say() {
    let text = std::fs::read_to_string(ADDING).unwrap();
    let examples: Vec<&str> = text.split("```toml\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    assert!(examples.len() >= 8, "{}", examples.len());
    let mut seen = 0;
    for example in examples {
        let layer = Layer::parse("example", example).unwrap_or_else(|error| panic!("{error} in\n{example}"));
        let names: Vec<String> = layer.providers.keys().cloned().collect();
        let registry = Registry::new(vec![layer]).unwrap_or_else(|error| panic!("{error} in\n{example}"));
        for name in names {
            let manifest = registry.get(&name).unwrap().manifest;
            let call = Call { reasoning: Reasoning::Off, ..Call::bare("S", "P") };
            let invocation = render(&manifest, &call).unwrap();
            if manifest.subcommand == ["chat"] {
                let shown = invocation.display_argv.join(" ").replace("<system prompt: 1 bytes>", "<system prompt>");
                assert!(text.contains(&format!("```\n{shown}\n```")), "{shown}");
                seen += 1;
            }
        }
    }
    assert_eq!(seen, 1);
}
