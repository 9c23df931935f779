//! The index after one commit of several, made from the bytes of the one before it.
//!
//! `git update-index` would do, but it takes longer over a large index than all else that a commit needs. Only what it would
//! do in the plain case is done here; everything else is left to it.

use std::collections::{BTreeMap, HashSet};

use bstr::{BStr, BString, ByteSlice, ByteVec};

use super::index_layout::{
    COUNT, ID, MODE, MODIFIED, Row, SIZE, STAT, each, extensions, number, push_entry, sign, version,
};
use super::index_update::parents;
use super::stat_data::StatData;
use super::{Change, FileMode, Side};

/// What becomes of the entry of a path.
#[derive(Default)]
struct Step<'a> {
    /// What the entry has to be until now; `None`: there is none.
    older: Option<&'a Side>,
    /// What it is to be.
    newer: Option<&'a Side>,
}

/// An index in which every path of `change` goes from its older side to its newer one, with the stat data of `known`.
/// `written` is when the index was written, in seconds since 1970.
///
/// `None` where an entry is not the older side, where somebody has set flags or there are conflicts, or where the index has
/// something that is not known here.
pub(super) fn edit(content: &[u8], written: u32, change: &Change, known: &StatData) -> Option<Vec<u8>> {
    let mut edit = Edit {
        content,
        written,
        known,
        compressed: version(content)? == 4,
        steps: steps(change),
        edited: Vec::with_capacity(content.len() + content.len() / 64),
        count: 0,
        moved: false,
    };
    let touched = Touched::by(&edit.steps);
    edit.edited.extend_from_slice(content.get(..COUNT.end)?);
    let mut is_plain = true;
    let end =
        each(content, |row| is_plain = is_plain && !touched.is_blocked_by(row.path) && edit.pass(&row).is_some())?;
    if !is_plain {
        return None;
    }
    edit.add_before(None)?;
    let Edit { mut edited, count, moved, .. } = edit;
    edited.get_mut(COUNT)?.copy_from_slice(&count.to_be_bytes());
    for (name, body) in extensions(content, end)? {
        match name {
            b"TREE" => push_extension(&mut edited, name, &cached_trees(body, &touched)?)?,
            b"REUC" => push_extension(&mut edited, name, body)?,
            // What git knows of untracked files holds as long as the same files are tracked.
            b"UNTR" if !moved => push_extension(&mut edited, name, body)?,
            // Places for readers with several threads; git does without.
            b"EOIE" | b"IEOT" => {}
            _ => return None,
        }
    }
    edited.extend_from_slice(content.last_chunk::<ID>()?);
    sign(&mut edited).then_some(edited)
}

fn steps(change: &Change) -> BTreeMap<&BStr, Step<'_>> {
    let mut steps: BTreeMap<&BStr, Step<'_>> = BTreeMap::new();
    for file in change.files() {
        if let Some(old) = file.old_side() {
            steps.entry(old.path.as_bstr()).or_default().older = Some(old);
        }
        if let Some(new) = file.new_side() {
            steps.entry(new.path.as_bstr()).or_default().newer = Some(new);
        }
    }
    steps
}

/// Paths that get another entry, and the folders in which they lie.
struct Touched {
    paths: HashSet<BString>,
    folders: HashSet<BString>,
    added: bool,
}

impl Touched {
    fn by(steps: &BTreeMap<&BStr, Step<'_>>) -> Self {
        let mut folders: HashSet<BString> = HashSet::from([BString::default()]);
        for path in steps.keys() {
            folders.extend(parents(path).map(ToOwned::to_owned));
        }
        let paths = steps.keys().map(|path| (*path).to_owned()).collect();
        Self { paths, folders, added: steps.values().any(|step| step.older.is_none()) }
    }

    /// Whether a file lies where a folder is to be, or below a path that is to be a file.
    fn is_blocked_by(&self, path: &BString) -> bool {
        self.added
            && (self.folders.contains(path)
                || parents(path.as_bstr()).any(|folder| self.paths.contains::<BStr>(folder)))
    }
}

struct Edit<'a> {
    content: &'a [u8],
    written: u32,
    known: &'a StatData,
    /// Whether each path is written as its difference to the one before.
    compressed: bool,
    /// What is still to be done, by path.
    steps: BTreeMap<&'a BStr, Step<'a>>,
    edited: Vec<u8>,
    count: u32,
    /// Whether there are entries more or less.
    moved: bool,
}

impl Edit<'_> {
    /// Takes an entry over, as it is to be.
    fn pass(&mut self, row: &Row<'_>) -> Option<()> {
        if row.is_unmerged() {
            return None;
        }
        self.add_before(Some(row.path.as_bstr()))?;
        let bytes = self.content.get(row.bytes.clone())?;
        let Some(step) = self.steps.remove(row.path.as_bstr()) else { return self.keep(row, bytes) };
        let older = step.older?;
        let id = bytes.get(STAT..STAT + ID);
        if row.is_flagged() || id != Some(older.id.as_bytes()) || number(bytes, MODE.start) != Some(older.mode.bits()) {
            return None;
        }
        match step.newer {
            Some(newer) => {
                let fields = self.known.fields_of(newer)?;
                self.push(&fields, bytes.get(STAT + ID..)?)
            }
            None if self.compressed => None,
            None => {
                self.moved = true;
                Some(())
            }
        }
    }

    /// An entry that stays. A file that was written in the same second as the index, or later, may have changed without a
    /// trace in its times; once the index is younger, git would not look any more.
    fn keep(&mut self, row: &Row<'_>, bytes: &[u8]) -> Option<()> {
        let is_submodule = number(bytes, MODE.start)? == FileMode::Gitlink.bits();
        let is_racy = number(bytes, MODIFIED.start)? >= self.written && number(bytes, SIZE.start)? != 0;
        if is_submodule || !is_racy {
            return self.push(bytes, &[]);
        }
        let stat = self.known.after_a_look(row.path, bytes)?;
        self.push(&stat, bytes.get(STAT..)?)
    }

    fn push(&mut self, start: &[u8], rest: &[u8]) -> Option<()> {
        self.edited.extend_from_slice(start);
        self.edited.extend_from_slice(rest);
        self.count = self.count.checked_add(1)?;
        Some(())
    }

    /// Adds the new entries that come before a path, or all that are left.
    fn add_before(&mut self, path: Option<&BStr>) -> Option<()> {
        while let Some(first) = self.steps.first_entry() {
            if path.is_some_and(|path| *first.key() >= path) {
                return Some(());
            }
            let (path, step) = first.remove_entry();
            let (None, Some(newer), false) = (step.older, step.newer, self.compressed) else { return None };
            push_entry(&mut self.edited, &self.known.fields_of(newer)?, path);
            self.count = self.count.checked_add(1)?;
            self.moved = true;
        }
        Some(())
    }
}

fn push_extension(content: &mut Vec<u8>, name: &[u8], body: &[u8]) -> Option<()> {
    content.extend_from_slice(name);
    content.extend_from_slice(&u32::try_from(body.len()).ok()?.to_be_bytes());
    content.extend_from_slice(body);
    Some(())
}

/// The cached-tree extension without the names of those trees that are others now. `None` where it cannot be read, or where
/// a folder becomes a file.
fn cached_trees(body: &[u8], touched: &Touched) -> Option<Vec<u8>> {
    let mut kept = Vec::with_capacity(body.len());
    let mut path = BString::default();
    // The folders around the one that is read: how long their paths are, and how many more there are in them.
    let mut around: Vec<(usize, usize)> = Vec::new();
    let mut rest = body;
    loop {
        let (name, after) = rest.split_once_str(b"\0")?;
        let (numbers, after) = after.split_once_str(b"\n")?;
        let (count, folders) = numbers.to_str().ok()?.split_once(' ')?;
        let (count, folders): (i64, usize) = (count.parse().ok()?, folders.parse().ok()?);
        let (id, after) = after.split_at_checked(if count < 0 { 0 } else { ID })?;
        rest = after;
        let outer = path.len();
        if outer > 0 {
            path.push_byte(b'/');
        }
        path.push_str(name);
        if touched.paths.contains(&path) {
            return None;
        }
        kept.extend_from_slice(name);
        kept.push(0);
        if touched.folders.contains(&path) {
            kept.extend_from_slice(format!("-1 {folders}\n").as_bytes());
        } else {
            kept.extend_from_slice(numbers);
            kept.push(b'\n');
            kept.extend_from_slice(id);
        }
        around.push((outer, folders));
        while let Some((outer, 0)) = around.last() {
            path.truncate(*outer);
            around.pop();
        }
        let Some((_, more)) = around.last_mut() else { break };
        *more -= 1;
    }
    rest.is_empty().then_some(kept)
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::path::Path;
    use std::time::{Duration, SystemTime};

    use proptest::prelude::*;

    use super::super::index_update::Fingerprint;
    use super::super::testing::Scratch;
    use super::super::{StagedTree, WorkingTree};
    use super::*;

    const FILES: usize = 30;

    fn name(number: usize) -> String {
        format!("d{}/{}{}/f{number}", number % 3, "é".repeat(number % 5), number % 2)
    }

    fn age(path: &Path, seconds: u64) {
        let time = SystemTime::now() - Duration::from_secs(seconds);
        File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
    }

    /// A repository whose files, and whose index, were written long ago.
    fn repository(settings: &[(&str, &str)]) -> Scratch {
        let scratch = Scratch::new();
        for (key, value) in settings {
            scratch.git(&["config", key, value]);
        }
        for number in 0..FILES {
            scratch.write(&name(number), format!("{number}\n"));
            age(&scratch.path().join(name(number)), 7200);
        }
        scratch.commit_all("Start");
        age(&scratch.index(), 3600);
        scratch
    }

    /// What `git update-index` makes of the live index for a change.
    fn gits_own(scratch: &Scratch, change: &Change) -> std::path::PathBuf {
        let copy = scratch.path().join(".git/gits");
        std::fs::copy(scratch.index(), &copy).unwrap();
        let lines = scratch.path().join(".git/lines");
        std::fs::write(&lines, scratch.open().index_info(change)).unwrap();
        let mut command = scratch.command(&["update-index", "-z", "--index-info"]);
        let status = command.env("GIT_INDEX_FILE", &copy).stdin(File::open(&lines).unwrap()).status().unwrap();
        assert!(status.success());
        copy
    }

    fn with_index(scratch: &Scratch, index: &Path, arguments: &[&str]) -> String {
        let mut command = scratch.command(arguments);
        let output = command.env("GIT_INDEX_FILE", index).env("GIT_OPTIONAL_LOCKS", "0").output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        assert!(output.stderr.is_empty(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    fn edited(scratch: &Scratch, tree: &WorkingTree, change: &Change) -> Option<Vec<u8>> {
        let (live, content) = Fingerprint::read(&scratch.index()).unwrap();
        edit(&content.unwrap(), live.seconds(), change, tree.stat_data().unwrap())
    }

    /// What is left of a working tree: changed, gone, new, the same with another time.
    fn work(scratch: &Scratch, deeds: &[u8]) {
        for (number, deed) in deeds.iter().enumerate() {
            let path = scratch.path().join(name(number));
            match deed {
                0 => scratch.write(&name(number), format!("now {number}\n")),
                1 => {
                    scratch.write(&name(number), format!("{}\n", number + 1));
                    age(&path, 1800);
                }
                2 => std::fs::remove_file(&path).unwrap(),
                3 => {
                    let new = format!("{}.new/x", name(number));
                    scratch.write(&new, format!("new {number}\n"));
                    age(&scratch.path().join(new), 1800);
                }
                4 => age(&path, 1700),
                5 => std::fs::rename(&path, scratch.path().join(format!("r{number}"))).unwrap(),
                _ => {}
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]

        /// The entries, the tree and the state of every file are those that git's own index has, after every part.
        #[test]
        fn parts_of_a_frozen_change_are_taken_in_as_git_does_it(
            form in 0..4_usize,
            deeds in proptest::collection::vec(0..9_u8, FILES),
        ) {
            let forms: [&[(&str, &str)]; 4] =
                [&[], &[("index.version", "4")], &[("index.skipHash", "true")], &[("core.untrackedCache", "true")]];
            let scratch = repository(forms[form]);
            work(&scratch, &deeds);
            if form == 3 {
                scratch.git(&["status"]);
            }
            let repository = scratch.open();
            let tree = repository.freeze_working_tree(true).unwrap();
            let base = repository.tree_at(repository.head().unwrap().commit).unwrap();
            let frozen = repository.freeze(&tree.index(), base).unwrap();
            for part in 0..3 {
                let files = frozen.change.files().iter().enumerate().filter(|(number, _)| number % 3 == part);
                let change = Change::new(files.map(|(_, file)| file.clone()).collect());
                if change.is_empty() {
                    continue;
                }
                let gits = gits_own(&scratch, &change);
                let moves = change.files().iter().any(|file| file.gone().is_some() || file.old_side().is_none());
                prop_assert_eq!(edited(&scratch, &tree, &change).is_some(), !(moves && (form == 1 || form == 3)));
                let staged = StagedTree { tree: &tree, is_last: false };
                let update = repository.prepare_index_along(&[&change], Some(staged)).unwrap().unwrap();
                update.publish().unwrap();
                for question in [&["ls-files", "--stage", "-t", "-z"][..], &["write-tree"], &["status", "--porcelain"]] {
                    let index = scratch.index();
                    prop_assert_eq!(with_index(&scratch, &index, question), with_index(&scratch, &gits, question));
                }
                // It verifies the checksum and the cached trees.
                scratch.git(&["fsck", "--strict"]);
            }
            let last = with_index(&scratch, &scratch.index(), &["write-tree"]);
            prop_assert_eq!(last.trim(), frozen.tree.to_string());
        }
    }

    fn frozen_change(scratch: &Scratch) -> (WorkingTree, Change) {
        let repository = scratch.open();
        let tree = repository.freeze_working_tree(true).unwrap();
        let base = repository.tree_at(repository.head().unwrap().commit).unwrap();
        let change = repository.freeze(&tree.index(), base).unwrap().change;
        (tree, change)
    }

    #[test]
    fn a_file_that_changed_in_the_second_of_the_index_is_still_seen() {
        let scratch = repository(&[]);
        // As long as before and with the time of before: only that the index is no younger makes git look.
        let hidden = scratch.path().join(name(1));
        let time = std::fs::metadata(&hidden).unwrap().modified().unwrap();
        File::options().write(true).open(scratch.index()).unwrap().set_modified(time).unwrap();
        std::fs::write(&hidden, "8\n").unwrap();
        File::options().write(true).open(&hidden).unwrap().set_modified(time).unwrap();
        scratch.git(&["config", "core.trustctime", "false"]);
        scratch.write(&name(2), "changed\n");
        let (tree, change) = frozen_change(&scratch);
        assert_eq!(change.files().len(), 2);
        let first = Change::new(change.files().iter().filter(|file| file.path() == name(2)).cloned().collect());
        let bytes = edited(&scratch, &tree, &first).unwrap();
        std::fs::write(scratch.index(), bytes).unwrap();
        let expected = format!(" M {}\nM  {}", name(1), name(2));
        assert_eq!(scratch.git(&["-c", "core.quotePath=false", "status", "--porcelain"]), expected);
    }

    #[test]
    fn what_is_not_plain_is_left_to_git() {
        let scratch = repository(&[]);
        scratch.write(&name(1), "changed\n");
        scratch.write("new", "new\n");
        let (tree, change) = frozen_change(&scratch);
        assert!(edited(&scratch, &tree, &change).is_some());
        // Somebody staged something else, or set a flag.
        for command in [
            &["update-index", "--assume-unchanged", &name(1)][..],
            &["update-index", "--skip-worktree", &name(1)],
            &["rm", "-q", "--cached", &name(1)],
            &["update-index", "--chmod=+x", &name(1)],
            &["add", "new"],
            &["add", "-N", "new"],
        ] {
            let before = std::fs::read(scratch.index()).unwrap();
            scratch.git(command);
            assert!(edited(&scratch, &tree, &change).is_none(), "{command:?}");
            std::fs::write(scratch.index(), before).unwrap();
        }
        // A file where a folder is to be, and a folder where a file is to be.
        let id = scratch.git(&["rev-parse", &format!("HEAD:{}", name(1))]);
        for path in ["new/deep/file", "d0"] {
            let file = super::super::ChangedFile::added(Side {
                path: path.into(),
                mode: FileMode::Regular,
                id: id.parse().unwrap(),
            });
            let is_fine = edited(&scratch, &tree, &Change::new(vec![file])).is_some();
            assert_eq!(is_fine, path != "d0", "{path}");
        }
        scratch.git(&["add", "new"]);
        let file = super::super::ChangedFile::added(Side {
            path: "new/deep/file".into(),
            mode: FileMode::Regular,
            id: id.parse().unwrap(),
        });
        assert!(edited(&scratch, &tree, &Change::new(vec![file])).is_none());
    }

    #[test]
    fn an_index_that_is_cut_off_or_unknown_is_left_alone() {
        let scratch = repository(&[]);
        scratch.write(&name(1), "changed\n");
        let (tree, change) = frozen_change(&scratch);
        let (live, content) = Fingerprint::read(&scratch.index()).unwrap();
        let (content, known) = (content.unwrap(), tree.stat_data().unwrap());
        let is_edited = |content: &[u8]| edit(content, live.seconds(), &change, known).is_some();
        assert!(is_edited(&content));
        let end = each(&content, |_| {}).unwrap();
        // Without any extension an index is whole.
        for length in (0..content.len()).filter(|length| *length != end + ID) {
            assert!(!is_edited(&content[..length]), "{length}");
        }
        // Whatever else a byte says, it ends well.
        for at in 0..content.len() {
            for bit in [1, 0x80] {
                let mut broken = content.clone();
                broken[at] ^= bit;
                is_edited(&broken);
            }
        }
        let with = |name: &[u8]| {
            let mut content = content[..content.len() - ID].to_vec();
            push_extension(&mut content, name, b"what?").unwrap();
            content.extend_from_slice(&[1; ID]);
            content
        };
        assert!(is_edited(&with(b"REUC")));
        assert!(["link", "sdir", "FSMN", "ABCD"].iter().all(|name| !is_edited(&with(name.as_bytes()))));
    }
}
