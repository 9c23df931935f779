//! Files that only tie others together, such as a `main.rs`: they come with every commit whose files they begin to name,
//! hunk by hunk, so that each commit stands by itself.

use super::reading::Reading;
use super::{Class, Group};
use crate::agent::offline::path;

/// For each group the files of other groups that it shares.
pub(super) fn shared(files: &[Reading<'_>], groups: &[Group]) -> Vec<Vec<usize>> {
    let wiring: Vec<usize> = groups
        .iter()
        .filter(|group| group.class == Class::Source)
        .flat_map(|group| group.files.iter().copied())
        .filter(|file| files.get(*file).is_some_and(|file| path::is_nameless(&file.facts.path) && file.facts.hunks > 1))
        .collect();
    let of = |group: &Group| {
        let names = |file: &&usize| !group.files.contains(file) && is_named(files, group, **file);
        wiring.iter().filter(names).copied().collect()
    };
    groups.iter().map(of).collect()
}

/// Whether the file begins to speak of a file that came with the group.
fn is_named(files: &[Reading<'_>], group: &Group, wiring: usize) -> bool {
    let Some(wiring) = files.get(wiring) else { return false };
    matches!(group.class, Class::Source | Class::Move)
        && group.files.iter().filter_map(|file| files.get(*file)).any(|file| {
            let stem = path::stem(&file.facts.path);
            file.is_come_or_gone() && wiring.new_words.contains(stem) && !wiring.old_words.contains(stem)
        })
}
