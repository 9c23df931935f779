//! Durations as people write them: `90`, `90s`, `8m`, `1h30m`.
//!
//! Reading and printing are inverse to each other: what [`show`] prints, [`parse`] reads back to the same duration.

use std::fmt::Write as _;
use std::time::Duration;

/// The units, largest first, in seconds.
const UNITS: [(char, u64); 3] = [('h', 3600), ('m', 60), ('s', 1)];

/// What [`parse`] reads, as a regular expression.
pub(super) const PATTERN: &str = r"^\s*([0-9]+|[0-9]+h([0-9]+m)?([0-9]+s)?|[0-9]+m([0-9]+s)?|[0-9]+s)\s*$";

/// The text is no duration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a duration is written as `90`, `90s`, `8m` or `1h30m`")]
pub struct InvalidDuration;

/// Reads whole seconds without a unit, or hours, minutes and seconds in this order, each at most once.
///
/// # Errors
/// Anything else: an empty text, a sign, a fraction, an unknown or repeated unit, a sum that does not fit.
pub fn parse(text: &str) -> Result<Duration, InvalidDuration> {
    let mut rest = text.trim();
    if rest.is_empty() {
        return Err(InvalidDuration);
    }
    if let Some(seconds) = whole_number(rest) {
        return Ok(Duration::from_secs(seconds));
    }
    let mut total: u64 = 0;
    for (unit, seconds) in UNITS {
        if let Some((number, after)) = rest.split_once(unit) {
            let amount = whole_number(number).ok_or(InvalidDuration)?;
            let part = amount.checked_mul(seconds).ok_or(InvalidDuration)?;
            total = total.checked_add(part).ok_or(InvalidDuration)?;
            rest = after;
        }
    }
    if rest.is_empty() { Ok(Duration::from_secs(total)) } else { Err(InvalidDuration) }
}

/// Digits only: `u64::from_str` alone would take a leading `+`.
fn whole_number(text: &str) -> Option<u64> {
    if text.bytes().all(|byte| byte.is_ascii_digit()) { text.parse().ok() } else { None }
}

/// Prints whole seconds in the units that [`parse`] reads; a fraction of a second is dropped.
///
/// Up to ten minutes, seconds alone are easier to compare: `120s`, `480s`, but `1h30m`.
#[must_use]
pub fn show(duration: Duration) -> String {
    let mut seconds = duration.as_secs();
    if seconds <= 600 {
        return format!("{seconds}s");
    }
    let mut text = String::new();
    for (unit, length) in UNITS {
        let amount = seconds / length;
        seconds %= length;
        if amount > 0 {
            // Writing to a String cannot fail.
            let _ = write!(text, "{amount}{unit}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_accepted_forms() {
        let table = [
            ("0", 0),
            ("90", 90),
            ("90s", 90),
            ("8m", 480),
            ("1h", 3600),
            ("1h30m", 5400),
            ("1h30m5s", 5405),
            ("2h1s", 7201),
            (" 5s ", 5),
        ];
        for (text, seconds) in table {
            assert_eq!(parse(text), Ok(Duration::from_secs(seconds)), "{text}");
        }
    }

    #[test]
    fn everything_else_is_refused() {
        let table = [
            "",
            " ",
            "s",
            "m5",
            "-5s",
            "+5",
            "1.5h",
            "5 s",
            "1m1m",
            "5s1m",
            "30m1h",
            "5x",
            "1h30",
            "5S",
            "٣s",
            "99999999999999999999",
            "9999999999999999999h",
            "18446744073709551615s1",
        ];
        for text in table {
            assert_eq!(parse(text), Err(InvalidDuration), "{text}");
        }
    }

    #[test]
    fn short_ones_are_shown_in_seconds_and_long_ones_in_units() {
        for (seconds, text) in
            [(0, "0s"), (120, "120s"), (480, "480s"), (601, "10m1s"), (5400, "1h30m"), (7201, "2h1s")]
        {
            assert_eq!(show(Duration::from_secs(seconds)), text);
        }
    }

    proptest! {
        #[test]
        fn what_is_shown_reads_back(seconds in any::<u64>()) {
            let duration = Duration::from_secs(seconds);
            prop_assert_eq!(parse(&show(duration)), Ok(duration));
        }

        #[test]
        fn no_text_panics(text in "\\PC*") {
            let _ = parse(&text);
        }
    }
}
