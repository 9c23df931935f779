//! Processes that behave in every way an agent may. Times are only bounded from above, far beyond what is needed: a
//! test that takes that long hangs.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::supervise::{Limits, run_with_limits};
use super::*;
use crate::run::Cancel;

const HANG: Duration = Duration::from_secs(60);

/// What a script that must be stopped sleeps, in seconds: longer than any test waits.
const FOREVER: &str = "sleep 90";

struct Script {
    folder: TempDir,
    command: Command,
    limits: Limits,
}

impl Script {
    fn new(text: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let command = Command {
            program: "/bin/sh".into(),
            args: vec!["-c".into(), text.into()],
            env_set: Vec::new(),
            env_unset: Vec::new(),
            stdin: Vec::new(),
            working_dir: folder.path().to_owned(),
            timeout: Some(HANG),
            confinement: None,
        };
        Self { folder, command, limits: Limits::default() }
    }

    fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.command.stdin = bytes.into();
        self
    }

    fn timeout(mut self, milliseconds: u64) -> Self {
        self.command.timeout = Some(Duration::from_millis(milliseconds));
        self
    }

    fn grace(mut self, milliseconds: u64) -> Self {
        self.limits.grace = Duration::from_millis(milliseconds);
        self
    }

    fn run(&self) -> Outcome {
        self.run_with(&Cancel::new())
    }

    fn run_with(&self, cancel: &Cancel) -> Outcome {
        let started = Instant::now();
        let outcome = run_with_limits(self.command.clone(), cancel, &self.limits, &|_| {}).unwrap();
        assert!(started.elapsed() < HANG, "it hangs");
        outcome
    }

    /// Runs the script and requests stops once it has made the file `ready`.
    fn run_and_stop(&self, causes: &[Cause]) -> Outcome {
        let cancel = Cancel::new();
        thread::scope(|scope| {
            scope.spawn(|| {
                wait_for(|| self.folder.path().join("ready").exists());
                for cause in causes {
                    cancel.request(*cause);
                }
            });
            self.run_with(&cancel)
        })
    }

    fn pid_in(&self, file: &str) -> i32 {
        fs::read_to_string(self.folder.path().join(file)).unwrap().trim().parse().unwrap()
    }
}

fn wait_for(condition: impl Fn() -> bool) {
    let started = Instant::now();
    while !condition() {
        assert!(started.elapsed() < HANG, "it never happens");
        thread::sleep(Duration::from_millis(2));
    }
}

/// A killed process may be a zombie for as long as its new parent likes; that is dead enough.
fn is_alive(pid: i32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let zombie = stat.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with('Z'));
    let pid = rustix::process::Pid::from_raw(pid).unwrap();
    rustix::process::test_kill_process(pid).is_ok() && !zombie
}

#[test]
fn the_outputs_and_the_code_are_told() {
    let outcome = Script::new("printf out; printf err >&2; exit 3").run();
    assert_eq!(outcome.exit, Exit::Code(3));
    assert_eq!(outcome.stdout, b"out");
    assert_eq!(outcome.stderr_tail, b"err");
    assert_eq!((outcome.stdout_len, outcome.stderr_len), (3, 3));
    assert!(!outcome.is_capped());
}

#[test]
fn nothing_printed_is_nothing_read() {
    let outcome = Script::new(":").run();
    assert_eq!((outcome.exit, outcome.stdout_len, outcome.stderr_len), (Exit::Code(0), 0, 0));
}

#[test]
fn bytes_pass_through_as_they_are() {
    let outcome = Script::new(r"printf '\033[31mred\033[0m\000\377\376\r\n'").run();
    assert_eq!(outcome.stdout, b"\x1b[31mred\x1b[0m\x00\xff\xfe\r\n");
}

#[test]
fn standard_input_arrives_whole_while_the_outputs_are_read() {
    let payload: Vec<u8> = (0..10 * 1024 * 1024_u32).map(|n| n.to_le_bytes()[0] ^ n.to_le_bytes()[1]).collect();
    let mut script = Script::new("tee /dev/stderr").stdin(payload.clone());
    script.limits.stdout = usize::MAX;
    script.limits.stderr = 100;
    let outcome = script.run();
    assert_eq!(outcome.exit, Exit::Code(0));
    assert!(outcome.stdout == payload, "something got lost");
    assert_eq!(outcome.stderr_tail, payload[payload.len() - 100..]);
    assert_eq!(outcome.stderr_len, payload.len() as u64);
}

#[test]
fn an_empty_standard_input_is_at_its_end() {
    assert_eq!(Script::new("cat; echo end").run().stdout, b"end\n");
}

#[test]
fn input_that_nobody_reads_is_no_error() {
    let payload = vec![b'x'; 10 * 1024 * 1024];
    for script in ["echo done", "exec <&-; echo done", "head -c 10 >/dev/null; echo done"] {
        let outcome = Script::new(script).stdin(payload.clone()).run();
        assert_eq!((outcome.exit, outcome.stdout.as_slice()), (Exit::Code(0), &b"done\n"[..]), "{script}");
    }
}

#[test]
fn output_beyond_the_limit_is_counted_but_not_kept() {
    let mut script = Script::new("head -c 300000 /dev/zero; head -c 300000 /dev/zero >&2; printf end >&2");
    script.limits.stdout = 1000;
    script.limits.stderr = 1000;
    let outcome = script.run();
    assert_eq!(outcome.exit, Exit::Code(0));
    assert_eq!((outcome.stdout.len(), outcome.stdout_len), (1000, 300_000));
    assert_eq!((outcome.stderr_tail.len(), outcome.stderr_len), (1000, 300_003));
    assert!(outcome.stderr_tail.ends_with(b"end"));
    assert!(outcome.is_capped());
}

#[test]
fn a_flood_is_stopped_long_before_its_end() {
    for redirection in ["", ">&2"] {
        let outcome = Script::new(&format!("head -c 200000000 /dev/zero {redirection}; {FOREVER}")).run();
        assert_eq!(outcome.exit, Exit::Flooded, "{redirection}");
        assert!(outcome.stdout.len() <= STDOUT_LIMIT);
        assert!(outcome.stderr_tail.len() <= STDERR_LIMIT);
        assert!(outcome.stdout_len + outcome.stderr_len > FLOOD_LIMIT);
    }
}

#[test]
fn a_signal_is_told_from_a_code() {
    assert_eq!(Script::new("kill -KILL $$").run().exit, Exit::Signal(9));
    assert_eq!(Script::new("kill -TERM $$").run().exit, Exit::Signal(15));
    assert_eq!(Script::new("exit 143").run().exit, Exit::Code(143));
}

#[test]
fn a_stalled_process_runs_out_of_time() {
    let outcome = Script::new(&format!("printf part; {FOREVER}")).timeout(300).run();
    assert_eq!(outcome.exit, Exit::TimedOut);
    assert_eq!(outcome.stdout, b"part");
    assert!(outcome.elapsed >= Duration::from_millis(300));
}

#[test]
fn one_that_takes_its_leave_when_asked_is_given_the_time() {
    let script = Script::new("trap 'echo bye; exit 0' TERM; touch ready; while :; do sleep 0.01; done");
    let outcome = script.run_and_stop(&[Cause::Terminate]);
    assert_eq!(outcome.exit, Exit::Cancelled(Cause::Terminate));
    assert_eq!(outcome.stdout, b"bye\n");
}

#[test]
fn one_that_ignores_the_request_is_killed() {
    let script = Script::new(&format!("trap '' TERM; echo $$ >pid; {FOREVER}; {FOREVER}")).timeout(200).grace(100);
    let outcome = script.run();
    assert_eq!(outcome.exit, Exit::TimedOut);
    let leader = script.pid_in("pid");
    wait_for(|| !is_alive(leader));
}

#[test]
fn one_that_is_stopped_hears_the_request_too() {
    let script = Script::new("kill -STOP $$; exit 0").timeout(200).grace(90_000);
    assert_eq!(script.run().exit, Exit::TimedOut);
}

#[test]
fn one_that_turns_to_the_terminal_is_not_waited_for() {
    for signal in ["TTIN", "TTOU"] {
        let script = Script::new(&format!("echo asking; kill -{signal} $$; exit 0"));
        let outcome = script.run();
        assert_eq!((outcome.exit, outcome.stdout.as_slice()), (Exit::WantedTerminal, &b"asking\n"[..]), "{signal}");
    }
}

#[test]
fn one_that_is_stopped_and_continued_goes_on() {
    let script = Script::new("(sleep 0.1; kill -CONT $$) & kill -STOP $$; echo on; exit 4");
    let outcome = script.run();
    assert_eq!((outcome.exit, outcome.stdout.as_slice()), (Exit::Code(4), &b"on\n"[..]));
}

#[test]
fn a_request_to_stop_ends_it() {
    for cause in [Cause::Interrupt, Cause::Terminate, Cause::Hangup] {
        let outcome = Script::new(&format!("touch ready; {FOREVER}")).run_and_stop(&[cause]);
        assert_eq!(outcome.exit, Exit::Cancelled(cause));
    }
}

#[test]
fn a_second_request_skips_the_grace() {
    let script = Script::new(&format!("trap '' TERM; touch ready; {FOREVER}")).grace(90_000);
    let outcome = script.run_and_stop(&[Cause::Interrupt, Cause::Interrupt]);
    assert_eq!(outcome.exit, Exit::Cancelled(Cause::Interrupt));
}

#[test]
fn a_request_during_the_grace_is_what_counts() {
    let script = Script::new(&format!("trap 'touch ready; {FOREVER}' TERM; while :; do sleep 0.01; done"));
    let outcome = script.timeout(100).grace(90_000).run_and_stop(&[Cause::Hangup, Cause::Interrupt]);
    assert_eq!(outcome.exit, Exit::Cancelled(Cause::Hangup));
}

#[test]
fn nothing_is_started_after_a_request() {
    let script = Script::new("touch started");
    let cancel = Cancel::new();
    cancel.request(Cause::Interrupt);
    assert_eq!(script.run_with(&cancel).exit, Exit::Cancelled(Cause::Interrupt));
    assert!(!script.folder.path().join("started").exists());
}

#[test]
fn what_a_process_leaves_behind_neither_delays_nor_survives_it() {
    let script = Script::new(&format!("{FOREVER} & echo $! >pid; echo answer"));
    let outcome = script.run();
    assert_eq!((outcome.exit, outcome.stdout.as_slice()), (Exit::Code(0), &b"answer\n"[..]));
    let left = script.pid_in("pid");
    wait_for(|| !is_alive(left));
}

#[test]
fn a_helper_that_it_wrote_through_may_finish() {
    let mut script = Script::new("mkfifo pipe; (sleep 0.2; cat) <pipe & exec >pipe; echo answer");
    script.limits.drain = HANG;
    let outcome = script.run();
    assert_eq!((outcome.exit, outcome.stdout.as_slice()), (Exit::Code(0), &b"answer\n"[..]));
}

#[test]
fn what_let_go_of_the_pipes_does_not_survive_either() {
    let script = Script::new(&format!("{FOREVER} </dev/null >/dev/null 2>&1 & echo $! >pid"));
    assert_eq!(script.run().exit, Exit::Code(0));
    let left = script.pid_in("pid");
    wait_for(|| !is_alive(left));
}

#[test]
fn children_that_ignore_the_request_end_with_their_parent() {
    let script =
        Script::new(&format!("(trap '' TERM; sh -c 'echo $$ >pid; touch ready; {FOREVER}; {FOREVER}') & wait"));
    let outcome = script.run_and_stop(&[Cause::Terminate]);
    assert_eq!(outcome.exit, Exit::Cancelled(Cause::Terminate));
    let left = script.pid_in("pid");
    wait_for(|| !is_alive(left));
}

#[test]
fn a_panic_leaves_nothing_behind() {
    let script = Script::new(&format!("echo $$ >pid.new; mv pid.new pid; {FOREVER}"));
    let mut command = std::process::Command::new(&script.command.program);
    command.args(&script.command.args).current_dir(script.folder.path());
    let unwound = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let _group = super::group::Group::spawn(command).unwrap();
        wait_for(|| script.folder.path().join("pid").exists());
        std::panic::resume_unwind(Box::new("a bug"));
    }));
    assert!(unwound.is_err());
    let leader = script.pid_in("pid");
    wait_for(|| !is_alive(leader));
}

#[test]
fn the_environment_is_inherited_changed_and_cut() {
    let mut script = Script::new(r#"printf '%s|%s|%s' "$GIVEN" "${CARGO_MANIFEST_DIR-gone}" "${PATH:+kept}""#);
    script.command.env_set = vec![("GIVEN".into(), "a b".into())];
    script.command.env_unset = vec!["CARGO_MANIFEST_DIR".into(), "GIVEN".into()];
    assert_eq!(script.run().stdout, b"a b|gone|kept");
}

#[test]
fn it_runs_where_it_is_told() {
    let script = Script::new("pwd -P");
    let expected = script.folder.path().canonicalize().unwrap();
    let outcome = script.run();
    assert_eq!(Path::new(String::from_utf8(outcome.stdout).unwrap().trim_end()), expected);
}

fn start(change: impl FnOnce(&mut Command, &Path)) -> ProcessError {
    let mut script = Script::new("exit 0");
    change(&mut script.command, script.folder.path());
    run(script.command, &Cancel::new()).unwrap_err()
}

fn file(folder: &Path, content: &[u8], mode: u32) -> std::path::PathBuf {
    let path = folder.join("program");
    fs::write(&path, content).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    path
}

#[test]
fn what_cannot_start_says_why() {
    use ProcessError as E;
    let wrong = [
        ("missing", start(|c, dir| c.program = dir.join("gone"))),
        ("below a file", start(|c, dir| c.program = file(dir, b"", 0o755).join("x"))),
        ("plain file", start(|c, dir| c.program = file(dir, b"#!/bin/sh\n", 0o644))),
        ("folder", start(|c, dir| c.program = dir.to_owned())),
        ("no interpreter", start(|c, dir| c.program = file(dir, b"#!/no/such/thing\n", 0o755))),
        ("no working folder", start(|c, dir| c.working_dir = dir.join("gone"))),
        ("long argument", start(|c, _| c.args.push("x".repeat(9_000_000).into()))),
        ("NUL", start(|c, _| c.args.push("a\0b".into()))),
    ];
    for (name, error) in &wrong {
        let expected = match *name {
            "missing" | "below a file" => matches!(error, E::Missing(_)),
            "plain file" => matches!(error, E::NotExecutable(_)),
            "folder" => matches!(error, E::Folder(_)),
            "no interpreter" => matches!(error, E::NoInterpreter(_)),
            "no working folder" => matches!(error, E::WorkingFolder(_)),
            "long argument" => matches!(error, E::TooLong(9_000_000)),
            _ => matches!(error, E::Nul),
        };
        assert!(expected, "{name}: {error:?}");
    }
}

#[test]
fn a_file_in_no_known_format_is_told() {
    let error = start(|command, dir| command.program = file(dir, b"\x7fELFrubbish", 0o755));
    assert!(matches!(error, ProcessError::BadFormat(_)), "{error:?}");
}

#[test]
fn a_debug_print_shows_no_secret() {
    let mut script = Script::new("exit 0").stdin("the diff");
    script.command.env_set = vec![("SOME_KEY".into(), "hunter2".into())];
    let shown = format!("{:?}", script.command);
    assert!(!shown.contains("hunter2") && !shown.contains("diff") && shown.contains("SOME_KEY"), "{shown}");
}

#[test]
fn many_at_once_do_not_disturb_each_other() {
    thread::scope(|scope| {
        for number in 0..20 {
            scope.spawn(move || {
                let outcome = Script::new("cat").stdin(vec![b'0' + number; 100_000]).run();
                assert_eq!(outcome.stdout, vec![b'0' + number; 100_000]);
            });
        }
    });
}
