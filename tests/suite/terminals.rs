//! What is seen on a terminal of some width, on one that can do little, and where nobody looks.

use std::fs::File;
use std::io::Read as _;
use std::process::Stdio;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use crate::support::{Roles, World};

/// A title that fills a line.
const TITLE: &str = "feat: let the parser of the configuration take tabs between the words of a line as well";

/// What stagecoach writes to a terminal that is its standard error, and to a pipe that is its standard output.
fn on_terminal(world: &World, columns: u16, arguments: &[&str]) -> (String, String) {
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&ours).unwrap();
    unlockpt(&ours).unwrap();
    tcsetwinsize(&ours, Winsize { ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 }).unwrap();
    let theirs = File::options().read(true).write(true).open(ptsname(&ours, Vec::new()).unwrap().to_str().unwrap());
    let mut command = world.stagecoach(arguments);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::from(theirs.unwrap())).spawn().unwrap();
    // It keeps the terminal open until it is gone.
    drop(command);
    let screen = std::thread::spawn(move || {
        let (mut screen, mut part) = (Vec::new(), [0; 4096]);
        let mut ours = File::from(ours);
        // The end of a terminal is an error.
        while let Ok(length @ 1..) = ours.read(&mut part) {
            screen.extend_from_slice(&part[..length]);
        }
        String::from_utf8(screen).unwrap()
    });
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    (screen.join().unwrap(), String::from_utf8(output.stdout).unwrap())
}

/// A dirty tree that becomes two commits, by an agent that takes its time.
fn world(term: &str) -> World {
    let mut world = World::with_message("");
    world.set("TERM", term);
    Roles::plan(&[(TITLE, &["a"]), ("feat: b", &["b"])]).before_message("sleep 0.4").install(&world);
    world.write("a", "x\n");
    world.write("b", "x\n");
    world
}

/// What the spinner turned before.
const SPINNER: [char; 10] = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];

/// The lines that were drawn behind spinners, without what moves the cursor. One that fills the width ends in no newline.
fn drawn(screen: &str) -> Vec<String> {
    let escape = regex::Regex::new("\u{1b}\\[[0-9;?]*[A-Za-z]").unwrap().replace_all(screen, "\n").into_owned();
    let lines = escape.split(['\r', '\n']).flat_map(|line| line.split(SPINNER).skip(1));
    lines.map(|line| line.trim_end().to_owned()).collect()
}

#[test]
fn a_line_moves_on_a_terminal_and_keeps_to_its_width() {
    for (columns, shown) in [
        (40, "Generating \"feat:"),
        (60, "Generating \"feat: let the par"),
        (
            200,
            "Generating \"feat: let the parser of the configuration take tabs between the words of a line as well\" with fake…",
        ),
    ] {
        let (screen, printed) = on_terminal(&world("xterm"), columns, &[]);
        let lines = drawn(&screen);
        assert!(lines.iter().any(|line| line.contains("Planning with fake…")), "{columns}: {lines:#?}");
        assert!(lines.iter().any(|line| line.contains(shown)), "{columns}: {lines:#?}");
        let widest = lines.iter().max_by_key(|line| line.chars().count()).unwrap();
        assert!(widest.chars().count() < usize::from(columns), "{columns}: {widest}");
        // Everything that was drawn is taken away, and the results are plain.
        assert!(screen.ends_with("\u{1b}[2K") || screen.ends_with('\r'), "{screen:?}");
        assert!(printed.starts_with('[') && !printed.contains('\u{1b}'), "{printed:?}");
    }
}

#[test]
fn a_dumb_terminal_gets_a_plain_line_for_each_call() {
    let (screen, _) = on_terminal(&world("dumb"), 40, &[]);
    assert!(!screen.contains('\u{1b}'), "{screen:?}");
    assert!(screen.starts_with("Planning with fake…\r\n"), "{screen:?}");
    assert!(screen.contains(&format!("Generating \"{TITLE}\" with fake…\r\n")), "{screen:?}");
    assert_eq!(on_terminal(&world("dumb"), 40, &["--quiet"]).0, "");
}

#[test]
fn where_nobody_looks_there_is_a_line_for_each_call_only_for_who_wants_to_know() {
    assert_eq!(world("xterm").run(&[]).succeeds().stderr, "");
    let run = world("xterm").run(&["--verbose"]).succeeds();
    assert!(!run.stderr.contains('\u{1b}'), "{run:#?}");
    run.says(&["Planning with fake…\nplanner: fake", "Generating \"feat: b\" with fake…\nmessage: fake"]);
    let mut quiet = world("xterm");
    quiet.set("STAGECOACH_VERBOSE", "1");
    assert_eq!(quiet.run(&["--quiet"]).succeeds().stderr, "");
}
