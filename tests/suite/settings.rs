//! Settings of git that decide what a commit looks like: compared with `git commit -m` in the same environment.

use std::os::unix::fs::PermissionsExt;

use crate::support::{Run, World};

/// Both commit the same message for the same staged file, with the given settings.
fn both(message: &str, settings: &[(&str, &str)], environment: &[(&str, &str)]) -> (World, World) {
    let (mut ours, mut theirs) = (World::with_message(message), World::with_message(message));
    for world in [&mut ours, &mut theirs] {
        world.set("GIT_AUTHOR_DATE", "@5 +0000").set("GIT_COMMITTER_DATE", "@6 +0000");
        for (name, value) in environment {
            world.set(name, value);
        }
        for (name, value) in settings {
            world.git(&["config", name, value]);
        }
        world.stage("a", "a\n");
    }
    (ours, theirs)
}

/// The commit's bytes, with its parent left out.
fn commit(world: &World) -> Vec<u8> {
    let output = world.try_git(&["cat-file", "commit", "HEAD"]).stdout;
    output.split(|byte| *byte == b'\n').filter(|line| !line.starts_with(b"parent ")).collect::<Vec<_>>().join(&b'\n')
}

fn reflogs(world: &World) -> [Vec<u8>; 2] {
    ["HEAD", "refs/heads/main"].map(|name| {
        let log = std::fs::read(world.path(&format!(".git/logs/{name}"))).unwrap_or_default();
        let last = log.split(|byte| *byte == b'\n').rfind(|line| !line.is_empty());
        // Without the two ids.
        last.map(|line| line[82..].to_vec()).unwrap_or_default()
    })
}

#[test]
fn settings_make_the_commit_that_git_makes() {
    let cases: [(&str, &[(&str, &str)]); 9] = [
        ("Say it", &[("i18n.commitEncoding", "ISO-8859-1")]),
        ("Say it", &[("i18n.commitEncoding", "utf8")]),
        ("#1 Say it\n\n# why", &[("commit.cleanup", "whitespace")]),
        ("#1 Say it\n\n# why", &[("commit.cleanup", "scissors")]),
        ("Say it\n\n# gone\nkept", &[("commit.cleanup", "strip")]),
        ("Say it\n\n; gone\n# kept", &[("commit.cleanup", "strip"), ("core.commentChar", ";")]),
        ("Say it\n\n// gone\n/ kept", &[("commit.cleanup", "strip"), ("core.commentString", "//")]),
        ("#1 Say it\n\n; kept", &[("commit.cleanup", "strip"), ("core.commentChar", "auto")]),
        ("Say it", &[("commit.template", "README.md")]),
    ];
    for (message, settings) in cases {
        let (ours, theirs) = both(message, settings, &[]);
        ours.run(&[]).succeeds();
        theirs.git(&["commit", "-q", "-m", message]);
        let text = |world: &World| String::from_utf8_lossy(&commit(world)).into_owned();
        assert_eq!(text(&ours), text(&theirs), "{settings:?}");
        assert_eq!(reflogs(&ours), reflogs(&theirs), "{settings:?}");
    }
}

#[test]
fn a_message_is_written_in_the_encoding_of_commits() {
    use std::os::unix::ffi::OsStrExt;
    let settings = [("i18n.commitEncoding", "ISO-8859-1")];
    let (ours, theirs) = both("Größe prüfen", &settings, &[("GIT_AUTHOR_NAME", "Änne")]);
    ours.run(&[]).succeeds();
    let latin1 = std::ffi::OsStr::from_bytes(b"Gr\xf6\xdfe pr\xfcfen");
    let done = theirs.program("git").args(["commit", "-q", "-m"]).arg(latin1).status();
    assert!(done.unwrap().success());
    assert_eq!(commit(&ours), commit(&theirs));
    assert_eq!(reflogs(&ours), reflogs(&theirs));
    assert_eq!(ours.git(&["log", "-1", "--format=%s", "--encoding=UTF-8"]), "Größe prüfen");
    ours.git(&["fsck", "--strict"]);
}

#[test]
fn what_the_encoding_has_no_letters_for_stays_true() {
    let (ours, _) = both("Preis in € und 円", &[("i18n.commitEncoding", "ISO-8859-1")], &[]);
    ours.run(&[]).succeeds().says(&["its message cannot be written in ISO-8859-1, so it is UTF-8"]);
    assert_eq!(ours.message("HEAD"), "Preis in € und 円\n");
    assert!(!String::from_utf8(commit(&ours)).unwrap().contains("encoding"));
}

#[test]
fn an_unknown_mode_of_cleaning_is_gits_error_before_anybody_is_asked() {
    let world = World::with_message("x");
    world.agent("touch \"$HOME/asked\"; echo no");
    world.git(&["config", "commit.cleanup", "thorough"]);
    world.stage("a", "a\n");
    world.run(&[]).fails_with(1).says(&["Invalid cleanup mode thorough"]);
    assert!(!world.home("asked").exists());
}

#[test]
fn odd_identities_are_gits() {
    let cases: [&[(&str, &str)]; 4] = [
        &[("GIT_COMMITTER_EMAIL", "")],
        &[("GIT_AUTHOR_EMAIL", ""), ("GIT_COMMITTER_NAME", "c.o. <mitter>")],
        &[("GIT_AUTHOR_NAME", "  'A' \"U\", Thor.  ")],
        &[("GIT_COMMITTER_NAME", "Ж\u{301}"), ("EMAIL", "unused@example.com")],
    ];
    for environment in cases {
        let (ours, theirs) = both("Say it", &[], environment);
        ours.run(&[]).succeeds();
        theirs.git(&["commit", "-q", "-m", "Say it"]);
        assert_eq!(commit(&ours), commit(&theirs), "{environment:?}");
        assert_eq!(reflogs(&ours), reflogs(&theirs), "{environment:?}");
    }
}

#[test]
fn a_reflog_that_is_there_is_continued() {
    for value in ["false", "true", "always"] {
        let (ours, theirs) = both("Say it", &[("core.logAllRefUpdates", value)], &[]);
        ours.run(&[]).succeeds();
        theirs.git(&["commit", "-q", "-m", "Say it"]);
        assert_eq!(reflogs(&ours), reflogs(&theirs), "{value}");
        assert!(!reflogs(&ours)[0].is_empty());
    }
    let (ours, _) = both("Say it", &[("core.logAllRefUpdates", "false")], &[]);
    std::fs::remove_dir_all(ours.path(".git/logs")).unwrap();
    ours.run(&[]).succeeds();
    assert!(!ours.path(".git/logs/HEAD").exists());
}

/// The permissions of what a commit writes in the git folder.
fn permissions(world: &World) -> Vec<(String, String)> {
    let git_dir = world.path(".git");
    let mut found = Vec::new();
    let mut folders = vec![git_dir.clone()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(&git_dir).unwrap().to_str().unwrap().to_owned();
            // Objects differ in their names, and what is ours git has not.
            let kind = if name.starts_with("objects/") { "objects".to_owned() } else { name.clone() };
            if path.is_dir() {
                folders.push(path.clone());
            }
            if !name.contains("stagecoach") && name != "COMMIT_EDITMSG" {
                let what = if path.is_dir() { "folder" } else { "file" };
                found.push((format!("{kind} {what}"), format!("{:o}", path.metadata().unwrap().permissions().mode())));
            }
        }
    }
    found.sort();
    found.dedup();
    found
}

#[test]
fn files_are_shared_as_git_shares_them() {
    for (mode, arguments) in [("group", &[][..]), ("all", &["-a"]), ("0640", &["--single"])] {
        let (ours, theirs) = (World::new(), World::new());
        for world in [&ours, &theirs] {
            world.agent_says("Say it");
            std::fs::remove_dir_all(world.path(".git")).unwrap();
            world.git(&["init", "-q", &format!("--shared={mode}")]);
            world.commit("First", &[("README.md", "one\n"), ("sub/file", "x\n")]);
            world.write("sub/file", "y\n");
            world.write("new/file", "z\n");
        }
        if arguments.is_empty() {
            ours.git(&["add", "-A"]);
        }
        ours.run(arguments).succeeds();
        theirs.git(&["add", "-A"]);
        theirs.git(&["commit", "-q", "-m", "Say it"]);
        assert_eq!(ours.git(&["rev-parse", "HEAD^{tree}"]), theirs.git(&["rev-parse", "HEAD^{tree}"]));
        assert_eq!(permissions(&ours), permissions(&theirs), "{mode}");
    }
}

#[test]
fn the_prepared_message_of_a_merge_is_committed_as_git_commits_it() {
    for settings in [&[][..], &[("commit.cleanup", "strip")], &[("i18n.commitEncoding", "ISO-8859-1")]] {
        let (ours, theirs) = both("unused", settings, &[]);
        for world in [&ours, &theirs] {
            world.git(&["commit", "-q", "-m", "On main"]);
            world.git(&["switch", "-q", "-c", "side", "HEAD~"]);
            world.commit("On the side", &[("b", "b\n")]);
            world.git(&["switch", "-q", "main"]);
            world.git(&["merge", "-q", "--no-commit", "--no-ff", "side"]);
        }
        ours.run(&[]).succeeds();
        theirs.git(&["commit", "-q", "--no-edit"]);
        assert_eq!(commit(&ours), commit(&theirs), "{settings:?}");
        assert_eq!(reflogs(&ours), reflogs(&theirs), "{settings:?}");
    }
}

const LATIN1: &[(&str, &str)] = &[("i18n.commitEncoding", "ISO-8859-1")];

fn os(bytes: &[u8]) -> &std::ffi::OsStr {
    std::os::unix::ffi::OsStrExt::from_bytes(bytes)
}

#[test]
fn names_that_are_no_utf8_are_what_git_makes_of_them() {
    for settings in [&[][..], LATIN1] {
        for arguments in [&[][..], &["-s"]] {
            let (mut ours, mut theirs) = both("Say it", settings, &[]);
            for world in [&mut ours, &mut theirs] {
                for who in ["AUTHOR", "COMMITTER"] {
                    world.unset(&format!("GIT_{who}_NAME"));
                }
                let set = world.program("git").args(["config", "user.name"]).arg(os(b"J\xf6rg")).status();
                assert!(set.unwrap().success());
            }
            ours.run(arguments).succeeds();
            let done = theirs.program("git").args(["commit", "-q", "-m", "Say it"]).args(arguments).output().unwrap();
            assert!(done.status.success());
            let escaped = |world: &World| commit(world).escape_ascii().to_string();
            assert_eq!(escaped(&ours), escaped(&theirs), "{settings:?} {arguments:?}");
            assert_eq!(reflogs(&ours), reflogs(&theirs), "{settings:?} {arguments:?}");
            ours.git(&["fsck", "--strict"]);
        }
    }
}

#[test]
fn a_prepared_message_in_another_encoding_stays_what_it_is() {
    let (ours, theirs) = both("unused", LATIN1, &[]);
    for world in [&ours, &theirs] {
        world.git(&["commit", "-q", "-m", "On main"]);
        world.git(&["switch", "-q", "-c", "side", "HEAD~"]);
        world.commit("On the side", &[("b", "b\n")]);
        world.git(&["switch", "-q", "main"]);
        let mut merge = world.program("git");
        merge.args(["merge", "-q", "--no-commit", "--no-ff", "-m"]).arg(os(b"Gr\xf6\xdfe holen")).arg("side");
        assert!(merge.status().unwrap().success());
    }
    ours.run(&[]).succeeds();
    theirs.git(&["commit", "-q", "--no-edit"]);
    assert_eq!(commit(&ours).escape_ascii().to_string(), commit(&theirs).escape_ascii().to_string());
    assert_eq!(reflogs(&ours), reflogs(&theirs));
}

#[test]
fn hooks_see_and_write_a_message_in_the_encoding_of_commits() {
    let (ours, theirs) = both("Größe prüfen", LATIN1, &[]);
    for world in [&ours, &theirs] {
        world.hook("prepare-commit-msg", "cat \"$1\" > \"$HOME/prepared\"; printf '\\nF\\374r alle\\n' >> \"$1\"");
        world.hook("commit-msg", "cat \"$1\" > \"$HOME/judged\"; printf '\\304u\\337erst\\n' >> \"$1\"");
    }
    ours.run(&[]).succeeds();
    let message = os(b"Gr\xf6\xdfe pr\xfcfen");
    assert!(theirs.program("git").args(["commit", "-q", "-m"]).arg(message).status().unwrap().success());
    assert_eq!(commit(&ours).escape_ascii().to_string(), commit(&theirs).escape_ascii().to_string());
    for name in ["prepared", "judged"] {
        let read = |world: &World| std::fs::read(world.home(name)).unwrap().escape_ascii().to_string();
        assert_eq!(read(&ours), read(&theirs), "{name}");
    }
}

#[test]
fn history_is_read_in_the_encoding_of_its_commits() {
    let (world, _) = both("Größe prüfen", LATIN1, &[]);
    world.write("a", "earlier\n");
    world.git(&["add", "a"]);
    let message = os(b"Gr\xf6\xdfe pr\xfcfen");
    assert!(world.program("git").args(["commit", "-q", "-m"]).arg(message).status().unwrap().success());
    world.stage("b", "b\n");
    world.run(&[]).fails_with(3).says(&["used before: Größe prüfen"]);
    assert!(world.prompt().contains("Größe prüfen"), "{}", world.prompt());
}

#[test]
fn the_message_of_a_squash_is_read_in_the_encoding_of_commits() {
    let (world, _) = both("Say it", LATIN1, &[]);
    world.git(&["commit", "-q", "-m", "On main"]);
    world.git(&["switch", "-q", "-c", "side", "HEAD~"]);
    world.write("b", "b\n");
    world.git(&["add", "b"]);
    let message = os(b"Gr\xf6\xdfe holen");
    assert!(world.program("git").args(["commit", "-q", "-m"]).arg(message).status().unwrap().success());
    world.git(&["switch", "-q", "main"]);
    world.git(&["merge", "-q", "--squash", "side"]);
    world.run(&[]).succeeds();
    assert!(world.prompt().contains("Größe holen"), "{}", world.prompt());
}

#[test]
fn what_git_is_to_sync_is_left_to_git_and_nothing_else_is() {
    let said = |world: &World| world.run(&["--verbose", "--dry-run"]).succeeds().stderr;
    let world = World::with_message("Say it");
    world.stage("a", "a\n");
    assert!(said(&world).contains("repository: libgit2\n"));
    for value in ["-loose-object", "pack", "none"] {
        world.git(&["config", "core.fsync", value]);
        assert!(said(&world).contains("repository: libgit2\n"), "{value}");
    }
    world.git(&["config", "core.fsync", "committed"]);
    assert!(said(&world).contains("repository: program, because git is to sync what it writes\n"));
    let trace = world.root().join("trace");
    Run::of(world.stagecoach(&[]).env("GIT_TRACE2_EVENT", &trace).output().unwrap()).succeeds();
    let events = std::fs::read_to_string(trace).unwrap();
    let events = events.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let synced: u64 =
        events.filter(|event| event["name"] == "hardware-flush").filter_map(|event| event["count"].as_u64()).sum();
    assert!(synced >= 3, "tree, commit and branch: {synced}");
    assert_eq!(world.message("HEAD"), "Say it\n");
}
