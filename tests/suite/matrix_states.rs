//! The matrix: what state a repository is in, what its configuration says, and who may write to it.

use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::Path;

use super::support::{Roles, Row, Run, World, fresh, while_the_agent_thinks};

/// A repository that libgit2 cannot open.
const FOREIGN: [&str; 2] = ["--object-format=sha256", "--ref-format=reftable"];

fn foreign(world: &World) {
    fresh(world, &FOREIGN);
    Row::history(world);
}

// ---- HEAD

#[test]
fn unborn_branch() {
    Row::new()
        .prepare(|_| {})
        .change(&["a"], |world| {
            world.write("a", "a\n");
            world.write("b/c", "c\n");
        })
        .check();
}

#[test]
fn detached_head() {
    Row::new()
        .prepare(|world| {
            Row::history(world);
            world.git(&["checkout", "-q", "--detach"]);
        })
        .check();
}

#[test]
fn detached_head_by_the_program() {
    Row::new()
        .prepare(|world| {
            foreign(world);
            world.git(&["checkout", "-q", "--detach"]);
        })
        .by_program()
        .check();
}

#[test]
fn branch_with_slashes_and_packed_refs() {
    Row::new()
        .prepare(|world| {
            Row::history(world);
            world.git(&["switch", "-q", "-c", "it/has/slashes.and-é"]);
            world.git(&["pack-refs", "--all"]);
        })
        .check();
}

#[test]
fn branch_that_is_another_name_of_one() {
    Row::new()
        .prepare(|world| {
            Row::history(world);
            world.git(&["symbolic-ref", "refs/heads/alias", "refs/heads/main"]);
            world.git(&["symbolic-ref", "HEAD", "refs/heads/alias"]);
        })
        .check();
}

#[test]
fn a_head_that_moved_is_left_alone_and_the_rest_is_finished() {
    for format in [&[][..], &FOREIGN] {
        let world = World::new();
        fresh(&world, format);
        Row::history(&world);
        world.stage("a", "mine\n");
        let mut theirs = String::new();
        while_the_agent_thinks(&world, &[], |world| {
            world.git(&["reset", "-q"]);
            theirs = world.commit("Be faster", &[("b", "theirs\n")]);
        })
        .fails_with(1)
        .says(&["HEAD moved", "--onto-head"]);
        assert_eq!(world.head(), theirs, "{format:?}");
        world.run(&["rescue", "commit", "--onto-head"]).succeeds();
        assert_eq!(world.git(&["rev-parse", "HEAD~"]), theirs);
        assert_eq!(world.git(&["show", "HEAD:a", "HEAD:b"]), "mine\ntheirs");
        world.git(&["fsck", "--strict", "--no-dangling"]);
        assert_eq!(world.git(&["for-each-ref", "refs/stagecoach"]), "");
        world.assert_tidy();
    }
}

#[test]
fn a_switch_to_another_branch_of_the_same_commit_counts_as_a_move() {
    for format in [&[][..], &FOREIGN] {
        let world = World::new();
        fresh(&world, format);
        Row::history(&world);
        world.stage("a", "mine\n");
        let before = world.head();
        while_the_agent_thinks(&world, &[], |world| drop(world.git(&["switch", "-q", "-c", "elsewhere"])))
            .fails_with(1)
            .says(&["HEAD moved"]);
        assert_eq!(world.git(&["rev-parse", "main", "elsewhere"]), format!("{before}\n{before}"));
    }
}

#[test]
fn a_rescue_is_kept_and_everything_can_be_taken_back() {
    for format in [&[][..], &FOREIGN] {
        let world = World::new();
        fresh(&world, format);
        world.write("a", "a\n");
        world.write("b", "b\n");
        world.agent("exit 1");
        world.run(&["--single"]).fails_with(3).says(&["stagecoach rescue commit"]);
        world.git(&["gc", "-q", "--prune=now"]);
        world.run(&["rescue", "commit", "-m", "By hand"]).succeeds();
        assert_eq!(world.git(&["status", "--porcelain"]), "", "{format:?}");
        world.git(&["reset", "-q"]);

        world.write("a", "aa\n");
        world.write("b", "bb\n");
        let base = world.head();
        Roles::plan(&[("One", &["a"]), ("Two", &["b"])]).install(&world);
        world.run(&[]).succeeds();
        assert_eq!(world.subjects_since(&base).len(), 2);
        world.run(&["undo"]).succeeds();
        assert_eq!(world.head(), base);
        assert_eq!(world.git(&["status", "--porcelain"]), " M a\n M b");
    }
}

#[test]
fn the_first_commit_is_taken_back_to_an_unborn_branch() {
    for format in [&[][..], &FOREIGN] {
        let world = World::new();
        fresh(&world, format);
        world.stage("a", "a\n");
        world.agent_says("Begin");
        world.run(&[]).succeeds();
        world.run(&["undo"]).succeeds();
        assert!(!world.try_git(&["rev-parse", "-q", "--verify", "HEAD"]).status.success());
        assert_eq!(world.git(&["symbolic-ref", "HEAD"]), "refs/heads/main");
        assert_eq!(world.git(&["diff", "--cached", "--name-only"]), "a");
    }
}

// ---- in the middle of something

fn side(world: &World) {
    world.git(&["switch", "-q", "-c", "side"]);
    world.commit("On the side", &[("side", "side\n")]);
    world.git(&["switch", "-q", "main"]);
    world.commit("On main", &[("main", "main\n")]);
}

#[test]
fn a_merge_is_concluded() {
    for format in [&[][..], &FOREIGN] {
        let row = Row::new().change(&[], |world| {
            side(world);
            world.git(&["merge", "-q", "--no-commit", "--no-ff", "side"]);
        });
        match format {
            [] => row.check_staged(),
            _ => row.prepare(|world| foreign(world)).by_program().check_staged(),
        }
    }
}

#[test]
fn a_rebase_stopped_to_edit() {
    Row::new()
        .prepare(|world| {
            Row::history(world);
            let editor = world.script("todo", "sed -i 's/^pick/edit/' \"$1\"");
            world.set("GIT_SEQUENCE_EDITOR", &editor);
            world.git(&["rebase", "-q", "-i", "HEAD~1"]);
        })
        .check();
}

#[test]
fn a_bisect_under_way() {
    Row::new()
        .prepare(|world| {
            Row::history(world);
            world.commit("More", &[]);
            world.git(&["bisect", "start", "HEAD", "HEAD~2"]);
        })
        .check();
}

#[test]
fn an_index_that_is_locked_stops_the_program_too() {
    let world = World::new();
    foreign(&world);
    world.write("a", "a\n");
    let (head, lock) = (world.head(), world.path(".git/index.lock"));
    while_the_agent_thinks(&world, &["--single"], |_| std::fs::write(&lock, "").unwrap())
        .fails_with(3)
        .says(&["index.lock"]);
    assert_eq!(world.head(), head);
    std::fs::remove_file(lock).unwrap();
    world.run(&["rescue", "commit", "-m", "Later"]).succeeds();
    assert_eq!(world.git(&["status", "--porcelain"]), "");
}

// ---- configuration

#[test]
fn identity_from_included_files() {
    Row::new()
        .prepare(|world| {
            Row::history(world);
            let include = |condition: &str, name: &str| {
                std::fs::write(world.home(name), format!("[user]\n\tname = By {name}\n")).unwrap();
                format!("[{condition}]\n\tpath = {name}\n")
            };
            let mut config = std::fs::read_to_string(world.home("gitconfig")).unwrap();
            config += &include("include", "plain");
            config += &include(&format!("includeIf \"gitdir:{}/\"", world.root().display()), "gitdir");
            config += &include("includeIf \"onbranch:nowhere\"", "nowhere");
            config += &include("includeIf \"onbranch:ma*\"", "onbranch");
            std::fs::write(world.home("gitconfig"), config).unwrap();
            assert_eq!(world.git(&["config", "user.name"]), "By onbranch");
        })
        .check();
}

#[test]
fn identity_from_a_condition_on_remotes() {
    Row::new()
        .prepare(|world| {
            Row::history(world);
            world.git(&["remote", "add", "origin", "https://example.com/x.git"]);
            std::fs::write(world.home("remote"), "[user]\n\tname = By remote\n").unwrap();
            let config = std::fs::read_to_string(world.home("gitconfig")).unwrap();
            let more = "[includeIf \"hasconfig:remote.*.url:https://example.com/**\"]\n\tpath = remote\n";
            std::fs::write(world.home("gitconfig"), config + more).unwrap();
            assert_eq!(world.git(&["config", "user.name"]), "By remote");
        })
        .check();
}

#[test]
fn settings_that_only_matter_where_a_message_is_edited() {
    Row::new()
        .prepare(|world| {
            Row::history(world);
            std::fs::write(world.home("template"), "# Fill in\n").unwrap();
            let template = world.home("template").to_str().unwrap().to_owned();
            world.git(&["config", "commit.template", &template]);
            world.git(&["config", "core.commentChar", "C"]);
            world.git(&["config", "commit.verbose", "true"]);
            world.git(&["config", "commit.status", "false"]);
        })
        .check();
}

#[test]
fn settings_that_change_what_listings_and_diffs_look_like() {
    for format in [&[][..], &FOREIGN] {
        let row = Row::new();
        let prepare: fn(&mut World) = |world| {
            Row::history(world);
            for (key, value) in [
                ("core.quotePath", "true"),
                ("core.abbrev", "4"),
                ("color.ui", "always"),
                ("diff.renames", "copies"),
                ("diff.noPrefix", "true"),
                ("diff.relative", "true"),
                ("diff.orderFile", "/dev/null"),
                ("diff.external", "false"),
                ("log.showSignature", "true"),
                ("log.date", "relative"),
                ("format.pretty", "oneline"),
                ("i18n.logOutputEncoding", "latin1"),
                ("core.logAllRefUpdates", "always"),
                ("core.pager", "false"),
                ("status.showUntrackedFiles", "no"),
                ("status.relativePaths", "false"),
            ] {
                world.git(&["config", key, value]);
            }
        };
        match format {
            [] => row.prepare(prepare).check(),
            _ => row
                .prepare(|world| {
                    foreign(world);
                    for (key, value) in
                        [("log.showSignature", "true"), ("color.ui", "always"), ("diff.relative", "true")]
                    {
                        world.git(&["config", key, value]);
                    }
                })
                .by_program()
                .check(),
        }
    }
}

#[test]
fn started_in_a_folder_below_the_top() {
    for format in [&[][..], &FOREIGN] {
        let world = World::with_message("From below");
        fresh(&world, format);
        Row::history(&world);
        world.write("a", "a\n");
        world.write("src/b", "b\n");
        let mut command = world.stagecoach(&["--single"]);
        Run::of(command.current_dir(world.path("src")).output().unwrap()).succeeds();
        assert_eq!(world.git(&["status", "--porcelain"]), "", "{format:?}");
        assert_eq!(world.files_since("HEAD~"), [["a", "src/b"]]);
    }
}

// ---- what git refuses is refused

#[test]
fn nothing_is_committed_from_inside_the_git_folder() {
    for format in [&[][..], &FOREIGN] {
        let world = World::with_message("x");
        fresh(&world, format);
        Row::history(&world);
        world.git(&["worktree", "add", "-q", "../linked"]);
        world.stage("a", "a\n");
        let head = world.head();
        for folder in [".git", ".git/objects", ".git/worktrees/linked"] {
            let git =
                world.program("git").args(["commit", "-m", "x"]).current_dir(world.path(folder)).output().unwrap();
            assert!(!git.status.success());
            let mut command = world.stagecoach(&[]);
            Run::of(command.current_dir(world.path(folder)).output().unwrap()).fails_with(1).says(&["work tree"]);
        }
        assert_eq!(world.head(), head);
    }
}

#[test]
fn a_format_that_git_does_not_know_is_refused_in_its_words() {
    let world = World::with_message("x");
    world.stage("a", "a\n");
    world.git(&["config", "core.repositoryFormatVersion", "1"]);
    world.git(&["config", "extensions.fromTheFuture", "true"]);
    assert!(!world.try_git(&["commit", "-m", "x"]).status.success());
    world.run(&[]).fails_with(1).says(&["unknown repository extension", "fromthefuture"]);
    std::fs::write(world.path(".git/config"), "[core]\n\trepositoryFormatVersion = 99\n").unwrap();
    world.run(&[]).fails_with(1).says(&["Expected git repo version", "99"]);
}

#[test]
fn a_branch_whose_name_is_no_text_is_refused() {
    for format in [&[][..], &FOREIGN] {
        let world = World::with_message("x");
        fresh(&world, format);
        Row::history(&world);
        world.stage("a", "a\n");
        let name = std::ffi::OsStr::from_bytes(b"refs/heads/latin-\xe4");
        assert!(world.program("git").args(["symbolic-ref", "HEAD"]).arg(name).status().unwrap().success());
        let before = world.git(&["for-each-ref"]);
        world.run(&[]).fails_with(1).says(&["is not UTF-8", "git commit"]);
        assert_eq!(world.git(&["for-each-ref"]), before);
    }
}

#[test]
fn a_repository_of_somebody_else_is_refused() {
    if !rustix::process::geteuid().is_root() {
        return; // Only root can make one.
    }
    for format in [&[][..], &FOREIGN] {
        let world = World::with_message("x");
        fresh(&world, format);
        world.stage("a", "a\n");
        for path in [world.path(".git"), world.repository().to_owned()] {
            chown(path, Some(12345), Some(12345)).unwrap();
        }
        assert!(!world.try_git(&["commit", "-m", "x"]).status.success());
        world.run(&[]).fails_with(1).says(&["owned by somebody else", "safe.directory"]);
        world.git(&["config", "--global", "safe.directory", world.repository().to_str().unwrap()]);
        world.run(&[]).succeeds();
        assert_eq!(world.message("HEAD"), "x\n");
    }
}

/// Makes a command run as a user who is not root, whom permissions bind.
fn unprivileged(world: &World, command: &mut std::process::Command) {
    if rustix::process::geteuid().is_root() {
        give(&world.root());
        command.uid(65534).gid(65534);
    }
}

fn give(path: &Path) {
    std::os::unix::fs::lchown(path, Some(65534), Some(65534)).unwrap();
    if path.symlink_metadata().unwrap().is_dir() {
        std::fs::read_dir(path).unwrap().for_each(|entry| give(&entry.unwrap().path()));
    }
}

#[test]
fn the_doctor_sees_that_a_repository_cannot_be_written() {
    let world = World::with_message("x");
    let doctor = || {
        let mut command = world.stagecoach(&["doctor", "--json"]);
        unprivileged(&world, &mut command);
        String::from_utf8(command.output().unwrap().stdout).unwrap()
    };
    assert!(!doctor().contains("nothing can be written in"));
    std::fs::set_permissions(world.path(".git"), std::fs::Permissions::from_mode(0o555)).unwrap();
    let said = doctor();
    std::fs::set_permissions(world.path(".git"), std::fs::Permissions::from_mode(0o755)).unwrap();
    assert!(said.contains("nothing can be written in"), "{said}");
}

#[test]
fn a_repository_that_cannot_be_written_is_left_alone() {
    for format in [&[][..], &FOREIGN] {
        for read_only in ["objects", ""] {
            let world = World::with_message("x");
            fresh(&world, format);
            Row::history(&world);
            world.stage("a", "a\n");
            let (head, folder) = (world.head(), world.path(".git").join(read_only));
            let mut folders = vec![folder.clone()];
            if read_only == "objects" {
                folders.extend(std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()));
            }
            let mut command = world.stagecoach(&[]);
            unprivileged(&world, &mut command);
            let permit = |mode| {
                folders.iter().for_each(|folder| {
                    std::fs::set_permissions(folder, PermissionsExt::from_mode(mode)).unwrap();
                })
            };
            permit(0o555);
            let run = Run::of(command.output().unwrap());
            permit(0o755);
            assert_ne!(run.code, 0, "{run:#?}");
            assert!(!run.stderr.contains("git fsck"), "nothing is broken: {}", run.stderr);
            assert!(run.stderr.to_lowercase().contains("permission"), "{}", run.stderr);
            world.git(&["config", "--global", "safe.directory", "*"]);
            assert_eq!(world.head(), head);
            assert_eq!(world.git(&["diff", "--cached", "--name-only"]), "a");
        }
    }
}

#[test]
fn a_disk_without_room_leaves_everything_as_it_was() {
    for format in [&[][..], &FOREIGN] {
        for (blocks, arguments) in
            [("0", &[][..]), ("0", &["--single", "-a"]), ("1", &["--single", "-a"]), ("2", &[][..])]
        {
            let world = World::with_message("x");
            fresh(&world, format);
            Row::history(&world);
            world.stage("a", "a\n".repeat(2000));
            let before = world.state();
            // As on a full disk, no file can grow beyond so many blocks.
            let mut command = world.program("sh");
            let script = format!("ulimit -f {blocks}; trap '' XFSZ; exec \"$@\"");
            command.args(["-c", &script, "sh", env!("CARGO_BIN_EXE_stagecoach")]).args(arguments);
            let run = Run::of(command.output().unwrap());
            assert!(!run.stderr.contains("git fsck"), "nothing is broken: {}", run.stderr);
            world.git(&["fsck", "--strict", "--no-dangling"]);
            // Where a little room is enough, it is a commit; nothing is ever half done.
            if run.code != 0 {
                assert_eq!(world.state(), before, "{run:#?}");
                world.run(arguments).succeeds();
            }
            assert!(run.code != 0 || blocks != "0", "{run:#?}");
            assert_eq!(world.git(&["status", "--porcelain"]), "");
        }
    }
}
