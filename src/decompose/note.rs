//! What was put right on the way, for a notice each.

use super::concept_id;

/// Something an agent said that was not taken as it was.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Note {
    /// A plan names a path that did not change.
    #[error("the plan names {path:?} for \"{title}\", which is not in the change")]
    UnknownPath {
        /// The commit's title.
        title: String,
        /// The name as given.
        path: String,
    },
    /// A file that can only go whole is claimed by two commits.
    #[error("{path} goes whole into \"{kept}\", though \"{also}\" claims it too")]
    ClaimedTwice {
        /// The file.
        path: String,
        /// Title of the commit that has it.
        kept: String,
        /// Title of the commit that does not.
        also: String,
    },
    /// A file is claimed by several commits and will be taken apart.
    #[error("{path} is shared by {count} commits")]
    Shared {
        /// The file.
        path: String,
        /// How many commits claim it.
        count: usize,
    },
    /// A planned commit has no path left.
    #[error("\"{title}\" names no path of the change and is dropped")]
    Dropped {
        /// The commit's title.
        title: String,
    },
    /// The plan counts otherwise than it lists.
    #[error("the plan announces {announced} commits and lists {listed}")]
    Miscounted {
        /// What it says.
        announced: u64,
        /// What it lists.
        listed: usize,
    },
    /// The plan says one commit and lists several.
    #[error("the plan says one commit but lists {listed}; the list counts")]
    NotSingle {
        /// What it lists.
        listed: usize,
    },
    /// A hunk is given twice.
    #[error("hunk {number} is given twice; {} keeps it", concept_id(*kept))]
    HunkTwice {
        /// The hunk's number.
        number: usize,
        /// The concept that has it.
        kept: usize,
    },
    /// Something is given that is no hunk.
    #[error("there is no hunk {0}")]
    UnknownHunk(String),
    /// A hunk is given to what is no concept.
    #[error("hunk {number} is given to {concept}, which is no commit of the plan")]
    UnknownConcept {
        /// The hunk's number.
        number: usize,
        /// The name as given.
        concept: String,
    },
    /// A hunk that nobody got.
    #[error("hunk {number} of {path} is given to no commit")]
    LeftOver {
        /// The hunk's number.
        number: usize,
        /// Its file.
        path: String,
    },
    /// A concept that came out empty.
    #[error("\"{title}\" staged nothing and is skipped")]
    NothingStaged {
        /// The concept's title.
        title: String,
    },
    /// The arbiter's answer could not be used.
    #[error("what is left over makes a commit of its own: {why}")]
    OwnCommit {
        /// What was wrong with the answer.
        why: String,
    },
}
