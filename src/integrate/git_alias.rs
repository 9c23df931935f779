//! `git stagecoach`: an alias in the user's configuration of git.
//!
//! git itself does the editing, on a copy, so that the file looks as `git config --global` would have left it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use bstr::ByteSlice as _;

use super::Found;
use super::edit::{Edit, EditError, copies, read};
use crate::git::{GitError, Program};

/// The alias.
pub const DEFAULT_NAME: &str = "stagecoach";
/// What it runs.
const VALUE: &str = "!stagecoach";

/// An alias that is not edited.
#[derive(Debug, thiserror::Error)]
pub enum AliasError {
    /// git does not take such a name.
    #[error("`{0}` is no name for an alias of git: letters, digits and `-`, a letter first")]
    Name(String),
    /// git has a command of that name, which would be run instead.
    #[error("git has a command `{0}` of its own")]
    Command(String),
    /// The alias is there and runs something else.
    #[error("the alias `{name}` already runs `{value}`")]
    Taken {
        /// The alias.
        name: String,
        /// What it runs.
        value: String,
    },
    /// git failed.
    #[error(transparent)]
    Git(#[from] GitError),
    /// The file cannot be read, or is no text.
    #[error(transparent)]
    Edit(#[from] EditError),
    /// A copy for git to edit cannot be made.
    #[error("a copy to edit cannot be made: {0}")]
    Copy(#[source] std::io::Error),
}

/// The user's configuration of git, with one alias in it.
#[derive(Debug, Clone)]
pub struct GitAlias {
    git: Program,
    path: PathBuf,
    text: Option<String>,
    /// What the file was before earlier edits of ours, the newest first.
    copies: Vec<String>,
    name: String,
}

/// The file that `git config --global` writes.
fn global_file(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let variable = |name: &str| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(path) = variable("GIT_CONFIG_GLOBAL") {
        return Some(path);
    }
    let home = variable("HOME");
    let of_home = home.as_ref().map(|home| home.join(".gitconfig"));
    let of_xdg = variable("XDG_CONFIG_HOME").or_else(|| home.map(|home| home.join(".config")));
    let of_xdg = of_xdg.map(|folder| folder.join("git/config"));
    match (of_home, of_xdg) {
        (Some(of_home), Some(of_xdg)) if !of_home.exists() && of_xdg.exists() => Some(of_xdg),
        (of_home, of_xdg) => of_home.or(of_xdg),
    }
}

impl GitAlias {
    /// Reads the user's file. `None` where no home is known.
    ///
    /// # Errors
    /// git is not there, takes no such alias, or the file cannot be read.
    pub fn open(name: &str, variable: impl Fn(&str) -> Option<OsString>) -> Result<Option<Self>, AliasError> {
        let right = |c: char| c.is_ascii_alphanumeric() || c == '-';
        if !name.starts_with(|c: char| c.is_ascii_alphabetic()) || !name.chars().all(right) {
            return Err(AliasError::Name(name.to_owned()));
        }
        let Some(path) = global_file(variable) else { return Ok(None) };
        let git = Program::find(Path::new("."))?;
        let text = read(&path)?;
        let copies = copies(&path);
        Ok(Some(Self { git, path, text, copies, name: name.to_owned() }))
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What the file has of ours.
    ///
    /// # Errors
    /// git cannot read it.
    pub fn find(&self) -> Result<Found, AliasError> {
        Ok(match self.value(self.text.as_deref())?.as_deref() {
            None => Found::Nothing,
            Some(VALUE) => Found::Ours,
            Some(_) => Found::Foreign,
        })
    }

    /// Sets the alias.
    ///
    /// # Errors
    /// It is there and runs something else, or git has a command of that name.
    pub fn install(&self) -> Result<Edit, AliasError> {
        let is_ours = match self.value(self.text.as_deref())? {
            Some(value) if value != VALUE => return Err(AliasError::Taken { name: self.name.clone(), value }),
            value => value.is_some(),
        };
        let commands = self.git.run(&["--list-cmds=builtins,main"], |_| {})?;
        if commands.lines().any(|command| command == self.name.as_bytes()) {
            return Err(AliasError::Command(self.name.clone()));
        }
        let after = match &self.text {
            Some(text) if is_ours => text.clone(),
            _ => self.with(self.text.as_deref().unwrap_or_default())?,
        };
        Ok(Edit::new(self.path.clone(), self.text.clone(), Some(after)))
    }

    /// Takes the alias away, if it is ours.
    ///
    /// # Errors
    /// git cannot do it.
    pub fn remove(&self) -> Result<Edit, AliasError> {
        let after = match (self.find()?, &self.text) {
            (Found::Ours, Some(text)) => self.without(text)?,
            _ => self.text.clone(),
        };
        Ok(Edit::new(self.path.clone(), self.text.clone(), after))
    }

    /// What is wrong with a text that was written, if anything.
    ///
    /// # Errors
    /// git cannot read it, or the alias is not what it should be.
    pub fn check(&self, text: Option<&str>, expected: Found) -> Result<(), String> {
        let value = self.value(text).map_err(|error| error.to_string())?;
        match (value.as_deref(), expected) {
            (Some(VALUE), Found::Ours) => Ok(()),
            (_, Found::Ours) => Err("the alias is not there".to_owned()),
            (Some(VALUE), _) => Err("the alias is still there".to_owned()),
            _ => Ok(()),
        }
    }

    /// What git would be told.
    #[must_use]
    pub fn snippet(name: &str) -> String {
        format!("git config --global alias.{name} '{VALUE}'\n")
    }

    fn key(&self) -> String {
        format!("alias.{}", self.name)
    }

    /// What the alias runs, by a text.
    fn value(&self, text: Option<&str>) -> Result<Option<String>, AliasError> {
        let Some(text) = text else { return Ok(None) };
        let copy = copy(text)?;
        let key = self.key();
        let arguments = ["config", "--file", &copy.path().to_string_lossy(), "--null", "--get", &key];
        let finished = self.git.try_run(&arguments, None, |_| {})?;
        match finished.code {
            Some(0) => Ok(Some(finished.stdout.to_str_lossy().trim_end_matches('\0').to_owned())),
            Some(1) => Ok(None),
            _ => Err(Program::failure(&arguments, &finished).into()),
        }
    }

    fn with(&self, text: &str) -> Result<String, AliasError> {
        self.edited(text, &[&self.key(), VALUE])
    }

    /// The text without the alias: the copy from before it was set, where that is what git made this text of; else what
    /// git leaves, which may lack a blank line. Nothing left: the file was made for the alias.
    fn without(&self, text: &str) -> Result<Option<String>, AliasError> {
        for copy in &self.copies {
            if self.value(Some(copy))?.is_none() && self.with(copy)? == text {
                return Ok(Some(copy.clone()));
            }
        }
        let left = self.edited(text, &["--unset", &self.key()])?;
        Ok(Some(left).filter(|left| !left.is_empty()))
    }

    fn edited(&self, text: &str, change: &[&str]) -> Result<String, AliasError> {
        let copy = copy(text)?;
        let path = copy.path().to_string_lossy().into_owned();
        let arguments: Vec<&str> = ["config", "--file", &path].into_iter().chain(change.iter().copied()).collect();
        self.git.run(&arguments, |_| {})?;
        Ok(read(copy.path())?.unwrap_or_default())
    }
}

fn copy(text: &str) -> Result<tempfile::NamedTempFile, AliasError> {
    let copy = tempfile::NamedTempFile::new().map_err(AliasError::Copy)?;
    std::fs::write(copy.path(), text).map_err(AliasError::Copy)?;
    Ok(copy)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn alias(text: Option<&str>) -> GitAlias {
        GitAlias {
            git: Program::find(Path::new(".")).unwrap(),
            path: PathBuf::from("/nowhere/gitconfig"),
            text: text.map(str::to_owned),
            copies: Vec::new(),
            name: DEFAULT_NAME.to_owned(),
        }
    }

    fn listed(text: &str) -> String {
        let copy = copy(text).unwrap();
        let path = copy.path().to_str().unwrap().to_owned();
        let listed = alias(None).git.run(&["config", "--file", &path, "--list"], |_| {}).unwrap();
        String::from_utf8(listed).unwrap()
    }

    fn installed(text: Option<&str>) -> String {
        let edit = alias(text).install().unwrap();
        edit.after().unwrap().to_owned()
    }

    #[test]
    fn git_itself_writes_the_alias() {
        let old = "[user]\n\tname = x # mine\n";
        let new = format!("{old}[alias]\n\tstagecoach = !stagecoach\n");
        assert_eq!(installed(Some(old)), new);
        assert_eq!(alias(Some(&new)).find().unwrap(), Found::Ours);
        assert_eq!(installed(Some(&new)), new);
        assert_eq!(alias(Some("[alias]\n\tstagecoach = commit\n")).find().unwrap(), Found::Foreign);
        assert_eq!(alias(None).find().unwrap(), Found::Nothing);
        assert_eq!(alias(Some(&installed(None))).remove().unwrap().after(), None);
    }

    #[test]
    fn what_is_not_set() {
        let taken = alias(Some("[alias]\n\tstagecoach = log\n")).install().unwrap_err();
        assert!(matches!(taken, AliasError::Taken { .. }), "{taken}");
        let command = GitAlias { name: "commit".to_owned(), ..alias(None) }.install().unwrap_err();
        assert!(matches!(command, AliasError::Command(_)), "{command}");
        for name in ["", "a b", "1a", "a.b", "-x", "ä"] {
            assert!(matches!(GitAlias::open(name, |_| None), Err(AliasError::Name(_))), "{name}");
        }
        assert!(matches!(alias(Some("[broken")).find(), Err(AliasError::Git(_))));
    }

    #[test]
    fn the_file_is_the_one_that_git_writes() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().to_owned();
        let find = |extra: Option<(&str, PathBuf)>| {
            global_file(|name| match (&extra, name) {
                (Some((set, value)), name) if *set == name => Some(value.clone().into()),
                (_, "HOME") => Some(home.clone().into()),
                _ => None,
            })
        };
        assert_eq!(find(None), Some(home.join(".gitconfig")));
        std::fs::create_dir_all(home.join(".config/git")).unwrap();
        std::fs::write(home.join(".config/git/config"), "").unwrap();
        assert_eq!(find(None), Some(home.join(".config/git/config")));
        assert_eq!(find(Some(("XDG_CONFIG_HOME", home.join("xdg")))), Some(home.join(".gitconfig")));
        std::fs::write(home.join(".gitconfig"), "").unwrap();
        assert_eq!(find(None), Some(home.join(".gitconfig")));
        assert_eq!(find(Some(("GIT_CONFIG_GLOBAL", "/x".into()))), Some("/x".into()));
        assert_eq!(global_file(|_| None), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        #[test]
        fn removing_gives_the_bytes_back(
            lines in prop::collection::vec(
                prop::sample::select(vec![
                    "[user]", "\tname = x # y", "; remark", "", "[alias]", "\tst = status", "    co = checkout",
                    "[alias \"sub\"]", "# end", "[include]", "\tpath = /nowhere",
                ]),
                0..8,
            ),
            newline in prop::sample::select(vec!["\n", "\r\n"]),
            ends in any::<bool>(),
        ) {
            let mut old = format!("[core]{newline}{}", lines.join(newline));
            if ends {
                old.push_str(newline);
            }
            let Ok(edit) = alias(Some(&old)).install() else { return Ok(()) };
            let new = edit.after().unwrap().to_owned();
            prop_assert_eq!(alias(Some(&new)).find().unwrap(), Found::Ours);
            let removed = |copies: &[&str]| {
                let copies = copies.iter().map(|copy| (*copy).to_owned()).collect();
                GitAlias { copies, ..alias(Some(&new)) }.remove().unwrap().after().unwrap_or_default().to_owned()
            };
            prop_assert_eq!(removed(&["[x]\n", &old, "[y]\n"]), old.clone());
            prop_assert_eq!(listed(&removed(&[])), listed(&old));
        }
    }
}
