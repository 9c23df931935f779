//! What `config init` writes around the settings: remarks, and keys with their defaults, all as comments.

use std::collections::HashSet;

use super::Agent;
use crate::config::options::{Key, Target};
use crate::config::slot::Slot;
use crate::config::value::Value;
use crate::role::Role;

/// The first lines of the file.
pub(super) const HEADER: [&str; 3] = [
    "# Settings of stagecoach. Take the `#` away from a key to set it; what it says then is its default.",
    "# `stagecoach config show --origin` prints what is in effect and who set it.",
    "# `stagecoach config init --force` renews these remarks and keeps all settings and every remark of yours.",
];

/// The version, where nothing is to be set.
pub(super) const VERSION: &str = "# config_version = 3";

const ROLES: &str = "# Each role can have its own; what it does not set is taken from [defaults].";

/// The tables that settings are in, in the order of the option table; roles after the defaults.
pub(super) fn sections() -> Vec<String> {
    let mut sections: Vec<String> = Vec::new();
    let role = |role: &Role| format!("role.{role}");
    for key in Key::all().filter(|key| key.role().is_none()) {
        let section = key.section();
        if !sections.contains(&section) {
            sections.push(section);
        }
    }
    let after_defaults = sections.iter().position(|section| section == "defaults").map_or(0, |at| at + 1);
    sections.splice(after_defaults..after_defaults, Role::ALL.iter().map(role));
    sections
}

/// The keys of a section.
pub(super) fn keys(section: &str) -> impl Iterator<Item = Key> {
    Key::all().filter(move |key| key.section() == section)
}

/// The remark before a key; keys of roles have none, since [`section`] speaks for them.
pub(super) fn of_key(key: Key) -> Option<String> {
    if key.role().is_some() {
        return None;
    }
    let expects = match key.expects() {
        text if text == "text" => String::new(),
        other => format!(" ({other})"),
    };
    Some(format!("# {}{expects}", key.declaration().doc))
}

/// The remarks below a section's header.
pub(super) fn of_section(section: &str) -> Option<&'static str> {
    Role::ALL.first().is_some_and(|role| section == format!("role.{role}")).then_some(ROLES)
}

/// The key as a comment, with its default, or with what could be set.
pub(super) fn unset(key: Key, agent: Option<&Agent>) -> String {
    let suggestion = key.role().filter(|_| key.field() == "model").and_then(|role| agent?.suggestion(role));
    let value = match suggestion {
        Some(model) => quoted(&model),
        None => default_text(key),
    };
    format!("# {} = {value}", key.field())
}

fn default_text(key: Key) -> String {
    if let Some(value) = key.default_value().or_else(|| key.of_all_roles().default_value()) {
        return value.to_string();
    }
    match &key.declaration().target {
        Target::Run(slot) => example(slot),
        Target::Role { slot, .. } => example(slot),
        Target::Admission { slot, .. } => example(slot),
    }
}

fn example<T>(slot: &Slot<T>) -> String {
    match slot {
        Slot::Switch(_) => "true".to_owned(),
        Slot::Choice(choices) => quoted(choices.first().map_or("", |choice| choice.name)),
        Slot::List { .. } => "[]".to_owned(),
        Slot::Level { .. } | Slot::Integer { .. } => "0".to_owned(),
        Slot::Text { .. } | Slot::Duration { .. } => quoted(""),
    }
}

pub(super) fn quoted(text: &str) -> String {
    Value::Text(text.to_owned()).to_string()
}

/// What is said of a model where none can be chosen for the user.
pub(super) fn no_model(agent: &Agent) -> Vec<String> {
    if !agent.needs_backend || agent.models.is_empty() {
        return Vec::new();
    }
    let name = &agent.name;
    vec![
        format!("# {name} wants a model as backend/model, and which it has depends on your login:"),
        format!("# `stagecoach models {name}` lists them. Set one here, or others for single roles below."),
    ]
}

/// What is said where no agent is installed.
pub(super) fn nothing_installed() -> Vec<String> {
    vec![
        "# No coding agent is installed; `offline` writes messages from the change alone.".to_owned(),
        "# Install one of those that `stagecoach providers list` names, and name it here.".to_owned(),
    ]
}

/// How to use another agent that is installed.
pub(super) fn alternative(agent: &Agent) -> Vec<String> {
    let mut lines = vec![format!("# {} is installed, too. For it, set:", agent.name)];
    lines.push(format!("#   [defaults] provider = {}", quoted(&agent.name)));
    for role in Role::ALL {
        lines.extend(agent.suggestion(role).map(|model| format!("#   [role.{role}] model = {}", quoted(&model))));
    }
    lines
}

/// Every line that `config init` may have written as a comment, whatever was installed then.
pub(super) fn all(agents: &[Agent]) -> HashSet<String> {
    let mut all: HashSet<String> = HEADER.iter().chain([&VERSION, &ROLES]).map(|line| (*line).to_owned()).collect();
    all.extend(sections().into_iter().map(|section| format!("# [{section}]")));
    all.extend(nothing_installed());
    for key in Key::all() {
        all.extend(of_key(key));
        all.insert(unset(key, None));
        all.extend(agents.iter().map(|agent| unset(key, Some(agent))));
    }
    for agent in agents {
        all.extend(no_model(agent));
        all.extend(alternative(agent));
    }
    all
}
