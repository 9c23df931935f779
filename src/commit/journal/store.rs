//! Where records lie: a private folder in this worktree's git folder, one file for each run, and a ref for its trees.
//!
//! A record is brought up to date by adding a line: each line is the whole record, the last whole line counts. Renaming a
//! new file over the old one would be as safe and cost milliseconds on file systems that then write it out at once.
//!
//! The ref is common to all worktrees, because `git gc` in one of them does not look at the `refs/worktree/` of another.
//! It names a tree, so `git log --all` does not show it, and `git push --all` leaves it where it is.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::fault;
use crate::git::{GitError, ObjectId, Repository};
use crate::private;

use super::super::Source;
use super::record::{EXPIRY, Record, is_older_name, new_run};

/// What the refs that keep trees begin with.
const REFS: &str = "refs/stagecoach/rescue/";
/// What the refs that keep the trees of plans begin with. A plan is no run: it has no record.
const PLANS: &str = "refs/stagecoach/plan/";

/// Where records lie in a git folder.
const RESCUES: &str = "stagecoach/rescue";
/// An empty file that is older is not being written any more.
const BEING_WRITTEN: std::time::Duration = std::time::Duration::from_secs(10);

/// The records of one worktree.
pub struct Store<'a> {
    repository: &'a Repository,
}

/// What the folder holds.
#[derive(Debug, Default)]
pub struct Listing {
    /// The records, the newest first.
    pub records: Vec<Record>,
    /// Files that are no records, with the reason.
    pub unreadable: Vec<(PathBuf, String)>,
}

impl<'a> Store<'a> {
    /// That of a repository's worktree.
    #[must_use]
    pub const fn new(repository: &'a Repository) -> Self {
        Self { repository }
    }

    /// Everything that runs left behind, and those that are still at work.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn list(&self) -> Result<Listing, GitError> {
        let folder = self.rescues();
        let entries = match std::fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Listing::default()),
            Err(error) => return Err(GitError::io("reading", folder)(error)),
        };
        let mut listing = Listing::default();
        for entry in entries {
            let path = entry.map_err(GitError::io("reading", &folder))?.path();
            if path.extension().is_some_and(|extension| extension == "json") {
                match read(&path) {
                    Ok(Some(record)) => listing.records.push(record),
                    Ok(None) => {} // gone since the folder was read
                    Err(why) => listing.unreadable.push((path, why)),
                }
            }
        }
        listing.records.sort_by(|a, b| b.created.cmp(&a.created).then_with(|| b.run.cmp(&a.run)));
        Ok(listing)
    }

    /// The last good run.
    ///
    /// # Errors
    /// The file is there and is no record.
    pub fn last(&self) -> Result<Option<Record>, GitError> {
        let path = self.last_file();
        read(&path).map_err(|why| GitError::io("reading", path)(std::io::Error::other(why)))
    }

    /// Forgets the last good run.
    ///
    /// # Errors
    /// The file cannot be removed.
    pub fn forget_last(&self) -> Result<(), GitError> {
        remove_file(&self.last_file())
    }

    /// Removes a record with its messages and its ref.
    ///
    /// # Errors
    /// One of them cannot be removed.
    pub fn remove(&self, record: &Record) -> Result<(), GitError> {
        self.remove_around(record)?;
        remove_file(&self.file(record))
    }

    fn remove_around(&self, record: &Record) -> Result<(), GitError> {
        let name = ref_name(&record.run);
        if record.was_killed() {
            // In the middle of making its ref, perhaps; nobody else makes one of that name.
            remove_file(&self.repository.paths().common_dir.join(format!("{name}.lock")))?;
        }
        self.repository.release(&name)?;
        (0..record.steps.len()).try_for_each(|step| remove_file(&self.message_file(record, step)))?;
        remove_file(&self.entries_file(record))
    }

    /// Removes what is older than two weeks, and refs that long, whichever worktree they are of. Returns how many rescues
    /// went.
    ///
    /// # Errors
    /// Something cannot be read or removed.
    pub fn expire(&self) -> Result<usize, GitError> {
        let records = self.list()?.records;
        let expired: Vec<&Record> = records.iter().filter(|record| record.is_expired() && !record.is_live()).collect();
        expired.iter().try_for_each(|record| self.remove(record))?;
        self.remove_empty()?;
        for prefix in [REFS, PLANS] {
            self.remove_locks(prefix)?;
            for name in self.repository.refs_below(prefix)? {
                let Some(run) = name.strip_prefix(prefix) else { continue };
                let is_left = prefix == REFS && is_older_name(run, BEING_WRITTEN) && !self.is_recorded(run);
                if is_left || is_older_name(run, EXPIRY) {
                    self.repository.release(&name)?;
                }
            }
        }
        Ok(expired.len())
    }

    /// Whether some worktree has a record of a run. One that was killed between its ref and its record has none.
    fn is_recorded(&self, run: &str) -> bool {
        let common = &self.repository.paths().common_dir;
        let linked = std::fs::read_dir(common.join("worktrees")).into_iter().flatten().flatten();
        let git_dirs =
            linked.map(|entry| entry.path()).chain([common.clone(), self.repository.paths().git_dir.clone()]);
        git_dirs.into_iter().any(|git_dir| git_dir.join(RESCUES).join(format!("{run}.json")).exists())
    }

    /// Removes the locks of refs below a prefix over which runs were killed that have no record yet.
    fn remove_locks(&self, prefix: &str) -> Result<(), GitError> {
        for entry in std::fs::read_dir(self.repository.paths().common_dir.join(prefix)).into_iter().flatten().flatten()
        {
            let name = entry.file_name();
            let Some(run) = name.to_str().and_then(|name| name.strip_suffix(".lock")) else { continue };
            if is_older_name(run, BEING_WRITTEN) && !self.is_recorded(run) {
                remove_file(&entry.path())?;
            }
        }
        Ok(())
    }

    /// Keeps the trees of a plan from `git gc`, for as long as those of a run.
    ///
    /// # Errors
    /// The ref cannot be written.
    pub fn keep_plan(&self, trees: &[ObjectId]) -> Result<(), GitError> {
        let (_, run) = new_run();
        self.repository.keep_trees(&format!("{PLANS}{run}"), trees)
    }

    /// Removes files that a killed run created and wrote nothing into.
    fn remove_empty(&self) -> Result<(), GitError> {
        for entry in std::fs::read_dir(self.rescues()).into_iter().flatten().flatten() {
            let Ok(file) = entry.metadata() else { continue };
            let age = file.modified().ok().and_then(|time| time.elapsed().ok()).unwrap_or_default();
            if file.is_file() && file.len() == 0 && age > BEING_WRITTEN {
                remove_file(&entry.path())?;
            }
        }
        Ok(())
    }

    /// Whether there may be anything that [`Self::expire`] would look at; costs next to nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let none = |folder: &Path| std::fs::read_dir(folder).map_or(true, |mut entries| entries.next().is_none());
        let common = &self.repository.paths().common_dir;
        none(&self.rescues()) && none(&common.join(REFS)) && none(&common.join(PLANS))
    }

    pub(super) fn keep(&self, record: &Record) -> Result<(), GitError> {
        let trees: Vec<ObjectId> = record.steps.iter().map(|step| step.tree).collect();
        self.repository.keep_trees(&ref_name(&record.run), &trees)
    }

    pub(super) fn write(&self, record: &Record) -> Result<(), GitError> {
        let path = self.file(record);
        let text = serde_json::to_string(record)
            .map_err(|error| GitError::io("writing", &path)(std::io::Error::other(error)))?;
        let mut options = OpenOptions::new();
        options.append(true).create(true);
        // What is staged is still in the index when the power fails; a frozen working tree is nowhere else.
        let durably = record.source == Source::WorkingTree;
        // The first newline ends a line that was cut short.
        write_file(&path, &options, format!("\n{text}\n").as_bytes(), durably)
    }

    /// Makes a record that of the last run.
    pub(in super::super) fn finish(&self, record: &Record) -> Result<(), GitError> {
        let (from, to) = (self.file(record), self.last_file());
        // The record goes last: as long as it is there, a run that comes after a kill knows what to do.
        self.remove_around(record)?;
        fault::crossing("journal: forget the last run");
        self.forget_last()?;
        fault::write("journal: keep the last run")
            .and_then(|()| std::fs::rename(&from, &to))
            .map_err(GitError::io("renaming", from))
    }

    /// Writes the messages of a record into files of their own, for `git commit-tree -F`.
    pub(super) fn write_messages(&self, record: &Record) -> Result<Vec<Option<PathBuf>>, GitError> {
        let mut files = Vec::new();
        for (number, step) in record.steps.iter().enumerate() {
            let Some(message) = step.message.as_ref().or(step.title.as_ref()) else {
                files.push(None);
                continue;
            };
            let path = self.message_file(record, number);
            let mut options = OpenOptions::new();
            options.write(true).create(true).truncate(true);
            write_file(&path, &options, message.as_bytes(), false)?;
            files.push(Some(path));
        }
        Ok(files)
    }

    /// The files of [`Self::write_messages`], where they are.
    pub(in super::super) fn message_files(&self, record: &Record) -> Vec<Option<PathBuf>> {
        let file = |step| Some(self.message_file(record, step)).filter(|path| path.exists());
        (0..record.steps.len()).map(file).collect()
    }

    /// Writes what the index has to be told after the last commit of a working-tree run, for `git update-index -z
    /// --index-info`: what changes after the commits that landed.
    pub(super) fn write_entries(&self, record: &Record, landed: usize) -> Result<Option<PathBuf>, GitError> {
        let last = record.steps.last().filter(|_| record.source == Source::WorkingTree && landed < record.steps.len());
        let Some(last) = last else { return Ok(None) };
        let before = record.tree_before(landed, self.repository)?;
        let change = self.repository.compare(before, Some(last.tree))?;
        let path = self.entries_file(record);
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true);
        write_file(&path, &options, &self.repository.index_info(&change), false)?;
        Ok(Some(path))
    }

    /// The file of [`Self::write_entries`], where it is.
    pub(in super::super) fn entries(&self, record: &Record) -> Option<PathBuf> {
        Some(self.entries_file(record)).filter(|path| path.exists())
    }

    fn rescues(&self) -> PathBuf {
        self.repository.paths().git_dir.join(RESCUES)
    }

    fn last_file(&self) -> PathBuf {
        self.repository.paths().git_dir.join("stagecoach/last.json")
    }

    fn file(&self, record: &Record) -> PathBuf {
        self.rescues().join(format!("{}.json", record.run))
    }

    fn entries_file(&self, record: &Record) -> PathBuf {
        self.rescues().join(format!("{}.index", record.run))
    }

    fn message_file(&self, record: &Record, step: usize) -> PathBuf {
        self.rescues().join(format!("{}.{step}.msg", record.run))
    }
}

fn ref_name(run: &str) -> String {
    format!("{REFS}{run}")
}

fn read(path: &Path) -> Result<Option<Record>, String> {
    let text = match std::fs::read(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.to_string()),
    };
    if text.is_empty() {
        // Just being created, or by a run that was killed then; there is nothing in it to be lost.
        return Ok(None);
    }
    let mut why = "it holds no whole line".to_owned();
    for line in text.split(|byte| *byte == b'\n').rev().filter(|line| !line.is_empty()) {
        match serde_json::from_slice(line) {
            Ok(record) => return Ok(Some(record)),
            Err(error) => why = error.to_string(),
        }
    }
    Err(why)
}

/// Writes a file with one call, so that a kill leaves all of it or nothing.
fn write_file(path: &Path, options: &OpenOptions, content: &[u8], durably: bool) -> Result<(), GitError> {
    let open = || fault::write("journal: open").and_then(|()| options.open(path));
    let opened = match open() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            path.parent().map_or(Ok(()), private::make).and_then(|()| open())
        }
        result => result,
    };
    let written = opened.and_then(|mut file| {
        fault::write("journal: write")?;
        file.write_all(content)?;
        if durably { file.sync_all() } else { Ok(()) }
    });
    written.map_err(GitError::io("writing", path))
}

fn remove_file(path: &Path) -> Result<(), GitError> {
    fault::crossing("journal: remove a file");
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(GitError::io("removing", path)(error)),
        _ => Ok(()),
    }
}
