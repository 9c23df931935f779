//! From what every layer sets to one effective value per key, and who set it.

use std::collections::{BTreeMap, BTreeSet};

use super::error::ConfigError;
use super::options::{Key, Target};
use super::place::{Layer, Origin, Place};
use super::problem::Problem;
use super::settings::Settings;
use super::value::Value;
use crate::role::Role;

/// One layer sets one key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Assignment {
    pub(crate) key: Key,
    /// The provider whose own value it is, for seats.
    pub(crate) provider: Option<String>,
    pub(crate) value: Value,
    pub(crate) origin: Origin,
}

impl Assignment {
    /// Sets a key to what a value was read as.
    pub(crate) fn new(key: Key, read: Result<Value, Problem>, layer: Layer, place: Place) -> Result<Self, ConfigError> {
        match read {
            Ok(value) => Ok(Self { key, provider: None, value, origin: Origin::at(layer, place) }),
            Err(problem) => Err(ConfigError::invalid(place, key.path(), problem)),
        }
    }
}

/// The effective value of one key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Effective {
    /// The key.
    pub key: Key,
    /// The provider whose value it is, for seats that it has of its own.
    pub provider: Option<String>,
    /// The value; `None`: nothing sets it.
    pub value: Option<Value>,
    /// Who set it: one origin, or every one that added to a list. Never empty.
    pub origins: Vec<Origin>,
    /// For a role's or provider's value: the key for all of them that it was taken from.
    pub inherited_from: Option<Key>,
}

impl Effective {
    /// The dotted path in a file.
    #[must_use]
    pub fn path(&self) -> String {
        self.provider.as_ref().map_or_else(|| self.key.path(), |provider| self.key.path_of_provider(provider))
    }

    /// The table that the path is in.
    #[must_use]
    pub fn section(&self) -> String {
        self.provider.as_ref().map_or_else(|| self.key.section(), |provider| Key::section_of_provider(provider))
    }

    /// The highest layer that set it.
    #[must_use]
    pub fn layer(&self) -> Layer {
        self.origins.iter().map(|origin| origin.layer).max().unwrap_or(Layer::Default)
    }
}

/// Who set each effective value.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Origins {
    by_path: BTreeMap<String, Effective>,
    /// The paths of what single providers have.
    of_providers: Vec<String>,
}

impl Origins {
    /// The effective value of a dotted key, e.g. `generation.format` or `role.planner.timeout`.
    #[must_use]
    pub fn get(&self, path: &str) -> Option<&Effective> {
        self.by_path.get(path)
    }

    /// All effective values, in the order of the option table; those of single providers come last.
    pub fn iter(&self) -> impl Iterator<Item = &Effective> {
        let of_providers = self.of_providers.iter().filter_map(|path| self.get(path));
        Key::all().filter_map(|key| self.get(&key.path())).chain(of_providers)
    }

    pub(crate) fn value(&self, key: Key) -> Option<&Value> {
        self.get(&key.path())?.value.as_ref()
    }
}

/// Resolves what the layers set, in the order from the lowest to the highest; within a layer, a later assignment wins.
pub(crate) fn resolve(assignments: &[Assignment]) -> (Settings, Origins) {
    debug_assert!(assignments.is_sorted_by_key(|assignment| assignment.origin.layer), "layers come lowest first");
    let mut settings = Settings::blank();
    let mut origins = Origins::default();
    for key in Key::all() {
        let effective = effective(key, assignments);
        let is_stored = key.role().is_some() || !matches!(key.declaration().target, Target::Role { .. });
        if let (Some(value), true) = (&effective.value, is_stored) {
            key.store(&mut settings, value);
        }
        origins.by_path.insert(key.path(), effective);
    }
    resolve_seats(assignments, &mut settings, &mut origins);
    (settings, origins)
}

/// The seats of the providers that have values of their own.
fn resolve_seats(assignments: &[Assignment], settings: &mut Settings, origins: &mut Origins) {
    let presets = Key::all().flat_map(|key| key.provider_presets().iter().map(|(provider, _)| *provider));
    let set = assignments.iter().filter_map(|assignment| assignment.provider.as_deref());
    for provider in presets.chain(set).collect::<BTreeSet<&str>>() {
        let mut seats = settings.admission.general.clone();
        for key in Key::all().filter(|key| key.is_of_providers()) {
            let effective = of_provider(key, provider, assignments);
            if let Some(value) = &effective.value {
                key.store_seats(&mut seats, value);
            }
            let path = effective.path();
            origins.of_providers.push(path.clone());
            origins.by_path.insert(path, effective);
        }
        settings.admission.providers.insert(provider.to_owned(), seats);
    }
}

/// A provider's own value, else its built-in default, else the value for all providers.
fn of_provider(key: Key, provider: &str, assignments: &[Assignment]) -> Effective {
    let own = assignments.iter().rev().find(|found| found.key == key && found.provider.as_deref() == Some(provider));
    let preset = key.provider_presets().iter().find(|(name, _)| *name == provider);
    let found = match (own, preset) {
        (Some(own), _) => set(key, own),
        (None, Some((_, value))) => Effective { value: Some(value.clone()), ..unset_or_default(key) },
        (None, None) => Effective { inherited_from: Some(key), ..effective(key, assignments) },
    };
    Effective { provider: Some(provider.to_owned()), ..found }
}

fn effective(key: Key, assignments: &[Assignment]) -> Effective {
    match key.role() {
        Some(_) => of_role(key, assignments),
        None if key.adds_up() => joined(key, assignments),
        None => winner(key, assignments).map_or_else(|| unset_or_default(key), |found| set(key, found)),
    }
}

/// A role's own key, else the key for all roles; in between, a role's built-in default, which only what was asked for
/// in this very run beats.
fn of_role(key: Key, assignments: &[Assignment]) -> Effective {
    if let Some(found) = winner(key, assignments) {
        return set(key, found);
    }
    let general = key.of_all_roles();
    let inherited = |found: Effective| Effective { key, inherited_from: Some(general), ..found };
    let common = winner(general, assignments);
    match (common, key.default_value()) {
        (Some(found), None) => inherited(set(general, found)),
        (Some(found), Some(_)) if found.origin.layer >= Layer::Environment => inherited(set(general, found)),
        (_, Some(_)) => unset_or_default(key),
        (None, None) => inherited(unset_or_default(general)),
    }
}

fn winner(key: Key, assignments: &[Assignment]) -> Option<&Assignment> {
    assignments.iter().rev().find(|assignment| assignment.key == key && assignment.provider.is_none())
}

fn set(key: Key, found: &Assignment) -> Effective {
    let (value, origins) = (Some(found.value.clone()), vec![found.origin.clone()]);
    Effective { key, provider: None, value, origins, inherited_from: None }
}

fn unset_or_default(key: Key) -> Effective {
    let (value, origins) = (key.default_value().cloned(), vec![Origin::DEFAULT]);
    Effective { key, provider: None, value, origins, inherited_from: None }
}

/// The lists of all layers, one after the other.
fn joined(key: Key, assignments: &[Assignment]) -> Effective {
    let mut all = unset_or_default(key);
    let mut items = Vec::new();
    let mut origins = Vec::new();
    for assignment in assignments.iter().filter(|assignment| assignment.key == key) {
        if let Value::List(more) = &assignment.value {
            items.extend(more.iter().cloned());
            origins.push(assignment.origin.clone());
        }
    }
    if !origins.is_empty() {
        all.value = Some(Value::List(items));
        all.origins = origins;
    }
    all
}

/// A flag for all roles that does nothing for one role, because something sets that role's own value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shadowed {
    /// The flag.
    pub flag: String,
    /// The role.
    pub role: Role,
    /// The role's value.
    pub value: String,
    /// Who set the role's value.
    pub by: Origin,
}

impl std::fmt::Display for Shadowed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { flag, role, value, by } = self;
        let value = crate::untrusted::printable(value);
        write!(f, "{flag} does not apply to the {role} role, which has `{value}` from {by}")
    }
}

impl Origins {
    /// Where `--provider` or `--model` is shadowed by a role's own setting, for the roles that run. A role's own flag is
    /// as explicit as the flag for all roles, so that is no surprise and not reported.
    #[must_use]
    pub fn shadowed(&self, roles: &[Role]) -> Vec<Shadowed> {
        let general = ["defaults.provider", "defaults.model"].into_iter().filter_map(|path| self.get(path));
        let by_flag = general.filter(|common| common.layer() == Layer::CommandLine);
        by_flag.flat_map(|common| roles.iter().filter_map(|role| self.shadow(common, *role))).collect()
    }

    fn shadow(&self, common: &Effective, role: Role) -> Option<Shadowed> {
        let own = self.get(&common.key.of_role(role).path())?;
        let by = own.origins.first()?;
        if own.inherited_from.is_some() || own.value == common.value || by.layer == Layer::CommandLine {
            return None;
        }
        let value = match own.value.as_ref()? {
            Value::Text(text) => text.clone(),
            other => other.to_string(),
        };
        Some(Shadowed { flag: common.key.flag()?, role, value, by: by.clone() })
    }
}
