//! Runs that ask an agent over the Agent Client Protocol.

use crate::support::{World, plan};

/// An agent that names commits by their number. A word in the file `behave` makes it do otherwise.
const AGENT: &str = r#"
reply() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$1"; }
echo "$$" >> "$LOG/started"
while IFS= read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  session=$(printf '%s' "$line" | sed -n 's/.*"sessionId":"\([^"]*\)".*/\1/p')
  case $line in
    *'"method":"initialize"'*)
      grep -q silent "$LOG/behave" 2>/dev/null && { echo "no licence" >&2; exit 1; }
      reply '{"protocolVersion":1,"agentInfo":{"name":"Talker","version":"7.1"},"agentCapabilities":{"loadSession":true,"mcpCapabilities":{"http":true}}}' ;;
    *'"method":"session/new"'*) n=$((n + 1)); reply "{\"sessionId\":\"s$n\",\"modes\":{\"currentModeId\":\"auto\",\"availableModes\":[{\"id\":\"ask\",\"name\":\"A\"},{\"id\":\"auto\",\"name\":\"B\"}]},\"configOptions\":[{\"id\":\"model\",\"name\":\"M\",\"category\":\"model\",\"type\":\"select\",\"currentValue\":\"large\",\"options\":[{\"value\":\"large\",\"name\":\"L\"},{\"value\":\"small\",\"name\":\"S\"}]}]}" ;;
    *'"method":"session/prompt"'*)
      echo "$session" >> "$LOG/asked"
      ls "$XDG_STATE_HOME/stagecoach/seats/provider-talker" >> "$LOG/seats"
      grep -q hang "$LOG/behave" 2>/dev/null && continue
      grep -q once "$LOG/behave" 2>/dev/null && more=" of $$"
      printf '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"%s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"feat: write part %s%s"}}}}\n' "$session" "${session#s}" "$more"
      if grep -q thrifty "$LOG/behave" 2>/dev/null; then
        printf '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"%s","update":{"sessionUpdate":"usage_update","used":30,"size":900,"cost":{"amount":0.25,"currency":"USD"}}}}\n' "$session"
        reply '{"stopReason":"end_turn","usage":{"totalTokens":12,"inputTokens":10,"outputTokens":2}}'
      else
        reply '{"stopReason":"end_turn"}'
      fi ;;
  esac
done
"#;

/// Three files in three commits by plan, and messages over the protocol.
fn world(usage: &str) -> World {
    let (world, agent) = with_agent();
    let log = world.root().display().to_string();
    let answer = plan(&[("A", &["a"]), ("B", &["b"]), ("C", &["c"])]);
    let planner = world.script("planner", &format!("cat > /dev/null\ncat <<'END'\n{answer}\nEND"));
    let single =
        world.script("single", &format!("cat > /dev/null; echo x >> '{log}/singles'; echo \"feat: make call $$\""));
    world.config(&format!(
        "config_version = 3\n[defaults]\nprovider = \"talker\"\n[role.planner]\nprovider = \"planner\"\n\
         [provider.planner]\ncommand = {planner:?}\n[provider.talker]\ncommand = {single:?}\n\
         [provider.talker.acp]\ncommand = [{agent:?}]\nuse = \"{usage}\"\n"
    ));
    world
}

/// Three changed files, and an agent that speaks the protocol.
fn with_agent() -> (World, String) {
    let world = World::new();
    world.commit("Base", &[("a", "1\n"), ("b", "1\n"), ("c", "1\n")]);
    for name in ["a", "b", "c"] {
        world.write(name, "2\n");
    }
    let log = world.root().display().to_string();
    let agent = world.script("acp-agent", &format!("LOG='{log}'\nn=0{AGENT}"));
    (world, agent)
}

fn lines(world: &World, name: &str) -> Vec<String> {
    let text = std::fs::read_to_string(world.root().join(name)).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

/// The folders that runs have made and not taken away.
#[cfg(target_os = "linux")]
fn folders_left(world: &World) -> Vec<std::path::PathBuf> {
    let git_dir = std::path::PathBuf::from(world.git(&["rev-parse", "--absolute-git-dir"]));
    let entries = [world.root().join("tmp"), git_dir].into_iter().flat_map(|folder| std::fs::read_dir(folder).unwrap());
    let paths = entries.map(|entry| entry.unwrap().path());
    paths.filter(|path| path.file_name().unwrap().to_string_lossy().starts_with("stagecoach-")).collect()
}

/// Makes folders that nobody has signed yet older than anybody takes to sign one; whether there are any. A run that was
/// killed in between leaves them, and only their age tells that nobody is about to.
#[cfg(target_os = "linux")]
fn age_unsigned(world: &World) -> bool {
    let is_empty = |entry: std::io::Result<std::fs::DirEntry>| entry.unwrap().metadata().unwrap().len() == 0;
    let mut unsigned = folders_left(world);
    unsigned.retain(|path| std::fs::read_dir(path).unwrap().all(is_empty));
    for folder in &unsigned {
        let past = std::time::SystemTime::now() - std::time::Duration::from_secs(3600);
        let times = std::fs::FileTimes::new().set_modified(past).set_accessed(past);
        std::fs::File::open(folder).unwrap().set_times(times).unwrap();
    }
    !unsigned.is_empty()
}

/// Whether one of the agent's processes still runs; others may have its number by now.
fn runs(world: &World) -> bool {
    let is_agent = |line: &[u8]| line.windows(9).any(|part| part == b"acp-agent");
    let mut pids = lines(world, "started").into_iter();
    pids.any(|pid| std::fs::read(format!("/proc/{pid}/cmdline")).is_ok_and(|line| is_agent(&line)))
}

#[test]
fn several_messages_come_from_one_process() {
    let world = world("auto");
    let base = world.head();
    world.run(&[]).succeeds();
    let mut subjects = world.subjects_since(&base);
    subjects.sort();
    assert_eq!(subjects, ["feat: write part 1", "feat: write part 2", "feat: write part 3"]);
    assert_eq!(
        (lines(&world, "started").len(), lines(&world, "asked").len(), lines(&world, "singles").len()),
        (1, 3, 0)
    );
    assert!(!runs(&world));
    world.assert_tidy();
}

#[test]
fn what_the_agent_reports_to_have_used_is_added_up() {
    let world = world("auto");
    std::fs::write(world.root().join("behave"), "thrifty").unwrap();
    let run = world.run(&["--json", "--usage"]).succeeds();
    let document: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    let messages = serde_json::json!({
        "calls": 3, "input_tokens": 30, "output_tokens": 6, "cached_tokens": null, "cost_usd": 0.75, "partial": []
    });
    assert_eq!(document["usage"]["roles"]["message"], messages);
    let planner = &document["usage"]["roles"]["planner"];
    assert_eq!((&planner["calls"], &planner["input_tokens"]), (&1.into(), &serde_json::Value::Null));
    // The planner is another agent, which reports nothing.
    run.says(&["usage: 4 calls, at least 30 tokens in, at least 6 tokens out, at least $0.7500\n"]);
}

#[test]
fn each_prompt_takes_a_seat() {
    let world = world("auto");
    let path = world.home(".config/stagecoach/config.toml");
    let config = std::fs::read_to_string(&path).unwrap();
    std::fs::write(path, format!("{config}[admission]\nmax_active = 1\n")).unwrap();
    world.run(&[]).succeeds();
    let seated = |name: &String| name.contains(".seated.");
    assert_eq!(
        (lines(&world, "asked").len(), lines(&world, "seats").iter().filter(|name| seated(name)).count()),
        (3, 3)
    );
    let left = std::fs::read_dir(world.home(".local/state/stagecoach/seats/provider-talker")).unwrap();
    assert!(!left.map(|entry| entry.unwrap().file_name().into_string().unwrap()).any(|name| seated(&name)));
}

#[test]
fn a_single_message_is_a_single_call_unless_it_is_to_be_always() {
    for (usage, calls) in [("auto", (0, 1)), ("never", (0, 1)), ("staging", (0, 1)), ("always", (1, 0))] {
        let world = world(usage);
        world.git(&["add", "a"]);
        world.run(&[]).succeeds();
        assert_eq!((lines(&world, "started").len(), lines(&world, "singles").len()), calls, "{usage}");
        assert!(!runs(&world));
    }
}

#[test]
fn what_is_only_for_staging_answers_where_there_is_no_other_way() {
    let world = world("staging");
    world.run(&["--dry-run"]).succeeds();
    assert_eq!((lines(&world, "started").len(), lines(&world, "singles").len()), (0, 3));
    std::fs::remove_file(world.root().join("single")).unwrap();
    world.run(&[]).succeeds();
    assert_eq!((lines(&world, "started").len(), lines(&world, "asked").len()), (1, 3));
    assert!(!runs(&world));
    world.assert_tidy();
}

#[test]
fn an_agent_that_cannot_be_reached_is_called_once_per_message_and_that_is_said() {
    let world = world("auto");
    std::fs::write(world.root().join("behave"), "silent").unwrap();
    // The phase, the time and its limit; in detail, the reason as well.
    let run = world.run(&["-v"]).succeeds().says(&[
        "talker is called once per question",
        "ended while it got ready, after ",
        " of 60.0 seconds\n",
        "talker said: no licence",
    ]);
    assert_eq!(run.stderr.matches("called once per question").count(), 1, "{}", run.stderr);
    assert_eq!((lines(&world, "started").len(), lines(&world, "singles").len()), (1, 3));
    world.assert_tidy();
}

#[test]
fn without_its_program_single_calls_are_made() {
    let world = world("always");
    std::fs::remove_file(world.root().join("acp-agent")).unwrap();
    world.run(&["-v", "--dry-run"]).succeeds().says(&["talker is called once per question"]);
    assert_eq!(lines(&world, "singles").len(), 3);
    let run = world.run(&[]).succeeds();
    assert!(!run.stderr.contains("once per question"), "nobody who did not ask need know\n{}", run.stderr);
}

#[test]
fn a_provider_that_extends_acp_is_asked_over_it_alone() {
    let (world, agent) = with_agent();
    world.config(&format!(
        "config_version = 3\n[defaults]\nprovider = \"talker\"\n[provider.talker]\nextends = \"acp\"\ncommand = {agent:?}\n"
    ));
    let base = world.head();
    world.git(&["add", "a"]);
    world.run(&[]).succeeds();
    assert_eq!(world.subjects_since(&base), ["feat: write part 1"]);
    assert_eq!(lines(&world, "started").len(), 1);
    assert!(
        world
            .run(&["providers", "list"])
            .succeeds()
            .stdout
            .lines()
            .any(|line| line.contains("talker") && line.contains(" ACP "))
    );
    assert!(world.run(&["providers", "show", "talker"]).succeeds().stdout.contains("extends = \"acp\""));
    // There is no other way to ask it.
    std::fs::write(world.root().join("behave"), "silent").unwrap();
    world.git(&["add", "b"]);
    world.run(&[]).fails_with(3).says(&["ended while it got ready", "rescue"]);
    std::fs::remove_file(world.root().join("acp-agent")).unwrap();
    world.run(&[]).fails_with(1).says(&["is not installed"]);
}

#[test]
fn models_come_from_the_agent_and_are_kept() {
    let world = world("auto");
    for _ in 0..2 {
        let run = world.run(&["models", "talker"]).succeeds();
        assert_eq!(run.stdout, "talker:\n  large\n  small\n");
    }
    assert_eq!((lines(&world, "started").len(), lines(&world, "asked").len()), (1, 0));
    world.run(&["models", "talker", "--refresh"]).succeeds();
    assert_eq!(lines(&world, "started").len(), 2);
    std::fs::write(world.root().join("behave"), "silent").unwrap();
    world.run(&["models", "talker", "--refresh"]).succeeds().says(&["lists nothing over ACP", "while it got ready"]);
    assert!(!runs(&world));
    world.assert_tidy();
}

#[test]
fn a_test_of_a_provider_shows_what_it_offers_and_asks_no_model() {
    let world = world("auto");
    let run = world.run(&["providers", "test", "talker"]).succeeds();
    for text in
        ["version 1 of the protocol, Talker 7.1", "loadSession", "mcpCapabilities.http", "auto, ask", "large, small"]
    {
        assert!(run.stdout.contains(text), "{text} in {}", run.stdout);
    }
    assert_eq!(lines(&world, "asked").len(), 0);
    std::fs::write(world.root().join("behave"), "silent").unwrap();
    let run = world.run(&["providers", "test", "talker"]).succeeds();
    assert!(run.stdout.contains("ended while it got ready"), "{}", run.stdout);
    assert!(!runs(&world));
    world.assert_tidy();
}

#[cfg(target_os = "linux")]
#[test]
fn nothing_stays_of_runs_and_agents_that_are_killed_at_any_moment() {
    let rounds = std::env::var("ACP_KILLS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(20);
    let world = world("auto");
    // No two rounds say the same.
    std::fs::write(world.root().join("behave"), "once").unwrap();
    let start = std::time::Instant::now();
    world.run(&[]).succeeds();
    let took = u64::try_from(start.elapsed().as_micros()).unwrap();
    let mut random = 1_u64;
    let mut met = [0; 2];
    for round in 0..rounds {
        for name in ["a", "b", "c"] {
            world.write(name, format!("{round}\n"));
        }
        let started = lines(&world, "started").len();
        let mut run = world.stagecoach(&["-q"]).stderr(std::process::Stdio::null()).spawn().unwrap();
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        std::thread::sleep(std::time::Duration::from_micros((random >> 33) % took));
        // Now the run, now its agent, where that has been started.
        let agent = lines(&world, "started").get(started..).and_then(|new| new.last().cloned());
        match agent.filter(|_| round % 2 == 1) {
            Some(pid) => {
                met[1] += 1;
                // It may have ended meanwhile.
                drop(std::process::Command::new("kill").args(["-9", &pid]).output().unwrap());
            }
            None => {
                met[0] += 1;
                run.kill().unwrap();
            }
        }
        run.wait().unwrap();
        world.run(&["rescue", "drop", "--all"]);
        world.write("a", format!("{round} again\n"));
        world.run(&[]).succeeds();
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(60);
        while runs(&world) {
            assert!(std::time::Instant::now() < deadline, "an agent of round {round} still runs");
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        assert_eq!(world.git(&["status", "--porcelain"]), "", "round {round}");
        if age_unsigned(&world) {
            world.write("a", format!("{round} once more\n"));
            world.run(&[]).succeeds();
        }
        // The lock of a ref, which is no folder, may wait until it is old enough: other tests look at those.
        assert_eq!(folders_left(&world), Vec::<std::path::PathBuf>::new(), "round {round}");
    }
    assert!(rounds < 10 || met.iter().all(|count| *count > 0), "{met:?}");
}

#[test]
fn a_run_out_of_time_is_a_rescue_and_leaves_no_process() {
    let world = world("auto");
    std::fs::write(world.root().join("behave"), "hang").unwrap();
    let base = world.head();
    world.run(&["--message-timeout", "1s"]).fails_with(124).says(&["while it wrote its answer", "rescue"]);
    assert_eq!(world.head(), base);
    assert!(!runs(&world));
}

#[cfg(target_os = "linux")]
#[test]
fn what_a_killed_run_leaves_is_ended_by_the_next() {
    let world = world("auto");
    std::fs::write(world.root().join("behave"), "hang").unwrap();
    let mut run = world.stagecoach(&[]).spawn().unwrap();
    while lines(&world, "asked").is_empty() {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    run.kill().unwrap();
    run.wait().unwrap();
    std::fs::write(world.root().join("behave"), "").unwrap();
    world.run(&["rescue", "drop", "--all"]).succeeds();
    world.run(&[]).succeeds();
    while runs(&world) {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
}
