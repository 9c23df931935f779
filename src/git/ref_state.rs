//! Where all refs are, to find out whether somebody moved one.

use std::collections::HashSet;

use bstr::{BString, ByteSlice};

use super::{GitError, Head, Repository};

/// HEAD and all refs but ours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefState {
    head: Head,
    refs: Vec<BString>,
}

impl Repository {
    /// Where all refs are now.
    ///
    /// # Errors
    /// HEAD cannot be read, or git's own text.
    pub fn ref_state(&self) -> Result<RefState, GitError> {
        let listed = self.program()?.run(&["for-each-ref", "--format=%(refname) %(objectname)"], |_| {})?;
        let refs = listed.lines().filter(|line| !line.starts_with(b"refs/stagecoach/")).map(BString::from);
        Ok(RefState { head: self.head()?, refs: refs.collect() })
    }
}

impl RefState {
    /// The first ref that is elsewhere in a later state; none where both are the same.
    #[must_use]
    pub fn moved_in(&self, later: &RefState) -> Option<String> {
        let only_in = |one: &RefState, other: &RefState| {
            let known: HashSet<&BString> = other.refs.iter().collect();
            one.refs.iter().find(|line| !known.contains(line)).cloned()
        };
        let line = only_in(later, self).or_else(|| only_in(self, later));
        let name = line.map(|line| line.split_str(" ").next().unwrap_or_default().to_str_lossy().into_owned());
        name.or_else(|| (self.head != later.head).then(|| "HEAD".to_owned()))
    }
}
