//! What happened to everything that is not source code.

use super::{FEW, Idea, Kind, READ, common_status, counted, counts, few_or_many, file_name, list, place, verb};
use crate::agent::offline::area::Area;
use crate::agent::offline::dependencies::{self, Change};
use crate::agent::offline::facts::{FileFacts, FileKind, FileStatus};
use crate::agent::offline::names::{What, definitions};
use crate::agent::offline::path;

/// A release: the project's own version was raised and nothing but manifests, locks and documents changed.
pub(super) fn release(areas: &[(Area, &FileFacts)]) -> Option<Idea> {
    if !areas.iter().all(|(area, _)| matches!(area, Area::Dependencies | Area::Lock | Area::Docs)) {
        return None;
    }
    let found: Vec<_> = areas
        .iter()
        .filter(|(area, _)| *area == Area::Dependencies)
        .map(|(_, file)| dependencies::read(file))
        .collect();
    if found.iter().any(|found| !found.changes.is_empty()) {
        return None;
    }
    let version = found.into_iter().find_map(|found| found.release)?;
    Some(Idea::new(Kind::RELEASE, format!("release {version}")))
}

/// Ideas for the files of one part of the project.
pub(super) fn ideas(lead: Area, files: &[&FileFacts]) -> Vec<Idea> {
    match lead {
        Area::Source => Vec::new(),
        Area::Tests => tests(files),
        Area::Dependencies => depend(files),
        Area::Docs => docs(files),
        Area::Ci => ci(files),
        Area::Build => named(Kind::BUILD, files, file_name),
        Area::Config => config(files),
        Area::Ignore => ignore(files),
        Area::Assets => assets(files),
        Area::Submodule => named(Kind::OTHER, files, |file| format!("submodule {}", path::subject(&file.path))),
        Area::Vendored => vendored(files),
        Area::Generated => generated(files),
        Area::Lock => locks(files),
    }
}

fn named(kind: Kind, files: &[&FileFacts], name: impl Fn(&FileFacts) -> String) -> Vec<Idea> {
    vec![Idea::new(kind, format!("{} {}", verb(files), few_or_many(files, 2, name)))]
}

fn tests(files: &[&FileFacts]) -> Vec<Idea> {
    let mut subjects: Vec<String> = Vec::new();
    for file in files.iter().take(READ) {
        let subject = tested(&file.path);
        if !subjects.contains(&subject) {
            subjects.push(subject);
        }
    }
    let about = match place(files) {
        Some(place) if subjects.len() > 2 => format!("for {place}"),
        _ if subjects.len() > FEW => format!("in {}", counted(files)),
        _ => format!("for {}", list(&subjects, 2)),
    };
    let new = files.iter().take(READ).flat_map(|file| {
        let old = definitions(&file.removed_lines, &file.path);
        definitions(&file.added_lines, &file.path).into_iter().filter(move |found| !old.contains(found))
    });
    let new =
        new.filter(|found| found.what == What::Test || found.name.to_ascii_lowercase().starts_with("test")).count();
    let text = match (common_status(files), counts(files)) {
        (Some(FileStatus::Added), _) => format!("add tests {about}"),
        (Some(FileStatus::Deleted), _) => format!("remove tests {about}"),
        _ if new > 0 => format!("add tests {about}"),
        (_, (0, 1..)) => format!("trim tests {about}"),
        (_, (1.., 0)) => format!("extend tests {about}"),
        _ => format!("update tests {about}"),
    };
    let mut ideas = vec![Idea::new(Kind::TEST, text)];
    if new > 1 {
        ideas.push(Idea::new(Kind::TEST, format!("add {new} tests {about}")));
    }
    ideas
}

/// What a test file tests: its name without what makes it a test.
pub(in crate::agent::offline) fn tested(file: &str) -> String {
    let subject = path::subject(file);
    let ends = ["_test", "_spec", ".test", ".spec", "_tests", "Tests", "Test", "Spec"];
    let bare = subject.strip_prefix("test_").unwrap_or(&subject);
    let bare = ends.iter().find_map(|end| bare.strip_suffix(end)).unwrap_or(bare);
    if bare.is_empty() { subject } else { bare.to_owned() }
}

fn depend(files: &[&FileFacts]) -> Vec<Idea> {
    if common_status(files) == Some(FileStatus::Added) {
        return named(Kind::BUILD, files, file_name);
    }
    let mut changes: Vec<Change> = Vec::new();
    for change in files.iter().take(READ).flat_map(|file| dependencies::read(file).changes) {
        if !changes.contains(&change) {
            changes.push(change);
        }
    }
    if let [only] = changes.as_slice() {
        return one_dependency(only);
    }
    let added = group(&changes, |change| matches!(change, Change::Added { .. }));
    let removed = group(&changes, |change| matches!(change, Change::Removed { .. }));
    let bumped = group(&changes, |change| matches!(change, Change::Bumped { .. }));
    let mut parts = Vec::new();
    for (verb, names) in [("add", &added), ("bump", &bumped), ("remove", &removed)] {
        if !names.is_empty() {
            parts.push(format!("{verb} {}", list(names, 2)));
        }
    }
    let kind = match (added.is_empty(), bumped.is_empty(), removed.is_empty()) {
        (false, ..) => Kind::DEPENDENCY,
        (true, true, false) => Kind::NO_DEPENDENCY,
        _ => Kind::UPGRADE,
    };
    match changes.len() {
        0 => named(Kind::BUILD, files, file_name),
        count => {
            let mut ideas = vec![Idea::new(Kind::UPGRADE, format!("update {count} dependencies"))];
            if !parts.is_empty() {
                ideas.insert(0, Idea::new(kind, parts.join(", ")));
            }
            ideas
        }
    }
}

fn group(changes: &[Change], is_so: impl Fn(&Change) -> bool) -> Vec<String> {
    changes.iter().filter(|change| is_so(change)).map(|change| name(change).to_owned()).collect()
}

fn name(change: &Change) -> &str {
    match change {
        Change::Added { name, .. }
        | Change::Removed { name }
        | Change::Bumped { name, .. }
        | Change::Lowered { name, .. }
        | Change::Adjusted { name } => name,
    }
}

fn one_dependency(change: &Change) -> Vec<Idea> {
    match change {
        Change::Added { name, version: Some(version) } => vec![
            Idea::new(Kind::DEPENDENCY, format!("add {name} {version}")),
            Idea::new(Kind::DEPENDENCY, format!("add {name}")),
        ],
        Change::Added { name, version: None } => vec![Idea::new(Kind::DEPENDENCY, format!("add {name}"))],
        Change::Removed { name } => vec![Idea::new(Kind::NO_DEPENDENCY, format!("remove {name}"))],
        Change::Bumped { name, from, to } => vec![
            Idea::new(Kind::UPGRADE, format!("bump {name} from {from} to {to}")),
            Idea::new(Kind::UPGRADE, format!("bump {name} to {to}")),
        ],
        Change::Lowered { name, from, to } => vec![
            Idea::new(Kind::DOWNGRADE, format!("downgrade {name} from {from} to {to}")),
            Idea::new(Kind::DOWNGRADE, format!("downgrade {name} to {to}")),
        ],
        Change::Adjusted { name } => vec![Idea::new(Kind::BUILD, format!("adjust features of {name}"))],
    }
}

fn docs(files: &[&FileFacts]) -> Vec<Idea> {
    let kind = match files {
        [only] if is_license(&only.path) => Kind::LICENSE,
        _ => Kind::DOCS,
    };
    let (titles, others): (Vec<_>, Vec<_>) =
        files.iter().map(|file| document(&file.path)).partition(|(_, title)| *title);
    let names = |documents: Vec<(String, bool)>| documents.into_iter().map(|(name, _)| name).collect::<Vec<_>>();
    let (mut all, others) = (names(titles), names(others));
    if !others.is_empty() {
        all.push(format!("{} documentation", list(&others, 2)));
    }
    let all = if files.len() > FEW { counted(files) } else { list(&all, 2) };
    let (added, deleted) = counts(files);
    let verb = match (verb(files), added, deleted) {
        ("update", 1.., 0) => "extend",
        ("update", 0, 1..) => "trim",
        (verb, ..) => verb,
    };
    let mut ideas = Vec::new();
    if let [only] = files
        && only.status == FileStatus::Modified
    {
        let old = headings(&only.removed_lines);
        let new: Vec<String> =
            headings(&only.added_lines).into_iter().filter(|heading| !old.contains(heading)).collect();
        if !new.is_empty() && old.is_empty() {
            let sections = if new.len() == 1 { "section" } else { "sections" };
            ideas.push(Idea::new(kind, format!("add {} {sections} to {all}", list(&new, 2))));
        }
    }
    ideas.push(Idea::new(kind, format!("{verb} {all}")));
    if let Some(place) = place(files).filter(|_| files.len() > 2) {
        ideas.push(Idea::new(kind, format!("{verb} {place} documentation")));
    }
    ideas
}

pub(in crate::agent::offline) fn is_license(file: &str) -> bool {
    let name = path::name(file).to_ascii_lowercase();
    ["license", "licence", "copying", "notice"].iter().any(|start| name.starts_with(start))
}

/// What a document is called, and whether that needs no explanation: `README`, `changelog`, but "usage documentation".
fn document(file: &str) -> (String, bool) {
    let stem = path::shown(path::stem(file));
    let shouts = stem.chars().any(char::is_uppercase) && !stem.chars().any(char::is_lowercase);
    match stem.to_ascii_lowercase().as_str() {
        "changelog" | "changes" | "news" => ("changelog".to_owned(), true),
        "license" | "licence" | "copying" => ("license".to_owned(), true),
        "readme" => ("README".to_owned(), true),
        _ if shouts => (stem, true),
        _ => (path::subject(file), false),
    }
}

fn headings(lines: &[String]) -> Vec<String> {
    let title = |line: &String| {
        let text = line.trim_start_matches('#');
        let is_heading = text.len() < line.len() && line.len() - text.len() <= 6 && text.starts_with(' ');
        let title = path::clean(text.trim().trim_end_matches('#').trim());
        (is_heading && !title.is_empty() && title.chars().count() <= 40).then_some(title)
    };
    lines.iter().filter_map(title).collect()
}

fn ci(files: &[&FileFacts]) -> Vec<Idea> {
    named(Kind::CI, files, |file| {
        let name = path::shown(path::name(&file.path));
        if file.path.starts_with(".github/workflows/") {
            format!("{} workflow", path::shown(path::stem(&file.path)))
        } else if name == ".gitlab-ci.yml" {
            "GitLab pipeline".to_owned()
        } else {
            name
        }
    })
}

fn config(files: &[&FileFacts]) -> Vec<Idea> {
    let mut ideas = Vec::new();
    if let [only] = files
        && only.status == FileStatus::Modified
    {
        let file = path::shown(path::name(&only.path));
        let (new, old) = (keys(&only.added_lines), keys(&only.removed_lines));
        let both: Vec<String> = new.iter().filter(|key| old.contains(key)).cloned().collect();
        let added: Vec<String> = new.iter().filter(|key| !old.contains(key)).cloned().collect();
        let removed: Vec<String> = old.iter().filter(|key| !new.contains(key)).cloned().collect();
        for (verb, preposition, keys) in [("set", "in", added), ("change", "in", both), ("drop", "from", removed)] {
            if !keys.is_empty() {
                ideas.push(Idea::new(Kind::CONFIG, format!("{verb} {} {preposition} {file}", list(&keys, 2))));
            }
        }
    }
    ideas.extend(named(Kind::CONFIG, files, file_name));
    ideas
}

/// The keys that lines of TOML, YAML, JSON or INI assign.
fn keys(lines: &[String]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for line in lines {
        let text = line.trim().trim_start_matches("- ");
        let Some(end) = text.find(['=', ':']) else { continue };
        let key = text.get(..end).unwrap_or_default().trim().trim_matches(['"', '\'']);
        let plain = |char: char| char.is_alphanumeric() || matches!(char, '_' | '-' | '.');
        let is_key = !key.is_empty() && key.chars().count() <= 40 && key.chars().all(plain);
        if is_key && !found.iter().any(|known| known == key) {
            found.push(key.to_owned());
        }
    }
    found
}

fn ignore(files: &[&FileFacts]) -> Vec<Idea> {
    let patterns = |lines: &[String]| -> Vec<String> {
        let pattern = |line: &String| Some(path::clean(line)).filter(|text| !text.is_empty() && !text.starts_with('#'));
        lines.iter().filter_map(pattern).collect()
    };
    let new: Vec<String> = files.iter().flat_map(|file| patterns(&file.added_lines)).collect();
    let old: Vec<String> = files.iter().flat_map(|file| patterns(&file.removed_lines)).collect();
    let mut ideas = Vec::new();
    if !new.is_empty() && old.is_empty() {
        ideas.push(Idea::new(Kind::IGNORE, format!("ignore {}", list(&new, 2))));
    } else if new.is_empty() && !old.is_empty() {
        ideas.push(Idea::new(Kind::IGNORE, format!("stop ignoring {}", list(&old, 2))));
    }
    ideas.extend(named(Kind::IGNORE, files, file_name));
    ideas
}

fn assets(files: &[&FileFacts]) -> Vec<Idea> {
    let verb = match verb(files) {
        "update" if files.iter().all(|file| file.kind == FileKind::Binary) => "replace",
        verb => verb,
    };
    vec![Idea::new(Kind::ASSETS, format!("{verb} {}", few_or_many(files, 2, file_name)))]
}

fn vendored(files: &[&FileFacts]) -> Vec<Idea> {
    const FOLDERS: [&str; 3] = ["vendor", "node_modules", "third_party"];
    let mut names: Vec<String> = Vec::new();
    for file in files.iter().take(READ) {
        let mut parts = file.path.split('/').skip_while(|part| !FOLDERS.contains(part));
        let name = parts.nth(1).map_or_else(|| path::subject(&file.path), path::shown);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    vec![Idea::new(Kind::OTHER, format!("{} vendored {}", verb(files), list(&names, 2)))]
}

fn generated(files: &[&FileFacts]) -> Vec<Idea> {
    let verb = match verb(files) {
        "update" => "regenerate",
        verb => verb,
    };
    vec![Idea::new(Kind::OTHER, format!("{verb} {}", few_or_many(files, 2, file_name)))]
}

fn locks(files: &[&FileFacts]) -> Vec<Idea> {
    let named = named(Kind::UPGRADE, files, file_name);
    match verb(files) {
        "update" => {
            let refresh = Idea::new(Kind::UPGRADE, "update locked dependencies");
            std::iter::once(refresh).chain(named).collect()
        }
        _ => named,
    }
}
