//! How a provider is asked: one call per question, or over the Agent Client Protocol where its manifest has a command for
//! that and a run needs several answers. All roles of a run share one process of a provider.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::agent::{Acp, Agent, AgentFailure, Host, HostError, OneShot, Options, Request, ToolCall, Workbench, Worker};
use crate::config::RoleSettings;
use crate::progress::Progress;
use crate::provider::{AcpUse, Manifest};
use crate::run::Cancel;

use super::super::context::search_path;
use super::Run;

/// A provider, and the model on its command line.
type Key = (String, Option<String>);

/// The processes of a run that speak the protocol.
#[derive(Debug, Default)]
pub(super) struct Hosts(Mutex<BTreeMap<Key, Arc<Host>>>);

/// Who stages with tools.
pub(super) enum Hands {
    /// A process for each task, confined by its flags.
    Single(Box<OneShot>),
    /// The same over the protocol, asking before it does anything.
    Acp(Box<Worker>),
}

impl Hands {
    pub(super) fn work(&self, request: &Request<'_>, bench: &Workbench<'_>, cancel: &Cancel) -> ToolCall {
        match self {
            Self::Single(single) => single.work(request, bench, cancel),
            Self::Acp(worker) => worker.work(request, bench, cancel),
        }
    }
}

impl Run<'_> {
    /// Asks over the protocol where that is wanted and possible, with single calls as the other way, where there is one.
    pub(super) fn reach(
        &self,
        manifest: &Manifest,
        role: &RoleSettings,
        single: Option<Result<OneShot, AgentFailure>>,
    ) -> Result<Box<dyn Agent>, AgentFailure> {
        let options = self.agent_options(role);
        let Some(single) = single else {
            let host = self.host(manifest, &options)?;
            return Ok(Box::new(Acp::new(host, options, None, true, self.progress.clone())));
        };
        let usage = manifest.acp.as_ref().map_or(AcpUse::Never, |acp| acp.usage);
        if usage == AcpUse::Never || usage == AcpUse::Staging && single.is_ok() {
            return single.map(|single| Box::new(single) as Box<dyn Agent>);
        }
        let always = usage == AcpUse::Always;
        match (self.host(manifest, &options), single) {
            (Ok(host), single) => {
                let always = always || single.is_err();
                let agent = Acp::new(host, options, single.ok(), always, self.progress.clone());
                Ok(Box::new(agent))
            }
            (Err(error), Ok(single)) => {
                self.progress.detail(&format!("{} is called once per question: {error}", manifest.name));
                Ok(Box::new(single))
            }
            (Err(_), Err(failure)) => Err(failure),
        }
    }

    /// Who stages with tools: over the protocol where the manifest has a mode for that, with single calls as the other way.
    pub(super) fn hands(
        &self,
        manifest: &Manifest,
        role: &RoleSettings,
        single: Option<Result<OneShot, AgentFailure>>,
    ) -> Result<Hands, AgentFailure> {
        let (options, top) = (self.agent_options(role), &self.repository.paths().work_tree);
        let worker = || Worker::new(manifest.clone(), options, top, &search_path(), self.progress.clone());
        match single {
            Some(single) if !manifest.stages_over_acp() => single.map(|single| Hands::Single(Box::new(single))),
            Some(Ok(single)) => Ok(match worker() {
                Ok(worker) => Hands::Acp(Box::new(worker.or_by(single))),
                Err(error) => {
                    self.progress.detail(&format!("{} stages by single calls: {error}", manifest.name));
                    Hands::Single(Box::new(single))
                }
            }),
            None | Some(Err(_)) => Ok(Hands::Acp(Box::new(worker()?))),
        }
    }

    /// The process of a provider, not started yet.
    fn host(&self, manifest: &Manifest, options: &Options) -> Result<Arc<Host>, HostError> {
        let mut hosts = self.hosts.0.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (manifest.name.clone(), Host::model_argument(manifest, options));
        if let Some(host) = hosts.get(&key) {
            return Ok(Arc::clone(host));
        }
        let top = &self.repository.paths().work_tree;
        let host = Arc::new(Host::new(manifest.clone(), options, top, &search_path())?);
        hosts.insert(key, Arc::clone(&host));
        Ok(host)
    }
}
