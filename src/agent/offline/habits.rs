//! How a repository writes its subjects, learned from its history.

use super::facts::{MessageFacts, SubjectFormat};

/// The shape of subjects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// `type(scope): description`
    Conventional,
    /// An emoji, or its `:code:`, then the description.
    Gitmoji { code: bool },
    /// `component: description`
    Component,
    /// The description alone.
    Plain,
}

/// What to imitate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Habits {
    pub(super) shape: Shape,
    pub(super) capitalised: bool,
    pub(super) full_stop: bool,
    /// Whether types have scopes; only [`Shape::Conventional`] asks.
    pub(super) scoped: bool,
    /// The prefix used for dependencies, as in `chore(deps)`.
    pub(super) dependencies: Option<String>,
}

/// The eleven usual types.
pub(super) const TYPES: [&str; 11] =
    ["feat", "fix", "docs", "style", "refactor", "perf", "test", "build", "ci", "chore", "revert"];

/// A history shorter than this teaches nothing, in commits.
const ENOUGH: usize = 2;

pub(super) fn learn(facts: &MessageFacts) -> Habits {
    let subjects: Vec<&str> = facts.history.iter().filter_map(|message| subject(message)).collect();
    let shape = match facts.format {
        SubjectFormat::Conventional => Shape::Conventional,
        SubjectFormat::Plain => Shape::Plain,
        SubjectFormat::Gitmoji => Shape::Gitmoji { code: share(&subjects, |subject| has_code(subject)) },
        SubjectFormat::Auto => shape_of(&subjects),
    };
    let descriptions: Vec<&str> = subjects.iter().map(|subject| description(subject)).collect();
    let cased: Vec<&str> = descriptions.iter().copied().filter(|text| text.starts_with(char::is_alphabetic)).collect();
    let capitalised = if cased.len() < ENOUGH {
        matches!(shape, Shape::Plain | Shape::Gitmoji { .. })
    } else {
        share(&cased, |text| text.starts_with(char::is_uppercase))
    };
    let conventional: Vec<Conventional<'_>> = subjects.iter().filter_map(|subject| parse(subject)).collect();
    Habits {
        shape,
        capitalised,
        full_stop: share(&descriptions, |text| text.ends_with('.') && !text.ends_with("..")),
        scoped: conventional.len() < ENOUGH || conventional.iter().any(|parsed| parsed.scope.is_some()),
        dependencies: conventional.iter().find_map(Conventional::dependencies),
    }
}

/// Whether the message needs a body: it is demanded, or most messages of the history have one.
pub(super) fn wants_body(facts: &MessageFacts) -> bool {
    let history: Vec<&str> = facts.history.iter().map(String::as_str).collect();
    facts.body || facts.format == SubjectFormat::Auto && share(&history, |message| has_body(message))
}

fn shape_of(subjects: &[&str]) -> Shape {
    if subjects.len() < ENOUGH || share(subjects, |subject| parse(subject).is_some()) {
        return Shape::Conventional;
    }
    if share(subjects, |subject| has_code(subject)) {
        return Shape::Gitmoji { code: true };
    }
    if share(subjects, |subject| has_emoji(subject)) {
        return Shape::Gitmoji { code: false };
    }
    if share(subjects, |subject| component(subject).is_some()) { Shape::Component } else { Shape::Plain }
}

/// Whether more than half of at least two are so.
fn share(texts: &[&str], is_so: impl Fn(&&str) -> bool) -> bool {
    texts.len() >= ENOUGH && texts.iter().filter(|text| is_so(text)).count() * 2 > texts.len()
}

/// The first line with text.
pub(super) fn subject(message: &str) -> Option<&str> {
    message.lines().map(str::trim).find(|line| !line.is_empty())
}

/// Whether paragraphs follow the subject; trailers alone are no body.
fn has_body(message: &str) -> bool {
    message.trim().lines().skip(1).any(|line| !line.trim().is_empty() && !is_trailer(line))
}

fn is_trailer(line: &str) -> bool {
    line.split_once(": ").is_some_and(|(token, _)| {
        token.contains('-') && token.chars().all(|char| char.is_ascii_alphanumeric() || char == '-')
    })
}

struct Conventional<'a> {
    kind: &'a str,
    scope: Option<&'a str>,
    description: &'a str,
}

impl Conventional<'_> {
    fn dependencies(&self) -> Option<String> {
        match self.scope {
            Some(scope @ ("deps" | "dependencies" | "deps-dev")) => Some(format!("{}({scope})", self.kind)),
            _ if self.description.to_ascii_lowercase().starts_with("bump ") => Some(self.kind.to_owned()),
            _ => None,
        }
    }
}

fn parse(subject: &str) -> Option<Conventional<'_>> {
    let (head, description) = subject.split_once(": ")?;
    let head = head.strip_suffix('!').unwrap_or(head);
    let (kind, scope) = match head.split_once('(') {
        Some((kind, scope)) => (kind, Some(scope.strip_suffix(')')?)),
        None => (head, None),
    };
    TYPES.contains(&kind).then_some(Conventional { kind, scope, description })
}

/// `component: description`, where the component is one word of a path or a name.
fn component(subject: &str) -> Option<(&str, &str)> {
    let (head, description) = subject.split_once(": ")?;
    let part = |char: char| char.is_alphanumeric() || matches!(char, '_' | '-' | '/' | '.' | ',' | '*');
    (!head.is_empty() && head.chars().all(part)).then_some((head, description))
}

fn has_code(subject: &str) -> bool {
    subject.strip_prefix(':').and_then(|rest| rest.split_once(": ")).is_some_and(|(code, _)| {
        !code.is_empty() && code.chars().all(|char| char.is_ascii_lowercase() || char.is_ascii_digit() || char == '_')
    })
}

fn has_emoji(subject: &str) -> bool {
    subject.chars().next().is_some_and(is_emoji)
}

fn is_emoji(char: char) -> bool {
    matches!(char, '\u{2190}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}')
}

/// The subject without type, scope, component and emoji.
fn description(subject: &str) -> &str {
    if let Some(parsed) = parse(subject) {
        return parsed.description.trim_start();
    }
    if has_code(subject) {
        return subject.split_once(": ").map_or(subject, |(_, rest)| rest.trim_start());
    }
    if has_emoji(subject) {
        return subject.trim_start_matches(|char| is_emoji(char) || matches!(char, '\u{fe0f}' | ' '));
    }
    component(subject).map_or(subject, |(_, description)| description.trim_start())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(history: &[&str]) -> MessageFacts {
        let history = history.iter().map(|message| (*message).to_owned()).collect();
        MessageFacts { history, ..MessageFacts::default() }
    }

    fn habits(history: &[&str]) -> Habits {
        learn(&facts(history))
    }

    #[test]
    fn the_shape_follows_history() {
        for (history, shape, capitalised, full_stop) in [
            (&[][..], Shape::Conventional, false, false),
            (&["Only one"], Shape::Conventional, false, false),
            (&["feat: add x", "fix(a): y", "Merge it"], Shape::Conventional, false, false),
            (&["feat: Add x", "fix: Mend y"], Shape::Conventional, true, false),
            (&["Add x", "Mend y", "Drop z"], Shape::Plain, true, false),
            (&["Add x.", "Mend y."], Shape::Plain, true, true),
            (&["add x", "mend y"], Shape::Plain, false, false),
            (&["✨ Add x", "🐛 Mend y"], Shape::Gitmoji { code: false }, true, false),
            (&["♻️ add x", "🐛 mend y"], Shape::Gitmoji { code: false }, false, false),
            (&[":sparkles: Add x", ":bug: Mend y"], Shape::Gitmoji { code: true }, true, false),
            (&["net: add x", "net/http: mend y", "Drop z"], Shape::Component, false, false),
        ] {
            let learned = habits(history);
            assert_eq!(
                (learned.shape, learned.capitalised, learned.full_stop),
                (shape, capitalised, full_stop),
                "{history:?}"
            );
        }
    }

    #[test]
    fn scopes_bodies_and_dependencies_are_learned() {
        assert!(habits(&[]).scoped);
        assert!(!habits(&["feat: a", "fix: b"]).scoped);
        assert!(habits(&["feat: a", "fix(x): b"]).scoped);
        let body = |history: &[&str]| wants_body(&facts(history));
        assert!(body(&["a\n\nwhy", "b\n\nwhy"]));
        assert!(!body(&["a\n\nSigned-off-by: A <a@b.c>", "b\n\nReviewed-by: C"]));
        assert_eq!(habits(&["chore(deps): bump x", "fix: y"]).dependencies.as_deref(), Some("chore(deps)"));
        assert_eq!(habits(&["chore: bump x", "fix: y"]).dependencies.as_deref(), Some("chore"));
    }

    #[test]
    fn a_format_asked_for_wins() {
        let facts = MessageFacts {
            history: vec!["Add x".to_owned(), "Mend y".to_owned()],
            format: SubjectFormat::Conventional,
            ..MessageFacts::default()
        };
        assert_eq!(learn(&facts).shape, Shape::Conventional);
    }
}
