//! Whatever a repository's configuration file says: it is read or refused without a panic, and as long as nobody trusts it
//! it changes nothing but what shapes messages.
#![no_main]

use std::cell::OnceCell;
use std::ffi::OsString;
use std::path::PathBuf;

use libfuzzer_sys::fuzz_target;
use stagecoach::config::{Environment, Folders, Settings, Sources, load, show, show_json};
use tempfile::TempDir;

thread_local! {
    static FOLDER: OnceCell<TempDir> = const { OnceCell::new() };
}

fn sources(root: PathBuf, trusted: bool) -> Sources {
    let trust = (OsString::from("STAGECOACH_TRUST_REPO_CONFIG"), OsString::from(if trusted { "1" } else { "0" }));
    Sources {
        environment: Environment::new([trust], Folders::default()),
        current_dir: root.clone(),
        worktree_root: Some(root),
        ..Sources::default()
    }
}

/// The settings with the defaults put back where a file that nobody trusts may say something.
fn without_what_is_allowed(settings: &Settings) -> Settings {
    let (mut settings, defaults) = (settings.clone(), Settings::default());
    let (generation, usual) = (&mut settings.generation, defaults.generation);
    assert!(generation.max_diff_bytes <= usual.max_diff_bytes && generation.max_md_lines <= usual.max_md_lines);
    assert!(generation.token_limit <= usual.max_diff_bytes / 4, "a limit above the cap in bytes");
    generation.max_diff_bytes = usual.max_diff_bytes;
    generation.max_md_lines = usual.max_md_lines;
    generation.token_limit = usual.token_limit;
    generation.diff_context = usual.diff_context;
    generation.exclude = usual.exclude;
    generation.format = usual.format;
    generation.locale = usual.locale;
    generation.max_commits = usual.max_commits;
    generation.subject_target_chars = usual.subject_target_chars;
    generation.template = usual.template;
    settings
}

fn is_for_a_terminal(text: &str) -> bool {
    text.chars().all(|c| !c.is_control() || c == '\n' || c == '\t')
}

fuzz_target!(|data: &[u8]| {
    let root = FOLDER.with(|folder| {
        let folder = folder.get_or_init(|| tempfile::tempdir().expect("a folder for the file"));
        std::fs::write(folder.path().join(".stagecoach.toml"), data).expect("the file can be written");
        folder.path().to_owned()
    });
    match load(&sources(root.clone(), false)) {
        Ok(loaded) => {
            assert_eq!(without_what_is_allowed(&loaded.settings), Settings::default(), "a stranger's file has power");
            assert!(loaded.provider_layers.is_empty(), "a stranger's provider");
            for warning in &loaded.warnings {
                assert!(is_for_a_terminal(&warning.to_string()), "{warning:?}");
            }
        }
        Err(error) => assert!(is_for_a_terminal(&format!("{error}{}", error.hint())), "{error:?}"),
    }
    if let Ok(loaded) = load(&sources(root, true)) {
        assert!(is_for_a_terminal(&show(&loaded, true)));
        drop(show_json(&loaded));
    }
});
