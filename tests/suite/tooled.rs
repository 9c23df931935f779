//! An agent that stages with git, in a repository of its own: what it sees, what becomes of it, and who does it.

use serde_json::{Value, json};

use crate::decompose::{NAME_THE_FIRST_LINE, numbered};
use crate::support::{Roles, World, say};

/// Replaces line 3 of the file that [`shared`] makes.
pub const EARLY: &str = "\
git apply --cached --unidiff-zero - <<'PATCH'
--- a/shared
+++ b/shared
@@ -3 +3 @@
-line 3
+early
PATCH";

/// A file whose lines 3 and 15 changed, and another one.
pub fn shared() -> World {
    let world = World::with_message("");
    world.commit("Add files", &[("shared", &numbered(&[])), ("other", "1\n"), ("same", "s\n")]);
    world.write("shared", numbered(&[(3, "early"), (15, "late")]));
    world.write("other", "beside\n");
    std::fs::create_dir_all(world.home(".tool")).unwrap();
    world
}

/// The text of a provider `tool` that stages by a script. In it `$task` is the concept's id, and `$log` a folder that
/// agents may write to. Called without tools, it answers what `bare` prints.
pub fn tool(world: &World, bare: &str, script: &str) -> String {
    let program = world.script(
        "tool",
        &format!(
            "log=$HOME/.tool\nif [ \"$1\" != --tooled ]; then cat > /dev/null\n{bare}\nexit; fi\n\
             cat > $log/prompt.$$\n\
             task=$(sed -n 's/.*Stage the commit \\(c[0-9]*\\) of.*/\\1/p' $log/prompt.$$ | head -n 1)\n\
             echo $task >> $log/calls\n{script}\necho staged"
        ),
    );
    format!(
        "[provider.tool]\ncommand = {program:?}\ntooled_flags = [\"--tooled\"]\n[role.stager]\nprovider = \"tool\"\n"
    )
}

/// Always with tools.
pub const TOOLED: &str = "[decompose]\nstager = \"tooled\"\n";

/// Two commits of the shared file; the agent stages by a script.
pub fn roles(world: &World, script: &str) -> Roles {
    Roles::plan(&[("One", &["shared"]), ("Two", &["shared", "other"])])
        .message(NAME_THE_FIRST_LINE)
        .settings(&format!("{TOOLED}{}", tool(world, "exit 9", script)))
}

/// The concepts that the agent was to stage, in order.
pub fn tasks(world: &World) -> String {
    std::fs::read_to_string(world.home(".tool/calls"))
        .unwrap_or_default()
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}

pub fn log(world: &World, name: &str) -> String {
    std::fs::read_to_string(world.home(".tool").join(name)).unwrap_or_default()
}

/// `git apply` for the first concept, everything for all others.
pub fn good() -> String {
    format!("if [ $task = c1 ]; then {EARLY}\nelse git add -A; fi")
}

#[test]
fn each_commit_is_staged_by_the_agent_in_turn() {
    let world = shared();
    let (base, tree) = (world.head(), world.whole_tree());
    roles(&world, &good()).install(&world);
    let run = world.run(&["--json", "--verbose"]).succeeds().says(&["staging: tooled, tool stages with git"]);
    assert_eq!(world.subjects_since(&base), ["feat: say early", "feat: say beside"]);
    assert_eq!(world.git(&["show", "HEAD^:shared"]) + "\n", numbered(&[(3, "early")]));
    assert_eq!(world.files_since(&base), [vec!["shared"], vec!["other", "shared"]]);
    assert_eq!((tasks(&world).as_str(), world.calls_of("stager")), ("c1 c2", 0));
    let json: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(json["roles"]["stager"]["provider"], "tool");
    world.assert_whole(&tree, &base);
}

#[test]
fn a_patch_that_takes_some_lines_of_a_hunk_is_a_commit_of_them() {
    let world = World::with_message("");
    world.commit("Add files", &[("shared", "1\n2\n"), ("other", "1\n")]);
    world.write("shared", "one\ntwo\n");
    std::fs::create_dir_all(world.home(".tool")).unwrap();
    let (base, tree) = (world.head(), world.whole_tree());
    let part =
        "git apply --cached --unidiff-zero - <<'PATCH'\n--- a/shared\n+++ b/shared\n@@ -2 +2 @@\n-2\n+two\nPATCH";
    Roles::plan(&[("One", &["shared"]), ("Two", &["shared"])])
        .message(NAME_THE_FIRST_LINE)
        .settings(&format!(
            "{TOOLED}{}",
            tool(&world, "", &format!("if [ $task = c1 ]; then {part}\nelse git add -A; fi"))
        ))
        .install(&world);
    world.run(&["plan", "-o", "../plan.json", "--commits", "2"]).succeeds();
    let text = std::fs::read_to_string(world.root().join("plan.json")).unwrap();
    let file: Value = serde_json::from_str(&text).unwrap();
    // Half a hunk cannot be named, so the plan carries the trees.
    assert_eq!(world.git(&["show", &format!("{}:shared", file["commits"][0]["tree"].as_str().unwrap())]), "1\ntwo");
    world.run(&["apply", "../plan.json"]).succeeds();
    assert_eq!(world.git(&["show", "HEAD^:shared"]), "1\ntwo");
    assert_eq!(world.subjects_since(&base), ["feat: say two", "feat: say one"]);
    world.assert_whole(&tree, &base);
}

#[test]
fn the_agent_sees_its_own_repository_and_no_other() {
    let mut world = shared();
    world.write("deleted", "d\n");
    world.git(&["add", "-A"]);
    world.git(&["commit", "-q", "-m", "More"]);
    std::fs::remove_file(world.path("deleted")).unwrap();
    world.write("shared", numbered(&[(3, "early"), (15, "late"), (20, "last")]));
    world.write("deep/new", "n\n");
    world.set("GIT_AUTHOR_NAME", "Somebody").set("OLDPWD", "/somewhere").set("GIT_SSH_COMMAND", "no");
    let (base, tree) = (world.head(), world.whole_tree());
    let look = "if [ $task = c1 ]; then exec 3>&1 >$log/seen\n\
                env | grep -E '^(GIT_|PWD|OLDPWD|TMPDIR|STAGECOACH)' | grep -v '=.*tmp/stagecoach-' ; echo --\n\
                git status --porcelain; echo --; ls; echo --; git config --get-regexp '^(user|alias|hook)'; echo --\n\
                git -C ../.. status --porcelain | wc -l; pwd; echo $PWD; echo $OLDPWD; echo $TMPDIR\n\
                git diff --cached --name-only; git log --format=%T; exec 1>&3; fi; git add -A";
    Roles::plan(&[("One", &["shared"]), ("Two", &["deep", "deleted"])])
        .settings(&format!("{TOOLED}{}", tool(&world, "", look)))
        .install(&world);
    world.run(&["--context", "mind the gap"]).succeeds();
    let seen = log(&world, "seen");
    let parts: Vec<&str> = seen.split("--\n").collect();
    let mut variables: Vec<&str> = parts[0].lines().collect();
    variables.sort_unstable();
    assert_eq!(
        variables,
        [
            "GIT_ATTR_NOSYSTEM=1",
            "GIT_CONFIG_NOSYSTEM=1",
            "GIT_DEFAULT_REF_FORMAT=files",
            "GIT_EDITOR=:",
            "GIT_NO_LAZY_FETCH=1",
            "GIT_PAGER=cat",
            "GIT_TERMINAL_PROMPT=0",
            "STAGECOACH=1",
            "STAGECOACH_ROLE=stager",
        ]
    );
    assert_eq!(parts[1], " D deleted\n M shared\n?? deep/\n");
    assert_eq!(parts[2], "deep\nshared\n", "unchanged files are not there");
    assert_eq!(parts[3], "user.useconfigonly true\n");
    let mut rest = parts[4].lines();
    assert_eq!(rest.next().unwrap().trim(), "3", "GIT_DIR names the scratch repository from everywhere");
    let places: Vec<&str> = rest.by_ref().take(4).collect();
    let scratch = world.root().join("tmp/stagecoach-");
    assert!(places.iter().all(|place| place.starts_with(scratch.to_str().unwrap())), "{places:?}");
    assert!(places[..3].iter().all(|place| *place == places[0]) && places[0] != places[3], "{places:?}");
    assert_eq!(rest.collect::<Vec<_>>(), [world.git(&["rev-parse", &format!("{base}^{{tree}}")])]);
    let prompt = std::fs::read_dir(world.home(".tool"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.file_name().unwrap().to_string_lossy().starts_with("prompt."))
        .map(|path| std::fs::read_to_string(path).unwrap())
        .find(|text| text.contains("Stage the commit c1"))
        .unwrap();
    for text in ["c1: One", "c2: Two", "- shared", "- deleted", "mind the gap", "Never commit"] {
        assert!(prompt.contains(text), "{text} in {prompt}");
    }
    // The first agent took everything, so nothing was left for the second.
    assert_eq!(world.subjects_since(&base).len(), 1);
    world.assert_whole(&tree, &base);
}

#[test]
fn contents_pass_as_they_are_whatever_converts_them_in_the_repository() {
    let world = World::with_message("");
    std::fs::create_dir_all(world.home(".tool")).unwrap();
    for (key, value) in [("core.autocrlf", "true"), ("filter.up.clean", "tr a-z A-Z"), ("filter.up.smudge", "cat")] {
        world.git(&["config", key, value]);
    }
    world.write(".gitattributes", "* text=auto\nupper filter=up\nid ident\nwide working-tree-encoding=UTF-16LE\n");
    let files = ["upper", "id", "lines"];
    files.iter().for_each(|file| world.write(file, "start\n"));
    world.git(&["add", "-A"]);
    world.git(&["commit", "-q", "-m", "Start"]);
    for file in files {
        world.write(file, "start\r\n$Id: 1 $\r\nmore\r\n");
    }
    world.write("wide", "w\0\n\0");
    let (base, tree) = (world.head(), world.whole_tree());
    Roles::plan(&[("One", &["upper", "id"]), ("Two", &["lines", "wide"])])
        .settings(&format!(
            "{TOOLED}{}",
            tool(&world, "", "if [ $task = c1 ]; then git add upper id; else git add -A; fi")
        ))
        .install(&world);
    world.run(&[]).succeeds();
    assert_eq!(world.files_since(&base), [["id", "upper"], ["lines", "wide"]]);
    assert_eq!(world.git(&["show", "HEAD:upper"]), "START\n$ID: 1 $\nMORE");
    assert_eq!(world.git(&["rev-parse", "HEAD^{tree}"]), tree);
    world.assert_tidy();
}

#[test]
fn what_cannot_be_taken_apart_goes_by_the_plan() {
    let world = World::with_message("");
    std::fs::create_dir_all(world.home(".tool")).unwrap();
    world.commit("Add files", &[("text", "1\n"), ("tool.sh", "1\n"), ("old", "a\nb\nc\nd\n"), ("gone", "g\n")]);
    world.write("text", "one\n");
    world.write("binary", "\0\u{1}");
    std::fs::rename(world.path("old"), world.path("new")).unwrap();
    std::os::unix::fs::symlink("text", world.path("link")).unwrap();
    std::os::unix::fs::PermissionsExt::set_mode(&mut world.path("tool.sh").metadata().unwrap().permissions(), 0o755);
    std::fs::set_permissions(world.path("tool.sh"), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    std::fs::remove_file(world.path("gone")).unwrap();
    let (base, tree) = (world.head(), world.whole_tree());
    Roles::plan(&[("Whole", &["binary", "link", "tool.sh", "new"]), ("Text", &["text", "gone"])])
        .settings(&format!("{TOOLED}{}", tool(&world, "", "ls > $log/seen; git add -A")))
        .install(&world);
    world.run(&[]).succeeds();
    // For the first commit nobody had to be asked.
    assert_eq!((tasks(&world).as_str(), log(&world, "seen").as_str()), ("c2", "text\n"));
    assert_eq!(world.files_since(&base), [vec!["binary", "link", "new", "old", "tool.sh"], vec!["gone", "text"]]);
    world.assert_whole(&tree, &base);
}

#[test]
fn files_that_no_agent_may_see_go_by_the_plan() {
    let world = shared();
    let token = format!("ghp_{}", "a1B2c3D4e5F6".repeat(3));
    world.write("deploy", format!("token: {token}\n"));
    world.write("private/notes", "n\n");
    let (base, tree) = (world.head(), world.whole_tree());
    let script = "git ls-files -s -t > $log/index; ls -R > $log/seen; git add -A";
    Roles::plan(&[("One", &["deploy", "private"]), ("Two", &["shared", "other"])])
        .settings(&format!("{TOOLED}{}", tool(&world, "", script)))
        .install(&world);
    world.run(&["--exclude", "private/", "-v"]).succeeds().says(&["deploy holds what looks like a credential"]);
    assert_eq!((tasks(&world).as_str(), log(&world, "seen").as_str()), ("c2", ".:\nother\nshared\n"));
    assert_eq!(world.files_since(&base), [["deploy", "private/notes"], ["other", "shared"]]);
    world.assert_whole(&tree, &base);
}

#[test]
fn without_a_commit_yet_everything_is_new() {
    let world = World::new();
    std::fs::create_dir_all(world.home(".tool")).unwrap();
    world.write("shared", "1\n2\n");
    world.write("other", "o\n");
    let tree = world.whole_tree();
    let first = "git apply --cached - <<'PATCH'\n--- /dev/null\n+++ b/shared\n@@ -0,0 +1 @@\n+1\nPATCH";
    roles(&world, &format!("if [ $task = c1 ]; then {first}\nelse git add -A; fi"))
        .message("echo \"feat: say $(sed -n 's/^+//p' \"$prompt\" | grep -v '^++' | tr -d '\\n')\"")
        .install(&world);
    world.run(&[]).succeeds();
    assert_eq!(world.git(&["show", "HEAD^:shared"]), "1");
    assert_eq!(world.git(&["rev-parse", "HEAD^{tree}"]), tree);
    world.assert_tidy();
}

#[test]
fn a_repository_with_other_ids_gets_a_scratch_repository_with_them() {
    let world = World::new();
    std::fs::remove_dir_all(world.path(".git")).unwrap();
    world.git(&["init", "-q", "--object-format=sha256"]);
    world.commit("Add files", &[("shared", &numbered(&[])), ("other", "1\n")]);
    world.write("shared", numbered(&[(3, "early"), (15, "late")]));
    world.write("other", "beside\n");
    std::fs::create_dir_all(world.home(".tool")).unwrap();
    let (base, tree) = (world.head(), world.whole_tree());
    roles(&world, &good()).install(&world);
    world.run(&[]).succeeds();
    assert_eq!(world.git(&["show", "HEAD^:shared"]) + "\n", numbered(&[(3, "early")]));
    assert_eq!(world.files_since(&base), [vec!["shared"], vec!["other", "shared"]]);
    world.assert_whole(&tree, &base);
}

#[test]
fn hunks_that_could_not_be_sorted_are_staged_with_git() {
    for bare in ["echo garbage", "exit 5"] {
        let world = shared();
        let (base, tree) = (world.head(), world.whole_tree());
        Roles::plan(&[("One", &["shared"]), ("Two", &["shared", "other"])])
            .message(NAME_THE_FIRST_LINE)
            .settings(&tool(&world, bare, &good()))
            .install(&world);
        world.run(&[]).succeeds().says(&["could not be sorted, so they are staged with git"]);
        assert_eq!(tasks(&world), "c1 c2", "{bare}");
        assert_eq!(world.files_since(&base), [vec!["shared"], vec!["other", "shared"]], "{bare}");
        world.assert_whole(&tree, &base);
    }
}

#[test]
fn by_itself_it_is_done_only_where_it_may_help_and_is_wanted() {
    let refused = "echo 'Error: 401 Unauthorized' >&2; exit 1";
    let hunks = "[decompose]\nstager = \"hunks\"\n";
    for (bare, settings) in [(refused, ""), ("echo garbage", hunks)] {
        let world = shared();
        let (base, tree) = (world.head(), world.whole_tree());
        Roles::plan(&[("One", &["shared", "other"]), ("Two", &["shared"])])
            .message(NAME_THE_FIRST_LINE)
            .arbiter(&say(&json!({ "target": null })))
            .settings(&format!("{settings}{}", tool(&world, bare, &good())))
            .install(&world);
        world.run(&[]).succeeds().says(&["could not be sorted, so they go together"]);
        assert_eq!(tasks(&world), "", "{bare}");
        world.assert_whole(&tree, &base);
    }
    // Nor does anybody stage instead of a writer that asks nobody.
    let world = shared();
    let program = world.script("claude", "cat > /dev/null; touch $HOME/.tool/asked");
    std::os::unix::fs::symlink(program, world.root().join("bin/claude")).unwrap();
    Roles::plan(&[("One", &["shared"]), ("Two", &["shared", "other"])])
        .message(NAME_THE_FIRST_LINE)
        .settings(&format!("{TOOLED}[role.stager]\nprovider = \"offline\"\n"))
        .install(&world);
    world.run(&[]).succeeds().says(&["provider `offline` cannot stage with git, so hunks are sorted instead"]);
    assert!(!world.home(".tool/asked").exists());
    // Where no file is shared nobody is asked at all.
    let world = shared();
    Roles::plan(&[("One", &["shared"]), ("Two", &["other"])]).settings(&tool(&world, "", "exit 1")).install(&world);
    world.run(&[]).succeeds();
    assert_eq!(tasks(&world), "");
}

#[test]
fn a_provider_without_tools_leaves_it_to_an_installed_one_that_has_them() {
    let world = shared();
    let (base, tree) = (world.head(), world.whole_tree());
    // The built-in claude, as a script on PATH.
    let program = world.script(
        "claude",
        &format!(
            "echo \"$@\" >> $HOME/.tool/argv; cat > $HOME/.tool/in\n\
             task=$(sed -n 's/.*Stage the commit \\(c[0-9]*\\) of.*/\\1/p' $HOME/.tool/in)\n{}\necho staged",
            good()
        ),
    );
    std::os::unix::fs::symlink(program, world.root().join("bin/claude")).unwrap();
    Roles::plan(&[("One", &["shared"]), ("Two", &["shared", "other"])])
        .message(NAME_THE_FIRST_LINE)
        .settings(&format!("{TOOLED}[role.stager]\nmodel = \"of-another\"\n"))
        .install(&world);
    world.run(&[]).succeeds().says(&["provider `fake` cannot stage with git; `claude` does it"]);
    let argv = log(&world, "argv");
    assert_eq!(argv.matches("--allowed-tools Bash(git add:*)").count(), 2, "{argv}");
    assert!(!argv.contains("of-another"), "{argv}");
    assert_eq!(world.files_since(&base), [vec!["shared"], vec!["other", "shared"]]);
    world.assert_whole(&tree, &base);
}

#[test]
fn without_any_such_provider_hunks_are_sorted() {
    let world = shared();
    let (base, tree) = (world.head(), world.whole_tree());
    Roles::plan(&[("One", &["shared"]), ("Two", &["shared", "other"])])
        .sorts(&["c1", "c2"])
        .message(NAME_THE_FIRST_LINE)
        .settings(TOOLED)
        .install(&world);
    world.run(&[]).succeeds().says(&["provider `fake` cannot stage with git, so hunks are sorted instead"]);
    assert_eq!(world.files_since(&base), [vec!["shared"], vec!["other", "shared"]]);
    world.assert_whole(&tree, &base);
}

#[test]
fn a_partial_clone_that_lacks_objects_is_not_staged_with_git() {
    for lacks in [false, true] {
        let world = shared();
        world.git(&["config", "remote.origin.promisor", "true"]);
        if lacks {
            // Not there in the working tree either, where git would find it again.
            world.git(&["update-index", "--skip-worktree", "same"]);
            std::fs::remove_file(world.path("same")).unwrap();
            let id = world.git(&["rev-parse", "HEAD:same"]);
            std::fs::remove_file(world.path(&format!(".git/objects/{}/{}", &id[..2], &id[2..]))).unwrap();
        }
        let base = world.head();
        Roles::plan(&[("One", &["shared"]), ("Two", &["shared", "other"])])
            .message(NAME_THE_FIRST_LINE)
            .settings(&format!(
                "{TOOLED}{}",
                tool(&world, &say(&json!({ "assignments": { "1": "c1", "2": "c2" } })), &good())
            ))
            .install(&world);
        let run = world.run(&[]).succeeds();
        assert_eq!(run.stderr.contains("objects of this partial clone are not here"), lacks, "{run:#?}");
        assert_eq!(tasks(&world), if lacks { "" } else { "c1 c2" });
        assert_eq!(world.files_since(&base), [vec!["shared"], vec!["other", "shared"]]);
    }
}

#[test]
fn what_was_not_staged_goes_where_the_arbiter_says() {
    let world = shared();
    let (base, tree) = (world.head(), world.whole_tree());
    roles(&world, &format!("if [ $task = c1 ]; then {EARLY}\nelse git add other; fi"))
        .arbiter(&say(&json!({ "target": "c1" })))
        .install(&world);
    world.run(&[]).succeeds();
    assert_eq!(world.files_since(&base), [["shared"], ["other"]]);
    let arbiter = world.prompts_of("arbiter").remove(0);
    assert!(arbiter.contains("+late") && !arbiter.contains("+early"), "{arbiter}");
    world.assert_whole(&tree, &base);
}
