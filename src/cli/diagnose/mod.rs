//! Checks that say what is right and what is wrong without changing anything: `providers test` and `doctor`.

pub(super) mod doctor;
pub(super) mod provider;
mod stager;
pub(super) mod version;

use std::fmt::Write as _;

use serde::Serialize;

use crate::ui::json::SCHEMA;
use crate::untrusted::stripped;

use super::{Failure, json_to_stdout, to_stdout};

/// How serious a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Level {
    /// As it should be, or worth knowing.
    Info,
    /// A run may fail, or do something unexpected.
    Warn,
    /// A run would fail.
    Error,
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Check {
    /// A stable word for what was looked at.
    pub(super) code: &'static str,
    pub(super) level: Level,
    /// One sentence.
    pub(super) message: String,
    /// The words of whoever knows more; may be empty or have several lines.
    pub(super) detail: String,
    /// What to do; may be empty.
    pub(super) hint: String,
}

impl Check {
    fn new(code: &'static str, level: Level, message: impl Into<String>) -> Self {
        Self { code, level, message: message.into(), detail: String::new(), hint: String::new() }
    }

    pub(super) fn info(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(code, Level::Info, message)
    }

    pub(super) fn warn(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(code, Level::Warn, message)
    }

    pub(super) fn error(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(code, Level::Error, message)
    }

    fn detail(self, detail: impl Into<String>) -> Self {
        Self { detail: detail.into(), ..self }
    }

    fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: hint.into(), ..self }
    }

    /// A failure as a finding.
    fn of(code: &'static str, level: Level, failure: &Failure) -> Self {
        Self::new(code, level, &failure.what).detail(&failure.why).hint(&failure.hint)
    }
}

/// How all checks of one subject came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Status {
    Pass,
    Warn,
    Fail,
}

/// The findings about one subject.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Report {
    pub(super) name: String,
    pub(super) status: Status,
    pub(super) checks: Vec<Check>,
}

impl Report {
    pub(super) fn new(name: impl Into<String>, checks: Vec<Check>) -> Self {
        let status = match checks.iter().map(|check| check.level).max() {
            Some(Level::Error) => Status::Fail,
            Some(Level::Warn) => Status::Warn,
            Some(Level::Info) | None => Status::Pass,
        };
        Self { name: name.into(), status, checks }
    }

    /// The codes of what is an error.
    fn errors(&self) -> impl Iterator<Item = String> {
        let errors = self.checks.iter().filter(|check| check.level == Level::Error);
        errors.map(|check| format!("{}: {}", self.name, check.message))
    }
}

#[derive(Serialize)]
struct Document<'a> {
    schema: u32,
    status: Status,
    reports: &'a [Report],
}

/// Prints reports and, where they say that a run would fail, fails.
pub(super) fn conclude(reports: &[Report], json: bool, fails: bool) -> Result<(), Failure> {
    let status = reports.iter().map(|report| report.status).max().unwrap_or(Status::Pass);
    if json {
        json_to_stdout(&Document { schema: SCHEMA, status, reports })?;
    } else {
        to_stdout(&stripped(&text(reports)))?;
    }
    if !fails || status != Status::Fail {
        return Ok(());
    }
    let errors: Vec<String> = reports.iter().flat_map(Report::errors).collect();
    Err(Failure::new("checks_failed", "something would stop a run", errors.join("\n"), "do what the hints above say"))
}

fn text(reports: &[Report]) -> String {
    let mut text = String::new();
    for report in reports {
        let status = match report.status {
            Status::Pass => "pass",
            Status::Warn => "warn",
            Status::Fail => "fail",
        };
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{}: {status}", report.name);
        for check in &report.checks {
            let mark = match check.level {
                Level::Info => "     ",
                Level::Warn => "warn ",
                Level::Error => "error",
            };
            let _ = writeln!(text, "  {mark} {:<10} {}", check.code, check.message);
            for line in check.detail.lines() {
                let _ = writeln!(text, "{:19}{line}", "");
            }
            if !check.hint.is_empty() {
                let _ = writeln!(text, "{:19}hint: {}", "", check.hint.replace('\n', " "));
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_finding_is_the_status() {
        let status = |checks: &[Check]| Report::new("x", checks.to_vec()).status;
        let (info, warn, error) = (Check::info("a", "x"), Check::warn("b", "y"), Check::error("c", "z"));
        assert_eq!(status(&[]), Status::Pass);
        assert_eq!(status(std::slice::from_ref(&info)), Status::Pass);
        assert_eq!(status(&[warn.clone(), info.clone()]), Status::Warn);
        assert_eq!(status(&[error.clone(), warn, info]), Status::Fail);
        assert_eq!(Report::new("x", vec![error]).errors().collect::<Vec<_>>(), ["x: z"]);
    }

    #[test]
    fn the_text_has_detail_and_hint_below_the_finding() {
        let check = Check::warn("login", "none").detail("one\ntwo").hint("log in");
        let expected = "claude: warn\n  warn  login      none\n                   one\n                   two\n                   hint: log in\n";
        assert_eq!(text(&[Report::new("claude", vec![check])]), expected);
    }
}
