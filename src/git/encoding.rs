//! `i18n.commitEncoding`: messages in the encoding that the repository wants for its commits.
//!
//! git itself converts, since its library is what will read the commits: it shows a commit that nothing names.

use bstr::ByteSlice;

use super::commit_object::repaired;
use super::{CommitObject, GitError, Ident, Repository};

/// The encoding of all texts here.
pub(super) const UTF8: &str = "UTF-8";
/// Stands before a converted text, so that none begins with lines that git would leave out.
const MARK: &[u8] = b"text\n";

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
        let Some(message) = self.encoded(&commit.message.to_str_lossy())? else { return Ok(commit) };
        Ok(CommitObject { encoding: Some(name), message: message.into(), ..commit })
    }

    /// A text in the encoding of new commits; `None` where that has no letters for it.
    ///
    /// # Errors
    /// git's own text.
    pub fn encoded(&self, text: &str) -> Result<Option<Vec<u8>>, GitError> {
        match self.commit_encoding() {
            Some(name) if !text.is_ascii() => {
                let converted = self.convert(text.as_bytes(), None, &name)?;
                // What git cannot convert it shows as it is.
                Ok(Some(converted).filter(|converted| converted != text.as_bytes()))
            }
            _ => Ok(Some(text.as_bytes().to_vec())),
        }
    }

    /// What bytes in the encoding of new commits say. Those that are none in that encoding are taken as UTF-8 and Latin-1.
    ///
    /// # Errors
    /// git's own text.
    pub fn decoded(&self, bytes: &[u8]) -> Result<String, GitError> {
        match self.commit_encoding() {
            // git's own texts end at a NUL byte.
            Some(name) if !bytes.is_ascii() && !bytes.contains(&0) => {
                Ok(repaired(&self.convert(bytes, Some(name), UTF8)?))
            }
            _ => Ok(repaired(bytes)),
        }
    }

    /// Bytes from one encoding (`None`: UTF-8) in another; unchanged where that cannot be done.
    fn convert(&self, bytes: &[u8], from: Option<String>, to: &str) -> Result<Vec<u8>, GitError> {
        let nobody = Ident { name: "x".into(), email: "x".into(), seconds: 0, offset_minutes: 0 };
        let commit = CommitObject {
            tree: self.empty_tree()?,
            parents: Vec::new(),
            author: nobody.clone(),
            committer: nobody,
            encoding: from,
            message: bstr::concat([MARK, bytes]).into(),
        };
        let shown = self.write_commit(&commit.content())?.to_string();
        let encoding = format!("--encoding={to}");
        let arguments = ["log", "-1", "--no-show-signature", "--format=%B", &encoding, &shown, "--"];
        let output = self.program()?.run(&arguments, |_| {})?;
        let text = output.strip_suffix(b"\n").unwrap_or(&output);
        Ok(text.strip_prefix(MARK).unwrap_or(text).to_vec())
    }
}
