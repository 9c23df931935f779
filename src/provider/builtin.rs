//! The providers that stagecoach knows without configuration.
//!
//! Their manifests are the files of the `providers` folder, compiled in; nothing about them is written a second time. In
//! addition there is one provider without a program, `offline`.

use std::sync::Arc;

use toml::de::DeTable;

use super::error::LayerError;
use super::layer::Partial;

/// The label of values that come from a built-in manifest.
pub const LABEL: &str = "built-in";

/// The name of the provider that runs no program.
pub const OFFLINE: &str = "offline";

/// Name and manifest of every built-in agent, in the order in which installed ones are looked for.
const AGENTS: [(&str, &str); 9] = [
    ("pi", include_str!("../../providers/pi.toml")),
    ("opencode", include_str!("../../providers/opencode.toml")),
    ("cursor", include_str!("../../providers/cursor.toml")),
    ("agy", include_str!("../../providers/agy.toml")),
    ("codex", include_str!("../../providers/codex.toml")),
    ("claude", include_str!("../../providers/claude.toml")),
    ("qwen", include_str!("../../providers/qwen.toml")),
    ("copilot", include_str!("../../providers/copilot.toml")),
    ("gemini", include_str!("../../providers/gemini.toml")),
];

const OFFLINE_MANIFEST: &str = r#"
name = "offline"
command = ""

[checks]
notes = ["It is part of stagecoach: there is nothing to install and nobody to log in."]

[guide]
use_when = [
    "No agent is installed, there is no network, or nothing may leave this machine.",
    "You want the same message for the same change every time, at once and at no cost.",
]
avoid_when = [
    "The message has to say why: no model reads the change, rules look at paths, counts and names of definitions only.",
]
"#;

/// The names of the built-in agents, in the order in which installed ones are looked for. `offline` is not among them.
pub fn agents() -> impl Iterator<Item = &'static str> {
    AGENTS.iter().map(|(name, _)| *name)
}

/// What the built-in manifest of `name` says, if there is one.
///
/// # Errors
/// A built-in manifest cannot be read, which the tests rule out.
pub(super) fn partial(name: &str) -> Result<Option<Partial>, LayerError> {
    let source = match AGENTS.iter().find(|(agent, _)| *agent == name) {
        Some((_, source)) => source,
        None if name == OFFLINE => OFFLINE_MANIFEST,
        None => return Ok(None),
    };
    read(name, source, false).map(Some)
}

fn read(name: &str, source: &str, checked: bool) -> Result<Partial, LayerError> {
    let document = DeTable::parse(source)
        .map_err(|error| LayerError::Syntax { message: error.message().to_owned(), span: error.span() })?;
    Ok(Partial::read(name, document.get_ref(), &Arc::from(LABEL), checked)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::Manifest;

    #[test]
    fn every_built_in_is_a_complete_manifest_with_valid_expressions() {
        for (name, source) in AGENTS.into_iter().chain([(OFFLINE, OFFLINE_MANIFEST)]) {
            let partial = read(name, source, true).unwrap_or_else(|error| panic!("{name}: {error}"));
            let manifest = Manifest::build(name, &partial).unwrap_or_else(|error| panic!("{error}"));
            manifest.failures.compile().unwrap();
            assert_eq!(manifest.is_offline(), name == OFFLINE);
        }
    }

    #[test]
    fn every_file_of_the_folder_is_compiled_in() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/providers");
        let mut files: Vec<_> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter_map(|file| file.strip_suffix(".toml").map(str::to_owned))
            .collect();
        files.sort();
        let mut names: Vec<_> = agents().collect();
        names.sort_unstable();
        assert_eq!(files, names);
    }

    #[test]
    fn every_agent_bounds_itself_in_bare_mode() {
        for name in agents() {
            let manifest = Manifest::build(name, &partial(name).unwrap().unwrap()).unwrap();
            assert!(!manifest.bare_flags.is_empty(), "{name} has nothing that turns its tools off");
            assert!(!manifest.checks.notes.is_empty(), "{name} does not say where to get it");
        }
    }
}
