//! Every command that the README shows does what a newcomer expects: it works.

use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;

use regex::Regex;

use crate::support::{Run, World};

const README: &str = include_str!("../../README.md");

/// A machine with Claude Code on it and no configuration; its repository has been committed in before.
fn newcomer(message: &str) -> World {
    let mut world = World::new();
    world.script(
        "bin/claude",
        &format!(
            "case \"$*\" in --version) echo '2.1.332 (Claude Code)'; exit ;; --help) exit ;; esac\ncat > /dev/null\n\
             if test \"$STAGECOACH_ROLE\" = planner; then echo '{{\"single\": true}}'; exit; fi\n{message}"
        ),
    );
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_stagecoach"), world.root().join("bin/stagecoach")).unwrap();
    world.set("GIT_EDITOR", ":");
    world.commit("Start", &[("src/upload.rs", "1\n")]);
    world.commit("Say what it is", &[("README.md", "It uploads.\n")]);
    world
}

/// Answers of a form that every format takes, never the same twice.
const NUMBERED: &str = "printf 'fix: retry upload %s\\n\\nIt may time out.\\n' $$";

/// Runs a line as a shell does, for somebody who answers yes.
fn typed(world: &World, line: &str) -> Run {
    let mut shell = world.program("sh");
    shell.args(["-c", line]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = shell.spawn().unwrap();
    // A command that asks nothing may have ended before.
    drop(child.stdin.take().unwrap().write_all("y\n".repeat(20).as_bytes()));
    Run::of(child.wait_with_output().unwrap())
}

/// Something new to commit, unless there is still something.
fn make_dirty(world: &World, generation: usize) {
    if world.git(&["status", "--porcelain"]).is_empty() {
        world.write("src/upload.rs", format!("{generation}\n{generation}\n"));
        world.write("notes.md", format!("note {generation}\n"));
    }
}

/// The fenced blocks of a language.
fn blocks(language: &str) -> Vec<&'static str> {
    let opener = format!("```{language}\n");
    README.split(&opener).skip(1).map(|rest| rest.split("```").next().unwrap()).collect()
}

#[test]
fn the_sample_is_what_is_printed() {
    let block = blocks("console")[0];
    let (command, output) = block.strip_prefix("$ ").unwrap().split_once('\n').unwrap();
    let world = newcomer("echo 'Retry uploads that time out'");
    world.write("src/upload.rs", "2\n");
    world.write("tests/upload_retry.rs", "1\n");
    world.git(&["add", "-N", "tests"]);
    let run = typed(&world, command).succeeds();
    let printed = &run.stdout[run.stdout.rfind("\n[").unwrap() + 1..];
    let id = Regex::new("^\\[[0-9a-f]{7}\\]").unwrap();
    assert_eq!(id.replace(printed, ""), id.replace(output, ""));
}

#[test]
fn every_line_of_the_quick_start_works() {
    let world = newcomer(NUMBERED);
    let lines: Vec<&str> = blocks("sh").into_iter().flat_map(str::lines).collect();
    // The two commands of the project are run by `.ci/run`.
    let lines: Vec<&str> = lines.into_iter().filter(|line| !line.starts_with("cargo ")).collect();
    assert!(lines.len() >= 10, "{lines:?}");
    for (generation, line) in lines.into_iter().enumerate() {
        make_dirty(&world, generation);
        let run = typed(&world, line);
        assert_eq!(run.code, 0, "{line}: {run:#?}");
    }
}

/// Options that are named without their value are only named.
#[test]
fn every_command_and_option_in_the_text_works() {
    let prose = Regex::new("(?s)```.*?```").unwrap().replace_all(README, "");
    let code: Vec<String> = prose.split('`').skip(1).step_by(2).map(|code| code.replace('\n', " ")).collect();
    let commands = code.iter().filter_map(|code| {
        let is_option = code.starts_with('-');
        (is_option || code.starts_with("stagecoach ")).then_some((is_option, code.as_str()))
    });
    let mut count = 0;
    for (is_option, code) in commands {
        let world = newcomer(NUMBERED);
        make_dirty(&world, 1);
        world.run(&[]).succeeds();
        make_dirty(&world, 2);
        world.write(".stagecoach.toml", "config_version = 3\n[generation]\nformat = 'auto'\n");
        let run = typed(&world, &if is_option { format!("stagecoach --single {code}") } else { code.to_owned() });
        let only_named = is_option && run.stderr.contains("needs a value");
        assert!(run.code == 0 || only_named, "{code}: {run:#?}");
        count += 1;
    }
    assert!(count > 15, "{count}");
}

/// What a reader looks for, in the order of questions that come up.
#[test]
fn the_headings_answer_a_newcomers_questions() {
    let headings: Vec<&str> = README.lines().filter_map(|line| line.strip_prefix("## ")).collect();
    let expected = [
        "Two commands",
        "Installing",
        "Quick start",
        "How it stays safe",
        "Configuring",
        "Adding an agent",
        "Comparison",
        "FAQ",
        "Documentation",
    ];
    assert_eq!(headings, expected);
    for page in std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs")).unwrap() {
        let name = page.unwrap().file_name().into_string().unwrap();
        assert!(!name.ends_with(".md") || README.contains(&format!("](docs/{name})")), "{name} is not to be found");
    }
}
