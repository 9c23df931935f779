//! `commit.gpgSign` in every format, with keys in a home of their own.

use std::process::Stdio;

use crate::decompose::dirty;
use crate::support::{Roles, World, paste};

const MESSAGE: &str = "Explain how to start";

/// Without the program there is nothing to test.
fn is_there(program: &str) -> bool {
    std::env::split_paths(&std::env::var_os("PATH").unwrap()).any(|dir| dir.join(program).is_file())
}

fn host(program: &str) -> String {
    let dirs = std::env::var_os("PATH").unwrap();
    let path = std::env::split_paths(&dirs).map(|dir| dir.join(program)).find(|path| path.is_file()).unwrap();
    path.to_str().unwrap().to_owned()
}

/// Commits are signed with a new key of ssh.
fn with_ssh(world: &World) {
    let key = world.home("key");
    let mut made = world.program(host("ssh-keygen"));
    let status = made.args(["-q", "-t", "ed25519", "-N", "", "-C", "author@example.com", "-f"]).arg(&key).status();
    assert!(status.unwrap().success());
    let public = std::fs::read_to_string(world.home("key.pub")).unwrap();
    std::fs::write(world.home("signers"), format!("author@example.com {public}")).unwrap();
    for (name, value) in [
        ("gpg.format", "ssh"),
        ("user.signingKey", key.to_str().unwrap()),
        ("gpg.ssh.program", &host("ssh-keygen")),
        ("gpg.ssh.allowedSignersFile", world.home("signers").to_str().unwrap()),
        ("commit.gpgSign", "true"),
    ] {
        world.git(&["config", name, value]);
    }
}

/// A program that signs in the manner of gpg: the signature is a digest of what it is given.
const SIGNER: &str = "case \"$*\" in\n*--verify*) cat > /dev/null; echo '[GNUPG:] NEWSIG'; echo '[GNUPG:] GOODSIG 1 x'; echo '[GNUPG:] TRUST_ULTIMATE'; exit 0;;\nesac\n\
echo \"$*\" > \"$HOME/asked\"; env > \"$HOME/environment\"\ncat > \"$HOME/signed\"\n\
echo '[GNUPG:] SIG_CREATED ' >&2\necho '-----BEGIN SIGNED MESSAGE-----'; echo; echo 'abc='; echo '-----END SIGNED MESSAGE-----'";

/// The commit without the header that signs it.
fn bare(world: &World) -> String {
    let text = world.git(&["cat-file", "commit", "HEAD"]);
    let (mut bare, mut skips) = (String::new(), false);
    for line in text.lines() {
        skips = line.starts_with("gpgsig") || (skips && line.starts_with(' '));
        if !skips {
            bare.push_str(line);
            bare.push('\n');
        }
    }
    bare
}

#[test]
fn ssh_signs_what_git_commit_would_sign() {
    if !is_there("ssh-keygen") {
        return;
    }
    let (mut ours, mut theirs) = (World::with_message(MESSAGE), World::with_message(MESSAGE));
    for world in [&mut ours, &mut theirs] {
        with_ssh(world);
        world.stage("a", "a\n");
        world.set("GIT_AUTHOR_DATE", "@1112911993 -0730").set("GIT_COMMITTER_DATE", "@1112911994 +0200");
    }
    ours.run(&[]).succeeds();
    theirs.git(&["commit", "-q", "-m", MESSAGE]);
    ours.git(&["verify-commit", "HEAD"]);
    let parent = |world: &World| bare(world).replace(&world.git(&["rev-parse", "HEAD^"]), "PARENT");
    assert_eq!(parent(&ours), parent(&theirs));
    ours.git(&["fsck", "--strict"]);
    ours.assert_tidy();
}

#[test]
fn every_commit_of_a_decomposition_a_plan_and_a_rescue_is_signed() {
    if !is_there("ssh-keygen") {
        return;
    }
    let world = dirty();
    with_ssh(&world);
    let base = world.head();
    Roles::plan(&[("One", &["a"]), ("Two", &["b", "c", "new"])]).install(&world);
    let file = world.root().join("plan.json");
    world.run(&["plan", "-o", file.to_str().unwrap()]).succeeds();
    world.run(&[]).succeeds();
    for revision in ["HEAD~", "HEAD"] {
        world.git(&["verify-commit", revision]);
    }
    world.git(&["reset", "-q", &base]);
    world.run(&["apply", file.to_str().unwrap()]).succeeds();
    for revision in ["HEAD~", "HEAD"] {
        world.git(&["verify-commit", revision]);
    }
    world.agent("cat > /dev/null; exit 9");
    world.stage("late", "x\n");
    world.run(&[]).fails_with(3);
    world.run(&["rescue", "commit", "-m", "Late"]).succeeds();
    world.git(&["verify-commit", "HEAD"]);
}

#[test]
fn openpgp_signs_with_gpg() {
    if !is_there("gpg") || !is_there("gpg-agent") {
        return;
    }
    let mut world = World::with_message(MESSAGE);
    // Sockets have short names only.
    let home = tempfile::Builder::new().prefix("gpg").tempdir_in("/tmp").unwrap();
    std::fs::set_permissions(home.path(), std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
    world.set("GNUPGHOME", home.path().to_str().unwrap());
    let mut make = world.program(host("gpg"));
    make.args([
        "--batch",
        "--quiet",
        "--passphrase",
        "",
        "--quick-gen-key",
        "A U Thor <author@example.com>",
        "ed25519",
    ]);
    assert!(make.stderr(Stdio::null()).status().unwrap().success());
    world.git(&["config", "commit.gpgSign", "true"]);
    world.git(&["config", "gpg.program", &host("gpg")]);
    world.stage("a", "a\n");
    let run = world.run(&[]);
    let verified = world.try_git(&["verify-commit", "HEAD"]);
    let mut end = world.program(host("gpgconf"));
    end.args(["--kill", "all"]).status().unwrap();
    run.succeeds();
    assert!(verified.status.success(), "{verified:?}");
}

#[test]
fn x509_signs_with_its_program_and_sees_the_terminal_of_the_user() {
    let (mut ours, mut theirs) = (World::with_message(MESSAGE), World::with_message(MESSAGE));
    for world in [&mut ours, &mut theirs] {
        let program = world.script("signer", SIGNER);
        for (name, value) in [
            ("gpg.format", "x509"),
            ("gpg.x509.program", program.as_str()),
            ("user.signingKey", "0xCAFE"),
            ("commit.gpgSign", "true"),
        ] {
            world.git(&["config", name, value]);
        }
        world.set("GPG_TTY", "/dev/pts/7").set("GIT_AUTHOR_DATE", "@5 +0000").set("GIT_COMMITTER_DATE", "@6 +0000");
        world.stage("a", "a\n");
    }
    ours.run(&[]).succeeds();
    theirs.git(&["commit", "-q", "-m", MESSAGE]);
    let read = |world: &World, name: &str| std::fs::read_to_string(world.home(name)).unwrap();
    assert_eq!(read(&ours, "asked"), read(&theirs, "asked"));
    assert!(read(&ours, "environment").contains("GPG_TTY=/dev/pts/7"));
    // What was signed is the commit itself.
    assert_eq!(read(&ours, "signed"), bare(&ours));
    ours.git(&["verify-commit", "HEAD"]);
}

#[test]
fn a_failure_to_sign_is_a_rescue_with_the_programs_last_words() {
    let world = World::with_message(MESSAGE);
    let program = world.script("signer", "echo 'gpg: no secret key' >&2; exit 2");
    world.git(&["config", "gpg.program", &program]);
    world.git(&["config", "commit.gpgSign", "true"]);
    world.stage("a", "a\n");
    let before = world.head();
    let run = world.run(&[]).fails_with(3);
    run.says(&["error: the commit could not be signed", "gpg: no secret key", "rescue commit", MESSAGE]);
    assert_eq!(world.head(), before);
    world.run(&["rescue", "commit"]).fails_with(3).says(&["no secret key"]);
    world.git(&["config", "--unset", "commit.gpgSign"]);
    world.run(&["rescue", "commit"]).succeeds();
    assert_eq!(world.message("HEAD"), format!("{MESSAGE}\n"));
}

#[test]
fn a_program_that_does_not_end_is_stopped() {
    let world = World::with_message(MESSAGE);
    let config = std::fs::read_to_string(world.home(".config/stagecoach/config.toml")).unwrap();
    world.config(&config.replace("[defaults]", "[generation]\nhook_timeout = \"1s\"\n[defaults]"));
    let program = world.script("signer", "sleep 600");
    world.git(&["config", "gpg.program", &program]);
    world.git(&["config", "commit.gpgSign", "true"]);
    world.stage("a", "a\n");
    world.run(&[]).fails_with(3).says(&["could not be signed", "did not end within 1 seconds"]);
    world.assert_tidy();
}

#[test]
fn the_recipe_for_a_shell_signs_as_git_commit_would() {
    if !is_there("ssh-keygen") {
        return;
    }
    let world = World::with_message(MESSAGE);
    with_ssh(&world);
    world.agent("cat > /dev/null; exit 9");
    world.stage("a", "a\n");
    let run = world.run(&[]).fails_with(3);
    paste(&world, &run);
    world.git(&["verify-commit", "HEAD"]);
    assert_eq!(world.message("HEAD"), "Describe the change here\n");
}
