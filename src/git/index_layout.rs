//! The bytes of an index file: where its entries and extensions lie, and its checksum.
//!
//! The layout is that of gitformat-index(5), versions 2 to 4 with SHA-1.

use std::ops::Range;

use bstr::{BString, ByteSlice};
use gix_index::hash;

/// Length of a SHA-1 id, and of the checksum at the end of the file.
pub(super) const ID: usize = 20;
/// The entry's fields before its id: times, device and inode, mode, owner, size; four bytes each but the times.
pub(super) const STAT: usize = 40;
/// Seconds of the modification time, among the fields.
pub(super) const MODIFIED: Range<usize> = 8..12;
/// The mode, among the fields.
pub(super) const MODE: Range<usize> = 24..28;
/// The size, among the fields.
pub(super) const SIZE: Range<usize> = 36..40;
/// Where the number of entries is.
pub(super) const COUNT: Range<usize> = 8..12;

/// The flag that a second word of flags follows.
const EXTENDED: u16 = 0x4000;
const STAGE: u16 = 0x3000;
const ASSUME_VALID: u16 = 0x8000;
/// The flags' part that says how long the path is, as far as it goes.
const LENGTH: u16 = 0x0fff;

/// An entry in its place.
pub(super) struct Row<'a> {
    /// All bytes of it, padding included.
    pub(super) bytes: Range<usize>,
    /// Its path.
    pub(super) path: &'a BString,
    flags: u16,
}

impl Row<'_> {
    /// Whether it is one side of a conflict.
    pub(super) const fn is_unmerged(&self) -> bool {
        self.flags & STAGE != 0
    }

    /// Whether somebody has set a flag of it, such as `--assume-unchanged` or `git add -N`.
    pub(super) const fn is_flagged(&self) -> bool {
        self.flags & (EXTENDED | ASSUME_VALID) != 0
    }
}

/// The version of an index; `None` where it is of a kind that is not known here.
pub(super) fn version(content: &[u8]) -> Option<u32> {
    let version = number(content, 4)?;
    (content.get(..4)? == b"DIRC" && (2..=4).contains(&version)).then_some(version)
}

/// The number of four bytes at a place.
pub(super) fn number(content: &[u8], at: usize) -> Option<u32> {
    content.get(at..at + 4)?.try_into().ok().map(u32::from_be_bytes)
}

/// Calls `visit` for each entry, in order, as far as they can be read. Returns where they end, if that is known.
pub(super) fn each(content: &[u8], mut visit: impl FnMut(Row<'_>)) -> Option<usize> {
    let version = version(content)?;
    let mut path = BString::default();
    let mut start = COUNT.end;
    for _ in 0..number(content, COUNT.start)? {
        let end = entry(content, start, version, &mut path)?;
        visit(Row { bytes: start..end, path: &path, flags: flags(content, start)? });
        start = end;
    }
    Some(start)
}

fn flags(content: &[u8], start: usize) -> Option<u16> {
    let flags = start + STAT + ID;
    content.get(flags..flags + 2)?.try_into().ok().map(u16::from_be_bytes)
}

/// Reads the path of an entry over that of the one before, and returns where the next entry begins.
fn entry(content: &[u8], start: usize, version: u32, path: &mut BString) -> Option<usize> {
    let mut name = start + STAT + ID + 2;
    if version >= 3 && flags(content, start)? & EXTENDED != 0 {
        name += 2;
    }
    if version == 4 {
        let (cut, length) = offset_number(content.get(name..)?)?;
        name += length;
        let kept = path.len().checked_sub(cut)?;
        path.truncate(kept);
    } else {
        path.clear();
    }
    let rest = content.get(name..)?;
    let end = rest.find_byte(0)?;
    path.extend_from_slice(rest.get(..end)?);
    let end = name + end;
    Some(if version == 4 { end + 1 } else { start + padded(end - start) })
}

/// The length of an entry with one to eight zeros after it, a multiple of eight. Where paths are compressed there is one.
const fn padded(length: usize) -> usize {
    (length + 8) / 8 * 8
}

/// The variable-width number of pack files' offsets, and how many bytes it takes.
fn offset_number(bytes: &[u8]) -> Option<(usize, usize)> {
    let mut number = 0_usize;
    for (index, byte) in bytes.iter().take(5).enumerate() {
        number = number.checked_mul(128)?.checked_add(usize::from(byte & 127))?;
        if byte & 128 == 0 {
            return Some((number, index + 1));
        }
        number += 1;
    }
    None
}

/// Appends an entry without flags, in the form of versions 2 and 3.
pub(super) fn push_entry(content: &mut Vec<u8>, fields: &[u8; STAT + ID], path: &[u8]) {
    let start = content.len();
    content.extend_from_slice(fields);
    let length = u16::try_from(path.len()).map_or(LENGTH, |length| length.min(LENGTH));
    content.extend_from_slice(&length.to_be_bytes());
    content.extend_from_slice(path);
    content.resize(start + padded(content.len() - start), 0);
}

/// The extensions that follow the entries: name and content. `None` where the file is not made so.
pub(super) fn extensions(content: &[u8], entries_end: usize) -> Option<Vec<(&[u8], &[u8])>> {
    let mut found = Vec::new();
    let mut rest = content.get(entries_end..content.len().checked_sub(ID)?)?;
    while !rest.is_empty() {
        let (head, body) = rest.split_at_checked(8)?;
        let length = usize::try_from(number(head, 4)?).ok()?;
        let (body, after) = body.split_at_checked(length)?;
        found.push((head.get(..4)?, body));
        rest = after;
    }
    Some(found)
}

/// Renews the checksum at the end, unless there is none. `false` where it cannot be made.
pub(super) fn sign(content: &mut [u8]) -> bool {
    let Some((body, trailer)) = content.split_last_chunk_mut::<ID>() else { return false };
    if trailer.iter().all(|byte| *byte == 0) {
        return true;
    }
    let mut hasher = hash::hasher(hash::Kind::Sha1);
    hasher.update(body);
    let Ok(digest) = hasher.try_finalize() else { return false };
    let Ok(digest) = <[u8; ID]>::try_from(digest.as_slice()) else { return false };
    *trailer = digest;
    true
}
