//! From the message to a commit, and what is reported of it.

use crate::commit::{Journal, Making, PublishError, Snapshot, publish};
use crate::config::RoleSettings;
use crate::git::{Change, ChangedFile, GitError, Ident};
use crate::message::Message;
use crate::payload::{self, Payload};
use crate::progress::Progress;
use crate::provider::Manifest;
use crate::role::Role;
use crate::ui::{Landed, commit_report, json};

use super::super::failure::{RESCUE, interrupted, of_publish};
use super::super::{Failure, to_stdout};
use super::Run;
use super::unwritten::rescue;

impl Run<'_> {
    pub(super) fn publish(
        &self,
        snapshot: &Snapshot,
        mut journal: Journal<'_>,
        (author, message): (&Ident, &Message),
        making: &Making<'_>,
        document: &mut json::Document,
    ) -> Result<(), Failure> {
        if let Some(cause) = self.cancel.cause() {
            return Err(rescue(journal, Some(message.as_str()), interrupted(cause).exit(RESCUE)));
        }
        let made = publish(self.repository, snapshot, &mut journal, author, message.as_str(), making);
        let published = match made {
            Ok(published) => published,
            Err(PublishError::HeadMoved { moved, same_tree: true, .. }) => {
                self.progress.notice(&format!("somebody else already committed exactly this: {}", moved.found));
                document.outcome = json::Outcome::AlreadyCommitted;
                self.say_what_was_not_noted(journal.discard());
                return Ok(());
            }
            Err(error) => {
                journal.set_message(0, message.as_str());
                return Err(of_publish(error, journal.leave(0)));
            }
        };
        self.say_what_was_not_noted(journal.finish());
        for problem in &published.afterwards {
            self.progress.notice(&format!("the commit is made, but: {problem}"));
        }
        document.outcome = json::Outcome::Committed;
        document.commits = vec![describe(document, Some(published.id.to_string()), snapshot, message)];
        if self.args.json || self.args.loudness.quiet {
            return Ok(());
        }
        let subject = message.subject();
        let change = snapshot.change();
        to_stdout(&commit_report(&Landed { id: published.id, head: snapshot.head(), subject: &subject, change }))
    }

    pub(super) fn say_what_was_not_noted(&self, problem: Option<GitError>) {
        if let Some(problem) = problem {
            self.progress.notice(&format!("this run could not be recorded: {problem}"));
        }
    }

    pub(super) fn note_role(&self, document: &mut json::Document, role: Role, manifest: &Manifest) {
        let used = used(manifest, self.settings.role(role));
        if role == Role::Message {
            document.provider = Some(used.provider.clone());
            document.model.clone_from(&used.model);
        }
        document.roles.insert(role.name(), used);
    }

    pub(super) fn note_counts(&self, document: &mut json::Document, payload: &Payload, snapshot: &Snapshot) {
        if self.args.json {
            let files = counted(payload, snapshot.change());
            document.commits = vec![json::Commit { id: None, subject: String::new(), message: String::new(), files }];
        }
    }
}

/// The commit for the document; its files keep the counts that they were noted with.
pub(super) fn describe(
    document: &mut json::Document,
    id: Option<String>,
    snapshot: &Snapshot,
    message: &Message,
) -> json::Commit {
    let counted = document.commits.pop().map(|commit| commit.files);
    let files = counted.unwrap_or_else(|| snapshot.change().files().iter().map(without_counts).collect());
    json::Commit { id, subject: message.subject(), message: message.as_str().to_owned(), files }
}

/// The files of a change, for the JSON document.
pub(super) fn counted(payload: &Payload, change: &Change) -> Vec<json::File> {
    let files = payload.files().iter().zip(change.files()).map(|(patch, file)| {
        let (added, deleted) = match patch.counts {
            payload::Counts::Lines { added, deleted } => (Some(added), Some(deleted)),
            payload::Counts::Binary | payload::Counts::Unknown => (None, None),
        };
        let (path, old_path) = (patch.path.clone(), patch.old_path.clone());
        json::File { status: file.status().letter(), path, old_path, added, deleted }
    });
    files.collect()
}

/// What a role was asked of, for the JSON document.
pub(super) fn used(manifest: &Manifest, asked: &RoleSettings) -> json::Role {
    let model = asked.model.clone().unwrap_or_else(|| manifest.default_model.clone());
    let model = Some(model).filter(|model| !model.is_empty());
    json::Role { provider: manifest.name.clone(), model, reasoning: asked.reasoning.name() }
}

pub(super) fn without_counts(file: &ChangedFile) -> json::File {
    json::File {
        status: file.status().letter(),
        path: file.path().to_string(),
        old_path: file.renamed_from().map(|old| old.path.to_string()),
        added: None,
        deleted: None,
    }
}
