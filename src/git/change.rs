//! What separates two trees: computed once, then read by payload, report and plan alike.

use bstr::{BStr, BString, ByteSlice};

use super::{FileMode, ObjectId};

/// One side of a changed file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Side {
    /// Path from the top of the working tree, `/`-separated, any bytes but NUL.
    pub path: BString,
    /// What the entry is.
    pub mode: FileMode,
    /// The blob, or the commit of a submodule.
    pub id: ObjectId,
}

/// A path that differs between two trees, before renames are looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedPath {
    /// The older tree's entry.
    pub old: Option<Side>,
    /// The newer tree's entry.
    pub new: Option<Side>,
}

/// What shall lie at a path of a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeEdit {
    /// Path from the top, `/`-separated.
    pub path: BString,
    /// The file that shall be there, replacing a folder of that name; `None` takes a file away and leaves a folder alone.
    pub entry: Option<(FileMode, ObjectId)>,
}

/// How a file changed, with git's status letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// `A`
    Added,
    /// `D`
    Deleted,
    /// `M`: content or permission
    Modified,
    /// `T`: a file became a symlink or a submodule, or the like
    TypeChanged,
    /// `R` with the similarity in percent, 100 for an exact rename
    Renamed(u8),
}

impl Status {
    /// git's letter.
    #[must_use]
    pub const fn letter(self) -> char {
        match self {
            Status::Added => 'A',
            Status::Deleted => 'D',
            Status::Modified => 'M',
            Status::TypeChanged => 'T',
            Status::Renamed(_) => 'R',
        }
    }
}

/// What `.gitattributes` say about how a file may be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Attributes {
    /// `binary` or `-diff`: no text diff; `Some(true)`: `diff` set, a text diff even where the content looks binary.
    pub diff: Option<bool>,
    /// `linguist-generated`
    pub generated: Option<bool>,
    /// `linguist-vendored`
    pub vendored: Option<bool>,
}

/// A file that differs between two trees. At least one side is there, and an unchanged file cannot be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedFile {
    status: Status,
    old: Option<Side>,
    new: Option<Side>,
    attributes: Attributes,
}

impl ChangedFile {
    /// A file that only the newer tree has.
    #[must_use]
    pub const fn added(new: Side) -> Self {
        Self::with(Status::Added, None, Some(new))
    }

    /// A file that only the older tree has.
    #[must_use]
    pub const fn deleted(old: Side) -> Self {
        Self::with(Status::Deleted, Some(old), None)
    }

    /// A file that both trees have under the same path; `None` when nothing about it differs.
    #[must_use]
    pub fn modified(old: Side, new: Side) -> Option<Self> {
        if old == new {
            return None;
        }
        let status = if old.mode.same_type(new.mode) { Status::Modified } else { Status::TypeChanged };
        Some(Self::with(status, Some(old), Some(new)))
    }

    /// A file whose path changed; `similarity` in percent.
    #[must_use]
    pub const fn renamed(old: Side, new: Side, similarity: u8) -> Self {
        Self::with(Status::Renamed(similarity), Some(old), Some(new))
    }

    const fn with(status: Status, old: Option<Side>, new: Option<Side>) -> Self {
        Self { status, old, new, attributes: Attributes { diff: None, generated: None, vendored: None } }
    }

    /// The same file, with what `.gitattributes` say of it.
    #[must_use]
    pub const fn with_attributes(mut self, attributes: Attributes) -> Self {
        self.attributes = attributes;
        self
    }

    /// How it changed.
    #[must_use]
    pub const fn status(&self) -> Status {
        self.status
    }

    /// The older side, absent for an added file.
    #[must_use]
    pub const fn old_side(&self) -> Option<&Side> {
        self.old.as_ref()
    }

    /// The older side where its path is not there any more: that of a deleted or renamed file.
    #[must_use]
    pub const fn gone(&self) -> Option<&Side> {
        match self.status {
            Status::Deleted | Status::Renamed(_) => self.old.as_ref(),
            Status::Added | Status::Modified | Status::TypeChanged => None,
        }
    }

    /// The older side of a rename.
    #[must_use]
    pub const fn renamed_from(&self) -> Option<&Side> {
        match self.status {
            Status::Renamed(_) => self.old.as_ref(),
            Status::Added | Status::Modified | Status::Deleted | Status::TypeChanged => None,
        }
    }

    /// The newer side, absent for a deleted file.
    #[must_use]
    pub const fn new_side(&self) -> Option<&Side> {
        self.new.as_ref()
    }

    /// What `.gitattributes` say.
    #[must_use]
    pub const fn attributes(&self) -> Attributes {
        self.attributes
    }

    /// The newer path, or the older one of a deleted file.
    #[must_use]
    pub fn path(&self) -> &BStr {
        self.new.as_ref().or(self.old.as_ref()).map_or_else(|| b"".as_bstr(), |side| side.path.as_bstr())
    }

    /// Whether either side is a submodule.
    #[must_use]
    pub fn is_submodule(&self) -> bool {
        [&self.old, &self.new].into_iter().flatten().any(|side| side.mode == FileMode::Gitlink)
    }
}

/// Everything that separates two trees, sorted by [`ChangedFile::path`], renames paired.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Change {
    files: Vec<ChangedFile>,
}

impl Change {
    /// Sorts the files by path.
    #[must_use]
    pub fn new(mut files: Vec<ChangedFile>) -> Self {
        files.sort_by(|a, b| a.path().cmp(b.path()));
        Self { files }
    }

    /// The changed files, sorted by path.
    #[must_use]
    pub fn files(&self) -> &[ChangedFile] {
        &self.files
    }

    /// Whether the two trees are the same.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }
}

/// Reads contents of files by object id. Payload and rename detection know the repository only through this.
pub trait Blobs {
    /// The size of a blob in bytes, without reading it whole. What a partial clone has left elsewhere is larger than
    /// anybody reads: [`u64::MAX`].
    ///
    /// # Errors
    /// The object is missing, corrupt or no blob.
    fn size(&self, id: ObjectId) -> Result<u64, BlobError>;

    /// The content of a blob.
    ///
    /// # Errors
    /// The object is missing, corrupt or no blob.
    fn read(&self, id: ObjectId) -> Result<Vec<u8>, BlobError>;
}

/// A blob could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("object {id} cannot be read: {reason}")]
pub struct BlobError {
    /// The object asked for.
    pub id: ObjectId,
    /// What git's library said.
    pub reason: String,
}
