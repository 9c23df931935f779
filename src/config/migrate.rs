//! What older layouts of a file said in other words.
//!
//! Up to layout 2 a provider with several backends had a key for the backend, `default_provider`; now the model names it,
//! as `backend/model`. Edits are made in the text, guided by the parser: every other byte stays as it is.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

use super::file::VERSION;
use super::options::{PROVIDER_SECTION, VERSION_KEY};
use super::value::Value;
use crate::role::Role;

/// Built-in providers that are given a backend beside the model.
pub const WITH_BACKENDS: [&str; 1] = ["pi"];

/// The key that is no more.
pub(super) const OLD_BACKEND_KEY: &str = "default_provider";

/// The text in the words of the present layout, line for line; what is no TOML stays as it is.
pub(super) fn migrate(text: &str) -> String {
    let Ok(root) = DeTable::parse(text) else { return text.to_owned() };
    let root = root.get_ref();
    let mut edits = Vec::new();
    let providers = table(root, PROVIDER_SECTION).into_iter().flatten();
    for (name, manifest) in providers {
        let DeValue::Table(manifest) = manifest.get_ref() else { continue };
        let Some((key, backend)) = manifest.get_key_value(OLD_BACKEND_KEY) else { continue };
        let DeValue::String(backend_name) = backend.get_ref() else { continue };
        if !has_backends(name.get_ref(), manifest) {
            continue;
        }
        let Some(commented) = comment_out(text, key.span().start..backend.span().end) else { continue };
        edits.extend(commented);
        edits.extend(models(root, name.get_ref(), manifest).filter_map(|model| fold(model, backend_name)));
    }
    apply(text, edits)
}

/// The text with the present `config_version`.
pub(super) fn with_version(text: &str) -> String {
    let Ok(root) = DeTable::parse(text) else { return text.to_owned() };
    let edit = if let Some(value) = root.get_ref().get(VERSION_KEY) {
        (value.span(), VERSION.to_string())
    } else {
        let at = first_line(text);
        (at..at, format!("{VERSION_KEY} = {VERSION}{}", newline(text)))
    };
    apply(text, vec![edit])
}

/// Where a line can be put before all others: after the byte order mark, and after directives for editors, which count at
/// the top only.
pub(super) fn first_line(text: &str) -> usize {
    let mut at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    while let Some(line) = text.get(at..).filter(|rest| rest.starts_with("#:")) {
        match line.find('\n') {
            Some(end) => at += end + 1,
            None => break,
        }
    }
    at
}

/// The line break that the text uses.
pub(super) fn newline(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text.get(..at).is_some_and(|line| line.ends_with('\r')) => "\r\n",
        _ => "\n",
    }
}

type Edit = (Range<usize>, String);

/// Makes edits that do not overlap.
fn apply(text: &str, mut edits: Vec<Edit>) -> String {
    edits.sort_by_key(|(range, _)| range.start);
    edits.dedup();
    let mut result = String::with_capacity(text.len());
    let mut done = 0;
    for (range, new) in edits {
        result.push_str(text.get(done..range.start).unwrap_or_default());
        result.push_str(&new);
        done = range.end;
    }
    result.push_str(text.get(done..).unwrap_or_default());
    result
}

fn table<'t, 'a>(parent: &'t DeTable<'a>, name: &str) -> Option<&'t DeTable<'a>> {
    match parent.get(name)?.get_ref() {
        DeValue::Table(table) => Some(table),
        _ => None,
    }
}

fn text_of<'t>(table: &'t DeTable<'_>, key: &str) -> Option<&'t str> {
    match table.get(key)?.get_ref() {
        DeValue::String(text) => Some(text),
        _ => None,
    }
}

fn has_backends(name: &DeString<'_>, manifest: &DeTable<'_>) -> bool {
    match text_of(manifest, "provider_flag") {
        Some(flag) => !flag.is_empty(),
        None => WITH_BACKENDS.contains(&name.as_ref()),
    }
}

/// The models in the file that are passed to this provider.
fn models<'t, 'a>(
    root: &'t DeTable<'a>,
    provider: &'t str,
    manifest: &'t DeTable<'a>,
) -> impl Iterator<Item = &'t Spanned<DeValue<'a>>> {
    let defaults = table(root, "defaults");
    let common = defaults.and_then(|defaults| text_of(defaults, "provider"));
    let of_defaults = defaults.filter(|_| common == Some(provider)).and_then(|defaults| defaults.get("model"));
    let roles = table(root, "role");
    let of_roles = Role::ALL.into_iter().filter_map(move |role| {
        let role = table(roles?, role.name())?;
        (text_of(role, "provider").or(common) == Some(provider)).then(|| role.get("model")).flatten()
    });
    manifest.get("default_model").into_iter().chain(of_defaults).chain(of_roles)
}

/// `model` as `backend/model`.
fn fold(model: &Spanned<DeValue<'_>>, backend: &str) -> Option<Edit> {
    let DeValue::String(name) = model.get_ref() else { return None };
    let already = name.strip_prefix(backend).is_some_and(|rest| rest.starts_with('/'));
    if name.is_empty() || backend.is_empty() || already {
        return None;
    }
    Some((model.span(), Value::Text(format!("{backend}/{name}")).to_string()))
}

/// Puts `# ` before each line of an entry; `None` where it shares its line with others.
fn comment_out(text: &str, entry: Range<usize>) -> Option<Vec<Edit>> {
    let begin = text.get(..entry.start)?.rfind('\n').map_or(0, |at| at + 1);
    let before = text.get(begin..entry.start)?.trim_start();
    // What a dotted key begins with is part of the entry; a brace or a comma is not.
    if before.contains(['{', ',', '=']) {
        return None;
    }
    let breaks = text.get(entry.clone())?.match_indices('\n').map(|(at, _)| entry.start + at + 1);
    let indent = text.get(begin..entry.start)?.len() - before.len();
    Some(std::iter::once(begin + indent).chain(breaks).map(|at| (at..at, "# ".to_owned())).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_backend_moves_into_the_models_of_its_provider() {
        let old = "\
# mine
[defaults]
provider = \"pi\"  # the best
model = 'haiku'
[role.planner]
model = \"anthropic/opus\"
[role.message]
provider = \"claude\"
model = \"sonnet\"
[provider.pi]
  default_provider = \"anthropic\" # my login
default_model = \"\"\"sonnet\"\"\"
";
        let new = "\
# mine
[defaults]
provider = \"pi\"  # the best
model = \"anthropic/haiku\"
[role.planner]
model = \"anthropic/opus\"
[role.message]
provider = \"claude\"
model = \"sonnet\"
[provider.pi]
  # default_provider = \"anthropic\" # my login
default_model = \"anthropic/sonnet\"
";
        assert_eq!(migrate(old), new);
        assert_eq!(migrate(new), new);
    }

    #[test]
    fn other_ways_to_write_it() {
        for (old, new) in [
            ("provider.pi.default_provider = 'x'\r\n", "# provider.pi.default_provider = 'x'\r\n"),
            (
                "[provider.pi]\ndefault_provider = '''\nx'''\ndefault_model='m'",
                "[provider.pi]\n# default_provider = '''\n# x'''\ndefault_model=\"x/m\"",
            ),
            (
                "[provider.own]\nprovider_flag = '-b'\ndefault_provider = 'x'",
                "[provider.own]\nprovider_flag = '-b'\n# default_provider = 'x'",
            ),
            (
                "[provider.pi]\ndefault_provider = ''\ndefault_model = 'm'",
                "[provider.pi]\n# default_provider = ''\ndefault_model = 'm'",
            ),
        ] {
            assert_eq!(migrate(old), new);
        }
        for same in [
            "[provider.own]\ndefault_provider = 'x'",
            "[provider.pi]\nprovider_flag = ''\ndefault_provider = 'x'",
            "provider.pi = { default_provider = 'x' }",
            "[provider.pi]\ndefault_provider = 7",
            "no toml [",
        ] {
            assert_eq!(migrate(same), same);
        }
    }

    #[test]
    fn the_version_is_set_where_it_is_or_at_the_top() {
        for (old, new) in [
            ("config_version =  2 # old\n", "config_version =  3 # old\n"),
            ("[defaults]\n", "config_version = 3\n[defaults]\n"),
            (
                "\u{feff}#:schema x.json\r\n[defaults]\r\n",
                "\u{feff}#:schema x.json\r\nconfig_version = 3\r\n[defaults]\r\n",
            ),
            ("#:schema", "config_version = 3\n#:schema"),
            ("config_version = 3", "config_version = 3"),
        ] {
            assert_eq!(with_version(old), new);
        }
    }
}
