//! Recognising contents that somebody else staged: which of a script's lines they took.
//!
//! A run's contents of one file follow each other, and each takes what the one before took. So a changed line is told by
//! one number: from which content on it is taken. The contents are read side by side, and all ways to read them are
//! followed at once, because equal lines can be told apart only by what comes after them.
//!
//! Within a hunk, lines that go come before lines that come. Whoever takes a part of a hunk may put them otherwise, as
//! when the first of two lines is replaced and the second stays; so when that order does not fit, any other is tried in
//! which both kinds keep their own.

use std::collections::{HashMap, HashSet};

use super::{Hunk, Lines, Script};

/// With more ways to read the contents at once, they are given up as unreadable.
const MAX_WAYS: usize = 5000;

/// A hunk with more pairs of a line that goes and one that comes is only read in its own order.
const MAX_PAIRS: usize = 20_000;

/// For each content in turn, the lines taken; `None` when it is not so that each content takes lines of the script and
/// gives none back.
#[must_use]
pub fn trace(script: &Script, contents: &[&[u8]]) -> Option<Vec<Lines>> {
    let since = [Order::Own, Order::Any].into_iter().find_map(|order| read(script, contents, order))?;
    let taken = |content| {
        Lines::such_that(script.changed_lines(), |line| since.get(line).is_some_and(|since| *since <= content))
    };
    Some((0..contents.len()).map(taken).collect())
}

/// In which order the lines of a hunk may be.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    Own,
    Any,
}

/// Since which content each changed line is taken.
fn read(script: &Script, contents: &[&[u8]], order: Order) -> Option<Vec<usize>> {
    let mut reading = Reading::new(script, contents)?;
    let mut at = 0;
    for hunk in script.hunks() {
        reading.common(at..hunk.old.start)?;
        reading.hunk(hunk, order)?;
        at = hunk.old.end;
    }
    reading.common(at..script.base_lines())?;
    reading.end()
}

/// One way to read the contents so far: the next line of each, and the decisions made.
#[derive(Clone)]
struct Way {
    next: Vec<usize>,
    decided: usize,
}

/// A changed line, since which content it is taken, and the decision before.
struct Decision {
    line: usize,
    since: usize,
    before: usize,
}

/// Before any decision.
const ROOT: usize = usize::MAX;

struct Reading<'a> {
    script: &'a Script,
    contents: Vec<Vec<&'a [u8]>>,
    /// How often each line is still to come, in lines of both texts that are not read yet.
    ahead: HashMap<&'a [u8], usize>,
    ways: Vec<Way>,
    decisions: Vec<Decision>,
}

/// Where a hunk's reading is: so many lines that go and so many that come are decided.
type Cell = (usize, usize);

impl<'a> Reading<'a> {
    fn new(script: &'a Script, contents: &[&'a [u8]]) -> Option<Self> {
        let mut ahead: HashMap<&[u8], usize> = HashMap::new();
        script.each_step(|step| *ahead.entry(step.line()).or_default() += 1);
        let split = |content: &&'a [u8]| content.split_inclusive(|byte| *byte == b'\n').collect();
        let contents: Vec<Vec<&[u8]>> = contents.iter().map(split).collect();
        let known = contents.iter().flatten().all(|line| ahead.contains_key(line));
        let ways = vec![Way { next: vec![0; contents.len()], decided: ROOT }];
        known.then_some(Self { script, contents, ahead, ways, decisions: Vec::new() })
    }

    /// Reads lines that all contents must have.
    fn common(&mut self, lines: std::ops::Range<usize>) -> Option<()> {
        for line in lines {
            let line = self.script.old_line(line);
            let ways = std::mem::take(&mut self.ways);
            let read =
                ways.into_iter().filter_map(|way| Some(Way { next: self.advance(&way.next, line, |_| true)?, ..way }));
            self.ways = read.collect();
            self.pass(line);
        }
        (!self.ways.is_empty()).then_some(())
    }

    /// Reads a hunk, from the cell where nothing is decided to that where all is.
    fn hunk(&mut self, hunk: &'a Hunk, order: Order) -> Option<()> {
        let goes: Vec<&[u8]> = hunk.old.clone().map(|line| self.script.old_line(line)).collect();
        let comes: Vec<&[u8]> = hunk.new.clone().map(|line| self.script.new_line(line)).collect();
        goes.iter().chain(&comes).for_each(|line| self.pass(line));
        let any = order == Order::Any && goes.len().saturating_mul(comes.len()) <= MAX_PAIRS;
        let last = [last_of(&goes), last_of(&comes)];
        let first = hunk.changed().start;
        let mut cells: HashMap<Cell, Vec<Way>> = HashMap::from([((0, 0), std::mem::take(&mut self.ways))]);
        for decided in 0..goes.len() + comes.len() {
            let mut further: HashMap<Cell, Vec<Way>> = HashMap::new();
            let mut seen = HashSet::new();
            for ((gone, come), ways) in sorted(cells) {
                debug_assert_eq!(gone + come, decided);
                let next_goes = goes.get(gone).map(|line| (first + gone, *line, false, (gone + 1, come)));
                let next_comes = comes.get(come).map(|line| (first + goes.len() + come, *line, true, (gone, come + 1)));
                let steps = next_goes.into_iter().chain(next_comes.filter(|_| any || gone == goes.len()));
                for (number, line, comes, cell) in steps {
                    for way in &ways {
                        self.decide(way, (number, line, comes), |next| {
                            let fits = has_hope(&self.contents, &self.ahead, &last, cell, next);
                            fits && seen.insert((cell, next.to_vec()))
                        })
                        .into_iter()
                        .for_each(|(next, since)| {
                            self.decisions.push(Decision { line: number, since, before: way.decided });
                            further.entry(cell).or_default().push(Way { next, decided: self.decisions.len() - 1 });
                        });
                    }
                }
            }
            if further.is_empty() || further.values().map(Vec::len).sum::<usize>() > MAX_WAYS {
                return None;
            }
            cells = further;
        }
        self.ways = cells.into_values().flatten().collect();
        Some(())
    }

    /// What may be decided of a changed line: since which content it is taken, and what each content has next then.
    fn decide(
        &self,
        way: &Way,
        (_, line, comes): (usize, &[u8], bool),
        mut fits: impl FnMut(&[usize]) -> bool,
    ) -> Vec<(Vec<usize>, usize)> {
        let decided = (0..=self.contents.len()).filter_map(|since| {
            // A line that comes is there from then on, one that goes is there until then.
            let next = self.advance(&way.next, line, |content| (content >= since) == comes)?;
            fits(&next).then_some((next, since))
        });
        decided.collect()
    }

    /// Reads a line in the contents that must have it next.
    fn advance(&self, next: &[usize], line: &[u8], reads: impl Fn(usize) -> bool) -> Option<Vec<usize>> {
        let contents = self.contents.iter().zip(next).enumerate();
        contents
            .map(|(number, (content, next))| match content.get(*next) {
                _ if !reads(number) => Some(*next),
                Some(found) if *found == line => Some(next + 1),
                _ => None,
            })
            .collect()
    }

    fn pass(&mut self, line: &[u8]) {
        if let Some(count) = self.ahead.get_mut(line) {
            *count = count.saturating_sub(1);
        }
    }

    /// Since which content each changed line is taken, when the contents are read to their ends.
    fn end(&self) -> Option<Vec<usize>> {
        let is_read = |way: &&Way| self.contents.iter().zip(&way.next).all(|(content, next)| *next == content.len());
        let mut at = self.ways.iter().find(is_read)?.decided;
        let mut since = vec![0; self.script.changed_lines()];
        while let Some(decision) = self.decisions.get(at) {
            if let Some(slot) = since.get_mut(decision.line) {
                *slot = decision.since;
            }
            at = decision.before;
        }
        Some(since)
    }
}

/// Cells in a fixed order, so that the same contents are always read in the same way.
fn sorted(cells: HashMap<Cell, Vec<Way>>) -> Vec<(Cell, Vec<Way>)> {
    let mut cells: Vec<_> = cells.into_iter().collect();
    cells.sort_by_key(|(cell, _)| *cell);
    cells
}

/// The last place of each line.
fn last_of<'a>(lines: &[&'a [u8]]) -> HashMap<&'a [u8], usize> {
    lines.iter().enumerate().map(|(at, line)| (*line, at)).collect()
}

/// Whether what each content has next is still to come: in what the hunk has left, or after it.
fn has_hope(
    contents: &[Vec<&[u8]>],
    ahead: &HashMap<&[u8], usize>,
    last: &[HashMap<&[u8], usize>; 2],
    (gone, come): Cell,
    next: &[usize],
) -> bool {
    contents.iter().zip(next).all(|(content, next)| {
        let Some(line) = content.get(*next) else { return true };
        let [goes, comes] = last;
        ahead.get(line).is_some_and(|count| *count > 0)
            || goes.get(line).is_some_and(|at| *at >= gone)
            || comes.get(line).is_some_and(|at| *at >= come)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(base: &str, start: &str, contents: &[&str]) -> Option<Vec<String>> {
        let script = Script::between(base.into(), start.into()).unwrap().unwrap();
        let contents: Vec<&[u8]> = contents.iter().map(|content| content.as_bytes()).collect();
        let lines = trace(&script, &contents)?;
        Some(lines.iter().map(|lines| String::from_utf8(script.splice(lines)).unwrap()).collect())
    }

    #[test]
    fn lines_taken_one_by_one_are_recognised() {
        for contents in [
            &["a\nb\n"][..],
            &["a\nx\ny\n"],
            &["a\nb\nx\n"],
            &["a\n", "a\ny\n", "a\nx\ny\n"],
            &["a\nb\n", "a\nb\n", "a\nb\ny\n"],
        ] {
            assert_eq!(read("a\nb\n", "a\nx\ny\n", contents).unwrap(), contents, "{contents:?}");
        }
    }

    #[test]
    fn what_is_not_of_the_script_is_not() {
        for contents in [
            &["a\nz\n"][..],
            &["b\n"],
            &["a\ny\nx\n"],
            &["a\nx\nx\n"],
            &["a\nx\ny"],
            &["a\nx\n", "a\ny\n"],
            &["a\n", "a\nb\n"],
        ] {
            assert_eq!(read("a\nb\n", "a\nx\ny\n", contents), None, "{contents:?}");
        }
    }

    #[test]
    fn lines_of_a_hunk_may_be_put_otherwise() {
        for contents in [
            &["one\n2\n3\n", "one\ntwo\n3\n"][..],
            &["1\none\n2\n3\n", "one\n2\nthree\n", "one\ntwo\nthree\n"],
            &["1\n2\nthree\n", "one\n2\nthree\n"],
        ] {
            assert!(read("1\n2\n3\n", "one\ntwo\nthree\n", contents).is_some(), "{contents:?}");
        }
        for contents in [&["2\n1\n3\n"][..], &["two\none\n3\n"], &["one\n2\n3\n", "1\n2\nthree\n"]] {
            assert!(read("1\n2\n3\n", "one\ntwo\nthree\n", contents).is_none(), "{contents:?}");
        }
    }

    #[test]
    fn equal_lines_are_told_apart_by_what_follows() {
        assert!(read("", "x\ny\nx\n", &["x\n", "y\nx\n"]).is_some());
        assert!(read("", "x\ny\nx\n", &["x\n", "x\ny\n"]).is_some());
        assert!(read("", "x\ny\nx\n", &["x\n", "x\ny\n", "y\nx\n"]).is_none());
    }

    #[test]
    fn a_long_script_is_read_in_a_few_ways() {
        let base: String = (0..3000).map(|n| format!("old {n}\n\n")).collect();
        let start: String = (0..3000).map(|n| format!("new {n}\n\n")).collect();
        let half: String =
            (0..3000).map(|n| if n % 2 == 0 { format!("old {n}\n\n") } else { format!("new {n}\n\n") }).collect();
        assert!(read(&base, &start, &[&half, &start]).is_some());
    }

    proptest! {
        #[test]
        fn any_choices_that_grow_are_recognised(
            base in proptest::collection::vec("[ab]\n", 0..8),
            start in proptest::collection::vec("[abc]\n", 0..8),
            since in proptest::collection::vec(0..4_usize, 16),
        ) {
            let script = Script::between(base.concat().into(), start.concat().into()).unwrap().unwrap();
            let contents: Vec<Vec<u8>> = (0..3)
                .map(|step| script.splice(&Lines::such_that(script.changed_lines(), |line| since[line] <= step)))
                .collect();
            let slices: Vec<&[u8]> = contents.iter().map(Vec::as_slice).collect();
            let traced = trace(&script, &slices).unwrap();
            for (lines, content) in traced.iter().zip(&contents) {
                prop_assert_eq!(&script.splice(lines), content);
            }
            prop_assert!(traced.windows(2).all(|pair| pair[0].is_within(&pair[1])));
        }
    }
}
