//! The environment of agents: what they must not inherit, and what must not be quoted from it.

use std::collections::BTreeMap;

use bstr::BStr;

use crate::payload;
use crate::untrusted::is_secret_name;

/// Variables by which git finds a repository, and what else in them is about the repository that we were started in: an
/// agent in another folder would take them for its own. The first are those of `git rev-parse --local-env-vars`.
pub(super) const REPOSITORY: [&str; 21] = [
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_CONFIG",
    "GIT_CONFIG_PARAMETERS",
    "GIT_CONFIG_COUNT",
    "GIT_OBJECT_DIRECTORY",
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_GRAFT_FILE",
    "GIT_INDEX_FILE",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_REPLACE_REF_BASE",
    "GIT_PREFIX",
    "GIT_SHALLOW_FILE",
    "GIT_COMMON_DIR",
    "GIT_INTERNAL_SUPER_PREFIX",
    "GIT_NAMESPACE",
    "GIT_QUARANTINE_PATH",
    "GIT_REFLOG_ACTION",
    "GIT_LITERAL_PATHSPECS",
    "OLDPWD",
];

/// Shorter values are no secrets, and replacing them would tear words apart, in bytes.
const SHORTEST_SECRET: usize = 8;

/// The text without the values of variables whose names say that they are secret – those we were started with and those
/// in `own` – and without what would have been masked in a diff.
pub(super) fn without_secrets(text: &str, own: &BTreeMap<String, String>) -> String {
    shapes_masked(mask(text, all(own).filter(|(name, _)| is_secret_name(name))))
}

/// A text of a call as it is shown from the verbosity `from` on; below it, nothing.
pub(super) fn shown(verbosity: u8, from: u8, text: &str, own: &BTreeMap<String, String>) -> String {
    if verbosity < from { String::new() } else { for_the_log(text, own) }
}

/// A text of a call as it may be shown with `-vv`: the same, and without the value of any variable in `own`.
fn for_the_log(text: &str, own: &BTreeMap<String, String>) -> String {
    shapes_masked(mask(text, all(own).filter(|(name, _)| is_secret_name(name) || own.contains_key(name))))
}

fn shapes_masked(text: String) -> String {
    payload::masked(text, BStr::new(""), &[])
}

fn all(own: &BTreeMap<String, String>) -> impl Iterator<Item = (String, String)> {
    let inherited =
        std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    inherited.chain(own.iter().map(|(name, value)| (name.clone(), value.clone())))
}

fn mask(text: &str, variables: impl Iterator<Item = (String, String)>) -> String {
    let mut secrets: Vec<(String, String)> =
        variables.filter(|(_, value)| value.len() >= SHORTEST_SECRET && !is_place(value)).collect();
    // A secret that begins with another one is masked whole.
    secrets.sort_by_key(|(_, value)| std::cmp::Reverse(value.len()));
    secrets.iter().fold(text.to_owned(), |text, (name, value)| text.replace(value.as_str(), &format!("[{name}]")))
}

/// `SSH_AUTH_SOCK=/run/…` is no secret.
fn is_place(value: &str) -> bool {
    value.starts_with('/')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_secret_variables_are_masked() {
        let variables = [
            ("ACME_API_KEY", "hunter2hunter2"),
            ("ACME_LONGER_KEY", "hunter2hunter2-and-more"),
            ("GH_TOKEN", "short"),
            ("SSH_AUTH_SOCK", "/run/agent"),
            ("HOME_TOWN", "springfield"),
        ];
        let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let masked = mask(
            "key hunter2hunter2 or hunter2hunter2-and-more, short, /run/agent, springfield",
            variables.into_iter().filter(|(name, _)| is_secret_name(name)),
        );
        assert_eq!(masked, "key [ACME_API_KEY] or [ACME_LONGER_KEY], short, /run/agent, springfield");
    }

    #[test]
    fn the_log_hides_all_of_the_agents_own_variables_and_credentials() {
        let own = [("ENDPOINT", "https://internal.example"), ("MODE", "fast")];
        let own = own.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        let token = format!("ghp_{}", "16C7e42F292c6912E7710c838347Ae178B4a");
        let shown = for_the_log(&format!("fast at https://internal.example with {token}"), &own);
        assert_eq!(shown, "fast at [ENDPOINT] with [redacted:github-token]");
        assert_eq!(without_secrets("https://internal.example", &own), "https://internal.example");
    }

    #[test]
    fn no_variable_is_listed_twice() {
        let mut names = REPOSITORY.to_vec();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), REPOSITORY.len());
    }
}
