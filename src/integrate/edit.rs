//! The careful edit of somebody else's file: shown as a diff, with a copy of the old one, written whole, read back, and
//! undone when what was read is not what was meant.

use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use similar::TextDiff;

use crate::atomic;
use crate::untrusted::printable;

/// No configuration file of a program is larger, in bytes.
const MAX_BYTES: u64 = 4 * 1024 * 1024;
/// More copies than this are not looked at.
const MAX_COPIES: usize = 20;
/// In the name of a copy.
const BACKUP: &str = "stagecoach-backup";

/// A file that is not edited.
#[derive(Debug, thiserror::Error)]
pub enum EditError {
    /// It cannot be read or written.
    #[error("{} cannot be {action}: {source}", show(path))]
    Io {
        /// The file.
        path: PathBuf,
        /// What was tried, as a participle.
        action: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// It is no text, no regular file, or huge.
    #[error("{} is not edited: {why}", show(path))]
    NoText {
        /// The file.
        path: PathBuf,
        /// Why.
        why: &'static str,
    },
    /// Somebody else changed it since it was read.
    #[error("{} was changed by something else meanwhile", show(.0))]
    Changed(PathBuf),
    /// What was written is not what was meant, and the old content is back.
    #[error("{} could not be read back after the edit, so the old content was put back: {why}", show(path))]
    Restored {
        /// The file.
        path: PathBuf,
        /// What was wrong.
        why: String,
    },
}

/// What is to become of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The file.
    pub path: PathBuf,
    /// Its text; `None`: there is none of that name.
    before: Option<String>,
    /// Its text to be; `None`: it goes.
    after: Option<String>,
}

/// The text of a file; `None` when there is none.
///
/// # Errors
/// It cannot be read, or is no text.
pub(super) fn read(path: &Path) -> Result<Option<String>, EditError> {
    let io_error = |source| EditError::Io { path: path.to_owned(), action: "read", source };
    let no_text = |why| EditError::NoText { path: path.to_owned(), why };
    // A pipe would make the opening wait.
    match fs::metadata(path) {
        Ok(metadata) if !metadata.is_file() => return Err(no_text("it is no regular file")),
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(io_error(error)),
    }
    let mut bytes = Vec::new();
    fs::File::open(path).and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes)).map_err(io_error)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(no_text("it is larger than 4 MiB"));
    }
    String::from_utf8(bytes).map(Some).map_err(|_| no_text("it is not UTF-8 text"))
}

/// The texts of copies that earlier edits of a file left, the newest first. What cannot be read is none.
pub(super) fn copies(path: &Path) -> Vec<String> {
    let prefix = format!("{}.{BACKUP}.", path.file_name().unwrap_or_default().to_string_lossy());
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."));
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let ours = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(&prefix));
    let mut paths: Vec<PathBuf> = ours.map(|entry| entry.path()).collect();
    paths.sort();
    paths.iter().rev().take(MAX_COPIES).filter_map(|path| read(path).ok().flatten()).collect()
}

impl Edit {
    /// An edit of a file that was read as `before`.
    #[must_use]
    pub const fn new(path: PathBuf, before: Option<String>, after: Option<String>) -> Self {
        Self { path, before, after }
    }

    /// The text to be; `None`: the file goes.
    #[cfg(test)]
    #[must_use]
    pub fn after(&self) -> Option<&str> {
        self.after.as_deref()
    }

    /// Whether there is anything to do.
    #[must_use]
    pub fn changes(&self) -> bool {
        self.before != self.after
    }

    /// The edit as a unified diff.
    #[must_use]
    pub fn diff(&self) -> String {
        let name = |text: &Option<String>| match text {
            Some(_) => self.path.display().to_string(),
            None => "/dev/null".to_owned(),
        };
        let (before, after) = (self.before.as_deref().unwrap_or_default(), self.after.as_deref().unwrap_or_default());
        let diff = TextDiff::from_lines(before, after);
        diff.unified_diff().header(&name(&self.before), &name(&self.after)).to_string()
    }

    /// Carries the edit out and returns the copy of the old file. `check` says what is wrong with a text, if anything.
    ///
    /// # Errors
    /// See [`EditError`]; the file is what it was then.
    pub fn apply(&self, check: impl Fn(Option<&str>) -> Result<(), String>) -> Result<Option<PathBuf>, EditError> {
        let failed = |action| move |source| EditError::Io { path: self.path.clone(), action, source };
        if read(&self.path)? != self.before {
            return Err(EditError::Changed(self.path.clone()));
        }
        let backup = match &self.before {
            Some(_) => Some(atomic::back_up(&self.path, BACKUP).map_err(failed("copied"))?),
            None => None,
        };
        self.put(self.after.as_deref()).map_err(failed("written"))?;
        let read_back = read(&self.path).map_err(|error| error.to_string()).and_then(|text| {
            check(text.as_deref())?;
            if text == self.after { Ok(()) } else { Err("it is not what was written".to_owned()) }
        });
        if let Err(why) = read_back {
            self.put(self.before.as_deref()).map_err(failed("put back"))?;
            return Err(EditError::Restored { path: self.path.clone(), why });
        }
        Ok(backup)
    }

    fn put(&self, text: Option<&str>) -> io::Result<()> {
        match text {
            Some(text) if self.path.exists() => atomic::replace(&self.path, text.as_bytes()),
            Some(text) => atomic::create(&self.path, text.as_bytes()),
            None => fs::remove_file(atomic::target(&self.path)?),
        }
    }
}

fn show(path: &Path) -> String {
    printable(&path.to_string_lossy())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[allow(clippy::unnecessary_wraps, reason = "it stands for a check that can fail")]
    fn fine(_: Option<&str>) -> Result<(), String> {
        Ok(())
    }

    fn copies(folder: &Path) -> Vec<PathBuf> {
        let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        entries.filter(|path| path.to_str().unwrap().contains("x.yml.stagecoach-backup.")).collect()
    }

    fn edit(path: &Path, before: Option<&str>, after: Option<&str>) -> Edit {
        Edit::new(path.to_owned(), before.map(str::to_owned), after.map(str::to_owned))
    }

    #[test]
    fn the_diff_shows_what_changes() {
        let edit = edit(Path::new("/x.yml"), Some("a\nb\n"), Some("a\nc"));
        let expected = "--- /x.yml\n+++ /x.yml\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n\\ No newline at end of file\n";
        assert_eq!(edit.diff(), expected);
    }

    #[test]
    fn an_edit_leaves_a_copy() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.yml");
        edit(&path, None, Some("new")).apply(fine).unwrap();
        assert_eq!((fs::read_to_string(&path).unwrap().as_str(), copies(folder.path()).len()), ("new", 0));
        let copy = edit(&path, Some("new"), Some("newer")).apply(fine).unwrap().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "newer");
        assert_eq!((fs::read_to_string(&copy).unwrap().as_str(), copies(folder.path())), ("new", vec![copy]));
        edit(&path, Some("newer"), None).apply(fine).unwrap();
        assert!(!path.exists());
    }

    #[test]
    fn what_does_not_read_back_is_undone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.yml");
        let refuses_new = |text: Option<&str>| if text == Some("new") { Err("odd".to_owned()) } else { Ok(()) };
        let error = edit(&path, None, Some("new")).apply(refuses_new).unwrap_err();
        assert!(matches!(&error, EditError::Restored { why, .. } if why == "odd"), "{error}");
        assert!(!path.exists());
        fs::write(&path, "old").unwrap();
        edit(&path, Some("old"), Some("new")).apply(refuses_new).unwrap_err();
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
    }

    #[test]
    fn what_changed_meanwhile_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.yml");
        fs::write(&path, "theirs").unwrap();
        for before in [Some("old"), None] {
            let error = edit(&path, before, Some("new")).apply(fine).unwrap_err();
            assert!(matches!(error, EditError::Changed(_)), "{error}");
        }
        assert_eq!((fs::read_to_string(&path).unwrap().as_str(), copies(folder.path()).len()), ("theirs", 0));
    }

    #[test]
    fn only_text_is_edited() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.yml");
        assert_eq!(read(&path).unwrap(), None);
        fs::write(&path, b"\xff").unwrap();
        assert!(read(&path).unwrap_err().to_string().contains("not UTF-8"));
        assert!(read(folder.path()).unwrap_err().to_string().contains("no regular file"));
    }
}
