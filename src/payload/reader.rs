//! Reading the blobs of a change: in which order, how much in all, and what becomes of each file.
//!
//! Files whose diff may be shown come first, in the order of the change, those of up to [`SMALL`] bytes before larger
//! ones; then those of which only line counts are wanted. Reading stops at [`MAX_READ`] bytes in all, a lookup counted
//! as [`LOOKUP`] bytes; what is left unread keeps its line in the skeleton, with `?` for its counts. One file's blobs are
//! in memory at a time.

use bstr::ByteSlice;

use crate::config::Secrets;
use crate::git::{BlobError, Blobs, Change, ChangedFile, FileMode, Side, Status};

use super::hunks::{self, Extent, Hunks};
use super::noise::{self, MAX_FILE, Noise};
use super::patch::{self, Counts, FilePatch};
use super::quote::quote;
use super::secrets::{self, Finding};
use super::{Options, PayloadError};

/// The most that is read for the diffs of one change, in bytes.
pub const MAX_READ: u64 = 64 << 20;

/// The most that is read only to count the lines of files that are not shown, in bytes.
const MAX_COUNTED: u64 = 8 << 20;

/// What finding an object costs, as if it were so many bytes more.
const LOOKUP: u64 = 4096;

/// Larger files wait until the smaller ones are read.
const SMALL: u64 = 1 << 20;

/// The files of a change, in its order, and the credentials found in them.
pub(super) fn read(
    change: &Change,
    blobs: &dyn Blobs,
    options: &Options,
) -> Result<(Vec<FilePatch>, Vec<Finding>), PayloadError> {
    let mut reader = Reader { blobs, options, findings: Vec::new() };
    let mut files: Vec<Option<FilePatch>> = Vec::new();
    let (mut wanted, mut counted) = (Vec::new(), Vec::new());
    for (index, file) in change.files().iter().enumerate() {
        let noise = noise::by_name(file, &options.excludes, &options.binary_extensions);
        files.push(match noise {
            Some(Noise::Submodule) => Some(reader.submodule(file)),
            Some(Noise::Binary) => Some(unshown(file, Noise::Binary, Counts::Binary)),
            _ => None,
        });
        match noise {
            Some(Noise::Submodule | Noise::Binary) => {}
            Some(noise) => counted.push((index, file, Some(noise))),
            None => wanted.push((index, file, None)),
        }
    }
    for (queue, budget) in [(wanted, MAX_READ), (counted, MAX_COUNTED)] {
        reader.queue(&queue, budget, &mut files)?;
    }
    let files = files
        .into_iter()
        .zip(change.files())
        .map(|(patch, file)| patch.unwrap_or_else(|| unshown(file, Noise::Unread, Counts::Unknown)))
        .collect();
    reader.findings.sort();
    Ok((files, reader.findings))
}

struct Reader<'a> {
    blobs: &'a dyn Blobs,
    options: &'a Options,
    findings: Vec<Finding>,
}

/// A file's place in the change, the file, and why it is not to be shown if that is known.
type Queued<'a> = (usize, &'a ChangedFile, Option<Noise>);

impl Reader<'_> {
    fn queue(
        &mut self,
        queue: &[Queued<'_>],
        budget: u64,
        files: &mut [Option<FilePatch>],
    ) -> Result<(), PayloadError> {
        let mut left = budget;
        let mut large = Vec::new();
        for (at, (index, file, noise)) in queue.iter().enumerate() {
            let Some(rest) = left.checked_sub(LOOKUP) else { break };
            left = rest;
            let (largest, size) = self.sizes(file)?;
            if largest > MAX_FILE {
                put(files, *index, unshown(file, noise.unwrap_or(Noise::Large), Counts::Binary));
            } else if size > SMALL {
                large.push((size, at));
            } else if let Some(rest) = left.checked_sub(size) {
                left = rest;
                put(files, *index, self.file(file, *noise)?);
            }
        }
        large.sort_unstable();
        for (size, at) in large {
            let (Some(rest), Some((index, file, noise))) = (left.checked_sub(size), queue.get(at)) else { break };
            left = rest;
            put(files, *index, self.file(file, *noise)?);
        }
        for (index, file, noise) in queue {
            if let (Some(None), Some(noise)) = (files.get(*index), noise) {
                put(files, *index, unshown(file, *noise, Counts::Unknown));
            }
        }
        Ok(())
    }

    /// The size of the larger side, and of both sides together.
    fn sizes(&self, file: &ChangedFile) -> Result<(u64, u64), PayloadError> {
        if unchanged(file) {
            return Ok((0, 0));
        }
        let size = |side: Option<&Side>| match side {
            Some(side) if side.mode != FileMode::Gitlink => self.blobs.size(side.id).map_err(|e| unreadable(file, e)),
            _ => Ok(0),
        };
        let (old, new) = (size(file.old_side())?, size(file.new_side())?);
        Ok((old.max(new), old.saturating_add(new)))
    }

    fn content(&self, file: &ChangedFile, side: Option<&Side>) -> Result<Vec<u8>, PayloadError> {
        match side {
            Some(side) if side.mode != FileMode::Gitlink => self.blobs.read(side.id).map_err(|e| unreadable(file, e)),
            _ => Ok(Vec::new()),
        }
    }

    fn file(&mut self, file: &ChangedFile, noise: Option<Noise>) -> Result<FilePatch, PayloadError> {
        let (old, new) = if unchanged(file) {
            // Only its path or its permission differs: no blob says more.
            (Vec::new(), Vec::new())
        } else {
            (self.content(file, file.old_side())?, self.content(file, file.new_side())?)
        };
        if let Some(by_content) = noise::by_content(file, &old, &new) {
            return Ok(unshown(file, noise.unwrap_or(by_content), Counts::Binary));
        }
        let Some((gone, come)) = self.compare(file, &old, &new, noise.is_some())? else {
            return Ok(unshown(file, noise.unwrap_or(Noise::Large), Counts::Unknown));
        };
        let counts = Counts::Lines { added: gone.added + come.added, deleted: gone.deleted + come.deleted };
        if let Some(noise) = noise {
            return Ok(unshown(file, noise, counts));
        }
        let diff = match file.status() {
            Status::TypeChanged => patch::type_change(file, &gone, &come),
            _ => patch::diff(file, &gone),
        };
        Ok(self.shown(file, counts, diff, gone.complete && come.complete, &[&old, &new]))
    }

    /// What separates both sides: all of it in the first part, or, of a file that became something else, what goes and
    /// what comes. `None` when there are too many lines to compare.
    fn compare(
        &self,
        file: &ChangedFile,
        old: &[u8],
        new: &[u8],
        only_counts: bool,
    ) -> Result<Option<(Hunks, Hunks)>, PayloadError> {
        let cap = if only_counts { 0 } else { self.options.file_cap };
        let extent = Extent { context: self.options.context, cap };
        let between = |old: &[u8], new: &[u8]| {
            hunks::between(old, new, extent)
                .map_err(|error| PayloadError::Compare { path: quote(file.path()), reason: error.to_string() })
        };
        let parts = if file.status() == Status::TypeChanged {
            (between(old, b"")?, between(b"", new)?)
        } else {
            (between(old, new)?, between(b"", b"")?)
        };
        Ok(parts.0.zip(parts.1))
    }

    fn shown(
        &mut self,
        file: &ChangedFile,
        counts: Counts,
        (diff, body): (Vec<u8>, usize),
        complete: bool,
        sides: &[&[u8]],
    ) -> FilePatch {
        let (mut text, body) = patch::decode(diff, body);
        if self.options.secrets != Secrets::Off {
            let masked = secrets::mask(&text, body, file.path(), sides);
            self.findings.extend(masked.findings);
            text = masked.text.unwrap_or(text);
        }
        FilePatch { text, body, complete, noise: None, ..unshown(file, Noise::Unread, counts) }
    }

    fn submodule(&self, file: &ChangedFile) -> FilePatch {
        let has = |side: Option<&Side>| u64::from(side.is_some());
        let counts = Counts::Lines { added: has(file.new_side()), deleted: has(file.old_side()) };
        let mut patch = unshown(file, Noise::Submodule, counts);
        for subject in self.options.submodule_log.get(file.path()).into_iter().flatten() {
            patch.text.push_str("  > ");
            patch.text.extend(subject.chars().filter(|c| !c.is_control()));
            patch.text.push('\n');
        }
        patch
    }
}

fn put(files: &mut [Option<FilePatch>], index: usize, patch: FilePatch) {
    if let Some(slot) = files.get_mut(index) {
        *slot = Some(patch);
    }
}

fn unreadable(file: &ChangedFile, source: BlobError) -> PayloadError {
    PayloadError::Blob { path: quote(file.path()), source }
}

/// Whether both sides are the same blob of the same kind.
fn unchanged(file: &ChangedFile) -> bool {
    match (file.old_side(), file.new_side()) {
        (Some(old), Some(new)) => old.id == new.id && old.mode.same_type(new.mode),
        _ => false,
    }
}

fn unshown(file: &ChangedFile, noise: Noise, counts: Counts) -> FilePatch {
    let old_path = file.renamed_from().map(|old| old.path.to_str_lossy().into_owned());
    let text = patch::placeholder(file, noise);
    FilePatch {
        status: file.status(),
        old_path,
        path: file.path().to_str_lossy().into_owned(),
        counts,
        noise: Some(noise),
        markdown: noise::is_markdown(file.path()),
        skeleton: patch::skeleton_line(file, counts),
        body: text.len(),
        text,
        complete: true,
    }
}
