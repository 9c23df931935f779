//! `stagecoach config …`

use crate::config::{files, show, show_files, show_json};

use super::args::{ConfigCommand, GlobalArgs};
use super::context::Context;
use super::{Failure, json_to_stdout, to_stderr, to_stdout};

pub(super) fn run(command: &ConfigCommand, global: &GlobalArgs) -> Result<(), Failure> {
    let context = Context::anywhere(global)?;
    match command {
        ConfigCommand::Path => to_stdout(&show_files(&files(&context.sources))),
        ConfigCommand::Show { origin, json } => {
            let loaded = context.load()?;
            for warning in &loaded.warnings {
                to_stderr(&format!("note: {warning}\n"));
            }
            if *json { json_to_stdout(&show_json(&loaded)) } else { to_stdout(&show(&loaded, *origin)) }
        }
    }
}
