//! Our patches against those of the `git` program, over random contents and repositories.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use bstr::{BString, ByteSlice};
use proptest::prelude::*;

use super::hunks::{self, Extent};
use super::samples::options;
use super::*;
use crate::git::{ChangedFile, FileMode, ObjectId, Side};

fn git(dir: &Path, args: &[&str]) -> Vec<u8> {
    let output = Command::new("git")
        .args(["-c", "core.fsync=none", "-c", "core.quotePath=true"])
        .args(args)
        .current_dir(dir)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", dir)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CEILING_DIRECTORIES", dir.parent().unwrap())
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(output.status.code().is_some_and(|code| code <= 1), "{}", output.stderr.as_bstr());
    output.stdout
}

/// What follows the header of the only file.
fn only_hunks(diff: &[u8]) -> &[u8] {
    diff.find("\n@@ ").map_or(b"", |at| &diff[at + 1..])
}

fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[ab]",
        1 => Just(String::new()),
        1 => "(fn|class|_x|\\$y) [a-z]{1,6}",
        1 => "  [a-z {}]{0,6}",
        1 => "[a-zé]{75,90}",
        1 => Just("\r".to_owned()),
    ]
}

/// Two texts that have lines in common; the last line may lack its newline.
fn texts() -> impl Strategy<Value = (String, String)> {
    let text = |lines: Vec<String>, newline: bool| {
        let mut text = lines.join("\n");
        if newline && !lines.is_empty() {
            text.push('\n');
        }
        text
    };
    let edits = prop::collection::vec((any::<prop::sample::Index>(), 0..3_usize, line()), 0..8);
    (prop::collection::vec(line(), 0..40), edits, any::<bool>(), any::<bool>(), 1..60_usize).prop_map(
        move |(lines, edits, a, b, repeat)| {
            let lines: Vec<String> = lines.iter().cycle().take(lines.len() * (repeat / 20 + 1)).cloned().collect();
            let mut edited = lines.clone();
            for (at, kind, line) in edits {
                let at = at.index(edited.len() + 1);
                match kind {
                    0 => edited.insert(at, line),
                    _ if at >= edited.len() => edited.push(line),
                    1 => edited[at] = line,
                    _ => drop(edited.remove(at)),
                }
            }
            (text(lines, a), text(edited, b))
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn hunks_are_gits((old, new) in texts(), context in 0..4_u32) {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("old"), &old).unwrap();
        fs::write(dir.path().join("new"), &new).unwrap();
        let theirs = git(dir.path(), &["diff", "--no-index", "--no-color", &format!("-U{context}"), "old", "new"]);
        let ours = hunks::between(old.as_bytes(), new.as_bytes(), Extent { context, cap: usize::MAX }).unwrap().unwrap();
        prop_assert_eq!(ours.text.as_bstr(), only_hunks(&theirs).as_bstr());
        let count = |sign: u8| ours.text.lines().filter(|line| line.first() == Some(&sign)).count();
        prop_assert_eq!((ours.added, ours.deleted), (count(b'+') as u64, count(b'-') as u64));
        // A cap gives whole lines from the beginning.
        let cap = ours.text.len() / 2;
        let capped = hunks::between(old.as_bytes(), new.as_bytes(), Extent { context, cap }).unwrap().unwrap();
        prop_assert!(ours.text.starts_with(&capped.text));
        prop_assert_eq!((capped.added, capped.deleted), (ours.added, ours.deleted));
        prop_assert_eq!(capped.complete, capped.text == ours.text);
    }
}

struct Git2(git2::Repository);

impl Blobs for Git2 {
    fn size(&self, id: ObjectId) -> Result<u64, BlobError> {
        Ok(self.read(id)?.len() as u64)
    }

    fn read(&self, id: ObjectId) -> Result<Vec<u8>, BlobError> {
        let oid = git2::Oid::from_bytes(id.as_bytes()).unwrap();
        let blob = self.0.find_blob(oid).map_err(|error| BlobError { id, reason: error.message().to_owned() })?;
        Ok(blob.content().to_vec())
    }
}

/// The staged change of a repository, read from `git diff --raw`.
fn staged(dir: &Path) -> Change {
    let raw = git(dir, &["diff", "--cached", "--raw", "-z", "-M", "--no-abbrev"]);
    let mut fields = raw.split_str("\0").filter(|field| !field.is_empty());
    let mut files = Vec::new();
    while let Some(meta) = fields.next() {
        let meta: Vec<&str> = meta.to_str().unwrap().trim_start_matches(':').split(' ').collect();
        let path: BString = fields.next().unwrap().into();
        let side = |path: &BString, mode: &str, id: &str| Side {
            path: path.clone(),
            mode: FileMode::from_bits(u32::from_str_radix(mode, 8).unwrap()).unwrap(),
            id: id.parse().unwrap(),
        };
        files.push(match meta[4].split_at(1) {
            ("A", _) => ChangedFile::added(side(&path, meta[1], meta[3])),
            ("D", _) => ChangedFile::deleted(side(&path, meta[0], meta[2])),
            ("R", score) => {
                let new: BString = fields.next().unwrap().into();
                let (old, new) = (side(&path, meta[0], meta[2]), side(&new, meta[1], meta[3]));
                ChangedFile::renamed(old, new, score.parse().unwrap())
            }
            _ => ChangedFile::modified(side(&path, meta[0], meta[2]), side(&path, meta[1], meta[3])).unwrap(),
        });
    }
    Change::new(files)
}

#[derive(Debug, Clone)]
enum Entry {
    File(String, bool),
    Link(String),
}

const NAMES: [&str; 8] =
    ["plain", "dir/with space", "ünï", "quote\"d", "tab\there", "back\\slash", "dir/deep/x.rs", "new\nline"];

fn tree() -> impl Strategy<Value = BTreeMap<&'static str, Entry>> {
    let content = prop_oneof![
        Just("one\ntwo\nthree\nfour\nfive\nsix\nseven\n".to_owned()),
        Just("one\ntwo\nthree\nfour\nfive\nsix\nchanged\n".to_owned()),
        "([a-c]\n){0,12}[a-c]?",
    ];
    let entry = prop_oneof![
        6 => (content, any::<bool>()).prop_map(|(text, exec)| Entry::File(text, exec)),
        1 => "[a-z]{1,8}".prop_map(Entry::Link),
    ];
    prop::collection::btree_map(prop::sample::select(&NAMES[..]), entry, 0..7)
}

#[cfg(unix)]
fn lay(dir: &Path, tree: &BTreeMap<&str, Entry>) {
    use std::os::unix::fs::{PermissionsExt, symlink};
    for name in NAMES {
        let _ = fs::remove_file(dir.join(name));
    }
    for (name, entry) in tree {
        let path = dir.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        match entry {
            Entry::Link(target) => symlink(target, path).unwrap(),
            Entry::File(text, exec) => {
                fs::write(&path, text).unwrap();
                fs::set_permissions(&path, fs::Permissions::from_mode(if *exec { 0o755 } else { 0o644 })).unwrap();
            }
        }
    }
}

#[cfg(unix)]
proptest! {
    #![proptest_config(ProptestConfig::with_cases(30))]

    #[test]
    fn whole_diffs_are_gits(before in tree(), after in tree()) {
        let dir = tempfile::tempdir().unwrap();
        git(dir.path(), &["init", "-q"]);
        lay(dir.path(), &before);
        git(dir.path(), &["add", "-A"]);
        git(dir.path(), &["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "x"]);
        lay(dir.path(), &after);
        git(dir.path(), &["add", "-A"]);
        let theirs = git(dir.path(), &["diff", "--cached", "-M", "-U1", "--no-color"]);
        let theirs: Vec<&[u8]> = theirs.split_inclusive(|b| *b == b'\n').filter(|line| !line.starts_with(b"index ")).collect();
        let theirs = theirs.concat();
        let change = staged(dir.path());
        prop_assume!(!change.is_empty());
        let payload = build(&change, &Git2(git2::Repository::open(dir.path()).unwrap()), &options()).unwrap();
        let ours: String = payload.files().iter().map(FilePatch::text).collect();
        prop_assert_eq!(ours, theirs.to_str().unwrap());
        let numstat = git(dir.path(), &["diff", "--cached", "-M", "--numstat"]);
        for (file, line) in payload.files().iter().zip(numstat.lines()).filter(|(file, _)| file.status != crate::git::Status::TypeChanged) {
            let mut fields = line.to_str().unwrap().split('\t');
            let counts = format!("\t{}\t{}\t", fields.next().unwrap(), fields.next().unwrap());
            prop_assert!(file.skeleton().contains(&counts), "{} {counts}", file.skeleton());
        }
    }
}
