//! A text around the message, such as a ticket number that every subject begins with.

const PLACEHOLDER: &str = "$msg";

/// A text in which `$msg` stands for the message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template(String);

/// A template has to say where the message goes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the template `{0}` does not hold `$msg`, which stands for the message")]
pub struct MissingPlaceholder(pub String);

impl Template {
    /// Checks that the message has a place.
    ///
    /// # Errors
    /// `$msg` does not occur.
    pub fn new(text: &str) -> Result<Self, MissingPlaceholder> {
        if text.contains(PLACEHOLDER) { Ok(Self(text.to_owned())) } else { Err(MissingPlaceholder(text.to_owned())) }
    }

    /// The text with the message in its place, wherever `$msg` stands.
    #[must_use]
    pub fn apply(&self, message: &str) -> String {
        self.0.replace(PLACEHOLDER, message)
    }

    /// Whether the subject comes from the message, so that it can be judged.
    #[must_use]
    pub fn has_subject(&self) -> bool {
        self.0.trim_start().lines().next().is_some_and(|line| line.contains(PLACEHOLDER))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_message_takes_its_place() {
        let template = Template::new("[A-1] $msg\n\nRefs: A-1").unwrap();
        assert_eq!(template.apply("Mend $msg\n\nWhy."), "[A-1] Mend $msg\n\nWhy.\n\nRefs: A-1");
        assert!(template.has_subject());
        assert!(!Template::new("Nightly\n\n$msg").unwrap().has_subject());
    }

    #[test]
    fn a_template_without_a_place_is_refused() {
        assert!(Template::new("msg $m").is_err());
        assert!(Template::new("").is_err());
    }
}
