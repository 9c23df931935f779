//! Progress on standard error: a moving line for each call on a terminal, a plain one where nothing can move, nothing
//! elsewhere, and the lines of `--verbose`.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::{Mutex, PoisonError};
use std::thread::ThreadId;
use std::time::Duration;

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use super::usage::used;
use crate::progress::{CallEnd, CallStart, Progress};
use crate::role::Role;
use crate::untrusted::stripped;
use crate::usage::Ledger;

/// Elapsed seconds are shown after this time, and the time-out after [`SHOW_TIMEOUT`].
const SHOW_ELAPSED: Duration = Duration::from_secs(2);
const SHOW_TIMEOUT: Duration = Duration::from_secs(10);
const TICK: Duration = Duration::from_millis(120);

/// Columns that the spinner before a line and the times behind it may take.
const AROUND: usize = 2 + " 1000s (at most 480s)".len();
/// A title that would be cut to less has the line for itself, in columns.
const LEAST_TITLE: usize = 20;
/// Columns of a terminal that does not tell its width.
const USUAL_WIDTH: usize = 80;

/// What standard error can show of a call that goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shows {
    /// A line that moves: it is a terminal.
    Motion,
    /// Lines one after the other: it is a terminal that can do no more.
    Lines,
    /// Nothing: it is a file or a pipe.
    Nothing,
}

/// Tells the user on standard error what happens.
#[derive(Debug)]
pub struct Terminal {
    quiet: bool,
    verbosity: u8,
    shows: Shows,
    /// One line for each call that is going on.
    calls: MultiProgress,
    /// Calls are told apart by the thread that makes them, and so is what they are for.
    by_thread: Mutex<HashMap<ThreadId, Thread>>,
    warnings: Mutex<Vec<String>>,
    usage: Mutex<Ledger>,
}

#[derive(Debug, Default)]
struct Thread {
    about: Option<String>,
    call: Option<ProgressBar>,
    /// Whether it is told that the thread's next call waits.
    waits: bool,
}

impl Terminal {
    /// `verbosity`: 0, 1 (what is run) or 2 (with contents).
    #[must_use]
    pub fn new(quiet: bool, verbosity: u8, shows: Shows) -> Self {
        let shows = if quiet { Shows::Nothing } else { shows };
        let target = if shows == Shows::Motion { target() } else { ProgressDrawTarget::hidden() };
        Self::on(target, quiet, verbosity, shows)
    }

    fn on(target: ProgressDrawTarget, quiet: bool, verbosity: u8, shows: Shows) -> Self {
        Self {
            quiet,
            verbosity: if quiet { 0 } else { verbosity },
            shows,
            calls: MultiProgress::with_draw_target(target),
            by_thread: Mutex::default(),
            warnings: Mutex::default(),
            usage: Mutex::default(),
        }
    }

    /// Every notice so far, for the JSON document.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        self.warnings.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What the calls have used so far.
    #[must_use]
    pub fn usage(&self) -> Ledger {
        self.usage.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Writes something else to the terminal, without disturbing the lines of the calls that go on.
    pub fn beside<T>(&self, write: impl FnOnce() -> T) -> T {
        self.calls.suspend(write)
    }

    /// Passes on what a program of the repository prints, as it is.
    pub fn pass_on(&self, output: &[u8]) {
        self.beside(|| drop(std::io::stderr().lock().write_all(output)));
    }

    /// Leaves the terminal to somebody else for a while, as to an editor. Calls go on unseen.
    pub fn apart<T>(&self, act: impl FnOnce() -> T) -> T {
        if self.shows != Shows::Motion {
            return act();
        }
        // A terminal that cannot be cleared is no reason to do without the rest.
        drop(self.calls.clear());
        self.calls.set_draw_target(ProgressDrawTarget::hidden());
        let done = act();
        self.calls.set_draw_target(target());
        done
    }

    /// Writes lines without disturbing those of the calls. A closed standard error ends no run.
    fn lines(&self, text: &str) {
        self.beside(|| {
            let mut stderr = anstream::stderr().lock();
            drop(stderr.write_all(text.as_bytes()));
        });
    }

    fn show(&self, call: &CallStart<'_>) {
        let mut threads = self.by_thread.lock().unwrap_or_else(PoisonError::into_inner);
        let thread = threads.entry(std::thread::current().id()).or_default();
        let text = generating(call, thread.about.as_deref(), columns().saturating_sub(AROUND));
        thread.call = Some(self.spinner(text, Some(call.timeout)));
    }

    /// The same as a line that stays, whole.
    fn say(&self, call: &CallStart<'_>) {
        let threads = self.by_thread.lock().unwrap_or_else(PoisonError::into_inner);
        let about = threads.get(&std::thread::current().id()).and_then(|thread| thread.about.clone());
        drop(threads);
        self.lines(&format!("{}\n", generating(call, about.as_deref(), usize::MAX)));
    }

    /// A line that shows how long something has been going on, and how long it may.
    fn spinner(&self, text: String, timeout: Option<Duration>) -> ProgressBar {
        let line = self.calls.add(ProgressBar::new_spinner());
        let style = ProgressStyle::with_template("{spinner} {msg}{note}")
            .unwrap_or_else(|_| ProgressStyle::default_spinner())
            .with_key("note", move |state: &ProgressState, text: &mut dyn std::fmt::Write| {
                let _ = text.write_str(&elapsed_note(state.elapsed(), timeout));
            })
            .tick_chars("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏ ");
        line.set_style(style);
        line.set_message(text);
        line.enable_steady_tick(TICK);
        line
    }

    /// Takes the line of this thread's call away.
    fn take_down(&self) {
        let mut threads = self.by_thread.lock().unwrap_or_else(PoisonError::into_inner);
        let shown = threads.get_mut(&std::thread::current().id()).and_then(|thread| thread.call.take());
        drop(threads);
        if let Some(line) = shown {
            line.finish_and_clear();
            self.calls.remove(&line);
        }
    }
}

fn target() -> ProgressDrawTarget {
    ProgressDrawTarget::stderr_with_hz(10)
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let threads = self.by_thread.get_mut().unwrap_or_else(PoisonError::into_inner);
        threads.drain().filter_map(|(_, thread)| thread.call).for_each(|line| line.finish_and_clear());
    }
}

impl Progress for Terminal {
    fn about(&self, what: Option<&str>) {
        let mut threads = self.by_thread.lock().unwrap_or_else(PoisonError::into_inner);
        threads.entry(std::thread::current().id()).or_default().about = what.map(str::to_owned);
    }

    fn call_started(&self, call: &CallStart<'_>) {
        if self.verbosity > 0 {
            self.say(call);
            self.lines(&started(call, self.verbosity > 1));
        } else if !call.argv.is_empty() {
            match self.shows {
                Shows::Motion => self.show(call),
                Shows::Lines => self.say(call),
                Shows::Nothing => {}
            }
        }
    }

    fn call_ended(&self, call: &CallEnd<'_>) {
        if let Some(usage) = &call.usage {
            self.usage.lock().unwrap_or_else(PoisonError::into_inner).add(call.role, usage);
        }
        self.take_down();
        if self.verbosity > 0 {
            self.lines(&ended(call, self.verbosity > 1));
        }
    }

    fn waiting(&self, provider: &str, ahead: Option<usize>) {
        let mut threads = self.by_thread.lock().unwrap_or_else(PoisonError::into_inner);
        let thread = threads.entry(std::thread::current().id()).or_default();
        let waited = std::mem::replace(&mut thread.waits, ahead.is_some());
        let Some(ahead) = ahead else {
            drop(threads);
            return self.take_down();
        };
        let text = waits(provider, ahead);
        if self.shows == Shows::Motion && self.verbosity == 0 {
            match &thread.call {
                Some(line) => line.set_message(text),
                None => thread.call = Some(self.spinner(text, None)),
            }
            return;
        }
        drop(threads);
        // Where nothing is drawn, it is enough to know that somebody waits.
        match (waited, self.verbosity) {
            (true, 0) => {}
            (true, _) => self.detail(&text),
            (false, _) if !self.quiet => self.lines(&format!("note: {text}\n")),
            (false, _) => {}
        }
    }

    fn verbosity(&self) -> u8 {
        self.verbosity
    }

    fn notice(&self, text: &str) {
        let mut said = self.warnings.lock().unwrap_or_else(PoisonError::into_inner);
        // Several roles may have the same thing to say.
        if said.iter().any(|earlier| earlier == text) {
            return;
        }
        said.push(text.to_owned());
        drop(said);
        if !self.quiet {
            self.lines(&format!("note: {}\n", stripped(text)));
        }
    }

    fn detail(&self, text: &str) {
        if self.verbosity > 0 {
            self.lines(&format!("  {}\n", stripped(text)));
        }
    }
}

/// What a call is for and who answers, in at most `room` columns as far as the title can give way.
fn generating(call: &CallStart<'_>, about: Option<&str>, room: usize) -> String {
    let what = match call.role {
        Role::Planner => "Planning",
        Role::Stager => "Sorting hunks",
        Role::Message => "Generating",
        Role::Arbiter => "Placing what is left over",
    };
    let model = stripped(call.model);
    let who = if model.is_empty() {
        format!(" with {}…", call.provider)
    } else {
        format!(" with {model} in {}…", call.provider)
    };
    let Some(about) = about else { return format!("{what}{who}") };
    let title = stripped(about);
    let left = room.saturating_sub(what.width() + " \"\"".len());
    let beside = left.saturating_sub(who.width());
    if title.width() <= beside || beside >= LEAST_TITLE {
        format!("{what} \"{}\"{who}", cut(&title, beside))
    } else {
        format!("{what} \"{}\"", cut(&title, left.max(LEAST_TITLE)))
    }
}

fn waits(provider: &str, ahead: usize) -> String {
    let place = if ahead == 0 { "next".to_owned() } else { format!("{ahead} ahead") };
    format!("{}: waiting for a seat ({place})", stripped(provider))
}

/// A text cut to a number of columns, with a sign that it was.
fn cut(text: &str, columns: usize) -> String {
    if text.width() <= columns {
        return text.to_owned();
    }
    let mut taken = 0;
    let fits = |c: &char| {
        taken += c.width().unwrap_or(0);
        taken < columns
    };
    let kept: String = text.chars().take_while(fits).collect();
    format!("{}…", kept.trim_end())
}

/// The width of the terminal that standard error is.
fn columns() -> usize {
    #[cfg(unix)]
    if let Ok(size) = rustix::termios::tcgetwinsize(std::io::stderr())
        && size.ws_col > 0
    {
        return usize::from(size.ws_col);
    }
    USUAL_WIDTH
}

/// ` 7s`, after a while with the time-out that applies.
fn elapsed_note(elapsed: Duration, timeout: Option<Duration>) -> String {
    if elapsed < SHOW_ELAPSED {
        return String::new();
    }
    let mut note = format!(" {}s", elapsed.as_secs());
    if let Some(timeout) = timeout.filter(|_| elapsed >= SHOW_TIMEOUT) {
        // Writing to a String cannot fail.
        let _ = write!(note, " (at most {}s)", timeout.as_secs());
    }
    note
}

fn started(call: &CallStart<'_>, contents: bool) -> String {
    let command = if call.argv.is_empty() { "(no process)".to_owned() } else { call.argv.join(" ") };
    let mut text = format!(
        "{}: {} [{}], system prompt {} bytes, payload {} bytes, time-out {}s\n  {}\n",
        call.role,
        call.provider,
        if call.model.is_empty() { "its own default model" } else { call.model },
        call.system_bytes,
        call.payload_bytes,
        call.timeout.as_secs(),
        command,
    );
    if contents {
        let _ = writeln!(text, "--- system prompt\n{}\n--- payload\n{}\n---", call.contents.0, call.contents.1);
    }
    stripped(&text)
}

fn ended(call: &CallEnd<'_>, contents: bool) -> String {
    let mut text = format!(
        "  {}: {} after {:.1}s, {} bytes on standard output, {} on standard error\n",
        call.provider,
        call.exit,
        call.elapsed.as_secs_f64(),
        call.stdout_bytes,
        call.stderr_bytes,
    );
    if let Some(used) = call.usage.as_ref().and_then(used) {
        let _ = writeln!(text, "  {}: used {used}", call.provider);
    }
    if contents {
        let _ =
            writeln!(text, "--- standard output\n{}\n--- standard error\n{}\n---", call.contents.0, call.contents.1);
    }
    stripped(&text)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use indicatif::TermLike;

    use super::*;

    #[test]
    fn time_is_shown_when_it_gets_long() {
        let note = |seconds| elapsed_note(Duration::from_secs(seconds), Some(Duration::from_secs(120)));
        assert_eq!(note(1), "");
        assert_eq!(note(2), " 2s");
        assert_eq!(note(11), " 11s (at most 120s)");
    }

    fn about_call<'a>(role: Role, model: &'a str, provider: &'a str) -> CallStart<'a> {
        let timeout = Duration::from_secs(60);
        CallStart { role, provider, model, argv: &[], system_bytes: 0, payload_bytes: 0, timeout, contents: ("", "") }
    }

    #[test]
    fn the_line_names_model_and_provider() {
        let line = |role, about, model, provider| generating(&about_call(role, model, provider), about, usize::MAX);
        assert_eq!(line(Role::Message, None, "", "claude"), "Generating with claude…");
        assert_eq!(line(Role::Planner, None, "haiku\x1b[1m", "claude"), "Planning with haiku in claude…");
        let title = "feat: add \x1b[1mtabs";
        assert_eq!(line(Role::Message, Some(title), "", "pi"), "Generating \"feat: add tabs\" with pi…");
    }

    #[test]
    fn a_title_gives_way_to_the_width() {
        let title = "feat: let the parser take tabs between the words of a line";
        let call = about_call(Role::Message, "haiku", "claude");
        let line = |room| generating(&call, Some(title), room);
        assert_eq!(line(100), format!("Generating \"{title}\" with haiku in claude…"));
        assert_eq!(line(60), "Generating \"feat: let the parser tak…\" with haiku in claude…");
        assert_eq!(line(40), "Generating \"feat: let the parser take…\"");
        assert_eq!(line(10), "Generating \"feat: let the parse…\"");
        let wide = generating(&call, Some(&"漢字".repeat(20)), 60);
        assert!(wide.width() <= 60 && wide.contains("漢字…\" with"), "{wide}");
        assert!((20..120).all(|room| line(room).width() <= room.max(33)));
    }

    /// What is on the screen of a terminal that only keeps the last frame.
    #[derive(Debug, Clone, Default)]
    struct Screen(Arc<Mutex<String>>);

    impl TermLike for Screen {
        fn width(&self) -> u16 {
            200
        }
        fn move_cursor_up(&self, _: usize) -> std::io::Result<()> {
            Ok(())
        }
        fn move_cursor_down(&self, _: usize) -> std::io::Result<()> {
            Ok(())
        }
        fn move_cursor_right(&self, _: usize) -> std::io::Result<()> {
            Ok(())
        }
        fn move_cursor_left(&self, _: usize) -> std::io::Result<()> {
            Ok(())
        }
        fn write_line(&self, text: &str) -> std::io::Result<()> {
            self.write_str(text)
        }
        fn write_str(&self, text: &str) -> std::io::Result<()> {
            self.0.lock().unwrap().push_str(text);
            Ok(())
        }
        fn clear_line(&self) -> std::io::Result<()> {
            self.0.lock().unwrap().clear();
            Ok(())
        }
        fn flush(&self) -> std::io::Result<()> {
            Ok(())
        }
    }

    fn call(terminal: &Terminal, during: impl FnOnce()) {
        let argv = ["pi".to_owned()];
        terminal.call_started(&CallStart { argv: &argv, ..about_call(Role::Message, "", "pi") });
        during();
        terminal.call_ended(&CallEnd {
            role: Role::Message,
            provider: "pi",
            exit: "exit 0",
            elapsed: Duration::ZERO,
            stdout_bytes: 0,
            stderr_bytes: 0,
            usage: None,
            contents: ("", ""),
        });
    }

    #[test]
    fn whoever_waits_for_a_seat_has_a_line_until_the_call_begins() {
        let screen = Screen::default();
        let terminal =
            Terminal::on(ProgressDrawTarget::term_like_with_hz(Box::new(screen.clone()), 255), false, 0, Shows::Motion);
        let shows = |text: &str| {
            while !screen.0.lock().unwrap().contains(text) {
                std::thread::sleep(Duration::from_millis(5));
            }
        };
        terminal.waiting("pi", Some(3));
        shows("pi: waiting for a seat (3 ahead)");
        terminal.waiting("pi", Some(0));
        shows("pi: waiting for a seat (next)");
        terminal.waiting("pi", None);
        assert!(!screen.0.lock().unwrap().contains("waiting"));
        call(&terminal, || shows("Generating with pi…"));
    }

    #[test]
    fn each_call_that_goes_on_has_a_line_that_says_what_for() {
        let screen = Screen::default();
        let terminal =
            Terminal::on(ProgressDrawTarget::term_like_with_hz(Box::new(screen.clone()), 255), false, 0, Shows::Motion);
        let waits_for = |shown: &[&str], gone: &[&str]| {
            while !{
                let now = screen.0.lock().unwrap().clone();
                shown.iter().all(|text| now.contains(text)) && !gone.iter().any(|text| now.contains(text))
            } {
                std::thread::sleep(Duration::from_millis(5));
            }
        };
        terminal.about(Some("one"));
        call(&terminal, || {
            waits_for(&["Generating \"one\" with pi…"], &["two"]);
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    terminal.about(Some("two"));
                    call(&terminal, || waits_for(&["\"one\"", "\"two\""], &[]));
                    terminal.about(None);
                    call(&terminal, || waits_for(&["\"one\"", "Generating with pi…"], &["two"]));
                });
            });
            waits_for(&["\"one\""], &["Generating with"]);
        });
        waits_for(&[], &["Generating"]);
    }

    #[test]
    fn nothing_is_drawn_for_who_wants_none() {
        for (quiet, shows) in [(true, Shows::Motion), (false, Shows::Nothing)] {
            let terminal = Terminal::new(quiet, 0, shows);
            call(&terminal, || {
                assert!(terminal.shows == Shows::Nothing && terminal.calls.is_hidden());
                assert!(terminal.by_thread.lock().unwrap().is_empty());
            });
        }
    }
}
