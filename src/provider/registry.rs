//! All providers of a run: the built-ins with the user's layers over them, and the user's own.
//!
//! A provider is put together when it is asked for, so that a run pays for the one it uses. What the user's layers say is
//! checked at once: a mistake in a table that is not used today is still a mistake.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use super::builtin::{self, OFFLINE};
use super::error::{LayerError, ManifestError, Problem};
use super::fields::{EXTENDS, nearest};
use super::layer::{Layer, Partial};
use super::schema::Manifest;
use crate::program::SearchPath;

/// Where a provider's definition begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// A manifest that is compiled in; layers may have changed it.
    BuiltIn,
    /// The provider that runs no program.
    Offline,
    /// The user's configuration alone.
    User,
}

/// One provider with its layers merged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Provider {
    /// The complete manifest.
    pub manifest: Manifest,
    /// What the layers said, with the origin of each value.
    pub fields: Partial,
    /// Where it begins.
    pub source: Source,
}

/// No provider has that name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no provider `{name}`{}; known are {}", hint(nearest.as_deref()), known.join(", "))]
pub struct UnknownProvider {
    /// The name that was asked for.
    pub name: String,
    /// The known name that is nearest.
    pub nearest: Option<String>,
    /// All known names.
    pub known: Vec<String>,
}

/// A provider cannot be had.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RegistryError {
    /// No provider has that name.
    #[error(transparent)]
    Unknown(#[from] UnknownProvider),
    /// Its definition is at fault.
    #[error(transparent)]
    Layer(#[from] LayerError),
}

/// The provider of a run in which nothing names one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Choice {
    /// The first built-in agent that is installed, and its program.
    Installed {
        /// The provider.
        provider: Box<Provider>,
        /// What `detect` was found as.
        program: PathBuf,
    },
    /// No agent is installed; the user should be told that `offline` is used.
    Offline(Box<Provider>),
}

impl Choice {
    /// The chosen provider.
    #[must_use]
    pub fn provider(&self) -> &Provider {
        match self {
            Choice::Installed { provider, .. } | Choice::Offline(provider) => provider,
        }
    }
}

/// All providers of a run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Registry {
    layers: Vec<Layer>,
}

impl Registry {
    /// Takes the user's layers, lowest first.
    ///
    /// # Errors
    /// A provider that a layer names is at fault when all of its layers are merged.
    pub fn new(layers: Vec<Layer>) -> Result<Self, LayerError> {
        let registry = Self { layers };
        for name in registry.named_by_layers() {
            registry.merge(&name)?;
        }
        Ok(registry)
    }

    /// The names of all providers: built-in agents in the order of detection, `offline`, then the user's own by name.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = builtin::agents().chain([OFFLINE]).map(str::to_owned).collect();
        let own: Vec<String> = self.named_by_layers().into_iter().filter(|name| !names.contains(name)).collect();
        names.extend(own);
        names
    }

    /// The provider of that name.
    ///
    /// # Errors
    /// There is none, which comes with the nearest name, or its definition is at fault.
    pub fn get(&self, name: &str) -> Result<Provider, RegistryError> {
        if let Some(provider) = self.merge(name)? {
            return Ok(provider);
        }
        let known = self.names();
        let nearest = nearest(name, known.iter().map(String::as_str)).map(str::to_owned);
        Err(UnknownProvider { name: name.to_owned(), nearest, known }.into())
    }

    /// All providers, in the order of [`Registry::names`].
    ///
    /// # Errors
    /// As for [`Registry::new`].
    pub fn all(&self) -> Result<Vec<Provider>, LayerError> {
        let providers = self.names().into_iter().filter_map(|name| self.merge(&name).transpose());
        providers.collect()
    }

    /// The names of the providers that can stage with tools.
    ///
    /// # Errors
    /// As for [`Registry::new`].
    pub fn stagers(&self) -> Result<Vec<String>, LayerError> {
        let able = self.all()?.into_iter().filter(|provider| provider.manifest.can_stage());
        Ok(able.map(|provider| provider.manifest.name).collect())
    }

    /// The first built-in agent whose `detect` program is installed, else `offline`. Providers that only the user's
    /// configuration defines are never chosen.
    ///
    /// # Errors
    /// As for [`Registry::new`].
    pub fn choose(&self, path: &SearchPath) -> Result<Choice, LayerError> {
        for name in builtin::agents() {
            let Some(provider) = self.merge(name)? else { continue };
            if let Some(program) = path.find(&provider.manifest.detect) {
                return Ok(Choice::Installed { provider: Box::new(provider), program });
            }
        }
        let partial = builtin::partial(OFFLINE)?.unwrap_or_default();
        let manifest = Manifest::build(OFFLINE, &partial)?;
        Ok(Choice::Offline(Box::new(Provider { manifest, fields: partial, source: Source::Offline })))
    }

    /// The first built-in agent besides `other` that is installed and can stage with tools.
    ///
    /// # Errors
    /// As for [`Registry::new`].
    pub fn choose_stager(&self, path: &SearchPath, other: &str) -> Result<Option<Provider>, LayerError> {
        for name in builtin::agents().filter(|name| *name != other) {
            let provider = self.merge(name)?;
            if let Some(provider) = provider.filter(|provider| provider.manifest.can_stage())
                && path.find(&provider.manifest.detect).is_some()
            {
                return Ok(Some(provider));
            }
        }
        Ok(None)
    }

    fn named_by_layers(&self) -> BTreeSet<String> {
        self.layers.iter().flat_map(|layer| layer.providers.keys().cloned()).collect()
    }

    fn merge(&self, name: &str) -> Result<Option<Provider>, LayerError> {
        let built_in = builtin::partial(name)?;
        let layers: Vec<&Partial> = self.layers.iter().filter_map(|layer| layer.providers.get(name)).collect();
        if built_in.is_none() && layers.is_empty() {
            return Ok(None);
        }
        let source = match built_in {
            Some(_) if name == OFFLINE => Source::Offline,
            Some(_) => Source::BuiltIn,
            None => Source::User,
        };
        let base = built_in.unwrap_or_default();
        if source == Source::Offline {
            layers.iter().try_for_each(|layer| refuse_changes(&base, layer))?;
        }
        let fields = layers.into_iter().fold(base, Partial::overlaid);
        if let (Source::BuiltIn, Some(entry)) = (source, fields.get(EXTENDS.name)) {
            let (layer, span) = (Arc::clone(&entry.layer), entry.span.clone());
            let (field, problem) = (EXTENDS.name.into(), Problem::ExtendsBuiltIn);
            return Err(ManifestError { provider: name.into(), field, layer, span, problem }.into());
        }
        let manifest = Manifest::build(name, &fields)?;
        Ok(Some(Provider { manifest, fields, source }))
    }
}

/// A layer may repeat what `offline` is, as a pasted printout does, but not change it.
fn refuse_changes(offline: &Partial, layer: &Partial) -> Result<(), ManifestError> {
    let manifest = Manifest::build(OFFLINE, offline)?;
    for (key, entry) in layer.iter() {
        let alone = Manifest::build(OFFLINE, &offline.clone().overlaid(&layer.only(key)))?;
        if alone != manifest {
            return Err(ManifestError {
                provider: OFFLINE.into(),
                field: key.into(),
                layer: Arc::clone(&entry.layer),
                span: entry.span.clone(),
                problem: Problem::OfflineIsFixed,
            });
        }
    }
    Ok(())
}

fn hint(nearest: Option<&str>) -> String {
    nearest.map(|name| format!(" (did you mean `{name}`?)")).unwrap_or_default()
}

#[cfg(test)]
#[path = "registry_tests.rs"]
mod tests;
