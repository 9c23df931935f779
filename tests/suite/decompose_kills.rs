//! Runs that are killed: whole commits or none, nothing lost, and a way to the end.

use std::process::Stdio;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{Roles, World, plan, records, say};

const FILES: [&str; 4] = ["a", "b", "c", "d"];

/// Four files, each to be a commit of its own.
fn four(world: &World, round: usize) {
    FILES.iter().for_each(|file| world.write(file, format!("{file} in round {round}\n")));
}

fn agent(world: &World, round: usize) {
    let commits: Vec<(&str, &[&str])> = FILES.iter().map(|file| (*file, std::slice::from_ref(file))).collect();
    Roles::planner(&say(&plan(&commits)))
        .message(&format!("echo \"feat: change $(sed -n 's/^[AM]\t.*\t//p' \"$prompt\") in round {round}\""))
        .install(world);
}

fn bytes(world: &World) -> Vec<Option<Vec<u8>>> {
    FILES.iter().map(|file| std::fs::read(world.path(file)).ok()).collect()
}

/// How many commits landed: a whole number, each with its tree.
fn landed(world: &World, base: &str, trees: &[String]) -> usize {
    let found = world.git(&["log", "--reverse", "--format=%T", &format!("{base}..HEAD")]);
    let found: Vec<&str> = found.lines().collect();
    assert!(found.len() <= FILES.len() && found == trees[1..=found.len()], "{found:?} of {trees:?}");
    found.len()
}

/// Goes on after a kill as the user would, and ends where an unbroken run would have.
fn finish(world: &World, base: &str, trees: &[String], what: &str) {
    let list = world.run(&["rescue", "list", "--json"]).succeeds();
    let list: Value = serde_json::from_str(&list.stdout).unwrap();
    let count = landed(world, base, trees);
    match list["rescues"].as_array().unwrap().first() {
        Some(rescue) => {
            assert_eq!(rescue["landed"], json!(count), "{what}: {list}");
            if rescue["commits"][0]["subject"].is_null() {
                // Killed before there was a plan: the whole snapshot waits, without a message.
                assert_eq!((count, rescue["commits"].as_array().unwrap().len()), (0, 1), "{what}: {list}");
                assert_eq!(rescue["commits"][0]["tree"], *trees.last().unwrap(), "{what}");
                world.run(&["rescue", "drop"]).succeeds();
                world.run(&[]).succeeds();
            } else {
                world.run(&["rescue", "commit"]).succeeds();
            }
        }
        // Before anything was noted nothing can have landed; after the last commit nothing is left to do.
        None if count == 0 => {
            world.run(&[]).succeeds();
        }
        None => assert_eq!(count, FILES.len(), "{what}: a run that nobody knows of"),
    }
    assert_eq!(landed(world, base, trees), FILES.len(), "{what}");
    assert_eq!(world.git(&["status", "--porcelain"]), "", "{what}");
    assert_eq!(world.git(&["diff-index", "HEAD"]), "", "{what}");
    // A file that was created and not yet written says nothing; it goes with a later run.
    let left: Vec<_> = records(world).into_iter().filter(|file| file.metadata().unwrap().len() > 0).collect();
    assert_eq!(left, Vec::<std::path::PathBuf>::new(), "{what}");
}

fn kill_in_rounds(rounds: usize, seed: u64) {
    let world = World::with_message("");
    four(&world, rounds);
    agent(&world, rounds);
    let start = std::time::Instant::now();
    world.run(&[]).succeeds();
    let took = start.elapsed();
    let mut random = seed;
    for round in 0..rounds {
        agent(&world, round);
        four(&world, round);
        let (base, trees, before) = (world.head(), world.trees_of_adding(&FILES), bytes(&world));
        let mut command = world.stagecoach(&["-q"]);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        // Any odd multiplier and increment give numbers that are scattered well enough.
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let share = u32::try_from(random >> 44).unwrap();
        std::thread::sleep(took.mul_f64(1.1 * f64::from(share) / f64::from(1 << 20)));
        child.kill().unwrap();
        child.wait().unwrap();
        let what = format!("round {round} of seed {seed}");
        world.git(&["fsck", "--strict", "--no-dangling"]);
        landed(&world, &base, &trees);
        assert_eq!(bytes(&world), before, "{what}");
        finish(&world, &base, &trees, &what);
        assert_eq!(bytes(&world), before, "{what}");
        assert!(!world.path(".git/index.lock").exists(), "{what}");
        world.git(&["fsck", "--strict", "--no-dangling"]);
    }
}

/// `KILLS` asks for more.
fn rounds() -> usize {
    std::env::var("KILLS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(60)
}

#[test]
fn killed_at_any_moment_whole_commits_stand_and_the_rest_is_known() {
    kill_in_rounds(rounds().div_ceil(2), 1);
}

#[test]
fn killed_at_any_other_moment_too() {
    kill_in_rounds(rounds() / 2, 2);
}

/// A run that was killed after the branch had moved for the `nth` time and before the index followed: made from one that
/// was killed before, by doing by hand what it would have done next.
fn killed_between_branch_and_index(nth: usize) -> (World, String, Vec<String>) {
    let world = World::with_message("");
    four(&world, 0);
    let (base, trees) = (world.head(), world.trees_of_adding(&FILES));
    let commits: Vec<(&str, &[&str])> = FILES.iter().map(|file| (*file, std::slice::from_ref(file))).collect();
    Roles::planner(&format!("echo $PPID > $root/pid\n{}", say(&plan(&commits))))
        .message(&format!(
            "file=$(sed -n 's/^[AM]\t.*\t//p' \"$prompt\")\n\
             if [ $file = {} ]; then\n\
             while [ $(git -C $root/repo rev-list --count HEAD) -lt {} ] || test -e $root/repo/.git/index.lock; do\n\
             sleep 0.01; done\nsleep 0.1; kill -9 $(cat $root/pid); sleep 5\nfi\necho \"feat: change $file\"",
            FILES[nth - 1],
            nth + 1
        ))
        .install(&world);
    let run = world.run(&[]);
    assert_eq!(run.code, -9, "{run:#?}");
    assert_eq!(landed(&world, &base, &trees), nth - 1);
    let [record] = records(&world).try_into().unwrap();
    let text = std::fs::read_to_string(&record).unwrap();
    let mut json: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    let commit = world.git(&["commit-tree", &trees[nth], "-p", "HEAD", "-m", "feat: by hand"]);
    json["steps"][nth - 1]["message"] = "feat: by hand\n".into();
    json["steps"][nth - 1]["commit"] = commit.clone().into();
    std::fs::write(&record, format!("{text}\n{json}\n")).unwrap();
    world.git(&["update-ref", "refs/heads/main", &commit]);
    let lock = world.path(".git/index.lock");
    std::fs::write(&lock, "").unwrap();
    let inode = std::os::unix::fs::MetadataExt::ino(&lock.metadata().unwrap());
    std::fs::write(&lock, format!("stagecoach {} {inode}\n", json["process"].as_str().unwrap())).unwrap();
    // The agent's folders are not in the repository; the system clears them.
    for entry in std::fs::read_dir(world.root().join("tmp")).unwrap() {
        std::fs::remove_dir_all(entry.unwrap().path()).unwrap();
    }
    (world, base, trees)
}

#[test]
fn killed_between_branch_and_index_the_index_is_brought_along() {
    for nth in 1..=FILES.len() {
        let (world, base, trees) = killed_between_branch_and_index(nth);
        assert_eq!(world.git(&["diff", "--cached", "--name-only"]), FILES[nth - 1]);
        finish(&world, &base, &trees, &format!("killed after {nth}"));
        world.assert_whole(trees.last().unwrap(), &base);
    }
}

#[test]
fn a_run_after_such_a_kill_does_not_take_back_what_landed() {
    let (world, base, trees) = killed_between_branch_and_index(2);
    let rest: Vec<(&str, &[&str])> = FILES[2..].iter().map(|file| (*file, std::slice::from_ref(file))).collect();
    Roles::plan(&rest).install(&world);
    world.run(&[]).succeeds();
    assert_eq!(landed(&world, &base, &trees), 4);
    assert_eq!(world.git(&["status", "--porcelain"]), "");
}

#[test]
fn locks_of_refs_that_a_killed_run_left_are_cleared_and_those_of_others_are_not() {
    for (head, branch, cleared) in [
        (Some(""), Some(""), true),
        (Some(""), None, true),
        (Some(""), Some("ours"), true),
        (Some(""), Some("x"), false),
    ] {
        let (world, base, trees) = killed_between_branch_and_index(1);
        let ours = world.head() + "\n";
        for (name, content) in [("HEAD.lock", head), ("refs/heads/main.lock", branch)] {
            if let Some(content) = content {
                let content = if content == "ours" { &ours } else { content };
                std::fs::write(world.path(".git").join(name), content).unwrap();
            }
        }
        let run = world.run(&["rescue", "commit"]);
        assert_eq!(run.code, if cleared { 0 } else { 3 }, "{run:#?}");
        assert_eq!(landed(&world, &base, &trees), if cleared { 4 } else { 1 });
        assert_eq!(world.path(".git/HEAD.lock").exists(), !cleared);
    }
}

#[test]
fn killed_while_all_messages_are_written_the_titles_serve() {
    let world = World::with_message("");
    four(&world, 0);
    let (base, trees) = (world.head(), world.trees_of_adding(&FILES));
    let commits: Vec<(&str, &[&str])> = FILES.iter().map(|file| (*file, std::slice::from_ref(file))).collect();
    // The second commit's message comes first and is noted; then the run dies.
    Roles::planner(&format!("echo $PPID > $root/pid\n{}", say(&plan(&commits))))
        .message(
            "file=$(sed -n 's/^[AM]\t.*\t//p' \"$prompt\")\n[ $file = b ] && echo 'feat: change b' && exit\n\
             [ $file = a ] && while ! grep -qr 'feat: change b' $root/repo/.git/stagecoach; do sleep 0.01; done && kill -9 $(cat $root/pid)\n\
             sleep 5",
        )
        .settings("[generation]\nmax_parallel = 4\n")
        .install(&world);
    assert_eq!(world.run(&[]).code, -9);
    std::thread::sleep(Duration::from_millis(50));
    world.run(&["rescue", "commit"]).succeeds();
    assert_eq!(world.subjects_since(&base), ["a", "feat: change b", "c", "d"]);
    assert_eq!(landed(&world, &base, &trees), 4);
    assert_eq!(world.git(&["status", "--porcelain"]), "");
}
