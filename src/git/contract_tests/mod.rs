//! Every operation of a backend, over both, on repositories of every kind that they can read: what they say is the same,
//! and what git says.

mod head;
mod index;
mod objects;
mod trees;

use std::path::{Path, PathBuf};

use super::backend::Backend;
use super::libgit2::Libgit2;
use super::plumbing::Plumbing;
use super::testing::Scratch;
use super::{ChangedPath, ObjectId, Program, Side};

const FORMATS: [&[&str]; 4] = [
    &[],
    &["--object-format=sha256"],
    &["--ref-format=reftable"],
    &["--object-format=sha256", "--ref-format=reftable"],
];

/// Those that can open the repository of a folder; running git always can.
fn backends_in(scratch: &Scratch, folder: &Path) -> Vec<Box<dyn Backend>> {
    let folder_name = folder.to_str().unwrap();
    let git_dir = PathBuf::from(scratch.git(&["-C", folder_name, "rev-parse", "--absolute-git-dir"]));
    let null = ObjectId::null(scratch.git(&["rev-parse", "--show-object-format"]) == "sha256");
    let program = Plumbing::new(Program::find(folder).unwrap(), git_dir, null);
    let mut backends: Vec<Box<dyn Backend>> = vec![Box::new(program)];
    if let Ok(repository) = git2::Repository::open(folder) {
        backends.push(Box::new(Libgit2::new(repository)));
    }
    backends
}

fn backends(scratch: &Scratch) -> Vec<Box<dyn Backend>> {
    backends_in(scratch, &scratch.path())
}

/// What all backends say, when they agree.
#[track_caller]
fn agreed<T: PartialEq + std::fmt::Debug>(scratch: &Scratch, ask: impl Fn(&dyn Backend) -> T) -> T {
    let mut answers = backends(scratch).into_iter().map(|backend| ask(backend.as_ref()));
    let first = answers.next().unwrap();
    answers.for_each(|answer| assert_eq!(answer, first));
    first
}

fn id(scratch: &Scratch, revision: &str) -> ObjectId {
    scratch.git(&["rev-parse", revision]).parse().unwrap()
}

fn base(scratch: &Scratch) -> Option<ObjectId> {
    let exists = scratch.command(&["rev-parse", "-q", "--verify", "HEAD"]).output().unwrap().status.success();
    exists.then(|| id(scratch, "HEAD^{tree}"))
}

fn sorted(mut changed: Vec<ChangedPath>) -> Vec<ChangedPath> {
    changed.sort_by_key(|change| change.new.as_ref().or(change.old.as_ref()).map(|side| side.path.clone()));
    changed
}

fn lines(changed: &[ChangedPath], null: ObjectId) -> Vec<String> {
    let side = |side: Option<&Side>| side.map_or(("000000".to_owned(), null), |side| (side.mode.to_string(), side.id));
    let line = |change: &ChangedPath| {
        let ((old_mode, old), (new_mode, new)) = (side(change.old.as_ref()), side(change.new.as_ref()));
        let path = &change.new.as_ref().or(change.old.as_ref()).unwrap().path;
        format!(":{old_mode} {new_mode} {old} {new}\t{path}")
    };
    let mut lines: Vec<String> = changed.iter().map(line).collect();
    lines.sort();
    lines
}

fn gits_lines(scratch: &Scratch, arguments: &[&str]) -> Vec<String> {
    let flags = ["-r", "--raw", "-z", "--no-abbrev", "--no-renames"];
    let arguments: Vec<&str> =
        arguments.iter().take(1).chain(&flags).chain(arguments.iter().skip(1)).copied().collect();
    let text = scratch.git(&arguments);
    let fields: Vec<&str> = text.split('\0').filter(|field| !field.is_empty()).collect();
    let mut lines: Vec<String> =
        fields.chunks(2).map(|pair| format!("{}\t{}", &pair[0][..pair[0].len() - 2], pair[1])).collect();
    lines.sort();
    lines
}
