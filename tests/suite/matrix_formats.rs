//! The matrix: how a repository keeps its objects, refs and worktrees, and how much of it is there.

use super::support::{Row, World, fresh};

/// Makes the world's repository a clone of what it was, with more words for `git clone`.
fn clone(world: &mut World, arguments: &[&str]) {
    let source = format!("file://{}", world.repository().display());
    world.git(&["config", "uploadpack.allowFilter", "true"]);
    let command: Vec<&str> =
        ["clone", "-q"].iter().chain(arguments).copied().chain([source.as_str(), "../clone"]).collect();
    world.git(&command);
    world.enter("../clone");
}

#[test]
fn plain() {
    Row::new().check();
}

#[test]
fn sha256_objects() {
    Row::new()
        .prepare(|world| {
            fresh(world, &["--object-format=sha256"]);
            Row::history(world);
        })
        .by_program()
        .check();
}

#[test]
fn reftable() {
    Row::new()
        .prepare(|world| {
            fresh(world, &["--ref-format=reftable"]);
            Row::history(world);
        })
        .by_program()
        .check();
}

#[test]
fn sha256_objects_and_reftable_unborn() {
    Row::new()
        .prepare(|world| fresh(world, &["--object-format=sha256", "--ref-format=reftable"]))
        .change(&["a"], |world| {
            world.write("a", "a\n");
            world.write("b/c", "c\n");
        })
        .by_program()
        .check();
}

#[test]
fn linked_worktree() {
    Row::new()
        .prepare(|world| {
            Row::history(world);
            world.git(&["worktree", "add", "-q", "-b", "it/has/slashes", "../linked"]);
            world.enter("../linked");
        })
        .check();
}

#[test]
fn linked_worktree_with_a_configuration_of_its_own() {
    Row::new()
        .prepare(|world| {
            Row::history(world);
            world.git(&["worktree", "add", "-q", "../linked"]);
            world.git(&["config", "extensions.worktreeConfig", "true"]);
            world.enter("../linked");
            world.git(&["config", "--worktree", "user.name", "Someone Here"]);
        })
        .check();
}

#[test]
fn linked_worktree_of_sha256_objects_and_a_reftable() {
    Row::new()
        .prepare(|world| {
            fresh(world, &["--object-format=sha256", "--ref-format=reftable"]);
            Row::history(world);
            world.git(&["worktree", "add", "-q", "../linked"]);
            world.enter("../linked");
        })
        .by_program()
        .check();
}

#[test]
fn bare_repository_with_a_work_tree_from_the_environment() {
    Row::new()
        .prepare(|world| {
            Row::history(world);
            std::fs::rename(world.path(".git"), world.root().join("bare.git")).unwrap();
            let git_dir = world.root().join("bare.git").to_str().unwrap().to_owned();
            let work_tree = world.repository().to_str().unwrap().to_owned();
            world.set("GIT_DIR", &git_dir).set("GIT_WORK_TREE", &work_tree);
            world.git(&["config", "core.bare", "true"]);
        })
        .check();
}

#[test]
fn bare_repository_of_sha256_objects_with_a_relative_work_tree() {
    Row::new()
        .prepare(|world| {
            fresh(world, &["--object-format=sha256"]);
            Row::history(world);
            std::fs::rename(world.path(".git"), world.root().join("bare.git")).unwrap();
            world.set("GIT_DIR", "../bare.git").set("GIT_WORK_TREE", ".");
            world.git(&["config", "core.bare", "true"]);
        })
        .by_program()
        .check();
}

#[test]
fn common_git_folder_from_the_environment() {
    Row::new()
        .prepare(|world| {
            Row::history(world);
            world.git(&["worktree", "add", "-q", "../linked"]);
            world.enter("../linked");
            let (git_dir, common) = (world.git(&["rev-parse", "--git-dir"]), world.root().join("repo/.git"));
            world.set("GIT_DIR", &git_dir).set("GIT_COMMON_DIR", common.to_str().unwrap());
        })
        .check();
}

#[test]
fn refs_that_are_said_to_be_files() {
    Row::new()
        .prepare(|world| {
            Row::history(world);
            world.git(&["config", "core.repositoryFormatVersion", "1"]);
            world.git(&["config", "extensions.refStorage", "files"]);
        })
        .by_program()
        .check();
}

#[test]
fn separate_git_folder_with_a_configured_work_tree() {
    Row::new()
        .prepare(|world| {
            Row::history(world);
            world.git(&["init", "-q", "--separate-git-dir", "../apart.git"]);
        })
        .check();
}

// ---- submodules

fn with_submodule(world: &mut World) {
    Row::history(world);
    world.git(&["-c", "protocol.file.allow=always", "submodule", "add", "-q", "./", "sub"]);
    world.git(&["commit", "-q", "-m", "Take a submodule in"]);
}

#[test]
fn inside_a_submodule() {
    Row::new()
        .prepare(|world| {
            with_submodule(world);
            world.enter("sub");
        })
        .check();
}

#[test]
fn with_a_changed_submodule() {
    Row::new()
        .prepare(with_submodule)
        .change(&["sub"], |world| {
            world.git(&["-C", "sub", "commit", "-q", "--allow-empty", "-m", "Do more"]);
            world.write("src/changed", "otherwise\n");
        })
        .check();
}

#[test]
fn a_submodule_tells_what_its_new_commits_say() {
    let mut world = World::new();
    with_submodule(&mut world);
    for subject in ["Mend the hinge", "Paint the door\n\nIn green."] {
        world.git(&["-C", "sub", "commit", "-q", "--allow-empty", "-m", subject]);
    }
    world.agent_says("Follow the submodule");
    world.git(&["add", "sub"]);
    world.run(&["--dry-run"]).succeeds();
    let prompt = world.prompt();
    assert!(
        prompt.contains("[submodule] sub ") && prompt.contains("  > Paint the door\n  > Mend the hinge\n"),
        "{prompt}"
    );
    assert!(!prompt.contains("> Go on"), "what was there before is not new: {prompt}");
    // Going back, or without the submodule's repository, there is nothing to tell.
    world.git(&["commit", "-q", "-m", "Follow"]);
    world.git(&["-C", "sub", "reset", "-q", "--hard", "HEAD~"]);
    world.git(&["add", "sub"]);
    world.run(&["--dry-run"]).succeeds();
    assert!(world.prompt().contains("[submodule] sub ") && !world.prompt().contains("  > "), "{}", world.prompt());
    std::fs::remove_dir_all(world.path("sub")).unwrap();
    world.run(&["--dry-run"]).succeeds();
    assert!(world.prompt().contains("[submodule] sub "));
}

#[test]
fn with_a_dirty_submodule_that_is_no_change() {
    Row::new()
        .prepare(with_submodule)
        .change(&["src/changed"], |world| {
            world.write("sub/src/changed", "dirty\n");
            world.write("src/changed", "otherwise\n");
            world.write("new", "new\n");
        })
        .check();
}

#[test]
fn with_an_ignored_and_changed_submodule() {
    Row::new()
        .prepare(|world| {
            with_submodule(world);
            world.git(&["config", "-f", ".gitmodules", "submodule.sub.ignore", "all"]);
            world.git(&["config", "diff.ignoreSubmodules", "all"]);
            world.git(&["commit", "-qam", "Ignore it"]);
        })
        .change(&["src/changed"], |world| {
            world.git(&["-C", "sub", "commit", "-q", "--allow-empty", "-m", "Do more"]);
            world.write("src/changed", "otherwise\n");
            world.write("new", "new\n");
        })
        .check();
}

// ---- parts of a repository

#[test]
fn partial_clone() {
    Row::new()
        .prepare(|world| {
            Row::history(world);
            clone(world, &["--filter=blob:none"]);
        })
        .by_program()
        .check();
}

#[test]
fn partial_clone_without_its_source() {
    Row::new()
        .prepare(|world| {
            Row::history(world);
            // Contents of the past are not there and nowhere to be had.
            world.commit("Go on more", &[("src/changed", "other\n")]);
            clone(world, &["--filter=blob:none"]);
            std::fs::rename(world.root().join("repo"), world.root().join("gone")).unwrap();
        })
        .by_program()
        .check();
}

/// What was never here is committed as gone, but nobody fetches it to show it.
#[test]
fn partial_clone_without_the_contents_that_change() {
    Row::new()
        .prepare(|world| {
            Row::history(world);
            clone(world, &["--filter=blob:none", "--no-checkout"]);
            world.git(&["sparse-checkout", "set", "src"]);
            world.git(&["checkout", "-q"]);
            std::fs::rename(world.root().join("repo"), world.root().join("gone")).unwrap();
        })
        .change(&[], |world| {
            world.git(&["rm", "-q", "--cached", "--sparse", "deep/er/kept"]);
            world.write("src/changed", "otherwise\n");
        })
        .by_program()
        .check_staged();
}

#[test]
fn sparse_partial_clone_without_trees() {
    Row::new()
        .prepare(|world| {
            Row::history(world);
            world.commit("Go on more", &[("elsewhere/file", "other\n")]);
            clone(world, &["--filter=tree:0", "--no-checkout"]);
            world.git(&["sparse-checkout", "set", "src"]);
            world.git(&["checkout", "-q"]);
        })
        .change(&["src/changed"], |world| {
            world.write("src/changed", "otherwise\n");
            world.write("src/new", "new\n");
        })
        .by_program()
        .check();
}

#[test]
fn alternates() {
    Row::new()
        .prepare(|world| {
            Row::history(world);
            clone(world, &["--shared", "--no-local"]);
            world.enter("../repo");
            world.git(&["clone", "-q", "--shared", ".", "../sharing"]);
            world.enter("../sharing");
        })
        .check();
}

#[test]
fn shallow_clone() {
    Row::new()
        .prepare(|world| {
            Row::history(world);
            clone(world, &["--depth=1"]);
        })
        .check();
}

#[test]
fn shallow_partial_clone_of_sha256_objects() {
    Row::new()
        .prepare(|world| {
            fresh(world, &["--object-format=sha256"]);
            Row::history(world);
            clone(world, &["--depth=1", "--filter=blob:none"]);
        })
        .by_program()
        .check();
}

// ---- replaced objects

#[test]
fn replaced_commit_whose_parents_are_others() {
    Row::new()
        .prepare(|world| {
            Row::history(world);
            world.git(&["replace", "--graft", "HEAD"]);
        })
        .by_program()
        .check();
}

#[test]
fn replaced_content_of_a_file_that_changes() {
    Row::new()
        .prepare(|world| {
            Row::history(world);
            world.write("other", "another\n");
            let other = world.git(&["hash-object", "-w", "other"]);
            std::fs::remove_file(world.path("other")).unwrap();
            world.git(&["replace", "HEAD:src/changed", &other]);
            world.git(&["pack-refs", "--all"]);
        })
        .by_program()
        .check();
}

/// HEAD stands for a commit of another tree, so that what equals HEAD's own tree is a change.
fn replaced_head(world: &World) {
    Row::history(world);
    let other = world.git(&["commit-tree", "HEAD~^{tree}", "-p", "HEAD~", "-m", "Another"]);
    world.git(&["replace", "HEAD", &other]);
}

#[test]
fn replaced_commit_with_another_tree() {
    Row::new().prepare(|world| replaced_head(world)).by_program().check_staged();
    let unchanged = |world: &World| assert!(world.git(&["status", "--porcelain"]).starts_with('A'));
    Row::new().prepare(|world| replaced_head(world)).change(&[], unchanged).by_program().check_staged();
}

#[test]
fn replacements_that_git_is_told_to_ignore() {
    Row::new()
        .prepare(|world| {
            replaced_head(world);
            world.git(&["config", "core.useReplaceRefs", "false"]);
        })
        .check();
}
