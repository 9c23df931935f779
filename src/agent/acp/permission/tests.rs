use serde_json::json;
use tempfile::TempDir;

use super::*;

/// A repository and a folder for temporary files, with ways out.
struct Scene {
    root: TempDir,
    places: Places,
}

impl Scene {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        for folder in ["repository/.git", "repository/src", "tmp", "elsewhere"] {
            std::fs::create_dir_all(root.path().join(folder)).unwrap();
        }
        for file in ["repository/a", "repository/src/b", "tmp/patch", "elsewhere/secret"] {
            std::fs::write(root.path().join(file), "x").unwrap();
        }
        for (to, link) in
            [("elsewhere", "repository/out"), ("nowhere", "repository/dead"), ("repository/.git", "repository/inner")]
        {
            std::os::unix::fs::symlink(root.path().join(to), root.path().join(link)).unwrap();
        }
        let places = Places::new(&root.path().join("repository"), &root.path().join("tmp")).unwrap();
        Self { root, places }
    }

    fn path(&self, path: &str) -> String {
        self.root.path().join(path).display().to_string()
    }

    fn ask(&self, call: &Value) -> Decision {
        let options = json!([
            {"optionId": "always", "name": "A", "kind": "allow_always"},
            {"optionId": "yes", "name": "Y", "kind": "allow_once"},
            {"optionId": "no", "name": "N", "kind": "reject_once"}
        ]);
        let mut call = call.clone();
        call["toolCallId"] = json!("t");
        decide(json!({"sessionId": "s", "toolCall": call, "options": options}), Some(&self.places))
    }

    /// Whether it is allowed; never for more than once.
    fn allows(&self, call: &Value) -> bool {
        let decision = self.ask(call);
        let chosen = serde_json::to_value(&decision.response).unwrap();
        let allowed = chosen == json!({"outcome": {"outcome": "selected", "optionId": "yes"}});
        assert!(allowed || chosen["outcome"]["optionId"] == "no", "{chosen}");
        assert_eq!(decision.told.starts_with("allowed: "), allowed, "{}", decision.told);
        allowed
    }

    fn runs(&self, command: &str) -> bool {
        self.allows(&json!({"kind": "execute", "title": "t", "rawInput": {"command": command, "description": "d"}}))
    }
}

fn answer(options: &Value) -> Value {
    let call = json!({"toolCallId": "t", "title": "rm -rf /"});
    let request = json!({"sessionId": "s", "toolCall": call, "options": options});
    serde_json::to_value(decide(request, None).response).unwrap()
}

#[test]
fn nothing_is_ever_allowed_in_answering() {
    let allow = json!({"optionId": "yes", "name": "Yes", "kind": "allow_once"});
    let reject = json!({"optionId": "no", "name": "No", "kind": "reject_once"});
    let never = json!({"optionId": "never", "name": "Never", "kind": "reject_always"});
    assert_eq!(answer(&json!([allow, never, reject])), json!({"outcome": {"outcome": "selected", "optionId": "no"}}));
    assert_eq!(answer(&json!([allow, never])), json!({"outcome": {"outcome": "selected", "optionId": "never"}}));
    for strange in [json!([allow]), json!([]), json!("x"), json!([{"optionId": "a", "kind": "new"}])] {
        assert_eq!(answer(&strange), json!({"outcome": {"outcome": "cancelled"}}), "{strange}");
    }
    let git = json!({"toolCallId": "t", "kind": "execute", "rawInput": {"command": "git status"}});
    let request = json!({"sessionId": "s", "toolCall": git, "options": [allow, reject]});
    let decision = decide(request, None);
    assert_eq!(decision.told, "refused: git status (nothing is allowed in answering a question)");
}

#[test]
fn a_stager_may_stage_and_look() {
    let scene = Scene::new();
    for command in [
        "git add -A",
        "git add -- a src/b",
        "git add .",
        "git add --all -v",
        "git add -u src",
        "git add 'a new file'",
        "git status",
        "git status --porcelain=v1 -uall",
        "git status -sb",
        "git diff",
        "git diff --cached --stat",
        "git diff -U0 -- a src/b",
        "git diff HEAD",
        "git diff HEAD -- a",
        "git diff --no-color --unified=1 a",
        "git apply --cached --unidiff-zero -p1 -",
        "git apply --cached --check -",
        "git apply --cached - <<'PATCH'\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n+$(y)\nPATCH",
        "git apply --cached --unidiff-zero <<\"EOF\"\n+x; rm -rf /\nEOF\n",
    ] {
        assert!(
            scene.runs(command),
            "{command}: {}",
            scene.ask(&json!({"kind": "execute", "rawInput": {"command": command}})).told
        );
    }
    assert!(scene.runs(&format!("git apply --cached {}", scene.path("tmp/patch"))));
    assert!(scene.runs(&format!("git add {}", scene.path("repository/src/b"))));
}

#[test]
fn whatever_else_it_would_run_is_refused() {
    let scene = Scene::new();
    for command in [
        "",
        "ls",
        "cat a",
        "git",
        "git commit -m x",
        "git push",
        "git reset --hard",
        "git checkout -- a",
        "git config core.hooksPath /tmp",
        "git log",
        "git show HEAD",
        "git add-interactive",
        "/usr/bin/git add -A",
        "./git add -A",
        "GIT_DIR=/x git add -A",
        "env git add -A",
        "sudo git add -A",
        "git -C /etc status",
        "git -C .. add -A",
        "git -C. add -A",
        "git -c core.fsmonitor=/bin/x status",
        "git -cdiff.external=/bin/x diff",
        "git --git-dir=/x add -A",
        "git --git-dir /x status",
        "git --work-tree=/ add -A",
        "git --exec-path=/tmp add -A",
        "git --config-env=a=B status",
        "git -p diff",
        "git --paginate diff",
        "git --no-pager diff",
        "git diff --output=/tmp/x",
        "git diff --output /tmp/x",
        "git diff --outp=/tmp/x",
        "git diff -o /tmp/x",
        "git diff --no-index /etc/passwd a",
        "git diff --no-inde /etc/passwd a",
        "git diff /etc/passwd a",
        "git diff /etc/passwd /etc/group",
        "git diff -- /etc/passwd",
        "git diff --ext-diff",
        "git diff --ext-dif",
        "git diff --textconv",
        "git diff -O/etc/passwd",
        "git diff --relative=..",
        "git diff HEAD ../elsewhere/secret",
        "git diff origin/main",
        "git diff -- HEAD~1",
        "git diff ../elsewhere/secret",
        "git diff out/secret",
        "git diff .git/config",
        "git diff inner/config",
        "git diff src/../../elsewhere/secret",
        "git diff src/../.git/config",
        "git add ../elsewhere",
        "git add out/secret",
        "git add dead",
        "git add dead/x",
        "git add .git/config",
        "git add -- .git",
        "git add -p",
        "git add -i",
        "git add -e",
        "git add --patch",
        "git add --edit",
        "git add --interactive",
        "git add --chmod=+x a",
        "git add --pathspec-from-file=/etc/passwd",
        "git add --pathspec-from-file=-",
        "git add --renormalize .",
        "git add ':(top)'",
        "git add -- ':!a'",
        "git add ''",
        "git apply -",
        "git apply --index -",
        "git apply --cached --unsafe-paths -",
        "git apply --cached --unsafe-path -",
        "git apply --cached --directory=/etc -",
        "git apply --cached --directory=.. -",
        "git apply --cached --build-fake-ancestor=/tmp/x -",
        "git apply --cached --3way -",
        "git apply --cached --reject -",
        "git apply --cached -3",
        "git apply --cached /etc/passwd",
        "git apply --cached ../elsewhere/secret",
        "git apply --cached out/secret",
        "git apply --cached -p1x -",
        "git apply -- --cached",
        "git apply --cached -- ../elsewhere/secret",
        "git status -uno --output=x",
        "git status --porcelain=v1;touch x",
        "git status /etc",
        "git status ..",
        "git status --column=x",
        "git add -A <<'EOF'\nx\nEOF",
        "git diff - <<'EOF'\nx\nEOF",
        "git add a\ngit commit -m x",
        "git add a && git commit",
        "git add $(touch x)",
        "git diff | tee /tmp/x",
        "git diff > x",
        "cd src && git add b",
        "cd src\ngit add b",
        "bash -c 'git add a'",
        "sh -lc \"git add a\"",
        "xargs git add",
        "git submodule add x",
        "git update-index --add a",
        "git apply --cached - <<'PATCH'\nx\nPATCH\ntouch /tmp/x",
    ] {
        assert!(!scene.runs(command), "{command:?} is allowed");
    }
}

#[test]
fn what_stands_beside_a_command_counts() {
    let scene = Scene::new();
    let with = |key: &str, value: Value| {
        scene.allows(&json!({"kind": "execute", "rawInput": {"command": "git status", key: value}}))
    };
    assert!(with("description", json!("look")) && with("timeout", json!(5)) && with("is_background", json!(false)));
    assert!(with("cwd", json!(scene.path("repository"))) && with("workdir", json!(scene.path("repository/src"))));
    assert!(with("commands", json!(["git status"])));
    for (key, value) in [
        ("commands", json!(["git status", "touch x"])),
        ("cwd", json!(scene.path("elsewhere"))),
        ("cwd", json!(scene.path("repository/../elsewhere"))),
        ("cwd", json!(scene.path("repository/out"))),
        ("cwd", json!("src")),
        ("cwd", json!(7)),
        ("workdir", json!("/")),
        ("run_in_background", json!(true)),
        ("dangerouslyDisableSandbox", json!(true)),
        ("env", json!({"GIT_DIR": "/x"})),
        ("args", json!(["--output=x"])),
        ("stdin", json!("x")),
    ] {
        assert!(!with(key, value.clone()), "{key} {value}");
    }
    let call = |call: Value| scene.allows(&call);
    assert!(call(json!({"kind": "execute", "rawInput": {"command": ["git", "add", "a; b"]}})));
    assert!(!call(json!({"kind": "execute", "rawInput": {"command": ["bash", "-lc", "git add a"]}})));
    assert!(!call(json!({"kind": "execute", "rawInput": {"command": ["git", "add", 7]}})));
    // A title is for people: only the command itself is believed.
    assert!(!call(json!({"kind": "execute", "title": "git status"})));
    assert!(!call(json!({"kind": "execute", "title": "git status", "rawInput": "git status"})));
    assert!(!call(json!({"kind": "edit", "rawInput": {"command": "git status"}})));
    assert!(!call(json!({"rawInput": {"command": "git status"}})));
    assert!(!call(json!(null)));
}

#[test]
fn a_stager_may_read_its_own_files_and_no_others() {
    let scene = Scene::new();
    let reads = |input: Value, locations: Value| {
        scene.allows(&json!({"kind": "read", "rawInput": input, "locations": locations}))
    };
    let inside = scene.path("repository/src/b");
    assert!(reads(json!({"file_path": inside, "offset": 3}), json!([{"path": inside}])));
    assert!(reads(json!(null), json!([{"path": "a", "line": 2}])) && reads(json!({"filePath": "a"}), json!([])));
    assert!(reads(json!({"path": scene.path("tmp/patch")}), json!([])));
    for (input, locations) in [
        (json!({}), json!([])),
        (json!({"file_path": "/etc/passwd"}), json!([{"path": "a"}])),
        (json!({"file_path": "a"}), json!([{"path": "/etc/passwd"}])),
        (json!({"file_path": "a"}), json!([{}])),
        (json!({"file_path": ["a"]}), json!([])),
        (json!({"file_path": "a", "command": "touch x"}), json!([])),
        (json!({"file_path": "a", "glob": "/etc/*"}), json!([])),
        (json!({"file_path": scene.path("elsewhere/secret")}), json!([])),
        (json!({"file_path": "out/secret"}), json!([])),
        (json!({"file_path": "inner/config"}), json!([])),
        (json!({"file_path": "../elsewhere/secret"}), json!([])),
    ] {
        assert!(!reads(input.clone(), locations.clone()), "{input} {locations}");
    }
    for kind in ["edit", "delete", "move", "search", "fetch", "think", "switch_mode", "other", "new"] {
        assert!(
            !scene.allows(&json!({"kind": kind, "rawInput": {"file_path": "a"}, "locations": [{"path": "a"}]})),
            "{kind}"
        );
    }
}

#[test]
fn what_is_told_is_one_printable_line() {
    let scene = Scene::new();
    let told = |command: &str| scene.ask(&json!({"kind": "execute", "rawInput": {"command": command}})).told;
    assert_eq!(told("git add a"), "allowed: git add a");
    assert_eq!(told("touch x"), "refused: touch x (not git)");
    let hostile = told(&format!("\u{1b}[2J{}\nsecond", "x".repeat(900)));
    assert!(hostile.len() < 300 && !hostile.contains(['\u{1b}', '\n']), "{hostile}");
}

/// `allow_always` alone would allow what nobody has seen.
#[test]
fn nothing_is_allowed_for_good() {
    let scene = Scene::new();
    let options = json!([{"optionId": "always", "name": "A", "kind": "allow_always"}]);
    let call = json!({"toolCallId": "t", "kind": "execute", "rawInput": {"command": "git status"}});
    let request = json!({"sessionId": "s", "toolCall": call, "options": options});
    let decision = decide(request, Some(&scene.places));
    assert_eq!(serde_json::to_value(decision.response).unwrap(), json!({"outcome": {"outcome": "cancelled"}}));
}
