use std::time::Duration;

use super::support::World;
use crate::config::Layer;
use crate::role::{Reasoning, Role};

type Arrange = fn(World) -> World;

/// Layers that set a role's model, the lowest first; each beats all before it.
#[test]
fn a_roles_field_resolves_in_this_order() {
    let steps: [(&str, Arrange); 9] = [
        ("defaults, global", |w| w.global("config_version = 3\ndefaults.model = 'defaults, global'")),
        ("git", |w| w.git("stagecoach.model", "git")),
        ("variable", |w| w.variable("STAGECOACH_MODEL", "variable")),
        ("flag", |w| w.flag("defaults.model", "flag")),
        ("role, global", |w| {
            w.global("config_version = 3\ndefaults.model = 'defaults, global'\nrole.message.model = 'role, global'")
        }),
        ("role, repository", |w| {
            w.repository("config_version = 3\nrole.message.model = 'role, repository'").trusting()
        }),
        ("role, git", |w| w.git("stagecoach.role.message.model", "role, git")),
        ("role, variable", |w| w.variable("STAGECOACH_MESSAGE_MODEL", "role, variable")),
        ("role, flag", |w| w.flag("role.message.model", "role, flag")),
    ];
    let mut world = World::new();
    for (expected, step) in steps {
        world = step(world);
        let settings = world.loaded().settings;
        assert_eq!(settings.role(Role::Message).model.as_deref(), Some(expected));
        // The other roles see only what is set for all of them.
        let others = if expected.starts_with("role") { "flag" } else { expected };
        assert_eq!(settings.role(Role::Stager).model.as_deref(), Some(others), "{expected}");
    }
}

#[test]
fn the_planners_built_in_time_out_yields_to_what_is_asked_for_only() {
    let cases: [(&str, Arrange, u64, u64); 9] = [
        ("nothing", |w| w, 480, 120),
        ("[defaults]", |w| w.global("config_version = 3\ndefaults.timeout = '5m'"), 480, 300),
        ("git", |w| w.git("stagecoach.timeout", "5m"), 480, 300),
        ("variable", |w| w.variable("STAGECOACH_TIMEOUT", "5m"), 300, 300),
        ("flag", |w| w.flag("defaults.timeout", "5m"), 300, 300),
        ("[role.planner]", |w| w.global("config_version = 3\nrole.planner.timeout = '5m'"), 300, 120),
        ("git, planner", |w| w.git("stagecoach.role.planner.timeout", "5m"), 300, 120),
        ("variable, planner", |w| w.variable("STAGECOACH_PLANNER_TIMEOUT", "5m"), 300, 120),
        (
            "[role.planner] beats --timeout",
            |w| w.global("config_version = 3\nrole.planner.timeout = '5m'").flag("defaults.timeout", "7"),
            300,
            7,
        ),
    ];
    for (name, arrange, planner, message) in cases {
        let settings = arrange(World::new()).loaded().settings;
        assert_eq!(settings.role(Role::Planner).timeout, Duration::from_secs(planner), "{name}");
        assert_eq!(settings.role(Role::Message).timeout, Duration::from_secs(message), "{name}");
    }
}

#[test]
fn each_role_has_its_own_of_everything() {
    let mut world = World::new().flag("defaults.reasoning", "low");
    for role in Role::ALL {
        for (field, value) in [("provider", "agent"), ("model", "model"), ("reasoning", "high"), ("timeout", "9s")] {
            let value =
                if field.len() < 9 && field != "timeout" { format!("{value}-{role}") } else { value.to_owned() };
            world = world.flag(&format!("role.{role}.{field}"), &value);
        }
    }
    let settings = world.loaded().settings;
    for role in Role::ALL {
        let own = settings.role(role);
        assert_eq!(own.provider.as_deref(), Some(format!("agent-{role}").as_str()));
        assert_eq!(own.model.as_deref(), Some(format!("model-{role}").as_str()));
        assert_eq!((own.reasoning, own.timeout), (Reasoning::High, Duration::from_secs(9)));
    }
}

#[test]
fn an_empty_role_model_hides_the_one_for_all_roles() {
    let world = World::new().global("config_version = 3\ndefaults.model = 'opus'\nrole.message.model = ''");
    let settings = world.loaded().settings;
    assert_eq!(settings.role(Role::Message).model, None);
    assert_eq!(settings.role(Role::Arbiter).model.as_deref(), Some("opus"));
}

#[test]
fn an_inherited_value_says_from_which_key() {
    let loaded = World::new().git("stagecoach.model", "opus").loaded();
    let effective = loaded.origins.get("role.message.model").unwrap();
    assert_eq!(effective.inherited_from.unwrap().path(), "defaults.model");
    assert_eq!(effective.layer(), Layer::GitConfig);
}

#[test]
fn a_flag_that_a_role_setting_shadows_is_reported() {
    let world = World::new()
        .global("config_version = 3\nrole.message.model = 'haiku'\nrole.planner.model = 'opus'")
        .flag("defaults.model", "sonnet")
        .flag("defaults.provider", "claude");
    let loaded = world.loaded();
    let lines = |roles: &[Role]| -> Vec<_> {
        let root = format!("{}/", world.path("").display()).replace("//", "/");
        loaded.origins.shadowed(roles).iter().map(|line| line.to_string().replace(&root, "")).collect()
    };
    assert_eq!(
        lines(&[Role::Message, Role::Stager]),
        ["--model does not apply to the message role, which has `haiku` from global file config/config.toml:2"]
    );
    assert_eq!(lines(&Role::ALL).len(), 2);
    assert!(lines(&[Role::Arbiter]).is_empty());
}

#[test]
fn what_is_no_surprise_is_not_reported() {
    let same = World::new().git("stagecoach.role.message.model", "x").flag("defaults.model", "x");
    assert!(same.loaded().origins.shadowed(&Role::ALL).is_empty(), "the same value");
    let own = World::new().flag("role.message.model", "y").flag("defaults.model", "x");
    assert!(own.loaded().origins.shadowed(&Role::ALL).is_empty(), "the role's own flag");
    let variable = World::new().git("stagecoach.role.message.model", "y").variable("STAGECOACH_MODEL", "x");
    assert!(variable.loaded().origins.shadowed(&Role::ALL).is_empty(), "no flag");
}
