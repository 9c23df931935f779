//! Which changed files a name in a plan means. A name is a path and never a pattern.

use bstr::{BStr, ByteSlice};

use crate::git::Status;
use crate::payload::unquote;

use super::super::Ground;

/// The files that a name means: a path as it is or as git quotes it, either name of a rename, a rename as it is shown, or
/// a folder for all that changed below it. Empty when there is none such.
pub(super) fn resolve(ground: &Ground, name: &str) -> Vec<usize> {
    if let Some(file) = resolve_exactly(ground, name) {
        return vec![file];
    }
    if let Some((old, new)) = name.split_once(" => ")
        && let (Some(old), Some(new)) = (resolve_exactly(ground, old), resolve_exactly(ground, new))
        && old == new
        && ground.file(old).is_some_and(|file| matches!(file.status(), Status::Renamed(_)))
    {
        return vec![old];
    }
    let folder = |bytes: &[u8]| ground.below(BStr::new(bytes.strip_suffix(b"/").unwrap_or(bytes)));
    let found = folder(name.as_bytes());
    if found.is_empty() { unquote(name).map(|path| folder(&path)).unwrap_or_default() } else { found }
}

/// The file with a name, exactly these bytes or what git's quoted form stands for.
pub(in crate::decompose) fn resolve_exactly(ground: &Ground, name: &str) -> Option<usize> {
    ground.find(name.as_bytes().as_bstr()).or_else(|| ground.find(unquote(name)?.as_bstr()))
}
