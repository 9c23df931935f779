//! The writer without a process: a message from the change itself.

mod area;
mod facts;
mod names;
mod path;

pub use facts::{FileFacts, FileKind, FileStatus, MessageFacts, SubjectFormat};
