//! Trees and the index through git's plumbing: listed, compared, written, merged.

use std::path::{Path, PathBuf};

use bstr::{BString, ByteSlice};
use tempfile::TempDir;

use super::super::backend::{IndexEntries, PendingTree};
use super::super::leftover::private_folder;
use super::super::tree::parse;
use super::super::{ChangedPath, FileMode, GitError, MergedTrees, ObjectId, Program, Side};
use super::refs::id;

/// The settings that keep git from doing more to a private copy of an index than it is told.
const PRIVATELY: [&str; 6] =
    ["-c", "core.splitIndex=false", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"];

/// A copy of an index file that git may write to. Removed when dropped.
pub(super) struct Copy {
    _folder: TempDir,
    path: PathBuf,
}

impl Copy {
    /// Copies an index, or nothing where there is none, which git takes for an empty one.
    pub(super) fn of(index: &Path, git_dir: &Path) -> Result<Self, GitError> {
        let folder = private_folder(git_dir)?;
        let path = folder.path().join("index");
        match std::fs::copy(index, &path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(GitError::io("reading", index)(error)),
            _ => Ok(Self { _folder: folder, path }),
        }
    }

    fn run(&self, git: &Program, arguments: &[&str]) -> Result<Vec<u8>, GitError> {
        on_index(git, &self.path, arguments)
    }

    /// Fails with the names of all paths that have conflicts.
    pub(super) fn refuse_unmerged(&self, git: &Program) -> Result<(), GitError> {
        let listing = self.run(git, &["ls-files", "--unmerged", "--full-name", "-z", "--", ":/"])?;
        let name = |line: &[u8]| Some(BString::from(line.split_once_str("\t")?.1));
        let mut paths: Vec<BString> = listing.split_str("\0").filter_map(name).collect();
        paths.dedup();
        if paths.is_empty() { Ok(()) } else { Err(GitError::Unmerged(paths)) }
    }

    /// The tree that the index stands for, written.
    pub(super) fn write_tree(&self, git: &Program) -> Result<ObjectId, GitError> {
        let output = self.run(git, &["write-tree"]).map_err(|error| match error {
            GitError::Program { text, .. } => GitError::InvalidIndex(text),
            other => other,
        })?;
        id(&output)
    }
}

fn on_index(git: &Program, index: &Path, arguments: &[&str]) -> Result<Vec<u8>, GitError> {
    let arguments: Vec<&str> = PRIVATELY.iter().chain(arguments).copied().collect();
    git.run(&arguments, |command| {
        command.env("GIT_INDEX_FILE", index);
    })
}

/// What an index holds of each path. It is compared with the empty tree, because a plain listing does not tell what
/// `git add -N` has added.
pub(super) fn index_entries(git: &Program, index: &Path, empty: ObjectId) -> Result<IndexEntries, GitError> {
    let empty = empty.to_string();
    let arguments =
        ["diff-index", "--cached", "--raw", "-z", "--no-abbrev", "--no-renames", "--ignore-submodules=none"];
    let arguments: Vec<&str> = arguments.into_iter().chain(["--ita-invisible-in-index", &empty]).collect();
    let mut entries = IndexEntries::new();
    for change in raw(&on_index(git, index, &arguments)?)? {
        // git tells a path with conflicts twice or more: as unmerged, and perhaps with one of its versions.
        let entry = (change.new_mode, change.new_id);
        entries.entry(change.path).and_modify(|known| known.0 = 0).or_insert(entry);
    }
    Ok(entries)
}

/// One path of `git diff-tree --raw` and the like.
struct Raw {
    path: BString,
    old_mode: u32,
    new_mode: u32,
    old_id: ObjectId,
    new_id: ObjectId,
}

fn raw(output: &[u8]) -> Result<Vec<Raw>, GitError> {
    let mut fields = output.split_str("\0").filter(|field| !field.is_empty());
    let mut found = Vec::new();
    while let Some(head) = fields.next() {
        let read = |path: &[u8]| {
            let mut words = head.strip_prefix(b":")?.to_str().ok()?.split(' ');
            let mode = |word: Option<&str>| u32::from_str_radix(word?, 8).ok();
            let (old_mode, new_mode) = (mode(words.next())?, mode(words.next())?);
            let (old_id, new_id) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
            Some(Raw { path: path.into(), old_mode, new_mode, old_id, new_id })
        };
        found.push(fields.next().and_then(read).ok_or_else(|| unreadable("git diff", head))?);
    }
    Ok(found)
}

fn unreadable(command: &str, output: &[u8]) -> GitError {
    GitError::Program { command: command.to_owned(), text: format!("it printed {:?}", output.as_bstr()) }
}

/// Every path that differs between two trees; renames are not looked for.
pub(super) fn changes(git: &Program, old: ObjectId, new: ObjectId) -> Result<Vec<ChangedPath>, GitError> {
    let (old, new) = (old.to_string(), new.to_string());
    let arguments =
        ["diff-tree", "-r", "--raw", "-z", "--no-abbrev", "--no-renames", "--ignore-submodules=none", &old, &new];
    let side = |path: &BString, mode, id| FileMode::from_bits(mode).map(|mode| Side { path: path.clone(), mode, id });
    let changed = raw(&git.run(&arguments, |_| {})?)?.into_iter().map(|change| ChangedPath {
        old: side(&change.path, change.old_mode, change.old_id),
        new: side(&change.path, change.new_mode, change.new_id),
    });
    // Modes that mean the same, as old versions of git wrote them, make no change.
    Ok(changed.filter(|change| change.old != change.new).collect())
}

/// Writes tree objects in one process. None of what they name needs to be there: in a partial clone it may be elsewhere.
pub(super) fn write(git: &Program, trees: &[PendingTree]) -> Result<(), GitError> {
    if trees.is_empty() {
        return Ok(());
    }
    let mut input = Vec::new();
    for tree in trees {
        let entries = parse(&tree.content, tree.id.as_bytes().len());
        for entry in entries.ok_or_else(|| GitError::Object(tree.id, "it is no tree".to_owned()))? {
            push_line(&mut input, entry.mode, entry.id, &entry.name);
        }
        input.push(0);
    }
    let output = mktree(git, &["--batch", "--missing"], &input)?;
    let written = output.lines().map(id).collect::<Result<Vec<_>, _>>()?;
    if written.iter().eq(trees.iter().map(|tree| &tree.id)) {
        return Ok(());
    }
    Err(unreadable("git mktree", &output))
}

fn push_line(input: &mut Vec<u8>, mode: u32, id: ObjectId, name: &[u8]) {
    let kind = match mode {
        super::super::tree::FOLDER => "tree",
        0o160_000 => "commit",
        _ => "blob",
    };
    input.extend_from_slice(format!("{mode:06o} {kind} {id}\t").as_bytes());
    input.extend_from_slice(name);
    input.push(0);
}

fn mktree(git: &Program, more: &[&str], input: &[u8]) -> Result<Vec<u8>, GitError> {
    let arguments: Vec<&str> = ["mktree", "-z"].iter().chain(more).copied().collect();
    let finished = git.try_run(&arguments, Some(input), |_| {})?;
    if finished.success { Ok(finished.stdout) } else { Err(Program::failure(&arguments, &finished)) }
}

/// A tree whose folders are other trees, so that one ref keeps them all.
pub(super) fn bundle(git: &Program, trees: &[ObjectId]) -> Result<ObjectId, GitError> {
    let mut input = Vec::new();
    for (number, tree) in trees.iter().enumerate() {
        push_line(&mut input, super::super::tree::FOLDER, *tree, number.to_string().as_bytes());
    }
    id(&mktree(git, &[], &input)?)
}

/// Merges two trees that come from a third.
pub(super) fn merge(git: &Program, base: ObjectId, ours: ObjectId, theirs: ObjectId) -> Result<MergedTrees, GitError> {
    let base = format!("--merge-base={base}");
    let (ours, theirs) = (ours.to_string(), theirs.to_string());
    let arguments = ["merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", base.as_str(), &ours, &theirs];
    let finished = git.try_run(&arguments, None, |_| {})?;
    let mut fields = finished.stdout.split_str("\0").filter(|field| !field.is_empty());
    match finished.code {
        Some(0) => id(fields.next().unwrap_or_default()).map(MergedTrees::Clean),
        Some(1) => {
            let mut paths: Vec<BString> = fields.skip(1).map(BString::from).collect();
            paths.sort();
            paths.dedup();
            Ok(MergedTrees::Conflicts(paths))
        }
        _ => Err(Program::failure(&["merge-tree", "--write-tree"], &finished)),
    }
}
