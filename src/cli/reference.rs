//! The tables of `docs/cli.md`, made from the definition of the command line.

use std::fmt::Write as _;
use std::path::Path;

use super::args::whole_definition;

const BEGIN: &str = "<!-- generated: begin -->\n";
const END: &str = "<!-- generated: end -->";

/// All commands with their options, as Markdown.
fn reference() -> String {
    let mut root = whole_definition();
    root.build();
    let mut text = String::new();
    describe(&root, "stagecoach", &mut text);
    text
}

fn describe(command: &clap::Command, name: &str, text: &mut String) {
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    writeln!(text, "## `{name}`\n\n{about}.\n").unwrap();
    let shown =
        |arg: &&clap::Arg| !arg.is_hide_set() && !["help", "help_all", "version"].contains(&arg.get_id().as_str());
    // Options that every command takes are listed once, with the program itself.
    let own = |arg: &&clap::Arg| !arg.is_global_set() || name == "stagecoach";
    let rows: Vec<String> = command.get_arguments().filter(shown).filter(own).map(row).collect();
    if !rows.is_empty() {
        writeln!(text, "| argument | meaning |\n|---|---|\n{}\n", rows.join("\n")).unwrap();
    }
    for inner in command.get_subcommands().filter(|inner| !inner.is_hide_set()) {
        describe(inner, &format!("{name} {}", inner.get_name()), text);
    }
}

fn row(arg: &clap::Arg) -> String {
    let mut names: Vec<String> = Vec::new();
    names.extend(arg.get_short().map(|short| format!("-{short}")));
    names.extend(arg.get_long_and_visible_aliases().into_iter().flatten().map(|long| format!("--{long}")));
    let value = arg.get_value_names().filter(|_| arg.get_action().takes_values());
    let value = value.map(|names| names.iter().map(|name| format!("<{name}>")).collect::<Vec<_>>().join(" "));
    let shown = match (names.is_empty(), value) {
        (true, value) => value.unwrap_or_default(),
        (false, Some(value)) => format!("{} {value}", names.join(", ")),
        (false, None) => names.join(", "),
    };
    let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
    format!("| `{shown}` | {} |", help.replace('|', "\\|"))
}

/// `UPDATE_DOCS=1 cargo test --lib cli::reference` renews the tables.
#[test]
fn the_documented_command_line_is_the_real_one() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/cli.md");
    let text = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = text.split_once(BEGIN).expect("docs/cli.md has a begin mark");
    let (documented, after) = rest.split_once(END).expect("docs/cli.md has an end mark");
    let reference = reference();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, format!("{before}{BEGIN}{reference}{END}{after}")).unwrap();
        return;
    }
    assert_eq!(documented, reference, "docs/cli.md is not up to date: UPDATE_DOCS=1 cargo test --lib cli::reference");
}

/// The words of a shown command, up to what a shell makes of the rest; quotes hold words together.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote): (Vec<String>, Option<String>, Option<char>) = (Vec::new(), None, None);
    for c in line.chars() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, '|' | '&' | ';' | '>' | '<' | '#') if word.is_none() => break,
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

/// The commands in a page: lines of blocks for a shell, and inline code.
fn shown_commands(text: &str) -> Vec<&str> {
    let (mut commands, mut language, mut open) = (Vec::new(), "", false);
    for line in text.lines().map(str::trim_start) {
        if let Some(fence) = line.strip_prefix("```") {
            (language, open) = (fence, !open);
        } else if open && ["sh", "console"].contains(&language) {
            commands.extend(line.strip_prefix("$ ").or_else(|| Some(line).filter(|_| language == "sh")));
        } else if !open {
            commands.extend(line.split('`').skip(1).step_by(2));
        }
    }
    commands
}

#[test]
fn every_shown_command_is_taken() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let pages = std::fs::read_dir(root.join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let mut count = 0;
    for page in pages.chain([root.join("README.md")]).filter(|page| page.extension().is_some_and(|e| e == "md")) {
        let text = std::fs::read_to_string(&page).unwrap();
        for command in shown_commands(&text).into_iter().filter(|command| command.starts_with("stagecoach ")) {
            // Something stands for what the reader puts there.
            if command.contains(['<', '…', '|', '[', '(']) {
                continue;
            }
            let words = super::without_help_command(words(command).into_iter().map(Into::into).collect());
            let error = whole_definition().try_get_matches_from(words).err().filter(clap::Error::use_stderr);
            let needs = error.as_ref().is_some_and(|error| {
                // A command that is only named.
                use clap::error::ErrorKind::{DisplayHelpOnMissingArgumentOrSubcommand, MissingRequiredArgument};
                [DisplayHelpOnMissingArgumentOrSubcommand, MissingRequiredArgument].contains(&error.kind())
            });
            assert!(error.is_none() || needs, "{}: {command}\n{}", page.display(), error.unwrap());
            count += 1;
        }
    }
    assert!(count > 50, "{count}");
}
