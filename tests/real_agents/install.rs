//! The programs from npm, installed once into `target/real-agents/`.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};

use crate::process;

const INSTALL_LIMIT: Duration = Duration::from_secs(900);
const VERSION_LIMIT: Duration = Duration::from_secs(60);
/// On older ones npm silently installs older versions of the agents.
const NODE_MAJOR: u32 = 22;

/// An installed program.
#[derive(Debug)]
pub(crate) struct Program {
    /// What it says its version is.
    pub(crate) version: String,
    /// A `PATH` on which it is found first.
    pub(crate) path: OsString,
}

/// Installs a package unless it is there.
///
/// # Errors
/// npm, node, python3 or git is missing, or the installation fails.
pub(crate) fn program(package: &str, command: &str) -> Result<Program> {
    for tool in ["npm", "node", "python3", "git"] {
        which::which(tool).with_context(|| format!("this test needs `{tool}` on PATH"))?;
    }
    let own = env::var_os("PATH").unwrap_or_default();
    let with_node = match node_major(&own)? {
        major if major >= NODE_MAJOR => own,
        _ => before(&npm("node", &format!("node@{NODE_MAJOR}"), "node", &own)?, &own)?,
    };
    let bin = npm(command, &format!("{package}@latest"), command, &with_node)?;
    let path = before(&bin, &with_node)?;
    let version = run(&bin.join(command).to_string_lossy(), &["--version"], &path, VERSION_LIMIT)?;
    Ok(Program { version: version.lines().next().unwrap_or_default().trim().to_owned(), path })
}

fn cache() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("real-agents")
}

/// The folder with the package's programs.
fn npm(name: &str, package: &str, command: &str, path: &OsString) -> Result<PathBuf> {
    let folder = cache().join(name);
    let bin = folder.join("node_modules").join(".bin");
    if !bin.join(command).exists() {
        fs::create_dir_all(&folder)?;
        fs::write(folder.join("package.json"), r#"{"private": true}"#)?;
        // What is downloaded once is not worth keeping twice.
        let downloads = tempfile::tempdir_in(cache())?;
        let (prefix, downloads) = (folder.to_string_lossy(), downloads.path().to_string_lossy());
        let quiet = ["--no-audit", "--no-fund", "--loglevel=error"];
        let arguments = [&["install", "--cache", &downloads, "--prefix", &prefix][..], &quiet, &[package]].concat();
        run("npm", &arguments, path, INSTALL_LIMIT)?;
    }
    ensure!(bin.join(command).exists(), "{package} has no program `{command}`; is {} whole?", folder.display());
    Ok(bin)
}

fn node_major(path: &OsString) -> Result<u32> {
    let version = run("node", &["--version"], path, VERSION_LIMIT)?;
    let major = version.trim().trim_start_matches('v').split('.').next().unwrap_or_default();
    major.parse().with_context(|| format!("node says its version is {version}"))
}

fn before(bin: &Path, path: &OsString) -> Result<OsString> {
    let folders = std::iter::once(bin.to_path_buf()).chain(env::split_paths(path));
    Ok(env::join_paths(folders)?)
}

/// Runs a tool with a home of its own and returns its standard output.
fn run(tool: &str, arguments: &[&str], path: &OsString, limit: Duration) -> Result<String> {
    let home = cache().join("home");
    fs::create_dir_all(&home)?;
    let logs = tempfile::tempdir()?;
    let kept: BTreeMap<_, _> = env::vars_os().filter(|(name, _)| is_of_the_network(&name.to_string_lossy())).collect();
    let mut command = Command::new(tool);
    command.args(arguments).env_clear().envs(kept).env("PATH", path).env("HOME", &home).current_dir(logs.path());
    let finished = process::run(command, logs.path(), limit)?;
    ensure!(finished.status.success(), "`{tool} {}` failed: {finished}", arguments.join(" "));
    Ok(finished.stdout)
}

/// How npm reaches its registry is for the surroundings to say.
fn is_of_the_network(name: &str) -> bool {
    let name = name.to_lowercase();
    name.ends_with("_proxy")
        || name.starts_with("npm_config_")
        || ["node_extra_ca_certs", "ssl_cert_file"].contains(&&*name)
}
