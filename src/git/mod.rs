//! The one door to a repository.

mod change;
mod object;

pub use change::{Attributes, BlobError, Blobs, Change, ChangedFile, Side, Status};
pub use object::{FileMode, InvalidObjectId, ObjectId};

/// One commit of the history, as style learning and duplicate checks need it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogEntry {
    /// The commit.
    pub id: ObjectId,
    /// How many parents it has; two or more make a merge.
    pub parents: usize,
    /// The whole message, lossily decoded.
    pub message: String,
}
