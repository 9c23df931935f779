//! Links within the documentation lead to files and headings that are there.

use std::path::{Path, PathBuf};

use regex::Regex;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn documents() -> Vec<PathBuf> {
    let in_folder = |folder: &Path| {
        let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        entries.filter(|path| path.extension().is_some_and(|extension| extension == "md")).collect::<Vec<_>>()
    };
    let documents = [in_folder(root()), in_folder(&root().join("docs"))].concat();
    assert!(documents.len() > 10, "{documents:?}");
    documents
}

/// A document without its blocks of code.
fn prose(path: &Path) -> String {
    let text = std::fs::read_to_string(path).unwrap();
    let mut code = false;
    let kept = text.lines().filter(|line| {
        let fence = line.trim_start().starts_with("```");
        code ^= fence;
        !code && !fence
    });
    kept.collect::<Vec<_>>().join("\n")
}

/// The names by which headings can be linked to.
fn anchors(path: &Path) -> Vec<String> {
    let headings = prose(path).lines().filter(|line| line.starts_with('#')).map(str::to_lowercase).collect::<Vec<_>>();
    let anchor = |heading: &String| {
        let kept = heading.trim_start_matches('#').trim().chars();
        kept.filter(|c| c.is_alphanumeric() || " -_".contains(*c)).map(|c| if c == ' ' { '-' } else { c }).collect()
    };
    headings.iter().map(anchor).collect()
}

/// What is wrong with a link, if anything.
fn fault(document: &Path, target: &str) -> Option<String> {
    let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
    let path = if file.is_empty() { document.to_owned() } else { document.parent().unwrap().join(file) };
    if !path.exists() {
        return Some(format!("{}: {target} is not there", document.display()));
    }
    let missing = !anchor.is_empty() && !anchors(&path).iter().any(|known| known == anchor);
    missing.then(|| format!("{}: {target} has no such heading", document.display()))
}

#[test]
fn links_lead_somewhere() {
    let link = Regex::new(r"\]\(([^)\s]+)\)").unwrap();
    let mut seen = 0;
    let mut faults = Vec::new();
    for document in documents() {
        for found in link.captures_iter(&prose(&document)) {
            let target = found[1].to_owned();
            if !target.contains("://") {
                seen += 1;
                faults.extend(fault(&document, &target));
            }
        }
    }
    assert!(seen > 20, "only {seen} links were found");
    assert!(faults.is_empty(), "{faults:#?}");
}

#[test]
fn a_wrong_link_is_found() {
    let readme = root().join("README.md");
    assert!(fault(&readme, "docs/nowhere.md").is_some());
    assert!(fault(&readme, "docs/development.md#nowhere").is_some());
    assert_eq!(fault(&readme, "docs/development.md#dependencies-and-why"), None);
}
