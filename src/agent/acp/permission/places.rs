//! Where a stager may read: its repository, and its folder for temporary files.

use std::path::{Component, Path, PathBuf};

/// The two folders, without links.
#[derive(Debug, Clone)]
pub(crate) struct Places {
    work_tree: PathBuf,
    temporary: PathBuf,
}

impl Places {
    /// # Errors
    /// One of the folders is not there.
    pub(crate) fn new(work_tree: &Path, temporary: &Path) -> std::io::Result<Self> {
        Ok(Self { work_tree: work_tree.canonicalize()?, temporary: temporary.canonicalize()? })
    }

    /// Whether a path, seen from the working tree, lies in it, or in the folder for temporary files where that will do;
    /// what is not there counts by its nearest folder. The git folder is no place for anybody.
    pub(super) fn holds(&self, path: &str, may_be_temporary: bool) -> bool {
        let lexical = plain(&self.work_tree.join(path));
        let Some(real) = lexical.as_deref().and_then(real) else { return false };
        let is_git = |path: &Path| path.starts_with(self.work_tree.join(".git"));
        let inside = real.starts_with(&self.work_tree) && !is_git(&real) && !lexical.as_deref().is_some_and(is_git);
        inside || may_be_temporary && real.starts_with(&self.temporary)
    }

    /// Whether a path is there, in the working tree.
    pub(super) fn has(&self, path: &str) -> bool {
        self.holds(path, false) && self.work_tree.join(path).symlink_metadata().is_ok()
    }

    /// Whether a path is the working tree or a folder in it.
    pub(super) fn is_folder(&self, path: &str) -> bool {
        Path::new(path).is_absolute() && self.holds(path, false)
    }
}

/// The path without `.` and without anything that leads up: what `..` means depends on links.
fn plain(path: &Path) -> Option<PathBuf> {
    let leads_up = path.components().any(|part| part == Component::ParentDir);
    (!leads_up).then(|| path.components().filter(|part| *part != Component::CurDir).collect())
}

/// Where a path leads; for one that is not there, as far as there is anything.
fn real(path: &Path) -> Option<PathBuf> {
    for there in path.ancestors() {
        match there.canonicalize() {
            Ok(real) => return Some(real.join(path.strip_prefix(there).ok()?)),
            // A link into nothing is a way out for whoever makes what it names.
            Err(_) if there.is_symlink() => return None,
            Err(_) => {}
        }
    }
    None
}
