//! An idea as this repository writes it: shape, scope, case and full stop.

use super::area::{Area, area};
use super::facts::{FileFacts, FileStatus, MessageFacts};
use super::habits::{Habits, Shape};
use super::ideas::Idea;
use super::path;

/// Everything about the style that is the same for all ideas.
#[derive(Debug, Clone)]
pub(super) struct Style {
    habits: Habits,
    /// The scope that history used for these paths.
    used: Option<String>,
    /// The component that the source files belong to.
    component: Option<String>,
}

impl Style {
    pub(super) fn new(facts: &MessageFacts, habits: Habits) -> Self {
        let used = facts.scopes.first().map(|scope| path::clean(scope)).filter(|scope| is_scope(scope));
        Self { habits, used, component: component(facts) }
    }

    /// The same for subjects that have no room for a scope.
    pub(super) fn without_scopes(&self) -> Self {
        Self { habits: Habits { scoped: false, ..self.habits.clone() }, ..self.clone() }
    }

    /// The subject that says the idea.
    pub(super) fn subject(&self, idea: &Idea) -> String {
        let scope = self.scope(idea);
        let text = self.description(idea, scope);
        match self.habits.shape {
            Shape::Plain => text,
            Shape::Gitmoji { code: true } => format!(":{}: {text}", idea.kind.emoji.1),
            Shape::Gitmoji { code: false } => format!("{} {text}", idea.kind.emoji.0),
            Shape::Component => match scope {
                Some(scope) => format!("{scope}: {text}"),
                None => text,
            },
            Shape::Conventional => match (&self.habits.dependencies, scope) {
                (Some(prefix), _) if idea.kind.dependencies => format!("{prefix}: {text}"),
                (_, Some(scope)) => format!("{}({scope}): {text}", idea.kind.name),
                (_, None) => format!("{}: {text}", idea.kind.name),
            },
        }
    }

    /// The words after the prefix. Where the scope says the place, they need not.
    fn description(&self, idea: &Idea, scope: Option<&str>) -> String {
        let place = idea.place.as_ref().map(|(_, place)| place.as_str());
        let said = place.zip(scope).is_some_and(|(place, scope)| scope.eq_ignore_ascii_case(place));
        let mut text = if said { idea.text.clone() } else { idea.sentence() };
        if self.habits.capitalised {
            let mut chars = text.chars();
            text = chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect());
        }
        if self.habits.full_stop && !text.ends_with(')') {
            text.push('.');
        }
        text
    }

    /// The scope that the shape has room for. A type that names a part of the project (`docs`, `ci`) needs none of our
    /// own making.
    fn scope(&self, idea: &Idea) -> Option<&str> {
        match self.habits.shape {
            Shape::Plain | Shape::Gitmoji { .. } => return None,
            Shape::Conventional | Shape::Component if !self.habits.scoped => return None,
            Shape::Conventional if idea.kind.dependencies => return Some("deps"),
            Shape::Conventional | Shape::Component => {}
        }
        let about_code = matches!(idea.kind.name, "feat" | "fix" | "refactor" | "perf" | "style");
        self.used.as_deref().or(self.component.as_deref().filter(|_| about_code))
    }
}

fn is_scope(scope: &str) -> bool {
    !scope.is_empty() && scope.len() <= 24 && !scope.contains(['(', ')', ':', ' '])
}

fn component(facts: &MessageFacts) -> Option<String> {
    let sources: Vec<&FileFacts> = facts.files.iter().filter(|file| area(file) == Area::Source).collect();
    let paths: Vec<&str> = sources.iter().map(|file| file.path.as_str()).collect();
    let component = path::component(&paths).filter(|component| !component.is_empty())?;
    // A new or moved file's own name as its scope would only repeat the description.
    let alone = matches!(sources.as_slice(), [only] if only.status != FileStatus::Modified);
    let repeats = alone && component.eq_ignore_ascii_case(path::stem(paths.first()?));
    (!repeats).then_some(component)
}
