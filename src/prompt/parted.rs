//! The words of a conversation in which a change is sent whole, part by part.
//!
//! One pair of markers serves all turns, for the system prompt names them once and for all.

use crate::payload::{Fence, PartSize, parts};

use super::Prompt;
use super::fit::{Limits, PromptError};
use super::message::{Again, Material, add_again, add_context, background, data, system, without_tag};
use super::style::HouseStyle;
use super::template::{self, fill};
use super::text::Blocks;

/// A change cut into parts, with the words around each.
#[derive(Debug, Clone)]
pub struct Parted<'a> {
    system: String,
    /// The last turn, without what is said of earlier answers.
    closing: String,
    fence: Fence,
    parts: Vec<&'a str>,
}

impl<'a> Parted<'a> {
    /// Cuts `whole`, the text of the material's payload, into parts of at most `chunk` tokens, fewer where the limits
    /// leave less for one prompt.
    ///
    /// # Errors
    /// The limits leave no room for a part.
    pub fn new(material: &Material<'_>, whole: &'a str, limits: &Limits, chunk: usize) -> Result<Self, PromptError> {
        let style = HouseStyle::resolve(material.format, material.history);
        let background = background(material);
        let fence = Fence::around(&data(material, &Again::default(), &style, &[whole, &background]));
        let system = system(material, &style, &fence, template::PARTS_COURSE);
        let mut closing = Blocks::new(template::PARTS_LAST, &fence);
        add_context(&mut closing, material, &background);
        let closing = closing.into_text();
        let mut parted = Self { system, closing, fence, parts: Vec::new() };
        parted.parts = parts(whole, parted.part_size(limits, chunk)?);
        Ok(parted)
    }

    /// The room that is left in the longest of the frames.
    fn part_size(&self, limits: &Limits, chunk: usize) -> Result<PartSize, PromptError> {
        /// More digits than any number of parts has.
        const MANY: usize = 9_999_999;
        limits.check(&self.last(&Again::default()))?;
        let first = limits.part_size(&self.framed(0, MANY, ""), chunk)?;
        let next = limits.part_size(&self.framed(MANY, MANY, ""), chunk)?;
        Ok(PartSize { tokens: first.tokens.min(next.tokens), bytes: first.bytes.min(next.bytes) })
    }

    /// How many parts there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.parts.len()
    }

    /// The turns that send the parts, in order.
    pub fn turns(&self) -> impl Iterator<Item = Prompt> {
        self.parts.iter().enumerate().map(|(index, part)| self.framed(index, self.count(), part))
    }

    fn framed(&self, index: usize, count: usize, part: &str) -> Prompt {
        let (number, count) = ((index + 1).to_string(), count.to_string());
        let template = if index == 0 { template::PARTS_FIRST } else { template::PARTS_NEXT };
        let lead = fill(template, &[("number", &number), ("count", &count)]);
        let user = format!("{lead}{}", self.fence.wrap(&format!("PART {number} OF {count}"), part));
        Prompt { system: self.system.clone(), user }
    }

    /// The turn that asks for the message, and again where an answer was not good.
    #[must_use]
    pub fn last(&self, again: &Again) -> Prompt {
        let mut user = Blocks::new(&self.closing, &self.fence);
        add_again(&mut user, &without_tag(again, &self.fence));
        Prompt { system: self.system.clone(), user: user.into_text() }
    }

    /// Every text that will be sent.
    #[must_use]
    pub fn texts(&self) -> Vec<&str> {
        self.parts.iter().copied().chain([self.system.as_str(), self.closing.as_str()]).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::config::Style;
    use crate::payload::samples::Store;
    use crate::prompt::tests::{entry, material};

    /// What stands between the markers of a part.
    fn inside(prompt: &Prompt) -> &str {
        let from = prompt.user.find("<<<<<< BEGIN PART").unwrap();
        let (_, body) = prompt.user[from..].split_once('\n').unwrap();
        &body[..body.rfind(">>>>>> END PART").unwrap()]
    }

    #[test]
    fn turns_carry_the_whole_change_and_the_last_asks_for_the_message() {
        let lines: String = (0..400).map(|n| format!("let value_{n} = compute({n});\n")).collect();
        let payload = Store::default().modified("src/a.rs", "old\n", lines).payload();
        let history = [entry("One"), entry("Two")];
        let material = Material { context: Some("It is faster."), ..material(&payload, &history, Style::Auto, false) };
        let whole = payload.whole();
        let parted = Parted::new(&material, &whole, &Limits::default(), 1000).unwrap();
        let turns: Vec<Prompt> = parted.turns().collect();
        assert!(turns.len() > 2);
        assert_eq!(turns.iter().map(inside).collect::<String>(), whole);
        assert!(turns[0].user.contains(&format!("in {} parts", turns.len())), "{}", turns[0].user);
        assert!(turns[1].user.starts_with(&format!("Part 2 of {}. ", turns.len())), "{}", turns[1].user);
        let again = Again { taken: vec!["Three".to_owned()], ..Again::default() };
        let last = parted.last(&again);
        assert!(last.user.contains("It is faster.") && last.user.contains("Three") && !last.user.contains("compute"));
        assert!(
            turns.iter().all(|turn| turn.system == last.system && turn.system.contains("answer each part with OK"))
        );
    }

    #[test]
    fn no_room_for_a_part_is_an_error() {
        let payload = Store::default().modified("a", "1\n", "2\n").payload();
        let material = material(&payload, &[], Style::Auto, false);
        let whole = payload.whole();
        for limits in [
            Limits { token_limit: 700, ..Limits::default() },
            Limits { max_prompt_bytes: Some(2000), ..Limits::default() },
        ] {
            assert!(Parted::new(&material, &whole, &limits, 1000).is_err(), "{limits:?}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn every_turn_keeps_to_the_limits(
            lines in prop::collection::vec("\\PC{0,80}", 0..120),
            chunk in 200_usize..2000,
            token_limit in prop_oneof![Just(0_usize), 1200_usize..4000],
            max_prompt_bytes in prop_oneof![Just(None), (6000_usize..20_000).prop_map(Some)],
        ) {
            let payload = Store::default().modified("a.rs", "old\n", lines.join("\n")).payload();
            let material = material(&payload, &[], Style::Plain, false);
            let whole = payload.whole();
            let limits = Limits { token_limit, max_prompt_bytes, ..Limits::default() };
            if let Ok(parted) = Parted::new(&material, &whole, &limits, chunk) {
                let turns: Vec<Prompt> = parted.turns().collect();
                prop_assert!(turns.iter().all(|turn| limits.check(turn).is_ok()));
                // A part that ends within a line is followed by a newline before its marker.
                let sent: String = turns.iter().zip(&parted.parts).map(|(turn, part)| {
                    let inside = inside(turn);
                    if part.ends_with('\n') { inside } else { inside.strip_suffix('\n').unwrap() }
                }).collect();
                prop_assert_eq!(sent, whole);
            }
        }
    }
}
