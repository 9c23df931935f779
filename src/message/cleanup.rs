//! White space as git's `whitespace` clean-up leaves it.

/// Takes white space off the ends of lines, blank lines off both ends of the text, and all but one of several blank lines
/// in a row; ends the text in a newline. What `git stripspace` prints.
#[must_use]
pub fn cleanup(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 1);
    let mut blank = false;
    for line in text.split('\n') {
        let line = line.trim_end_matches([' ', '\t', '\r', '\n']);
        if line.is_empty() {
            blank = true;
            continue;
        }
        if blank && !out.is_empty() {
            out.push('\n');
        }
        blank = false;
        out.push_str(line);
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::message::trailers::tests::git;

    #[test]
    fn only_white_space_is_touched() {
        assert_eq!(cleanup("\n\n  a \t\r\n\n \n\n# b\n\n"), "  a\n\n# b\n");
        assert_eq!(cleanup(" \n "), "");
        // No white space to git.
        assert_eq!(cleanup("a\u{a0}\u{c}\n"), "a\u{a0}\u{c}\n");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(150))]

        #[test]
        fn it_is_what_git_does(text in "[ab# \t\r\n\u{b}\u{c}é]{0,40}") {
            prop_assert_eq!(cleanup(&text), git(&["stripspace"], &text));
        }

        #[test]
        fn twice_is_once(text in "[ab \t\r\n]{0,40}") {
            let once = cleanup(&text);
            prop_assert_eq!(cleanup(&once), once);
        }
    }
}
