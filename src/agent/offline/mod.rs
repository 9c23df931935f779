//! The writer without a process: a message from the change itself.

mod facts;

pub use facts::{FileFacts, FileKind, FileStatus, MessageFacts, SubjectFormat};
