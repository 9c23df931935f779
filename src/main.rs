//! The `stagecoach` program: parse, dispatch, map the outcome to an exit code.

fn main() {}
