//! Files are replaced as a whole: whoever reads one sees the old content or the new one, whatever happens meanwhile.
//!
//! What a symbolic link leads to is written, and the link stays. Mode and owner of a file that is replaced are kept.

use std::fs::{self, File, Permissions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// Links that lead on and on lead nowhere.
const MAX_LINKS: usize = 40;

/// The file that is written when `path` is: where its links lead, whether that exists or not.
///
/// # Errors
/// The links lead in a circle, or cannot be read.
pub fn target(path: &Path) -> io::Result<PathBuf> {
    let mut target = path.to_owned();
    for _ in 0..MAX_LINKS {
        match fs::symlink_metadata(&target) {
            Ok(metadata) if metadata.is_symlink() => {
                let leads_to = fs::read_link(&target)?;
                target = target.parent().map_or_else(|| leads_to.clone(), |folder| folder.join(&leads_to));
            }
            Ok(_) => return Ok(target),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(target),
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other("its symbolic links lead in a circle"))
}

/// Replaces the content of the file at `path`, or creates it with the folders it needs.
///
/// # Errors
/// It cannot be written, is marked as read-only, or would not belong to its owner any more. Nothing has changed then.
pub fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    let target = target(path)?;
    let file = match fs::metadata(&target) {
        Ok(present) if present.permissions().readonly() => {
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, "it is marked as read-only"));
        }
        Ok(present) => replacement(&target, &present)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => fresh(&target)?,
        Err(error) => return Err(error),
    };
    finish(file, content, |file| file.persist(&target))?;
    sync_folder(&target)
}

/// Writes a file that must not be there yet, with the folders it needs. A link of that name counts as a file, unless it
/// leads nowhere: then what it leads to is created.
///
/// # Errors
/// It cannot be written, or is there ([`io::ErrorKind::AlreadyExists`]).
pub fn create(path: &Path, content: &[u8]) -> io::Result<()> {
    let target = target(path)?;
    finish(fresh(&target)?, content, |file| file.persist_noclobber(&target))?;
    sync_folder(&target)
}

/// Copies the file at `path` to one beside it whose name has `infix` and the time in it; mode and owner are kept. Returns
/// the copy's path.
///
/// # Errors
/// The file cannot be read or the copy cannot be written.
pub fn back_up(path: &Path, infix: &str) -> io::Result<PathBuf> {
    back_up_in(folder(path), path, infix)
}

/// The same with the copy in another folder, which is made where it is not there.
///
/// # Errors
/// As [`back_up`].
pub fn back_up_in(folder: &Path, path: &Path, infix: &str) -> io::Result<PathBuf> {
    fs::create_dir_all(folder)?;
    let content = fs::read(path)?;
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{infix}.{}", jiff::Timestamp::now().strftime("%Y%m%dT%H%M%SZ")));
    let source = target(path)?;
    let present = fs::metadata(&source)?;
    for number in 0..u16::MAX {
        let mut name = name.clone();
        if number > 0 {
            name.push(format!("-{number}"));
        }
        let copy = folder.join(name);
        match finish(replacement(&copy, &present)?, &content, |file| file.persist_noclobber(&copy)) {
            Ok(()) => return sync_folder(&copy).map(|()| copy),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other("there are too many copies"))
}

fn finish(
    mut file: tempfile::NamedTempFile,
    content: &[u8],
    persist: impl FnOnce(tempfile::NamedTempFile) -> Result<File, tempfile::PersistError>,
) -> io::Result<()> {
    file.write_all(content)?;
    file.as_file().sync_all()?;
    persist(file).map(drop).map_err(|error| error.error)
}

/// A temporary file beside `target` with mode and owner of the file that it is going to replace.
fn replacement(target: &Path, present: &fs::Metadata) -> io::Result<tempfile::NamedTempFile> {
    let file = tempfile::NamedTempFile::new_in(folder(target))?;
    keep_owner(&file, present)?;
    file.as_file().set_permissions(present.permissions())?;
    Ok(file)
}

/// A temporary file beside `target` with the mode that a new file gets.
fn fresh(target: &Path) -> io::Result<tempfile::NamedTempFile> {
    let folder = folder(target);
    fs::create_dir_all(folder)?;
    let mut builder = tempfile::Builder::new();
    if let Some(permissions) = new_file_permissions() {
        builder.permissions(permissions);
    }
    builder.tempfile_in(folder)
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."))
}

/// What the process's file mode mask leaves of reading and writing for all.
#[cfg(unix)]
#[allow(clippy::unnecessary_wraps, reason = "elsewhere there is none")]
fn new_file_permissions() -> Option<Permissions> {
    Some(std::os::unix::fs::PermissionsExt::from_mode(0o666))
}

#[cfg(not(unix))]
const fn new_file_permissions() -> Option<Permissions> {
    None
}

#[cfg(unix)]
fn keep_owner(file: &tempfile::NamedTempFile, present: &fs::Metadata) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt as _;

    let made = file.as_file().metadata()?;
    if (made.uid(), made.gid()) == (present.uid(), present.gid()) {
        return Ok(());
    }
    std::os::unix::fs::fchown(file.as_file(), Some(present.uid()), Some(present.gid()))
        .map_err(|error| io::Error::new(error.kind(), format!("its owner cannot be kept: {error}")))
}

#[cfg(not(unix))]
#[allow(clippy::unnecessary_wraps, reason = "on Unix it can fail")]
const fn keep_owner(_: &tempfile::NamedTempFile, _: &fs::Metadata) -> io::Result<()> {
    Ok(())
}

/// After this the new name survives a power cut.
#[cfg(unix)]
fn sync_folder(path: &Path) -> io::Result<()> {
    File::open(folder(path))?.sync_all()
}

#[cfg(not(unix))]
#[allow(clippy::unnecessary_wraps, reason = "on Unix it can fail")]
const fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};

    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().mode() & 0o7777
    }

    #[test]
    fn a_file_is_replaced_and_keeps_its_mode() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.toml");
        for bits in [0o600, 0o664, 0o755] {
            fs::write(&path, "old").unwrap();
            fs::set_permissions(&path, Permissions::from_mode(bits)).unwrap();
            let before = fs::metadata(&path).unwrap().ino();
            replace(&path, b"new").unwrap();
            assert_eq!((fs::read_to_string(&path).unwrap().as_str(), mode(&path)), ("new", bits));
            assert_ne!(fs::metadata(&path).unwrap().ino(), before, "it was written in place");
        }
        assert_eq!(names(folder.path()), ["a.toml"]);
    }

    #[test]
    fn links_are_followed_and_kept() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("dotfiles")).unwrap();
        fs::write(at("dotfiles/real"), "old").unwrap();
        symlink("dotfiles/real", at("second")).unwrap();
        symlink(at("second"), at("first")).unwrap();
        replace(&at("first"), b"new").unwrap();
        assert_eq!(fs::read_to_string(at("dotfiles/real")).unwrap(), "new");
        assert!(at("first").symlink_metadata().unwrap().is_symlink());
        assert_eq!(names(&at("dotfiles")), ["real"]);

        symlink("dotfiles/later", at("dangling")).unwrap();
        create(&at("dangling"), b"made").unwrap();
        assert_eq!(fs::read_to_string(at("dotfiles/later")).unwrap(), "made");

        symlink("circle", at("circle")).unwrap();
        assert!(replace(&at("circle"), b"x").unwrap_err().to_string().contains("circle"));
    }

    #[test]
    fn a_new_file_gets_the_usual_mode_and_its_folders() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a/b/c.toml");
        create(&path, b"x").unwrap();
        fs::write(folder.path().join("usual"), "").unwrap();
        assert_eq!(mode(&path), mode(&folder.path().join("usual")));
        assert_eq!(create(&path, b"y").unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read_to_string(&path).unwrap(), "x");
        assert_eq!(names(path.parent().unwrap()), ["c.toml"]);
    }

    #[test]
    fn a_file_that_is_marked_as_read_only_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o444)).unwrap();
        assert_eq!(replace(&path, b"new").unwrap_err().kind(), io::ErrorKind::PermissionDenied);
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
    }

    #[test]
    fn copies_of_the_same_second_have_names_of_their_own() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.toml");
        fs::write(&path, "one").unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
        let copies: Vec<_> = (0..3).map(|_| back_up(&path, "bak").unwrap()).collect();
        for copy in &copies {
            assert_eq!((fs::read_to_string(copy).unwrap().as_str(), mode(copy)), ("one", 0o600));
            let name = copy.file_name().unwrap().to_str().unwrap();
            assert!(name.starts_with("a.toml.bak.2"), "{name}");
        }
        assert_eq!(names(folder.path()).len(), 4);
    }
}
