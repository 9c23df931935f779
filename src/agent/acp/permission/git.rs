//! The git commands that a stager may run. What is not listed is refused: git takes shortened options, and new ones come.

use super::places::Places;
use super::words::Line;

/// What a command takes.
struct Rules {
    name: &'static str,
    /// Options without a value.
    flags: &'static [&'static str],
    /// What stands before a number, or before letters and digits, within one word.
    valued: &'static [&'static str],
    /// Letters that may stand together behind one `-`.
    letters: &'static str,
    /// An option that has to be there.
    needs: &'static str,
}

const COMMANDS: [Rules; 4] = [
    Rules {
        name: "add",
        flags: &["--all", "--update", "--verbose", "--dry-run", "--intent-to-add", "--force"],
        valued: &[],
        letters: "AuvnNf",
        needs: "",
    },
    Rules {
        name: "apply",
        flags: &[
            "--cached",
            "--check",
            "--unidiff-zero",
            "--recount",
            "--reverse",
            "--verbose",
            "--quiet",
            "--stat",
            "--numstat",
            "--summary",
            "--ignore-whitespace",
            "--inaccurate-eof",
        ],
        valued: &["-p", "-C", "--whitespace="],
        letters: "Rvq",
        needs: "--cached",
    },
    Rules {
        name: "status",
        flags: &["--short", "--branch", "--porcelain", "--long", "--untracked-files", "--ignored", "--verbose"],
        valued: &["-u", "--porcelain=", "--untracked-files=", "--ignored="],
        letters: "sbzvu",
        needs: "",
    },
    Rules {
        name: "diff",
        flags: &[
            "--cached",
            "--staged",
            "--stat",
            "--numstat",
            "--shortstat",
            "--summary",
            "--name-only",
            "--name-status",
            "--patch",
            "--raw",
            "--check",
            "--binary",
            "--full-index",
            "--no-color",
            "--no-ext-diff",
            "--no-textconv",
            "--no-renames",
            "--no-prefix",
            "--minimal",
            "--patience",
            "--histogram",
            "--function-context",
            "--ignore-all-space",
            "--ignore-space-change",
            "--quiet",
            "--exit-code",
        ],
        valued: &["-U", "--unified=", "--stat=", "--color=", "--diff-filter=", "--diff-algorithm=", "--abbrev="],
        letters: "puzwbRW",
        needs: "",
    },
];

/// Whether a command stages or shows what there is to stage, within the places.
///
/// # Errors
/// Why not.
pub(super) fn allow(line: &Line, places: &Places) -> Result<(), String> {
    let mut words = line.argv.iter().map(String::as_str);
    if words.next() != Some("git") {
        return Err("not git".to_owned());
    }
    let name = words.next().unwrap_or_default();
    let rules = COMMANDS.iter().find(|rules| rules.name == name).ok_or("git, but none of its staging commands")?;
    if line.has_text && rules.name != "apply" {
        return Err("a text for a command that reads none".to_owned());
    }
    let (mut options_end, mut has_needed) = (false, rules.needs.is_empty());
    for word in words {
        if options_end || !word.starts_with('-') {
            argument(rules, word, options_end, places)?;
        } else if word == "--" {
            options_end = true;
        } else if word == "-" && rules.name == "apply" {
        } else if rules.takes(word) {
            has_needed |= word == rules.needs;
        } else {
            return Err(format!("`git {name}` with `{word}`"));
        }
    }
    if has_needed { Ok(()) } else { Err(format!("`git {name}` without `{}`", rules.needs)) }
}

impl Rules {
    fn takes(&self, word: &str) -> bool {
        let is_plain =
            |value: &str| !value.is_empty() && value.chars().all(|c| c.is_ascii_alphanumeric() || ",-".contains(c));
        let valued = |option: &&str| {
            word.strip_prefix(*option).is_some_and(|value| {
                // A letter takes a number, or the words of `status -u`, and no further letters that would be options.
                if option.starts_with("--") {
                    is_plain(value)
                } else {
                    is_count(value) || ["no", "normal", "all"].contains(&value)
                }
            })
        };
        let letters = |word: &str| !word.is_empty() && word.chars().all(|c| self.letters.contains(c));
        self.flags.contains(&word) || self.valued.iter().any(valued) || word.strip_prefix('-').is_some_and(letters)
    }
}

fn is_count(value: &str) -> bool {
    !value.is_empty() && value.len() < 8 && value.chars().all(|c| c.is_ascii_digit())
}

/// Judges what is no option: a revision, or a path.
fn argument(rules: &Rules, word: &str, is_path: bool, places: &Places) -> Result<(), String> {
    if word.is_empty() || word.starts_with(':') {
        return Err(format!("the path `{word}`"));
    }
    // With one of two paths outside, git compares files of the system; what is no path is a revision to it.
    let may_be_revision = rules.name == "diff" && !is_path;
    let may_be_temporary = rules.name == "apply";
    let is_fine = match may_be_revision {
        true if word == "HEAD" => true,
        true => places.has(word),
        false => places.holds(word, may_be_temporary),
    };
    if is_fine {
        return Ok(());
    }
    Err(format!("`{word}`, which lies elsewhere"))
}
