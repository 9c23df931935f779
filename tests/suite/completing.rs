//! The completion scripts, each loaded by its own shell, where that is installed.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What is typed, and the one word that it becomes.
const CASES: [(&str, &str); 9] = [
    ("stagecoach prov", "providers"),
    ("stagecoach --dry", "--dry-run"),
    ("stagecoach --provider cl", "claude"),
    ("stagecoach --planner-reasoning me", "medium"),
    ("stagecoach --format conventional+", "conventional+body"),
    ("stagecoach --arbiter-model son", "sonnet"),
    ("stagecoach providers show cl", "claude"),
    ("stagecoach config init --provider off", "offline"),
    ("stagecoach integrate install lazy", "lazygit"),
];

/// A folder with the script of a shell; `None` where that shell is not installed.
struct Shell {
    program: &'static str,
    folder: tempfile::TempDir,
}

impl Shell {
    fn find(name: &str, program: &'static str) -> Option<Self> {
        let path = std::env::var_os("PATH").unwrap();
        std::env::split_paths(&path).find(|folder| folder.join(program).is_file())?;
        let folder = tempfile::tempdir().unwrap();
        let output = Command::new(env!("CARGO_BIN_EXE_stagecoach")).args(["completions", name]).output().unwrap();
        assert!(output.status.success());
        std::fs::write(folder.path().join("script"), output.stdout).unwrap();
        Some(Self { program, folder })
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs the shell in its folder without anybody's configuration and returns what it prints.
    fn run(&self, arguments: &[&str], program: &str) -> String {
        std::fs::write(self.file("program"), program).unwrap();
        let mut command = Command::new(self.program);
        command.args(arguments).arg("program").current_dir(self.folder.path()).stdin(Stdio::null());
        command.env_clear().env("PATH", std::env::var_os("PATH").unwrap()).env("TERM", "dumb").env("LC_ALL", "C.UTF-8");
        let output = command.env("HOME", self.folder.path()).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
        text
    }
}

/// Fails unless every case has exactly the word that it should have.
fn check(complete: impl Fn(&str) -> Vec<String>) {
    for (typed, expected) in CASES {
        assert_eq!(complete(typed), [expected], "{typed}");
    }
}

fn lines(text: &str) -> Vec<String> {
    text.lines().map(str::to_owned).collect()
}

#[test]
fn bash() {
    let Some(shell) = Shell::find("bash", "bash") else { return };
    check(|typed| {
        let program = format!(
            "source ./script\nCOMP_WORDS=({typed})\nCOMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))\nCOMP_LINE='{typed}'\n\
             COMP_POINT=${{#COMP_LINE}}\n_stagecoach stagecoach \"${{COMP_WORDS[-1]}}\" \"${{COMP_WORDS[-2]}}\"\n\
             printf '%s\\n' \"${{COMPREPLY[@]}}\"\n"
        );
        lines(&shell.run(&["--norc"], &program))
    });
}

/// zsh completes only at a prompt, so one is opened in a terminal of zsh's own; ^X ends it and tells what is typed by then.
#[test]
fn zsh() {
    let Some(shell) = Shell::find("zsh", "zsh") else { return };
    std::fs::write(
        shell.file("setup"),
        "autoload -Uz compinit\ncompinit -D -u\nsource ./script\ncompdef _stagecoach stagecoach\n\
         tell() { print -r -- $BUFFER >typed; exit }\nzle -N tell\nbindkey '^X' tell\n",
    )
    .unwrap();
    check(|typed| {
        shell.run(
            &["-f"],
            &format!(
                "zmodload zsh/zpty\nzpty prompt zsh -f -i\nzpty -w prompt 'source ./setup'\n\
                 zpty -w -n prompt '{typed}'$'\\t\\x18'\nwhile zpty -r prompt line; do :; done\n:\n"
            ),
        );
        let line = std::fs::read_to_string(shell.file("typed")).unwrap();
        std::fs::remove_file(shell.file("typed")).unwrap();
        line.split_whitespace().last().map(str::to_owned).into_iter().collect()
    });
}

#[test]
fn fish() {
    let Some(shell) = Shell::find("fish", "fish") else { return };
    check(|typed| {
        let text = shell.run(&["--no-config"], &format!("source ./script\ncomplete -C '{typed}'\n"));
        text.lines().map(|line| line.split('\t').next().unwrap().to_owned()).collect()
    });
}

/// Elvish has its module `edit:` only at a prompt; this one stands in for it. Elvish itself drops what does not begin alike.
#[test]
fn elvish() {
    let Some(shell) = Shell::find("elvish", "elvish") else { return };
    check(|typed| {
        let words = typed.split(' ').map(|word| format!("'{word}'")).collect::<Vec<_>>().join(" ");
        let candidate = "{|text &display='' &code-suffix=''| put $text }";
        let text = shell.run(
            &["-norc"],
            &format!(
                "var edit: = (ns [&completion:=(ns [&arg-completer=[&]]) &complex-candidate~={candidate}])\n\
                 eval (slurp < script) &ns=(ns [&edit:=$edit:])\n\
                 $edit:completion:arg-completer[stagecoach] {words} | each {{|word| echo $word }}\n"
            ),
        );
        let begun = typed.rsplit(' ').next().unwrap();
        lines(&text).into_iter().filter(|word| word.starts_with(begun)).collect()
    });
}

#[test]
fn nushell() {
    let Some(shell) = Shell::find("nushell", "nu") else { return };
    std::fs::rename(shell.file("script"), shell.file("stagecoach.nu")).unwrap();
    check(|typed| {
        let program = format!("use {} *\n{typed}", path(&shell.file("stagecoach.nu")));
        let place = program.len().to_string();
        let text = shell.run(&["-n", "--ide-complete", &place], &program);
        let found: serde_json::Value = serde_json::from_str(&text).unwrap();
        // A command's name has spaces here, and those below it are offered as well.
        let words = found["completions"].as_array().unwrap().iter().map(|word| word.as_str().unwrap());
        let words = words.map(|word| word.strip_prefix("stagecoach ").unwrap_or(word));
        words.filter(|word| !word.contains(' ')).map(str::to_owned).collect()
    });
}

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}
