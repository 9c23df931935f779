//! `stagecoach config upgrade`

use crate::config::{Upgrade, upgrades, write_upgrade};
use crate::untrusted::stripped;

use super::super::args::GlobalArgs;
use super::super::context::{Context, check_providers};
use super::super::{Failure, to_stdout};

/// Brings every file that is looked at up to date. One that cannot be does not keep the others from it.
pub(super) fn run(global: &GlobalArgs) -> Result<(), Failure> {
    let context = Context::anywhere(global)?;
    let mut failed = None;
    let mut seen = false;
    for (path, upgrade) in upgrades(&context.sources) {
        let shown = stripped(&path.to_string_lossy());
        let line = upgrade.map_err(Failure::from).and_then(|upgrade| {
            Ok(Some(match upgrade {
                Upgrade::Absent => return Ok(None),
                Upgrade::Current => "is up to date".to_owned(),
                Upgrade::Inactive => "sets nothing, so it stays as it is".to_owned(),
                Upgrade::Newer(version) => {
                    format!("has config_version {version}, newer than this program; it stays as it is")
                }
                Upgrade::Outdated { text, providers } => {
                    providers.iter().try_for_each(check_providers)?;
                    let backup = write_upgrade(&context.sources, &path, &text, context.copies().as_deref())?;
                    format!("is upgraded; the old one is kept as {}", stripped(&backup.to_string_lossy()))
                }
            }))
        });
        match line {
            Ok(None) => continue,
            Ok(Some(line)) => to_stdout(&format!("{shown} {line}\n"))?,
            Err(failure) => {
                failed.get_or_insert(failure);
            }
        }
        seen = true;
    }
    if let Some(failure) = failed {
        return Err(failure);
    }
    if seen { Ok(()) } else { to_stdout("there is no configuration file; `stagecoach config init` writes one\n") }
}
