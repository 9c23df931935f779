//! `config init`: the text of a configuration file, new or renewed.
//!
//! What is set stays set: an existing file's settings, and every comment that is not one of our own, are kept in their
//! order; only the remarks around them are renewed. Doing it twice changes nothing.

mod lines;
mod remarks;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use self::lines::{Kind, Line, lines, paths};
use super::migrate::{first_line, newline};
use super::options::{Key, VERSION_KEY};
use crate::role::Role;

const BYTE_ORDER_MARK: &str = "\u{feff}";

/// What is known of a built-in agent.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Agent {
    /// The provider's name.
    pub name: String,
    /// Suggested models by role.
    pub models: Vec<(Role, String)>,
    /// Whether its models depend on a backend that only the user can choose.
    pub needs_backend: bool,
    /// Whether it is given the backend apart from the model, so that the suggestions lack it.
    pub lacks_backend: bool,
    /// Whether its program was found.
    pub installed: bool,
}

impl Agent {
    fn suggestion(&self, role: Role) -> Option<String> {
        let (_, model) = self.models.iter().find(|(of, _)| *of == role)?;
        Some(if self.lacks_backend { format!("<backend>/{model}") } else { model.clone() })
    }

    /// The models that can be set without asking.
    #[must_use]
    pub fn ready_models(&self) -> Vec<(Role, String)> {
        if self.needs_backend { Vec::new() } else { self.models.clone() }
    }
}

/// What the file is to set where it sets nothing about agents yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// The provider.
    pub provider: String,
    /// Models by role.
    pub models: Vec<(Role, String)>,
}

/// What is wanted of the file.
#[derive(Debug, Clone)]
pub struct Wish<'a> {
    /// Every built-in agent, in the order of detection.
    pub agents: &'a [Agent],
    /// What to set; `None`: nothing, everything is a comment.
    pub choice: Option<Choice>,
}

/// The file's new text. `old` is the present one, in the words of the present layout; empty for a new file.
/// `None` when `old` is no TOML.
#[must_use]
pub fn render(old: &str, wish: &Wish<'_>) -> Option<String> {
    let (mark, old) = match old.strip_prefix(BYTE_ORDER_MARK) {
        Some(rest) => (BYTE_ORDER_MARK, rest),
        None => ("", old),
    };
    let own = strip(lines(old)?, wish);
    let set = paths(old);
    let additions = additions(&set, wish);
    // A table can be there in a form that a header may not follow; then the header is a comment, too.
    for headers in [true, false] {
        let page = Page { wish, set: &set, additions: &additions, headers: headers && wish.choice.is_some() };
        let text = page.compose(own.clone(), old);
        if is_kept(old, &text) {
            return Some(format!("{mark}{text}"));
        }
    }
    None
}

/// Whether everything that `old` sets is set in `new`, to the same.
fn is_kept(old: &str, new: &str) -> bool {
    fn within(old: &toml::Value, new: &toml::Value) -> bool {
        match (old, new) {
            (toml::Value::Table(old), toml::Value::Table(new)) => {
                old.iter().all(|(key, value)| new.get(key).is_some_and(|other| within(value, other)))
            }
            (toml::Value::Float(old), toml::Value::Float(new)) => old.to_bits() == new.to_bits(),
            _ => old == new,
        }
    }
    let parse = |text: &str| toml::from_str::<toml::Table>(text).map(toml::Value::Table);
    matches!((parse(old), parse(new)), (Ok(old), Ok(new)) if within(&old, &new))
}

/// Takes our own remarks out. Of several blank lines one is left, and none at begin and end.
fn strip(lines: Vec<Line>, wish: &Wish<'_>) -> Vec<Line> {
    let ours = remarks::all(wish.agents);
    let mut kept: Vec<Line> = Vec::new();
    for line in lines {
        let is_ours = line.kind == Kind::Comment && ours.contains(line.text.as_str());
        let is_more = line.kind == Kind::Blank && kept.last().is_none_or(|last| last.kind == Kind::Blank);
        if !is_ours && !is_more {
            kept.push(line);
        }
    }
    if kept.last().is_some_and(|last| last.kind == Kind::Blank) {
        kept.pop();
    }
    kept
}

/// The settings to add: what the file already says about agents is left alone, since one more could change what another
/// one does.
fn additions(set: &BTreeSet<String>, wish: &Wish<'_>) -> Vec<(String, String)> {
    let Some(choice) = &wish.choice else { return Vec::new() };
    let mut additions = Vec::new();
    if !set.contains(VERSION_KEY) {
        additions.push((VERSION_KEY.to_owned(), super::file::VERSION.to_string()));
    }
    let decides = |key: &Key| matches!(key.field(), "provider" | "model") && set.contains(&key.path());
    if Key::all().any(|key| decides(&key)) {
        return additions;
    }
    additions.push(("defaults.provider".to_owned(), remarks::quoted(&choice.provider)));
    if !set.contains("defaults.reasoning") {
        additions.push(("defaults.reasoning".to_owned(), remarks::quoted("off")));
    }
    let models = choice.models.iter().map(|(role, model)| (format!("role.{role}.model"), remarks::quoted(model)));
    additions.extend(models);
    additions
}

/// A file that is being put together.
struct Page<'a> {
    wish: &'a Wish<'a>,
    /// Every path that the old file sets.
    set: &'a BTreeSet<String>,
    /// Paths and values to set.
    additions: &'a [(String, String)],
    /// Whether headers of missing tables are set, too.
    headers: bool,
}

impl Page<'_> {
    fn compose(&self, own: Vec<Line>, old: &str) -> String {
        let mut result = Vec::new();
        let mut groups = groups(own);
        let root = groups.remove(0);
        // Directives for editors count at the top only.
        let directives = first_line_count(&root, old);
        let (top, root) = root.split_at(directives);
        result.extend_from_slice(top);
        result.extend(remarks::HEADER.iter().map(|line| Line::comment(line)));
        result.push(Line::blank());
        self.root(root, &mut result);
        separate(&mut result);
        for group in &groups {
            let section = match group.first().map(|line| &line.kind) {
                Some(Kind::Header(section)) => section.as_str(),
                _ => "",
            };
            self.group(section, group, &mut result);
        }
        for section in remarks::sections() {
            if !self.is_there(&section, &groups) {
                separate(&mut result);
                self.missing(&section, &mut result);
            }
        }
        self.alternatives(&mut result);
        text(&result, old)
    }

    fn is_there(&self, section: &str, groups: &[Vec<Line>]) -> bool {
        let has_header = groups
            .iter()
            .any(|group| matches!(group.first(), Some(Line { kind: Kind::Header(path), .. }) if path == section));
        has_header || self.set.contains(section)
    }

    /// What stands before the first table.
    fn root(&self, lines: &[Line], result: &mut Vec<Line>) {
        let blank = lines.iter().take_while(|line| line.kind == Kind::Blank).count();
        let (_, lines) = lines.split_at(blank);
        if self.set.contains(VERSION_KEY) {
            result.extend_from_slice(lines);
            return;
        }
        let version = match self.value(VERSION_KEY) {
            Some(value) => Line::entry(VERSION_KEY, &format!("{VERSION_KEY} = {value}")),
            None => Line::comment(remarks::VERSION),
        };
        result.push(version);
        if !lines.is_empty() {
            result.push(Line::blank());
            result.extend_from_slice(lines);
        }
    }

    fn value(&self, path: &str) -> Option<&str> {
        self.additions.iter().find(|(added, _)| added == path).map(|(_, value)| value.as_str())
    }

    /// A table of the old file: what it could set, too, stands below what it sets.
    fn group(&self, section: &str, group: &[Line], result: &mut Vec<Line>) {
        let is_content = |line: &Line| !matches!(line.kind, Kind::Blank | Kind::Comment);
        let end = group.iter().rposition(is_content).map_or(0, |at| at + 1);
        let (content, tail) = group.split_at(end);
        for line in content {
            if let Kind::Entry(path) = &line.kind
                && let Some(remark) = Key::find(path).and_then(remarks::of_key)
            {
                result.push(Line::comment(&remark));
            }
            result.push(line.clone());
            if matches!(line.kind, Kind::Header(_)) {
                result.extend(remarks::of_section(section).map(Line::comment));
            }
        }
        self.keys(section, result);
        result.extend_from_slice(tail);
    }

    /// A table that the old file does not have.
    fn missing(&self, section: &str, result: &mut Vec<Line>) {
        let is_set = self.headers || self.additions.iter().any(|(path, _)| is_in(path, section));
        result.push(if is_set { Line::header(section) } else { Line::comment(&format!("# [{section}]")) });
        result.extend(remarks::of_section(section).map(Line::comment));
        self.keys(section, result);
    }

    /// The keys of a section that the old file does not set: those to be set now, then the others.
    fn keys(&self, section: &str, result: &mut Vec<Line>) {
        let keys = || remarks::keys(section).filter(|key| !self.set.contains(&key.path()));
        for key in keys() {
            let path = key.path();
            if let Some(value) = self.value(&path) {
                result.extend(remarks::of_key(key).as_deref().map(Line::comment));
                result.push(Line::entry(&path, &format!("{} = {value}", key.field())));
            }
        }
        for key in keys().filter(|key| self.value(&key.path()).is_none()) {
            if key.path() == "defaults.model" {
                result.extend(self.on_models().iter().map(|line| Line::comment(line)));
            }
            result.extend(remarks::of_key(key).as_deref().map(Line::comment));
            result.push(Line::comment(&remarks::unset(key, self.agent())));
        }
    }

    fn on_models(&self) -> Vec<String> {
        match self.agent() {
            Some(agent) => remarks::no_model(agent),
            None if self.wish.choice.is_some() && !self.wish.agents.iter().any(|agent| agent.installed) => {
                remarks::nothing_installed()
            }
            None => Vec::new(),
        }
    }

    /// The agent that the file is about.
    fn agent(&self) -> Option<&Agent> {
        let chosen = self.wish.choice.as_ref()?;
        self.wish.agents.iter().find(|agent| agent.name == chosen.provider)
    }

    fn alternatives(&self, result: &mut Vec<Line>) {
        let Some(choice) = &self.wish.choice else { return };
        for agent in self.wish.agents.iter().filter(|agent| agent.installed && agent.name != choice.provider) {
            separate(result);
            result.extend(remarks::alternative(agent).iter().map(|line| Line::comment(line)));
        }
    }
}

fn is_in(path: &str, section: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(of, _)| of == section)
}

/// The lines before the first header, then one group for each header.
fn groups(lines: Vec<Line>) -> Vec<Vec<Line>> {
    let mut groups = vec![Vec::new()];
    for line in lines {
        if matches!(line.kind, Kind::Header(_)) {
            groups.push(Vec::new());
        }
        if let Some(group) = groups.last_mut() {
            group.push(line);
        }
    }
    groups
}

/// How many lines at the top are directives for editors.
fn first_line_count(root: &[Line], old: &str) -> usize {
    let top = old.get(..first_line(old)).unwrap_or_default();
    top.lines().count().min(root.len())
}

fn separate(result: &mut Vec<Line>) {
    if result.last().is_some_and(|line| line.kind != Kind::Blank) {
        result.push(Line::blank());
    }
}

/// The lines with the old file's line breaks.
fn text(lines: &[Line], old: &str) -> String {
    let newline = newline(old);
    lines.iter().flat_map(|line| [line.text.as_str(), line.end.unwrap_or(newline)]).collect()
}
