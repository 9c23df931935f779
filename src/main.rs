//! The `stagecoach` program.

use std::process::ExitCode;

fn main() -> ExitCode {
    stagecoach::cli::main()
}
