//! `--edit`: the message goes through the user's editor.

use crate::commit::{EditError, Editor, NoEditor};
use crate::ui::Shows;

use super::super::failure::{RESCUE, interrupted};
use super::super::{Failure, stderr_shows, to_stderr};
use super::Run;

impl Run<'_> {
    /// The editor, when one is wanted.
    pub(super) fn editor(&self) -> Result<Option<Editor>, Failure> {
        if self.args.edit { Ok(Some(Editor::find(self.repository)?)) } else { Ok(None) }
    }

    /// Says that an editor is waited for, while something is done.
    pub(super) fn while_editing<T>(&self, edits: bool, work: impl FnOnce() -> T) -> T {
        if !edits {
            return work();
        }
        let says = self.says_that_it_waits();
        if says {
            to_stderr("Waiting for your editor to close the file… ");
        }
        let result = self.progress.apart(work);
        if says {
            to_stderr("\r\x1b[K");
        }
        result
    }

    /// As git does, unless its advice is not wanted.
    fn says_that_it_waits(&self) -> bool {
        let advice = self.repository.config().boolean("advice.waitingforeditor");
        stderr_shows() == Shows::Motion && !self.args.loudness.quiet && advice.ok().flatten().unwrap_or(true)
    }
}

/// Why a message was not edited to an end.
pub(in super::super) fn of_edit(error: &EditError) -> Failure {
    if let EditError::Interrupted(cause) = error {
        return interrupted(*cause).exit(RESCUE);
    }
    let what = "the message was not edited to an end";
    Failure::new("editor", what, error.to_string(), "use the message below").exit(RESCUE)
}

impl From<NoEditor> for Failure {
    fn from(error: NoEditor) -> Self {
        match error {
            NoEditor::Git(error) => error.into(),
            NoEditor::Unset => Failure::new(
                "no_editor",
                "there is no editor for --edit",
                error.to_string(),
                "set EDITOR, GIT_EDITOR or core.editor, or leave --edit out",
            ),
        }
    }
}
