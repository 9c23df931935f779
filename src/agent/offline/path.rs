//! Words taken from paths.

use crate::untrusted;

/// The file's name.
pub(super) fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The folder's path without a slash at the end; empty for the top.
pub(super) fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The name without its last extension; a name that is nothing but an extension is left alone.
pub(super) fn stem(path: &str) -> &str {
    let name = name(path);
    match name.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem,
        _ => name,
    }
}

/// The last extension in lower case; empty without one.
pub(super) fn extension(path: &str) -> String {
    match name(path).rsplit_once('.') {
        Some((stem, extension)) if !stem.is_empty() => extension.to_ascii_lowercase(),
        _ => String::new(),
    }
}

/// Stems that say nothing: the folder's name speaks for such a file.
const NAMELESS: [&str; 6] = ["mod", "lib", "main", "index", "__init__", "init"];

/// Folders that say nothing about what is in them.
const FRAMES: [&str; 22] = [
    "src",
    "lib",
    "libs",
    "app",
    "apps",
    "packages",
    "crates",
    "internal",
    "pkg",
    "cmd",
    "source",
    "sources",
    "include",
    "main",
    "java",
    "kotlin",
    "python",
    "tests",
    "test",
    "spec",
    "__tests__",
    "modules",
];

/// Whether the file only ties others together: a `mod.rs`, an `index.ts`.
pub(super) fn is_nameless(path: &str) -> bool {
    NAMELESS.contains(&stem(path))
}

/// What people call the thing in this file: its stem, or the folder's name for a `mod.rs`.
pub(super) fn subject(path: &str) -> String {
    let stem = stem(path);
    if NAMELESS.contains(&stem)
        && let Some(folder) = folder(path).rsplit('/').find(|part| is_telling(part))
    {
        return shown(folder);
    }
    shown(stem)
}

/// Whether a folder's name says what is in it.
pub(super) fn is_telling(part: &str) -> bool {
    !part.is_empty() && !FRAMES.contains(&part) && !part.starts_with('.')
}

/// The folder that all paths share; empty when that is the top.
pub(super) fn common_folder<'a>(paths: impl IntoIterator<Item = &'a str>) -> &'a str {
    let mut paths = paths.into_iter().map(folder);
    let Some(first) = paths.next() else { return "" };
    paths.fold(first, |common, folder| {
        let mut end = 0;
        for part in common.split_inclusive('/') {
            let bare = part.trim_end_matches('/');
            let after = folder.get(end..).and_then(|rest| rest.strip_prefix(bare));
            match after {
                Some(rest) if rest.is_empty() || rest.starts_with('/') => end += part.len(),
                _ => break,
            }
        }
        common.get(..end.min(common.len())).unwrap_or_default().trim_end_matches('/')
    })
}

/// A component that a scope can be made of: the innermost telling folder of all paths, or the subject of the only one.
/// In a workspace (`crates/x/src/…`) that is the member.
pub(super) fn component(paths: &[&str]) -> Option<String> {
    let folder = common_folder(paths.iter().copied());
    let mut parts = folder.split('/');
    if matches!(parts.next(), Some("crates" | "packages" | "apps" | "libs" | "modules" | "pkg" | "cmd"))
        && let Some(member) = parts.next().filter(|part| is_telling(part))
    {
        return Some(scope_text(member));
    }
    if let Some(part) = folder.rsplit('/').find(|part| is_telling(part)) {
        return Some(scope_text(part));
    }
    match paths {
        [only] if !folder.is_empty() && !NAMELESS.contains(&stem(only)) => Some(scope_text(stem(only))),
        _ => None,
    }
    .filter(|scope| !scope.is_empty())
}

fn scope_text(part: &str) -> String {
    part.chars()
        .filter(|char| char.is_alphanumeric() || matches!(char, '-' | '_' | '.'))
        .flat_map(char::to_lowercase)
        .take(24)
        .collect()
}

/// A name from the repository as it may be shown, never empty.
pub(super) fn shown(text: &str) -> String {
    Some(clean(text)).filter(|clean| !clean.is_empty()).unwrap_or_else(|| "(unnamed)".to_owned())
}

/// Text from the repository as it may be shown: visible characters only, one line, not endless, perhaps empty.
pub(super) fn clean(text: &str) -> String {
    const LONGEST: usize = 60;
    let seen = untrusted::stripped(text);
    let mut clean: String = seen.chars().take(LONGEST).collect();
    if seen.chars().count() > LONGEST {
        clean.push('…');
    }
    clean.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_a_path() {
        assert_eq!((name("a/b.rs"), folder("a/b.rs"), stem("a/b.rs")), ("b.rs", "a", "b"));
        assert_eq!((stem(".gitignore"), extension(".gitignore").as_str()), (".gitignore", ""));
        assert_eq!((stem("x.tar.GZ"), extension("x.tar.GZ").as_str()), ("x.tar", "gz"));
        assert_eq!(subject("src/parser/mod.rs"), "parser");
        assert_eq!(subject("src/main.rs"), "main");
        assert_eq!(subject("we\nird\u{202e}/na\tme.rs"), "na me");
    }

    #[test]
    fn folders_in_common() {
        for (paths, expected) in [
            (&["a/b/c.rs", "a/b/d.rs"][..], "a/b"),
            (&["a/b/c.rs", "a/bc/d.rs"], "a"),
            (&["a/b/c.rs", "a/b/c/d.rs"], "a/b"),
            (&["a/b/c/d.rs", "a/b/c.rs"], "a/b"),
            (&["a.rs", "b/c.rs"], ""),
            (&["x/y.rs"], "x"),
            (&["é/è/a", "é/ê/a"], "é"),
            (&[], ""),
        ] {
            assert_eq!(common_folder(paths.iter().copied()), expected, "{paths:?}");
        }
    }

    #[test]
    fn components() {
        for (paths, expected) in [
            (&["src/parser/mod.rs", "src/parser/line.rs"][..], Some("parser")),
            (&["src/parser.rs"], Some("parser")),
            (&["crates/core/src/a.rs", "crates/core/src/b/c.rs"], Some("core")),
            (&["packages/Web-UI/src/a/b.ts"], Some("web-ui")),
            (&["src/a.rs", "src/b.rs"], None),
            (&["main.py"], None),
            (&["src/main.rs"], None),
            (&["src/we ird(/x.rs"], Some("weird")),
            (&["!!!/x.rs"], None),
        ] {
            assert_eq!(component(paths).as_deref().filter(|scope| !scope.is_empty()), expected, "{paths:?}");
        }
    }
}
