//! Leaving upkeep to git, as after `git commit` – but without starting git just to hear that nothing is to be done.

use std::path::Path;
use std::process::{Command, Stdio};

use super::{GitError, Repository};

/// git's defaults for `gc.auto` and `gc.autoPackLimit`.
const LOOSE_OBJECTS: i64 = 6700;
const PACKS: i64 = 50;

impl Repository {
    /// Starts git's automatic maintenance in the background, when its own rule of thumb says that there is work.
    ///
    /// # Errors
    /// git cannot be started.
    pub fn maintain(&self) -> Result<(), GitError> {
        let config = self.config();
        let wanted = config.boolean("maintenance.auto")?.unwrap_or(true);
        let loose = config.integer("gc.auto").unwrap_or(LOOSE_OBJECTS);
        if !wanted || loose <= 0 || !self.needs_maintenance(loose, config.integer("gc.autopacklimit").unwrap_or(PACKS))
        {
            return Ok(());
        }
        let git = self.program()?;
        let mut command = Command::new(git.path());
        command
            .current_dir(&self.paths().work_tree)
            .args(["maintenance", "run", "--auto", "--quiet"])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        super::program::keep_repository(&mut command);
        command.spawn().map(drop).map_err(GitError::io("starting", git.path()))
    }

    /// git's estimate: one of 256 folders of loose objects stands for all.
    fn needs_maintenance(&self, loose: i64, packs: i64) -> bool {
        let objects = self.paths().common_dir.join("objects");
        let count = |folder: &Path, counts: fn(&str) -> bool| {
            let names = std::fs::read_dir(folder).into_iter().flatten().flatten();
            let matching = names.filter(|entry| entry.file_name().to_str().is_some_and(counts)).count();
            i64::try_from(matching).unwrap_or(i64::MAX)
        };
        count(&objects.join("17"), |name| name.len() == 38) > (loose + 255) / 256
            || (packs > 0 && count(&objects.join("pack"), |name| name.split('.').next_back() == Some("pack")) > packs)
    }
}
