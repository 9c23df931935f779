//! The order of the commits: by what they are for, and code by who needs whom.

use super::features::depends;
use super::reading::Reading;
use super::{Class, Group};

/// More groups of one kind than this are left in the order of their files.
const MOST: usize = 64;

pub(super) fn sorted(files: &[Reading<'_>], mut groups: Vec<Group>) -> Vec<Group> {
    groups.sort_by(|one, other| (one.class, &one.files).cmp(&(other.class, &other.files)));
    let first = groups.iter().position(|group| is_code(group.class)).unwrap_or(groups.len());
    let mut code = groups.split_off(first);
    let last = code.iter().position(|group| !is_code(group.class)).unwrap_or(code.len());
    let rest = code.split_off(last);
    if code.len() <= MOST {
        code = by_need(files, code);
    }
    groups.extend(code);
    groups.extend(rest);
    groups
}

const fn is_code(class: Class) -> bool {
    matches!(class, Class::Move | Class::Source)
}

/// Each as early as it can be; where two need each other, the first comes first.
fn by_need(files: &[Reading<'_>], mut open: Vec<Group>) -> Vec<Group> {
    let mut done = Vec::with_capacity(open.len());
    while !open.is_empty() {
        let waits = |at: usize, group: &Group| {
            open.iter().enumerate().any(|(other, earlier)| other != at && depends(files, group, earlier))
        };
        let next = open.iter().enumerate().position(|(at, group)| !waits(at, group)).unwrap_or(0);
        done.push(open.remove(next));
    }
    done
}
