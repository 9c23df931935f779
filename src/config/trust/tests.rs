//! What makes a folder unsafe is asked of Unix only.
#![cfg(unix)]

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::{Store, TrustError, TrustedFile};

struct Place {
    folder: TempDir,
}

impl Place {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn file(&self, name: &str, content: &str) -> PathBuf {
        fs::write(self.path(name), content).unwrap();
        self.path(name)
    }

    fn store(&self) -> Store {
        Store { folder: self.path("state/stagecoach") }
    }
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

#[test]
fn trust_is_recorded_listed_and_revoked() {
    let place = Place::new();
    let store = place.store();
    let (a, b) = (place.file("a", "one"), place.file("b", "two"));
    assert_eq!(store.list().unwrap(), []);
    assert!(!store.is_trusted(&a, b"one").unwrap());
    assert!(!place.path("state").exists(), "looking creates nothing");

    let trusted = store.trust(&a).unwrap();
    assert_eq!(trusted.path, a.canonicalize().unwrap());
    assert_eq!(trusted.sha256, "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed");
    store.trust(&b).unwrap();
    assert!(store.is_trusted(&a, b"one").unwrap());
    assert!(!store.is_trusted(&a, b"two").unwrap());
    assert!(!store.is_trusted(&b, b"one").unwrap());
    assert_eq!(store.list().unwrap().len(), 2);

    fs::write(&a, "changed").unwrap();
    store.trust(&a).unwrap();
    assert!(store.is_trusted(&a, b"changed").unwrap());
    assert!(!store.is_trusted(&a, b"one").unwrap(), "only the last content counts");
    assert_eq!(store.list().unwrap().len(), 2);

    assert!(store.revoke(&a).unwrap());
    assert!(!store.revoke(&a).unwrap());
    assert!(!store.is_trusted(&a, b"changed").unwrap());
    fs::remove_file(&b).unwrap();
    assert!(store.revoke(&b).unwrap(), "also when the file is gone");
    assert_eq!(store.list().unwrap(), []);
}

#[test]
fn folder_and_files_are_the_users_alone() {
    let place = Place::new();
    place.store().trust(&place.file("a", "")).unwrap();
    assert_eq!(mode(&place.path("state")), 0o700);
    assert_eq!(mode(&place.path("state/stagecoach")), 0o700);
    assert_eq!(mode(&place.store().path()), 0o600);
    assert_eq!(mode(&place.path("state/stagecoach/trust.lock")), 0o600);
    let mut names: Vec<_> =
        fs::read_dir(place.path("state/stagecoach")).unwrap().map(|e| e.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["trust.lock", "trust.toml"], "no temporary file is left");
}

#[test]
fn a_folder_or_file_that_others_can_write_to_is_not_used() {
    for (name, mode) in [("", 0o770), ("", 0o702), ("trust.toml", 0o620), ("trust.toml", 0o606), ("trust.lock", 0o622)]
    {
        let place = Place::new();
        let file = place.file("a", "one");
        place.store().trust(&file).unwrap();
        set_mode(&place.path("state/stagecoach").join(name), mode);
        if name != "trust.lock" {
            let error = place.store().is_trusted(&file, b"one").unwrap_err();
            assert!(matches!(error, TrustError::Unsafe { .. }), "{name} {mode:o}: {error}");
            assert!(error.to_string().ends_with("others may write to it"), "{error}");
        }
        assert!(place.store().trust(&file).is_err(), "{name} {mode:o}");
    }
}

#[test]
fn a_folder_that_others_may_read_is_used() {
    let place = Place::new();
    fs::create_dir_all(place.path("state/stagecoach")).unwrap();
    set_mode(&place.path("state/stagecoach"), 0o755);
    place.store().trust(&place.file("a", "")).unwrap();
}

#[test]
fn a_link_of_ones_own_is_followed_and_others_are_not() {
    let place = Place::new();
    fs::create_dir(place.path("elsewhere")).unwrap();
    set_mode(&place.path("elsewhere"), 0o700);
    fs::create_dir(place.path("state")).unwrap();
    symlink(place.path("elsewhere"), place.path("state/stagecoach")).unwrap();
    let file = place.file("a", "");
    place.store().trust(&file).unwrap();
    assert!(place.store().is_trusted(&file, b"").unwrap());

    set_mode(&place.path("elsewhere"), 0o777);
    assert!(place.store().trust(&file).is_err(), "the folder behind it counts");
    fs::remove_dir_all(place.path("elsewhere")).unwrap();
    let error = place.store().is_trusted(&file, b"").unwrap_err();
    assert!(error.to_string().ends_with("it is a symbolic link to nothing"), "{error}");
}

#[test]
fn what_belongs_to_another_user_is_not_used() {
    // Only the superuser can make such files; for everybody else `/` is one: a folder of root's.
    let place = Place::new();
    let file = place.file("a", "one");
    if rustix::process::geteuid().is_root() {
        place.store().trust(&file).unwrap();
        let somebody = Some(1);
        for path in [place.store().path(), place.path("state/stagecoach")] {
            std::os::unix::fs::chown(&path, somebody, None).unwrap();
            let error = place.store().is_trusted(&file, b"one").unwrap_err();
            assert!(error.to_string().ends_with("it belongs to another user"), "{error}");
            assert!(place.store().trust(&file).is_err());
            std::os::unix::fs::chown(&path, Some(0), None).unwrap();
        }
        symlink(place.path("state/stagecoach"), place.path("link")).unwrap();
        std::os::unix::fs::lchown(place.path("link"), somebody, None).unwrap();
        let error = Store { folder: place.path("link") }.is_trusted(&file, b"one").unwrap_err();
        assert!(error.to_string().ends_with("it belongs to another user"), "{error}");
    } else {
        let error = Store { folder: "/".into() }.is_trusted(&file, b"one").unwrap_err();
        assert!(error.to_string().ends_with("it belongs to another user"), "{error}");
    }
}

#[test]
fn the_record_itself_is_no_link_and_no_folder() {
    let arrangements: [fn(&Place); 2] = [
        |place| symlink(place.file("other", ""), place.store().path()).unwrap(),
        |place| fs::create_dir(place.store().path()).unwrap(),
    ];
    for arrange in arrangements {
        let place = Place::new();
        fs::create_dir_all(place.path("state/stagecoach")).unwrap();
        arrange(&place);
        let error = place.store().list().unwrap_err();
        assert!(error.to_string().ends_with("it is not a regular file"), "{error}");
        assert!(place.store().trust(&place.file("a", "")).is_err());
    }
    let place = Place::new();
    fs::create_dir(place.path("state")).unwrap();
    place.file("state/stagecoach", "");
    let error = place.store().list().unwrap_err();
    assert!(error.to_string().ends_with("it is not a folder"), "{error}");
}

#[test]
fn a_damaged_record_is_an_error_and_stays_as_it_is() {
    for content in ["[[file]", "files = []", "[[file]]\npath = '/x'\n", "\u{0}", "[[file]]\npath = 3\nsha256 = ''"] {
        let place = Place::new();
        let file = place.file("a", "");
        place.store().trust(&file).unwrap();
        fs::write(place.store().path(), content).unwrap();
        let error = place.store().trust(&file).unwrap_err();
        assert!(matches!(error, TrustError::Malformed { .. }), "{error}");
        assert!(error.hint().starts_with("Remove "), "{}", error.hint());
        assert_eq!(fs::read_to_string(place.store().path()).unwrap(), content);
    }
}

#[test]
fn what_cannot_be_trusted() {
    let place = Place::new();
    let missing = place.store().trust(&place.path("missing")).unwrap_err();
    assert!(matches!(missing, TrustError::NothingThere { .. }), "{missing}");
    let link = place.path("link");
    symlink(place.file("a", ""), &link).unwrap();
    assert!(place.store().trust(&link).unwrap_err().to_string().contains("is a symbolic link"));
    assert!(place.store().trust(place.folder.path()).unwrap_err().to_string().contains("is a folder"));
    assert!(!place.path("state").exists());
}

#[test]
fn a_path_that_is_no_text_cannot_be_recorded() {
    use std::os::unix::ffi::OsStrExt as _;

    let place = Place::new();
    let path = place.folder.path().join(std::ffi::OsStr::from_bytes(b"\xff"));
    if fs::write(&path, "").is_err() {
        // Some file systems allow no such names.
        return;
    }
    let error = place.store().trust(&path).unwrap_err();
    assert!(matches!(error, TrustError::PathNotUtf8 { .. }), "{error}");
    assert!(error.hint().contains("STAGECOACH_TRUST_REPO_CONFIG"));
    assert!(!place.store().is_trusted(&path, b"").unwrap());
}

#[test]
fn of_many_at_once_none_is_lost() {
    let place = Place::new();
    let files: Vec<_> = (0..8).map(|number| place.file(&format!("file {number}"), "")).collect();
    std::thread::scope(|scope| {
        for file in &files {
            let store = place.store();
            scope.spawn(move || store.trust(file).unwrap());
        }
    });
    let mut listed: Vec<PathBuf> = place.store().list().unwrap().into_iter().map(|file| file.path).collect();
    listed.sort();
    let expected: Vec<_> = files.iter().map(|file| file.canonicalize().unwrap()).collect();
    assert_eq!(listed, expected);
}

#[test]
fn names_of_any_kind_survive_the_record() {
    let place = Place::new();
    for name in ["with space", "quote\"s'", "new\nline", "ü", "[[file]]", "\u{1b}[31m"] {
        let file = place.file(name, "x");
        let TrustedFile { path, .. } = place.store().trust(&file).unwrap();
        assert_eq!(path, file.canonicalize().unwrap());
        assert!(place.store().is_trusted(&file, b"x").unwrap(), "{name:?}");
    }
    assert_eq!(place.store().list().unwrap().len(), 6);
}
