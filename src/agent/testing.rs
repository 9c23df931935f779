//! What tests of calls begin with.

use std::time::Duration;

use super::Options;
use crate::provider::{Layer, Manifest, Registry};
use crate::role::Reasoning;

/// The provider `acme` of a configuration file.
pub(super) fn manifest(source: &str) -> Manifest {
    Registry::new(vec![Layer::parse("test", source).unwrap()]).unwrap().get("acme").unwrap().manifest
}

/// Nothing asked for, and time enough.
pub(super) fn options() -> Options {
    Options {
        model: None,
        reasoning: Reasoning::Off,
        timeout: Duration::from_secs(60),
        deadline: None,
        output: None,
        strip_code_fence: None,
    }
}
