//! How a run ends that froze something and could not commit it: nothing is lost, and the way on is a recipe that can be
//! pasted into a shell.
//!
//! The recipe never puts the message on the command line; it lies in a file. It moves the branch by compare-and-swap, so
//! that pasting it twice, or after somebody else committed, changes nothing.

use std::path::{Path, PathBuf};

use crate::git::{GitError, Head, HeadTarget, ObjectId, Repository};

use super::{Snapshot, Source};

/// What is left to finish by hand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rescue {
    /// The frozen tree.
    pub tree: ObjectId,
    /// The parents that the commit would have had.
    pub parents: Vec<ObjectId>,
    /// HEAD at the freeze.
    pub head: Head,
    /// Where the content came from.
    pub source: Source,
    /// The best message there is, with the file it was written to.
    pub candidate: Option<(String, PathBuf)>,
}

impl Rescue {
    /// Makes sure that the frozen tree is in the object database and writes the candidate message to a file in the git
    /// folder.
    ///
    /// # Errors
    /// One of the two could not be written.
    pub fn keep(repository: &Repository, snapshot: &Snapshot, candidate: Option<&str>) -> Result<Self, GitError> {
        repository.store(snapshot.frozen())?;
        let candidate = match candidate {
            Some(message) => Some((message.to_owned(), write_message(repository, snapshot.tree(), message)?)),
            None => None,
        };
        Ok(Self {
            tree: snapshot.tree(),
            parents: snapshot.parents().to_vec(),
            head: snapshot.head().clone(),
            source: snapshot.source(),
            candidate,
        })
    }

    /// Commands for a POSIX shell that finish the commit while HEAD is where it was, and refuse when it is not.
    #[must_use]
    pub fn recipe(&self) -> String {
        let expected = self.head.commit.map_or_else(|| "0".repeat(40), |commit| commit.to_string());
        let mut steps = vec![
            format!("commit=$({})", self.commit_tree(&self.tree.to_string(), &self.parents)),
            update_ref(&self.head, &expected),
        ];
        if self.parents.len() > 1 {
            steps.push("git merge --quit".to_owned());
        }
        if self.source == Source::WorkingTree {
            // The index still is the old HEAD's; this leaves the working tree alone.
            steps.push("git reset --quiet".to_owned());
        }
        steps.join(" &&\n")
    }

    /// Commands for a POSIX shell that put the frozen change on top of a HEAD that moved, by merging trees, so that what
    /// was committed meanwhile stays. `None` where there is no common parent to merge from.
    #[must_use]
    pub fn recipe_onto(&self, found: &Head) -> Option<String> {
        let (base, onto) = (self.head.commit?, found.commit?);
        let merged = format!("git merge-tree --write-tree --merge-base={base} {onto} \"$frozen\"");
        Some(
            [
                format!("frozen=$({})", self.commit_tree(&self.tree.to_string(), &[base])),
                format!("tree=$({merged})"),
                format!("commit=$({})", self.commit_tree("\"$tree\"", &[onto])),
                update_ref(found, &onto.to_string()),
            ]
            .join(" &&\n"),
        )
    }

    fn commit_tree(&self, tree: &str, parents: &[ObjectId]) -> String {
        let parents = parents.iter().map(|parent| format!(" -p {parent}")).collect::<Vec<_>>().concat();
        let message = match &self.candidate {
            Some((_, file)) => format!("-F {}", quote(&file.to_string_lossy())),
            None => "-m 'Describe the change here'".to_owned(),
        };
        format!("git commit-tree {tree}{parents} {message}")
    }
}

fn update_ref(head: &Head, expected: &str) -> String {
    let (flag, name) = match &head.target {
        HeadTarget::Branch(name) => ("", name.as_str()),
        HeadTarget::Detached => ("--no-deref ", "HEAD"),
    };
    format!("git update-ref -m 'commit: finished by hand' {flag}{} \"$commit\" {expected}", quote(name))
}

/// Quotes for a POSIX shell: nothing inside is expanded.
fn quote(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '_' | '-');
    if !text.is_empty() && text.chars().all(plain) && !text.starts_with('-') {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

fn write_message(repository: &Repository, tree: ObjectId, message: &str) -> Result<PathBuf, GitError> {
    let folder = repository.paths().git_dir.join("stagecoach");
    create_private(&folder).map_err(GitError::io("creating", &folder))?;
    let path = folder.join(format!("{}.msg", tree.short(12)));
    let mut file = tempfile::NamedTempFile::new_in(&folder).map_err(GitError::io("writing in", &folder))?;
    std::io::Write::write_all(&mut file, message.as_bytes()).map_err(GitError::io("writing", &path))?;
    file.persist(&path).map_err(|error| GitError::io("writing", &path)(error.error))?;
    Ok(path)
}

fn create_private(folder: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TREE: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
    const HEAD: &str = "b45ef6fec89518d314f546fd6c3025367b721684";

    fn rescue(target: HeadTarget, commit: Option<&str>, file: Option<&str>) -> Rescue {
        let commit = commit.map(|id| id.parse().unwrap());
        Rescue {
            tree: TREE.parse().unwrap(),
            parents: commit.into_iter().collect(),
            head: Head { target, commit },
            source: Source::Index,
            candidate: file.map(|file| ("$(rm -rf ~) `x`\n".to_owned(), PathBuf::from(file))),
        }
    }

    #[test]
    fn the_recipe_swaps_only_what_was_frozen() {
        let rescue = rescue(HeadTarget::Branch("refs/heads/it's".to_owned()), Some(HEAD), Some("/tmp/a b/m"));
        assert_eq!(
            rescue.recipe(),
            format!(
                "commit=$(git commit-tree {TREE} -p {HEAD} -F '/tmp/a b/m') &&\n\
                 git update-ref -m 'commit: finished by hand' 'refs/heads/it'\\''s' \"$commit\" {HEAD}"
            )
        );
    }

    #[test]
    fn a_root_commit_expects_no_branch_and_a_detached_head_stays_detached() {
        let root = rescue(HeadTarget::Branch("refs/heads/main".to_owned()), None, None).recipe();
        assert!(root.ends_with(&format!("refs/heads/main \"$commit\" {}", "0".repeat(40))), "{root}");
        assert!(!root.contains(" -p "), "{root}");
        let detached = rescue(HeadTarget::Detached, Some(HEAD), None).recipe();
        assert!(detached.contains("--no-deref HEAD"), "{detached}");
    }

    #[test]
    fn the_message_never_reaches_the_command_line() {
        let rescue = rescue(HeadTarget::Detached, Some(HEAD), Some("/m"));
        let onto = rescue.recipe_onto(&rescue.head).unwrap();
        for recipe in [rescue.recipe(), onto] {
            assert!(!recipe.contains("rm -rf"), "{recipe}");
        }
    }
}
