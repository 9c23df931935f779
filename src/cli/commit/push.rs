//! `--push`: what has landed is pushed.

use crate::commit::{Loudness, PushError, push};
use crate::progress::Progress;
use crate::ui::json;

use super::super::Failure;
use super::super::failure::interrupted;
use super::Run;

impl Run<'_> {
    /// Pushes when that is wanted and there is a new commit. The commits stay, whatever becomes of the push.
    pub(super) fn push(&self, document: &mut json::Document) -> Result<(), Failure> {
        if !self.settings.generation.push {
            return Ok(());
        }
        // git may ask for a password; other runs need not wait for that.
        self.end_turn();
        if document.outcome != json::Outcome::Committed {
            self.progress.notice("nothing was pushed, since this run made no commit");
            return Ok(());
        }
        let loudness = match (self.args.json, self.args.loudness.quiet) {
            (true, _) => Loudness::Quoted,
            (false, true) => Loudness::Quiet,
            (false, false) => Loudness::Usual,
        };
        push(self.repository, loudness, self.cancel).map_err(|error| {
            let why = match error {
                PushError::Interrupted(cause) => interrupted(cause).what,
                PushError::Failed { status, ref words } if words.is_empty() => {
                    format!("git says why above ({status})")
                }
                _ => error.to_string(),
            };
            Failure::new(
                "push_failed",
                "`git push` failed; the commit is made and stays",
                why,
                "push it with `git push`",
            )
        })?;
        document.pushed = true;
        Ok(())
    }
}
