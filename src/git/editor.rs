//! Which editor git would open, and how it would start it.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::Command;

use bstr::ByteSlice;

use super::program::keep_repository;
use super::{GitError, Program, Repository};

/// git hands an editor with one of these in its name to a shell.
const SHELL_CHARACTERS: &[u8] = b"|&;<>()$`\\\"' \t\n*?[#~=%";

const SHELL: &str = if cfg!(windows) { "sh" } else { "/bin/sh" };

impl Repository {
    /// The editor in git's order: `GIT_EDITOR`, `core.editor`, `VISUAL`, `EDITOR`, the built-in one. `None` where git
    /// knows of none that works on this terminal.
    ///
    /// # Errors
    /// git's own text.
    pub fn editor(&self) -> Result<Option<OsString>, GitError> {
        let arguments = ["var", "GIT_EDITOR"];
        let finished = self.program()?.try_run(&arguments, None, |_| {})?;
        if !finished.success {
            // git says nothing at all when there is no editor.
            let none = finished.code == Some(1) && finished.stderr.is_empty();
            return if none { Ok(None) } else { Err(Program::failure(&arguments, &finished)) };
        }
        let editor = finished.stdout.strip_suffix(b"\n").unwrap_or(&finished.stdout);
        Ok(Some(editor.to_os_str_lossy().into_owned()))
    }

    /// The command that opens a file in an editor as `git commit` does: at the top of the working tree, with `index` as
    /// the index that git commands of the editor see.
    #[must_use]
    pub fn editor_command(&self, editor: &OsStr, file: &Path, index: &Path) -> Command {
        let mut command = command(editor, file);
        command.current_dir(&self.paths().work_tree).env("GIT_INDEX_FILE", index);
        keep_repository(&mut command);
        command
    }
}

fn command(editor: &OsStr, file: &Path) -> Command {
    let plain = !editor.as_encoded_bytes().iter().any(|byte| SHELL_CHARACTERS.contains(byte));
    if plain {
        let mut command = Command::new(editor);
        command.arg(file);
        return command;
    }
    let mut script = editor.to_owned();
    script.push(" \"$@\"");
    let mut command = Command::new(SHELL);
    command.arg("-c").arg(script).arg(editor).arg(file);
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(editor: &str) -> Vec<String> {
        let command = command(OsStr::new(editor), Path::new("/a b"));
        let words = std::iter::once(command.get_program()).chain(command.get_args());
        words.map(|word| word.to_str().unwrap().to_owned()).collect()
    }

    #[test]
    fn a_shell_is_used_where_git_uses_one() {
        assert_eq!(words("vi"), ["vi", "/a b"]);
        assert_eq!(words("/usr/bin/vim"), ["/usr/bin/vim", "/a b"]);
        assert_eq!(words("code --wait"), [SHELL, "-c", "code --wait \"$@\"", "code --wait", "/a b"]);
        assert_eq!(words("~/bin/ed"), [SHELL, "-c", "~/bin/ed \"$@\"", "~/bin/ed", "/a b"]);
    }
}
