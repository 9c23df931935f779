//! Progress on standard error: a spinner on a terminal, nothing drawn elsewhere, and the lines of `--verbose`.

use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use crate::progress::{CallEnd, CallStart, Progress};
use crate::role::Role;
use crate::untrusted::stripped;

/// Elapsed seconds are shown after this time, and the time-out after [`SHOW_TIMEOUT`].
const SHOW_ELAPSED: Duration = Duration::from_secs(2);
const SHOW_TIMEOUT: Duration = Duration::from_secs(10);
const TICK: Duration = Duration::from_millis(120);

/// Tells the user on standard error what happens.
#[derive(Debug)]
pub struct Terminal {
    quiet: bool,
    verbosity: u8,
    draws: bool,
    spinner: Mutex<Option<ProgressBar>>,
    /// How many calls are going on; one spinner stands for all of them.
    calls: AtomicUsize,
    warnings: Mutex<Vec<String>>,
}

impl Terminal {
    /// `verbosity`: 0, 1 (what is run) or 2 (with contents). `draws`: standard error is a terminal that can animate.
    #[must_use]
    pub const fn new(quiet: bool, verbosity: u8, draws: bool) -> Self {
        Self {
            quiet,
            verbosity,
            draws: draws && !quiet,
            spinner: Mutex::new(None),
            calls: AtomicUsize::new(0),
            warnings: Mutex::new(Vec::new()),
        }
    }

    /// Every notice so far, for the JSON document.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        self.warnings.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Writes lines without disturbing the spinner. A closed standard error ends no run.
    fn lines(&self, text: &str) {
        let write = || {
            let mut stderr = anstream::stderr().lock();
            drop(stderr.write_all(text.as_bytes()));
        };
        match &*self.spinner.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(spinner) => spinner.suspend(write),
            None => write(),
        }
    }

    fn start_spinner(&self, call: &CallStart<'_>) {
        let spinner = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(10));
        let timeout = call.timeout;
        let style = ProgressStyle::with_template("{spinner} {wide_msg}")
            .unwrap_or_else(|_| ProgressStyle::default_spinner())
            .with_key("note", move |state: &ProgressState, text: &mut dyn std::fmt::Write| {
                let _ = text.write_str(&elapsed_note(state.elapsed(), timeout));
            })
            .tick_chars("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏ ");
        let style = style.template("{spinner} {msg}{note}").unwrap_or_else(|_| ProgressStyle::default_spinner());
        spinner.set_style(style);
        spinner.set_message(generating(call.role, call.model, call.provider));
        spinner.enable_steady_tick(TICK);
        *self.spinner.lock().unwrap_or_else(PoisonError::into_inner) = Some(spinner);
    }

    fn stop_spinner(&self) {
        if let Some(spinner) = self.spinner.lock().unwrap_or_else(PoisonError::into_inner).take() {
            spinner.finish_and_clear();
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.stop_spinner();
    }
}

impl Progress for Terminal {
    fn call_started(&self, call: &CallStart<'_>) {
        if self.verbosity > 0 {
            self.lines(&started(call, self.verbosity > 1));
        } else if self.draws && !call.argv.is_empty() && self.calls.fetch_add(1, Ordering::SeqCst) == 0 {
            self.start_spinner(call);
        }
    }

    fn call_ended(&self, call: &CallEnd<'_>) {
        // A call without a spinner was not counted; it cannot end one either.
        let counted = self.calls.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |calls| calls.checked_sub(1));
        if counted.is_ok_and(|calls| calls == 1) {
            self.stop_spinner();
        }
        if self.verbosity > 0 {
            self.lines(&ended(call, self.verbosity > 1));
        }
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

fn generating(role: Role, model: &str, provider: &str) -> String {
    let what = match role {
        Role::Planner => "Planning",
        Role::Stager => "Sorting hunks",
        Role::Message => "Generating",
        Role::Arbiter => "Placing what is left over",
    };
    let model = stripped(model);
    if model.is_empty() {
        format!("{what} with {provider}…")
    } else {
        format!("{what} with {model} in {provider}…")
    }
}

/// ` 7s`, after a while with the time-out that applies.
fn elapsed_note(elapsed: Duration, timeout: Duration) -> String {
    if elapsed < SHOW_ELAPSED {
        return String::new();
    }
    let mut note = format!(" {}s", elapsed.as_secs());
    if elapsed >= SHOW_TIMEOUT {
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
    if contents {
        let _ =
            writeln!(text, "--- standard output\n{}\n--- standard error\n{}\n---", call.contents.0, call.contents.1);
    }
    stripped(&text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_is_shown_when_it_gets_long() {
        let note = |seconds| elapsed_note(Duration::from_secs(seconds), Duration::from_secs(120));
        assert_eq!(note(1), "");
        assert_eq!(note(2), " 2s");
        assert_eq!(note(11), " 11s (at most 120s)");
    }

    #[test]
    fn the_line_names_model_and_provider() {
        assert_eq!(generating(Role::Message, "", "claude"), "Generating with claude…");
        assert_eq!(generating(Role::Planner, "haiku\x1b[1m", "claude"), "Planning with haiku in claude…");
    }
}
