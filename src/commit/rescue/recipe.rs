//! The way on without stagecoach: commands for a POSIX shell.
//!
//! They never put a message on the command line; it lies in a file. They move the branch by compare-and-swap, so that
//! pasting them twice, or after somebody else committed, changes nothing.

use crate::git::{Head, HeadTarget};

use super::super::Source;
use super::Rescue;

impl Rescue {
    /// Commands that finish the run while HEAD is where it was, and refuse when it is not. `None` where nothing is left.
    #[must_use]
    pub fn recipe(&self) -> Option<String> {
        let expected = self.record.parent_of(self.landed);
        let parents = self.parents();
        let mut steps = Vec::new();
        for (number, step) in self.record.steps.iter().enumerate().skip(self.landed) {
            let parents: Vec<String> = if number == self.landed {
                parents.iter().map(ToString::to_string).collect()
            } else {
                vec!["\"$commit\"".to_owned()]
            };
            steps.push(format!("commit=$({})", self.commit(number, &step.tree.to_string(), &parents)));
        }
        let known = expected.map(|commit| commit.to_string());
        let null = self.record.steps.get(self.landed)?.tree.to_null().to_string();
        steps.push(update_ref(&self.record.head(), "commit", known.as_ref().unwrap_or(&null)));
        if parents.len() > 1 {
            steps.push("git merge --quit".to_owned());
        }
        // The index still is the old HEAD's. Only the run's own paths are brought up in it, whatever else is staged.
        match &self.entries {
            _ if self.record.source != Source::WorkingTree => {}
            Some(entries) => {
                steps.push(format!("git update-index -z --index-info < {}", quote(&entries.to_string_lossy())));
            }
            None => {
                let before = known.as_deref().unwrap_or("\"$(git mktree < /dev/null)\"");
                steps.push(format!("git read-tree -i -m {before} \"$commit\""));
            }
        }
        Some(steps.join(" &&\n"))
    }

    /// Commands that put the frozen changes on top of a HEAD that moved, by merging trees, so that what was committed
    /// meanwhile stays. `None` where there is no common parent to merge from.
    #[must_use]
    pub fn recipe_onto(&self, found: &Head) -> Option<String> {
        let (base, head) = (self.record.parent_of(self.landed)?, found.commit?);
        let (mut base, mut onto) = (base.to_string(), head.to_string());
        let mut steps = Vec::new();
        let mut last = String::new();
        for (number, step) in self.record.steps.iter().enumerate().skip(self.landed) {
            let nth = match number - self.landed {
                0 => String::new(),
                more => (more + 1).to_string(),
            };
            let frozen = self.commit_tree("", number, &step.tree.to_string(), std::slice::from_ref(&base));
            let merged = format!("git merge-tree --write-tree --merge-base={base} {onto} \"$frozen{nth}\"");
            let commit = self.commit(number, &format!("\"$tree{nth}\""), std::slice::from_ref(&onto));
            steps.extend([
                format!("frozen{nth}=$({frozen})"),
                format!("tree{nth}=$({merged})"),
                format!("commit{nth}=$({commit})"),
            ]);
            (base, onto) = (format!("\"$frozen{nth}\""), format!("\"$commit{nth}\""));
            last = format!("commit{nth}");
        }
        steps.push(update_ref(found, &last, &head.to_string()));
        if self.record.source == Source::WorkingTree {
            steps.push(format!("git read-tree -i -m {head} \"${last}\""));
        }
        (!last.is_empty()).then(|| steps.join(" &&\n"))
    }

    /// A commit that is to stay: signed, where commits are.
    fn commit(&self, step: usize, tree: &str, parents: &[String]) -> String {
        self.commit_tree(if self.manner.signs { " -S" } else { "" }, step, tree, parents)
    }

    fn commit_tree(&self, sign: &str, step: usize, tree: &str, parents: &[String]) -> String {
        let encoding = if self.manner.encodes { " -c i18n.commitEncoding=UTF-8" } else { "" };
        let parents = parents.iter().map(|parent| format!(" -p {parent}")).collect::<Vec<_>>().concat();
        let message = match self.file(step) {
            Some(file) => format!("-F {}", quote(&file.to_string_lossy())),
            None => "-m 'Describe the change here'".to_owned(),
        };
        format!("git{encoding} commit-tree{sign} {tree}{parents} {message}")
    }
}

fn update_ref(head: &Head, variable: &str, expected: &str) -> String {
    let (flag, name) = match &head.target {
        HeadTarget::Branch(name) => ("", name.as_str()),
        HeadTarget::Detached => ("--no-deref ", "HEAD"),
    };
    format!("git update-ref -m 'commit: finished by hand' {flag}{} \"${variable}\" {expected}", quote(name))
}

/// Quotes for a POSIX shell: nothing inside is expanded.
fn quote(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '_' | '-');
    if !text.is_empty() && text.chars().all(plain) && !text.starts_with('-') {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::commit::rescue::Manner;
    use crate::commit::{Record, Step};

    const TREE: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
    const HEAD: &str = "b45ef6fec89518d314f546fd6c3025367b721684";

    fn rescue(branch: Option<&str>, commit: Option<&str>, files: &[Option<&str>]) -> Rescue {
        let step = Step { message: Some("$(rm -rf ~) `x`\n".to_owned()), ..Step::new(TREE.parse().unwrap()) };
        let record = serde_json::json!({
            "schema": 1,
            "run": "1-1",
            "created": 1,
            "branch": branch,
            "parent": commit,
            "source": "index",
            "steps": vec![step; files.len()],
        });
        Rescue {
            record: serde_json::from_value::<Record>(record).unwrap(),
            landed: 0,
            is_kept: true,
            problem: None,
            files: files.iter().map(|file| file.map(PathBuf::from)).collect(),
            entries: None,
            manner: Manner::default(),
        }
    }

    #[test]
    fn what_stays_is_signed_and_says_its_encoding() {
        let mut rescue = rescue(Some("refs/heads/main"), Some(HEAD), &[Some("/m")]);
        rescue.manner = Manner { signs: true, encodes: true };
        let made = format!("commit=$(git -c i18n.commitEncoding=UTF-8 commit-tree -S {TREE} -p {HEAD} -F /m)");
        assert!(rescue.recipe().unwrap().starts_with(&made));
        let onto = rescue.recipe_onto(&rescue.record.head()).unwrap();
        assert!(onto.starts_with(&format!("frozen=$(git -c i18n.commitEncoding=UTF-8 commit-tree {TREE} ")), "{onto}");
        assert!(onto.contains("commit=$(git -c i18n.commitEncoding=UTF-8 commit-tree -S \"$tree\" "), "{onto}");
    }

    #[test]
    fn the_recipe_swaps_only_what_was_frozen() {
        let rescue = rescue(Some("refs/heads/it's"), Some(HEAD), &[Some("/tmp/a b/m")]);
        assert_eq!(
            rescue.recipe().unwrap(),
            format!(
                "commit=$(git commit-tree {TREE} -p {HEAD} -F '/tmp/a b/m') &&\n\
                 git update-ref -m 'commit: finished by hand' 'refs/heads/it'\\''s' \"$commit\" {HEAD}"
            )
        );
    }

    #[test]
    fn several_commits_stand_on_each_other() {
        let rescue = rescue(Some("refs/heads/main"), Some(HEAD), &[Some("/m0"), Some("/m1")]);
        assert_eq!(
            rescue.recipe().unwrap(),
            format!(
                "commit=$(git commit-tree {TREE} -p {HEAD} -F /m0) &&\n\
                 commit=$(git commit-tree {TREE} -p \"$commit\" -F /m1) &&\n\
                 git update-ref -m 'commit: finished by hand' refs/heads/main \"$commit\" {HEAD}"
            )
        );
        let onto = rescue.recipe_onto(&rescue.record.head()).unwrap();
        assert!(onto.contains("--merge-base=\"$frozen\" \"$commit\" \"$frozen2\""), "{onto}");
        assert!(onto.ends_with(&format!("\"$commit2\" {HEAD}")), "{onto}");
    }

    #[test]
    fn a_root_commit_expects_no_branch_and_a_detached_head_stays_detached() {
        let root = rescue(Some("refs/heads/main"), None, &[None]).recipe().unwrap();
        assert!(root.ends_with(&format!("refs/heads/main \"$commit\" {}", "0".repeat(40))), "{root}");
        assert!(!root.contains(" -p "), "{root}");
        let detached = rescue(None, Some(HEAD), &[None]).recipe().unwrap();
        assert!(detached.contains("--no-deref HEAD"), "{detached}");
    }

    #[test]
    fn only_what_the_run_changes_is_told_to_the_index() {
        let staged = rescue(Some("refs/heads/main"), Some(HEAD), &[Some("/m")]);
        assert!(staged.recipe().unwrap().ends_with(HEAD));
        let of_working_tree = |commit, entries: Option<&str>| {
            let mut rescue = rescue(Some("refs/heads/main"), commit, &[Some("/m")]);
            rescue.record.source = Source::WorkingTree;
            rescue.entries = entries.map(PathBuf::from);
            rescue.recipe().unwrap().lines().last().unwrap().to_owned()
        };
        assert_eq!(of_working_tree(Some(HEAD), Some("/a b")), "git update-index -z --index-info < '/a b'");
        assert_eq!(of_working_tree(Some(HEAD), None), format!("git read-tree -i -m {HEAD} \"$commit\""));
        assert_eq!(of_working_tree(None, None), "git read-tree -i -m \"$(git mktree < /dev/null)\" \"$commit\"");
    }

    #[test]
    fn the_message_never_reaches_the_command_line() {
        let rescue = rescue(None, Some(HEAD), &[Some("/m")]);
        let onto = rescue.recipe_onto(&rescue.record.head()).unwrap();
        for recipe in [rescue.recipe().unwrap(), onto] {
            assert!(!recipe.contains("rm -rf"), "{recipe}");
        }
    }

    #[test]
    fn nothing_left_needs_no_recipe() {
        let mut rescue = rescue(None, Some(HEAD), &[None]);
        rescue.landed = 1;
        assert_eq!((rescue.recipe(), rescue.recipe_onto(&rescue.record.head())), (None, None));
    }
}
