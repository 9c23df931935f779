//! The table itself, and what its rows ask of texts.

use std::time::Duration;

use super::{Declaration, Target, Untrusted};
use crate::config::settings::{
    Format, OutputMode, RoleSettings, Scope, SeatSettings, Secrets, Settings, Stager, Style,
};
use crate::config::slot::{Choice, Slot};
use crate::config::value::Value;
use crate::role::{Reasoning, Role};

fn one_line(text: &str) -> Option<&'static str> {
    text.contains(['\n', '\r', '\t']).then_some("it must be one line")
}

fn language(text: &str) -> Option<&'static str> {
    if text.chars().count() > 100 { Some("a language is named in at most 100 characters") } else { one_line(text) }
}

fn model_name(text: &str) -> Option<&'static str> {
    if text.starts_with('-') { Some("a model cannot begin with `-`") } else { one_line(text) }
}

fn provider_name(text: &str) -> Option<&'static str> {
    let is_name = !text.is_empty() && !text.contains(char::is_whitespace);
    (!is_name).then_some("the name of a provider is meant, such as `codex`")
}

fn template_text(text: &str) -> Option<&'static str> {
    (!text.is_empty() && !text.contains("$msg")).then_some("a template needs `$msg`, which stands for the message")
}

fn extension(text: &str) -> Option<&'static str> {
    let name = text.trim_start_matches('.');
    (name.is_empty() || name.contains(['/', '*'])).then_some("a file name extension is meant, such as `bin`")
}

fn pattern(text: &str) -> Option<&'static str> {
    if text.trim().is_empty() { Some("a pattern cannot be empty") } else { one_line(text) }
}

fn non_empty(text: &str) -> Option<String> {
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

fn bare_extension(text: &str) -> String {
    text.trim_start_matches('.').to_lowercase()
}

macro_rules! choices {
    ($target:ty: $($name:literal => $field:expr),+ $(,)?) => {
        Slot::Choice(&[$(Choice { name: $name, set: { const SET: fn(&mut $target) = $field; SET } }),+])
    };
}

/// `provider`, which is no account's name, and nothing at all mean the same.
fn scope(text: &str) -> Scope {
    non_empty(text).filter(|name| name != PER_PROVIDER).map_or(Scope::Provider, Scope::Account)
}

const PER_PROVIDER: &str = "provider";

/// Longest time-out: a day.
const DAY: u64 = 24 * 3600;
/// Longest time between two calls.
const HOUR: u64 = 3600;
/// More seats than anybody has use for.
const MOST_SEATS: usize = 1000;
/// Upper bound of size caps in bytes or tokens; beyond it a cap is none.
const HUGE: usize = 1_000_000_000;

/// Every setting.
pub static TABLE: [Declaration; 35] = [
    Declaration {
        key: "defaults.provider",
        target: Target::Role {
            slot: Slot::Text { check: one_line, set: |role, name| role.provider = non_empty(name) },
            presets: &[],
        },
        default: None,
        variable: Some("PROVIDER"),
        git_key: Some("provider"),
        flag: Some("--provider"),
        untrusted: Untrusted::Ignored,
        doc: "the agent to use; unset or empty: the first one that is installed",
    },
    Declaration {
        key: "defaults.model",
        target: Target::Role {
            slot: Slot::Text { check: model_name, set: |role, name| role.model = non_empty(name) },
            presets: &[],
        },
        default: None,
        variable: Some("MODEL"),
        git_key: Some("model"),
        flag: Some("--model"),
        untrusted: Untrusted::Ignored,
        doc: "the model to ask for; unset or empty: the manifest's default, else the agent's own",
    },
    Declaration {
        key: "defaults.reasoning",
        target: Target::Role {
            slot: choices!(RoleSettings:
                "off" => |role| role.reasoning = Reasoning::Off,
                "low" => |role| role.reasoning = Reasoning::Low,
                "medium" => |role| role.reasoning = Reasoning::Medium,
                "high" => |role| role.reasoning = Reasoning::High,
            ),
            presets: &[],
        },
        default: Some(Value::Choice("off")),
        variable: Some("REASONING"),
        git_key: Some("reasoning"),
        flag: Some("--reasoning"),
        untrusted: Untrusted::Ignored,
        doc: "how hard the model may think",
    },
    Declaration {
        key: "defaults.timeout",
        target: Target::Role {
            slot: Slot::Duration { range: 1..=DAY, set: |role, span| role.timeout = span },
            presets: &[(Role::Planner, Value::Duration(Duration::from_secs(480)))],
        },
        default: Some(Value::Duration(Duration::from_secs(120))),
        variable: Some("TIMEOUT"),
        git_key: Some("timeout"),
        flag: Some("--timeout"),
        untrusted: Untrusted::Ignored,
        doc: "how long one call of the agent may take",
    },
    Declaration {
        key: "defaults.auto_stage_all",
        target: Target::Run(Slot::Switch(|settings, on| settings.auto_stage_all = on)),
        default: Some(Value::Switch(true)),
        variable: Some("AUTO_STAGE_ALL"),
        git_key: Some("autoStageAll"),
        flag: Some("--no-auto-stage"),
        untrusted: Untrusted::Ignored,
        doc: "with nothing staged, take the whole working tree",
    },
    Declaration {
        key: "defaults.verbose",
        target: Target::Run(Slot::Level { highest: 2, set: |settings, level| settings.verbose = level }),
        default: Some(Value::Integer(0)),
        variable: Some("VERBOSE"),
        git_key: None,
        flag: Some("--verbose"),
        untrusted: Untrusted::Ignored,
        doc: "explain the run; 2 adds what is sent and what comes back",
    },
    Declaration {
        key: "defaults.fallback",
        target: Target::Run(Slot::List {
            adds_up: false,
            check: provider_name,
            set: |settings, names| settings.fallback = names.to_vec(),
        }),
        default: Some(Value::List(Vec::new())),
        variable: None,
        git_key: None,
        flag: None,
        untrusted: Untrusted::Ignored,
        doc: "providers that are asked in order when the first one fails for a reason of its own",
    },
    Declaration {
        key: "generation.max_diff_bytes",
        target: Target::Run(Slot::Integer {
            range: 0..=HUGE,
            set: |settings, bytes| settings.generation.max_diff_bytes = bytes,
        }),
        default: Some(Value::Integer(300_000)),
        variable: None,
        git_key: None,
        flag: None,
        untrusted: Untrusted::Lowers,
        doc: "without `token_limit`: cap on all diff text but markdown's, in bytes",
    },
    Declaration {
        key: "generation.max_md_lines",
        target: Target::Run(Slot::Integer {
            range: 0..=HUGE,
            set: |settings, lines| settings.generation.max_md_lines = lines,
        }),
        default: Some(Value::Integer(100)),
        variable: None,
        git_key: None,
        flag: None,
        untrusted: Untrusted::Lowers,
        doc: "without `token_limit`: cap per markdown file, in lines",
    },
    Declaration {
        key: "generation.token_limit",
        target: Target::Run(Slot::Integer {
            range: 0..=HUGE,
            set: |settings, tokens| settings.generation.token_limit = tokens,
        }),
        default: Some(Value::Integer(0)),
        variable: None,
        git_key: Some("tokenLimit"),
        flag: None,
        untrusted: Untrusted::LowersTokens { bytes: "generation.max_diff_bytes" },
        doc: "cap on the whole prompt, in estimated tokens; 0: the two caps above apply",
    },
    Declaration {
        key: "generation.diff_context",
        target: Target::Run(Slot::Integer {
            range: 0..=3,
            set: |settings, lines| settings.generation.diff_context = lines,
        }),
        default: Some(Value::Integer(1)),
        variable: None,
        git_key: Some("diffContext"),
        flag: None,
        untrusted: Untrusted::Allowed,
        doc: "lines of context around each change",
    },
    Declaration {
        key: "generation.max_duplicate_retries",
        target: Target::Run(Slot::Integer {
            range: 0..=20,
            set: |settings, tries| settings.generation.max_duplicate_retries = tries,
        }),
        default: Some(Value::Integer(3)),
        variable: None,
        git_key: None,
        flag: None,
        untrusted: Untrusted::Ignored,
        doc: "how often to ask again when the subject was used before",
    },
    Declaration {
        key: "generation.subject_target_chars",
        target: Target::Run(Slot::Integer {
            range: 20..=100,
            set: |settings, length| settings.generation.subject_target_chars = length,
        }),
        default: Some(Value::Integer(50)),
        variable: None,
        git_key: None,
        flag: None,
        untrusted: Untrusted::Allowed,
        doc: "length of subject to aim for, in characters",
    },
    Declaration {
        key: "generation.output",
        target: Target::Run(choices!(Settings:
            "raw" => |settings| settings.generation.output = Some(OutputMode::Raw),
            "json" => |settings| settings.generation.output = Some(OutputMode::Json),
        )),
        default: None,
        variable: None,
        git_key: Some("output"),
        flag: None,
        untrusted: Untrusted::Ignored,
        doc: "forces how every provider's output is read; unset: as its manifest says",
    },
    Declaration {
        key: "generation.strip_code_fence",
        target: Target::Run(Slot::Switch(|settings, on| settings.generation.strip_code_fence = Some(on))),
        default: None,
        variable: None,
        git_key: Some("stripCodeFence"),
        flag: None,
        untrusted: Untrusted::Ignored,
        doc: "forces whether a code fence around the answer is removed; unset: as the manifest says",
    },
    Declaration {
        key: "generation.binary_extensions",
        target: Target::Run(Slot::List {
            adds_up: false,
            check: extension,
            set: |settings, items| {
                settings.generation.binary_extensions = items.iter().map(|item| bare_extension(item)).collect();
            },
        }),
        default: Some(Value::List(Vec::new())),
        variable: None,
        git_key: None,
        flag: None,
        untrusted: Untrusted::Ignored,
        doc: "file name extensions that count as binary, beside the built-in ones",
    },
    Declaration {
        key: "generation.exclude",
        target: Target::Run(Slot::List {
            adds_up: true,
            check: pattern,
            set: |settings, items| settings.generation.exclude = items.to_vec(),
        }),
        default: Some(Value::List(Vec::new())),
        variable: None,
        git_key: None,
        flag: Some("--exclude"),
        untrusted: Untrusted::Allowed,
        doc: "patterns of files whose contents the agent does not see; adds up over all layers",
    },
    Declaration {
        key: "generation.format",
        target: Target::Run(choices!(Settings:
            "auto" => |settings| settings.generation.format = Format { style: Style::Auto, body: false },
            "conventional" => |settings| settings.generation.format = Format { style: Style::Conventional, body: false },
            "gitmoji" => |settings| settings.generation.format = Format { style: Style::Gitmoji, body: false },
            "plain" => |settings| settings.generation.format = Format { style: Style::Plain, body: false },
            "auto+body" => |settings| settings.generation.format = Format { style: Style::Auto, body: true },
            "conventional+body" => |settings| settings.generation.format = Format { style: Style::Conventional, body: true },
            "gitmoji+body" => |settings| settings.generation.format = Format { style: Style::Gitmoji, body: true },
            "plain+body" => |settings| settings.generation.format = Format { style: Style::Plain, body: true },
        )),
        default: Some(Value::Choice("auto")),
        variable: Some("FORMAT"),
        git_key: Some("format"),
        flag: Some("--format"),
        untrusted: Untrusted::Allowed,
        doc: "shape of messages; `auto` follows the history",
    },
    Declaration {
        key: "generation.locale",
        target: Target::Run(Slot::Text {
            check: language,
            set: |settings, text| settings.generation.locale = non_empty(text),
        }),
        default: Some(Value::Text(String::new())),
        variable: Some("LOCALE"),
        git_key: Some("locale"),
        flag: Some("--locale"),
        untrusted: Untrusted::Allowed,
        doc: "language of messages, e.g. `de` or `Brazilian Portuguese`",
    },
    Declaration {
        key: "generation.template",
        target: Target::Run(Slot::Text {
            check: template_text,
            set: |settings, text| settings.generation.template = (!text.is_empty()).then(|| text.to_owned()),
        }),
        default: Some(Value::Text(String::new())),
        variable: Some("TEMPLATE"),
        git_key: Some("template"),
        flag: Some("--template"),
        untrusted: Untrusted::Allowed,
        doc: "text around the message, which `$msg` stands for",
    },
    Declaration {
        key: "generation.max_commits",
        target: Target::Run(Slot::Integer {
            range: 1..=100,
            set: |settings, most| settings.generation.max_commits = most,
        }),
        default: Some(Value::Integer(12)),
        variable: None,
        git_key: None,
        flag: Some("--max-commits"),
        untrusted: Untrusted::Allowed,
        doc: "the most commits that a dirty tree may become",
    },
    Declaration {
        key: "generation.max_parallel",
        target: Target::Run(Slot::Integer {
            range: 1..=64,
            set: |settings, most| settings.generation.max_parallel = most,
        }),
        default: Some(Value::Integer(4)),
        variable: None,
        git_key: Some("maxParallel"),
        flag: None,
        untrusted: Untrusted::Ignored,
        doc: "how many agents one run may ask at the same time",
    },
    Declaration {
        key: "generation.push",
        target: Target::Run(Slot::Switch(|settings, on| settings.generation.push = on)),
        default: Some(Value::Switch(false)),
        variable: Some("PUSH"),
        git_key: Some("push"),
        flag: Some("--push"),
        untrusted: Untrusted::Ignored,
        doc: "run `git push` when the commit has landed",
    },
    Declaration {
        key: "generation.no_verify",
        target: Target::Run(Slot::Switch(|settings, on| settings.generation.no_verify = on)),
        default: Some(Value::Switch(false)),
        variable: Some("NO_VERIFY"),
        git_key: Some("noVerify"),
        flag: Some("--no-verify"),
        untrusted: Untrusted::Ignored,
        doc: "do not run the hooks `pre-commit` and `commit-msg`",
    },
    Declaration {
        key: "generation.hook_timeout",
        target: Target::Run(Slot::Duration {
            range: 1..=DAY,
            set: |settings, span| settings.generation.hook_timeout = span,
        }),
        default: Some(Value::Duration(Duration::from_secs(600))),
        variable: None,
        git_key: None,
        flag: None,
        untrusted: Untrusted::Ignored,
        doc: "how long a hook or the program that signs may take",
    },
    Declaration {
        key: "generation.multi_turn_fallback",
        target: Target::Run(Slot::Switch(|settings, on| settings.generation.multi_turn_fallback = on)),
        default: Some(Value::Switch(true)),
        variable: None,
        git_key: None,
        flag: None,
        untrusted: Untrusted::Ignored,
        doc: "send a large change in several turns when one call brings no message",
    },
    Declaration {
        key: "generation.multi_turn_chunk_tokens",
        target: Target::Run(Slot::Integer {
            range: 1000..=HUGE,
            set: |settings, tokens| settings.generation.multi_turn_chunk_tokens = tokens,
        }),
        default: Some(Value::Integer(32_000)),
        variable: None,
        git_key: None,
        flag: None,
        untrusted: Untrusted::Ignored,
        doc: "how much of a large change one turn carries, in estimated tokens",
    },
    Declaration {
        key: "generation.work_desc_read_rounds",
        target: Target::Run(Slot::Integer {
            range: 0..=50,
            set: |settings, rounds| settings.generation.work_desc_read_rounds = rounds,
        }),
        default: Some(Value::Integer(5)),
        variable: None,
        git_key: None,
        flag: None,
        untrusted: Untrusted::Ignored,
        doc: "with `--work-description`: how often the agent may ask for diffs",
    },
    Declaration {
        key: "generation.no_parent_watchdog",
        target: Target::Run(Slot::Switch(|settings, on| settings.generation.no_parent_watchdog = on)),
        default: Some(Value::Switch(false)),
        variable: None,
        git_key: Some("noParentWatchdog"),
        flag: None,
        untrusted: Untrusted::Ignored,
        doc: "go on when the program that started the run is gone, as for `nohup`, `setsid` and services",
    },
    Declaration {
        key: "decompose.stager",
        target: Target::Run(choices!(Settings:
            "auto" => |settings| settings.stager = Stager::Auto,
            "hunks" => |settings| settings.stager = Stager::Hunks,
            "tooled" => |settings| settings.stager = Stager::Tooled,
        )),
        default: Some(Value::Choice("auto")),
        variable: None,
        git_key: None,
        flag: None,
        untrusted: Untrusted::Ignored,
        doc: "who divides files that several commits share: an agent that sorts hunks, one that stages with git, or the first that works",
    },
    Declaration {
        key: "security.secrets",
        target: Target::Run(choices!(Settings:
            "redact" => |settings| settings.secrets = Secrets::Redact,
            "abort" => |settings| settings.secrets = Secrets::Abort,
            "off" => |settings| settings.secrets = Secrets::Off,
        )),
        default: Some(Value::Choice("redact")),
        variable: None,
        git_key: None,
        flag: None,
        untrusted: Untrusted::Ignored,
        doc: "what happens to credentials in what the agent would see",
    },
    Declaration {
        key: "admission.max_active",
        target: Target::Admission {
            slot: Slot::Integer { range: 1..=MOST_SEATS, set: |seats, most| seats.max_active = most },
            presets: &[],
        },
        default: Some(Value::Integer(8)),
        variable: None,
        git_key: None,
        flag: None,
        untrusted: Untrusted::Ignored,
        doc: "how many calls of a provider go on at once, over all of your runs",
    },
    Declaration {
        key: "admission.max_starts",
        target: Target::Admission {
            slot: Slot::Integer { range: 1..=MOST_SEATS, set: |seats, most| seats.max_starts = most },
            presets: &[],
        },
        default: Some(Value::Integer(8)),
        variable: None,
        git_key: None,
        flag: None,
        untrusted: Untrusted::Ignored,
        doc: "how many of them may be starting: that is in their first five seconds",
    },
    Declaration {
        key: "admission.min_spacing",
        target: Target::Admission {
            slot: Slot::Duration { range: 0..=HOUR, set: |seats, span| seats.min_spacing = span },
            presets: &[("agy", Value::Duration(Duration::from_secs(2)))],
        },
        default: Some(Value::Duration(Duration::ZERO)),
        variable: None,
        git_key: None,
        flag: None,
        untrusted: Untrusted::Ignored,
        doc: "least time between the beginnings of two calls",
    },
    Declaration {
        key: "admission.scope",
        target: Target::Admission {
            slot: Slot::Text { check: one_line, set: |seats: &mut SeatSettings, text| seats.scope = scope(text) },
            presets: &[],
        },
        default: None,
        variable: None,
        git_key: None,
        flag: None,
        untrusted: Untrusted::Ignored,
        doc: "whose calls are counted together; unset or `provider`: those of each provider; else the name of an account that several share",
    },
];
