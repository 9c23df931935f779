//! `stagecoach config …`

mod init;
mod interview;
mod schema;
mod upgrade;

use crate::config::{WriteError, files, show, show_files, show_json};

use super::args::{ConfigCommand, GlobalArgs};
use super::context::{Context, registry, seats_of_nobody};
use super::failure::as_hint;
use super::{Failure, json_to_stdout, to_stderr, to_stdout};

pub(super) fn run(command: &ConfigCommand, global: &GlobalArgs) -> Result<(), Failure> {
    match command {
        ConfigCommand::Path => to_stdout(&show_files(&files(&Context::anywhere(global)?.sources))),
        ConfigCommand::Show { origin, json } => {
            let mut loaded = Context::anywhere(global)?.load()?;
            // What is wrong with a table of a provider is told by the commands that use it.
            let unknown = registry(&loaded).map(|registry| seats_of_nobody(&loaded, &registry)).unwrap_or_default();
            loaded.warnings.extend(unknown);
            for warning in &loaded.warnings {
                to_stderr(&format!("note: {warning}\n"));
            }
            if *json { json_to_stdout(&show_json(&loaded)) } else { to_stdout(&show(&loaded, *origin)) }
        }
        ConfigCommand::Init(args) => init::run(args, global),
        ConfigCommand::Upgrade => upgrade::run(global),
        ConfigCommand::Schema => to_stdout(&schema::text()?),
    }
}

impl From<WriteError> for Failure {
    fn from(error: WriteError) -> Self {
        let what = match &error {
            WriteError::Exists(_) => "nothing is written over an existing file",
            WriteError::Config(_) => "the configuration is wrong, so it is left as it is",
            WriteError::Trust(_) => "the file is written, but not trusted",
            _ => "the configuration cannot be written",
        };
        Failure::new("configuration", what, error.to_string(), as_hint(&error.hint()))
    }
}
