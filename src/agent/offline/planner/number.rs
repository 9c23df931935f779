//! Bringing the groups to the number that is wanted: the nearest are joined, the largest divided.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::reading::Reading;
use super::{Class, Group};
use crate::agent::offline::area::Area;
use crate::agent::offline::facts::{FileKind, FileStatus};
use crate::agent::offline::path;
use crate::prompt::PlanCount;

/// More groups than this are joined by folder before pairs are compared.
const MOST_COMPARED: usize = 64;

/// Groups at least this near are joined to reach the number aimed at.
const NEAR: usize = 40;

/// The groups with all that lies below a file's path in that file's group.
pub(super) fn united(files: &[Reading<'_>], mut groups: Vec<Group>) -> Vec<Group> {
    for (file, owner) in &fixed(files) {
        let Some(target) = groups.iter().position(|group| group.files.contains(owner)) else { continue };
        for group in &mut groups {
            group.files.retain(|other| other != file);
        }
        if let Some(group) = groups.get_mut(target) {
            group.files.push(*file);
            group.files.sort_unstable();
        }
    }
    groups.retain(|group| !group.files.is_empty());
    groups
}

/// As many groups as there are purposes: no more than `most`, and not many more than half of that.
pub(super) fn at_most(files: &[Reading<'_>], groups: Vec<Group>, most: usize) -> Vec<Group> {
    let groups = by_folder(files, groups);
    let groups = join(files, groups, PlanCount::soft_target(most), NEAR);
    join(files, groups, most.max(1), 0)
}

/// So many groups, as far as files and their hunks allow it.
pub(super) fn exactly(files: &[Reading<'_>], groups: Vec<Group>, count: usize) -> Vec<Group> {
    let fixed = fixed(files);
    let mut groups = join(files, by_folder_down_to(files, groups, count), count, 0);
    while groups.len() < count {
        let largest = groups
            .iter()
            .enumerate()
            .filter_map(|(at, group)| Some((Reverse(group.files.len()), at, divided(files, group, &fixed)?)))
            .min_by_key(|(size, at, _)| (*size, *at));
        let Some((_, at, halves)) = largest else { break };
        groups.remove(at);
        groups.extend(halves);
    }
    shared(files, groups, count)
}

/// Files that only make sense together: a file and what lies below its path.
fn fixed(files: &[Reading<'_>]) -> BTreeMap<usize, usize> {
    let by_path: BTreeMap<&str, usize> =
        files.iter().enumerate().map(|(index, file)| (file.facts.path.as_str(), index)).collect();
    let mut fixed = BTreeMap::new();
    for (index, file) in files.iter().enumerate() {
        let mut folder = path::folder(&file.facts.path);
        while !folder.is_empty() {
            if let Some(owner) = by_path.get(folder) {
                fixed.insert(index, *owner);
            }
            folder = path::folder(folder);
        }
    }
    fixed
}

fn by_folder(files: &[Reading<'_>], groups: Vec<Group>) -> Vec<Group> {
    by_folder_down_to(files, groups, 0)
}

/// Joins groups of one class and folder, of ever shorter paths, until they are few enough to be compared; never to fewer
/// than `least`.
fn by_folder_down_to(files: &[Reading<'_>], mut groups: Vec<Group>, least: usize) -> Vec<Group> {
    for depth in (0..4).rev() {
        if groups.len() <= MOST_COMPARED.max(least) {
            break;
        }
        let mut left = groups.len().saturating_sub(least);
        let mut joined: BTreeMap<(Class, String, usize), Group> = BTreeMap::new();
        for (at, group) in groups.into_iter().enumerate() {
            let first = group.files.first().and_then(|file| files.get(*file));
            let folder = first.map(|file| path::folder(&file.facts.path)).unwrap_or_default();
            let start = folder.split('/').take(depth).collect::<Vec<_>>().join("/");
            let key = (group.class, start.clone(), 0);
            match joined.get_mut(&key) {
                Some(known) if left > 0 => {
                    left -= 1;
                    known.files.extend(group.files);
                }
                Some(_) => {
                    joined.insert((group.class, start, at), group);
                }
                None => {
                    joined.insert(key, group);
                }
            }
        }
        groups = joined.into_values().collect();
        for group in &mut groups {
            group.files.sort_unstable();
        }
    }
    groups
}

/// Joins the nearest two until there are no more than `most`, or none that are near enough.
fn join(files: &[Reading<'_>], mut groups: Vec<Group>, most: usize, near: usize) -> Vec<Group> {
    groups.sort_by(|one, other| one.files.cmp(&other.files));
    let mut placed: Vec<(Group, String)> = groups.into_iter().map(|group| with_place(files, group)).collect();
    while placed.len() > most {
        let Some((at, next)) = nearest(&placed, near) else { break };
        let (other, place) = placed.remove(next);
        if let Some((one, own_place)) = placed.get_mut(at) {
            one.class = leading(one.class, other.class);
            one.files.extend(other.files);
            one.files.sort_unstable();
            *own_place = path::common_folder([own_place.as_str(), place.as_str()]).to_owned() + "/";
        }
    }
    placed.into_iter().map(|(group, _)| group).collect()
}

/// The two that are nearest to each other, and smallest among those, when they are near enough.
fn nearest(placed: &[(Group, String)], near: usize) -> Option<(usize, usize)> {
    let pairs = placed.iter().enumerate().flat_map(|(at, one)| {
        placed.iter().enumerate().skip(at + 1).map(move |(next, other)| ((at, next), (one, other)))
    });
    let ranked = pairs
        .map(|(pair, (one, other))| (Reverse(nearness(one, other)), one.0.files.len() + other.0.files.len(), pair));
    ranked.filter(|(nearness, ..)| nearness.0 >= near).min().map(|(_, _, pair)| pair)
}

/// The group with the folder that all of its files are in, a slash at its end.
fn with_place(files: &[Reading<'_>], group: Group) -> (Group, String) {
    let paths = group.files.iter().filter_map(|file| files.get(*file)).map(|file| file.facts.path.as_str());
    let place = path::common_folder(paths).to_owned() + "/";
    (group, place)
}

/// The class that decides where the joined group stands.
fn leading(one: Class, other: Class) -> Class {
    [Class::Source, Class::Move, Class::Dependencies]
        .into_iter()
        .find(|class| *class == one || *class == other)
        .unwrap_or_else(|| one.min(other))
}

/// How near two groups are: what they are for, then where their files are.
fn nearness((one, place): &(Group, String), (other, other_place): &(Group, String)) -> usize {
    use Class as C;
    let (low, high) = (one.class.min(other.class), one.class.max(other.class));
    let kind = match (low, high) {
        // Two features are not one for being features.
        (C::Source, C::Source) => 30,
        (low, high) if low == high => 60,
        (C::Docs, C::License) | (C::Ignore, C::Config) | (C::Vendored, C::Dependencies) => 60,
        (C::Build, C::Config | C::Ci) | (C::Dependencies, C::Build | C::Unneeded) | (C::Config, C::Ci) => 45,
        (C::Ignore | C::Submodule, C::Build | C::Ci) | (C::Submodule, C::Vendored | C::Dependencies) => 40,
        (C::Source, C::Tests | C::Generated) | (C::Style | C::Move, C::Source) | (C::Style, C::Tests) => 20,
        (C::Assets | C::Config, C::Source) | (C::Source, C::Docs) => 10,
        _ => 0,
    };
    let folder = path::common_folder([place.as_str(), other_place.as_str()]);
    let shared = if folder.is_empty() { 0 } else { folder.split('/').count().min(5) };
    kind + 10 * shared
}

/// The two halves of a group, cut where its parts are most unlike; `None` when it cannot be cut.
fn divided(files: &[Reading<'_>], group: &Group, fixed: &BTreeMap<usize, usize>) -> Option<[Group; 2]> {
    let mut rows: Vec<(usize, &Reading<'_>)> =
        group.files.iter().filter_map(|file| Some((*file, files.get(*file)?))).collect();
    // What is fixed to a file stands right after it.
    let owner = |file: usize| fixed.get(&file).copied().unwrap_or(file);
    let key = |index: usize| files.get(owner(index)).map(|owner| (owner.area, owner.facts.path.as_str()));
    rows.sort_by(|(one, _), (other, _)| (key(*one), one).cmp(&(key(*other), other)));
    let half = rows.len() / 2;
    let cost = |cut: usize| {
        let (before, after) = (rows.get(cut.checked_sub(1)?)?, rows.get(cut)?);
        if owner(before.0) == owner(after.0) {
            return None;
        }
        let same_folder = path::folder(&before.1.facts.path) == path::folder(&after.1.facts.path);
        let same_kind = before.1.area == after.1.area;
        let same_name = before.1.subject == after.1.subject;
        let likeness = usize::from(same_folder) + 2 * usize::from(same_kind) + 2 * usize::from(same_name && same_kind);
        Some((likeness, cut.abs_diff(half)))
    };
    let cut = (1..rows.len()).filter_map(|cut| Some((cost(cut)?, cut))).min()?.1;
    let (start, end) = rows.split_at_checked(cut)?;
    let make = |rows: &[(usize, &Reading<'_>)]| {
        let mut members: Vec<usize> = rows.iter().map(|(index, _)| *index).collect();
        members.sort_unstable();
        Group { class: class_of(group.class, rows), files: members }
    };
    Some([make(start), make(end)])
}

/// A part of a feature that is nothing but tests or documents comes as late as these do.
fn class_of(class: Class, rows: &[(usize, &Reading<'_>)]) -> Class {
    let all = |area: Area| rows.iter().all(|(_, file)| file.area == area);
    if all(Area::Tests) {
        Class::Tests
    } else if all(Area::Docs) {
        Class::Docs
    } else if all(Area::Source) && class != Class::Move {
        Class::Source
    } else {
        class
    }
}

/// Where there are fewer files than commits, files of several hunks are shared.
fn shared(files: &[Reading<'_>], mut groups: Vec<Group>, count: usize) -> Vec<Group> {
    if groups.len() >= count {
        return groups;
    }
    let mut room: Vec<(usize, usize)> = files
        .iter()
        .enumerate()
        .filter(|(_, file)| file.facts.kind == FileKind::Text && file.facts.status == FileStatus::Modified)
        .map(|(index, file)| (file.facts.hunks.saturating_sub(1), index))
        .collect();
    while groups.len() < count {
        let Some(most) = room.iter_mut().max_by_key(|(left, index)| (*left, Reverse(*index))) else { break };
        let (left, file) = *most;
        if left == 0 {
            break;
        }
        most.0 -= 1;
        let class = groups.iter().find(|group| group.files.contains(&file)).map_or(Class::Source, |group| group.class);
        groups.push(Group { class, files: vec![file] });
    }
    groups
}
