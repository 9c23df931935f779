//! A commit as bytes, as `git commit` would write them.

use bstr::{BString, ByteSlice};

use super::{Ident, ObjectId};

/// Everything a commit object says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitObject {
    /// The tree it records.
    pub tree: ObjectId,
    /// Its parents, the branch's own first; none for a root commit.
    pub parents: Vec<ObjectId>,
    /// Who wrote the change.
    pub author: Ident,
    /// Who records it.
    pub committer: Ident,
    /// The name of the message's encoding, where that is not UTF-8.
    pub encoding: Option<String>,
    /// The whole message, ending in a newline.
    pub message: BString,
}

impl CommitObject {
    /// The content of the object, without its header. What is no UTF-8 where nothing else is named is made UTF-8, as git
    /// does it.
    #[must_use]
    pub fn content(&self) -> Vec<u8> {
        let mut content = format!("tree {}\n", self.tree).into_bytes();
        for parent in &self.parents {
            content.extend_from_slice(format!("parent {parent}\n").as_bytes());
        }
        for (who, ident) in [("author", &self.author), ("committer", &self.committer)] {
            content.extend_from_slice(&bstr::concat([who.as_bytes(), b" ", &ident.line(), b"\n"]));
        }
        if let Some(encoding) = &self.encoding {
            content.extend_from_slice(format!("encoding {encoding}\n").as_bytes());
        }
        content.push(b'\n');
        content.extend_from_slice(&self.message);
        if self.encoding.is_none() { repaired(&content).into_bytes() } else { content }
    }
}

/// Bytes as text: what is no UTF-8 is taken for Latin-1, byte by byte, as git takes it.
pub(super) fn repaired(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|byte| char::from(*byte)));
    }
    text
}

/// The line that a move of HEAD leaves in the reflogs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reflog {
    /// Who moves it.
    pub committer: Ident,
    /// What for, on one line, in the encoding of the commit.
    pub message: BString,
}

impl Reflog {
    /// The line that `git commit` writes; `action` is the value of `GIT_REFLOG_ACTION`.
    #[must_use]
    pub fn of_commit(commit: &CommitObject, action: Option<&str>) -> Self {
        let kind = match commit.parents.len() {
            0 => "commit (initial)",
            1 => "commit",
            _ => "commit (merge)",
        };
        let mut message = BString::from(format!("{}: ", action.unwrap_or(kind)));
        message.extend_from_slice(commit.message.lines().next().unwrap_or_default());
        Self { committer: commit.committer.clone(), message }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commit(parents: usize) -> CommitObject {
        let id: ObjectId = "4b825dc642cb6eb9a060e54bf8d69288fbee4904".parse().unwrap();
        let ident = Ident { name: "A".into(), email: "a@b".into(), seconds: 1, offset_minutes: -90 };
        CommitObject {
            tree: id,
            parents: vec![id; parents],
            author: ident.clone(),
            committer: ident,
            encoding: None,
            message: "Add it\n\nFor a reason.\n".into(),
        }
    }

    #[test]
    fn the_content_is_gits() {
        let text = String::from_utf8(commit(1).content()).unwrap();
        assert_eq!(
            text,
            "tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\nparent 4b825dc642cb6eb9a060e54bf8d69288fbee4904\n\
             author A <a@b> 1 -0130\ncommitter A <a@b> 1 -0130\n\nAdd it\n\nFor a reason.\n"
        );
    }

    #[test]
    fn what_is_no_utf8_is_latin1_unless_it_is_named() {
        let mut commit = commit(0);
        commit.author.name = b"J\xf6rg \xe2\x82".into();
        assert!(String::from_utf8(commit.content()).unwrap().contains("author J\u{f6}rg \u{e2}\u{82} <a@b>"));
        commit.encoding = Some("ISO-8859-1".to_owned());
        assert!(commit.content().contains_str(b"author J\xf6rg \xe2\x82 <a@b>"));
    }

    #[test]
    fn the_reflog_says_what_kind_of_commit_it_was() {
        let message = |parents, action| Reflog::of_commit(&commit(parents), action).message;
        assert_eq!(message(0, None), "commit (initial): Add it");
        assert_eq!(message(1, None), "commit: Add it");
        assert_eq!(message(2, None), "commit (merge): Add it");
        assert_eq!(message(1, Some("deploy")), "deploy: Add it");
    }
}
