//! `providers test`: what can be found out about a provider without asking a model, and with `--probe` by asking one.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::agent::process::Exit;
use crate::agent::{Acp, Agent, AgentFailure, Host, OneShot, Options, Request, Seated};
use crate::config::{Environment, Settings};
use crate::program::SearchPath;
use crate::progress::Silent;
use crate::prompt::Prompt;
use crate::provider::{AcpUse, Call, Manifest, Mode, SessionMode, render};
use crate::role::{Reasoning, Role};
use crate::run::Cancel;
use crate::untrusted;

use super::super::admission::admission;
use super::super::context::output;
use super::super::side_call;
use super::{Check, Level, Report, stager, version};

/// A program that has not told its version or its options by then is not going to.
pub(super) const TIMEOUT: Duration = Duration::from_secs(20);
/// As many models are named; `stagecoach models` lists all.
const SHOWN_MODELS: usize = 12;
/// A longer line is shortened, in characters.
pub(super) const MAX_LINE: usize = 200;

/// What the checks of all providers share.
pub(in super::super) struct Setting<'a> {
    pub(in super::super) settings: &'a Settings,
    /// The provider of roles for which none is configured.
    pub(in super::super) default: &'a str,
    pub(in super::super) path: SearchPath,
    pub(in super::super) cancel: &'a Cancel,
    /// Whether one real call is made.
    pub(in super::super) probe: bool,
    /// What belongs to the user's repository, where there is one.
    pub(in super::super) protected: Vec<PathBuf>,
}

/// Checks one provider. `wanted`: the user asks for this one, so that a program which is missing is an error.
pub(in super::super) fn test(manifest: &Manifest, wanted: bool, setting: &Setting<'_>) -> Report {
    let mut checks = Vec::new();
    if manifest.is_offline() {
        checks.push(Check::info("command", "runs no program and needs no network"));
        return Report::new(&manifest.name, checks);
    }
    let Some(program) = setting.path.find(&manifest.command) else {
        let level = if wanted { Level::Error } else { Level::Info };
        let message = format!("`{}` is not installed, or not executable", manifest.command);
        checks.push(Check::new("command", level, message).hint(manifest.checks.notes.join(" ")));
        return Report::new(&manifest.name, checks);
    };
    checks.push(Check::info("command", program.display().to_string()));
    checks.push(Check::info("manifest", "valid").detail(if manifest.experimental { "experimental" } else { "" }));
    checks.extend(version_of(manifest, setting.cancel));
    if !manifest.is_acp_alone {
        checks.push(flags(manifest, setting.cancel));
    }
    checks.extend(protocol(manifest, setting));
    checks.push(login(manifest));
    checks.extend(models(manifest, setting));
    checks.extend(stager::checks(manifest, setting, &checks));
    let has_sessions = manifest.is_acp_alone || manifest.session_mode == SessionMode::Append;
    checks.push(Check::info("session", if has_sessions { "can continue a session" } else { "has no sessions" }));
    for (code, sentences) in [("use_when", &manifest.guide.use_when), ("avoid_when", &manifest.guide.avoid_when)] {
        checks.extend(sentences.iter().map(|sentence| Check::info(code, sentence)));
    }
    if setting.probe {
        checks.push(probe(manifest, setting));
    }
    Report::new(&manifest.name, checks)
}

/// The version that the program tells.
fn version_of(manifest: &Manifest, cancel: &Cancel) -> Option<Check> {
    if manifest.checks.version.is_empty() {
        return None;
    }
    let outcome = match side_call::run(manifest, &manifest.checks.version, TIMEOUT, cancel) {
        Ok(outcome) if outcome.exit == Exit::Code(0) => outcome,
        Ok(outcome) => {
            let why = untrusted::lines(&outcome.stderr_tail, MAX_LINE).join("\n");
            return Some(Check::warn("version", format!("it tells no version ({})", outcome.exit)).detail(why));
        }
        Err(why) => return Some(Check::warn("version", "it tells no version").detail(why)),
    };
    let printed = [outcome.stdout, outcome.stderr_tail].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    let Some(found) = printed.iter().find_map(|text| version::find(text)) else {
        return Some(Check::warn("version", "what it prints has no version in it"));
    };
    let minimum = &manifest.checks.minimum;
    Some(match version::is_below(found, minimum) {
        Some(true) => Check::warn("version", format!("{found} is below {minimum}, the lowest that is known to work"))
            .hint("update it"),
        _ => Check::info("version", found),
    })
}

/// Whether the program's help knows the options that it is started with.
fn flags(manifest: &Manifest, cancel: &Cancel) -> Check {
    let mut argv = vec![manifest.command.clone()];
    argv.extend(manifest.subcommand.iter().cloned());
    argv.push("--help".to_owned());
    let Ok(outcome) = side_call::run(manifest, &argv, TIMEOUT, cancel) else {
        return Check::info("flags", "its help could not be read");
    };
    let help =
        [outcome.stdout, outcome.stderr_tail].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).join("\n");
    if outcome.exit != Exit::Code(0) || !help.contains("--") {
        return Check::info("flags", "its help lists no options");
    }
    let unknown: Vec<&str> = options(manifest).into_iter().filter(|option| !lists(&help, option)).collect();
    if unknown.is_empty() {
        return Check::info("flags", "its help lists every option it is started with");
    }
    // Some programs hide options from their help, so this is no proof.
    Check::warn("flags", format!("its help does not list {}", unknown.join(", ")))
        .hint(format!("update `{}`, or see `stagecoach providers show {}`", manifest.command, manifest.name))
}

/// The options that bare calls use, each once.
fn options(manifest: &Manifest) -> Vec<&str> {
    let single = [
        &manifest.print_flag,
        &manifest.model_flag,
        &manifest.system_prompt_flag,
        &manifest.provider_flag,
        &manifest.prompt_flag,
    ];
    let mut options: Vec<&str> = single.into_iter().chain(&manifest.bare_flags).map(String::as_str).collect();
    options.retain(|option| option.starts_with('-'));
    options.iter_mut().for_each(|option| *option = option.split('=').next().unwrap_or(option));
    options.sort_unstable();
    options.dedup();
    options
}

/// Whether a help text has an option as a word of its own.
fn lists(help: &str, option: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '-';
    help.match_indices(option).any(|(at, _)| {
        let (before, after) = (help.get(..at).unwrap_or_default(), help.get(at + option.len()..).unwrap_or_default());
        !before.ends_with(is_part) && !after.starts_with(is_part)
    })
}

/// What the agent offers over the protocol, where it may be asked that way.
fn protocol(manifest: &Manifest, setting: &Setting<'_>) -> Vec<Check> {
    let Some(acp) = manifest.acp.as_ref().filter(|acp| acp.usage != AcpUse::Never) else { return Vec::new() };
    let Some(command) = acp.command.first() else { return Vec::new() };
    if setting.path.find(command).is_none() {
        return vec![Check::info("acp", format!("`{command}` is not installed, so single calls are made"))];
    }
    let here = std::env::current_dir().unwrap_or_default();
    let offer = match Acp::look(manifest, &here, &setting.path, TIMEOUT, setting.cancel) {
        Ok(offer) => offer,
        Err(why) if manifest.is_acp_alone => return vec![Check::error("acp", why)],
        Err(why) => return vec![Check::warn("acp", why).detail("single calls are made instead")],
    };
    let speaker = if offer.agent.is_empty() { "an agent without a name" } else { &offer.agent };
    let mut checks = vec![
        Check::info("acp", format!("version 1 of the protocol, {speaker}")).detail(offer.capabilities.join(", ")),
        Check::info("acp_modes", if offer.modes.is_empty() { "none".to_owned() } else { offer.modes.join(", ") }),
    ];
    let wanted = [&acp.bare_mode, &acp.tooled_mode].into_iter().flatten().find(|mode| !offer.modes.contains(mode));
    if let Some(mode) = wanted {
        let said = format!("it does not offer the mode `{mode}`, so it is not used over ACP");
        checks.push(Check::warn("acp_modes", said).hint(format!("see `stagecoach providers show {}`", manifest.name)));
    }
    checks.push(Check::info("acp_models", listed(&offer.models)));
    checks
}

/// The first of many models.
fn listed(models: &[String]) -> String {
    let first = models.iter().take(SHOWN_MODELS).cloned().collect::<Vec<_>>().join(", ");
    match models.len() {
        0 => "it lists none".to_owned(),
        count if count > SHOWN_MODELS => format!("{first} and {} more", count - SHOWN_MODELS),
        _ => first,
    }
}

/// Signs of a login: variables and files.
fn login(manifest: &Manifest) -> Check {
    let is_set = |name: &&String| std::env::var_os(name.as_str()).is_some_and(|value| !value.is_empty());
    let variable = manifest.checks.auth_env.iter().find(is_set);
    let file = manifest.checks.auth_files.iter().find(|path| in_home(path).is_some_and(|path| path.exists()));
    match (variable, file) {
        (Some(variable), Some(file)) => {
            Check::warn("login", format!("{variable} is set, and may be used instead of the login in {file}"))
                .hint(format!("unset {variable} where the login is the one that is paid for"))
        }
        (Some(variable), None) => Check::info("login", format!("{variable} is set")),
        (None, Some(file)) => Check::info("login", format!("{file} is there")),
        (None, None) if manifest.checks.auth_env.is_empty() && manifest.checks.auth_files.is_empty() => {
            Check::info("login", "no sign of a login is known for it; --probe finds out")
        }
        (None, None) => Check::warn("login", "there is no sign of a login; it may be kept elsewhere")
            .hint(manifest.checks.notes.first().cloned().unwrap_or_default()),
    }
}

fn in_home(path: &str) -> Option<PathBuf> {
    match path.strip_prefix("~/") {
        Some(rest) => Some(PathBuf::from(std::env::var_os("HOME")?).join(rest)),
        None => Some(PathBuf::from(path)),
    }
}

/// Whether each role that uses the provider can be called with its model.
fn models(manifest: &Manifest, setting: &Setting<'_>) -> Vec<Check> {
    let uses = |role: &Role| {
        let provider = setting.settings.role(*role).provider.as_deref();
        provider.unwrap_or(setting.default) == manifest.name
    };
    let roles: Vec<Role> = Role::ALL.into_iter().filter(uses).collect();
    if roles.is_empty() {
        return vec![Check::info("model", "no role uses it")];
    }
    roles.into_iter().map(|role| model(manifest, role, setting.settings)).collect()
}

/// Whether a role can be called with its model.
pub(super) fn model(manifest: &Manifest, role: Role, settings: &Settings) -> Check {
    let own = settings.role(role);
    let call = Call { mode: Mode::Bare, model: own.model.as_deref(), reasoning: own.reasoning, ..Call::bare("", "") };
    let named = own.model.as_deref().or(Some(manifest.default_model.as_str())).filter(|model| !model.is_empty());
    match render(manifest, &call) {
        Ok(_) => Check::info("model", format!("{role}: {}", named.unwrap_or("the program's own default"))),
        Err(error) => Check::error("model", format!("{role}: {error}"))
            .hint(format!("`stagecoach models {}` lists what there is", manifest.name)),
    }
}

/// One real call with a prompt of a line.
fn probe(manifest: &Manifest, setting: &Setting<'_>) -> Check {
    let own = setting.settings.role(Role::Message);
    let model = own.model.clone().filter(|_| own.provider.as_deref().unwrap_or(setting.default) == manifest.name);
    let options = Options {
        model,
        reasoning: Reasoning::Off,
        timeout: own.timeout,
        deadline: None,
        output: output(setting.settings.generation.output),
        strip_code_fence: setting.settings.generation.strip_code_fence,
    };
    let limits = (own.timeout, None);
    let environment = Environment::of_process();
    let admission = match admission(setting.settings, &environment, &manifest.name, limits, Arc::new(Silent)) {
        Ok(admission) => admission,
        Err(failure) => return Check::of("probe", Level::Error, &failure),
    };
    let here = std::env::current_dir().unwrap_or_default();
    let prompt = Prompt {
        system: "You test a connection. Answer with one word.".to_owned(),
        user: "Answer with the word: ready".to_owned(),
    };
    let request = Request { role: Role::Message, prompt: &prompt, retry: false, facts: None };
    let started = Instant::now();
    let agent: Result<Box<dyn Agent>, AgentFailure> = if manifest.is_acp_alone {
        Host::new(manifest.clone(), &options, &here, &setting.path)
            .map_err(AgentFailure::from)
            .map(|host| Box::new(Acp::new(Arc::new(host), options, None, true, Arc::new(Silent))) as Box<dyn Agent>)
    } else {
        OneShot::new(manifest.clone(), options, &here, &setting.path, Arc::new(Silent))
            .map(|agent| Box::new(agent) as Box<dyn Agent>)
    };
    let asked = agent.and_then(|agent| Seated::new(agent, admission).ask(&request, setting.cancel));
    match asked {
        Ok(answer) => {
            let said = answer.text.lines().next().unwrap_or_default().chars().take(60).collect::<String>();
            Check::info("probe", format!("answered \"{said}\" after {:.1} s", started.elapsed().as_secs_f64()))
        }
        Err(failure) => Check::error("probe", failure.message).detail(failure.excerpt).hint(failure.advice),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_looked_for_as_whole_words() {
        let help = "  -p, --print  Print\n  --model <m>\n  --no-tools-at-all\n  --mode=ask";
        for (option, listed) in
            [("-p", true), ("--print", true), ("--model", true), ("--mode", true), ("--no-tools", false), ("-m", false)]
        {
            assert_eq!(lists(help, option), listed, "{option}");
        }
    }
}
