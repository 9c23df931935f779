use super::*;

fn parse(source: &str) -> Result<Layer, LayerError> {
    Layer::parse("config.toml", source)
}

/// The error's text and the source text that it points at.
fn error(source: &str) -> (String, String) {
    match parse(source).expect_err(source) {
        LayerError::Manifest(error) => {
            assert_eq!(&*error.layer, "config.toml");
            (error.to_string(), source.get(error.span.clone().unwrap()).unwrap().to_owned())
        }
        LayerError::Syntax { message, .. } => panic!("{message}"),
    }
}

#[test]
fn mistakes_are_named_and_pointed_at() {
    let table = [
        ("provider.a.comand = 'x'", "`provider.a.comand`: unknown field; did you mean `command`?", "comand"),
        ("[provider.a]\nzzz = 1", "`provider.a.zzz`: unknown field", "zzz"),
        (
            "[provider.a.run]\nescape = true",
            "`provider.a.run.escape`: unknown field; did you mean `escape_at`?",
            "escape",
        ),
        (
            "[provider.a]\nreasoning_levels = { hihg = [] }",
            "`provider.a.reasoning_levels.hihg`: unknown field; did you mean `high`?",
            "hihg",
        ),
        (
            "[provider.a.acp]\nmodes = { bear = 'x' }",
            "`provider.a.acp.modes.bear`: unknown field; did you mean `bare`?",
            "bear",
        ),
        (
            "[provider.a.acp]\nmeta.bare = '[1]'",
            "`provider.a.acp.meta.bare`: not a JSON object: invalid type: sequence, expected a map at line 1 column 0",
            "'[1]'",
        ),
        ("[provider.a]\ncommand = 3", "`provider.a.command`: expected a string, found integer", "3"),
        (
            "[provider.a]\nbare_flags = '-x'",
            "`provider.a.bare_flags`: expected a list of strings, found string",
            "'-x'",
        ),
        ("[provider.a]\nbare_flags = ['x', 7]", "`provider.a.bare_flags[1]`: expected a string, found integer", "7"),
        (
            "[provider.a]\nstrip_code_fence = 'yes'",
            "`provider.a.strip_code_fence`: expected a boolean, found string",
            "'yes'",
        ),
        ("[provider.a]\nenv = 'A=1'", "`provider.a.env`: expected a table, found string", "'A=1'"),
        (
            "[provider.a]\nenv = { 'A=B' = '1' }",
            "`provider.a.env.A=B`: not a possible name of an environment variable",
            "'A=B'",
        ),
        ("[provider.a]\nenv = { A = 1 }", "`provider.a.env.A`: expected a string, found integer", "1"),
        ("[provider.a]\nmodels = 1", "`provider.a.models`: expected a table, found integer", "1"),
        (
            "[provider.a]\nprompt_delivery = 'stdn'",
            "`provider.a.prompt_delivery`: `stdn` is not allowed; use `\"stdin\"` or `\"positional\"` or `\"flag\"`; did you mean `stdin`?",
            "'stdn'",
        ),
        (
            "[provider.a.run]\nmax_payload_bytes = -1",
            "`provider.a.run.max_payload_bytes`: -1 is out of range; use 0 or more",
            "-1",
        ),
        (
            "[provider.a.failures]\nok_exit = [1, 256]",
            "`provider.a.failures.ok_exit[1]`: 256 is out of range; use 0 to 255",
            "256",
        ),
        (
            "[provider.a.failures]\nauth = ['ok', '(']",
            "`provider.a.failures.auth[1]`: not a valid regular expression: unclosed group",
            "'('",
        ),
        (
            "[provider.a.failures]\nwhere = '['",
            "`provider.a.failures.where`: not a valid regular expression: unclosed character class",
            "'['",
        ),
        (
            "[provider.a]\nmodels.verified = true",
            "`provider.a.models.verified`: expected a date, found boolean",
            "true",
        ),
        (
            "[provider.a]\ncommand = \"a\\u0000\"",
            "`provider.a.command`: a string cannot contain a NUL character",
            "\"a\\u0000\"",
        ),
        ("provider = 1", "`provider`: expected a table, found integer", "1"),
        ("provider.a = 1", "`provider.a`: expected a table, found integer", "1"),
        (
            "[provider.\"a b\"]",
            "`provider.a b`: a provider's name consists of letters, digits, `-`, `_` and `.`, and begins with a letter or digit",
            "\"a b\"",
        ),
    ];
    for (source, message, place) in table {
        assert_eq!(error(source), (message.to_owned(), place.to_owned()), "{source}");
    }
}

#[test]
fn what_is_no_toml_says_where() {
    let LayerError::Syntax { message, span } = parse("[provider.a\ncommand = 1").unwrap_err() else { panic!() };
    assert!(!message.is_empty());
    assert!(span.is_some());
}

#[test]
fn tables_beside_the_providers_are_somebody_elses() {
    assert_eq!(parse("defaults.model = 3\n[role.planner]\nx = 1").unwrap(), Layer::default());
}

#[test]
fn upper_layers_win_by_key_and_lists_replace() {
    let lower = parse(
        "[provider.a]\ncommand = 'low'\nbare_flags = ['x', 'y']\nenv = { A = '1', B = '2' }\nmodels.planner = 'p'\n\
         reasoning_levels = { low = ['l'], high = ['h'] }",
    );
    let upper = Layer::parse(
        "upper",
        "[provider.a]\nbare_flags = ['z']\nprint_flag = ''\nenv.B = ''\nmodels.stager = 's'\nreasoning_levels.high = []",
    );
    let merged = lower.unwrap().providers["a"].clone().overlaid(&upper.unwrap().providers["a"]);
    let seen: Vec<String> =
        merged.iter().map(|(key, entry)| format!("{key} {:?} {}", entry.value, entry.layer)).collect();
    insta::assert_debug_snapshot!(seen, @r#"
    [
        "bare_flags List([\"z\"]) upper",
        "command Text(\"low\") config.toml",
        "env.A Text(\"1\") config.toml",
        "env.B Text(\"\") upper",
        "models.planner Text(\"p\") config.toml",
        "models.stager Text(\"s\") upper",
        "print_flag Text(\"\") upper",
        "reasoning_levels.high List([]) upper",
        "reasoning_levels.low List([\"l\"]) config.toml",
    ]
    "#);
}

#[test]
fn numbers_may_be_written_in_any_base_and_dates_plainly() {
    let layer = parse(
        "[provider.a]\nrun.max_payload_bytes = 0x1_0000\nmodels.verified = 2026-11-30\nfailures.ok_exit = [0o17]",
    )
    .unwrap();
    let values = &layer.providers["a"];
    assert_eq!(values.get("run.max_payload_bytes").unwrap().value, Value::Size(65_536));
    assert_eq!(values.get("models.verified").unwrap().value, Value::Text("2026-11-30".to_owned()));
    assert_eq!(values.get("failures.ok_exit").unwrap().value, Value::ExitCodes(vec![15]));
}

mod properties {
    use proptest::prelude::*;

    use super::parse;

    proptest! {
        #[test]
        fn no_text_makes_the_reader_panic(text in "(\\[provider\\.[a-c.\\]\"]{0,6}|[a-z_]{1,12} ?= ?[\\[{'\"0-9a-z}\\]]{0,6}|\n|.){0,12}") {
            let _ = parse(&text);
        }
    }
}
