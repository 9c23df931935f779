//! The option table as documentation: what users read about a setting comes from its declaration.

use std::fmt::Write as _;

use super::options::{Declaration, Key, OTHER_VARIABLES, Untrusted};

/// All settings as a Markdown table.
#[must_use]
pub fn options() -> String {
    let mut text = String::from(
        "| key | takes | default | variable | git config | flag | from an untrusted repository | decides |\n\
         |---|---|---|---|---|---|---|---|\n",
    );
    for key in Key::all().filter(|key| key.role().is_none()) {
        let declaration = key.declaration();
        let default = declaration.default.as_ref().map_or_else(|| "unset".to_owned(), |value| code(&value.to_string()));
        let cells = [
            code(&key.path()),
            key.expects(),
            default,
            optional(key.variable()),
            optional(key.git_key()),
            optional(key.flag()),
            untrusted(declaration).to_owned(),
            declaration.doc.to_owned(),
        ];
        row(&mut text, &cells);
    }
    text
}

/// The settings that every role has of its own, as a Markdown table.
#[must_use]
pub fn role_options() -> String {
    let mut text = String::from("| key | default | variable | git config | flag |\n|---|---|---|---|---|\n");
    for key in Key::all().filter(|key| key.role().is_some()) {
        let inherited = || format!("inherits {}", code(key.declaration().key));
        let default = key.default_value().map_or_else(inherited, |value| code(&value.to_string()));
        let cells =
            [code(&key.path()), default, optional(key.variable()), optional(key.git_key()), optional(key.flag())];
        row(&mut text, &cells);
    }
    text
}

/// The variables that are no settings, as a Markdown table.
#[must_use]
pub fn other_variables() -> String {
    let mut text = String::from("| variable | does |\n|---|---|\n");
    for (name, does) in OTHER_VARIABLES {
        row(&mut text, &[code(name), does.to_owned()]);
    }
    text
}

fn untrusted(declaration: &Declaration) -> &'static str {
    match declaration.untrusted {
        Untrusted::Ignored => "ignored",
        Untrusted::Allowed => "counts",
        Untrusted::Lowers | Untrusted::LowersTokens { .. } => "counts if it lowers",
    }
}

fn optional(text: Option<String>) -> String {
    text.map_or_else(|| "–".to_owned(), |text| code(&text))
}

fn code(text: &str) -> String {
    format!("`{text}`")
}

fn row(text: &mut String, cells: &[String]) {
    let cells: Vec<_> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
    // Writing to a String cannot fail.
    let _ = writeln!(text, "| {} |", cells.join(" | "));
}
