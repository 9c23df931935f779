//! Which files get one line instead of a diff, because their content would only cost tokens.

use bstr::{BStr, ByteSlice};

use crate::git::{Attributes, ChangedFile, FileMode};

use super::exclude::Excludes;

/// Why a file's diff is not shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Noise {
    /// No text, by attribute, extension or content.
    Binary,
    /// The user does not want it shown.
    Excluded,
    /// A lock file of a package manager.
    Lock,
    /// Made by a program (`linguist-generated`).
    Generated,
    /// Minified code.
    Minified,
    /// A source map.
    SourceMap,
    /// Somebody else's code, kept in the repository.
    Vendored,
    /// A pointer into Git LFS.
    Lfs,
    /// A test snapshot.
    Snapshot,
    /// The commit of a submodule.
    Submodule,
    /// Larger than [`MAX_FILE`] or of too many lines to compare; treated like a binary file, as git does beyond
    /// `core.bigFileThreshold`.
    Large,
    /// Not read, since the change as a whole is larger than what one run reads.
    Unread,
}

impl Noise {
    /// The word of the placeholder, between brackets.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Noise::Binary => "binary",
            Noise::Excluded => "excluded",
            Noise::Lock => "lock",
            Noise::Generated => "generated",
            Noise::Minified => "minified",
            Noise::SourceMap => "sourcemap",
            Noise::Vendored => "vendored",
            Noise::Lfs => "lfs",
            Noise::Snapshot => "snapshot",
            Noise::Submodule => "submodule",
            Noise::Large => "large",
            Noise::Unread => "unread",
        }
    }
}

/// The largest file that is read and compared, in bytes.
pub const MAX_FILE: u64 = 16 << 20;

/// git looks at this many bytes when it decides whether content is text.
const BINARY_WINDOW: usize = 8000;

/// The longest LFS pointer, in bytes, as the LFS specification has it.
const LFS_POINTER: usize = 1024;

/// What can be said without reading the file: the user's excludes first, then attributes, then names.
pub(super) fn by_name(file: &ChangedFile, excludes: &Excludes, binary_extensions: &[String]) -> Option<Noise> {
    if excludes.excludes(file.path()) {
        return Some(Noise::Excluded);
    }
    if file.is_submodule() {
        return Some(Noise::Submodule);
    }
    if is_symlink(file) {
        return None;
    }
    let Attributes { diff, generated, vendored } = file.attributes();
    if diff == Some(false) {
        return Some(Noise::Binary);
    }
    if generated == Some(true) {
        return Some(Noise::Generated);
    }
    let path = file.path();
    if vendored.unwrap_or_else(|| in_vendored_folder(path)) {
        return Some(Noise::Vendored);
    }
    if generated.is_none()
        && let Some(noise) = by_file_name(path)
    {
        return Some(noise);
    }
    let binary = diff.is_none() && has_binary_extension(path, binary_extensions);
    binary.then_some(Noise::Binary)
}

/// What the content of either side says of a file that [`by_name`] let pass.
pub(super) fn by_content(file: &ChangedFile, old: &[u8], new: &[u8]) -> Option<Noise> {
    if is_symlink(file) {
        return None;
    }
    if is_lfs_pointer(new) || (new.is_empty() && is_lfs_pointer(old)) {
        return Some(Noise::Lfs);
    }
    let binary = file.attributes().diff.is_none() && (looks_binary(old) || looks_binary(new));
    binary.then_some(Noise::Binary)
}

/// Whether git would call this content binary: a NUL byte early on.
pub(super) fn looks_binary(content: &[u8]) -> bool {
    memchr::memchr(0, content.get(..BINARY_WINDOW).unwrap_or(content)).is_some()
}

/// Whether the path names a markdown file.
pub(super) fn is_markdown(path: &BStr) -> bool {
    extension(path).is_some_and(|extension| ["md", "markdown", "mdown", "mkd", "mdx"].contains(&extension.as_str()))
}

fn is_symlink(file: &ChangedFile) -> bool {
    [file.old_side(), file.new_side()].into_iter().flatten().all(|side| side.mode == FileMode::Symlink)
}

fn is_lfs_pointer(content: &[u8]) -> bool {
    content.len() < LFS_POINTER && content.starts_with(b"version https://git-lfs.github.com/spec/")
}

fn file_name(path: &BStr) -> &BStr {
    path.rsplit_once_str("/").map_or(path, |(_, name)| name.as_bstr())
}

fn extension(path: &BStr) -> Option<String> {
    let (stem, extension) = file_name(path).rsplit_once_str(".")?;
    if stem.is_empty() { None } else { Some(extension.to_str().ok()?.to_ascii_lowercase()) }
}

fn in_vendored_folder(path: &BStr) -> bool {
    let mut parts: Vec<&[u8]> = path.split_str("/").collect();
    parts.pop();
    parts.into_iter().any(|part| matches!(part, b"vendor" | b"node_modules" | b"third_party"))
}

fn by_file_name(path: &BStr) -> Option<Noise> {
    let name = file_name(path).to_str().ok()?.to_ascii_lowercase();
    if LOCK_FILES.contains(&name.as_str()) {
        return Some(Noise::Lock);
    }
    let ends = |ending: &str| name.len() > ending.len() && name.ends_with(ending);
    if ends(".snap") {
        Some(Noise::Snapshot)
    } else if SOURCE_MAPS.iter().any(|ending| ends(ending)) {
        Some(Noise::SourceMap)
    } else if MINIFIED.iter().any(|ending| ends(ending)) {
        Some(Noise::Minified)
    } else {
        None
    }
}

fn has_binary_extension(path: &BStr, more: &[String]) -> bool {
    let Some(extension) = extension(path) else { return false };
    BINARY_EXTENSIONS.contains(&extension.as_str())
        || more.iter().any(|other| other.trim_start_matches('.').eq_ignore_ascii_case(&extension))
}

const LOCK_FILES: &[&str] = &[
    "bun.lock",
    "bun.lockb",
    "cargo.lock",
    "cartfile.resolved",
    "composer.lock",
    "conan.lock",
    "deno.lock",
    "flake.lock",
    "gemfile.lock",
    "go.sum",
    "go.work.sum",
    "gradle.lockfile",
    "mix.lock",
    "module.bazel.lock",
    "npm-shrinkwrap.json",
    "package-lock.json",
    "package.resolved",
    "packages.lock.json",
    "pdm.lock",
    "pipfile.lock",
    "pixi.lock",
    "pnpm-lock.yaml",
    "podfile.lock",
    "poetry.lock",
    "pubspec.lock",
    "rebar.lock",
    "stack.yaml.lock",
    "uv.lock",
    "yarn.lock",
    ".terraform.lock.hcl",
];

const SOURCE_MAPS: &[&str] = &[".js.map", ".mjs.map", ".cjs.map", ".css.map", ".ts.map"];

const MINIFIED: &[&str] = &[".min.js", ".min.mjs", ".min.cjs", ".min.css", "-min.js", "-min.css"];

/// Formats whose content is binary even where its first bytes happen to hold no NUL, and text that only a program
/// reads, such as PDF.
const BINARY_EXTENSIONS: &[&str] = &[
    "7z",
    "a",
    "aac",
    "ai",
    "apk",
    "avi",
    "avif",
    "bin",
    "blend",
    "bmp",
    "bz2",
    "class",
    "dat",
    "db",
    "dll",
    "dmg",
    "doc",
    "docx",
    "dylib",
    "eot",
    "eps",
    "exe",
    "fbx",
    "fla",
    "flac",
    "gif",
    "glb",
    "gz",
    "heic",
    "ico",
    "icns",
    "iso",
    "jar",
    "jks",
    "jpeg",
    "jpg",
    "keystore",
    "lib",
    "lz4",
    "m4a",
    "mkv",
    "mov",
    "mp3",
    "mp4",
    "mpeg",
    "mpg",
    "node",
    "o",
    "obj",
    "odp",
    "ods",
    "odt",
    "ogg",
    "onnx",
    "otf",
    "p12",
    "parquet",
    "pdb",
    "pdf",
    "pfx",
    "pickle",
    "pkl",
    "png",
    "ppt",
    "pptx",
    "psd",
    "pt",
    "pyc",
    "pyd",
    "pyo",
    "rar",
    "safetensors",
    "so",
    "sqlite",
    "sqlite3",
    "swf",
    "tar",
    "tgz",
    "tif",
    "tiff",
    "ttf",
    "war",
    "wasm",
    "wav",
    "webm",
    "webp",
    "wmv",
    "woff",
    "woff2",
    "xls",
    "xlsx",
    "xz",
    "zip",
    "zst",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::git::{ObjectId, Side};

    fn side(path: &str, mode: FileMode) -> Side {
        Side { path: path.into(), mode, id: ObjectId::from_bytes(&[7; 20]).unwrap() }
    }

    fn added(path: &str) -> ChangedFile {
        ChangedFile::added(side(path, FileMode::Regular))
    }

    fn name(file: &ChangedFile) -> Option<Noise> {
        by_name(file, &Excludes::default(), &["sav".to_owned()])
    }

    #[test]
    fn names_decide() {
        for (path, expected) in [
            ("src/main.rs", None),
            ("Cargo.lock", Some(Noise::Lock)),
            ("web/package-lock.json", Some(Noise::Lock)),
            ("locksmith.rs", None),
            ("a/__snapshots__/x.snap", Some(Noise::Snapshot)),
            (".snap", None),
            ("dist/app.min.js", Some(Noise::Minified)),
            ("dist/app.js.map", Some(Noise::SourceMap)),
            ("world.map", None),
            ("vendor/github.com/x/y.go", Some(Noise::Vendored)),
            ("vendor", None),
            ("src/vendor.rs", None),
            ("a/node_modules/b/c.js", Some(Noise::Vendored)),
            ("logo.PNG", Some(Noise::Binary)),
            (".png", None),
            ("game.sav", Some(Noise::Binary)),
        ] {
            assert_eq!(name(&added(path)), expected, "{path}");
        }
    }

    #[test]
    fn attributes_beat_names() {
        let with = |path, attributes| name(&added(path).with_attributes(attributes));
        let none = Attributes::default();
        assert_eq!(with("a.rs", Attributes { diff: Some(false), ..none }), Some(Noise::Binary));
        assert_eq!(with("a.png", Attributes { diff: Some(true), ..none }), None);
        assert_eq!(with("a.rs", Attributes { generated: Some(true), ..none }), Some(Noise::Generated));
        assert_eq!(with("Cargo.lock", Attributes { generated: Some(false), ..none }), None);
        assert_eq!(with("a.rs", Attributes { vendored: Some(true), ..none }), Some(Noise::Vendored));
        assert_eq!(with("vendor/a.rs", Attributes { vendored: Some(false), ..none }), None);
    }

    #[test]
    fn submodules_and_symlinks_are_what_they_are() {
        assert_eq!(name(&ChangedFile::added(side("lib", FileMode::Gitlink))), Some(Noise::Submodule));
        let link = ChangedFile::added(side("logo.png", FileMode::Symlink));
        assert_eq!(name(&link), None);
        assert_eq!(by_content(&link, b"", b"\0"), None);
    }

    #[test]
    fn content_decides_where_names_do_not() {
        let file = added("data");
        assert_eq!(by_content(&file, b"", b"text"), None);
        assert_eq!(by_content(&file, b"", b"a\0b"), Some(Noise::Binary));
        let mut late = vec![b'a'; BINARY_WINDOW];
        late.push(0);
        assert_eq!(by_content(&file, b"", &late), None);
        assert_eq!(by_content(&file, b"", b"version https://git-lfs.github.com/spec/v1\n"), Some(Noise::Lfs));
        let text = file.with_attributes(Attributes { diff: Some(true), ..Attributes::default() });
        assert_eq!(by_content(&text, b"", b"a\0b"), None);
    }

    #[test]
    fn excludes_come_first() {
        let excludes = Excludes::new(&["*.png".to_owned()], None).unwrap();
        assert_eq!(by_name(&added("a.png"), &excludes, &[]), Some(Noise::Excluded));
    }
}
