//! Which deleted file became which added one: exact renames always, similar ones within a fixed amount of work.
//!
//! The measure is git's: both files are cut into lines (or 64 bytes, where a line is longer), and the similarity is the
//! number of bytes in pieces they share, divided by the larger size. Half is enough.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hasher};

use bstr::ByteSlice;

use super::{Blobs, ChangedFile, ChangedPath, FileMode, ObjectId, Side};

/// git's default for `diff.renameLimit`: with more candidates than its square, only exact renames are looked for.
const LIMIT: usize = 1000;
/// A larger file is not compared with others.
const MAX_BLOB: u64 = 1 << 20;
/// As much is read for all candidates together.
const MAX_BYTES: u64 = 32 << 20;
/// As many pieces are compared in all pairs together.
const MAX_STEPS: usize = 50_000_000;
/// git's default similarity, in percent.
const ENOUGH: u64 = 50;

/// Pairs deletions with additions and leaves everything else as it is.
pub(super) fn pair(changed: Vec<ChangedPath>, blobs: &dyn Blobs) -> Vec<ChangedFile> {
    let mut files = Vec::with_capacity(changed.len());
    let (mut old, mut new) = (Vec::new(), Vec::new());
    for path in changed {
        match (path.old, path.new) {
            (Some(before), Some(after)) => files.extend(ChangedFile::modified(before, after)),
            (Some(before), None) => old.push(Some(before)),
            (None, Some(after)) => new.push(Some(after)),
            (None, None) => {}
        }
    }
    exact(&mut old, &mut new, &mut files);
    similar(&mut old, &mut new, &mut files, blobs);
    files.extend(old.into_iter().flatten().map(ChangedFile::deleted));
    files.extend(new.into_iter().flatten().map(ChangedFile::added));
    files
}

type Slots = Vec<Option<Side>>;

/// Pairs files with the same content, of several the one with the same file name.
fn exact(old: &mut Slots, new: &mut Slots, files: &mut Vec<ChangedFile>) {
    let mut sources: HashMap<ObjectId, Vec<usize>> = HashMap::new();
    for (position, side) in old.iter().enumerate() {
        if let Some(side) = side.as_ref().filter(|side| side.mode != FileMode::Gitlink) {
            sources.entry(side.id).or_default().push(position);
        }
    }
    if sources.is_empty() {
        return;
    }
    // Two rounds, so that a file that kept its name is not taken by one that did not.
    for same_name in [true, false] {
        for slot in new.iter_mut() {
            let Some(after) = slot else { continue };
            let Some(candidates) = sources.get_mut(&after.id) else { continue };
            let fits = |position: &usize| {
                old.get(*position).and_then(Option::as_ref).is_some_and(|before| {
                    before.mode.same_type(after.mode) && (!same_name || name(before) == name(after))
                })
            };
            let Some(found) = candidates.iter().position(fits) else { continue };
            let position = candidates.remove(found);
            take_pair(old, position, slot, 100, files);
        }
    }
}

fn take_pair(old: &mut Slots, position: usize, new: &mut Option<Side>, score: u8, files: &mut Vec<ChangedFile>) {
    let before = old.get_mut(position).and_then(Option::take);
    if let (Some(before), Some(after)) = (before, new.take()) {
        files.push(ChangedFile::renamed(before, after, score));
    }
}

fn name(side: &Side) -> &[u8] {
    side.path.rsplit_str("/").next().unwrap_or_default()
}

/// Pairs what is similar enough, best pairs first.
fn similar(old: &mut Slots, new: &mut Slots, files: &mut Vec<ChangedFile>, blobs: &dyn Blobs) {
    let regular = |side: &Option<Side>| side.as_ref().is_some_and(|side| side.mode.same_type(FileMode::Regular));
    let count = |slots: &Slots| slots.iter().filter(|side| regular(side)).count();
    let (sources, targets) = (count(old), count(new));
    if sources == 0 || targets == 0 || sources.saturating_mul(targets) > LIMIT * LIMIT {
        return;
    }
    let mut left = MAX_BYTES;
    let before = pieces(old, blobs, &mut left);
    let after = pieces(new, blobs, &mut left);
    let mut steps = 0;
    let mut pairs = Vec::new();
    for (o, source) in &before {
        for (n, target) in &after {
            let Some(score) = source.similarity(target, &mut steps) else { continue };
            let same = old
                .get(*o)
                .zip(new.get(*n))
                .is_some_and(|(o, n)| o.as_ref().zip(n.as_ref()).is_some_and(|(o, n)| name(o) == name(n)));
            pairs.push((score, same, *o, *n));
            if steps > MAX_STEPS {
                break;
            }
        }
    }
    pairs.sort_by(|a, b| (b.0, b.1).cmp(&(a.0, a.1)).then((a.2, a.3).cmp(&(b.2, b.3))));
    for (score, _, o, n) in pairs {
        if old.get(o).is_some_and(Option::is_some)
            && let Some(slot) = new.get_mut(n).filter(|slot| slot.is_some())
        {
            take_pair(old, o, slot, score, files);
        }
    }
}

/// A file as the multiset of its pieces: hash and bytes, sorted by hash.
struct Pieces {
    size: u64,
    counts: Vec<(u64, u64)>,
}

fn pieces(slots: &Slots, blobs: &dyn Blobs, left: &mut u64) -> Vec<(usize, Pieces)> {
    let mut found = Vec::new();
    for (position, side) in slots.iter().enumerate() {
        let Some(side) = side.as_ref().filter(|side| side.mode.same_type(FileMode::Regular)) else { continue };
        let Ok(bytes) = blobs.size(side.id) else { continue };
        if bytes == 0 || bytes > MAX_BLOB || bytes > *left {
            continue;
        }
        *left -= bytes;
        // A blob that cannot be read is no rename; whoever shows its content will say what is wrong with it.
        if let Ok(content) = blobs.read(side.id) {
            found.push((position, Pieces::of(&content)));
        }
    }
    found
}

impl Pieces {
    fn of(content: &[u8]) -> Self {
        let mut counts: Vec<(u64, u64)> = content
            .lines_with_terminator()
            .flat_map(|line| line.chunks(64))
            .map(|piece| {
                let mut hasher = DefaultHasher::new();
                hasher.write(piece);
                (hasher.finish(), piece.len() as u64)
            })
            .collect();
        counts.sort_unstable();
        counts.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 += next.1;
            }
            same
        });
        Self { size: content.len() as u64, counts }
    }

    /// The similarity in percent, when it is enough.
    fn similarity(&self, other: &Self, steps: &mut usize) -> Option<u8> {
        let (small, large) = (self.size.min(other.size), self.size.max(other.size));
        if small * 100 < large * ENOUGH {
            return None;
        }
        *steps += self.counts.len() + other.counts.len();
        let (mut mine, mut theirs) = (self.counts.iter().peekable(), other.counts.iter().peekable());
        let mut shared = 0;
        while let (Some(a), Some(b)) = (mine.peek(), theirs.peek()) {
            match a.0.cmp(&b.0) {
                std::cmp::Ordering::Less => drop(mine.next()),
                std::cmp::Ordering::Greater => drop(theirs.next()),
                std::cmp::Ordering::Equal => {
                    shared += a.1.min(b.1);
                    mine.next();
                    theirs.next();
                }
            }
        }
        let score = shared * 100 / large;
        // Only the same content is 100: two files that differ in nothing but order are 99 at most.
        (score >= ENOUGH).then(|| u8::try_from(score.min(99)).unwrap_or(99))
    }
}
