//! Files that only make sense together: what goes into one commit or into none.
//!
//! A tree cannot hold a file and a folder of the same name, and a file system that folds case cannot hold two names that
//! differ in nothing else. So what disappears at a name and what appears at it, below it or above it belong together.

use std::collections::HashMap;

use bstr::{BStr, ByteSlice};

use crate::git::{Change, ChangedFile, Side, Status};

/// The changed files in groups. A file is known by its position in the change, and so are its mates.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Units {
    /// The unit of each file: the position of its first member.
    first: Vec<usize>,
    members: HashMap<usize, Vec<usize>>,
}

impl Units {
    /// Groups the files of a change.
    #[must_use]
    pub fn of(change: &Change) -> Self {
        let mut joined = Joined((0..change.files().len()).collect());
        let removed = names(change, ChangedFile::gone);
        let added = names(change, added);
        for files in removed.values().chain(added.values()) {
            join_all(&mut joined, files);
        }
        meet(&mut joined, &removed, &added);
        meet(&mut joined, &added, &removed);
        let first: Vec<usize> = (0..change.files().len()).map(|file| joined.root(file)).collect();
        let mut members: HashMap<usize, Vec<usize>> = HashMap::new();
        for (file, unit) in first.iter().enumerate() {
            members.entry(*unit).or_default().push(file);
        }
        Self { first, members }
    }

    /// The files that go with a file, itself included, in order; never empty for a file of the change.
    #[must_use]
    pub fn mates(&self, file: usize) -> &[usize] {
        self.first.get(file).and_then(|unit| self.members.get(unit)).map_or(&[], Vec::as_slice)
    }

    /// The first file of the unit, which stands for it.
    #[must_use]
    pub fn unit_of(&self, file: usize) -> usize {
        self.first.get(file).copied().unwrap_or(file)
    }
}

/// The name that is there after and not before.
fn added(file: &ChangedFile) -> Option<&Side> {
    matches!(file.status(), Status::Added | Status::Renamed(_)).then(|| file.new_side())?
}

/// Files by a name of theirs, case folded.
fn names(change: &Change, name: fn(&ChangedFile) -> Option<&Side>) -> HashMap<Vec<u8>, Vec<usize>> {
    let mut names: HashMap<Vec<u8>, Vec<usize>> = HashMap::new();
    for (index, file) in change.files().iter().enumerate() {
        if let Some(side) = name(file) {
            names.entry(side.path.to_lowercase()).or_default().push(index);
        }
    }
    names
}

/// Joins each name with the same name, or a folder above it, on the other side.
fn meet(joined: &mut Joined, names: &HashMap<Vec<u8>, Vec<usize>>, others: &HashMap<Vec<u8>, Vec<usize>>) {
    for (name, files) in names {
        let Some(file) = files.first() else { continue };
        let ends = name.find_iter(b"/").chain([name.len()]);
        for other in ends.filter_map(|end| others.get(BStr::new(name.get(..end)?).as_bytes())?.first()) {
            joined.join(*file, *other);
        }
    }
}

fn join_all(joined: &mut Joined, files: &[usize]) {
    for pair in files.windows(2) {
        if let [one, other] = pair {
            joined.join(*one, *other);
        }
    }
}

/// Disjoint sets, each named by its smallest member.
struct Joined(Vec<usize>);

impl Joined {
    fn root(&mut self, file: usize) -> usize {
        let parent = self.0.get(file).copied().unwrap_or(file);
        if parent == file {
            return file;
        }
        let root = self.root_of(parent);
        if let Some(slot) = self.0.get_mut(file) {
            *slot = root;
        }
        root
    }

    /// As [`Self::root`], without recursion: a chain can be as long as the change.
    fn root_of(&self, mut file: usize) -> usize {
        while let Some(parent) = self.0.get(file).filter(|parent| **parent != file) {
            file = *parent;
        }
        file
    }

    fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.root(one), self.root(other));
        if let Some(slot) = self.0.get_mut(one.max(other)) {
            *slot = one.min(other);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Memory, change};
    use super::*;

    /// The units with more than one file, by path.
    fn groups(base: &[(&str, &str)], start: &[(&str, &str)]) -> Vec<Vec<String>> {
        let memory = Memory::default();
        let change = change(&memory, base, start);
        let units = Units::of(&change);
        let mut groups: Vec<Vec<String>> = (0..change.files().len())
            .filter(|file| units.unit_of(*file) == *file)
            .map(|file| units.mates(file).iter().map(|mate| change.files()[*mate].path().to_string()).collect())
            .collect();
        groups.retain(|group: &Vec<String>| group.len() > 1);
        groups
    }

    #[test]
    fn a_file_and_the_folder_that_replaces_it_are_one() {
        let folder = [("a/b", "1"), ("a/c/d", "2"), ("ab", "3")];
        assert_eq!(groups(&[("a", "0")], &folder), [["a", "a/b", "a/c/d"]]);
        assert_eq!(groups(&folder, &[("a", "0")]), [["a", "a/b", "a/c/d"]]);
    }

    #[test]
    fn a_folder_that_replaces_a_renamed_file_goes_with_the_rename() {
        assert_eq!(groups(&[("a", "same")], &[("b", "same"), ("a/x", "1")]), [["a/x", "b"]]);
    }

    #[test]
    fn names_that_differ_in_case_only_are_one() {
        assert_eq!(groups(&[("Read.me", "one")], &[("read.me", "two")]), [["Read.me", "read.me"]]);
        assert_eq!(groups(&[("É/x", "one")], &[("é/x", "two")]), [["É/x", "é/x"]]);
        assert_eq!(groups(&[("Doc", "one")], &[("doc/a", "two"), ("doc/b", "three")]), [["Doc", "doc/a", "doc/b"]]);
    }

    #[test]
    fn what_only_lies_side_by_side_is_not_one() {
        assert!(groups(&[("a", "1"), ("b", "2")], &[("a", "3"), ("A", "4"), ("c/d", "5")]).is_empty());
    }

    #[test]
    fn a_long_chain_is_one_unit() {
        let names: Vec<(String, String)> = (0..500).map(|n| ("a/".repeat(n) + "b", format!("{n}"))).collect();
        let start: Vec<(&str, &str)> = names.iter().map(|(name, content)| (name.as_str(), content.as_str())).collect();
        assert_eq!(groups(&[("a", "old")], &start[1..])[0].len(), 500);
    }
}
