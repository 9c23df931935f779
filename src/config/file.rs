//! Configuration files: read with a bound, parsed with positions, and taken apart into keys.
//!
//! Nothing that merely has the name of a configuration file can make a run hang or fill the memory: special files are
//! never read, and no more than [`MAX_BYTES`] of any file.

use std::fs::File;
use std::io::{self, Read as _};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use toml::de::{DeTable, DeValue};

use super::error::ConfigError;
use super::migrate::{OLD_BACKEND_KEY, migrate};
use super::options::{Key, PROVIDER_SECTION, VERSION_KEY};
use super::place::{Layer, Place};
use super::problem::Problem;
use crate::untrusted::printable;

/// The longest file that is read.
pub(crate) const MAX_BYTES: u64 = 1024 * 1024;
/// The `config_version` that this program writes and wholly understands.
pub(crate) const VERSION: i64 = 3;

/// What the paths of keys among seats begin with.
const IN_ADMISSION: &str = "admission.";

/// What may be behind a file's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Admit {
    /// A regular file only: the content of a repository is not the user's, and a link in it could point anywhere.
    Regular,
    /// A regular file, also through a link: many keep their own configuration elsewhere.
    Linked,
    /// Whatever the user named, such as `/dev/null` or a shell's `<(…)`, but no folder.
    Named,
}

/// Reads a file; `None` when there is none of that name.
pub(crate) fn read(path: &Path, admit: Admit) -> Result<Option<Vec<u8>>, ConfigError> {
    let file = match open(path, admit) {
        Ok(file) => file,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(error) => return Err(refusal(path, admit, error)),
    };
    let unreadable = |source| ConfigError::Unreadable { path: path.to_owned(), source };
    let kind = file.metadata().map_err(unreadable)?.file_type();
    if kind.is_dir() {
        return Err(ConfigError::NotRegular { path: path.to_owned(), found: "a folder" });
    }
    if !kind.is_file() && admit != Admit::Named {
        return Err(ConfigError::NotRegular { path: path.to_owned(), found: "a special file" });
    }
    let mut bytes = Vec::new();
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(ConfigError::TooLarge { path: path.to_owned() });
    }
    Ok(Some(bytes))
}

/// Opens without waiting for the other end of a pipe, unless the user named it.
#[cfg(unix)]
fn open(path: &Path, admit: Admit) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags};

    let more = match admit {
        Admit::Regular => OFlags::NONBLOCK | OFlags::NOFOLLOW,
        Admit::Linked => OFlags::NONBLOCK,
        Admit::Named => OFlags::empty(),
    };
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOCTTY | more;
    Ok(File::from(rustix::fs::open(path, flags, Mode::empty())?))
}

#[cfg(not(unix))]
fn open(path: &Path, admit: Admit) -> io::Result<File> {
    if admit == Admit::Regular && path.symlink_metadata()?.is_symlink() {
        return Err(io::Error::other("a symbolic link"));
    }
    File::open(path)
}

/// Why a file could not be opened: where a link was refused, or a special file has nobody behind it, that is said.
fn refusal(path: &Path, admit: Admit, source: io::Error) -> ConfigError {
    let path = path.to_owned();
    let found = match path.symlink_metadata() {
        Ok(metadata) if metadata.is_symlink() && admit == Admit::Regular => Some("a symbolic link"),
        Ok(metadata) if metadata.is_dir() => Some("a folder"),
        Ok(metadata) if !metadata.is_file() && !metadata.is_symlink() => Some("a special file"),
        _ => None,
    };
    match found {
        Some(found) => ConfigError::NotRegular { path, found },
        None => ConfigError::Unreadable { path, source },
    }
}

/// The text of a file.
#[derive(Debug, Clone)]
pub(crate) struct ConfigText {
    layer: Layer,
    path: PathBuf,
    /// In the words of the present layout.
    text: Arc<str>,
    /// As it was read, where that differs.
    original: Option<Arc<str>>,
}

/// One key of a file that a setting has.
pub(crate) struct Entry<'a> {
    pub(crate) key: Key,
    /// The provider whose own value it is, for seats.
    pub(crate) provider: Option<String>,
    pub(crate) place: Place,
    pub(crate) value: DeValue<'a>,
}

impl Entry<'_> {
    /// The dotted path in the file.
    pub(crate) fn path(&self) -> String {
        self.provider.as_ref().map_or_else(|| self.key.path(), |provider| self.key.path_of_provider(provider))
    }
}

/// More unknown keys than this are not told one by one. Finding the line of each reads the text up to it, and a repository
/// may come with as many as it likes.
const MAX_UNKNOWN: usize = 50;

/// A file taken apart; entries and mistakes in the file's order.
#[derive(Default)]
pub(crate) struct Contents<'a> {
    /// The value of `config_version`.
    pub(crate) version: Option<i64>,
    /// Keys of settings; their values are not read yet.
    pub(crate) entries: Vec<Entry<'a>>,
    /// The names of the providers that have a table.
    pub(crate) providers: Vec<String>,
    /// Keys that no setting has, the first [`MAX_UNKNOWN`] of them.
    pub(crate) unknown: Vec<ConfigError>,
}

impl Contents<'_> {
    /// Whether anything but the version is set.
    pub(crate) fn is_active(&self) -> bool {
        !(self.entries.is_empty() && self.providers.is_empty() && self.unknown.is_empty())
    }
}

impl ConfigText {
    /// Decodes a file's bytes and brings what an older layout says up to date.
    pub(crate) fn decode(layer: Layer, path: &Path, bytes: Vec<u8>) -> Result<Self, ConfigError> {
        let read = Self::decode_as_is(layer, path, bytes)?;
        if !read.text.contains(OLD_BACKEND_KEY) || read.is_current() {
            return Ok(read);
        }
        let text: Arc<str> = migrate(&read.text).into();
        Ok(Self { original: (text != read.text).then(|| Arc::clone(&read.text)), text, ..read })
    }

    /// Decodes a file's bytes.
    pub(crate) fn decode_as_is(layer: Layer, path: &Path, bytes: Vec<u8>) -> Result<Self, ConfigError> {
        let text = String::from_utf8(bytes).map_err(|error| {
            let good = error.utf8_error().valid_up_to();
            let before = String::from_utf8_lossy(error.as_bytes().get(..good).unwrap_or_default()).into_owned();
            ConfigError::NotUtf8 { place: Place::in_file(path, &before, good) }
        })?;
        Ok(Self::of(layer, path, &text))
    }

    /// What a file would be with this text.
    pub(crate) fn of(layer: Layer, path: &Path, text: &str) -> Self {
        Self { layer, path: path.to_owned(), text: text.into(), original: None }
    }

    /// Whether the file says that it has the present layout, or a newer one.
    fn is_current(&self) -> bool {
        let Ok(root) = DeTable::parse(&self.text) else { return true };
        let version = root.get_ref().get(VERSION_KEY).and_then(|value| value.get_ref().as_integer());
        let number = version.and_then(|integer| i64::from_str_radix(integer.as_str(), integer.radix()).ok());
        number.is_some_and(|number| number >= VERSION)
    }

    pub(crate) const fn layer(&self) -> Layer {
        self.layer
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The bytes of the file itself.
    pub(crate) fn bytes(&self) -> &[u8] {
        self.original.as_ref().unwrap_or(&self.text).as_bytes()
    }

    /// Parses the file and takes it apart.
    ///
    /// # Errors
    /// It is no TOML, `config_version` is no version, or something else than a table has the name of a section.
    pub(crate) fn contents(&self) -> Result<Contents<'_>, ConfigError> {
        let mut root = DeTable::parse(&self.text).map_err(|error| self.syntax_error(&error))?.into_inner();
        let mut contents = Contents::default();
        if let Some((key, value)) = root.remove_entry(VERSION_KEY) {
            contents.version = Some(self.version(key.span(), value.get_ref())?);
        }
        let mut unknown = Vec::new();
        self.walk(root, "", &mut contents, &mut unknown)?;
        contents.entries.sort_by_key(|entry| entry.place.line_and_column());
        unknown.sort_unstable();
        unknown.truncate(MAX_UNKNOWN);
        contents.unknown = unknown.into_iter().map(|(offset, key)| self.unknown(offset, key)).collect();
        Ok(contents)
    }

    /// The file as the provider tables' source.
    pub(crate) fn into_provider_layer(self, providers: Vec<String>) -> ProviderLayer {
        ProviderLayer { layer: self.layer, path: self.path, text: self.text, providers }
    }

    fn syntax_error(&self, error: &toml::de::Error) -> ConfigError {
        let offset = error.span().map_or(self.text.len(), |span| span.start);
        // The parser takes whatever is not there for text without quotes.
        let message = if self.is_without_value(offset) { "no value after `=`" } else { error.message() };
        ConfigError::Syntax { place: self.place(offset), message: printable(message) }
    }

    /// Whether a key's line ends where its value should be.
    fn is_without_value(&self, offset: usize) -> bool {
        let Some((before, after)) = self.text.split_at_checked(offset) else { return false };
        let rest = after.lines().next().unwrap_or_default().trim_start();
        before.trim_end_matches([' ', '\t']).ends_with('=') && (rest.is_empty() || rest.starts_with('#'))
    }

    fn version(&self, span: Range<usize>, value: &DeValue<'_>) -> Result<i64, ConfigError> {
        let expected = format!("a whole number from 1, at present {VERSION}");
        let Some(integer) = value.as_integer() else {
            return Err(self.wrong_type(VERSION_KEY, span, expected, value));
        };
        let version = i64::from_str_radix(integer.as_str(), integer.radix()).ok().filter(|version| *version > 0);
        version.ok_or_else(|| {
            self.invalid(VERSION_KEY, span, Problem::OutOfRange { expected, found: integer.to_string() })
        })
    }

    fn unknown(&self, offset: usize, key: String) -> ConfigError {
        ConfigError::UnknownKey { place: self.place(offset), nearest: Key::nearest_path(&key), key }
    }

    /// Sorts a table's keys into settings, providers, and paths that no setting has, with their byte offsets.
    fn walk<'a>(
        &self,
        table: DeTable<'a>,
        prefix: &str,
        into: &mut Contents<'a>,
        unknown: &mut Vec<(usize, String)>,
    ) -> Result<(), ConfigError> {
        for (name, value) in table {
            // A quoted key with a dot in it is one name, and no path into a table.
            let path = match name.get_ref() {
                dotted if dotted.contains('.') => format!("{prefix}\"{dotted}\""),
                plain => format!("{prefix}{plain}"),
            };
            let value = value.into_inner();
            if let Some(key) = Key::find(&path) {
                into.entries.push(Entry { key, provider: None, place: self.place(name.span().start), value });
            } else if prefix == IN_ADMISSION
                && let DeValue::Table(seats) = value
            {
                self.seats_of(name.get_ref(), seats, into, unknown);
            } else if path == PROVIDER_SECTION {
                into.providers = self.provider_names(self.section(&path, name.span(), value)?)?;
            } else if Key::is_section(&path) {
                self.walk(self.section(&path, name.span(), value)?, &format!("{path}."), into, unknown)?;
            } else {
                unknown.push((name.span().start, path));
            }
        }
        Ok(())
    }

    /// Sorts the keys of one provider's seats.
    fn seats_of<'a>(
        &self,
        provider: &str,
        seats: DeTable<'a>,
        into: &mut Contents<'a>,
        unknown: &mut Vec<(usize, String)>,
    ) {
        for (name, value) in seats {
            let at = name.span().start;
            match Key::find_of_provider(name.get_ref()) {
                Some(key) => {
                    let (provider, place) = (Some(provider.to_owned()), self.place(at));
                    into.entries.push(Entry { key, provider, place, value: value.into_inner() });
                }
                None => unknown.push((at, format!("{}.{}", Key::section_of_provider(provider), name.get_ref()))),
            }
        }
    }

    fn provider_names(&self, section: DeTable<'_>) -> Result<Vec<String>, ConfigError> {
        let mut names = Vec::new();
        for (name, value) in section {
            self.section(&format!("{PROVIDER_SECTION}.{}", name.get_ref()), name.span(), value.into_inner())?;
            names.push(name.into_inner().into_owned());
        }
        Ok(names)
    }

    fn section<'a>(&self, path: &str, span: Range<usize>, value: DeValue<'a>) -> Result<DeTable<'a>, ConfigError> {
        match value {
            DeValue::Table(table) => Ok(table),
            other => Err(self.wrong_type(path, span, "a table".to_owned(), &other)),
        }
    }

    fn wrong_type(&self, key: &str, span: Range<usize>, expected: String, found: &DeValue<'_>) -> ConfigError {
        self.invalid(key, span, Problem::WrongType { expected, found: found.type_str() })
    }

    fn invalid(&self, key: &str, span: Range<usize>, problem: Problem) -> ConfigError {
        ConfigError::invalid(self.place(span.start), printable(key), problem)
    }

    fn place(&self, offset: usize) -> Place {
        Place::in_file(&self.path, &self.text, offset)
    }
}

/// A file with `[provider.<name>]` tables. What they may hold is the manifest schema's affair; it reads [`text`](Self::text)
/// and hands its complaints to [`error`](Self::error), which knows the place.
#[derive(Debug, Clone)]
pub struct ProviderLayer {
    layer: Layer,
    path: PathBuf,
    text: Arc<str>,
    providers: Vec<String>,
}

impl ProviderLayer {
    /// The layer that the file is.
    #[must_use]
    pub const fn layer(&self) -> Layer {
        self.layer
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What users see as the origin of these tables.
    #[must_use]
    pub fn label(&self) -> String {
        format!("{} {}", self.layer, printable(&self.path.to_string_lossy()))
    }

    /// The whole text of the file: valid TOML, in which `provider` is a table of tables.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The names of the providers that have a table.
    #[must_use]
    pub fn providers(&self) -> &[String] {
        &self.providers
    }

    /// An error at a byte range of the text; without one, at its begin.
    #[must_use]
    pub fn error(&self, span: Option<Range<usize>>, message: &str, hint: &str) -> ConfigError {
        ConfigError::Provider {
            place: Place::in_file(&self.path, &self.text, span.map_or(0, |span| span.start)),
            message: printable(message),
            hint: printable(hint),
        }
    }
}
