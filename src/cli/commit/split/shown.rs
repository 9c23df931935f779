//! The hunks of shared files as the stager may see them.

use crate::config::Secrets;
use crate::decompose::Ground;
use crate::decompose::hunks::{NumberedHunk as Hunk, Sheet};
use crate::payload::masked;
use crate::prompt::NumberedHunk;

/// All hunks of a sheet, without what looks like a credential.
pub(super) fn shown(sheet: &Sheet, ground: &Ground, secrets: Secrets) -> Vec<NumberedHunk> {
    let hunks = sheet.hunks(ground);
    let files = hunks.chunk_by(|one, other| one.file == other.file);
    let texts: Vec<String> = match secrets {
        Secrets::Off => hunks.iter().map(|hunk| hunk.text.clone()).collect(),
        Secrets::Redact | Secrets::Abort => files.flat_map(|file| without_credentials(file, sheet, ground)).collect(),
    };
    let numbered = hunks.into_iter().zip(texts);
    numbered
        .map(|(hunk, text)| NumberedHunk { number: hunk.number, text, path: hunk.path, header: hunk.header })
        .collect()
}

/// The texts of a file's hunks, masked together: whether a line is a secret may depend on the lines around it.
fn without_credentials(hunks: &[Hunk], sheet: &Sheet, ground: &Ground) -> Vec<String> {
    let known = hunks.first().and_then(|hunk| ground.file(hunk.file).zip(sheet.sides(hunk.file)));
    // What is not known to be harmless is not shown.
    let Some((file, sides)) = known else { return vec![String::new(); hunks.len()] };
    let together: Vec<String> = hunks.iter().map(|hunk| format!("{}\n{}", hunk.header, hunk.text)).collect();
    let masked = masked(together.concat(), file.path(), &sides);
    // Nothing that is masked reaches beyond its line.
    let mut lines = masked.split_inclusive('\n');
    let mut text = |hunk: &Hunk| lines.by_ref().skip(1).take(hunk.text.split_inclusive('\n').count()).collect();
    hunks.iter().map(&mut text).collect()
}
