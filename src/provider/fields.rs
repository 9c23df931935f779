//! The schema as data: every field of a manifest once, with its type, its default and what it means.
//!
//! The reader, the merge, the printer and the table in `docs/providers.md` all walk these constants, so that a field is
//! added in one place and nothing can disagree about it.

/// What a value must look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A string.
    Text,
    /// A string that is a valid regular expression.
    Pattern,
    /// A string that is one of a few.
    Choice(&'static [&'static str]),
    /// A date, as a TOML date or a string.
    Date,
    /// A boolean.
    Bool,
    /// A whole number from zero up.
    Size,
    /// A list of strings.
    List,
    /// A list of strings that are valid regular expressions.
    Patterns,
    /// A list of exit codes, 0 to 255.
    ExitCodes,
    /// A table of strings; any key that can name an environment variable.
    Variables,
    /// A table with these keys, each a string.
    Texts(&'static [&'static str]),
    /// A table with these keys, each a list of strings.
    Lists(&'static [&'static str]),
    /// A string that is a JSON object.
    Json,
    /// A table with these keys, each a string that is a JSON object.
    Objects(&'static [&'static str]),
}

impl Kind {
    /// The type in the words of an error message and of the documentation.
    #[must_use]
    pub fn describe(self) -> String {
        match self {
            Kind::Text => "string".to_owned(),
            Kind::Pattern => "regular expression".to_owned(),
            Kind::Choice(allowed) => {
                allowed.iter().map(|value| format!("`\"{value}\"`")).collect::<Vec<_>>().join(" or ")
            }
            Kind::Date => "date".to_owned(),
            Kind::Bool => "boolean".to_owned(),
            Kind::Size => "whole number from 0 up".to_owned(),
            Kind::List => "list of strings".to_owned(),
            Kind::Patterns => "list of regular expressions".to_owned(),
            Kind::ExitCodes => "list of exit codes".to_owned(),
            Kind::Variables => "table of strings".to_owned(),
            Kind::Texts(keys) => format!("table of strings: {}", code_list(keys)),
            Kind::Lists(keys) => format!("table of lists: {}", code_list(keys)),
            Kind::Json => "JSON object, as a string".to_owned(),
            Kind::Objects(keys) => format!("table of JSON objects, as strings: {}", code_list(keys)),
        }
    }
}

fn code_list(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" ")
}

/// One field of a manifest, or one key of a sub-table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field {
    /// Its name in TOML.
    pub name: &'static str,
    /// Its type.
    pub kind: Kind,
    /// What holds when no layer sets it, as the documentation says it.
    pub default: &'static str,
    /// What it means.
    pub meaning: &'static str,
}

/// An optional table beside the fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SubTable {
    /// Its name in TOML.
    pub name: &'static str,
    /// Its keys.
    pub keys: &'static [Field],
}

const fn field(name: &'static str, kind: Kind, default: &'static str, meaning: &'static str) -> Field {
    Field { name, kind, default, meaning }
}

/// What is put before the payload when an answer could not be used and the manifest says nothing else.
pub const DEFAULT_RETRY_INSTRUCTION: &str = "Output ONLY the commit message. No preamble, no markdown, no quotes.";

/// The 22 fields, in the order in which they are documented and printed.
pub const FIELDS: [Field; 22] = [
    field("name", Kind::Text, "the table's key", "identity; must agree with the table's key"),
    field("detect", Kind::Text, "`command`", "program looked up on `PATH` to decide whether the agent is installed"),
    field("command", Kind::Text, "required", "program to run: a name, or an absolute path"),
    field("list_models_command", Kind::List, "`[]`", "whole argument vector that lists the models within reach"),
    field("subcommand", Kind::List, "`[]`", "tokens between the command and the flags"),
    field(
        "prompt_delivery",
        Kind::Choice(&["stdin", "positional", "flag"]),
        "`\"stdin\"`",
        "how the payload travels: standard input, last argument, or after `prompt_flag`",
    ),
    field("prompt_flag", Kind::Text, "`\"\"`", "flag before the payload; required by `flag` delivery"),
    field("print_flag", Kind::Text, "`\"\"`", "flag for a run without interaction, after the flags of the mode"),
    field("model_flag", Kind::Text, "`\"\"`", "flag before the model"),
    field("default_model", Kind::Text, "`\"\"`", "model when nothing names one"),
    field(
        "system_prompt_flag",
        Kind::Text,
        "`\"\"`",
        "flag before the system prompt; without it, it precedes the payload",
    ),
    field("provider_flag", Kind::Text, "`\"\"`", "flag before the backend, for an agent with several backends"),
    field("session_mode", Kind::Choice(&["", "append"]), "`\"\"`", "`append`: a session goes on over one-shot calls"),
    field("bare_flags", Kind::List, "`[]`", "flags of bare mode: no tools, no session, no extras"),
    field("tooled_flags", Kind::List, "none", "flags of tooled mode; empty: the agent cannot stage"),
    field("output", Kind::Choice(&["raw", "json"]), "`\"raw\"`", "what standard output is"),
    field("json_field", Kind::Text, "`\"\"`", "field to take from JSON; a dotted path reaches into objects and arrays"),
    field("strip_code_fence", Kind::Bool, "`true`", "unwrap one code fence"),
    field(
        "retry_instruction",
        Kind::Text,
        "`\"Output ONLY the commit message. No preamble, no markdown, no quotes.\"`",
        "put before the payload when an answer could not be used",
    ),
    field("env", Kind::Variables, "none", "variables for the agent's process only"),
    field(
        "reasoning_levels",
        Kind::Lists(&["off", "low", "medium", "high"]),
        "none",
        "tokens per reasoning level; a level that is not listed adds nothing",
    ),
    field("experimental", Kind::Bool, "`false`", "shown as such"),
];

/// What a provider is made from, beside the fields.
pub const EXTENDS: Field = field(
    "extends",
    Kind::Choice(&["acp"]),
    "none",
    "`acp`: `command` and `subcommand` start an agent that is asked over the Agent Client Protocol alone",
);

/// Keys that say how single calls are made, and tables of them: none is made of a provider that extends `acp`.
pub(super) const SINGLE_CALLS: [&str; 22] = [
    "prompt_delivery",
    "prompt_flag",
    "print_flag",
    "system_prompt_flag",
    "provider_flag",
    "session_mode",
    "bare_flags",
    "tooled_flags",
    "output",
    "json_field",
    "reasoning_levels",
    "session",
    "tooled.repo_dir_flag",
    "tooled.scoped",
    "failures.session",
    "failures.ok_exit",
    "usage",
    "run.working_dir",
    "run.max_payload_bytes",
    "run.stdin_fallback",
    "acp.command",
    "acp.use",
];

/// The optional tables, in the order in which they are documented and printed.
pub const SUB_TABLES: [SubTable; 9] = [
    SubTable {
        name: "models",
        keys: &[
            field("planner", Kind::Text, "none", "suggested model for the planner"),
            field("stager", Kind::Text, "none", "suggested model for the stager"),
            field("message", Kind::Text, "none", "suggested model for the message"),
            field("arbiter", Kind::Text, "none", "suggested model for the arbiter"),
            field("verified", Kind::Date, "none", "when the names were last checked"),
        ],
    },
    SubTable {
        name: "session",
        keys: &[
            field("first", Kind::List, "`[]`", "tokens of the first turn; `{id}` is the session"),
            field("next", Kind::List, "`[]`", "tokens of every further turn; `{id}` is the session"),
            field("drop", Kind::List, "`[]`", "flags of the mode to leave out in a session"),
            field("subcommand_next", Kind::List, "none", "replaces `subcommand` from the second turn on"),
            field(
                "id_from",
                Kind::Text,
                "`\"\"`",
                "path in the first turn's JSON, for agents that choose the id themselves",
            ),
            field("output", Kind::Choice(&["raw", "json"]), "`output`", "what the first turn's standard output is"),
        ],
    },
    SubTable {
        name: "tooled",
        keys: &[
            field("repo_dir_flag", Kind::Text, "`\"\"`", "flag before the working folder, after `tooled_flags`"),
            field("scoped", Kind::Bool, "`false`", "the flags alone confine the agent to staging"),
            field(
                "sandbox",
                Kind::Bool,
                "`false`",
                "the agent confines what its commands may write, and cannot where it is confined itself",
            ),
        ],
    },
    SubTable {
        name: "checks",
        keys: &[
            field("version", Kind::List, "`[]`", "argument vector that prints the version"),
            field("minimum", Kind::Text, "`\"\"`", "lowest version that is known to work"),
            field("auth_env", Kind::List, "`[]`", "variables that carry a login"),
            field("auth_files", Kind::List, "`[]`", "files that are there after a login; `~/` is the home folder"),
            field("notes", Kind::List, "`[]`", "sentences on installing and logging in"),
        ],
    },
    SubTable {
        name: "failures",
        keys: &[
            field("where", Kind::Pattern, "every line", "only lines that match count"),
            field("missing", Kind::Patterns, "`[]`", "a part of the agent is not installed"),
            field("auth", Kind::Patterns, "`[]`", "not logged in, or a wrong key"),
            field("quota", Kind::Patterns, "`[]`", "rate limit or budget"),
            field("model", Kind::Patterns, "`[]`", "no such model, or not allowed"),
            field("too_long", Kind::Patterns, "`[]`", "the prompt is longer than the model takes"),
            field("network", Kind::Patterns, "`[]`", "no connection, or the service is down"),
            field("timeout", Kind::Patterns, "`[]`", "the agent gave up waiting"),
            field("blank", Kind::Patterns, "`[]`", "the model said nothing"),
            field("garbled", Kind::Patterns, "`[]`", "text that is no answer; on standard error with exit code 0, too"),
            field("flags", Kind::Patterns, "`[]`", "the program does not know a flag"),
            field("killed", Kind::Patterns, "`[]`", "something ended the agent"),
            field("session", Kind::Patterns, "`[]`", "a further turn's session is not known"),
            field("exit", Kind::Patterns, "`[]`", "any other failure"),
            field("ok_exit", Kind::ExitCodes, "`[]`", "exit codes besides 0 that are success"),
        ],
    },
    SubTable {
        name: "usage",
        keys: &[
            field("input", Kind::Text, "`\"\"`", "path of the input tokens in JSON output"),
            field("output", Kind::Text, "`\"\"`", "path of the output tokens in JSON output"),
            field("cached", Kind::Text, "`\"\"`", "path of the cached tokens in JSON output"),
            field("cost", Kind::Text, "`\"\"`", "path of the cost in JSON output, in US dollars"),
        ],
    },
    SubTable {
        name: "guide",
        keys: &[
            field("use_when", Kind::List, "`[]`", "sentences: when this provider is a good choice"),
            field("avoid_when", Kind::List, "`[]`", "sentences: when it is not"),
        ],
    },
    SubTable {
        name: "run",
        keys: &[
            field(
                "working_dir",
                Kind::Choice(&["scratch", "repo"]),
                "`\"scratch\"`",
                "where bare calls run: an empty private folder, or the repository",
            ),
            field("max_payload_bytes", Kind::Size, "none", "most bytes that the delivery carries"),
            field("unset_env", Kind::List, "`[]`", "variables to remove from the agent's environment"),
            field("escape_at", Kind::Bool, "`false`", "write at-signs of the payload so that they name no file"),
            field("stdin_fallback", Kind::Bool, "`false`", "standard input may carry what an argument cannot"),
        ],
    },
    SubTable {
        name: "acp",
        keys: &[
            field(
                "command",
                Kind::List,
                "`[]`",
                "argument vector that starts the agent speaking the Agent Client Protocol",
            ),
            field("tooled_command", Kind::List, "`command`", "the same for an agent that stages, where it differs"),
            field(
                "use",
                Kind::Choice(&["never", "staging", "auto", "always"]),
                "`\"auto\"`",
                "when the protocol is preferred",
            ),
            field("modes", Kind::Texts(&["bare", "tooled"]), "none", "the agent's own mode for each of ours"),
            field(
                "meta",
                Kind::Objects(&["bare", "tooled"]),
                "none",
                "what a session is opened with as its `_meta`, for settings that only this agent knows",
            ),
            field(
                "model_option",
                Kind::Text,
                "`\"\"`",
                "how a model is chosen: `session` (a method of its own), `argv` (`model_flag`), the id of an option, or by itself",
            ),
        ],
    },
];

/// The names of [`SUB_TABLES`] keys that hold patterns, which are the kinds of failure.
pub const FAILURE_KINDS: [&str; 13] = [
    "missing", "auth", "quota", "model", "too_long", "network", "timeout", "blank", "garbled", "flags", "killed",
    "session", "exit",
];

/// Every name that may stand at the top of a manifest.
pub(super) fn top_level_names() -> impl Iterator<Item = &'static str> {
    FIELDS.iter().chain([&EXTENDS]).map(|field| field.name).chain(SUB_TABLES.iter().map(|table| table.name))
}

/// The known name nearest to `name`, when one is near enough to be what was meant.
pub(super) fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    known
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(&name.to_lowercase(), &candidate.to_lowercase()), candidate))
        .filter(|(similarity, _)| *similarity >= 0.75)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_failures_agree() {
        let mut names: Vec<_> = top_level_names().collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), FIELDS.len() + 1 + SUB_TABLES.len());

        let failures = SUB_TABLES.iter().find(|table| table.name == "failures").unwrap();
        let kinds: Vec<_> = failures.keys.iter().filter(|key| key.kind == Kind::Patterns).map(|key| key.name).collect();
        assert_eq!(kinds, FAILURE_KINDS);
    }

    #[test]
    fn nearest_knows_slips_and_leaves_strangers_alone() {
        assert_eq!(nearest("comand", top_level_names()), Some("command"));
        assert_eq!(nearest("print_flags", top_level_names()), Some("print_flag"));
        assert_eq!(nearest("Tooled_Flags", top_level_names()), Some("tooled_flags"));
        assert_eq!(nearest("zzz", top_level_names()), None);
    }
}
