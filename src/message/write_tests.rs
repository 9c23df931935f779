//! The attempts, with a scripted agent.
