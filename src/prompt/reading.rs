//! The words of a conversation in which the model sees the author's description and the list of files first, and asks for
//! the diffs it wants to see.
//!
//! A provider that remembers gets only what is new in each turn; any other gets everything so far, the oldest diffs left
//! out where the limits demand it. One pair of markers serves the whole conversation.

use crate::payload::{Fence, PartSize};

use super::Prompt;
use super::fit::{Limits, PromptError};
use super::message::{Again, Material, add_again, add_context, background, data, system, without_tag};
use super::style::HouseStyle;
use super::template::{self, fill};
use super::text::Blocks;

/// So many tokens of diffs are given at a time, with an eighth more for notes about them.
const READ_TOKENS: usize = 16_000;

/// One answered request for diffs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Exchange {
    /// The paths asked for, one a line.
    pub asked: String,
    /// The diffs and notes given.
    pub given: String,
}

/// The words of the conversation.
#[derive(Debug, Clone)]
pub struct Reading<'a> {
    material: &'a Material<'a>,
    description: &'a str,
    background: String,
    system: String,
    fence: Fence,
    limits: Limits,
    room: PartSize,
}

impl<'a> Reading<'a> {
    /// Prepares the words; at most `rounds` requests will be answered.
    ///
    /// # Errors
    /// The limits leave no room for description, list and some diff.
    pub fn new(
        material: &'a Material<'a>,
        description: &'a str,
        limits: &Limits,
        rounds: usize,
    ) -> Result<Self, PromptError> {
        let style = HouseStyle::resolve(material.format, material.history);
        let background = background(material);
        let again = Again::default();
        let files = material.payload.files();
        let skeleton = files.iter().map(crate::payload::FilePatch::skeleton);
        let mut texts: Vec<&str> = files.iter().map(crate::payload::FilePatch::text).chain(skeleton).collect();
        texts.extend([description, &background]);
        let fence = Fence::around(&data(material, &again, &style, &texts));
        let system = |tokens: usize| {
            let course = match rounds {
                0 => String::new(),
                _ => fill(template::READING_COURSE, &[("rounds", &times(rounds)), ("tokens", &tokens.to_string())]),
            };
            system(material, &style, &fence, &course)
        };
        let system_prompt = system(READ_TOKENS);
        let room = PartSize { tokens: READ_TOKENS, bytes: usize::MAX };
        let (fence_copy, limits) = (fence.clone(), limits.clone());
        let mut reading =
            Self { material, description, background, system: system_prompt, fence: fence_copy, limits, room };
        let frame = reading.so_far(&[Said::Given("")], &again, rounds);
        reading.room = reading.limits.part_size(&frame, READ_TOKENS + READ_TOKENS / 8)?;
        // A smaller number is no longer text, so the room stays large enough.
        reading.system = system(reading.diff_room().tokens);
        Ok(reading)
    }

    /// How much one answer to a request may hold, notes included.
    #[must_use]
    pub const fn room(&self) -> PartSize {
        self.room
    }

    /// How much of it diffs may take.
    #[must_use]
    pub const fn diff_room(&self) -> PartSize {
        let PartSize { tokens, bytes } = self.room;
        PartSize { tokens: tokens - tokens / 9, bytes: bytes - bytes / 9 }
    }

    /// Every text of ours and the repository's that may be sent.
    #[must_use]
    pub fn texts(&self) -> Vec<&str> {
        let files = self.material.payload.files();
        let skeleton = files.iter().map(crate::payload::FilePatch::skeleton);
        let context = self.material.context.unwrap_or_default();
        let texts = files.iter().map(crate::payload::FilePatch::text).chain(skeleton);
        texts.chain([self.description, self.system.as_str(), self.background.as_str(), context]).collect()
    }

    /// Everything so far in one prompt; `left` more requests will be answered.
    ///
    /// # Errors
    /// What is said of earlier answers leaves no room.
    pub fn whole(&self, exchanges: &[Exchange], again: &Again, left: usize) -> Result<Prompt, PromptError> {
        let (latest, earlier) = exchanges.split_last().map_or((None, exchanges), |(last, rest)| (Some(last), rest));
        let mut said: Vec<Said<'_>> = earlier.iter().map(|exchange| Said::Given(&exchange.given)).collect();
        said.extend(latest.map(|exchange| Said::Given(&exchange.given)));
        let again = without_tag(again, &self.fence);
        let fits = |said: &[Said<'_>]| {
            let prompt = self.so_far(said, &again, left);
            self.limits.check(&prompt).map(|()| prompt)
        };
        // The oldest diffs go first, then even their names.
        for (index, exchange) in earlier.iter().enumerate() {
            if let Ok(prompt) = fits(&said) {
                return Ok(prompt);
            }
            if let Some(oldest) = said.get_mut(index) {
                *oldest = Said::Gone(&exchange.asked);
            }
        }
        while said.len() > 1 {
            if let Ok(prompt) = fits(&said) {
                return Ok(prompt);
            }
            said.remove(0);
        }
        fits(&said)
    }

    /// What is new since the last turn, for a provider that remembers the others.
    #[must_use]
    pub fn next(&self, new: &[Exchange], again: &Again, left: usize) -> Prompt {
        let mut user = Blocks::new("", &self.fence);
        for exchange in new {
            self.add_said(&mut user, &Said::Given(&exchange.given));
        }
        add_again(&mut user, &without_tag(again, &self.fence));
        let user = user.into_text() + &end(left);
        Prompt { system: self.system.clone(), user: user.trim_start().to_owned() }
    }

    fn so_far(&self, said: &[Said<'_>], again: &Again, left: usize) -> Prompt {
        let mut user = Blocks::new(template::READING_FIRST, &self.fence);
        user.add(template::READING_WORK, "AUTHOR", self.description);
        add_context(&mut user, self.material, &self.background);
        user.add(template::READING_LIST, "FILES", &self.material.payload.skeleton());
        for said in said {
            self.add_said(&mut user, said);
        }
        add_again(&mut user, again);
        Prompt { system: self.system.clone(), user: user.into_text() + &end(left) }
    }

    /// Names and notes may repeat what a model wrote.
    fn add_said(&self, user: &mut Blocks<'_>, said: &Said<'_>) {
        let clean = |text: &str| text.replace(self.fence.tag(), "");
        match said {
            Said::Given(given) => user.add(template::READING_GIVEN, "DIFFS", &clean(given)),
            Said::Gone(asked) => user.add(template::READING_GONE, "LEFT OUT", &clean(asked)),
        }
    }
}

/// What is told of an earlier round.
#[derive(Debug, Clone, Copy)]
enum Said<'a> {
    Given(&'a str),
    Gone(&'a str),
}

fn end(left: usize) -> String {
    match left {
        0 => template::READING_END.to_owned(),
        _ => fill(template::READING_ON, &[("rounds", &times(left))]),
    }
}

fn times(count: usize) -> String {
    if count == 1 { "once".to_owned() } else { format!("up to {count} times") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Style;
    use crate::payload::Payload;
    use crate::payload::samples::Store;
    use crate::prompt::tests::{entry, material};

    fn payload() -> Payload {
        Store::default().modified("src/a.rs", "secret old line\n", "secret new line\n").added("b", "x\n").payload()
    }

    fn exchange(name: &str, lines: usize) -> Exchange {
        Exchange { asked: format!("{name}\n"), given: format!("+{name} is here\n").repeat(lines) }
    }

    #[test]
    fn description_and_list_come_first_and_no_bodies() {
        let payload = payload();
        let history = [entry("One"), entry("Two")];
        let material = material(&payload, &history, Style::Auto, false);
        let reading = Reading::new(&material, "We count from two now.", &Limits::default(), 5).unwrap();
        let first = reading.whole(&[], &Again::default(), 5).unwrap();
        assert!(first.user.contains("We count from two now.") && first.user.contains("M\t1\t1\tsrc/a.rs\n"));
        assert!(!first.user.contains("secret"), "{}", first.user);
        assert!(first.system.contains("up to 5 times") && first.system.contains("about 16000 tokens"));
        insta::assert_snapshot!(format!("{}========\n{}", first.system, first.user).replace('\t', "→"));
    }

    #[test]
    fn without_rounds_nothing_is_said_of_reading() {
        let payload = payload();
        let material = material(&payload, &[], Style::Auto, false);
        let reading = Reading::new(&material, "Why", &Limits::default(), 0).unwrap();
        let first = reading.whole(&[], &Again::default(), 0).unwrap();
        assert!(!first.system.contains("READ") && first.user.ends_with(template::READING_END));
    }

    #[test]
    fn a_turn_says_what_is_new_and_how_often_more() {
        let payload = payload();
        let material = material(&payload, &[], Style::Auto, false);
        let reading = Reading::new(&material, "Why", &Limits::default(), 5).unwrap();
        let next = reading.next(&[exchange("a", 1)], &Again::default(), 1);
        assert!(next.user.contains("+a is here") && next.user.ends_with("READ more: you may do so once.\n"));
        assert!(!next.user.contains("src/a.rs"));
        assert_eq!(next.system, reading.whole(&[], &Again::default(), 5).unwrap().system);
        let hostile = Exchange { given: format!("x {}", reading.fence.tag()), ..Exchange::default() };
        assert_eq!(reading.next(&[hostile], &Again::default(), 0).user.matches(reading.fence.tag()).count(), 2);
    }

    #[test]
    fn the_oldest_diffs_make_room() {
        let payload = payload();
        let material = material(&payload, &[], Style::Plain, false);
        let exchanges: Vec<Exchange> = ["one", "two", "three"].iter().map(|name| exchange(name, 100)).collect();
        let everything = Reading::new(&material, "Why", &Limits::default(), 5).unwrap();
        let all = everything.whole(&exchanges, &Again::default(), 2).unwrap();
        let size = Limits::default().tokens(&all);
        for (limit, given, gone) in [
            (size, &["one", "two", "three"][..], &[][..]),
            (size - 10, &["two", "three"], &["one"]),
            (size - 800, &["three"], &["one", "two"]),
        ] {
            let limits = Limits { token_limit: limit, ..Limits::default() };
            let reading = Reading::new(&material, "Why", &limits, 5).unwrap();
            let prompt = reading.whole(&exchanges, &Again::default(), 2).unwrap();
            assert!(limits.tokens(&prompt) <= limit);
            assert!(
                given.iter().all(|name| prompt.user.contains(&format!("+{name} is here"))),
                "{limit} {}",
                prompt.user
            );
            for name in gone {
                assert!(
                    !prompt.user.contains(&format!("+{name} is here")) && prompt.user.contains(&format!("\n{name}\n"))
                );
            }
        }
        let small = Limits { token_limit: 300, ..Limits::default() };
        assert!(Reading::new(&material, "Why", &small, 5).is_err());
    }
}
