//! From ideas to a message: shape, length, case, full stop, body, and never what was refused.

use super::area::{Area, area};
use super::facts::{FileFacts, FileStatus, MessageFacts};
use super::habits::{Habits, Shape, learn, subject, wants_body};
use super::ideas::{self, Idea, list};
use super::names::{What, definitions};
use super::path;

/// No subject is longer, in characters.
pub(super) const HARD_LIMIT: usize = 100;

/// What is kept to where nobody says otherwise, in characters.
const USUAL_LIMIT: usize = 72;

/// Below this no subject can say anything, in characters.
const LEAST_LIMIT: usize = 24;

/// Lines of a body are not longer, in characters.
const BODY_WIDTH: usize = 72;

/// So many files are named one by one in a body.
const BODY_FILES: usize = 12;

/// Writes the message.
pub(super) fn write(facts: &MessageFacts) -> String {
    let habits = learn(facts);
    let subject = pick(facts, &habits);
    if wants_body(facts) && !facts.files.is_empty() { format!("{subject}\n\n{}", body(facts)) } else { subject }
}

/// The best subject that fits and was not refused.
fn pick(facts: &MessageFacts, habits: &Habits) -> String {
    let limit = match facts.subject_limit {
        0 => USUAL_LIMIT,
        limit => limit.clamp(LEAST_LIMIT, HARD_LIMIT),
    };
    let refused = Refused::new(facts);
    let ideas = ideas::of(facts);
    let detail = |idea: &Idea| {
        let (kind, sentence) = (idea.kind, idea.sentence());
        details(facts).map(move |detail| Idea::new(kind, format!("{sentence}{detail}")))
    };
    let all: Vec<Idea> = ideas.iter().cloned().chain(ideas.iter().flat_map(detail)).collect();
    // A scope may leave too little room.
    let bare = Habits { scoped: false, ..habits.clone() };
    for habits in [habits, &bare] {
        let mut subjects = all.iter().map(|idea| shaped(facts, habits, idea));
        let fits = |subject: &String| subject.chars().count() <= limit && !refused.has(subject);
        if let Some(subject) = subjects.find(fits) {
            return subject;
        }
    }
    // Everything is too long or refused: cut the best, and number it until it is new.
    let best = all.first().map_or_else(|| "update files".to_owned(), |idea| shaped(facts, &bare, idea));
    (1..=refused.0.len().saturating_add(1))
        .map(|number| {
            let suffix = if number == 1 { String::new() } else { format!(" ({number})") };
            format!("{}{suffix}", cut(&best, limit.saturating_sub(suffix.len())))
        })
        .find(|subject| !refused.has(subject))
        .unwrap_or_default()
}

/// What tells two changes of the same description apart.
fn details(facts: &MessageFacts) -> impl Iterator<Item = String> {
    let (added, deleted) = facts.files.iter().fold((0_u64, 0_u64), |(added, deleted), file| {
        (added.saturating_add(file.added), deleted.saturating_add(file.deleted))
    });
    let files = match facts.files.len() {
        1 => "1 file".to_owned(),
        count => format!("{count} files"),
    };
    [format!(" ({files})"), format!(" (+{added}, -{deleted})"), format!(" ({files}, +{added}, -{deleted})")].into_iter()
}

/// Subjects that must not be written again, case and white space folded.
struct Refused(Vec<String>);

impl Refused {
    fn new(facts: &MessageFacts) -> Self {
        let history = facts.history.iter().filter_map(|message| subject(message));
        Self(facts.rejected.iter().map(String::as_str).chain(history).map(folded).collect())
    }

    fn has(&self, subject: &str) -> bool {
        self.0.contains(&folded(subject))
    }
}

fn folded(subject: &str) -> String {
    subject.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

/// The idea as this repository writes it.
fn shaped(facts: &MessageFacts, habits: &Habits, idea: &Idea) -> String {
    let scope = scope_of(facts, habits, idea);
    let says_place =
        |(_, place): &(&str, String)| scope.as_ref().is_some_and(|scope| scope.eq_ignore_ascii_case(place));
    let mut text = if idea.place.as_ref().is_some_and(says_place) { idea.text.clone() } else { idea.sentence() };
    if habits.capitalised {
        let mut chars = text.chars();
        text = chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect());
    }
    if habits.full_stop && !text.ends_with(')') {
        text.push('.');
    }
    match habits.shape {
        Shape::Plain => text,
        Shape::Gitmoji { code: true } => format!(":{}: {text}", idea.kind.emoji.1),
        Shape::Gitmoji { code: false } => format!("{} {text}", idea.kind.emoji.0),
        Shape::Component => match scope {
            Some(scope) => format!("{scope}: {text}"),
            None => text,
        },
        Shape::Conventional => match (&habits.dependencies, scope) {
            (Some(prefix), _) if idea.kind.dependencies => format!("{prefix}: {text}"),
            (_, Some(scope)) => format!("{}({scope}): {text}", idea.kind.name),
            (_, None) => format!("{}: {text}", idea.kind.name),
        },
    }
}

/// The scope that the shape has room for.
fn scope_of(facts: &MessageFacts, habits: &Habits, idea: &Idea) -> Option<String> {
    match habits.shape {
        Shape::Conventional if !habits.scoped => None,
        Shape::Conventional if idea.kind.dependencies => Some("deps".to_owned()),
        Shape::Conventional | Shape::Component => scope(facts, idea),
        Shape::Plain | Shape::Gitmoji { .. } => None,
    }
}

/// The scope used before for these paths, else the component that the source files belong to. A type that names a part
/// of the project (`docs`, `ci`) needs none of its own making.
fn scope(facts: &MessageFacts, idea: &Idea) -> Option<String> {
    let used = facts.scopes.first().map(|scope| path::clean(scope));
    if let Some(scope) =
        used.filter(|scope| !scope.is_empty() && scope.len() <= 24 && !scope.contains(['(', ')', ':', ' ']))
    {
        return Some(scope);
    }
    if !matches!(idea.kind.name, "feat" | "fix" | "refactor" | "perf" | "style") {
        return None;
    }
    let sources: Vec<&FileFacts> = facts.files.iter().filter(|file| area(file) == Area::Source).collect();
    let paths: Vec<&str> = sources.iter().map(|file| file.path.as_str()).collect();
    // A new or moved file's own name as its scope would only repeat the description.
    let alone = matches!(sources.as_slice(), [only] if only.status != FileStatus::Modified);
    let component = path::component(&paths).filter(|component| !component.is_empty())?;
    let repeats = alone && component.eq_ignore_ascii_case(path::stem(paths.first()?));
    (!repeats).then_some(component)
}

/// At most `limit` characters, cut between words where there are any.
fn cut(text: &str, limit: usize) -> String {
    let Some((end, _)) = text.char_indices().nth(limit) else { return text.to_owned() };
    let head = text.get(..end).unwrap_or_default();
    let words = head.rsplit_once(' ').map_or(head, |(words, _)| words);
    // A cut that leaves a preposition or next to nothing is worse than one in a word.
    let kept = if words.chars().count() * 2 < limit { head } else { words };
    let kept = kept.trim_end_matches([',', ' ', '(']);
    ["and", "with", "to", "from", "in", "for"]
        .iter()
        .find_map(|word| kept.strip_suffix(word).and_then(|rest| rest.strip_suffix(' ')))
        .unwrap_or(kept)
        .trim_end_matches([',', ' '])
        .to_owned()
}

/// One line for each file, wrapped.
fn body(facts: &MessageFacts) -> String {
    let mut lines: Vec<String> = Vec::new();
    for file in facts.files.iter().take(BODY_FILES) {
        wrap(&format!("{}: {}", path::shown(&file.path), deed(file)), &mut lines);
    }
    match facts.files.len().saturating_sub(BODY_FILES) {
        0 => {}
        1 => lines.push("- and 1 more file".to_owned()),
        more => lines.push(format!("- and {more} more files")),
    }
    lines.join("\n")
}

/// What happened to the file, in a few words.
fn deed(file: &FileFacts) -> String {
    let new = definitions(&file.added_lines, &file.path);
    let old = definitions(&file.removed_lines, &file.path);
    let names = |found: &[super::names::Definition], known: &[super::names::Definition]| -> Vec<String> {
        let named = found.iter().filter(|one| one.what != What::Test && !known.contains(one));
        named.map(|one| one.name.clone()).collect()
    };
    let (added, removed) = (names(&new, &old), names(&old, &new));
    let counts = format!("+{}, -{}", file.added, file.deleted);
    match file.status {
        FileStatus::Added if added.is_empty() => format!("new ({counts})"),
        FileStatus::Added => format!("new, with {}", list(&added, 4)),
        FileStatus::Deleted => "removed".to_owned(),
        FileStatus::TypeChanged => "type changed".to_owned(),
        FileStatus::Renamed => {
            format!("moved from {}", path::shown(file.old_path.as_deref().unwrap_or("elsewhere")))
        }
        FileStatus::Modified => {
            let mut deeds = Vec::new();
            if !added.is_empty() {
                deeds.push(format!("add {}", list(&added, 4)));
            }
            if !removed.is_empty() {
                deeds.push(format!("remove {}", list(&removed, 4)));
            }
            if deeds.is_empty() { format!("changed ({counts})") } else { deeds.join("; ") }
        }
    }
}

/// Adds the text as one bullet, broken between words.
fn wrap(text: &str, lines: &mut Vec<String>) {
    let mut line = "-".to_owned();
    for word in text.split_whitespace() {
        if line.chars().count() + 1 + word.chars().count() > BODY_WIDTH && line.len() > 1 {
            lines.push(std::mem::replace(&mut line, " ".to_owned()));
        }
        line.push(' ');
        line.push_str(word);
    }
    lines.push(line);
}
