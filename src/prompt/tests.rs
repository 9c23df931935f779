//! Whole prompts, and what holds for every one.
