//! Whole calls of scripted agents.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::sync::Mutex;

use tempfile::TempDir;

use super::*;
use crate::agent::testing;
use crate::prompt::Prompt;
use crate::role::Role;
use crate::run::Cause;

/// Remembers what is told, and what the calls used.
#[derive(Default)]
struct Recorder(Mutex<Vec<String>>, Mutex<Vec<Option<Usage>>>);

impl Progress for Recorder {
    fn call_started(&self, call: &CallStart<'_>) {
        let (argv, bytes) = (call.argv.join(" "), (call.system_bytes, call.payload_bytes));
        self.0.lock().unwrap().push(format!("start {} {} {argv} {bytes:?}", call.role, call.provider));
    }

    fn call_ended(&self, call: &CallEnd<'_>) {
        self.1.lock().unwrap().push(call.usage);
        let sizes = (call.stdout_bytes, call.stderr_bytes);
        self.0.lock().unwrap().push(format!("end {} {sizes:?} {:?}", call.exit, call.contents));
    }

    fn verbosity(&self) -> u8 {
        2
    }

    fn detail(&self, text: &str) {
        self.0.lock().unwrap().push(format!("detail {text}"));
    }
}

struct Scene {
    folder: TempDir,
    manifest: Manifest,
    options: Options,
    progress: Arc<Recorder>,
    request: (Prompt, bool),
}

impl Scene {
    /// An agent that is this shell script.
    fn new(script: &str, fields: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("repository")).unwrap();
        let toml = |text: &str| format!("'''{text}'''");
        let source =
            format!("[provider.acme]\ncommand = '/bin/sh'\nsubcommand = ['-c', {}, 'acme']\n{fields}", toml(script));
        let (manifest, options) = (testing::manifest(&source), testing::options());
        let prompt =
            Prompt { system: "You write messages.".to_owned(), user: "The change: 401 Unauthorized".to_owned() };
        Self { folder, manifest, options, progress: Arc::default(), request: (prompt, false) }
    }

    fn agent(&self) -> Result<OneShot, AgentFailure> {
        let repository = self.folder.path().join("repository");
        let search = SearchPath::new(None);
        OneShot::new(self.manifest.clone(), self.options.clone(), &repository, &search, self.progress.clone())
    }

    fn ask(&self) -> Result<Answer, AgentFailure> {
        self.ask_with(&Cancel::new())
    }

    fn ask_with(&self, cancel: &Cancel) -> Result<Answer, AgentFailure> {
        let (prompt, retry) = &self.request;
        let request = Request { role: Role::Message, prompt, retry: *retry, facts: None };
        self.agent()?.ask(&request, cancel)
    }

    fn text(&self) -> String {
        self.ask().unwrap().text
    }

    fn kind(&self) -> FailureKind {
        self.ask().unwrap_err().kind
    }

    /// What the calls so far used; without an entry where nothing was at work.
    fn used(&self) -> Vec<Option<u64>> {
        self.progress.1.lock().unwrap().iter().flatten().map(|usage| usage.input).collect()
    }
}

#[test]
fn the_answer_is_what_was_printed_tidied() {
    assert_eq!(Scene::new("printf '\\n```\\nfix: x\\r\\n\\r\\n\\r\\n\\r\\nwhy\\n```\\n'", "").text(), "fix: x\n\nwhy");
    let scene = Scene::new(r#"echo '{"result": "fix: y"}'"#, "output = 'json'\njson_field = 'result'");
    assert_eq!(scene.text(), "fix: y");
    let answer = Scene::new("echo plain", "output = 'json'\njson_field = 'result'").ask().unwrap();
    assert_eq!((answer.text.as_str(), answer.raw_fallback), ("plain", true));
}

#[test]
fn the_configuration_overrides_how_output_is_read() {
    let mut scene = Scene::new("printf '```\\nx\\n```'", "");
    scene.options.strip_code_fence = Some(false);
    assert_eq!(scene.text(), "```\nx\n```");
    let mut scene = Scene::new(r#"echo '{"result": "y"}'"#, "output = 'json'\njson_field = 'result'");
    scene.options.output = Some(Output::Raw);
    assert_eq!(scene.text(), r#"{"result": "y"}"#);
}

#[test]
fn the_prompt_travels_as_the_manifest_says() {
    assert_eq!(Scene::new("cat", "").text(), "You write messages.\n\nThe change: 401 Unauthorized");
    let scene = Scene::new("echo \"$1|$2|$(cat)\"", "system_prompt_flag = '--system'");
    assert_eq!(scene.text(), "--system|You write messages.|The change: 401 Unauthorized");
    let mut scene = Scene::new("echo \"$1\"; cat", "prompt_delivery = 'positional'");
    scene.request.1 = true;
    assert!(scene.text().contains("Output ONLY the commit message"));
}

#[test]
fn a_call_runs_in_a_private_folder_that_is_gone_afterwards() {
    let scene = Scene::new("pwd; ls -A | wc -l; echo \"$PWD\"; touch litter; mkdir -p a/b; chmod 500 a", "");
    let text = scene.text();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!((lines[0], lines[1].trim()), (lines[2], "0"));
    assert!(!Path::new(lines[0]).starts_with(scene.folder.path().join("repository")));
    assert!(!Path::new(lines[0]).exists());
    let scene = Scene::new("pwd -P", "run = { working_dir = 'repo' }");
    assert_eq!(Path::new(&scene.text()), scene.folder.path().join("repository").canonicalize().unwrap());
}

#[test]
fn the_environment_names_us_and_no_repository() {
    let scene = Scene::new("env", "env = { EXTRA = 'given' }\nrun = { unset_env = ['CARGO_MANIFEST_DIR'] }");
    let text = scene.text();
    let has = |line: &str| text.lines().any(|found| found.starts_with(line));
    assert!(has("STAGECOACH=1") && has("STAGECOACH_ROLE=message") && has("EXTRA=given") && has("PATH="));
    assert!(!has("CARGO_MANIFEST_DIR=") && !has("GIT_DIR=") && !has("OLDPWD="));
}

#[test]
fn exit_codes_count_unless_the_manifest_says_otherwise() {
    assert_eq!(Scene::new("echo answer; exit 3", "").kind(), FailureKind::Exit);
    assert_eq!(Scene::new("echo answer; exit 3", "failures = { ok_exit = [3] }").text(), "answer");
    assert_eq!(Scene::new("exit 3", "failures = { ok_exit = [3] }").kind(), FailureKind::Blank);
    for script in [":", "echo; echo", "printf '```\\n```'"] {
        assert_eq!(Scene::new(script, "").kind(), FailureKind::Blank, "{script}");
    }
}

#[test]
fn failures_are_told_from_each_other() {
    let own = "failures = { quota = ['(?i)out of luck'], where = '^E:' }";
    let failure = Scene::new("echo 'out of luck' >&2; echo 'E: Out of luck' >&2; exit 1", own).ask().unwrap_err();
    assert_eq!((failure.kind, failure.excerpt.as_str()), (FailureKind::Quota, "E: Out of luck"));
    assert_eq!(failure.provider, "acme");
    assert_eq!(Scene::new("echo 'out of luck' >&2; exit 1", own).kind(), FailureKind::Exit);
    // The prompt speaks of a 401: repeating it is no complaint.
    assert_eq!(Scene::new("cat >&2; exit 1", "").kind(), FailureKind::Exit);
    assert_eq!(Scene::new("echo 'error 401 Unauthorized' >&2; exit 1", "").kind(), FailureKind::Auth);
    assert_eq!(Scene::new("kill -KILL $$", "").kind(), FailureKind::Killed);
}

#[test]
fn too_much_is_no_answer() {
    let scene = Scene::new("head -c 9000000 /dev/zero | tr '\\0' x", "");
    assert_eq!(scene.kind(), FailureKind::Garbled);
}

#[test]
fn time_and_stops_are_kept() {
    let mut scene = Scene::new("sleep 90", "");
    scene.options.timeout = Duration::from_millis(200);
    let failure = scene.ask().unwrap_err();
    assert_eq!((failure.kind, failure.message.as_str()), (FailureKind::Timeout, "acme did not answer within 200 ms"));
    let cancel = Cancel::new();
    cancel.request(Cause::Interrupt);
    assert_eq!(scene.ask_with(&cancel).unwrap_err().kind, FailureKind::Cancelled(Cause::Interrupt));
}

#[test]
fn secrets_are_not_quoted() {
    let scene = Scene::new("echo \"bad key $ACME_KEY\" >&2; exit 1", "env = { ACME_KEY = 'hunter2hunter2' }");
    assert_eq!(scene.ask().unwrap_err().excerpt, "bad key [ACME_KEY]");
}

#[test]
fn a_program_that_is_not_there_is_told_before_anything_runs() {
    let mut scene = Scene::new(":", "checks = { notes = ['Install it with `get acme`.'] }");
    scene.manifest.command = "acme-agent".to_owned();
    let failure = scene.agent().unwrap_err();
    assert_eq!(failure.kind, FailureKind::Missing);
    assert!(failure.message.contains("acme-agent"), "{failure}");
    assert!(failure.advice.starts_with("Install it with `get acme`, or"), "{}", failure.advice);
    let data = scene.folder.path().join("data");
    fs::write(&data, "").unwrap();
    fs::set_permissions(&data, fs::Permissions::from_mode(0o644)).unwrap();
    scene.manifest.command = data.to_str().unwrap().to_owned();
    assert!(scene.agent().unwrap_err().advice.contains("chmod +x"));
}

#[test]
fn what_cannot_be_rendered_is_a_failure_with_advice() {
    let mut scene = Scene::new("cat", "model_flag = '-m'\nprovider_flag = '--provider'");
    scene.options.model = Some("bare-model".to_owned());
    let failure = scene.ask().unwrap_err();
    assert_eq!(failure.kind, FailureKind::Model);
    assert!(failure.message.contains("backend/model"), "{failure}");
    let mut scene = Scene::new("cat", "prompt_delivery = 'positional'");
    scene.request.0.user = "x".repeat(10_000_000);
    let failure = scene.ask().unwrap_err();
    assert_eq!(failure.kind, FailureKind::TooLong);
    assert!(failure.advice.contains("token_limit"), "{}", failure.advice);
}

#[test]
fn progress_hears_of_both_ends_of_a_call() {
    let scene = Scene::new("cat >/dev/null; echo out; echo err >&2", "");
    scene.text();
    let told = scene.progress.0.lock().unwrap().clone();
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told[0].starts_with("start message acme /bin/sh -c") && told[0].ends_with("(19, 28)"), "{}", told[0]);
    assert_eq!(told[1], r#"end exit 0 (4, 4) ("out\n", "err\n")"#);
}

#[test]
fn every_call_tells_what_it_used_however_it_ended() {
    let json = "output = 'json'\njson_field = 'result'\nusage.input = 'tokens'";
    let scene = Scene::new(r#"echo '{"result": "fix: y", "tokens": 7}'"#, json);
    scene.text();
    scene.text();
    assert_eq!(scene.used(), [Some(7), Some(7)]);
    let scene = Scene::new(r#"echo '{"result": "", "tokens": 8}'; exit 1"#, json);
    scene.kind();
    assert_eq!(scene.used(), [Some(8)]);
    let mut scene = Scene::new(r#"echo '{"result": "fix: y", "tokens": 7}'"#, json);
    scene.options.output = Some(Output::Raw);
    scene.text();
    assert_eq!(scene.used(), [None], "what is no JSON by the settings is not read as such");
    let mut scene = Scene::new(":", json);
    let folder = scene.folder.path().join("not-a-program");
    fs::write(&folder, "no program").unwrap();
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
    scene.manifest.command = folder.to_str().unwrap().to_owned();
    scene.kind();
    assert_eq!((scene.used(), scene.progress.1.lock().unwrap().len()), (Vec::new(), 1));
}

/// qwen ends well with half an answer before the whole one when the service's answer breaks off.
#[test]
fn an_answer_that_its_agent_calls_spoiled_is_not_used() {
    let fields = "[provider.acme.failures]\ngarbled = ['^Retrying .*preserving delivered text\\)']";
    let answer =
        |complaint: &str| Scene::new(&format!("cat > /dev/null; echo '{complaint}' >&2; echo 'feat: a'"), fields).ask();
    let spoiled = answer("Retrying provider attempt (0 buffered tool call(s) discarded; preserving delivered text).");
    assert_eq!(spoiled.unwrap_err().kind, FailureKind::Garbled);
    let whole = answer("Retrying provider attempt (0 buffered tool call(s) discarded).");
    assert_eq!(whole.unwrap().text, "feat: a");
    // What it merely repeats is no complaint.
    let fields = "[provider.acme.failures]\ngarbled = ['401 Unauthorized']";
    assert_eq!(Scene::new("cat >&2; echo 'feat: a'", fields).ask().unwrap().text, "feat: a");
}

#[test]
fn the_turns_of_a_session_tell_what_they_used_where_they_print_json() {
    let scene = Scene::new(
        r#"case $* in *start*) echo '{"id": "s", "result": "one", "tokens": 7}' ;; *) echo two ;; esac"#,
        "json_field = 'result'\nusage.input = 'tokens'\nsession_mode = 'append'\n\
         session = { first = ['--start'], next = ['{id}'], id_from = 'id', output = 'json' }",
    );
    let agent = scene.agent().unwrap();
    let mut session = agent.session(&["one", "two"]).unwrap();
    for expected in ["one", "two"] {
        let request = Request { role: Role::Message, prompt: &scene.request.0, retry: false, facts: None };
        assert_eq!(session.ask(&request, &Cancel::new()).unwrap().text, expected);
    }
    assert_eq!(scene.used(), [Some(7), None]);
}
