//! What a change of a manifest does to the dependencies.

use super::facts::FileFacts;
use super::path;

/// What happened to one dependency.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Change {
    Added { name: String, version: Option<String> },
    Removed { name: String },
    Bumped { name: String, from: String, to: String },
    Lowered { name: String, from: String, to: String },
    Adjusted { name: String },
}

/// What a manifest's lines say.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Dependencies {
    pub(super) changes: Vec<Change>,
    /// The project's own new version.
    pub(super) release: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry {
    name: String,
    version: Option<String>,
}

/// Reads the changed lines of a manifest.
pub(super) fn read(file: &FileFacts) -> Dependencies {
    let manifest = path::name(&file.path).to_ascii_lowercase();
    let read = |lines: &[String]| -> Vec<Entry> { lines.iter().filter_map(|line| entry(line, &manifest)).collect() };
    let (mut added, mut removed) = (read(&file.added_lines), read(&file.removed_lines));
    let own = |entries: &mut Vec<Entry>| {
        let at = entries.iter().position(|entry| entry.name == "version")?;
        entries.remove(at).version
    };
    let (new, old) = (own(&mut added), own(&mut removed));
    let release = new.filter(|new| old.as_ref().is_some_and(|old| old != new));
    let mut changes = Vec::new();
    for entry in &added {
        let before = removed.iter().position(|before| before.name == entry.name).map(|at| removed.remove(at));
        changes.push(change(entry, before));
    }
    changes.extend(removed.into_iter().map(|entry| Change::Removed { name: entry.name }));
    Dependencies { changes, release }
}

fn change(entry: &Entry, before: Option<Entry>) -> Change {
    let name = entry.name.clone();
    match (before, &entry.version) {
        (None, version) => Change::Added { name, version: version.clone() },
        (Some(Entry { version: Some(from), .. }), Some(to)) if from != *to => {
            let to = to.clone();
            if numbers(&to) < numbers(&from) {
                Change::Lowered { name, from, to }
            } else {
                Change::Bumped { name, from, to }
            }
        }
        (Some(_), _) => Change::Adjusted { name },
    }
}

fn numbers(version: &str) -> Vec<u64> {
    version.split(|char: char| !char.is_ascii_digit()).filter_map(|part| part.parse().ok()).collect()
}

fn entry(line: &str, manifest: &str) -> Option<Entry> {
    let text = line.trim().trim_end_matches(',');
    if text.starts_with("//") || (text.starts_with('#') && !text.starts_with("#!")) {
        return None;
    }
    let found = match manifest {
        "go.mod" => go(text),
        "gemfile" => gem(text),
        "mix.exs" => mix(text),
        "pom.xml" => None,
        _ => assigned(text, manifest).or_else(|| requirement(text, manifest)),
    }?;
    let name = path::clean(&found.name);
    (!name.is_empty() && !name.contains(' ')).then_some(Entry { name, version: found.version })
}

/// Keys of manifests that are no dependencies.
const KEYS: &str = "name edition rust-version description license license-file readme repository homepage documentation \
                    main module types typings private engines node npm type python requires-python authors keywords \
                    categories resolver members exclude include path publish default-run build-backend sdk environment \
                    opt-level lto debug strip panic codegen-units level priority target start test build dev lint";

/// `serde = "1.0"`, `serde = { version = "1.0" }`, `"react": "^18.2.0"`, `http: ^1.0.0`.
fn assigned(text: &str, manifest: &str) -> Option<Entry> {
    let separator = if path::extension(manifest) == "toml" || manifest == "pipfile" { '=' } else { ':' };
    let (name, value) = text.split_once(separator)?;
    let name = unquote(name.trim());
    let plain = |char: char| char.is_ascii_alphanumeric() || matches!(char, '-' | '_' | '.' | '@' | '/');
    if name.is_empty() || !name.chars().all(plain) || KEYS.split_ascii_whitespace().any(|key| key == name) {
        return None;
    }
    let value = value.trim();
    if let Some(table) = value.strip_prefix('{') {
        let version = table.split_once("version").and_then(|(_, rest)| rest.split('"').nth(1)).map(bare_version);
        let known = ["version", "path", "git", "workspace", "url", "features"].iter().any(|key| table.contains(key));
        return known.then(|| Entry { name: name.to_owned(), version });
    }
    let quoted = value.starts_with(['"', '\'']) || separator == ':' && !value.is_empty();
    let version = unquote(value);
    (quoted && is_version(version)).then(|| Entry { name: name.to_owned(), version: Some(bare_version(version)) })
}

/// `requests==2.31.0`, `"requests>=2.31"`.
fn requirement(text: &str, manifest: &str) -> Option<Entry> {
    if !manifest.starts_with("requirements") && manifest != "pyproject.toml" {
        return None;
    }
    let text = unquote(text);
    let end = text.find(['=', '>', '<', '~', '!', ' ', ';', '[']).unwrap_or(text.len());
    let (name, rest) = text.split_at_checked(end)?;
    let plain = |char: char| char.is_ascii_alphanumeric() || matches!(char, '-' | '_' | '.');
    if name.is_empty() || !name.chars().all(plain) {
        return None;
    }
    let rest = rest.split(';').next().unwrap_or_default();
    let version = rest.find(|char: char| char.is_ascii_digit()).and_then(|start| rest.get(start..));
    if manifest == "pyproject.toml" && version.is_none() {
        return None;
    }
    let version = version.map(|version| bare_version(version.split(',').next().unwrap_or_default()));
    Some(Entry { name: name.to_owned(), version })
}

/// `github.com/a/b v1.2.3 // indirect`.
fn go(text: &str) -> Option<Entry> {
    let mut words = text.strip_prefix("require ").unwrap_or(text).split_whitespace();
    let (module, version) = (words.next()?, words.next()?);
    let known = module.contains('.') && version.starts_with('v') && is_version(version);
    known.then(|| Entry { name: module.to_owned(), version: Some(bare_version(version)) })
}

/// `gem 'rails', '~> 7.0'`.
fn gem(text: &str) -> Option<Entry> {
    let mut parts = text.strip_prefix("gem ")?.split(',');
    let name = unquote(parts.next()?.trim()).to_owned();
    let version = parts.next().map(|part| unquote(part.trim())).filter(|part| is_version(part)).map(bare_version);
    Some(Entry { name, version })
}

/// `{:phoenix, "~> 1.7"}`.
fn mix(text: &str) -> Option<Entry> {
    let (name, rest) = text.strip_prefix("{:")?.split_once(',')?;
    let version = rest.split('"').nth(1).filter(|part| is_version(part)).map(bare_version);
    Some(Entry { name: name.trim().to_owned(), version })
}

fn unquote(text: &str) -> &str {
    text.trim_matches(|char| matches!(char, '"' | '\'' | ' '))
}

fn is_version(text: &str) -> bool {
    let bare = text.trim_start_matches(['^', '~', '>', '<', '=', ' ', 'v']);
    text == "*" || bare.starts_with(|char: char| char.is_ascii_digit()) && text.len() <= 40
}

/// The number alone, cut where anything but a version goes on.
fn bare_version(text: &str) -> String {
    let bare = text.trim_start_matches(['^', '~', '>', '<', '=', ' ', 'v']);
    bare.chars()
        .take_while(|char| char.is_ascii_alphanumeric() || matches!(char, '.' | '-' | '+' | '*'))
        .take(24)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest(path: &str, removed: &[&str], added: &[&str]) -> Dependencies {
        let lines = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect();
        read(&FileFacts {
            path: path.to_owned(),
            added_lines: lines(added),
            removed_lines: lines(removed),
            ..FileFacts::default()
        })
    }

    fn added(name: &str, version: Option<&str>) -> Change {
        Change::Added { name: name.to_owned(), version: version.map(str::to_owned) }
    }

    fn bumped(name: &str, from: &str, to: &str) -> Change {
        Change::Bumped { name: name.to_owned(), from: from.to_owned(), to: to.to_owned() }
    }

    #[test]
    fn manifests_of_many_languages() {
        for (path, removed, new, expected) in [
            ("Cargo.toml", &["serde = \"1.0.1\""][..], &["serde = \"1.0.2\""][..], bumped("serde", "1.0.1", "1.0.2")),
            ("Cargo.toml", &[], &["clap = { version = \"4.6\", features = [\"derive\"] }"], added("clap", Some("4.6"))),
            (
                "Cargo.toml",
                &["clap = { version = \"4.6\" }"],
                &["clap = { version = \"4.6\", features = [] }"],
                Change::Adjusted { name: "clap".to_owned() },
            ),
            (
                "package.json",
                &["    \"react\": \"^17.0.2\","],
                &["    \"react\": \"^18.2.0\","],
                bumped("react", "17.0.2", "18.2.0"),
            ),
            ("package.json", &[], &["\"@types/node\": \"~20.1.0\""], added("@types/node", Some("20.1.0"))),
            ("requirements.txt", &["requests==2.30.0"], &["requests==2.31.0"], bumped("requests", "2.30.0", "2.31.0")),
            ("requirements.txt", &[], &["flask"], added("flask", None)),
            ("pyproject.toml", &[], &["    \"httpx>=0.27\","], added("httpx", Some("0.27"))),
            (
                "go.mod",
                &["\tgolang.org/x/net v0.1.0"],
                &["\tgolang.org/x/net v0.2.0"],
                bumped("golang.org/x/net", "0.1.0", "0.2.0"),
            ),
            ("Gemfile", &[], &["gem 'rails', '~> 7.1'"], added("rails", Some("7.1"))),
            ("mix.exs", &[], &["      {:phoenix, \"~> 1.7\"},"], added("phoenix", Some("1.7"))),
            ("pubspec.yaml", &["  http: ^0.13.0"], &["  http: ^1.0.0"], bumped("http", "0.13.0", "1.0.0")),
            ("Cargo.toml", &["left = \"2.0\""], &[], Change::Removed { name: "left".to_owned() }),
            (
                "Cargo.toml",
                &["left = \"0.10.0\""],
                &["left = \"0.9.0\""],
                Change::Lowered { name: "left".to_owned(), from: "0.10.0".to_owned(), to: "0.9.0".to_owned() },
            ),
        ] {
            assert_eq!(manifest(path, removed, new).changes, [expected], "{path} {new:?}");
        }
    }

    #[test]
    fn the_projects_own_version_is_a_release() {
        let found = manifest("Cargo.toml", &["version = \"0.1.0\""], &["version = \"0.2.0\""]);
        assert_eq!(found, Dependencies { changes: Vec::new(), release: Some("0.2.0".to_owned()) });
        assert_eq!(manifest("Cargo.toml", &[], &["version = \"0.2.0\""]).release, None);
    }

    #[test]
    fn other_keys_are_no_dependencies() {
        for line in [
            "edition = \"2024\"",
            "[dependencies]",
            "# serde = \"1\"",
            "description = \"1 thing\"",
            "pedantic = \"warn\"",
        ] {
            assert_eq!(manifest("Cargo.toml", &[], &[line]).changes, [], "{line}");
        }
        assert_eq!(manifest("package.json", &[], &["\"test\": \"jest\"", "\"node\": \">=20\""]).changes, []);
    }
}
