//! What holds for any answer at all.

use proptest::prelude::*;

use crate::provider::clean;

/// Text that looks like what agents print often enough to reach every rule, in any order and nesting.
fn answer() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("\n"),
        Just("\n\n"),
        Just("```"),
        Just("```\n"),
        Just("~~~"),
        Just("\""),
        Just("'"),
        Just("`"),
        Just("“"),
        Just("”"),
        Just("<think>"),
        Just("</think>\n"),
        Just("[/thinking]"),
        Just("Commit message: "),
        Just("**Commit message:**"),
        Just("Sure! "),
        Just("Here is the commit message:"),
        Just("---\n"),
        Just("feat: add x"),
        Just("I'm sorry, "),
        Just("I can't help"),
        Just("Error: "),
        Just("\nGenerated with Claude Code\n"),
        Just("\nCo-authored-by: Claude <noreply@anthropic.com>"),
        Just("\u{1b}["),
        Just("\u{1b}]"),
        Just("31m"),
        Just("\u{200d}"),
        Just("\u{200c}"),
        Just("\u{fe0f}"),
        Just("👩"),
        Just("💻"),
        Just("\u{e0062}"),
        Just("\u{85}"),
        Just("\r"),
        Just(" \t"),
        Just("س"),
    ];
    prop_oneof![
        prop::collection::vec(piece, 0..14).prop_map(|pieces| pieces.concat()),
        ".{0,60}",
        prop::collection::vec(any::<u8>(), 0..80).prop_map(|bytes| String::from_utf8_lossy(&bytes).into_owned()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn cleaning_is_idempotent_and_leaves_a_well_formed_message(answer in answer()) {
        let message = clean(&answer);
        prop_assert_eq!(&clean(&message), &message);
        prop_assert!(message.chars().all(|c| !c.is_control() || c == '\n' || c == '\t'), "{:?}", message);
        prop_assert_eq!(message.trim(), &message);
        prop_assert!(!message.contains("\n\n\n"));
        prop_assert!(message.lines().all(|line| line.trim_end() == line));
        prop_assert!(message.lines().nth(1).is_none_or(str::is_empty), "{:?}", message);
    }
}
