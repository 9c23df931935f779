//! Whether git takes objects for others (`git replace`), which the library does not.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use super::Config;
use super::open::variable;

/// How much of a file is looked at at once, in bytes.
const CHUNK: usize = 64 * 1024;

/// Whether a repository has replacements that count, so that HEAD's tree, for one, may not be what the library reads.
pub(super) fn are_there(config: &Config, common_dir: &Path) -> bool {
    let is_off = config.boolean("core.usereplacerefs").is_ok_and(|used| used == Some(false));
    if is_off || std::env::var_os("GIT_NO_REPLACE_OBJECTS").is_some() {
        return false;
    }
    let base = variable("GIT_REPLACE_REF_BASE").map(|base| base.to_string_lossy().trim_end_matches('/').to_owned());
    let base = base.unwrap_or_else(|| "refs/replace".to_owned());
    // A folder without refs in it may be left over.
    let loose = || std::fs::read_dir(common_dir.join(&base)).is_ok_and(|mut entries| entries.next().is_some());
    let packed = || File::open(common_dir.join("packed-refs")).and_then(|refs| holds(refs, &format!(" {base}/")));
    loose() || packed().unwrap_or(false)
}

/// Whether a text is somewhere in what is read, which may be much: the refs of a large repository.
fn holds(mut source: impl Read, text: &str) -> io::Result<bool> {
    let finder = memchr::memmem::Finder::new(text);
    let mut buffer = vec![0; CHUNK + text.len()];
    // As much of the part before is kept as the text may begin in.
    let mut kept = 0;
    loop {
        let read = source.read(buffer.get_mut(kept..).unwrap_or_default())?;
        if read == 0 {
            return Ok(false);
        }
        let filled = kept + read;
        if finder.find(buffer.get(..filled).unwrap_or_default()).is_some() {
            return Ok(true);
        }
        kept = filled.min(text.len().saturating_sub(1));
        buffer.copy_within(filled - kept..filled, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives a few bytes at a time.
    struct Slow<'a>(&'a [u8], usize);

    impl Read for Slow<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let count = self.1.min(buffer.len()).min(self.0.len());
            let (now, later) = self.0.split_at(count);
            buffer[..count].copy_from_slice(now);
            self.0 = later;
            Ok(count)
        }
    }

    #[test]
    fn a_text_is_found_wherever_the_parts_end() {
        let text = " refs/replace/";
        for at in [0, 1, 40, CHUNK - 5, CHUNK, CHUNK + 3, 3 * CHUNK - 1] {
            let mut content = vec![b' '; at];
            content.extend_from_slice(text.as_bytes());
            content.extend_from_slice(b"more");
            for step in [7, text.len(), CHUNK, usize::MAX] {
                assert!(holds(Slow(&content, step), text).unwrap(), "{at} {step}");
                assert!(!holds(Slow(&content[..at + text.len() - 1], step), text).unwrap(), "{at} {step}");
            }
        }
        assert!(!holds(&b""[..], text).unwrap());
    }
}
