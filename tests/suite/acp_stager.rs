//! An agent that stages over the Agent Client Protocol, and asks for leave before it does anything.

use crate::decompose::{NAME_THE_FIRST_LINE, numbered};
use crate::support::{Roles, World};
use crate::tooled::{TOOLED, good, log, shared, tasks, tool};

/// The protocol's side of an agent. It does what `work` says, once leave is given.
const AGENT: &str = r#"
LOG=$HOME/.tool
reply() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$1"; }
want() {
  printf '{"jsonrpc":"2.0","id":"p","method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"t","kind":"execute","rawInput":{"command":"%s"}},"options":[{"optionId":"always","name":"A","kind":"allow_always"},{"optionId":"yes","name":"Y","kind":"allow_once"},{"optionId":"no","name":"N","kind":"reject_once"}]}}\n' "$1"
  IFS= read -r answer
  case $answer in
    *'"optionId":"yes"'*) printf 'yes %s\n' "$1" >> "$LOG/wanted"; printf '%b' "$1" | sh ;;
    *'"optionId":"no"'*) printf 'no %s\n' "$1" >> "$LOG/wanted" ;;
  esac
}
echo "$$" >> "$LOG/started"
while IFS= read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  case $line in
    *'"method":"initialize"'*) [ -e "$LOG/mute" ] && exit 1; reply '{"protocolVersion":1}' ;;
    *'"method":"session/new"'*)
      printf '%s\n' "$line" >> "$LOG/opened"
      reply '{"sessionId":"s","modes":{"currentModeId":"auto","availableModes":[{"id":"auto","name":"A"},{"id":"ask","name":"B"}]}}' ;;
    *'"method":"session/set_mode"'*) printf '%s\n' "$line" >> "$LOG/mode"; reply '{}' ;;
    *'"method":"session/prompt"'*)
      case $line in *'Stage the commit c1 of'*) task=c1 ;; *) task=c2 ;; esac
      echo $task >> "$LOG/calls"
      work
      printf '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"staged"}}}}\n'
      reply '{"stopReason":"end_turn"}' ;;
  esac
done
"#;

/// Replaces line 3 of the shared file, as an agent writes a command in JSON.
const EARLY: &str = r"git apply --cached --unidiff-zero - <<'PATCH'\\n--- a/shared\\n+++ b/shared\\n@@ -3 +3 @@\\n-line 3\\n+early\\nPATCH";

/// Two commits of the shared file. Over the protocol the agent does `work`, in a single call `script`.
fn install(world: &World, work: &str, script: &str) {
    let agent = world.script("acp-agent", &format!("work() {{ {work}; }}\n{AGENT}"));
    let provider = tool(world, "exit 9", script);
    let table =
        format!("[provider.tool.acp]\ncommand = [{agent:?}]\nuse = \"staging\"\nmodes = {{ tooled = \"ask\" }}\n");
    Roles::plan(&[("One", &["shared"]), ("Two", &["shared", "other"])])
        .message(NAME_THE_FIRST_LINE)
        .settings(&format!("{TOOLED}{provider}{table}"))
        .install(world);
}

fn careful() -> String {
    format!("if [ $task = c1 ]; then want 'touch pwned'; want \"{EARLY}\"; else want 'git add -A'; fi")
}

#[test]
fn each_commit_is_staged_within_what_is_allowed() {
    let world = shared();
    let (base, tree) = (world.head(), world.whole_tree());
    install(&world, &careful(), "exit 9");
    let run = world.run(&["--verbose"]).succeeds();
    assert_eq!(world.subjects_since(&base), ["feat: say early", "feat: say beside"]);
    assert_eq!(world.git(&["show", "HEAD^:shared"]) + "\n", numbered(&[(3, "early")]));
    let wanted = log(&world, "wanted");
    let answers: Vec<&str> = wanted.lines().filter_map(|line| line.split(" -").next()).collect();
    assert_eq!(answers, ["no touch pwned", "yes git apply", "yes git add"]);
    assert!(run.stderr.contains("refused: touch pwned (not git)") && run.stderr.contains("allowed: git add -A"));
    // Each works in its own scratch repository, in the mode that asks.
    let (opened, mode) = (log(&world, "opened"), log(&world, "mode"));
    assert_eq!(opened.lines().filter(|line| line.contains("/stagecoach-")).count(), 2, "{opened}");
    assert_eq!(mode.matches(r#""modeId":"ask""#).count(), 2, "{mode}");
    for pid in log(&world, "started").lines() {
        assert!(!std::path::Path::new(&format!("/proc/{pid}")).exists());
    }
    world.assert_whole(&tree, &base);
}

#[test]
fn what_it_does_without_leave_is_found_out() {
    let world = shared();
    let (base, tree) = (world.head(), world.whole_tree());
    let commit = "git add -A; git -c user.name=a -c user.email=a@b commit -qm x";
    install(&world, commit, "exit 9");
    world.run(&[]).fails_with(3).says(&["the stager did what it may not", "nothing was committed"]);
    assert_eq!((world.head(), world.whole_tree()), (base, tree));
}

#[test]
fn one_that_does_not_speak_stages_by_single_calls_and_that_is_said_once() {
    let world = shared();
    let base = world.head();
    install(&world, "exit 9", &good());
    std::fs::write(world.home(".tool/mute"), "").unwrap();
    let run = world.run(&[]).succeeds();
    assert_eq!(world.subjects_since(&base), ["feat: say early", "feat: say beside"]);
    assert_eq!(run.stderr.matches("tool stages by single calls").count(), 1, "{}", run.stderr);
    assert_eq!((tasks(&world).as_str(), log(&world, "started").lines().count()), ("c1 c2", 1));
}

#[test]
fn a_test_of_a_provider_starts_it_as_a_stager_too() {
    let test = |agent: &str| {
        let world = shared();
        install(&world, "exit 9", "exit 9");
        let path = world.root().join("acp-agent");
        let script = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, script.replace("echo \"$$\" >>", &format!("{agent}\necho \"$$\" >>"))).unwrap();
        let run = world.run(&["providers", "test", "tool"]).succeeds();
        assert_eq!(log(&world, "calls"), "", "no model is asked");
        assert!(run.stdout.contains("version 1 of the protocol"), "{run:?}");
        world.assert_tidy();
        (run, log(&world, "mode"))
    };
    let (run, mode) = test("");
    assert!(run.stdout.contains("starts as a stager") && mode.contains("\"ask\""), "{run:?} {mode}");
    let is_confined = run.stdout.contains("kept from writing to your repository");
    let (run, _) = test("echo 1 > \"$HOME/state\" || { echo 'no room for my state' >&2; exit 4; }");
    if is_confined {
        for text in ["it fails: tool ended while it got ready", "no room for my state", "stager = \"hunks\""] {
            assert!(run.stdout.contains(text), "{text} in {run:?}");
        }
        assert!(run.stdout.starts_with("tool: warn\n"), "{run:?}");
    }
}
