//! `stagecoach trust`

use crate::config::REPOSITORY_FILE;
use crate::config::trust::{Store, TrustError};
use crate::git::Repository;
use crate::untrusted::stripped;

use super::args::GlobalArgs;
use super::context::Context;
use super::failure::as_hint;
use super::{Failure, to_stdout};

pub(super) fn run(list: bool, revoke: bool, global: &GlobalArgs) -> Result<(), Failure> {
    let context = Context::anywhere(global)?;
    let store = Store::of(&context.sources.environment).ok_or_else(|| {
        Failure::new("trust", "there is no folder to keep trust in", "HOME is not set", "set HOME or XDG_STATE_HOME")
    })?;
    if list {
        let lines = store.list()?.into_iter().map(|file| format!("{}  {}\n", file.sha256, file.path.display()));
        return to_stdout(&stripped(&lines.collect::<Vec<_>>().concat()));
    }
    let repository = match context.repository {
        Some(repository) => repository,
        None => Repository::open()?,
    };
    let path = repository.paths().work_tree.join(REPOSITORY_FILE);
    if revoke {
        let was = store.revoke(&path)?;
        let text = if was { "is not trusted any more" } else { "was not trusted" };
        return to_stdout(&stripped(&format!("{} {text}\n", path.display())));
    }
    let trusted = store.trust(&path)?;
    to_stdout(&stripped(&format!(
        "{} is trusted as it is now (sha256 {})\nAny change to it ends that.\n",
        trusted.path.display(),
        trusted.sha256
    )))
}

impl From<TrustError> for Failure {
    fn from(error: TrustError) -> Self {
        Failure::new("trust", "trust was not read or changed", error.to_string(), as_hint(&error.hint()))
    }
}
