//! Every crate that can get into the program is under a licence that asks for no more than to be named.

use std::process::Command;

use serde_json::Value;
use spdx::{Expression, LicenseReq, ParseMode};

/// Licences that let the program be used, changed and sold by anybody.
const PERMISSIVE: [&str; 11] = [
    "0BSD",
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "ISC",
    "MIT",
    "MIT-0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// Whether a licence, or a choice of them, can be met by permissive ones alone.
fn is_permissive(expression: &str) -> bool {
    let permissive = |wanted: &LicenseReq| PERMISSIVE.contains(&wanted.license.to_string().as_str());
    Expression::parse_mode(expression, ParseMode::LAX).is_ok_and(|licence| licence.evaluate(permissive))
}

/// Asks about the dependencies of all platforms, which a build on this one does not bring along: `cargo fetch` does.
#[test]
#[ignore = "needs the crates of every platform; .ci/run fetches them"]
fn every_dependency_is_permissive() {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["metadata", "--locked", "--offline", "--format-version", "1", "--manifest-path"]);
    let output = cargo.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    assert!(packages.len() > 100);
    let others: Vec<String> = packages
        .iter()
        .filter(|package| !is_permissive(package["license"].as_str().unwrap_or_default()))
        .map(|package| format!("{} {} is under {}", package["name"], package["version"], package["license"]))
        .collect();
    assert!(others.is_empty(), "{others:#?}");
}

#[test]
fn a_choice_counts_and_a_demand_does_too() {
    for fine in ["MIT", "MIT/Apache-2.0", "LGPL-2.1-or-later OR MIT", "(MIT OR GPL-3.0-only) AND Unicode-3.0"] {
        assert!(is_permissive(fine), "{fine}");
    }
    for wrong in ["", "GPL-3.0-only", "MIT AND GPL-2.0-only", "MPL-2.0", "Proprietary"] {
        assert!(!is_permissive(wrong), "{wrong}");
    }
}
