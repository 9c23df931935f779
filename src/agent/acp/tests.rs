//! Whole conversations with a scripted agent.

use std::fs;
use std::path::PathBuf;
use std::sync::Mutex;

use tempfile::TempDir;

use super::*;
use crate::agent::{FailureKind, testing};
use crate::program::SearchPath;
use crate::prompt::Prompt;
use crate::role::Role;
use crate::run::Cause;
use crate::usage::Usage;

/// What the script can say: the id of the request in `$id`, its session in `$session`.
const WORDS: &str = r#"
log() { printf '%s\n' "$*" >> "$LOG"; }
reply() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$1"; }
refuse() { printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":"%s"}}\n' "$id" "$1"; }
say() { printf '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"%s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"%s"}}}}\n' "$session" "$1"; }
done_() { reply '{"stopReason":"end_turn"}'; }
initialize() { reply '{"protocolVersion":1,"agentCapabilities":{"sessionCapabilities":{"close":{}}}}'; }
new_session() { n=$((n + 1)); reply "{\"sessionId\":\"s$n\",\"modes\":{\"currentModeId\":\"auto\",\"availableModes\":[{\"id\":\"auto\",\"name\":\"A\"},{\"id\":\"ask\",\"name\":\"B\"}]}}"; }
set_mode() { log "mode $(printf '%s' "$line" | sed 's/.*"modeId":"\([^"]*\)".*/\1/')"; reply '{}'; }
other() { reply '{}'; }
n=0
"#;
/// Hands every request to the function for it; what a test defines comes in between.
const LOOP: &str = r#"
while IFS= read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  session=$(printf '%s' "$line" | sed -n 's/.*"sessionId":"\([^"]*\)".*/\1/p')
  case $line in
    *'"method":"initialize"'*) log initialize; initialize ;;
    *'"method":"session/new"'*) log new; new_session ;;
    *'"method":"session/set_mode"'*) set_mode ;;
    *'"method":"session/prompt"'*) log "prompt $session"; prompt ;;
    *'"method":"session/cancel"'*) log "cancel $session"; cancelled ;;
    *'"method":"session/close"'*) log "close $session"; reply '{}' ;;
    *'"outcome"'*|*'"error"'*) log "answer $line"; answered ;;
    *) other ;;
  esac
done
log end
"#;

#[derive(Default)]
struct Recorder(Mutex<Vec<String>>, Mutex<Vec<Usage>>);

impl Progress for Recorder {
    fn call_ended(&self, call: &CallEnd<'_>) {
        self.1.lock().unwrap().extend(call.usage);
    }

    fn notice(&self, text: &str) {
        self.0.lock().unwrap().push(text.to_owned());
    }
}

struct Scene {
    folder: TempDir,
    agent: Acp,
    progress: Arc<Recorder>,
}

impl Scene {
    /// An agent that defines what it does differently, with these fields besides.
    fn new(script: &str, fields: &str) -> Self {
        Self::with(script, fields, |_| {})
    }

    fn with(script: &str, fields: &str, change: impl FnOnce(&mut Options)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("repository")).unwrap();
        let path = |name: &str| folder.path().join(name).display().to_string();
        fs::write(path("agent"), format!("LOG='{}'\n{WORDS}{script}\n{LOOP}", path("log"))).unwrap();
        let source = format!(
            "[provider.acme]\ncommand = '/bin/sh'\nsubcommand = ['-c', 'cat > /dev/null; echo from a single call']\n\
             acp.command = ['/bin/sh', '{}']\nacp.modes.bare = 'ask'\n{fields}\n",
            path("agent")
        );
        let (manifest, mut options) = (testing::manifest(&source), testing::options());
        change(&mut options);
        let (progress, search) = (Arc::new(Recorder::default()), SearchPath::new(None));
        let repository = folder.path().join("repository");
        let host = Arc::new(Host::new(manifest.clone(), &options, &repository, &search).unwrap());
        let single = OneShot::new(manifest, options.clone(), &repository, &search, progress.clone()).unwrap();
        let agent = Acp::new(host, options, Some(single), true, progress.clone());
        Self { folder, agent, progress }
    }

    fn ask(&self) -> Result<String, AgentFailure> {
        self.ask_with(&Cancel::new())
    }

    fn ask_with(&self, cancel: &Cancel) -> Result<String, AgentFailure> {
        let prompt = Prompt { system: "You write.".to_owned(), user: "The change".to_owned() };
        let request = Request { role: Role::Message, prompt: &prompt, retry: false, facts: None };
        self.agent.ask(&request, cancel).map(|answer| answer.text)
    }

    #[track_caller]
    fn fails_as(&self, kind: FailureKind, words: &str) {
        let failure = self.ask().unwrap_err();
        assert!(failure.kind == kind && failure.to_string().contains(words), "{failure:?}");
    }

    fn log_path(&self) -> PathBuf {
        self.folder.path().join("log")
    }

    fn log(&self) -> Vec<String> {
        fs::read_to_string(self.log_path()).unwrap_or_default().lines().map(str::to_owned).collect()
    }

    fn notices(&self) -> Vec<String> {
        self.progress.0.lock().unwrap().clone()
    }

    /// What each call used: tokens in, out and from a cache, and its cost.
    fn used(&self) -> Vec<String> {
        let used = self.progress.1.lock().unwrap();
        let cost = |usage: &Usage| usage.cost.map_or("-".to_owned(), |cost| cost.to_string());
        let number = |number: Option<u64>| number.map_or("-".to_owned(), |number| number.to_string());
        let show = |usage: &Usage| {
            let [input, output, cached] = [usage.input, usage.output, usage.cached].map(number);
            format!("{input} {output} {cached} {}", cost(usage))
        };
        used.iter().map(show).collect()
    }

    /// Waits until the agent has noted something.
    fn wait_for(&self, noted: &str) {
        while !self.log().iter().any(|line| line == noted) {
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

const ANSWER: &str = "prompt() { say 'Add '; say 'a\\n\\nBecause.'; done_; }";

#[test]
fn one_process_answers_every_question_in_a_session_of_its_own() {
    let scene = Scene::new(ANSWER, "");
    assert_eq!(scene.ask().unwrap(), "Add a\n\nBecause.");
    assert_eq!(scene.ask().unwrap(), "Add a\n\nBecause.");
    scene.wait_for("close s2");
    let each = |n: usize| {
        ["new", "mode ask"].map(str::to_owned).into_iter().chain([format!("prompt s{n}"), format!("close s{n}")])
    };
    let expected: Vec<String> = std::iter::once("initialize".to_owned()).chain(each(1)).chain(each(2)).collect();
    assert_eq!(scene.log(), expected);
    let Scene { folder, agent, .. } = scene;
    drop(agent);
    // Its standard input was closed, and it had the time to see that.
    assert!(fs::read_to_string(folder.path().join("log")).unwrap().ends_with("end\n"));
}

#[test]
fn a_conversation_stays_in_its_session() {
    let scene = Scene::new("prompt() { say \"turn in $session\"; done_; }", "");
    let prompt = |user: &str| Prompt { system: "You write.".to_owned(), user: user.to_owned() };
    let mut session = scene.agent.session(&["part 1", "part 2"]).unwrap();
    for user in ["part 1", "part 2"] {
        let prompt = prompt(user);
        let request = Request { role: Role::Message, prompt: &prompt, retry: false, facts: None };
        assert_eq!(session.ask(&request, &Cancel::new()).unwrap().text, "turn in s1");
    }
    drop(session);
    scene.wait_for("close s1");
}

#[test]
fn questions_are_answered_side_by_side() {
    // No answer before both questions are there.
    let scene = Scene::new(
        "prompts=0\nprompt() { prompts=$((prompts + 1)); eval \"id$prompts=$id session$prompts=$session\"; \
         [ $prompts = 2 ] || return 0; for i in 2 1; do eval \"id=\\$id$i session=\\$session$i\"; say \"in $session\"; done_; done; }",
        "",
    );
    let mut answers = std::thread::scope(|scope| {
        let asked: Vec<_> = (0..2).map(|_| scope.spawn(|| scene.ask().unwrap())).collect();
        asked.into_iter().map(|asked| asked.join().unwrap()).collect::<Vec<_>>()
    });
    answers.sort();
    assert_eq!(answers, ["in s1", "in s2"]);
}

#[test]
fn whatever_it_asks_of_us_is_refused() {
    let ask = r#"{"jsonrpc":"2.0","id":"p1","method":"session/request_permission","params":{"sessionId":"%s","toolCall":{"toolCallId":"t"},"options":[{"optionId":"yes","name":"Y","kind":"allow_once"},{"optionId":"no","name":"N","kind":"reject_once"}]}}\n"#;
    let read = r#"{"jsonrpc":"2.0","id":"p2","method":"fs/read_text_file","params":{"sessionId":"%s","path":"/etc/passwd"}}\n"#;
    let script = format!(
        "prompt() {{ turn=$id; printf '{ask}' \"$session\"; printf '{read}' \"$session\"; session_=$session; }}\n\
         answers=0\nanswered() {{ answers=$((answers + 1)); [ $answers = 2 ] || return 0; id=$turn session=$session_; say 'Add a'; done_; }}"
    );
    let scene = Scene::new(&script, "");
    assert_eq!(scene.ask().unwrap(), "Add a");
    let log = scene.log();
    let answers: Vec<&String> = log.iter().filter(|line| line.starts_with("answer")).collect();
    assert!(answers[0].contains(r#""id":"p1""#) && answers[0].contains(r#""optionId":"no""#), "{answers:?}");
    assert!(answers[1].contains(r#""id":"p2""#) && answers[1].contains("-32601"), "{answers:?}");
}

#[test]
fn rubbish_and_strangers_between_the_messages_do_no_harm() {
    let scene = Scene::new(
        "prompt() { echo Welcome; echo '{}'; echo '[1,2'; printf '{\"method\":\"x/y\"}\\n'; \
         printf '{\"id\":999,\"result\":1}\\n'; printf '\\377\\376\\n'; say 'Add a'; done_; }",
        "",
    );
    assert_eq!(scene.ask().unwrap(), "Add a");
}

#[test]
fn a_turn_without_an_answer_is_told_apart() {
    let turn = |reason: &str| format!("prompt() {{ say 'Half'; reply '{{\"stopReason\":\"{reason}\"}}'; }}");
    Scene::new("prompt() { done_; }", "").fails_as(FailureKind::Blank, "");
    Scene::new(&turn("refusal"), "").fails_as(FailureKind::Garbled, "refused to answer");
    Scene::new(&turn("max_tokens"), "").fails_as(FailureKind::Garbled, "limit of tokens");
    Scene::new(&turn("cancelled"), "").fails_as(FailureKind::Garbled, "not by us");
    Scene::new("prompt() { refuse 'rate limit exceeded'; }", "").fails_as(FailureKind::Quota, "rate limit");
    let log = "failures = { where = '^ERROR', auth = ['no such account'] }";
    Scene::new("prompt() { echo noise >&2; refuse 'no such account'; }", log)
        .fails_as(FailureKind::Auth, "no such account");
    Scene::new("prompt() { say 'API Error: 401 invalid api key'; done_; }", "").fails_as(FailureKind::Auth, "401");
    Scene::new("prompt() { echo 'invalid api key' >&2; exit 3; }", "").fails_as(FailureKind::Auth, "ended");
    // What the sentence says already is not said again as its cause.
    let failure = Scene::new("prompt() { say 'API Error: 529 overloaded'; done_; }", "").ask().unwrap_err();
    assert!(failure.message.ends_with("API Error: 529 overloaded") && failure.excerpt.is_empty(), "{failure:?}");
    let failure = Scene::new("prompt() { refuse 'no such account'; }", log).ask().unwrap_err();
    assert!(failure.message.contains("no such account") && failure.excerpt.is_empty(), "{failure:?}");
    let failure = Scene::new("prompt() { say 'Error: no such account\\nCheck it.'; done_; }", log).ask().unwrap_err();
    assert_eq!(failure.excerpt, "Check it.", "{failure:?}");
    let failure = Scene::new("prompt() { refuse 'bad key sk-proj-abcdefgh12345678'; }", "").ask().unwrap_err();
    assert!(failure.message.contains("bad key [redacted] (-32000)") && failure.excerpt.is_empty(), "{failure:?}");
}

#[test]
fn the_error_of_a_service_is_no_answer_where_only_a_mark_tells_them_apart() {
    let script = "mark() { printf '{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{\"sessionId\":\"%s\",\"update\":\
                  {\"sessionUpdate\":\"session_info_update\",\"_meta\":{\"codex\":{\"threadStatus\":{\"type\":\"%s\"}}}}}}\\n' \"$session\" \"$1\"; }\n";
    let failed = "prompt() { mark active; say 'feat: half'; mark systemError; say 'last status: 429 Too Many Requests'; done_; }";
    let failure = Scene::new(&format!("{script}{failed}"), "").ask().unwrap_err();
    assert_eq!(failure.kind, FailureKind::Quota, "{failure:?}");
    assert!(failure.message.ends_with("error: last status: 429 Too Many Requests"), "{failure:?}");
    let whole = "prompt() { mark active; say 'feat: whole'; mark idle; done_; }";
    assert_eq!(Scene::new(&format!("{script}{whole}"), "").ask().unwrap(), "feat: whole");
}

#[test]
fn what_does_not_speak_the_protocol_is_called_once_per_question() {
    for (script, words) in [
        ("initialize() { exit 1; }", "ended while it got ready"),
        ("initialize() { reply '{\"protocolVersion\":9}'; }", "version 9"),
        ("initialize() { reply 7; }", "no version"),
        ("initialize() { refuse no; }", "while it got ready: no"),
        ("new_session() { refuse 'log in first'; }", "opened a session: log in first"),
        ("new_session() { reply '{\"sessionId\":\"s1\"}'; }", "does not offer `ask`"),
        ("set_mode() { refuse 'no such mode'; }", "its mode was set: no such mode"),
    ] {
        let scene = Scene::new(&format!("prompt() {{ say x; done_; }}\n{script}"), "");
        assert_eq!(scene.ask().unwrap(), "from a single call", "{script}");
        assert_eq!(scene.ask().unwrap(), "from a single call");
        let notices = scene.notices();
        assert!(notices.len() == 1 && notices[0].contains(words), "{script}: {notices:?}");
    }
}

#[test]
fn a_session_is_opened_with_the_meta_of_its_mode_and_the_reasoning_level() {
    let levels = |category: &str| {
        format!(
            "new_session() {{ log \"opened $line\"; reply '{{\"sessionId\":\"s1\",\"modes\":{{\"currentModeId\":\"ask\",\
             \"availableModes\":[{{\"id\":\"ask\",\"name\":\"B\"}}]}},\"configOptions\":[{{\"id\":\"effort\",\"name\":\"E\",\
             \"category\":\"{category}\",\"type\":\"select\",\"currentValue\":\"low\",\"options\":[{{\"value\":\"low\",\"name\":\"L\"}}]}}]}}'; }}"
        )
    };
    let meta = "acp.meta.bare = '{\"own\":{\"tools\":[]}}'";
    let high = |options: &mut Options| options.reasoning = crate::role::Reasoning::High;
    for (category, other, is_set) in [
        ("thought_level", "other() { log \"option $line\"; reply '{\"configOptions\":[]}'; }", true),
        ("thought_level", "other() { log \"option $line\"; refuse 'no such level'; }", true),
        ("model_config", "other() { log \"option $line\"; reply '{}'; }", false),
    ] {
        let scene = Scene::with(&format!("{}\n{other}\n{ANSWER}", levels(category)), meta, high);
        assert_eq!(scene.ask().unwrap(), "Add a\n\nBecause.");
        let log = scene.log();
        assert!(log.iter().any(|line| line.starts_with("opened") && line.contains(r#""_meta":{"own":{"tools":[]}}"#)));
        let set = log.iter().any(|line| line.starts_with("option") && line.contains(r#""value":"high""#));
        assert_eq!(set, is_set, "{log:?}");
    }
}

#[test]
fn an_agent_that_died_between_two_questions_is_started_again() {
    let scene = Scene::new(
        "prompt() { say 'Add a'; done_; }\nreply() { printf '{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}\\n' \"$id\" \"$1\"; case $line in *close*) exit 0 ;; esac; }",
        "",
    );
    assert_eq!(scene.ask().unwrap(), "Add a");
    scene.wait_for("close s1");
    while scene.agent.host.is_running() {
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(scene.ask().unwrap(), "Add a");
    assert_eq!(scene.log().iter().filter(|line| *line == "initialize").count(), 2);
}

#[test]
fn a_question_out_of_time_is_cancelled_and_the_next_one_goes_on() {
    let script = "prompt() { turn=$id; [ $n = 2 ] && { say 'Add a'; done_; }; }\n\
                  cancelled() { id=$turn; reply '{\"stopReason\":\"cancelled\"}'; }";
    let scene = Scene::with(script, "", |options| options.timeout = Duration::from_secs(2));
    scene.fails_as(FailureKind::Timeout, "while it wrote its answer");
    assert!(scene.log().contains(&"cancel s1".to_owned()));
    assert_eq!(scene.ask().unwrap(), "Add a");
    assert_eq!(scene.log().iter().filter(|line| *line == "initialize").count(), 1);
}

#[test]
fn a_stop_ends_the_turn_and_the_process_whatever_the_agent_does() {
    for script in ["cancelled() { id=$turn; reply '{\"stopReason\":\"cancelled\"}'; }", "cancelled() { :; }"] {
        let scene = Scene::new(&format!("prompt() {{ turn=$id; }}\n{script}"), "");
        let cancel = Cancel::new();
        let failure = std::thread::scope(|scope| {
            let asked = scope.spawn(|| scene.ask_with(&cancel));
            scene.wait_for("prompt s1");
            cancel.request(Cause::Interrupt);
            cancel.request(Cause::Interrupt);
            asked.join().unwrap().unwrap_err()
        });
        assert_eq!(failure.kind, FailureKind::Cancelled(Cause::Interrupt));
    }
}

/// Tells what a session has cost until now.
const COST: &str = r#"cost() { printf '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"%s","update":{"sessionUpdate":"usage_update","used":1,"size":9,"cost":{"amount":%s,"currency":"%s"}}}}\n' "$session" "$1" "$2"; }"#;

#[test]
fn what_a_turn_used_is_told_as_far_as_the_agent_does() {
    let answer = |usage: &str| format!("reply '{{\"stopReason\":\"end_turn\",\"usage\":{usage}}}'");
    let whole = answer(r#"{"totalTokens":15,"inputTokens":12,"outputTokens":3,"cachedReadTokens":9}"#);
    let strange = answer(r#"{"inputTokens":-12,"outputTokens":"3","cachedReadTokens":1e99}"#);
    for (turn, expected) in [
        (format!("cost 0.25 USD; {whole}"), "12 3 9 $0.2500"),
        (format!("cost 0.1 USD; cost 0.25 USD; {whole}"), "12 3 9 $0.2500"),
        (format!("cost 0.25 EUR; {whole}"), "12 3 9 -"),
        (answer(r#"{"totalTokens":15,"outputTokens":3}"#), "- 3 - -"),
        (format!("cost -1 USD; {strange}"), "- - - -"),
        (answer("null"), "- - - -"),
        (answer("7"), "- - - -"),
        ("done_".to_owned(), "- - - -"),
    ] {
        let scene = Scene::new(&format!("{COST}\nprompt() {{ say 'Add a'; {turn}; }}"), "");
        assert_eq!(scene.ask().unwrap(), "Add a");
        assert_eq!(scene.used(), [expected], "{turn}");
    }
    let blank = Scene::new(&format!("{COST}\nprompt() {{ cost 0.5 USD; {whole}; }}"), "");
    blank.fails_as(FailureKind::Blank, "");
    assert_eq!(blank.used(), ["12 3 9 $0.5000"], "a turn that says nothing is paid for as well");
    let refused = Scene::new(&format!("{COST}\nprompt() {{ cost 0.5 USD; refuse 'rate limit exceeded'; }}"), "");
    refused.fails_as(FailureKind::Quota, "");
    assert_eq!(refused.used(), ["- - - $0.5000"]);
}

#[test]
fn the_cost_of_a_turn_is_what_its_session_costs_more_than_before() {
    let scene = Scene::new(
        &format!("{COST}\nturns=0\nprompt() {{ turns=$((turns + 1)); say 'Add a'; cost \"0.$turns\" USD; done_; }}"),
        "",
    );
    let prompt = Prompt { system: String::new(), user: "part".to_owned() };
    let request = Request { role: Role::Message, prompt: &prompt, retry: false, facts: None };
    let mut session = scene.agent.session(&["part"]).unwrap();
    for _ in 0..3 {
        session.ask(&request, &Cancel::new()).unwrap();
    }
    drop(session);
    scene.ask().unwrap();
    assert_eq!(scene.used(), ["- - - $0.1000", "- - - $0.1000", "- - - $0.1000", "- - - $0.4000"]);
}
