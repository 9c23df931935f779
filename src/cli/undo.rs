//! `stagecoach undo`

use std::fmt::Write as _;

use crate::commit::{Undo, UndoError};
use crate::git::GitError;
use crate::untrusted::stripped;

use super::args::GlobalArgs;
use super::context::Context;
use super::failure::interrupted;
use super::{Failure, exclusive, launcher, stoppable, to_stderr, to_stdout};

/// Digits of a short id, git's least.
const SHORT_ID: usize = 7;

pub(super) fn run(dry_run: bool, global: &GlobalArgs) -> Result<(), Failure> {
    let context = Context::in_repository(global, Vec::new())?;
    let settings = context.settings_despite_mistakes();
    let Some(repository) = context.repository else { return Err(GitError::NotARepository.into()) };
    // Once it has begun, a signal is only remembered: what follows is short, and must not be torn apart.
    let (cancel, _signals) = stoppable()?;
    let _launcher = launcher::watch(&settings, &cancel)?;
    let _turn = if dry_run { None } else { exclusive::take_or_leave(&repository, &cancel, &|| Ok(None))? };
    let undo = Undo::of_last_run(&repository)?;
    if !dry_run {
        let identities = repository.identities()?;
        if let Some(cause) = cancel.cause() {
            return Err(interrupted(cause));
        }
        for problem in undo.carry_out(&repository, &identities)? {
            to_stderr(&stripped(&format!("the commits are taken back, but: {problem}\n")));
        }
    }
    to_stdout(&stripped(&report(&undo, dry_run)))
}

fn report(undo: &Undo, dry_run: bool) -> String {
    let mut text = String::new();
    for (id, subject) in &undo.commits {
        let verb = if dry_run { "would take back" } else { "took back" };
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{verb} [{}] {subject}", id.short(SHORT_ID));
    }
    let is = if dry_run { "would be" } else { "is" };
    let content = if undo.stays_staged() { "staged" } else { "in the working tree" };
    let _ = writeln!(
        text,
        "HEAD {is} again {}; the changes {} {content}",
        undo.start(),
        if dry_run { "stay" } else { "are" }
    );
    text
}

impl From<UndoError> for Failure {
    fn from(error: UndoError) -> Self {
        let what = "nothing was taken back";
        let why = error.to_string();
        match error {
            UndoError::Nothing => Failure::new("nothing_to_undo", what, why, "see `git log` and `git reset --soft`"),
            UndoError::Moved(_) => Failure::new(
                "head_moved",
                what,
                why,
                "only commits that nothing was built on are taken back; see `git revert` and `git reflog`",
            ),
            UndoError::Published(_) => Failure::new(
                "published",
                what,
                why,
                "others may have them; `git revert` makes a commit that takes them back",
            ),
            UndoError::Merge(id) => Failure::new("merge", what, why, format!("git revert -m 1 {}", id.short(SHORT_ID))),
            UndoError::Merging => {
                Failure::new("in_progress", what, why, "conclude it, or abort it with `git merge --abort`, first")
            }
            UndoError::Git(error) => error.into(),
        }
    }
}
