//! The matrix: how a repository keeps its index.

use super::support::{Row, World, fresh};

#[test]
fn index_versions() {
    for version in ["2", "3", "4"] {
        let prepare: fn(&mut World) = match version {
            "2" => |world| prepare_version(world, "2"),
            "3" => |world| prepare_version(world, "3"),
            _ => |world| prepare_version(world, "4"),
        };
        Row::new().prepare(prepare).check();
    }
}

fn prepare_version(world: &World, version: &str) {
    Row::history(world);
    world.git(&["update-index", "--index-version", version]);
    world.git(&["update-index", "--skip-worktree", "deep/er/kept"]);
}

#[test]
fn index_without_a_checksum() {
    Row::new()
        .prepare(|world| {
            world.git(&["config", "index.skipHash", "true"]);
            Row::history(world);
        })
        .check();
}

#[test]
fn split_index() {
    Row::new()
        .prepare(|world| {
            world.write(".gitattributes", "*.bin binary\n");
            world.git(&["config", "core.splitIndex", "true"]);
            Row::history(world);
            world.git(&["update-index", "--split-index"]);
        })
        .by_program()
        .check();
}

#[test]
fn split_index_without_a_setting() {
    Row::new()
        .prepare(|world| {
            world.commit("Say what is binary", &[("sub/.gitattributes", "*.bin binary\n")]);
            Row::history(world);
            world.git(&["update-index", "--split-index"]);
            std::fs::remove_file(world.path("sub/.gitattributes")).unwrap();
            world.write("sub/x.bin", "x\n");
        })
        .by_program()
        .check();
}

#[test]
fn untracked_cache_and_a_file_system_monitor() {
    Row::new()
        .prepare(|world| {
            Row::history(world);
            world.git(&["config", "core.untrackedCache", "true"]);
            // This monitor always says that anything may have changed.
            let hook = world.script("monitor", "printf 'token\\0/\\0'");
            world.git(&["config", "core.fsmonitor", &hook]);
            world.git(&["update-index", "--untracked-cache", "--fsmonitor"]);
            world.git(&["status"]);
        })
        .check();
}

// ---- sparse checkouts

fn sparse(world: &World, arguments: &[&str]) {
    Row::history(world);
    world.commit("Add what is not checked out", &[("out/side/file", "out\n"), ("out/other", "out\n")]);
    let command: Vec<&str> = ["sparse-checkout", "set"].iter().chain(arguments).copied().collect();
    world.git(&command);
    assert!(!world.path("out/other").exists());
}

#[test]
fn sparse_checkout_by_cones() {
    Row::new().prepare(|world| sparse(world, &["--cone", "src", "new folder"])).check();
}

#[test]
fn sparse_checkout_by_patterns() {
    Row::new().prepare(|world| sparse(world, &["--no-cone", "/*", "!/out/"])).check();
}

#[test]
fn sparse_index() {
    Row::new()
        .prepare(|world| {
            sparse(world, &["--cone", "--sparse-index", "src", "new folder"]);
            assert!(world.git(&["ls-files", "--sparse"]).contains("out/\n"));
        })
        .by_program()
        .check();
}

#[test]
fn sparse_index_of_sha256_objects() {
    Row::new()
        .prepare(|world| {
            fresh(world, &["--object-format=sha256"]);
            sparse(world, &["--cone", "--sparse-index", "src", "new folder"]);
        })
        .by_program()
        .check();
}

#[test]
fn untracked_files_outside_of_a_sparse_checkout_stay_where_they_are() {
    for more in [&["--cone"][..], &["--cone", "--sparse-index"]] {
        let world = World::with_message("Stay inside");
        sparse(&world, &[more, &["src"]].concat());
        world.write("src/changed", "inside\n");
        world.write("out/untracked", "outside\n");
        assert!(!world.try_git(&["add", "-A"]).status.success(), "git complains");
        world.git(&["reset", "-q"]);
        world.run(&["--single"]).succeeds().says(&["outside of the sparse checkout"]);
        assert_eq!(world.files_since("HEAD~"), [["src/changed"]]);
        assert_eq!(world.git(&["status", "--porcelain", "-uall"]), "?? out/untracked");
        assert_eq!(world.git(&["ls-tree", "-r", "--name-only", "HEAD", "out"]), "out/other\nout/side/file");
        // They are why there is nothing else to commit.
        world.run(&[]).fails_with(2).says(&[
            "Nothing to commit.",
            "outside of the sparse checkout",
            "sparse-checkout add",
        ]);
    }
}

#[test]
fn paths_that_are_only_intended_to_be_added() {
    for format in [&[][..], &["--object-format=sha256"]] {
        let row = Row::new().change(&["intended"], |world| {
            world.write("intended", "new\n");
            world.write("other", "new\n");
            world.git(&["add", "-N", "intended"]);
        });
        match format {
            [] => row.check(),
            _ => row
                .prepare(|world| {
                    fresh(world, &["--object-format=sha256"]);
                    Row::history(world);
                })
                .by_program()
                .check(),
        }
    }
}
