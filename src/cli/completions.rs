//! `stagecoach completions`

use clap_complete::Generator;
use clap_complete::shells::{Bash, Elvish, Fish, PowerShell, Zsh};
use clap_complete_nushell::Nushell;

use super::args::{Shell, definition};
use super::{Failure, to_stdout};

pub(super) fn run(shell: Shell) -> Result<(), Failure> {
    to_stdout(&script(shell))
}

fn script(shell: Shell) -> String {
    match shell {
        Shell::Bash => generate(Bash),
        Shell::Elvish => generate(Elvish),
        Shell::Fish => generate(Fish),
        Shell::Nushell => generate(Nushell),
        Shell::PowerShell => generate(PowerShell),
        Shell::Zsh => generate(Zsh),
    }
}

fn generate(generator: impl Generator) -> String {
    let mut script = Vec::new();
    clap_complete::generate(generator, &mut definition(), "stagecoach", &mut script);
    String::from_utf8_lossy(&script).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shell_completes_commands_and_flags() {
        for shell in [Shell::Bash, Shell::Elvish, Shell::Fish, Shell::Nushell, Shell::PowerShell, Shell::Zsh] {
            let script = script(shell);
            for word in ["providers", "dry-run", "completions"] {
                assert!(script.contains(word), "{shell:?} does not know {word}");
            }
        }
    }
}
