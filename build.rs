//! Lets `--version` name the commit that a development build was made from.

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let version = std::env::var("CARGO_PKG_VERSION").unwrap_or_default();
    let version = match development_commit() {
        Some(commit) => format!("{version} ({commit})"),
        None => version,
    };
    println!("cargo:rustc-env=STAGECOACH_VERSION={version}");
}

/// The commit of a checkout of this very package; `None` for a released source archive and for a tagged release.
fn development_commit() -> Option<String> {
    let root = std::env::var("CARGO_MANIFEST_DIR").ok()?;
    if !Path::new(&root).join(".git").exists() {
        return None;
    }
    let git = |arguments: &[&str]| {
        let output = Command::new("git").arg("-C").arg(&root).args(arguments).output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?.trim().to_owned();
        (output.status.success() && !text.is_empty()).then_some(text)
    };
    let git_dir = git(&["rev-parse", "--absolute-git-dir"])?;
    println!("cargo:rerun-if-changed={git_dir}/HEAD");
    println!("cargo:rerun-if-changed={git_dir}/logs/HEAD");
    let released = format!("v{}", std::env::var("CARGO_PKG_VERSION").ok()?);
    if git(&["tag", "--points-at", "HEAD"]).is_some_and(|tags| tags.lines().any(|tag| tag == released)) {
        return None;
    }
    git(&["rev-parse", "--short=10", "HEAD"])
}
