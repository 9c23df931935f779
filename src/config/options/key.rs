//! The keys that the table's rows stand for, with the names that each layer has for them.

use std::fmt;

use toml::de::DeValue;

use super::{
    ADMISSION_SECTION, Declaration, GIT_SECTION, PROVIDER_SECTION, TABLE, Target, VARIABLE_PREFIX, VERSION_KEY,
};
use crate::config::problem::Problem;
use crate::config::settings::{SeatSettings, Settings};
use crate::config::slot::{Dialect, Slot};
use crate::config::text::nearest;
use crate::config::value::Value;
use crate::role::Role;

/// One key that can be set: a setting, for the run or all roles, or for one role.
#[derive(Clone, Copy)]
pub struct Key {
    declaration: &'static Declaration,
    role: Option<Role>,
}

/// Asks the slot of a key, whatever it sets.
macro_rules! with_slot {
    ($key:expr, $slot:ident => $asked:expr) => {
        match &$key.declaration.target {
            Target::Run($slot) => $asked,
            Target::Role { slot: $slot, .. } => $asked,
            Target::Admission { slot: $slot, .. } => $asked,
        }
    };
}

impl Key {
    /// Every key, in the order of the table; a role's keys follow the key for all roles.
    pub fn all() -> impl Iterator<Item = Key> {
        TABLE.iter().flat_map(|declaration| {
            let roles: &[Role] = match declaration.target {
                Target::Run(_) | Target::Admission { .. } => &[],
                Target::Role { .. } => &Role::ALL,
            };
            let of_roles = roles.iter().map(move |role| Key { declaration, role: Some(*role) });
            std::iter::once(Key { declaration, role: None }).chain(of_roles)
        })
    }

    /// The key of that dotted path.
    #[must_use]
    pub fn find(path: &str) -> Option<Key> {
        Key::all().find(|key| key.path() == path)
    }

    /// Whether files have a table of that dotted path in which keys of settings are.
    pub(crate) fn is_section(path: &str) -> bool {
        Key::all().any(|key| key.path().strip_prefix(path).is_some_and(|rest| rest.starts_with('.')))
    }

    /// The path that an unknown path was most likely meant to be: the nearest name in the same table, else the same name
    /// in another one.
    pub(crate) fn nearest_path(path: &str) -> Option<String> {
        let (section, name) = path.rsplit_once('.').unwrap_or(("", path));
        if let Some(of) = section.strip_prefix(ADMISSION_SECTION).filter(|of| of.starts_with('.')) {
            // The tables of providers have the keys of the section itself.
            let fields = Key::all().filter(|key| key.is_of_providers()).map(Key::field);
            return nearest(name, fields).map(|found| format!("{ADMISSION_SECTION}{of}.{found}"));
        }
        let prefix = if section.is_empty() { String::new() } else { format!("{section}.") };
        let mut known: Vec<_> = Key::all().map(Key::path).collect();
        known.extend([PROVIDER_SECTION, VERSION_KEY].map(str::to_owned));
        let siblings = known.iter().filter_map(|path| path.strip_prefix(&prefix)?.split('.').next());
        match nearest(name, siblings) {
            Some(found) => Some(format!("{prefix}{found}")),
            None => Key::all().find(|key| key.field() == name).map(Key::path),
        }
    }

    /// The row of the table.
    #[must_use]
    pub const fn declaration(self) -> &'static Declaration {
        self.declaration
    }

    /// The role, for a key of one role.
    #[must_use]
    pub const fn role(self) -> Option<Role> {
        self.role
    }

    /// The same setting for one role; for a setting of the run, the key itself.
    pub(crate) const fn of_role(self, role: Role) -> Key {
        match self.declaration.target {
            Target::Run(_) | Target::Admission { .. } => self,
            Target::Role { .. } => Key { declaration: self.declaration, role: Some(role) },
        }
    }

    /// The key for all roles of a role's key; for a setting of the run, the key itself.
    pub(crate) const fn of_all_roles(self) -> Key {
        Key { declaration: self.declaration, role: None }
    }

    /// The key's last part.
    #[must_use]
    pub fn field(self) -> &'static str {
        self.declaration.key.rsplit('.').next().unwrap_or(self.declaration.key)
    }

    /// The table that the key is in.
    #[must_use]
    pub fn section(self) -> String {
        let path = self.path();
        path.rsplit_once('.').map_or_else(String::new, |(section, _)| section.to_owned())
    }

    /// The dotted path in a file.
    #[must_use]
    pub fn path(self) -> String {
        match self.role {
            None => self.declaration.key.to_owned(),
            Some(role) => format!("role.{role}.{}", self.field()),
        }
    }

    /// The environment variable.
    #[must_use]
    pub fn variable(self) -> Option<String> {
        self.declaration.variable.map(|name| match self.role {
            None => format!("{VARIABLE_PREFIX}{name}"),
            Some(role) => format!("{VARIABLE_PREFIX}{}_{name}", role.name().to_ascii_uppercase()),
        })
    }

    /// The whole key in git's configuration.
    #[must_use]
    pub fn git_key(self) -> Option<String> {
        self.declaration.git_key.map(|name| match self.role {
            None => format!("{GIT_SECTION}.{name}"),
            Some(role) => format!("{GIT_SECTION}.role.{role}.{name}"),
        })
    }

    /// The flag.
    #[must_use]
    pub fn flag(self) -> Option<String> {
        self.declaration.flag.map(|flag| match self.role {
            None => flag.to_owned(),
            Some(role) => format!("--{role}-{}", flag.trim_start_matches('-')),
        })
    }

    /// What is accepted, in words.
    #[must_use]
    pub fn expects(self) -> String {
        with_slot!(self, slot => slot.expects())
    }

    /// What is accepted, as a JSON Schema.
    pub(crate) fn json_schema(self) -> serde_json::Map<String, serde_json::Value> {
        with_slot!(self, slot => slot.json_schema())
    }

    /// The built-in default. A role's key has one only where the role differs from the others.
    #[must_use]
    pub fn default_value(self) -> Option<&'static Value> {
        match (self.role, &self.declaration.target) {
            (None, _) => self.declaration.default.as_ref(),
            (Some(role), Target::Role { presets, .. }) => {
                presets.iter().find(|(preset, _)| *preset == role).map(|(_, value)| value)
            }
            (Some(_), Target::Run(_) | Target::Admission { .. }) => None,
        }
    }

    /// Whether it takes a boolean and nothing else.
    pub(crate) const fn is_switch(self) -> bool {
        matches!(self.declaration.target, Target::Run(Slot::Switch(_)) | Target::Role { slot: Slot::Switch(_), .. })
    }

    /// Reads a value from a file.
    pub(crate) fn read_toml(self, value: &DeValue<'_>) -> Result<Value, Problem> {
        with_slot!(self, slot => slot.read_toml(value))
    }

    /// Reads a value from text.
    pub(crate) fn read_text(self, text: &str, dialect: Dialect) -> Result<Value, Problem> {
        with_slot!(self, slot => slot.read_text(text, dialect))
    }

    /// Stores a value that this key has read. A setting of the roles is stored for this key's role, or for all; one of
    /// providers for all but those that have a built-in default of their own.
    pub(crate) fn store(self, settings: &mut Settings, value: &Value) {
        match (&self.declaration.target, self.role) {
            (Target::Run(slot), _) => slot.store(settings, value),
            (Target::Admission { slot, presets }, _) => {
                slot.store(&mut settings.admission.general, value);
                let has_own = |name: &String| presets.iter().any(|(provider, _)| provider == name);
                let providers = settings.admission.providers.iter_mut();
                providers.filter(|(name, _)| !has_own(name)).for_each(|(_, seats)| slot.store(seats, value));
            }
            (Target::Role { slot, .. }, Some(role)) => slot.store(settings.role_mut(role), value),
            (Target::Role { slot, .. }, None) => {
                for role in Role::ALL {
                    slot.store(settings.role_mut(role), value);
                }
            }
        }
    }

    /// Whether single providers may have a value of their own.
    pub(crate) const fn is_of_providers(self) -> bool {
        matches!(self.declaration.target, Target::Admission { .. })
    }

    /// The built-in defaults of single providers.
    pub(crate) const fn provider_presets(self) -> &'static [(&'static str, Value)] {
        match &self.declaration.target {
            Target::Admission { presets, .. } => presets,
            Target::Run(_) | Target::Role { .. } => &[],
        }
    }

    /// The key with this name in the table of a provider's seats.
    pub(crate) fn find_of_provider(name: &str) -> Option<Key> {
        Key::find(&format!("{ADMISSION_SECTION}.{name}")).filter(|key| key.is_of_providers())
    }

    /// The dotted path of a provider's own value.
    pub(crate) fn path_of_provider(self, provider: &str) -> String {
        format!("{}.{}", Self::section_of_provider(provider), self.field())
    }

    /// The dotted path of the table of a provider's seats.
    pub(crate) fn section_of_provider(provider: &str) -> String {
        format!("{ADMISSION_SECTION}.{}", toml_edit::Key::new(provider).display_repr())
    }

    /// Stores a value that this key has read among the seats of one provider.
    pub(crate) fn store_seats(self, seats: &mut SeatSettings, value: &Value) {
        if let Target::Admission { slot, .. } = &self.declaration.target {
            slot.store(seats, value);
        }
    }

    /// Whether the lists of all layers are joined.
    #[must_use]
    pub const fn adds_up(self) -> bool {
        with_slot!(self, slot => slot.adds_up())
    }
}

impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        self.declaration.key == other.declaration.key && self.role == other.role
    }
}

impl Eq for Key {}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.path())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::role::Reasoning;

    #[test]
    fn no_name_is_used_twice() {
        let names = [Key::variable as fn(Key) -> Option<String>, Key::git_key, Key::flag, |key| Some(key.path())];
        for name in names {
            let all: Vec<_> = Key::all().filter_map(name).map(|name| name.to_lowercase()).collect();
            assert_eq!(all.iter().collect::<HashSet<_>>().len(), all.len(), "{all:?}");
        }
    }

    #[test]
    fn a_setting_of_roles_stands_for_five_keys() {
        let keys: Vec<_> = Key::all().filter(|key| key.field() == "timeout").collect();
        let paths: Vec<_> = keys.iter().map(|key| key.path()).collect();
        let expected = [
            "defaults.timeout",
            "role.planner.timeout",
            "role.stager.timeout",
            "role.message.timeout",
            "role.arbiter.timeout",
        ];
        assert_eq!(paths, expected);
        let planner = keys[1];
        assert_eq!(planner.variable().as_deref(), Some("STAGECOACH_PLANNER_TIMEOUT"));
        assert_eq!(planner.git_key().as_deref(), Some("stagecoach.role.planner.timeout"));
        assert_eq!(planner.flag().as_deref(), Some("--planner-timeout"));
        assert_eq!((planner.section().as_str(), planner.role()), ("role.planner", Some(Role::Planner)));
        assert_eq!(planner.of_all_roles(), keys[0]);
        assert_eq!(keys[0].of_role(Role::Planner), planner);
        assert_eq!(Key::find("role.planner.timeout"), Some(planner));
    }

    #[test]
    fn sections_hold_keys() {
        for section in ["defaults", "role", "role.planner", "generation", "decompose", "security"] {
            assert!(Key::is_section(section), "{section}");
        }
        for other in ["", "default", "roles", "generation.format", "provider", "decomposition"] {
            assert!(!Key::is_section(other), "{other}");
        }
    }

    #[test]
    fn every_default_is_accepted_as_text() {
        for key in Key::all() {
            let Some(value) = key.default_value() else { continue };
            if matches!(value, Value::List(_)) {
                continue;
            }
            let text = value.to_string();
            assert_eq!(key.read_text(text.trim_matches('"'), Dialect::Plain).as_ref(), Ok(value), "{key:?}");
        }
    }

    #[test]
    fn names_of_levels_are_those_of_the_type() {
        let key = Key::find("defaults.reasoning").unwrap();
        for level in Reasoning::ALL {
            let mut settings = Settings::blank();
            key.store(&mut settings, &key.read_text(level.name(), Dialect::Plain).unwrap());
            assert_eq!(settings.roles.message.reasoning, level);
        }
    }
}
