//! One commit message: asked for, judged, and made what git would store.
//!
//! [`write()`] asks an agent until there is a message that may be used, within fixed numbers of retries; [`faults`] says
//! what is wrong with one; [`trailers`] adds sign-off and trailers by git's rules; a [`Draft`] takes one through an
//! editor. What comes out is a [`Message`].
//! The module never prints and never touches the repository.

mod cleanup;
mod draft;
mod facts;
mod judge;
mod prepared;
mod template;
pub mod trailers;
mod turns;
#[cfg(test)]
mod turns_tests;
mod work;
#[cfg(test)]
mod work_tests;
mod write;
#[cfg(test)]
mod write_tests;

pub use cleanup::cleanup;
pub use draft::{Cleanup, Draft, InvalidCleanup};
pub use judge::{DUPLICATE_WINDOW, Fault, Subjects, faults};
pub use prepared::Prepared;
pub use template::{MissingPlaceholder, Template};
pub use trailers::{Trailer, Trailers};
pub use turns::{Turns, write_in_turns};
pub use work::{Work, write_by_reading};
pub use write::{Refusal, Rules, WriteError, WriteFailure, Written, completed, write};

/// A commit message as git stores it: no white space at line ends, no needless blank lines, one newline at its end; never
/// empty and without NUL.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Message(String);

/// There is no message in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidMessage {
    /// Nothing but white space.
    #[error("the message is empty")]
    Empty,
    /// git stores no message with a NUL byte in it.
    #[error("the message holds a NUL byte")]
    Nul,
}

impl Message {
    /// Cleans up white space as `git commit --cleanup=whitespace` does; a line that begins with `#` stays.
    ///
    /// # Errors
    /// Nothing is left, or the text holds a NUL byte.
    pub fn new(text: &str) -> Result<Self, InvalidMessage> {
        if text.contains('\0') {
            return Err(InvalidMessage::Nul);
        }
        let clean = cleanup(text);
        if clean.is_empty() { Err(InvalidMessage::Empty) } else { Ok(Self(clean)) }
    }

    /// The whole message, with the newline at its end.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The first paragraph on one line, as git shows subjects.
    #[must_use]
    pub fn subject(&self) -> String {
        let lines: Vec<&str> = self.0.lines().take_while(|line| !line.is_empty()).collect();
        lines.join(" ")
    }

    /// What follows the first paragraph, without a newline at its end; may be empty.
    #[must_use]
    pub fn body(&self) -> &str {
        self.0.split_once("\n\n").map_or("", |(_, body)| body.trim_end())
    }
}

impl std::fmt::Display for Message {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_subject_and_body() {
        let message = Message::new("\n Add it  \nand that\n\n\n\nBecause.\n\n# kept\n\n").unwrap();
        assert_eq!(message.as_str(), " Add it\nand that\n\nBecause.\n\n# kept\n");
        assert_eq!(message.subject(), " Add it and that");
        assert_eq!(message.body(), "Because.\n\n# kept");
        assert_eq!(Message::new("One").unwrap().body(), "");
    }

    #[test]
    fn nothing_is_no_message() {
        assert_eq!(Message::new(" \n\t\n"), Err(InvalidMessage::Empty));
        assert_eq!(Message::new("a\0b"), Err(InvalidMessage::Nul));
    }
}
