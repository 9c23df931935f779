//! `stagecoach doctor`: everything that a run needs, looked at in one go. It takes no lock and changes nothing.

use std::collections::BTreeSet;
use std::path::Path;

use crate::commit::{Installed, OwnHook, Store};
use crate::config::{FileState, Loaded, Settings, Warning, files};
use crate::git::{GitError, Hook, Operation, Program, Repository};
use crate::provider::Registry;
use crate::role::Role;
use crate::run::Scratch;
use crate::ui::Shows;

use super::super::args::GlobalArgs;
use super::super::context::{Context, chosen, registry, search_path, seats_of_nobody};
use super::super::failure::as_hint;
use super::super::{Failure, admission, exclusive, stderr_shows};
use super::{Check, Level, Report, conclude, provider, version};

pub(in super::super) fn run(json: bool, global: &GlobalArgs) -> Result<(), Failure> {
    let (repository, context) = match Repository::open() {
        Ok(repository) => (Ok(()), Context::of(repository, global, Vec::new())?),
        Err(error) => (Err(error), Context::anywhere(global)?),
    };
    let loaded = context.load();
    let settings = loaded.as_ref().map(|loaded| loaded.settings.clone()).unwrap_or_default();
    let providers = match &loaded {
        Ok(loaded) => registry(loaded),
        Err(_) => Ok(Registry::default()),
    };
    let mut reports = vec![
        Report::new("git", git()),
        Report::new("repository", about_repository(repository, context.repository.as_ref())),
        Report::new("configuration", configuration(&context, &loaded, &providers)),
    ];
    if let Ok(providers) = &providers {
        reports.push(Report::new("providers", installed(providers)?));
        reports.push(Report::new("roles", roles(providers, &settings)));
        reports.push(Report::new("seats", seats(providers, &settings, &context)));
    }
    if let Some(repository) = &context.repository {
        reports.push(Report::new("lock", vec![lock(repository, &context)]));
        reports.push(Report::new("leftovers", leftovers(repository)));
    }
    reports.push(Report::new("terminal", terminal()));
    conclude(&reports, json, true)
}

fn git() -> Vec<Check> {
    let program = match Program::find(Path::new(".")) {
        Ok(program) => program,
        Err(error) => {
            return vec![Check::error("program", error.to_string()).hint("install git, or put it on PATH")];
        }
    };
    let told = match program.run(&["version"], |_| {}) {
        Ok(output) => {
            let text = String::from_utf8_lossy(&output).into_owned();
            Check::info("version", version::find(&text).unwrap_or(text.trim()))
        }
        Err(error) => Check::error("version", error.to_string()).hint("install git again"),
    };
    vec![Check::info("program", program.path().display().to_string()), told]
}

fn about_repository(opened: Result<(), GitError>, repository: Option<&Repository>) -> Vec<Check> {
    let Some(repository) = repository else {
        return vec![match opened {
            Err(GitError::NotARepository) | Ok(()) => Check::info("place", "this folder is in no repository"),
            Err(error) => Check::of("place", Level::Error, &error.into()),
        }];
    };
    let mut checks = vec![Check::info("place", repository.paths().work_tree.display().to_string())];
    let backend = Check::info("backend", repository.backend_name());
    checks.push(backend.detail(repository.backend_reason().map(|why| format!("because {why}")).unwrap_or_default()));
    let (objects, refs) = repository.formats();
    checks.push(Check::info("format", format!("objects: {objects}, refs: {refs}")));
    checks.push(match repository.head() {
        Ok(head) => Check::info("head", head.to_string()),
        Err(error) => Check::of("head", Level::Error, &error.into()),
    });
    checks.extend(unwritable(&repository.paths().git_dir));
    checks.push(match repository.operation() {
        Ok(Operation::None) => Check::info("state", "nothing is in progress"),
        Ok(Operation::Merge(_)) => Check::info("state", "a merge waits for its commit"),
        Ok(Operation::Squash(_)) => Check::info("state", "`git merge --squash` has prepared a message"),
        Err(error) => Check::of("state", Level::Error, &error.into()),
    });
    checks.push(match repository.identities() {
        Ok(identities) => Check::info("identity", identities.committer_name_and_email().to_string()),
        Err(error) => Check::of("identity", Level::Error, &error.into()),
    });
    checks.push(match repository.config().boolean("commit.gpgsign") {
        Ok(Some(true)) => Check::info("signing", "commit.gpgSign asks for signatures"),
        Ok(_) => Check::info("signing", "commits are not signed"),
        Err(error) => Check::of("signing", Level::Error, &GitError::from(error).into()),
    });
    checks.extend(hooks());
    checks
}

/// A git folder in which no commit can be made, since nothing can be written there.
fn unwritable(git_dir: &Path) -> Option<Check> {
    let error = tempfile::tempfile_in(git_dir).err()?;
    let message = format!("nothing can be written in {}, so no commit can be made", git_dir.display());
    Some(Check::warn("access", message).detail(error.to_string()).hint("see whose it is, and how it is mounted"))
}

/// The hooks of a commit that are installed, and which one prepares messages.
fn hooks() -> Vec<Check> {
    let hook = match OwnHook::locate(Path::new(".")) {
        Ok(hook) => hook,
        Err(error) => return vec![Check::of("hooks", Level::Warn, &error.into())],
    };
    let folder = hook.path().parent().unwrap_or(Path::new("."));
    let there: Vec<&str> =
        Hook::AROUND.map(Hook::name).into_iter().filter(|name| folder.join(name).is_file()).collect();
    let names = if there.is_empty() { "none".to_owned() } else { there.join(", ") };
    let own = match hook.installed() {
        Ok(Installed::None) => Check::info("messages", "no hook writes messages for `git commit`"),
        Ok(Installed::Ours(version)) => {
            Check::info("messages", format!("stagecoach's hook (v{version}) writes messages for `git commit`"))
        }
        Ok(Installed::Foreign) => Check::info("messages", "the hook prepare-commit-msg is not stagecoach's"),
        Err(error) => Check::of("messages", Level::Warn, &error.into()),
    };
    vec![Check::info("hooks", format!("{names} in {}", folder.display())), own]
}

fn configuration(
    context: &Context,
    loaded: &Result<Loaded, Failure>,
    providers: &Result<Registry, Failure>,
) -> Vec<Check> {
    let mut checks = Vec::new();
    let mut told = Vec::new();
    for file in files(&context.sources) {
        let path = file.path.display().to_string();
        checks.push(match file.state {
            FileState::Used => Check::info("file", path),
            FileState::Untrusted => {
                let hint = "read it, then run `stagecoach trust`";
                Check::warn("file", format!("{path} is not trusted, and shapes messages only")).hint(hint)
            }
            FileState::Absent => Check::info("file", format!("{path} does not exist")),
            FileState::Replaced => Check::info("file", format!("{path} is not read: another file was named")),
            FileState::Broken { error, hint } => {
                told.push(error.clone());
                Check::error("file", format!("{path} cannot be used")).detail(error).hint(as_hint(&hint))
            }
        });
    }
    match loaded {
        Ok(loaded) => {
            checks.extend(loaded.warnings.iter().map(|warning| Check::warn("setting", warning.to_string())));
            let shadowed = loaded.origins.shadowed(&Role::ALL);
            checks.extend(shadowed.iter().map(|shadowed| Check::warn("shadowed", shadowed.to_string())));
        }
        Err(failure) if told.contains(&failure.why) => {}
        Err(failure) => checks.push(Check::of("setting", Level::Error, failure)),
    }
    match (loaded, providers) {
        (_, Err(failure)) => checks.push(Check::of("providers", Level::Error, failure)),
        (Ok(loaded), Ok(providers)) => checks.extend(seats_of_nobody(loaded, providers).iter().map(no_seats)),
        (Err(_), Ok(_)) => {}
    }
    checks
}

/// The name may belong to another repository's provider, unless it looks like a slip.
fn no_seats(warning: &Warning) -> Check {
    let level = if warning.is_slip() { Level::Warn } else { Level::Info };
    Check::new("seats", level, warning.to_string())
}

/// The agents that are there.
fn installed(registry: &Registry) -> Result<Vec<Check>, Failure> {
    let path = search_path();
    let mut checks: Vec<Check> = registry
        .all()?
        .iter()
        .filter_map(|provider| {
            let program = path.find(&provider.manifest.detect)?;
            Some(Check::info("installed", format!("{}: {}", provider.manifest.name, program.display())))
        })
        .collect();
    if checks.is_empty() {
        let message = "no coding agent is installed, so the built-in offline writer is used";
        checks.push(Check::warn("installed", message).hint("`stagecoach providers list` names those that are known"));
    }
    Ok(checks)
}

/// For each role whom it asks, and with which model.
fn roles(registry: &Registry, settings: &Settings) -> Vec<Check> {
    let mut checks = Vec::new();
    for role in Role::ALL {
        let manifest = match chosen(registry, settings.role(role).provider.as_deref()) {
            Ok(manifest) => manifest,
            Err(failure) => {
                checks.push(Check::of("provider", Level::Error, &failure));
                continue;
            }
        };
        let is_there = manifest.is_offline() || search_path().find(&manifest.command).is_some();
        checks.push(if is_there {
            Check::info("provider", format!("{role}: {}", manifest.name))
        } else {
            let (level, hint) = if settings.fallback.is_empty() {
                (Level::Error, manifest.checks.notes.first().cloned().unwrap_or_default())
            } else {
                (Level::Warn, format!("`fallback` is asked instead: {}", settings.fallback.join(", ")))
            };
            Check::new("provider", level, format!("{role}: `{}` is not installed", manifest.command)).hint(hint)
        });
        if !manifest.is_offline() {
            checks.push(provider::model(&manifest, role, settings));
        }
    }
    for name in &settings.fallback {
        match registry.get(name) {
            Ok(provider) => checks.push(Check::info("fallback", provider.manifest.name)),
            Err(error) => checks.push(Check::of("fallback", Level::Error, &error.into())),
        }
    }
    checks
}

/// How many calls go on at the moment, for each provider that a role asks.
fn seats(registry: &Registry, settings: &Settings, context: &Context) -> Vec<Check> {
    let asked = Role::ALL.into_iter().filter_map(|role| chosen(registry, settings.role(role).provider.as_deref()).ok());
    let names: BTreeSet<String> =
        asked.filter(|manifest| !manifest.is_offline()).map(|manifest| manifest.name).collect();
    let check = |name: &String| {
        let seats = match admission::seats(settings, &context.sources.environment, name) {
            Ok(seats) => seats,
            Err(failure) => return Check::of("seats", Level::Error, &failure),
        };
        match seats.in_use() {
            Ok((taken, waiting)) => {
                let most = settings.admission.of(name).max_active;
                let message = format!("{name}: {taken} of {most} are taken, and {waiting} calls wait");
                Check::info("seats", message).detail(seats.path().display().to_string())
            }
            Err(error) => Check::error("seats", "the folder of seats cannot be used").detail(error.to_string()),
        }
    };
    names.iter().map(check).collect()
}

fn lock(repository: &Repository, context: &Context) -> Check {
    let Some(place) = exclusive::place(repository, &context.sources.environment) else {
        return Check::warn("holder", "no folder for locks is known, so runs do not exclude each other")
            .hint("set HOME or XDG_RUNTIME_DIR");
    };
    match place.holder() {
        Ok(None) => Check::info("holder", "nobody").detail(place.path().display().to_string()),
        Ok(Some(holder)) => {
            let message = format!("process {} on {}", holder.process.pid(), holder.process.host());
            let check = if !holder.is_alive() {
                Check::warn("holder", format!("{message}, which is gone: it was killed"))
                    .hint("nothing to do: the next run takes the lock over and clears up")
            } else if holder.is_orphaned() {
                let hint = format!("end it with `kill {}`, or wait for it", holder.process.pid());
                Check::warn("holder", format!("{message}, whose launcher is gone")).hint(hint)
            } else {
                Check::info("holder", message)
            };
            check.detail(place.path().display().to_string())
        }
        Err(error) => Check::error("holder", "the folder of locks cannot be used").detail(error.to_string()),
    }
}

/// What earlier runs left: things to finish, and things that the next run clears up.
fn leftovers(repository: &Repository) -> Vec<Check> {
    let mut checks = vec![rescues(repository)];
    let folders = [repository.stale_folders(), Scratch::stale(&repository.paths().work_tree)].concat();
    if !folders.is_empty() {
        let paths: Vec<String> = folders.iter().map(|folder| folder.display().to_string()).collect();
        let message = format!("folders that killed runs have left: {}", folders.len());
        checks.push(
            Check::warn("folders", message).detail(paths.join("\n")).hint("nothing to do: the next run removes them"),
        );
    }
    if let Some(lock) = repository.stale_index_lock() {
        let message = "a killed run has left its lock of the index";
        let hint = "run stagecoach, which clears it up; until then git refuses to change the index";
        checks.push(Check::warn("index_lock", message).detail(lock.display().to_string()).hint(hint));
    }
    if let Some(lock) = repository.foreign_index_lock() {
        let hint = "wait for the program that changes the index; if there is none, remove the file";
        checks.push(
            Check::warn("index_lock", "the index is locked, so no commit can be finished")
                .detail(lock.display().to_string())
                .hint(hint),
        );
    }
    checks
}

fn rescues(repository: &Repository) -> Check {
    let listing = match Store::new(repository).list() {
        Ok(listing) => listing,
        Err(error) => return Check::of("rescues", Level::Warn, &error.into()),
    };
    let unreadable: Vec<String> =
        listing.unreadable.iter().map(|(path, why)| format!("{}: {why}", path.display())).collect();
    if !unreadable.is_empty() {
        return Check::warn("rescues", "some records cannot be read").detail(unreadable.join("\n"));
    }
    match listing.records.iter().filter(|record| !record.is_live()).count() {
        0 => Check::info("rescues", "nothing is left of earlier runs"),
        count => Check::warn("rescues", format!("failed or killed runs with something left to finish: {count}"))
            .hint("`stagecoach rescue` lists it"),
    }
}

fn terminal() -> Vec<Check> {
    let term = std::env::var("TERM").unwrap_or_default();
    let progress = match stderr_shows() {
        Shows::Motion => "is drawn",
        Shows::Lines => "is told in lines: the terminal is dumb",
        Shows::Nothing => "is not drawn: standard error is no terminal",
    };
    vec![
        Check::info("progress", format!("progress {progress}")),
        Check::info("type", if term.is_empty() { "TERM is not set".to_owned() } else { format!("TERM is {term}") }),
    ]
}
