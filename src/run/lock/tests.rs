use std::os::unix::fs::{PermissionsExt, symlink};
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::process::Process;

struct Place {
    root: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        for name in ["run", "repo/.git"] {
            std::fs::create_dir_all(root.path().join(name)).unwrap();
        }
        std::fs::set_permissions(root.path().join("run"), PermissionsExt::from_mode(0o700)).unwrap();
        Self { root }
    }

    fn folders(&self) -> LockFolders {
        let path = |name: &str| Some(self.root.path().join(name));
        LockFolders { runtime: path("run"), cache: path("cache/stagecoach") }
    }

    fn lock(&self) -> LockPlace {
        self.lock_of("repo/.git")
    }

    fn lock_of(&self, git_dir: &str) -> LockPlace {
        let git_dir = self.root.path().join(git_dir);
        LockPlace::of(&self.folders(), &self.root.path().join("repo/.git"), &git_dir).unwrap()
    }

    fn take(&self) -> RunLock {
        held(self.lock().try_take(self.root.path()).unwrap())
    }
}

#[track_caller]
fn held(taken: Taken) -> RunLock {
    match taken {
        Taken::Held(lock) => lock,
        Taken::Busy(holder) => panic!("busy: {holder:?}"),
    }
}

/// A process that is gone: this one's id with another start.
fn gone() -> Process {
    let text = Process::current().to_string();
    let mut words: Vec<&str> = text.split(' ').collect();
    words[1] = "1";
    words.join(" ").parse().unwrap()
}

#[test]
fn whoever_comes_second_learns_who_came_first() {
    let place = Place::new();
    let mut lock = place.take();
    let Taken::Busy(Some(holder)) = place.lock().try_take(place.root.path()).unwrap() else { panic!("not busy") };
    assert_eq!(&holder.process, Process::current());
    assert_eq!((holder.repository.as_str(), holder.tree.as_deref()), (place.root.path().to_str().unwrap(), None));
    assert!(holder.is_alive() && !holder.is_orphaned());
    lock.say_tree("0123abc").unwrap();
    assert_eq!(place.lock().holder().unwrap().unwrap().tree.as_deref(), Some("0123abc"));
    drop(lock);
    assert_eq!(place.lock().holder().unwrap(), None);
    assert!(!place.lock().path().exists());
    drop(place.take());
}

#[test]
fn folder_and_file_are_the_users_alone() {
    let place = Place::new();
    let _lock = place.take();
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&place.root.path().join("run/stagecoach")), 0o700);
    assert_eq!(mode(&place.root.path().join("run/stagecoach/locks")), 0o700);
    assert_eq!(mode(&place.lock().path()), 0o600);
}

#[test]
fn each_worktree_has_a_lock_of_its_own_however_it_is_reached() {
    let place = Place::new();
    std::fs::create_dir_all(place.root.path().join("repo/.git/worktrees/other")).unwrap();
    symlink(place.root.path().join("repo"), place.root.path().join("link")).unwrap();
    assert_eq!(place.lock_of("link/.git"), place.lock());
    assert_ne!(place.lock_of("repo/.git/worktrees/other"), place.lock());
}

#[test]
fn without_a_runtime_folder_of_ones_own_it_lies_in_the_cache() {
    let place = Place::new();
    assert!(place.lock().path().starts_with(place.root.path().join("run")));
    std::fs::set_permissions(place.root.path().join("run"), PermissionsExt::from_mode(0o777)).unwrap();
    assert!(place.lock().path().starts_with(place.root.path().join("cache/stagecoach/locks")));
    drop(place.take());
    let none = LockFolders { runtime: None, cache: None };
    assert_eq!(LockPlace::of(&none, place.root.path(), place.root.path()), None);
}

#[test]
fn a_folder_that_others_can_write_to_is_refused() {
    let place = Place::new();
    drop(place.take());
    for folder in ["run/stagecoach", "run/stagecoach/locks"] {
        let folder = place.root.path().join(folder);
        std::fs::set_permissions(&folder, PermissionsExt::from_mode(0o777)).unwrap();
        let error = place.lock().try_take(place.root.path()).unwrap_err();
        assert!(matches!(error, PrivateError::Unsafe { .. }), "{error}");
        std::fs::set_permissions(&folder, PermissionsExt::from_mode(0o700)).unwrap();
    }
}

#[test]
fn a_symlink_in_the_place_of_the_file_is_not_followed() {
    let place = Place::new();
    drop(place.take());
    let precious = place.root.path().join("precious");
    std::fs::write(&precious, "content").unwrap();
    symlink(&precious, place.lock().path()).unwrap();
    place.lock().try_take(place.root.path()).unwrap_err();
    assert_eq!(std::fs::read_to_string(precious).unwrap(), "content");
}

#[test]
fn what_a_killed_run_left_is_taken_over() {
    let place = Place::new();
    drop(place.take());
    let left = Holder { process: gone(), ..Holder::current(Path::new("/somewhere/with/a/longer/name/than/ours")) };
    std::fs::write(place.lock().path(), format!("{left}{}", tree_of_somebody())).unwrap();
    std::fs::set_permissions(place.lock().path(), PermissionsExt::from_mode(0o600)).unwrap();
    let holder = place.lock().holder().unwrap().unwrap();
    assert!(!holder.is_alive() && !holder.is_orphaned());
    let _lock = place.take();
    let holder = place.lock().holder().unwrap().unwrap();
    assert_eq!((&holder.process, holder.tree), (Process::current(), None));
}

fn tree_of_somebody() -> String {
    holder::tree_line("abcdef")
}

#[test]
fn an_orphan_is_one_whose_launcher_is_gone() {
    let orphan = format!("process {}\nlauncher {}\nrepository /r\nsince 1\n", Process::current(), gone());
    assert!(Holder::parse(&orphan).unwrap().is_orphaned());
    let unknown = format!("process {}\nrepository /r\nsince 1\n", Process::current());
    assert!(!Holder::parse(&unknown).unwrap().is_orphaned());
}

#[test]
fn half_a_file_says_nothing_wrong() {
    let text = format!("{}{}", Holder::current(Path::new("/r")), tree_of_somebody());
    for end in 0..text.len() {
        if let Some(holder) = Holder::parse(&text[..end]) {
            assert_eq!(&holder.process, Process::current());
            assert!(holder.tree.is_none() || end == text.len(), "{end}");
        }
    }
    assert!(Holder::parse(&text).unwrap().tree.is_some());
}

#[test]
fn names_cannot_add_lines_of_their_own() {
    let holder = Holder::current(Path::new("/r\ntree 0123\n\u{1b}[2J"));
    let read = Holder::parse(&holder.to_string()).unwrap();
    assert_eq!(read.tree, None);
    assert!(read.repository.chars().all(|c| !c.is_control()));
}

#[test]
fn files_of_dead_processes_are_swept_and_no_others() {
    let place = Place::new();
    let lock = place.take();
    let folder = place.lock().path().parent().unwrap().to_owned();
    let write = |name: &str, content: String| {
        std::fs::write(folder.join(name), content).unwrap();
        std::fs::set_permissions(folder.join(name), PermissionsExt::from_mode(0o600)).unwrap();
    };
    let dead = Holder { process: gone(), ..Holder::current(Path::new("/r")) }.to_string();
    write("dead.lock", dead.clone());
    write("held.lock", dead.clone());
    write("live.lock", Holder::current(Path::new("/r")).to_string());
    write("strange.lock", "what is this".to_owned());
    write("dead.txt", dead);
    let held = File::open(folder.join("held.lock")).unwrap();
    held.lock().unwrap();
    assert_eq!(lock.sweep(), [folder.join("dead.lock")]);
    drop(lock);
}

/// Many threads, each with open files of its own, which is what the system's lock goes by.
#[test]
fn never_two_hold_it() {
    let place = Place::new();
    let (now, most, times) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..100 {
                    if let Taken::Held(lock) = place.lock().try_take(place.root.path()).unwrap() {
                        most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                        std::thread::yield_now();
                        now.fetch_sub(1, Ordering::SeqCst);
                        times.fetch_add(1, Ordering::SeqCst);
                        drop(lock);
                    }
                }
            });
        }
    });
    assert_eq!(most.into_inner(), 1);
    assert!(times.into_inner() > 0);
    assert!(!place.lock().path().exists());
}
