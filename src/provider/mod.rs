//! What is known about the agent programs: how one is called, and how what it printed becomes a message.
//!
//! A provider is a [`Manifest`]: data, compiled in ([`builtin`]) or written by the user, merged by the [`Registry`].
//! [`render()`] turns one and a prompt into a process; [`output::read`] turns what the process printed into an answer, and
//! [`clean()`] turns an answer into a message. Everything here is pure, but for looking programs up;
//! nothing is started and nothing is printed.

mod build;
pub mod builtin;
mod clean;
mod error;
pub mod fields;
mod json_schema;
mod layer;
pub mod output;
mod registry;
mod render;
mod schema;
mod show;
mod show_json;

pub use builtin::OFFLINE;
pub use clean::{MAX_MESSAGE_BYTES, clean};
pub use error::{LayerError, ManifestError, Problem};
pub use json_schema::json_schema;
pub use layer::{Entry, Layer, Partial, Value};
pub use registry::{Choice, Provider, Registry, RegistryError, Source, UnknownProvider};
pub use render::{
    ARGUMENT_LIMIT, AtEscape, Call, Invocation, Mode, RenderError, Spoken, Turn, agree, payload_limit, render, speak,
};
pub use schema::{
    Acp, AcpUse, Checks, Delivery, FailurePatterns, Failures, Guide, Manifest, Models, Output, Run, Session,
    SessionMode, Tooled, UsagePaths, WorkingDir,
};
pub use show::{Secrets, show};
pub use show_json::show_json;

#[cfg(test)]
mod docs;
