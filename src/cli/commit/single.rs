//! One commit: its words and `pre-commit` side by side, then the hooks of the message, the editor, the commit.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::Builder;

use crate::commit::{
    About, Editor, HookError, Hooks, Journal, Making, Ready, Snapshot, Staged, View, Wording, WordingError,
};
use crate::git::{GitError, Hook, Ident, Identities, Operation};
use crate::message::{Message, Refusal};
use crate::run::{Cancel, Cause};
use crate::ui::json;

use super::super::Failure;
use super::super::failure::{RESCUE, interrupted};
use super::super::hooks::{is_emptied, of_wording, reflog_action};
use super::prepare::{Wishes, Writer};
use super::unwritten::rescue;
use super::words::Words;
use super::{Run, land, of_dry_run, unfinished};

/// How often a message that `commit-msg` refused is asked for again.
const MORE_TRIES: usize = 2;

/// What one commit is made with.
pub(super) struct Tools<'a> {
    pub(super) writer: Option<&'a Writer>,
    pub(super) wishes: &'a Wishes,
    /// `None` in a dry run.
    pub(super) identities: Option<&'a Identities>,
    pub(super) editor: Option<&'a Editor>,
    pub(super) hooks: &'a Hooks<'a>,
}

/// Writes another message in place of a refused one.
type Rewrite<'a> = dyn FnMut(Refusal<'_>) -> Result<Message, Failure> + 'a;

/// Where a message is being worded.
struct Desk<'a> {
    index: &'a Path,
    author: &'a Ident,
    about: About<'a>,
}

impl<'a> Run<'a> {
    /// Has the message written, unless it is given, and makes the commit, or shows it in a dry run.
    pub(super) fn one_commit(
        &self,
        (mut snapshot, mut journal): (Snapshot, Option<Journal<'_>>),
        given: Option<Message>,
        tools: &Tools<'_>,
        document: &mut json::Document,
    ) -> Result<(), Failure> {
        let Some(identities) = tools.identities else {
            return self.one_dry(&snapshot, given, tools, document).map_err(of_dry_run);
        };
        let author = identities.now().0;
        let (view, ready) = self.hooked_index(&snapshot, &author, tools)?;
        let asking = Cancel::new();
        let (outcome, checked, refused) =
            self.beside(ready, &asking, |run| run.first_words(&snapshot, given, tools, &mut journal, document));
        let outcome = outcome.map_err(|failure| unfinished(failure, journal.take(), false));
        let words = match outcome {
            Ok(words) => words,
            // It is the hook that stopped the agent; what there is to rescue stays.
            Err(failure) if refused => {
                let hook = checked.map_or_else(Failure::from, |()| failure.clone());
                return Err(Failure { rescue: failure.rescue, ..hook });
            }
            Err(failure) => return Err(failure),
        };
        let (message, mut journal) = match (words, journal) {
            (Words::Prompt(text), _) => return self.show(&text, document),
            (Words::Given(message), Some(journal)) => (message, journal),
            (Words::Given(_), None) => return Err(Failure::new("bug", "the run was not noted", "", "this is a bug")),
        };
        let staged = checked.and_then(|()| self.staged_by_hook(&snapshot, &view, tools));
        match staged {
            Ok(Some(staged)) => {
                journal.set_trees(0, &[staged.frozen.tree]);
                snapshot.restage(staged);
                self.say_tree(&snapshot);
            }
            Ok(None) => {}
            Err(error) => return Err(rescue(journal, Some(message.as_str()), error.into())),
        }
        let index = view.path();
        let desk = Desk { index: &index, author: &author, about: about(&snapshot) };
        let (message, journal) = self.worded(&snapshot, &desk, message, journal, tools, document)?;
        let action = reflog_action();
        let making = Making {
            identities,
            reflog_action: action.as_deref(),
            hooks: tools.hooks,
            edits: tools.editor.is_some(),
            cancel: self.cancel,
        };
        self.publish(&snapshot, journal, (&author, &message), &making, document)?;
        self.push(document)
    }

    /// A dry run: only `commit-msg`, on a file that is nobody's.
    fn one_dry(
        &self,
        snapshot: &Snapshot,
        given: Option<Message>,
        tools: &Tools<'_>,
        document: &mut json::Document,
    ) -> Result<(), Failure> {
        let mut journal = None;
        let mut message = match self.first_words(snapshot, given, tools, &mut journal, document)? {
            Words::Prompt(text) => return self.show(&text, document),
            Words::Given(message) => message,
        };
        if tools.hooks.runs(Hook::CommitMsg) {
            self.repository.store(snapshot.frozen())?;
            let author = self.repository.identities()?.now().0;
            let view = view(snapshot, tools)?;
            let desk = Desk { index: &view.path(), author: &author, about: about(snapshot) };
            message = self.tried(snapshot, &desk, message, tools, document).map_err(|untold| untold.failure)?;
        } else if let Some(cleaned) = tools.hooks.cleaned(&message) {
            message = cleaned;
        }
        document.commits = vec![land::describe(document, None, snapshot, &message)];
        self.show(message.as_str(), document)
    }

    /// The message as it is first given, and the journal of the run.
    fn first_words(
        &self,
        snapshot: &Snapshot,
        given: Option<Message>,
        tools: &Tools<'_>,
        journal: &mut Option<Journal<'a>>,
        document: &mut json::Document,
    ) -> Result<Words, Failure> {
        match (tools.writer, given) {
            (Some(_), Some(message)) => {
                if journal.is_none() {
                    *journal = self.begin(snapshot)?;
                }
                Ok(Words::Given(message))
            }
            (Some(writer), None) => self.words(snapshot, writer, tools.wishes, journal, document),
            (None, _) => self.prepared(snapshot, tools.wishes, journal),
        }
    }

    /// The index that hooks see, and `pre-commit` ready to be run on it.
    fn hooked_index(
        &self,
        snapshot: &Snapshot,
        author: &Ident,
        tools: &Tools<'_>,
    ) -> Result<(View, Option<Ready>), Failure> {
        if tools.hooks.look_at_index() {
            self.repository.store(snapshot.frozen())?;
        }
        let view = view(snapshot, tools)?;
        let ready = tools.hooks.pre_commit(&view.path(), author, tools.editor.is_some())?;
        Ok((view, ready))
    }

    /// Does something while a hook runs. When the hook fails first the work is stopped, which is told last. A hook is
    /// never ended because the work failed: it may have set unstaged changes aside, which it brings back at its end.
    fn beside<'b, T>(
        &self,
        hook: Option<Ready>,
        asking: &'b Cancel,
        work: impl FnOnce(&Run<'b>) -> Result<T, Failure>,
    ) -> (Result<T, Failure>, Result<(), HookError>, bool)
    where
        'a: 'b,
    {
        let _whole = self.cancel.forward_to(asking);
        let run = self.with_cancel(asking);
        let Some(hook) = hook else { return (work(&run), Ok(()), false) };
        let (waits, refused) = (hook.waits(), AtomicBool::new(false));
        let hook = Mutex::new(Some(hook));
        let check = || {
            let hook = hook.lock().unwrap_or_else(PoisonError::into_inner).take();
            let result = hook.map_or(Ok(()), |hook| hook.run(self.cancel));
            if !matches!(result, Ok(()) | Err(HookError::Interrupted(_))) {
                refused.store(true, Ordering::SeqCst);
                asking.request(Cause::Interrupt);
            }
            result
        };
        std::thread::scope(|scope| {
            let Ok(checked) = Builder::new().spawn_scoped(scope, check) else {
                let checked = check();
                return (work(&run), checked, refused.load(Ordering::SeqCst));
            };
            let outcome = work(&run);
            let refused = refused.load(Ordering::SeqCst);
            // Whoever interrupts is told when the hook is.
            if outcome.is_err() && !checked.is_finished() && self.cancel.cause().is_none() {
                waits();
            }
            let unwatched = || {
                let text = "it could not be watched".to_owned();
                HookError::from(GitError::Program { command: "pre-commit".to_owned(), text })
            };
            (outcome, checked.join().unwrap_or_else(|_| Err(unwatched())), refused)
        })
    }

    fn staged_by_hook(&self, snapshot: &Snapshot, view: &View, tools: &Tools<'_>) -> Result<Option<Staged>, HookError> {
        if !tools.hooks.runs(Hook::PreCommit) {
            return Ok(None);
        }
        let base = self.repository.tree_at(snapshot.head().commit)?;
        let merges = matches!(snapshot.operation(), Operation::Merge(_));
        tools.hooks.staged(view, base, snapshot.frozen(), merges)
    }

    /// Takes the message through its hooks and the editor. Where that fails the run ends as a rescue, or, where the
    /// message was emptied, with nothing left to do.
    fn worded<'j>(
        &self,
        snapshot: &Snapshot,
        desk: &Desk<'_>,
        message: Message,
        mut journal: Journal<'j>,
        tools: &Tools<'_>,
        document: &mut json::Document,
    ) -> Result<(Message, Journal<'j>), Failure> {
        if let Some(cause) = self.cancel.cause() {
            return Err(rescue(journal, Some(message.as_str()), interrupted(cause).exit(RESCUE)));
        }
        if tools.editor.is_some() || tools.hooks.look_at_index() {
            // People take their time, and so do hooks.
            journal.set_message(0, message.as_str());
        }
        match self.tried(snapshot, desk, message, tools, document) {
            Ok(message) => Ok((message, journal)),
            Err(untold) if untold.emptied => {
                self.say_what_was_not_noted(journal.discard());
                Err(untold.failure)
            }
            Err(untold) => Err(rescue(journal, Some(untold.message.as_str()), untold.failure)),
        }
    }

    /// Takes the message through its hooks and the editor, and has the model try again when `commit-msg` refuses it.
    fn tried(
        &self,
        snapshot: &Snapshot,
        desk: &Desk<'_>,
        message: Message,
        tools: &Tools<'_>,
        document: &mut json::Document,
    ) -> Result<Message, Box<Untold>> {
        let wording = Wording {
            index: desk.index,
            author: desk.author,
            editor: tools.editor.map(|editor| (editor, &desk.about)),
            aside: self.args.json,
            merges: desk.about.merges,
            dry: tools.identities.is_none(),
            cancel: self.cancel,
        };
        let Some(writer) = tools.writer else { return self.brought_through(tools.hooks, &wording, message, None) };
        let mut again = |refusal: Refusal<'_>| self.written_again(snapshot, writer, tools.wishes, refusal, document);
        self.brought_through(tools.hooks, &wording, message, Some(&mut again))
    }

    /// Takes a message through its hooks and the editor. `again` writes another when `commit-msg` refuses one.
    pub(super) fn brought_through(
        &self,
        hooks: &Hooks<'_>,
        wording: &Wording<'_>,
        mut message: Message,
        mut again: Option<&mut Rewrite<'_>>,
    ) -> Result<Message, Box<Untold>> {
        let mut tries = 0;
        loop {
            let unworded = match self.while_editing(wording.editor.is_some(), || hooks.word(Some(&message), wording)) {
                Ok(message) => return Ok(message),
                Err(unworded) => unworded,
            };
            let (output, again) = match (&*unworded.error, &mut again) {
                (WordingError::Refused(error), Some(again)) if tries < MORE_TRIES => (error.output(), again),
                _ => {
                    let (emptied, message) = (is_emptied(&unworded), unworded.message.clone().unwrap_or(message));
                    return Err(Box::new(Untold { failure: of_wording(unworded), emptied, message }));
                }
            };
            let refused = unworded.message.clone().unwrap_or(message);
            let refusal = Refusal { message: refused.as_str(), output };
            message = again(refusal)
                .map_err(|failure| Box::new(Untold { failure, emptied: false, message: refused.clone() }))?;
            tries += 1;
        }
    }
}

/// A message that did not come through, for the user.
pub(super) struct Untold {
    pub(super) failure: Failure,
    emptied: bool,
    pub(super) message: Message,
}

fn view(snapshot: &Snapshot, tools: &Tools<'_>) -> Result<View, HookError> {
    let staged = snapshot.working_tree().map(crate::git::WorkingTree::index);
    tools.hooks.view(snapshot.frozen(), staged)
}

fn about(snapshot: &Snapshot) -> About<'_> {
    About {
        head: snapshot.head(),
        change: snapshot.change(),
        merges: matches!(snapshot.operation(), Operation::Merge(_)),
    }
}
