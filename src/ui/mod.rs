//! What a person or a script sees: progress on standard error, reports as text, and the JSON document.
//!
//! Everything that comes from an agent, a file name or another program passes through [`visible`] before it reaches a
//! terminal.

pub mod json;
mod progress;
mod report;

pub use progress::Terminal;
pub use report::{Landed, commit_report, name_status};

/// The text without anything that a terminal would act on: escapes and other control characters but newline and tab,
/// bidirectional overrides and invisible characters are replaced.
#[must_use]
pub fn visible(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '\n' | '\t' => c,
            c if c.is_control() => char::REPLACEMENT_CHARACTER,
            '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}' => {
                char::REPLACEMENT_CHARACTER
            }
            c => c,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_reaches_the_terminal_that_it_would_act_on() {
        assert_eq!(
            visible("a\x1b[31mb\r\x07\u{9b}c\u{202e}d\u{200b}"),
            "a\u{fffd}[31mb\u{fffd}\u{fffd}\u{fffd}c\u{fffd}d\u{fffd}"
        );
        assert_eq!(visible("Füge \"x\" hinzu\n\t🎉"), "Füge \"x\" hinzu\n\t🎉");
    }
}
