//! Roles that are set up each on their own: what a flag for all reaches, and what has to be in order before anybody is asked.

use crate::decompose_meanwhile::{ROLES, four_roles};
use crate::support::World;

/// A change that needs all four roles, with more lines in the configuration file.
fn world(more: &str) -> World {
    let world = four_roles(|_, answer| answer);
    configure(&world, more);
    world
}

fn configure(world: &World, more: &str) {
    let config = std::fs::read_to_string(world.home(".config/stagecoach/config.toml")).unwrap();
    world.config(&format!("{config}\n{more}"));
}

#[test]
fn a_flag_that_does_not_reach_a_role_is_told_for_each_role_that_is_asked() {
    let own: String = ROLES.map(|role| format!("[role.{role}]\nmodel = \"own-{role}\"\n")).concat();
    let world = world(&own);
    let told = |arguments: &[&str]| {
        let run = world.run(arguments).succeeds();
        ROLES.map(|role| run.stderr.matches(&format!("--model does not apply to the {role} role")).count())
    };
    assert_eq!(told(&["--dry-run", "--model", "fast"]), [1; 4]);
    assert_eq!(told(&["--dry-run", "--model", "fast", "--planner-model", "fast"]), [0, 1, 1, 1]);
    assert_eq!(told(&["--dry-run"]), [0; 4]);
    assert_eq!(told(&["--dry-run", "--model", "fast", "--single"]), [0, 0, 0, 1], "the others are not asked");
}
