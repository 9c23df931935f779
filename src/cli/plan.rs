//! `stagecoach plan`: what a run would commit, as a file for people to change and for `stagecoach apply` to carry out.

use std::fs::{File, Metadata};
use std::io::Write;
use std::path::{Path, PathBuf};

use bstr::ByteSlice;

use crate::git::{Change, Repository};
use crate::untrusted::escaped_json;

use super::args::{GlobalArgs, PlanArgs};
use super::{Failure, commit, to_stderr, to_stdout};

pub(super) fn run(args: &PlanArgs, global: &GlobalArgs) -> Result<(), Failure> {
    let target = Target::of(args)?;
    let work_tree = Repository::open()?.paths().work_tree.clone();
    let plan = commit::plan(&args.as_commit(), global, &|change| target.refuse_part_of(change, &work_tree))?;
    let text = plan
        .to_json()
        .map_err(|error| Failure::new("output", "cannot write JSON", error.to_string(), "this is a bug"))?;
    let text = escaped_json(&text);
    match target.path {
        None => to_stdout(&text),
        Some(path) => {
            write(&path, &text, args.force).map_err(|error| cannot_write(&path, &error))?;
            if !args.loudness.quiet {
                to_stderr(&said(plan.commits.len(), &path));
            }
            Ok(())
        }
    }
}

/// Where the plan goes.
struct Target {
    /// `None`: to standard output.
    path: Option<PathBuf>,
    /// What is there already.
    existing: Option<Metadata>,
}

impl Target {
    /// Refuses what could not be written in the end, before an agent works for it.
    fn of(args: &PlanArgs) -> Result<Self, Failure> {
        let Some(path) = args.output.as_ref().filter(|path| path.as_os_str() != "-") else {
            return Ok(Self { path: None, existing: standard_output() });
        };
        // The file behind a symlink is replaced, not the link.
        let path = path.canonicalize().unwrap_or_else(|_| path.clone());
        let existing = path.symlink_metadata().ok();
        if existing.is_some() && !args.force {
            let what = format!("{} is there already", path.display());
            return Err(Failure::new("output", what, "", "choose another file, or replace it with --force"));
        }
        if !folder_of(&path).is_dir() {
            let why = format!("{} is no folder", folder_of(&path).display());
            return Err(Failure::new(
                "output",
                format!("cannot write {}", path.display()),
                why,
                "make the folder first",
            ));
        }
        Ok(Self { path: Some(path), existing })
    }

    /// A file that is itself a part of the change would be committed as it was before the plan was in it.
    fn refuse_part_of(&self, change: &Change, work_tree: &Path) -> Result<(), Failure> {
        let Some(target) = &self.existing else { return Ok(()) };
        for file in change.files().iter().filter_map(|file| file.new_side()) {
            let there = file.path.to_path().ok().and_then(|path| work_tree.join(path).symlink_metadata().ok());
            if there.is_some_and(|there| same_file(&there, target)) {
                return Err(Failure::new(
                    "output",
                    format!(
                        "the plan would go into {}, which is a part of the change",
                        crate::payload::quote(file.path.as_ref())
                    ),
                    "",
                    "write it outside of the working tree, as with `stagecoach plan -o ../plan.json`",
                ));
            }
        }
        Ok(())
    }
}

/// The file that standard output goes to, when it is one.
#[cfg(unix)]
fn standard_output() -> Option<Metadata> {
    use std::os::fd::AsFd as _;
    let file = File::from(std::io::stdout().as_fd().try_clone_to_owned().ok()?);
    file.metadata().ok().filter(Metadata::is_file)
}

#[cfg(not(unix))]
fn standard_output() -> Option<Metadata> {
    None
}

#[cfg(unix)]
fn same_file(one: &Metadata, other: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

#[cfg(not(unix))]
fn same_file(_one: &Metadata, _other: &Metadata) -> bool {
    false
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Writes all of the file or nothing.
fn write(path: &Path, text: &str, replace: bool) -> std::io::Result<()> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".stagecoach-plan-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        // As any new file: the umask takes away what is not wanted.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    let mut file = builder.tempfile_in(folder_of(path))?;
    file.write_all(text.as_bytes())?;
    if let Some(before) = path.metadata().ok().filter(|_| replace) {
        file.as_file().set_permissions(before.permissions())?;
    }
    let kept: Result<File, _> = if replace { file.persist(path) } else { file.persist_noclobber(path) };
    kept.map(drop).map_err(|error| error.error)
}

fn cannot_write(path: &Path, error: &std::io::Error) -> Failure {
    let hint = "choose another file; an agent has to be asked again";
    Failure::new("output", format!("cannot write {}", path.display()), error.to_string(), hint)
}

fn said(commits: usize, path: &Path) -> String {
    let commits = if commits == 1 { "1 commit".to_owned() } else { format!("{commits} commits") };
    let path = crate::untrusted::stripped(&path.display().to_string());
    format!("{commits} planned in {path}; nothing is committed yet\n")
}
