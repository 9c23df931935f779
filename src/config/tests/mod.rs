//! Whole loads, over made-up environments and files in folders of their own.

mod admission;
mod documentation;
#[cfg(unix)]
mod fences;
#[cfg(unix)]
mod files;
mod layers;
mod mistakes;
mod properties;
mod roles;
pub(super) mod support;
mod upgrading;
