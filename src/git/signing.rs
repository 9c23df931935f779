//! `commit.gpgSign`: commits that git makes and signs, in whatever format it is configured for.

use std::fs::File;
use std::io::{Seek, Write};
use std::process::Command;

use bstr::{BString, ByteSlice};

use super::encoding::UTF8;
use super::{CommitObject, GitError, ObjectId, Repository};

/// The headers that hold signatures.
const SIGNATURES: [&[u8]; 2] = [b"gpgsig ", b"gpgsig-sha256 "];

impl Repository {
    /// Whether commits are to be signed.
    ///
    /// # Errors
    /// The setting is no boolean.
    pub fn signs_commits(&self) -> Result<bool, GitError> {
        Ok(self.config().boolean("commit.gpgsign")?.unwrap_or(false))
    }

    /// The command that makes and signs a commit, and prints its id.
    ///
    /// # Errors
    /// There is no git program, or no place for the message.
    pub fn signing_command(&self, commit: &CommitObject) -> Result<Command, GitError> {
        let encoding = format!("i18n.commitEncoding={}", commit.encoding.as_deref().unwrap_or(UTF8));
        let mut command = self.program()?.command(&["-c", &encoding, "commit-tree", "-S"]);
        command.arg(commit.tree.to_string());
        for parent in &commit.parents {
            command.args(["-p", &parent.to_string()]);
        }
        for (who, ident) in [("AUTHOR", &commit.author), ("COMMITTER", &commit.committer)] {
            ident.export(who, &mut command);
        }
        command.stdin(
            message_file(&commit.message).map_err(GitError::io("writing a file in", tempfile::env::temp_dir()))?,
        );
        Ok(command)
    }

    /// Whether git has made exactly the commit that was meant, besides its signature.
    ///
    /// # Errors
    /// It is another one, or not signed.
    pub fn check_signed(&self, id: ObjectId, meant: &CommitObject) -> Result<(), GitError> {
        let made = self.program()?.run(&["cat-file", "commit", &id.to_string()], |_| {})?;
        let bare = without_signature(&made);
        if bare.len() == made.len() {
            return Err(GitError::Object(id, "git made it without a signature".to_owned()));
        }
        if bare != meant.content() {
            return Err(GitError::Object(id, "git made another commit than was meant".to_owned()));
        }
        Ok(())
    }
}

fn message_file(message: &[u8]) -> std::io::Result<File> {
    let mut file = tempfile::tempfile()?;
    file.write_all(message)?;
    file.rewind()?;
    Ok(file)
}

/// A commit's content without the headers that hold signatures, and their further lines.
fn without_signature(content: &[u8]) -> Vec<u8> {
    let mut bare = BString::default();
    let (mut in_headers, mut in_signature) = (true, false);
    for line in content.lines_with_terminator() {
        in_signature = in_headers
            && (SIGNATURES.iter().any(|name| line.starts_with(name)) || (in_signature && line.starts_with(b" ")));
        in_headers = in_headers && line != b"\n";
        if !in_signature {
            bare.extend_from_slice(line);
        }
    }
    bare.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_signature_is_taken_out() {
        let content = b"tree 1\ncommitter A\ngpgsig -----\n line\n \n end\nencoding x\n\ngpgsig stays\n so does this\n";
        let bare = b"tree 1\ncommitter A\nencoding x\n\ngpgsig stays\n so does this\n";
        assert_eq!(without_signature(content).as_bstr(), bare.as_bstr());
        assert_eq!(without_signature(bare).as_bstr(), bare.as_bstr());
    }
}
