//! What models put around a message: reasoning, a sentence of preamble, a label, rules, a fence, quotes.

use crate::provider::output::strip_fence;

/// The names of reasoning blocks, as tags in angle brackets.
const REASONING: [&str; 7] = ["think", "thinking", "thought", "thoughts", "reasoning", "reflection", "analysis"];

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

/// Openings of a sentence that announces a message, when it also speaks of one.
const ANNOUNCING: [&str; 29] = [
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
    "looking at",
    "after reviewing",
    "after analyzing",
    "after analysing",
    "after looking",
    "from the diff",
    "my suggestion",
    "sorry",
    "apologies",
];

/// What such a sentence speaks of.
const SUBJECTS: [&str; 12] = [
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
    "the diff",
    "staged changes",
];

/// Takes one layer of each kind off a trimmed text. `wrapped` becomes true when one was found whose presence means that a
/// fence or a rule around the rest is no part of the message.
pub(super) fn peel<'t>(text: &'t str, wrapped: &mut bool) -> &'t str {
    let mut rest = text;
    for strip in [reasoning, preamble, label] {
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
    for name in REASONING {
        for (open, close) in [(format!("<{name}>"), format!("</{name}>")), (format!("[{name}]"), format!("[/{name}]"))]
        {
            if starts_with(text, &open) {
                return Some(find(text, &close).and_then(|at| text.get(at + close.len()..)).unwrap_or_default());
            }
        }
    }
    let kimi = text.strip_prefix("◁think▷").map(|inside| inside.split_once("◁/think▷").map_or("", |(_, rest)| rest));
    kimi.or_else(|| REASONING.iter().find_map(|name| behind_lone_closer(text, &format!("</{name}>"))))
}

fn behind_lone_closer<'t>(text: &'t str, close: &str) -> Option<&'t str> {
    let mut end = 0;
    for line in text.split_inclusive('\n') {
        end += line.len();
        if line.trim().eq_ignore_ascii_case(close) {
            return text.get(end..);
        }
    }
    None
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
    (line.len() <= 400 && is_preamble(line)).then_some(rest)
}

fn is_preamble(line: &str) -> bool {
    let sentence = line.trim().trim_matches(['*', '_']).replace('’', "'").to_lowercase();
    let ends = |marks: &[char]| sentence.ends_with(marks);
    if ends(&[':', '：']) {
        let before = sentence.trim_end_matches([':', '：', ' ', '*', '_']);
        if before.ends_with("commit message") || FOREIGN_LABELS.iter().any(|label| before.contains(label)) {
            return true;
        }
    }
    if let Some(rest) = CHATTY.iter().filter_map(|word| sentence.strip_prefix(word)).min_by_key(|rest| rest.len()) {
        let only = rest.trim_matches(|c: char| c.is_ascii_punctuation() || c.is_whitespace()).is_empty();
        let addressed = rest.starts_with([',', '!', '.', ';', ' ']) && sentence.contains("here");
        let said = rest.starts_with([',', '!', '.', ';']) && SUBJECTS.iter().any(|subject| rest.contains(subject));
        return (only && ends(&['!', '.', ','])) || ((addressed || said) && ends(&[':', '.', '!']));
    }
    ANNOUNCING.iter().any(|opening| sentence.starts_with(opening))
        && SUBJECTS.iter().any(|subject| sentence.contains(subject))
        && ends(&[':', '.', '!'])
}

/// The text behind a label, on its own line or before the subject.
fn label(text: &str) -> Option<&str> {
    let (line, below) = text.split_once('\n').unwrap_or((text, ""));
    if let Some((head, _)) = line.split_once([':', '：'])
        && is_label(head)
    {
        let rest = text.get(head.len()..)?.strip_prefix([':', '：'])?;
        // `**Commit message:** x` closes its emphasis behind the colon.
        let decorated = head.trim_start().starts_with(['*', '_']);
        return Some(if decorated { rest.trim_start_matches(['*', '_']) } else { rest });
    }
    // Without a colon it takes a heading or emphasis to be a label.
    (line.starts_with(['#', '*']) && is_label(line) && !below.is_empty()).then_some(below)
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
