//! Roles that are set up each on their own: what a flag for all reaches, and what has to be in order before anybody is asked.

use crate::decompose_meanwhile::{ROLES, four_roles};
use crate::support::{World, records};

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

/// A provider whose program is not there.
const GONE: &str = "[provider.gone]\ncommand = \"/nowhere/gone\"\n";

#[track_caller]
fn refuses_before_anybody_is_asked(world: &World, arguments: &[&str], words: &[&str]) {
    let before = world.state();
    world.run(arguments).fails_with(1).says(words);
    assert_eq!(world.state(), before);
    assert_eq!((world.calls(), records(world)), (Vec::new(), Vec::new()), "{arguments:?}");
    world.assert_tidy();
}

#[test]
fn a_role_that_nobody_can_play_is_told_before_the_planner_is_asked() {
    for role in ["planner", "stager", "arbiter", "message"] {
        let world = world(&format!("{GONE}[role.{role}]\nprovider = \"gone\"\n"));
        let words: &[&str] = match role {
            "stager" | "arbiter" => &["/nowhere/gone", &format!("the {role} may have to be asked")],
            _ => &["/nowhere/gone"],
        };
        for arguments in [&[][..], &["--dry-run"], &["--commits", "2"], &["plan"]] {
            refuses_before_anybody_is_asked(&world, arguments, words);
        }
    }
    let unknown = world("[role.arbiter]\nprovider = \"nobody\"\n");
    refuses_before_anybody_is_asked(&unknown, &[], &["nobody", "the arbiter may have to be asked"]);
    let manifest = "[provider.many]\ncommand = \"/bin/sh\"\nmodel_flag = \"-m\"\nprovider_flag = \"-p\"\n";
    let bare = world(&format!("{manifest}[role.stager]\nprovider = \"many\"\nmodel = \"bare\"\n"));
    refuses_before_anybody_is_asked(&bare, &[], &["backend/model", "the stager may have to be asked"]);
}

#[test]
fn one_that_can_be_asked_instead_is_enough() {
    for stager in ["auto", "hunks", "tooled"] {
        let roles = "[role.stager]\nprovider = \"gone\"\n[role.arbiter]\nprovider = \"gone\"\n";
        let world = world(&format!("{GONE}tooled_flags = [\"--tools\"]\n{roles}[decompose]\nstager = \"{stager}\"\n"));
        let config = std::fs::read_to_string(world.home(".config/stagecoach/config.toml")).unwrap();
        world.config(&config.replacen("[defaults]\n", "[defaults]\nfallback = [\"fake\"]\n", 1));
        let run = world.run(&[]).succeeds().says(&["fake is asked instead"]);
        assert_eq!(run.stderr.contains("so hunks are sorted instead"), stager == "tooled", "{run:#?}");
        assert_eq!((world.calls_of("stager"), world.calls_of("arbiter")), (1, 1));
        assert_eq!(world.git(&["status", "--porcelain"]), "");
    }
}

#[test]
fn roles_that_cannot_come_into_play_need_nobody() {
    let gone = ["planner", "stager", "arbiter"].map(|role| format!("[role.{role}]\nprovider = \"gone\"\n")).concat();
    for arguments in [&["--single"][..], &["--commits", "1"], &["-a"]] {
        let world = world(&format!("{GONE}{gone}"));
        world.run(arguments).succeeds();
        assert_eq!((world.calls(), world.git(&["status", "--porcelain"])), (vec!["message".to_owned()], String::new()));
    }
    let world = world(&format!("{GONE}{gone}"));
    world.git(&["add", "other"]);
    world.run(&[]).succeeds();
    world.git(&["checkout", "-q", "shared", "forgotten"]);
    world.run(&[]).succeeds();
    assert_eq!(world.calls(), ["message", "message"], "what is staged, and a single changed file");
}
