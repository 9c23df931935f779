//! Imports point down only: the order of the modules is held by a test, not by good intentions.

use std::path::Path;

/// Each module with what it may import, lowest first.
const ORDER: [(&str, &[&str]); 22] = [
    ("untrusted", &[]),
    ("private", &["untrusted"]),
    ("atomic", &[]),
    ("fault", &[]),
    ("role", &[]),
    ("program", &[]),
    ("process", &[]),
    ("usage", &["role"]),
    ("progress", &["role", "usage"]),
    ("run", &["untrusted", "fault", "private", "process"]),
    ("git", &["fault", "program", "process"]),
    ("integrate", &["untrusted", "atomic", "git"]),
    ("provider", &["role", "program", "untrusted", "usage"]),
    ("config", &["role", "untrusted", "private", "atomic"]),
    ("payload", &["git", "config"]),
    ("prompt", &["role", "git", "config", "payload"]),
    (
        "agent",
        &[
            "untrusted",
            "private",
            "role",
            "usage",
            "progress",
            "run",
            "program",
            "config",
            "provider",
            "prompt",
            "payload",
        ],
    ),
    ("message", &["role", "progress", "run", "git", "config", "provider", "payload", "prompt", "agent"]),
    (
        "commit",
        &[
            "fault", "private", "role", "process", "progress", "run", "git", "config", "message", "payload", "prompt",
            "agent",
        ],
    ),
    ("decompose", &["git", "payload"]),
    ("ui", &["untrusted", "role", "usage", "progress", "git", "payload"]),
    (
        "cli",
        &[
            "untrusted",
            "private",
            "atomic",
            "role",
            "usage",
            "program",
            "process",
            "progress",
            "run",
            "git",
            "integrate",
            "provider",
            "config",
            "payload",
            "prompt",
            "agent",
            "message",
            "commit",
            "decompose",
            "ui",
        ],
    ),
];

#[test]
fn imports_point_down_only() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for (module, allowed) in ORDER {
        let mut files = Vec::new();
        collect(&source.join(module), &mut files);
        collect(&source.join(format!("{module}.rs")), &mut files);
        assert!(!files.is_empty(), "there is no module {module}");
        for file in files {
            let text = std::fs::read_to_string(&file).unwrap();
            for used in text.split("crate::").skip(1) {
                let used: String = used.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                let known = ORDER.iter().any(|(name, _)| *name == used);
                let fine = !known || used == module || allowed.contains(&used.as_str());
                assert!(fine, "{} imports crate::{used}, which {module} may not", file.display());
            }
        }
    }
}

#[test]
fn every_module_has_its_place_in_the_order() {
    let lib = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs")).unwrap();
    for line in lib.lines() {
        if let Some(module) = line.strip_prefix("pub mod ").and_then(|rest| rest.strip_suffix(';')) {
            assert!(ORDER.iter().any(|(name, _)| *name == module), "{module} has no place in the order");
        }
    }
}

fn collect(path: &Path, files: &mut Vec<std::path::PathBuf>) {
    if path.is_file() && path.extension().is_some_and(|extension| extension == "rs") {
        files.push(path.to_owned());
    }
    for entry in std::fs::read_dir(path).into_iter().flatten() {
        collect(&entry.unwrap().path(), files);
    }
}
