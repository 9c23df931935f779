//! What a change is, as data: everything from which a message can be written without a model.
//!
//! Plain values with no logic and no imports, so that whoever computes a diff can fill them in. Texts may come straight
//! from a repository: nothing here is trusted, and the writer neither prints nor repeats control characters from it.

/// The material of one message.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MessageFacts {
    /// Every changed file, in the order of the diff.
    pub files: Vec<FileFacts>,
    /// Messages of the latest commits, newest first, without merges and reverts; they teach the house style.
    pub history: Vec<String>,
    /// Scopes that history used for the paths touched by this change, the most used first.
    pub scopes: Vec<String>,
    /// What the author says the work was about.
    pub description: Option<String>,
    /// The format asked for.
    pub format: SubjectFormat,
    /// Whether a body is demanded.
    pub body: bool,
    /// The language asked for, as the user wrote it; `None` means English.
    pub locale: Option<String>,
    /// Subjects that were refused in this run or that history already has.
    pub rejected: Vec<String>,
    /// The longest subject wanted, in characters; 0 leaves it to the writer. A subject gets longer (up to 72) only when
    /// nothing that fits is left, and never longer than 100.
    pub subject_limit: usize,
}

/// The shape of a subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum SubjectFormat {
    /// As history does it; Conventional Commits where there is next to none.
    #[default]
    Auto,
    /// `type(scope): description`
    Conventional,
    /// One emoji, then the description.
    Gitmoji,
    /// The description alone.
    Plain,
}

/// One changed file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FileFacts {
    /// How it changed.
    pub status: FileStatus,
    /// The path before a rename.
    pub old_path: Option<String>,
    /// The path now, or the last one of a deleted file; `/`-separated, from the top of the working tree.
    pub path: String,
    /// The path as git quotes it, where `path` could not be decoded without loss.
    pub quoted: Option<String>,
    /// What the file is.
    pub kind: FileKind,
    /// Lines added; 0 for what has no lines.
    pub added: u64,
    /// Lines deleted; 0 for what has no lines.
    pub deleted: u64,
    /// How many hunks its diff has, as far as it was made.
    pub hunks: usize,
    /// What git shows after `@@ … @@`, one for each hunk that has it: the line of the enclosing definition.
    pub hunk_contexts: Vec<String>,
    /// The first lines that the change adds, without the `+`; a few hundred are plenty.
    pub added_lines: Vec<String>,
    /// The first lines that the change removes, without the `-`; a few hundred are plenty.
    pub removed_lines: Vec<String>,
}

/// How a file changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum FileStatus {
    /// It is new.
    Added,
    /// It is gone.
    Deleted,
    /// Its content or permission differs.
    #[default]
    Modified,
    /// It became a symlink, a submodule or the like, or stopped being one.
    TypeChanged,
    /// It has another path, and perhaps other content.
    Renamed,
}

impl FileStatus {
    /// Reads git's status letter; `None` for one that no diff of two trees has.
    #[must_use]
    pub const fn from_letter(letter: char) -> Option<Self> {
        match letter {
            'A' => Some(Self::Added),
            'D' => Some(Self::Deleted),
            'M' => Some(Self::Modified),
            'T' => Some(Self::TypeChanged),
            'R' => Some(Self::Renamed),
            _ => None,
        }
    }
}

/// What a changed file is, as far as the noise filters of the payload know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum FileKind {
    /// Text whose lines count.
    #[default]
    Text,
    /// No text.
    Binary,
    /// A lock file of a package manager.
    Lock,
    /// Made by a program, snapshots included.
    Generated,
    /// Minified code or a source map.
    Minified,
    /// Somebody else's code, kept in the repository.
    Vendored,
    /// The commit of a submodule.
    Submodule,
    /// Left out on the user's request.
    Excluded,
}
