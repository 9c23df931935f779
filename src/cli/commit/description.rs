//! What the user says the work was about: a file, an option or the environment.

use std::io::Read;
use std::path::Path;

use crate::config::options::WORK_DESCRIPTION_VARIABLE;

use super::super::Failure;
use super::super::args::CommitArgs;

/// More is no description but a document, in bytes.
const MOST: u64 = 256 * 1024;

/// The description, if there is one. A file wins over the option, and the option over the variable, where an empty text
/// means none.
pub(super) fn read(args: &CommitArgs) -> Result<Option<String>, Failure> {
    if let Some(path) = &args.work_description_file {
        return from_file(path).map(Some);
    }
    let text = match &args.work_description {
        Some(text) => text.clone(),
        None => from_environment()?,
    };
    Ok(Some(text.trim().to_owned()).filter(|text| !text.is_empty()))
}

fn from_environment() -> Result<String, Failure> {
    match std::env::var(WORK_DESCRIPTION_VARIABLE) {
        Ok(text) => Ok(text),
        Err(std::env::VarError::NotPresent) => Ok(String::new()),
        Err(std::env::VarError::NotUnicode(_)) => {
            Err(refused(format!("{WORK_DESCRIPTION_VARIABLE} is not UTF-8 text"), "use --work-description-file"))
        }
    }
}

fn from_file(path: &Path) -> Result<String, Failure> {
    let shown = if path == Path::new("-") { "standard input".to_owned() } else { path.display().to_string() };
    let mut bytes = Vec::new();
    let read = if path == Path::new("-") {
        std::io::stdin().lock().take(MOST + 1).read_to_end(&mut bytes)
    } else {
        std::fs::File::open(path).and_then(|file| file.take(MOST + 1).read_to_end(&mut bytes))
    };
    let size = read.map_err(|error| {
        refused(format!("{shown}: {error}"), "give --work-description-file a file that can be read")
    })?;
    if u64::try_from(size).is_ok_and(|size| size > MOST) {
        return Err(refused(format!("{shown} has more than {MOST} bytes"), "say it more briefly"));
    }
    let text = String::from_utf8_lossy(&bytes).trim().to_owned();
    if text.is_empty() {
        return Err(refused(format!("{shown} is empty"), "write down what the work was about"));
    }
    Ok(text)
}

fn refused(why: String, hint: &str) -> Failure {
    Failure::new("work_description", "the work description cannot be read", why, hint)
}
