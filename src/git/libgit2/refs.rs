//! Reading HEAD and moving it by compare-and-swap.

use std::thread::sleep;
use std::time::{Duration, Instant};

use bstr::{BString, ByteSlice};
use git2::{ErrorCode, Reference, ReferenceType, Repository, Signature, Time};

use super::super::{GitError, Head, HeadMoved, HeadTarget, ObjectId, Reflog};
use super::{from_oid, to_oid};

/// git follows at most this many symbolic refs.
const MAX_SYMBOLIC_DEPTH: usize = 5;

/// How long git waits for a ref's lock by default (`core.filesRefLockTimeout`).
const LOCK_TIMEOUT: Duration = Duration::from_millis(100);

/// Reads HEAD without following it to an object that may not exist yet.
pub(super) fn read_head(repository: &Repository) -> Result<Head, GitError> {
    let mut name = "HEAD".to_owned();
    for _ in 0..=MAX_SYMBOLIC_DEPTH {
        let target = if name == "HEAD" { HeadTarget::Detached } else { HeadTarget::Branch(name.clone()) };
        let Some(reference) = find(repository, &name)? else {
            return Ok(Head { target, commit: None });
        };
        match reference.kind() {
            Some(ReferenceType::Symbolic) => name = symbolic_target(&reference)?,
            _ => return Ok(Head { target, commit: direct_target(&reference)? }),
        }
    }
    Err(GitError::Library { doing: "reading HEAD", text: "too many levels of symbolic refs".to_owned() })
}

fn find<'a>(repository: &'a Repository, name: &str) -> Result<Option<Reference<'a>>, GitError> {
    match repository.find_reference(name) {
        Ok(reference) => Ok(Some(reference)),
        Err(error) if error.code() == ErrorCode::NotFound => Ok(None),
        Err(error) => Err(GitError::library("reading a ref")(error)),
    }
}

fn symbolic_target(reference: &Reference<'_>) -> Result<String, GitError> {
    let target = reference.symbolic_target_bytes().unwrap_or_default();
    String::from_utf8(target.to_vec()).map_err(|_| GitError::Unsupported {
        what: format!("the branch name {} is not UTF-8", bstr::BStr::new(target)),
        instead: "git commit".to_owned(),
    })
}

fn direct_target(reference: &Reference<'_>) -> Result<Option<ObjectId>, GitError> {
    reference.target().map(from_oid).transpose()
}

/// Moves the branch that HEAD was frozen on (or a detached HEAD) to a new commit. Both refs are locked and read again
/// under the lock, so that neither a switch nor a commit made in between is overwritten.
pub(super) fn move_head(
    repository: &Repository,
    frozen: &Head,
    new: ObjectId,
    reflog: &Reflog,
) -> Result<(), GitError> {
    let mut transaction = repository.transaction().map_err(GitError::library("starting a ref transaction"))?;
    let deadline = Instant::now() + LOCK_TIMEOUT;
    lock(&mut transaction, "HEAD", deadline)?;
    let moved = frozen.ref_to_move();
    if moved != "HEAD" {
        lock(&mut transaction, moved, deadline)?;
    }
    let found = read_head(repository)?;
    if found != *frozen {
        return Err(GitError::HeadMoved(Box::new(HeadMoved { frozen: frozen.clone(), found })));
    }
    let committer = signature(reflog)?;
    let message = reflog.message.to_str_lossy().replace('\0', " ");
    transaction
        .set_target(moved, to_oid(new)?, Some(&committer), &message)
        .map_err(GitError::library("moving the branch"))?;
    transaction.commit().map_err(GitError::library("moving the branch"))
}

fn lock(transaction: &mut git2::Transaction<'_>, name: &str, deadline: Instant) -> Result<(), GitError> {
    loop {
        match transaction.lock_ref(name) {
            Ok(()) => return Ok(()),
            Err(error) if error.code() == ErrorCode::Locked => {
                if Instant::now() >= deadline {
                    return Err(GitError::RefLocked(name.to_owned()));
                }
                sleep(Duration::from_millis(5));
            }
            Err(error) => return Err(GitError::library("locking a ref")(error)),
        }
    }
}

fn signature(reflog: &Reflog) -> Result<Signature<'static>, GitError> {
    let ident = &reflog.committer;
    let time = Time::new(ident.seconds, ident.offset_minutes);
    let text = |bytes: &BString| bytes.to_str_lossy().into_owned();
    let made = Signature::new(&text(&ident.name), &text(&ident.email), &time);
    made.map_err(GitError::library("making the committer's signature"))
}
