//! `stagecoach completions`: commands, flags and those values that can be known beforehand.

use std::collections::{BTreeMap, BTreeSet};

use clap::Arg;
use clap::builder::PossibleValuesParser;
use clap_complete::Generator;
use clap_complete::shells::{Bash, Elvish, Fish, PowerShell, Zsh};
use clap_complete_nushell::Nushell;

use crate::config::options::Key;
use crate::provider::Registry;

use super::args::{Shell, whole_definition};
use super::{Failure, to_stdout};

pub(super) fn run(shell: Shell) -> Result<(), Failure> {
    to_stdout(&script(shell)?)
}

fn script(shell: Shell) -> Result<String, Failure> {
    let names = Names::known()?;
    Ok(match shell {
        Shell::Bash => generate(Bash, &names),
        Shell::Elvish => generate(Elvish, &names) + &elvish_values(&names),
        Shell::Fish => generate(Fish, &names) + FISH_NEEDS_COMMAND + &fish_positionals(&names),
        Shell::Nushell => generate(Nushell, &names),
        Shell::PowerShell => generate(PowerShell, &names),
        Shell::Zsh => generate(Zsh, &names),
    })
}

fn generate(generator: impl Generator, names: &Names) -> String {
    let mut script = Vec::new();
    clap_complete::generate(generator, &mut with_values(whole_definition(), names), "stagecoach", &mut script);
    String::from_utf8_lossy(&script).into_owned()
}

/// What the built-in manifests know. A script is made once, so it cannot know the providers of a configuration.
struct Names {
    providers: Vec<String>,
    models: Vec<String>,
}

impl Names {
    fn known() -> Result<Self, Failure> {
        let manifests = Registry::default().all()?.into_iter().map(|provider| provider.manifest);
        let (mut providers, mut models) = (BTreeSet::new(), BTreeSet::new());
        for manifest in manifests {
            models.extend(manifest.models.by_role.into_values().chain([manifest.default_model]));
            providers.insert(manifest.name);
        }
        // Each shell quotes in a way of its own: a name that needs it is left to whoever types it.
        models.retain(|model| {
            !model.is_empty() && model.chars().all(|c| c.is_ascii_alphanumeric() || "-._/".contains(c))
        });
        Ok(Self { providers: providers.into_iter().collect(), models: models.into_iter().collect() })
    }

    /// The values of an argument; none when anything may be typed.
    fn of(&self, arg: &Arg) -> Vec<String> {
        let Some(long) = arg.get_long() else {
            let provider = arg.is_positional() && ["provider", "name"].contains(&arg.get_id().as_str());
            return if provider { self.providers.clone() } else { Vec::new() };
        };
        let flag = format!("--{long}");
        let Some(key) = Key::all().find(|key| key.flag().as_deref() == Some(&flag)) else { return Vec::new() };
        match key.field() {
            "provider" => self.providers.clone(),
            "model" => self.models.clone(),
            _ => choices(key),
        }
    }
}

fn choices(key: Key) -> Vec<String> {
    let schema = key.json_schema();
    let words = schema.get("enum").and_then(|words| words.as_array()).into_iter().flatten();
    words.filter_map(|word| word.as_str().map(str::to_owned)).collect()
}

/// The command line with values that are suggestions only; what parses takes others as well.
fn with_values(command: clap::Command, names: &Names) -> clap::Command {
    let suggest = |arg: Arg| match names.of(&arg) {
        values if values.is_empty() => arg,
        values => arg.value_parser(PossibleValuesParser::new(values)),
    };
    command.mut_args(suggest).mut_subcommands(|inner| with_values(inner, names))
}

/// `clap_complete`'s own function gives up while the last word is an option that waits for its value, so that no value of an
/// option before the command would be completed.
const FISH_NEEDS_COMMAND: &str = "
function __fish_stagecoach_needs_command
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_stagecoach_global_optspecs) -- $cmd 2>/dev/null
    or begin
        set -e cmd[-1]
        argparse -s (__fish_stagecoach_global_optspecs) -- $cmd 2>/dev/null
        or return
    end
    if set -q argv[1]
        echo $argv[1]
        return 1
    end
    return 0
end
";

/// `clap_complete` completes no positional arguments in fish.
fn fish_positionals(names: &Names) -> String {
    let line = |(place, values): (String, Vec<String>)| {
        let mut path = place.split(' ').skip(1);
        let mut conditions = vec![format!("__fish_stagecoach_using_subcommand {}", path.next()?)];
        conditions.extend(path.map(|inner| format!("__fish_seen_subcommand_from {inner}")));
        let (condition, values) = (conditions.join("; and "), values.join(" "));
        Some(format!("complete -c stagecoach -n \"{condition}\" -f -a \"{values}\"\n"))
    };
    places(names).into_iter().filter_map(line).collect()
}

/// `clap_complete` completes no values in Elvish: a completer around its own does.
fn elvish_values(names: &Names) -> String {
    let line = |(place, values): (String, Vec<String>)| {
        let values: Vec<String> = values.iter().map(|value| format!("'{value}'")).collect();
        format!("    &'{place}'=[{}]", values.join(" "))
    };
    let lines: Vec<String> = places(names).into_iter().map(line).collect();
    format!("\nvar stagecoach-values = [\n{}\n]\n{ELVISH_COMPLETER}", lines.join("\n"))
}

const ELVISH_COMPLETER: &str = "\
var stagecoach-words = $edit:completion:arg-completer[stagecoach]
set edit:completion:arg-completer[stagecoach] = {|@words|
    use str
    var option = $words[-2]
    var command = (str:join ' ' $words[..-1])
    if (has-key $stagecoach-values $option) {
        all $stagecoach-values[$option]
    } else {
        if (has-key $stagecoach-values $command) { all $stagecoach-values[$command] }
        $stagecoach-words $@words
    }
}
";

/// Each long option, and each command with a positional argument, that has known values.
fn places(names: &Names) -> BTreeMap<String, Vec<String>> {
    let mut root = with_values(whole_definition(), names);
    root.build();
    let mut places = BTreeMap::new();
    collect_places(&root, "stagecoach", &mut places);
    places
}

fn collect_places(command: &clap::Command, name: &str, places: &mut BTreeMap<String, Vec<String>>) {
    for arg in command.get_arguments().filter(|arg| arg.get_action().takes_values()) {
        let values: Vec<String> = arg.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect();
        if !values.is_empty() {
            places.insert(arg.get_long().map_or_else(|| name.to_owned(), |long| format!("--{long}")), values);
        }
    }
    for inner in command.get_subcommands() {
        collect_places(inner, &format!("{name} {}", inner.get_name()), places);
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use clap::ValueEnum;

    use super::*;

    /// Where packages take the scripts from, under the names that the shells look for.
    fn file(shell: Shell) -> &'static str {
        match shell {
            Shell::Bash => "stagecoach.bash",
            Shell::Elvish => "stagecoach.elv",
            Shell::Fish => "stagecoach.fish",
            Shell::Nushell => "stagecoach.nu",
            Shell::PowerShell => "_stagecoach.ps1",
            Shell::Zsh => "_stagecoach",
        }
    }

    /// `UPDATE_DOCS=1 cargo test --lib cli::completions` renews them.
    #[test]
    fn the_committed_scripts_are_up_to_date() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("completions");
        for shell in Shell::value_variants() {
            let (path, script) = (folder.join(file(*shell)), script(*shell).unwrap());
            if std::env::var_os("UPDATE_DOCS").is_some() {
                std::fs::write(&path, &script).unwrap();
            }
            let committed = std::fs::read_to_string(&path).unwrap_or_default();
            assert!(committed == script, "{} is not up to date: run this test with UPDATE_DOCS=1", path.display());
        }
        assert_eq!(std::fs::read_dir(folder).unwrap().count(), Shell::value_variants().len());
    }

    #[test]
    fn every_shell_completes_commands_and_flags() {
        for shell in Shell::value_variants() {
            let script = script(*shell).unwrap();
            for word in ["providers", "dry-run", "completions"] {
                assert!(script.contains(word), "{shell:?} does not know {word}");
            }
        }
    }

    #[test]
    fn values_are_those_of_the_configuration_and_of_the_manifests() {
        let names = Names::known().unwrap();
        let mut root = with_values(whole_definition(), &names);
        root.build();
        let of = |command: &clap::Command, id: &str| -> Vec<String> {
            let arg = command.get_arguments().find(|arg| arg.get_id() == id).unwrap();
            arg.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect()
        };
        assert_eq!(of(&root, "reasoning"), ["off", "low", "medium", "high"]);
        assert!(of(&root, "format").contains(&"conventional+body".to_owned()));
        for id in ["provider", "planner_provider", "stager_provider", "message_provider", "arbiter_provider"] {
            assert!(["claude", "offline"].iter().all(|name| of(&root, id).contains(&(*name).to_owned())), "{id}");
        }
        assert!(of(&root, "arbiter_model").contains(&"openai/gpt-5.4".to_owned()));
        let models = root.find_subcommand("models").unwrap();
        assert_eq!(of(models, "provider"), names.providers);
        for inner in ["show", "test"] {
            let command = root.find_subcommand("providers").and_then(|command| command.find_subcommand(inner)).unwrap();
            assert_eq!(of(command, "name"), names.providers);
        }
    }
}
