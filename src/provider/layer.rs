//! Provider tables as one source gives them: every field optional, every value with its place.
//!
//! A layer holds only what its source says. Layers are laid over each other key by key, and each value remembers the
//! layer that it came from, so that `providers show` can say it and an error can point at it.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::error::{LayerError, ManifestError, Problem};
use super::fields::{EXTENDS, FIELDS, Field, Kind, SUB_TABLES, nearest, top_level_names};

/// A value of a manifest, already of the right type for its field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// A string.
    Text(String),
    /// A boolean.
    Bool(bool),
    /// A whole number.
    Size(u64),
    /// A list of strings.
    List(Vec<String>),
    /// A list of exit codes.
    ExitCodes(Vec<u8>),
}

/// A value and where it comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The value.
    pub value: Value,
    /// The label of the layer that set it.
    pub layer: Arc<str>,
    /// Its byte range in that layer's source text.
    pub span: Option<Range<usize>>,
}

/// What one or several layers say about one provider: dotted key (`command`, `env.NAME`, `models.planner`) to value.
///
/// An equal key of an upper layer replaces the value, lists included; keys of tables are keys of their own, so tables
/// merge per key.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Partial {
    entries: BTreeMap<String, Entry>,
}

impl Partial {
    /// The value of a dotted key and where it comes from, if a layer sets it.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Entry> {
        self.entries.get(key)
    }

    /// All values, by key.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Entry)> {
        self.entries.iter().map(|(key, entry)| (key.as_str(), entry))
    }

    /// The keys and values of a table, without the table's name.
    pub fn table<'a>(&'a self, name: &'a str) -> impl Iterator<Item = (&'a str, &'a Entry)> {
        self.iter().filter_map(move |(key, entry)| Some((key.strip_prefix(name)?.strip_prefix('.')?, entry)))
    }

    /// One of the values alone.
    pub(super) fn only(&self, key: &str) -> Partial {
        Partial { entries: self.entries.get_key_value(key).map(|(k, v)| (k.clone(), v.clone())).into_iter().collect() }
    }

    /// Lays `upper` over these values.
    #[must_use]
    pub fn overlaid(mut self, upper: &Partial) -> Partial {
        self.entries.extend(upper.entries.iter().map(|(key, entry)| (key.clone(), entry.clone())));
        self
    }

    /// Reads one provider's table.
    ///
    /// `checked` is false for the built-in manifests only, whose expressions the tests compile; compiling them on every
    /// start would cost more than everything else here.
    ///
    /// # Errors
    /// An unknown key or a value that its field does not take.
    pub(super) fn read(
        provider: &str,
        table: &DeTable<'_>,
        layer: &Arc<str>,
        checked: bool,
    ) -> Result<Partial, ManifestError> {
        let mut reader = Reader { provider, layer, checked, partial: Partial::default() };
        for (key, value) in table {
            reader.top_level(key, value)?;
        }
        Ok(reader.partial)
    }
}

/// The provider tables of one source, such as a configuration file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Layer {
    /// By provider name.
    pub providers: BTreeMap<String, Partial>,
}

impl Layer {
    /// Reads the `provider` table of a whole configuration text and ignores everything beside it. `label` is what users
    /// see as the origin of these values, such as the file's path.
    ///
    /// # Errors
    /// The text is not TOML, or a provider's table has an unknown key or a wrong value.
    pub fn parse(label: &str, source: &str) -> Result<Layer, LayerError> {
        let document = DeTable::parse(source)
            .map_err(|error| LayerError::Syntax { message: error.message().to_owned(), span: error.span() })?;
        let mut layer = Layer::default();
        let Some(providers) = document.get_ref().get("provider") else { return Ok(layer) };
        let label: Arc<str> = label.into();
        let DeValue::Table(tables) = providers.get_ref() else {
            return Err(not_a_table(&label, "", providers).into());
        };
        for (name, value) in tables {
            let DeValue::Table(table) = value.get_ref() else {
                return Err(not_a_table(&label, name.get_ref(), value).into());
            };
            layer.insert(name, table, &label)?;
        }
        Ok(layer)
    }

    /// Adds one provider's table, read from `label`.
    ///
    /// # Errors
    /// A name that no command line could carry, an unknown key, or a wrong value.
    pub fn insert(
        &mut self,
        name: &Spanned<toml::de::DeString<'_>>,
        table: &DeTable<'_>,
        label: &Arc<str>,
    ) -> Result<(), ManifestError> {
        let key: &str = name.get_ref();
        if !is_provider_name(key) {
            return Err(ManifestError {
                provider: key.into(),
                field: Box::default(),
                layer: Arc::clone(label),
                span: Some(name.span()),
                problem: Problem::BadName,
            });
        }
        self.providers.insert(key.to_owned(), Partial::read(key, table, label, true)?);
        Ok(())
    }
}

fn is_provider_name(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphanumeric())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
}

fn not_a_table(layer: &Arc<str>, provider: &str, value: &Spanned<DeValue<'_>>) -> ManifestError {
    ManifestError {
        provider: provider.into(),
        field: Box::default(),
        layer: Arc::clone(layer),
        span: Some(value.span()),
        problem: wrong_type("table", value.get_ref()),
    }
}

fn wrong_type(expected: &'static str, found: &DeValue<'_>) -> Problem {
    Problem::WrongType { expected, found: found.type_str() }
}

type Key<'i> = Spanned<toml::de::DeString<'i>>;

struct Reader<'a> {
    provider: &'a str,
    layer: &'a Arc<str>,
    checked: bool,
    partial: Partial,
}

impl Reader<'_> {
    fn error(&self, field: &str, span: Range<usize>, problem: Problem) -> ManifestError {
        ManifestError {
            provider: self.provider.into(),
            field: field.into(),
            layer: Arc::clone(self.layer),
            span: Some(span),
            problem,
        }
    }

    fn unknown(&self, path: &str, key: &Key<'_>, known: impl IntoIterator<Item = &'static str>) -> ManifestError {
        let nearest = nearest(key.get_ref(), known);
        self.error(path, key.span(), Problem::UnknownField { nearest })
    }

    fn insert(&mut self, path: String, value: Value, span: Range<usize>) {
        self.partial.entries.insert(path, Entry { value, layer: Arc::clone(self.layer), span: Some(span) });
    }

    fn top_level(&mut self, key: &Key<'_>, value: &Spanned<DeValue<'_>>) -> Result<(), ManifestError> {
        let name: &str = key.get_ref();
        if let Some(field) = FIELDS.iter().chain([&EXTENDS]).find(|field| field.name == name) {
            return self.field(field.name, field, value);
        }
        let Some(table) = SUB_TABLES.iter().find(|table| table.name == name) else {
            return Err(self.unknown(name, key, top_level_names()));
        };
        for (key, value) in self.as_table(table.name, value)? {
            let path = format!("{}.{}", table.name, key.get_ref());
            let Some(field) = table.keys.iter().find(|field| field.name == key.get_ref()) else {
                return Err(self.unknown(&path, key, table.keys.iter().map(|field| field.name)));
            };
            self.field(&path, field, value)?;
        }
        Ok(())
    }

    fn as_table<'v, 'i>(&self, path: &str, value: &'v Spanned<DeValue<'i>>) -> Result<&'v DeTable<'i>, ManifestError> {
        value.get_ref().as_table().ok_or_else(|| self.error(path, value.span(), wrong_type("table", value.get_ref())))
    }

    fn field(&mut self, path: &str, field: &Field, value: &Spanned<DeValue<'_>>) -> Result<(), ManifestError> {
        let span = value.span();
        let read = match field.kind {
            Kind::Text => Value::Text(self.text(path, value)?.to_owned()),
            Kind::Pattern => Value::Text(self.pattern(path, value)?.to_owned()),
            Kind::Json => Value::Text(self.object(path, value)?.to_owned()),
            Kind::Choice(allowed) => Value::Text(self.choice(path, allowed, value)?),
            Kind::Date => Value::Text(self.date(path, value)?),
            Kind::Bool => Value::Bool(self.boolean(path, value)?),
            Kind::Size => Value::Size(self.whole_number(path, value, "0 or more")?),
            Kind::List => Value::List(self.list(path, value, Self::text)?),
            Kind::Patterns => Value::List(self.list(path, value, Self::pattern)?),
            Kind::ExitCodes => Value::ExitCodes(self.exit_codes(path, value)?),
            Kind::Variables => return self.variables(path, value),
            Kind::Texts(keys) => return self.fixed_table(path, keys, Kind::Text, value),
            Kind::Lists(keys) => return self.fixed_table(path, keys, Kind::List, value),
            Kind::Objects(keys) => return self.fixed_table(path, keys, Kind::Json, value),
        };
        self.insert(path.to_owned(), read, span);
        Ok(())
    }

    fn variables(&mut self, path: &str, value: &Spanned<DeValue<'_>>) -> Result<(), ManifestError> {
        for (key, value) in self.as_table(path, value)? {
            let name: &str = key.get_ref();
            let path = format!("{path}.{name}");
            if name.is_empty() || name.contains(['=', '\0']) {
                return Err(self.error(&path, key.span(), Problem::BadVariable));
            }
            let text = self.text(&path, value)?.to_owned();
            self.insert(path, Value::Text(text), value.span());
        }
        Ok(())
    }

    fn fixed_table(
        &mut self,
        path: &str,
        keys: &'static [&'static str],
        kind: Kind,
        value: &Spanned<DeValue<'_>>,
    ) -> Result<(), ManifestError> {
        for (key, value) in self.as_table(path, value)? {
            let path = format!("{path}.{}", key.get_ref());
            let Some(name) = keys.iter().find(|name| **name == key.get_ref()) else {
                return Err(self.unknown(&path, key, keys.iter().copied()));
            };
            self.field(&path, &Field { name, kind, default: "", meaning: "" }, value)?;
        }
        Ok(())
    }

    fn text<'v>(&self, path: &str, value: &'v Spanned<DeValue<'_>>) -> Result<&'v str, ManifestError> {
        let Some(text) = value.get_ref().as_str() else {
            return Err(self.error(path, value.span(), wrong_type("string", value.get_ref())));
        };
        if text.contains('\0') {
            return Err(self.error(path, value.span(), Problem::Nul));
        }
        Ok(text)
    }

    fn pattern<'v>(&self, path: &str, value: &'v Spanned<DeValue<'_>>) -> Result<&'v str, ManifestError> {
        let text = self.text(path, value)?;
        if self.checked {
            regex::Regex::new(text).map_err(|error| {
                self.error(path, value.span(), Problem::BadPattern { reason: one_line(&error.to_string()).into() })
            })?;
        }
        Ok(text)
    }

    fn object<'v>(&self, path: &str, value: &'v Spanned<DeValue<'_>>) -> Result<&'v str, ManifestError> {
        let text = self.text(path, value)?;
        serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(text)
            .map_err(|error| self.error(path, value.span(), Problem::BadJson { reason: error.to_string().into() }))?;
        Ok(text)
    }

    fn choice(
        &self,
        path: &str,
        allowed: &'static [&'static str],
        value: &Spanned<DeValue<'_>>,
    ) -> Result<String, ManifestError> {
        let text = self.text(path, value)?;
        if allowed.contains(&text) {
            return Ok(text.to_owned());
        }
        Err(self.error(path, value.span(), Problem::NotAllowed { value: text.into(), allowed }))
    }

    fn date(&self, path: &str, value: &Spanned<DeValue<'_>>) -> Result<String, ManifestError> {
        match value.get_ref() {
            DeValue::Datetime(date) => Ok(date.to_string()),
            DeValue::String(_) => self.text(path, value).map(str::to_owned),
            other => Err(self.error(path, value.span(), wrong_type("date", other))),
        }
    }

    fn boolean(&self, path: &str, value: &Spanned<DeValue<'_>>) -> Result<bool, ManifestError> {
        value.get_ref().as_bool().ok_or_else(|| self.error(path, value.span(), wrong_type("boolean", value.get_ref())))
    }

    fn whole_number<T: TryFrom<i64>>(
        &self,
        path: &str,
        value: &Spanned<DeValue<'_>>,
        range: &'static str,
    ) -> Result<T, ManifestError> {
        let Some(digits) = value.get_ref().as_integer() else {
            return Err(self.error(path, value.span(), wrong_type("whole number", value.get_ref())));
        };
        i64::from_str_radix(digits.as_str(), digits.radix())
            .ok()
            .and_then(|number| T::try_from(number).ok())
            .ok_or_else(|| {
                self.error(path, value.span(), Problem::OutOfRange { value: digits.to_string().into(), range })
            })
    }

    fn list<F>(&self, path: &str, value: &Spanned<DeValue<'_>>, item: F) -> Result<Vec<String>, ManifestError>
    where
        F: for<'v> Fn(&Self, &str, &'v Spanned<DeValue<'_>>) -> Result<&'v str, ManifestError>,
    {
        let Some(items) = value.get_ref().as_array() else {
            return Err(self.error(path, value.span(), wrong_type("list of strings", value.get_ref())));
        };
        items
            .iter()
            .enumerate()
            .map(|(i, value)| item(self, &format!("{path}[{i}]"), value).map(str::to_owned))
            .collect()
    }

    fn exit_codes(&self, path: &str, value: &Spanned<DeValue<'_>>) -> Result<Vec<u8>, ManifestError> {
        let Some(items) = value.get_ref().as_array() else {
            return Err(self.error(path, value.span(), wrong_type("list of exit codes", value.get_ref())));
        };
        items
            .iter()
            .enumerate()
            .map(|(i, value)| self.whole_number(&format!("{path}[{i}]"), value, "0 to 255"))
            .collect()
    }
}

/// The expression compiler draws its complaint over several lines; only the last one says what is wrong.
fn one_line(message: &str) -> String {
    let last = message.lines().map(str::trim).rfind(|line| !line.is_empty()).unwrap_or_default();
    last.strip_prefix("error: ").unwrap_or(last).to_owned()
}

#[cfg(test)]
#[path = "layer_tests.rs"]
mod tests;
