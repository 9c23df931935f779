//! lazygit: which file its configuration is, and our custom command in it.

mod entry;

use std::path::{Path, PathBuf};

pub use self::entry::Refusal;
use super::Found;
use super::edit::{Edit, EditError, read};

/// The key in the files panel.
pub const DEFAULT_KEY: &str = "<c-a>";

/// What decides where lazygit's configuration is.
#[derive(Debug, Clone, Default)]
pub struct Surroundings {
    /// `LG_CONFIG_FILE`: a list of files, separated by commas.
    pub file_list: Option<String>,
    /// `CONFIG_DIR`.
    pub folder: Option<PathBuf>,
    /// What `lazygit --print-config-dir` says.
    pub printed: Option<PathBuf>,
    /// `XDG_CONFIG_HOME`, else the platform's folder for configuration.
    pub config_home: Option<PathBuf>,
    /// `XDG_CONFIG_DIRS`.
    pub config_dirs: Vec<PathBuf>,
}

impl Surroundings {
    /// The files that lazygit reads; what a later one says wins.
    fn files(&self) -> Vec<PathBuf> {
        let list = self.file_list.as_deref().filter(|list| !list.is_empty());
        if let Some(list) = list {
            return list.split(',').map(PathBuf::from).collect();
        }
        let folder = self.folder.as_ref().filter(|folder| !folder.as_os_str().is_empty());
        if let Some(folder) = folder.or(self.printed.as_ref()) {
            return vec![folder.join("config.yml")];
        }
        let homes = || self.config_home.iter().chain(&self.config_dirs);
        let names = ["jesseduffield/lazygit/config.yml", "lazygit/config.yml"];
        let existing = names.iter().find_map(|name| homes().map(|home| home.join(name)).find(|path| path.exists()));
        let usual = || self.config_home.as_ref().map(|home| home.join("lazygit/config.yml"));
        existing.or_else(usual).into_iter().collect()
    }
}

/// lazygit's configuration.
#[derive(Debug, Clone)]
pub struct Lazygit {
    path: PathBuf,
    text: Option<String>,
}

impl Lazygit {
    /// Reads the file that our command belongs in: of several, lazygit takes the list of commands of the last one that has
    /// one. `None` where no folder is known.
    ///
    /// # Errors
    /// A file cannot be read, or is no text.
    pub fn open(surroundings: &Surroundings) -> Result<Option<Self>, EditError> {
        let mut chosen: Option<Self> = None;
        for path in surroundings.files() {
            let text = read(&path)?;
            let decides = text.as_deref().is_some_and(entry::has_list);
            if decides || chosen.as_ref().is_none_or(|chosen| !chosen.text.as_deref().is_some_and(entry::has_list)) {
                chosen = Some(Self { path, text });
            }
        }
        Ok(chosen)
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What it has of ours.
    ///
    /// # Errors
    /// It is no YAML.
    pub fn find(&self) -> Result<Found, Refusal> {
        entry::find(self.text.as_deref().unwrap_or_default())
    }

    /// Puts our command in, or changes its key.
    ///
    /// # Errors
    /// See [`Refusal`].
    pub fn install(&self, key: &str) -> Result<Edit, Refusal> {
        let text = entry::install(self.text.as_deref(), key)?;
        Ok(Edit::new(self.path.clone(), self.text.clone(), Some(text)))
    }

    /// Takes our command out.
    ///
    /// # Errors
    /// See [`Refusal`].
    pub fn remove(&self) -> Result<Edit, Refusal> {
        let text = match &self.text {
            Some(text) => entry::remove(text)?,
            None => None,
        };
        Ok(Edit::new(self.path.clone(), self.text.clone(), text))
    }

    /// What is wrong with a text that was written, if anything.
    ///
    /// # Errors
    /// It is no YAML, or has our command where it should not, or the other way round.
    pub fn check(text: Option<&str>, expected: Found) -> Result<(), String> {
        match entry::find(text.unwrap_or_default()) {
            Ok(Found::Ours) if expected != Found::Ours => Err("the command is still there".to_owned()),
            Ok(found) if expected == Found::Ours && found != expected => Err("the command is not there".to_owned()),
            Ok(_) => Ok(()),
            Err(refusal) => Err(refusal.to_string()),
        }
    }

    /// The command as one would type it.
    #[must_use]
    pub fn snippet(key: &str) -> String {
        entry::snippet(key)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn opened(surroundings: &Surroundings) -> PathBuf {
        Lazygit::open(surroundings).unwrap().unwrap().path
    }

    #[test]
    fn the_file_is_the_one_that_lazygit_reads() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let write = |name: &str, text: &str| {
            fs::create_dir_all(at(name).parent().unwrap()).unwrap();
            fs::write(at(name), text).unwrap();
        };
        let mut world =
            Surroundings { config_home: Some(at("home")), config_dirs: vec![at("system")], ..Surroundings::default() };
        assert_eq!(opened(&world), at("home/lazygit/config.yml"));
        write("system/lazygit/config.yml", "");
        assert_eq!(opened(&world), at("system/lazygit/config.yml"));
        write("home/lazygit/config.yml", "");
        assert_eq!(opened(&world), at("home/lazygit/config.yml"));
        write("home/jesseduffield/lazygit/config.yml", "");
        assert_eq!(opened(&world), at("home/jesseduffield/lazygit/config.yml"));
        world.printed = Some(at("printed"));
        assert_eq!(opened(&world), at("printed/config.yml"));
        world.folder = Some(at("folder"));
        assert_eq!(opened(&world), at("folder/config.yml"));
        world.file_list = Some(format!("{},{}", at("one.yml").display(), at("two.yml").display()));
        assert_eq!(opened(&world), at("two.yml"));
        assert!(Lazygit::open(&Surroundings::default()).unwrap().is_none());
    }

    #[test]
    fn of_several_files_the_last_with_a_list_counts() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let list = format!("{},{},{}", at("a").display(), at("b").display(), at("c").display());
        let world = Surroundings { file_list: Some(list), ..Surroundings::default() };
        fs::write(at("a"), "customCommands: []\n").unwrap();
        fs::write(at("c"), "gui: 1\n").unwrap();
        assert_eq!(opened(&world), at("a"));
        fs::write(at("b"), "customCommands:\n  - key: a\n").unwrap();
        assert_eq!(opened(&world), at("b"));
        fs::write(at("b"), "gui: 1\n").unwrap();
        fs::write(at("a"), "gui: 1\n").unwrap();
        assert_eq!(opened(&world), at("c"));
    }
}
