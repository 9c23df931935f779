//! Which part of a project a file belongs to.

use super::facts::{FileFacts, FileKind};
use super::path;

/// Parts of a project, the one that gives a change its name first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Area {
    Source,
    Tests,
    Build,
    Dependencies,
    Config,
    Ci,
    Docs,
    Ignore,
    Assets,
    Submodule,
    Vendored,
    Generated,
    Lock,
}

/// Where the file belongs.
pub(super) fn area(file: &FileFacts) -> Area {
    match file.kind {
        FileKind::Lock => return Area::Lock,
        FileKind::Generated | FileKind::Minified => return Area::Generated,
        FileKind::Vendored => return Area::Vendored,
        FileKind::Submodule => return Area::Submodule,
        FileKind::Text | FileKind::Binary | FileKind::Excluded => {}
    }
    let path = file.path.as_str();
    let lower = path.to_ascii_lowercase();
    let name = path::name(&lower);
    let extension = path::extension(path);
    let in_folder = |folders: &[&str]| path::folder(&lower).split('/').any(|part| folders.contains(&part));
    if is_ci(&lower, name) {
        Area::Ci
    } else if name == ".gitmodules" {
        Area::Submodule
    } else if name.ends_with("ignore") && name.starts_with('.') {
        Area::Ignore
    } else if is_manifest(name) {
        Area::Dependencies
    } else if is_build(name, &extension) {
        Area::Build
    } else if is_source(&extension) && is_test(path::name(path)) || in_folder(&TEST_FOLDERS) {
        Area::Tests
    } else if is_docs(name, &extension) || in_folder(&["docs", "doc"]) && !is_source(&extension) {
        Area::Docs
    } else if file.kind == FileKind::Binary || is_asset(&extension) {
        Area::Assets
    } else if is_config(name, &extension) {
        Area::Config
    } else {
        Area::Source
    }
}

const TEST_FOLDERS: [&str; 8] = ["tests", "test", "spec", "specs", "__tests__", "testdata", "fixtures", "e2e"];

fn is_ci(path: &str, name: &str) -> bool {
    path.starts_with(".github/workflows/")
        || path.starts_with(".github/actions/")
        || path.starts_with(".circleci/")
        || path.starts_with(".buildkite/")
        || matches!(
            name,
            ".gitlab-ci.yml" | ".travis.yml" | "jenkinsfile" | "azure-pipelines.yml" | "appveyor.yml" | ".drone.yml"
        )
}

/// Files in which dependencies are declared, by name in lower case.
pub(super) fn is_manifest(name: &str) -> bool {
    const MANIFESTS: &str = "cargo.toml package.json go.mod gemfile pyproject.toml pipfile composer.json pom.xml \
                             pubspec.yaml mix.exs";
    (name.starts_with("requirements") && path::extension(name) == "txt") || is_one_of(name, MANIFESTS)
}

fn is_build(name: &str, extension: &str) -> bool {
    const BUILDS: &str = "makefile gnumakefile cmakelists.txt meson.build build.rs build.gradle build.gradle.kts justfile \
                          rakefile setup.py build.zig flake.nix default.nix build.bazel workspace docker-compose.yml \
                          compose.yaml procfile dockerfile containerfile";
    is_one_of(name, BUILDS) || name.starts_with("dockerfile.") || is_one_of(extension, "mk cmake bazel bzl")
}

/// `name` as it is written: `UserTest.java` is a test and `contest.java` is none.
fn is_test(name: &str) -> bool {
    let stem = path::stem(name);
    let lower = stem.to_ascii_lowercase();
    lower.starts_with("test_")
        || lower == "tests"
        || ["_test", "_spec", ".test", ".spec"].iter().any(|end| lower.ends_with(end))
        || ["Test", "Tests", "Spec"].iter().any(|end| stem.strip_suffix(end).is_some_and(|rest| !rest.is_empty()))
}

fn is_docs(name: &str, extension: &str) -> bool {
    const DOCUMENTS: &str = "readme changelog changes contributing license licence copying authors notice news";
    let document = name.split(['.', '-']).next().unwrap_or(name);
    is_one_of(extension, "md markdown rst adoc asciidoc mdx tex org")
        || (is_one_of(document, DOCUMENTS) && !is_source(extension))
}

fn is_asset(extension: &str) -> bool {
    is_one_of(extension, "png jpg jpeg gif svg ico webp avif bmp woff woff2 ttf otf mp3 mp4 wav ogg webm pdf")
}

fn is_config(name: &str, extension: &str) -> bool {
    is_one_of(extension, "toml yml yaml json jsonc json5 ini cfg conf properties env editorconfig")
        || (name.starts_with('.') && !is_source(extension))
}

/// Extensions of code.
pub(super) fn is_source(extension: &str) -> bool {
    const CODE: &str = "rs py js jsx ts tsx mjs cjs mts cts go rb java kt kts swift c h cc cpp cxx hh hpp hxx m mm cs fs \
                        php pl pm sh bash zsh fish ps1 lua r jl ex exs erl hs ml mli scala clj dart zig nim v sv vhd sql \
                        proto graphql tf html htm css scss sass less vue svelte astro elm nix vim el";
    is_one_of(extension, CODE)
}

fn is_one_of(word: &str, list: &str) -> bool {
    !word.is_empty() && list.split_ascii_whitespace().any(|entry| entry == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_find_their_area() {
        for (path, expected) in [
            ("src/parser.rs", Area::Source),
            ("web/page.vue", Area::Source),
            ("bin/run", Area::Source),
            ("src/parser_test.go", Area::Tests),
            ("tests/parser.rs", Area::Tests),
            ("tests/data/input.json", Area::Tests),
            ("web/button.test.tsx", Area::Tests),
            ("spec/user_spec.rb", Area::Tests),
            ("src/main/java/UserTest.java", Area::Tests),
            ("src/contest.java", Area::Source),
            ("src/test.rs", Area::Source),
            ("README.md", Area::Docs),
            ("docs/usage.html", Area::Source),
            ("docs/usage.txt", Area::Docs),
            ("LICENSE", Area::Docs),
            ("LICENSE-MIT", Area::Docs),
            ("src/license.rs", Area::Source),
            (".github/workflows/ci.yml", Area::Ci),
            (".gitlab-ci.yml", Area::Ci),
            (".gitignore", Area::Ignore),
            ("Cargo.toml", Area::Dependencies),
            ("requirements-dev.txt", Area::Dependencies),
            ("Makefile", Area::Build),
            ("docker/Dockerfile.dev", Area::Build),
            ("config/app.yaml", Area::Config),
            (".eslintrc", Area::Config),
            ("assets/logo.svg", Area::Assets),
            (".gitmodules", Area::Submodule),
        ] {
            let file = FileFacts { path: path.to_owned(), ..FileFacts::default() };
            assert_eq!(area(&file), expected, "{path}");
        }
        let lock = FileFacts { path: "x".to_owned(), kind: FileKind::Lock, ..FileFacts::default() };
        assert_eq!(area(&lock), Area::Lock);
    }
}
