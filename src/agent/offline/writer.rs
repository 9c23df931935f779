//! From ideas to a message: a subject of the right shape and length that was not refused, and a body where one is wanted.

use super::body::body;
use super::facts::MessageFacts;
use super::habits::{Habits, learn, subject, wants_body};
use super::ideas::{self, Idea, Kind};
use super::said;
use super::style::Style;

/// No subject is longer, in characters.
const HARD_LIMIT: usize = 100;

/// What is kept to where nobody says otherwise, in characters.
const USUAL_LIMIT: usize = 72;

/// Below this no subject can say anything, in characters.
const LEAST_LIMIT: usize = 24;

/// Writes the message.
pub(super) fn write(facts: &MessageFacts) -> String {
    let subject = pick(facts, learn(facts));
    if wants_body(facts) && !facts.files.is_empty() { format!("{subject}\n\n{}", body(facts)) } else { subject }
}

/// The best subject that fits and was not refused.
fn pick(facts: &MessageFacts, habits: Habits) -> String {
    let limit = match facts.subject_limit {
        0 => USUAL_LIMIT,
        limit => limit.clamp(LEAST_LIMIT, HARD_LIMIT),
    };
    let refused = Refused::new(facts);
    let mut ideas = ideas::of(facts);
    let kind = ideas.first().map_or(Kind::OTHER, |idea| idea.kind);
    ideas.splice(0..0, said::idea(facts, kind));
    let details = details(facts);
    let detailed = ideas.iter().flat_map(|idea| {
        let sentence = idea.sentence();
        details.iter().map(move |detail| Idea::new(idea.kind, format!("{sentence} ({detail})")))
    });
    let all: Vec<Idea> = ideas.iter().cloned().chain(detailed).collect();
    let style = Style::new(facts, habits);
    // A scope may leave too little room.
    let bare = style.without_scopes();
    let most = limit.max(USUAL_LIMIT);
    for (style, limit) in [(&style, limit), (&bare, limit), (&style, most), (&bare, most)] {
        let mut subjects = all.iter().map(|idea| style.subject(idea));
        let fits = |subject: &String| subject.chars().count() <= limit && !refused.has(subject);
        if let Some(subject) = subjects.find(fits) {
            return subject;
        }
    }
    // Everything is too long or refused: cut the best, and number it until it is new.
    let best = all.first().map_or_else(|| "update files".to_owned(), |idea| bare.subject(idea));
    (1..=refused.0.len().saturating_add(1))
        .map(|number| {
            let suffix = if number == 1 { String::new() } else { format!(" ({number})") };
            format!("{}{suffix}", cut(&best, most.saturating_sub(suffix.len())))
        })
        .find(|subject| !refused.has(subject))
        .unwrap_or_default()
}

/// What tells two changes of the same description apart.
fn details(facts: &MessageFacts) -> [String; 3] {
    let (added, deleted) = facts.files.iter().fold((0_u64, 0_u64), |(added, deleted), file| {
        (added.saturating_add(file.added), deleted.saturating_add(file.deleted))
    });
    let files = match facts.files.len() {
        1 => "1 file".to_owned(),
        count => format!("{count} files"),
    };
    let lines = format!("+{added}, -{deleted}");
    let both = format!("{files}, {lines}");
    [files, lines, both]
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
