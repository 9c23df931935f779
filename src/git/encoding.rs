//! `i18n.commitEncoding`: a message in the encoding that the repository wants for its commits.

use bstr::ByteSlice;

use super::{CommitObject, GitError, Repository};

impl Repository {
    /// The encoding of new commits, where that is not UTF-8.
    #[must_use]
    pub fn commit_encoding(&self) -> Option<String> {
        let utf8 = |name: &str| ["utf-8", "utf8"].iter().any(|utf8| name.eq_ignore_ascii_case(utf8));
        self.config().text("i18n.commitencoding").filter(|name| !name.is_empty() && !utf8(name))
    }

    /// The same commit with its message, which is UTF-8, in the encoding of new commits. It stays as it is where the
    /// encoding has no letters for it, or git does not know the encoding: then it is true, and says so.
    ///
    /// # Errors
    /// git's own text.
    pub fn encode(&self, commit: CommitObject) -> Result<CommitObject, GitError> {
        let Some(name) = self.commit_encoding() else { return Ok(commit) };
        if commit.message.is_ascii() {
            return Ok(CommitObject { encoding: Some(name), ..commit });
        }
        // git itself encodes, since its library is what will decode: it shows a commit that nothing names.
        let shown = self.write_commit(&commit.content())?.to_string();
        let encoding = format!("--encoding={name}");
        let arguments = ["log", "-1", "--no-show-signature", "--format=%B", &encoding, &shown, "--"];
        let output = self.program()?.run(&arguments, |_| {})?;
        let message = output.strip_suffix(b"\n").unwrap_or(&output).as_bstr();
        if message == commit.message.as_bstr() {
            return Ok(commit);
        }
        Ok(CommitObject { encoding: Some(name), message: message.to_owned(), ..commit })
    }
}
