use proptest::prelude::*;

use super::*;

const KEY: &str = "<c-a>";

/// Installs, checks that nothing else has changed, and that removing gives the bytes back.
#[track_caller]
fn round_trip(old: &str) -> String {
    let new = install(Some(old), KEY).unwrap_or_else(|error| panic!("{error}:\n{old}"));
    let document = parse(&new).unwrap();
    let ours = ours(&new, &document).unwrap();
    assert_eq!(without(&document, &ours.items), without(&parse(old).unwrap(), &[]), "{new}");
    assert_eq!(find(&new), Ok(Found::Ours));
    assert_eq!(install(Some(&new), KEY).as_deref(), Ok(new.as_str()), "twice changes something");
    assert_eq!(remove(&new).unwrap().as_deref(), Some(old), "{new}");
    new
}

#[test]
fn a_file_without_commands_gets_the_list_at_its_end() {
    let new = round_trip("gui:\n  theme: x # mine\n");
    let expected = "gui:\n  theme: x # mine\ncustomCommands:\n  # stagecoach: begin (and the list); `stagecoach integrate \
                    remove lazygit` takes it out\n  - key: '<c-a>'\n    context: 'files'\n    command: 'stagecoach'\n    \
                    description: 'Commit with a message written by stagecoach'\n    loadingText: 'stagecoach is \
                    writing'\n  # stagecoach: end\n";
    assert_eq!(new, expected);
}

#[test]
fn every_form_of_file_is_given_back() {
    for old in [
        "",
        "\n\n",
        "# nothing here",
        "---\n",
        "gui: {}",
        "  gui:\n    x: 1\n  git: 2\n",
        "\u{feff}gui: 1\r\ngit: 2\r\n",
        "%YAML 1.2\n---\ngui: 1\n...\n",
        "text: |+\n  kept\n\n\n",
        "text: |\n  no break at the end",
        "text: >-\n  folded\n",
        "customCommands:\n",
        "customCommands:",
        "gui: 1\ncustomCommands: # later\ngit: 2\n",
        "customCommands: []\n",
        "customCommands: [ ]",
        "customCommands: [\n  # none\n ]\n",
        "customCommands: [{key: 'x', command: 'y'}, ]\n",
        "customCommands: [{key: 'x', command: 'y'}]",
        "{}",
        "{\"gui\": {\"x\": 1}}\n",
        "{\"customCommands\": [{\"key\": \"b\", \"command\": \"c\"}], \"gui\": 1}",
        "customCommands:\n- key: 'x'\n  command: 'y' # z\n",
        "customCommands:\n\n      # first\n      -   key: 'x'\n          command: |\n            a\n            # stagecoach: b\n\ngit: 1\n",
        "a: &a\n  b: 1\nc:\n  <<: *a\n",
        "\"customCommands\":\n  - key: a\n",
        "ä: ö # ü\ncustomCommands:\n  - key: ß\n    command: ž\n",
        "x: 1\r\ncustomCommands:\r\n  - key: a\r\n    command: b\r\n",
    ] {
        round_trip(old);
    }
}

#[test]
fn a_file_of_ours_goes_altogether() {
    let new = install(None, KEY).unwrap();
    assert!(new.contains("(and the list) (and the file)"), "{new}");
    assert_eq!(remove(&new).unwrap(), None);
    assert_eq!(remove(&install(Some(&new), "<c-b>").unwrap()).unwrap(), None);
    // Once something else is in it, it stays.
    assert_eq!(remove(&format!("{new}gui: 1\n")).unwrap().as_deref(), Some("gui: 1\n"));
}

#[test]
fn another_key_replaces_ours() {
    let old = "customCommands:\n  - key: 'x'\n    command: 'y'\n";
    let new = install(Some(&install(Some(old), KEY).unwrap()), "<c-y>").unwrap();
    assert!(new.contains("'<c-y>'") && !new.contains(KEY), "{new}");
    assert_eq!(remove(&new).unwrap().as_deref(), Some(old));
}

#[test]
fn commands_that_were_added_to_our_list_stay() {
    let new = install(Some("gui: 1\n"), KEY).unwrap();
    let more = format!("{new}  - key: 'z'\n    command: 'z'\n");
    assert_eq!(remove(&more).unwrap().unwrap(), "gui: 1\ncustomCommands:\n  - key: 'z'\n    command: 'z'\n");
}

#[test]
fn what_is_not_touched() {
    for (old, refusal) in [
        ("a: 1\n---\nb: 2\n", "several documents"),
        ("a: [", "YAML: line"),
        ("customCommands: ~\n", "form"),
        ("customCommands: 7\n", "form"),
        ("a: &b []\ncustomCommands: *b\n", "form"),
        // Whoever refers to the list would get our entry, too.
        ("customCommands: &all\n  - {key: x, command: y}\nother: *all\n", "form"),
        ("- a\n", "form"),
        ("word\n", "form"),
    ] {
        let error = install(Some(old), KEY).unwrap_err().to_string();
        assert!(error.contains(refusal), "{old}: {error}");
    }
    let taken = "customCommands:\n  - key: '<C-A>'\n    context: 'global'\n    description: 'mine'\n    command: 'x'\n";
    let error = install(Some(taken), KEY).unwrap_err();
    assert_eq!(error, Refusal::KeyTaken { key: KEY.to_owned(), what: "mine".to_owned() });
    round_trip(&taken.replace("global", "commits"));

    let new = install(Some("gui: 1\n"), KEY).unwrap();
    let more = new.replace("  # stagecoach: end", "  - key: q\n    command: r\n  # stagecoach: end");
    assert_eq!(remove(&more).unwrap_err(), Refusal::Edited);
    assert_eq!(remove("gui: 1\n").unwrap().as_deref(), Some("gui: 1\n"));
}

#[test]
fn a_command_of_ones_own_that_runs_stagecoach_is_foreign() {
    for (command, expected) in [
        ("stagecoach --single", Found::Foreign),
        ("/usr/bin/env stagecoach", Found::Foreign),
        ("cd x && stagecoach", Found::Foreign),
        ("my-stagecoach", Found::Nothing),
        ("git commit", Found::Nothing),
    ] {
        let text = format!("customCommands:\n  - key: a\n    command: '{command}'\n");
        assert_eq!(find(&text), Ok(expected), "{command}");
    }
}

#[test]
fn the_snippet_is_what_would_be_written() {
    let document = parse(&snippet(KEY)).unwrap();
    assert_eq!(items(&document).len(), 1);
    assert_eq!(find(&snippet(KEY)), Ok(Found::Ours));
}

/// A value in the form of a block, indented.
fn value(depth: u32) -> BoxedStrategy<String> {
    let scalars = vec![
        "1",
        "'a # b'",
        "\"x: y\"",
        "plain text",
        "",
        "[]",
        "[1, {a: b}]",
        "{a: [1], b: 'c'}",
        "~",
        "&x y",
        "!t z",
        "|\n@@lit\n@@# no comment\n\n@@more",
        ">-\n@@folded\n@@text",
        "|+\n@@keep\n\n",
        "'ä' # ö",
    ];
    let scalar = prop::sample::select(scalars).prop_map(|text| format!(" {text}"));
    if depth == 0 {
        return scalar.boxed();
    }
    let mapping = (prop::sample::select(vec!["key", "\"q\"", "ü"]), value(depth - 1), remark())
        .prop_map(|(name, value, remark)| format!("\n{remark}@@{name}:{}", value.replace("@@", "@@@@")));
    let sequence = prop::collection::vec((value(0), remark()), 1..4).prop_map(|items| {
        items.into_iter().map(|(item, remark)| format!("\n{remark}@@-{}", item.replace("@@", "@@@@"))).collect()
    });
    prop_oneof![3 => scalar, 1 => mapping, 1 => sequence].boxed()
}

fn remark() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["", "", "", "# remark\n", "   # set apart\n", "\n"])
}

fn command() -> impl Strategy<Value = (Vec<String>, &'static str)> {
    let fields =
        vec!["key: 'x'", "command: 'a # b'", "context: \"files\"", "prompts: [{type: input}]", "command: |\n@@a\n@@b"];
    (prop::collection::vec(prop::sample::select(fields).prop_map(str::to_owned), 1..3), remark())
}

/// A configuration file of lazygit in many styles.
fn file() -> impl Strategy<Value = String> {
    let list = prop_oneof![
        Just("customCommands:".to_owned()),
        Just("customCommands: []".to_owned()),
        Just("customCommands: [ {key: a, command: b} , # c\n  {key: d, command: 'e'}]".to_owned()),
        (prop::collection::vec(command(), 1..4), 0usize..6, 1usize..4).prop_map(|(commands, indent, gap)| {
            let mut text = "customCommands: # mine".to_owned();
            for (fields, remark) in commands {
                for (number, field) in fields.iter().enumerate() {
                    let dash = if number == 0 { format!("-{}", " ".repeat(gap)) } else { " ".repeat(gap + 1) };
                    let field = field.replace("@@", &" ".repeat(indent + gap + 4));
                    let remark = if number == 0 { remark } else { "" };
                    text = format!("{text}\n{remark}{}{dash}{field}", " ".repeat(indent));
                }
            }
            text
        }),
    ];
    let entry = ("[a-z]{1,4}", value(2), 1usize..5)
        .prop_map(|(name, value, indent)| format!("{name}:{}", value.replace("@@", &" ".repeat(indent))));
    let rest = prop::collection::vec((entry, remark()), 0..4);
    let style =
        (prop::option::of(list), 0usize..5, 0usize..4, prop::sample::select(vec!["", "---\n", "# top\n", "\u{feff}"]));
    (rest, style, any::<bool>(), prop::sample::select(vec!["", "\n", "\n\n# end\n", "\n...\n"])).prop_map(
        |(rest, (list, at, indent, top), windows, end)| {
            let mut entries: Vec<String> = rest.into_iter().map(|(entry, remark)| format!("{remark}{entry}")).collect();
            entries.extend(list);
            let length = entries.len().max(1);
            entries.rotate_left(at % length);
            let body = entries.join("\n");
            let space = " ".repeat(if top == "---\n" || top.is_empty() { indent } else { 0 });
            let body: Vec<String> = body
                .lines()
                .map(|line| if line.is_empty() { String::new() } else { format!("{space}{line}") })
                .collect();
            let text = format!("{top}{}{end}", body.join("\n"));
            if windows { text.replace('\n', "\r\n") } else { text }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn installing_and_removing_changes_no_byte(old in file()) {
        let Ok(before) = parse(&old) else { return Ok(()) };
        match install(Some(&old), KEY) {
            Ok(new) => {
                let after = parse(&new).unwrap();
                let ours = ours(&new, &after).unwrap();
                prop_assert_eq!(without(&after, &ours.items), without(&before, &[]), "{}", new);
                prop_assert_eq!(items(&after).len(), items(&before).len() + 1);
                prop_assert_eq!(install(Some(&new), KEY), Ok(new.clone()));
                prop_assert_eq!(remove(&new), Ok(Some(old)), "{}", new);
            }
            Err(Refusal::Form) => {
                // Only what has no place for a line of ours.
                let odd = |root: &Node| !matches!(root.content, Content::Mapping(_))
                    || root.get(LIST).is_some_and(|list| !list.is_null() && !matches!(list.content, Content::Sequence(_)));
                prop_assert!(before.root.as_ref().is_some_and(odd), "refused:\n{}", old);
            }
            Err(error) => prop_assert!(false, "{}:\n{}", error, old),
        }
    }

    #[test]
    fn no_text_makes_it_panic(old in "[a-z:\\-\\[\\]{}#'\"&*|>!%@ \\n\\r\\t\u{feff}é]{0,60}") {
        if let Ok(new) = install(Some(&old), KEY) {
            prop_assert_eq!(remove(&new), Ok(Some(old)));
        }
    }
}
