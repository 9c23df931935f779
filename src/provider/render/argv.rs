//! The argument vector, piece by piece in its fixed order.

use std::ffi::{OsStr, OsString};

use super::text::Delivered;
use super::{Call, Mode, RenderError, Turn};
use crate::provider::builtin;
use crate::provider::schema::{Delivery, Manifest, SessionMode};
use crate::role::Reasoning;
use crate::untrusted::printable;

/// The arguments, and the same for people.
#[derive(Debug, Default)]
pub(super) struct Built {
    pub(super) argv: Vec<OsString>,
    pub(super) display: Vec<String>,
    pub(super) model: String,
}

impl Built {
    fn push(&mut self, token: impl Into<OsString>) {
        let token = token.into();
        self.display.push(printable(&token.to_string_lossy()));
        self.argv.push(token);
    }

    /// A token that people see as its size.
    fn push_text(&mut self, text: &str, what: &str) {
        self.display.push(format!("<{what}: {} bytes>", text.len()));
        self.argv.push(text.into());
    }

    fn extend<T: Into<OsString>>(&mut self, tokens: impl IntoIterator<Item = T>) {
        tokens.into_iter().for_each(|token| self.push(token));
    }
}

pub(super) fn build(
    manifest: &Manifest,
    call: &Call<'_>,
    delivered: &Delivered,
    notes: &mut Vec<String>,
) -> Result<Built, RenderError> {
    let session = Session::of(manifest, call)?;
    let mut built = Built::default();
    built.push(manifest.command.as_str());
    built.extend(session.subcommand(manifest));
    push_model(&mut built, manifest, call, notes)?;
    built.extend(reasoning(manifest, call.reasoning, notes));
    if let Some(system) = &delivered.system {
        built.push(manifest.system_prompt_flag.as_str());
        built.push_text(system, "system prompt");
    }
    built.extend(mode_flags(manifest, call, &session)?);
    built.extend(session.tokens(manifest));
    if !manifest.print_flag.is_empty() {
        built.push(manifest.print_flag.as_str());
    }
    if !delivered.on_stdin {
        if manifest.prompt_delivery == Delivery::Flag {
            built.push(manifest.prompt_flag.as_str());
        }
        built.push_text(&delivered.text, "payload");
    }
    Ok(built)
}

fn push_model(
    built: &mut Built,
    manifest: &Manifest,
    call: &Call<'_>,
    notes: &mut Vec<String>,
) -> Result<(), RenderError> {
    let model = call.model.unwrap_or(&manifest.default_model);
    if model.is_empty() {
        return Ok(());
    }
    let (backend, rest) = split_model(manifest, model)?;
    let unsafe_part = |part: &str| part.starts_with('-') || part.chars().any(char::is_control);
    if unsafe_part(rest) || backend.is_some_and(unsafe_part) {
        return Err(RenderError::BadModel { provider: manifest.name.clone(), model: printable(model) });
    }
    if let Some(backend) = backend {
        built.push(manifest.provider_flag.as_str());
        built.push(backend);
    }
    if manifest.model_flag.is_empty() {
        notes.push(format!("provider `{}` takes no model, so `{model}` is not passed on", manifest.name));
        return Ok(());
    }
    built.push(manifest.model_flag.as_str());
    built.push(rest);
    model.clone_into(&mut built.model);
    Ok(())
}

/// The backend, for an agent with several, and what its model flag takes.
fn split_model<'m>(manifest: &Manifest, model: &'m str) -> Result<(Option<&'m str>, &'m str), RenderError> {
    if manifest.provider_flag.is_empty() {
        return Ok((None, model));
    }
    match model.split_once('/') {
        Some((backend, rest)) if !backend.is_empty() && !rest.is_empty() => Ok((Some(backend), rest)),
        _ => Err(RenderError::BareModel { provider: manifest.name.clone(), model: printable(model) }),
    }
}

fn reasoning(manifest: &Manifest, level: Reasoning, notes: &mut Vec<String>) -> Vec<String> {
    if let Some(tokens) = manifest.reasoning_levels.get(&level) {
        return tokens.clone();
    }
    // `off` is what an agent does when it is told nothing, so there is nothing to say about it.
    if level != Reasoning::Off {
        notes.push(format!("provider `{}` has no reasoning level `{level}`; it is skipped", manifest.name));
    }
    Vec::new()
}

fn mode_flags(manifest: &Manifest, call: &Call<'_>, session: &Session<'_>) -> Result<Vec<OsString>, RenderError> {
    let Mode::Tooled { repo, git_dir } = call.mode else {
        return Ok(session.without_dropped(manifest, &manifest.bare_flags).into_iter().map(OsString::from).collect());
    };
    if manifest.tooled_flags.is_empty() {
        return Err(RenderError::CannotStage { provider: manifest.name.clone(), able: stagers() });
    }
    let places = [("{repo}", repo.as_os_str()), ("{git_dir}", git_dir.as_os_str())];
    let flags = session.without_dropped(manifest, &manifest.tooled_flags);
    let mut tokens: Vec<OsString> = flags.iter().map(|flag| substitute(flag, &places)).collect();
    if !manifest.tooled.repo_dir_flag.is_empty() {
        tokens.push(manifest.tooled.repo_dir_flag.clone().into());
        tokens.push(repo.into());
    }
    Ok(tokens)
}

fn stagers() -> Vec<String> {
    let able = builtin::agents().filter(|name| {
        let fields = builtin::partial(name).ok().flatten();
        fields
            .and_then(|fields| Manifest::build(name, &fields).ok())
            .is_some_and(|manifest| !manifest.tooled_flags.is_empty())
    });
    able.map(str::to_owned).collect()
}

/// The session side of a call.
struct Session<'a> {
    turn: Option<Turn<'a>>,
}

impl<'a> Session<'a> {
    fn of(manifest: &Manifest, call: &Call<'a>) -> Result<Self, RenderError> {
        let session = Self { turn: call.turn };
        let Some(turn) = call.turn else { return Ok(session) };
        if manifest.session_mode == SessionMode::None {
            return Err(RenderError::NoSession { provider: manifest.name.clone() });
        }
        let used = session.templates(manifest).iter().any(|token| token.contains("{id}"));
        let (Turn::First(id) | Turn::Next(id)) = turn;
        if used && !is_session_id(id) {
            return Err(RenderError::BadSession { provider: manifest.name.clone(), id: printable(id) });
        }
        Ok(session)
    }

    fn subcommand(&self, manifest: &Manifest) -> Vec<OsString> {
        match (self.turn, &manifest.session.subcommand_next) {
            (Some(Turn::Next(_)), Some(template)) => self.fill(template),
            _ => manifest.subcommand.iter().map(OsString::from).collect(),
        }
    }

    fn tokens(&self, manifest: &Manifest) -> Vec<OsString> {
        match self.turn {
            None => Vec::new(),
            Some(Turn::First(_)) => self.fill(&manifest.session.first),
            Some(Turn::Next(_)) => self.fill(&manifest.session.next),
        }
    }

    fn templates<'m>(&self, manifest: &'m Manifest) -> Vec<&'m String> {
        match self.turn {
            None => Vec::new(),
            Some(Turn::First(_)) => manifest.session.first.iter().collect(),
            Some(Turn::Next(_)) => {
                manifest.session.next.iter().chain(manifest.session.subcommand_next.iter().flatten()).collect()
            }
        }
    }

    fn fill(&self, template: &[String]) -> Vec<OsString> {
        let id = match self.turn {
            Some(Turn::First(id) | Turn::Next(id)) => id,
            None => "",
        };
        template.iter().map(|token| substitute(token, &[("{id}", OsStr::new(id))])).collect()
    }

    /// The flags of the mode without those that a session cannot have. Each token of the list removes one, the next one
    /// being looked for behind it first, so that a flag and its value go together.
    fn without_dropped(&self, manifest: &Manifest, flags: &[String]) -> Vec<String> {
        let mut kept: Vec<String> = flags.to_vec();
        if self.turn.is_none() {
            return kept;
        }
        let mut from = 0;
        for dropped in &manifest.session.drop {
            let behind = kept.iter().skip(from).position(|flag| flag == dropped).map(|found| found + from);
            if let Some(found) = behind.or_else(|| kept.iter().position(|flag| flag == dropped)) {
                kept.remove(found);
                from = found;
            }
        }
        kept
    }
}

/// Ids come from agents too; one that looked like a flag, a path or a pattern would be somebody's trick.
fn is_session_id(id: &str) -> bool {
    id.len() <= 200
        && id.starts_with(|first: char| first.is_ascii_alphanumeric())
        && id.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | ':'))
}

/// Fills placeholders in one token. Inside double quotes, as in a TOML or JSON value, the text is escaped for them.
fn substitute(token: &str, places: &[(&str, &OsStr)]) -> OsString {
    let mut filled = OsString::new();
    let mut rest = token;
    while let Some((at, name, value)) = first_placeholder(rest, places) {
        let (before, from) = rest.split_at_checked(at).unwrap_or((rest, ""));
        filled.push(before);
        if before.ends_with('"') {
            filled.push(value.to_string_lossy().replace('\\', "\\\\").replace('"', "\\\""));
        } else {
            filled.push(value);
        }
        rest = from.strip_prefix(name).unwrap_or_default();
    }
    filled.push(rest);
    filled
}

fn first_placeholder<'p>(text: &str, places: &[(&'p str, &'p OsStr)]) -> Option<(usize, &'p str, &'p OsStr)> {
    let found = places.iter().filter_map(|(name, value)| Some((text.find(name)?, *name, *value)));
    found.min_by_key(|(at, _, _)| *at)
}
