//! Whole-program tests: the built binary on real repositories, with an agent that is a script.

#![allow(
    missing_docs,
    unreachable_pub,
    clippy::pedantic,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "tests say what is wrong by failing"
)]

mod support;

mod acp;
mod acp_stager;
mod admission;
mod architecture;
mod completing;
mod configuring;
mod decompose;
mod decompose_failures;
mod decompose_hidden;
mod decompose_hooks;
mod decompose_hostile;
mod decompose_kills;
mod decompose_meanwhile;
mod decompose_places;
mod decompose_properties;
mod decompose_settings;
mod described;
mod diagnose;
mod documents;
mod each_setting;
mod editing;
mod examples;
mod failures;
mod fallback;
mod faults;
mod hook_mode;
mod hooks;
mod hooks_ended;
mod integrating;
mod launchers;
mod licences;
mod links;
mod locks;
mod matrix_contents;
mod matrix_formats;
mod matrix_index;
mod matrix_states;
mod merges;
mod moved;
mod picture;
mod places;
mod plans;
mod pushing;
mod readme;
mod rescue;
mod rescue_editing;
mod role_setup;
mod security;
mod settings;
mod signing;
mod staged;
mod stress;
mod terminals;
mod tooled;
mod tooled_rules;
mod turns;
mod undo;
mod usage;
mod working_tree;

/// A file of tests that nobody lists above would never run.
#[test]
fn every_file_of_tests_is_part_of_the_suite() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/suite");
    let main = std::fs::read_to_string(format!("{folder}/main.rs")).unwrap();
    for entry in std::fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let module = name.trim_end_matches(".rs");
        assert!(module == "main" || main.contains(&format!("mod {module};")), "tests/suite/{name} is not run");
    }
}
