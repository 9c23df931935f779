//! Whether git has been asked to make sure that what it writes survives a power cut.
//!
//! By itself git syncs neither loose objects nor refs nor the index, and neither does the library. Whoever asks for more in
//! `core.fsync` gets it from the git program, which knows how, `core.fsyncMethod` included.

use super::Config;

/// Names in `core.fsync` that stand for loose objects, refs or the index, among other things.
const SYNCED: [&str; 7] = ["added", "all", "committed", "index", "loose-object", "objects", "reference"];

/// Whether loose objects, refs or the index are to be synced.
pub(super) fn is_wanted(config: &Config) -> bool {
    let components = config.text("core.fsync").is_some_and(|value| names_any(&value));
    components || config.boolean("core.fsyncobjectfiles").is_ok_and(|wanted| wanted == Some(true))
}

/// As git reads it: a name may be cut short, and what is taken away with `-` counts less than what is named.
fn names_any(value: &str) -> bool {
    let names = value.split(',').map(|name| name.trim_start_matches([' ', '\t', '\n', '\r']));
    names.filter(|name| !name.is_empty()).any(|name| SYNCED.iter().any(|synced| synced.starts_with(name)))
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::process::Command;

    use super::*;

    /// Whether git itself syncs an object, a ref or the index, as it tells in its trace.
    fn git_syncs(setting: &str) -> bool {
        let folder = tempfile::tempdir().unwrap();
        let trace = folder.path().join("trace");
        let git = |arguments: &[&str]| {
            let mut command = Command::new("git");
            command.args(["-c", "user.name=a", "-c", "user.email=b", "-c", setting]).args(arguments);
            command.current_dir(folder.path()).env("HOME", folder.path()).env("GIT_CONFIG_NOSYSTEM", "1");
            let output = command.env("GIT_TRACE2_EVENT", &trace).output().unwrap();
            assert!(output.status.success(), "{setting}: {}", String::from_utf8_lossy(&output.stderr));
        };
        git(&["init", "-q"]);
        std::fs::write(folder.path().join("a"), "a").unwrap();
        git(&["add", "a"]);
        git(&["commit", "-q", "-m", "a"]);
        std::fs::read_to_string(trace).unwrap().contains("hardware-flush")
    }

    #[test]
    fn what_git_syncs_is_known() {
        let values = [
            "",
            "all",
            "none",
            "none,reference",
            "reference,none",
            "ref",
            "-reference",
            "-all,index",
            "all,-index",
            "committed reference",
            " reference",
            "objects",
            "derived-metadata",
            "pack",
            "commit-graph",
            "INDEX",
            "c",
            "loose-object,-loose-object",
            "default",
            "committed,-loose-object",
            "added",
            ",index",
            "-",
        ];
        for value in values {
            assert_eq!(names_any(value), git_syncs(&format!("core.fsync={value}")), "{value:?}");
        }
        for value in ["true", "false"] {
            let setting = format!("core.fsyncObjectFiles={value}");
            assert_eq!(value == "true", git_syncs(&setting), "{setting}");
        }
    }
}
