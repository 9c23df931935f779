//! Whole files by their purpose, before anything is joined for its number.

use std::collections::BTreeMap;

use super::features;
use super::reading::Reading;
use super::{Class, Group};
use crate::agent::offline::area::Area;
use crate::agent::offline::dependencies::{self, Change};
use crate::agent::offline::facts::FileStatus;
use crate::agent::offline::ideas::is_license;
use crate::agent::offline::path;

/// The groups of a change; every file is in one of them.
pub(super) fn groups(files: &[Reading<'_>]) -> Vec<Group> {
    let mut purposes: BTreeMap<(Class, String), Vec<usize>> = BTreeMap::new();
    let mut code = Vec::new();
    for (index, file) in files.iter().enumerate() {
        match purpose(file, files) {
            Some(purpose) => purposes.entry(purpose).or_default().push(index),
            None => code.push(index),
        }
    }
    let mut groups: Vec<Group> = purposes.into_iter().map(|((class, _), files)| Group { class, files }).collect();
    settle_dependencies(files, &mut groups);
    with_references(files, &mut groups, &mut code);
    groups.extend(features::groups(files, &code));
    groups
}

/// The purpose of a file that is no code, with a word that keeps unlike ones of a class apart; `None` for code, which is
/// looked at together.
fn purpose(file: &Reading<'_>, files: &[Reading<'_>]) -> Option<(Class, String)> {
    let facts = file.facts;
    let together = |class| Some((class, String::new()));
    if let Some(key) = moved(file) {
        return Some((Class::Move, key));
    }
    match file.area {
        Area::Source if file.is_reformatted() => together(Class::Style),
        Area::Source => None,
        Area::Tests => together(Class::Tests),
        Area::Build => together(Class::Build),
        Area::Dependencies if is_of_new_folder(file, files) || lists_new_folder(file, files) => None,
        Area::Dependencies | Area::Lock => Some((Class::Dependencies, ecosystem(&facts.path).to_owned())),
        Area::Config => together(Class::Config),
        Area::Ci => together(Class::Ci),
        Area::Docs if is_license(&facts.path) => together(Class::License),
        Area::Docs => together(Class::Docs),
        Area::Ignore => together(Class::Ignore),
        Area::Assets => together(Class::Assets),
        Area::Submodule => together(Class::Submodule),
        Area::Vendored => Some((Class::Vendored, vendored(&facts.path))),
        Area::Generated => together(Class::Generated),
    }
}

/// A manifest that comes with the code of a new folder belongs to that code.
fn is_of_new_folder(file: &Reading<'_>, files: &[Reading<'_>]) -> bool {
    let folder = path::folder(&file.facts.path);
    let below = |other: &Reading<'_>| other.facts.path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
    let new = |status| status == FileStatus::Added;
    let code = |other: &&Reading<'_>| other.area == Area::Source && new(other.facts.status) && below(other);
    !folder.is_empty() && new(file.facts.status) && files.iter().any(|other| code(&other))
}

/// A manifest that only takes in such a folder comes with it.
fn lists_new_folder(file: &Reading<'_>, files: &[Reading<'_>]) -> bool {
    let found = dependencies::read(file.facts);
    let named = |other: &&Reading<'_>| file.new_words.contains(other.subject.as_str());
    found.changes.is_empty()
        && found.release.is_none()
        && files
            .iter()
            .filter(|other| other.area == Area::Dependencies)
            .any(|other| named(&other) && is_of_new_folder(other, files))
}

/// What was moved where, when a file was moved and little else happened to it: the parts of the path that differ, so that
/// a test which moves along with its code has the same.
fn moved(file: &Reading<'_>) -> Option<String> {
    let facts = file.facts;
    let old = facts.old_path.as_deref().filter(|_| facts.status == FileStatus::Renamed)?;
    if facts.added.saturating_add(facts.deleted) > 10 {
        return None;
    }
    let parts = |file: &str| -> Vec<String> {
        let stem = crate::agent::offline::ideas::tested(file);
        path::folder(file).split('/').map(str::to_owned).chain([stem]).collect()
    };
    let (old, new) = (parts(old), parts(&facts.path));
    let start = old.iter().zip(&new).take_while(|(one, other)| one == other).count();
    let most = old.len().min(new.len()).saturating_sub(start);
    let end = old.iter().rev().zip(new.iter().rev()).take(most).take_while(|(one, other)| one == other).count();
    let middle = |parts: &[String]| parts.get(start..parts.len() - end).unwrap_or_default().join("/");
    Some(format!("{} => {}", middle(&old), middle(&new)))
}

/// Files that were only edited because something moved go with the move.
fn with_references(files: &[Reading<'_>], groups: &mut [Group], code: &mut Vec<usize>) {
    const MOST_LINES: u64 = 40;
    let moves: Vec<(usize, Vec<String>)> = groups
        .iter()
        .enumerate()
        .filter(|(_, group)| group.class == Class::Move)
        .map(|(index, group)| (index, tokens(files, group)))
        .collect();
    if moves.is_empty() {
        return;
    }
    let target = |index: usize| {
        let file = files.get(index)?;
        let (added, deleted) = (file.facts.added, file.facts.deleted);
        let small = (1..=MOST_LINES).contains(&added.saturating_add(deleted));
        if file.facts.status != FileStatus::Modified || !small || !file.is_whole() {
            return None;
        }
        let lines = || file.facts.added_lines.iter().chain(&file.facts.removed_lines);
        let names = |token: &String, line: &String| {
            line.split(|char: char| !(char.is_alphanumeric() || char == '_')).any(|word| word == token)
        };
        let all = |tokens: &[String]| lines().all(|line| tokens.iter().any(|token| names(token, line)));
        moves.iter().find(|(_, tokens)| all(tokens)).map(|(group, _)| *group)
    };
    let mut found: Vec<(usize, usize)> = code.iter().filter_map(|file| Some((*file, target(*file)?))).collect();
    code.retain(|file| !found.iter().any(|(known, _)| known == file));
    for group in groups.iter_mut().filter(|group| matches!(group.class, Class::Tests | Class::Build | Class::Docs)) {
        let gone: Vec<(usize, usize)> = group.files.iter().filter_map(|file| Some((*file, target(*file)?))).collect();
        group.files.retain(|file| !gone.iter().any(|(known, _)| known == file));
        found.extend(gone);
    }
    for (file, group) in found {
        if let Some(group) = groups.get_mut(group) {
            group.files.push(file);
            group.files.sort_unstable();
        }
    }
}

/// The names by which other files know what was moved: stems and folders that differ.
fn tokens(files: &[Reading<'_>], group: &Group) -> Vec<String> {
    let mut tokens = Vec::new();
    for file in group.files.iter().filter_map(|file| files.get(*file)) {
        let old = file.facts.old_path.as_deref().unwrap_or_default();
        for one in [old, file.facts.path.as_str()] {
            tokens.push(path::stem(one).to_owned());
        }
        let (old, new): (Vec<&str>, Vec<&str>) =
            (path::folder(old).split('/').collect(), path::folder(&file.facts.path).split('/').collect());
        let differing =
            old.iter().filter(|part| !new.contains(part)).chain(new.iter().filter(|part| !old.contains(part)));
        tokens.extend(differing.map(|part| (*part).to_owned()));
    }
    tokens.retain(|token| token.len() > 2);
    tokens.sort_unstable();
    tokens.dedup();
    tokens
}

/// Tells releases and dependencies that are no longer needed from others, and gives a release its changelog.
fn settle_dependencies(files: &[Reading<'_>], groups: &mut Vec<Group>) {
    for group in groups.iter_mut().filter(|group| group.class == Class::Dependencies) {
        let manifests = group.files.iter().filter_map(|file| files.get(*file)).filter(|file| file.area != Area::Lock);
        let found: Vec<_> = manifests.map(|file| dependencies::read(file.facts)).collect();
        let mut changes = found.iter().flat_map(|found| &found.changes).peekable();
        if changes.peek().is_none() && found.iter().any(|found| found.release.is_some()) {
            group.class = Class::Release;
        } else if changes.peek().is_some() && changes.all(|change| matches!(change, Change::Removed { .. })) {
            group.class = Class::Unneeded;
        }
    }
    let Some(release) = groups.iter().position(|group| group.class == Class::Release) else { return };
    let is_log = |file: &usize| files.get(*file).is_some_and(|file| is_changelog(&file.facts.path));
    let mut logs = Vec::new();
    for group in groups.iter_mut().filter(|group| group.class == Class::Docs) {
        logs.extend(group.files.iter().copied().filter(is_log));
        group.files.retain(|file| !is_log(file));
    }
    if let Some(group) = groups.get_mut(release) {
        group.files.extend(logs);
        group.files.sort_unstable();
    }
    groups.retain(|group| !group.files.is_empty());
}

/// Whether the document says what changed from release to release.
pub(super) fn is_changelog(file: &str) -> bool {
    ["changelog", "changes", "news", "history"].contains(&path::stem(file).to_ascii_lowercase().as_str())
}

/// The package manager that a manifest or lock file belongs to.
fn ecosystem(file: &str) -> &'static str {
    match path::name(file).to_ascii_lowercase().as_str() {
        "cargo.toml" | "cargo.lock" => "rust",
        "package.json"
        | "package-lock.json"
        | "npm-shrinkwrap.json"
        | "yarn.lock"
        | "pnpm-lock.yaml"
        | "bun.lock"
        | "bun.lockb" => "javascript",
        "go.mod" | "go.sum" | "go.work.sum" => "go",
        "gemfile" | "gemfile.lock" => "ruby",
        "pyproject.toml" | "pipfile" | "poetry.lock" | "uv.lock" | "pdm.lock" | "pipfile.lock" => "python",
        "composer.json" | "composer.lock" => "php",
        "pubspec.yaml" | "pubspec.lock" => "dart",
        "mix.exs" | "mix.lock" => "elixir",
        name if name.starts_with("requirements") => "python",
        _ => "other",
    }
}

/// Whose code it is.
fn vendored(file: &str) -> String {
    let mut parts = file.split('/').skip_while(|part| !["vendor", "node_modules", "third_party"].contains(part));
    parts.nth(1).unwrap_or_default().to_owned()
}
