//! `--edit`: the message goes through the user's editor.

use crate::commit::{About, EditError, EditFailure, Editor, Journal, NoEditor, Snapshot};
use crate::git::Operation;
use crate::message::Message;

use super::super::failure::{RESCUE, interrupted};
use super::super::{Failure, stderr_draws, to_stderr};
use super::Run;
use super::words::rescue;

impl Run<'_> {
    /// The editor, when one is wanted.
    pub(super) fn editor(&self) -> Result<Option<Editor>, Failure> {
        if self.args.edit { Ok(Some(Editor::find(self.repository)?)) } else { Ok(None) }
    }

    pub(super) fn edit<'r>(
        &self,
        editor: &Editor,
        snapshot: &Snapshot,
        mut journal: Journal<'r>,
        message: &Message,
    ) -> Result<(Message, Journal<'r>), Failure> {
        if let Some(cause) = self.cancel.cause() {
            return Err(rescue(journal, Some(message.as_str()), interrupted(cause).exit(RESCUE)));
        }
        // People take their time.
        journal.set_message(0, message.as_str());
        let staged = snapshot.working_tree().map(crate::git::WorkingTree::index);
        let about = About {
            head: snapshot.head(),
            change: snapshot.change(),
            merges: matches!(snapshot.operation(), Operation::Merge(_)),
            index: staged.as_ref().unwrap_or(&self.repository.paths().index),
        };
        let failure = match self.open(editor, &about, message) {
            Ok(edited) => return Ok((edited, journal)),
            Err(failure) => failure,
        };
        let (emptied, explained) = explain_unedited(&failure);
        if emptied {
            self.say_what_was_not_noted(journal.discard());
            return Err(explained);
        }
        Err(rescue(journal, Some(failure.message.as_str()), explained))
    }

    /// Lets the user edit one message of several.
    pub(super) fn edited(&self, editor: &Editor, about: &About<'_>, message: &Message) -> Result<Message, Failure> {
        self.open(editor, about, message).map_err(|failure| explain_unedited(&failure).1)
    }

    fn open(&self, editor: &Editor, about: &About<'_>, message: &Message) -> Result<Message, EditFailure> {
        let says = self.says_that_it_waits();
        if says {
            to_stderr("Waiting for your editor to close the file… ");
        }
        let edit = || editor.edit(self.repository, message, about, self.args.json, self.cancel);
        let edited = self.progress.apart(edit);
        if says {
            to_stderr("\r\x1b[K");
        }
        edited
    }

    /// As git does, unless its advice is not wanted.
    fn says_that_it_waits(&self) -> bool {
        let advice = self.repository.config().boolean("advice.waitingforeditor");
        stderr_draws() && !self.args.loudness.quiet && advice.ok().flatten().unwrap_or(true)
    }
}

/// Why a message was not edited to an end, and whether the user wants no commit at all.
fn explain_unedited(failure: &EditFailure) -> (bool, Failure) {
    let why = failure.error.to_string();
    match failure.error {
        EditError::Emptied => {
            let cause = "a message of comments and white space is none; nothing was committed";
            (true, Failure::new("emptied", why, cause, "run stagecoach again"))
        }
        EditError::Interrupted(cause) => (false, interrupted(cause).exit(RESCUE)),
        _ => {
            let what = "the message was not edited to an end";
            (false, Failure::new("editor", what, why, "use the message below").exit(RESCUE))
        }
    }
}

impl From<NoEditor> for Failure {
    fn from(error: NoEditor) -> Self {
        match error {
            NoEditor::Git(error) => error.into(),
            NoEditor::Cleanup(_) => Failure::new(
                "git_config",
                "git's configuration is wrong",
                error.to_string(),
                "set commit.cleanup to strip, whitespace, verbatim, scissors or default",
            ),
            NoEditor::Unset => Failure::new(
                "no_editor",
                "there is no editor for --edit",
                error.to_string(),
                "set EDITOR, GIT_EDITOR or core.editor, or leave --edit out",
            ),
        }
    }
}
