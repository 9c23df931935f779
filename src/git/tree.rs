//! The entries of tree objects, whoever reads them: git's order, content, paths.

use std::cmp::Ordering;

use bstr::{BStr, BString, ByteSlice};

use super::{FileMode, ObjectId, Side};

/// The mode of a folder in its parent.
pub(super) const FOLDER: u32 = 0o040_000;

/// One entry of a tree, owned so that a walk can recurse.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TreeEntry {
    pub(super) name: BString,
    pub(super) mode: u32,
    pub(super) id: ObjectId,
}

impl TreeEntry {
    pub(super) const fn is_folder(&self) -> bool {
        self.mode == FOLDER
    }

    /// The entry as one side of a changed file; a folder is none.
    pub(super) fn side(&self, path: BString) -> Option<Side> {
        FileMode::from_bits(self.mode).map(|mode| Side { path, mode, id: self.id })
    }
}

/// Reads the content of a tree object whose ids have `length` bytes; `None` when it is no tree.
pub(super) fn parse(mut content: &[u8], length: usize) -> Option<Vec<TreeEntry>> {
    let mut entries = Vec::new();
    while !content.is_empty() {
        let (mode, rest) = content.split_once_str(" ")?;
        let (name, rest) = rest.split_once_str("\0")?;
        let (id, rest) = rest.split_at_checked(length)?;
        let mode = u32::from_str_radix(mode.to_str().ok()?, 8).ok()?;
        entries.push(TreeEntry { name: name.into(), mode, id: ObjectId::from_bytes(id).ok()? });
        content = rest;
    }
    Some(entries)
}

/// git's order of tree entries: by bytes, a folder as if its name ended in a slash.
pub(super) fn order(one: (&BStr, bool), other: (&BStr, bool)) -> Ordering {
    bytes(one).cmp(bytes(other))
}

fn bytes((name, is_folder): (&BStr, bool)) -> impl Iterator<Item = &u8> {
    name.iter().chain(is_folder.then_some(&b'/'))
}

/// Adds an entry to the content of a tree object.
pub(super) fn push_entry(content: &mut Vec<u8>, mode: u32, name: &BStr, id: ObjectId) {
    content.extend_from_slice(format!("{mode:o} ").as_bytes());
    content.extend_from_slice(name);
    content.push(0);
    content.extend_from_slice(id.as_bytes());
}

/// A name in a folder whose path ends in a slash or is empty.
pub(super) fn join(prefix: &BStr, name: &BStr) -> BString {
    let mut path = BString::from(prefix.as_bytes());
    path.extend_from_slice(name);
    path
}

/// The path of a folder as a prefix of what lies in it.
pub(super) fn folder(mut path: BString) -> BString {
    path.push(b'/');
    path
}
