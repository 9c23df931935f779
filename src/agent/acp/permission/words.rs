//! A command line that any shell reads as the same words, and nothing but words.

/// A command line taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    /// The program and its arguments.
    pub(super) argv: Vec<String>,
    /// Whether it reads a text that is part of the command: `<<'WORD'`, lines, `WORD`. Within quotes the shell hands that
    /// over as it stands.
    pub(super) has_text: bool,
}

/// Characters that mean themselves wherever they stand in a word.
const PLAIN: &str = "_./@+,-";
/// Those that do where a word does not begin with them.
const PLAIN_INSIDE: &str = ":=";

/// Takes a command line apart.
///
/// # Errors
/// What in it is more than words, or may be.
pub(super) fn read(command: &str) -> Result<Line, String> {
    // A blank behind a text's last line would make it another line.
    let command = command.trim_start_matches([' ', '\n']).trim_end_matches('\n');
    let (first, text) = match command.split_once('\n') {
        Some((first, rest)) => (first, Some(rest)),
        None => (command, None),
    };
    let (first, word) = match first.split_once("<<") {
        Some((before, word)) => (before, Some(word.trim_matches(' '))),
        None => (first, None),
    };
    match (word, text) {
        (Some(_), _) if cfg!(windows) => return Err("a text, which not every shell here takes".to_owned()),
        (None, None) => {}
        (Some(word), Some(text)) => check_text(word, text)?,
        (None, Some(_)) => return Err("more than one line".to_owned()),
        (Some(_), None) => return Err("a text without lines".to_owned()),
    }
    Ok(Line { argv: words(first)?, has_text: word.is_some() })
}

/// Whether the text ends with the command, and not before.
fn check_text(word: &str, text: &str) -> Result<(), String> {
    let quoted = |quote: char| word.strip_prefix(quote)?.strip_suffix(quote);
    let word = quoted('\'').or_else(|| quoted('"')).ok_or("a text whose word is not quoted")?;
    if word.is_empty() || !word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        return Err("a text that ends with a strange word".to_owned());
    }
    if text.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\t' | '\r')) {
        return Err("a control character".to_owned());
    }
    let mut lines = text.split('\n');
    match lines.position(|line| line == word) {
        Some(_) if lines.next().is_none() => Ok(()),
        Some(_) => Err("something behind its text".to_owned()),
        None => Err("a text without end".to_owned()),
    }
}

fn words(line: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut rest = line.chars();
    while let Some(c) = rest.next() {
        match c {
            ' ' => words.extend(word.take()),
            '\'' | '"' => word.get_or_insert_default().push_str(&quoted(&mut rest, c)?),
            c if c.is_alphanumeric() || PLAIN.contains(c) => word.get_or_insert_default().push(c),
            c if PLAIN_INSIDE.contains(c) && word.is_some() => word.get_or_insert_default().push(c),
            c => return Err(format!("`{}`, which is more than a letter to a shell", c.escape_debug())),
        }
    }
    words.extend(word);
    Ok(words)
}

fn is_plain(c: char) -> bool {
    c.is_alphanumeric() || PLAIN.contains(c) || PLAIN_INSIDE.contains(c)
}

fn quoted(rest: &mut std::str::Chars<'_>, quote: char) -> Result<String, String> {
    let mut text = String::new();
    for c in rest {
        match c {
            c if c == quote => return Ok(text),
            c if c.is_control() => return Err("a control character".to_owned()),
            '$' | '`' | '\\' | '!' if quote == '"' => return Err(format!("`{c}` within double quotes")),
            // Elsewhere than in a POSIX shell it ends or escapes something within single quotes, too.
            '\\' | '!' => return Err(format!("`{c}` within quotes")),
            // There, quotes may be no quotes at all.
            c if cfg!(windows) && !is_plain(c) && c != ' ' => return Err(format!("`{c}` within quotes")),
            c => text.push(c),
        }
    }
    Err("a quote without end".to_owned())
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn argv(command: &str) -> Vec<String> {
        read(command).unwrap_or_else(|why| panic!("{command}: {why}")).argv
    }

    #[test]
    fn words_are_what_a_shell_makes_of_them() {
        assert_eq!(argv("git add -A"), ["git", "add", "-A"]);
        assert_eq!(argv("  git  add -- 'a b'/c \"d e\" '' é.txt\n"), ["git", "add", "--", "a b/c", "d e", "", "é.txt"]);
        assert_eq!(argv("git diff --stat=80 x:y"), ["git", "diff", "--stat=80", "x:y"]);
        let patch = "git apply --cached - <<'PATCH'\n--- a/x\n+++ b/x\n+$(rm -rf /); `x` \\ \"\r\nPATCH\n";
        assert_eq!(
            read(patch),
            Ok(Line { argv: ["git", "apply", "--cached", "-"].map(str::to_owned).into(), has_text: true })
        );
    }

    #[test]
    fn whatever_is_more_than_words_is_refused() {
        for command in [
            "git add a; rm -rf /",
            "git add a && touch b",
            "git add a & touch b",
            "git add a | sh",
            "git add a || sh",
            "git add $(touch b)",
            "git add `touch b`",
            "git add \"$(touch b)\"",
            "git add \"`touch b`\"",
            "git add $HOME",
            "git add ${IFS}a",
            "git add \"a\\\"; touch b\"",
            "git add 'a\\'; touch b",
            "git add 'a",
            "git add \"a",
            "git add a\ntouch b",
            "git add a\rtouch b",
            "git add a\r\ntouch b",
            "git\tadd a",
            "git add a\u{b}b",
            "git add a\u{a0}; b",
            "git diff > ../x",
            "git diff >../x",
            "git apply < /etc/passwd",
            "git apply <(curl x)",
            "git apply <<<x",
            "git add *",
            "git add a?",
            "git add [ab]",
            "git add {a,b}",
            "git add ~/x",
            "git add %PATH%",
            "git add =ls",
            "git add :/",
            "git add !x",
            "git add a!x",
            "git add a#b",
            "git add a^b",
            "(git add a)",
            "{ git add a; }",
            "FOO=$x git add",
            "git add a\\\nb",
            "git add a\0b",
            "git apply - <<PATCH\nx\nPATCH",
            "git apply - <<\\PATCH\nx\nPATCH",
            "git apply - <<-'PATCH'\nx\nPATCH",
            "git apply - <<'PATCH'; touch b\nx\nPATCH",
            "git apply - <<'PATCH' && touch b\nx\nPATCH",
            "git apply - <<'PATCH' | sh\nx\nPATCH",
            "git apply - <<'PATCH' > x\nx\nPATCH",
            "git apply - <<'PATCH'\nx\nPATCH\ntouch b",
            "git apply - <<'PATCH'\nx\nPATCH\ntouch b\nPATCH",
            "git apply - <<'A' <<'B'\nx\nA\nB",
            "git apply - <<'PATCH'\nx",
            "git apply - <<'PATCH'\nx\nPATCH ",
            "git apply - <<'PATCH'",
            "git apply - <<''\nx\n",
            "git apply - <<'P\nQ'\nx\nP",
            "git apply - <<'$(x)'\nx\n$(x)",
            "git apply - <<'PATCH\"\nx\nPATCH",
            "git apply - <<'PATCH'\n\u{1b}[2J\nPATCH",
        ] {
            assert!(read(command).is_err(), "{command:?} is read as {:?}", read(command));
        }
    }

    proptest! {
        /// What a real shell makes of a line that is taken is what was read, and it does nothing else.
        #[test]
        fn a_shell_agrees(line in "[ a-z0-9./=:'\"$`\\\\;|&<>(){}*?~!#\\-\\[\\]\n\t]{0,24}") {
            if let Ok(found) = read(&format!("git {line}")) && !found.has_text {
                let script = format!("git() {{ printf '%s\\0' git \"$@\"; }}\ngit {line}");
                let folder = tempfile::tempdir().unwrap();
                let ran = std::process::Command::new("/bin/sh")
                    .args(["-c", &script])
                    .current_dir(folder.path())
                    .env("PATH", "/nowhere")
                    .output()
                    .unwrap();
                let expected: String = found.argv.iter().map(|word| format!("{word}\0")).collect();
                prop_assert_eq!(String::from_utf8_lossy(&ran.stdout), expected);
                prop_assert!(ran.status.success());
                prop_assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
            }
        }

        /// Nothing that follows a text's end is ever taken for a part of the text.
        #[test]
        fn a_shell_agrees_on_where_a_text_ends(text in "[ab$'\"`\\\\\n\r\tEOF ]{0,30}") {
            if read(&format!("git apply - <<'EOF'\n{text}")).is_ok() {
                let script = format!("cat <<'EOF'\n{text}");
                let ran = std::process::Command::new("/bin/sh").args(["-c", &script]).output().unwrap();
                let printed = String::from_utf8_lossy(&ran.stdout);
                let whole = text.trim_end_matches('\n').strip_suffix("EOF");
                prop_assert!(ran.status.success());
                prop_assert_eq!(Some(printed.as_ref()), whole);
            }
        }
    }
}
