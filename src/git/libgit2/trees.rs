//! Trees merged in memory, and refs that keep them.

use std::io::ErrorKind;
use std::path::PathBuf;

use bstr::{BString, ByteSlice};
use git2::{ErrorCode, Repository};

use super::super::{GitError, MergedTrees, ObjectId};
use super::{from_oid, to_oid};

/// Merges two trees that come from a third (`None`: the empty one).
pub(super) fn merge(
    repository: &Repository,
    base: Option<ObjectId>,
    ours: ObjectId,
    theirs: ObjectId,
) -> Result<MergedTrees, GitError> {
    let merging = GitError::library("merging trees");
    let empty = || repository.treebuilder(None).and_then(|builder| builder.write()).map_err(&merging);
    let base = match base {
        Some(base) => base,
        None => from_oid(empty()?)?,
    };
    let tree = |id| repository.find_tree(to_oid(id)?).map_err(|error| GitError::Object(id, error.message().to_owned()));
    let mut index = repository.merge_trees(&tree(base)?, &tree(ours)?, &tree(theirs)?, None).map_err(&merging)?;
    if index.has_conflicts() {
        return conflicts(&index).map(MergedTrees::Conflicts);
    }
    from_oid(index.write_tree_to(repository).map_err(&merging)?).map(MergedTrees::Clean)
}

fn conflicts(index: &git2::Index) -> Result<Vec<BString>, GitError> {
    let merging = GitError::library("merging trees");
    let mut paths = Vec::new();
    for conflict in index.conflicts().map_err(&merging)? {
        let conflict = conflict.map_err(&merging)?;
        let entry = [conflict.our, conflict.their, conflict.ancestor].into_iter().flatten().next();
        paths.extend(entry.map(|entry| entry.path.as_bstr().to_owned()));
    }
    paths.sort();
    paths.dedup();
    Ok(paths)
}

/// A tree whose folders are other trees, so that one ref keeps them all.
pub(super) fn bundle(repository: &Repository, trees: &[ObjectId]) -> Result<ObjectId, GitError> {
    let keeping = GitError::library("keeping trees");
    let mut builder = repository.treebuilder(None).map_err(&keeping)?;
    for (number, tree) in trees.iter().enumerate() {
        builder.insert(number.to_string(), to_oid(*tree)?, 0o040_000).map_err(&keeping)?;
    }
    from_oid(builder.write().map_err(&keeping)?)
}

/// Points a new ref at any object, in git's own way: written beside, then renamed. The library would do five times as
/// much, for a name that nobody else uses, in every single run.
pub(super) fn keep(repository: &Repository, name: &str, object: ObjectId) -> Result<(), GitError> {
    let path = repository.commondir().join(name);
    let mut lock = path.clone().into_os_string();
    lock.push(".lock");
    let lock = PathBuf::from(lock);
    let content = format!("{object}\n");
    let written = match std::fs::write(&lock, &content) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            path.parent().map_or(Ok(()), std::fs::create_dir_all).and_then(|()| std::fs::write(&lock, &content))
        }
        result => result,
    };
    written.and_then(|()| std::fs::rename(&lock, &path)).map_err(GitError::io("writing", path))
}

/// Removes a ref; one that is not there is fine. Nobody else writes a ref of this run, so that a loose one needs no lock;
/// should `git pack-refs` be at work on it at this very moment, the packed one expires.
pub(super) fn release(repository: &Repository, name: &str) -> Result<(), GitError> {
    // The plain file goes by itself, which is much cheaper than a transaction; `git gc` may have packed the ref as well.
    let _ = std::fs::remove_file(repository.commondir().join(name));
    match repository.find_reference(name).and_then(|mut reference| reference.delete()) {
        Err(error) if error.code() != ErrorCode::NotFound => Err(GitError::library("removing a ref")(error)),
        _ => Ok(()),
    }
}

/// The full names of all refs that begin with `prefix`.
pub(super) fn refs_below(repository: &Repository, prefix: &str) -> Result<Vec<String>, GitError> {
    let listing = GitError::library("listing refs");
    let mut references = repository.references_glob(&format!("{prefix}*")).map_err(&listing)?;
    references.names().map(|name| name.map(str::to_owned).map_err(&listing)).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::super::testing::Scratch;
    use super::super::super::{MergedTrees, ObjectId};

    fn tree(scratch: &Scratch, revision: &str) -> ObjectId {
        scratch.git(&["rev-parse", &format!("{revision}^{{tree}}")]).parse().unwrap()
    }

    /// Commits a set of files, each with one of a few contents, and returns the commit.
    fn commit(scratch: &Scratch, parent: Option<&str>, files: &[Option<u8>]) -> String {
        match parent {
            Some(parent) => drop(scratch.git(&["checkout", "-q", "--detach", parent])),
            None => drop(scratch.git(&["checkout", "-q", "--orphan", "fresh"])),
        }
        for (number, content) in files.iter().enumerate() {
            let path = format!("d{}/f{number}", number % 2);
            let there = scratch.path().join(&path).exists();
            match content {
                // No file resembles another: git also guesses that a whole folder was renamed, which is not meant here.
                Some(content) => {
                    let own = format!("only in {number}\n").repeat(5);
                    scratch.write(&path, format!("{own}{}\n{own}", content % 3));
                }
                None if there => scratch.remove(&path),
                None => {}
            }
        }
        scratch.commit_all("x")
    }

    fn files() -> impl Strategy<Value = Vec<Option<u8>>> {
        proptest::collection::vec(proptest::option::weighted(0.8, 0u8..3), 5)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(12))]

        /// The merge is that of `git merge-tree`, conflicts included, and the comparison that of `git diff-tree`.
        #[test]
        fn merging_and_comparing_are_gits(base in files(), ours in files(), theirs in files()) {
            let scratch = Scratch::new();
            let base = commit(&scratch, None, &base);
            let ours = commit(&scratch, Some(&base), &ours);
            let theirs = commit(&scratch, Some(&base), &theirs);
            let repository = scratch.open();
            let [base_tree, our_tree, their_tree] = [&base, &ours, &theirs].map(|commit| tree(&scratch, commit));

            let base = format!("--merge-base={base}");
            let git = scratch.command(&["merge-tree", "--write-tree", "--name-only", "--no-messages", &base, &ours, &theirs]);
            let output = { git }.output().unwrap();
            let text = String::from_utf8(output.stdout).unwrap();
            let mut lines = text.lines();
            let merged = lines.next().unwrap().parse().unwrap();
            match repository.merge_trees(Some(base_tree), our_tree, their_tree).unwrap() {
                MergedTrees::Clean(tree) => {
                    prop_assert!(output.status.success(), "git says: {text}");
                    prop_assert_eq!(tree, merged);
                }
                MergedTrees::Conflicts(paths) => {
                    let paths: Vec<String> = paths.iter().map(ToString::to_string).collect();
                    prop_assert_eq!(paths, lines.map(str::to_owned).collect::<Vec<_>>());
                }
            }

            let change = repository.compare(Some(our_tree), Some(their_tree)).unwrap();
            let mut found: Vec<String> = change.files().iter().map(|file| file.path().to_string()).collect();
            found.sort();
            let listed = scratch.git(&["diff-tree", "-r", "-M", "--name-only", &our_tree.to_string(), &their_tree.to_string()]);
            prop_assert_eq!(found.join("\n"), listed);
        }
    }

    #[test]
    fn a_kept_tree_survives_gc_from_any_worktree_until_it_is_released() {
        let scratch = Scratch::new();
        scratch.write("a", "1\n");
        scratch.commit_all("Start");
        scratch.git(&["worktree", "add", "-q", "../linked"]);
        let linked = super::super::super::Repository::open_in(&scratch.path().join("../linked")).unwrap();
        let trees = ["one", "two"].map(|content| {
            scratch.write("a", content);
            scratch.git(&["add", "a"]);
            scratch.git(&["write-tree"]).parse::<ObjectId>().unwrap()
        });
        scratch.git(&["reset", "-q", "--hard"]);
        let name = "refs/stagecoach/rescue/1-1";
        linked.keep_trees(name, &trees).unwrap();
        assert_eq!(linked.refs_below("refs/stagecoach/").unwrap(), [name]);
        scratch.git(&["gc", "-q", "--prune=now"]);
        scratch.git(&["fsck", "--strict"]);
        let there =
            |tree: &ObjectId| scratch.command(&["cat-file", "-e", &tree.to_string()]).status().unwrap().success();
        assert!(trees.iter().all(there));
        // `git gc` has packed the ref.
        linked.release(name).unwrap();
        linked.release(name).unwrap();
        assert_eq!(scratch.git(&["for-each-ref", "refs/stagecoach"]), "");
        scratch.git(&["gc", "-q", "--prune=now"]);
        assert!(!trees.iter().any(there));
    }
}
