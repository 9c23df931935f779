//! What is wrong with a message, if anything. Pure.

use std::collections::HashSet;
use std::fmt;

use crate::git::LogEntry;
use crate::prompt::{Body, Conventional, Form, MAX_SUBJECT, TYPES, leading_gitmoji};

/// So many of the latest subjects are not to be used again.
pub const DUPLICATE_WINDOW: usize = 50;

/// A fault for which a message is asked for once more. Displays as a sentence for the model and the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// Longer than [`MAX_SUBJECT`].
    LongSubject {
        /// How many characters it has.
        chars: usize,
    },
    /// No `type: description`.
    NotConventional,
    /// A type that is none of the usual ones.
    UnknownType(String),
    /// No emoji of the table at the beginning.
    NoGitmoji,
    /// An emoji and nothing else.
    NoDescription,
    /// A type or an emoji where none is wanted.
    NotPlain,
    /// A body is demanded.
    NoBody,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::LongSubject { chars } => {
                write!(f, "The subject has {chars} characters; more than {MAX_SUBJECT} are not accepted.")
            }
            Fault::NotConventional => f.write_str("The subject is not of the form \"type(scope): description\"."),
            Fault::UnknownType(kind) => {
                write!(f, "\"{kind}\" is not an accepted type; use one of {}.", TYPES.join(", "))
            }
            Fault::NoGitmoji => f.write_str("The subject does not begin with an emoji of the gitmoji table."),
            Fault::NoDescription => f.write_str("There is no description after the emoji."),
            Fault::NotPlain => f.write_str("The subject begins with a type or an emoji; a plain sentence is wanted."),
            Fault::NoBody => f.write_str("There is no body; a body is required."),
        }
    }
}

/// The faults of a message. `own` is what the model wrote, on which format and body are judged; `subject` is the one of
/// the message as it would be committed, after the template.
#[must_use]
pub fn faults(own: &str, subject: &str, form: Form, body: Body) -> Vec<Fault> {
    let (own_subject, own_body) = own.split_once('\n').unwrap_or((own, ""));
    let chars = subject.chars().count();
    let length = (chars > MAX_SUBJECT).then_some(Fault::LongSubject { chars });
    let body = (body == Body::Required && own_body.trim().is_empty()).then_some(Fault::NoBody);
    length.into_iter().chain(format_fault(own_subject, form)).chain(body).collect()
}

fn format_fault(subject: &str, form: Form) -> Option<Fault> {
    let conventional = Conventional::parse(subject);
    match form {
        Form::Learned => None,
        Form::Conventional => match conventional {
            None => Some(Fault::NotConventional),
            Some(parsed) if !parsed.is_known() => Some(Fault::UnknownType(parsed.kind.to_owned())),
            Some(_) => None,
        },
        Form::Gitmoji => match leading_gitmoji(subject) {
            None => Some(Fault::NoGitmoji),
            Some((_, "")) => Some(Fault::NoDescription),
            Some(_) => None,
        },
        Form::Plain => {
            let typed = conventional.is_some_and(|parsed| parsed.is_known());
            (typed || leading_gitmoji(subject).is_some()).then_some(Fault::NotPlain)
        }
    }
}

/// Subjects that are taken, without regard to case and white space.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Subjects(HashSet<String>);

impl Subjects {
    /// The subjects of the latest [`DUPLICATE_WINDOW`] commits, and those of this run.
    #[must_use]
    pub fn taken(history: &[LogEntry], this_run: &[String]) -> Self {
        let latest = history.iter().take(DUPLICATE_WINDOW).map(|entry| subject_of(&entry.message));
        Self(latest.chain(this_run.iter().map(|subject| fold(subject))).filter(|subject| !subject.is_empty()).collect())
    }

    /// Whether a subject is taken.
    #[must_use]
    pub fn contains(&self, subject: &str) -> bool {
        self.0.contains(&fold(subject))
    }
}

/// The first paragraph, folded.
fn subject_of(message: &str) -> String {
    let lines = message.trim_start().lines().take_while(|line| !line.trim().is_empty());
    fold(&lines.collect::<Vec<_>>().join(" "))
}

fn fold(subject: &str) -> String {
    subject.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::git::ObjectId;

    #[test]
    fn faults_are_named() {
        let long = "x".repeat(MAX_SUBJECT + 1);
        let limit = "é".repeat(MAX_SUBJECT);
        for (message, form, body, expected) in [
            ("Add it", Form::Learned, Body::None, vec![]),
            (limit.as_str(), Form::Learned, Body::None, vec![]),
            (long.as_str(), Form::Learned, Body::None, vec![Fault::LongSubject { chars: 101 }]),
            ("feat: add it", Form::Conventional, Body::Optional, vec![]),
            ("Add it", Form::Conventional, Body::Optional, vec![Fault::NotConventional]),
            ("feature: it", Form::Conventional, Body::Optional, vec![Fault::UnknownType("feature".to_owned())]),
            ("Feat: it", Form::Conventional, Body::Optional, vec![Fault::UnknownType("Feat".to_owned())]),
            ("✨ Add it", Form::Gitmoji, Body::Optional, vec![]),
            ("Add it", Form::Gitmoji, Body::Optional, vec![Fault::NoGitmoji]),
            ("✨", Form::Gitmoji, Body::Optional, vec![Fault::NoDescription]),
            ("Add it", Form::Plain, Body::Optional, vec![]),
            ("Parser: accept tabs", Form::Plain, Body::Optional, vec![]),
            ("fix: it", Form::Plain, Body::Optional, vec![Fault::NotPlain]),
            ("🐛 Mend it", Form::Plain, Body::Optional, vec![Fault::NotPlain]),
            ("Add it\n\n", Form::Learned, Body::Required, vec![Fault::NoBody]),
            ("Add it\n\nWhy", Form::Learned, Body::Required, vec![]),
            ("Add", Form::Conventional, Body::Required, vec![Fault::NotConventional, Fault::NoBody]),
        ] {
            let subject = message.lines().next().unwrap();
            assert_eq!(faults(message, subject, form, body), expected, "{message}");
        }
    }

    #[test]
    fn subjects_are_compared_without_case_and_white_space() {
        let entry = |message: &str| LogEntry {
            id: ObjectId::from_bytes(&[1; 20]).unwrap(),
            parents: 1,
            message: message.to_owned(),
        };
        let mut history = vec![entry("Fix  The\nparser\n\nBody"), entry("  ")];
        history.extend((0..DUPLICATE_WINDOW).map(|n| entry(&format!("Subject {n}"))));
        let taken = Subjects::taken(&history, &["Ours".to_owned()]);
        for (subject, expected) in [
            ("fix the parser", true),
            (" FIX\tTHE PARSER ", true),
            ("fix the parsers", false),
            ("ours", true),
            ("subject 47", true),
            ("subject 48", false),
            ("", false),
        ] {
            assert_eq!(taken.contains(subject), expected, "{subject}");
        }
    }
}
