//! How programs of the repository are run and ended.

use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use super::bounded::*;
use super::{Cancel, Cause};

const LONG: Duration = Duration::from_secs(600);

fn run(script: &str, timeout: Duration, cancel: &Cancel) -> (Ending, String, String) {
    run_with(script, timeout, cancel, OnStop::End)
}

fn run_with(script: &str, timeout: Duration, cancel: &Cancel, on_stop: OnStop<'_>) -> (Ending, String, String) {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", script]).stdin(Stdio::null());
    let told = Arc::new(Mutex::new(Vec::new()));
    let into = Arc::clone(&told);
    let echo: Echo = Arc::new(move |chunk| into.lock().unwrap().extend_from_slice(chunk));
    let (ending, kept) =
        bounded(command, &Bounds { timeout, cancel, on_stop, own_group: true }, Outputs::Both(echo)).unwrap();
    let told = told.lock().unwrap().clone();
    (ending, String::from_utf8(kept).unwrap(), String::from_utf8(told).unwrap())
}

#[test]
fn both_outputs_are_told_in_order_and_kept() {
    let (ending, kept, told) = run("echo a; echo b >&2; echo c; exit 3", LONG, &Cancel::new());
    assert!(matches!(ending, Ending::Exited(status) if status.code() == Some(3)), "{ending:?}");
    assert_eq!((kept.as_str(), told.as_str()), ("a\nb\nc\n", "a\nb\nc\n"));
}

#[test]
fn only_the_end_is_kept() {
    let script = "i=0; while test $i -lt 3000; do echo 0123456789012345678901234567890123456789; i=$((i+1)); done";
    let (_, kept, told) = run(&format!("{script}; echo end"), LONG, &Cancel::new());
    assert_eq!((kept.len(), told.len()), (KEPT, 3000 * 41 + 4));
    assert!(kept.ends_with("end\n"));
}

/// The pipe closes when the last process that could write to it is gone.
#[test]
fn time_ends_it_and_what_it_started() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pid");
    let script = format!("trap '' TERM; sleep 600 & echo $! > '{}'; wait; wait", file.display());
    let (ending, ..) = run(&script, Duration::from_millis(300), &Cancel::new());
    assert_eq!(ending, Ending::TimedOut);
    let pid: i32 = std::fs::read_to_string(file).unwrap().trim().parse().unwrap();
    let pid = rustix::process::Pid::from_raw(pid).unwrap();
    // A moment for whoever inherits it to collect it; a zombie is as good as gone.
    let gone = || {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero()));
        rustix::process::test_kill_process(pid).is_err() || stat.is_ok_and(|stat| stat.contains(") Z "))
    };
    assert!(
        (0..500).any(|_| gone() || {
            thread::sleep(Duration::from_millis(10));
            false
        }),
        "sleep lives on"
    );
}

#[test]
fn a_request_to_stop_ends_it() {
    let cancel = Cancel::new();
    let ending = thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(Duration::from_millis(50));
            cancel.request(Cause::Interrupt);
        });
        run("exec sleep 600", LONG, &cancel).0
    });
    assert_eq!(ending, Ending::Stopped(Cause::Interrupt));
    assert_eq!(run("echo x", LONG, &cancel).1, "", "nothing is started any more");
}

#[test]
fn what_runs_on_in_the_background_is_neither_waited_for_nor_ended() {
    let folder = tempfile::tempdir().unwrap();
    let (go, done) = (folder.path().join("go"), folder.path().join("done"));
    let script = format!("(while ! test -e '{}'; do sleep 0.01; done; : > '{}') & :", go.display(), done.display());
    let (ending, ..) = run(&script, LONG, &Cancel::new());
    assert!(matches!(ending, Ending::Exited(status) if status.success()));
    std::fs::write(&go, "").unwrap();
    assert!((0..3000).any(|_| done.exists() || {
        thread::sleep(Duration::from_millis(10));
        false
    }));
}

/// Runs a script that says when it is ready, and asks it to stop then.
fn stopped(script: &str, timeout: Duration, cancel: &Cancel, causes: &[Cause]) -> (Ending, String) {
    let folder = tempfile::tempdir().unwrap();
    let ready = folder.path().join("ready");
    let told = std::sync::atomic::AtomicUsize::new(0);
    let waits = || {
        told.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
    };
    let (ending, kept, _) = thread::scope(|scope| {
        scope.spawn(|| {
            while !ready.exists() {
                thread::sleep(Duration::from_millis(2));
            }
            for cause in causes {
                cancel.request(*cause);
                thread::sleep(Duration::from_millis(100));
            }
        });
        run_with(&script.replace("READY", &ready.display().to_string()), timeout, cancel, OnStop::PassOn(&waits))
    });
    assert_eq!(told.into_inner(), 1);
    (ending, kept)
}

#[test]
fn a_request_is_passed_on_and_the_end_is_waited_for() {
    for (cause, signal) in [(Cause::Interrupt, "INT"), (Cause::Terminate, "TERM"), (Cause::Hangup, "HUP")] {
        let script = format!("trap 'sleep 4; echo back; exit 1' {signal}; : > READY; while :; do sleep 0.01; done");
        let (ending, kept) = stopped(&script, LONG, &Cancel::new(), &[cause]);
        assert_eq!(ending, Ending::Stopped(cause));
        assert!(kept.ends_with("back\n"), "{kept}");
    }
}

#[test]
fn what_outlives_the_one_that_was_started_is_waited_for_too() {
    let script = "sh -c 'trap \"sleep 0.3; echo back; exit 1\" INT; : > READY; while :; do sleep 0.01; done'; :";
    let (ending, kept) = stopped(script, LONG, &Cancel::new(), &[Cause::Interrupt]);
    assert_eq!((ending, kept.as_str()), (Ending::Stopped(Cause::Interrupt), "back\n"));
}

#[test]
fn a_second_interrupt_and_the_end_of_its_time_kill_it() {
    let script = "trap '' INT TERM; : > READY; while :; do sleep 0.01; done";
    let (ending, _) = stopped(script, LONG, &Cancel::new(), &[Cause::Interrupt, Cause::Interrupt]);
    assert_eq!(ending, Ending::Stopped(Cause::Interrupt));
    let (ending, _) = stopped(script, Duration::from_secs(1), &Cancel::new(), &[Cause::Terminate]);
    assert_eq!(ending, Ending::Stopped(Cause::Terminate));
}
