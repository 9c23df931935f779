//! A user's settings of `git diff` change nothing of what agents see.

use crate::decompose_meanwhile::{ROLES, four_roles};
use crate::support::World;

/// A change that needs all four roles, with attributes that name a diff driver of the user's.
fn world() -> World {
    let world = four_roles(|_, answer| answer);
    std::fs::write(world.path(".git/info/attributes"), "* diff=mine\n").unwrap();
    world
}

/// What each role is sent, the messages in the order of their text.
fn prompts(world: &World) -> Vec<String> {
    world.run(&["--dry-run"]).succeeds();
    let sorted = |role: &&str| {
        let mut prompts = world.prompts_of(role);
        prompts.sort();
        prompts
    };
    ROLES.iter().flat_map(sorted).collect()
}

#[test]
fn settings_of_git_diff_change_no_prompt() {
    let expected = prompts(&world());
    assert_eq!(expected.len(), 6);
    assert!(expected.iter().all(|prompt| prompt.contains("+")));
    for settings in [
        &[("diff.noprefix", "true")][..],
        &[("diff.mnemonicPrefix", "true")],
        &[("diff.srcPrefix", "x/"), ("diff.dstPrefix", "y/")],
        &[("diff.external", "echo EXTERNAL")],
        &[("diff.mine.command", "echo EXTERNAL")],
        &[("diff.mine.textconv", "tr a-z A-Z <")],
        &[("diff.mine.binary", "true")],
        &[("diff.mine.xfuncname", "^line")],
        &[("diff.context", "20")],
        &[("diff.interHunkContext", "20")],
        &[("diff.renames", "false")],
        &[("diff.algorithm", "patience"), ("diff.indentHeuristic", "false")],
        &[("diff.suppressBlankEmpty", "true"), ("diff.wsErrorHighlight", "all"), ("core.whitespace", "trailing-space")],
        &[("diff.orderFile", "/dev/null"), ("diff.ignoreSubmodules", "all"), ("diff.relative", "true")],
        &[("color.ui", "always"), ("color.diff", "always"), ("diff.colorMoved", "zebra")],
        &[("core.quotePath", "false")],
        &[("core.pager", "echo PAGER"), ("interactive.diffFilter", "tr a b")],
    ] {
        let world = world();
        settings.iter().for_each(|(key, value)| drop(world.git(&["config", "--global", key, value])));
        assert_eq!(prompts(&world), expected, "{settings:?}");
    }
    for variable in [("GIT_EXTERNAL_DIFF", "echo EXTERNAL"), ("GIT_DIFF_OPTS", "-u20")] {
        let mut world = world();
        world.set(variable.0, variable.1);
        assert_eq!(prompts(&world), expected, "{variable:?}");
    }
}
