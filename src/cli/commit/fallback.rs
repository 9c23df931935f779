//! The providers of `[defaults] fallback`: who is asked when a role's own provider fails for a reason of its own.

use std::sync::Arc;

use crate::agent::{Agent, AgentFailure, Candidate, Fallback, Named};
use crate::config::RoleSettings;
use crate::progress::Progress;
use crate::provider::Manifest;
use crate::role::Role;
use crate::ui::json;

use super::super::Failure;
use super::super::failure::ERROR;
use super::Run;
use super::prepare::Writer;

impl Run<'_> {
    /// The chosen provider, followed by those of `fallback` that are installed. They use their own default models: the
    /// one that was chosen is another provider's.
    pub(super) fn with_fallback(&self, role: Role, chosen: Result<Writer, AgentFailure>) -> Result<Writer, Failure> {
        let settings = RoleSettings { model: None, ..self.settings.role(role).clone() };
        let mut candidates: Vec<Candidate> = Vec::new();
        let (mut names, mut first, missing) = match chosen {
            Ok(Writer { agent, manifest }) => {
                let model = self.settings.role(role).model.as_deref();
                candidates.push(candidate(agent, &manifest, model, true));
                (vec![manifest.name.clone()], Some(manifest), None)
            }
            Err(failure) => (vec![failure.provider.clone()], None, Some(failure)),
        };
        let registry = self.registry()?;
        for name in &self.settings.fallback {
            let manifest = registry.get(name).map_err(|error| in_fallback(error.into()))?.manifest;
            if names.contains(&manifest.name) {
                continue;
            }
            names.push(manifest.name.clone());
            match self.agent(&manifest, &settings)? {
                Ok(agent) => {
                    candidates.push(candidate(agent, &manifest, None, false));
                    first.get_or_insert(manifest);
                }
                Err(failure) => self.progress.detail(&format!("no fallback: {failure}")),
            }
        }
        let manifest = match (first, missing) {
            (Some(manifest), Some(failure)) => {
                self.progress.notice(&format!("{failure}; {} is asked instead", manifest.name));
                manifest
            }
            (Some(manifest), None) => manifest,
            (None, Some(failure)) => return Err(Failure::from(failure).exit(ERROR)),
            (None, None) => return Err(Failure::new("bug", "there is nobody to ask", "", "this is a bug")),
        };
        // Messages of large changes may be asked for in several turns, before another provider is.
        let leaves_blanks = role == Role::Message && self.settings.generation.multi_turn_fallback;
        let progress: Arc<dyn Progress> = self.progress.clone();
        let agent = Fallback::new(candidates, leaves_blanks, self.standing.clone(), progress);
        Ok(Writer { agent: Box::new(agent), manifest })
    }

    /// Who really answered, for the document.
    pub(super) fn note_substitutes(&self, document: &mut json::Document) {
        for (role, name) in self.standing.substitutes() {
            let model = Some(name.model).filter(|model| !model.is_empty());
            if role == Role::Message {
                document.provider = Some(name.provider.clone());
                document.model.clone_from(&model);
            }
            let reasoning = self.settings.role(role).reasoning.name();
            document.roles.insert(role.name(), json::Role { provider: name.provider, model, reasoning });
        }
    }
}

fn candidate(agent: Box<dyn Agent>, manifest: &Manifest, model: Option<&str>, chosen: bool) -> Candidate {
    let model = model.unwrap_or(&manifest.default_model).to_owned();
    Candidate { agent, name: Named { provider: manifest.name.clone(), model }, chosen }
}

fn in_fallback(failure: Failure) -> Failure {
    Failure { what: format!("{}, which `fallback` names", failure.what), ..failure }
}
