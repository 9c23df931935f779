//! What models put around a message: reasoning, a sentence of preamble, a label, rules, a fence, quotes.

use crate::provider::output::strip_fence;

/// The names of reasoning blocks, as tags in angle brackets.
const REASONING: [&str; 7] = ["think", "thinking", "thought", "thoughts", "reasoning", "reflection", "analysis"];

/// Reasoning in the marks of particular models.
const MARKED_REASONING: [(&str, &str); 2] = [("[THINK]", "[/think]"), ("◁think▷", "◁/think▷")];

/// Tags that models put around an answer.
const TAGS: [&str; 5] = ["commit_message", "commit-message", "commitmessage", "answer", "final_answer"];

/// Words that may stand before "commit message" in a label.
const LABEL_WORDS: [&str; 22] = [
    "a",
    "the",
    "your",
    "my",
    "suggested",
    "proposed",
    "generated",
    "recommended",
    "final",
    "git",
    "conventional",
    "updated",
    "revised",
    "improved",
    "corrected",
    "possible",
    "draft",
    "short",
    "concise",
    "appropriate",
    "new",
    "staged",
];

/// The label in other languages, in lower case.
const FOREIGN_LABELS: [&str; 16] = [
    "commit-nachricht",
    "commitnachricht",
    "commit-botschaft",
    "message de commit",
    "mensaje de commit",
    "mensaje del commit",
    "mensagem de commit",
    "messaggio di commit",
    "commitbericht",
    "сообщение коммита",
    "сообщение для коммита",
    "повідомлення коміту",
    "提交信息",
    "提交消息",
    "コミットメッセージ",
    "커밋 메시지",
];

/// Openings of an answer that speaks to its reader.
const CHATTY: [&str; 16] = [
    "sure",
    "certainly",
    "of course",
    "absolutely",
    "got it",
    "okay",
    "ok",
    "alright",
    "great",
    "understood",
    "no problem",
    "thanks",
    "thank you",
    "happy to help",
    "done",
    "perfect",
];

/// Openings of a sentence that announces a message when it ends with a colon and speaks of one.
const ANNOUNCING: [&str; 20] = [
    "here is",
    "here's",
    "here are",
    "below is",
    "the following",
    "following is",
    "this is",
    "based on",
    "given the",
    "given these",
    "from the diff",
    "my suggestion",
    "the commit message",
    "my commit message",
    "a good commit message",
    "a suitable commit message",
    "a possible commit message",
    "sorry",
    "apologies",
    "i apologize",
];

/// Openings of a sentence in which a model speaks of what it does.
const FIRST_PERSON: [&str; 13] = [
    "i've",
    "i have",
    "i'd",
    "i would",
    "i'll",
    "i will",
    "i suggest",
    "i recommend",
    "i propose",
    "let me",
    "looking at the",
    "after reviewing",
    "after analyzing",
];

/// What such sentences speak of.
const TOPICS: [&str; 18] = [
    "commit message",
    "commit msg",
    "i suggest",
    "i'd suggest",
    "i would suggest",
    "i recommend",
    "i'd recommend",
    "i propose",
    "suggested message",
    "the message",
    "a message",
    "the diff ",
    "the diff,",
    "the diff.",
    "the diff:",
    "staged changes",
    "these changes",
    "your changes",
];

/// What follows "commit message" where a sentence hands one over.
const HANDED_OVER: [&str; 6] = [".", "!", " for ", " that ", " based ", " following "];

/// A label or a sentence of preamble is not longer than this.
const MAX_LINE_BYTES: usize = 400;

/// Takes one layer of each kind off a trimmed text. `wrapped` becomes true when one was found whose presence means that a
/// fence or a rule around the rest is no part of the message.
pub(super) fn peel<'t>(text: &'t str, wrapped: &mut bool) -> &'t str {
    let mut rest = text;
    for strip in [reasoning, tags, preamble, label] {
        if let Some(inner) = strip(rest) {
            rest = inner.trim();
            *wrapped = true;
        }
    }
    if *wrapped {
        rest = strip_fence(rest).unwrap_or(rest);
        rest = rules(rest);
    }
    quotes(rest).map_or(rest, str::trim)
}

/// The text behind a reasoning block. A block that is never closed takes everything; one whose opening is missing, as
/// some servers print it, ends at a line that is only the closing tag.
fn reasoning(text: &str) -> Option<&str> {
    let behind = |close: &str, open: &str| {
        let inside = starts_with(text, open).then(|| text.get(open.len()..))??;
        Some(find(inside, close).and_then(|at| inside.get(at + close.len()..)))
    };
    let closed = REASONING.iter().find_map(|name| behind(&format!("</{name}>"), &format!("<{name}>")).flatten());
    let marked = || MARKED_REASONING.iter().find_map(|(open, close)| behind(close, open).flatten());
    let endless = || starts_with(text, "<think").then_some("");
    closed.or_else(marked).or_else(endless).or_else(|| behind_lone_closer(text))
}

fn behind_lone_closer(text: &str) -> Option<&str> {
    let mut end = 0;
    for line in text.split_inclusive('\n') {
        end += line.len();
        let line = line.trim();
        if line.eq_ignore_ascii_case("</think>") || line.eq_ignore_ascii_case("</thinking>") {
            return text.get(end..);
        }
        if find(line, "<think").is_some() {
            return None;
        }
    }
    None
}

/// The text inside one pair of tags around all of it, which are a label too.
fn tags(text: &str) -> Option<&str> {
    TAGS.iter().find_map(|name| {
        let (open, close) = (format!("<{name}>"), format!("</{name}>"));
        let end = text.len().checked_sub(close.len())?;
        (starts_with(text, &open) && starts_with(text.get(end..)?, &close)).then(|| text.get(open.len()..end))?
    })
}

fn starts_with(text: &str, ascii: &str) -> bool {
    text.get(..ascii.len()).is_some_and(|head| head.eq_ignore_ascii_case(ascii))
}

fn find(text: &str, ascii: &str) -> Option<usize> {
    // Only ASCII letters change, so that offsets stay.
    text.to_ascii_lowercase().find(ascii)
}

/// The text behind a first line that is a sentence about the message rather than the message.
fn preamble(text: &str) -> Option<&str> {
    let (line, rest) = text.split_once('\n')?;
    (line.len() <= MAX_LINE_BYTES && is_preamble(line)).then_some(rest)
}

/// Whether a line speaks to its reader about a message, so that it is none itself.
pub(super) fn is_preamble(line: &str) -> bool {
    let sentence = line.trim().trim_matches(['*', '_']).replace('’', "'").to_lowercase();
    let ends = |marks: &[char]| sentence.ends_with(marks);
    let begins = |openings: &[&str]| openings.iter().any(|opening| sentence.starts_with(opening));
    let on_topic = || TOPICS.iter().any(|topic| sentence.contains(topic));
    if ends(&[':', '：']) {
        let before = sentence.trim_end_matches([':', '：', ' ', '*', '_']);
        let names_it = before.ends_with("commit message") || FOREIGN_LABELS.iter().any(|label| before.contains(label));
        if names_it || (begins(&ANNOUNCING) && on_topic()) {
            return true;
        }
    }
    (ends(&[':', '.', '!']) && ((begins(&FIRST_PERSON) && on_topic()) || hands_over(&sentence)))
        || CHATTY.iter().any(|word| sentence.strip_prefix(word).is_some_and(is_small_talk))
}

/// Whether a sentence is of the kind "here is a commit message for these changes".
fn hands_over(sentence: &str) -> bool {
    ["here is", "here's", "here are"].iter().filter_map(|here| sentence.split_once(here)).any(|(_, rest)| {
        rest.split("commit message").skip(1).any(|after| HANDED_OVER.iter().any(|end| after.starts_with(end)))
    })
}

/// Whether what follows a chatty opening is small talk: nothing, or that something is handed over.
fn is_small_talk(rest: &str) -> bool {
    let nothing = rest.trim_matches(|c: char| c.is_ascii_punctuation() || c.is_whitespace()).is_empty();
    let addressed = rest.starts_with([',', '!', '.', ';', ' ']) && rest.contains("here");
    let on_topic = rest.starts_with([',', '!', '.', ';']) && TOPICS.iter().any(|topic| rest.contains(topic));
    (nothing && rest.ends_with(['!', '.', ','])) || ((addressed || on_topic) && rest.ends_with([':', '!']))
}

/// The text behind a label, on its own line or before the subject.
fn label(text: &str) -> Option<&str> {
    let (line, below) = text.split_once('\n').unwrap_or((text, ""));
    if let Some((head, _)) = line.split_once([':', '：'])
        && head.len() <= MAX_LINE_BYTES
        && is_label(head)
    {
        let rest = text.get(head.len()..)?.strip_prefix([':', '：'])?;
        // `**Commit message:** x` closes its emphasis behind the colon.
        let decorated = head.trim_start().starts_with(['*', '_']);
        return Some(if decorated { rest.trim_start_matches(['*', '_']) } else { rest });
    }
    // Without a colon it takes a heading or emphasis to be a label.
    (line.starts_with(['#', '*']) && line.len() <= MAX_LINE_BYTES && is_label(line) && !below.is_empty())
        .then_some(below)
}

fn is_label(head: &str) -> bool {
    let head = head.trim_matches(['#', '*', '_', ' ', '`']).to_lowercase();
    if FOREIGN_LABELS.contains(&head.as_str()) {
        return true;
    }
    let Some(before) = head.strip_suffix("commit message").or_else(|| head.strip_suffix("commit msg")) else {
        return false;
    };
    before.split_whitespace().all(|word| LABEL_WORDS.contains(&word))
}

/// The text between horizontal rules.
fn rules(text: &str) -> &str {
    let is_rule = |line: &str| {
        let line = line.trim();
        line.len() >= 3 && ['-', '*', '_'].iter().any(|mark| line.chars().all(|c| c == *mark))
    };
    let Some((_, below)) = text.split_once('\n').filter(|(first, _)| is_rule(first)) else { return text };
    match below.trim().rsplit_once('\n') {
        Some((above, last)) if is_rule(last) => above.trim(),
        _ => below.trim(),
    }
}

/// The text inside one pair of quotes around all of it.
fn quotes(text: &str) -> Option<&str> {
    const PAIRS: [(char, char); 9] = [
        ('"', '"'),
        ('\'', '\''),
        ('`', '`'),
        ('“', '”'),
        ('‘', '’'),
        ('«', '»'),
        ('„', '“'),
        ('「', '」'),
        ('『', '』'),
    ];
    PAIRS.into_iter().find_map(|(open, close)| {
        let inner = text.strip_prefix(open)?.strip_suffix(close)?;
        let whole = match (open, open == close) {
            ('`', _) => !inner.contains('`'),
            (_, true) => is_one_pair(text, open),
            (_, false) => stays_open(inner, open, close),
        };
        (whole && !inner.trim().is_empty()).then_some(inner)
    })
}

/// Whether asymmetric quotes inside are balanced, so that the outer ones belong together.
fn stays_open(inner: &str, open: char, close: char) -> bool {
    let mut depth = 0_usize;
    for c in inner.chars() {
        if c == open {
            depth += 1;
        } else if c == close {
            // An apostrophe in a word looks like a closing quote; then it cannot be told, and nothing is taken away.
            let Some(less) = depth.checked_sub(1) else { return false };
            depth = less;
        }
    }
    depth == 0
}

/// Whether the first and the last of a text's symmetric quotes belong together: judged by their neighbours, every other
/// one opens or closes inside of them.
fn is_one_pair(text: &str, quote: char) -> bool {
    let characters: Vec<char> = text.chars().collect();
    let last = characters.len().saturating_sub(1);
    let mut depth = 0_usize;
    for (at, c) in characters.iter().enumerate().filter(|(_, c)| **c == quote) {
        let before = at.checked_sub(1).and_then(|before| characters.get(before)).copied();
        let after = characters.get(at + 1).copied();
        if *c == '\'' && before.is_some_and(char::is_alphanumeric) && after.is_some_and(char::is_alphanumeric) {
            continue;
        }
        let opens = before.is_none_or(|b| b.is_whitespace() || "([{<=:/—-".contains(b) || b == quote)
            && after.is_some_and(|a| !a.is_whitespace());
        let closes = after.is_none_or(|a| a.is_whitespace() || ".,;:!?)]}>".contains(a) || a == quote)
            && before.is_some_and(|b| !b.is_whitespace());
        match (opens, closes) {
            (true, false) => depth += 1,
            (false, true) => match depth.checked_sub(1) {
                Some(0) if at != last => return false,
                Some(less) => depth = less,
                None => return false,
            },
            _ => return false,
        }
    }
    depth == 0
}
